# Signs the modules of all packages, where LONGSHORE_SIGNING_KEY names a private key: Ed25519 in PEM, as
# `openssl genpkey -algorithm ed25519` makes it. CPack runs this when the files are as they will be
# installed, stripped and all, since that is what the agent reads.
#
# The public key comes along for whoever wants to trust it: nothing does by itself.
if("$ENV{LONGSHORE_SIGNING_KEY}" STREQUAL "")
  return()
endif()
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/runtime/usr)
file(GLOB modules ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/lib/longshore/longshore-*.so)
if(NOT modules)
  message(FATAL_ERROR "There are no modules to sign in ${CPACK_TEMPORARY_INSTALL_DIRECTORY}.")
endif()
find_program(openssl openssl REQUIRED)
set(readable OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
foreach(module ${modules})
  execute_process(COMMAND ${openssl} pkeyutl -sign -rawin -inkey $ENV{LONGSHORE_SIGNING_KEY}
      -in ${module} -out ${module}.sig COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${module}.sig FILE_PERMISSIONS ${readable})
endforeach()
set(key ${root}/share/longshore/keys/longshore.pem)
file(MAKE_DIRECTORY ${root}/share/longshore/keys)
execute_process(COMMAND ${openssl} pkey -in $ENV{LONGSHORE_SIGNING_KEY} -pubout -out ${key}
    COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${key} FILE_PERMISSIONS ${readable})
