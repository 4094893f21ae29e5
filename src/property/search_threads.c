#include "property/search_threads.h"

#include <assert.h>

#include "base/team.h"
#include "explore/rounds.h"
#include "space/graph_packed.h"

#define NOT_NEW UINT32_MAX

/* So many parts that two threads rarely look at one, and so few that what is looked at of each
 * stays near. */
#define PARTS_A_THREAD 16

#define CACHE_LINE 64 /* bytes, about */

void search_threads_init(struct search_threads *threads, const struct search_threads_class *class,
                         void *self, struct graph *graph, struct nodes *nodes,
                         struct budget *budget)
{
    *threads =
        (struct search_threads){.class = class, .self = self, .graph = graph, .nodes = nodes};
    vector_init(&threads->batches, budget);
}

/* What threads write to is not in one line of the caches. */
static size_t sent_size(unsigned count)
{
    return count * sizeof(struct found_states) + CACHE_LINE;
}

void search_threads_release(struct search_threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        struct search_thread *thread = &threads->items[i];
        threads->graph->own.exhausted |= thread->expander.exhausted;
        expander_counts_add(&threads->graph->own.counts, &thread->expander.counts);
        vectors_release(&thread->found, &thread->fresh, &thread->states);
        found_rows_release(&thread->rows);
        for (unsigned j = 0; thread->sent && j < threads->count; j++)
            found_states_release(&thread->sent[j]);
        memory_release(threads->batches.budget, thread->sent, sent_size(threads->count));
        if (thread->expander.packed.hashes.budget) /* it was created */
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

/* Divides the graph, and the set. */
static enum status divide(struct search_threads *threads, uint32_t bits)
{
    struct budget *budget = threads->batches.budget;
    struct graph *graph = threads->graph;
    const size_t size = graph_count(graph) * sizeof(state_id);
    state_id *numbers = memory_allocate(budget, size);
    TRY_MEMORY(numbers);
    enum status status = graph_divide(graph, bits, numbers);
    if (status == STATUS_OK)
        status = threads->class->divide(threads->self, bits);
    if (status == STATUS_OK)
        status = add_again(threads->nodes, numbers);
    memory_release(budget, numbers, size);
    return status;
}

enum status search_threads_begin(struct search_threads *threads, struct team *team, unsigned count)
{
    struct budget *budget = threads->batches.budget;
    struct graph *graph = threads->graph;
    const uint32_t bits = count > 1 ? part_bits(count) : 0;
    assert(search_threads_may_share(graph));
    assert(count > 1 || graph->forgets); /* one thread has no need of it else */
    if (count > 1)
        TRY(divide(threads, bits));
    threads->items = memory_zeroed(budget, count * sizeof *threads->items);
    TRY_MEMORY(threads->items && vector_reserve(&threads->batches, ROUND_BATCHES));
    threads->team = team;
    graph->states.apart = graph->forgets;
    for (; threads->count < count; threads->count++) {
        struct search_thread *thread = &threads->items[threads->count];
        thread->threads = threads;
        thread->number = threads->count;
        vectors_init(budget, &thread->found, &thread->fresh, &thread->states);
        found_rows_init(&thread->rows, budget);
    }
    for (uint32_t part = 0; part >> bits == 0; part++)
        threads->adds[part] = (uint8_t)(part % count); /* there are no more parts than that has */
    for (unsigned i = 0; i < count; i++) {
        struct search_thread *thread = &threads->items[i];
        TRY(expander_create(&thread->expander, graph->model, &graph->states, graph->within));
        thread->expander.waits = graph->forgets;
        thread->sent = memory_zeroed(budget, sent_size(count));
        TRY_MEMORY(thread->sent);
        for (unsigned j = 0; j < count; j++)
            found_states_init(&thread->sent[j], budget);
    }
    return STATUS_OK;
}

/* ---- rounds ---- */

#define ORDER_BATCH 32 /* bits of an order behind the number of the batch */

/* Sends a state, which is at a place among the successors, to who adds it. */
static bool send(struct search_thread *thread, uint32_t place, uint32_t with, uint32_t parent)
{
    const struct search_threads *threads = thread->threads;
    const struct state_store *store = &threads->graph->states;
    const struct expander *by = &thread->expander;
    const struct found_state found = {.hash = by->packed.hashes.items[place],
                                      .order = thread->order++,
                                      .with = with,
                                      .parent = parent,
                                      .layout = expander_layout(by, place)};
    const unsigned adder = threads->adds[state_store_part_number(store, found.hash)];
    const uint32_t *slots = NULL;
    if (!found.layout)
        slots = by->successors.states.items + (size_t)place * store->slots;
    return found_states_push(&thread->sent[adder], &found,
                             found.layout ? expander_words(by, place) : NULL, slots, store->slots);
}

enum status search_thread_edges(struct search_thread *thread, state_id state)
{
    if (thread->state == state)
        return STATUS_OK;
    thread->state = STATE_REFUSED;
    TRY(graph_edges_by(thread->threads->graph, &thread->expander, state, &thread->edges,
                       &thread->degree, &thread->error));
    thread->state = state;
    return STATUS_OK;
}

enum status search_thread_find(struct search_thread *thread, uint32_t target, uint32_t with,
                               uint32_t parent)
{
    if (with != NOT_NEW && with >= thread->greatest)
        thread->greatest = with + 1;
    if (thread->expander.waits)
        return granted(send(thread, target, with, parent));
    return granted(with == NOT_NEW ||
                   vector_push(&thread->found, ((struct search_node){target, with, parent})));
}

/* Of places that are all packed, in one layout. */
static bool send_packed(struct search_thread *thread, const struct edge *edges, uint32_t count,
                        uint32_t parent)
{
    const struct search_threads *threads = thread->threads;
    const struct state_store *store = &threads->graph->states;
    const struct expander *by = &thread->expander;
    const struct state_layout *layout = by->layout;
    bool room = true;
    for (uint32_t i = 0; i < count && room; i++) {
        const uint64_t hash = by->packed.hashes.items[edges[i].target];
        const struct found_state found = {
            .hash = hash, .order = thread->order++, .parent = parent, .layout = layout};
        room = found_states_push(&thread->sent[threads->adds[state_store_part_number(store, hash)]],
                                 &found, expander_words(by, edges[i].target), NULL, 0);
    }
    return room;
}

/* Keeps what one thread has found for itself, where all is packed, in one layout. *room: there was.
 * False: it is to be sent. */
static bool keep_rows(struct search_thread *thread, const struct edge *edges, uint32_t count,
                      uint32_t parent, bool *room)
{
    const struct expander *by = &thread->expander;
    const struct state_layout *layout = by->layout;
    struct found_rows *rows = &thread->rows;
    const size_t before = rows->count;
    if (thread->threads->count > 1 || !layout || found_states_first(&thread->sent[0]))
        return false;
    *room = found_rows_reserve(rows, layout, count);
    for (uint32_t i = 0; i < count && *room; i++) {
        if (!expander_layout(by, edges[i].target)) {
            rows->count = before;
            return false;
        }
        found_rows_push(rows, by->packed.hashes.items[edges[i].target], parent,
                        expander_words(by, edges[i].target));
    }
    return true;
}

enum status search_thread_find_states(struct search_thread *thread, const struct edge *edges,
                                      uint32_t count, uint32_t parent)
{
    const struct expander *by = &thread->expander;
    bool room = true, whole = by->layout != NULL;
    if (!by->waits)
        for (uint32_t i = 0; i < count && room; i++)
            room = vector_push(&thread->found, ((struct search_node){edges[i].target, 0, parent}));
    if (!by->waits || keep_rows(thread, edges, count, parent, &room))
        return granted(room);
    for (uint32_t i = 0; i < count && whole; i++)
        whole = expander_layout(by, edges[i].target) != NULL;
    if (whole)
        return granted(send_packed(thread, edges, count, parent));
    for (uint32_t i = 0; i < count && room; i++)
        room = send(thread, edges[i].target, 0, parent);
    return granted(room);
}

enum status search_thread_ask(struct search_thread *thread, const uint32_t *nodes, uint32_t count,
                              uint32_t condition, uint32_t *taken, bool *alone)
{
    const struct search_threads *threads = thread->threads;
    struct asked_states asked = {.condition = condition};
    *taken = 0;
    if (threads->count > 1 || !thread->expander.waits || found_states_first(&thread->sent[0]))
        return STATUS_OK;
    TRY_MEMORY(vector_reserve(&thread->states, count));
    for (uint32_t i = 0; i < count; i++)
        thread->states.items[i] = nodes_get(threads->nodes, nodes[i]).state;
    do {
        const size_t before = thread->rows.count;
        asked.states = thread->states.items + *taken;
        asked.parents = nodes + *taken;
        asked.count = count - *taken;
        TRY(graph_ask_rows(threads->graph, &thread->expander, &asked, &thread->rows));
        *taken += asked.asked;
        thread->transitions += thread->rows.count - before;
        *alone |= asked.holds;
    } while (asked.asked && *taken < count && !*alone);
    return STATUS_OK;
}

bool search_threads_greatest(const struct search_threads *threads, uint32_t *with)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < threads->count; i++)
        if (threads->items[i].greatest > most)
            most = threads->items[i].greatest;
    *with = most ? most - 1 : 0;
    return most;
}

enum status search_threads_take(struct search_threads *threads, unsigned thread, uint32_t batch,
                                const uint32_t *nodes, uint32_t count, bool *alone)
{
    struct search_thread *own = &threads->items[thread];
    const size_t first = own->found.length;
    own->order = (uint64_t)batch << ORDER_BATCH;
    own->state = STATE_REFUSED;
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

/* Whose next state comes first, of those that were sent to an adder; null: all are added. */
static struct found_states *first_sent(const struct search_threads *threads, size_t adder,
                                       uint64_t *order)
{
    struct found_states *first = NULL;
    for (unsigned i = 0; i < threads->count; i++) {
        const struct found_state *found = found_states_first(&threads->items[i].sent[adder]);
        if (!found || (first && found->order > *order))
            continue;
        first = &threads->items[i].sent[adder];
        *order = found->order;
    }
    return first;
}

/* Adds a node that was found to the set; *fresh: it was not there. False when refused. */
static inline bool add_to_set(const struct nodes *nodes, state_id state, uint32_t with, bool *fresh)
{
    *fresh = false;
    if (with == NOT_NEW)
        return true;
    return nodes->class == &nodes_are_states ? state_set_add(nodes->set, state, fresh)
                                             : nodes->class->add(nodes->set, state, with, fresh);
}

/* Adds a state that was sent, and the node. False when refused. */
static bool add_sent(const struct search_threads *threads, struct search_thread *adder,
                     const struct found_state *found)
{
    const struct nodes *nodes = threads->nodes;
    const struct search_new_node node = {
        found->order,
        {state_store_intern_found(&threads->graph->states, &adder->expander.adder, found),
         found->with, found->parent}};
    bool fresh = false;
    if (node.node.state == STATE_REFUSED)
        return false;
    if (!add_to_set(nodes, node.node.state, found->with, &fresh))
        return false;
    return !fresh || vector_push(&adder->fresh, node);
}

/* Has the memory fetched that finding the next ones needs. */
static void look_ahead(const struct state_store *store, struct found_states *sent)
{
    const struct found_state *ahead;
    while ((ahead = found_states_ahead(sent, store->slots, ADDED_AHEAD)))
        state_store_fetch(store, ahead->hash);
}

/* Adds what the next batch has found for a thread. False when refused. */
static bool add_sent_batch(const struct search_threads *threads, struct search_thread *adder,
                           struct found_states *sent, uint64_t order)
{
    const struct state_store *store = &threads->graph->states;
    const struct found_state *found;
    while ((found = found_states_first(sent)) &&
           found->order >> ORDER_BATCH == order >> ORDER_BATCH) {
        look_ahead(store, sent);
        if (!add_sent(threads, adder, found))
            return false;
        found_states_take(sent, store->slots);
    }
    return true;
}

static void add_all_sent(struct search_threads *threads, size_t adder)
{
    struct found_states *sent;
    uint64_t order = 0;
    bool room = true;
    while (room && (sent = first_sent(threads, adder, &order)))
        room = add_sent_batch(threads, &threads->items[adder], sent, order);
    if (!room)
        atomic_store_explicit(&threads->refused, true, memory_order_relaxed);
}

/* What is looked at of the index is there by then, and leads to the state. */
#define ADDED_NEAR (ADDED_AHEAD / 2)

struct looking {
    uint64_t hashes[ADDED_NEAR]; /* of what was looked at last */
    size_t count;
};

/* As look_ahead; and has the states fetched that may be those which come sooner. */
static void look_twice(const struct state_store *store, struct found_states *sent,
                       struct looking *looking)
{
    const struct found_state *ahead;
    while ((ahead = found_states_ahead(sent, store->slots, ADDED_AHEAD))) {
        uint64_t *hash = &looking->hashes[looking->count % ADDED_NEAR];
        state_store_fetch(store, ahead->hash);
        if (ahead->layout)
            state_store_fetch_words(store, ahead->hash, ahead->layout, ahead->words);
        if (looking->count++ >= ADDED_NEAR)
            state_store_fetch_state(store, *hash);
        *hash = ahead->hash;
    }
}

/* Adds the states that one thread has found for itself, and then the nodes. */
static bool add_rows(const struct search_threads *threads)
{
    struct search_thread *alone = &threads->items[0];
    struct nodes *nodes = threads->nodes;
    const struct found_rows *rows = &alone->rows;
    const uint32_t before = graph_count(threads->graph);
    assert(rows->count == 0 || nodes->class == &nodes_are_states);
    if (!state_store_intern_rows(&threads->graph->states, &alone->expander.adder, rows))
        return false;
    const bool are_all = nodes->items.length == before; /* states are nodes, each of them */
    for (size_t i = 0; i < rows->count; i++) {
        const struct search_node node = {rows->numbers.items[i], 0, rows->parents.items[i]};
        bool fresh;
        if (are_all && node.state < nodes->items.length)
            continue;
        if (!state_set_add(nodes->set, node.state, &fresh))
            return false;
        if (fresh && nodes_push(nodes, node) != STATUS_OK)
            return false;
    }
    return true;
}

/* What one thread has found for itself, which has its number at once. */
static bool add_sent_alone(const struct search_threads *threads)
{
    struct looking looking;
    struct search_thread *alone = &threads->items[0];
    struct nodes *nodes = threads->nodes;
    const struct state_store *store = &threads->graph->states;
    struct found_states *sent = &alone->sent[0];
    const struct found_state *found;
    looking.count = 0;
    while ((found = found_states_first(sent))) {
        bool fresh = false;
        look_twice(store, sent, &looking);
        const state_id state = state_store_intern_found(store, &alone->expander.adder, found);
        if (state == STATE_REFUSED)
            return false;
        if (!add_to_set(nodes, state, found->with, &fresh))
            return false;
        if (fresh &&
            nodes_push(nodes, (struct search_node){state, found->with, found->parent}) != STATUS_OK)
            return false;
        found_states_take(sent, store->slots);
    }
    return true;
}

static void add_parts(void *self, size_t adder, unsigned thread)
{
    struct search_threads *threads = self;
    (void)thread;
    add_all_sent(threads, adder);
    for (size_t i = 0; i < threads->batches.length; i++)
        add_batch(threads, &threads->batches.items[i], (unsigned)adder);
}

/* Numbers the new nodes whose states were sent. */
static enum status number_sent(struct search_threads *threads)
{
    for (;;) {
        struct search_thread *first = NULL;
        for (unsigned i = 0; i < threads->count; i++) {
            struct search_thread *thread = &threads->items[i];
            if (thread->numbered < thread->fresh.length &&
                (!first || thread->fresh.items[thread->numbered].order <
                               first->fresh.items[first->numbered].order))
                first = thread;
        }
        if (!first)
            return STATUS_OK;
        TRY(nodes_push(threads->nodes, first->fresh.items[first->numbered++].node));
    }
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
    bool some = false;
    threads->batches.length = batches;
    for (unsigned i = 0; i < threads->count; i++) {
        *transitions += threads->items[i].transitions;
        *asked += threads->items[i].asked;
        some |= threads->items[i].found.length > 0;
        for (unsigned j = 0; j < threads->count; j++)
            some |= found_states_first(&threads->items[i].sent[j]) != NULL;
    }
    if (threads->count == 1)
        return granted(add_rows(threads) && add_sent_alone(threads));
    if (some)
        team_for(threads->team, threads->count, add_parts, threads);
    TRY_MEMORY(!atomic_load(&threads->refused));
    TRY(number_sent(threads));
    return number(threads);
}

void search_threads_forget(struct search_threads *threads)
{
    for (unsigned i = 0; i < threads->count; i++) {
        struct search_thread *thread = &threads->items[i];
        thread->found.length = thread->fresh.length = thread->numbered = 0;
        thread->greatest = 0;
        found_rows_clear(&thread->rows);
        thread->transitions = thread->asked = 0;
        for (unsigned j = 0; thread->sent && j < threads->count; j++)
            found_states_clear(&thread->sent[j]);
    }
    threads->batches.length = 0;
}
