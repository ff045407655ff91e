# Where the cross build for Windows finds the libraries that Debian has no Windows packages of.
execute_process(
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/build_windows_dependencies.sh
    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\n" "" LONGSHORE_WINDOWS_DEPENDENCIES "${output}")

list(APPEND CMAKE_FIND_ROOT_PATH ${LONGSHORE_WINDOWS_DEPENDENCIES})
set(ENV{PKG_CONFIG_LIBDIR} ${LONGSHORE_WINDOWS_DEPENDENCIES}/lib/pkgconfig)
# The static form of each library, where there are both.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
include_directories(SYSTEM ${LONGSHORE_WINDOWS_DEPENDENCIES}/include)
