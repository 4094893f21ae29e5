/* The states are explored that operations lead to one after another. Behind k completions of an
 * operation are the states that can be reached from one of its returns which comes behind k - 1:
 * each set is part of the one before it. Where two are the same it can complete any number of
 * times; where one is empty, no more often. */
#include "verify/lin_completions.h"

#include <string.h>

#include "base/memory.h"
#include "explore/explore.h"
#include "space/state_table.h"
#include "verify/lin_instance_open.h"

#define NO_OPERATION UINT32_MAX
#define ENOUGH       2 /* completions */

struct completion_edge {
    uint32_t target;
    uint32_t completes; /* operation that returns; or NO_OPERATION */
};

struct exploration {
    struct lin_instance instance;
    struct worker *worker; /* of its model */
    struct labels *labels;
    struct state_table states;
    VECTOR(struct completion_edge) edges;
    VECTOR(uint32_t) first; /* edge, by state that was expanded, and one more */
    bool *starves;          /* by operation: one of it has waited for a node */
    struct successors out;  /* scratch, as is the state taken up */
    VECTOR(uint32_t) state;
    struct error *error;
};

struct operation_count {
    uint32_t times;
    bool any; /* any number */
};

/* ---- exploring ---- */

static uint32_t operation_of(const struct lin_steps *steps, const uint32_t *state, uint32_t thread)
{
    const uint32_t at = thread_slots_of(steps, state, thread)[LIN_THREAD_AT];
    return at == 0 || at == LIN_THREAD_FAULTED
               ? NO_OPERATION
               : (uint32_t)(entry_at(steps, at - 1) - steps->entries);
}

static bool others_run(const struct lin_steps *steps, const uint32_t *state, uint32_t thread)
{
    bool run = false;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        run |= i != thread && operation_of(steps, state, i) != NO_OPERATION;
    return run;
}

static enum status visit(void *self, uint32_t taken, bool *stop)
{
    struct exploration *exploration = self;
    const struct lin_model *lin = &exploration->instance.model;
    const struct lin_steps *steps = lin->steps;
    struct successors *out = &exploration->out;
    uint32_t *state = exploration->state.items;
    (void)stop; /* all are wanted */
    TRY_MEMORY(vector_push(&exploration->first, (uint32_t)exploration->edges.length));
    state_table_read(&exploration->states, taken, state);
    successors_clear(out);
    TRY(worker_successors(exploration->worker, state, out, exploration->error));
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        if ((out->starving >> i & 1) && operation_of(steps, state, i) != NO_OPERATION)
            exploration->starves[operation_of(steps, state, i)] = true;
    for (size_t i = 0; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        const uint32_t *after = out->states.items + i * steps->slots;
        struct completion_edge edge = {.completes = NO_OPERATION};
        bool fresh;
        if (step->label == lin->fault || others_run(steps, state, step->process))
            continue;
        if (operation_of(steps, after, step->process) == NO_OPERATION)
            edge.completes = operation_of(steps, state, step->process);
        edge.target = state_table_intern(&exploration->states, after, &fresh);
        TRY_MEMORY(edge.target != STATE_REFUSED && vector_push(&exploration->edges, edge));
    }
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    *count = ((struct exploration *)self)->states.count;
    return STATUS_OK;
}

static enum status explore_states(struct exploration *exploration, const struct limits *limits)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    const struct model *model = &exploration->instance.model.model;
    struct successors *out = &exploration->out;
    bool fresh;
    TRY_MEMORY(vector_reserve(&exploration->state, model->slots));
    exploration->worker = worker_create(model);
    TRY_MEMORY(exploration->worker);
    out->limits = limits;
    TRY(worker_initial(exploration->worker, out, exploration->error));
    for (size_t i = 0; i < out->steps.length; i++)
        TRY_MEMORY(state_table_intern(&exploration->states, out->states.items + i * model->slots,
                                      &fresh) != STATE_REFUSED);
    TRY(explore_oldest_first(limits, "completions", "states", &visitor, exploration));
    return granted(vector_push(&exploration->first, (uint32_t)exploration->edges.length));
}

/* ---- counting ---- */

/* Adds to `to` all that can be reached from states in it. Returns how many there are then. */
static uint32_t close_set(const struct exploration *exploration, bool *to, uint32_t *queue,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = exploration->first.items[queue[i]];
             e < exploration->first.items[queue[i] + 1]; e++) {
            uint32_t target = exploration->edges.items[e].target;
            if (to[target])
                continue;
            to[target] = true;
            queue[count++] = target;
        }
    return count;
}

/* The states behind one more return of the operation than those in `set`, in their place. */
static uint32_t next_set(const struct exploration *exploration, uint32_t operation, bool *set,
                         bool *next, uint32_t *queue)
{
    uint32_t count = 0;
    memset(next, 0, exploration->states.count * sizeof *next);
    for (uint32_t state = 0; state < exploration->states.count; state++)
        for (uint32_t e = exploration->first.items[state];
             set[state] && e < exploration->first.items[state + 1]; e++) {
            const struct completion_edge *edge = &exploration->edges.items[e];
            if (edge->completes != operation || next[edge->target])
                continue;
            next[edge->target] = true;
            queue[count++] = edge->target;
        }
    count = close_set(exploration, next, queue, count);
    memcpy(set, next, exploration->states.count * sizeof *set);
    return count;
}

static enum status count_one(const struct exploration *exploration, uint32_t operation,
                             struct operation_count *count)
{
    struct budget *budget = exploration->instance.budget;
    const uint32_t states = exploration->states.count;
    bool *set = memory_allocate(budget, states * sizeof *set);
    bool *next = memory_allocate(budget, states * sizeof *next);
    uint32_t *queue = memory_allocate(budget, states * sizeof *queue);
    *count = (struct operation_count){0};
    if (set && next && queue) {
        memset(set, true, states * sizeof *set);
        for (uint32_t now = states, before = 0; now && !count->any;
             count->times += now && !count->any) {
            before = now;
            now = next_set(exploration, operation, set, next, queue);
            count->any = now && now == before;
        }
    }
    bool refused = !set || !next || !queue;
    memory_release(budget, set, states * sizeof *set);
    memory_release(budget, next, states * sizeof *next);
    memory_release(budget, queue, states * sizeof *queue);
    return refused ? STATUS_LIMIT : STATUS_OK;
}

/* ---- the explorations ---- */

static bool takes_nodes(const struct lin_steps *steps, uint32_t operation)
{
    uint32_t end = operation + 1 < steps->object->operation_count
                       ? steps->entries[operation + 1].start
                       : listing_here(&steps->listing);
    bool takes = false;
    for (uint32_t at = steps->entries[operation].start; at < end; at++)
        takes |= steps->listing.code.items[at].op == OP_NEW;
    return takes;
}

/* As many as there must be for each `only thread` to have its own. */
static uint32_t fewest_threads(const struct lin_steps *steps)
{
    uint32_t fewest = 1;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (steps->entries[i].only >= (int32_t)fewest)
            fewest = (uint32_t)steps->entries[i].only + 1;
    return fewest < LIN_MOST_THREADS ? fewest : LIN_MOST_THREADS;
}

static enum status open(struct exploration *exploration, const struct lin_instance *instance,
                        uint32_t threads, const struct limits *limits, struct error *error)
{
    static const struct lin_options options = {.forget = true};
    const struct lin_bounds bounds = {.threads = threads, .operations = -1, .values = 1};
    struct budget *budget = instance->budget;
    vectors_init(budget, &exploration->edges, &exploration->first, &exploration->state);
    successors_init(&exploration->out, budget);
    exploration->labels = labels_create(budget);
    TRY_MEMORY(exploration->labels);
    return lin_instance_open_bounded(&exploration->instance, instance->module, instance->assertion,
                                     &bounds, &options, exploration->labels, instance->pool, limits,
                                     error);
}

static enum status count_all(const struct lin_instance *instance, const struct limits *limits,
                             struct operation_count *counts, bool *starves, struct error *error)
{
    struct exploration exploration = {.starves = starves, .error = error};
    enum status status =
        open(&exploration, instance, fewest_threads(&instance->steps), limits, error);
    if (status == STATUS_OK) {
        const uint32_t slots = exploration.instance.model.model.slots;
        state_table_init(&exploration.states, instance->budget, slots, slots);
        status = explore_states(&exploration, limits);
        for (uint32_t i = 0; status == STATUS_OK && i < instance->steps.object->operation_count;
             i++)
            status = count_one(&exploration, i, &counts[i]);
        state_table_release(&exploration.states);
        worker_destroy(exploration.worker);
    }
    if (exploration.labels)
        lin_instance_close(&exploration.instance);
    labels_destroy(exploration.labels);
    vectors_release(&exploration.edges, &exploration.first, &exploration.state);
    successors_release(&exploration.out);
    return status;
}

static bool is_short(const struct lin_steps *steps, const struct operation_count *counts,
                     const bool *starves, uint32_t operation)
{
    const struct operation_count *count = &counts[operation];
    return takes_nodes(steps, operation) && starves[operation] && !count->any &&
           count->times < ENOUGH;
}

/* ---- telling ---- */

static void say_times(const struct operation_count *count, struct text *text)
{
    if (count->any)
        text_append(text, "any number of times");
    else if (count->times == 0)
        text_append(text, "never");
    else if (count->times == 1)
        text_append(text, "once");
    else
        text_format(text, "%u times", count->times);
}

static void say(const struct lin_steps *steps, const struct operation_count *counts,
                const bool *starves, struct lin_completions *completions)
{
    const uint32_t count = steps->object->operation_count;
    struct text *said = &completions->said, *lacking = &completions->lacking;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = steps->entries[i].operation->name;
        text_append(said, i == 0 ? "" : i + 1 < count ? ", " : " and ");
        text_format(said, i == 0 ? "`%s` can complete " : "`%s` ", name);
        say_times(&counts[i], said);
        if (!is_short(steps, counts, starves, i))
            continue;
        text_format(lacking, "%s`%s` can %s", lacking->length ? ", " : "", name,
                    counts[i].times ? "complete only once" : "never complete");
    }
}

enum status lin_completions_count(const struct lin_instance *instance,
                                  const struct assertion_options *options,
                                  struct lin_completions *completions, struct error *error)
{
    const struct lin_steps *steps = &instance->steps;
    const uint32_t operations = steps->object->operation_count;
    struct budget *budget = instance->budget;
    *completions = (struct lin_completions){.said = TEXT_EMPTY, .lacking = TEXT_EMPTY};
    for (uint32_t i = 0; i < operations; i++)
        completions->takes_nodes |= takes_nodes(steps, i);
    if (!completions->takes_nodes)
        return STATUS_OK;
    struct operation_count *counts = memory_zeroed(budget, operations * sizeof *counts);
    bool *starves = memory_zeroed(budget, operations * sizeof *starves);
    enum status status = counts && starves ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK)
        status = count_all(instance, options->limits, counts, starves, error);
    if (status == STATUS_OK)
        say(steps, counts, starves, completions);
    memory_release(budget, counts, operations * sizeof *counts);
    memory_release(budget, starves, operations * sizeof *starves);
    return status;
}

void lin_completions_release(struct lin_completions *completions)
{
    text_release(&completions->said);
    text_release(&completions->lacking);
}
