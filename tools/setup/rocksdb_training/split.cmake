# SPDX-License-Identifier: GPL-2.0-only
# Read by RocksDB's own CMake behind its project(). Takes the sources that BASALT_HOT_SOURCES lists
# into a target of their own, compiled with BASALT_PROFILE_FLAGS as well; the library holds them as
# before. Leaves out what nothing else in RocksDB refers to, and Basalt does not either: the
# interface for C, command-line tools, and stores of another kind.
#
# A profile knows a local function by the path of its source. So these sources and the headers in
# them are reached by a relative path, over the link `source`, which is the same on each machine.

set(hot_batch_size 6)
# Twice that of the hot ones, since there is little to optimize in them: most of the time goes into
# reading the headers again for each batch.
set(cold_batch_size 12)
set(left_out "^db/c\\.cc$|^tools/|^utilities/(backup|blob_db|cassandra|leveldb_options|option_change_migration|persistent_cache|simulator_cache|sorted_run_builder|ttl)/")

# Writes hot/hot_NUMBER.cc, which includes the sources of one batch, and tells its name.
function(basalt_batch number sources result)
  set(file ${CMAKE_BINARY_DIR}/hot/hot_${number}.cc)
  list(TRANSFORM sources PREPEND "#include \"")
  list(TRANSFORM sources APPEND "\"\n")
  list(JOIN sources "" text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  set(${result} ${file} PARENT_SCOPE)
endfunction()

function(basalt_split)
  get_target_property(cold rocksdb SOURCES)
  file(STRINGS ${BASALT_HOT_SOURCES} hot REGEX "^[^#]")
  foreach(source IN LISTS hot)
    if(NOT source IN_LIST cold)
      message(FATAL_ERROR "${BASALT_HOT_SOURCES}: RocksDB has no source ${source}")
    endif()
  endforeach()
  list(REMOVE_ITEM cold ${hot})
  list(FILTER cold EXCLUDE REGEX "${left_out}")
  set_target_properties(rocksdb PROPERTIES SOURCES "${cold}" UNITY_BUILD_BATCH_SIZE ${cold_batch_size})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/source SYMBOLIC)
  set(number 0)
  while(hot)
    list(SUBLIST hot 0 ${hot_batch_size} batch)
    list(REMOVE_ITEM hot ${batch})
    basalt_batch(${number} "${batch}" file)
    list(APPEND files ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  add_library(rocksdb_hot OBJECT ${files})
  set_target_properties(rocksdb_hot PROPERTIES UNITY_BUILD OFF)
  target_include_directories(rocksdb_hot PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(rocksdb_hot PRIVATE ${THIRDPARTY_LIBS} ${SYSTEM_LIBS})
  separate_arguments(flags UNIX_COMMAND "${BASALT_PROFILE_FLAGS}")
  target_compile_options(rocksdb_hot PRIVATE "SHELL:-iquote source" "SHELL:-iquote source/include"
    -fmacro-prefix-map=source=rocksdb ${flags})
  target_sources(rocksdb PRIVATE $<TARGET_OBJECTS:rocksdb_hot>)
endfunction()

cmake_language(DEFER CALL basalt_split)
