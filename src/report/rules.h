/* What comparing violation automata with a specification gave; and their drawings. */
#ifndef REPORT_RULES_H
#define REPORT_RULES_H

#include <stdio.h>

#include "report/result.h"

struct rules_report {
    const char *const *inputs; /* of the automata, as the user named them */
    const lp_rules *rules;
    const lp_rules_result *result; /* null: a limit was reached before there was one */
    bool examples;                 /* show what each automaton accepts */
};

/* Fills the result, which points to the report then. */
void rules_fill(struct result *result, const struct rules_report *report);

/* The number of automata; *object: what they are of, null if there are none. */
size_t rules_count(const lp_rules *rules, const char **object);

/* Adds what is said of rules of which no automata have been made, where there are some: lines of
 * their own; the field `not_made`. */
void rules_add_unmade(struct node *root, const lp_rules *rules);

/* Adds what a page draws of the automaton with that number; `history`: a recorded one that it was
 * run on, or null. Readings (NODE_READING) are to be its children. */
struct node *rules_add_automaton(struct node *root, const lp_rules *rules, size_t index,
                                 const lp_history *history);

/* Writes the automaton as a block of a `.lin` file, which may have to say the methods of its
 * specification besides. */
void rules_write_lin(const lp_rule_automaton *automaton, FILE *out);

/* Writes the automaton for graphviz: accepting states have two borders, dashed if only a whole
 * history may end there; letters that lead the same way are put together, and those of a colour
 * that changes nothing are left out. What is missing else is dead. */
void rules_write_dot(const lp_rule_automaton *automaton, FILE *out);

#endif
