# The SDK's own targets. Both are built in the project that uses them, so that they fit its compiler.
#
#   longshore::sdk       the ABI header, the C++ wrapper and the messages that both sides of it use
#   longshore::testing   the fake host, which runs a module in a test; for executables only
if(TARGET longshore_sdk)
  return()
endif()

longshore_add_protos(longshore_module_protos ${LONGSHORE_SDK_PROTO_DIR} longshore/module/v1.proto)
add_library(longshore_sdk INTERFACE)
add_library(longshore::sdk ALIAS longshore_sdk)
target_include_directories(longshore_sdk INTERFACE ${LONGSHORE_SDK_INCLUDE_DIR})
target_compile_features(longshore_sdk INTERFACE cxx_std_20)
target_link_libraries(longshore_sdk INTERFACE longshore_module_protos)

longshore_add_protos(longshore_testing_protos ${LONGSHORE_SDK_PROTO_DIR}
    longshore/module/descriptors.proto)
add_library(longshore_testing STATIC)
add_library(longshore::testing ALIAS longshore_testing)
foreach(name description fake_host host_table module_file session session_calls
             session_invocations)
  target_sources(longshore_testing PRIVATE ${LONGSHORE_SDK_TESTING_DIR}/source/${name}.cc)
endforeach()
target_include_directories(longshore_testing PUBLIC ${LONGSHORE_SDK_TESTING_DIR}/include)
target_link_libraries(longshore_testing
    PUBLIC longshore_sdk ${CMAKE_DL_LIBS}
    PRIVATE longshore_testing_protos)
# A project without tests builds nothing of it.
set_target_properties(longshore_testing longshore_testing_protos PROPERTIES EXCLUDE_FROM_ALL ON)
