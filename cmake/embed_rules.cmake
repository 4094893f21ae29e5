# Writes the violation automata of a folder as a C source: cmake -DFOLDER=... -DOUTPUT=... -P this.
# One that is wrong on purpose, naive_*.txt, is left out.
file(GLOB paths ${FOLDER}/*.txt)
list(FILTER paths EXCLUDE REGEX "/naive_[^/]*$")
list(SORT paths)
set(rows "")
foreach(path IN LISTS paths)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(REGEX MATCH "\nadt ([^\n]*)\n" found "${text}")
  if(NOT found)
    message(FATAL_ERROR "${path}: expected a line with `adt`")
  endif()
  set(object "${CMAKE_MATCH_1}")
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND rows "    {\"${name}\", \"${object}\",\n     \"${text}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "/* Made from examples/rules by cmake/embed_rules.cmake. */
#include \"rules/shipped.h\"

const struct shipped_automaton shipped_automata[] = {
${rows}};

const size_t shipped_automaton_count = sizeof shipped_automata / sizeof *shipped_automata;
")
