# SPDX-License-Identifier: GPL-2.0-only
# Programs that measure a part of the engine without a server; built when `./dev bench` wants them.

add_executable(basalt_locks_bench EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/bench/locks_bench.cc ${CMAKE_SOURCE_DIR}/bench/lock_contenders.cc)
target_include_directories(basalt_locks_bench PRIVATE ${CMAKE_SOURCE_DIR}/bench)
target_link_libraries(basalt_locks_bench PRIVATE basalt_txn rocksdb)
set_target_properties(basalt_locks_bench PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
