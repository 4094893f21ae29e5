/* A list that is sorted once, at the end: checkers may come to a place more than once. */
#include "lang/references.h"

#include <stdlib.h>
#include <string.h>

#define SHARED UINT32_MAX /* in place of a declaration, until the list is sorted */

static void add(const struct script *script, const struct reference *reference)
{
    struct references *references = script->references;
    size_t length = strlen(reference->name);
    if (reference->at + length > script->length ||
        memcmp(script->text + reference->at, reference->name, length) != 0)
        return;
    if (!vector_push(&references->items, *reference))
        references->refused = true;
}

void references_add(const struct script *script, place at, const char *name, place declared,
                    enum reference_kind kind)
{
    if (script->references && name)
        add(script, &(struct reference){at, declared, name, (uint8_t)kind});
}

void references_add_shared(const struct script *script, place at, const char *name,
                           enum reference_kind kind)
{
    references_add(script, at, name, SHARED, kind);
}

void references_add_builtin(const struct script *script, place at, const char *name,
                            enum reference_kind kind)
{
    references_add(script, at, name, REFERENCE_BUILT_IN, kind);
}

void references_init(struct references *references, struct budget *budget)
{
    *references = (struct references){0};
    vector_init(&references->items, budget);
    vector_init(&references->repairs, budget);
}

void references_release(struct references *references)
{
    vector_release(&references->items);
    vector_release(&references->repairs);
}

void references_reach(const struct script *script)
{
    if (script->references)
        script->references->reached = true;
}

/* ---- what is wrong ---- */

static place line_end(const struct script *script, place at)
{
    return at + (place)strcspn(script->text + at, "\n");
}

static void repair(const struct script *script, place from, place to, char sign)
{
    struct references *references = script->references;
    const struct repair noted = {from, to, sign};
    if (references && !vector_push(&references->repairs, noted))
        references->refused = true;
}

void references_leave_out(const struct script *script, place from, place to)
{
    bool within = from < to && script_part_at(script, from) == script_part_at(script, to);
    repair(script, from, within ? to : line_end(script, from), ' ');
}

void references_put(const struct script *script, place at, place statement, char sign)
{
    if (script->text[at] && strchr(" \t\r\n", script->text[at]))
        repair(script, at, at + 1, sign);
    else
        references_leave_out(script, statement, at);
}

bool references_repair(const struct references *references, const struct script *script,
                       struct arena *arena, const char *file, uint32_t line,
                       struct script *repaired)
{
    char *text = arena_copy_text(arena, script->text, script->length);
    if (!text)
        return false;
    *repaired = *script;
    repaired->text = text;
    for (size_t i = 0; i < references->repairs.length; i++) {
        const struct repair *noted = &references->repairs.items[i];
        for (place at = noted->from; at < noted->to; at++)
            if (text[at] && text[at] != '\n')
                text[at] = ' ';
        if (noted->sign != ' ')
            text[noted->from] = noted->sign;
    }
    if (references->repairs.length)
        return true;
    uint32_t part = script->main;
    for (uint32_t i = 0; file && i < script->part_count; i++)
        if (strcmp(script->parts[i].name, file) == 0)
            part = i;
    place at = script->parts[part].start, end = script->parts[part].end;
    for (uint32_t i = 1; i < line && at < end; i++)
        at = line_end(script, at) + (line_end(script, at) < end);
    for (; at < end && text[at] != '\n'; at++)
        text[at] = ' ';
    return true;
}

static int by_meaning(const void *one, const void *other)
{
    const struct reference *a = one, *b = other;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* The first of those that share a name stands for what it means. */
static void declare_shared(struct reference *items, size_t count)
{
    qsort(items, count, sizeof *items, by_meaning);
    place first = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || items[i].kind != items[i - 1].kind ||
            strcmp(items[i].name, items[i - 1].name) != 0)
            first = items[i].at;
        if (items[i].declared == SHARED)
            items[i].declared = first;
    }
}

static int by_place(const void *one, const void *other)
{
    const struct reference *a = one, *b = other;
    return (a->at > b->at) - (a->at < b->at);
}

void references_sort(struct references *references)
{
    struct reference *items = references->items.items;
    size_t count = references->items.length, kept = 0;
    if (count == 0)
        return;
    declare_shared(items, count);
    qsort(items, count, sizeof *items, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || items[kept - 1].at != items[i].at)
            items[kept++] = items[i];
    references->items.length = kept;
}
