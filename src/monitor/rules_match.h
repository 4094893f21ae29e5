/* Decides whether a history can be linearized to what a rule makes: whether each operation can go
 * to an item of the rule's expression so that precedence is kept. A least fixed point.
 *
 * Which order that is matters little: it is enough to say for each operation which item of the
 * expression it goes to, the witness's to their methods, the others to variables that allow them,
 * so that what precedes another operation goes no further right than that. Each operation is pushed
 * right only as far as it must: to behind what precedes it, to an item that allows it, and, where a
 * condition `matched` is about operations of one value, to the least places that some choice for
 * all of them has. What is so forced is a lower bound of every linearization. If it allows itself
 * it is one; if an operation is pushed out of the expression there is none; else nothing is known.
 * (Where the choices of each value are closed under minima, as they are in the rules of queues and
 * stacks, something always is.) */
#ifndef MONITOR_RULES_MATCH_H
#define MONITOR_RULES_MATCH_H

#include "history/part.h"
#include "spec/rule_set.h"

#define GROUP_NONE UINT32_MAX

struct rules_event {
    uint32_t interval;
    bool responds;
};

/* A part's operations as events of a rule set's groups. */
struct rules_view {
    const struct part *part;
    const struct rule_set *set;
    struct rules_event *events; /* by position */
    uint16_t *method;           /* by interval, */
    uint32_t *group;            /* likewise; GROUP_NONE: it is not looked at */
    uint32_t *next;             /* by interval: the next one of its group, or GROUP_NONE */
    uint32_t group_count;
    uint32_t *first; /* by group: its first interval */
    uint32_t *ranks; /* by group, of ordered sets; else null */
    bool *out;       /* by group: it is left out */
    uint8_t *item;   /* by interval: room for a match */
};

enum rules_match {
    RULES_NO_MATCH,
    RULES_MATCH,
    RULES_UNDECIDED,
};

/* Of the groups that are not left out, `witness` among them. */
enum rules_match rules_match(struct rules_view *view, unsigned rule, uint32_t witness);

#endif
