# CMake toolchain file for NVIDIA GPUs: C and C++ for the device. An "object" is PTX.
#
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE=PREFIX/share/ingot/cmake/ingot-nvptx64.cmake -DINGOT_GPU=sm_90
#
# INGOT_GPU is the generation; `ingot targets nvptx64` lists them. INGOT_BIN is the folder of
# nvptx64-ingot-clang; without it, that of this installation, else the PATH. CMake's own CUDA
# language is for nvcc and is not used: set a .cu or .cl file's LANGUAGE to CXX and its
# COMPILE_OPTIONS to -xcuda or -xcl.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR nvptx64)

set(INGOT_GPU sm_75 CACHE STRING "The GPU generation to compile for")
set(INGOT_BIN "" CACHE PATH "The folder of nvptx64-ingot-clang")
# CMake reads this file again for every check that it compiles.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INGOT_GPU INGOT_BIN)

find_program(INGOT_NVPTX64_C_COMPILER nvptx64-ingot-clang
  HINTS ${INGOT_BIN} ${CMAKE_CURRENT_LIST_DIR}/../../../bin NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_program(INGOT_NVPTX64_CXX_COMPILER nvptx64-ingot-clang++
  HINTS ${INGOT_BIN} ${CMAKE_CURRENT_LIST_DIR}/../../../bin NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(CMAKE_C_COMPILER ${INGOT_NVPTX64_C_COMPILER})
set(CMAKE_CXX_COMPILER ${INGOT_NVPTX64_CXX_COMPILER})

# There is no linker: a check is that of an object, as in a static library.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# CMake finds out what a compiler is by strings in an object, which in PTX are lists of numbers.
execute_process(COMMAND ${CMAKE_C_COMPILER} -dumpversion OUTPUT_VARIABLE ingot_version
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-march=${INGOT_GPU}")
  set(CMAKE_${language}_COMPILER_ID Clang)
  set(CMAKE_${language}_COMPILER_ID_RUN TRUE)
  set(CMAKE_${language}_COMPILER_VERSION ${ingot_version})
  set(CMAKE_${language}_COMPILER_FRONTEND_VARIANT GNU)
  set(CMAKE_${language}_STANDARD_COMPUTED_DEFAULT 17)
  set(CMAKE_${language}_EXTENSIONS_COMPUTED_DEFAULT ON)
endforeach()
unset(ingot_version)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
