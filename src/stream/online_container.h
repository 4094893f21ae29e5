/* Containers from which the newest or the least comes out, between two looks: what monitors of them
 * share.
 *
 * Of such a container it is not decided event by event what its operations say, for which of the
 * removals that run has taken a value makes a difference, and all of them may be it. So events are
 * gathered, and now and then all is looked at that is kept: whether it can be linearized as things
 * are, and what of it may be dropped. A violation is found at the next look. */
#ifndef STREAM_ONLINE_CONTAINER_H
#define STREAM_ONLINE_CONTAINER_H

#include "base/table.h"
#include "monitor/decision.h"
#include "stream/online.h"
#include "stream/pending_list.h"
#include "stream/unseen.h"

#define CONTAINER_NEVER     UINT64_MAX
#define CONTAINER_RUNS_LONG VALUE_TRUE

/* A value whose add has been invoked; if that never answers, or was set aside, it is `unseen` until
 * a removal answers it. Times are those of events; a removal is taken to be invoked no earlier than
 * the add. */
struct stay_of {
    value value;
    uint64_t add_begun, add_ended; /* CONTAINER_NEVER: it has not answered */
    union {
        uint64_t remove_begun;
        uint64_t due; /* inside: by then it has been taken; CONTAINER_NEVER: nothing says so */
    };
    uint64_t remove_ended;  /* CONTAINER_NEVER: nobody has answered it */
    uint64_t add, remove;   /* serials */
    uint32_t before, after; /* of those inside, by `add_ended`; after: of free ones */
    uint32_t rank;          /* of those inside: its place in the monitor's order */
    uint32_t handle;        /* in `adds`, while it runs; RUNNING_NONE: it is lost */
    bool used, adding;      /* adding: its add runs */
    bool inside;            /* its add has answered, its removal has not */
    bool certain;           /* its removal is right, whatever comes */
    bool gone;              /* only its add is still to end; until then its removal is
                               kept, for without that the value would be inside */
};

/* A removal that found nothing. */
struct found_empty {
    uint64_t begun, ended, serial;
    bool certain;
};

/* An event of what is decided. */
struct container_event {
    uint64_t time;
    uint32_t interval;
    bool ends;
};

struct container_online;

struct container_rules {
    uint16_t add, remove; /* operations */
    bool integers;        /* other values are for the search */
    /* A value is inside from now on, or no more. False when refused. Null: nothing is to be done.
     */
    bool (*enters)(struct container_online *container, uint32_t number);
    void (*leaves)(struct container_online *container, uint32_t number);
    enum online_answer (*look)(struct container_online *container);
    void (*tidy)(struct container_online *container); /* gives back what is of use in a look only */
    void (*release)(struct container_online *container);
    void (*archive)(struct container_online *container, struct archive *archive); /* the rest */
};

struct container_online {
    struct online online;
    const struct container_rules *rules;
    struct limits *limits;
    VECTOR(struct stay_of) stays;
    uint32_t free, first, last; /* first, last: inside, by the ends of their adds */
    uint64_t inside;
    struct table by_value;    /* those that are kept */
    VECTOR(uint32_t) removed; /* stays that were removed and are kept */
    VECTOR(struct found_empty) empties;
    struct running removals;   /* that run */
    struct running adds;       /* likewise, also of values that are `unseen`, or */
    struct pending_list taken; /* gone, whose adds run for long; detail: the serial of the removal
                                */
    struct pending_list pendings; /* removals */
    struct unseen unseen;         /* other: CONTAINER_RUNS_LONG if the add may end */
    uint64_t now;
    uint64_t told, next; /* events since the last look; at that many there is the next */
    uint64_t guessed; /* before that time pending removals were handed out that others may have been
                         instead; NEVER: it will always matter */
    uint64_t since;   /* nothing before that matters any more, as of the last look */
    /* while it looks */
    VECTOR(struct interval) intervals; /* of what is decided */
    VECTOR(struct container_event) events;
    struct decision decision;
};

/* A monitor's beginning, for `container` is its first member. */
void container_online_init(struct container_online *container, const struct spec *spec,
                           const struct container_rules *rules, struct limits *limits);

/* Takes out what is dropped: the i-th of `removed`, and a value that is inside though a removal
 * that never answers has taken it. */
void container_online_drop(struct container_online *container, uint32_t number);

/* A removal, invoked at `begun` and over at `ended`, has taken the value. False when refused. */
bool container_online_remove(struct container_online *container, uint32_t number, uint64_t begun,
                             uint64_t ended, uint64_t serial) MUST_CHECK;

/* Where the value is kept; RUNNING_NONE: nowhere. */
uint32_t container_online_find(const struct container_online *container, value wanted);

/* Gives back all that `container` has. */
void container_online_release(struct container_online *container);

/* Decides what was removed, `from` that place on, and what found nothing, with the values inside
 * that are given, and removals that run or are pending: of each the first, as many as there are
 * values inside, for more take nothing, and one that is invoked earlier can do what a later one
 * can. If it is possible `decision` has a linearization. */
enum online_answer container_online_decide(struct container_online *container, size_t from,
                                           const uint32_t *inside, size_t count);

/* Goes through places of stays. */
#define CONTAINER_ARCHIVE_PLACES(container, archive, places)                                       \
    do {                                                                                           \
        ARCHIVE_LENGTH(archive, places);                                                           \
        for (size_t archived = 0; archived < (places)->length; archived++)                         \
            ARCHIVE_BELOW(archive, (places)->items[archived], (container)->stays.length);          \
    } while (0)

static inline bool stay_covers(const struct stay_of *stay)
{
    return stay->add_ended < stay->remove_begun;
}

#endif
