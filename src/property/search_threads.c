#include "property/search_threads.h"

#include <assert.h>

#include "base/parallel.h"
#include "explore/rounds.h"

#define NOT_NEW UINT32_MAX

/* So many parts that two threads rarely look at one, and so few that what is looked at of each
 * stays near. */
#define PARTS_A_THREAD 16

void search_threads_init(struct search_threads *threads, const struct search_threads_class *class,
                         void *self, struct graph *graph, struct nodes *nodes,
                         struct budget *budget)
{
    *threads =
        (struct search_threads){.class = class, .self = self, .graph = graph, .nodes = nodes};
    vector_init(&threads->batches, budget);
}

void search_threads_release(struct search_threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        struct search_thread *thread = &threads->items[i];
        threads->graph->own.exhausted |= thread->expander.exhausted;
        graph_counts_add(&threads->graph->own.counts, &thread->expander.counts);
        vector_release(&thread->found);
        if (thread->expander.hashes.budget) /* it was created */
            expander_release(&thread->expander);
    }
    memory_release(threads->batches.budget, threads->items,
                   threads->count * sizeof *threads->items);
    vector_release(&threads->batches);
    threads->items = NULL;
    threads->count = 0;
}

bool search_threads_may_share(const struct graph *graph)
{
    return !graph->keeps_offers && !graph->skips;
}

/* ---- beginning ---- */

static uint32_t part_bits(unsigned threads)
{
    uint32_t bits = 0;
    while (bits < SEARCH_PART_BITS_MOST && UINT32_C(1) << bits < PARTS_A_THREAD * threads)
        bits++;
    return bits;
}

/* The nodes have the states of the divided graph, and are in the divided set. */
static enum status add_again(struct nodes *nodes, const state_id *numbers)
{
    TRY(nodes_renumber(nodes, numbers));
    for (uint32_t i = 0; i < nodes->items.length; i++) {
        const struct search_node node = nodes_get(nodes, i);
        bool fresh;
        if (node.with != NOT_NEW)
            TRY_MEMORY(nodes->class->add(nodes->set, node.state, node.with, &fresh));
    }
    return STATUS_OK;
}

enum status search_threads_begin(struct search_threads *threads, unsigned count)
{
    struct budget *budget = threads->batches.budget;
    struct graph *graph = threads->graph;
    const uint32_t bits = part_bits(count);
    const size_t size = graph_count(graph) * sizeof(state_id);
    assert(search_threads_may_share(graph));
    state_id *numbers = memory_allocate(budget, size);
    TRY_MEMORY(numbers);
    enum status status = graph_divide(graph, bits, numbers);
    if (status == STATUS_OK)
        status = threads->class->divide(threads->self, bits);
    if (status == STATUS_OK)
        status = add_again(threads->nodes, numbers);
    memory_release(budget, numbers, size);
    TRY(status);
    threads->items = memory_zeroed(budget, count * sizeof *threads->items);
    TRY_MEMORY(threads->items && vector_reserve(&threads->batches, ROUND_BATCHES));
    for (; threads->count < count; threads->count++) {
        threads->items[threads->count].number = threads->count;
        vector_init(&threads->items[threads->count].found, budget);
    }
    for (uint32_t part = 0; part >> bits == 0; part++)
        threads->adds[part] = (uint8_t)(part % count); /* there are no more parts than that has */
    for (unsigned i = 0; i < count; i++)
        TRY(expander_create(graph, &threads->items[i].expander));
    return STATUS_OK;
}

/* ---- rounds ---- */

enum status search_threads_take(struct search_threads *threads, unsigned thread, uint32_t batch,
                                const uint32_t *nodes, uint32_t count, bool *alone)
{
    struct search_thread *own = &threads->items[thread];
    const size_t first = own->found.length;
    for (uint32_t i = 0; i < count && !*alone; i++)
        TRY(threads->class->take(threads->self, own, nodes[i], alone));
    threads->batches.items[batch] = (struct search_batch){thread, first, own->found.length};
    return STATUS_OK;
}

#define ADDED_AHEAD 16 /* nodes whose places are fetched meanwhile */

/* Adds what a batch has found for the parts that a thread adds to. */
static void add_batch(struct search_threads *threads, const struct search_batch *batch,
                      unsigned adder)
{
    const struct nodes *nodes = threads->nodes;
    struct search_node *found = threads->items[batch->thread].found.items;
    const uint32_t mask = (UINT32_C(1) << threads->graph->states.bits) - 1;
    for (size_t i = batch->first; i < batch->end; i++) {
        bool fresh = false;
        if (nodes->class->prefetch && i + ADDED_AHEAD < batch->end &&
            threads->adds[found[i + ADDED_AHEAD].state & mask] == adder)
            nodes->class->prefetch(nodes->set, found[i + ADDED_AHEAD].state);
        if (threads->adds[found[i].state & mask] != adder)
            continue;
        if (!nodes->class->add(nodes->set, found[i].state, found[i].with, &fresh))
            atomic_store_explicit(&threads->refused, true, memory_order_relaxed);
        if (!fresh)
            found[i].with = NOT_NEW;
    }
}

static void add_parts(void *self, size_t adder, unsigned thread)
{
    struct search_threads *threads = self;
    (void)thread;
    for (size_t i = 0; i < threads->batches.length; i++)
        add_batch(threads, &threads->batches.items[i], (unsigned)adder);
}

/* Numbers the new nodes. */
static enum status number(struct search_threads *threads)
{
    for (size_t i = 0; i < threads->batches.length; i++) {
        const struct search_batch *batch = &threads->batches.items[i];
        const struct search_node *found = threads->items[batch->thread].found.items;
        for (size_t at = batch->first; at < batch->end; at++)
            if (found[at].with != NOT_NEW)
                TRY(nodes_push(threads->nodes, found[at]));
    }
    return STATUS_OK;
}

enum status search_threads_add(struct search_threads *threads, uint32_t batches,
                               uint64_t *transitions, uint64_t *asked)
{
    size_t count = 0;
    threads->batches.length = batches;
    for (unsigned i = 0; i < threads->count; i++) {
        *transitions += threads->items[i].transitions;
        *asked += threads->items[i].asked;
        count += threads->items[i].found.length;
    }
    if (count)
        parallel_for(threads->count, threads->count, add_parts, threads);
    TRY_MEMORY(!atomic_load(&threads->refused));
    return number(threads);
}

void search_threads_forget(struct search_threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        threads->items[i].found.length = 0;
        threads->items[i].transitions = threads->items[i].asked = 0;
    }
    threads->batches.length = 0;
}
