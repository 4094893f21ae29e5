#include "implementation/model_steps.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "implementation/canonical.h"
#include "implementation/changes.h"
#include "implementation/fields.h"
#include "implementation/native.h"
#include "implementation/run_answers.h"
#include "implementation/stale.h"
#include "implementation/step_machine.h"

bool lin_model_add_step(struct lin_worker *worker, struct successors *out, uint32_t thread, label l,
                        label shown)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct step step = {
        .label = l, .shown = shown, .process = thread, .processes = step_bit(thread)};
    if (worker->options.fields && !lin_forget_fields(worker, worker->after.items))
        return false;
    if (!lin_is_arranged(&worker->options) && steps->pool_count &&
        !lin_renumber(worker, worker->after.items))
        return false;
    return l != LABEL_REFUSED && shown != LABEL_REFUSED &&
           successors_push(out, &step, worker->after.items, steps->slots);
}

static bool at_step(const struct lin_run *run)
{
    return run->steps->listing.code.items[run->evaluation.at].op == OP_STEP;
}

/* Runs on from a state that is in `before`, too. */
static enum ran run_on(struct lin_run *run, const uint32_t *before)
{
    run->worker->ran_native = false;
    run->worker->touched_nodes = 0;
    return run->worker->native ? lin_native_run_on(run, before) : lin_run_on(run);
}

/* Takes the step that the thread stands before; what it touched is in the worker. `before`: as the
 * state is. */
static enum ran take_step(struct lin_run *run, const uint32_t *before)
{
    run->worker->touched.length = 0;
    run->worker->touches_shared = false;
    run->worker->reads_write_once = false;
    run->evaluation.at++;
    return run_on(run, before);
}

/* Whether no other thread can notice the step that has just run from a state; where private nodes
 * are not asked for, only one that reads write-once fields. */
static bool was_unnoticed(const struct lin_run *run, uint32_t *before)
{
    struct lin_worker *worker = run->worker;
    if (worker->options.local)
        return lin_was_local(worker, before, run->evaluation.thread);
    return worker->reads_write_once && !worker->touches_shared && worker->touched.length == 0 &&
           worker->touched_nodes == 0;
}

/* Whether a local is live at the one STEP and not as it was when the thread stood at the other.
 * What is not live there is not known any more. */
static bool has_changed_local(const struct lin_run *run, uint32_t head, uint32_t from)
{
    const struct lin_steps *steps = run->steps;
    const uint32_t thread = run->evaluation.thread,
                   *before = thread_slots_of(steps, run->worker->stood, thread) + LIN_THREAD_HEADER;
    for (uint32_t i = 0; i < steps->locals; i++)
        if (lin_steps_live(steps, head, i) &&
            (!lin_steps_live(steps, from, i) || before[i] != run->evaluation.own[i]))
            return true;
    return false;
}

/* Whether all but the thread's own part is as it was when the thread stood there. */
static bool has_changed_others(const struct lin_run *run)
{
    const struct lin_steps *steps = run->steps;
    const uint32_t *before = run->worker->stood, *after = run->evaluation.slots;
    const uint32_t own = steps->thread_first + run->evaluation.thread * steps->thread_words,
                   behind = own + steps->thread_words;
    return memcmp(before, after, own * sizeof *after) != 0 ||
           memcmp(before + behind, after + behind, (steps->slots - behind) * sizeof *after) != 0;
}

/* Whether the thread stands where it began an iteration of which nothing is left. */
static bool comes_back(const struct lin_run *run)
{
    const struct lin_worker *worker = run->worker;
    if (!worker->options.pure || !worker->stood || !at_step(run) || worker->point != LABEL_TAU)
        return false;
    const uint32_t head = run->evaluation.at, from = worker->stood_at,
                   thread = run->evaluation.thread;
    const struct lin_pure_step *pure = run->steps->pure;
    if (!(pure[head].token & pure[from].pure))
        return false;
    if (pure[head].needs_link &&
        thread_slots_of(run->steps, worker->stood, thread)[LIN_THREAD_LINK] !=
            thread_slots_of(run->steps, run->evaluation.slots, thread)[LIN_THREAD_LINK])
        return false;
    return !has_changed_local(run, head, from) && !has_changed_others(run);
}

/* Whether a step, whose first instruction is `from`, leads to a later place of the code, or to a
 * head, from where none goes before others. */
static bool leads_on(const struct lin_steps *steps, uint32_t from, uint32_t to)
{
    return to >= from || (steps->pure && steps->pure[to].is_head);
}

/* Whether the thread stands before a step that comes out the same at any time, and leads on. */
static bool is_decided(const struct lin_run *run)
{
    const struct lin_worker *worker = run->worker;
    const uint32_t thread = run->evaluation.thread;
    uint32_t *slots = run->evaluation.slots;
    if (!worker->options.decided || !run->steps->decided_from ||
        run->steps->decided_from[run->evaluation.at] ==
            run->steps->decided_from[run->evaluation.at + 1])
        return false;
    thread_slots(run->steps, slots, thread)[LIN_THREAD_AT] = run->evaluation.at + 1;
    return lin_is_decided(run->steps, slots, thread) &&
           !(worker->options.stale && lin_is_stale(worker->model, slots));
}

/* From before a step on, takes the steps that only this thread can notice, or that come out the
 * same at any time, unless the thread has come back for nothing. False when refused. */
static bool join_local(struct lin_run *run)
{
    struct lin_worker *worker = run->worker;
    unsigned count;
    const bool joins =
        worker->options.local || worker->options.write_once || worker->options.decided;
    size_t bytes = run->steps->slots * sizeof *run->evaluation.slots;
    for (count = 0; at_step(run) && count < LIN_MOST_JOINED; count++) {
        worker->is_pure = comes_back(run);
        if (worker->is_pure || !joins)
            break;
        uint32_t at = run->evaluation.at;
        size_t chosen = worker->choices.made, choices = worker->choices.items.length;
        label point = worker->point;
        const bool decided = is_decided(run);
        if (!decided && !worker->model->quiet.items[at].behind)
            break;
        memcpy(worker->saved.items, run->evaluation.slots, bytes);
        enum ran ran = take_step(run, worker->saved.items);
        if (ran == RAN_OUT_OF_MEMORY)
            return false;
        if (ran == RAN_WELL && worker->choices.made == chosen &&
            ((decided && leads_on(run->steps, at + 1, run->evaluation.at) &&
              worker->point == point) ||
             was_unnoticed(run, worker->saved.items)))
            continue;
        memcpy(run->evaluation.slots, worker->saved.items, bytes);
        worker->choices.made = chosen;
        worker->point = point;
        if (worker->choices.items.length > choices)
            worker->choices.items.length = choices;
        run->evaluation.at = at;
        break;
    }
    worker->leads_on &= count < LIN_MOST_JOINED;
    return true;
}

/* The thread stands before a STEP in this state, which stays as it is while it runs. */
static void stand(struct lin_worker *worker, const uint32_t *state, uint32_t at)
{
    worker->stood = state;
    worker->stood_at = at;
}

/* Whether what begins there may be a step that nobody else notices. */
static bool may_be_unnoticed(const struct lin_run *run, uint32_t start, bool is_call)
{
    return !is_call && start > 0 && run->steps->listing.code.items[start - 1].op == OP_STEP &&
           run->worker->model->quiet.items[start - 1].behind;
}

/* Everything that is one step: `is_call` where it begins with a call. */
static enum ran run_joined(struct lin_run *run, bool is_call)
{
    struct lin_worker *worker = run->worker;
    const uint32_t start = run->evaluation.at;
    const bool first = is_call && worker->options.intervals;
    worker->stood = NULL;
    worker->is_pure = false;
    if (worker->options.pure && start > 0 &&
        run->steps->listing.code.items[start - 1].op == OP_STEP)
        stand(worker, worker->before.items, start - 1);
    worker->touched.length = 0;
    worker->touches_shared = worker->reads_write_once = false;
    enum ran ran = run_on(run, worker->before.items);
    worker->is_unnoticed = lin_asks_unnoticed(worker->model) && ran == RAN_WELL &&
                           may_be_unnoticed(run, start, is_call) &&
                           was_unnoticed(run, worker->before.items);
    if (ran == RAN_WELL && first && !join_local(run))
        return RAN_OUT_OF_MEMORY;
    if (ran == RAN_WELL && first && at_step(run)) {
        if (worker->native || worker->options.pure)
            memcpy(worker->called.items, run->evaluation.slots,
                   run->steps->slots * sizeof *worker->called.items);
        if (worker->options.pure)
            stand(worker, worker->called.items, run->evaluation.at);
        ran = take_step(run, worker->called.items);
    }
    if (ran == RAN_WELL && !join_local(run))
        return RAN_OUT_OF_MEMORY;
    return ran;
}

label lin_model_label_answer(struct lin_worker *worker, const struct instruction *end,
                             const uint32_t *words, uint32_t thread)
{
    const struct lin_model *model = worker->model;
    const uint32_t of = (uint32_t)(end - model->steps->listing.code.items),
                   word = model->steps->result_words ? words[0] : 0;
    struct lin_known_label *known = lin_known_label(worker, of, thread, word);
    uint32_t components[MOST_COMPONENTS] = {thread};
    struct action event = {
        .kind = LABEL_RESPOND, .name = model->operation_names.items[end->wide], .count = 1};
    if (end->small == LIN_TYPE_LIST) /* of several words */
        return lin_run_label_answer(model, end, &event, components, words);
    if (lin_label_is_known(known, of, thread, word))
        return known->label;
    const label made = lin_run_label_answer(model, end, &event, components, words);
    if (made != LABEL_REFUSED)
        *known = (struct lin_known_label){of, thread, word, made};
    return made;
}

label lin_model_take_answer(struct lin_worker *worker, uint32_t *own, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct instruction *end = &steps->listing.code.items[own[LIN_THREAD_AT] - 1];
    const label answer =
        lin_model_label_answer(worker, end, own + LIN_THREAD_HEADER + steps->result, thread);
    own[LIN_THREAD_AT] = 0;
    own[LIN_THREAD_LINK] = 0;
    lin_forget_dead(worker, own);
    return answer;
}

label lin_model_label_whole(const struct lin_model *model, label call, label point, label answer)
{
    const label all[] = {call, point, answer};
    uint32_t parts[MOST_COMPONENTS], count = 0;
    if (point == LABEL_TAU && (call == LABEL_TAU || answer == LABEL_TAU))
        return call == LABEL_TAU ? answer : call;
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        if (all[i] == LABEL_REFUSED)
            return LABEL_REFUSED;
        const struct action *event = labels_get(model->model.labels, all[i]);
        if (event->kind == LABEL_SEVERAL) {
            assert(count + event->count <= MOST_COMPONENTS);
            memcpy(parts + count, event->components, event->count * sizeof *parts);
            count += event->count;
        } else if (all[i] != LABEL_TAU) {
            parts[count++] = all[i];
        }
    }
    if (count < 2)
        return count ? parts[0] : LABEL_TAU;
    const struct action several = {.kind = LABEL_SEVERAL, .components = parts, .count = count};
    return labels_intern(model->model.labels, &several);
}

/* Whether a thread stands where it returns without a linearization point. */
static bool lacks_point(const struct lin_steps *steps, const uint32_t *own, uint32_t at)
{
    const struct instruction *end = &steps->listing.code.items[at];
    if (end->op != OP_ANSWER)
        return false;
    uint32_t pointed = steps->entries[end->wide].pointed;
    return pointed && !own[LIN_THREAD_HEADER + pointed];
}

/* The step of a thread that did what ends the run. */
static bool add_last_step(struct lin_worker *worker, struct successors *out, uint32_t thread,
                          label l, label shown)
{
    uint32_t *own = thread_slots(worker->model->steps, worker->after.items, thread);
    memcpy(worker->after.items, worker->before.items,
           worker->model->steps->slots * sizeof *worker->after.items);
    own[LIN_THREAD_AT] = LIN_THREAD_FAULTED;
    lin_forget_dead(worker, own);
    return lin_model_add_step(worker, out, thread, l, shown);
}

static label label_misplaced(const struct lin_worker *worker, enum label_kind kind, uint32_t thread,
                             uint32_t at)
{
    const uint32_t components[] = {thread, at, worker->owner};
    const struct action event = {
        .kind = kind, .components = components, .count = kind == LABEL_NO_POINT ? 2 : 3};
    return labels_intern(worker->model->model.labels, &event);
}

/* The thread waits; of several ways to do so the first is shown. False when refused. */
static bool add_wait(struct successors *out, uint32_t thread, label shown)
{
    const struct step wait = {.label = LABEL_TAU, .shown = shown, .process = thread};
    const uint64_t bit = UINT64_C(1) << thread;
    bool known = out->waiting & bit;
    out->waiting |= bit;
    return known || vector_push(&out->waits, wait);
}

/* Whether some thread does, in worker->after. */
static bool holds_stale(const struct lin_worker *worker)
{
    return worker->native ? worker->native->is_stale(worker->after.items)
                          : lin_is_stale(worker->model, worker->after.items);
}

/* Takes one way of a step, in worker->after; *at: the instruction that it ends at. */
static enum ran run_one_way(struct lin_worker *worker, uint32_t thread, uint32_t start,
                            bool is_call, uint32_t *at, struct error *error)
{
    enum ran ran;
    if (lin_native_run_joined(worker, thread, start, is_call, at, &ran))
        return ran;
    memcpy(worker->after.items, worker->before.items,
           worker->model->steps->slots * sizeof *worker->after.items);
    struct lin_run run = lin_run_make(worker, worker->after.items, thread, start, error);
    ran = run_joined(&run, is_call);
    *at = run.evaluation.at;
    return ran;
}

enum status lin_model_run_all(struct lin_worker *worker, uint32_t thread, uint32_t start, label l,
                              label shown, struct successors *out, struct error *error)
{
    const struct lin_model *model = worker->model;
    const struct lin_steps *steps = model->steps;
    bool is_call = l != LABEL_TAU;
    worker->exhausted = false;
    worker->leads_on = worker->are_unnoticed = true;
    choices_restart(&worker->choices);
    do {
        uint32_t *own = thread_slots(steps, worker->after.items, thread), at = start;
        label answer = LABEL_TAU, whole;
        if (limits_look(out->limits, &out->looked))
            return STATUS_LIMIT;
        choices_begin(&worker->choices);
        worker->point = LABEL_TAU;
        enum ran ran = run_one_way(worker, thread, start, is_call, &at, error);
        out->exhausted |= worker->exhausted;
        if (ran == RAN_WELL && lacks_point(steps, own, at))
            ran = RAN_WITHOUT_POINT;
        if (worker->wrong & model->supposed) {
            atomic_fetch_or(model->options.refuted, worker->wrong);
            return STATUS_LIMIT;
        }
        worker->are_unnoticed &= worker->is_unnoticed;
        worker->leads_on &=
            ran == RAN_WELL && leads_on(steps, start, at) && worker->point == LABEL_TAU;
        switch (ran) {
        case RAN_WELL:
            if (worker->is_pure) {
                out->pure++;
                break;
            }
            own[LIN_THREAD_AT] = at + 1;
            if (steps->listing.code.items[at].op == OP_END)
                own[LIN_THREAD_AT] = 0; /* `init` belongs to no operation */
            else if (steps->setting.words && steps->listing.code.items[at].op == OP_ANSWER)
                own[LIN_THREAD_AT] = 0; /* a thread's end shows only when all have ended */
            else if (worker->options.intervals && steps->listing.code.items[at].op == OP_ANSWER)
                answer = lin_model_take_answer(worker, own, thread);
            lin_forget_dead(worker, own);
            if (worker->options.stale && holds_stale(worker)) {
                out->stale++;
                break;
            }
            whole = worker->options.tells_changes
                        ? lin_label_change(worker, thread)
                        : lin_model_label_whole(model, l, worker->point, answer);
            TRY_MEMORY(lin_model_add_step(worker, out, thread, whole,
                                          worker->point != LABEL_TAU ? whole : shown));
            break;
        case RAN_BLOCKED:
            TRY_MEMORY(add_wait(out, thread, shown));
            break;
        case RAN_OUT_OF_NODES:
            out->starving |= UINT64_C(1) << thread;
            break;
        case RAN_INTO_FAULT:
            if (worker->options.ignores_faults)
                break;
            if (!out->fault[0])
                memcpy(out->fault, worker->reason, sizeof out->fault);
            TRY_MEMORY(add_last_step(worker, out, thread, model->fault, shown));
            break;
        case RAN_WITHOUT_POINT:
            TRY_MEMORY(add_last_step(worker, out, thread,
                                     label_misplaced(worker, LABEL_NO_POINT, thread, at), shown));
            break;
        case RAN_INTO_SECOND_POINT:
            TRY_MEMORY(add_last_step(worker, out, thread,
                                     label_misplaced(worker, LABEL_SECOND_POINT, thread, at),
                                     shown));
            break;
        case RAN_INTO_IDLE_POINT:
            TRY_MEMORY(add_last_step(worker, out, thread,
                                     label_misplaced(worker, LABEL_IDLE_POINT, thread, at), shown));
            break;
        case RAN_INTO_ERROR:
            if (!worker->options.shows_errors)
                return STATUS_INPUT;
            return granted(add_last_step(worker, out, thread, model->error, shown));
        default:
            return STATUS_LIMIT;
        }
    } while (choices_advance(&worker->choices));
    return STATUS_OK;
}
