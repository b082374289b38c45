# Deaths at the points of points.c below its calls (points.sh): a sample among the tests, all of them in the soak. Deaths at its calls:
# explore.cmake.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-points-${mpi})
  knell_mpi_program(${program} ${mpi} points.c)
  add_library(test-mpi-fate-${mpi} MODULE fate.c)
  target_compile_definitions(test-mpi-fate-${mpi} PRIVATE _GNU_SOURCE)
  target_link_libraries(test-mpi-fate-${mpi} PRIVATE mpi-${mpi} ${CMAKE_DL_LIBS})
  set(points ${CMAKE_CURRENT_SOURCE_DIR}/points.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> $<TARGET_FILE:test-mpi-fate-${mpi}>
    $<TARGET_FILE:${program}>)
  foreach(mode IN ITEMS real ghost)
    foreach(what_stride IN ITEMS "post 331" "datagram 331" "pair 701" "last 701")
      string(REPLACE " " ";" words "${what_stride}")
      list(GET words 0 what)
      if(what STREQUAL "datagram" AND mode STREQUAL "ghost")
        continue() # a ghost is not made in the middle of its detector's work
      endif()
      knell_mpi_add(mpi-points-${what}-${mpi}-${mode} mpi 120 ${mode} ${points} ${words})
      knell_mpi_add(mpi-points-${what}-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${points} ${what} 1)
    endforeach()
    knell_mpi_add(mpi-points-post-5-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${points} post 1 5)
  endforeach()
endforeach()
