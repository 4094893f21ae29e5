/* The graph is built as searches build theirs, for its numbers and its normal form; what each step
 * is called for people is asked of the model once more. */
#include <linchpin/graph.h>

#include <string.h>

#include "api/process.h"
#include "api/variables.h"
#include "base/require.h"
#include "explore/explore.h"
#include "property/graph_normal.h"

#define GRAPH_MAGIC UINT32_C(0x6c706772)

/* What lp_graph is the beginning of. */
struct drawing {
    lp_graph visible; /* first: the handle is its address */
    uint32_t magic;
    lp_context *context;
    struct process process;
    struct graph graph;
    bool has_graph;
    struct graph_normal normal;
    bool has_normal;
    struct successors out; /* scratch */
    uint64_t max, taken;   /* states to take up at most, 0: all; and taken up */
    normal_id last;        /* the greatest normalised state that was found */
    struct error *error;
    struct arena arena;
    VECTOR(lp_node) nodes;
    VECTOR(lp_edge) edges;
    VECTOR(lp_group) groups;
    VECTOR(const char *) names; /* by label; null: not asked for yet */
};

/* ---- states and steps ---- */

static enum status name_of(struct drawing *drawing, label shown, const char **name)
{
    while (drawing->names.length <= shown)
        TRY_MEMORY(vector_push(&drawing->names, NULL));
    if (!drawing->names.items[shown]) {
        struct text text = TEXT_EMPTY;
        labels_print(drawing->process.labels, shown, &text);
        drawing->names.items[shown] =
            arena_copy_text(&drawing->arena, text_string(&text), text.length);
        text_release(&text);
    }
    *name = drawing->names.items[shown];
    return granted(*name);
}

static bool is_drawn(const struct drawing *drawing, size_t first, const lp_edge *edge)
{
    for (size_t i = first; i < drawing->edges.length; i++) {
        const lp_edge *drawn = &drawing->edges.items[i];
        if (drawn->target == edge->target && drawn->event == edge->event &&
            drawn->process == edge->process && drawn->visible == edge->visible)
            return true;
    }
    return false;
}

/* The edges of a state, each kind once. */
static enum status add_edges(struct drawing *drawing, state_id state, struct error *error)
{
    struct graph *graph = &drawing->graph;
    struct successors *out = &drawing->out;
    const struct edge *edges;
    uint32_t count;
    size_t first = drawing->edges.length;
    TRY(graph_edges(graph, state, &edges, &count, error)); /* numbers the targets */
    successors_clear(out);
    TRY(worker_successors(graph->own.worker, graph_state(graph, state), out, error));
    for (size_t i = 0; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        const uint32_t *target = out->states.items + i * graph->model->slots;
        bool fresh;
        lp_edge edge = {.source = state,
                        .target =
                            state_table_intern(&graph->states.parts[0].states, target, &fresh),
                        .process = step->process,
                        .visible = step->label != LABEL_TAU};
        TRY(name_of(drawing, step->shown, &edge.event));
        if (!is_drawn(drawing, first, &edge) && !vector_push(&drawing->edges, edge))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status visit_state(void *self, uint32_t state, bool *stop)
{
    struct drawing *drawing = self;
    size_t drawn = drawing->edges.length;
    *stop = drawing->max && state == drawing->max;
    if (*stop)
        return STATUS_OK;
    enum status status = add_edges(drawing, state, drawing->error);
    if (status == STATUS_OK)
        drawing->taken++;
    else
        drawing->edges.length = drawn; /* its steps are missing, that is all */
    return status;
}

static enum status found_states(void *self, uint32_t *count)
{
    *count = graph_count(&((struct drawing *)self)->graph);
    return STATUS_OK;
}

/* Takes up all states, or all normalised ones, as far as time goes: that is no failure. */
static enum status explore_all(struct drawing *drawing, const struct visitor *visitor,
                               const char *nodes)
{
    const struct limits *limits = &drawing->process.limits;
    drawing->taken = 0;
    enum status status = explore_oldest_first(limits, "graph", nodes, visitor, drawing);
    enum limit limit = status == STATUS_LIMIT ? limits_reached(limits) : LIMIT_NONE;
    if (limit != LIMIT_TIME && limit != LIMIT_INTERRUPT)
        return status;
    drawing->visible.limit = (lp_limit)limit;
    return STATUS_OK;
}

static enum status expand(struct drawing *drawing)
{
    static const struct visitor visitor = {.visit = visit_state, .found = found_states};
    TRY(explore_all(drawing, &visitor, "states"));
    const state_id count = graph_count(&drawing->graph);
    drawing->visible.complete = drawing->taken == count;
    for (state_id id = 0; id < count; id++)
        TRY_MEMORY(vector_push(&drawing->nodes, ((lp_node){.expanded = id < drawing->taken})));
    return STATUS_OK;
}

static enum status describe(struct drawing *drawing)
{
    const struct graph *graph = &drawing->graph;
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    for (state_id id = 0; id < graph_count(graph) && status == STATUS_OK; id++) {
        lp_node *node = &drawing->nodes.items[id];
        text_clear(&text);
        graph->model->class->print(graph->model, graph_state(graph, id), NULL, &text);
        status = variables_split(&drawing->arena, text_string(&text), &node->variables,
                                 &node->variable_count);
    }
    for (size_t i = 0; i < graph->initial.length; i++)
        drawing->nodes.items[graph->initial.items[i]].initial = true;
    text_release(&text);
    return status;
}

/* ---- normalised states ---- */

static enum status add_group(struct drawing *drawing, normal_id id)
{
    struct normal *normal = &drawing->normal.normal;
    const struct normal_edge *edges;
    uint32_t count;
    size_t member_count;
    TRY(normal->class->edges(normal, id, &edges, &count, drawing->error));
    const uint32_t *members = graph_normal_members(&drawing->normal, id, &member_count);
    uint32_t *kept = arena_allocate(&drawing->arena, member_count * sizeof *kept);
    lp_group_edge *drawn = arena_allocate(&drawing->arena, count * sizeof *drawn);
    TRY_MEMORY(kept && drawn);
    memcpy(kept, members, member_count * sizeof *kept);
    for (uint32_t i = 0; i < count; i++) {
        drawn[i].target = edges[i].target;
        TRY(name_of(drawing, edges[i].label, &drawn[i].event));
        drawing->last = edges[i].target > drawing->last ? edges[i].target : drawing->last;
    }
    lp_group group = {
        .members = kept, .member_count = member_count, .edges = drawn, .edge_count = count};
    return granted(vector_push(&drawing->groups, group));
}

static enum status visit_group(void *self, uint32_t id, bool *stop)
{
    struct drawing *drawing = self;
    *stop = drawing->max && id == drawing->max;
    if (*stop)
        return STATUS_OK;
    drawing->taken++;
    return add_group(drawing, id);
}

static enum status found_groups(void *self, uint32_t *count)
{
    *count = ((struct drawing *)self)->last + 1;
    return STATUS_OK;
}

/* Their numbers are handed out as they are found, from that of the empty trace on. All are drawn,
 * or none. */
static enum status normalise(struct drawing *drawing)
{
    static const struct visitor visitor = {.visit = visit_group, .found = found_groups};
    struct normal *normal = &drawing->normal.normal;
    graph_normal_init(&drawing->normal, &drawing->graph, false);
    drawing->has_normal = true;
    TRY(normal->class->initial(normal, &drawing->last, drawing->error));
    TRY(explore_all(drawing, &visitor, "normalised states"));
    drawing->visible.complete =
        drawing->visible.limit == LP_LIMIT_NONE && drawing->taken == (uint64_t)drawing->last + 1;
    if (!drawing->visible.complete)
        drawing->groups.length = 0;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status draw(struct drawing *drawing, const lp_model *model, const char *process,
                        const lp_graph_options *options, struct error *error)
{
    const struct limits *limits = &drawing->process.limits;
    lp_graph *visible = &drawing->visible;
    TRY(process_open(&drawing->process, drawing->context, model, process, false, options->timeout,
                     error));
    drawing->has_graph = true;
    TRY(graph_create(drawing->process.model, limits, &drawing->graph, error));
    drawing->max = options->max_states;
    drawing->error = error;
    TRY(expand(drawing));
    TRY(describe(drawing));
    drawing->graph.limits = limits; /* one closure may be long */
    if (options->normalised && visible->complete)
        TRY(normalise(drawing));
    drawing->graph.limits = NULL;
    visible->process = drawing->process.name;
    visible->nodes = drawing->nodes.items;
    visible->node_count = drawing->nodes.length;
    visible->edges = drawing->edges.items;
    visible->edge_count = drawing->edges.length;
    visible->groups = drawing->groups.items;
    visible->group_count = drawing->groups.length;
    return STATUS_OK;
}

lp_status lp_graph_create(lp_context *context, const lp_model *model, const char *process,
                          const lp_graph_options *options, lp_graph **graph, lp_error *error)
{
    lp_graph_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    REQUIRE_NOT_NULL(graph);
    REQUIRE_SIZED(&own, options, timeout);
    struct error fault;
    enum status status = STATUS_LIMIT;
    struct drawing *drawing = memory_zeroed(&context->budget, sizeof *drawing);
    *graph = NULL;
    if (drawing) {
        struct budget *budget = &drawing->process.budget;
        drawing->magic = GRAPH_MAGIC;
        drawing->context = context;
        successors_init(&drawing->out, budget);
        arena_init(&drawing->arena, budget);
        vectors_init(budget, &drawing->nodes, &drawing->edges, &drawing->groups, &drawing->names);
        status = draw(drawing, model, process, &own, &fault);
    }
    if (status == STATUS_LIMIT)
        process_explain_limit(drawing ? &drawing->process : NULL, &fault);
    report_status(status, &fault, error);
    if (status == STATUS_OK)
        *graph = &drawing->visible;
    else if (drawing)
        lp_graph_destroy(&drawing->visible);
    return (lp_status)status;
}

void lp_graph_destroy(lp_graph *graph)
{
    if (!graph)
        return;
    struct drawing *drawing = (struct drawing *)graph;
    REQUIRE_ALIVE(drawing, GRAPH_MAGIC);
    drawing->magic = 0;
    if (drawing->has_normal)
        graph_normal_release(&drawing->normal);
    if (drawing->has_graph)
        graph_release(&drawing->graph);
    successors_release(&drawing->out);
    vectors_release(&drawing->nodes, &drawing->edges, &drawing->groups, &drawing->names);
    arena_release(&drawing->arena);
    process_release(&drawing->process);
    memory_release(&drawing->context->budget, drawing, sizeof *drawing);
}
