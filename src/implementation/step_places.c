#include "implementation/step_places.h"

#include <string.h>

#include "lin/lexer.h"

enum status lin_step_constant_of(const struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression, int64_t *result)
{
    int64_t left, right;
    switch (expression->kind) {
    case LIN_EXPRESSION_INTEGER:
    case LIN_EXPRESSION_BOOLEAN:
        *result = expression->integer;
        return STATUS_OK;
    case LIN_EXPRESSION_NULL:
        *result = 0;
        return STATUS_OK;
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_PARAMETER)
            *result = compiler->steps->parameters[expression->number];
        else if (expression->meaning == LIN_MEANS_THREADS)
            *result = compiler->steps->setting.threads;
        else
            return STATUS_INPUT;
        return STATUS_OK;
    case LIN_EXPRESSION_UNARY:
        TRY(lin_step_constant_of(compiler, expression->items[0], &left));
        *result = expression->sign == LIN_BANG ? !left : -left;
        return STATUS_OK;
    case LIN_EXPRESSION_BINARY:
        break;
    default:
        return STATUS_INPUT;
    }
    TRY(lin_step_constant_of(compiler, expression->items[0], &left));
    TRY(lin_step_constant_of(compiler, expression->items[1], &right));
    TRY(lin_calculate(expression->sign, left, right, result));
    return *result >= INT32_MIN && *result <= INT32_MAX ? STATUS_OK : STATUS_INPUT;
}

enum status lin_step_constant(struct lin_step_compiler *compiler,
                              const struct lin_expression *expression, const char *what,
                              int64_t *result)
{
    if (lin_step_constant_of(compiler, expression, result) == STATUS_OK)
        return STATUS_OK;
    return lin_step_complain(compiler, expression->at,
                             "expected %s made of constants and parameters", what);
}

enum status lin_step_range_of(struct lin_step_compiler *compiler, const struct lin_type *type,
                              struct lin_step_range *range)
{
    int64_t low = INT32_MIN, high = INT32_MAX;
    if (type->low) {
        TRY(lin_step_constant(compiler, type->low, "a bound", &low));
        TRY(lin_step_constant(compiler, type->high, "a bound", &high));
    }
    *range = (struct lin_step_range){(int32_t)low, (int32_t)high};
    if (low <= high)
        return STATUS_OK;
    return lin_step_complain(compiler, type->at,
                             "expected a range from low to high, found %lld..%lld", (long long)low,
                             (long long)high);
}

enum status lin_step_add_range(struct lin_step_compiler *compiler, struct lin_step_range range,
                               uint32_t *number)
{
    *number = (uint32_t)compiler->steps->ranges.length;
    const struct range_limit limit = {.low = range.low, .high = range.high};
    return granted(vector_push(&compiler->steps->ranges, limit));
}

uint32_t lin_step_words_of(const struct lin_type *type)
{
    return type->kind == LIN_TYPE_RECORD && type->of ? type->of->words : 1;
}

enum status lin_step_length_of(struct lin_step_compiler *compiler,
                               const struct lin_variable *variable, uint32_t *length)
{
    *length = 1;
    for (uint32_t i = 0; i < variable->length_count; i++) {
        int64_t factor = 0;
        TRY(lin_step_constant(compiler, variable->lengths[i], "a length", &factor));
        if (factor < 1 || factor * *length > LIN_MOST_SLOTS)
            return lin_step_complain(compiler, variable->lengths[i]->at,
                                     "expected an array of 1 to %d items, found a length of %lld",
                                     LIN_MOST_SLOTS, (long long)factor);
        *length *= (uint32_t)factor;
    }
    return STATUS_OK;
}

enum status lin_step_offset_of(struct lin_step_compiler *compiler, const struct lin_struct *of,
                               uint32_t field, uint32_t *offset)
{
    *offset = 0;
    for (uint32_t i = 0; i < field; i++) {
        uint32_t length;
        TRY(lin_step_length_of(compiler, of->fields[i], &length));
        *offset += length * lin_step_words_of(&of->fields[i]->type);
    }
    return STATUS_OK;
}

uint32_t lin_step_pool_of(const struct lin_step_compiler *compiler, const struct lin_struct *of)
{
    uint32_t pool = 0;
    while (compiler->steps->pools[pool].of != of)
        pool++;
    return pool;
}

enum status lin_step_take_locals(struct lin_step_compiler *compiler, place at, uint32_t words,
                                 uint32_t *first)
{
    *first = compiler->locals;
    if (compiler->entry != UINT32_MAX)
        TRY_MEMORY(vector_push(&compiler->taken,
                               ((struct lin_words_taken){compiler->entry, *first, words})));
    compiler->locals += words;
    if (compiler->locals > compiler->steps->locals)
        compiler->steps->locals = compiler->locals;
    if (compiler->locals <= LIN_MOST_SLOTS)
        return STATUS_OK;
    return lin_step_complain(
        compiler, at, "expected at most %d words of local variables, found more", LIN_MOST_SLOTS);
}

enum status lin_step_note_references(struct lin_step_compiler *compiler,
                                     const struct lin_variable *variable, uint32_t first,
                                     uint32_t length, void *list)
{
    VECTOR(struct lin_reference_slot) *references = list;
    uint32_t words = lin_step_words_of(&variable->type), offset;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t at = first + i * words;
        if (variable->type.kind == LIN_TYPE_STRUCT) {
            struct lin_reference_slot slot = {at, lin_step_pool_of(compiler, variable->type.of)};
            TRY_MEMORY(vector_push(references, slot));
        }
        const struct lin_struct *of = variable->type.of;
        for (uint32_t j = 0; variable->type.kind == LIN_TYPE_RECORD && j < of->field_count; j++) {
            TRY(lin_step_offset_of(compiler, of, j, &offset));
            TRY(lin_step_note_references(compiler, of->fields[j], at + offset, of->fields[j]->items,
                                         list));
        }
    }
    return STATUS_OK;
}

enum status lin_step_note_values(struct lin_step_compiler *compiler,
                                 const struct lin_variable *variable, uint32_t first,
                                 uint32_t length)
{
    uint32_t words = lin_step_words_of(&variable->type), offset;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t at = first + i * words;
        if (variable->type.kind == LIN_TYPE_VALUE && !vector_push(&compiler->values, at))
            return STATUS_LIMIT;
        const struct lin_struct *of = variable->type.of;
        for (uint32_t j = 0; variable->type.kind == LIN_TYPE_RECORD && j < of->field_count; j++) {
            TRY(lin_step_offset_of(compiler, of, j, &offset));
            TRY(lin_step_note_values(compiler, of->fields[j], at + offset, of->fields[j]->items));
        }
    }
    return STATUS_OK;
}

enum status lin_step_take_values(struct lin_step_compiler *compiler, struct lin_value_slots *slots)
{
    size_t count = compiler->values.length, size = count * sizeof *slots->items;
    slots->items = arena_allocate(compiler->steps->arena, size);
    TRY_MEMORY(slots->items);
    if (count)
        memcpy(slots->items, compiler->values.items, size);
    slots->count = (uint32_t)count;
    compiler->values.length = 0;
    return STATUS_OK;
}

enum status lin_step_declare(struct lin_step_compiler *compiler,
                             const struct lin_variable *variable)
{
    struct lin_step_place *room = &compiler->body->places[variable->number];
    *room =
        (struct lin_step_place){.variable = variable, .words = lin_step_words_of(&variable->type)};
    TRY(lin_step_length_of(compiler, variable, &room->length));
    TRY(lin_step_take_locals(compiler, variable->at, room->length * room->words, &room->first));
    TRY_MEMORY(vector_push(&compiler->declared,
                           ((struct lin_local){variable, room->first, room->words, room->first})));
    TRY(lin_step_note_references(compiler, variable, room->first, room->length,
                                 &compiler->references));
    return lin_step_note_values(compiler, variable, room->first, room->length);
}
