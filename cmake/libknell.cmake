# libknell: the runtime with all it needs in one library, for programs outside this tree. Shared, since a distribution mends
# a detector once for all programs, and static, for a job that carries its own. Inside the tree the layers are linked.
find_package(Threads REQUIRED)
set(layers $<TARGET_OBJECTS:knell-util> $<TARGET_OBJECTS:knell-os> $<TARGET_OBJECTS:knell-core> $<TARGET_OBJECTS:knell-runtime>
  $<TARGET_OBJECTS:knell-carrier>)
set(map ${CMAKE_CURRENT_LIST_DIR}/libknell.map)

foreach(kind IN ITEMS shared static)
  string(TOUPPER ${kind} type)
  add_library(libknell-${kind} ${type} ${layers})
  # Before 1.0 a minor version may break: the name programs are bound to has it.
  set_target_properties(libknell-${kind} PROPERTIES OUTPUT_NAME knell LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(libknell-${kind} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(libknell-shared PROPERTIES EXPORT_NAME knell LINK_DEPENDS ${map})
target_link_options(libknell-shared PRIVATE -Wl,--version-script=${map})
target_link_libraries(libknell-shared PRIVATE ${SODIUM_LIBRARY} Threads::Threads)
# By name, not by path: it is linked where the program is built, which need not be here.
set_target_properties(libknell-static PROPERTIES EXPORT_NAME static)
target_link_libraries(libknell-static INTERFACE sodium Threads::Threads)
