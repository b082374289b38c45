# `knell run` from outside, on every MPI found and in both modes of death.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-run_app-${mpi})
  add_executable(${program} run_app.c)
  target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include/mpi-ext ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE knell-mpi-${mpi} mpi-${mpi})
  foreach(mode IN ITEMS real ghost)
    add_test(NAME mpi-run-${mpi}-${mode} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_cli.sh $<TARGET_FILE:knell> ${mpi}
      $<TARGET_FILE:${program}> ${mode})
    set_tests_properties(mpi-run-${mpi}-${mode} PROPERTIES TIMEOUT 300 LABELS mpi RUN_SERIAL ON)
  endforeach()
endforeach()
