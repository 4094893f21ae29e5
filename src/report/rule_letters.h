/* The letters of violation automata as they are written in `.lin`: `call Enq(1)`; without `call` or
 * `ret` both, without colours all. */
#ifndef REPORT_RULE_LETTERS_H
#define REPORT_RULE_LETTERS_H

#include <linchpin/linchpin.h>

#include "base/text.h"

/* The colours with which a letter leads from one state to another, a bit for each: 1 << colour.
 * `event`: 0 for a call, 1 for a return. */
unsigned rules_colours(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                       unsigned event, uint32_t method);

/* Those that are drawn: of the others no letter leads from one state to another. */
unsigned rule_letters_colours(const lp_rule_automaton *automaton);

/* Appends "colours 2 and 3 change nothing, and are left out"; nothing where all are drawn. */
void rule_letters_append_left_out(unsigned drawn, struct text *text);

/* Appends the letters of drawn colours that lead from one state to another, a line each; nothing
 * where there are none. */
void rule_letters_append_edge(const lp_rule_automaton *automaton, unsigned drawn, uint32_t from,
                              uint32_t to, struct text *text);

/* Appends "marked ret Enq(1)". */
void rule_letters_append_event(const lp_rule_automaton *automaton, bool returned, uint32_t method,
                               unsigned colour, struct text *text);

#endif
