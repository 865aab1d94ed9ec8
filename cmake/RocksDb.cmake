# SPDX-License-Identifier: GPL-2.0-only
# The target `rocksdb`: the static library of ./dev setup with the compression libraries it uses.

if(NOT EXISTS ${BASALT_ROCKSDB}/lib/librocksdb.a)
  message(FATAL_ERROR "BASALT_ROCKSDB ('${BASALT_ROCKSDB}') holds no lib/librocksdb.a: run ./dev setup")
endif()
find_package(Threads REQUIRED)
add_library(rocksdb STATIC IMPORTED)
set_target_properties(rocksdb PROPERTIES
  IMPORTED_LOCATION ${BASALT_ROCKSDB}/lib/librocksdb.a
  INTERFACE_INCLUDE_DIRECTORIES ${BASALT_ROCKSDB}/include
  INTERFACE_LINK_LIBRARIES "lz4;zstd;snappy;z;Threads::Threads;${CMAKE_DL_LIBS}")
