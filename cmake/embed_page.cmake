# Writes a text file as a C source: cmake -DINPUT=... -DOUTPUT=... -P this.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from src/html/page/page.html by cmake/embed_page.cmake. */
#include \"html/page.h\"

/* The bytes are UTF-8. */
const char html_page[] = {
${bytes}0};
")
