#include "unbounded/thread_system.h"

#include <assert.h>
#include <string.h>

#include "code/word.h"
#include "implementation/print.h"

/* ---- numbers of states ---- */

static uint32_t intern_local(struct thread_system *system, uint32_t kind, const uint32_t *words)
{
    uint32_t count = system->steps->thread_words;
    if (!vector_reserve(&system->local, 1 + (size_t)count))
        return UINT32_MAX;
    system->local.items[0] = kind;
    memcpy(system->local.items + 1, words, count * sizeof *words);
    return word_arrays_intern(&system->locals, system->local.items, 1 + (size_t)count, NULL);
}

static uint32_t intern_shared(struct thread_system *system, const uint32_t *words)
{
    return word_arrays_intern(&system->shared, words, system->steps->thread_first, NULL);
}

uint16_t thread_system_operation(const struct thread_system *system, uint32_t local)
{
    uint32_t at = thread_system_local(system, local)[LIN_THREAD_AT];
    return at ? (uint16_t)(entry_at(system->steps, at - 1) - system->steps->entries) : UINT16_MAX;
}

/* ---- what labels say ---- */

static uint16_t operation_of(const struct thread_system *system, const char *name)
{
    uint16_t operation = 0;
    while (system->model.operation_names.items[operation] != name)
        operation++;
    return operation;
}

static void read_call(const struct thread_system *system, const struct action *said,
                      struct thread_event *event)
{
    const struct lin_operation *operation = system->steps->entries[event->operation].operation;
    event->calls = true;
    for (uint32_t i = 0; i < operation->parameter_count && !event->argument; i++)
        if (operation->parameters[i]->type.kind == LIN_TYPE_VALUE)
            event->argument = (uint8_t)said->components[1 + i];
}

/* Whether what the operation answers is not looked at: `ok` agrees with anything. */
static bool has_no_answer(const struct thread_system *system, const struct lin_entry *entry)
{
    const struct spec *spec = system->steps->setting.answers;
    const char *name = entry->operation->name;
    int found = spec ? spec_operation_find(spec->class, name, strlen(name)) : -1;
    return found >= 0 && spec->class->operations[found].result[0] == 0;
}

static void read_answer(const struct thread_system *system, const struct action *said,
                        struct thread_event *event)
{
    const struct lin_entry *entry = &system->steps->entries[event->operation];
    const bool ignored = has_no_answer(system, entry);
    event->answer = said->symbol && !ignored ? ANSWER_OTHER : ANSWER_PLAIN;
    if (said->count < 2 || ignored)
        return;
    uint32_t answer = said->components[1];
    bool is_value = !entry->answers_numbers && answer != SLOT_TRUE && answer != SLOT_FALSE;
    event->answer = is_value ? ANSWER_VALUED : ANSWER_OTHER;
    event->result = is_value ? (uint8_t)answer : 0;
}

static void read_event(const struct thread_system *system, label l, struct thread_event *event)
{
    const struct action *said = labels_get(system->labels, l);
    for (size_t i = 0; said->kind == LABEL_SEVERAL && i < said->count; i++)
        read_event(system, said->components[i], event);
    event->points += said->kind == LABEL_POINT && said->count == 1;
    if (said->kind == LABEL_POINT && said->count > 1) {
        event->others++;
        event->brought = event->points ? 0 : (uint8_t)said->components[1];
    }
    if (said->kind != LABEL_INVOKE && said->kind != LABEL_RESPOND)
        return;
    event->operation = operation_of(system, said->name);
    if (said->kind == LABEL_INVOKE)
        read_call(system, said, event);
    else
        read_answer(system, said, event);
}

/* Null when refused. */
static const struct thread_event *event_of(struct thread_system *system, label l)
{
    static const struct thread_event none;
    if (l == LABEL_TAU)
        return &none;
    while (system->events.length <= l)
        if (!vector_push(&system->events, none))
            return NULL;
    struct thread_event *event = &system->events.items[l];
    if (!event->known)
        read_event(system, l, event);
    event->known = true;
    return event;
}

/* ---- moves ---- */

bool thread_system_read_step(struct thread_system *system, const struct step *step,
                             const uint32_t *thread, struct thread_move *move)
{
    const struct lin_steps *steps = system->steps;
    const bool is_fault = step->label == system->model.fault,
               is_error = step->label == system->model.error, is_idle = thread[LIN_THREAD_AT] == 0;
    const label whole =
        is_idle && (is_fault || is_error) ? step->shown : step->label; /* has the call */
    const struct thread_event *event = event_of(system, whole);
    if (!event)
        return false;
    *move = (struct thread_move){.operation = event->operation,
                                 .calls = event->calls,
                                 .argument = event->argument,
                                 .answer = event->answer,
                                 .result = event->result,
                                 .points = event->points,
                                 .others = event->others,
                                 .brought = event->brought,
                                 .ending = is_fault   ? ENDING_FAULT
                                           : is_error ? ENDING_ERROR
                                                      : ENDING_NONE,
                                 .label = step->label,
                                 .shown = step->shown};
    if (!is_idle)
        move->operation = (uint16_t)(entry_at(steps, thread[LIN_THREAD_AT] - 1) - steps->entries);
    return true;
}

/* Step `number` of those that the model has found. False when refused. */
static bool describe_move(struct thread_system *system, uint32_t shared, uint32_t local,
                          size_t number, struct thread_move *move)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *after = system->out.states.items + number * steps->slots;
    if (!thread_system_read_step(system, &system->out.steps.items[number],
                                 thread_system_local(system, local), move))
        return false;
    move->shared = move->next_shared = shared;
    move->local = move->next_local = local;
    if (move->ending != ENDING_NONE)
        return true;
    size_t bytes = steps->thread_first * sizeof *after;
    if (memcmp(after, system->state.items, bytes) != 0)
        move->next_shared = intern_shared(system, after);
    move->next_local =
        intern_local(system, thread_system_kind(system, local), after + steps->thread_first);
    return move->next_shared != UINT32_MAX && move->next_local != UINT32_MAX;
}

static enum status find_moves(struct thread_system *system, uint32_t shared, uint32_t local,
                              struct thread_moves **moves, struct error *error)
{
    const struct lin_steps *steps = system->steps;
    const struct thread_kind *kind = &system->kinds.items[thread_system_kind(system, local)];
    uint32_t *state = system->state.items;
    memcpy(state, thread_system_shared(system, shared), steps->thread_first * sizeof *state);
    memcpy(state + steps->thread_first, thread_system_local(system, local),
           steps->thread_words * sizeof *state);
    successors_clear(&system->out);
    TRY(lin_model_steps_of(system->worker, state, 0, (uint32_t)kind->only, &system->out, error));
    size_t count = system->out.steps.length;
    struct thread_moves *found =
        arena_allocate(&system->arena, sizeof *found + count * sizeof *found->items);
    TRY_MEMORY(found);
    *found = (struct thread_moves){.count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        TRY_MEMORY(describe_move(system, shared, local, i, &found->items[i]));
    *moves = found;
    return STATUS_OK;
}

enum status thread_system_expand(struct thread_system *system, uint32_t shared, uint32_t local,
                                 const struct thread_moves **moves, struct error *error)
{
    const uint32_t words[] = {shared, local};
    uint32_t pair = word_arrays_intern(&system->pairs, words, ARRAY_LENGTH(words), NULL);
    TRY_MEMORY(pair != UINT32_MAX);
    if (pair == system->moves.length && !vector_push(&system->moves, NULL))
        return STATUS_LIMIT;
    if (!system->moves.items[pair])
        TRY(find_moves(system, shared, local, &system->moves.items[pair], error));
    *moves = system->moves.items[pair];
    return STATUS_OK;
}

enum status thread_system_evaluate(struct thread_system *system, uint32_t shared,
                                   uint32_t condition, bool *holds, struct error *error)
{
    const struct lin_steps *steps = system->steps;
    uint32_t *state = system->state.items;
    int64_t found;
    memcpy(state, thread_system_shared(system, shared), steps->thread_first * sizeof *state);
    memcpy(state + steps->thread_first, thread_system_local(system, system->kinds.items[0].idle),
           steps->thread_words * sizeof *state);
    TRY(worker_evaluate(&system->worker->worker, condition, state, &found, error));
    *holds = found != 0;
    return STATUS_OK;
}

/* ---- creation ---- */

/* The kinds in ascending order of their numbers, anonymous threads first; none is known twice. */
static bool add_kind(struct thread_system *system, int32_t only)
{
    size_t at = 0;
    while (at < system->kinds.length && system->kinds.items[at].only < only)
        at++;
    if (at < system->kinds.length && system->kinds.items[at].only == only)
        return true;
    if (!vector_push(&system->kinds, ((struct thread_kind){0})))
        return false;
    struct thread_kind *kind = &system->kinds.items[at];
    memmove(kind + 1, kind, (system->kinds.length - 1 - at) * sizeof *kind);
    *kind = (struct thread_kind){.only = only};
    return true;
}

static bool find_kinds(struct thread_system *system, const uint32_t *idle)
{
    if (!add_kind(system, -1))
        return false;
    for (uint32_t i = 0; i < system->steps->object->operation_count; i++)
        if (!add_kind(system, system->steps->entries[i].only))
            return false;
    for (uint32_t i = 0; i < system->kinds.length; i++)
        if ((system->kinds.items[i].idle = intern_local(system, i, idle)) == UINT32_MAX)
            return false;
    return true;
}

static enum status find_initial(struct thread_system *system, struct error *error)
{
    const struct lin_steps *steps = system->steps;
    TRY(worker_initial(&system->worker->worker, &system->out, error));
    for (size_t i = 0; i < system->out.steps.length; i++) {
        const uint32_t *state = system->out.states.items + i * steps->slots;
        size_t known = system->shared.items.length;
        uint32_t number = intern_shared(system, state);
        if (number == UINT32_MAX || (number == known && !vector_push(&system->initial, number)))
            return STATUS_LIMIT;
    }
    return granted(find_kinds(system, system->out.states.items + steps->thread_first));
}

enum status thread_system_create(struct thread_system *system, const struct lin_steps *steps,
                                 struct labels *labels, const struct limits *limits,
                                 struct error *error)
{
    static const struct lin_options options = {
        .intervals = true, .forget = true, .names = true, .shows_errors = true};
    assert(steps->setting.threads == 1 && steps->setting.operations < 0 && !steps->setting.total);
    assert(steps->setting.values <= UINT8_MAX); /* a move has a byte for each */
    assert(steps->setting.keeps && !steps->setting.points && !steps->setting.words);
    struct budget *budget = limits->budget;
    *system = (struct thread_system){.steps = steps, .labels = labels, .budget = budget};
    vectors_init(budget, &system->kinds, &system->initial);
    word_arrays_init(&system->shared, budget);
    word_arrays_init(&system->locals, budget);
    word_arrays_init(&system->pairs, budget);
    vector_init(&system->moves, budget);
    arena_init(&system->arena, budget);
    vectors_init(budget, &system->events, &system->state, &system->local);
    successors_init(&system->out, budget);
    TRY(lin_model_create(steps, &options, labels, budget, &system->model, error));
    assert(!system->model.links);
    system->worker = lin_worker_create(&system->model);
    TRY_MEMORY(system->worker && vector_reserve(&system->state, steps->slots));
    system->out.limits = limits;
    enum status status = find_initial(system, error);
    system->out.limits = NULL; /* moves are found within those of whoever asks */
    return status;
}

void thread_system_release(struct thread_system *system)
{
    lin_worker_destroy(system->worker);
    lin_model_release(&system->model);
    vectors_release(&system->kinds, &system->initial);
    word_arrays_release(&system->shared);
    word_arrays_release(&system->locals);
    word_arrays_release(&system->pairs);
    vector_release(&system->moves);
    arena_release(&system->arena);
    vectors_release(&system->events, &system->state, &system->local);
    successors_release(&system->out);
}

/* ---- printing ---- */

void thread_system_print_local(struct thread_system *system, uint32_t local, struct text *text)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *words = thread_system_local(system, local);
    struct text locals = TEXT_EMPTY;
    if (thread_system_is_idle(system, local)) {
        text_append(text, "idle");
        return;
    }
    memcpy(system->state.items + steps->thread_first, words, steps->thread_words * sizeof *words);
    label note = lin_model_note(&system->model, system->state.items, 0);
    text_format(text, "%s at ",
                steps->entries[thread_system_operation(system, local)].operation->name);
    text_append(text, labels_get(system->labels, note)->name);
    lin_print_locals(steps, words, &locals);
    if (locals.length > 0)
        text_format(text, " with %s", text_string(&locals));
    text_release(&locals);
}
