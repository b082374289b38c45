# knell_layer(NAME source... USES layer...)
#   A static library knell-NAME out of this folder's sources. A layer sees the public headers, its own folder as
#   "NAME/..." and what it USES; nothing else.
function(knell_layer name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  add_library(knell-${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(knell-${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(knell-${name} PUBLIC knell-${layer})
  endforeach()
endfunction()
