# Several hosts, made by tools/hosts, under each MPI's own launcher: skipped where they are not permitted. One job of each case among the
# tests, five of the most important in the longer ones, twenty in the soak.
# knell_mpi_hosts(NAME LABELS SECONDS command...)
function(knell_mpi_hosts name labels seconds)
  knell_mpi_add(${name} "${labels}" ${seconds} real ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

foreach(mpi IN LISTS mpis)
  set(program test-mpi-host_loss-${mpi})
  knell_mpi_program(${program} ${mpi} host_loss.c)

  # By hand, without `knell run`.
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/hosts.sh ${mpi} $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR}/tools/hosts
    $<TARGET_FILE:test-mpi-survive-${mpi}> $<TARGET_FILE:${program}>)
  knell_mpi_hosts(mpi-hosts-${mpi} mpi 240 ${script} 1 rank ipv6 kill cut)
  knell_mpi_hosts(mpi-hosts-${mpi}-soak "soak;mpi-soak" 1800 ${script} 20 rank ipv6 kill cut)

  # Under `knell run --hosts`.
  set(arguments ${mpi} $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR}/tools/hosts $<TARGET_FILE:repaired-${mpi}> $<TARGET_FILE:${program}>)
  set(loss ${CMAKE_CURRENT_SOURCE_DIR}/run_hosts.sh ${arguments})
  set(more ${CMAKE_CURRENT_SOURCE_DIR}/run_hosts_more.sh ${arguments})
  set(many ${CMAKE_CURRENT_SOURCE_DIR}/run_hosts_many.sh ${arguments})
  set(strangers ${CMAKE_CURRENT_SOURCE_DIR}/run_hosts_strangers.sh ${arguments})
  knell_mpi_hosts(mpi-run-hosts-${mpi} mpi 240 ${loss} 1 rank host)
  knell_mpi_hosts(mpi-run-hosts-loss-${mpi} mpi-more 900 ${loss} 5 rank host own)
  knell_mpi_hosts(mpi-run-hosts-times-${mpi} mpi-more 300 ${loss} 1 ipv6 two two_of_many own_back start own_start end)
  knell_mpi_hosts(mpi-run-hosts-more-${mpi} mpi-more 400 ${more} 1 scenario where record explore clocks calibration killed)
  knell_mpi_hosts(mpi-run-hosts-strangers-${mpi} mpi-more 240 ${strangers} 1 interfaces flood)
  knell_mpi_hosts(mpi-run-hosts-many-${mpi} mpi-more 300 ${many} 1 many)
  knell_mpi_hosts(mpi-run-hosts-${mpi}-soak "soak;mpi-soak" 7200 ${loss} 20 rank host two two_of_many own own_back start own_start end)
  knell_mpi_hosts(mpi-run-hosts-more-${mpi}-soak "soak;mpi-soak" 7200 ${more} 5 scenario where record explore clocks calibration killed)
  knell_mpi_hosts(mpi-run-hosts-many-${mpi}-soak "soak;mpi-soak" 3600 ${many} 20 many)
endforeach()

# Networks that split.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-split_work-${mpi})
  knell_mpi_program(${program} ${mpi} split_work.c)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/split.sh ${mpi} $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR}/tools/hosts
    $<TARGET_FILE:${program}>)
  knell_mpi_add(mpi-split-${mpi} mpi 240 real ${script} 1 half alone)
  knell_mpi_add(mpi-split-more-${mpi} mpi-more 1200 real ${script} 5 one own heal brief row go_on)
  knell_mpi_add(mpi-split-${mpi}-soak "soak;mpi-soak" 7200 real ${script} 20 one half own heal brief row go_on alone)
  # 50 cuts, each once for good and once healed.
  knell_mpi_add(mpi-split-random-${mpi}-soak "soak;mpi-soak" 7200 real ${script} 50 random)
  set_tests_properties(mpi-split-${mpi} mpi-split-more-${mpi} mpi-split-${mpi}-soak mpi-split-random-${mpi}-soak
    PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
