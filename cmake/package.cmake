# `make package`: Debian packages, and an archive of all that `make install` installs.
#
#   linchpin         the program. It has the library in it: much of what it uses are parts of src/
#                    that the library does not show, so the shared one would only come on top.
#   liblinchpin0     the shared library, for programs that were linked with it
#   liblinchpin-dev  headers, the archive, what CMake and pkg-config ask for, the package for Go
#   python3-linchpin the package for Python, which loads liblinchpin0
#   linchpin-mpi     what the program loads with --mpi, where MPI was found
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "The linchpin authors <linchpin@users.noreply.github.com>" CACHE STRING
    "the packages' maintainer, with an address")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Decides whether a concurrent object is linearizable")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_LINCHPIN_SOURCE ${PROJECT_SOURCE_DIR})

set(about
"Histories that clients recorded (Jepsen's, Porcupine's and others), models
in CSP# and .lin, and code in C and C++ are looked at; what is wrong is
explained.
.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME linchpin)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "${about}\nThis is the program.")
# `linchpin test` and `stress` compile, and look into objects; histories and models need neither.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "gcc | clang, g++ | clang, binutils, libc6-dev")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME liblinchpin${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# cpack writes scripts that call ldconfig as well, which does no harm.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "${about}
This is the library, for programs that were linked with it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblinchpin-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "liblinchpin${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), libyajl-dev, libzstd-dev, libxxhash-dev, libexpat1-dev, libutf8proc-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "linchpin (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "${about}
These are the headers and the archive of the library, and what CMake,
pkg-config and Go need to use it.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-linchpin)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.9), liblinchpin${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
# Python keeps what it has compiled beside the sources: made and removed with the package.
file(WRITE ${PROJECT_BINARY_DIR}/python/postinst
"#!/bin/sh
set -e
if [ \"$1\" = configure ] && command -v py3compile > /dev/null 2>&1; then
    py3compile -p python3-linchpin
fi
")
file(WRITE ${PROJECT_BINARY_DIR}/python/prerm
"#!/bin/sh
set -e
if command -v py3clean > /dev/null 2>&1; then
    py3clean -p python3-linchpin
fi
")
file(CHMOD ${PROJECT_BINARY_DIR}/python/postinst ${PROJECT_BINARY_DIR}/python/prerm
     PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/python/postinst ${PROJECT_BINARY_DIR}/python/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "${about}
This is the package for Python: histories from lists, files and frames of
pandas, specifications written as classes, monitors.")

if(TARGET linchpin_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME linchpin-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_MPI_PACKAGE_GENERATE_SHLIBS OFF)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "linchpin (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_DEBIAN_MPI_DESCRIPTION
      "${about}
This is what shares work among the ranks that mpirun has started, on one
machine or on many (linchpin check --mpi).")
endif()
include(CPack)
