#include "implementation/native.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "implementation/native_source.h"
#include "implementation/step_machine.h"
#include "native/build.h"

/* How many states a worker expands before it looks for compiled steps, before it has them compiled,
 * and how many from one look at the compiler to the next. A search of fewer states is over sooner
 * than the compiler. */
#define STATES_BEFORE_FINDING   4000
#define STATES_BEFORE_COMPILING 60000
#define STATES_BETWEEN          1000

struct lin_native {
    const struct lin_model *model;
    const struct log *log;
    enum engine engine;
    pthread_mutex_t lock; /* of what follows */
    struct native_build *build;
    const struct lin_native_functions *functions; /* null: none yet, or never */
    uint64_t from;                                /* the state at which they were there, + 1 */
    bool is_over;                                 /* nothing more will become of it */
};

enum status lin_native_attach(struct lin_model *model, enum engine engine, const struct log *log)
{
    if (engine == ENGINE_BYTECODE)
        return STATUS_OK;
    if (!lin_native_fits(model)) {
        LOG(log, "engine: bytecode, for the implementation has too many nodes to be compiled");
        return STATUS_OK;
    }
    struct lin_native *native = memory_zeroed(model->model.budget, sizeof *native);
    TRY_MEMORY(native);
    native->model = model;
    native->log = log;
    native->engine = engine;
    pthread_mutex_init(&native->lock, NULL);
    model->native = native;
    if (lin_native_expands(model))
        model->most_expanded = model->steps->setting.threads * (lin_native_calls(model) + 1);
    return STATUS_OK;
}

void lin_native_release(struct lin_native *native)
{
    if (!native)
        return;
    native_build_release(native->build);
    pthread_mutex_destroy(&native->lock);
    memory_release(native->model->model.budget, native, sizeof *native);
}

/* Looks for the functions in the cache. */
static void find(struct lin_native *native)
{
    struct text source = TEXT_EMPTY;
    if (lin_native_write(native->model, &source))
        native->build = native_build_find(text_string(&source));
    else
        native->is_over = true;
    text_release(&source);
}

uint64_t lin_native_from(struct lin_native *native)
{
    pthread_mutex_lock(&native->lock);
    const uint64_t from = native->from;
    pthread_mutex_unlock(&native->lock);
    return from;
}

static void take(struct lin_native *native, uint64_t states)
{
    const struct lin_native_functions *functions =
        native_build_symbol(native->build, "linchpin_functions");
    native->is_over = true;
    if (!functions || functions->slots != native->model->steps->slots)
        return;
    native->functions = functions;
    native->from = states + 1;
    LOG(native->log, "engine: native from state %" PRIu64 " on, %s", states,
        native_build_story(native->build));
}

/* With the lock held. */
static void advance(struct lin_native *native, uint64_t states)
{
    const bool now = native->engine == ENGINE_NATIVE;
    if (!native->build)
        find(native);
    if (native->is_over)
        return;
    enum native_progress progress = native_build_look(native->build, now);
    if (progress == NATIVE_MISSING && (now || states >= STATES_BEFORE_COMPILING)) {
        native_build_begin(native->build);
        progress = native_build_look(native->build, now);
    }
    if (progress == NATIVE_READY)
        take(native, states);
    if (progress != NATIVE_FAILED)
        return;
    native->is_over = true;
    LOG(native->log, "engine: bytecode, %s", native_build_story(native->build));
}

void lin_native_look(struct lin_worker *worker)
{
    struct lin_native *native = worker->model->native;
    const bool is_first = worker->expanded == 0;
    if (is_first && native->engine == ENGINE_AUTO) {
        worker->expanded = worker->patience = STATES_BEFORE_FINDING;
        return;
    }
    pthread_mutex_lock(&native->lock);
    if (!native->is_over)
        advance(native, worker->expanded);
    worker->native = native->functions;
    worker->patience = native->is_over ? UINT64_MAX : STATES_BETWEEN;
    pthread_mutex_unlock(&native->lock);
    worker->expanded += STATES_BETWEEN;
}

/* ---- runs ---- */

static uint32_t choose(void *host, uint32_t count, uint32_t is_counted)
{
    struct choices *choices = &((struct lin_run *)host)->worker->choices;
    if (is_counted && choices->made + (count > 1) > choices->most)
        return CHOICE_REFUSED;
    return choices_take(choices, count);
}

static uint32_t choose_joined(void *host, uint32_t count, uint32_t is_counted)
{
    struct lin_run run = {.worker = host};
    return choose(&run, count, is_counted);
}

static int32_t execute(void *host, uint32_t at, int32_t *words)
{
    struct lin_run *run = host;
    struct evaluation *e = &run->evaluation;
    const struct instruction *i = &e->code->instructions[at];
    const struct stack_effect effect = instruction_effect(i);
    const uint32_t most = effect.pops > effect.pushes ? effect.pops : effect.pushes;
    e->at = at;
    e->depth = 0;
    if (e->room < most && e->host->grow(e, most) != RAN_ON)
        return false;
    for (uint32_t n = 0; n < effect.pops; n++)
        (void)lin_run_push(run, words[n]);
    if (e->host->run(e, i) != RAN_ON)
        return false;
    for (uint32_t n = effect.pushes; n-- > 0;)
        words[n] = lin_run_pop(run);
    return true;
}

enum ran lin_native_run_on(struct lin_run *run, const uint32_t *before)
{
    struct lin_worker *worker = run->worker;
    const size_t made = worker->choices.made;
    const uint32_t at = run->evaluation.at;
    const label point = worker->point;
    struct lin_native_run native = {.slots = run->evaluation.slots,
                                    .thread = run->evaluation.thread,
                                    .at = at,
                                    .host = run,
                                    .choose = choose,
                                    .execute = execute};
    const enum ran ran = (enum ran)worker->native->run(&native);
    worker->ran_native = ran != (enum ran)LIN_NATIVE_ASKS;
    if (!worker->ran_native) {
        worker->choices.made = made;
        worker->point = point;
        run->evaluation.at = at;
        memcpy(run->evaluation.slots, before, run->steps->slots * sizeof *before);
        return lin_run_on(run);
    }
    run->evaluation.at = native.at;
    worker->touched_nodes = native.touched;
    worker->touches_shared |= native.touches_shared;
    worker->reads_write_once |= native.reads_write_once;
    worker->exhausted |= native.exhausted;
    worker->wrong |= native.wrong;
    return ran;
}

/* What chooses or has the host execute something is no condition. */
bool lin_native_evaluate(struct lin_worker *worker, uint32_t condition, int64_t *found)
{
    struct lin_native_run run = {.slots = worker->after.items, .at = condition};
    if (worker->native->run(&run) != (int32_t)RAN_WELL)
        return false;
    *found = run.value;
    return true;
}

bool lin_native_run_joined(struct lin_worker *worker, uint32_t thread, uint32_t start, bool is_call,
                           uint32_t *at, enum ran *ran)
{
    struct lin_native_joined joined;
    if (!worker->native || !worker->native->joined)
        return false;
    joined.run.slots = worker->after.items;
    joined.run.thread = thread;
    joined.run.at = start;
    joined.run.host = worker;
    joined.run.choose = choose_joined;
    joined.before = worker->before.items;
    joined.run.wrong = 0;
    joined.is_call = is_call;
    joined.made = &worker->choices.made;
    joined.chosen = &worker->choices.items.length;
    const int32_t ended = worker->native->joined(&joined);
    if (ended == LIN_NATIVE_ASKS) {
        worker->choices.made = 0;
        return false;
    }
    worker->exhausted |= joined.run.exhausted;
    worker->wrong |= joined.run.wrong;
    worker->is_pure = joined.is_pure;
    worker->is_unnoticed = joined.is_unnoticed;
    *at = joined.run.at;
    *ran = (enum ran)ended;
    return true;
}
