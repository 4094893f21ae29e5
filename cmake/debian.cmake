# What Debian asks for besides (run by cpack before it packs): a copyright and a changelog, man pages
# compressed, zsh's completion where Debian's zsh looks. Archives stay as `make install` has it.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(GZIP gzip REQUIRED)

# The time of all files that are made here: reproducible, like what SOURCE_DATE_EPOCH makes of cpack.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(seconds $ENV{SOURCE_DATE_EPOCH})
else()
  file(TIMESTAMP ${CPACK_LINCHPIN_SOURCE}/CMakeLists.txt seconds "%s" UTC)
endif()
execute_process(COMMAND date -u -R -d @${seconds} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(documents ${root}/share/doc/${package})

  file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: linchpin

Files: *
Copyright: 2026 The linchpin authors
License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
  file(REMOVE ${documents}/LICENSE)
  file(WRITE ${documents}/changelog
"linchpin (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the sources of this version.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB pages ${root}/share/man/man*/*.[0-9])
  execute_process(COMMAND ${GZIP} -9nf ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)

  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
endforeach()
