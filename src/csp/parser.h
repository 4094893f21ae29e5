/* The parser of CSP#: from the text of a model to its tree. Expressions, statements, events,
 * processes, formulas and assertions have files of their own, in this order: none includes a later
 * one. */
#ifndef CSP_PARSER_H
#define CSP_PARSER_H

#include "csp/ast.h"

/* Parses a model. STATUS_INPUT at the first fault, with its place, what was expected and what was
 * found; STATUS_LIMIT. The module refers to `script` and lives in `arena`; release its vectors with
 * csp_module_release whatever the status. */
enum status csp_parse(const struct script *script, struct arena *arena, struct csp_module *module,
                      struct error *error) MUST_CHECK;
void csp_module_release(struct csp_module *module);

#endif
