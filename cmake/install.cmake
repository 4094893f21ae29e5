# The installed library: static and shared, the public headers, a pkg-config file, the program.
add_library(linchpin_static STATIC $<TARGET_OBJECTS:linchpin_objects>)
add_library(linchpin_shared SHARED $<TARGET_OBJECTS:linchpin_objects>)
set_target_properties(linchpin_static linchpin_shared PROPERTIES OUTPUT_NAME linchpin)
set_target_properties(linchpin_shared PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(linchpin_shared PRIVATE linchpin_objects)

configure_file(cmake/linchpin.pc.in linchpin.pc @ONLY)
install(TARGETS linchpin linchpin_static linchpin_shared)
install(DIRECTORY include/linchpin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/linchpin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
