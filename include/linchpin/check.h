/* Deciding whether a history is linearizable, and saying why. */
#ifndef LINCHPIN_CHECK_H
#define LINCHPIN_CHECK_H

#include <linchpin/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lp_verdict {
    LP_LINEARIZABLE,
    LP_VIOLATION,
    LP_UNKNOWN, /* a limit was reached; see lp_result.limit */
} lp_verdict;

typedef enum lp_method {
    LP_METHOD_AUTO,       /* the monitor where it applies, else the search */
    LP_METHOD_MONITOR,    /* the near-linear monitor; LP_USAGE where it does not apply */
    LP_METHOD_SEARCH,     /* the general search */
    LP_METHOD_DEFINITION, /* every order, as Herlihy and Wing define it: exponential, for teaching
                           */
} lp_method;

/* How the answers of a map's `get k` were recorded. */
typedef enum lp_results {
    LP_RESULTS_INFERRED, /* keyed if every answer but nil is [k value] and no value can be a list of
                            two; LP_INPUT where both readings are possible */
    LP_RESULTS_PLAIN,    /* the value */
    LP_RESULTS_KEYED,    /* [k value], and perhaps the argument was [k nil] */
} lp_results;

/* Which specification decides which object of the history. */
typedef struct lp_binding {
    const char *object; /* null: the history's only object */
    const lp_spec *spec;
} lp_binding;

/* How far a check is; called from one thread at a time, a few times a second. */
typedef struct lp_progress {
    size_t parts_done, parts;
    uint64_t explored; /* configurations or steps so far */
    size_t memory;     /* bytes */
    double seconds;
} lp_progress;

typedef struct lp_check_options {
    size_t size; /* sizeof(lp_check_options) */
    lp_method method;
    const lp_spec_options *inferred; /* of specifications that are inferred; null: the defaults */
    bool independent;                /* values are [key value]: each key is an object of its own */
    lp_results results;              /* LP_USAGE, unless inferred, where no object is a map */
    bool all;                        /* find every violating part, not only the first */
    bool untold; /* a verdict will do: violations have no core, context or sentence about it, which
                    may take longer to find than the verdict */
    unsigned jobs;                                             /* threads; 0: one per core */
    double timeout;                                            /* seconds; 0: none */
    void (*progress)(void *user, const lp_progress *progress); /* may be null */
    void *progress_user;
    size_t require; /* a history of fewer operations is LP_INPUT */
} lp_check_options;

/* How far an order of the operations got before none could follow. */
typedef struct lp_partial {
    const uint32_t *order; /* indices of operations, a legal order */
    size_t order_length;
    const uint32_t *stuck; /* operations that had to come next and could not */
    size_t stuck_length;
    const char *state; /* the object after `order`, for people */
} lp_partial;

/* A violation: of the history's parts one that has no linearization. */
typedef struct lp_violation {
    const char *object; /* null unless the history has several */
    bool has_key;
    lp_value key;       /* where the object is split by key */
    bool keyed_results; /* recorded results are [key value] */
    const char *spec;
    const char *method;
    const char *reason; /* one sentence */

    /* A set of operations such that the history is still a violation when every operation outside
     * it is turned into a pending one (those that failed stay out of it), and linearizable when any
     * member is turned pending as well. Ascending. core_complete false: the second half was
     * not shown, so a smaller one may exist (looking for the core of more than 20 operations may
     * take as long as the verdict, and half a second); empty: nor was the first half. */
    const uint32_t *core;
    size_t core_length;
    bool core_complete;

    /* Operations outside the core that the story needs. Ascending. */
    const uint32_t *context;
    size_t context_length;

    /* The operations that `reason` speaks of: what to show when the core is missing or too large
     * to be read. Ascending. */
    const uint32_t *evidence;
    size_t evidence_length;

    /* The specification's operations whose answer nil says no more than that they happened: a
     * drawing shows `put 1`, and not `put 1 -> nil`. */
    const char *const *silent;
    size_t silent_count;

    const lp_partial *partials; /* longest first; from the search */
    size_t partial_count;
} lp_violation;

/* Something about the history that the user should know beside the verdict. */
typedef struct lp_warning {
    uint32_t line; /* 1-based; 0: none */
    const char *message;
} lp_warning;

/* The answer. Owned by the caller; everything it points to lives until lp_result_destroy. */
typedef struct lp_result {
    lp_verdict verdict;
    lp_limit limit;       /* why unknown */
    const char *spec;     /* "queue"; with several objects "q=queue,r=register" */
    const char *method;   /* "monitor", "search", "definition"; several joined by + */
    const char *reason;   /* one sentence: the first violation's, or what an unknown covered; else
                             "" */
    const char *covered;  /* LP_UNKNOWN: what was covered until then, as the end of the reason,
                             ": 3 of 5 parts decided, ..."; else "" */
    size_t operations;    /* invocations by clients */
    size_t pending;       /* operations that may or may not have happened */
    size_t skipped;       /* events of no client: annotations */
    size_t passed_over;   /* lines of a log that are no events */
    size_t parts;         /* objects and keys decided on their own */
    bool keyed_results;   /* the answers of some map's get were read as [key value] */
    size_t parts_decided; /* of a violation, unless `all`: those up to the violating one */
    double seconds;       /* deciding, reading not included */
    uint64_t explored;

    /* LP_LINEARIZABLE: indices of the operations in a legal order that respects precedence. It was
     * replayed against the specification. Of several parts the orders are merged into one. */
    const uint32_t *linearization;
    size_t linearization_length;

    const lp_violation *violations; /* at least one if LP_VIOLATION */
    size_t violation_count;

    const lp_warning *warnings; /* the history has no operations; its times run backwards, or
                                   some are no integers; of several logs that are followed
                                   one was not read as far as the violation */
    size_t warning_count;
} lp_result;

/* Decides. LP_OK whenever there is an answer, `unknown` included; else LP_INPUT (an operation that
 * the specification does not have, a value of a wrong shape), LP_USAGE or LP_INTERNAL. A null
 * `bindings` with count 0 infers the specification of each object. Null options: the defaults.
 *
 * A history whose times run backwards, and of which nobody said which order is meant
 * (LP_ORDER_UNSAID), is decided in both: a violation in the order of the file alone is LP_INPUT.
 *
 *     #include <linchpin/linchpin.h>
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *
 *     static void must(lp_status status, const lp_error *error)
 *     {
 *         if (status != LP_OK) {
 *             fprintf(stderr, "%s\n", error->message);
 *             exit(2);
 *         }
 *     }
 *
 *     // While thread 1 writes 7, thread 2 reads 7 and then, once more, nil.
 *     int main(void)
 *     {
 *         lp_context *context = lp_context_create(0);
 *         lp_history *history = lp_history_create(context, "two threads");
 *         lp_value one = lp_value_integer(context, 1), two = lp_value_integer(context, 2);
 *         lp_value seven = lp_value_integer(context, 7), nil = LP_VALUE_NIL;
 *         lp_error error;
 *         must(lp_history_invoke(history, one, "write", seven, &error), &error);
 *         must(lp_history_invoke(history, two, "read", nil, &error), &error);
 *         must(lp_history_complete(history, two, LP_OUTCOME_OK, seven, &error), &error);
 *         must(lp_history_invoke(history, two, "read", nil, &error), &error);
 *         must(lp_history_complete(history, two, LP_OUTCOME_OK, nil, &error), &error);
 *         must(lp_history_complete(history, one, LP_OUTCOME_OK, nil, &error), &error);
 *         must(lp_history_close(history, &error), &error);
 *
 *         lp_result *result;
 *         must(lp_check(context, history, NULL, 0, NULL, &result, &error), &error);
 *         if (result->verdict == LP_LINEARIZABLE)
 *             puts("linearizable");
 *         else if (result->verdict == LP_VIOLATION)
 *             printf("violation: %s\n", result->reason);
 *         else
 *             printf("unknown: %s\n", result->reason);
 *
 *         lp_result_destroy(result);
 *         lp_history_destroy(history);
 *         lp_context_destroy(context);
 *         return 0;
 *     }
 */
LP_API lp_status lp_check(lp_context *context, const lp_history *history,
                          const lp_binding *bindings, size_t binding_count,
                          const lp_check_options *options, lp_result **result, lp_error *error);
LP_API void lp_result_destroy(lp_result *result);

/* The linearization as a history of its own: sequential, closed, named and formatted like the
 * original. Null when memory is refused. */
LP_API lp_history *lp_history_sequential(const lp_history *history, const uint32_t *order,
                                         size_t length);

/* Decides again what lp_violation says of its core: `*violation` if the history still is one when
 * every operation but those of `core` is turned pending, `*minimal` if, moreover, it is
 * linearizable when any one of them is turned pending as well. Bindings and options as for lp_check
 * (the method does not matter). LP_USAGE if the operations are not all of one object or key, or
 * failed; LP_LIMIT. */
LP_API lp_status lp_core_verify(lp_context *context, const lp_history *history,
                                const lp_binding *bindings, size_t binding_count,
                                const lp_check_options *options, const uint32_t *core,
                                size_t length, bool *violation, bool *minimal, lp_error *error);

/* A part of a history, which is decided on its own: an object, or a key of one. */
typedef struct lp_part {
    const char *object; /* null unless the history has several */
    bool has_key;
    lp_value key;
    size_t operations; /* those that did not happen left out */
} lp_part;

#define LP_NO_PART UINT32_MAX /* of an operation that did not happen */

/* The parts that lp_check decides, in the order of their first operation: `*parts` is an array of
 * `*count`, released with free(), whose texts and values live as long as the history. `part_of` has
 * room for every operation of the history, and becomes the part of each. Bindings and options as
 * for lp_check (the method does not matter). */
LP_API lp_status lp_history_parts(lp_context *context, const lp_history *history,
                                  const lp_binding *bindings, size_t binding_count,
                                  const lp_check_options *options, lp_part **parts, size_t *count,
                                  uint32_t *part_of, lp_error *error);

/* Lets operations of one object or key take effect in the given order: `states[i]` becomes the
 * object, for people, after order[first + i], released with free(); null behind the `*legal` first
 * operations of the order, those that were legal. LP_LIMIT also where the object may be in very
 * many states. Otherwise as lp_core_verify. */
LP_API lp_status lp_order_states(lp_context *context, const lp_history *history,
                                 const lp_binding *bindings, size_t binding_count,
                                 const lp_check_options *options, const uint32_t *order,
                                 size_t length, size_t first, char **states, size_t *legal,
                                 lp_error *error);

/* A history whose operations have been bound to specifications, which takes seconds for some
 * million operations: for several questions about it. Owned by the caller; the history, the
 * bindings and the options' texts must outlive it. Bindings and options as above; the timeout is
 * that of all questions together. */
typedef struct lp_bound lp_bound;

LP_API lp_status lp_bound_create(lp_context *context, const lp_history *history,
                                 const lp_binding *bindings, size_t binding_count,
                                 const lp_check_options *options, lp_bound **bound,
                                 lp_error *error);
LP_API void lp_bound_destroy(lp_bound *bound);

/* As lp_history_parts and lp_order_states. */
LP_API void lp_bound_parts(const lp_bound *bound, lp_part **parts, size_t *count,
                           uint32_t *part_of);
LP_API lp_status lp_bound_states(lp_bound *bound, const uint32_t *order, size_t length,
                                 size_t first, char **states, size_t *legal, lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
