# `knell explore` on our own programs (explore.sh): the examples, and points.c, which makes every call of the layer. Among the tests
# for some seconds each, wholly in the soak and by `make explore`.

# knell_mpi_explore(NAME mpi modes PROGRAM program argument... CHECK command WHOLE option...): for some seconds, in these modes; and
# wholly, with these options, in both.
function(knell_mpi_explore name mpi quick)
  cmake_parse_arguments(PARSE_ARGV 3 explore "" "CHECK" "PROGRAM;WHOLE")
  set(explore ${CMAKE_CURRENT_SOURCE_DIR}/explore.sh $<TARGET_FILE:knell> -n 4 --mpi ${mpi} --check "${explore_CHECK}")
  set(seconds 7)
  if(name STREQUAL "error_handler")
    set(seconds 25) # thousands of calls; beside load its runs without faults alone take 7 s. Without load it ends before.
  endif()
  foreach(mode IN LISTS quick)
    knell_mpi_add(mpi-explore-${name}-${mpi}-${mode} mpi 120 ${mode} ${explore} --budget ${seconds}s -- ${explore_PROGRAM})
  endforeach()
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-explore-${name}-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${explore} ${explore_WHOLE} -- ${explore_PROGRAM})
  endforeach()
endfunction()

# knell_mpi_explore_example(NAME mpi-of-the-quick-test its-mode argument...)
function(knell_mpi_explore_example name quick_mpi mode)
  foreach(mpi IN LISTS mpis)
    if(name STREQUAL "ring" AND NOT TARGET example-ring-${mpi})
      continue() # no Fortran compiler
    endif()
    set(quick "")
    if(mpi STREQUAL quick_mpi)
      set(quick ${mode})
    endif()
    knell_mpi_explore(${name} ${mpi} "${quick}" CHECK "grep -q right" WHOLE --deaths 2
      PROGRAM ${PROJECT_BINARY_DIR}/examples/mpi/${name}-${mpi} ${ARGN})
  endforeach()
endfunction()

knell_mpi_explore_example(jacobi openmpi real 4)
knell_mpi_explore_example(manager_worker mpich real 5)
knell_mpi_explore_example(error_handler openmpi ghost)
knell_mpi_explore_example(spares mpich ghost 2)
knell_mpi_explore_example(ring mpich real)

# Every survivor of points says "fine".
foreach(mpi IN LISTS mpis)
  knell_mpi_explore(points ${mpi} "real;ghost" CHECK [[test $(grep -o fine | wc -l) -eq $((4 - $(echo $KNELL_DEAD | wc -w)))]]
    WHOLE --all PROGRAM $<TARGET_FILE:test-mpi-points-${mpi}>)
  knell_mpi_add(mpi-explore-plan-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/explore.sh plan $<TARGET_FILE:knell> -n 4
    --mpi ${mpi} -- $<TARGET_FILE:jacobi-${mpi}> 4)
  knell_mpi_add(mpi-explore-cost-${mpi}-soak "soak;mpi-soak" 1200 real ${CMAKE_CURRENT_SOURCE_DIR}/explore.sh cost $<TARGET_FILE:knell> -n 4
    --mpi ${mpi} --check "grep -q right" -- $<TARGET_FILE:jacobi-${mpi}> 4)
endforeach()

# Wrong input; ends at random instants.
foreach(mpi IN LISTS mpis)
  knell_mpi_add(mpi-explore-bad-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/explore_bad.sh $<TARGET_FILE:knell>
    $<TARGET_FILE:error_handler-${mpi}> $<TARGET_FILE:test-mpi-run_record-${mpi}> $<TARGET_FILE:spares-${mpi}>)
  set(life ${CMAKE_CURRENT_SOURCE_DIR}/explore_life.sh $<TARGET_FILE:knell>)
  knell_mpi_add(mpi-explore-life-${mpi} mpi-more 300 real ${life} 6 3 $<TARGET_FILE:error_handler-${mpi}>)
  knell_mpi_add(mpi-explore-life-${mpi}-soak "soak;mpi-soak" 3600 real ${life} 100 3 $<TARGET_FILE:error_handler-${mpi}>)
endforeach()

# The tutorial: the mistakes of first.c are found, and none in repaired.c; that wholly in the soak.
foreach(mpi IN LISTS mpis)
  foreach(mode IN ITEMS real ghost)
    set(tutorial ${CMAKE_CURRENT_SOURCE_DIR}/explore_tutorial.sh $<TARGET_FILE:knell> ${mode} $<TARGET_FILE:first-${mpi}>
      $<TARGET_FILE:repaired-${mpi}>)
    foreach(what IN ITEMS single pairs repaired)
      knell_mpi_add(mpi-tutorial-${what}-${mpi}-${mode} mpi 600 ${mode} ${tutorial} ${what})
    endforeach()
    knell_mpi_add(mpi-tutorial-all-${mpi}-${mode}-soak "soak;mpi-soak" 3600 ${mode} ${tutorial} all)
  endforeach()
endforeach()
