# SPDX-License-Identifier: GPL-2.0-only
# Programs of the package basalt-tools that are not Python.

add_executable(basalt_check_table_files EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/programs/backup/check_table_files.cc)
target_link_libraries(basalt_check_table_files PRIVATE rocksdb)
# Of the length that debugedit can compute again, when a package is made.
target_link_options(basalt_check_table_files PRIVATE -Wl,--build-id=sha1)
set_target_properties(basalt_check_table_files PROPERTIES
  OUTPUT_NAME basalt-check-table-files
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/programs)
