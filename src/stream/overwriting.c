#include "stream/overwriting.h"

#include <string.h>

#include "spec/cas_register.h"
#include "spec/map.h"
#include "spec/register.h"

bool overwrites(const struct configurations *configurations, uint64_t operation)
{
    const struct spec_class *class = configurations->object->spec->class;
    const struct stream_operation *known = configurations_operation(configurations, operation);
    const struct call *call = &known->call;
    if (class == &register_class)
        return call->operation == REGISTER_WRITE;
    if (class == &cas_register_class)
        return call->operation == CAS_REGISTER_WRITE;
    /* One that runs may still answer which revision it gave the key. */
    return class == &map_class && configurations->object->key != VALUE_NIL &&
           (call->operation == MAP_PUT || call->operation == MAP_DELETE) &&
           known->stage == STAGE_COMPLETES && !call->result_known;
}

/* Adds the item in which those of its operations that are left open have taken effect that `which`
 * says, a bit each. False when refused. */
static bool spell(struct configurations *configurations, uint32_t number, uint64_t which)
{
    struct configurations *c = configurations;
    c->words.length = 0;
    const uint64_t *item = item_words(c, number);
    uint64_t header[ITEM_WORDS] = {[ITEM_STATE] = item[ITEM_STATE],
                                   [ITEM_BASE] = item[ITEM_BASE],
                                   [ITEM_SINCE] = item[ITEM_SINCE]};
    if (!vector_reserve(&c->words,
                        ITEM_WORDS + item[ITEM_TAKEN] + item[ITEM_MAYBE] + item[ITEM_SINCE]))
        return false;
    uint64_t *to = c->words.items + ITEM_WORDS;
    const uint64_t *taken = item + ITEM_WORDS, *maybe = item_maybe(item), *since = item_since(item);
    for (uint64_t i = 0, k = 0; i < item[ITEM_TAKEN] || k < item[ITEM_MAYBE];) {
        bool next = i < item[ITEM_TAKEN] && (k == item[ITEM_MAYBE] || taken[i] < maybe[k]);
        if (next || which >> k & 1)
            *to++ = next ? taken[i] : maybe[k];
        i += next;
        k += !next;
    }
    header[ITEM_TAKEN] = (uint64_t)(to - c->words.items) - ITEM_WORDS;
    memcpy(c->words.items, header, sizeof header);
    for (uint64_t i = 0; i < item[ITEM_SINCE]; i++)
        *to++ = since[i];
    c->words.length = (size_t)(to - c->words.items);
    return configurations_add_met(c, &c->next,
                                  arrays_intern(&c->items, c->words.items, c->words.length));
}

bool configurations_spell_out(struct configurations *configurations, size_t most)
{
    struct configurations *c = configurations;
    uint64_t count = 0;
    for (size_t i = 0; i < c->now.length && count <= most; i++) {
        const uint64_t maybe = item_words(c, c->now.items[i])[ITEM_MAYBE];
        count += maybe < 32 ? UINT64_C(1) << maybe : UINT64_MAX / 2;
    }
    if (count == c->now.length || count > most)
        return true;
    c->round++;
    c->next.length = c->alike.length = 0;
    for (size_t i = 0; i < c->now.length; i++) {
        const uint64_t maybe = item_words(c, c->now.items[i])[ITEM_MAYBE];
        for (uint64_t which = 0; which >> maybe == 0; which++)
            if (!spell(c, c->now.items[i], which))
                return false;
    }
    if (!vector_reserve(&c->now, c->next.length))
        return false;
    memcpy(c->now.items, c->next.items, c->next.length * sizeof *c->next.items);
    c->now.length = c->next.length;
    return true;
}
