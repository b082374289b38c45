# Ways for messages within a host: the carrier, the carrier without reading the memory of others, the MPI below. Everything else is tested
# with the first; these cells hold the others against it.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-any_side-${mpi})
  knell_mpi_program(${program} ${mpi} any_side.c)
  foreach(way IN ITEMS on pieces off)
    knell_mpi_add(mpi-any-side-${way}-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> 4 0
      $<TARGET_FILE:${program}>)
    set_property(TEST mpi-any-side-${way}-${mpi} APPEND PROPERTY ENVIRONMENT KNELL_CARRIER=${way})
  endforeach()
  knell_mpi_hosts(mpi-any-side-hosts-${mpi} mpi 240 ${CMAKE_CURRENT_SOURCE_DIR}/any_side.sh ${mpi} $<TARGET_FILE:knell>
    ${PROJECT_SOURCE_DIR}/tools/hosts $<TARGET_FILE:repaired-${mpi}> $<TARGET_FILE:${program}> 1 on off threads)

  knell_mpi_add(mpi-messages-fortran-${mpi} mpi 90 real ${CMAKE_CURRENT_SOURCE_DIR}/messages.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}>)
  set_tests_properties(mpi-messages-fortran-${mpi} PROPERTIES SKIP_RETURN_CODE 77)

  # More than 2 GiB of a derived datatype: 7 GB of memory.
  knell_mpi_add(mpi-carried-large-${mpi} mpi-more 300 real ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> 2 0
    $<TARGET_FILE:test-mpi-sem_carried-${mpi}> large)

  # What is given up while it comes in pieces, and what no rank received.
  foreach(stem IN ITEMS trap_rendezvous sem_sent sem_carried)
    foreach(mode IN ITEMS real ghost)
      set(ranks 5)
      set(deaths 3)
      if(stem MATCHES "^sem_")
        set(ranks 3)
        set(deaths 1)
      endif()
      set(test mpi-pieces-${stem}-${mpi}-${mode})
      knell_mpi_add(${test} mpi 90 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> ${ranks} ${deaths}
        $<TARGET_FILE:test-mpi-${stem}-${mpi}>)
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT KNELL_CARRIER=pieces)
    endforeach()
  endforeach()

  # A connection of the MPI's own that ends before the death behind it is known: nothing of that is left with the carrier.
  set_property(TEST mpi-trap-lost-${mpi} APPEND PROPERTY ENVIRONMENT KNELL_CARRIER=off)
endforeach()
