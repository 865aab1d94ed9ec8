# SPDX-License-Identifier: GPL-2.0-only
# The target `jemalloc`: the static library of ./dev setup, whose functions are called basalt_je_*.

if(NOT EXISTS ${BASALT_JEMALLOC}/lib/libjemalloc_pic.a)
  message(FATAL_ERROR "BASALT_JEMALLOC ('${BASALT_JEMALLOC}') holds no lib/libjemalloc_pic.a: run ./dev setup")
endif()
add_library(jemalloc STATIC IMPORTED)
set_target_properties(jemalloc PROPERTIES
  IMPORTED_LOCATION ${BASALT_JEMALLOC}/lib/libjemalloc_pic.a
  INTERFACE_INCLUDE_DIRECTORIES ${BASALT_JEMALLOC}/include
  INTERFACE_LINK_LIBRARIES "Threads::Threads;m")
