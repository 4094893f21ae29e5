#include "scenario/consistency.h"

#include <assert.h>
#include <string.h>

/* ---- sets of events, and relations between them ---- */

enum {
    WORDS = 4
};
static_assert(WORDS * 64 >= EXECUTION_EVENTS, "a set has room for every event");

struct event_set {
    uint64_t words[WORDS];
};

static void set_add(struct event_set *set, unsigned event)
{
    set->words[event / 64] |= UINT64_C(1) << (event % 64);
}

static bool set_has(const struct event_set *set, unsigned event)
{
    return set->words[event / 64] >> (event % 64) & 1;
}

static void set_join(struct event_set *set, const struct event_set *other)
{
    for (unsigned i = 0; i < WORDS; i++)
        set->words[i] |= other->words[i];
}

static bool sets_meet(const struct event_set *a, const struct event_set *b)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

/* The members from `*event` on, each once: for (e = 0; set_next(set, &e); e++). */
static bool set_next(const struct event_set *set, unsigned *event)
{
    unsigned word = *event / 64;
    if (word >= WORDS)
        return false;
    uint64_t bits = set->words[word] >> (*event % 64) << (*event % 64);
    while (!bits) {
        if (++word == WORDS)
            return false;
        bits = set->words[word];
    }
    *event = word * 64 + (unsigned)__builtin_ctzll(bits);
    return true;
}

/* ---- orders with few edges: Kahn's algorithm ---- */

enum {
    EDGES = EXECUTION_EVENTS * 6
};

struct edges {
    uint16_t count;
    uint16_t into[EXECUTION_EVENTS]; /* how many edges lead there */
    int16_t first[EXECUTION_EVENTS]; /* of the edges from there; -1: none */
    struct {
        uint8_t to;
        int16_t next;
    } items[EDGES];
};

static void edges_init(struct edges *edges, unsigned events)
{
    edges->count = 0;
    memset(edges->into, 0, events * sizeof *edges->into);
    memset(edges->first, -1, events * sizeof *edges->first);
}

static void edge(struct edges *edges, event_number from, event_number to)
{
    if (from < 0 || to < 0)
        return;
    assert(edges->count < EDGES);
    edges->items[edges->count].to = (uint8_t)to;
    edges->items[edges->count].next = edges->first[from];
    edges->first[from] = (int16_t)edges->count++;
    edges->into[to]++;
}

/* Whether the edges have no cycle; they are used up. `order`, unless null: the events, sorted. */
static bool edges_are_acyclic(struct edges *edges, unsigned events, uint8_t *order)
{
    uint8_t ready[EXECUTION_EVENTS];
    unsigned count = 0;
    for (unsigned i = 0; i < events; i++)
        if (edges->into[i] == 0)
            ready[count++] = (uint8_t)i;
    for (unsigned at = 0; at < count; at++)
        for (int e = edges->first[ready[at]]; e >= 0; e = edges->items[e].next)
            if (--edges->into[edges->items[e].to] == 0)
                ready[count++] = edges->items[e].to;
    if (order && count == events)
        memcpy(order, ready, events);
    return count == events;
}

/* For each access the write that comes next in mo behind it, or behind what it reads. */
static void find_next_writes(const struct execution_graph *graph, event_number *next)
{
    event_number head[EXECUTION_LOCATIONS], after[EXECUTION_EVENTS];
    for (unsigned i = 0; i < graph->location_count; i++)
        head[i] = EXECUTION_NONE;
    for (event_number i = 0; i < graph->event_count; i++) { /* lists sorted by rank */
        const struct execution_event *event = &graph->events[i];
        if (event->kind != EVENT_KIND_WRITE)
            continue;
        event_number *link = &head[event->location];
        while (*link >= 0 && graph->events[*link].rank < event->rank)
            link = &after[*link];
        assert(*link < 0 || graph->events[*link].rank > event->rank);
        after[i] = *link;
        *link = i;
    }
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->kind == EVENT_KIND_WRITE)
            next[i] = after[i];
        else if (event->kind == EVENT_KIND_READ)
            next[i] = event->source >= 0 ? after[event->source] : head[event->location];
        else
            next[i] = EXECUTION_NONE;
    }
}

/* ---- sc ---- */

static bool is_sequentially_consistent(const struct execution_graph *graph)
{
    struct edges edges;
    event_number next[EXECUTION_EVENTS];
    find_next_writes(graph, next);
    edges_init(&edges, graph->event_count);
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        edge(&edges, event->before, i);
        edge(&edges, event->source, i);
        edge(&edges, i, next[i]);
    }
    return edges_are_acyclic(&edges, graph->event_count, NULL);
}

/* ---- tso ---- */

static bool is_full_fence(const struct execution_event *event)
{
    switch ((enum event_kind)event->kind) {
    case EVENT_KIND_READ: /* a compare-exchange that fails too */
        return event->operation != OPERATION_LOAD;
    case EVENT_KIND_WRITE:
        return event->is_update || event->order == ORDER_SEQ_CST;
    case EVENT_KIND_FENCE:
        return event->order == ORDER_SEQ_CST;
    default: /* what starts and joins threads goes through the system */
        return true;
    }
}

/* What of program order a store buffer keeps: all but a write before a read. */
static bool is_tso(const struct execution_graph *graph)
{
    struct edges edges;
    event_number next[EXECUTION_EVENTS], last_read[EXECUTION_EVENTS], last_write[EXECUTION_EVENTS];
    uint8_t in_order[EXECUTION_EVENTS];
    find_next_writes(graph, next);
    edges_init(&edges, graph->event_count);
    memcpy(in_order, graph->replay, graph->replay_count);
    assert(graph->replay_count == graph->event_count);
    for (unsigned at = 0; at < graph->replay_count; at++) {
        event_number i = in_order[at];
        const struct execution_event *event = &graph->events[i];
        event_number read = event->before >= 0 ? last_read[event->before] : EXECUTION_NONE;
        event_number write = event->before >= 0 ? last_write[event->before] : EXECUTION_NONE;
        bool is_fence = is_full_fence(event);
        bool reads = event->kind == EVENT_KIND_READ, writes = event->kind == EVENT_KIND_WRITE;
        if (reads || writes || is_fence)
            edge(&edges, read, i);
        if (writes || is_fence)
            edge(&edges, write, i);
        last_read[i] = reads || is_fence ? i : read;
        last_write[i] = writes || is_fence ? i : write;
        if (event->source >= 0 && graph->events[event->source].thread != event->thread)
            edge(&edges, event->source, i);
        edge(&edges, i, next[i]);
    }
    return edges_are_acyclic(&edges, graph->event_count, NULL);
}

/* ---- rc11 ---- */

/* The place of an access among all those of its location in eco: writes by mo, what reads a write
 * behind it and before the next one. */
static unsigned eco_place(const struct execution_graph *graph, const struct execution_event *event)
{
    return event->kind == EVENT_KIND_WRITE ? 2 * event->rank
                                           : 2 * execution_source_rank(graph, event) + 1;
}

struct relations {
    struct event_set after[EXECUTION_EVENTS];     /* hb, without the event itself */
    struct event_set before[EXECUTION_EVENTS];    /* its inverse */
    struct event_set eco[EXECUTION_EVENTS];       /* from there */
    struct event_set scb[EXECUTION_EVENTS];       /* "sequentially consistent before" */
    struct event_set elsewhere[EXECUTION_EVENTS]; /* po to another location */
    struct event_set fences, accesses;            /* those that are seq_cst */
};

static void relate(const struct execution_graph *graph, enum psc_form psc,
                   struct relations *relations, unsigned i, unsigned j)
{
    const struct execution_event *from = &graph->events[i], *to = &graph->events[j];
    bool same = event_is_access(from) && event_is_access(to) && from->location == to->location;
    bool po = from->thread == to->thread && from->index < to->index;
    if (po || (from->thread != to->thread && event_happens_before(from, to))) {
        set_add(&relations->after[i], j);
        set_add(&relations->before[j], i);
        if (same || po)
            set_add(&relations->scb[i], j);
        if (po && (!same || psc == PSC_GENMC))
            set_add(&relations->elsewhere[i], j);
    }
    if (same && eco_place(graph, from) < eco_place(graph, to)) {
        set_add(&relations->eco[i], j);
        if (to->kind == EVENT_KIND_WRITE)
            set_add(&relations->scb[i], j);
    }
}

static void relations_init(const struct execution_graph *graph, enum psc_form psc,
                           struct relations *relations)
{
    unsigned count = graph->event_count, k;
    size_t rows = count * sizeof(struct event_set);
    memset(relations->after, 0, rows);
    memset(relations->before, 0, rows);
    memset(relations->eco, 0, rows);
    memset(relations->scb, 0, rows);
    memset(relations->elsewhere, 0, rows);
    relations->fences = relations->accesses = (struct event_set){{0}};
    for (unsigned i = 0; i < count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->order == ORDER_SEQ_CST && event->kind == EVENT_KIND_FENCE)
            set_add(&relations->fences, i);
        if (event->order == ORDER_SEQ_CST && event_is_access(event))
            set_add(&relations->accesses, i);
        for (unsigned j = 0; j < count; j++)
            if (i != j)
                relate(graph, psc, relations, i, j);
    }
    struct event_set far[EXECUTION_EVENTS]; /* hb ; po to another location */
    for (unsigned i = 0; i < count; i++) {
        far[i] = (struct event_set){{0}};
        for (k = 0; set_next(&relations->after[i], &k); k++)
            set_join(&far[i], &relations->elsewhere[k]);
    }
    for (unsigned i = 0; i < count; i++)
        for (k = 0; set_next(&relations->elsewhere[i], &k); k++)
            set_join(&relations->scb[i], &far[k]);
}

/* What psc leads to from a seq_cst event:
 *   psc_base = ([sc] U [F sc];hb?) ; scb ; ([sc] U hb?;[F sc])
 *   psc_F    = [F sc] ; (hb U hb;eco;hb) ; [F sc] */
static struct event_set psc_from(const struct relations *relations, unsigned event)
{
    bool is_fence = set_has(&relations->fences, event);
    struct event_set reached = relations->scb[event], eco = {{0}}, to = {{0}};
    unsigned k;
    if (is_fence)
        for (k = 0; set_next(&relations->after[event], &k); k++) {
            set_join(&reached, &relations->scb[k]);
            set_join(&eco, &relations->eco[k]);
        }
    for (unsigned i = 0; i < WORDS; i++)
        to.words[i] =
            reached.words[i] & (relations->accesses.words[i] | relations->fences.words[i]);
    for (k = 0; set_next(&relations->fences, &k); k++) {
        bool base = sets_meet(&reached, &relations->before[k]);
        bool between = is_fence && (set_has(&relations->after[event], k) ||
                                    sets_meet(&eco, &relations->before[k]));
        if (base || between)
            set_add(&to, k);
    }
    return to;
}

static bool is_psc_acyclic(const struct execution_graph *graph, enum psc_form psc)
{
    struct relations relations;
    struct event_set to[EXECUTION_EVENTS], left = {{0}};
    unsigned k;
    relations_init(graph, psc, &relations);
    for (unsigned i = 0; i < WORDS; i++)
        left.words[i] = relations.fences.words[i] | relations.accesses.words[i];
    for (k = 0; set_next(&left, &k); k++)
        to[k] = psc_from(&relations, k);
    for (bool more = true; more;) { /* takes away what leads nowhere */
        more = false;
        for (k = 0; set_next(&left, &k); k++)
            if (!sets_meet(&to[k], &left)) {
                left.words[k / 64] &= ~(UINT64_C(1) << (k % 64));
                more = true;
            }
    }
    k = 0;
    return !set_next(&left, &k);
}

static bool is_rc11(const struct execution_graph *graph, enum psc_form psc)
{
    unsigned strong = 0, weak = 0;
    for (unsigned i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (!event_is_access(event) && event->kind != EVENT_KIND_FENCE)
            continue;
        strong += event->order == ORDER_SEQ_CST;
        weak += event->order != ORDER_SEQ_CST;
    }
    if (strong < 2)
        return true;
    /* psc is contained in what leads on in po U rf U mo U fr: a graph of sc is one of rc11. */
    return is_sequentially_consistent(graph) || (weak && is_psc_acyclic(graph, psc));
}

bool execution_is_consistent(const struct execution_graph *graph, enum memory_model model,
                             enum psc_form psc)
{
    switch (model) {
    case MEMORY_SC:
        return is_sequentially_consistent(graph);
    case MEMORY_TSO:
        return is_tso(graph);
    default:
        return is_rc11(graph, psc);
    }
}

/* ---- clients ---- */

/* Adds the two events of an edge: a release write to a location of its own behind `from`, and an
 * acquire read of it before `to`, which then is the first of its thread if `to` was. False when
 * there is no room. */
static bool add_edge_events(struct execution_graph *graph, const struct client_edge *client,
                            const void *address)
{
    if (graph->event_count + 2 > EXECUTION_EVENTS || !execution_add_location(graph, address, 8, 0))
        return false;
    unsigned location = graph->location_count - 1u;
    event_number ends[2] = {client->from, graph->events[client->to].before}, made[2];
    for (unsigned i = 0; i < 2; i++) {
        unsigned thread = graph->events[i ? client->to : client->from].thread;
        bool writes = i == 0;
        event_number last = graph->last[thread];
        assert(ends[i] >= 0 || ends[i] == EXECUTION_NONE);
        event_number event = made[i] =
            execution_add(graph, thread, writes ? EVENT_KIND_WRITE : EVENT_KIND_READ,
                          writes ? ORDER_RELEASE : ORDER_ACQUIRE);
        struct execution_event *added = &graph->events[event];
        added->size = 8;
        execution_set_location(graph, event, location);
        added->rank = writes;
        added->before = ends[i];
        added->index = (uint8_t)(ends[i] >= 0 ? graph->events[ends[i]].index + 1 : 1);
        for (event_number j = 0; j < graph->event_count; j++) {
            struct execution_event *later = &graph->events[j];
            if (j == event || later->thread != thread)
                continue;
            if (later->index >= added->index)
                later->index++;
            if (later->before == ends[i]) {
                assert(!later->is_update);
                later->before = event;
            }
        }
        graph->last[thread] = last == ends[i] ? event : last;
    }
    graph->events[made[1]].source = made[0];
    return true;
}

/* Works out all clocks again; false when po U rf has a cycle. */
static bool update_all_clocks(struct execution_graph *graph)
{
    struct edges edges;
    edges_init(&edges, graph->event_count);
    for (event_number i = 0; i < graph->event_count; i++) {
        edge(&edges, graph->events[i].before, i);
        edge(&edges, graph->events[i].source, i);
    }
    if (!edges_are_acyclic(&edges, graph->event_count, graph->replay))
        return false;
    for (unsigned at = 0; at < graph->event_count; at++)
        execution_update_clocks(graph, graph->replay[at]);
    return true;
}

static bool is_coherent(const struct execution_graph *graph)
{
    for (unsigned i = 0; i < graph->event_count; i++)
        for (unsigned j = 0; j < graph->event_count; j++) {
            const struct execution_event *a = &graph->events[i], *b = &graph->events[j];
            if (i != j && event_is_access(a) && event_is_access(b) && a->location == b->location &&
                event_happens_before(a, b) && eco_place(graph, b) < eco_place(graph, a))
                return false;
        }
    return true;
}

enum edges_answer execution_add_edges(const struct execution_graph *graph, enum memory_model model,
                                      enum psc_form psc, const struct client_edge *edges,
                                      size_t count, struct execution_graph *extended)
{
    execution_copy(extended, graph);
    for (size_t i = 0; i < count; i++)
        if (!add_edge_events(extended, &edges[i], &edges[i]))
            return EDGES_TOO_MANY;
    if (!update_all_clocks(extended) || !is_coherent(extended))
        return EDGES_INCOHERENT;
    return execution_is_consistent(extended, model, psc) ? EDGES_ALLOWED : EDGES_INCONSISTENT;
}
