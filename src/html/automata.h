/* Violation automata as the page draws them: states, edges with their letters, and histories that
 * they accept, read letter by letter. docs/internals/reports.md has the form. */
#ifndef HTML_AUTOMATA_H
#define HTML_AUTOMATA_H

#include "report/result.h"

/* The field `automata`: of the result's nodes those of NODE_AUTOMATON; nothing where there are
 * none. */
void html_automata_json(const struct result *result, yajl_gen json);

#endif
