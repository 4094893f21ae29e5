/* The serial numbers of the operations that a monitor keeps. */
#ifndef STREAM_SERIALS_H
#define STREAM_SERIALS_H

#include "stream/online.h"

#define SERIALS_STRIDE 1

/* Puts them in ascending order. */
void serials_sort(struct numbers *list);

/* Appends the serials of the operations that a monitor keeps, ascending, each once. False when
 * refused. */
bool serials_list(const struct online *online, struct numbers *list) MUST_CHECK;

/* The same, packed with SERIALS_STRIDE, in any order and some perhaps twice; that, ascending. */
bool serials_pack(const struct online *online, struct packed *packed) MUST_CHECK;
bool serials_unpack(const struct packed *packed, struct numbers *list) MUST_CHECK;

#endif
