# linchpin-recheck checks certificates with code of its own: of linchpin it has SHA-256 alone.
file(GLOB recheck_sources CONFIGURE_DEPENDS recheck/*.c)
add_executable(linchpin_recheck ${recheck_sources} src/base/sha256.c)
target_include_directories(linchpin_recheck PRIVATE recheck src)
target_link_libraries(linchpin_recheck PRIVATE linchpin_options PkgConfig::YAJL)
set_target_properties(linchpin_recheck PROPERTIES OUTPUT_NAME linchpin-recheck
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
