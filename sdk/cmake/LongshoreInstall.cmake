# What `cmake --install <build> --component development` lays out: the SDK, in folders that may be
# moved together, since each names the others relative to itself.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
block()

set(share_dir ${CMAKE_INSTALL_DATADIR}/longshore)
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR})
set(library_dir ${CMAKE_INSTALL_LIBDIR})
set(package_dir ${library_dir}/cmake/Longshore)
set(proto_dir ${share_dir}/proto)
set(testing_dir ${share_dir}/testing)
set(kube_dir ${share_dir}/kube)
set(protobuf_lite_dir ${library_dir}/longshore-sdk/protobuf-lite)
set(made ${CMAKE_CURRENT_BINARY_DIR}/sdk-package)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/LongshoreConfig.cmake.in
    ${made}/LongshoreConfig.cmake INSTALL_DESTINATION ${package_dir}
    PATH_VARS include_dir library_dir proto_dir testing_dir kube_dir protobuf_lite_dir)
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${made}/LongshoreConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)

set(source_dir ${CMAKE_CURRENT_LIST_DIR}/..)
install(DIRECTORY ${source_dir}/include/ DESTINATION ${include_dir} COMPONENT development)
install(DIRECTORY ${source_dir}/proto ${source_dir}/testing ${source_dir}/template
              ${source_dir}/examples ${source_dir}/kube
    DESTINATION ${share_dir} COMPONENT development)
install(DIRECTORY ${source_dir}/go DESTINATION ${share_dir} COMPONENT development
    PATTERN tests EXCLUDE)
# The other templates: a controller, and one of Kubernetes objects.
install(DIRECTORY ${source_dir}/../plugins/example/ DESTINATION ${share_dir}/template_controller
    COMPONENT development)
install(DIRECTORY ${source_dir}/../plugins/example-kube/ DESTINATION ${share_dir}/template_kube
    COMPONENT development)
install(FILES ${made}/LongshoreConfig.cmake ${made}/LongshoreConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT development)
foreach(name LongshoreModule.cmake LongshoreProtobuf.cmake LongshoreSdk.cmake
             LongshoreWarnings.cmake embed_description.cmake module.map)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/${name} DESTINATION ${package_dir} COMPONENT development)
endforeach()
if(MINGW)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/mingw-w64.toolchain.cmake DESTINATION ${package_dir}
      COMPONENT development)
endif()

install(FILES ${source_dir}/README.md ${source_dir}/ABI.md ${source_dir}/CHANGELOG-ABI.md
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/longshore-dev COMPONENT development)

# The runtime has a license of its own.
if(LONGSHORE_PROTOBUF_LITE_DIR)
  install(DIRECTORY ${LONGSHORE_PROTOBUF_LITE_DIR}/ DESTINATION ${protobuf_lite_dir}
      COMPONENT development)
endif()
install(FILES /usr/share/doc/libprotobuf-dev/copyright DESTINATION ${protobuf_lite_dir}
    COMPONENT development OPTIONAL)

# For those who build without CMake: modules, and programs with the agent as a library.
file(RELATIVE_PATH prefix_from_pkg_config /prefix/${library_dir}/pkgconfig /prefix)
if(NOT WIN32)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/longshore-module.pc.in ${made}/longshore-module.pc @ONLY)
  install(FILES ${made}/longshore-module.pc DESTINATION ${library_dir}/pkgconfig
      COMPONENT development)
endif()
if(TARGET longshore)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/longshore.pc.in ${made}/longshore.pc @ONLY)
  install(FILES ${made}/longshore.pc DESTINATION ${library_dir}/pkgconfig COMPONENT development)
  install(TARGETS longshore
      LIBRARY DESTINATION ${library_dir} COMPONENT library NAMELINK_COMPONENT development
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
      ARCHIVE DESTINATION ${library_dir} COMPONENT development)
endif()

endblock()
