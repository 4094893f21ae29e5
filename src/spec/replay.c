/* Replay through step, for classes without mutable objects of their own: the set of the states that
 * are possible after the calls so far. For a deterministic specification that is one state; for
 * another, states that are equal are merged after every call, so the set stays as small as the
 * specification's nondeterminism allows. */
#include "spec/replay.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/table.h"

struct spec_object {
    const struct spec *spec;
    struct budget *budget;
    struct outcomes now, next;
    struct table table; /* of items, while they are merged */
};

static struct spec_object *create(const struct spec *spec, struct budget *budget)
{
    struct spec_object *object = memory_zeroed(budget, sizeof *object);
    if (!object)
        return NULL;
    object->spec = spec;
    object->budget = budget;
    outcomes_init(&object->now, budget);
    outcomes_init(&object->next, budget);
    table_init(&object->table, budget);
    return object;
}

static struct spec_object *replay_open(const struct spec *spec, value key, struct budget *budget)
{
    struct spec_object *object = create(spec, budget);
    if (!object || spec->class->init(spec, key, &object->now))
        return object;
    replay_close(object);
    return NULL;
}

struct spec_object *replay_open_at(const struct spec *spec, const uint64_t *words, size_t length,
                                   struct budget *budget)
{
    struct spec_object *object = create(spec, budget);
    if (!object || outcomes_add(&object->now, words, length, VALUE_NIL))
        return object;
    replay_close(object);
    return NULL;
}

static const uint64_t *words_of(const struct outcomes *outcomes, size_t i)
{
    return outcomes->words.items + outcomes->items.items[i].start;
}

static bool same_state(const struct outcomes *outcomes, size_t i, size_t j)
{
    size_t length = outcomes->items.items[i].length;
    return outcomes->items.items[j].length == length &&
           memcmp(words_of(outcomes, i), words_of(outcomes, j), length * sizeof(uint64_t)) == 0;
}

/* Leaves one item of each state. */
static bool merge_states(struct spec_object *object, struct outcomes *outcomes)
{
    uint32_t kept = 0;
    table_clear(&object->table);
    for (size_t i = 0; i < outcomes->items.length; i++) {
        struct outcome *item = &outcomes->items.items[i];
        uint64_t hash = hash_bytes(words_of(outcomes, i), item->length * sizeof(uint64_t), 0);
        struct table_search search = table_search(&object->table, hash);
        bool known = false;
        while (!known && table_next(&search))
            known = same_state(outcomes, search.number, i);
        if (known)
            continue;
        outcomes->items.items[kept] = *item;
        if (!table_add(&object->table, hash, kept++))
            return false;
    }
    outcomes->items.length = kept;
    return true;
}

enum applied replay_apply(struct spec_object *object, const struct call *call, value *result)
{
    const struct spec *spec = object->spec;
    struct outcomes *now = &object->now, *next = &object->next;
    outcomes_clear(next);
    for (size_t i = 0; i < now->items.length; i++)
        if (!spec->class->step(spec, words_of(now, i), now->items.items[i].length, call, next))
            return APPLIED_REFUSED;
    if (next->items.length == 0)
        return APPLIED_ILLEGAL;
    if (next->items.length > 1 && !merge_states(object, next))
        return APPLIED_REFUSED;
    if (result)
        *result = next->items.items[0].result;
    struct outcomes swap = *now;
    *now = *next;
    *next = swap;
    return APPLIED_LEGAL;
}

void replay_close(struct spec_object *object)
{
    outcomes_release(&object->now);
    outcomes_release(&object->next);
    table_release(&object->table);
    memory_release(object->budget, object, sizeof *object);
}

struct spec_object *spec_open(const struct spec *spec, value key, struct budget *budget)
{
    return spec->class->open ? spec->class->open(spec, key, budget)
                             : replay_open(spec, key, budget);
}

enum applied spec_apply(const struct spec *spec, struct spec_object *object,
                        const struct call *call, value *result)
{
    return spec->class->apply ? spec->class->apply(object, call, result)
                              : replay_apply(object, call, result);
}

void spec_close(const struct spec *spec, struct spec_object *object)
{
    if (!object)
        return;
    if (spec->class->close)
        spec->class->close(object);
    else
        replay_close(object);
}
