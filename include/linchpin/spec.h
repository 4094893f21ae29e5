/* Sequential specifications: built-in objects, and your own through callbacks. */
#ifndef LINCHPIN_SPEC_H
#define LINCHPIN_SPEC_H

#include <linchpin/history.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_spec lp_spec;

typedef struct lp_spec_options {
    size_t size;         /* sizeof(lp_spec_options) */
    const char *initial; /* the starting value in EDN ("0", "[1 2]", "{x 0 y 1}"); null: default */
    bool owned;          /* mutex: only the process that holds it may release it */
    bool nil_reads;      /* a completed read of nil agrees with any state, as Knossos has it */
} lp_spec_options;

/* A built-in specification, "queue", "semaphore(3)"; or one in a file in linchpin's own language,
 * "stack.lin" (its only one), "objects.lin:stack(3)". Null options: the defaults. LP_USAGE with a
 * message that lists the names, or says what the parameters or initial value should be; LP_INPUT
 * with the place of what is wrong in the file. A fault that such a specification commits while it
 * decides a history (an index, an overflow) makes lp_check return LP_INPUT with its place. */
LP_API lp_status lp_spec_create(lp_context *context, const char *name,
                                const lp_spec_options *options, lp_spec **spec, lp_error *error);

/* The specification that the history itself or its operations call for: what the file says, else
 * the smallest built-in that has every operation used. LP_USAGE if there is none or several,
 * LP_INPUT for an operation that none has. `object`: of several objects the one whose operations
 * count; null: the operations that name none. */
LP_API lp_status lp_spec_infer(lp_context *context, const lp_history *history, const char *object,
                               const lp_spec_options *options, lp_spec **spec, lp_error *error);

/* What `step` returns when there is no memory for the new state. */
#define LP_STATE_REFUSED ((void *)-1)

/* What `step` and `follow` return when the specification is wrong about the state, as an assertion
 * that fails or an exception shows: the call that decides gives LP_INPUT. But where orders that
 * nobody recorded are tried, to find the core of a violation, that is only no order. */
#define LP_STATE_FAULT ((void *)-2)

/* What `step` may give as a result that agrees with any that was recorded. */
#define LP_RESULT_ANY (UINT64_MAX - 1)

/* A specification of your own. A state is whatever `init` and `step` make of it; linchpin only
 * passes the pointer round, and keeps states until the specification is destroyed. Callbacks may be
 * called from several threads at once, for different states or the same; they must not change a
 * state they are given. */
typedef struct lp_spec_callbacks {
    size_t size; /* sizeof(lp_spec_callbacks) */
    const char *name;
    const char *const *operations; /* null-terminated list of names */

    /* A new initial state. Null: out of memory (the check answers unknown). */
    void *(*init)(void *user);

    /* What operation `operation` (index into `operations`) with `argument` does in `state`: a new
     * state, and the operation's result in `*result` (nil if left alone); `state` itself to leave
     * it as it is. Null: the operation cannot happen in this state. LP_STATE_REFUSED: out of
     * memory. A completed operation is legal if the result agrees with the one recorded. */
    void *(*step)(void *user, const void *state, size_t operation, lp_value argument,
                  lp_value *result);

    /* Whether two states are the same, and a hash that is equal for equal states. Both null, and
     * `release` too: states are handles, any words but null and the two above, which are the
     * same when they are equal, and are never released; what `step` gave for a state, operation and
     * argument is remembered then, and not asked for again. So other languages call back rarely. */
    bool (*equal)(void *user, const void *a, const void *b);
    uint64_t (*hash)(void *user, const void *state);

    /* The state for people, released with free(). May be null. */
    char *(*print)(void *user, const void *state);

    /* Releases a state; null: states are handles. */
    void (*release)(void *user, void *state);

    /* Whether a result that was recorded agrees with the one `step` gave; null: equality, but that
     * a set may be recorded as a list of the same elements, once each. */
    bool (*agrees)(void *user, size_t operation, lp_value recorded, lp_value given);

    /* In place of `step` and `agrees`, for a specification that rather says what follows an
     * operation that answered `recorded` (null: nobody knows what it answered). As `step`, but that
     * null means: it cannot happen in this state, or not with this answer. */
    void *(*follow)(void *user, const void *state, size_t operation, lp_value argument,
                    const lp_value *recorded);
} lp_spec_callbacks;

/* The callbacks are copied; `user` must outlive the specification. */
LP_API lp_status lp_spec_create_custom(lp_context *context, const lp_spec_callbacks *callbacks,
                                       void *user, lp_spec **spec, lp_error *error);

LP_API void lp_spec_destroy(lp_spec *spec);

/* "queue", "semaphore(3)" */
LP_API const char *lp_spec_name(const lp_spec *spec);

/* The table of built-in specifications, in the manual's order; false past the end. */
typedef struct lp_spec_entry {
    const char *name;
    const char *parameters; /* "n", or null */
    const char *summary;
    size_t operations;
} lp_spec_entry;

typedef struct lp_spec_operation_entry {
    const char *name;
    const char *argument;       /* for people: "v", "[old new]", "" */
    const char *result;         /* for people: "v, nil when empty", "" */
    const char *const *aliases; /* null-terminated */
} lp_spec_operation_entry;

LP_API bool lp_spec_at(size_t index, lp_spec_entry *entry);
LP_API bool lp_spec_operation_at(size_t index, size_t operation, lp_spec_operation_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
