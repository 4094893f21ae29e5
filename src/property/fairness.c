/* The strongly connected components of a region of nodes are looked at one by one, the
 * region at first being the whole graph. One that lacks an acceptance set is left. What it
 * enables and never takes decides the rest, and what that is about are events, processes or, for
 * global fairness, single steps:
 *
 *     weak     enabled in every node: no cycle of the component is fair. Otherwise the one through
 *              all of it is.
 *     strong   enabled somewhere: no fair cycle goes there, so what is left without those nodes is
 *              a region to be looked at again. (Of global fairness nothing can be left: where a
 *              step leads out of the component another part of it does not come back.)
 *
 * Nodes only ever leave regions, so there are at most as many rounds as nodes.
 *
 * The cycle is then walked: each time to the nearest edge that serves something it still owes. What
 * was served once stays served, so this ends. */
#include "property/fairness.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"

#include "explore/components.h"
#include "explore/shortest_way.h"

#define NONE UINT32_MAX

static const char *const names[] = {
    [FAIRNESS_NONE] = "none",
    [FAIRNESS_EVENT_WEAK] = "event-weak",
    [FAIRNESS_EVENT_STRONG] = "event-strong",
    [FAIRNESS_PROCESS_WEAK] = "process-weak",
    [FAIRNESS_PROCESS_STRONG] = "process-strong",
    [FAIRNESS_GLOBAL] = "global",
};

const char *fairness_name(enum fairness kind)
{
    return names[kind];
}

bool fairness_parse(const char *name, enum fairness *kind)
{
    for (unsigned i = 0; i < FAIRNESS_KINDS; i++)
        if (name_is(names[i], name, strlen(name))) {
            *kind = (enum fairness)i;
            return true;
        }
    return false;
}

void fair_graph_init(struct fair_graph *graph, struct budget *budget)
{
    graph->acceptance = 0;
    vectors_init(budget, &graph->edges, &graph->first_edge, &graph->systems, &graph->steps,
                 &graph->first_step);
}

void fair_graph_clear(struct fair_graph *graph)
{
    graph->edges.length = graph->first_edge.length = graph->systems.length = 0;
    graph->steps.length = graph->first_step.length = 0;
}

void fair_graph_release(struct fair_graph *graph)
{
    vectors_release(&graph->edges, &graph->first_edge, &graph->systems, &graph->steps,
                    &graph->first_step);
}

/* ---- what fairness is about ---- */

/* Events, processes or steps, by number: base + each bit of the mask. */
struct items {
    uint32_t base;
    uint64_t mask;
};

#define FOR_EACH_ITEM(items, item)                                                                 \
    for (uint32_t item; (items).mask != 0 && (item = (items).base + lowest((items).mask), true);   \
         (items).mask &= (items).mask - 1)

static uint32_t lowest(uint64_t mask)
{
    return (uint32_t)__builtin_ctzll(mask);
}

struct wanted;

struct search {
    const struct fair_graph *graph;
    enum fairness kind;
    const struct limits *limits;
    uint32_t looked; /* edges since the limits were looked at */
    struct components components;
    VECTOR(uint32_t) region;  /* by node; NONE: left */
    VECTOR(uint32_t) regions; /* nodes of those that are to be looked at */
    uint32_t region_count;
    VECTOR(uint32_t) members; /* of the component at hand */
    bool found;               /* it has a fair cycle */
    /* The cycle */
    struct shortest_way way;
    const struct wanted *wanted; /* what it is to end with */
    VECTOR(uint32_t) sources;
    /* by item; a stamp says of which component, or walk */
    VECTOR(uint32_t) engaged, enabled, last;
    uint32_t stamp;
    struct fair_cycle *cycle;
};

static bool is_strong(enum fairness kind)
{
    return kind == FAIRNESS_EVENT_STRONG || kind == FAIRNESS_PROCESS_STRONG ||
           kind == FAIRNESS_GLOBAL;
}

static struct items items_of(const struct search *search, uint32_t step)
{
    if (step == FAIR_STUTTER)
        return (struct items){0, 0};
    const struct fair_step *known = &search->graph->steps.items[step];
    switch (search->kind) {
    case FAIRNESS_EVENT_WEAK:
    case FAIRNESS_EVENT_STRONG:
        return (struct items){known->event, 1};
    case FAIRNESS_PROCESS_WEAK:
    case FAIRNESS_PROCESS_STRONG:
        return (struct items){0, known->processes};
    case FAIRNESS_GLOBAL:
        return (struct items){step, 1};
    default:
        return (struct items){0, 0};
    }
}

static uint32_t step_begin(const struct search *search, uint32_t node)
{
    return search->graph->first_step.items[search->graph->systems.items[node]];
}

static uint32_t step_end(const struct search *search, uint32_t node)
{
    return search->graph->first_step.items[search->graph->systems.items[node] + 1];
}

static uint32_t node_count(const struct fair_graph *graph)
{
    return (uint32_t)graph->systems.length;
}

/* The node an edge leaves. */
static uint32_t source_of(const struct fair_graph *graph, uint32_t edge)
{
    uint32_t low = 0, high = node_count(graph);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->first_edge.items[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    assert(graph->first_edge.items[low] <= edge && edge < graph->first_edge.items[low + 1]);
    return low;
}

/* ---- what a set of nodes and edges owes ---- */

static void count_taken(struct search *search, uint32_t step)
{
    struct items items = items_of(search, step);
    FOR_EACH_ITEM(items, item)
    search->engaged.items[item] = search->stamp;
}

/* Counts in how many of the nodes each item is enabled; one that is there twice counts twice. */
static void count_enabled(struct search *search, const uint32_t *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t step = step_begin(search, nodes[i]); step < step_end(search, nodes[i]);
             step++) {
            struct items items = items_of(search, step);
            FOR_EACH_ITEM(items, item)
            {
                search->enabled.items[item] = 0;
                search->last.items[item] = NONE;
            }
        }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t step = step_begin(search, nodes[i]); step < step_end(search, nodes[i]);
             step++) {
            struct items items = items_of(search, step);
            FOR_EACH_ITEM(items, item)
            {
                search->enabled.items[item] += search->last.items[item] != i;
                search->last.items[item] = i;
            }
        }
}

/* Whether an item was enabled, in all of `nodes` nodes if fairness is weak, and not taken. */
static bool is_owed(const struct search *search, uint32_t item, uint32_t nodes)
{
    assert(search->enabled.items[item] <= nodes);
    return search->engaged.items[item] != search->stamp &&
           search->enabled.items[item] >= (is_strong(search->kind) ? 1 : nodes);
}

/* Some item that a node enables and that is owed; NONE: there is none. */
static uint32_t owed_at(const struct search *search, uint32_t node, uint32_t nodes)
{
    for (uint32_t step = step_begin(search, node); step < step_end(search, node); step++) {
        struct items items = items_of(search, step);
        FOR_EACH_ITEM(items, item)
        if (is_owed(search, item, nodes))
            return item;
    }
    return NONE;
}

/* ---- components ---- */

static enum status look(struct search *search)
{
    return limits_look(search->limits, &search->looked) ? STATUS_LIMIT : STATUS_OK;
}

static bool is_inside(const struct search *search, uint32_t node, uint32_t target)
{
    return components_get(&search->components, node) == components_get(&search->components, target);
}

/* Whether the component has an edge, and all acceptance sets on its edges. Marks what they take. */
static bool is_accepting(struct search *search)
{
    const struct fair_graph *graph = search->graph;
    bool some = false;
    uint64_t missing = graph->acceptance;
    search->stamp++;
    for (size_t i = 0; i < search->members.length; i++) {
        uint32_t node = search->members.items[i];
        for (uint32_t e = graph->first_edge.items[node]; e < graph->first_edge.items[node + 1];
             e++) {
            const struct fair_edge *edge = &graph->edges.items[e];
            if (!is_inside(search, node, edge->target))
                continue;
            some = true;
            missing &= ~edge->acceptance;
            count_taken(search, edge->step);
        }
    }
    return some && !missing;
}

/* What is left of the component without the nodes where something owed is enabled, as a region.
 * `*whole`: all of it. */
static enum status leave_owing(struct search *search, bool *whole)
{
    uint32_t nodes = (uint32_t)search->members.length, region = search->region_count, kept = NONE;
    *whole = true;
    count_enabled(search, search->members.items, nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = search->members.items[i];
        bool owes = owed_at(search, node, nodes) != NONE;
        *whole &= !owes;
        search->region.items[node] = owes ? NONE : region;
        kept = owes ? kept : node;
    }
    if (*whole || kept == NONE || !is_strong(search->kind) || search->kind == FAIRNESS_GLOBAL)
        return STATUS_OK;
    search->region_count++;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = search->members.items[i];
        if (search->region.items[node] != region)
            continue;
        components_forget(&search->components, node); /* to be looked at again */
        TRY_MEMORY(vector_push(&search->regions, node));
    }
    return STATUS_OK;
}

static enum status try_component(struct search *search)
{
    if (is_accepting(search))
        return leave_owing(search, &search->found);
    search->found = false;
    for (size_t i = 0; i < search->members.length; i++)
        search->region.items[search->members.items[i]] = NONE;
    return STATUS_OK;
}

/* Edges that leave the node's region do not count. */
static enum status edge(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct search *search = self;
    const struct fair_graph *graph = search->graph;
    const uint32_t at = graph->first_edge.items[node] + number;
    *target = NODE_NONE;
    assert(search->region.items[node] != NONE && at <= graph->first_edge.items[node + 1]);
    TRY(look(search));
    if (at == graph->first_edge.items[node + 1])
        return STATUS_OK;
    *target = graph->edges.items[at].target;
    if (search->region.items[*target] != search->region.items[node])
        *target = node;
    return STATUS_OK;
}

static enum status complete(void *self, const uint32_t *members, uint32_t count, bool *stop)
{
    struct search *search = self;
    search->members.length = 0;
    TRY_MEMORY(vector_reserve(&search->members, count));
    memcpy(search->members.items, members, count * sizeof *members);
    search->members.length = count;
    TRY(try_component(search));
    *stop = search->found;
    return STATUS_OK;
}

/* ---- the cycle ---- */

/* What a walk looks for. */
struct wanted {
    uint64_t acceptance; /* an edge with one of these */
    uint32_t item;       /* an edge that takes it ... */
    bool or_disabled;    /* ... or that leads to where it is not enabled */
    uint32_t node;       /* an edge that leads there; NONE with the others */
};

static bool takes(const struct search *search, uint32_t step, uint32_t item)
{
    struct items items = items_of(search, step);
    FOR_EACH_ITEM(items, taken)
    if (taken == item)
        return true;
    return false;
}

static bool enables(const struct search *search, uint32_t node, uint32_t item)
{
    for (uint32_t step = step_begin(search, node); step < step_end(search, node); step++)
        if (takes(search, step, item))
            return true;
    return false;
}

static bool is_wanted(const struct search *search, const struct wanted *wanted,
                      const struct fair_edge *edge)
{
    if (edge->target == wanted->node || (edge->acceptance & wanted->acceptance))
        return true;
    if (wanted->item == NONE)
        return false;
    return takes(search, edge->step, wanted->item) ||
           (wanted->or_disabled && !enables(search, edge->target, wanted->item));
}

/* Edges that leave the component do not count. */
static enum status way_edge(void *self, uint32_t node, uint32_t number, uint32_t *target,
                            bool *ends)
{
    struct search *search = self;
    const struct fair_graph *graph = search->graph;
    const uint32_t at = graph->first_edge.items[node] + number;
    TRY(look(search));
    if (at == graph->first_edge.items[node + 1])
        return STATUS_OK;
    const struct fair_edge *edge = &graph->edges.items[at];
    const bool inside = is_inside(search, node, edge->target);
    *target = inside ? edge->target : node;
    *ends = inside && is_wanted(search, search->wanted, edge);
    return STATUS_OK;
}

/* Walks on inside the component to the nearest edge that is wanted; `*at` is where the walk stands.
 * There is such an edge. */
static enum status walk_to(struct search *search, const struct wanted *wanted, uint32_t *at)
{
    static const struct way_edges edges = {way_edge};
    const struct fair_graph *graph = search->graph;
    bool found = false;
    search->wanted = wanted;
    TRY(shortest_way_find(&search->way, &edges, search, at, 1, &found));
    if (!found)
        return STATUS_INTERNAL;
    for (size_t i = 0; i < search->way.steps.length; i++) {
        const struct way_step *step = &search->way.steps.items[i];
        const uint32_t taken = graph->first_edge.items[step->node] + step->number;
        assert(step->node == *at); /* the steps are connected */
        *at = graph->edges.items[taken].target;
        TRY_MEMORY(vector_push(&search->cycle->edges, taken));
    }
    return STATUS_OK;
}

/* Something that the cycle owes; NONE: it is fair. */
static enum status owed_on(struct search *search, const struct fair_cycle *cycle, uint32_t *owed)
{
    const struct fair_graph *graph = search->graph;
    uint32_t count = (uint32_t)cycle->edges.length;
    *owed = NONE;
    search->stamp++;
    TRY_MEMORY(vector_reserve(&search->sources, count));
    for (uint32_t i = 0; i < count; i++) {
        search->sources.items[i] = source_of(graph, cycle->edges.items[i]);
        assert(i == 0 || graph->edges.items[cycle->edges.items[i - 1]].target ==
                             search->sources.items[i]); /* one behind the other */
        count_taken(search, graph->edges.items[cycle->edges.items[i]].step);
    }
    assert(count > 0 && graph->edges.items[cycle->edges.items[count - 1]].target ==
                            search->sources.items[0]); /* and back */
    count_enabled(search, search->sources.items, count);
    for (uint32_t i = 0; i < count && *owed == NONE; i++)
        *owed = owed_at(search, search->sources.items[i], count);
    return STATUS_OK;
}

static enum status close_walk(struct search *search, uint32_t at, uint32_t start)
{
    const struct wanted home = {.item = NONE, .node = start};
    if (at == start && search->cycle->edges.length > 0)
        return STATUS_OK;
    return walk_to(search, &home, &at);
}

/* The cycle through the component in `members`. */
static enum status build_cycle(struct search *search)
{
    const struct fair_graph *graph = search->graph;
    struct fair_cycle *cycle = search->cycle;
    uint32_t start = search->members.items[0];
    for (size_t i = 1; i < search->members.length; i++)
        if (search->members.items[i] < start)
            start = search->members.items[i];
    uint32_t at = start;
    cycle->edges.length = 0;
    for (uint64_t missing = graph->acceptance; missing;) {
        const struct wanted wanted = {.acceptance = missing, .item = NONE, .node = NONE};
        size_t walked = cycle->edges.length;
        TRY(walk_to(search, &wanted, &at));
        for (; walked < cycle->edges.length; walked++)
            missing &= ~graph->edges.items[cycle->edges.items[walked]].acceptance;
    }
    for (;;) {
        size_t open = cycle->edges.length;
        TRY(close_walk(search, at, start));
        uint32_t owed;
        TRY(owed_on(search, cycle, &owed));
        if (owed == NONE)
            return STATUS_OK;
        const struct wanted wanted = {
            .item = owed, .or_disabled = !is_strong(search->kind), .node = NONE};
        cycle->edges.length = open;
        TRY(walk_to(search, &wanted, &at));
    }
}

/* ---- beginning and end ---- */

static uint32_t item_count(const struct fair_graph *graph, enum fairness kind)
{
    uint32_t most = 0;
    if (kind == FAIRNESS_PROCESS_WEAK || kind == FAIRNESS_PROCESS_STRONG)
        return 64;
    if (kind == FAIRNESS_GLOBAL)
        return (uint32_t)graph->steps.length;
    for (size_t i = 0; kind != FAIRNESS_NONE && i < graph->steps.length; i++)
        if (graph->steps.items[i].event >= most)
            most = graph->steps.items[i].event + 1;
    return most;
}

static void release(struct search *search)
{
    components_release(&search->components);
    vectors_release(&search->region, &search->regions, &search->members, &search->engaged,
                    &search->enabled, &search->last);
    shortest_way_release(&search->way);
    vector_release(&search->sources);
}

static enum status begin(struct search *search, const struct fair_graph *graph, enum fairness kind)
{
    static const struct components_of of = {.edge = edge, .complete = complete};
    struct budget *budget = graph->edges.budget;
    uint32_t nodes = node_count(graph), items = item_count(graph, kind);
    *search = (struct search){.graph = graph, .kind = kind, .region_count = 1};
    vectors_init(budget, &search->region, &search->regions, &search->members, &search->engaged,
                 &search->enabled, &search->last);
    shortest_way_init(&search->way, budget);
    vector_init(&search->sources, budget);
    TRY_MEMORY(components_init(&search->components, &of, search, nodes, budget) &&
               vector_reserve(&search->region, nodes) && vector_reserve(&search->engaged, items) &&
               vector_reserve(&search->enabled, items) && vector_reserve(&search->last, items));
    for (uint32_t node = 0; node < nodes; node++)
        search->region.items[node] = 0;
    for (uint32_t item = 0; item < items; item++)
        search->engaged.items[item] = 0;
    return STATUS_OK;
}

/* Regions that come up are looked at behind those that are there. */
static enum status find(struct search *search, bool *found)
{
    for (uint32_t node = 0; node < node_count(search->graph) && !search->found; node++)
        TRY(components_from(&search->components, node));
    for (size_t i = 0; i < search->regions.length && !search->found; i++)
        if (search->region.items[search->regions.items[i]] != NONE)
            TRY(components_from(&search->components, search->regions.items[i]));
    *found = search->found;
    return *found ? build_cycle(search) : STATUS_OK;
}

enum status fair_cycle_find(const struct fair_graph *graph, enum fairness kind,
                            const struct limits *limits, struct fair_cycle *cycle, bool *found)
{
    struct search search;
    *found = false;
    enum status status = begin(&search, graph, kind);
    search.limits = limits;
    search.cycle = cycle;
    if (status == STATUS_OK)
        status = find(&search, found);
    release(&search);
    return status;
}

enum status fair_cycle_is(const struct fair_graph *graph, const struct fair_cycle *cycle,
                          enum fairness kind, bool *fair)
{
    struct search search;
    uint32_t owed = NONE;
    enum status status = begin(&search, graph, kind);
    if (status == STATUS_OK)
        status = owed_on(&search, cycle, &owed);
    *fair = owed == NONE;
    release(&search);
    return status;
}
