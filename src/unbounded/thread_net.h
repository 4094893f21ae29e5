/* Makes the Petri net of a question about a thread system: can one of any number of threads make a
 * bad move, or all of them together reach a bad control? Everything bad is one control, which is
 * the net's target.
 *
 * A control is a shared state with the state of an automaton that reads calls and returns. A local
 * state of the net is one of the system with the thread's auxiliary variable: a prophecy
 * (prophecy.h), or what a question remembers of the thread. Both are numbered as they are met, and
 * closed by the pair abstraction (petri/closure.h). The net has a place for each that is possible
 * and a transition for each move of each possible pair.
 *
 * Idle threads, of which there are as many as one likes, have no place: a call takes from the
 * control alone, and a return gives to it alone. */
#ifndef UNBOUNDED_THREAD_NET_H
#define UNBOUNDED_THREAD_NET_H

#include "petri/certificate.h"
#include "petri/closure.h"
#include "unbounded/prophecy.h"

struct thread_net;

/* What a move makes of the state beside the shared one, and of what is remembered of its thread. */
enum thread_effect {
    EFFECT_GOOD,
    EFFECT_BAD,
    EFFECT_REFUSED, /* executions with such a move are not spoken of */
};

typedef enum thread_effect thread_net_effect(void *user, const struct thread_move *move,
                                             struct reading *reading);

/* What a question consists of. Null functions: never, or no restriction. */
struct thread_net_design {
    struct thread_system *system;
    const struct alphabet *alphabet; /* null: nothing is read, the automaton's state is 0 */
    unsigned colours;                /* operations are called with: 1 << colour */
    void *user;
    bool (*is_bad_move)(void *user, const struct thread_move *move);
    bool (*is_bad_control)(void *user, uint32_t shared, uint32_t state);
    /* Of a control and a local state of the net, which is closed. */
    bool (*is_bad_pair)(void *user, const struct thread_net *net, uint32_t control, uint32_t local);
    /* Configurations in which a thread stands so are not spoken of. */
    bool (*admits)(void *user, uint32_t shared, uint32_t local, auxiliary prophecy);
    /* Without an alphabet: what is remembered of a running thread, 0 when it is called. */
    auxiliary (*remember)(void *user, const struct thread_move *move, auxiliary before);
    /* Without an alphabet: in place of `remember`. The state is 0 at the beginning. */
    thread_net_effect *effect;
};

/* What a transition of the net is. */
struct thread_net_step {
    const struct thread_move *move; /* null: no thread moves */
    uint32_t control;               /* that it leads to */
    uint32_t from, to;              /* local states */
};

struct thread_net {
    struct thread_net_design design;
    struct budget *budget;
    struct word_arrays controls; /* shared state, automaton's state */
    struct word_arrays locals;   /* local state of the system, prophecy as two words */
    struct closure closure;
    struct net net;
    VECTOR(uint32_t) control_places, local_places; /* NET_NONE: it has none */
    VECTOR(struct thread_net_step) steps;          /* by transition */
    VECTOR(uint32_t) initial;                      /* controls, as the system's shared states */
};

#define THREAD_NET_BAD  0 /* the control */
#define THREAD_NET_IDLE 0 /* the local state of threads without a place */

/* The design's system, alphabet and user must outlive it. STATUS_LIMIT; release in any case. */
enum status thread_net_make(struct thread_net *net, const struct thread_net_design *design,
                            struct budget *budget, const struct limits *limits,
                            struct error *error) MUST_CHECK;
void thread_net_release(struct thread_net *net);

/* What numbers of the net stand for. */
struct standing {
    uint32_t local; /* of the system */
    auxiliary auxiliary;
};

struct standing thread_net_standing(const struct thread_net *net, uint32_t local);
uint32_t thread_net_shared(const struct thread_net *net, uint32_t control);

/* Moves by threads with numbers from 0; the one thread of `only thread k` has number k. */
struct schedule_step {
    uint32_t thread;
    const struct thread_move *move; /* of the thread system */
};

struct schedule {
    uint32_t threads; /* numbers are below */
    uint32_t shared;  /* the initial shared state */
    VECTOR(struct schedule_step) steps;
};

void schedule_init(struct schedule *schedule, struct budget *budget);
void schedule_release(struct schedule *schedule);

/* What a run of the net says. False when refused. */
bool thread_net_schedule(const struct thread_net *net, const struct run *run,
                         struct schedule *schedule) MUST_CHECK;

#endif
