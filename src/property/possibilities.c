/* What all threads are about is interned, for few such arrays make many possibilities; so are
 * these, pairs of words, and sets, arrays of their numbers, ascending. A set under construction has
 * each once: a mark by possibility says which set it was last added to. */
#include "property/possibilities.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

static void leave_alone(struct possibilities *possibilities, bool is_alone)
{
    shared_words_leave_alone(&possibilities->abouts, is_alone);
    shared_words_leave_alone(&possibilities->items, is_alone);
    shared_words_leave_alone(&possibilities->sets, is_alone);
}

void possibilities_init(struct possibilities *possibilities, struct budget *budget)
{
    *possibilities = (struct possibilities){0};
    shared_words_init(&possibilities->abouts, budget);
    shared_words_init_fixed(&possibilities->items, 2, budget);
    shared_words_init(&possibilities->sets, budget);
    leave_alone(possibilities, true);
    possibilities->of = possibilities;
    possibility_set_init(&possibilities->set, budget);
    vector_init(&possibilities->scratch, budget);
    recall_init(&possibilities->changed, budget);
    recall_init(&possibilities->turned, budget);
    recall_init(&possibilities->renamed, budget);
}

void possibilities_release(struct possibilities *possibilities)
{
    shared_words_release(&possibilities->abouts);
    shared_words_release(&possibilities->items);
    shared_words_release(&possibilities->sets);
    possibility_set_release(&possibilities->set);
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

uint32_t possibility_own(const struct possibilities *possibilities, uint32_t id)
{
    size_t ignored;
    return shared_words_get(&possibilities->of->items, id, &ignored)[0];
}

/* The number of what its threads are about. */
static uint32_t possibility_about(const struct possibilities *possibilities, uint32_t id)
{
    size_t ignored;
    return shared_words_get(&possibilities->of->items, id, &ignored)[1];
}

uint32_t possibility_of(const struct possibilities *possibilities, uint32_t id, uint32_t thread)
{
    size_t length;
    const uint32_t *words = possibility_threads(possibilities, id, &length);
    for (size_t at = 0; at < length; at += 2) {
        assert(at == 0 || words[at - 2] < words[at]); /* by thread */
        if (words[at] == thread)
            return words[at + 1];
    }
    return POSSIBILITY_IDLE;
}

void possibility_set_init(struct possibility_set *set, struct budget *budget)
{
    *set = (struct possibility_set){0};
    vectors_init(budget, &set->items, &set->marks);
}

void possibility_set_release(struct possibility_set *set)
{
    vectors_release(&set->items, &set->marks);
}

void possibility_set_start(struct possibility_set *set)
{
    set->items.length = 0;
    if (++set->mark == 0) {
        memset(set->marks.items, 0, set->marks.length * sizeof *set->marks.items);
        set->mark = 1;
    }
}

bool possibility_set_has(const struct possibility_set *set, uint32_t id)
{
    return id < set->marks.length && set->marks.items[id] == set->mark;
}

bool possibility_set_add(struct possibility_set *set, uint32_t id)
{
    while (set->marks.length <= id)
        if (!vector_push(&set->marks, 0))
            return false;
    if (set->marks.items[id] == set->mark)
        return true;
    set->marks.items[id] = set->mark;
    return vector_push(&set->items, id);
}

static bool intern(struct possibilities *possibilities, uint32_t own, uint32_t about, uint32_t *id)
{
    *id = shared_words_intern(&possibilities->of->items, (uint32_t[]){own, about}, 2);
    return *id != UINT32_MAX;
}

bool possibilities_intern(struct possibilities *possibilities, uint32_t *id)
{
    assert(possibilities->scratch.length % 2 == 1); /* its own word, and two of each thread */
    const uint32_t *made = possibilities->scratch.items;
    const uint32_t about = shared_words_intern(&possibilities->of->abouts, made + 1,
                                               possibilities->scratch.length - 1);
    if (about == UINT32_MAX)
        return false;
    return intern(possibilities, made[0], about, id);
}

void possibilities_start(struct possibilities *possibilities)
{
    possibility_set_start(&possibilities->set);
}

bool possibilities_add(struct possibilities *possibilities)
{
    uint32_t id = 0;
    return possibilities_intern(possibilities, &id) && possibility_set_add(&possibilities->set, id);
}

/* What threads are about once one is about something else. */
static bool change_about(struct possibilities *possibilities, uint32_t about, uint32_t thread,
                         uint32_t word, uint32_t *changed)
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

bool possibilities_change(struct possibilities *possibilities, uint32_t id, uint32_t own,
                          uint32_t thread, uint32_t word, uint32_t *changed)
{
    const uint32_t about = possibility_about(possibilities, id);
    const uint32_t *known = recall_find(&possibilities->changed, about, thread, word);
    uint32_t made = known ? *known : 0;
    return (known || change_about(possibilities, about, thread, word, &made)) &&
           intern(possibilities, own, made, changed);
}

bool possibilities_put(struct possibilities *possibilities, uint32_t id, uint32_t own,
                       uint32_t thread, uint32_t word)
{
    uint32_t changed = 0;
    return possibilities_change(possibilities, id, own, thread, word, &changed) &&
           possibility_set_add(&possibilities->set, changed);
}

bool possibilities_turn(struct possibilities *possibilities, uint32_t id, turning by)
{
    size_t length;
    const uint32_t *words = possibility_threads(possibilities, id, &length);
    if (!vector_reserve(&possibilities->scratch, length + 1))
        return false;
    uint32_t *turned = possibilities->scratch.items;
    turned[0] = possibility_own(possibilities, id);
    for (size_t from = 0; from < length; from += 2) {
        uint32_t thread = turning_of(by, words[from]);
        size_t at = 1 + from;
        for (; at > 1 && turned[at - 2] > thread; at -= 2)
            memcpy(turned + at, turned + at - 2, 2 * sizeof *turned);
        assert(at == 1 || turned[at - 2] < thread); /* a permutation: no thread twice */
        turned[at] = thread;
        turned[at + 1] = words[from + 1];
    }
    possibilities->scratch.length = 1 + length;
    return true;
}

bool possibilities_add_turned(struct possibilities *possibilities, uint32_t id,
                              struct renumbering by)
{
    uint32_t turned = 0;
    if (!possibilities_intern(possibilities, &turned))
        return false;
    const uint32_t about[3] = {possibility_about(possibilities, id), by.threads, by.values};
    const uint32_t own[3] = {possibility_own(possibilities, id), by.values};
    return possibility_set_add(&possibilities->set, turned) &&
           recall_put(&possibilities->turned, about, possibility_about(possibilities, turned), 0) &&
           recall_put(&possibilities->renamed, own, possibility_own(possibilities, turned), 0);
}

bool possibilities_put_turned(struct possibilities *possibilities, uint32_t id,
                              struct renumbering by, bool *known)
{
    uint32_t turned = 0;
    const uint32_t *about = recall_find(
        &possibilities->turned, possibility_about(possibilities, id), by.threads, by.values);
    const uint32_t *own =
        recall_find(&possibilities->renamed, possibility_own(possibilities, id), by.values, 0);
    *known = about && own;
    return !*known || (intern(possibilities, *own, *about, &turned) &&
                       possibility_set_add(&possibilities->set, turned));
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

#define FEW SIZE_OR_SMALL(24, 2)

/* Most sets are small. */
static void sort(uint32_t *ids, size_t count)
{
    if (count > FEW) {
        qsort(ids, count, sizeof *ids, compare_ids);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const uint32_t id = ids[i];
        size_t at = i;
        for (; at > 0 && ids[at - 1] > id; at--)
            ids[at] = ids[at - 1];
        ids[at] = id;
    }
}

bool possibilities_finish(struct possibilities *possibilities, normal_id *id)
{
    struct possibility_set *set = &possibilities->set;
    assert(set->items.length > 0 && set->items.length <= set->marks.length);
    sort(set->items.items, set->items.length);
    *id = shared_words_intern(&possibilities->of->sets, set->items.items, set->items.length);
    return *id != UINT32_MAX;
}
