# Unit tests of the rooms of src/mpi against a fake MPI: no mpirun, no label, so they run with those that need no MPI.
#
# What a test links is an archive of all rooms but edge, whose wrappers have the MPI's own names: only the files it needs come along.
# The MPI is linked for its constants alone and never started.
foreach(mpi IN LISTS mpis)
  get_target_property(rooms knell-mpi-${mpi} ROOMS)
  set(objects)
  set(roots)
  foreach(room IN LISTS rooms)
    if(NOT room STREQUAL "edge")
      list(APPEND objects $<TARGET_OBJECTS:knell-mpi-${mpi}-${room}>)
      list(APPEND roots ${PROJECT_BINARY_DIR}/layers/mpi-${room})
    endif()
  endforeach()
  add_library(knell-mpi-${mpi}-rooms STATIC EXCLUDE_FROM_ALL ${objects})
  target_include_directories(knell-mpi-${mpi}-rooms PUBLIC ${roots} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(knell-mpi-${mpi}-rooms PUBLIC _GNU_SOURCE OMPI_OMIT_MPI1_COMPAT_DECLS=1
    $<$<BOOL:${KNELL_CHECK_LOCKS}>:KNELL_CHECK_LOCKS>)
  target_link_libraries(knell-mpi-${mpi}-rooms PUBLIC knell-runtime knell-carrier knell-fail knell-job mpi-${mpi} ${CMAKE_DL_LIBS})

  add_library(knell-mpi-${mpi}-fake OBJECT unit/fake_comm.c unit/fake_message.c unit/fake_request.c unit/fake_runtime.c
    unit/fake_status.c)
  target_link_libraries(knell-mpi-${mpi}-fake PUBLIC knell-mpi-${mpi}-rooms)
endforeach()

# knell_mpi_unit(NAME source...): one test per MPI, mpi-unit-NAME-MPI.
function(knell_mpi_unit name)
  foreach(mpi IN LISTS mpis)
    set(test mpi-unit-${name}-${mpi})
    add_executable(test-${test} ${ARGN} $<TARGET_OBJECTS:knell-mpi-${mpi}-fake>)
    target_link_libraries(test-${test} PRIVATE knell-testing knell-mpi-${mpi}-rooms knell-util)
    target_link_options(test-${test} PRIVATE -fno-lto) # quick to link; nothing here is measured
    add_test(NAME ${test} COMMAND test-${test})
    set_tests_properties(${test} PROPERTIES TIMEOUT 60)
  endforeach()
endfunction()

if(KNELL_CHECK_LOCKS)
  knell_mpi_unit(lock unit/lock_test.c)
endif()
knell_mpi_unit(request unit/request_test.c)
knell_mpi_unit(task unit/task_test.c)
knell_mpi_unit(context unit/context_test.c unit/fold_test.c unit/members.c)
knell_mpi_unit(epoch unit/epoch_test.c)
foreach(mpi IN LISTS mpis) # the smallest pool
  add_test(NAME mpi-unit-epoch-8-${mpi} COMMAND test-mpi-unit-epoch-${mpi})
  set_tests_properties(mpi-unit-epoch-8-${mpi} PROPERTIES TIMEOUT 60 ENVIRONMENT KNELL_TEST_CONTEXTS=8)
endforeach()
knell_mpi_unit(creation unit/creation_test.c unit/members.c)
knell_mpi_unit(matching unit/matching_test.c)
knell_mpi_unit(aside unit/aside_test.c)
knell_mpi_unit(start unit/start_test.c)
knell_mpi_unit(matching-random unit/matching_random_test.c unit/reference.c)
knell_mpi_unit(notice unit/notice_test.c)
knell_mpi_unit(drain unit/drain_test.c)
knell_mpi_unit(give-up unit/give_up_test.c)
knell_mpi_unit(isendrecv unit/isendrecv_test.c)
knell_mpi_unit(memory unit/memory_test.c)
knell_mpi_unit(inside unit/inside_test.c)
