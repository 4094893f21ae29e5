/* States of a monitor of src/stream and of the definition side by side (support/object_oracle.h),
 * as bytes that are the same where states are the same but for the names of values and for times,
 * of which only the order counts. What is kept of a monitor is what stands in a checkpoint. */
#ifndef TESTS_SUPPORT_PRODUCT_STATE_H
#define TESTS_SUPPORT_PRODUCT_STATE_H

#include "base/packed.h"
#include "base/table.h"
#include "stream/online.h"
#include "support/generate.h"
#include "support/object_oracle.h"

/* Numbers by which times, operations and values are known in what a monitor writes. */
#define PRODUCT_TIMES_FROM   (UINT64_C(1) << 32)
#define PRODUCT_SERIALS_FROM (UINT64_C(1) << 36)
#define PRODUCT_VALUES_FROM  (UINT64_C(1) << 40)

struct product_state {
    uint32_t handles[OBJECT_ORACLE_RUNNING];
    uint64_t serials[OBJECT_ORACLE_RUNNING];
    uint64_t times, made; /* how many there are of each: times, operations */
    uint8_t values;       /* the last name in use; they are 2, 4 and so on */
    struct online *online;
    struct object_oracle oracle;
};

/* What writing and reading states needs. */
struct product_states {
    const struct subject *subject;
    struct limits *limits;
    enum online_drops drops;
    bool with_cas;   /* the monitor is the one for cas */
    bool in_order;   /* values keep their order, too */
    bool looks_late; /* that it looks by itself after so many events makes no difference */
    struct table seen;
    VECTOR(uint64_t) prints;               /* two of each state that was seen */
    struct packed written, renamed, bytes; /* a monitor, twice; a state */
    uint8_t names[OBJECT_ORACLE_NAMES];    /* of values, by what they were called before */
};

void product_states_init(struct product_states *states, const struct subject *subject,
                         struct limits *limits);
void product_states_release(struct product_states *states);

/* A value by its name, which is even where it has been given one by product_state_write; 0: nil. */
value product_value(uint8_t name);

/* A monitor of the object. `initial`: the state at first; null: that of the specification. */
struct online *product_monitor(const struct product_states *states, const uint64_t *initial);

/* The state with new names, in states->bytes; its oracle gets them, its monitor keeps the old ones.
 * states->names says which. */
void product_state_write(struct product_states *states, struct product_state *state);

/* Reads it back, with a monitor of its own that is to be destroyed. */
void product_state_read(const struct product_states *states, const uint8_t *bytes,
                        struct product_state *state);

/* All but the monitor. Where that stands. */
const uint8_t *product_state_read_open(const uint8_t *bytes, struct product_state *state);

/* A copy with the same monitor. */
void product_state_copy(struct product_state *to, const struct product_state *from);

/* Whether what was written last is there for the first time. */
bool product_state_is_new(struct product_states *states);
void product_states_forget(struct product_states *states);

#endif
