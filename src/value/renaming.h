/* A permutation of the integers from 1 to `count`, and what it makes of values: for objects that
 * only keep, compare and answer what they are given, which integer stands for what is a name. */
#ifndef VALUE_RENAMING_H
#define VALUE_RENAMING_H

#include "value/value.h"

#define RENAMING_MOST 8

struct renaming {
    uint32_t count;            /* at most RENAMING_MOST */
    uint8_t to[RENAMING_MOST]; /* i + 1 is renamed to[i] */
};

/* `v` with the integers in it renamed, in lists, sets and maps too; VALUE_REFUSED. */
value renaming_apply(const struct renaming *renaming, struct value_pool *pool, value v);

#endif
