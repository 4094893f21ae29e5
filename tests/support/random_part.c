/* Random parts: a correct concurrent run of the object, then perhaps something that spoils it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/generate.h"

enum stage {
    IDLE,
    INVOKED, /* has not yet taken effect */
    APPLIED,
};

struct process {
    enum stage stage;
    uint32_t operation; /* unless idle */
    uint32_t name;      /* a new one after a pending operation */
    bool never;         /* the operation will not respond */
};

struct run {
    const struct subject *subject;
    const struct shape *shape;
    struct random *random;
    struct sample *sample;
    struct process *processes;
    struct outcomes state; /* one: the object now */
    struct outcomes next;
    uint32_t invoked, names;
    int64_t fresh; /* last new value */
};

static uint32_t pick_template(struct run *run)
{
    const struct call_template *calls = run->subject->workload->calls;
    uint32_t total = 0, count = 0;
    for (; count < WORKLOAD_MAX_CALLS && calls[count].operation; count++)
        total += run->shape->weights ? run->shape->weights[count] : 1;
    uint32_t pick = random_below(run->random, total);
    for (uint32_t i = 0;; i++) {
        uint32_t weight = run->shape->weights ? run->shape->weights[i] : 1;
        if (pick < weight)
            return i;
        pick -= weight;
    }
}

/* One argument of a call, with so many more to come. */
static int64_t pick_value(struct run *run, uint32_t more)
{
    const struct shape *shape = run->shape;
    if (shape->values)
        return 1 + random_below(run->random, shape->values);
    if (!more || !shape->recalled || !run->fresh)
        return ++run->fresh;
    const int64_t back = random_below(run->random, shape->recalled);
    return back < run->fresh ? run->fresh - back : 1;
}

static void run_invoke(struct run *run, struct process *process)
{
    const struct call_template *template = &run->subject->workload->calls[pick_template(run)];
    int64_t values[4];
    const uint32_t slots = template_slots(template->argument);
    for (uint32_t i = 0; i < slots; i++)
        values[i] = pick_value(run, slots - i - 1);
    struct recorded recorded = {.argument =
                                    template_value(run->subject, template->argument, values),
                                .process = process->name};
    struct sample *sample = run->sample;
    process->operation = sample->part.count++;
    process->stage = INVOKED;
    process->never = random_below(run->random, 100) < run->shape->pending_percent;
    sample->intervals[process->operation] =
        (struct interval){.call = subject_call(run->subject, template->operation, &recorded),
                          .invoke = sample->part.positions++,
                          .response = POSITION_NEVER};
    run->invoked++;
}

/* One of the results that the workload lists for the operation. */
static bool listed_result(const struct subject *subject, struct random *random, uint16_t operation,
                          value *result)
{
    const struct call_template *calls = subject->workload->calls;
    const struct spec_class *class = subject->spec->class;
    const char *lists[WORKLOAD_MAX_CALLS];
    uint32_t count = 0;
    for (size_t i = 0; i < WORKLOAD_MAX_CALLS && calls[i].operation; i++)
        if (calls[i].results &&
            operation == spec_operation_find(class, calls[i].operation, strlen(calls[i].operation)))
            lists[count++] = calls[i].results;
    if (count == 0)
        return false;
    char text[128], *rest = text, *picked = NULL;
    const char *list = lists[random_below(random, count)];
    assert(strlen(list) < sizeof text);
    strcpy(text, list);
    if (*rest == '[')
        picked = rest; /* a list is the only result */
    for (uint32_t seen = 1; *text != '[' && rest; seen++) {
        char *one = strsep(&rest, " ");
        if (random_chance(random, 1, seen))
            picked = one;
    }
    int64_t values[4];
    for (int i = 0; i < 4; i++)
        values[i] = 1 + random_below(random, 3);
    *result = template_value(subject, picked, values);
    return true;
}

/* For an operation that has many answers, and whose step does not list them (drain): one that the
 * workload lists and that is legal now, else none is recorded. The outcome is the first of `next`.
 */
static void answer_as_listed(struct run *run, struct interval *interval)
{
    const struct spec *spec = run->subject->spec;
    const struct outcome *state = &run->state.items.items[0];
    for (int tries = 0; tries < 8; tries++) {
        value result = VALUE_NIL;
        bool answered =
            tries < 7 ? listed_result(run->subject, run->random, interval->call.operation, &result)
                      : false;
        if (!interval_answer(spec, interval, answered ? &result : NULL))
            abort();
        outcomes_clear(&run->next);
        if (!spec->class->step(spec, run->state.words.items + state->start, state->length,
                               &interval->call, &run->next))
            abort();
        if (run->next.items.length > 0)
            return;
    }
}

/* The operation takes effect now. One that is not legal now fails: marked by its invocation. */
static void run_apply(struct run *run, struct process *process)
{
    const struct spec *spec = run->subject->spec;
    struct interval *interval = &run->sample->intervals[process->operation];
    process->stage = APPLIED;
    outcomes_clear(&run->next);
    const struct outcome *state = &run->state.items.items[0];
    if (!spec->class->step(spec, run->state.words.items + state->start, state->length,
                           &interval->call, &run->next))
        abort();
    if (run->next.items.length == 0) {
        if (!process->never)
            interval->invoke = POSITION_NEVER;
        return;
    }
    const struct outcome *chosen =
        &run->next.items.items[random_below(run->random, (uint32_t)run->next.items.length)];
    if (!process->never) {
        bool known = random_below(run->random, 100) >= run->shape->unknown_percent;
        interval->response = 0; /* it completes; run_respond knows when */
        if (known && !interval_answer(spec, interval, &chosen->result)) {
            answer_as_listed(run, interval);
            chosen = &run->next.items.items[0];
        } else if (!known && !interval_answer(spec, interval, NULL)) {
            abort();
        }
    }
    outcomes_clear(&run->state);
    if (!outcomes_add(&run->state, run->next.words.items + chosen->start, chosen->length,
                      VALUE_NIL))
        abort();
}

static void run_respond(struct run *run, struct process *process)
{
    struct interval *interval = &run->sample->intervals[process->operation];
    process->stage = IDLE;
    if (process->never)
        process->name = run->names++;
    else
        interval->response = run->sample->part.positions++;
}

static void run_step(struct run *run)
{
    struct process *process = &run->processes[random_below(run->random, run->shape->processes)];
    bool more = run->invoked < run->shape->operations;
    switch (process->stage) {
    case IDLE:
        if (more)
            run_invoke(run, process);
        break;
    case INVOKED:
        /* A pending operation may also not happen. */
        if (process->never && random_chance(run->random, 1, 4))
            run_respond(run, process);
        else
            run_apply(run, process);
        break;
    case APPLIED:
        if (!more || !run->shape->eagerness ||
            random_chance(run->random, 1, run->shape->eagerness + 1))
            run_respond(run, process);
    }
}

static bool run_is_over(const struct run *run)
{
    for (uint32_t i = 0; i < run->shape->processes; i++)
        if (run->processes[i].stage != IDLE)
            return false;
    return run->invoked == run->shape->operations;
}

static void drop_failed(struct sample *sample)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sample->part.count; i++)
        if (sample->intervals[i].invoke != POSITION_NEVER)
            sample->intervals[kept++] = sample->intervals[i];
    sample->part.count = kept;
    sample_renumber(sample);
}

/* ---- Mutations ---- */

static bool mutate_result(struct sample *sample, const struct subject *subject,
                          struct random *random, uint32_t i)
{
    value result;
    struct interval *interval = &sample->intervals[i];
    return interval->response != POSITION_NEVER &&
           listed_result(subject, random, interval->call.operation, &result) &&
           interval_answer(subject->spec, interval, &result);
}

/* Another operation of the same kind with another known result, or count. */
static uint32_t other_alike(const struct sample *sample, struct random *random, uint32_t i)
{
    uint32_t count = sample->part.count, start = random_below(random, count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = (start + k) % count;
        const struct call *a = &sample->intervals[i].call, *b = &sample->intervals[j].call;
        if (j != i && a->operation == b->operation && b->result_known && a->result != b->result)
            return j;
    }
    return count;
}

/* One takes the result of another, which perhaps takes the first's. */
static bool mutate_results(struct sample *sample, struct random *random, uint32_t i)
{
    struct interval *first = &sample->intervals[i];
    uint32_t j = other_alike(sample, random, i);
    if (!first->call.result_known || j == sample->part.count)
        return false;
    struct interval *second = &sample->intervals[j];
    value one = first->call.result, other = second->call.result;
    if (random_chance(random, 1, 2) && !interval_answer(sample->part.spec, second, &one))
        return false;
    return interval_answer(sample->part.spec, first, &other);
}

/* Where a process is busy with an operation; a pending one keeps it for its invocation only. */
static uint32_t busy_until(const struct interval *interval)
{
    return interval->response == POSITION_NEVER ? interval->invoke : interval->response;
}

/* A process runs one operation at a time: where `i` now meets another one of its process, it goes
 * to a new process. */
static void keep_processes_sequential(struct sample *sample, uint32_t i)
{
    struct interval *moved = &sample->intervals[i];
    uint32_t fresh = 0;
    bool meets = false;
    for (uint32_t k = 0; k < sample->part.count; k++) {
        const struct interval *other = &sample->intervals[k];
        if (other->call.process >= fresh)
            fresh = other->call.process + 1;
        meets |= k != i && other->call.process == moved->call.process &&
                 other->invoke <= busy_until(moved) && moved->invoke <= busy_until(other);
    }
    if (meets)
        moved->call.process = fresh;
}

/* Cuts a piece off an interval, or shifts it by a few events. Positions are spread out first, so
 * that any order of the events can be reached. */
static bool mutate_interval(struct sample *sample, struct random *random, uint32_t i)
{
    uint32_t gap = 4;
    for (uint32_t k = 0; k < sample->part.count; k++) {
        sample->intervals[k].invoke *= gap;
        if (sample->intervals[k].response != POSITION_NEVER)
            sample->intervals[k].response *= gap;
    }
    struct interval *interval = &sample->intervals[i];
    uint32_t end = sample->part.positions * gap;
    uint32_t reach = interval->response == POSITION_NEVER ? end : interval->response;
    uint32_t length = reach - interval->invoke;
    switch (random_below(random, 3)) {
    case 0: /* responds sooner */
        if (interval->response != POSITION_NEVER)
            interval->response = interval->invoke + 1 + random_below(random, length);
        break;
    case 1: /* is invoked later */
        interval->invoke += random_below(random, length);
        break;
    default: /* all of it at another time */
        interval->invoke = random_below(random, end);
        if (interval->response != POSITION_NEVER)
            interval->response = interval->invoke + 1 + random_below(random, length);
    }
    keep_processes_sequential(sample, i);
    sample_renumber(sample);
    return true;
}

static bool mutate_remove(struct sample *sample, uint32_t i)
{
    sample->intervals[i] = sample->intervals[--sample->part.count];
    sample_renumber(sample);
    return true;
}

/* The operation happens a second time, in a process of its own. */
static bool mutate_repeat(struct sample *sample, struct random *random, uint32_t i)
{
    struct sample longer = {0};
    sample_reserve(&longer, sample->part.count + 1);
    sample_copy_part(&longer, &sample->part);
    uint32_t added = longer.part.count++, process = 0;
    for (uint32_t k = 0; k < added; k++)
        if (longer.intervals[k].call.process >= process)
            process = longer.intervals[k].call.process + 1;
    longer.intervals[added] = longer.intervals[i];
    longer.intervals[added].call.process = process;
    sample_release(sample);
    *sample = longer;
    return mutate_interval(sample, random, added);
}

void sample_mutate(struct sample *sample, const struct subject *subject, struct random *random)
{
    bool done = false;
    for (int tries = 0; tries < 8 && !done && sample->part.count > 0; tries++) {
        uint32_t i = random_below(random, sample->part.count);
        switch (random_below(random, 9)) {
        case 0:
        case 1:
            done = mutate_results(sample, random, i);
            break;
        case 2:
        case 3:
        case 4:
            done = mutate_result(sample, subject, random, i);
            break;
        case 5:
        case 6:
            done = mutate_interval(sample, random, i);
            break;
        case 7:
            done = mutate_repeat(sample, random, i);
            break;
        default:
            done = mutate_remove(sample, i);
        }
    }
}

void sample_random(struct sample *sample, const struct subject *subject, struct random *random,
                   const struct shape *shape)
{
    struct run run = {.subject = subject, .shape = shape, .random = random, .sample = sample};
    sample_start(sample, subject, shape->operations);
    run.processes = calloc(shape->processes, sizeof *run.processes);
    run.names = shape->processes;
    for (uint32_t i = 0; i < shape->processes; i++)
        run.processes[i].name = i;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    outcomes_init(&run.state, &budget);
    outcomes_init(&run.next, &budget);
    if (!subject->spec->class->init(subject->spec, subject->key, &run.state))
        abort();
    while (!run_is_over(&run))
        run_step(&run);
    outcomes_release(&run.state);
    outcomes_release(&run.next);
    free(run.processes);
    drop_failed(sample);
    if (random_below(random, 100) < shape->mutate_percent)
        sample_mutate(sample, subject, random);
}
