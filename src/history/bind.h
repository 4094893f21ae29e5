/* Binding the operations of a history to specifications, one at a time. */
#ifndef HISTORY_BIND_H
#define HISTORY_BIND_H

#include "history/part.h"

struct binder {
    const struct history *history;
    const struct bind_options *options;
    struct object_binding *objects; /* one per object, and one for operations without */
    int32_t *functions;             /* per object and function: the operation, -1 unknown, ... */
    size_t object_count;
    size_t function_count;
};

/* An operation as its specification sees it. */
struct bound {
    const struct spec *spec;
    struct call call;
    value independent;
    bool has_independent;
};

/* STATUS_USAGE for an object without specification or the reverse; STATUS_LIMIT. */
enum status binder_create(const struct history *history, const struct bind_options *options,
                          struct binder *binder, struct error *error) MUST_CHECK;
void binder_release(struct binder *binder);

/* Binds the operation at `index`; to be called for one after the other. A failed one is bound as if
 * it were pending. STATUS_INPUT as parts_create says; STATUS_USAGE if its object has no
 * specification; STATUS_LIMIT. */
enum status binder_bind(struct binder *binder, uint32_t index, struct bound *bound,
                        struct error *error) MUST_CHECK;

/* STATUS_USAGE if a specification was given for operations that there are none of; to be asked
 * when all are bound. */
enum status binder_check_all_used(const struct binder *binder, struct error *error) MUST_CHECK;

#endif
