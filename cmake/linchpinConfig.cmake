# find_package(linchpin): the function linchpin_add_test, the program linchpin::program, the library
# linchpin::linchpin.
include(${CMAKE_CURRENT_LIST_DIR}/linchpinTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/linchpin_add_test.cmake)
