# Protobuf for the agent and for modules: the lite runtime, static, hidden, position independent.
#
#   longshore::protobuf_lite              link this
#   longshore_add_protos(<target> <root> <file>...)
#       A static library of lite messages from .proto files, named relative to <root>. C++ includes
#       them as "<file>.pb.h". Generated code gets neither our warnings nor sanitizers.
find_program(PROTOC protoc REQUIRED)
# The functions are the whole project's, also where another folder looked for the package.
set(LONGSHORE_SDK_PROTO_DIR ${LONGSHORE_SDK_PROTO_DIR} CACHE INTERNAL "Where the SDK's protos are")
find_package(Threads REQUIRED)

if(MSVC AND NOT TARGET longshore::protobuf_lite)
  # vcpkg's is static in a static triplet, and nothing of a DLL is shown that does not ask for it.
  find_package(Protobuf CONFIG REQUIRED)
  add_library(longshore_protobuf_lite INTERFACE)
  add_library(longshore::protobuf_lite ALIAS longshore_protobuf_lite)
  target_link_libraries(longshore_protobuf_lite INTERFACE protobuf::libprotobuf-lite Threads::Threads)
elseif(NOT TARGET longshore::protobuf_lite)
  add_library(longshore_protobuf_lite STATIC IMPORTED GLOBAL)
  add_library(longshore::protobuf_lite ALIAS longshore_protobuf_lite)
  set_target_properties(longshore_protobuf_lite PROPERTIES
      IMPORTED_LOCATION ${LONGSHORE_PROTOBUF_LITE_DIR}/lib/libprotobuf-lite.a
      INTERFACE_INCLUDE_DIRECTORIES ${LONGSHORE_PROTOBUF_LITE_DIR}/include
      INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()

function(longshore_add_protos target root)
  get_filename_component(root ${root} ABSOLUTE)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}.generated)
  set(sources)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    get_filename_component(folder ${generated}/${stem} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
        OUTPUT ${generated}/${stem}.pb.cc ${generated}/${stem}.pb.h
        COMMAND ${PROTOC} --proto_path=${root} --proto_path=${LONGSHORE_SDK_PROTO_DIR}
                --cpp_out=lite:${generated} ${root}/${proto}
        DEPENDS ${root}/${proto}
        COMMENT "protoc ${proto}" VERBATIM)
    list(APPEND sources ${generated}/${stem}.pb.cc)
  endforeach()
  # Options are not kept in lite code, so all that the generated includes need of these is to exist.
  file(CONFIGURE OUTPUT ${generated}/longshore/annotations.pb.h CONTENT "#pragma once\n")
  add_library(${target} STATIC ${sources})
  # They go into shared objects that show nothing of them, whatever the project's own settings are.
  set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  target_link_libraries(${target} PUBLIC longshore::protobuf_lite)
  target_compile_options(${target} PRIVATE -w)
endfunction()
