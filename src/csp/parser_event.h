/* Events of CSP#, and sets of them: what an alphabet has, what is hidden. */
#ifndef CSP_PARSER_EVENT_H
#define CSP_PARSER_EVENT_H

#include "csp/ast.h"
#include "csp/lexer.h"
#include "lang/parser.h"

enum status csp_parse_event(struct parser *parser, struct csp_event *event) MUST_CHECK;

/* Appends to the sets. `hidden`: communications over channels may be among them. */
enum status csp_parse_event_sets(struct parser *parser, bool hidden, struct csp_event_set **sets,
                                 uint32_t *count) MUST_CHECK;

#endif
