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
