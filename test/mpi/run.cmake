# `knell run` from outside, on every MPI found and in both modes of death.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_app-${mpi})
  knell_mpi_program(${program} ${mpi} run_app.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-${mpi}-${mode} mpi 300 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_cli.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
    knell_mpi_add(mpi-run-json-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_json.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
    knell_mpi_add(mpi-run-inside-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_inside.sh $<TARGET_FILE:knell>
      ${mpi} $<TARGET_FILE:${program}> ${mode})
    knell_mpi_add(mpi-run-count-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_count.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode} ${PROJECT_SOURCE_DIR}/examples/fail)
  endforeach()
  knell_mpi_add(mpi-run-bad-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/run_bad.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:${program}>)
endforeach()

# ---- programs that change their environment, have children, load libraries, bring a tool ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_life-${mpi})
  knell_mpi_program(${program} ${mpi} run_life.c)
  target_link_libraries(${program} PRIVATE ${CMAKE_DL_LIBS} pthread)
  add_library(test-mpi-tool_above-${mpi} MODULE finalize_tool.c)
  target_compile_definitions(test-mpi-tool_above-${mpi} PRIVATE _GNU_SOURCE TOOL_FINALIZE=MPI_Finalize)
  target_link_libraries(test-mpi-tool_above-${mpi} PRIVATE mpi-${mpi})
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-trap-life-${mpi}-${mode} mpi 200 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_life.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode} $<TARGET_FILE:test-mpi-slow_load> $<TARGET_FILE:test-mpi-tool_above-${mpi}>)
  endforeach()
endforeach()
add_library(test-mpi-slow_load MODULE slow_load.c)

# ---- where the ranks are; a rank in a debugger's hands ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_where-${mpi})
  knell_mpi_program(${program} ${mpi} run_where.c)
  knell_mpi_add(mpi-trap-where-${mpi} mpi 200 real ${CMAKE_CURRENT_SOURCE_DIR}/run_where.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:${program}>)
endforeach()
knell_mpi_test(trap-traced 3 0 trap_traced.c)

# ---- the record of a run and its verdict ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_record-${mpi})
  knell_mpi_program(${program} ${mpi} run_record_app.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-record-${mpi}-${mode} mpi 300 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_record.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
  endforeach()
endforeach()

# ---- the words of a job that a death ends ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_words-${mpi})
  knell_mpi_program(${program} ${mpi} run_words.c)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-words-${mpi}-${mode} mpi 120 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_words.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
  endforeach()
endforeach()

# ---- a program that ignores a death ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_ignored-${mpi})
  knell_mpi_program(${program} ${mpi} run_ignored.c)
  target_link_libraries(${program} PRIVATE pthread)
  knell_mpi_program(${program}-has ${mpi} run_ignored.c)
  target_compile_definitions(${program}-has PRIVATE HAS_CALL)
  target_link_libraries(${program}-has PRIVATE pthread)
  foreach(mode IN ITEMS real ghost)
    knell_mpi_add(mpi-run-ignored-${mpi}-${mode} mpi 240 ${mode} ${CMAKE_CURRENT_SOURCE_DIR}/run_ignored.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode} $<TARGET_FILE:${program}-has>)
  endforeach()
endforeach()

# ---- what is not carried; the words of mpirun ----
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_refused-${mpi})
  knell_mpi_program(${program} ${mpi} run_refused.c)
  knell_mpi_add(mpi-run-refused-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/run_refused.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:${program}> real $<TARGET_FILE:knell-mpi-${mpi}>)
  knell_mpi_add(mpi-check-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/check.sh $<TARGET_FILE:knell> ${mpi})
  knell_mpi_program(test-mpi-run_mpirun-${mpi} ${mpi} run_mpirun.c)
  knell_mpi_add(mpi-run-mpirun-${mpi} mpi 120 real ${CMAKE_CURRENT_SOURCE_DIR}/run_mpirun.sh $<TARGET_FILE:knell> ${mpi}
    $<TARGET_FILE:test-mpi-run_mpirun-${mpi}>)
endforeach()

# ---- Python ----
if("openmpi" IN_LIST mpis)
  knell_mpi_add(mpi-python mpi 300 real ${CMAKE_CURRENT_SOURCE_DIR}/python.sh $<TARGET_FILE:knell> ${PROJECT_SOURCE_DIR})
  set_tests_properties(mpi-python PROPERTIES SKIP_RETURN_CODE 77)
endif()
