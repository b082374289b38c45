# What `make install` installs: the command, its manual, and the core as a library that others find through find_package(knell)
# or pkg-config knell-core.
include(CMakePackageConfigHelpers)

install(FILES docs/man/knell.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES include/knell/core.h include/knell/types.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knell)

set_target_properties(knell-core PROPERTIES EXPORT_NAME core)
set_target_properties(knell-util PROPERTIES EXPORT_NAME util)
install(TARGETS knell-core knell-util EXPORT knellTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/knell)
install(EXPORT knellTargets NAMESPACE knell:: DESTINATION ${package_dir})
configure_package_config_file(cmake/knellConfig.cmake.in knellConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(knellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/knellConfig.cmake ${PROJECT_BINARY_DIR}/knellConfigVersion.cmake
  DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH KNELL_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/knell-core.pc.in knell-core.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/knell-core.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
