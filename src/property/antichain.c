#include "property/antichain.h"

#include <string.h>

void antichain_init(struct antichain *antichain, const struct normal *normal, struct budget *budget)
{
    *antichain = (struct antichain){.budget = budget, .normal = normal};
    vector_init(&antichain->rows, budget);
}

void antichain_release(struct antichain *antichain)
{
    for (size_t i = 0; i < antichain->rows.length; i++)
        memory_release(antichain->budget, antichain->rows.items[i].items,
                       antichain->rows.items[i].capacity * sizeof(struct antichain_item));
    vector_release(&antichain->rows);
}

static bool row_grow(struct antichain *antichain, struct antichain_row *row)
{
    uint32_t capacity = row->capacity ? row->capacity * 2 : 2;
    struct antichain_item *items =
        memory_resize(antichain->budget, row->items, row->capacity * sizeof *row->items,
                      capacity * sizeof *items);
    if (!items)
        return false;
    row->items = items;
    row->capacity = capacity;
    return true;
}

static bool includes(struct antichain *antichain, const struct antichain_item *whole,
                     const struct antichain_item *part)
{
    if (part->size > whole->size || (part->signature & ~whole->signature))
        return false;
    antichain->tests++;
    return antichain->normal->class->includes(antichain->normal, whole->normal, part->normal);
}

bool antichain_add(struct antichain *antichain, state_id state, normal_id normal, bool *fresh)
{
    *fresh = false;
    while (antichain->rows.length <= state)
        if (!vector_push(&antichain->rows, ((struct antichain_row){0})))
            return false;
    struct antichain_row *row = &antichain->rows.items[state];
    for (uint32_t i = 0; i < row->count; i++)
        if (row->items[i].normal == normal)
            return true;
    const struct normal_class *class = antichain->normal->class;
    const struct antichain_item added = {.signature = class->signature(antichain->normal, normal),
                                         .normal = normal,
                                         .size = (uint32_t) class->size(antichain->normal, normal)};
    for (uint32_t i = 0; i < row->count; i++) {
        if (includes(antichain, &added, &row->items[i])) {
            /* What decided stands first: it is likely to decide again. */
            struct antichain_item decided = row->items[i];
            row->items[i] = row->items[0];
            row->items[0] = decided;
            return true;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < row->count; i++)
        if (!includes(antichain, &row->items[i], &added))
            row->items[kept++] = row->items[i];
    antichain->count -= row->count - kept;
    row->count = kept;
    if (row->count == row->capacity && !row_grow(antichain, row))
        return false;
    row->items[row->count++] = added;
    antichain->count++;
    *fresh = true;
    return true;
}

bool antichain_has(const struct antichain *antichain, state_id state, normal_id normal)
{
    const struct antichain_row *row = &antichain->rows.items[state];
    for (uint32_t i = 0; i < row->count; i++)
        if (row->items[i].normal == normal)
            return true;
    return false;
}
