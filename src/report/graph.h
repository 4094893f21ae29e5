/* A state graph as text: DOT for graphviz, JSON, and Aldebaran (.aut) for mCRL2, CADP and LTSmin.
 */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include <stdio.h>

#include <linchpin/linchpin.h>

/* Each writes the graph; errors of writing are left in the stream.
 *
 * DOT: a node for each state, with its variables; invisible steps are dashed. With groups each is a
 * dotted cluster of its members, and a state that is a member of several is drawn in each: figure 1
 * of Liu, Chen, Liu and Sun (2009). States that were not expanded are dashed. */
void graph_write_dot(const lp_graph *graph, FILE *out);

/* One object on one line; docs/manual/models.md describes it. */
void graph_write_json(const lp_graph *graph, const char *input, FILE *out);

/* States are numbered from 0; invisible steps are labelled tau, which no event of CSP# can be. With
 * groups the automaton of the groups is written instead. */
void graph_write_aut(const lp_graph *graph, FILE *out);

#endif
