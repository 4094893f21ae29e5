# Writes the manual's pages about the languages as a C source: cmake -DFOLDER=... -DOUTPUT=... -P this.
set(source "/* Made from docs/manual by cmake/embed_manual.cmake. */
#include \"lsp/manual.h\"

/* The bytes are UTF-8. */
")
foreach(page lin csp)
  file(READ ${FOLDER}/${page}.md bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND source "const char manual_${page}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${source}")
