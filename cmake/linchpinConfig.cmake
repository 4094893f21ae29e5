# find_package(linchpin): the library as linchpin::linchpin (shared) and linchpin::static, the program
# linchpin::program where it is installed, and the function linchpin_add_test, which needs the program.
include(${CMAKE_CURRENT_LIST_DIR}/linchpinTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/linchpinProgramTargets.cmake OPTIONAL)
include(${CMAKE_CURRENT_LIST_DIR}/linchpin_add_test.cmake)

# The archive, with what it needs besides: beside this file in a build, two folders up in a prefix.
if(NOT TARGET linchpin::static)
  find_file(linchpin_archive liblinchpin.a NO_CACHE NO_DEFAULT_PATH
            PATHS ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../..)
  if(linchpin_archive)
    add_library(linchpin::static STATIC IMPORTED)
    set_target_properties(linchpin::static PROPERTIES IMPORTED_LOCATION ${linchpin_archive}
        INTERFACE_LINK_LIBRARIES "yajl;zstd;xxhash;expat;utf8proc;z;pthread;m"
        INTERFACE_INCLUDE_DIRECTORIES $<TARGET_PROPERTY:linchpin::linchpin,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endif()
