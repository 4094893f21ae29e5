#include "reduce/partial_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

/* What the outlooks of a state say of its processes, one bit each (step_bit); of those that have a
 * bit of their own. */
struct prospects {
    bool known;
    bool puts_off; /* no step to come may be a fault */
    uint64_t independent, labelled;
    uint64_t connected; /* may be ample with others */
};

/* All that some processes of a state may ever do: of many that are alike, once. */
struct future {
    const uint32_t *set;
    uint32_t processes; /* how many have it */
};

/* Processes that are ample together, and how many steps they can take. */
struct ample {
    uint64_t processes;
    size_t steps;
};

/* The last ones; what came long before may be there twice. */
#define FUTURES_COMPARED SIZE_OR_SMALL(64, 1)

struct partial_order_worker {
    struct decorator_worker decorator;  /* first */
    struct outlooks outlooks;           /* of the state at hand */
    VECTOR(struct future) futures;      /* likewise */
    struct successors ahead;            /* of a state that may be skipped */
    VECTOR(struct prospects) prospects; /* by what controls a state */
    VECTOR(struct ample) ample;         /* of the state at hand */
};

static const struct partial_order *order_of(const struct partial_order_worker *worker)
{
    return (const struct partial_order *)worker->decorator.worker.model;
}

static bool meet(const uint32_t *a, const uint32_t *b, uint32_t words)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < words; i++)
        common |= a[i] & b[i];
    return common != 0;
}

/* Whether one writes what the other reads or writes. */
static bool conflict(const uint32_t *a, const uint32_t *b, uint32_t words)
{
    return meet(a + words, b, words) || meet(a + words, b + words, words) ||
           meet(a, b + words, words);
}

static bool is_empty(const uint32_t *set, uint32_t words)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < words; i++)
        any |= set[i];
    return any == 0;
}

static bool is_independent(const struct partial_order_worker *worker, uint32_t process)
{
    const struct partial_order *order = order_of(worker);
    const struct outlook *own = &worker->outlooks.items.items[process];
    uint32_t words = order->words;
    assert(process < worker->outlooks.items.length && worker->outlooks.words == words);
    if (own->joint || own->events)
        return false;
    if (order->purpose == AMPLE_PAPER && (own->conditional || own->synchronises))
        return false;
    if (meet(own->next + words, order->kept, words))
        return false;
    uint32_t alike = 0; /* have its own future, itself included */
    for (size_t i = 0; i < worker->futures.length; i++) {
        const struct future *future = &worker->futures.items[i];
        if (future->set == own->future)
            alike += future->processes;
        else if (conflict(own->next, future->set, words))
            return false;
    }
    assert(alike > 0);
    return (alike == 1 && !own->several) || !conflict(own->next, own->future, words);
}

/* Gathers what the processes of the state at hand may ever do. */
static bool gather_futures(struct partial_order_worker *worker)
{
    worker->futures.length = 0;
    for (size_t i = 0; i < worker->outlooks.items.length; i++) {
        const uint32_t *set = worker->outlooks.items.items[i].future;
        const size_t count = worker->futures.length;
        const size_t least = count > FUTURES_COMPARED ? count - FUTURES_COMPARED : 0;
        size_t at = count;
        while (at > least && worker->futures.items[at - 1].set != set)
            at--;
        if (at > least)
            worker->futures.items[at - 1].processes++;
        else if (!vector_push(&worker->futures, ((struct future){set, 1})))
            return false;
    }
    return true;
}

static bool is_visible(const struct partial_order *order, label l)
{
    if (order->purpose == AMPLE_STATES || order->purpose == AMPLE_ENDS || l == LABEL_TAU)
        return false;
    return !order->is_visible || order->is_visible(order->decorator.model.labels, l);
}

/* How many steps some processes take part in; 0 where one of them cannot stand for others. */
static size_t count_ample(const struct partial_order *order, const struct successors *out,
                          size_t first, uint64_t processes)
{
    size_t count = 0;
    for (size_t i = first; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        if (!(step->processes & processes))
            continue;
        if (step->preempts || is_visible(order, step->label))
            return 0;
        assert(!(step->processes & ~processes));
        count++;
    }
    return count;
}

static enum status work_out(struct partial_order_worker *worker, const uint32_t *state,
                            struct prospects *prospects, struct error *error)
{
    struct worker *inner = worker->decorator.inner;
    TRY(inner->model->class->outlooks(inner, state, &worker->outlooks, error));
    if (!gather_futures(worker))
        return STATUS_LIMIT;
    const enum ample_purpose purpose = order_of(worker)->purpose;
    *prospects = (struct prospects){.known = true, .puts_off = purpose == AMPLE_ENDS};
    for (uint32_t i = 0; i < worker->outlooks.items.length; i++) {
        const struct outlook *outlook = &worker->outlooks.items.items[i];
        const uint64_t bit = i < STEP_OWN_BITS ? step_bit(i) : 0;
        prospects->independent |= is_independent(worker, i) ? bit : 0;
        prospects->labelled |= outlook->labelled ? bit : 0;
        prospects->connected |=
            purpose != AMPLE_PAPER && outlook->events && !outlook->joint ? bit : 0;
        prospects->puts_off &= !outlook->faults;
    }
    return STATUS_OK;
}

/* Which processes are independent of the others, of a state like this one worked out once. */
static enum status look_ahead(struct partial_order_worker *worker, const uint32_t *state,
                              struct prospects *prospects, struct error *error)
{
    const struct model *inner = worker->decorator.inner->model;
    uint32_t control = inner->class->control(inner, state);
    while (worker->prospects.length <= control)
        TRY_MEMORY(vector_push(&worker->prospects, ((struct prospects){0})));
    *prospects = worker->prospects.items[control];
    if (prospects->known)
        return STATUS_OK;
    TRY(work_out(worker, state, prospects, error));
    worker->prospects.items[control] = *prospects;
    return STATUS_OK;
}

/* ---- several processes ---- */

/* The bits of the processes that take an event of this label now, if they can: it is one of the
 * steps, under its own name or without one. */
static bool is_enabled(const struct successors *out, size_t first, const struct joint_event *event)
{
    for (size_t i = first; i < out->steps.length; i++) {
        const struct step *step = &out->steps.items[i];
        if ((step->processes & event->processes) == event->processes &&
            (step->shown == event->label || step->label == LABEL_TAU))
            return true;
    }
    return false;
}

/* Whether an event is among those that the process may take first. */
static bool is_ready(const struct outlooks *outlooks, uint32_t process,
                     const struct joint_event *event)
{
    const struct outlook *outlook = &outlooks->items.items[process];
    for (uint32_t i = 0; i < outlook->events; i++)
        if (outlooks->events.items[outlook->event + i].label == event->label)
            return true;
    return outlook->joint;
}

/* Whom the event of some processes asks for: all who take part, or one for whom it waits. */
static uint64_t asked_for(const struct outlooks *outlooks, uint64_t processes,
                          const struct joint_event *event, bool enabled)
{
    uint64_t unready = 0;
    for (uint64_t left = enabled ? 0 : event->processes; left; left &= left - 1)
        if (!is_ready(outlooks, (uint32_t)__builtin_ctzll(left), event))
            unready |= left & -left;
    return !unready ? event->processes : (unready & processes) ? 0 : unready & -unready;
}

/* Adds to the processes all that their events ask for. False where one is among them of which that
 * is not known. */
static bool close_over_events(const struct outlooks *outlooks, const struct successors *out,
                              size_t first, uint64_t *processes)
{
    uint64_t done = 0, left;
    while ((left = *processes & ~done) != 0) {
        const struct outlook *outlook = &outlooks->items.items[__builtin_ctzll(left)];
        done |= left & -left;
        if (outlook->joint)
            return false;
        for (uint32_t i = 0; i < outlook->events; i++) {
            const struct joint_event *event = &outlooks->events.items[outlook->event + i];
            *processes |= asked_for(outlooks, *processes, event, is_enabled(out, first, event));
        }
    }
    return true;
}

/* Whether nothing that the others may ever do is in the way of the first steps of these. */
static bool are_apart(const struct partial_order_worker *worker, uint64_t processes)
{
    const struct partial_order *order = order_of(worker);
    const uint32_t words = order->words;
    for (uint64_t left = processes; left; left &= left - 1) {
        const uint32_t *next = worker->outlooks.items.items[__builtin_ctzll(left)].next;
        if (is_empty(next, 2 * words))
            continue;
        if (meet(next + words, order->kept, words))
            return false;
        for (uint32_t i = 0; i < worker->outlooks.items.length; i++)
            if (!(processes & step_bit(i)) &&
                conflict(next, worker->outlooks.items.items[i].future, words))
                return false;
    }
    return true;
}

static int fewest_steps_first(const void *a, const void *b)
{
    const struct ample *left = a, *right = b;
    if (left->steps != right->steps)
        return left->steps < right->steps ? -1 : 1;
    return (left->processes > right->processes) - (left->processes < right->processes);
}

/* Adds the set of processes that grows from one of them, if it is ample and not all. */
static enum status add_ample(struct partial_order_worker *worker, const struct successors *out,
                             size_t first, uint64_t processes)
{
    struct ample ample = {.processes = processes};
    if (!close_over_events(&worker->outlooks, out, first, &ample.processes))
        return STATUS_OK;
    for (size_t i = 0; i < worker->ample.length; i++)
        if (worker->ample.items[i].processes == ample.processes)
            return STATUS_OK;
    ample.steps = count_ample(order_of(worker), out, first, ample.processes);
    if (!ample.steps || ample.steps == out->steps.length - first ||
        !are_apart(worker, ample.processes))
        return STATUS_OK;
    return granted(vector_push(&worker->ample, ample));
}

static enum status offer_several(struct partial_order_worker *worker, const uint32_t *state,
                                 uint64_t connected, struct successors *out, size_t first,
                                 struct error *error)
{
    struct worker *inner = worker->decorator.inner;
    worker->ample.length = 0;
    TRY(inner->model->class->outlooks(inner, state, &worker->outlooks, error));
    for (; connected; connected &= connected - 1)
        TRY(add_ample(worker, out, first, connected & -connected));
    if (worker->ample.length)
        qsort(worker->ample.items, worker->ample.length, sizeof *worker->ample.items,
              fewest_steps_first);
    for (size_t i = 0; i < worker->ample.length; i++)
        TRY_MEMORY(vector_push(&out->ample, worker->ample.items[i].processes));
    return STATUS_OK;
}

static enum status successors(struct worker *base, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    struct partial_order_worker *worker = (struct partial_order_worker *)base;
    size_t first = out->steps.length;
    TRY(worker_successors(worker->decorator.inner, state, out, error));
    if (out->steps.length - first < 2)
        return STATUS_OK;
    struct prospects prospects;
    TRY(look_ahead(worker, state, &prospects, error));
    for (uint64_t left = prospects.independent; left; left &= left - 1) {
        uint64_t process = left & -left;
        if (count_ample(order_of(worker), out, first, process))
            TRY_MEMORY(vector_push(&out->ample, process));
    }
    out->puts_off = prospects.puts_off;
    if (prospects.connected && !(out->puts_off && out->ample.length))
        return offer_several(worker, state, prospects.connected, out, first, error);
    return STATUS_OK;
}

/* The only step that process has in worker->ahead, if it is ample. */
static const struct step *only_step(const struct partial_order_worker *worker, uint32_t process)
{
    const struct step *step = worker->ahead.steps.items;
    if (count_ample(order_of(worker), &worker->ahead, 0, step_bit(process)) != 1)
        return NULL;
    while (!(step->processes & step_bit(process)))
        step++;
    return step;
}

/* The outlooks tell of most states that they are not skipped, without taking any step. */
static enum status skip(struct worker *base, uint32_t *state, uint32_t *process,
                        struct error *error)
{
    struct partial_order_worker *worker = (struct partial_order_worker *)base;
    struct worker *inner = worker->decorator.inner;
    const struct step *step = NULL;
    const uint32_t slots = base->model->slots;
    struct successors *out = &worker->ahead;
    *process = UINT32_MAX;
    struct prospects prospects;
    TRY(look_ahead(worker, state, &prospects, error));
    uint64_t left = prospects.independent & ~prospects.labelled;
    for (; left && !step; left &= left - 1) {
        uint32_t candidate = (uint32_t)__builtin_ctzll(left);
        struct error fault;
        successors_clear(out);
        enum status status =
            inner->model->class->process_steps(inner, state, candidate, out, &fault);
        if (status == STATUS_INPUT) /* to be met when the state is expanded */
            return STATUS_OK;
        TRY(status);
        step = only_step(worker, candidate);
        *process = step ? candidate : UINT32_MAX;
    }
    if (!step)
        return STATUS_OK;
    memcpy(state, out->states.items + (size_t)(step - out->steps.items) * slots,
           slots * sizeof *state);
    return worker_represent(inner, state, error);
}

static struct worker *create_worker(const struct model *base)
{
    struct partial_order_worker *worker = decorator_make_worker(base, sizeof *worker);
    if (!worker)
        return NULL;
    outlooks_init(&worker->outlooks, base->budget);
    vectors_init(base->budget, &worker->futures, &worker->prospects, &worker->ample);
    successors_init(&worker->ahead, base->budget);
    return &worker->decorator.worker;
}

static void destroy_worker(struct worker *base)
{
    struct partial_order_worker *worker = (struct partial_order_worker *)base;
    outlooks_release(&worker->outlooks);
    vectors_release(&worker->futures, &worker->prospects, &worker->ample);
    successors_release(&worker->ahead);
    decorator_free_worker(base, sizeof *worker);
}

static const struct model_class partial_order_class = {
    .name = "partial order",
    .worker_create = create_worker,
    .worker_destroy = destroy_worker,
    .initial = decorator_initial,
    .successors = successors,
    .follow = decorator_follow,
    .evaluate = decorator_evaluate,
    .represent = decorator_represent,
    .skip = skip,
    .known = decorator_known,
    .print = decorator_print,
};

/* Slots outside a state's identity: which of two equal states was kept first would depend on the
 * order of steps, which is what is changed here. */
bool partial_order_possible(const struct model *model)
{
    return model->class->outlooks && model->class->control && model->slots == model->identity_slots;
}

enum status partial_order_create(const struct model *inner, enum ample_purpose purpose,
                                 struct partial_order *order)
{
    assert(partial_order_possible(inner));
    *order = (struct partial_order){
        .decorator = {*inner, inner}, .purpose = purpose, .words = (inner->slots + 31) / 32};
    order->decorator.model.class = &partial_order_class;
    order->kept = memory_zeroed(inner->budget, 2 * order->words * sizeof *order->kept);
    return granted(order->kept);
}

void partial_order_release(struct partial_order *order)
{
    if (!order->decorator.inner)
        return;
    memory_release(order->decorator.inner->budget, order->kept,
                   2 * order->words * sizeof *order->kept);
}

void partial_order_keep(struct partial_order *order, uint32_t condition)
{
    order->decorator.inner->class->condition_touches(order->decorator.inner, condition,
                                                     order->kept);
}
