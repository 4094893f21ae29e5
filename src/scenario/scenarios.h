/* Scenarios: which thread calls what on an object, in which order; the reading and writing of them,
 * and the sets of them that are gone through.
 *
 *     push 1; pop | pop        two threads; the first calls push(1), then pop(), the second pop()
 *     put 1 7 | cas 7 1        operations of two arguments
 *
 * Scenarios that only differ in the names of threads, and of values that are new at each call, are
 * symmetric: one of them stands for all. */
#ifndef SCENARIO_SCENARIOS_H
#define SCENARIO_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/status.h"
#include "base/text.h"
#include "scenario/orders.h"

enum {
    SCENARIO_THREADS = 7,         /* an execution graph has room for one more: that which sets up */
    SCENARIO_CALLS = 16,          /* in all */
    SCENARIO_MOST_CHOICES = 4096, /* operations with their arguments */
};

/* Results that are no numbers: LP_EMPTY and the others of linchpin/test.h. */
#define SCENARIO_EMPTY INTPTR_MIN
#define SCENARIO_DONE  (INTPTR_MIN + 1)
#define SCENARIO_NO    (INTPTR_MIN + 2)
#define SCENARIO_YES   (INTPTR_MIN + 3)

/* An operation that a thread may call, as the test describes it. */
struct scenario_operation {
    const char *name;   /* hyphen and underscore are the same */
    int64_t from, to;   /* of its argument. Both 0: it has none; from > to: a new value each call */
    int only_thread;    /* 0: any thread may call it; k: only the k-th, from 1 */
    bool is_once;       /* at most one call of it in a scenario */
    bool takes_two;     /* arguments: the first is from `from` to `to` even if both are 0, ... */
    int64_t from2, to2; /* ... the second from here; from2 > to2: a new value each call */
    bool takes_three;   /* as well: the third likewise */
    int64_t from3, to3;
};

static inline bool scenario_operation_is_fresh(const struct scenario_operation *operation)
{
    return operation->from > operation->to;
}

static inline bool scenario_operation_has_argument(const struct scenario_operation *operation)
{
    return operation->takes_two || operation->from != 0 || operation->to != 0;
}

struct scenario_interface {
    const struct scenario_operation *operations; /* not owned */
    size_t count;                                /* 1 .. SCENARIO_OPERATIONS */
    const struct scenario_orders *orders;        /* not owned; null: threads call as they like */
};

struct scenario_call {
    uint16_t operation; /* index into the interface */
    int64_t argument;   /* 0 without one */
    int64_t second;     /* likewise */
    int64_t third;
};

struct scenario {
    unsigned thread_count, call_count;
    unsigned lengths[SCENARIO_THREADS];         /* calls of each thread, at least 1 */
    struct scenario_call calls[SCENARIO_CALLS]; /* those of the first thread, then the next, ... */
};

/* Reads a scenario. What is new at each call may be given or left out: then it is the least number
 * from 1 that the text does not have for a new value. STATUS_USAGE with a message that has the
 * place, what was expected and what was found. */
enum status scenario_parse(const char *text, const struct scenario_interface *interface,
                           struct scenario *scenario, struct error *error) MUST_CHECK;

/* Whether each thread keeps to the orders of the interface. */
bool scenario_is_in_order(const struct scenario *scenario,
                          const struct scenario_interface *interface);

/* Whether each thread keeps to them, and goes through to the end of each that it begins. */
bool scenario_ends_orders(const struct scenario *scenario,
                          const struct scenario_interface *interface);

/* Appends a scenario as scenario_parse reads it. */
void scenario_print(const struct scenario *scenario, const struct scenario_interface *interface,
                    struct text *text);

/* Appends a result: "empty", "7". */
void scenario_print_result(int64_t result, struct text *text);

/* How many calls a scenario may have in all, by its number of threads; 0: none with so many. */
struct scenario_bounds {
    unsigned calls[SCENARIO_THREADS + 1];
};

/* The set that is promised: two threads with up to 7 calls, three with up to 6, and one with up to
 * 3, for the smallest example of what is wrong without concurrency. */
extern const struct scenario_bounds scenarios_promised;

/* Those gone through next, as long as there is time: up to four threads and 12 calls. */
extern const struct scenario_bounds scenarios_larger;

/* As many threads (0: as in the promised set) and calls in all (0: likewise; beyond three threads
 * 6) as are asked for. */
struct scenario_bounds scenario_bounds_asked(unsigned threads, unsigned calls);

/* Goes through all scenarios within the bounds whose threads keep to the interface's orders, one of
 * each class of symmetric ones: few calls first, of as many calls few threads first. Values that
 * are new are numbered from 1, as they stand in the scenario. An argument of a range that is the
 * number of a new value is taken to mean that value: it is renamed with it.
 *
 *     scenario_walk_init(&walk, &interface, &scenarios_promised, NULL);
 *     while (scenario_walk_next(&walk, &scenario))
 *         ...
 */
struct scenario_walk {
    const struct scenario_interface *interface;
    struct scenario_bounds bounds, except;
    uint16_t choice_count;
    struct scenario_call choices[SCENARIO_MOST_CHOICES];
    uint16_t chosen[SCENARIO_CALLS]; /* by call */
    struct scenario scenario;        /* its threads, and as many calls as are chosen */
    bool begun, ended, is_cut_off;
    unsigned tries;              /* since limits were looked at */
    const struct limits *limits; /* at which to cut it off, not owned; null: none */
};

/* Leaves out those within `except` (null: none). STATUS_USAGE when the operations have more than
 * SCENARIO_MOST_CHOICES arguments together, or bounds are too large. The interface must outlive the
 * walk. */
enum status scenario_walk_init(struct scenario_walk *walk,
                               const struct scenario_interface *interface,
                               const struct scenario_bounds *bounds,
                               const struct scenario_bounds *except,
                               struct error *error) MUST_CHECK;

/* The next scenario; false when there is none left, then and ever after, or a limit is reached. */
bool scenario_walk_next(struct scenario_walk *walk, struct scenario *scenario) MUST_CHECK;

#endif
