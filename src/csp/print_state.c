#include "csp/print_state.h"

#include <string.h>

#include "code/large_array.h"
#include "csp/message.h"

#define MOST_CHANGES 20 /* of elements of a large array that are printed one by one */

static void print_slot(uint32_t slot, struct text *text)
{
    datum d = datum_from_slot(slot);
    if (datum_tag_of(d) == DATUM_BOOLEAN)
        text_append(text, datum_bits(d) ? "true" : "false");
    else
        text_format(text, "%d", datum_bits(d));
}

static void print_items(const uint32_t *items, size_t length, struct text *text)
{
    text_append_char(text, '[');
    for (size_t i = 0; i < length; i++) {
        if (i)
            text_append(text, ", ");
        print_slot(items[i], text);
    }
    text_append_char(text, ']');
}

/* Of a large array: `2(40)` stands for 40 elements in a row. */
struct large_print {
    const struct variable_info *info;
    struct text *text;
    uint32_t next, word, count; /* the element behind those met, and those not yet printed */
    uint32_t changes;
};

static void print_run(struct large_print *print)
{
    if (print->count == 0)
        return;
    if (print->next > print->count)
        text_append(print->text, ", ");
    print_slot(print->word, print->text);
    if (print->count > 1)
        text_format(print->text, "(%u)", print->count);
    print->count = 0;
}

static void add_to_run(struct large_print *print, uint32_t word, uint32_t count)
{
    if (count == 0)
        return;
    if (word != print->word)
        print_run(print);
    print->word = word;
    print->count += count;
    print->next += count;
}

static void add_element(void *context, uint32_t index, uint32_t word)
{
    struct large_print *print = context;
    add_to_run(print, 0, index - print->next);
    add_to_run(print, word, 1);
}

static void print_large(const struct csp_program *program, const struct variable_info *info,
                        uint32_t root, struct text *text)
{
    struct large_print print = {.info = info, .text = text};
    text_append_char(text, '[');
    large_compare(program->objects, 0, root, info->length, add_element, &print);
    add_to_run(&print, 0, info->length - print.next);
    print_run(&print);
    text_append_char(text, ']');
}

static void count_change(void *context, uint32_t index, uint32_t word)
{
    struct large_print *print = context;
    (void)index, (void)word;
    print->changes++;
}

static void print_change(void *context, uint32_t index, uint32_t word)
{
    struct large_print *print = context;
    const struct variable_info *info = print->info;
    uint32_t stride = info->length;
    if (print->next++)
        text_append(print->text, ", ");
    text_append(print->text, info->name);
    for (uint32_t d = 0; d < info->dimensions; d++) {
        stride /= info->sizes[d];
        text_format(print->text, "[%u]", index / stride % info->sizes[d]);
    }
    text_append(print->text, " = ");
    print_slot(word, print->text);
}

/* The elements of a large array that changed, if they are few. */
static bool print_changes(const struct csp_program *program, const struct variable_info *info,
                          uint32_t before, uint32_t root, struct text *text)
{
    struct large_print print = {.info = info, .text = text};
    large_compare(program->objects, before, root, info->length, count_change, &print);
    if (print.changes > MOST_CHANGES)
        return false;
    large_compare(program->objects, before, root, info->length, print_change, &print);
    return true;
}

static void print_variable(const struct csp_program *program, const struct variable_info *info,
                           const uint32_t *slots, struct text *text)
{
    text_format(text, "%s = ", info->name);
    if (info->collection) {
        size_t length;
        const uint32_t *items = object_items(program->objects, slots[info->slot], &length);
        print_items(items, length, text);
    } else if (info->large) {
        print_large(program, info, slots[info->slot], text);
    } else if (info->dimensions) {
        print_items(slots + info->slot, info->length, text);
    } else {
        print_slot(slots[info->slot], text);
    }
}

static void print_channel(const struct csp_program *program, const struct channel_info *info,
                          uint32_t index, const uint32_t *slots, struct text *text)
{
    size_t length;
    const uint32_t *items = object_items(program->objects, slots[info->slot + index], &length);
    text_append(text, info->name);
    if (info->is_array)
        text_format(text, "[%u]", index);
    text_append(text, " = <");
    for (size_t at = 0; at < length; at += items[at] + 1) {
        if (at)
            text_append(text, ", ");
        const uint32_t *end = items + at + 1 + items[at];
        for (const uint32_t *part = items + at + 1; part < end; part += message_part(part)) {
            if (part > items + at + 1)
                text_append_char(text, '.');
            if (*part == SLOT_OPEN)
                print_items(part + 1, message_part(part) - 2, text);
            else
                print_slot(*part, text);
        }
    }
    text_append_char(text, '>');
}

static void print_count(const struct process_count *count, const uint32_t *slots, struct text *text)
{
    text_format(text, "#%s", count->node->name);
    for (uint32_t i = 0; i < count->node->count; i++) {
        text_append(text, i ? ", " : "(");
        print_slot(datum_to_slot(count->arguments[i]), text);
    }
    text_format(text, "%s = %u", count->node->count ? ")" : "", slots[count->slot]);
}

void csp_print_state(const struct csp_program *program, const uint32_t *state,
                     const uint32_t *before, struct text *text)
{
    const uint32_t *slots = state + 1, *old = before ? before + 1 : NULL;
    size_t start = text->length;
    for (size_t i = 0; i < program->variables.length; i++) {
        const struct variable_info *info = &program->variables.items[i];
        if (old && info->constant)
            continue;
        if (old && memcmp(slots + info->slot, old + info->slot, info->slots * sizeof *slots) == 0)
            continue;
        if (text->length > start)
            text_append(text, ", ");
        if (old && info->large &&
            print_changes(program, info, old[info->slot], slots[info->slot], text))
            continue;
        print_variable(program, info, info->constant ? program->initial : slots, text);
    }
    for (size_t i = 0; i < program->counts.length; i++) {
        const struct process_count *count = &program->counts.items[i];
        if (count->again || (old && slots[count->slot] == old[count->slot]))
            continue;
        if (text->length > start)
            text_append(text, ", ");
        print_count(count, slots, text);
    }
    for (size_t i = 0; i < program->channels.length; i++) {
        const struct channel_info *info = &program->channels.items[i];
        for (uint32_t j = 0; info->capacity && j < info->length; j++) {
            if (old && slots[info->slot + j] == old[info->slot + j])
                continue;
            if (text->length > start)
                text_append(text, ", ");
            print_channel(program, info, j, slots, text);
        }
    }
}
