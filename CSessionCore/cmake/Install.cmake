# Headers, libraries, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)
set(templates ${CMAKE_CURRENT_SOURCE_DIR}/../cmake)

install(TARGETS session-core-shared session-core-static EXPORT SessionCoreTargets)
install(DIRECTORY include/session-core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT SessionCoreTargets NAMESPACE SessionCore:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SessionCore)

# The .pc file finds the prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH SC_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${templates}/session-core.pc.in session-core.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/session-core.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(${templates}/SessionCoreConfig.cmake.in SessionCoreConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SessionCore)
write_basic_package_version_file(SessionCoreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/SessionCoreConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/SessionCoreConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/SessionCore)

if(SC_TESTS AND NOT SC_SANITIZE)
  enable_testing()
  add_test(NAME installation COMMAND ${templates}/check-install.sh ${CMAKE_CURRENT_BINARY_DIR})
endif()
