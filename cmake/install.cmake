# The installed library: static and shared, the public headers, a pkg-config file, the program.
# Both libraries show only what the headers declare, everything lp_ (tests/cli/test_install looks).
add_library(linchpin_shared SHARED $<TARGET_OBJECTS:linchpin_objects>)
set_target_properties(linchpin_shared PROPERTIES OUTPUT_NAME linchpin VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(linchpin_shared PRIVATE linchpin_objects)

# An archive of the objects as they are would put every internal name into its user's program, so
# they are joined into one whose hidden names are local.
set(static_library ${PROJECT_BINARY_DIR}/${CMAKE_STATIC_LIBRARY_PREFIX}linchpin.a)
add_custom_command(OUTPUT ${static_library}
    COMMAND ${CMAKE_LINKER} -r -o linchpin_joined.o $<TARGET_OBJECTS:linchpin_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden linchpin_joined.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
    COMMAND ${CMAKE_AR} rcs ${static_library} linchpin_joined.o
    DEPENDS linchpin_objects $<TARGET_OBJECTS:linchpin_objects>
    BYPRODUCTS linchpin_joined.o
    COMMENT "Joining ${static_library}" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(linchpin_static ALL DEPENDS ${static_library})

file(RELATIVE_PATH up_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/linchpin.pc.in linchpin.pc @ONLY)

# pkg-config, from this build: it prefers this file where PKG_CONFIG_PATH names the build's folder.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/linchpin-uninstalled.pc @ONLY CONTENT
"Name: linchpin
Description: decides whether a concurrent object is linearizable
Version: @PROJECT_VERSION@
Libs: -L@PROJECT_BINARY_DIR@ -Wl,-rpath,@PROJECT_BINARY_DIR@ -llinchpin
Cflags: -I@PROJECT_SOURCE_DIR@/include
")

# find_package(linchpin), from an installation and from this build; add_subdirectory.
set_target_properties(linchpin PROPERTIES EXPORT_NAME program)
set_target_properties(linchpin_shared PROPERTIES EXPORT_NAME linchpin)
target_include_directories(linchpin_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
add_executable(linchpin::program ALIAS linchpin)
add_library(linchpin::linchpin ALIAS linchpin_shared)
if(NOT PROJECT_IS_TOP_LEVEL) # elsewhere linchpinConfig.cmake makes it
  add_library(linchpin_archive INTERFACE)
  add_dependencies(linchpin_archive linchpin_static)
  target_link_libraries(linchpin_archive INTERFACE ${static_library} yajl zstd xxhash expat utf8proc z pthread m)
  target_include_directories(linchpin_archive INTERFACE ${PROJECT_SOURCE_DIR}/include)
  add_library(linchpin::static ALIAS linchpin_archive)
endif()

# The manual pages, where there is something to make it with.
find_program(SCDOC scdoc)
if(SCDOC)
  foreach(page linchpin.1 linchpin-recheck.1)
    set(source ${PROJECT_SOURCE_DIR}/docs/man/${page}.scd)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${page}
        COMMAND ${SCDOC} < ${source} > ${PROJECT_BINARY_DIR}/${page}
        DEPENDS ${source} COMMENT "Making ${page}" VERBATIM)
    list(APPEND pages ${PROJECT_BINARY_DIR}/${page})
  endforeach()
  add_custom_target(linchpin_page ALL DEPENDS ${pages})
endif()
include(cmake/completions.cmake)
include(cmake/linchpin_add_test.cmake)

if(NOT LINCHPIN_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/linchpin)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/linchpinConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
# What a package holds: the program, the library for programs that were linked with it, and what is
# needed to link others (cmake/package.cmake).
install(TARGETS linchpin EXPORT linchpinProgram RUNTIME COMPONENT program)
install(TARGETS linchpin_recheck RUNTIME COMPONENT program)
install(TARGETS linchpin_shared EXPORT linchpin LIBRARY COMPONENT library NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Files of their own: the program may be installed without the library, and the other way round.
install(EXPORT linchpin NAMESPACE linchpin:: FILE linchpinTargets.cmake DESTINATION ${package_folder}
        COMPONENT development)
install(EXPORT linchpinProgram NAMESPACE linchpin:: FILE linchpinProgramTargets.cmake
        DESTINATION ${package_folder} COMPONENT program)
install(FILES cmake/linchpinConfig.cmake cmake/linchpin_add_test.cmake
              ${PROJECT_BINARY_DIR}/linchpinConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
export(EXPORT linchpin NAMESPACE linchpin:: FILE ${PROJECT_BINARY_DIR}/linchpinTargets.cmake)
export(EXPORT linchpinProgram NAMESPACE linchpin:: FILE ${PROJECT_BINARY_DIR}/linchpinProgramTargets.cmake)
configure_file(cmake/linchpinConfig.cmake ${PROJECT_BINARY_DIR}/linchpinConfig.cmake COPYONLY)
configure_file(cmake/linchpin_add_test.cmake ${PROJECT_BINARY_DIR}/linchpin_add_test.cmake COPYONLY)

install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/linchpin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${runtime_folder}/ DESTINATION lib/linchpin # beside bin/, where the program looks
        COMPONENT program PATTERN "mpi.so" EXCLUDE)
if(TARGET linchpin_mpi)
  install(TARGETS linchpin_mpi LIBRARY DESTINATION lib/linchpin COMPONENT mpi)
endif()
install(FILES ${PROJECT_BINARY_DIR}/linchpin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# The Go package, as a folder that modules name with `replace`.
install(DIRECTORY bindings/go DESTINATION ${CMAKE_INSTALL_DATADIR}/linchpin COMPONENT development
        USE_SOURCE_PERMISSIONS
        FILES_MATCHING PATTERN "*.go" PATTERN "*.[ch]" PATTERN "go.mod" PATTERN "porcupine_tests"
        PATTERN "*_test.go" EXCLUDE)

# The Python package, in Debian's (cmake/package.cmake) and nowhere else: pip installs it elsewhere. What
# lies beside it tells pip that it is there.
set(python_folder lib/python3/dist-packages)
install(DIRECTORY bindings/python/linchpin DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/python/METADATA @ONLY CONTENT
"Metadata-Version: 2.1
Name: linchpin
Version: @PROJECT_VERSION@
Summary: Decides whether a concurrent object is linearizable
License: Apache-2.0
Requires-Python: >=3.9
")
file(WRITE ${PROJECT_BINARY_DIR}/python/INSTALLER "debian\n")
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA ${PROJECT_BINARY_DIR}/python/INSTALLER
        DESTINATION ${python_folder}/linchpin-${PROJECT_VERSION}.dist-info COMPONENT python EXCLUDE_FROM_ALL)

if(SCDOC)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT program)
endif()
install(FILES ${completions_folder}/linchpin.bash RENAME linchpin COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions_folder}/linchpin.zsh RENAME _linchpin COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions_folder}/linchpin.fish COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/linchpin COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# Beside one another as here, for their links and commands are relative; man pages are made above.
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program USE_SOURCE_PERMISSIONS
        PATTERN docs/man EXCLUDE PATTERN "__pycache__" EXCLUDE PATTERN "node_modules" EXCLUDE)
