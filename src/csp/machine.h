/* What the code of a CSP# model runs on: its slots, its objects and channels. */
#ifndef CSP_MACHINE_H
#define CSP_MACHINE_H

#include "code/codes.h"
#include "code/collections.h"
#include "code/interpreter.h"

/* Elements of a list that is passed on, `P([1, x])`: they are on the stack at once. */
#define MOST_PACKED 128

enum channel_query {
    CHANNEL_FULL,
    CHANNEL_EMPTY,
    CHANNEL_COUNT,
    CHANNEL_SIZE,
    CHANNEL_PEEK,
};

/* Owns nothing. */
struct machine {
    const struct codes *codes;
    struct object_pool *objects;
    const struct range_limit *ranges; /* index 0 unused */
    const uint32_t *constants;        /* variables that never change, as slots */
    atomic_bool *crossed;       /* set where a subscript leaves its dimension, if that is noted */
    const uint32_t *capacities; /* of the channel in slot i, indexed by slot */
};

/* A fault of the model at run time. */
struct fault {
    place at;
    char message[200];
};

/* Runs the code; it may change `slots`. `*result` is what it leaves (integer 0 if nothing); may be
 * null. Endless loops are a fault. */
enum ran machine_run(const struct machine *machine, code_id id, uint32_t *slots, datum *result,
                     struct fault *fault) MUST_CHECK;

/* Runs a condition: a fault unless the result is a boolean. */
enum ran machine_test(const struct machine *machine, code_id id, uint32_t *slots, bool *result,
                      struct fault *fault) MUST_CHECK;

#endif
