# Process topologies and the collectives of neighbours.
foreach(ranks IN ITEMS 1 2 3 6)
  knell_mpi_test(topo-${ranks} ${ranks} 0 topo.c) # no death at all
endforeach()
