/* Others can tell what is shared, the nodes that they can reach, and their links. A node that
 * nobody else can reach is of no matter, nor that it was taken. */
#include "implementation/changes.h"

#include <string.h>

#include "implementation/canonical.h"

static bool differ(const uint32_t *before, const uint32_t *after, uint32_t count)
{
    return memcmp(before, after, count * sizeof *before) != 0;
}

/* Whether a node that others can reach is another one. False when refused. */
static bool changes_nodes(struct lin_worker *worker, uint32_t thread, bool *changes)
{
    const struct lin_steps *steps = worker->model->steps;
    const uint32_t *before = worker->before.items, *after = worker->after.items;
    uint32_t starts[MOST_POOLS];
    if (pool_starts(steps, starts) == 0)
        return true;
    if (!lin_mark_others(worker, before, thread))
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++) {
            uint32_t node = pool->first + j * pool->words;
            *changes |= worker->numbers.items[starts[i] + j] &&
                        differ(before + node, after + node, pool->words);
        }
    }
    return true;
}

label lin_label_change(struct lin_worker *worker, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    const uint32_t *before = worker->before.items, *after = worker->after.items;
    bool changes = differ(before, after, steps->heap_first);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        changes |= i != thread && differ(thread_slots_of(steps, before, i),
                                         thread_slots_of(steps, after, i), steps->thread_words);
    if (!changes && !changes_nodes(worker, thread, &changes))
        return LABEL_REFUSED;
    const struct action change = {.kind = LABEL_CHANGE, .components = &thread, .count = 1};
    return changes ? labels_intern(worker->model->model.labels, &change) : LABEL_TAU;
}

uint32_t lin_changer(const struct lin_model *model, label l)
{
    const struct action *event = labels_get(model->model.labels, l);
    return event->kind == LABEL_CHANGE ? event->components[0] : UINT32_MAX;
}
