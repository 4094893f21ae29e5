/* Finds or adds many states that are packed in one layout, one after the other: what finds a state
 * is fetched for those that come next, so that nobody waits for the memory of one after the other.
 */
#ifndef SPACE_STATE_ROWS_H
#define SPACE_STATE_ROWS_H

#include "space/found_rows.h"
#include "space/state_table.h"

/* Finds or adds the states of rows from the row `first` on, and writes their numbers, up to one
 * that has to be added otherwise (it begins a chunk; the index is to grow). Returns that row, or
 * how many there are. `slots`: scratch for one state. */
size_t state_table_intern_rows(struct state_table *table, const struct found_rows *rows,
                               size_t first, uint32_t *slots) MUST_CHECK;

#endif
