# `knell run` from outside, on every MPI found and in both modes of death.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_app-${mpi})
  knell_mpi_program(${program} ${mpi} run_app.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-${mpi}-${mode} mpi 300 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_cli.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
  endforeach()
endforeach()
