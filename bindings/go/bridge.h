/* What the Go package asks of the library, a whole check in one call: calls from Go to C cost more
 * than most of the library's functions. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <linchpin/linchpin.h>

/* An operation. Functions are numbers in a list of names, values places in bridge_question.values,
 * where BRIDGE_NIL is nil. */
typedef struct bridge_operation {
    int64_t called, returned;
    uint64_t argument, result, key;
    uint32_t process;
    uint32_t function;
    uint32_t outcome; /* lp_outcome */
    uint32_t object;  /* 1 more than a number in the list of names; 0: none */
    bool silent;      /* it answers nothing; `result` is ignored */
} bridge_operation;

#define BRIDGE_NIL UINT64_MAX

/* A specification of Go callbacks. */
typedef struct bridge_model {
    uintptr_t handle; /* of the Go side */
    bool described;   /* operations are values that describe them; else the argument is a class */
    void *initial;
} bridge_model;

/* An annotation; process and value are places. */
typedef struct bridge_note {
    uint64_t process, value;
    const char *name;
    int64_t time;
} bridge_note;

/* A history and what is asked of it. Lists are separated by zero bytes and end with an empty one.
 */
typedef struct bridge_question {
    const bridge_operation *operations;
    size_t count;
    const bridge_note *notes;
    size_t note_count;
    const uint8_t *values;    /* see decode_value */
    const uint8_t *processes; /* values one after the other, for process_count processes; null: the
                                 processes are numbers */
    size_t process_count;
    const char *names;   /* functions and objects */
    const char *spec;    /* a built-in one, or one in a file; null: `model` */
    const char *initial; /* or null */
    bool owned, nil_reads;
    bridge_model model;
    lp_method method;
    double timeout;
    uint32_t jobs;
    bool untold, all, independent;
} bridge_question;

/* What there is to be released: a context and all that was made in it. */
typedef struct bridge_answer {
    lp_context *context;
    lp_history *history;
    lp_spec *spec;
    lp_result *result;
    bridge_model model; /* the specification's callbacks have its address */
    lp_binding binding;
    lp_check_options options;
    lp_status status; /* LP_OK: there is a result */
    lp_error error;
} bridge_answer;

/* Records and decides; `answer` has a context, and is filled in. */
void bridge_check(const bridge_question *question, bridge_answer *answer);

/* Decides a history that was read, with a built-in specification (null: the inferred one). */
void bridge_check_history(const lp_history *history, const bridge_question *question,
                          bridge_answer *answer);
void bridge_release(bridge_answer *answer);

/* The page, in memory released with free(); null: no memory is left. */
char *bridge_html(bridge_answer *answer, const lp_history *history, size_t *length);

/* Elements of arrays, for Go. */
lp_violation *bridge_violation(const lp_result *result, size_t index);
lp_partial *bridge_partial(const lp_violation *violation, size_t index);
lp_warning *bridge_warning(const lp_result *result, size_t index);
lp_step *bridge_step(const lp_verification *result, size_t index);
lp_variable *bridge_change(const lp_step *step, size_t index);

#endif
