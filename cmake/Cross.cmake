# SPDX-License-Identifier: GPL-2.0-only
# CMake's toolchain file for a processor family other than the machine's: Debian's cross compiler.
# `./dev build --target NAME` gives:
#   BASALT_TARGET_MACHINE  what `uname -m` says there, e.g. aarch64
#   BASALT_TARGET_ROOT     folder with that family's packages, unpacked

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${BASALT_TARGET_MACHINE})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BASALT_TARGET_MACHINE BASALT_TARGET_ROOT)
set(_triple ${BASALT_TARGET_MACHINE}-linux-gnu)
set(CMAKE_C_COMPILER ${_triple}-gcc)
set(CMAKE_CXX_COMPILER ${_triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${_triple})

set(CMAKE_FIND_ROOT_PATH ${BASALT_TARGET_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES
  ${BASALT_TARGET_ROOT}/usr/include ${BASALT_TARGET_ROOT}/usr/include/${_triple})
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-L${BASALT_TARGET_ROOT}/usr/lib/${_triple} -L${BASALT_TARGET_ROOT}/lib/${_triple}")
endforeach()
