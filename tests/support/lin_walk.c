#include "support/lin_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

bool lin_walk_open(struct lin_walk *walk, const char *text)
{
    static const struct lin_options options = {.names = true};
    *walk = (struct lin_walk){0};
    const bool parsed =
        lin_fixture_open(&walk->fixture, text) && walk->fixture.module.assertions.length > 0;
    struct budget *budget = &walk->fixture.budget;
    walk->labels = labels_create(budget);
    word_arrays_init(&walk->states, budget);
    vector_init(&walk->taken, budget);
    if (!parsed || lin_instance_open(&walk->instance, &walk->fixture.module,
                                     &walk->fixture.module.assertions.items[0], &options,
                                     walk->labels, walk->fixture.pool, &walk->fixture.limits,
                                     &walk->fixture.error) != STATUS_OK)
        return false;
    uint32_t total = 1;
    walk->steps = &walk->instance.steps;
    for (uint32_t i = 0; i < walk->steps->pool_count; i++) {
        walk->starts[i] = total;
        total += walk->steps->pools[i].nodes;
    }
    walk->reached = bits_allocate(NULL, total);
    return walk->reached.words;
}

void lin_walk_close(struct lin_walk *walk)
{
    bits_release(NULL, walk->reached);
    vector_release(&walk->taken);
    word_arrays_release(&walk->states);
    if (walk->instance.module)
        lin_instance_close(&walk->instance);
    labels_destroy(walk->labels);
    lin_fixture_close(&walk->fixture);
    assert_int_equal(walk->fixture.budget.used, 0);
}

static uint32_t take(struct lin_walk *walk, const struct successors *next, size_t number)
{
    bool fresh;
    const uint32_t slots = walk->steps->slots;
    const uint32_t state =
        word_arrays_intern(&walk->states, next->states.items + number * slots, slots, &fresh);
    assert_int_not_equal(state, UINT32_MAX);
    return state;
}

void lin_walk_run(struct lin_walk *walk, uint32_t most_states)
{
    struct worker *worker = worker_create(&walk->instance.model.model);
    struct successors next;
    assert_non_null(worker);
    successors_init(&next, &walk->fixture.budget);
    bool goes_on = worker_initial(worker, &next, &walk->fixture.error) == STATUS_OK;
    for (size_t i = 0; goes_on && i < next.steps.length; i++)
        (void)take(walk, &next, i);
    for (uint32_t i = 0; goes_on && i < walk->states.items.length && i < most_states; i++) {
        successors_clear(&next);
        goes_on = worker_successors(worker, lin_walk_state(walk, i), &next, &walk->fixture.error) ==
                  STATUS_OK;
        for (size_t j = 0; goes_on && j < next.steps.length; j++) {
            const struct step *step = &next.steps.items[j];
            assert_true(vector_push(&walk->taken, ((struct lin_walk_step){
                                                      .from = i,
                                                      .to = take(walk, &next, j),
                                                      .thread = step->process,
                                                      .label = step->label,
                                                  })));
        }
    }
    successors_release(&next);
    worker_destroy(worker);
}

static void reach_from(struct lin_walk *walk, const uint32_t *state, uint32_t pool,
                       uint32_t reference)
{
    if (!reference || lin_walk_has_reached(walk, pool, reference - 1))
        return;
    const struct lin_pool *of = &walk->steps->pools[pool];
    bits_set(walk->reached, walk->starts[pool] + reference - 1);
    for (uint32_t i = 0; i < of->reference_count; i++)
        reach_from(walk, state, of->references[i].pool,
                   state[of->first + (reference - 1) * of->words + of->references[i].slot]);
}

void lin_walk_reach_without(struct lin_walk *walk, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = walk->steps;
    bits_clear_all(walk->reached);
    for (size_t i = 0; i < steps->shared_references.length; i++)
        reach_from(walk, state, steps->shared_references.items[i].pool,
                   state[steps->shared_references.items[i].slot]);
    for (uint32_t i = 0; i < steps->setting.threads; i++) {
        const uint32_t *own = thread_slots_of(steps, state, i);
        if (i == thread || !is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t j = 0; j < entry->reference_count; j++)
            reach_from(walk, state, entry->references[j].pool,
                       own[LIN_THREAD_HEADER + entry->references[j].slot]);
    }
}

bool lin_walk_has_reached(const struct lin_walk *walk, uint32_t pool, uint32_t node)
{
    return bits_get(walk->reached, walk->starts[pool] + node);
}
