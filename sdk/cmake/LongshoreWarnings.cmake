# longshore::warnings: what our own code is compiled with. Never linked into generated code.
if(TARGET longshore_warnings)
  return()
endif()
add_library(longshore_warnings INTERFACE)
add_library(longshore::warnings ALIAS longshore_warnings)
if(MSVC)
  target_compile_options(longshore_warnings INTERFACE /W3)
else()
  target_compile_options(longshore_warnings INTERFACE
      -Wall -Wextra -Wconversion -Wshadow -Werror
      $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
      # Designated initialisers name what differs from the defaults; gcc takes the rest for forgotten.
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-missing-field-initializers>)
endif()

# longshore::sanitizers: empty unless LONGSHORE_SANITIZE is set.
add_library(longshore_sanitizers INTERFACE)
add_library(longshore::sanitizers ALIAS longshore_sanitizers)
if(LONGSHORE_SANITIZE)
  target_compile_options(longshore_sanitizers INTERFACE
      -fsanitize=${LONGSHORE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(longshore_sanitizers INTERFACE -fsanitize=${LONGSHORE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Calls over the module ABI go to functions of another image, whose type information is its own.
    target_compile_options(longshore_sanitizers INTERFACE -fno-sanitize=function)
    # What gcc defines by itself.
    if(LONGSHORE_SANITIZE MATCHES "thread")
      target_compile_definitions(longshore_sanitizers INTERFACE __SANITIZE_THREAD__)
    else()
      target_compile_definitions(longshore_sanitizers INTERFACE __SANITIZE_ADDRESS__)
    endif()
  elseif(LONGSHORE_SANITIZE MATCHES "thread")
    # Asio trips these two in this mode.
    target_compile_options(longshore_sanitizers INTERFACE -Wno-tsan -Wno-mismatched-new-delete)
  endif()
endif()
