/* Sets of what a specification may be in while several threads use it. */
#ifndef POSSIBLE_H
#define POSSIBLE_H

#include "run.h"

/* Arrays of words, each stored once, by number: values of a kind of their own. */
struct store {
    struct stored {
        const word *words;
        size_t length;
    } * items;
    size_t count, room;
    int kind;
};

void store_init(struct store *store);
size_t store_words(struct store *store, const word *words, size_t length);

struct possible {
    const struct program *program;
    struct object object;
    const char *letters; /* by operation of the implementation */
    struct state state;
    struct store each, sets; /* a possibility; the numbers of some, ascending */
};

/* Refuses what it does not know. */
void possible_init(struct possible *possible, const struct program *program, size_t *start);
bool possible_takes_turns(const struct possible *possible);

/* The set that follows; false: nothing is possible any more. */
bool possible_step(struct possible *possible, size_t set, const struct event *event, size_t *next);

#endif
