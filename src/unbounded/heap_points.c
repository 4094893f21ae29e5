#include "unbounded/heap_points.h"

#include "base/log.h"
#include "unbounded/heap_alternatives.h"
#include "unbounded/heap_provided.h"
#include "unbounded/heap_retries.h"

/* Whether an operation has answers that change nothing. */
static bool may_only_read(const struct heap_search *search, uint32_t operation)
{
    if (search->points->specification) /* any moment does */
        return false;
    return method_roles_of(&search->roles, operation) & ~(1u << METHOD_ADDS);
}

/* Whether what an operation answers may be a value. One that does, and never changes anything,
 * reads what the automaton need not leave where it is: each of its steps is tried as its point. */
static bool answers_values(const struct heap_search *search, uint32_t operation)
{
    return !search->points->specification &&
           (method_roles_of(&search->roles, operation) & 1u << METHOD_ANSWERS);
}

/* Whether a step that changes something may be where an operation takes effect. */
static bool may_change(const struct heap_search *search, uint32_t operation)
{
    const struct heap_specification *specification = search->points->specification;
    return !specification || !specification->only_reads(specification->user, (uint16_t)operation);
}

/* Without an observer. Where a variable does not move on, once more without that. */
static enum status close_without_observer(struct heap_search *search, struct heap_proof *proof)
{
    const struct heap_points *points = search->points;
    heap_retries_use(&search->shape, UINT32_MAX);
    for (;;) {
        heap_proof_init(proof, points->system, &search->shape, NULL, NULL, points->budget,
                        points->limits, points->error);
        proof->specification = points->specification;
        const enum status status = heap_proof_run(proof);
        if (status != STATUS_OK || proof->failure.kind != HEAP_MOVED_BACK)
            return status;
        heap_retries_use(&search->shape,
                         heap_retries_variables(&search->shape) & ~proof->moved_back);
        heap_proof_release(proof);
    }
}

static enum status find_choices(struct heap_search *search)
{
    const struct heap_points *points = search->points;
    struct heap_proof proof;
    enum status status = close_without_observer(search, &proof);
    search->answer->kind = proof.failure.kind;
    search->answer->operation = proof.failure.operation;
    search->answer->at = proof.failure.at;
    search->answer->unable = proof.failure.kind == HEAP_TOO_LARGE ? proof.failure.reason : NULL;
    search->answer->path_length = heap_search_path(&proof, search->answer->path);
    for (size_t i = 0; i < proof.candidates.length; i++) {
        const struct heap_candidate *candidate = &proof.candidates.items[i];
        struct heap_choices *choices = &search->choices[candidate->operation];
        choices->has_given |= candidate->given;
        search->has_given |= candidate->given;
        if (candidate->changes && may_change(search, candidate->operation))
            heap_search_add_choice(choices->changing, &choices->changing_count, candidate->at);
        if (may_only_read(search, candidate->operation))
            heap_search_add_choice(choices->reading, &choices->reading_count, candidate->at);
    }
    const char *unable = heap_keep_locks(&proof, &search->shape);
    if (unable && search->answer->kind == HEAP_PROVED) {
        search->answer->is_not_provided = true;
        search->answer->kind = HEAP_TOO_LARGE;
        search->answer->unable = unable;
    }
    for (uint32_t i = 0; i < search->operations; i++) {
        struct heap_choices *choices = &search->choices[i];
        choices->only_reads = choices->changing_count == 0 && answers_values(search, i);
        if (!choices->changing_count || points->specification)
            heap_search_add_choice(choices->changing, &choices->changing_count, 0);
        for (uint32_t j = 0; choices->only_reads && j < choices->reading_count; j++)
            heap_search_add_choice(choices->changing, &choices->changing_count,
                                   choices->reading[j]);
        if (!choices->reading_count)
            heap_search_add_choice(choices->reading, &choices->reading_count, 0);
    }
    LOG(points->limits->log, "any heap: %zu views without an observer, %zu effects",
        proof.parents.length, proof.effects.length);
    heap_proof_release(&proof);
    return status;
}

static enum status make_alphabets(struct heap_search *search)
{
    const struct heap_points *points = search->points;
    search->observers = (uint32_t)points->automata->count;
    TRY(method_roles_find(points->system->steps->object, points->object, points->arena,
                          &search->roles, points->error));
    search->alphabets =
        arena_allocate(points->arena, points->automata->count * sizeof *search->alphabets);
    TRY_MEMORY(search->alphabets);
    for (size_t i = 0; i < points->automata->count; i++)
        TRY(alphabet_make(&points->automata->items[i], &search->roles, true, points->arena,
                          &search->alphabets[i]));
    return STATUS_OK;
}

enum status heap_points_find(const struct heap_points *points, struct heap_answer *answer)
{
    const struct lin_steps *steps = points->system->steps;
    struct heap_search search = {.points = points, .answer = answer};
    *answer = (struct heap_answer){0};
    answer->unable = heap_provide(points->system, &search.shape);
    search.operations = steps->object->operation_count;
    if (answer->unable) {
        answer->is_not_provided = true;
        answer->kind = HEAP_TOO_LARGE;
        return STATUS_OK;
    }
    if (points->specification)
        heap_shape_tell_numbers(&search.shape);
    else
        TRY(make_alphabets(&search));
    TRY(find_choices(&search));
    if (points->specification)
        search.observers = points->specification->parts(points->specification->user);
    if (answer->kind != HEAP_PROVED)
        return STATUS_OK;
    search.has_given &= !steps->helps; /* it is not known whose some are */
    search.given_helps = steps->notes_helps && !points->specification;
    if (search.given_helps)
        search.has_given = !steps->helps && heap_search_find_met(&search);
    search.proofs = arena_allocate(points->arena, (search.observers + 1) * sizeof *search.proofs);
    TRY_MEMORY(search.proofs);
    if (points->by_calls)
        return heap_search_calls(&search);
    TRY(heap_search_placements(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(heap_search_moments(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(heap_search_meetings(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(heap_search_spans(&search));
    if (search.best != SIZE_MAX && limits_reached(points->limits) == LIMIT_NONE)
        TRY(heap_search_calls(&search));
    return STATUS_OK;
}
