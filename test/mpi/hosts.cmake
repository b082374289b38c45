# Several hosts, made by tools/hosts, under each MPI's own launcher: skipped where they are not permitted. One job of each case among the
# tests, five in the soak.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-host_loss-${mpi})
  knell_mpi_program(${program} ${mpi} host_loss.c)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/hosts.sh ${mpi} $<TARGET_FILE:knell-mpi-${mpi}> ${PROJECT_SOURCE_DIR}/tools/hosts
    $<TARGET_FILE:test-mpi-survive-${mpi}> $<TARGET_FILE:${program}>)
  knell_mpi_add(mpi-hosts-${mpi} mpi 240 real ${script} 1 rank ipv6 kill cut)
  knell_mpi_add(mpi-hosts-${mpi}-soak "soak;mpi-soak" 900 real ${script} 5 rank ipv6 kill cut)
  set_tests_properties(mpi-hosts-${mpi} mpi-hosts-${mpi}-soak PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# The same under `knell run --hosts`.
foreach(mpi IN LISTS mpis)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/run_hosts.sh ${mpi} $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR}/tools/hosts
    ${PROJECT_BINARY_DIR}/examples/mpi/ring-${mpi} $<TARGET_FILE:test-mpi-host_loss-${mpi}>)
  knell_mpi_add(mpi-run-hosts-${mpi} mpi 240 real ${script} 1 rank host)
  knell_mpi_add(mpi-run-hosts-more-${mpi} mpi-more 240 real ${script} 1 two own start end where record killed explore clocks)
  knell_mpi_add(mpi-run-hosts-${mpi}-soak "soak;mpi-soak" 7200 real ${script} 20 rank host two own start end where record killed explore clocks)
  set_tests_properties(mpi-run-hosts-${mpi} mpi-run-hosts-more-${mpi} mpi-run-hosts-${mpi}-soak PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
