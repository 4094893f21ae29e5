/* One linearization of a whole history from those of its parts. */
#ifndef DECIDE_MERGE_H
#define DECIDE_MERGE_H

#include "base/limits.h"
#include "history/history.h"

/* Reorders `order` in place. On entry it holds one legal order after the other, each of operations
 * (indices) of one part, part after part: part i has the `lengths[i]` next ones. On return it is
 * one order that keeps each part's own and respects the precedence of the whole history. False when
 * a budget refuses. */
bool linearizations_merge(const struct history *history, uint32_t *order, const uint32_t *lengths,
                          size_t parts, struct budget *budget) MUST_CHECK;

#endif
