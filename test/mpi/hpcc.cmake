# A suite of strangers: hpcc, which Debian has for Open MPI. Minutes.
if("openmpi" IN_LIST mpis)
  foreach(ranks IN ITEMS 2 4)
    add_test(NAME mpi-hpcc-${ranks} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/hpcc.sh $<TARGET_FILE:knell> ${ranks})
    set_tests_properties(mpi-hpcc-${ranks} PROPERTIES TIMEOUT 1200 LABELS soak RUN_SERIAL ON SKIP_RETURN_CODE 77)
  endforeach()
endif()
