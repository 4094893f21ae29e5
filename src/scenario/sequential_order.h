/* Looks for a legal sequential order of operations that are partially ordered: depth first, over
 * pairs of the set of operations that are in the order and the state of the object, each once. */
#ifndef SCENARIO_SEQUENTIAL_ORDER_H
#define SCENARIO_SEQUENTIAL_ORDER_H

#include "scenario/client_order.h"
#include "search/transitions.h"

enum {
    SEQUENTIAL_NONE = 0xff
};

/* What is to be put in order. */
struct sequential_question {
    unsigned count;
    uint32_t class[CLIENTS_OPERATIONS]; /* of its call, from sequential_class */
    uint16_t required, optional;        /* that must, and that may be in the order */
    uint16_t may_fail;                  /* that are also legal if some operation is neither before
                                           nor after them, and then change nothing */
    uint16_t never_legal;               /* that are not legal otherwise */
    uint16_t present;                   /* all, also those that only stand beside others */
    const uint16_t *before;             /* closed */
    uint8_t waits;                      /* the operation that would answer empty or no at the end;
                                           SEQUENTIAL_NONE: any end will do */
    bool waits_must_answer;             /* ... or rather has no answer there */
    uint16_t waits_operation;           /* what it is in the specification, ... */
    struct call waits_call;             /* ... and its call, with an unknown result */
};

struct sequential_order {
    unsigned count;
    uint32_t state; /* of the object behind it, to be printed with transitions_print_state */
    uint8_t operations[CLIENTS_OPERATIONS];
    uint8_t beside[CLIENTS_OPERATIONS]; /* by operation: for one that failed, which other operation
                                           is neither before nor after it; SEQUENTIAL_NONE: it did
                                           what the specification says */
};

struct sequential_search {
    struct transitions transitions;
    struct unobservable unobservable; /* never applies */
    struct arena calls;
    uint32_t initial;
    uint64_t *visited; /* open addressing: stamp, set, state */
    size_t visited_size, visited_used;
    uint16_t stamp;
    struct limits *limits;
    uint32_t steps;
};

/* STATUS_INPUT with a message for a specification that orders of single operations do not explain:
 * one with `together` or `op open`. */
enum status sequential_spec_check(const struct spec *spec, struct error *error) MUST_CHECK;

/* The specification passed that check. False when refused; to be released all the same. */
bool sequential_search_init(struct sequential_search *search, const struct spec *spec,
                            struct limits *limits) MUST_CHECK;
void sequential_search_release(struct sequential_search *search);

/* The class of a call, CLASS_REFUSED when refused: equal calls have the same. */
uint32_t sequential_class(struct sequential_search *search, const struct call *call) MUST_CHECK;

enum sequential_answer {
    SEQUENTIAL_FOUND,
    SEQUENTIAL_MISSING, /* there is no such order */
    SEQUENTIAL_LIMIT,
};
/* Of SEQUENTIAL_MISSING the order is the longest legal beginning of one. */
enum sequential_answer sequential_find(struct sequential_search *search,
                                       const struct sequential_question *question,
                                       struct sequential_order *order) MUST_CHECK;

#endif
