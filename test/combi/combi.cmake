# The fault-tolerant combination technique, examples/combi: what it does under `knell run` (combi.sh), and which deaths it survives
# (`knell explore`): some seconds of it among the tests; wholly, and pairs of deaths, in the soak and by `make explore`.
set(combi ${PROJECT_SOURCE_DIR}/test/combi/combi.sh $<TARGET_FILE:knell>)

# `make test` runs each test on one MPI and in one mode; the others are mpi-more.
set(combi_quick slope-openmpi median-openmpi model-mpich silent-mpich bad-mpich figures-openmpi-real figures-mpich-ghost
  manager-mpich-real pairs-openmpi-ghost remove-openmpi shrink-mpich)
function(knell_combi_label name variable)
  set(${variable} mpi-more PARENT_SCOPE)
  if(name IN_LIST combi_quick)
    set(${variable} mpi PARENT_SCOPE)
  endif()
endfunction()

foreach(mpi IN LISTS mpis)
  foreach(what IN ITEMS slope median model silent bad)
    knell_combi_label(${what}-${mpi} label)
    knell_mpi_add(mpi-combi-${what}-${mpi} ${label} 240 real ${combi} $<TARGET_FILE:combi-${mpi}> ${PROJECT_SOURCE_DIR} ${what})
  endforeach()
  foreach(mode IN ITEMS real ghost)
    foreach(what IN ITEMS figures manager pairs)
      knell_combi_label(${what}-${mpi}-${mode} label)
      knell_mpi_add(mpi-combi-${what}-${mpi}-${mode} ${label} 240 ${mode} ${combi} $<TARGET_FILE:combi-${mpi}> ${PROJECT_SOURCE_DIR}
        ${what})
    endforeach()
  endforeach()
  foreach(what IN ITEMS median weights model silent)
    knell_mpi_add(mpi-combi-${what}-${mpi}-soak "soak;mpi-soak" 1800 real ${combi} $<TARGET_FILE:combi-${mpi}> ${PROJECT_SOURCE_DIR}
      ${what} 41)
  endforeach()
endforeach()

# knell_combi_explore(NAME ranks groups deaths argument...): with a small scheme. Which group solves which grid depends on time, so
# the places are sampled. A run that hangs is frozen, and is noticed after seconds; the limit is for runs that begin late
# beside load.
function(knell_combi_explore name ranks groups deaths)
  foreach(mpi IN LISTS mpis)
    set(explore ${PROJECT_SOURCE_DIR}/test/mpi/explore.sh $<TARGET_FILE:knell> -n ${ranks} --mpi ${mpi} --check "grep -q right"
      --deaths ${deaths} --timeout 40s)
    set(program -- $<TARGET_FILE:combi-${mpi}> --groups ${groups} --min 2,2 --max 4,4 --rounds 2 ${ARGN})
    if(deaths EQUAL 1)
      knell_combi_label(${name}-${mpi} label)
      knell_mpi_add(mpi-explore-combi-${name}-${mpi} ${label} 120 real ${explore} --budget 15s ${program})
    endif()
    foreach(mode IN ITEMS real ghost)
      set(whole "")
      if(deaths EQUAL 1 AND mode STREQUAL "ghost")
        set(whole --all) # every call of every rank
      endif()
      knell_mpi_add(mpi-explore-combi-${name}-${mpi}-${mode}-soak "soak;mpi-soak" 14400 ${mode} ${explore} ${whole} ${program})
    endforeach()
  endforeach()
endfunction()

knell_combi_explore(remove 5 2 1)
knell_combi_explore(shrink 5 2 1 --hurt shrink)
knell_combi_explore(report 5 2 1 --notice report)
knell_combi_explore(pairs-remove 7 3 2)
knell_combi_explore(pairs-shrink 7 3 2 --hurt shrink)
