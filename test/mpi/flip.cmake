# Silent faults: wrong bits in messages.
foreach(mpi IN LISTS mpis)
  set(program test-mpi-flip_app-${mpi})
  add_executable(${program} flip_app.c)
  target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/include/mpi-ext ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE knell-mpi-${mpi} mpi-${mpi})
  add_test(NAME mpi-flip-${mpi} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/flip.sh $<TARGET_FILE:knell> ${mpi} $<TARGET_FILE:${program}>
    ${PROJECT_SOURCE_DIR}/examples/fail)
  set_tests_properties(mpi-flip-${mpi} PROPERTIES TIMEOUT 240 LABELS mpi RUN_SERIAL ON)
endforeach()
