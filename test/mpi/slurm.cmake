# A real Slurm on hosts of tools/hosts (slurm.sh): srun with pmi2 for MPICH, with pmix for Open MPI. Skipped where there is none.
foreach(mpi IN LISTS mpis)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/slurm.sh ${mpi} $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR}/tools/hosts
    $<TARGET_FILE:test-mpi-host_loss-${mpi}> ${PROJECT_BINARY_DIR}/examples/mpi/manager_worker-${mpi})
  knell_mpi_add(mpi-slurm-${mpi} mpi 240 real ${script} 1 rank host operator exec batch nested)
  knell_mpi_add(mpi-slurm-more-${mpi} mpi-more 1200 real ${script} 5 rank agent host first down operator)
  knell_mpi_add(mpi-slurm-${mpi}-soak "soak;mpi-soak" 3600 real ${script} 20 rank agent host first down operator exec batch)
  set_tests_properties(mpi-slurm-${mpi} mpi-slurm-more-${mpi} mpi-slurm-${mpi}-soak PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
