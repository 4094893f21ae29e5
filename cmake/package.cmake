# `make package`: a Debian package and an archive of what `make install` installs.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "The linchpin authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Decides whether a concurrent object is linearizable")
set(CPACK_PACKAGE_DESCRIPTION
    "Reads histories recorded by Jepsen, Porcupine and others, decides whether they are
linearizable, and explains those that are not. Contains the program and the C library.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# `linchpin test` and `stress` compile, and look into objects; histories and models need neither.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | clang, g++ | clang, binutils, libc6-dev")
include(CPack)
