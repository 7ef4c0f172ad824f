# CMake toolchain file for AVR microcontrollers.
#
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE=PREFIX/share/ingot/cmake/ingot-avr.cmake -DINGOT_MCU=attiny85
#
# INGOT_MCU is the device; `ingot targets avr` lists them. INGOT_SYSROOT is a folder with avr-libc, if
# its headers are needed. INGOT_BIN is the folder of avr-ingot-gcc; without it, that of this
# installation, else the PATH.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR avr)

set(INGOT_MCU atmega328p CACHE STRING "The microcontroller to compile for")
set(INGOT_SYSROOT "" CACHE PATH "A folder with avr-libc's headers")
set(INGOT_BIN "" CACHE PATH "The folder of avr-ingot-gcc")
# CMake reads this file again for every check that it compiles.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INGOT_MCU INGOT_SYSROOT INGOT_BIN)

find_program(INGOT_AVR_C_COMPILER avr-ingot-gcc
  HINTS ${INGOT_BIN} ${CMAKE_CURRENT_LIST_DIR}/../../../bin NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_program(INGOT_AVR_CXX_COMPILER avr-ingot-g++
  HINTS ${INGOT_BIN} ${CMAKE_CURRENT_LIST_DIR}/../../../bin NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(CMAKE_C_COMPILER ${INGOT_AVR_C_COMPILER})
set(CMAKE_CXX_COMPILER ${INGOT_AVR_CXX_COMPILER})
set(CMAKE_ASM_COMPILER ${INGOT_AVR_C_COMPILER})

# There is no linker yet: a check is that of an object, as in a static library.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(ingot_flags "-mmcu=${INGOT_MCU}")
if(INGOT_SYSROOT)
  string(APPEND ingot_flags " --sysroot=${INGOT_SYSROOT}")
endif()
foreach(language IN ITEMS C CXX ASM)
  set(CMAKE_${language}_FLAGS_INIT "${ingot_flags}")
endforeach()
unset(ingot_flags)

# What is to run on the host comes from the host, what is to run on the device does not.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
