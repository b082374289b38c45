# Silent faults: wrong bits in messages.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-flip_app-${mpi})
  knell_mpi_program(${program} ${mpi} flip_app.c)
  knell_mpi_add(mpi-flip-${mpi} mpi 240 real ${CMAKE_CURRENT_SOURCE_DIR}/flip.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:${program}> ${PROJECT_SOURCE_DIR}/examples/fail)
endforeach()

# Scenarios on a program: families of calls, variables, stops, arguments, pauses.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-inject_app-${mpi})
  knell_mpi_program(${program} ${mpi} inject_app.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-inject-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/inject.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode} ${PROJECT_SOURCE_DIR}/examples/fail)
  endforeach()
endforeach()
