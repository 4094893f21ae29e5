/* How a state of an implementation is shown: all shared variables and nodes; or, beside the state
 * before, what a step changed, as an item, a field or a local variable of the thread that took it.
 */
#include "implementation/print.h"

#include <string.h>

static void print_word(const struct lin_type *type, uint32_t word, struct text *text)
{
    if (type->kind == LIN_TYPE_BOOL)
        text_append(text, word ? "true" : "false");
    else if (type->kind == LIN_TYPE_STRUCT && word)
        text_format(text, "%s%u", type->of->name, word);
    else if ((type->kind == LIN_TYPE_STRUCT || type->kind == LIN_TYPE_VALUE) && word == 0)
        text_append(text, "null");
    else
        text_format(text, "%d", (int32_t)word);
}

static uint32_t print_value(const struct lin_type *type, const uint32_t *words, struct text *text)
{
    if (type->kind != LIN_TYPE_RECORD) {
        print_word(type, words[0], text);
        return 1;
    }
    uint32_t used = 0;
    text_append_char(text, '(');
    for (uint32_t i = 0; i < type->of->field_count; i++) {
        const struct lin_variable *field = type->of->fields[i];
        text_append(text, i ? ", " : "");
        text_append(text, field->length_count ? "[" : "");
        for (uint32_t j = 0; j < field->items; j++) {
            text_append(text, j ? ", " : "");
            used += print_value(&field->type, words + used, text);
        }
        text_append(text, field->length_count ? "]" : "");
    }
    text_append_char(text, ')');
    return used;
}

static uint32_t words_of(const struct lin_type *type)
{
    return type->kind == LIN_TYPE_RECORD ? type->of->words : 1;
}

/* What stands between two changes. */
static void begin(struct text *text, size_t start)
{
    text_append(text, text->length > start ? ", " : "");
}

/* An array as a list of lists; of a variable that is none, its value. */
static uint32_t print_array(const struct lin_type *type, const uint32_t *lengths,
                            uint32_t dimensions, const uint32_t *words, struct text *text)
{
    uint32_t used = 0;
    if (dimensions == 0)
        return print_value(type, words, text);
    text_append_char(text, '[');
    for (uint32_t i = 0; i < lengths[0]; i++) {
        text_append(text, i ? ", " : "");
        used += print_array(type, lengths + 1, dimensions - 1, words + used, text);
    }
    text_append_char(text, ']');
    return used;
}

/* The items of an array that have changed, each with its indices. */
static void print_changes(const struct lin_variable *variable, const uint32_t *lengths,
                          uint32_t length, const uint32_t *words, const uint32_t *before,
                          size_t start, struct text *text)
{
    uint32_t size = words_of(&variable->type);
    for (uint32_t i = 0; i < length; i++) {
        if (memcmp(words + i * size, before + i * size, size * sizeof *words) == 0)
            continue;
        begin(text, start);
        text_append(text, variable->name);
        uint32_t inside = length, rest = i;
        for (uint32_t j = 0; j < variable->length_count; j++) {
            inside /= lengths[j];
            text_format(text, "[%u]", rest / inside);
            rest %= inside;
        }
        text_append(text, " = ");
        print_value(&variable->type, words + i * size, text);
    }
}

static void print_field(const struct lin_pool *pool, uint32_t field, const uint32_t *words,
                        struct text *text)
{
    const struct lin_variable *variable = pool->of->fields[field];
    text_format(text, "%s = ", variable->name);
    print_array(&variable->type, &pool->lengths[field], variable->length_count > 0, words, text);
}

/* `was_freed`: the same node was given back before, and is handed out again. */
static void print_node(const struct lin_pool *pool, uint32_t number, const uint32_t *node,
                       bool was_freed, struct text *text)
{
    uint32_t at = 1;
    text_format(text, "%s%u = %s{", pool->of->name, number + 1,
                node[0] == LIN_NODE_FREED ? "freed "
                : was_freed               ? "reused "
                                          : "");
    for (uint32_t i = 0; i < pool->of->field_count; i++) {
        text_append(text, i ? ", " : "");
        print_field(pool, i, node + at, text);
        at += pool->lengths[i] * words_of(&pool->of->fields[i]->type);
    }
    text_append_char(text, '}');
}

/* The fields that have changed of a node that was there before and still is. */
static void print_fields(const struct lin_pool *pool, uint32_t number, const uint32_t *node,
                         const uint32_t *before, size_t start, struct text *text)
{
    uint32_t at = 1;
    for (uint32_t i = 0; i < pool->of->field_count; i++) {
        uint32_t words = pool->lengths[i] * words_of(&pool->of->fields[i]->type);
        if (memcmp(node + at, before + at, words * sizeof *node) != 0) {
            begin(text, start);
            text_format(text, "%s%u.", pool->of->name, number + 1);
            print_field(pool, i, node + at, text);
        }
        at += words;
    }
}

static void print_heap(const struct lin_pool *pool, const uint32_t *state, const uint32_t *before,
                       size_t start, struct text *text)
{
    for (uint32_t i = 0; i < pool->nodes; i++) {
        uint32_t first = pool->first + i * pool->words;
        const uint32_t *node = state + first;
        if (node[0] == LIN_NODE_NONE)
            continue;
        if (before && before[first] == LIN_NODE_LIVE && node[0] == LIN_NODE_LIVE) {
            print_fields(pool, i, node, before + first, start, text);
        } else if (!before || memcmp(node, before + first, pool->words * sizeof *node) != 0) {
            begin(text, start);
            print_node(pool, i, node, before && before[first] == LIN_NODE_FREED, text);
        }
    }
}

/* Whether the variable will be read by a thread that stands there. */
static bool is_live(const struct lin_steps *steps, const uint32_t *own,
                    const struct lin_local *local)
{
    bool live = false;
    if (own[LIN_THREAD_AT] == 0 || own[LIN_THREAD_AT] == LIN_THREAD_FAULTED)
        return false;
    for (uint32_t i = local->named; i < local->named + local->words; i++)
        live |= lin_steps_named_live(steps, own[LIN_THREAD_AT] - 1, i);
    return live;
}

static const struct lin_entry *entry_of(const struct lin_steps *steps, const uint32_t *own)
{
    const struct lin_entry *entry = &steps->entries[0];
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (steps->entries[i].start < own[LIN_THREAD_AT])
            entry = &steps->entries[i];
    return entry;
}

/* What a thread that has moved holds in its local variables and did not before. The arguments of a
 * call are in its event already. */
static void print_locals(const struct lin_steps *steps, const uint32_t *own, const uint32_t *before,
                         size_t start, struct text *text)
{
    if (own[LIN_THREAD_AT] == before[LIN_THREAD_AT] || own[LIN_THREAD_AT] == 0 ||
        own[LIN_THREAD_AT] == LIN_THREAD_FAULTED)
        return;
    const struct lin_entry *entry = entry_of(steps, own);
    bool is_call = before[LIN_THREAD_AT] == 0;
    for (uint32_t i = is_call ? entry->operation->parameter_count : 0; i < entry->local_count;
         i++) {
        const struct lin_local *local = &entry->locals[i];
        const uint32_t *words = own + LIN_THREAD_HEADER + local->first;
        const uint32_t *old = before + LIN_THREAD_HEADER + local->first;
        if (local->variable->length_count > 0 || !is_live(steps, own, local) ||
            (is_live(steps, before, local) &&
             memcmp(words, old, local->words * sizeof *words) == 0))
            continue;
        begin(text, start);
        text_format(text, "%s = ", local->variable->name);
        print_value(&local->variable->type, words, text);
    }
}

void lin_print_locals(const struct lin_steps *steps, const uint32_t *own, struct text *text)
{
    size_t start = text->length;
    const struct lin_entry *entry = entry_of(steps, own);
    for (uint32_t i = 0; i < entry->local_count; i++) {
        const struct lin_local *local = &entry->locals[i];
        const struct lin_variable *variable = local->variable;
        if (variable->length_count > 0 || !is_live(steps, own, local))
            continue;
        begin(text, start);
        text_format(text, "%s = ", variable->name);
        print_value(&variable->type, own + LIN_THREAD_HEADER + local->first, text);
    }
}

void lin_print(const struct lin_steps *steps, const uint32_t *state, const uint32_t *before,
               struct text *text)
{
    size_t start = text->length;
    for (uint32_t i = 0; i < steps->object->variable_count; i++) {
        const struct lin_layout_of_shared *layout = &steps->shared[i];
        const uint32_t *words = state + layout->first;
        if (before) {
            print_changes(layout->variable, layout->lengths, layout->length, words,
                          before + layout->first, start, text);
            continue;
        }
        begin(text, start);
        text_format(text, "%s = ", layout->variable->name);
        print_array(&layout->variable->type, layout->lengths, layout->variable->length_count, words,
                    text);
    }
    for (uint32_t i = 0; i < steps->pool_count; i++)
        print_heap(&steps->pools[i], state, before, start, text);
    for (uint32_t i = 0; before && i < steps->setting.threads; i++) {
        uint32_t own = steps->thread_first + i * steps->thread_words;
        print_locals(steps, state + own, before + own, start, text);
    }
}
