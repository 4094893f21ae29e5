/* What the operations of a specification in `.lin` take and answer, as far as a recorded history
 * must know: which arguments fit, what a recorded result is compared with, how `specs` describes
 * them. */
#ifndef LIN_SPEC_SHAPE_H
#define LIN_SPEC_SHAPE_H

#include "base/text.h"
#include "lin/compile.h"
#include "spec/bind.h"

/* What a recorded result of an operation is compared with. */
enum lin_answer_shape {
    ANSWER_NOTHING, /* always `ok` */
    ANSWER_BOOLEAN, /* a recorded result that is no boolean is not checked */
    ANSWER_SWAPPED, /* true, unless the completion says false */
    ANSWER_VALUE,
};

struct lin_shape {
    const struct lin_operation *operation;
    enum lin_answer_shape answer;
    struct range_limit *ranges; /* of the parameters */
    value *symbols;             /* that it can answer, `ok` and `empty` left out */
    uint32_t symbol_count;
    const struct lin_program *program;
    const struct lin_enum **enums;  /* of the parameters; null: another type */
    const struct lin_enum *answers; /* of what it answers: the first one; null: none */
};

/* Finds the shape of an operation of a compiled specification, and its row for people. What they
 * point to lives in the arena. STATUS_INPUT for a range that has no bounds; STATUS_LIMIT. */
enum status lin_shape_find(const struct lin_program *program, const struct lin_operation *operation,
                           struct arena *arena, struct lin_shape *shape, struct spec_operation *row,
                           struct error *error) MUST_CHECK;

/* As `bind` of a spec_class. A text that is a name of an enum is its number, where the operation
 * takes or answers that enum. */
enum status lin_shape_bind(const struct lin_shape *shape, const struct recorded *recorded,
                           struct call *call, struct text *complaint) MUST_CHECK;

/* Whether the operation waits where it may not go on (`await`), when it begins or when it is open,
 * or a function that it calls does. */
bool lin_waits(const struct lin_object *object, const struct lin_operation *operation);

#endif
