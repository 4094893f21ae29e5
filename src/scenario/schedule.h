/* An execution in a line: which thread makes the next event, and what it reads or how new it is.
 * What a program reads it computes from, so this is enough to run it again exactly so.
 *
 *     1r0u0.2r0-1w1      thread 1 loads from location 0 and updates it; thread 2 loads from it a
 *                        value to which there is one newer, and stores to location 1
 *
 * Locations are numbered as they first come. The letters: r a read that stores nothing, u one that
 * does (an update), s a compare-exchange that fails though it need not (spuriously), w a store, p a
 * plain store to what is accessed atomically, too, f a fence; c and j create and join a thread, b
 * and e are its begin and end; o is a choice of nobody, with its value; behind c stands the thread
 * that is created, if it begins. "-N": of the writes to the location so far N are newer, in mo,
 * than what is read, or than what is written; unless given none. A number alone at the end is the
 * thread that goes on then, without an event. */
#ifndef SCENARIO_SCHEDULE_H
#define SCENARIO_SCHEDULE_H

#include "base/status.h"
#include "base/text.h"
#include "scenario/execution_graph.h"

struct schedule_step {
    uint8_t thread;
    char kind;           /* one of the letters */
    uint8_t newer;       /* of an access */
    uint16_t location;   /* of an access; of a choice its value; of c the thread, from 1 */
    uint16_t rank;       /* of a write: in mo, when all have been made */
    event_number event;  /* that it is, of an update the read */
    event_number source; /* of a read, or EXECUTION_INITIAL */
};

enum {
    SCHEDULE_NOBODY = 0xff
};

struct schedule {
    uint16_t count;
    bool wakes_freely; /* as in struct execution_graph: it begins with "+" */
    bool goes_round;   /* it comes back to where it was, for ever: it begins with "@" */
    uint8_t goes_on;   /* the thread that goes on behind the last step; or SCHEDULE_NOBODY */
    struct schedule_step steps[EXECUTION_EVENTS];
};

/* What a graph did, in its order of replay. */
void schedule_take(const struct execution_graph *graph, unsigned goes_on,
                   struct schedule *schedule);

void schedule_print(const struct schedule *schedule, struct text *text);

/* Reads one, and works out ranks, events and sources. STATUS_USAGE with a message that has the
 * place, what was expected and what was found. */
enum status schedule_parse(const char *text, struct schedule *schedule,
                           struct error *error) MUST_CHECK;

/* Gives an event, the last one of a graph, the source or the rank that a step has; false if it is
 * not the event of that step, or coherence forbids it. */
bool schedule_choose(const struct schedule *schedule, unsigned step, struct execution_graph *graph,
                     event_number event);

/* Whether every update of a graph stands right behind its source in mo. */
bool schedule_is_atomic(const struct execution_graph *graph);

/* The letter of an event of a graph, of a read-modify-write that stores the one of its read. */
char schedule_letter(const struct execution_graph *graph, event_number event);

#endif
