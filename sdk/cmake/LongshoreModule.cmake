# longshore_add_module(<name> [PLAIN]
#     DESCRIPTION <file.textproto>...  a longshore.module.v1.Description without descriptors; of several
#                                      files the texts are joined, as where options are one system's
#     PROTO_ROOT <folder> PROTOS <file.proto>...   what the module serves, relative to the folder
#     SOURCES <file.cc>... [LIBRARIES <target>...])
#
# Builds the shared object longshore-<name>.so (.dll): one exported symbol, everything else hidden,
# C++ runtime and protobuf lite inside. Also builds longshore_<name>_protos (the messages).
# The module's code gets its description as `longshore_module_description[]` and
# `longshore_module_description_size` from "module_description.h". PLAIN: the ABI's header only,
# without the C++ wrapper and messages, for modules in C or with a protobuf of their own.
set(LONGSHORE_MODULE_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "Where this file is")
set(LONGSHORE_SDK_INCLUDE_DIR ${LONGSHORE_SDK_INCLUDE_DIR} CACHE INTERNAL "Where the headers are")

function(longshore_add_module name)
  cmake_parse_arguments(arg "PLAIN" "PROTO_ROOT" "DESCRIPTION;PROTOS;SOURCES;LIBRARIES" ${ARGN})
  set(work ${CMAKE_CURRENT_BINARY_DIR}/longshore-${name}.description)
  file(MAKE_DIRECTORY ${work})
  set(descriptions)
  foreach(text IN LISTS arg_DESCRIPTION)
    get_filename_component(text ${text} ABSOLUTE)
    list(APPEND descriptions ${text})
  endforeach()
  list(JOIN descriptions "|" texts)
  get_filename_component(arg_PROTO_ROOT ${arg_PROTO_ROOT} ABSOLUTE)
  list(TRANSFORM arg_PROTOS PREPEND ${arg_PROTO_ROOT}/ OUTPUT_VARIABLE proto_paths)

  add_custom_command(
      OUTPUT ${work}/module_description.h
      COMMAND ${PROTOC} --proto_path=${arg_PROTO_ROOT} --proto_path=${LONGSHORE_SDK_PROTO_DIR}
              --include_imports --descriptor_set_out=${work}/files.bin ${proto_paths}
      COMMAND ${CMAKE_COMMAND}
              -DPROTOC=${PROTOC} -DPROTO_DIR=${LONGSHORE_SDK_PROTO_DIR}
              -DTEXT=${texts} -DFILES=${work}/files.bin -DOUTPUT=${work}/module_description.h
              -P ${LONGSHORE_MODULE_CMAKE_DIR}/embed_description.cmake
      DEPENDS ${descriptions} ${proto_paths} ${LONGSHORE_MODULE_CMAKE_DIR}/embed_description.cmake
              ${LONGSHORE_SDK_PROTO_DIR}/longshore/module/v1.proto
              ${LONGSHORE_SDK_PROTO_DIR}/longshore/annotations.proto
      COMMENT "Describing longshore-${name}" VERBATIM)

  add_library(longshore-${name} MODULE ${arg_SOURCES} ${work}/module_description.h)
  set_target_properties(longshore-${name} PROPERTIES
      PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/modules
      C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(longshore-${name} PRIVATE ${work})
  if(arg_PLAIN)
    target_include_directories(longshore-${name} PRIVATE ${LONGSHORE_SDK_INCLUDE_DIR})
  else()
    longshore_add_protos(longshore_${name}_protos ${arg_PROTO_ROOT} ${arg_PROTOS})
    target_link_libraries(longshore-${name} PRIVATE longshore::sdk longshore_${name}_protos)
  endif()
  target_link_libraries(longshore-${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(longshore-${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  if(MINGW)
    target_link_options(longshore-${name} PRIVATE -static -Wl,--exclude-all-symbols)
  elseif(NOT MSVC)
    target_link_options(longshore-${name} PRIVATE
        -Wl,--version-script=${LONGSHORE_MODULE_CMAKE_DIR}/module.map
        -Wl,-z,now -Wl,--hash-style=gnu -Wl,--exclude-libs,ALL -static-libgcc)
    if(NOT LONGSHORE_SANITIZE)
      # A sanitizer's runtime is the program's, and one C++ library serves both.
      target_link_options(longshore-${name} PRIVATE -Wl,-z,defs -static-libstdc++)
    endif()
  endif()
endfunction()
