# SPDX-License-Identifier: GPL-2.0-only
# One static library a layer. A layer links what lies below it and nothing above; which headers it
# may include is checked by `./dev lint`. An empty layer becomes an interface library, so that the
# arrows stand from the first day.

# basalt_layer(NAME BELOW...)
function(basalt_layer name)
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/${name}/*.cc ${CMAKE_SOURCE_DIR}/src/${name}/*/*.cc)
  set(target basalt_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} ${scope} ${ARGN})
  if(sources)
    target_compile_definitions(${target} PRIVATE NDEBUG)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ${BASALT_IN_BATCHES} UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

basalt_layer(base)
basalt_layer(codec basalt_base)
basalt_layer(store basalt_base rocksdb jemalloc)
basalt_layer(catalog basalt_store)
basalt_layer(txn basalt_catalog)
basalt_layer(engine basalt_txn basalt_codec)
