/* What models print of their states, as lists of variables. */
#ifndef API_VARIABLES_H
#define API_VARIABLES_H

#include <linchpin/verify.h>

#include "base/arena.h"
#include "base/status.h"

/* Splits "HL = [1, 0], x = 2" (null: nothing); all is copied into the arena. */
enum status variables_split(struct arena *arena, const char *shown, const lp_variable **variables,
                            size_t *count) MUST_CHECK;

/* Whether both lists say the same. */
bool variables_equal(const lp_variable *left, size_t left_count, const lp_variable *right,
                     size_t right_count);

#endif
