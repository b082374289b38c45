# What is installed, used by a stranger.
foreach(mpi IN LISTS mpis)
  add_test(NAME mpi-consumer-${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer.sh ${PROJECT_BINARY_DIR} ${mpi})
  set_tests_properties(mpi-consumer-${mpi} PROPERTIES TIMEOUT 300 LABELS mpi RUN_SERIAL ON)
endforeach()
