# SPDX-License-Identifier: GPL-2.0-only
# tests/unit/LAYER/[ROOM/]*_test.cc become the GoogleTest binary basalt_LAYER_test, linked with that
# layer and all below it. Files embedded_*_test.cc go into basalt_LAYER_embedded_test instead, which
# sees the server's headers and is linked with Debian's embedded server library (real collations).
# Helpers: tests/unit/LAYER/*.cc of other names are compiled into the binaries of that layer;
# headers are included from tests/, as "unit/LAYER/name.h". Test data: BASALT_TEST_DATA_DIR.
# The target `basalt_tests` builds all of them.

find_package(GTest REQUIRED)
add_custom_target(basalt_tests)

function(basalt_test_binary name layer)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE
    BASALT_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/tests/unit/${layer}/testdata")
  target_link_libraries(${name} PRIVATE basalt_${layer} rocksdb GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(basalt_tests ${name})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# A file system that fails on demand, for tests of every layer above RocksDB.
add_library(basalt_test_files STATIC EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/tests/unit/store/faulty_file_system.cc)
target_include_directories(basalt_test_files PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(basalt_test_files PUBLIC basalt_store)

# Tables in words and collations without a server, for tests of the layers above the codec.
add_library(basalt_test_tables STATIC EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/fake_collation.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/test_table.cc)
target_include_directories(basalt_test_tables PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(basalt_test_tables PUBLIC basalt_codec)

# What src/server decides without a server: these sources include none of its headers.
add_library(basalt_server STATIC EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/src/server/measures/read_measure.cc
  ${CMAKE_SOURCE_DIR}/src/server/plugin/server_build.cc
  ${CMAKE_SOURCE_DIR}/src/server/tables/frm_header.cc
  ${CMAKE_SOURCE_DIR}/src/server/tables/table_name.cc
  ${CMAKE_SOURCE_DIR}/src/server/definitions/definition_reconciler.cc)
target_link_libraries(basalt_server PUBLIC basalt_engine)

foreach(layer base codec store catalog txn engine server)
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/tests/unit/${layer}/*.cc ${CMAKE_SOURCE_DIR}/tests/unit/${layer}/*/*.cc)
  set(embedded ${sources})
  list(FILTER embedded INCLUDE REGEX "/embedded_[^/]*_test\\.cc$")
  set(helpers ${sources})
  list(FILTER helpers EXCLUDE REGEX "_test\\.cc$")
  set(plain ${sources})
  list(FILTER plain INCLUDE REGEX "_test\\.cc$")
  list(FILTER plain EXCLUDE REGEX "/embedded_[^/]*_test\\.cc$")
  if(plain)
    basalt_test_binary(basalt_${layer}_test ${layer} ${plain} ${helpers})
  endif()
  if(embedded)
    basalt_test_binary(basalt_${layer}_embedded_test ${layer} ${embedded} ${helpers})
    target_link_libraries(basalt_${layer}_embedded_test PRIVATE embedded_server)
  endif()
endforeach()
target_link_libraries(basalt_txn_test PRIVATE basalt_test_files)
target_link_libraries(basalt_engine_test PRIVATE basalt_test_tables basalt_test_files)

# tests/faults/*.cc: each I/O of an operation fails once; run by `./dev test faults`.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/faults/*.cc)
basalt_test_binary(basalt_faults_test engine ${sources})
target_link_libraries(basalt_faults_test PRIVATE basalt_test_files)

# Kills a server at a given file operation; loaded by `./dev test crash` and `faults`.
add_library(kill_point MODULE EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/kit/kill_point.cc)
target_link_libraries(kill_point PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(kill_point PROPERTIES
  PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
