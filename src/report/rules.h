/* What comparing violation automata with a specification gave: text for people, JSON; and their
 * drawings. */
#ifndef REPORT_RULES_H
#define REPORT_RULES_H

#include <linchpin/linchpin.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

struct rules_report {
    const char *const *inputs; /* of the automata, as the user named them */
    const lp_rules *rules;
    const lp_rules_result *result; /* null: a limit was reached before there was one */
    lp_limit limit;                /* where there is no result */
    const char *reason;            /* never null */
    bool examples;                 /* show what each automaton accepts */
};

/* LP_UNDECIDED where there is no result. */
lp_answer rules_verdict(const struct rules_report *report);

/* Appends the whole text; with style->quiet the verdict's line only. */
void rules_text(const struct rules_report *report, const struct report_style *style,
                struct text *text);

/* Writes the object's fields into an object that is open in `json`. */
void rules_json_fields(const struct rules_report *report, yajl_gen json);

/* Writes the automaton as a block of a `.lin` file, which may have to say the methods of its
 * specification besides. */
void rules_write_lin(const lp_rule_automaton *automaton, FILE *out);

/* Writes the automaton for graphviz: accepting states have two borders, dashed if only a whole
 * history may end there; letters that lead the same way are put together, and those of a colour
 * that changes nothing are left out. What is missing else is dead. */
void rules_write_dot(const lp_rule_automaton *automaton, FILE *out);

#endif
