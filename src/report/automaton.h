/* The automaton of a formula as text: DOT for graphviz, JSON, and the Hanoi omega-automata format
 * (HOA, version 1) for SPOT, Owl and others. */
#ifndef REPORT_AUTOMATON_H
#define REPORT_AUTOMATON_H

#include <stdio.h>

#include <linchpin/linchpin.h>

/* Each writes the automaton; errors of writing are left in the stream.
 *
 * DOT: an edge shows what it reads, and in braces the acceptance sets it is in. */
void automaton_write_dot(const lp_automaton *automaton, FILE *out);

/* One object on one line; docs/manual/ltl.md describes it. */
void automaton_write_json(const lp_automaton *automaton, FILE *out);

void automaton_write_hoa(const lp_automaton *automaton, FILE *out);

#endif
