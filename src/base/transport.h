/* Several processes of the program that work on one answer, on one machine or on many: ranks 0, 1
 * and so on, of which rank 0 speaks. A null transport stands for this process alone.
 *
 * The only transport is MPI (src/mpi), which the program loads where it is asked for: nothing here
 * needs it. What is called collective every rank calls, in the same order, or all wait for ever.
 * Calls never overlap: of several threads one at a time. There is no failing: when another rank is
 * lost, or cannot be reached, every rank is ended. */
#ifndef BASE_TRANSPORT_H
#define BASE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What messages between two ranks are about; a receiver chooses by it. */
enum transport_topic {
    TRANSPORT_REPORT = 1, /* to rank 0: what a rank has done, or that it wants more to do */
    TRANSPORT_GIVEN,      /* from rank 0: what it gets */
    TRANSPORT_COMPLAINT,  /* to rank 0: why a rank cannot begin */
};

enum transport_reduction {
    TRANSPORT_SUM,
    TRANSPORT_LEAST,
    TRANSPORT_MOST,
};

struct transport {
    const char *version; /* of the program that it was built with */
    unsigned rank, ranks;
    unsigned neighbours; /* how many ranks this machine has, this one among them */
    bool launched;       /* by mpirun or the like, which passes standard output on */
    void *self;

    /* Collective: each of `count` values becomes its sum, least or most over all ranks. */
    void (*reduce)(const struct transport *transport, enum transport_reduction reduction,
                   uint64_t *values, size_t count);

    /* Collective: every rank gets those of rank `from`. */
    void (*broadcast)(const struct transport *transport, unsigned from, void *bytes, size_t length);

    /* Collective: gives out[i], of lengths[i] words, to rank i. What came is one block of words,
     * in the order of the ranks, with the number from each in received[i]; it belongs to the
     * transport, until the next exchange. */
    const uint64_t *(*exchange)(const struct transport *transport, const uint64_t *const *out,
                                const size_t *lengths, size_t *received);

    void (*send)(const struct transport *transport, unsigned to, enum transport_topic topic,
                 const void *bytes, size_t length);

    /* The next message about `topic`, from rank *from, to be released with free(). Null without
     * `waits`: there is none yet. */
    void *(*receive)(const struct transport *transport, enum transport_topic topic, bool waits,
                     unsigned *from, size_t *length);

    /* Collective: the end, after which nothing here may be called. */
    void (*close)(struct transport *transport);
};

/* One search that all ranks may share. Each comes to it, or says that it does not: so none waits
 * for another in vain. */
struct transport_meeting {
    const struct transport *transport;
    bool held; /* this rank has come, or said that it does not */
    uint32_t
        round; /* what a rank does before all exchange, in the search's own unit; 0: as usual */
};

/* Collective: whether all ranks `come`. */
static inline bool transport_meet(struct transport_meeting *meeting, bool come)
{
    uint64_t absent = !come;
    meeting->held = true;
    meeting->transport->reduce(meeting->transport, TRANSPORT_MOST, &absent, 1);
    return !absent;
}

/* Whether this rank only helps another, which alone tells what was found. Null: it does not. */
static inline bool transport_helps(const struct transport_meeting *meeting)
{
    return meeting && meeting->transport->rank > 0;
}

/* What a library with a transport has, by this name: begins; null, after a message on standard
 * error, if that is not possible. */
#define TRANSPORT_OPEN "linchpin_transport_open"
typedef struct transport *transport_open(void);

#endif
