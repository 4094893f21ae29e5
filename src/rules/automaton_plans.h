/* The automata that make_automata.c chooses from, each as a step function: where a letter leads
 * from a state. A state is a number that means what the step function makes of it; those that are
 * reached from the initial one are few. make_automata.h says which shapes of rules they are for. */
#ifndef RULES_AUTOMATON_PLANS_H
#define RULES_AUTOMATON_PLANS_H

#include "rules/automaton.h"
#include "spec/rule_set.h"

struct letter {
    enum violation_event event;
    uint32_t method;
    unsigned colour;
};

/* The methods that an automaton is about. */
struct roles {
    const struct rule_set *set;
    uint32_t adds, takes; /* methods a and b; m in place of b where there is only one */
    uint32_t finds;       /* m of `u m v` */
    uint32_t others;      /* bits: methods of values, but m */
};

struct plan {
    const char *kind, *what;
    /* The state behind a letter; VIOLATION_DEAD. */
    uint32_t (*step)(const struct roles *roles, uint32_t state, struct letter letter);
    uint32_t initial;
    uint32_t mask, accepting; /* states are accepting that have these bits under the mask */
    bool whole;               /* it says something of whole histories only */
};

extern const struct plan plan_fresh, plan_repeat;     /* a value on its own */
extern const struct plan plan_order, plan_nest;       /* a u b v */
extern const struct plan plan_empty, plan_buried;     /* u m v */
extern const struct plan plan_conflict, plan_overlap; /* a b* u, a b u */
extern const struct plan plan_alone;                  /* a */
extern const struct plan plan_init;                   /* m u */

#endif
