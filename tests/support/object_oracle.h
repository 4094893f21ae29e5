/* What the definition says of an object, event by event, found without any of the program: every
 * configuration in which it can be.
 *
 * A configuration is the state, and of each call that runs what it has answered, if it has taken
 * effect, or else what it has met: the answers with which it could have taken effect so far without
 * changing anything. Whatever changes something does so at once, in a configuration of its own; so
 * the history is linearizable exactly while there is a configuration. One that has met more, or in
 * which fewer pending operations have taken effect, may go on like the other one, which is left
 * out. */
#ifndef TESTS_SUPPORT_OBJECT_ORACLE_H
#define TESTS_SUPPORT_OBJECT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OBJECT_ORACLE_NAMES = 32, /* of values: 0, which is nil, to 31 */
    OBJECT_ORACLE_RUNNING = 6,
    OBJECT_ORACLE_PENDING = 8,
    OBJECT_ORACLE_INSIDE = 10,
    OBJECT_ORACLE_MOST = 2048, /* configurations */
};

enum object_kind {
    OBJECT_REGISTER, /* also a key of a map */
    OBJECT_QUEUE,
    OBJECT_STACK,
    OBJECT_PRIORITY, /* a queue from which the least value is taken */
    OBJECT_BIT,      /* an element of a set */
    OBJECT_PERMITS,  /* a mutex, with one, or a semaphore */
    OBJECT_COUNTER,
};

/* Answers are names of values, counts, or whether something was done; 0 where there is none. */
enum object_operation {
    OBJECT_READ,
    OBJECT_WRITE,
    OBJECT_CAS,
    OBJECT_ADD, /* of permits: acquires one */
    OBJECT_TAKE,
    OBJECT_TRY, /* acquires one if there is any */
};

struct object_call {
    uint8_t operation; /* enum object_operation */
    uint8_t expected, value;
};

#define OBJECT_WAITS 0xff /* it has not taken effect */

struct object_configuration {
    uint8_t length, items[OBJECT_ORACLE_INSIDE]; /* a count is that of items, which are 0 */
    uint8_t answers[OBJECT_ORACLE_RUNNING];      /* or OBJECT_WAITS */
    uint8_t pending;                             /* a bit for each that has taken effect */
    uint8_t zero[2];                             /* so that all bytes can be compared */
    uint32_t met[OBJECT_ORACLE_RUNNING];         /* a bit for each answer */
};

struct object_oracle {
    struct object_call running[OBJECT_ORACLE_RUNNING]; /* as they were invoked */
    struct object_call pending[OBJECT_ORACLE_PENDING];
    uint32_t running_count, pending_count, count;
    uint8_t kind;    /* enum object_kind */
    uint8_t permits; /* of those */
    bool full;       /* there were more configurations, or more inside, than there is room for */
    struct object_configuration configurations[OBJECT_ORACLE_MOST];
};

void object_oracle_init(struct object_oracle *oracle, enum object_kind kind, uint8_t permits);

/* A copy of what is in use. */
void object_oracle_copy(struct object_oracle *to, const struct object_oracle *from);

/* The next call, of which there are fewer than OBJECT_ORACLE_RUNNING. */
void object_oracle_call(struct object_oracle *oracle, struct object_call call);

/* The call of that number ends; those behind it move up. */
void object_oracle_answer(struct object_oracle *oracle, uint32_t number, uint8_t answer);
void object_oracle_pend(struct object_oracle *oracle, uint32_t number);
void object_oracle_fail(struct object_oracle *oracle, uint32_t number);

/* Whether its states are of values, which have names. */
bool object_oracle_has_names(const struct object_oracle *oracle);

/* Calls with the name of each value that matters, some perhaps twice. */
void object_oracle_each_name(const struct object_oracle *oracle,
                             void (*visit)(void *context, uint8_t name), void *context);

/* Gives values other names: `names` by value. What is the same but for them becomes the same. */
void object_oracle_rename(struct object_oracle *oracle, const uint8_t *names);

#endif
