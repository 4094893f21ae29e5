/* Which configurations stand for others: one in which fewer pending operations have taken effect,
 * all else equal, for those with more; one in which more operations have that change nothing, for
 * those with fewer; and one in which more operations may have taken effect or not. */
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

/* What of an item must be the same where one stands for another: all but the operations that have
 * taken effect, and are pending, change nothing, or may have been written over. ARRAY_REFUSED. */
static uint32_t key_of(struct configurations *configurations, const uint64_t *item)
{
    uint64_t count = 0;
    configurations->words.length = 0;
    for (size_t i = 0; i < ITEM_WORDS; i++)
        if (!vector_push(&configurations->words, item[i]))
            return ARRAY_REFUSED;
    for (uint64_t i = 0; i < item[ITEM_TAKEN]; i++) {
        uint64_t operation = item[ITEM_WORDS + i];
        if (configurations_stage(configurations, operation) == STAGE_PENDING ||
            may_be_overwritten(configurations, operation) || is_eager(configurations, operation))
            continue;
        if (!vector_push(&configurations->words, operation))
            return ARRAY_REFUSED;
        count++;
    }
    for (uint64_t i = 0; i < item[ITEM_SINCE]; i++)
        if (!vector_push(&configurations->words, item_since(item)[i]))
            return ARRAY_REFUSED;
    configurations->words.items[ITEM_TAKEN] = count | UINT64_C(1) << 63; /* no item is like that */
    configurations->words.items[ITEM_MAYBE] = 0;
    return arrays_intern(&configurations->items, configurations->words.items,
                         configurations->words.length);
}

/* Whether what has taken effect in `many`, and not in `few`, is left out there: it is pending, or
 * may have taken effect in `few`, too. */
static bool can_have_taken(const struct configurations *configurations, const uint64_t *few,
                           uint64_t operation)
{
    return configurations_stage(configurations, operation) == STAGE_PENDING ||
           item_lists(item_maybe(few), few[ITEM_MAYBE], operation);
}

/* Whether all that has taken effect in `few`, and changes something, has in `many`, and what has,
 * or may have, in `many` may have in `few`; but for pending operations, which need not. */
static bool is_within(const struct configurations *configurations, const uint64_t *few,
                      const uint64_t *many)
{
    const uint64_t *at = few + ITEM_WORDS, *end = item_maybe(few);
    for (uint64_t i = 0; i < many[ITEM_TAKEN]; i++) {
        const uint64_t operation = many[ITEM_WORDS + i];
        for (; at < end && *at < operation; at++)
            if (!is_eager(configurations, *at))
                return false;
        if (at < end && *at == operation)
            at++;
        else if (!can_have_taken(configurations, few, operation))
            return false;
    }
    for (; at < end; at++)
        if (!is_eager(configurations, *at))
            return false;
    for (uint64_t i = 0; i < many[ITEM_MAYBE]; i++)
        if (!item_lists(item_maybe(few), few[ITEM_MAYBE], item_maybe(many)[i]) &&
            !item_lists(few + ITEM_WORDS, few[ITEM_TAKEN], item_maybe(many)[i]))
            return false;
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
        if (is_within(c, item_words(c, c->alike.items[at].item), item_words(c, item)))
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
    return !configurations->alike_matter || !is_covered(configurations, item, done);
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
    if (first->changes != second->changes)
        return first->changes < second->changes ? -1 : 1;
    if (first->reads != second->reads)
        return first->reads > second->reads ? -1 : 1;
    if (first->maybe != second->maybe)
        return first->maybe > second->maybe ? -1 : 1;
    return first->item < second->item ? -1 : first->item > second->item;
}

bool configurations_keep_least(struct configurations *configurations)
{
    if (configurations->now.length < 2 || !configurations->alike_matter)
        return true;
    configurations->keyed.length = 0;
    for (size_t i = 0; i < configurations->now.length; i++) {
        uint32_t item = configurations->now.items[i];
        const uint64_t *words = item_words(configurations, item);
        struct keyed keyed = {.maybe = (uint32_t)words[ITEM_MAYBE], .item = item};
        for (uint64_t k = 0; k < words[ITEM_TAKEN]; k++)
            keyed.reads += is_eager(configurations, words[ITEM_WORDS + k]);
        keyed.changes = (uint32_t)words[ITEM_TAKEN] - keyed.reads;
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
            least = !is_within(configurations, item_words(configurations, items[j].item),
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
