# SPDX-License-Identifier: GPL-2.0-only
# The target `server_headers`: include folders and defines of code that sees the server, and
# `embedded_server`: Debian's embedded server library, for tests that want the real collations.
#
# Plugins share C++ objects with the server, so both must be of one patch release: the private
# headers come from the source package, the generated ones from the binary package, and a
# difference between the two versions ends the build here.

set(_root ${BASALT_SERVER_HOME}/root/usr)
set(_source ${BASALT_SERVER_HOME}/source)
if(NOT EXISTS ${_source}/VERSION OR NOT EXISTS ${_root}/include/mariadb/server/mysql_version.h)
  message(FATAL_ERROR "BASALT_SERVER_HOME ('${BASALT_SERVER_HOME}') holds no server: run ./dev setup")
endif()

file(STRINGS ${_source}/VERSION _lines REGEX "^MYSQL_VERSION_(MAJOR|MINOR|PATCH)=")
string(REGEX REPLACE "[^0-9]+" "." _source_version "${_lines}")
string(REGEX REPLACE "^\\.|\\.$" "" _source_version "${_source_version}")
file(STRINGS ${_root}/include/mariadb/server/mysql_version.h _line
     REGEX "define[ \t]+MYSQL_SERVER_VERSION")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" _header_version "${_line}")
if(NOT _source_version STREQUAL _header_version)
  message(FATAL_ERROR "the server's source is ${_source_version}, its headers are "
                      "${_header_version}: a plugin built from both would crash the server")
endif()
message(STATUS "MariaDB ${_header_version}, RocksDB in ${BASALT_ROCKSDB}")

add_library(server_headers INTERFACE)
target_include_directories(server_headers SYSTEM INTERFACE
  ${_root}/include/mariadb/server  # generated: my_config.h, mysql_version.h, mysqld_error.h
  ${BASALT_SERVER_HOME}/generated  # generated: probes_mysql_nodtrace.h
  ${_source}/sql
  ${_source}/include
  ${_source}/wsrep-lib/include
  ${_source}/wsrep-lib/wsrep-API/v26)
# DBUG_OFF and NDEBUG decide which members the server's classes have; Debian builds with both.
target_compile_definitions(server_headers INTERFACE
  MYSQL_DYNAMIC_PLUGIN MYSQL_SERVER DBUG_OFF NDEBUG)

set(_libraries ${_root}/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
add_library(embedded_server SHARED IMPORTED)
set_target_properties(embedded_server PROPERTIES
  IMPORTED_LOCATION ${_libraries}/libmariadbd.so.19
  INTERFACE_COMPILE_DEFINITIONS "DBUG_OFF;NDEBUG"
  # an imported target's folders are system folders
  INTERFACE_INCLUDE_DIRECTORIES
    "${_root}/include/mariadb/server;${BASALT_SERVER_HOME}/generated;${_source}/include;${_source}/sql")
set(BASALT_SERVER_PROGRAM ${_root}/sbin/mariadbd)
set(BASALT_SERVICES_LIBRARY ${_libraries}/libmysqlservices.a)
