/* The monitors: decision procedures in near-linear time for one data type each, a file or a few for
 * each of them. */
#ifndef MONITOR_MONITORS_H
#define MONITOR_MONITORS_H

#include "monitor/step.h"

struct container; /* values.h */

struct monitor {
    /* Whether the monitor may decide a part; if not, STEP_INAPPLICABLE, and `why` (may be null) is
     * filled in. Linear. Null: wherever the values of a container can be told apart, as
     * values_collect says, or else everywhere. */
    enum step (*applies)(const struct part *part, struct limits *limits, struct arena *arena,
                         struct inapplicable *why);
    const struct container *container; /* null if it is none */
    /* Decides a part to which it applies; the decision has been cleared. The arena is for whatever
     * it needs meanwhile. */
    enum step (*decide)(const struct part *part, struct limits *limits, struct arena *arena,
                        struct decision *decision);
    const char *gives_up; /* why it may be undecided: "there are too many ..." */
};

/* The monitor for a class of specifications, null if there is none. */
const struct monitor *monitor_find(const struct spec_class *class);

/* Whether there is a monitor for the part's class, and it may decide this part; where it may not,
 * `why` (may be null) is filled in. */
bool monitor_applies(const struct part *part, struct limits *limits, struct inapplicable *why);

/* Decides a part to which a monitor applies. VERDICT_UNKNOWN with LIMIT_NONE says that it gives up:
 * the general search has to decide. The evidence of a violation is in the order of the operations,
 * each of them once. */
decide monitor_decide;

/* Whether a part to which no monitor applies is decided all the same, in near-linear time: a
 * counter to which different numbers are added, by what they make together. The decision then has
 * the verdict, and else is cleared. False, too, when refused. */
bool monitor_tries(const struct part *part, struct limits *limits, struct decision *decision);

/* A part that is easier to search than the one it was made of: an order of it is one of that. */
struct narrowed {
    struct part part;
    const uint32_t *origin; /* by operation: its number in the other */
};

/* Where the monitor of a register has given up: without the pending operations that need not have
 * happened, but for those that the monitor would put somewhere, which are there. The arena has it,
 * the decision is cleared. False: there is none, or it was refused. */
bool monitor_narrow(const struct part *part, struct limits *limits, struct arena *arena,
                    struct decision *decision, struct narrowed *narrowed) MUST_CHECK;

extern const struct monitor queue_monitor; /* queue.c */
extern const struct monitor stack_monitor; /* stack.c */
extern const struct monitor priority_queue_monitor;
extern const struct monitor register_monitor; /* register.c */
extern const struct monitor bit_monitor;      /* bit.c: set, mutex, semaphore(1) */
extern const struct monitor counter_monitor;  /* counter.c */
extern const struct monitor grow_set_monitor; /* grow_set.c */
extern const struct monitor unordered_queue_monitor;
extern const struct monitor rules_monitor; /* rules.c: violations of rule sets only */

#endif
