# SPDX-License-Identifier: GPL-2.0-only
# Read by RocksDB's own CMake behind its project(). Takes the sources that BASALT_HOT_SOURCES lists
# into a target of their own, compiled with BASALT_PROFILE_FLAGS as well. So only these are compiled
# twice, to be counted and with their counts; the library holds all of them as before.

function(basalt_split)
  get_target_property(cold rocksdb SOURCES)
  file(STRINGS ${BASALT_HOT_SOURCES} hot REGEX "^[^#]")
  foreach(source IN LISTS hot)
    if(NOT source IN_LIST cold)
      message(FATAL_ERROR "${BASALT_HOT_SOURCES}: RocksDB has no source ${source}")
    endif()
  endforeach()
  list(REMOVE_ITEM cold ${hot})
  set_target_properties(rocksdb PROPERTIES SOURCES "${cold}")
  add_library(rocksdb_hot OBJECT ${hot})
  target_include_directories(rocksdb_hot PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(rocksdb_hot PRIVATE ${THIRDPARTY_LIBS} ${SYSTEM_LIBS})
  separate_arguments(flags UNIX_COMMAND "${BASALT_PROFILE_FLAGS}")
  target_compile_options(rocksdb_hot PRIVATE ${flags})
  target_sources(rocksdb PRIVATE $<TARGET_OBJECTS:rocksdb_hot>)
endfunction()

cmake_language(DEFER CALL basalt_split)
