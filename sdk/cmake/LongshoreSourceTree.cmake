# Where the parts of the SDK are in this repository; LongshoreConfig.cmake.in says the same of an
# installed SDK. What comes after either of the two is one and the same.
get_filename_component(LONGSHORE_SDK_DIR ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(LONGSHORE_SDK_INCLUDE_DIR ${LONGSHORE_SDK_DIR}/include)
set(LONGSHORE_SDK_PROTO_DIR ${LONGSHORE_SDK_DIR}/proto)
set(LONGSHORE_SDK_TESTING_DIR ${LONGSHORE_SDK_DIR}/testing)
set(LONGSHORE_SDK_KUBE_DIR ${LONGSHORE_SDK_DIR}/kube)

if(NOT LONGSHORE_PROTOBUF_LITE_DIR AND NOT MSVC)
  if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    set(system mingw)
  else()
    set(system linux)
  endif()
  execute_process(
      COMMAND ${LONGSHORE_SDK_DIR}/tools/build_protobuf_lite.sh ${system}
      OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE ".*\n" "" output "${output}")
  set(LONGSHORE_PROTOBUF_LITE_DIR "${output}" CACHE PATH "" FORCE)
endif()
