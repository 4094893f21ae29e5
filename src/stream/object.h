/* An object, or a key of one, between batches of its events. */
#ifndef STREAM_OBJECT_H
#define STREAM_OBJECT_H

#include "base/limits.h"
#include "spec/spec.h"

#define STORED_HEAD 4 /* words of a stored configuration in front of the rest */

/* What is known of an operation. */
enum stage {
    STAGE_RUNNING,   /* nothing of its outcome: it may still fail, or answer anything */
    STAGE_COMPLETES, /* its completion has been read, and comes before anything not read yet */
    STAGE_PENDING,   /* it never completes, and may take effect any time */
    STAGE_FAILED,    /* it does not happen */
    STAGE_OVER,      /* it has completed */
};

/* An operation of which a configuration may still speak. */
struct stream_operation {
    struct call call; /* as known so far */
    uint64_t serial;  /* the caller's */
    uint8_t stage;    /* enum stage */
    bool invoked;     /* it runs, or has run */
};

/* An object, or a key of one, between batches of its events. */
struct stream_object {
    const struct spec *spec; /* not owned */
    value key;               /* as spec_class.init takes it */
    VECTOR(struct stream_operation) operations;
    VECTOR(uint64_t) stored; /* its configurations, back to back: the lengths of the state and of
                                the one before `since` (UINT64_MAX: none), the numbers of operations
                                taken and since; then all these (configurations.h) */
    uint32_t count;          /* of them */
};

/* With the one configuration that there is at first. False when refused; to be released all the
 * same. */
bool stream_object_init(struct stream_object *object, const struct spec *spec, value key,
                        struct budget *budget) MUST_CHECK;
void stream_object_release(struct stream_object *object);

/* A copy, in place of what is there. False when refused. */
bool stream_object_copy(struct stream_object *to, const struct stream_object *from) MUST_CHECK;

#endif
