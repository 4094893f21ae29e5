#include "property/possibilities.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

static void leave_alone(struct possibilities *possibilities, bool is_alone)
{
    shared_words_leave_alone(&possibilities->abouts, is_alone);
    shared_words_leave_alone(&possibilities->sets, is_alone);
}

void possibilities_init(struct possibilities *possibilities, struct budget *budget)
{
    *possibilities = (struct possibilities){0};
    shared_words_init(&possibilities->abouts, budget);
    shared_words_init(&possibilities->sets, budget);
    leave_alone(possibilities, true);
    possibilities->of = possibilities;
    possibility_set_init(&possibilities->set, budget);
    possibility_set_init(&possibilities->former, budget);
    vector_init(&possibilities->scratch, budget);
    recall_init(&possibilities->changed, budget);
    recall_init(&possibilities->turned, budget);
    recall_init(&possibilities->renamed, budget);
}

void possibilities_release(struct possibilities *possibilities)
{
    shared_words_release(&possibilities->abouts);
    shared_words_release(&possibilities->sets);
    possibility_set_release(&possibilities->set);
    possibility_set_release(&possibilities->former);
    vector_release(&possibilities->scratch);
    recall_release(&possibilities->changed);
    recall_release(&possibilities->turned);
    recall_release(&possibilities->renamed);
}

void possibilities_share(struct possibilities *possibilities, struct possibilities *of)
{
    possibilities->of = of;
    leave_alone(of, false);
}

uint32_t possibility_of(const struct possibilities *possibilities, possibility of, uint32_t thread)
{
    size_t length;
    const uint32_t *words = possibility_threads(possibilities, of, &length);
    for (size_t at = 0; at < length; at += 2) {
        assert(at == 0 || words[at - 2] < words[at]); /* by thread */
        if (words[at] == thread)
            return words[at + 1];
    }
    return POSSIBILITY_IDLE;
}

/* ---- sets under construction ---- */

#define FIRST_PLACES ((size_t)SIZE_OR_SMALL(64, 2))

void possibility_set_init(struct possibility_set *set, struct budget *budget)
{
    *set = (struct possibility_set){0};
    vectors_init(budget, &set->items, &set->places);
}

void possibility_set_release(struct possibility_set *set)
{
    vectors_release(&set->items, &set->places);
}

void possibility_set_start(struct possibility_set *set)
{
    set->items.length = 0;
    if (++set->mark == 0) {
        memset(set->places.items, 0, set->places.length * sizeof *set->places.items);
        set->mark = 1;
    }
}

bool possibility_set_grow(struct possibility_set *set)
{
    const size_t places = set->places.length ? 2 * set->places.length : FIRST_PLACES;
    if (!vector_reserve(&set->places, places))
        return false;
    memset(set->places.items, 0, places * sizeof *set->places.items);
    set->places.length = places;
    assert(set->mark > 0);
    for (size_t i = 0; i < set->items.length; i++)
        *possibility_set_place(set, set->items.items[i]) =
            (struct possibility_place){set->items.items[i], set->mark};
    return true;
}

/* ---- possibilities ---- */

static bool make(uint32_t own, uint32_t about, possibility *made)
{
    *made = possibility_make(own, about);
    return own < POSSIBILITY_OWN_MOST;
}

bool possibilities_make(struct possibilities *possibilities, possibility *made)
{
    assert(possibilities->scratch.length % 2 == 1); /* its own word, and two of each thread */
    const uint32_t *words = possibilities->scratch.items;
    const uint32_t about = shared_words_intern(&possibilities->of->abouts, words + 1,
                                               possibilities->scratch.length - 1);
    return about != UINT32_MAX && make(words[0], about, made);
}

void possibilities_start(struct possibilities *possibilities)
{
    possibility_set_start(&possibilities->set);
}

void possibilities_start_again(struct possibilities *possibilities)
{
    const struct possibility_set set = possibilities->set;
    possibilities->set = possibilities->former;
    possibilities->former = set;
    possibility_set_start(&possibilities->set);
}

bool possibilities_add(struct possibilities *possibilities)
{
    possibility made = 0;
    return possibilities_make(possibilities, &made) &&
           possibility_set_add(&possibilities->set, made);
}

bool possibilities_change_about(struct possibilities *possibilities, uint32_t about,
                                uint32_t thread, uint32_t word, uint32_t *changed)
{
    size_t length, from = 0, at = 0;
    const uint32_t *words = shared_words_get(&possibilities->of->abouts, about, &length);
    if (!vector_reserve(&possibilities->scratch, length + 2))
        return false;
    uint32_t *made = possibilities->scratch.items;
    for (; from < length && words[from] < thread; from += 2, at += 2)
        memcpy(made + at, words + from, 2 * sizeof *made);
    if (word != POSSIBILITY_IDLE) {
        made[at++] = thread;
        made[at++] = word;
    }
    if (from < length && words[from] == thread)
        from += 2;
    memcpy(made + at, words + from, (length - from) * sizeof *made);
    assert(from <= length && at <= from + 2);
    *changed = shared_words_intern(&possibilities->of->abouts, made, at + length - from);
    return *changed != UINT32_MAX &&
           recall_put(&possibilities->changed, (uint32_t[]){about, thread, word}, *changed, 0);
}

bool possibilities_put(struct possibilities *possibilities, possibility from, uint32_t own,
                       uint32_t thread, uint32_t word)
{
    possibility changed = 0;
    return possibilities_change(possibilities, from, own, thread, word, &changed) &&
           possibility_set_add(&possibilities->set, changed);
}

bool possibilities_turn(struct possibilities *possibilities, possibility from, turning by)
{
    size_t length;
    const uint32_t *words = possibility_threads(possibilities, from, &length);
    if (!vector_reserve(&possibilities->scratch, length + 1))
        return false;
    uint32_t *turned = possibilities->scratch.items;
    turned[0] = possibility_own(from);
    for (size_t i = 0; i < length; i += 2) {
        uint32_t thread = turning_of(by, words[i]);
        size_t at = 1 + i;
        for (; at > 1 && turned[at - 2] > thread; at -= 2)
            memcpy(turned + at, turned + at - 2, 2 * sizeof *turned);
        assert(at == 1 || turned[at - 2] < thread); /* a permutation: no thread twice */
        turned[at] = thread;
        turned[at + 1] = words[i + 1];
    }
    possibilities->scratch.length = 1 + length;
    return true;
}

bool possibilities_add_turned(struct possibilities *possibilities, possibility from,
                              struct renumbering by)
{
    possibility turned = 0;
    if (!possibilities_make(possibilities, &turned))
        return false;
    const uint32_t about[3] = {possibility_about(from), by.threads, by.values};
    const uint32_t own[3] = {possibility_own(from), by.values};
    return possibility_set_add(&possibilities->set, turned) &&
           recall_put(&possibilities->turned, about, possibility_about(turned), 0) &&
           recall_put(&possibilities->renamed, own, possibility_own(turned), 0);
}

bool possibilities_put_turned(struct possibilities *possibilities, possibility from,
                              struct renumbering by, bool *known)
{
    const uint32_t *about =
        recall_find(&possibilities->turned, possibility_about(from), by.threads, by.values);
    const uint32_t *own = recall_find(&possibilities->renamed, possibility_own(from), by.values, 0);
    *known = about && own;
    return !*known || possibility_set_add(&possibilities->set, possibility_make(*own, *about));
}

/* ---- stored sets ---- */

static int compare(const void *a, const void *b)
{
    const possibility left = *(const possibility *)a, right = *(const possibility *)b;
    return (left > right) - (left < right);
}

#define MOST_SORTED_BY_INSERTION SIZE_OR_SMALL(24, 2)

/* Most sets are small. */
static void sort(possibility *items, size_t count)
{
    if (count > MOST_SORTED_BY_INSERTION) {
        qsort(items, count, sizeof *items, compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const possibility item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Writes the words of a set to scratch. */
static bool write_row(struct possibilities *possibilities)
{
    const struct possibility_set *set = &possibilities->set;
    size_t length = 0;
    if (!vector_reserve(&possibilities->scratch, 2 * set->items.length))
        return false;
    uint32_t *words = possibilities->scratch.items;
    for (size_t i = 0; i < set->items.length; i++) {
        const uint32_t own = possibility_own(set->items.items[i]),
                       about = possibility_about(set->items.items[i]);
        if (own >> POSSIBILITY_OWN_BITS == 0 && about >> POSSIBILITY_ABOUT_BITS == 0) {
            words[length++] = own << POSSIBILITY_ABOUT_BITS | about;
        } else {
            words[length++] = POSSIBILITY_LONG | own;
            words[length++] = about;
        }
    }
    possibilities->scratch.length = length;
    return true;
}

bool possibilities_finish(struct possibilities *possibilities, normal_id *id)
{
    struct possibility_set *set = &possibilities->set;
    assert(set->items.length > 0);
    sort(set->items.items, set->items.length);
    if (!write_row(possibilities))
        return false;
    *id = shared_words_intern(&possibilities->of->sets, possibilities->scratch.items,
                              possibilities->scratch.length);
    return *id != UINT32_MAX;
}
