/* Views the calls of objects that hold one value (registers, one key of a map) as effects: which
 * value a call needs, and which it leaves. */
#ifndef DECIDE_ONE_VALUE_H
#define DECIDE_ONE_VALUE_H

#include "history/part.h"

enum effect_kind {
    EFFECT_NONE,    /* legal with any value, leaves it alone */
    EFFECT_SEES,    /* legal with `needed` only, leaves it alone */
    EFFECT_DIFFERS, /* legal with any value but `needed`, leaves it alone */
    EFFECT_SETS,    /* legal with any value, leaves `left` */
    EFFECT_SWAPS,   /* leaves `left` where it met `needed`; legal elsewhere, without effect, only if
                       its result is not known */
    EFFECT_UNCLEAR, /* more than one value is at stake: revisions, appended strings */
};

struct effect {
    enum effect_kind kind;
    value needed, left;
};

/* The effect of a call of this part; EFFECT_UNCLEAR for any other object. */
struct effect effect_of(const struct part *part, const struct call *call);

/* Whether no call of the part is unclear. Linear. */
bool part_holds_one_value(const struct part *part);

/* What the object holds at first. */
value one_value_initial(const struct part *part);

/* Whether `v` may be what the object holds after the call. */
static inline bool effect_can_leave(const struct effect *effect, value v)
{
    return effect->kind == EFFECT_UNCLEAR ||
           ((effect->kind == EFFECT_SETS || effect->kind == EFFECT_SWAPS) && effect->left == v);
}

#endif
