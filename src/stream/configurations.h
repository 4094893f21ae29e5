/* The configurations in which one object may be after the events so far: all that the past leaves
 * for what follows. configurations.c has the algorithm; docs/internals/streams.md says what may be
 * forgotten, and why. */
#ifndef STREAM_CONFIGURATIONS_H
#define STREAM_CONFIGURATIONS_H

#include "base/bounds.h"
#include "stream/configuration_items.h"

enum possible {
    POSSIBLE,
    IMPOSSIBLE,       /* no configuration is left: the history is not linearizable */
    POSSIBLE_REFUSED, /* a limit was reached */
    POSSIBLE_CROWDED, /* more was searched than the caller wants */
};

void configurations_init(struct configurations *configurations, struct limits *limits);
void configurations_release(struct configurations *configurations);

/* How much may be searched: so many configurations in each batch of an object, and so many for each
 * of its events. A configuration takes some microseconds, and 100 to 1,000 bytes until the batch is
 * over. What is more is POSSIBLE_CROWDED. */
enum search_bound {
    BOUND_USUAL,
    BOUND_WIDE,
};

#define MOST_EXPLORED           (UINT64_C(1) << 15)
#define MOST_EXPLORED_EACH      128
#define MOST_EXPLORED_WIDE      (UINT64_C(1) << 21)
#define MOST_EXPLORED_EACH_WIDE 4096

static inline void configurations_bound(struct configurations *configurations,
                                        enum search_bound bound)
{
    bool wide = bound == BOUND_WIDE;
    configurations->most =
        wide ? faults_bound(MOST_EXPLORED_WIDE, 64) : faults_bound(MOST_EXPLORED, 1);
    configurations->most_each =
        wide ? faults_bound(MOST_EXPLORED_EACH_WIDE, 16) : faults_bound(MOST_EXPLORED_EACH, 1);
}

/* Begins a batch of events of an object. Since the last batch the caller has changed what is known
 * of its operations: those that ran may now complete, be pending or have failed. */
enum possible configurations_begin(struct configurations *configurations,
                                   struct stream_object *object) MUST_CHECK;

/* An operation of the object, whose stage is set, is invoked; or one that completes does. */
enum possible configurations_invoke(struct configurations *configurations,
                                    uint32_t operation) MUST_CHECK;
enum possible configurations_respond(struct configurations *configurations,
                                     uint32_t operation) MUST_CHECK;

/* Ends the batch: the object has what it needs for the next one, and of its operations only those
 * that run, are pending, or are spoken of. */
enum possible configurations_end(struct configurations *configurations) MUST_CHECK;

/* Of a batch that has begun: the words of the i-th configuration (see above), and of a state. */
const uint64_t *configurations_item(const struct configurations *configurations, size_t i);
const uint64_t *configurations_state(const struct configurations *configurations, uint64_t state,
                                     size_t *length);

#endif
