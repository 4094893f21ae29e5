/* What the definition says of a register with cas, event by event, found without any of the
 * program: every configuration in which the object can be.
 *
 * A configuration is the value now, which operations have taken effect, and what each call that
 * runs has met so far: of a read the values, of a cas whether another value than its own was there
 * for a moment. Whatever may take effect does so at once, in a configuration of its own; so the
 * history is linearizable exactly while there is a configuration. One that has met more, or in
 * which fewer pending operations have taken effect, may go on like the other one, which is left
 * out. */
#ifndef TESTS_SUPPORT_REGISTER_ORACLE_H
#define TESTS_SUPPORT_REGISTER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    REGISTER_ORACLE_VALUES = 16, /* 0, which is there at first, to 15 */
    REGISTER_ORACLE_RUNNING = 6,
    REGISTER_ORACLE_PENDING = 10,
    REGISTER_ORACLE_MOST = 2048, /* configurations */
};

enum register_kind {
    REGISTER_CALL_READ,
    REGISTER_CALL_WRITE,
    REGISTER_CALL_CAS,
};

struct register_call {
    uint8_t kind; /* enum register_kind */
    uint8_t expected, written;
};

struct register_configuration {
    uint8_t value;
    uint8_t taken;                         /* a bit for each call that runs: it has taken effect */
    uint16_t pending;                      /* likewise of the pending ones */
    uint16_t met[REGISTER_ORACLE_RUNNING]; /* values; of a cas: 1: another one than its own */
};

struct register_oracle {
    struct register_call running[REGISTER_ORACLE_RUNNING]; /* as they were invoked */
    struct register_call pending[REGISTER_ORACLE_PENDING];
    uint32_t running_count, pending_count, count;
    bool full; /* there were more configurations, or pending operations, than there is room for */
    struct register_configuration configurations[REGISTER_ORACLE_MOST];
};

void register_oracle_init(struct register_oracle *oracle);

/* A copy of what is in use. */
void register_oracle_copy(struct register_oracle *to, const struct register_oracle *from);

/* The next call, of which there are fewer than REGISTER_ORACLE_RUNNING. */
void register_oracle_call(struct register_oracle *oracle, struct register_call call);

/* The call of that number ends; those behind it move up. What it answers: of a read a value, of a
 * cas whether it replaced its value. */
void register_oracle_answer(struct register_oracle *oracle, uint32_t number, uint8_t answer);
void register_oracle_pend(struct register_oracle *oracle, uint32_t number);
void register_oracle_fail(struct register_oracle *oracle, uint32_t number);

/* Gives values other names: `names` by value. What is the same but for them becomes the same. */
void register_oracle_rename(struct register_oracle *oracle, const uint8_t *names);

#endif
