# longshore_package_modules(<component> <target>...): installs modules where agent.module_dirs looks.
#
# They come with the agent and share its C++ library, which it lets no other module do: see
# agent/loader/negotiate.cc. Relocations are packed: all C libraries since Debian 12's read that.
function(longshore_package_modules component)
  if(WIN32)
    return()
  endif()
  install(TARGETS ${ARGN} LIBRARY DESTINATION lib/longshore COMPONENT ${component})
  foreach(module ${ARGN})
    get_target_property(options ${module} LINK_OPTIONS)
    list(REMOVE_ITEM options -static-libgcc -static-libstdc++)
    set_target_properties(${module} PROPERTIES LINK_OPTIONS "${options}")
    target_link_options(${module} PRIVATE
        -Wl,-z,pack-relative-relocs -Wl,-z,noseparate-code)
  endforeach()
endfunction()
