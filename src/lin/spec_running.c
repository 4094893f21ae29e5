#include "lin/spec_running.h"

#include <string.h>

#include "base/memory.h"
#include "value/agree.h"

#define OUTCOMES_A_STEP 16 /* so many are compared in the time that a choice takes to run */

/* ---- machines ---- */

struct lin_machine *lin_spec_borrow(struct lin_spec *lin, const struct limits *limits)
{
    struct lin_machine *machine = NULL;
    pthread_mutex_lock(&lin->lock);
    if (lin->idle.length > 0)
        machine = lin->idle.items[--lin->idle.length];
    pthread_mutex_unlock(&lin->lock);
    if (!machine)
        machine = lin_machine_create(&lin->program, lin->budget);
    if (machine)
        lin_machine_limit(machine, limits);
    return machine;
}

void lin_spec_give_back(struct lin_spec *lin, struct lin_machine *machine)
{
    pthread_mutex_lock(&lin->lock);
    bool kept = vector_push(&lin->idle, machine);
    pthread_mutex_unlock(&lin->lock);
    if (!kept)
        lin_machine_destroy(machine);
}

void lin_spec_remember_fault(struct lin_spec *lin, const struct limits *limits,
                             const struct error *fault)
{
    if (limits_note_fault(limits))
        return;
    pthread_mutex_lock(&lin->lock);
    if (!lin->has_fault)
        lin->fault = *fault;
    lin->has_fault = true;
    pthread_mutex_unlock(&lin->lock);
}

enum status lin_spec_find_fault(const struct spec *spec, struct error *error)
{
    struct lin_spec *lin = lin_spec_of(spec);
    pthread_mutex_lock(&lin->lock);
    enum status status = lin->has_fault ? STATUS_INPUT : STATUS_OK;
    if (lin->has_fault && error)
        *error = lin->fault;
    pthread_mutex_unlock(&lin->lock);
    return status;
}

bool lin_spec_agrees(const struct lin_spec *lin, const struct call *call, value given,
                     bool *refused)
{
    if (!call->result_known)
        return true;
    if (given != lin->program.ok)
        return value_agrees(call->result, given, lin->budget, refused);
    const struct lin_shape *shape = &lin->shapes[call->operation];
    for (uint32_t i = 0; i < shape->symbol_count; i++)
        if (shape->symbols[i] == call->result)
            return false;
    return true;
}

/* ---- states ---- */

static bool is_known(const struct outcomes *outcomes, size_t first, const uint64_t *words,
                     size_t length, size_t before, value result)
{
    for (size_t i = first; i < outcomes->items.length; i++) {
        const struct outcome *other = &outcomes->items.items[i];
        const uint64_t *state = outcomes->words.items + other->start;
        if (other->result == result && other->length == before + length &&
            (before == 0 || state[0] == 0) && (before < 2 || state[1] == 0) &&
            memcmp(state + before, words, length * sizeof *words) == 0)
            return true;
    }
    return false;
}

bool lin_spec_add_whole(const struct lin_spec *lin, const uint64_t *words, size_t length,
                        value result, size_t first, struct outcomes *outcomes)
{
    const size_t before = lin_spec_words_before(lin);
    if (is_known(outcomes, first, words, length, before, result))
        return true;
    uint64_t *state = outcomes_add_room(outcomes, before + length, result);
    if (!state)
        return false;
    memset(state, 0, before * sizeof *state);
    memcpy(state + before, words, length * sizeof *words);
    return true;
}

/* Runs one choice of the operation and appends what it leads to. */
static enum ran step_once(struct lin_spec *lin, struct lin_machine *machine, const uint64_t *words,
                          const struct call *call, size_t first, struct outcomes *outcomes)
{
    const struct code *code = &lin->program.operations[call->operation];
    const value *arguments =
        code->parameters > 1 ? bind_items(call->argument, code->parameters) : &call->argument;
    struct error fault;
    value result;
    enum ran ran = lin_machine_run(machine, code, words, arguments, call->process, &result, &fault);
    if (ran == RAN_INTO_FAULT)
        lin_spec_remember_fault(lin, outcomes->limits, &fault);
    bool refused = false;
    if (ran != RAN_WELL)
        return ran == RAN_BLOCKED ? RAN_WELL : ran;
    if (!lin_spec_agrees(lin, call, result, &refused))
        return refused ? RAN_OUT_OF_MEMORY : RAN_WELL;
    if (call->result_known)
        result = call->result; /* for `ok` and sets it may be another value */
    else if (result == lin->program.ok)
        result = VALUE_NIL;
    size_t length;
    const uint64_t *state = lin_machine_state(machine, &length);
    return state && lin_spec_add_whole(lin, state, length, result, first, outcomes)
               ? RAN_WELL
               : RAN_OUT_OF_MEMORY;
}

bool lin_spec_goes_on(const struct outcomes *outcomes, size_t first, uint32_t *steps)
{
    *steps += 1 + (uint32_t)((outcomes->items.length - first) / OUTCOMES_A_STEP);
    return !limits_look_every(outcomes->limits, steps, STEPS_A_LOOK);
}

bool lin_spec_step_alone(const struct spec *spec, const uint64_t *variables,
                         const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_spec_of(spec);
    struct lin_machine *machine = lin_spec_borrow(lin, outcomes->limits);
    if (!machine)
        return false;
    size_t first = outcomes->items.length;
    enum ran ran;
    uint32_t steps = 0;
    bool goes_on = true;
    lin_machine_restart(machine);
    do {
        ran = step_once(lin, machine, variables, call, first, outcomes);
        goes_on = lin_spec_goes_on(outcomes, first, &steps);
    } while (ran == RAN_WELL && goes_on && lin_machine_advance(machine));
    lin_spec_give_back(lin, machine);
    return ran == RAN_WELL && goes_on;
}
