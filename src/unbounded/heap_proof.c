#include "unbounded/heap_proof.h"

#include <string.h>

#include "unbounded/heap_observers.h"
#include "unbounded/heap_retries.h"
#include "unbounded/heap_spans.h"

#define NONE UINT32_MAX

void heap_proof_init(struct heap_proof *proof, struct thread_system *system,
                     const struct heap_shape *shape, const struct alphabet *alphabet,
                     const struct heap_placement *placement, struct budget *budget,
                     const struct limits *limits, struct error *error)
{
    *proof = (struct heap_proof){.alphabet = alphabet,
                                 .placement = placement,
                                 .initial = alphabet ? alphabet->automaton->initial : 0,
                                 .budget = budget,
                                 .limits = limits,
                                 .error = error};
    heap_steps_init(&proof->steps, system, shape, budget);
    proof->steps.shape.plain = alphabet ? 31 - (uint32_t)__builtin_clz(alphabet->colours) : 1;
    if (placement)
        heap_retries_place(&proof->steps.shape, placement);
    word_arrays_init(&proof->views, budget);
    word_arrays_init(&proof->groups, budget);
    word_arrays_init(&proof->effect_words, budget);
    vectors_init(budget, &proof->parents, &proof->group_of, &proof->next_view, &proof->first_view,
                 &proof->effects, &proof->next_effect);
    vectors_init(budget, &proof->first_effect, &proof->effect_group, &proof->candidates);
    vectors_init(budget, &proof->causes, &proof->effect_at);
    arena_init(&proof->arena, budget);
}

void heap_proof_watch(struct heap_proof *proof)
{
    proof->watches = true;
    proof->initial = HEAP_WATCH_NOT_CALLED;
}

void heap_proof_release(struct heap_proof *proof)
{
    heap_steps_release(&proof->steps);
    word_arrays_release(&proof->views);
    word_arrays_release(&proof->groups);
    word_arrays_release(&proof->effect_words);
    vectors_release(&proof->parents, &proof->group_of, &proof->next_view, &proof->first_view,
                    &proof->effects, &proof->next_effect);
    vectors_release(&proof->first_effect, &proof->effect_group, &proof->candidates);
    vectors_release(&proof->causes, &proof->effect_at);
    arena_release(&proof->arena);
}

bool heap_proof_covers(const struct heap_proof *proof, const struct heap_view *view)
{
    uint32_t words[HEAP_MOST_WORDS];
    if (heap_closure_is_dead(proof, view))
        return true;
    const size_t count = heap_view_write(&proof->steps.shape, view, words);
    return word_arrays_find(&proof->views, words, count) != NONE;
}

/* ---- closing ---- */

static enum status expand(struct heap_proof *proof, uint32_t number)
{
    struct heap_view view;
    struct heap_taking taking = {.proof = proof, .number = number, .view = &view};
    heap_closure_get(proof, number, &view);
    TRY(heap_steps_of(&proof->steps, &view, heap_observe, &taking, proof->error));
    if (proof->steps.failure)
        heap_closure_fail_for_size(proof, number, proof->steps.failure);
    return STATUS_OK;
}

uint32_t heap_proof_path(const struct heap_proof *proof, struct heap_cause path[HEAP_MOST_CAUSES])
{
    uint32_t count = 0, view = proof->failure.view;
    for (uint32_t v = view; v != NONE && proof->parents.items[v] != NONE;
         v = proof->parents.items[v])
        count++;
    uint32_t left = count < HEAP_MOST_CAUSES ? count : HEAP_MOST_CAUSES;
    for (; left > 0; view = proof->parents.items[view])
        path[--left] = proof->causes.items[view];
    return count;
}

enum status heap_proof_run(struct heap_proof *proof)
{
    struct thread_system *system = proof->steps.system;
    size_t views = 0, effects = 0;
    if (proof->alphabet)
        proof->once = heap_find_once(proof->alphabet);
    if (proof->alphabet && !proof->placement->meets)
        heap_find_adds(proof->alphabet, proof->steps.shape.steps->object->operation_count,
                       proof->adds);
    for (uint32_t i = 0; i < system->initial.length; i++) {
        struct heap_view view;
        TRY(heap_steps_initial(&proof->steps, i, &view));
        if (proof->steps.failure) {
            heap_closure_fail_for_size(proof, NONE, proof->steps.failure);
            break;
        }
        view.observer = proof->placement ? proof->initial : 0;
        view.root_count = proof->steps.shape.ghosts;
        heap_closure_add(proof, &view, NONE);
    }
    while (!proof->refused && proof->failure.kind == HEAP_PROVED &&
           (views < proof->parents.length || effects < proof->effects.length)) {
        if (heap_closure_is_out_of_time(proof))
            break;
        if (views < proof->parents.length) {
            const uint32_t view = (uint32_t)views++;
            TRY(expand(proof, view));
            for (uint32_t e = proof->first_effect.items[proof->group_of.items[view]];
                 e != NONE && proof->failure.kind == HEAP_PROVED; e = proof->next_effect.items[e])
                if (e < effects)
                    heap_closure_apply(proof, e, view);
        } else {
            const uint32_t effect = (uint32_t)effects++;
            for (uint32_t v = proof->first_view.items[proof->effect_group.items[effect]];
                 v != NONE && proof->failure.kind == HEAP_PROVED; v = proof->next_view.items[v])
                if (v < views)
                    heap_closure_apply(proof, effect, v);
        }
    }
    return proof->refused ? STATUS_LIMIT : STATUS_OK;
}
