# The life of communicators, threads and the job: stale messages, memory, large counts, MPI_Finalize.
knell_mpi_test(sem-stale 2 0 sem_stale.c)
knell_ulfm_test(sem-end 4 1 sem_end.c)
knell_mpi_test(sem-storm 4 0 sem_storm.c)
knell_mpi_test(sem-memory 2 0 sem_memory.c 600)
knell_mpi_test(sem-memory-threads 2 0 sem_memory.c 600 threads)
knell_ulfm_test(trap-large 4 1 trap_large.c)
knell_ulfm_test(trap-many-threads 4 2 trap_many_threads.c)

# ---- a kill at a random time in MPI_Finalize: 8 among the tests, 200 in the soak ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-sem_finalize-${mpi})
  knell_mpi_program(${program} ${mpi} sem_finalize.c)
  set(kills ${CMAKE_CURRENT_SOURCE_DIR}/finalize.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> $<TARGET_FILE:${program}>)
  knell_mpi_add(mpi-finalize-${mpi} mpi 120 real ${kills} 8 20000)
  knell_mpi_add(mpi-finalize-${mpi}-soak "soak;mpi-soak" 1800 real ${kills} 200 20000)
endforeach()

# ---- below the layer in MPI_Finalize: a tool that takes its time, and an MPI that does not come back ----
foreach(mpi IN LISTS mpis)
  add_library(test-mpi-never_ends-${mpi} MODULE never_ends.c)
  target_compile_definitions(test-mpi-never_ends-${mpi} PRIVATE _GNU_SOURCE)
  add_library(test-mpi-finalize_tool-${mpi} MODULE finalize_tool.c)
  target_compile_definitions(test-mpi-finalize_tool-${mpi} PRIVATE _GNU_SOURCE TOOL_FINALIZE=PMPI_Finalize)
  foreach(library IN ITEMS never_ends finalize_tool)
    target_link_libraries(test-mpi-${library}-${mpi} PRIVATE mpi-${mpi})
  endforeach()
  set(program test-mpi-sem_plain-${mpi})
  knell_mpi_program(${program} ${mpi} sem_plain.c)
  knell_mpi_add(mpi-sem-finalize-below-${mpi} mpi 150 real ${CMAKE_CURRENT_SOURCE_DIR}/finalize_below.sh ${mpi}
    $<TARGET_FILE:knell-mpi-${mpi}> $<TARGET_FILE:test-mpi-never_ends-${mpi}> $<TARGET_FILE:test-mpi-finalize_tool-${mpi}> 2
    $<TARGET_FILE:${program}>)
endforeach()
