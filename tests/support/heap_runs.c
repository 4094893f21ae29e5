#include "support/heap_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "implementation/state.h"
#include "unbounded/heap_steps.h"

#define MOST_ALONE 400

void heap_mark(const struct lin_steps *code, const uint32_t *words, uint32_t pool,
               uint32_t reference, uint64_t *marked)
{
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    if (!reference || (*marked >> (starts[pool] + reference - 1) & 1))
        return;
    *marked |= UINT64_C(1) << (starts[pool] + reference - 1);
    const uint32_t *node =
        words + code->pools[pool].first + (reference - 1) * code->pools[pool].words;
    for (uint32_t i = 0; i < code->pools[pool].reference_count; i++)
        heap_mark(code, words, code->pools[pool].references[i].pool,
                  node[code->pools[pool].references[i].slot], marked);
}

static uint64_t live_nodes(const struct lin_steps *code, const uint32_t *words)
{
    uint32_t starts[MOST_POOLS];
    uint64_t live = 0;
    (void)pool_starts(code, starts);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++)
            if (words[code->pools[p].first + n * code->pools[p].words] == LIN_NODE_LIVE)
                live |= UINT64_C(1) << (starts[p] + n);
    return live;
}

/* What shared variables and nodes that are nobody's own lead to. */
static uint64_t published(const struct lin_steps *code, const uint32_t *words, uint64_t own)
{
    uint32_t starts[MOST_POOLS];
    uint64_t marked = 0;
    (void)pool_starts(code, starts);
    for (size_t i = 0; i < code->shared_references.length; i++)
        heap_mark(code, words, code->shared_references.items[i].pool,
                  words[code->shared_references.items[i].slot], &marked);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++) {
            const uint32_t *node = words + code->pools[p].first + n * code->pools[p].words;
            if (node[0] != LIN_NODE_LIVE || (own >> (starts[p] + n) & 1))
                continue;
            for (uint32_t i = 0; i < code->pools[p].reference_count; i++)
                heap_mark(code, words, code->pools[p].references[i].pool,
                          node[code->pools[p].references[i].slot], &marked);
        }
    return marked;
}

static const struct thread_moves *moves_of(const struct heap_subject *subject, uint32_t shared,
                                           uint32_t local)
{
    const struct thread_moves *moves;
    struct error error;
    assert_int_equal(thread_system_expand(subject->system, shared, local, &moves, &error),
                     STATUS_OK);
    return moves;
}

struct thread_move heap_run_alone(const struct heap_subject *subject, uint32_t shared,
                                  uint32_t local)
{
    for (unsigned i = 0; i < MOST_ALONE; i++) {
        const struct thread_moves *moves = moves_of(subject, shared, local);
        if (moves->count != 1 || moves->items[0].ending)
            break;
        if (moves->items[0].answer)
            return moves->items[0];
        shared = moves->items[0].next_shared;
        local = moves->items[0].next_local;
    }
    return (struct thread_move){0};
}

/* Behind a move of a thread: who has made true what is true. */
static void note_held(const struct heap_subject *subject, const uint32_t *before,
                      struct heap_walk_step *now)
{
    const struct lin_steps *code = subject->system->steps;
    const uint32_t *after = thread_system_shared(subject->system, now->shared);
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    for (uint32_t i = 0; i < code->heap_first; i++)
        for (uint32_t t = 0; before[i] != after[i] && t < HEAP_RUN_THREADS; t++) {
            now->held[t] &= ~(1u << i);
            if (t == now->thread && after[i] && (subject->shape->locks >> i & 1))
                now->held[t] |= 1u << i;
        }
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++)
            for (uint32_t f = 0; f + 1 < code->pools[p].words; f++) {
                const uint32_t word = code->pools[p].first + n * code->pools[p].words + 1 + f;
                for (uint32_t t = 0; before[word] != after[word] && t < HEAP_RUN_THREADS; t++) {
                    uint8_t *held = &now->held_fields[t][starts[p] + n];
                    *held &= (uint8_t) ~(1u << f);
                    if (t == now->thread && after[word] &&
                        (subject->shape->lock_fields[p] >> f & 1))
                        *held |= (uint8_t)(1u << f);
                }
            }
}

/* ---- what a thread sees ---- */

/* With where each node of a row is in the view; 1 + its index. False if there are too many. */
static bool see(const struct heap_subject *subject, const struct heap_walk_step *state,
                uint32_t thread, uint64_t roots, struct heap_view *view,
                uint32_t index[HEAP_RUN_NODES])
{
    const struct lin_steps *code = subject->system->steps;
    const uint32_t *words = thread_system_shared(subject->system, state->shared);
    const uint32_t *local = thread_system_local(subject->system, state->local[thread]);
    uint32_t starts[MOST_POOLS];
    uint64_t seen = 0;
    memset(index, 0, HEAP_RUN_NODES * sizeof *index);
    (void)pool_starts(code, starts);
    for (size_t i = 0; i < code->shared_references.length; i++)
        heap_mark(code, words, code->shared_references.items[i].pool,
                  words[code->shared_references.items[i].slot], &seen);
    const uint16_t operation = thread_system_operation(subject->system, state->local[thread]);
    const struct lin_entry *entry = operation == UINT16_MAX ? NULL : &code->entries[operation];
    for (uint32_t i = 0; entry && i < entry->reference_count; i++)
        heap_mark(code, words, entry->references[i].pool,
                  local[LIN_THREAD_HEADER + entry->references[i].slot], &seen);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes && starts[p] + n < HEAP_RUN_NODES; n++)
            if (roots >> (starts[p] + n) & 1)
                heap_mark(code, words, p, 1 + n, &seen);
    *view = (struct heap_view){.held = state->held[thread]};
    memcpy(view->shared, words, code->heap_first * sizeof *words);
    memcpy(view->thread, local, code->thread_words * sizeof *words);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++) {
            const uint32_t row = starts[p] + n;
            if (row >= HEAP_RUN_NODES || !(seen >> row & 1))
                continue;
            struct heap_node node = {.pool = (uint16_t)p,
                                     .own = state->own[thread] >> row & 1,
                                     .held = state->held_fields[thread][row]};
            memcpy(node.fields, words + code->pools[p].first + n * code->pools[p].words + 1,
                   (code->pools[p].words - 1) * sizeof *words);
            const uint32_t at = heap_view_add(view, &node);
            if (at == HEAP_GONE)
                return false;
            index[row] = 1 + at;
        }
    for (uint32_t i = 0; i < view->count; i++) {
        const struct lin_pool *pool = &code->pools[view->nodes[i].pool];
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            uint32_t *field = &view->nodes[i].fields[pool->references[j].slot - 1];
            *field = *field ? index[starts[pool->references[j].pool] + *field - 1] : 0;
        }
    }
    for (size_t i = 0; i < code->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &code->shared_references.items[i];
        uint32_t *word = &view->shared[slot->slot];
        *word = *word ? index[starts[slot->pool] + *word - 1] : 0;
    }
    for (uint32_t i = 0; entry && i < entry->reference_count; i++) {
        uint32_t *word = &view->thread[LIN_THREAD_HEADER + entry->references[i].slot];
        *word = *word ? index[starts[entry->references[i].pool] + *word - 1] : 0;
    }
    return true;
}

bool heap_run_view(const struct heap_subject *subject, const struct heap_walk_step *state,
                   uint32_t thread, uint32_t observer, uint32_t promise, struct heap_view *view)
{
    uint32_t index[HEAP_RUN_NODES];
    const bool room = see(subject, state, thread, 0, view, index);
    view->observer = observer;
    view->promise = promise;
    return room;
}

bool heap_run_view_with(const struct heap_subject *subject, const struct heap_walk_step *state,
                        uint32_t thread, const uint32_t *roots, uint32_t root_count,
                        struct heap_view *view, uint32_t rows[HEAP_MOST_NODES])
{
    uint32_t index[HEAP_RUN_NODES];
    uint64_t all = 0;
    for (uint32_t i = 0; i < root_count; i++)
        all |= roots[i] ? UINT64_C(1) << (roots[i] - 1) : 0;
    const bool room = see(subject, state, thread, all, view, index);
    view->root_count = root_count;
    for (uint32_t i = 0; i < root_count; i++)
        view->roots[i] = roots[i] ? index[roots[i] - 1] : 0;
    for (uint32_t i = 0; i < HEAP_RUN_NODES; i++)
        if (index[i])
            rows[index[i] - 1] = i;
    return room;
}

/* ---- runs ---- */

/* A thread that does not see a node any more does not know either that it has taken its lock,
 * should it come to see it again. */
static void forget_unseen(const struct heap_subject *subject, struct heap_walk_step *now,
                          uint32_t thread)
{
    struct heap_view view;
    uint32_t index[HEAP_RUN_NODES], moved[HEAP_MOST_NODES];
    bool holds = false;
    for (uint32_t i = 0; i < HEAP_RUN_NODES; i++)
        holds |= now->held_fields[thread][i] != 0;
    if (!holds || !see(subject, now, thread, 0, &view, index) ||
        !heap_view_arrange(subject->shape, &view, moved))
        return;
    for (uint32_t i = 0; i < HEAP_RUN_NODES; i++)
        if (!index[i] || moved[index[i] - 1] == HEAP_GONE)
            now->held_fields[thread][i] = 0;
}

void heap_run_make(const struct heap_subject *subject, struct random *random, struct heap_walk *run)
{
    const struct lin_steps *code = subject->system->steps;
    struct heap_walk_step now = {
        .shared = subject->system->initial
                      .items[random_below(random, (uint32_t)subject->system->initial.length)],
        .ends = UINT32_MAX};
    uint32_t length = 20 + random_below(random, HEAP_RUN_STEPS - 20);
    const uint32_t most = 1 + random_below(random, subject->adds_by_calls ? 30 : 12),
                   more = 1 + random_below(random, 4);
    run->threads = 1 + random_below(random, HEAP_RUN_THREADS);
    run->length = 0;
    for (uint32_t t = 0; t < HEAP_RUN_THREADS; t++)
        now.local[t] = subject->system->kinds.items[0].idle;
    now.thread = random_below(random, run->threads);
    uint32_t added = 0, brought = 0;
    while (run->length < length) {
        if (random_below(random, more) == 0)
            now.thread = random_below(random, run->threads);
        const struct thread_moves *moves = moves_of(subject, now.shared, now.local[now.thread]);
        if (moves->count == 0) { /* it waits */
            now.thread = random_below(random, run->threads);
            length--;
            continue;
        }
        uint32_t number = random_below(random, moves->count);
        for (uint32_t i = 0; subject->distinct && i < moves->count && moves->items[number].calls &&
                             brought >> moves->items[number].argument & 1;
             i++)
            number = (number + 1) % moves->count;
        now.move = &moves->items[number];
        if ((subject->values && !thread_move_brings_only(now.move, subject->values)) ||
            (now.move->calls && (now.move->argument || subject->adds_by_calls) && ++added > most)) {
            length--;
            continue;
        }
        if (now.move->ending)
            break;
        if (now.move->calls && now.move->argument)
            brought |= 1u << now.move->argument;
        run->steps[run->length++] = now;
        const uint64_t before = live_nodes(code, thread_system_shared(subject->system, now.shared));
        now.shared = now.move->next_shared;
        now.local[now.thread] = now.move->next_local;
        note_held(subject, thread_system_shared(subject->system, now.move->shared), &now);
        const uint32_t *words = thread_system_shared(subject->system, now.shared);
        uint64_t own = live_nodes(code, words) & ~before;
        now.own[now.thread] |= own;
        for (uint32_t t = 0; t < run->threads; t++)
            now.own[t] &= ~published(code, words, now.own[t]);
        for (uint32_t t = 0; t < run->threads; t++)
            forget_unseen(subject, &now, t);
    }
    run->steps[run->length] = now;
    /* what ends what */
    uint32_t ends[HEAP_RUN_THREADS];
    memset(ends, 0xff, sizeof ends);
    for (uint32_t i = run->length; i-- > 0;) {
        struct heap_walk_step *step = &run->steps[i];
        if (step->move->answer)
            ends[step->thread] = i;
        step->ends = ends[step->thread];
        if (step->move->calls)
            ends[step->thread] = UINT32_MAX;
    }
    for (uint32_t t = 0; t < run->threads; t++)
        if (!thread_system_is_idle(subject->system, now.local[t]))
            run->alone[t] = heap_run_alone(subject, now.shared, now.local[t]);
}

bool heap_run_changes(const struct heap_subject *subject, const struct heap_walk_step *step)
{
    const struct lin_steps *code = subject->system->steps;
    const struct heap_shape *shape = subject->shape;
    const uint32_t *before = thread_system_shared(subject->system, step->move->shared);
    const uint32_t *after = thread_system_shared(subject->system, step->move->next_shared);
    uint32_t starts[MOST_POOLS];
    const uint64_t live = live_nodes(code, before) & ~step->own[step->thread];
    bool differ = false;
    (void)pool_starts(code, starts);
    for (uint32_t i = 0; i < code->heap_first; i++)
        differ |= before[i] != after[i] && !(shape->private_locks >> i & 1);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes && starts[p] + n < HEAP_RUN_NODES; n++)
            for (uint32_t f = 0; f + 1 < code->pools[p].words; f++) {
                const uint32_t word = code->pools[p].first + n * code->pools[p].words + 1 + f;
                differ |= (live >> (starts[p] + n) & 1) && before[word] != after[word] &&
                          !(shape->private_fields[p] >> f & 1);
            }
    return differ;
}

uint32_t heap_run_at(const struct heap_subject *subject, const struct heap_walk_step *step)
{
    const uint32_t local = step->local[step->thread];
    return thread_system_is_idle(subject->system, local)
               ? heap_first_step(subject->system->steps, step->move->operation)
               : thread_system_local(subject->system, local)[LIN_THREAD_AT];
}
