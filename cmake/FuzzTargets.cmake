# SPDX-License-Identifier: GPL-2.0-only
# tests/fuzz/NAME_fuzz.cc becomes the libFuzzer program NAME_fuzz, under ASan and UBSan. The target
# `basalt_fuzz_targets` builds all. Parsers of src/server that do not see the server are compiled in;
# xid_fuzz sees its headers, but links none of it.

find_package(GTest REQUIRED)
add_library(basalt_fuzz_support STATIC
  ${CMAKE_SOURCE_DIR}/src/server/tables/frm_header.cc
  ${CMAKE_SOURCE_DIR}/src/server/tables/table_name.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/altered_table.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/fake_collation.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/random_alters.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/random_table.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/round_trip.cc
  ${CMAKE_SOURCE_DIR}/tests/unit/codec/test_table.cc)
target_include_directories(basalt_fuzz_support PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(basalt_fuzz_support PUBLIC basalt_engine GTest::gtest)

add_custom_target(basalt_fuzz_targets)
file(GLOB _targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
foreach(source ${_targets})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE basalt_fuzz_support)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(basalt_fuzz_targets ${name})
endforeach()
target_sources(xid_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/src/server/connections/xid_name.cc)
target_link_libraries(xid_fuzz PRIVATE server_headers)
