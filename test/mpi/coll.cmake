# Every collective with every number of ranks that matters to an algorithm; a death in the middle of each, five to a job.
foreach(ranks IN ITEMS 1 2 3 4 5 7)
  knell_mpi_test(coll-${ranks} ${ranks} 0 coll.c)
endforeach()
foreach(first IN ITEMS 0 5 10)
  knell_mpi_test(coll-death-${first} 7 5 coll_death.c ${first} 5)
  knell_mpi_test(coll-death-${first}-later 7 5 coll_death.c ${first} 5 later)
endforeach()
knell_mpi_test(coll-death-15 5 3 coll_death.c 15 3)
knell_mpi_test(coll-death-15-later 5 3 coll_death.c 15 3 later)

# Nobody revokes, and the grace is longer than the test may last: members hear from each other that they are out.
foreach(first IN ITEMS 0 6 12)
  knell_ulfm_test(sem-coll-told-${first} 8 6 coll_death.c ${first} 6 told)
  knell_ulfm_test(sem-coll-told-${first}-later 8 6 coll_death.c ${first} 6 told later)
endforeach()
get_property(tests DIRECTORY PROPERTY TESTS)
list(FILTER tests INCLUDE REGEX "coll-told")
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT KNELL_GRACE_NS=100000000000)
