/* Which specification each operation of a history is of, and where its key stands: what bind.h goes
 * through, one operation after the other. */
#ifndef HISTORY_BINDER_H
#define HISTORY_BINDER_H

#include "history/history.h"
#include "spec/spec.h"

/* Which specification decides which object. */
struct binding {
    const char *object; /* null: the history's only object, or the operations without one */
    const struct spec *spec;
};

/* How the answers of a map's get were recorded. */
enum results_reading {
    RESULTS_INFERRED, /* as the answers themselves tell; keyed_results.h */
    RESULTS_PLAIN,    /* the value */
    RESULTS_KEYED,    /* [key value] */
};

struct bind_options {
    const struct binding *bindings;
    size_t binding_count;
    bool independent; /* values are [key value]: split by key. An event's `key` field implies it,
                         except for a specification that takes the field itself (map) */
    enum results_reading results;
    bool inferred; /* nobody named the specifications: complaints say so */
    bool grows;    /* other objects may be named later: there may be specifications for them */
    bool whole;    /* do not split by the specification's keys (tests, teaching) */
};

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

/* How the answers of maps are read is left open (keyed_results.h). STATUS_USAGE for an object
 * without specification or the reverse; STATUS_LIMIT. */
enum status binder_create(const struct history *history, const struct bind_options *options,
                          struct binder *binder, struct error *error) MUST_CHECK;
void binder_release(struct binder *binder);

/* What the operation is of. */
static inline struct object_binding *binder_object(const struct binder *binder,
                                                   const struct operation *operation)
{
    const bool without = operation->object == NO_OBJECT;
    return &binder->objects[without ? binder->object_count - 1 : operation->object];
}

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

/* The same of a value that should have been a pair of a key and a value. */
enum status binder_complain_of_pair(const struct binder *binder, const struct operation *operation,
                                    bool response, struct error *error);

/* STATUS_USAGE if a specification was given for operations that there are none of; to be asked
 * when all are bound. */
enum status binder_check_all_used(const struct binder *binder, struct error *error) MUST_CHECK;

#endif
