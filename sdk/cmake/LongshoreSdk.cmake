# The SDK's own targets. All are built in the project that uses them, so that they fit its compiler.
#
#   longshore::sdk       the ABI header, the C++ wrapper and the messages that both sides of it use
#   longshore::testing   the fake host, which runs a module in a test; for executables only
#   longshore::kubernetes   objects of Kubernetes, for the headers longshore/kube; where Boost 1.81
#                           is (libboost1.81-dev)
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

find_package(Boost 1.81 QUIET)
if(NOT Boost_FOUND)
  return()
endif()
# Boost.JSON by itself, which is not our code: Debian's archive of it does not go into shared objects.
add_library(longshore_kubernetes_json STATIC ${LONGSHORE_SDK_KUBE_DIR}/source/json_source.cc)
target_compile_features(longshore_kubernetes_json PUBLIC cxx_std_20)
target_include_directories(longshore_kubernetes_json SYSTEM PUBLIC ${Boost_INCLUDE_DIRS})
add_library(longshore_kubernetes STATIC)
add_library(longshore::kubernetes ALIAS longshore_kubernetes)
foreach(name json_fields object_metadata resource_path)
  target_sources(longshore_kubernetes PRIVATE ${LONGSHORE_SDK_KUBE_DIR}/source/${name}.cc)
endforeach()
target_link_libraries(longshore_kubernetes PUBLIC longshore_kubernetes_json longshore_sdk)
set_target_properties(longshore_kubernetes longshore_kubernetes_json PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    EXCLUDE_FROM_ALL ON)
