# SPDX-License-Identifier: GPL-2.0-only
# The server plugin plugin/ha_rocksdb.so: src/server over all layers.

file(GLOB _server_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/server/*.cc ${CMAKE_SOURCE_DIR}/src/server/*/*.cc)
if(BASALT_SANITIZE)
  # A sanitized plugin would need a sanitized server; the sanitizer builds are for the unit tests.
  return()
endif()
if(NOT _server_sources)
  add_custom_target(ha_rocksdb COMMAND echo "src/server holds no sources" COMMAND false)
  return()
endif()

add_library(ha_rocksdb MODULE ${_server_sources})
set_target_properties(ha_rocksdb PROPERTIES
  PREFIX ""
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugin
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/ha_rocksdb.map)
target_include_directories(ha_rocksdb PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(ha_rocksdb PRIVATE
  server_headers basalt_engine ${BASALT_SERVICES_LIBRARY})
# The server finds the plugin by symbols of this file, so they must not be hidden.
if(EXISTS ${CMAKE_SOURCE_DIR}/src/server/plugin/plugin.cc)
  math(EXPR _number "${PROJECT_VERSION_MAJOR} << 8 | ${PROJECT_VERSION_MINOR}")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/server/plugin/plugin.cc PROPERTIES
    COMPILE_OPTIONS -fvisibility=default
    COMPILE_DEFINITIONS "BASALT_VERSION=\"${PROJECT_VERSION}\";BASALT_VERSION_NUMBER=${_number}")
endif()
# The server's headers name themselves in these (__FILE__). Elsewhere they do not, and the tier
# `package` finds where they do.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/server/handler/handler_references.cc
  ${CMAKE_SOURCE_DIR}/src/server/handler/open_table.cc
  PROPERTIES COMPILE_OPTIONS -fmacro-prefix-map=${BASALT_SERVER_HOME}=server)
target_link_options(ha_rocksdb PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/ha_rocksdb.map
  -Wl,--exclude-libs,librocksdb.a
  -Wl,-Bsymbolic
  # Keeps hot functions together; without it the linker leaves each object file as it is.
  -Wl,-z,keep-text-section-prefix
  # Of the length that debugedit can compute again, when a package is made.
  -Wl,--build-id=sha1
  # RocksDB registers functions to run when a thread ends: its code must stay after UNINSTALL.
  -Wl,-z,nodelete)
