/* Monitors that decide an object event by event, in constant or logarithmic time each, and forget
 * what no event to come can touch. docs/internals/streams.md says for each what that is, and why.
 *
 * What is kept of a queue or a register is a part of the recorded history, with the same verdict
 * under every continuation; of an object that counts it is one configuration. */
#ifndef STREAM_ONLINE_H
#define STREAM_ONLINE_H

#include "base/faults.h"
#include "base/packed.h"
#include "stream/archive.h"
#include "stream/object.h"

enum online_answer {
    ONLINE_POSSIBLE,
    ONLINE_IMPOSSIBLE, /* with this event the history is not linearizable */
    ONLINE_LEAVES,     /* it is for the search from here on; nothing has changed but that the object
                          must not be asked again */
    ONLINE_REFUSED,    /* a budget refused */
};

/* An event of an operation. */
struct online_event {
    uint64_t now;     /* greater than that of all events before, at least 1 */
    uint64_t serial;  /* of the operation; greater than that of all invoked before */
    struct call call; /* as known now */
    enum stage stage; /* RUNNING: it is invoked; COMPLETES, PENDING, FAILED: its end */
    uint32_t *handle; /* set by its invocation, given back by its end */
};

struct online;

/* A VECTOR(uint64_t) that has a name. */
struct numbers {
    uint64_t *items;
    size_t length, capacity;
    struct budget *budget;
};

/* Appends numbers that were packed with that stride. False when refused. */
bool numbers_unpack(struct numbers *numbers, const struct packed *packed,
                    uint32_t stride) MUST_CHECK;

/* What an object that counts is at a moment, as it is written: numbers (counting_cut.h). */
struct cut {
    struct packed *numbers;
    struct packed_place place;
};

#define CUT_STRIDE 4

/* What happens in `visit` is the caller's; false ends the walk. */
struct online_visitor {
    bool (*visit)(void *context, uint64_t serial);
    void *context;
    uint64_t least; /* smaller serials may be left out */
};

struct online_class {
    enum online_answer (*event)(struct online *online, const struct online_event *event);
    void (*destroy)(struct online *online);

    /* Decides all it was told. Null: that is done with each event. Else an event is possible as far
     * as it is known, and what is impossible is so since some event behind the last look. */
    enum online_answer (*look)(struct online *online);

    /* How many operations it keeps, running and pending ones and what stands for others. */
    size_t (*retained)(const struct online *online);

    /* Visits the operations that are kept, some perhaps twice. False: `visit` ended it. */
    bool (*each)(const struct online *online, const struct online_visitor *visitor);

    /* Appends what is kept beside the operations (counting_cut.h). Null: what `each` visits is a
     * history of the specification by itself, with the verdict of the whole under every
     * continuation. False when refused. */
    bool (*cut)(const struct online *online, struct cut *cut);

    /* Whether what `each` visits is that now. Null: always. */
    bool (*is_exact)(struct online *online);

    /* Whether nothing is open and the object is in one state: which, in *state. To be called
     * between events; what matters no more is dropped. Null: it cannot say. `begin` tells a new
     * monitor that the object is in such a state at first. False when refused. */
    bool (*rests)(struct online *online, uint64_t *state);
    bool (*begin)(struct online *online, uint64_t state);

    /* Null, or false: what it keeps goes on from the state in which it began. Else from *state. */
    bool (*goes_on)(const struct online *online, uint64_t *state);

    /* Makes of one that rests a new one, of the same specification and that key, for `begin`. Null:
     * it cannot be done. False: it is better destroyed, for it takes much room, or a budget has
     * refused. */
    bool (*renew)(struct online *online, value key);

    /* As `rests`, where pending operations may still happen: then these are all that is kept beside
     * the state, with which the monitor has begun now. Null: no monitor of that kind is. */
    bool (*settles)(struct online *online, uint64_t *state);

    /* An operation that began with that call has run for long, and may do so for ever: keeps less
     * of it, in another place perhaps. Null: there is nothing that could be left out. False when
     * refused: it is kept as it was. */
    bool (*set_aside)(struct online *online, const struct call *call, uint64_t serial,
                      uint32_t *handle);

    /* Goes through all that it keeps; what is read goes into a new one. */
    void (*archive)(struct online *online, struct archive *archive);
};

/* When a monitor drops what it need not keep. */
enum online_drops {
    DROPS_SELDOM,  /* so that it costs little */
    DROPS_AT_ONCE, /* for tests */
    DROPS_NOTHING, /* for tests */
};

/* The beginning of every monitor. */
struct online {
    const struct online_class *class;
    const struct spec *spec;
    struct budget *budget;
    enum online_drops drops;
};

/* A monitor of an object, or of one key of it; null when refused, or if none decides objects of
 * this specification. */
struct online *online_create(const struct spec *spec, value key, bool has_key,
                             struct limits *limits, enum online_drops drops);

/* The specification of an object in such a state at first, to be destroyed with spec_destroy; null
 * when refused. */
struct spec *online_spec(const struct spec *spec, value key, uint64_t state, struct budget *budget);

/* Whether such states are values; else they are numbers. */
bool online_states_are_values(const struct spec *spec);

/* The value in a state of such a specification, of a register or of one key; false: there is more
 * to the state, as what is known of revisions. */
bool online_value(const struct spec *spec, const uint64_t *words, size_t length, value *v);

/* How many it may keep until it looks again which it need not, if these are left. */
static inline size_t online_next(const struct online *online, size_t left)
{
    return online->drops == DROPS_AT_ONCE ? 0 : 2 * left + 6;
}

/* Of a monitor that decides what it keeps now and then: the events until it looks for the first
 * time, and so late a violation is found at most. */
#define ONLINE_LOOK_LEAST SIZE_OR_SMALL(256, 2)
#define ONLINE_LOOK_MOST  SIZE_OR_SMALL(4096, 4)

/* The events until it looks again, if it keeps so many. */
static inline uint64_t online_next_look(uint64_t kept)
{
    const uint64_t next = 2 * kept;
    return next < ONLINE_LOOK_LEAST  ? ONLINE_LOOK_LEAST
           : next > ONLINE_LOOK_MOST ? ONLINE_LOOK_MOST
                                     : next;
}

void online_destroy(struct online *online);

/* As online_class.archive; where it is read, *online may become another monitor. */
void online_archive(struct online **online, value key, bool has_key, struct limits *limits,
                    struct archive *archive);

struct online *online_queue_create(const struct spec *spec, struct budget *budget);
struct online *online_register_create(const struct spec *spec, value key, bool has_key,
                                      struct limits *limits);

/* Whether another monitor can go on with the object where this one leaves it to who understands an
 * operation: online_cas_create. */
bool online_register_yields(const struct online *online, uint16_t operation);

/* One with cas, which decides now and then what it has been told. `initial`: in which state it is
 * at first; null: that of its specification. */
struct online *online_cas_create(const struct spec *spec, value key, bool has_key,
                                 const value *initial, struct limits *limits);
bool online_is_cas(const struct online *online);
struct online *online_priority_create(const struct spec *spec, struct limits *limits);
struct online *online_stack_create(const struct spec *spec, struct limits *limits);
struct online *online_counting_create(const struct spec *spec, value key, struct limits *limits);

#endif
