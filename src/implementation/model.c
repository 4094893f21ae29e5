#include "implementation/model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "implementation/initial.h"
#include "implementation/model_calls.h"
#include "implementation/model_expand.h"
#include "implementation/model_steps.h"
#include "implementation/native.h"
#include "implementation/print.h"
#include "implementation/quiet_steps.h"
#include "implementation/stale.h"
#include "implementation/statement_text.h"
#include "implementation/step_machine.h"
#include "implementation/symmetry.h"

static struct lin_worker *lin_of(struct worker *worker)
{
    return (struct lin_worker *)worker;
}

/* ---- linearization points ---- */

uint32_t lin_model_misplaced(const struct lin_model *model, label l, enum label_kind *kind,
                             uint32_t *owner)
{
    const struct action *event = labels_get(model->model.labels, l);
    *kind = event->kind;
    if (event->kind != LABEL_NO_POINT && event->kind != LABEL_SECOND_POINT &&
        event->kind != LABEL_IDLE_POINT)
        return UINT32_MAX;
    *owner = event->components[event->kind == LABEL_NO_POINT ? 0 : 2];
    return event->components[1];
}

/* The statement of a step, with its line: "18: cas(tail, t, x)" */
static label note_of(const struct lin_model *model, uint32_t instruction)
{
    const struct lin_steps *steps = model->steps;
    const struct script *script = steps->module->script;
    place at = steps->listing.places.items[instruction];
    const char *start, *end;
    lin_find_statement(script, at, &start, &end);
    const struct script_part *part = &script->parts[script_part_at(script, at)];
    bool included = part != &script->parts[script->main];
    char text[160 + 256];
    snprintf(text, sizeof text, "%.255s%s%u: %.*s", included ? part->name : "", included ? ":" : "",
             script_line(script, at), end - start > 100 ? 100 : (int)(end - start), start);
    struct labels *labels = model->model.labels;
    const uint32_t line = script_line(script, at);
    const struct action note = {
        .kind = LABEL_NOTE,
        .name = labels_text(labels, text, strlen(text)),
        .symbol = included ? labels_text(labels, part->name, strlen(part->name)) : NULL,
        .components = &line,
        .count = 1};
    return note.name && (note.symbol || !included) ? labels_intern(labels, &note) : LABEL_REFUSED;
}

/* Of each instruction that a thread can stand before: it begins a step, or answers. */
static bool make_notes(struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->listing.code.length; i++) {
        enum opcode op = (enum opcode)steps->listing.code.items[i].op;
        bool stands = op == OP_STEP || op == OP_ANSWER;
        label note = stands ? note_of(model, i) : LABEL_TAU;
        if (note == LABEL_REFUSED || !vector_push(&model->notes, note))
            return false;
    }
    return true;
}

static enum status answer(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                          struct successors *out)
{
    const struct lin_steps *steps = worker->model->steps;
    memcpy(worker->after.items, state, steps->slots * sizeof *state);
    label l =
        lin_model_take_answer(worker, thread_slots(steps, worker->after.items, thread), thread);
    return granted(lin_model_add_step(worker, out, thread, l, l));
}

static bool is_faulted(const struct lin_steps *steps, const uint32_t *state)
{
    bool faulted = false;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        faulted |= state[steps->thread_first + i * steps->thread_words + LIN_THREAD_AT] ==
                   LIN_THREAD_FAULTED;
    return faulted;
}

/* A condition is numbered by the instruction that it begins at. It holds too of a state in which
 * the algorithm has done what it must not do. */
static enum status lin_evaluate(struct worker *base, uint32_t condition, const uint32_t *state,
                                int64_t *holds, struct error *error)
{
    struct lin_worker *worker = lin_of(base);
    const struct lin_steps *steps = worker->model->steps;
    *holds = 1;
    if (is_faulted(steps, state))
        return STATUS_OK;
    memcpy(worker->after.items, state, steps->slots * sizeof *state);
    if (worker->native && lin_native_evaluate(worker, condition, holds))
        return STATUS_OK;
    memcpy(worker->after.items, state, steps->slots * sizeof *state);
    struct lin_run run = lin_run_make(worker, worker->after.items, 0, condition, error);
    choices_restart(&worker->choices);
    choices_begin(&worker->choices);
    enum ran ran = lin_run_on(&run);
    TRY_MEMORY(ran != RAN_OUT_OF_MEMORY);
    if (ran == RAN_INTO_FAULT)
        return script_error(steps->module->script, steps->listing.places.items[run.evaluation.at],
                            error, "the condition itself fails: %s", worker->reason + worker->what);
    if (ran != RAN_WELL)
        return STATUS_INPUT;
    *holds = datum_bits(*evaluation_top(&run.evaluation, 0));
    return STATUS_OK;
}

/* The program's end, once: the first thread's turn says that it has been. */
static enum status end_program(struct lin_worker *worker, const uint32_t *state,
                               struct successors *out)
{
    const struct lin_steps *steps = worker->model->steps;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        if (lin_model_is_running(worker->model, state, i))
            return STATUS_OK;
    memcpy(worker->after.items, state, steps->slots * sizeof *state);
    uint32_t *ended = &thread_slots(steps, worker->after.items, 0)[LIN_THREAD_TURN];
    if (*ended)
        return STATUS_OK;
    *ended = 1;
    return granted(lin_model_add_step(worker, out, 0, LABEL_TERMINATE, LABEL_TERMINATE));
}

static enum status thread_successors(struct lin_worker *worker, const uint32_t *state,
                                     uint32_t thread, uint32_t known_as, struct successors *out,
                                     struct error *error)
{
    const struct lin_model *model = worker->model;
    const struct lin_steps *steps = model->steps;
    uint32_t at = thread_slots_of(steps, state, thread)[LIN_THREAD_AT];
    if (at == 0)
        return steps->setting.words
                   ? STATUS_OK
                   : lin_model_call_any(worker, state, thread, known_as, out, error);
    if (steps->listing.code.items[at - 1].op == OP_ANSWER)
        return answer(worker, state, thread, out);
    assert(model->notes.items[at - 1] != LABEL_TAU);
    memcpy(worker->before.items, state, steps->slots * sizeof *state);
    return lin_model_run_all(worker, thread, at, LABEL_TAU, model->notes.items[at - 1], out, error);
}

enum status lin_model_steps_of(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                               uint32_t known_as, struct successors *out, struct error *error)
{
    return is_faulted(worker->model->steps, state)
               ? STATUS_OK
               : thread_successors(worker, state, thread, known_as, out, error);
}

static enum status initial(struct worker *worker, struct successors *out, struct error *error)
{
    return lin_initial_states(lin_of(worker), out, error);
}

static void describe_thread(const struct lin_model *model, const uint32_t *state, uint32_t thread,
                            struct successors *out)
{
    const uint64_t bit = UINT64_C(1) << thread;
    if (lin_model_is_running(model, state, thread))
        out->running |= bit;
    else if (!lin_model_is_inside_order(model, state, thread))
        out->resting |= bit;
    else if (lin_model_is_cut(model, state, thread))
        out->cut |= bit;
}

/* How far the steps of a state have come, and what was said of them. */
struct mark {
    size_t steps, states;
    uint32_t renumbered, pure, stale;
    bool exhausted;
};

static struct mark mark_of(const struct successors *out)
{
    return (struct mark){out->steps.length, out->states.length, out->renumbered,
                         out->pure,         out->stale,         out->exhausted};
}

/* Forgets the steps behind a mark. */
static void forget_steps(struct successors *out, const struct mark *before)
{
    out->steps.length = before->steps;
    out->states.length = before->states;
    out->renumbered = before->renumbered;
    out->pure = before->pure;
    out->stale = before->stale;
    out->exhausted = before->exhausted;
}

static bool is_decided(const struct lin_worker *worker, const uint32_t *state, uint32_t thread)
{
    return worker->native ? worker->native->is_decided(state, thread)
                          : lin_is_decided(worker->model->steps, state, thread);
}

/* The steps of one thread stand for all, if it has one that comes out the same at any time, which
 * others do not see, and which leads on; *taken: it has. */
static enum status take_decided(struct lin_worker *worker, const uint32_t *state,
                                struct successors *out, bool *taken, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    *taken = false;
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        if (!is_decided(worker, state, thread))
            continue;
        const struct mark before = mark_of(out);
        TRY(thread_successors(worker, state, thread, thread, out, error));
        *taken = worker->leads_on && out->steps.length > before.steps;
        if (*taken)
            break;
        forget_steps(out, &before);
    }
    out->decided += *taken;
    return STATUS_OK;
}

/* Drops the steps between two marks. */
static void keep_last(struct successors *out, const struct mark *first, const struct mark *before,
                      uint32_t slots)
{
    const size_t dropped = before->steps - first->steps;
    out->steps.length -= dropped;
    out->states.length -= dropped * slots;
    memmove(out->steps.items + first->steps, out->steps.items + before->steps,
            (out->steps.length - first->steps) * sizeof *out->steps.items);
    memmove(out->states.items + first->states, out->states.items + before->states,
            (out->states.length - first->states) * sizeof *out->states.items);
    out->renumbered -= before->renumbered - first->renumbered;
    out->pure -= before->pure - first->pure;
    out->stale -= before->stale - first->stale;
}

/* Whether the steps of a thread that have just been taken stand for all: nobody else notices them,
 * whenever they are taken, and they lead on. */
static bool stand_for_all(const struct lin_worker *worker, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    const uint32_t *own = thread_slots_of(steps, state, thread);
    return lin_asks_unnoticed(worker->model) && is_at_code(own) && worker->leads_on &&
           worker->are_unnoticed && steps->pure &&
           steps->listing.code.items[own[LIN_THREAD_AT] - 1].op == OP_STEP &&
           !steps->pure[own[LIN_THREAD_AT] - 1].is_head;
}

static enum status take_all(struct lin_worker *worker, const uint32_t *state,
                            struct successors *out, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct mark first = mark_of(out);
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        const struct mark before = mark_of(out);
        TRY(thread_successors(worker, state, thread, thread, out, error));
        if (out->steps.length == before.steps || !stand_for_all(worker, state, thread))
            continue;
        keep_last(out, &first, &before, steps->slots);
        out->decided++;
        break;
    }
    return STATUS_OK;
}

static enum status lin_successors(struct worker *base, const uint32_t *state,
                                  struct successors *out, struct error *error)
{
    struct lin_worker *worker = lin_of(base);
    const struct lin_steps *steps = worker->model->steps;
    lin_native_count(worker);
    if (is_faulted(steps, state)) /* nothing follows */
        return STATUS_OK;
    if (steps->setting.words)
        TRY(end_program(worker, state, out));
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++)
        describe_thread(worker->model, state, thread, out);
    bool taken = false;
    if (worker->options.decided)
        TRY(take_decided(worker, state, out, &taken, error));
    if (!taken)
        TRY(take_all(worker, state, out, error));
    assert(!(out->running & out->resting) && !(out->running & out->cut));
    return STATUS_OK;
}

enum status lin_model_explain(const struct lin_model *model, const uint32_t *before,
                              const uint32_t *after, struct text *text, struct error *error)
{
    struct worker *worker = worker_create(&model->model);
    struct successors out;
    uint32_t thread = 0;
    while (thread_slots_of(model->steps, after, thread)[LIN_THREAD_AT] != LIN_THREAD_FAULTED)
        thread++;
    assert(thread < model->steps->setting.threads);
    successors_init(&out, model->model.budget);
    enum status status =
        worker ? thread_successors(lin_of(worker), before, thread, thread, &out, error)
               : STATUS_LIMIT;
    text_append(text, out.fault);
    successors_release(&out);
    worker_destroy(worker);
    return status;
}

bool lin_model_is_running(const struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] != 0;
}

bool lin_model_is_cut(const struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t *own = state + steps->thread_first + thread * steps->thread_words;
    return steps->setting.operations >= 0 && own[LIN_THREAD_AT] == 0 && own[LIN_THREAD_LEFT] == 0 &&
           own[LIN_THREAD_TURN] != 0;
}

bool lin_model_is_inside_order(const struct lin_model *model, const uint32_t *state,
                               uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_TURN] != 0;
}

label lin_model_note(const struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    uint32_t at = thread_slots_of(model->steps, state, thread)[LIN_THREAD_AT];
    assert(at >= 1 && at <= model->notes.length);
    return model->notes.items[at - 1];
}

/* ---- creation ---- */

static void print(const struct model *outer, const uint32_t *state, const uint32_t *before,
                  struct text *text)
{
    lin_print(((const struct lin_model *)outer)->steps, state, before, text);
}

static enum status turn(struct worker *worker, uint32_t *state, struct renumbering by,
                        struct error *error)
{
    (void)error;
    return granted(lin_model_turn(lin_of(worker), state, by));
}

static enum status arrange(struct worker *worker, uint32_t *state, struct renumbering *by,
                           struct error *error)
{
    (void)error;
    return granted(lin_symmetry_sort(lin_of(worker), state, by));
}

static label turn_label(struct worker *worker, label l, struct renumbering by)
{
    return lin_model_turn_label(lin_of(worker)->model, l, by);
}

static struct worker *create_worker(const struct model *base)
{
    const struct lin_model *model = (const struct lin_model *)base;
    struct budget *budget = base->budget;
    struct lin_worker *worker = memory_zeroed(budget, sizeof *worker);
    if (!worker)
        return NULL;
    worker->worker.model = base;
    worker->model = model;
    worker->options = model->options;
    vectors_init(budget, &worker->before, &worker->after, &worker->saved, &worker->called,
                 &worker->moved, &worker->numbers, &worker->order, &worker->touched,
                 &worker->stack);
    vectors_init(budget, &worker->reads, &worker->labels, &worker->keys, &worker->events);
    choices_init(&worker->choices, LIN_MOST_CHOICES, budget);
    vector_init(&worker->object, budget);
    outcomes_init(&worker->outcomes, budget);
    if (vector_reserve(&worker->before, base->slots) &&
        vector_reserve(&worker->after, base->slots) &&
        vector_reserve(&worker->saved, base->slots) && vector_reserve(&worker->called, base->slots))
        return &worker->worker;
    worker_destroy(&worker->worker);
    return NULL;
}

static void destroy_worker(struct worker *base)
{
    struct lin_worker *worker = lin_of(base);
    vectors_release(&worker->before, &worker->after, &worker->saved, &worker->called,
                    &worker->moved, &worker->numbers, &worker->order, &worker->touched,
                    &worker->stack, &worker->object);
    vectors_release(&worker->reads, &worker->labels, &worker->keys, &worker->events);
    vector_release(&worker->choices.items);
    outcomes_release(&worker->outcomes);
    memory_release(base->model->budget, worker, sizeof *worker);
}

/* Of programs the objects and answers of a specification have numbers. */
static uint64_t known(const struct model *base)
{
    const struct lin_model *model = (const struct lin_model *)base;
    const struct lin_setting *setting = &model->steps->setting;
    uint64_t count = labels_count(base->labels);
    if (setting->words) {
        pthread_mutex_lock(&setting->words->lock);
        count += setting->words->texts.length;
        count += setting->objects ? setting->objects->items.length : 0;
        pthread_mutex_unlock(&setting->words->lock);
    }
    return count;
}

static const struct model_class lin_class = {
    .name = ".lin",
    .announces = true,
    .worker_create = create_worker,
    .worker_destroy = destroy_worker,
    .initial = initial,
    .successors = lin_successors,
    .expand = lin_model_expand,
    .evaluate = lin_evaluate,
    .turn = turn,
    .arrange = arrange,
    .turn_label = turn_label,
    .known = known,
    .print = print,
};

/* Takes the names of operations and symbols once, so that events are made of numbers alone. */
static bool name_operations(struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    struct labels *labels = model->model.labels;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const char *name = steps->entries[i].operation->name;
        const char *kept = labels_text(labels, name, strlen(name));
        if (!kept || !vector_push(&model->operation_names, kept))
            return false;
    }
    for (size_t i = 0; i < steps->symbols.length; i++) {
        const char *symbol = steps->symbols.items[i], *kept = NULL;
        bool silent = strcmp(symbol, "ok") == 0 || strcmp(symbol, "empty") == 0;
        if (!silent && !(kept = labels_text(labels, symbol, strlen(symbol))))
            return false;
        if (!vector_push(&model->symbol_names, kept))
            return false;
    }
    model->open_answer = labels_text(labels, "?", 1);
    return model->open_answer;
}

enum status lin_model_create(const struct lin_steps *steps, const struct lin_options *options,
                             struct labels *labels, struct budget *budget, struct lin_model *model,
                             struct error *error)
{
    *model = (struct lin_model){.model = {.class = &lin_class,
                                          .labels = labels,
                                          .budget = budget,
                                          .slots = steps->slots,
                                          .identity_slots = steps->slots},
                                .steps = steps,
                                .options = *options,
                                .links = lin_steps_use(steps, OP_LOAD_LINKED),
                                .frees = lin_steps_use(steps, OP_FREE)};
    vectors_init(budget, &model->own, &model->own_words, &model->notes, &model->operation_names,
                 &model->symbol_names, &model->quiet);
    if (steps->pool_count > MOST_POOLS)
        return script_error(steps->module->script, steps->object->at, error,
                            "expected at most %d structs, found %u", MOST_POOLS, steps->pool_count);
    model->fault = labels_intern(labels, &(struct action){.kind = LABEL_FAULT});
    model->error = labels_intern(labels, &(struct action){.kind = LABEL_ERROR});
    TRY_MEMORY(lin_find_own_items(model) && lin_find_quiet_steps(model));
    model->options.pure &= steps->has_pure;
    model->options.stale &= steps->stale.length > 0;
    model->options.decided &= steps->decided.length > 0 || steps->writes_fresh;
    model->options.fields &= steps->shared_reads != NULL;
    for (size_t i = 0; i < steps->suppositions.length && model->options.refuted; i++)
        model->supposed |= UINT64_C(1) << i & steps->setting.supposed;
    if (!model->supposed)
        model->options.refuted = NULL;
    model->options.symmetry &= lin_model_is_symmetric(model);
    model->options.values &= lin_model_has_values(steps);
    return granted(model->fault != LABEL_REFUSED && model->error != LABEL_REFUSED &&
                   name_operations(model) && make_notes(model));
}

void lin_model_release(struct lin_model *model)
{
    lin_native_release(model->native);
    vectors_release(&model->own, &model->own_words, &model->notes, &model->operation_names,
                    &model->symbol_names, &model->quiet);
}
