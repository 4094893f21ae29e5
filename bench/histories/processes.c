/* One step at a time, of a process drawn at random: a call that runs takes effect, one that has
 * taken effect answers, and the process calls again at once. A call that will not answer either
 * has taken effect by then, or never will, or does so later: those wait among the orphans. */
#include "processes.h"

#include <assert.h>
#include <stdlib.h>

#define ORPHANS_MOST 64

enum stage {
    STAGE_RUNNING,
    STAGE_DONE, /* it took effect */
    STAGE_LOST, /* it will not answer */
};

struct process {
    struct call call;
    uint32_t number;
    enum stage stage;
};

struct run {
    const struct plan *plan;
    struct object *object;
    FILE *out;
    struct random random;
    uint64_t called;     /* operations invoked so far */
    uint32_t lie_length; /* calls of the lie; 0: none */
    uint32_t lie_told;   /* how many of them were made */
    int64_t liar;        /* the process that makes them; -1: none yet */
    struct call orphans[ORPHANS_MOST];
    uint32_t orphan_count;
};

static void write_number(FILE *out, int64_t number)
{
    char digits[24], *first = digits + sizeof digits;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--first = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *--first = '-';
    fwrite_unlocked(first, 1, (size_t)(digits + sizeof digits - first), out);
}

static void write_item(FILE *out, int64_t item)
{
    if (item == NUMBER_NIL)
        fputs_unlocked("null", out);
    else if (item == NUMBER_FALSE)
        fputs_unlocked("false", out);
    else if (item == NUMBER_TRUE)
        fputs_unlocked("true", out);
    else
        write_number(out, item);
}

/* All items that the object held when there were `count`. */
static void write_prefix(FILE *out, const struct object *object, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        fputs_unlocked(i ? ", " : "[", out);
        write_item(out, object->items.items[i]);
    }
    fputs_unlocked(count ? "]" : "[]", out);
}

static void write_items(FILE *out, const struct datum *datum)
{
    for (uint32_t i = 0; i < datum->count; i++) {
        const char *gap = i ? ", " : "";
        if (!datum->is_transaction) {
            fputs_unlocked(gap, out);
            write_item(out, datum->items[i]);
        } else if (i % 3 == 0) {
            fputs_unlocked(i ? ", [" : "[", out);
            fputs_unlocked(datum->items[i] ? "\"w\"" : "\"r\"", out);
        } else {
            fputs_unlocked(gap, out);
            write_item(out, datum->items[i]);
            fputs_unlocked(i % 3 == 2 ? "]" : "", out);
        }
    }
}

static void write_event(FILE *out, const struct object *object, const struct process *process,
                        const char *type, struct datum datum)
{
    fputs_unlocked("{\"process\": ", out);
    write_number(out, process->number);
    fputs_unlocked(", \"type\": \"", out);
    fputs_unlocked(type, out);
    fputs_unlocked("\", \"f\": \"", out);
    fputs_unlocked(process->call.function, out);
    bool is_list = datum.is_pair || datum.count;
    fputs_unlocked(is_list ? "\", \"value\": [" : "\", \"value\": ", out);
    if (datum.is_prefix)
        write_prefix(out, object, datum.first);
    else if (datum.count)
        write_items(out, &datum);
    else
        write_item(out, datum.first);
    if (datum.is_pair) {
        fputs_unlocked(", ", out);
        write_item(out, datum.second);
    }
    fputs_unlocked(is_list ? "]" : "", out);
    fputs_unlocked("}\n", out);
}

static bool chance(struct run *run, double probability)
{
    return (double)(random_next(&run->random) >> 11) * 0x1p-53 < probability;
}

/* The first process that calls when the last hundredth begins lies. */
static bool tells_lie(struct run *run, const struct process *process)
{
    if (run->lie_told == run->lie_length)
        return false;
    uint64_t left = run->plan->operations - run->called;
    if (run->liar < 0 && left <= run->plan->operations / 100 + run->lie_length)
        run->liar = process->number;
    return run->liar == process->number;
}

/* The process's next call; false when all have been made. */
static bool call_next(struct run *run, struct process *process)
{
    process->stage = STAGE_RUNNING;
    if (tells_lie(run, process)) {
        process->call = run->object->class->lie[run->lie_told++];
        process->stage = STAGE_DONE; /* the object knows nothing of it */
    } else {
        uint32_t reserved = run->lie_length - run->lie_told;
        if (run->called + reserved >= run->plan->operations)
            return false;
        run->object->class->choose(run->object, &run->random, &process->call);
        if (run->plan->pending > 0 && chance(run, run->plan->pending))
            process->stage = STAGE_LOST;
    }
    run->called++;
    write_event(run->out, run->object, process, "invoke", process->call.argument);
    return true;
}

static void lose(struct run *run, const struct process *process)
{
    struct call call = process->call;
    switch (random_below(&run->random, 3)) {
    case 0:
        run->object->class->apply(run->object, &call);
        break;
    case 1:
        if (run->orphan_count < ORPHANS_MOST)
            run->orphans[run->orphan_count++] = call;
        break;
    default:
        break;
    }
    write_event(run->out, run->object, process, "info", process->call.argument);
}

static void answer(struct run *run, const struct process *process)
{
    const struct call *call = &process->call;
    if (call->failed)
        write_event(run->out, run->object, process, "fail", call->argument);
    else
        write_event(run->out, run->object, process, "ok", call->answer);
}

/* False when the process has made its last call. */
static bool step(struct run *run, struct process *process)
{
    switch (process->stage) {
    case STAGE_RUNNING:
        run->object->class->apply(run->object, &process->call);
        process->stage = STAGE_DONE;
        return true;
    case STAGE_DONE:
        answer(run, process);
        break;
    case STAGE_LOST:
        lose(run, process);
        break;
    }
    return call_next(run, process);
}

static void adopt_orphan(struct run *run)
{
    uint32_t at = random_below(&run->random, run->orphan_count);
    run->object->class->apply(run->object, &run->orphans[at]);
    run->orphans[at] = run->orphans[--run->orphan_count];
}

void processes_run(const struct plan *plan, struct object *object, FILE *out)
{
    struct run run = {.plan = plan, .object = object, .out = out, .liar = -1};
    struct process *processes = memory_small(plan->processes * sizeof *processes);
    uint32_t busy = 0;
    random_seed(&run.random, plan->seed);
    while (plan->lies && run.lie_length < LIE_MOST_CALLS &&
           object->class->lie[run.lie_length].function)
        run.lie_length++;
    assert(plan->operations >= run.lie_length);
    for (uint32_t i = 0; i < plan->processes; i++) {
        processes[busy].number = i;
        busy += call_next(&run, &processes[busy]);
    }
    while (busy > 0) {
        uint32_t chosen = random_below(&run.random, busy);
        if (!step(&run, &processes[chosen]))
            processes[chosen] = processes[--busy];
        if (run.orphan_count && random_chance(&run.random, 1, 100))
            adopt_orphan(&run);
    }
    free(processes);
}
