# SPDX-License-Identifier: GPL-2.0-only
# Programs of the package basalt-tools that are not Python.

# basalt_program(NAME SOURCE LIBRARIES...): "basalt_NAME" as a target, "basalt-NAME" as a file.
function(basalt_program name source)
  add_executable(basalt_${name} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/programs/${source})
  target_link_libraries(basalt_${name} PRIVATE ${ARGN})
  # Of the length that debugedit can compute again, when a package is made.
  target_link_options(basalt_${name} PRIVATE -Wl,--build-id=sha1)
  string(REPLACE "_" "-" file ${name})
  set_target_properties(basalt_${name} PROPERTIES
    OUTPUT_NAME basalt-${file}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/programs)
endfunction()

basalt_program(check_table_files backup/check_table_files.cc rocksdb)
basalt_program(keep_databases backup/keep_databases.cc basalt_catalog)
