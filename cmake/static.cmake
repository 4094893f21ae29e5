# The program once more, without shared libraries (build/static/linchpin): for x86-64 Linux of any kind.
# It is linked from the same objects, so this takes no time. Sanitizers cannot be linked so, and not
# every system has the archives of all libraries.
set(archives)
foreach(names "libyajl_s.a libyajl.a" libzstd.a libexpat.a libutf8proc.a libz.a libm.a libc.a)
  string(REPLACE " " ";" names "${names}")
  list(GET names 0 name)
  find_library(LINCHPIN_ARCHIVE_${name} NAMES ${names} PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE})
  mark_as_advanced(LINCHPIN_ARCHIVE_${name})
  list(APPEND archives ${LINCHPIN_ARCHIVE_${name}})
endforeach()
if(archives MATCHES "NOTFOUND" OR LINCHPIN_SANITIZE OR LINCHPIN_COVERAGE OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
add_executable(linchpin_static_program src/cli/main.c $<TARGET_OBJECTS:linchpin_objects>
               $<TARGET_OBJECTS:linchpin_program>)
set_target_properties(linchpin_static_program PROPERTIES OUTPUT_NAME linchpin
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static)
target_include_directories(linchpin_static_program PRIVATE src include)
target_link_libraries(linchpin_static_program PRIVATE linchpin_plain_options ${archives})
target_link_options(linchpin_static_program PRIVATE -static-pie)
add_dependencies(linchpin_static_program linchpin_runtime linchpin_stress linchpin_plain)
