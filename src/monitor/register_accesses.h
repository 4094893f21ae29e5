/* Views the calls of objects that are a register underneath (register, cas-register, one key of a
 * map) as accesses: each call reads, writes or swaps a value. One table says which operation is
 * what. */
#ifndef MONITOR_REGISTER_ACCESSES_H
#define MONITOR_REGISTER_ACCESSES_H

#include "history/part.h"

enum access_kind {
    ACCESS_OTHER,  /* none of the following: the object is not only a register */
    ACCESS_READ,   /* answered `expected` */
    ACCESS_FREE,   /* read an unknown value: legal anywhere */
    ACCESS_WRITE,  /* wrote `written` */
    ACCESS_SWAP,   /* replaced `expected` by another value, `written` */
    ACCESS_FAILED, /* found another value than `expected`, and so did not write `written` */
};

struct access {
    enum access_kind kind;
    value expected, written;
};

#define ACCESSES_MOST 8

#define REGISTER_NO_VALUE ((value)24) /* equal to none */

/* How the operations of a part's specification access it. */
struct accesses {
    const struct part *part;
    uint8_t kinds[ACCESSES_MOST]; /* enum access_kind by operation, of a successful one */
    bool deletes[ACCESSES_MOST];  /* a write without a value */
    bool keyed;                   /* the first item of an argument is the key */
    value initial, absent;        /* what reads before all writes, and of deleted keys, answer */
    bool has_deletion;
};

/* False if the specification is no register. On a refusal by the limits' budget the initial value
 * is VALUE_REFUSED. */
bool accesses_init(struct accesses *accesses, const struct part *part, struct limits *limits);

/* `pending`: it has not completed, or runs. */
struct access accesses_of_call(const struct accesses *accesses, const struct call *call,
                               bool pending);

static inline struct access accesses_of(const struct accesses *accesses,
                                        const struct interval *interval)
{
    return accesses_of_call(accesses, &interval->call, interval->response == POSITION_NEVER);
}

#endif
