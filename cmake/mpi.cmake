# `--mpi`: src/mpi is a library of its own, lib/linchpin/mpi.so, that the program loads when it is asked
# for, so that neither the program nor the library needs MPI. Where there is no MPI it is not built, and
# the program says so.
option(LINCHPIN_MPI "build --mpi, where MPI is found (Debian: libopenmpi-dev)" ON)
if(NOT LINCHPIN_MPI OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  message(STATUS "MPI is not found (Debian: libopenmpi-dev): linchpin will have no --mpi")
  return()
endif()
file(GLOB mpi_sources CONFIGURE_DEPENDS src/mpi/*.c)
add_library(linchpin_mpi MODULE ${mpi_sources})
set_target_properties(linchpin_mpi PROPERTIES PREFIX "" OUTPUT_NAME mpi
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/linchpin)
target_include_directories(linchpin_mpi PRIVATE src)
target_link_libraries(linchpin_mpi PRIVATE linchpin_options MPI::MPI_C)
add_dependencies(linchpin linchpin_mpi)
