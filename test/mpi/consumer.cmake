# What is installed, used by a stranger.
foreach(mpi IN LISTS mpis)
  if(NOT KNELL_SANITIZE)
    knell_mpi_add(mpi-consumer-${mpi} mpi 600 real ${CMAKE_CURRENT_SOURCE_DIR}/consumer.sh ${PROJECT_BINARY_DIR} ${mpi})
  endif()
endforeach()
