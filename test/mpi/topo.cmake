# Process topologies and the collectives of neighbours; without a death.
foreach(ranks IN ITEMS 2 6)
  knell_mpi_test(sem-topo-${ranks} ${ranks} 0 topo.c)
endforeach()
foreach(ranks IN ITEMS 1 3)
  knell_mpi_test(topo-${ranks} ${ranks} 0 topo.c)
endforeach()
