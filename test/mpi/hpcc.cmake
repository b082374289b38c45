# A suite of strangers: hpcc, which Debian has for Open MPI. Minutes.
if("openmpi" IN_LIST mpis AND NOT KNELL_SANITIZE)
  foreach(ranks IN ITEMS 2 4)
    knell_mpi_add(mpi-hpcc-${ranks} "soak;mpi-soak" 1200 real ${CMAKE_CURRENT_SOURCE_DIR}/hpcc.sh $<TARGET_FILE:knell> ${ranks})
    set_tests_properties(mpi-hpcc-${ranks} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endif()
