# `knell run` from outside, on every MPI found and in both modes of death.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_app-${mpi})
  knell_mpi_program(${program} ${mpi} run_app.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-${mpi}-${mode} mpi 300 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_cli.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
    knell_mpi_add(mpi-run-count-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_count.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode} ${PROJECT_SOURCE_DIR}/examples/fail)
  endforeach()
  knell_mpi_add(mpi-run-bad-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/run_bad.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:${program}>)
endforeach()
