# Process topologies and the collectives of neighbours; without a death.
knell_mpi_test(sem-topo-6 6 0 topo.c)
foreach(ranks IN ITEMS 1 2 3)
  knell_mpi_test(topo-${ranks} ${ranks} 0 topo.c)
endforeach()
foreach(ranks IN ITEMS 1 3)
  knell_mpi_test(trap-topo-${ranks} ${ranks} 0 trap_topo.c)
endforeach()
knell_oracle_test(topo 4 60 1000 oracle_topo.c)

# Deaths and revokes. Nobody revokes in sem-topo-told, and the grace is longer than the test may last.
knell_ulfm_test(sem-topo 6 3 sem_topo.c)
knell_mpi_test(sem-topo-death 7 5 topo_death.c) # deaths that are always real
knell_mpi_test(topo-death-later 7 5 topo_death.c later)
knell_ulfm_test(sem-topo-told 8 5 topo_death.c told)
knell_ulfm_test(topo-told-later 8 5 topo_death.c told later)
get_property(tests DIRECTORY PROPERTY TESTS)
list(FILTER tests INCLUDE REGEX "topo-told")
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT KNELL_GRACE_NS=100000000000)
