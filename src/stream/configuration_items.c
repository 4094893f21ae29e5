/* Which configurations stand for others: one in which fewer pending operations have taken effect,
 * all else equal, for those with more. */
#include "stream/configuration_items.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* Room for the stamps of all items there are. */
static bool stamp_all(struct configurations *configurations)
{
    size_t length = configurations->items.entries.length;
    if (!vector_reserve(&configurations->stamps, length))
        return false;
    while (configurations->stamps.length < length)
        configurations->stamps.items[configurations->stamps.length++] = (struct stamp){0};
    return true;
}

/* What of an item must be the same where one stands for another: all but the pending operations
 * that have taken effect. ARRAY_REFUSED. */
static uint32_t key_of(struct configurations *configurations, const uint64_t *item)
{
    uint64_t count = 0;
    configurations->words.length = 0;
    for (size_t i = 0; i < ITEM_WORDS; i++)
        if (!vector_push(&configurations->words, item[i]))
            return ARRAY_REFUSED;
    for (uint64_t i = 0; i < item[ITEM_TAKEN]; i++) {
        uint64_t operation = item[ITEM_WORDS + i];
        if (configurations_stage(configurations, operation) == STAGE_PENDING)
            continue;
        if (!vector_push(&configurations->words, operation))
            return ARRAY_REFUSED;
        count++;
    }
    for (uint64_t i = 0; i < item[ITEM_SINCE]; i++)
        if (!vector_push(&configurations->words, item_since(item)[i]))
            return ARRAY_REFUSED;
    configurations->words.items[ITEM_TAKEN] = count | UINT64_C(1) << 63; /* no item is like that */
    return arrays_intern(&configurations->items, configurations->words.items,
                         configurations->words.length);
}

/* Whether all that has taken effect in `few` has in `many`. */
static bool is_within(const uint64_t *few, const uint64_t *many)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < few[ITEM_TAKEN]; i++, at++) {
        while (at < many[ITEM_TAKEN] && many[ITEM_WORDS + at] < few[ITEM_WORDS + i])
            at++;
        if (at == many[ITEM_TAKEN] || many[ITEM_WORDS + at] != few[ITEM_WORDS + i])
            return false;
    }
    return true;
}

/* Whether an item that was met in this round stands for this one, which else is remembered. False
 * in *done when refused. */
static bool is_covered(struct configurations *configurations, uint32_t item, bool *done)
{
    struct configurations *c = configurations;
    uint32_t key = key_of(c, item_words(c, item));
    *done = key != ARRAY_REFUSED && stamp_all(c);
    if (!*done)
        return false;
    struct stamp *stamp = &c->stamps.items[key];
    uint32_t first = stamp->alike_round == c->round ? stamp->alike : NONE;
    for (uint32_t at = first; at != NONE; at = c->alike.items[at].next) {
        c->ticks++;
        c->compared++;
        if (is_within(item_words(c, c->alike.items[at].item), item_words(c, item)))
            return true;
    }
    struct alike alike = {.item = item, .next = first};
    stamp->alike_round = c->round;
    stamp->alike = (uint32_t)c->alike.length;
    *done = vector_push(&c->alike, alike);
    return false;
}

bool configurations_meet(struct configurations *configurations, uint32_t item, bool *done)
{
    *done = item != ARRAY_REFUSED && stamp_all(configurations);
    if (!*done || configurations->stamps.items[item].round == configurations->round)
        return false;
    configurations->stamps.items[item].round = configurations->round;
    configurations->explored++;
    return !configurations->pending || !is_covered(configurations, item, done);
}

bool configurations_add_met(struct configurations *configurations, struct item_list *list,
                            uint32_t item)
{
    bool done;
    if (!configurations_meet(configurations, item, &done))
        return done;
    return done && vector_push(list, item);
}

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *first = a, *second = b;
    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    if (first->taken != second->taken)
        return first->taken < second->taken ? -1 : 1;
    return first->item < second->item ? -1 : first->item > second->item;
}

bool configurations_keep_least(struct configurations *configurations)
{
    if (configurations->now.length < 2 || !configurations->pending)
        return true;
    configurations->keyed.length = 0;
    for (size_t i = 0; i < configurations->now.length; i++) {
        uint32_t item = configurations->now.items[i];
        const uint64_t *words = item_words(configurations, item);
        struct keyed keyed = {.taken = (uint32_t)words[ITEM_TAKEN], .item = item};
        keyed.key = key_of(configurations, words);
        if (keyed.key == ARRAY_REFUSED || !vector_push(&configurations->keyed, keyed))
            return false;
    }
    struct keyed *items = configurations->keyed.items;
    size_t length = configurations->keyed.length, kept = 0, group = 0;
    qsort(items, length, sizeof *items, compare_keyed);
    for (size_t i = 0; i < length; i++) {
        bool least = true;
        if (kept > 0 && items[kept - 1].key != items[i].key)
            group = kept;
        for (size_t j = group; j < kept && least; j++) {
            configurations->ticks++;
            configurations->compared++;
            least = !is_within(item_words(configurations, items[j].item),
                               item_words(configurations, items[i].item));
        }
        if (least)
            items[kept++] = items[i];
    }
    for (size_t i = 0; i < kept; i++)
        configurations->now.items[i] = items[i].item;
    configurations->now.length = kept;
    return true;
}
