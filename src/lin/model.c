#include "lin/model.h"

#include <stdio.h>
#include <string.h>

#include "lin/initial.h"
#include "lin/interpreter.h"
#include "lin/model_calls.h"
#include "lin/model_steps.h"
#include "lin/print.h"
#include "lin/symmetry.h"

static struct lin_model *lin_of(struct model *model)
{
    return (struct lin_model *)model;
}

/* ---- linearization points ---- */

uint32_t lin_model_misplaced(const struct lin_model *model, label l, bool *second)
{
    const struct action *event = labels_get(model->model.labels, l);
    *second = event->kind == LABEL_SECOND_POINT;
    return *second || event->kind == LABEL_NO_POINT ? event->components[1] : UINT32_MAX;
}

bool lin_model_is_last(const struct lin_model *model, label l)
{
    bool ignored;
    return l == model->fault || lin_model_misplaced(model, l, &ignored) != UINT32_MAX;
}

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strchr(" \t\r\n(", text[length]);
}

/* Behind the parenthesis that closes the first one. */
static const char *behind_condition(const char *text)
{
    size_t open = 0;
    for (text += strcspn(text, "(;{}"); *text; text++) {
        open += *text == '(';
        open -= *text == ')' && open;
        if (!open)
            return *text == ')' ? text + 1 : NULL;
    }
    return NULL;
}

/* The text of the statement that `at` is in; of one on a line with its condition, what `at` is in
 * of the two. */
static void find_statement(const char *text, const char *at, const char **start, const char **end)
{
    const char *from = at, *to = at, *behind;
    while (from > text && !strchr(";{}\n", from[-1]))
        from--;
    from += strspn(from, " \t");
    if (is_word(from, "else"))
        from += 4 + strspn(from + 4, " \t");
    while (!strchr(";{}\r\n", *to) && strncmp(to, "//", 2) != 0 && strncmp(to, "/*", 2) != 0)
        to++; /* strchr finds the text's end, too */
    while ((is_word(from, "if") || is_word(from, "while")) && (behind = behind_condition(from))) {
        if (behind > at) {
            to = behind < to ? behind : to;
            break;
        }
        from = behind + strspn(behind, " \t");
    }
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *start = from;
    *end = to;
}

/* The statement of a step, with its line: "18: cas(tail, t, x)" */
static label lin_model_note_of(struct lin_model *model, uint32_t instruction)
{
    const struct lin_steps *steps = model->steps;
    const struct script *script = steps->module->script;
    while (model->notes.length <= instruction)
        if (!vector_push(&model->notes, 0))
            return LABEL_REFUSED;
    label *note = &model->notes.items[instruction];
    if (*note)
        return *note;
    place at = steps->listing.places.items[instruction];
    const char *start, *end;
    find_statement(script->text, script->text + at, &start, &end);
    const struct script_part *part = &script->parts[script_part_at(script, at)];
    bool included = part != &script->parts[script->main];
    char text[160 + 256];
    snprintf(text, sizeof text, "%.255s%s%u: %.*s", included ? part->name : "", included ? ":" : "",
             script_line(script, at), end - start > 100 ? 100 : (int)(end - start), start);
    return *note = labels_intern_named(model->model.labels, LABEL_NOTE, text, NULL, 0);
}

static enum status answer(struct lin_model *model, const uint32_t *state, uint32_t thread,
                          struct successors *out)
{
    const struct lin_steps *steps = model->steps;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    label l = lin_model_take_answer(model, thread_slots(steps, model->after.items, thread), thread);
    return lin_model_add_step(model, out, thread, l, l) ? STATUS_OK : STATUS_LIMIT;
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
static enum status lin_evaluate(struct model *outer, uint32_t condition, const uint32_t *state,
                                int64_t *holds, struct error *error)
{
    struct lin_model *model = lin_of(outer);
    const struct lin_steps *steps = model->steps;
    *holds = 1;
    if (is_faulted(steps, state))
        return STATUS_OK;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    struct lin_run run = {.model = model,
                          .steps = steps,
                          .slots = model->after.items,
                          .locals = thread_slots(steps, model->after.items, 0) + LIN_THREAD_HEADER,
                          .at = condition,
                          .error = error};
    model->chosen = model->choices.length = 0;
    enum lin_halt halt = lin_run_on(&run);
    if (halt == HALT_FOR_MEMORY)
        return STATUS_LIMIT;
    if (halt == HALT_IN_FAULT)
        return script_error(steps->module->script, steps->listing.places.items[run.at], error,
                            "the condition itself fails: %s", model->reason);
    if (halt != HALT_AT_STOP)
        return STATUS_INPUT;
    *holds = model->stack.items[model->stack.length - 1];
    return STATUS_OK;
}

/* The program's end, once: the first thread's turn says that it has been. */
static enum status end_program(struct lin_model *model, const uint32_t *state,
                               struct successors *out)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        if (lin_model_is_running(model, state, i))
            return STATUS_OK;
    memcpy(model->after.items, state, steps->slots * sizeof *state);
    uint32_t *ended = &thread_slots(steps, model->after.items, 0)[LIN_THREAD_TURN];
    if (*ended)
        return STATUS_OK;
    *ended = 1;
    return lin_model_add_step(model, out, 0, LABEL_TERMINATE, LABEL_TERMINATE) ? STATUS_OK
                                                                               : STATUS_LIMIT;
}

static enum status thread_successors(struct lin_model *model, const uint32_t *state,
                                     uint32_t thread, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    uint32_t at = thread_slots_of(steps, state, thread)[LIN_THREAD_AT];
    if (at == 0)
        return steps->setting.words ? STATUS_OK
                                    : lin_model_call_any(model, state, thread, out, error);
    if (steps->listing.code.items[at - 1].op == LIN_DO_RETURN)
        return answer(model, state, thread, out);
    memcpy(model->before.items, state, steps->slots * sizeof *state);
    return lin_model_run_all(model, thread, at, LABEL_TAU, lin_model_note_of(model, at - 1), out,
                             error);
}

enum status lin_model_steps_of(struct lin_model *model, const uint32_t *state, uint32_t thread,
                               struct successors *out, struct error *error)
{
    return is_faulted(model->steps, state) ? STATUS_OK
                                           : thread_successors(model, state, thread, out, error);
}

static enum status initial(struct model *outer, struct successors *out, struct error *error)
{
    return lin_initial_states(lin_of(outer), out, error);
}

static enum status lin_successors(struct model *outer, const uint32_t *state,
                                  struct successors *out, struct error *error)
{
    struct lin_model *model = lin_of(outer);
    const struct lin_steps *steps = model->steps;
    model->waiting = model->starving = 0;
    model->first[0] = 0;
    if (is_faulted(steps, state)) /* nothing follows */
        return STATUS_OK;
    if (steps->setting.words)
        TRY(end_program(model, state, out));
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++)
        TRY(thread_successors(model, state, thread, out, error));
    return STATUS_OK;
}

enum status lin_model_explain(struct lin_model *model, const uint32_t *before,
                              const uint32_t *after, struct error *error)
{
    struct successors out;
    uint32_t thread = 0;
    while (thread_slots_of(model->steps, after, thread)[LIN_THREAD_AT] != LIN_THREAD_FAULTED)
        thread++;
    model->first[0] = 0;
    successors_init(&out, model->model.budget);
    enum status status = thread_successors(model, before, thread, &out, error);
    successors_release(&out);
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

label lin_model_note(struct lin_model *model, const uint32_t *state, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    return lin_model_note_of(
        model, state[steps->thread_first + thread * steps->thread_words + LIN_THREAD_AT] - 1);
}

/* ---- creation ---- */

static void print(const struct model *outer, const uint32_t *state, const uint32_t *before,
                  struct text *text)
{
    lin_print(((const struct lin_model *)outer)->steps, state, before, text);
}

static enum status turn(struct model *base, uint32_t *state, struct renumbering by,
                        struct error *error)
{
    (void)error;
    return lin_model_turn((struct lin_model *)base, state, by) ? STATUS_OK : STATUS_LIMIT;
}

/* As lin_symmetry_sort does it on a copy. */
static enum status order(struct model *base, const uint32_t *state, struct renumbering *by,
                         struct error *error)
{
    struct lin_model *model = (struct lin_model *)base;
    (void)error;
    memcpy(model->after.items, state, base->slots * sizeof *state);
    return lin_symmetry_sort(model, model->after.items, by) ? STATUS_OK : STATUS_LIMIT;
}

static label turn_label(struct model *base, label l, struct renumbering by)
{
    return lin_model_turn_label((struct lin_model *)base, l, by);
}

static const struct model_class lin_class = {
    .name = ".lin",
    .initial = initial,
    .successors = lin_successors,
    .evaluate = lin_evaluate,
    .turn = turn,
    .order = order,
    .turn_label = turn_label,
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

enum status lin_model_create(const struct lin_steps *steps, const struct lin_fusion *fusion,
                             struct labels *labels, struct budget *budget, struct lin_model *model,
                             struct error *error)
{
    *model = (struct lin_model){.model = {.class = &lin_class,
                                          .labels = labels,
                                          .budget = budget,
                                          .slots = steps->slots,
                                          .identity_slots = steps->slots},
                                .steps = steps,
                                .fusion = *fusion,
                                .links = lin_steps_use(steps, LIN_DO_LL),
                                .frees = lin_steps_use(steps, LIN_DO_FREE)};
    vector_init(&model->own, budget);
    vector_init(&model->own_words, budget);
    vector_init(&model->notes, budget);
    vector_init(&model->before, budget);
    vector_init(&model->after, budget);
    vector_init(&model->saved, budget);
    vector_init(&model->moved, budget);
    vector_init(&model->numbers, budget);
    vector_init(&model->order, budget);
    vector_init(&model->touched, budget);
    vector_init(&model->stack, budget);
    vector_init(&model->choices, budget);
    vector_init(&model->object, budget);
    vector_init(&model->operation_names, budget);
    vector_init(&model->symbol_names, budget);
    outcomes_init(&model->outcomes, budget);
    if (steps->pool_count > MOST_POOLS)
        return script_error(steps->module->script, steps->object->at, error,
                            "expected at most %d structs, found %u", MOST_POOLS, steps->pool_count);
    model->fault = labels_intern(labels, &(struct action){.kind = LABEL_FAULT});
    if (!lin_find_own_items(model))
        return STATUS_LIMIT;
    model->fusion.symmetry &= lin_model_is_symmetric(model);
    model->fusion.values &= lin_model_has_values(steps);
    if (model->fault == LABEL_REFUSED || !name_operations(model) ||
        !vector_reserve(&model->before, steps->slots) ||
        !vector_reserve(&model->after, steps->slots) ||
        !vector_reserve(&model->saved, steps->slots))
        return STATUS_LIMIT;
    return STATUS_OK;
}

void lin_model_release(struct lin_model *model)
{
    vector_release(&model->own);
    vector_release(&model->own_words);
    vector_release(&model->notes);
    vector_release(&model->before);
    vector_release(&model->after);
    vector_release(&model->saved);
    vector_release(&model->touched);
    vector_release(&model->moved);
    vector_release(&model->numbers);
    vector_release(&model->order);
    vector_release(&model->stack);
    vector_release(&model->choices);
    vector_release(&model->object);
    vector_release(&model->operation_names);
    vector_release(&model->symbol_names);
    outcomes_release(&model->outcomes);
}
