# Deaths at the points of points.c below its calls (points.sh): a sample among the tests, all of them in the soak. Deaths at its calls:
# explore.cmake.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-points-${mpi})
  knell_mpi_program(${program} ${mpi} points.c)
  add_library(test-mpi-fate-${mpi} MODULE fate.c)
  target_compile_definitions(test-mpi-fate-${mpi} PRIVATE _GNU_SOURCE)
  target_link_libraries(test-mpi-fate-${mpi} PRIVATE mpi-${mpi} ${CMAKE_DL_LIBS})

  # The layer once more, over the carrier that calls fate.c between any two stores that others see; under the same name, since the program
  # needs one.
  set(layer test-mpi-steps-${mpi})
  add_library(${layer} SHARED)
  get_target_property(rooms knell-mpi-${mpi} ROOMS)
  foreach(room IN LISTS rooms)
    target_sources(${layer} PRIVATE $<TARGET_OBJECTS:knell-mpi-${mpi}-${room}>)
  endforeach()
  set_target_properties(${layer} PROPERTIES OUTPUT_NAME knell-mpi-${mpi} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/src/mpi/steps)
  target_link_options(${layer} PRIVATE -fno-lto -Wl,--exclude-libs,ALL -Wl,--no-as-needed)
  target_link_libraries(${layer} PRIVATE knell-runtime knell-carrier-steps knell-fail knell-job knell-os mpi-${mpi} ${CMAKE_DL_LIBS})

  set(points ${CMAKE_CURRENT_SOURCE_DIR}/points.sh ${mpi} $<TARGET_FILE:${layer}> $<TARGET_FILE:test-mpi-fate-${mpi}> $<TARGET_FILE:${program}>)
  foreach(mode IN ITEMS real ghost)
    # What, its stride among the tests, and in the soak: a death between any two stores, all else at every seventh.
    foreach(row IN ITEMS "post 701 1" "datagram 331 1" "pair 1499 7" "last 1499 7")
      string(REPLACE " " ";" words "${row}")
      list(GET words 0 what)
      list(GET words 1 stride)
      list(GET words 2 soak_stride)
      if(what STREQUAL "datagram" AND mode STREQUAL "ghost")
        continue() # a ghost is not made in the middle of its detector's work
      endif()
      knell_mpi_add(mpi-points-${what}-${mpi}-${mode} mpi 120 ${mode} ${points} ${what} ${stride})
      knell_mpi_add(mpi-points-${what}-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${points} ${what} ${soak_stride})
    endforeach()
    knell_mpi_add(mpi-points-post-5-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${points} post 7 5)
  endforeach()
endforeach()
