# What `make install` installs: the command, its manuals, scenarios to start from, help for editors, and three libraries: the
# runtime (knell), the core and FAIL, which others find through find_package(knell) or pkg-config knell, knell-core, knell-fail;
# and for each MPI found its layer, knell::mpi-openmpi and knell-mpi-openmpi, with the headers that ULFM programs include.
#
# Components, which are Debian packages as well (package.cmake): `runtime`, one for each MPI, and `development`.
include(CMakePackageConfigHelpers)

install(FILES docs/man/knell.1 docs/man/knell-fail.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES include/knell/carrier.h include/knell/core.h include/knell/fail.h include/knell/runtime.h include/knell/types.h include/knell/wire.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knell COMPONENT development)
get_property(mpis GLOBAL PROPERTY KNELL_MPIS)
if(mpis)
  install(FILES include/knell/mpix.h include/knell/faults.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knell COMPONENT development)
  # In a folder of its own: it must be found before the MPI's own mpi-ext.h, and by those who ask for it only.
  install(DIRECTORY include/mpi-ext/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knell/mpi-ext COMPONENT development)
  install(FILES docs/use/mpi.md docs/use/calls.md docs/use/from-openmpi5.md docs/use/fenix.md docs/use/mpi4py.md
    docs/use/debugging.md docs/use/explore.md docs/use/combination.md docs/use/combination-scheme.svg
    docs/use/combination-solution.svg docs/use/combination-groups.svg DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY examples/mpi examples/combi DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples PATTERN CMakeLists.txt EXCLUDE
    PATTERN __pycache__ EXCLUDE)
endif()
install(FILES docs/use/scenarios.md docs/use/detector.md docs/use/simulator.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples/fail DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN *.fail)
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles FILES_MATCHING PATTERN *.vim)
install(FILES editors/nano/fail.nanorc DESTINATION ${CMAKE_INSTALL_DATADIR}/nano)

set_target_properties(knell-core PROPERTIES EXPORT_NAME core)
set_target_properties(knell-fail PROPERTIES EXPORT_NAME fail)
set_target_properties(knell-util PROPERTIES EXPORT_NAME util)
install(TARGETS knell-core knell-fail knell-util libknell-shared libknell-static EXPORT knellTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
set(installed knell knell-core knell-fail knell-util libknell-shared libknell-static)

foreach(mpi IN LISTS mpis)
  set_target_properties(knell-mpi-${mpi} PROPERTIES EXPORT_NAME mpi-${mpi})
  target_include_directories(knell-mpi-${mpi} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/knell/mpi-ext>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS knell-mpi-${mpi} EXPORT knellTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${mpi})
  list(APPEND installed knell-mpi-${mpi})
endforeach()
add_custom_target(installed DEPENDS ${installed}) # all that is installed and has to be compiled
add_dependencies(installed completions)
if("mpich" IN_LIST mpis) # its mpi_f08 has some of what mpi_f08_ext.F90 would declare
  target_compile_definitions(knell-mpi-mpich INTERFACE $<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:Fortran>:MPICH>>)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/knell)
install(EXPORT knellTargets NAMESPACE knell:: DESTINATION ${package_dir} COMPONENT development)
set(KNELL_FORTRAN_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/knell/mpi-ext)
configure_package_config_file(cmake/knellConfig.cmake.in knellConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS KNELL_FORTRAN_FOLDER)
write_basic_package_version_file(knellConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/knellConfig.cmake ${PROJECT_BINARY_DIR}/knellConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# The .pc files find their prefix from where they lie, so that an installed tree can be moved.
file(RELATIVE_PATH KNELL_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(package IN ITEMS knell knell-core knell-fail)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
# A program runs without LD_LIBRARY_PATH. Below /usr the loader finds the library by itself, and packages must not have such paths.
set(KNELL_MPI_RPATH_FLAG "-Wl,-rpath,\${libdir} ")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(KNELL_MPI_RPATH_FLAG "")
endif()
foreach(KNELL_MPI_NAME IN LISTS mpis)
  set(KNELL_MPI_FORTRAN_FLAG "")
  if(KNELL_MPI_NAME STREQUAL "mpich")
    set(KNELL_MPI_FORTRAN_FLAG "-DMPICH ")
  endif()
  configure_file(cmake/knell-mpi.pc.in knell-mpi-${KNELL_MPI_NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/knell-mpi-${KNELL_MPI_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()
