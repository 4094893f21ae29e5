/* What is asked of a history: which specification is to decide each of its objects. */
#ifndef API_QUESTION_H
#define API_QUESTION_H

#include "api/objects.h"
#include "history/part.h"

struct question {
    const lp_history *history;
    lp_binding *bindings; /* as given, or inferred */
    size_t binding_count;
    struct binding *inner; /* with the specifications that are really used */
    struct spec **adapted; /* those made for this history; null where the given one is used */
    lp_spec **inferred;    /* those to be destroyed; null where they were given */
};

/* The contracts of the installed functions that take a history and bindings; `function` is the one
 * that was called. */
void question_require(const char *function, const lp_context *context, const lp_history *history,
                      const lp_binding *bindings, size_t count);

/* Infers the specifications if `count` is 0, with these options (may be null). On failure nothing
 * is left to close. */
lp_status question_open(struct question *question, lp_context *context, const lp_history *history,
                        const lp_binding *bindings, size_t count, const lp_spec_options *options,
                        lp_error *error);
void question_close(struct question *question);

#endif
