/* Binding the operations of a history to specifications, one at a time. */
#ifndef HISTORY_BIND_H
#define HISTORY_BIND_H

#include "history/part.h"

/* What is known of an object of the history, or of the operations that name none. */
struct object_binding {
    const struct spec *spec;
    bool met;           /* some operation is of this object */
    bool key_fields;    /* its first operation has a key field that splits the history */
    bool keyed_results; /* a map whose gets answer [key value] */
};

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
    bool keyed_results; /* the recorded result, if there is one, is [key value] */
};

/* STATUS_USAGE for an object without specification or the reverse, or a reading of results where no
 * object is a map; STATUS_INPUT where the reading of a map's answers cannot be inferred;
 * STATUS_LIMIT. */
enum status binder_create(const struct history *history, const struct bind_options *options,
                          struct binder *binder, struct error *error) MUST_CHECK;
void binder_release(struct binder *binder);

/* What the operation is of. */
struct object_binding *binder_object(const struct binder *binder,
                                     const struct operation *operation);

/* Whether of some map the answers are read as [key value]. */
bool binder_has_keyed_results(const struct binder *binder);

/* What was recorded of an operation, its key put where the specification of its object expects it,
 * and the operation of the specification that it is; but results stay as they are. Errors as
 * binder_bind has them. */
enum status binder_place(struct binder *binder, const struct operation *operation,
                         struct recorded *recorded, uint16_t *found, struct bound *bound,
                         struct error *error) MUST_CHECK;

/* STATUS_INPUT with the line of the operation's invocation, or of its completion. */
enum status binder_complain(const struct binder *binder, const struct operation *operation,
                            bool response, const char *message, struct error *error);

/* Binds the operation at `index`; to be called for one after the other. A failed one is bound as if
 * it were pending. STATUS_INPUT as parts_create says; STATUS_USAGE if its object has no
 * specification; STATUS_LIMIT. */
enum status binder_bind(struct binder *binder, uint32_t index, struct bound *bound,
                        struct error *error) MUST_CHECK;

/* STATUS_USAGE if a specification was given for operations that there are none of; to be asked
 * when all are bound. */
enum status binder_check_all_used(const struct binder *binder, struct error *error) MUST_CHECK;

#endif
