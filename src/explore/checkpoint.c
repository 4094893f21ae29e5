/* The file:
 *
 *     key     what is searched, and how
 *     sear    which search of those that use the checkpoint; what the loop and the explorer have
 *     grow    growths, in their order
 *     node    states, normalised states, parents; whether it is kept
 *     stat    states: how each differs from the one before
 *     edge    what the graph keeps of states that were asked for
 *     rest    what the visitor has
 *
 * Growths come before the states, so that they are repeated while these are read. */
#include "explore/checkpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define SEARCH  SECTION_TAG('s', 'e', 'a', 'r')
#define GROWTHS SECTION_TAG('g', 'r', 'o', 'w')
#define NODES   SECTION_TAG('n', 'o', 'd', 'e')
#define STATES  SECTION_TAG('s', 't', 'a', 't')
#define EDGES   SECTION_TAG('e', 'd', 'g', 'e')
#define REST    SECTION_TAG('r', 'e', 's', 't')

/* Writing may take one part of the time in so many. */
#define SHARE         20
#define FIRST         UINT64_C(50000000) /* nanoseconds until it is written first */
#define VISITS_A_LOOK 64                 /* at the clock */

void checkpoint_init(struct checkpoint *checkpoint, const char *path, const char *key,
                     struct budget *budget)
{
    *checkpoint = (struct checkpoint){.path = path, .key = key};
    vector_init(&checkpoint->growths, budget);
}

void checkpoint_release(struct checkpoint *checkpoint)
{
    vector_release(&checkpoint->growths);
}

/* ---- writing ---- */

static void put_search(struct sections_out *out, const struct checkpoint *checkpoint,
                       const struct explorer *explorer, const struct loop_place *place)
{
    sections_begin(out, SEARCH);
    sections_put(out, checkpoint->searches);
    sections_put(out, clock_nanoseconds() - checkpoint->began + checkpoint->spent);
    sections_put(out, checkpoint->from);
    sections_put(out, checkpoint->known);
    for (size_t i = 0; i < place->count; i++)
        sections_put(out, place->numbers[i]);
    sections_put(out, explorer->taken);
    sections_put(out, explorer->depth);
    sections_put(out, explorer->has_turned);
    sections_put(out, explorer->is_newest);
    sections_put(out, explorer->newest.length);
    for (size_t i = 0; i < explorer->newest.length; i++)
        sections_put(out, explorer->newest.items[i]);
    sections_put(out, explorer->ahead.length);
    for (size_t i = 0; i < explorer->ahead.length; i++)
        sections_put(out, explorer->ahead.items[i]);
}

static void put_growths(struct sections_out *out, const struct checkpoint *checkpoint)
{
    const struct growth *growths = checkpoint->growths.items;
    uint64_t known = checkpoint->from;
    sections_begin(out, GROWTHS);
    sections_put(out, checkpoint->growths.length);
    for (size_t i = 0; i < checkpoint->growths.length; i++) {
        sections_put(out, growths[i].node);
        sections_put(out, growths[i].states - (i ? growths[i - 1].states : 0));
        sections_put(out, growths[i].known - known);
        known = growths[i].known;
    }
}

static void put_nodes(struct sections_out *out, const struct resumption *resumption, void *self)
{
    const struct nodes *nodes = resumption->nodes;
    sections_begin(out, NODES);
    sections_put(out, nodes->items.length);
    for (uint32_t i = 0; i < nodes->items.length; i++) {
        const struct search_node node = nodes_get(nodes, i);
        const uint32_t back = node.parent == NODE_NONE ? 0 : i - node.parent;
        sections_put(out, node.state);
        sections_put(out, node.with + UINT32_C(2)); /* the greatest ones mean something else */
        sections_put(out, (uint64_t)back << 1 | resumption->is_kept(self, i));
    }
}

/* How many slots are the same, and by how much the next one differs, until all are told. */
static void put_state(struct sections_out *out, const uint32_t *before, const uint32_t *state,
                      uint32_t slots)
{
    for (uint32_t at = 0, same = 0; at < slots; at++) {
        if (state[at] == before[at]) {
            same++;
            continue;
        }
        sections_put(out, same + UINT64_C(1));
        sections_put(out, bits_fold(state[at] - before[at]));
        same = 0;
    }
    sections_put(out, 0);
}

static void put_states(struct sections_out *out, const struct graph *graph, uint32_t *scratch)
{
    const struct state_table *states = &graph->states.parts[0].states;
    uint32_t *before = scratch, *state = scratch + states->slots;
    memset(before, 0, states->slots * sizeof *before);
    sections_begin(out, STATES);
    sections_put(out, states->slots);
    sections_put(out, states->count);
    for (state_id id = 0; id < states->count; id++) {
        state_table_read(states, id, state);
        put_state(out, before, state, states->slots);
        uint32_t *last = before;
        before = state;
        state = last;
    }
}

static void put_edges(struct sections_out *out, const struct graph *graph)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < graph->parts[0].rows.length; i++)
        kept += graph->parts[0].rows.items[i].first != 0;
    sections_begin(out, EDGES);
    sections_put(out, graph->own.exhausted);
    sections_put(out, kept);
    for (state_id id = 0; id < graph->parts[0].rows.length; id++) {
        uint32_t count;
        if (!graph_is_expanded(graph, id))
            continue;
        const struct edge *edges = graph_kept_edges(graph, id, &count);
        sections_put(out, id);
        sections_put(out, count);
        for (uint32_t i = 0; i < count; i++) {
            sections_put(out, edges[i].label);
            sections_put(out, edges[i].target);
        }
    }
}

static enum status write_all(struct checkpoint *checkpoint, const struct explorer *explorer,
                             const struct resumption *resumption, void *self,
                             const struct loop_place *place, uint64_t *bytes)
{
    struct sections_out *out;
    const struct graph *graph = resumption->graph;
    const size_t size = 2 * sizeof(uint32_t) * graph->model->slots;
    uint32_t *scratch = memory_allocate(checkpoint->growths.budget, size ? size : 1);
    if (!scratch)
        return error_set(&checkpoint->error, STATUS_USAGE, NULL, 0,
                         "cannot write '%s': the memory limit was reached", checkpoint->path);
    enum status status = sections_create(checkpoint->path, CHECKPOINT_KIND, CHECKPOINT_VERSION,
                                         &out, &checkpoint->error);
    if (status == STATUS_OK) {
        sections_put_key(out, checkpoint->key);
        put_search(out, checkpoint, explorer, place);
        put_growths(out, checkpoint);
        put_nodes(out, resumption, self);
        put_states(out, graph, scratch);
        put_edges(out, graph);
        sections_begin(out, REST);
        resumption->save(self, out);
        *bytes = out->written;
        status = sections_commit(out, &checkpoint->error);
    }
    memory_release(checkpoint->growths.budget, scratch, size ? size : 1);
    return status;
}

/* What is known now, outside visits as well: who looks for the way to a node asks again. */
static void look(struct checkpoint *checkpoint, const struct resumption *resumption, void *self)
{
    struct search_counts counts = {0};
    resumption->count(self, &counts);
    checkpoint->known = counts.known;
    checkpoint->moved = counts.moved;
}

enum status checkpoint_save(struct checkpoint *checkpoint, const struct explorer *explorer,
                            const struct resumption *resumption, void *self,
                            const struct loop_place *place)
{
    const uint64_t begun = clock_nanoseconds();
    uint32_t found;
    uint64_t bytes = 0;
    TRY(finder_settle(resumption->finder, &found));
    look(checkpoint, resumption, self);
    if (write_all(checkpoint, explorer, resumption, self, place, &bytes) != STATUS_OK) {
        checkpoint->failed = true;
        LOG(checkpoint->log, "checkpoint: %s", checkpoint->error.message);
        return STATUS_OK;
    }
    const uint64_t now = clock_nanoseconds();
    checkpoint->due = now + SHARE * (now - begun);
    checkpoint->taken = explorer->taken;
    checkpoint->written++;
    LOG(checkpoint->log, "checkpoint: %s nodes written, %s bytes", count_text(found).digits,
        count_text(bytes).digits);
    return granted(checkpoint->most == 0 || checkpoint->written < checkpoint->most);
}

bool checkpoint_is_due(struct checkpoint *checkpoint, const struct explorer *explorer)
{
    if (checkpoint->failed || checkpoint->later > checkpoint->searches)
        return false;
    if (checkpoint->every)
        return explorer->taken - checkpoint->taken >= checkpoint->every;
    if (++checkpoint->looked < VISITS_A_LOOK)
        return false;
    checkpoint->looked = 0;
    return clock_nanoseconds() >= checkpoint->due;
}

/* ---- visits ---- */

void checkpoint_before(struct checkpoint *checkpoint, const struct resumption *resumption,
                       void *self)
{
    look(checkpoint, resumption, self);
}

enum status checkpoint_behind(struct checkpoint *checkpoint, const struct resumption *resumption,
                              void *self, uint32_t node, uint32_t states, bool *unmoved)
{
    struct search_counts counts = {0};
    resumption->count(self, &counts);
    assert(counts.known >= checkpoint->known);
    *unmoved = counts.moved == checkpoint->moved && counts.known == checkpoint->known;
    if (counts.known == checkpoint->known)
        return STATUS_OK;
    return granted(
        vector_push(&checkpoint->growths, ((struct growth){node, states, counts.known})));
}

/* ---- reading ---- */

/* What is being read. */
struct reading {
    struct checkpoint *checkpoint;
    struct sections_in *in;
    struct explorer *explorer;
    const struct resumption *resumption;
    void *self;
    struct error *error;
    uint64_t known;        /* when it was written */
    size_t repeated;       /* growths */
    uint32_t asked;        /* since the limits were looked at */
    VECTOR(uint32_t) kept; /* a bit for each node */
};

static enum status is_other(const struct reading *reading, const char *how)
{
    return sections_damaged(reading->in, how, reading->error);
}

static enum status take_list(struct reading *reading, uint32_t **items, size_t *length,
                             size_t *capacity, struct budget *budget)
{
    VECTOR(uint32_t) list = {.items = *items, .capacity = *capacity, .budget = budget};
    uint64_t count, item;
    enum status status = sections_take(reading->in, &count, reading->error);
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        status = sections_take_below(reading->in, UINT64_C(1) << 32, &item, reading->error);
        if (status == STATUS_OK)
            status = granted(vector_push(&list, (uint32_t)item));
    }
    *items = list.items;
    *length = list.length;
    *capacity = list.capacity;
    return status;
}

#define TAKE_LIST(reading, vector)                                                                 \
    take_list(reading, &(vector)->items, &(vector)->length, &(vector)->capacity, (vector)->budget)

/* Whether the file is of the search that begins now, *is. */
static enum status take_search(struct reading *reading, const struct loop_place *place, bool *is)
{
    struct explorer *explorer = reading->explorer;
    struct sections_in *in = reading->in;
    uint64_t number;
    TRY(sections_enter(in, SEARCH, reading->error));
    TRY(sections_take(in, &number, reading->error));
    *is = number == reading->checkpoint->searches;
    if (number > reading->checkpoint->searches)
        reading->checkpoint->later = (uint32_t)number;
    if (!*is)
        return STATUS_OK;
    TRY(sections_take(in, &reading->checkpoint->spent, reading->error));
    TRY(sections_take(in, &number, reading->error));
    if (number != reading->checkpoint->from)
        return is_other(reading, "its search began otherwise");
    TRY(sections_take(in, &reading->known, reading->error));
    for (size_t i = 0; i < place->count; i++)
        TRY(sections_take(in, &place->numbers[i], reading->error));
    TRY(sections_take(in, &explorer->taken, reading->error));
    TRY(sections_take(in, &explorer->depth, reading->error));
    TRY(sections_take_below(in, 2, &number, reading->error));
    explorer->has_turned = number;
    TRY(sections_take_below(in, 2, &number, reading->error));
    explorer->is_newest = number;
    TRY(TAKE_LIST(reading, &explorer->newest));
    return TAKE_LIST(reading, &explorer->ahead);
}

static enum status take_growths(struct reading *reading)
{
    struct checkpoint *checkpoint = reading->checkpoint;
    uint64_t count, node, states, known, all = 0, sum = checkpoint->from;
    TRY(sections_enter(reading->in, GROWTHS, reading->error));
    TRY(sections_take(reading->in, &count, reading->error));
    checkpoint->growths.length = 0;
    for (uint64_t i = 0; i < count; i++) {
        TRY(sections_take_below(reading->in, NODE_NONE, &node, reading->error));
        TRY(sections_take_below(reading->in, STATE_REFUSED - all, &states, reading->error));
        TRY(sections_take(reading->in, &known, reading->error));
        all += states;
        sum += known;
        TRY_MEMORY(vector_push(&checkpoint->growths,
                               ((struct growth){(uint32_t)node, (uint32_t)all, sum})));
    }
    return STATUS_OK;
}

static enum status take_nodes(struct reading *reading)
{
    struct nodes *nodes = reading->resumption->nodes;
    uint64_t count, state, with, back;
    TRY(sections_enter(reading->in, NODES, reading->error));
    TRY(sections_take_below(reading->in, NODE_NONE, &count, reading->error));
    node_list_clear(&nodes->items); /* the initial ones are there again */
    for (uint32_t i = 0; i < count; i++) {
        TRY(sections_take_below(reading->in, STATE_REFUSED, &state, reading->error));
        TRY(sections_take_below(reading->in, UINT64_C(1) << 32, &with, reading->error));
        TRY(sections_take_below(reading->in, (uint64_t)(i + UINT64_C(1)) << 1, &back,
                                reading->error));
        const struct search_node node = {.state = (uint32_t)state,
                                         .with = (uint32_t)with - 2,
                                         .parent =
                                             back >> 1 ? i - (uint32_t)(back >> 1) : NODE_NONE};
        TRY(nodes_push(nodes, node));
        if (i % 32 == 0)
            TRY_MEMORY(vector_push(&reading->kept, 0));
        reading->kept.items[i / 32] |= (uint32_t)(back & 1) << i % 32;
    }
    return STATUS_OK;
}

static enum status take_state(struct reading *reading, uint32_t *state, uint32_t slots)
{
    uint64_t same, difference;
    for (uint64_t at = 0;; at++) {
        TRY(sections_take_below(reading->in, slots - at + 1, &same, reading->error));
        if (same == 0)
            return STATUS_OK;
        at += same - 1;
        TRY(sections_take_below(reading->in, UINT64_C(1) << 32, &difference, reading->error));
        state[at] += bits_unfold((uint32_t)difference);
    }
}

/* Repeats the growths that came when so many states were stored. */
static enum status repeat(struct reading *reading, uint32_t states)
{
    const struct checkpoint *checkpoint = reading->checkpoint;
    const struct graph *graph = reading->resumption->graph;
    while (reading->repeated < checkpoint->growths.length) {
        const struct growth *growth = &checkpoint->growths.items[reading->repeated];
        struct search_counts counts = {0};
        if (growth->states != states)
            return STATUS_OK;
        if (graph_count(graph) != states ||
            growth->node >= reading->resumption->nodes->items.length ||
            nodes_get(reading->resumption->nodes, growth->node).state >= states)
            return is_other(reading, "its states come in another order");
        TRY(reading->resumption->repeat(reading->self, growth->node));
        reading->resumption->count(reading->self, &counts);
        if (counts.known != growth->known)
            return is_other(reading, "what was met first comes out otherwise");
        reading->repeated++;
    }
    return STATUS_OK;
}

/* The next state: one that is stored already must be the same. */
static enum status put_in_state(struct reading *reading, state_id id, const uint32_t *state,
                                uint32_t *stored)
{
    struct state_table *states = &reading->resumption->graph->states.parts[0].states;
    if (id < states->count) {
        state_table_read(states, id, stored);
        return memcmp(stored, state, states->slots * sizeof *state) == 0
                   ? STATUS_OK
                   : is_other(reading, "a state comes out otherwise");
    }
    bool fresh = false;
    const state_id added = state_table_intern(states, state, &fresh);
    TRY_MEMORY(added != STATE_REFUSED);
    return fresh && added == id ? STATUS_OK : is_other(reading, "a state is there twice");
}

static enum status take_states_into(struct reading *reading, uint32_t *scratch)
{
    const struct graph *graph = reading->resumption->graph;
    const uint32_t slots = graph->model->slots;
    uint64_t number, count;
    memset(scratch, 0, slots * sizeof *scratch);
    TRY(sections_enter(reading->in, STATES, reading->error));
    TRY(sections_take(reading->in, &number, reading->error));
    if (number != slots)
        return is_other(reading, "its states are of another length");
    TRY(sections_take_below(reading->in, STATE_REFUSED, &count, reading->error));
    for (state_id id = 0; id < count; id++) {
        if (limits_look(reading->explorer->limits, &reading->asked))
            return STATUS_LIMIT;
        TRY(repeat(reading, id));
        TRY(take_state(reading, scratch, slots));
        TRY(put_in_state(reading, id, scratch, scratch + slots));
    }
    TRY(repeat(reading, (uint32_t)count));
    struct search_counts counts = {0};
    reading->resumption->count(reading->self, &counts);
    const bool same = graph_count(graph) == count && counts.known == reading->known &&
                      reading->repeated == reading->checkpoint->growths.length;
    return same ? STATUS_OK : is_other(reading, "there are other states");
}

static enum status take_states(struct reading *reading)
{
    const size_t size = 2 * sizeof(uint32_t) * reading->resumption->graph->model->slots;
    uint32_t *scratch = memory_allocate(reading->kept.budget, size ? size : 1);
    TRY_MEMORY(scratch);
    enum status status = take_states_into(reading, scratch);
    memory_release(reading->kept.budget, scratch, size ? size : 1);
    return status;
}

static enum status take_edges(struct reading *reading)
{
    struct graph *graph = reading->resumption->graph;
    const uint64_t states = graph_count(graph);
    const uint64_t labels = labels_count(graph->model->labels);
    uint64_t number, rows, state, count;
    TRY(sections_enter(reading->in, EDGES, reading->error));
    TRY(sections_take_below(reading->in, 2, &number, reading->error));
    graph->own.exhausted |= number != 0;
    TRY(sections_take_below(reading->in, states + 1, &rows, reading->error));
    for (uint64_t i = 0; i < rows; i++) {
        TRY(sections_take_below(reading->in, states, &state, reading->error));
        TRY(sections_take(reading->in, &count, reading->error));
        graph->own.edges.length = 0;
        for (uint64_t j = 0; j < count; j++) {
            struct edge edge;
            TRY(sections_take_below(reading->in, labels, &number, reading->error));
            edge.label = (label)number;
            TRY(sections_take_below(reading->in, states, &number, reading->error));
            edge.target = (state_id)number;
            TRY_MEMORY(vector_push(&graph->own.edges, edge));
        }
        if (!graph_is_expanded(graph, (state_id)state))
            TRY(graph_keep_edges(graph, (state_id)state));
    }
    return STATUS_OK;
}

/* The set is made of the nodes that are kept. */
static enum status fill_set(struct reading *reading)
{
    const struct nodes *nodes = reading->resumption->nodes;
    const uint64_t states = reading->resumption->graph->states.parts[0].states.count;
    for (uint32_t i = 0; i < nodes->items.length; i++) {
        const struct search_node node = nodes_get(nodes, i);
        bool fresh;
        if (node.state >= states)
            return is_other(reading, "a node is of no state");
        if (reading->kept.items[i / 32] >> i % 32 & 1)
            TRY_MEMORY(nodes->class->add(nodes->set, node.state, node.with, &fresh));
    }
    return STATUS_OK;
}

static enum status read_all(struct reading *reading, const struct loop_place *place, bool *resumed)
{
    const struct checkpoint *checkpoint = reading->checkpoint;
    TRY(sections_take_key(reading->in, checkpoint->key, false, reading->error));
    TRY(take_search(reading, place, resumed));
    if (!*resumed)
        return STATUS_OK;
    LOG(checkpoint->log, "checkpoint: goes on with %s, after %s nodes", checkpoint->path,
        count_text(reading->explorer->taken).digits);
    TRY(take_growths(reading));
    TRY(take_nodes(reading));
    TRY(take_states(reading));
    TRY(take_edges(reading));
    TRY(sections_enter(reading->in, REST, reading->error));
    TRY(reading->resumption->restore(reading->self, reading->in, reading->error));
    TRY(sections_enter(reading->in, 0, reading->error));
    return fill_set(reading);
}

enum status checkpoint_begin(struct checkpoint *checkpoint, struct explorer *explorer,
                             const struct resumption *resumption, void *self,
                             const struct loop_place *place, bool *resumed)
{
    struct reading reading = {.checkpoint = checkpoint,
                              .explorer = explorer,
                              .resumption = resumption,
                              .self = self,
                              .error = &checkpoint->error};
    *resumed = false;
    look(checkpoint, resumption, self);
    checkpoint->from = checkpoint->known;
    checkpoint->began = clock_nanoseconds();
    checkpoint->searches++;
    checkpoint->taken = 0;
    checkpoint->growths.length = 0;
    vector_init(&reading.kept, checkpoint->growths.budget);
    enum status status = sections_open(checkpoint->path, CHECKPOINT_KIND, CHECKPOINT_VERSION,
                                       &reading.in, &checkpoint->error);
    if (status == STATUS_OK && reading.in)
        status = read_all(&reading, place, resumed);
    sections_close(reading.in);
    vector_release(&reading.kept);
    look(checkpoint, resumption, self);
    checkpoint->taken = explorer->taken;
    checkpoint->resumed |= *resumed;
    checkpoint->due = clock_nanoseconds() + FIRST;
    return status == STATUS_INPUT ? STATUS_USAGE : status;
}
