/* Makes what the forward engine hands out: a certificate of its antichain, or a run, followed back
 * from the target through the steps and accelerations that led there. */

#include "petri/forward.h"

#include "petri/forward_state.h"
#include <assert.h>

#define DEEPEST 2000 /* accelerations within accelerations */

/* ---- the certificate ---- */

static bool add_marking(const struct forward *forward, const struct node *node,
                        struct certificate *certificate)
{
    const struct problem *problem = forward->problem;
    size_t length = node->control != NET_NONE, at = 0;
    for (size_t i = 0; i < problem->counter_count; i++)
        length += node->counts[i] > 0;
    struct arc *items = arena_allocate(&certificate->arena, length * sizeof *items);
    if (!items)
        return false;
    if (node->control != NET_NONE)
        items[at++] = (struct arc){problem->controls[node->control], 1};
    for (size_t i = 0; i < problem->counter_count; i++)
        if (node->counts[i])
            items[at++] = (struct arc){problem->counters[i], node->counts[i]};
    struct arcs marking = {items, (uint32_t)arcs_normalise(items, length)};
    return vector_push(&certificate->markings, marking);
}

enum status forward_certificate(const struct forward *forward, struct certificate *certificate)
{
    const struct problem *problem = forward->problem;
    const struct concurrency *pairs = &problem->pairs;
    assert(forward->state == ENGINE_SAFE && forward->queue.heap.length == 0);
    certificate->kind = CERTIFICATE_COVER;
    certificate->pairs = pairs;
    certificate->free = bits_in_arena(&certificate->arena, pairs->places);
    TRY_MEMORY(certificate->free.words);
    bits_add(certificate->free, pairs->live);
    for (uint32_t p = 0; p < pairs->places; p++)
        if (problem->control_of[p] != NET_NONE || problem->counter_of[p] != NET_NONE)
            bits_clear(certificate->free, p);
    for (size_t i = 0; i < forward->nodes.length; i++)
        if (forward->nodes.items[i].alive &&
            !add_marking(forward, &forward->nodes.items[i], certificate))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* ---- the run ---- */

/* A run is made from its end: what must be there so that the rest can follow. An acceleration is
 * repeated until no more is demanded of what it grows than it needs itself. */
struct tracing {
    const struct forward *forward;
    uint32_t *demand; /* by counter */
    struct run *run;  /* backwards */
    size_t most;
    unsigned depth;
    bool failed; /* too long, too many tokens, too deep, or refused */
};

static void undo(struct tracing *tracing, uint32_t word);

static void undo_step(struct tracing *tracing, const struct problem_step *step)
{
    for (uint32_t i = 0; i < step->change_count; i++) {
        uint32_t *at = &tracing->demand[step->changes[i].counter];
        int64_t less = (int64_t)*at - step->changes[i].delta;
        tracing->failed = tracing->failed || less > NET_MOST_TOKENS;
        *at = less < 0 ? 0 : (uint32_t)less;
    }
    for (uint32_t i = 0; i < step->take_count; i++)
        if (tracing->demand[step->takes[i].counter] < step->takes[i].count)
            tracing->demand[step->takes[i].counter] = step->takes[i].count;
    if (tracing->run->transitions.length >= tracing->most ||
        !vector_push(&tracing->run->transitions, step->transition))
        tracing->failed = true;
}

static void undo_words(struct tracing *tracing, uint32_t begin, uint32_t end)
{
    for (uint32_t i = end; i-- > begin && !tracing->failed;)
        undo(tracing, tracing->forward->words.items[i]);
}

static uint32_t demanded(const struct demand *demand, uint32_t counter)
{
    for (uint32_t i = 0; i < demand->count; i++)
        if (demand->items[i].counter == counter)
            return demand->items[i].count;
    return 0;
}

static bool demands_more(const struct tracing *tracing, const struct acceleration *acceleration)
{
    for (uint32_t i = 0; i < acceleration->grown_count; i++) {
        uint32_t counter = acceleration->grown[i];
        if (tracing->demand[counter] &&
            tracing->demand[counter] > demanded(&acceleration->demand, counter))
            return true;
    }
    return false;
}

static void undo_acceleration(struct tracing *tracing, const struct acceleration *acceleration)
{
    const struct forward *forward = tracing->forward;
    if (++tracing->depth > DEEPEST)
        tracing->failed = true;
    while (!tracing->failed && demands_more(tracing, acceleration)) {
        undo_words(tracing, acceleration->words, acceleration->word_end);
        for (uint32_t n = acceleration->last; n != acceleration->ancestor && !tracing->failed;) {
            const struct node *node = &forward->nodes.items[n];
            undo_words(tracing, node->words, node->word_end);
            n = node->parent;
        }
    }
    tracing->depth--;
}

static void undo(struct tracing *tracing, uint32_t word)
{
    const struct forward *forward = tracing->forward;
    if (word & WORD_ACCELERATION)
        undo_acceleration(tracing, &forward->accelerations.items[word & ~WORD_ACCELERATION]);
    else
        undo_step(tracing, &forward->problem->steps.items[word]);
}

static void trace(struct tracing *tracing)
{
    const struct forward *forward = tracing->forward;
    const struct demand *target = &forward->problem->targets.items[forward->goal_target];
    for (uint32_t i = 0; i < target->count; i++)
        tracing->demand[target->items[i].counter] = target->items[i].count;
    for (uint32_t n = forward->goal; n != NET_NONE && !tracing->failed;) {
        const struct node *node = &forward->nodes.items[n];
        undo_words(tracing, node->words, node->word_end);
        n = node->parent;
    }
}

enum status forward_run(const struct forward *forward, struct budget *budget, size_t most,
                        struct run *run)
{
    const struct problem *problem = forward->problem;
    size_t bytes = problem->counter_count * sizeof(uint32_t);
    struct tracing tracing = {
        .forward = forward, .demand = memory_zeroed(budget, bytes), .run = run, .most = most};
    assert(forward->state == ENGINE_UNSAFE && forward->goal < forward->nodes.length);
    TRY_MEMORY(tracing.demand);
    run->transitions.length = 0;
    trace(&tracing);
    uint32_t *items = run->transitions.items;
    for (size_t i = 0, j = run->transitions.length; i + 1 < j; i++) {
        uint32_t last = items[--j];
        items[j] = items[i];
        items[i] = last;
    }
    run_begin(problem, tracing.demand, run);
    memory_release(budget, tracing.demand, bytes);
    return tracing.failed ? STATUS_LIMIT : STATUS_OK;
}
