# SPDX-License-Identifier: GPL-2.0-only
# Compiler and linker settings of all targets.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The server's executable exports 29,125 symbols which win over any of ours that is not hidden.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
# NDEBUG comes with the server's ABI (see ServerHeaders.cmake), so it is not left to the build type.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

# The hardware CRC32C and, on amd64, AVX2 filter probes; RocksDB is built for the same. At its start
# the plugin looks whether the processor has them (src/server/plugin/processor.cc).
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(BASALT_MARCH armv8-a+crc)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(BASALT_MARCH haswell)
else()
  message(FATAL_ERROR "Basalt is for x86_64 and aarch64, this is '${CMAKE_SYSTEM_PROCESSOR}'")
endif()
add_compile_options(
  -march=${BASALT_MARCH}
  -Wall -Wextra -Werror
  -fdiagnostics-color=always)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # unique symbols merge across dlopen()ed files, here with the other RocksDB
  add_compile_options(-fno-gnu-unique)
endif()

# Several sources of a layer are compiled as one where nobody ships the result: most of the time goes
# into reading headers (docs/lab/building.md).
set(BASALT_IN_BATCHES OFF)
if(BASALT_SANITIZE)
  set(BASALT_IN_BATCHES ON)
  add_compile_definitions(BASALT_SANITIZED)
  add_compile_options(-fsanitize=${BASALT_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # gcc's maybe-uninitialized and overflow analyses give false alarms in instrumented code
    add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
    # a class may have members of a type that only its source knows; a batch looks like a header
    add_compile_options(-Wno-subobject-linkage)
  endif()
  add_link_options(-fsanitize=${BASALT_SANITIZE})
endif()

find_program(BASALT_CCACHE ccache)
if(BASALT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${BASALT_CCACHE})
endif()

# lld links the plugin in a fraction of the time GNU ld takes.
find_program(BASALT_LLD ld.lld)
if(BASALT_LLD)
  add_link_options(-fuse-ld=lld)
  if(CMAKE_CROSSCOMPILING)  # a cross compiler looks for programs of other names in the path
    file(REAL_PATH ${BASALT_LLD} _program)
    get_filename_component(_programs ${_program} DIRECTORY)
    add_link_options(-B${_programs})
  endif()
endif()
