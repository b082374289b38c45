# knell_declare(NAME [layer...])
#   Writes down whom the layer or room NAME may include, itself aside. test/graph.sh holds the sources against it.
function(knell_declare name)
  list(JOIN ARGN " " uses)
  set_property(GLOBAL APPEND_STRING PROPERTY KNELL_DECLARED "${name}: ${uses}\n")
endfunction()

# knell_declare_order(NAME room... USES layer...)
#   The layer NAME and its rooms: each room may include those before it, and the layers.
function(knell_declare_order name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  knell_declare(${name} ${arg_USES})
  set(before ${arg_USES})
  foreach(room IN LISTS arg_UNPARSED_ARGUMENTS)
    knell_declare(${name}/${room} ${before})
    list(APPEND before ${name}/${room})
  endforeach()
endfunction()

# knell_include_root(NAME PATH variable)
#   An include directory in which "NAME/..." is PATH, and nothing else is: only targets that are given it can include that
#   folder. NAME may have slashes: mpi/comm.
function(knell_include_root name path variable)
  string(REPLACE "/" "-" folder ${name})
  set(root ${PROJECT_BINARY_DIR}/layers/${folder})
  get_filename_component(parent ${root}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${path} ${root}/${name} SYMBOLIC)
  set(${variable} ${root} PARENT_SCOPE)
endfunction()

# knell_layer(NAME source... USES layer...)
#   A static library knell-NAME out of this folder's sources. A layer sees the public headers, its own folder as
#   "NAME/..." and what it USES; nothing else.
function(knell_layer name)
  cmake_parse_arguments(arg "" "" "USES" ${ARGN})
  add_library(knell-${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  knell_include_root(${name} ${CMAKE_CURRENT_SOURCE_DIR} root)
  target_include_directories(knell-${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${root}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(knell-${name} PUBLIC knell-${layer})
  endforeach()
  knell_declare(${name} ${arg_USES})
endfunction()
