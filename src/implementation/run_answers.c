#include "implementation/run_answers.h"

#include <string.h>

#include "code/word.h"

uint32_t lin_run_component_of(enum lin_type_kind kind, uint32_t word)
{
    return kind == LIN_TYPE_BOOL ? (word ? SLOT_TRUE : SLOT_FALSE) : word;
}

label lin_run_label_answer(const struct lin_model *model, const struct instruction *instruction,
                           struct action *event, uint32_t *components, const uint32_t *words)
{
    const struct lin_list_shape *shape = NULL;
    if (instruction->small == LIN_TYPE_LIST)
        shape = &model->steps->shapes.items[instruction->operand];
    if (instruction->small == LIN_TYPE_SYMBOL)
        event->symbol = (uint32_t)instruction->operand == UINT32_MAX
                            ? model->open_answer
                            : model->symbol_names.items[instruction->operand];
    else if (!shape && (instruction->small != LIN_TYPE_VALUE || *words != 0))
        components[event->count++] =
            lin_run_component_of((enum lin_type_kind)instruction->small, *words);
    for (uint32_t i = 0; shape && i < shape->count; i++)
        components[event->count++] =
            shape->kinds[i] == LIN_TYPE_VALUE && words[i] == 0
                ? COMPONENT_NULL
                : lin_run_component_of((enum lin_type_kind)shape->kinds[i], words[i]);
    event->components = components;
    return labels_intern(model->model.labels, event);
}

/* Adds the label of a point to those that the step has made. */
static enum ran add_point(struct lin_run *run, label point)
{
    struct labels *labels = run->worker->model->model.labels;
    uint32_t parts[MOST_COMPONENTS] = {run->worker->point};
    struct action several = {.kind = LABEL_SEVERAL, .components = parts, .count = 1};
    const struct action *made = labels_get(labels, run->worker->point);
    if (run->worker->point == LABEL_TAU || point == LABEL_REFUSED) {
        run->worker->point = point;
        return point == LABEL_REFUSED ? RAN_OUT_OF_MEMORY : RAN_ON;
    }
    if (made->kind == LABEL_SEVERAL) {
        several.count = made->count;
        memcpy(parts, made->components, made->count * sizeof *parts);
    }
    if (several.count == LIN_MOST_POINTS) {
        script_error(run->steps->module->script, lin_run_place(run), run->error,
                     "expected at most %d linearization points in one step, found more",
                     LIN_MOST_POINTS);
        return RAN_INTO_ERROR;
    }
    parts[several.count++] = point;
    run->worker->point = labels_intern(labels, &several);
    return run->worker->point == LABEL_REFUSED ? RAN_OUT_OF_MEMORY : RAN_ON;
}

/* Of another thread's operation its value is on the stack. */
static enum ran note_point(struct lin_run *run, const struct instruction *instruction)
{
    const struct lin_model *model = run->worker->model;
    const bool is_others = instruction->op == OP_LINEARIZE_OF;
    const uint32_t components[] = {run->evaluation.thread,
                                   is_others ? (uint32_t)lin_run_pop(run) : 0};
    const struct action event = {.kind = LABEL_POINT,
                                 .name = model->operation_names.items[instruction->wide],
                                 .components = components,
                                 .count = is_others ? 2 : 1};
    return add_point(run, labels_intern(model->model.labels, &event));
}

enum ran lin_run_linearize(struct lin_run *run, const struct instruction *instruction)
{
    const struct lin_steps *steps = run->steps;
    const struct lin_model *model = run->worker->model;
    if (steps->setting.notes_points)
        return note_point(run, instruction);
    uint32_t word = instruction->range ? (uint32_t)lin_run_pop(run) : 0;
    int32_t owner =
        instruction->op == OP_LINEARIZE_OF ? lin_run_pop(run) : (int32_t)run->evaluation.thread;
    uint32_t components[MOST_COMPONENTS] = {(uint32_t)owner}, *own = run->evaluation.own;
    const struct lin_entry *entry = &steps->entries[instruction->wide];
    run->worker->owner = (uint32_t)owner;
    if ((uint32_t)owner >= steps->setting.threads)
        return RAN_INTO_IDLE_POINT;
    if ((uint32_t)owner != run->evaluation.thread) {
        uint32_t *slots = thread_slots(steps, run->evaluation.slots, (uint32_t)owner);
        if (!is_at_code(slots))
            return RAN_INTO_IDLE_POINT;
        entry = entry_at(steps, slots[LIN_THREAD_AT] - 1);
        own = slots + LIN_THREAD_HEADER;
    }
    const struct lin_operation *operation = entry->operation;
    uint32_t *arguments = own + entry->pointed + 1, count = operation->parameter_count;
    struct action event = {.kind = LABEL_POINT,
                           .name = model->operation_names.items[entry - steps->entries],
                           .count = 1 + count};
    if (own[entry->pointed])
        return RAN_INTO_SECOND_POINT;
    for (uint32_t i = 0; i < count; i++)
        components[1 + i] = lin_run_component_of(
            (enum lin_type_kind)operation->parameters[i]->type.kind, arguments[i]);
    own[entry->pointed] = 1;
    memset(arguments, 0, count * sizeof *arguments);
    return add_point(run, lin_run_label_answer(model, instruction, &event, components, &word));
}

/* What the program does wrong with an answer. */
static enum ran complain_of(struct lin_run *run, const char *expected, uint32_t found)
{
    struct lin_words *words = run->steps->setting.words;
    struct text text = TEXT_EMPTY;
    pthread_mutex_lock(&words->lock);
    lin_word_print(words, found, &text);
    pthread_mutex_unlock(&words->lock);
    script_error(run->steps->module->script, lin_run_place(run), run->error,
                 "expected %s, found %s", expected, text_string(&text));
    text_release(&text);
    return RAN_INTO_ERROR;
}

enum ran lin_run_check_answer(struct lin_run *run, enum opcode op)
{
    datum *top = evaluation_top(&run->evaluation, 0);
    uint32_t word = (uint32_t)datum_bits(*top);
    switch (op) {
    case OP_AS_INT:
        return lin_word_is_number(word) ? RAN_ON : complain_of(run, "an int", word);
    case OP_AS_BOOL:
        return word <= 1 ? RAN_ON : complain_of(run, "true or false", word);
    case OP_AS_VALUE: /* an implementation's null is 0 */
        return word != 0 && word != LIN_WORD_NULL
                   ? RAN_ON
                   : complain_of(run, "an argument other than null and 0", word);
    default:
        *top = datum_integer((int32_t)(word ? word : LIN_WORD_NULL));
        return RAN_ON;
    }
}

enum ran lin_run_print_answer(struct lin_run *run)
{
    struct lin_words *words = run->steps->setting.words;
    struct text name = TEXT_EMPTY;
    text_format(&name, "print.%u.", run->evaluation.thread);
    pthread_mutex_lock(&words->lock);
    lin_word_print(words, (uint32_t)lin_run_pop(run), &name);
    pthread_mutex_unlock(&words->lock);
    run->worker->point = labels_intern_named(run->worker->model->model.labels, LABEL_EVENT,
                                             text_string(&name), NULL, 0);
    text_release(&name);
    return run->worker->point == LABEL_REFUSED ? RAN_OUT_OF_MEMORY : RAN_ON;
}

/* The call of a specification's operation with the arguments on top. */
static enum ran bind_call(struct lin_run *run, const struct instruction *instruction,
                          struct call *call)
{
    const struct spec *spec = run->steps->setting.spec;
    value items[MOST_ARGUMENTS];
    struct recorded recorded = {.process = run->evaluation.thread};
    uint32_t count = instruction->wide;
    const datum *words = evaluation_drop(&run->evaluation, count);
    if (count > MOST_ARGUMENTS)
        return lin_run_fault(run, "more than 16 arguments");
    for (uint32_t i = 0; i < count; i++)
        items[i] =
            lin_word_value(run->steps->setting.words, (uint32_t)datum_bits(words[i]), spec->pool);
    if (count > 0)
        recorded.argument = count == 1 ? items[0] : value_list(spec->pool, items, count);
    if (recorded.argument == VALUE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    struct text complaint = TEXT_EMPTY;
    enum status status =
        spec_bind(spec, (uint16_t)instruction->operand, &recorded, call, &complaint);
    if (status == STATUS_INPUT)
        script_error(run->steps->module->script, lin_run_place(run), run->error, "%s",
                     text_string(&complaint));
    text_release(&complaint);
    return status == STATUS_OK      ? RAN_ON
           : status == STATUS_INPUT ? RAN_INTO_ERROR
                                    : RAN_OUT_OF_MEMORY;
}

uint32_t lin_run_intern_object(struct lin_worker *worker, const struct outcome *outcome)
{
    return word_arrays_intern(worker->model->steps->setting.objects,
                              (const uint32_t *)(worker->outcomes.words.items + outcome->start),
                              2 * outcome->length, NULL);
}

/* With the lock held. */
static enum ran invoke(struct lin_run *run, const struct instruction *instruction)
{
    struct lin_worker *worker = run->worker;
    const struct spec *spec = run->steps->setting.spec;
    uint32_t *state = &run->evaluation.slots[run->steps->spec_slot], word = 0;
    struct call call;
    size_t halves;
    enum ran ran = bind_call(run, instruction, &call);
    if (ran != RAN_ON)
        return ran;
    const uint32_t *stored = word_arrays_get(run->steps->setting.objects, *state, &halves);
    if (!vector_reserve(&worker->object, halves / 2 + 1))
        return RAN_OUT_OF_MEMORY;
    memcpy(worker->object.items, stored, halves * sizeof *stored);
    outcomes_clear(&worker->outcomes);
    if (!spec->class->step(spec, worker->object.items, halves / 2, &call, &worker->outcomes))
        return RAN_OUT_OF_MEMORY;
    uint32_t count = (uint32_t)worker->outcomes.items.length;
    if (count == 0)
        return RAN_BLOCKED;
    uint32_t chosen = choices_take(&worker->choices, count);
    if (chosen == CHOICE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    const struct outcome *outcome = &worker->outcomes.items.items[chosen];
    bool answers = spec->class->operations[call.operation].result[0] != 0;
    *state = lin_run_intern_object(worker, outcome);
    if (*state == UINT32_MAX ||
        !lin_word_of_value(run->steps->setting.words, answers ? outcome->result : VALUE_NIL, &word))
        return RAN_OUT_OF_MEMORY;
    return lin_run_push(run, (int32_t)word);
}

enum ran lin_run_invoke(struct lin_run *run, const struct instruction *instruction)
{
    struct lin_words *words = run->steps->setting.words;
    pthread_mutex_lock(&words->lock);
    enum ran ran = invoke(run, instruction);
    pthread_mutex_unlock(&words->lock);
    return ran;
}
