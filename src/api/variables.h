/* Translates what a model says of its steps and states to the installed types: variables as lists
 * of name and value, kinds of steps. */
#ifndef API_VARIABLES_H
#define API_VARIABLES_H

#include <linchpin/verify.h>

#include "base/arena.h"
#include "base/status.h"
#include "model/labels.h"

/* Splits "HL = [1, 0], x = 2" (null: nothing); all is copied into the arena. */
enum status variables_split(struct arena *arena, const char *shown, const lp_variable **variables,
                            size_t *count) MUST_CHECK;

/* Whether both lists say the same. */
bool variables_equal(const lp_variable *left, size_t left_count, const lp_variable *right,
                     size_t right_count);

/* The kind of a step that is shown as this event. */
static inline lp_step_kind step_kind(const struct action *shown, bool visible)
{
    return shown->kind == LABEL_INVOKE    ? LP_STEP_CALL
           : shown->kind == LABEL_RESPOND ? LP_STEP_RETURN
           : visible                      ? LP_STEP_EVENT
                                          : LP_STEP_INTERNAL;
}

/* The line of a step that is shown as this event, and the file that it is in. */
static inline void step_place(const struct action *shown, lp_step *step)
{
    if (shown->kind != LABEL_NOTE || shown->count == 0)
        return;
    step->line = shown->components[0];
    step->file = shown->symbol;
}

#endif
