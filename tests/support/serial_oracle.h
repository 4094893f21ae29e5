/* What the specification `auto` means, by its definition: small objects under sequential
 * consistency, every order of the steps of their threads, and for each history every order of its
 * whole operations, each of which runs alone. Shares no code with scenario/ and runtime/. */
#ifndef TESTS_SUPPORT_SERIAL_ORACLE_H
#define TESTS_SUPPORT_SERIAL_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SERIAL_THREADS = 3,
    SERIAL_CALLS = 6, /* in all */
    SERIAL_LENGTH = 4,
    SERIAL_OPERATIONS = 3,
    SERIAL_VARIABLES = 2,
};

enum serial_kind {
    SERIAL_LOAD,    /* r = 3 * r + v */
    SERIAL_STORE,   /* v = value */
    SERIAL_ADD,     /* r = 3 * r + v, and v = v + 1, at once */
    SERIAL_AWAIT,   /* until v is value */
    SERIAL_TAKE,    /* until v is not 0: subtracts one */
    SERIAL_LOCK,    /* the only lock */
    SERIAL_UNLOCK,  /* which the operation holds */
    SERIAL_NO_IF,   /* v is value: returns no; what is locked stays so */
    SERIAL_EMPTY_IF /* returns empty */
};

struct serial_object {
    unsigned count;
    struct serial_operation {
        unsigned length;
        bool may_fail, may_wait;
        struct serial_statement {
            enum serial_kind kind;
            unsigned variable, value;
        } statements[SERIAL_LENGTH];
    } operations[SERIAL_OPERATIONS];
};

struct serial_calls {
    unsigned threads, lengths[SERIAL_THREADS];
    unsigned operations[SERIAL_CALLS]; /* those of the first thread, then the next, ... */
};

/* Whether every execution has a legal order, and what does not return may wait. */
bool serial_oracle_holds(const struct serial_object *object, const struct serial_calls *calls);

#endif
