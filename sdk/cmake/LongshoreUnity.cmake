# Unity builds: the C++ sources of a target are compiled several at a time, so that a header that
# they share is read once. LONGSHORE_UNITY is how many; 0 compiles each by itself.
#
#   longshore_unite_sources(<folder>)   for the targets of a folder and of all below; call it last
#   longshore_check_lone_sources()      after that
#
# CMake's own UNITY_BUILD names sources by absolute paths, so that ccache would know no object of
# another clone of this repository. The files here have the same content wherever the tree stands.
# A source with properties of its own, as definitions, is compiled by itself.
set(LONGSHORE_UNITY 16 CACHE STRING "How many C++ sources are compiled at a time; 0: each by itself")

# longshore_unity_name(<source> <target's source folder> <variable>): how a unity file includes the
# source; empty for what is compiled by itself.
function(longshore_unity_name source folder variable)
  set(${variable} "" PARENT_SCOPE)
  if(NOT source MATCHES "\\.cc$")
    return()
  endif()
  get_filename_component(path ${source} ABSOLUTE BASE_DIR ${folder})
  foreach(property COMPILE_DEFINITIONS COMPILE_FLAGS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
    get_source_file_property(own ${path} DIRECTORY ${folder} ${property})
    if(own)
      return()
    endif()
  endforeach()
  string(REGEX REPLACE "^.*\\.generated/" "" name ${path})
  if(name STREQUAL path)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${path})
    if(name MATCHES "^(\\.\\./|build/)")
      return()
    endif()
  endif()
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

function(longshore_unite_target target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(work ${target} BINARY_DIR)
  set(names)
  set(united)
  foreach(source IN LISTS sources)
    longshore_unity_name(${source} ${folder} name)
    if(name)
      list(APPEND names ${name})
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
      list(APPEND united ${source})
    endif()
  endforeach()
  list(LENGTH names count)
  if(count LESS 2)
    # Remembered for longshore_check_lone_sources().
    set_property(GLOBAL APPEND PROPERTY LONGSHORE_LONE_SOURCES "${united}|${target}|${folder}")
    return()
  endif()
  # Batches of about the same size.
  math(EXPR batches "(${count} + ${LONGSHORE_UNITY} - 1) / ${LONGSHORE_UNITY}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set(number 0)
  while(names)
    list(SUBLIST names 0 ${size} batch)
    list(REMOVE_ITEM names ${batch})
    set(file ${work}/${target}.unity/${number}.cc)
    set(content "")
    foreach(name IN LISTS batch)
      string(APPEND content "#include \"${name}\"  // NOLINT(bugprone-suspicious-include)\n")
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${content}" @ONLY)
    target_sources(${target} PRIVATE ${file})
    math(EXPR number "${number} + 1")
  endwhile()
  # They stay sources: for what makes them, and for editors.
  set_source_files_properties(${united} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
  # For the unity files; tests/style/check_units.py compiles the sources without it.
  target_compile_options(${target} PRIVATE "SHELL:-iquote ${CMAKE_SOURCE_DIR}")
  # gcc takes what is included for a header, in which a class must not hold a type of an anonymous
  # namespace.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# A source is compiled by itself or in a unity file, for all targets of a folder alike: in a target
# that has no other, one that is united elsewhere would be left out.
function(longshore_check_lone_sources)
  get_property(entries GLOBAL PROPERTY LONGSHORE_LONE_SOURCES)
  foreach(entry IN LISTS entries)
    string(REPLACE "|" ";" entry "${entry}")
    list(POP_FRONT entry source target folder)
    if(source)
      get_source_file_property(is_united ${source} DIRECTORY ${folder} HEADER_FILE_ONLY)
      if(is_united)
        message(FATAL_ERROR "${source} would not be compiled for ${target}, for another target of "
            "its folder has it in a unity file: make it a library that both link.")
      endif()
    endif()
  endforeach()
endfunction()

function(longshore_unite_sources folder)
  if(LONGSHORE_UNITY LESS 2)
    return()
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|(STATIC|OBJECT|MODULE|SHARED)_LIBRARY)$")
      longshore_unite_target(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    longshore_unite_sources(${folder})
  endforeach()
endfunction()
