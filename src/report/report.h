/* The evidence about one history: what lp_check answered, and the recorded operations that the
 * answer names by index. Made a result in history_result.c,
 * kept in traces by trace.c. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <linchpin/linchpin.h>

/* More operations than this are not drawn or listed: nobody reads them. */
#define REPORT_MOST_SHOWN 40

/* A core of more operations is not drawn whole where the reason speaks of fewer. */
#define REPORT_MOST_TOLD 5

/* An operation that is shown to explain a violation. */
struct report_operation {
    lp_operation recorded;
    uint32_t index;
    bool core;
    bool answers;                        /* by its specification it has a result to show */
    bool keyed;                          /* its result is recorded as [key value] */
    uint64_t invoke_byte, response_byte; /* where its lines begin; REPORT_NO_BYTE: not known */
};

#define REPORT_NO_BYTE UINT64_MAX

/* The part of a log that was followed from the first operation that is told to the violation. */
struct report_part {
    bool known;
    uint64_t first, first_byte; /* line, and where it begins */
    uint64_t byte;              /* where the line of the violation begins */
};

/* What is shown is the core and its context; where there is no core, or a large one, the operations
 * that the reason speaks of, if they are fewer. */
struct report_violation {
    const lp_violation *found;
    struct report_operation *operations; /* in the order of invocations */
    size_t operation_count;
    size_t left_out;      /* operations that should be shown too, but are too many */
    size_t core_left_out; /* members of the core that the reason does not speak of */
};

/* The evidence about a history that was checked. */
struct report {
    const lp_history *history;
    const lp_result *result;
    bool witness;                     /* JSON has the linearization */
    bool has_no_trace;                /* that `replay` could show */
    const lp_monitor_state *followed; /* of a history that was followed; null: it was not */
    const char *const *logs;          /* that were; null: only one */
    struct report_part part;
    struct report_violation *violations;
    size_t violation_count;
};

/* The operations to show of a violation; `whole`: all of a core that can be drawn, even where the
 * reason speaks of fewer. `found` must outlive it; report_violation_release gives back. */
void report_violation_fill(struct report_violation *violation, const lp_history *history,
                           const lp_violation *found, bool whole);
void report_violation_release(struct report_violation *violation);

/* Everything given must outlive the report. */
struct report *report_create(const lp_history *history, const lp_result *result, bool witness);
void report_destroy(struct report *report);

/* The operation as the history recorded it, with what is known of the specification that `found`
 * names. */
struct report_operation report_operation_find(const lp_history *history, const lp_violation *found,
                                              uint32_t index);

/* Adds the fields of a violation. */
struct node;
void report_add_violation(struct node *object, const struct report_violation *violation);

/* Adds what shows why: the violations, each with its operations. */
void report_add_evidence(struct node *root, const struct report *report);

/* Fills the result of a history; null: a limit was reached before there was one. */
struct result;
void report_fill(struct result *result, const struct report *report);

#endif
