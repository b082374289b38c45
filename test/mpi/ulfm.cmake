# Each semantic of ULFM, each trap that programs set, the thesis's tests, random kills, the examples (see the head of each
# file): on every MPI found, with real deaths and with ghosts.

knell_ulfm_test(sem-revoke 4 1 sem_revoke.c)
knell_ulfm_test(sem-agree 4 2 sem_agree.c)
knell_ulfm_test(sem-shrink 6 5 sem_shrink.c)
knell_ulfm_test(sem-failed 5 3 sem_failed.c)
knell_ulfm_test(sem-anysource 4 2 sem_anysource.c)
knell_ulfm_test(sem-unaffected 4 1 sem_unaffected.c)
knell_ulfm_test(sem-sendrecv 3 1 sem_sendrecv.c)
knell_ulfm_test(sem-anytag 4 1 sem_anytag.c)
knell_ulfm_test(sem-handlers 3 1 sem_handlers.c)
knell_ulfm_test(sem-complete 3 1 sem_complete.c)
knell_ulfm_test(sem-buffered 4 2 sem_buffered.c)
knell_ulfm_test(sem-window 7 6 sem_window.c)
knell_oracle_test(window 3 30 1000 oracle_window.c) # MPICH alone polls: more ranks than processors take their time
knell_ulfm_test(sem-progress 4 1 sem_progress.c)
knell_ulfm_test(sem-group 3 1 sem_group.c 10000)
knell_mpi_test(sem-group-storm 4 0 sem_group_storm.c 300) # no death at all
knell_ulfm_test(sem-fatal 3 3 sem_handlers.c fatal)
knell_mpi_test(sem-fatal-call 3 3 sem_handlers.c call) # no death at all
knell_mpi_test(sem-fatal-abort 3 3 sem_handlers.c abort)
knell_ulfm_test(sem-attributes 3 1 sem_attributes.c)
knell_ulfm_test(sem-isendrecv 3 1 sem_isendrecv.c)
knell_ulfm_test(sem-isendrecv-stamped 3 1 sem_isendrecv.c stamped)
knell_mpi_test(sem-persistent 2 0 sem_persistent.c) # no death at all
knell_mpi_test(sem-persistent-free 2 0 sem_persistent_free.c)
knell_mpi_test(sem-persistent-threads 2 0 sem_persistent_free.c threads)
knell_ulfm_test(sem-persistent-death 3 1 sem_persistent_death.c 0)
knell_ulfm_test(sem-persistent-stamped 3 1 sem_persistent_death.c 24)
knell_ulfm_test(sem-persistent-coll 4 1 sem_persistent_coll.c)
knell_ulfm_test(sem-persistent-told 3 1 sem_persistent_told.c)
knell_oracle_test(persistent 4 60 1000 oracle_persistent.c)
knell_oracle_test(persistent-coll 4 30 1000 oracle_persistent_coll.c)
knell_mpi_test(sem-raised 2 0 sem_raised.c) # no death at all

knell_mpi_test(sem-file 4 0 sem_file.c) # no death at all
knell_mpi_test(sem-file-alone 1 0 sem_file.c)
knell_mpi_test(sem-file-apart 3 0 sem_file_apart.c) # no death at all
knell_mpi_test(sem-file-codes 4 0 sem_file_codes.c) # no death at all
knell_ulfm_test(sem-file-session 3 1 sem_file_session.c)
foreach(mpi IN LISTS mpis)
  set_target_properties(test-mpi-sem_file_apart-${mpi} test-mpi-sem_file_codes-${mpi} PROPERTIES ENABLE_EXPORTS ON) # for the layer
endforeach()
knell_ulfm_test(sem-file-death 10 8 sem_file_death.c)
knell_oracle_test(file 3 12 1000 oracle_file.c) # MPICH left alone takes a second for each
# ---- intercommunicators ----
knell_ulfm_test(sem-spares 7 3 sem_spares.c)
foreach(ranks IN ITEMS 2 5 8)
  knell_mpi_test(sem-inter-${ranks} ${ranks} 0 sem_inter.c) # no death at all
endforeach()

knell_mpi_test(sem-inter-random 5 0 inter_random.c 1 100) # no death at all; 1,000 seeds in the soak
foreach(mpi IN LISTS mpis)
  knell_mpi_add(mpi-sem-inter-random-${mpi}-soak "soak;mpi-soak" 300 real ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${mpi}
    $<TARGET_FILE:knell-mpi-${mpi}> 7 0 $<TARGET_FILE:test-mpi-inter_random-${mpi}> 1 1000)
endforeach()
foreach(victim IN ITEMS 0 1 2 3) # the leaders, and a member of each group
  knell_ulfm_test(sem-inter-death-${victim} 7 2 sem_inter_death.c ${victim})
endforeach()
knell_ulfm_test(sem-inter-empty 5 2 sem_inter_empty.c)

knell_ulfm_test(trap-codes 3 1 trap_codes.c)
knell_ulfm_test(trap-pmpi 4 1 trap_pmpi.c)
knell_mpi_test(trap-exit 5 4 trap_exit.c) # deaths that are always real
knell_ulfm_test(trap-rendezvous 5 3 trap_rendezvous.c)
knell_mpi_test(trap-midway 6 4 trap_midway.c) # deaths that are always real
knell_ulfm_test(trap-tutorial 5 1 trap_tutorial.c)
knell_ulfm_test(trap-threads 3 1 trap_threads.c)
knell_mpi_test(trap-silent 3 0 trap_silent.c) # no death at all
knell_mpi_test(trap-bottom 2 0 trap_bottom.c) # no death at all
knell_mpi_test(trap-bottom-coll 3 0 coll.c bottom) # no death at all
knell_mpi_test(trap-arrays 3 0 trap_arrays.c) # no death at all
knell_mpi_test(trap-order 4 0 trap_order.c) # no death at all
knell_mpi_test(trap-arrays-many 18 0 trap_arrays.c)
knell_mpi_test(bad 2 0 bad.c)
knell_mpi_test(bad-memory 2 0 bad_memory.c)
knell_ulfm_test(sem-sent 3 1 sem_sent.c)
knell_ulfm_test(sem-carried 3 1 sem_carried.c)
knell_mpi_test(trap-lost 4 3 trap_lost.c) # deaths that are always real
knell_mpi_test(trap-full 4 1 trap_full.c) # deaths that are always real
knell_mpi_test(trap-vectors 1 0 trap_vectors.c)
knell_mpi_test(trap-written 8 7 trap_written.c)

knell_ulfm_test(thesis-calls 6 2 thesis_calls.c 1)
knell_ulfm_test(thesis-calls-root 6 2 thesis_calls.c 0)
knell_ulfm_test(thesis-stable 4 2 thesis_stable.c)
knell_ulfm_test(thesis-function 5 2 thesis_function.c 0)

# ---- random kills: 30 rounds among the tests, 500 in the soak ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-soak-${mpi})
  knell_mpi_program(${program} ${mpi} soak.c)
  foreach(mode IN ITEMS real ghost)
    set(soak ${CMAKE_CURRENT_SOURCE_DIR}/soak.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> $<TARGET_FILE:${program}>)
    knell_mpi_add(mpi-rounds-${mpi}-${mode} mpi 240 ${mode} ${soak} 30)
    knell_mpi_add(mpi-rounds-${mpi}-${mode}-soak "soak;mpi-soak" 3600 ${mode} ${soak} 500 1000)
  endforeach()
endforeach()

# ---- the examples, with deaths; their answer is checked ----
# knell_mpi_example(NAME target ranks words argument...)
function(knell_mpi_example name target ranks words)
  foreach(mpi IN LISTS mpis)
    if(TARGET ${target}-${mpi} OR TARGET example-${target}-${mpi}) # the latter: Fortran
      knell_mpi_add(mpi-example-${name}-${mpi} mpi 90 real ${CMAKE_CURRENT_SOURCE_DIR}/example.sh "${words}" ${mpi}
        $<TARGET_FILE:knell-mpi-${mpi}> ${ranks} ${ranks} ${PROJECT_BINARY_DIR}/examples/mpi/${target}-${mpi} ${ARGN})
    endif()
  endforeach()
endfunction()

knell_mpi_example(jacobi jacobi 8 "5 of 8 ranks, .*: right" 0@300 5@300 2@700)
knell_mpi_example(jacobi-pair jacobi 6 "4 of 6 ranks, .*: right" 2@500 3@500)
knell_mpi_example(worker-dies manager_worker 5 "3 ranks left, .*: right" 2@0 4@0)
knell_mpi_example(manager-dies manager_worker 5 "3 ranks left, .*: right" 2@0 0@20)
knell_mpi_example(error-handler error_handler 4 "2 ranks left .*: right" 1@100 0@500)
knell_mpi_example(spares spares 6 "4 workers after 400 steps: right" 4 1@120 3@250)
knell_mpi_example(spares-finish spares 6 "4 workers after 400 steps: right" 4 0@399 4@399)
knell_mpi_example(ring ring 5 "3 ranks left .*: right" 0@50 3@120)

knell_ulfm_test(sem-errors 3 1 sem_errors.c)
knell_ulfm_test(sem-listed 4 1 sem_listed.c)

# ---- what a death does to collectives, and hints that change it ----
knell_ulfm_test(sem-hints 6 3 sem_hints.c)
foreach(mpi IN LISTS mpis)
  knell_mpi_add(mpi-sem-hints-world-${mpi} mpi 60 real $<TARGET_FILE:knell> run -n 2 --info mpi_error_uniform=coll
    --info mpi_error_range=group -- $<TARGET_FILE:test-mpi-sem_hints-${mpi}> mpi_error_uniform coll)
endforeach()
# A busy machine may keep a living rank away for longer than the usual grace.
foreach(which IN ITEMS 0 1 2 3) # barrier, allreduce, allgather, alltoall
  knell_ulfm_test(sem-coll-done-${which} 6 5 coll_done.c ${which})
endforeach()
knell_ulfm_test(sem-coll-done-later 6 5 coll_done.c 0 later)
get_property(tests DIRECTORY PROPERTY TESTS)
list(FILTER tests INCLUDE REGEX "coll-done")
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT KNELL_GRACE_NS=5000000000)
# Who waits for a living rank is told, and does not wait for the grace.
get_property(tests DIRECTORY PROPERTY TESTS)
list(FILTER tests INCLUDE REGEX "persistent-told")
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT KNELL_GRACE_NS=60000000000)
