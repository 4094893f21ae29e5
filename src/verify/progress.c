/* The whole state graph is explored first, then the cycles that a property forbids are looked for:
 * each is a cycle within a strongly connected component of the graph with some edges left out.
 * Weak fairness asks of a cycle that every thread steps or is blocked somewhere on
 * it, and what some cycle of a component can do, the cycle through all of it does. */
#include "verify/progress.h"

#include <assert.h>

#include "base/bits.h"
#include "explore/components.h"
#include "explore/shortest_way.h"
#include "implementation/symmetry.h"
#include "tell/trace_writer.h"
#include "verify/progress_nodes.h"
#include "verify/progress_states.h"

#define NONE         PROGRESS_NONE
#define MOST_THREADS 64

/* What a cycle has to go through: an edge, or a state. */
struct waypoint {
    uint32_t edge, state; /* one is NONE */
};

struct search {
    const struct lin_model *model;
    enum lin_property property;
    const struct assertion_options *options;
    struct assertion_result *result;
    struct error *error;
    struct lin_model named;     /* the model in which nodes keep their numbers */
    struct trace_writer writer; /* of a violation, on that */
    uint32_t threads;
    struct progress_states graph;
    uint32_t victim; /* the thread that a cycle must keep from answering; NONE: any */
    bool waited;     /* something would be forbidden if the specification did not wait there */
    struct components components;
    /* A component with a cycle that is forbidden, and what that goes through */
    bool found;
    VECTOR(uint32_t) members;
    struct waypoint waypoints[MOST_THREADS];
    uint32_t waypoint_count;
    /* Telling */
    VECTOR(uint32_t) path; /* edges */
    struct shortest_way way;
    uint32_t way_to; /* the state where it ends */
};

/* ---- which cycles are forbidden ---- */

static bool is_running(const struct search *search, uint32_t state, uint32_t thread)
{
    return search->graph.running.items[state] >> thread & 1;
}

/* Whether a forbidden cycle may go this way. */
static bool is_allowed(const struct search *search, uint32_t number)
{
    const struct progress_edge *edge = &search->graph.edges.items[number];
    if (search->graph.left_out.items[edge->target] ||
        search->graph.left_out.items[search->graph.from.items[number]])
        return false;
    switch (search->property) {
    case LIN_LOCK_FREE:
    case LIN_DEADLOCK_FREE:
        return edge->kind != EDGE_ANSWER;
    case LIN_OBSTRUCTION_FREE:
        return edge->process == search->victim &&
               (edge->kind == EDGE_STEP || edge->kind == EDGE_SPIN);
    default: /* LIN_WAIT_FREE, LIN_STARVATION_FREE */
        return edge->kind != EDGE_ANSWER || edge->process != search->victim;
    }
}

static bool is_inside(const struct search *search, uint32_t number, uint32_t component)
{
    return is_allowed(search, number) &&
           components_get(&search->components, search->graph.from.items[number]) == component &&
           components_get(&search->components, search->graph.edges.items[number].target) ==
               component;
}

/* The members of a component. */
struct members {
    const uint32_t *items;
    uint32_t count;
};

/* An edge of the thread inside the component; NONE if it has none. `steps_only`: no call, no
 * answer.
 */
static uint32_t edge_of(const struct search *search, const struct members *members,
                        uint32_t component, uint32_t thread, bool steps_only)
{
    for (size_t i = 0; i < members->count; i++) {
        uint32_t state = members->items[i];
        for (uint32_t e = search->graph.first.items[state];
             e < search->graph.first.items[state + 1]; e++) {
            const struct progress_edge *edge = &search->graph.edges.items[e];
            bool steps = edge->kind == EDGE_STEP || edge->kind == EDGE_SPIN;
            if ((thread == NONE || edge->process == thread) && (steps || !steps_only) &&
                is_inside(search, e, component))
                return e;
        }
    }
    return NONE;
}

/* A state of the component in which the thread need not step: it is idle at the start of its order.
 */
static uint32_t idle_state_of(const struct search *search, const struct members *members,
                              uint32_t thread)
{
    for (size_t i = 0; i < members->count; i++)
        if (search->graph.resting.items[members->items[i]] >> thread & 1)
            return members->items[i];
    return NONE;
}

/* What a weakly fair cycle through the component has to go through; false: there is none. (A thread
 * that waits has a spin, so that every edge will do.) */
static bool find_fair_cycle(const struct search *search, const struct members *members,
                            uint32_t component, struct waypoint *waypoints, uint32_t *count)
{
    bool some_running = false;
    for (uint32_t i = 0; i < search->threads; i++) {
        uint32_t edge = edge_of(search, members, component, i, false);
        uint32_t idle = edge == NONE ? idle_state_of(search, members, i) : NONE;
        if (edge == NONE && idle == NONE)
            return false;
        waypoints[(*count)++] = (struct waypoint){edge, idle};
        some_running |= is_running(search, members->items[0], i) &&
                        (search->victim == NONE || search->victim == i);
    }
    return some_running;
}

/* The threads that step in the component, or spin (bit i: thread i), and an edge of each. */
static uint64_t find_steppers(const struct search *search, const struct members *members,
                              uint32_t component, struct waypoint *waypoints, uint32_t *count)
{
    uint64_t threads = 0;
    for (uint32_t i = 0; i < search->threads; i++) {
        uint32_t edge = edge_of(search, members, component, i, true);
        if (edge == NONE)
            continue;
        threads |= bit_of(i);
        waypoints[(*count)++] = (struct waypoint){edge, NONE};
    }
    return threads;
}

/* Where the specification waits, whether all that would be forbidden in the component does so with
 * it. No operation returns or is called on these cycles, so that what has happened is the same in
 * all states, up to the names of values. Fewer threads wait where more do: the cycle through the
 * steps of all threads that step is the one to look at. */
static enum status waits_with_specification(struct search *search, const struct members *members,
                                            uint32_t component, bool *waits)
{
    const uint32_t state = members->items[0];
    uint64_t threads = search->graph.running.items[state];
    *waits = false;
    if (!search->graph.waiting)
        return STATUS_OK;
    if (search->property == LIN_OBSTRUCTION_FREE)
        threads = bit_of(search->victim);
    if (search->property == LIN_LOCK_FREE) {
        search->waypoint_count = 0;
        threads =
            find_steppers(search, members, component, search->waypoints, &search->waypoint_count);
    }
    TRY(progress_states_wait(&search->graph, state, threads, waits));
    search->waited |= *waits;
    return STATUS_OK;
}

/* Whether the component has a cycle that the property forbids, and what it goes through. */
static bool find_forbidden(const struct search *search, const struct members *members,
                           uint32_t component, struct waypoint *waypoints, uint32_t *count)
{
    *count = 0;
    if (search->property == LIN_DEADLOCK_FREE || search->property == LIN_STARVATION_FREE)
        return edge_of(search, members, component, NONE, false) != NONE &&
               find_fair_cycle(search, members, component, waypoints, count);
    uint32_t edge = edge_of(search, members, component, search->victim, true);
    waypoints[(*count)++] = (struct waypoint){edge, NONE};
    return edge != NONE;
}

/* ---- strongly connected components ---- */

static enum status edge(void *self, uint32_t state, uint32_t number, uint32_t *target)
{
    const struct search *search = self;
    const uint32_t at = search->graph.first.items[state] + number;
    *target = NODE_NONE;
    if (at < search->graph.first.items[state + 1])
        *target = is_allowed(search, at) ? search->graph.edges.items[at].target : state;
    return STATUS_OK;
}

static enum status complete(void *self, const uint32_t *members, uint32_t count, bool *stop)
{
    struct search *search = self;
    const struct members component = {members, count};
    search->found =
        find_forbidden(search, &component, components_get(&search->components, *members),
                       search->waypoints, &search->waypoint_count);
    bool waits = false;
    if (search->found)
        TRY(waits_with_specification(search, &component,
                                     components_get(&search->components, *members), &waits));
    search->found &= !waits;
    *stop = search->found;
    for (uint32_t i = 0; i < count && search->found; i++)
        TRY_MEMORY(vector_push(&search->members, members[i]));
    return STATUS_OK;
}

static enum status look_at_components(struct search *search)
{
    uint32_t steps = LOOK_FIRST;
    for (uint32_t root = 0; root < progress_states_count(&search->graph) && !search->found;
         root++) {
        if (components_met(&search->components, root) || search->graph.left_out.items[root])
            continue;
        if (limits_look(search->options->limits, &steps)) {
            search->result->limit = limits_reached(search->options->limits);
            return STATUS_LIMIT;
        }
        TRY(components_from(&search->components, root));
    }
    return STATUS_OK;
}

/* ---- telling ---- */

static enum status tell_step(struct search *search, uint32_t number)
{
    const struct progress_edge *edge = &search->graph.edges.items[number];
    if (edge->kind == EDGE_SPIN)
        return trace_writer_wait(&search->writer, edge->process, edge->shown);
    const struct trace_wanted wanted = {.process = edge->process,
                                        .visible = edge->kind != EDGE_STEP};
    return trace_writer_take(&search->writer, &wanted,
                             progress_states_get(&search->graph, edge->target));
}

/* The execution to a state. */
static enum status tell_prefix(struct search *search, uint32_t state)
{
    search->path.length = 0;
    while (search->graph.parents.items[state] != NONE) {
        TRY_MEMORY(vector_push(&search->path, search->graph.parents.items[state]));
        state = search->graph.from.items[search->graph.parents.items[state]];
    }
    TRY(trace_writer_start(&search->writer, progress_states_get(&search->graph, state)));
    for (size_t i = search->path.length; i-- > 0;)
        TRY(tell_step(search, search->path.items[i]));
    return STATUS_OK;
}

/* Edges that leave the component do not count. */
static enum status way_edge(void *self, uint32_t state, uint32_t number, uint32_t *target,
                            bool *ends)
{
    const struct search *search = self;
    const uint32_t at = search->graph.first.items[state] + number;
    if (at == search->graph.first.items[state + 1])
        return STATUS_OK;
    const bool inside = is_inside(search, at, components_get(&search->components, state));
    *target = inside ? search->graph.edges.items[at].target : state;
    *ends = inside && *target == search->way_to;
    return STATUS_OK;
}

/* Tells the shortest way from one state of a component to another, inside it. */
static enum status tell_way(struct search *search, uint32_t from, uint32_t to)
{
    static const struct way_edges edges = {way_edge};
    const struct shortest_way *way = &search->way;
    bool found = false;
    if (from == to)
        return STATUS_OK;
    search->way_to = to;
    TRY(shortest_way_find(&search->way, &edges, search, &from, 1, &found));
    assert(found); /* each state of a component leads to each */
    for (size_t i = 0; i < way->steps.length; i++)
        TRY(tell_step(search, search->graph.first.items[way->steps.items[i].node] +
                                  way->steps.items[i].number));
    return STATUS_OK;
}

/* Once round the cycle, from `start` to it. */
static enum status tell_round(struct search *search, uint32_t start)
{
    uint32_t at = start;
    for (uint32_t i = 0; i < search->waypoint_count; i++) {
        const struct waypoint *waypoint = &search->waypoints[i];
        if (waypoint->edge == NONE) {
            TRY(tell_way(search, at, waypoint->state));
            at = waypoint->state;
            continue;
        }
        TRY(tell_way(search, at, search->graph.from.items[waypoint->edge]));
        TRY(tell_step(search, waypoint->edge));
        at = search->graph.edges.items[waypoint->edge].target;
    }
    return tell_way(search, at, start);
}

/* Where values have been exchanged when the cycle is closed, it is gone round again: no permutation
 * needs more than MOST_ROUNDS to be undone. */
#define MOST_ROUNDS 15

static enum status tell_cycle(struct search *search)
{
    uint32_t start = search->members.items[0];
    bool is_back = false;
    for (size_t i = 1; i < search->members.length; i++)
        if (search->members.items[i] < start)
            start = search->members.items[i]; /* nearest to the initial state */
    TRY(tell_prefix(search, start));
    struct trace *trace = &search->result->trace;
    trace->is_lasso = true;
    trace->loop_start = (uint32_t)trace->steps.length;
    TRY(trace_writer_mark(&search->writer));
    for (unsigned i = 0; i < MOST_ROUNDS && !is_back; i++) {
        TRY(tell_round(search, start));
        TRY(trace_writer_is_back(&search->writer, &is_back));
    }
    return is_back ? STATUS_OK
                   : error_set(search->error, STATUS_INTERNAL, NULL, 0,
                               "a cycle does not come back to where it began");
}

static void say(struct search *search)
{
    struct text *reason = &search->result->reason;
    search->result->answer = VIOLATED;
    switch (search->property) {
    case LIN_LOCK_FREE:
        text_append(reason, "threads can step for ever without any operation returning");
        break;
    case LIN_WAIT_FREE:
        text_format(reason, "thread %u can step for ever inside one operation", search->victim);
        break;
    case LIN_OBSTRUCTION_FREE:
        text_format(reason,
                    "thread %u can step for ever inside one operation while all others "
                    "stand still",
                    search->victim);
        break;
    case LIN_DEADLOCK_FREE:
        text_append(reason, "no operation ever returns, though every thread that runs one goes on "
                            "or waits");
        break;
    default:
        text_format(reason,
                    "an operation of thread %u never returns, though every thread that runs "
                    "one goes on or waits",
                    search->victim);
        break;
    }
}

/* ---- deciding ---- */

/* An operation is running and nothing can step. */
static enum status find_deadlock(struct search *search, bool *found)
{
    for (uint32_t state = 0; state < progress_states_count(&search->graph) && !*found; state++) {
        bool running = false, steps = false;
        for (uint32_t i = 0; i < search->threads; i++)
            running |= is_running(search, state, i);
        for (uint32_t e = search->graph.first.items[state];
             e < search->graph.first.items[state + 1]; e++)
            steps |= search->graph.edges.items[e].kind != EDGE_SPIN;
        if (!running || steps || search->graph.left_out.items[state])
            continue;
        bool waits;
        TRY(progress_states_wait(&search->graph, state, search->graph.running.items[state],
                                 &waits));
        search->waited |= waits;
        if (waits)
            continue;
        *found = true;
        search->result->answer = VIOLATED;
        text_append(&search->result->reason,
                    "an operation is running and no thread can take a step");
        TRY(tell_prefix(search, state));
    }
    return STATUS_OK;
}

/* Looks for a forbidden cycle of search->victim, and tells it. */
static enum status find_cycle_of(struct search *search, bool *found)
{
    static const struct components_of of = {.edge = edge, .complete = complete};
    enum status status = STATUS_LIMIT;
    search->found = false;
    if (components_init(&search->components, &of, search, progress_states_count(&search->graph),
                        search->model->model.budget))
        status = look_at_components(search);
    *found = status == STATUS_OK && search->found;
    if (*found) {
        say(search);
        status = tell_cycle(search);
    }
    components_release(&search->components);
    return status;
}

static enum status find_cycle(struct search *search, bool *found)
{
    bool by_thread = search->property != LIN_LOCK_FREE && search->property != LIN_DEADLOCK_FREE;
    for (uint32_t i = 0; !*found && i < (by_thread ? search->threads : 1); i++) {
        search->victim = by_thread ? i : NONE;
        TRY(find_cycle_of(search, found));
    }
    return STATUS_OK;
}

/* The model is wrong in a step from the first state that was not expanded: tells what leads there,
 * and leaves the error as it is. */
static enum status tell_error(struct search *search)
{
    struct error fault = *search->error;
    if (search->graph.first.length < progress_states_count(&search->graph))
        TRY(tell_prefix(search, (uint32_t)search->graph.first.length));
    *search->error = fault;
    return STATUS_INPUT;
}

/* Nothing forbidden was found, perhaps only because there are no more nodes: then it is not
 * decided, and the run to there told. */
static enum status find_shortage(struct search *search, bool *found)
{
    struct shortage shortage;
    progress_shortage_init(&shortage, search->model->model.budget);
    enum status status = progress_find_shortage(&search->graph, search->property,
                                                search->options->limits, &shortage, found);
    if (status == STATUS_OK && *found) {
        search->result->answer = UNDECIDED;
        progress_say_shortage(&search->graph, &shortage, &search->result->reason);
        status = tell_prefix(search, shortage.state);
        for (size_t i = 0; status == STATUS_OK && i < shortage.way.length; i++)
            status = tell_step(search, shortage.way.items[i]);
    }
    progress_shortage_release(&shortage);
    return status;
}

/* Begins another part of the sentence. */
static struct text *begin(struct text *text)
{
    text_append(text, text->length ? "; " : "");
    return text;
}

/* What of the model's bounds was met, and so is not asked about. */
static void say_bounds(struct search *search)
{
    const struct lin_steps *steps = search->model->steps;
    struct text *reason = &search->result->reason;
    int32_t operations = steps->setting.operations;
    search->result->answer = HOLDS;
    if (operations >= 0)
        text_format(reason,
                    "with %d operation%s of each thread: a loop that only further ones would keep "
                    "going ends%s",
                    operations, operations == 1 ? "" : "s",
                    lin_steps_use(steps, OP_NEW)
                        ? ", and whether nodes last for further ones is not asked"
                        : "");
    if (search->graph.nodes_ran_out) {
        text_append(begin(reason), "nodes ran out (there are ");
        progress_say_nodes(&search->graph, PROGRESS_NONE, reason);
        text_append(reason, "), and what follows while a thread waits for one does not count");
    }
    if (search->graph.operations_ran_out)
        text_append(begin(reason), "the operations of a thread ran out in the middle of its "
                                   "client order, and what follows does not count");
    if (search->waited)
        text_append(begin(reason), "operations wait where those of the specification wait, which "
                                   "does not count");
    search->result->met_bounds = reason->length > 0;
}

static enum status decide(struct search *search)
{
    bool faulty = false, found = false;
    enum status status = progress_states_explore(&search->graph, search->options, search->result,
                                                 &faulty, search->error);
    if (status == STATUS_INPUT)
        return tell_error(search);
    TRY(status);
    if (faulty) {
        search->result->answer = VIOLATED;
        const uint32_t last = (uint32_t)search->graph.edges.length - 1;
        text_append(&search->result->reason, search->graph.fault);
        TRY(tell_prefix(search, search->graph.from.items[last]));
        return tell_step(search, last);
    }
    if (search->property == LIN_DEADLOCK_FREE)
        TRY(find_deadlock(search, &found));
    if (!found)
        TRY(find_cycle(search, &found));
    if (found)
        return STATUS_OK;
    TRY(find_shortage(search, &found));
    if (!found)
        say_bounds(search);
    return STATUS_OK;
}

/* Decides with what a violation is written with. */
static enum status decide_and_write(struct search *search)
{
    const struct lin_model *model = search->model;
    const struct lin_options options = {.forget = model->options.forget, .names = true};
    struct worker *shown = NULL, *stored = worker_create(&model->model);
    enum status status = lin_model_create(model->steps, &options, model->model.labels,
                                          model->model.budget, &search->named, search->error);
    if (status == STATUS_OK)
        shown = worker_create(&search->named.model);
    if (status == STATUS_OK && (!shown || !stored))
        status = STATUS_LIMIT;
    if (status == STATUS_OK) {
        status = trace_writer_open(&search->writer, shown, stored, &search->result->trace,
                                   search->error);
        if (status == STATUS_OK)
            status = decide(search);
        trace_writer_close(&search->writer);
    }
    worker_destroy(shown);
    worker_destroy(stored);
    lin_model_release(&search->named);
    return status;
}

enum status progress_decide(const struct lin_model *model, const struct model *reduced,
                            struct linear_normal *waiting, enum lin_property property,
                            const struct assertion_options *options,
                            struct assertion_result *result, struct error *error)
{
    struct budget *budget = model->model.budget;
    struct search search = {.model = model,
                            .property = property,
                            .options = options,
                            .result = result,
                            .error = error,
                            .threads = model->steps->setting.threads,
                            .victim = NONE};
    result->method = "cycles";
    const bool room = progress_states_init(&search.graph, model, reduced, waiting);
    vector_init(&search.members, budget);
    shortest_way_init(&search.way, budget);
    vector_init(&search.path, budget);
    enum status status = room ? decide_and_write(&search) : STATUS_LIMIT;
    progress_states_release(&search.graph);
    vector_release(&search.members);
    shortest_way_release(&search.way);
    vector_release(&search.path);
    return status;
}
