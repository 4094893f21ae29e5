/* A set is run when its last member has come, on the variables and on the arguments of all. Which
 * of its operations stay open their answers say: lin->class.stays_open. */
#include "lin/spec_sets.h"

#include <string.h>

#include "base/memory.h"

#define MOST_ARGUMENTS (16 * LIN_MOST_TOGETHER)

enum member_word {
    MEMBER_BEGUN,
    MEMBER_ARGUMENT,
    MEMBER_KNOWN, /* its result */
    MEMBER_RESULT,
    MEMBER_NUMBER, /* call.number, where operations may stay open */
    MEMBER_WORDS,
};

/* ---- states ---- */

/* Where the members of a set stand in a state. */
static size_t members_at(const struct lin_spec *lin, const uint64_t *words)
{
    return lin->class.is_open ? 2 + words[1] : 1;
}

size_t lin_spec_variables_at(const struct lin_spec *lin, const uint64_t *words)
{
    if (!lin->class.together_count)
        return 0;
    const size_t members = words[0] ? lin->class.togethers[words[0] - 1].count : 0;
    return members_at(lin, words) + members * MEMBER_WORDS;
}

uint32_t lin_spec_gathered(const struct spec *spec, const uint64_t *words, size_t length)
{
    const struct lin_spec *lin = lin_spec_of(spec);
    const size_t end = lin_spec_variables_at(lin, words);
    uint32_t count = 0;
    (void)length;
    for (size_t at = members_at(lin, words); at < end; at += MEMBER_WORDS)
        count += words[at + MEMBER_BEGUN] != 0;
    return count;
}

static bool is_open(const struct spec *spec, const uint64_t *words, size_t length, uint32_t number)
{
    (void)spec, (void)length;
    bool found = false;
    for (uint64_t i = 0; i < words[1]; i++)
        found |= words[2 + i] == number;
    return found;
}

bool lin_spec_rename_sets(const struct lin_spec *lin, const struct renaming *renaming,
                          uint64_t *words)
{
    struct value_pool *pool = lin->program.pool;
    const size_t end = lin_spec_variables_at(lin, words);
    for (size_t at = end ? members_at(lin, words) : 0; at < end; at += MEMBER_WORDS) {
        const value argument = renaming_apply(renaming, pool, words[at + MEMBER_ARGUMENT]);
        const value result = renaming_apply(renaming, pool, words[at + MEMBER_RESULT]);
        if (argument == VALUE_REFUSED || result == VALUE_REFUSED)
            return false;
        words[at + MEMBER_ARGUMENT] = argument;
        words[at + MEMBER_RESULT] = result;
    }
    return true;
}

/* ---- a whole set ---- */

/* The `together` of that number; null: it is an operation by itself. */
static const struct lin_together *written(const struct lin_spec *lin, uint32_t number)
{
    const struct lin_object *object = lin->program.object;
    return number < object->together_count ? object->togethers[number] : NULL;
}

/* The arguments of the calls, one after the other. */
static bool gather_arguments(const struct lin_spec *lin, const struct spec_together *together,
                             const struct call *const *calls, value *arguments)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < together->count; i++) {
        const uint32_t count = lin->program.operations[together->operations[i]].parameters;
        const value *items =
            count > 1 ? bind_items(calls[i]->argument, count) : &calls[i]->argument;
        if (given + count > MOST_ARGUMENTS)
            return false;
        for (uint32_t j = 0; j < count; j++)
            arguments[given++] = items[j];
    }
    return true;
}

/* Whether the answers agree with what was recorded; `shown` become what is answered. */
static bool agree(const struct lin_spec *lin, const struct call *const *calls, uint32_t count,
                  const value *answers, value *shown, bool *refused)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < count; i++) {
        shown[i] = answers[i];
        if (lin->class.is_open && answers[i] == lin->class.stays_open)
            continue;
        fine = lin_spec_agrees(lin, calls[i], answers[i], refused);
        if (calls[i]->result_known)
            shown[i] = calls[i]->result;
        else if (answers[i] == lin->program.ok)
            shown[i] = VALUE_NIL;
    }
    return fine;
}

static enum ran run_once(struct lin_spec *lin, struct lin_machine *machine, uint32_t number,
                         const uint64_t *variables, const value *arguments,
                         const struct call *const *calls, size_t first, struct outcomes *outcomes)
{
    const struct spec_together *set = &lin->class.togethers[number];
    const struct lin_together *together = written(lin, number);
    const struct code *code =
        together ? &lin->program.togethers[number] : &lin->program.operations[set->operations[0]];
    value answer, shown[LIN_MOST_TOGETHER];
    struct error fault;
    bool refused = false;
    enum ran ran =
        lin_machine_run(machine, code, variables, arguments, calls[0]->process, &answer, &fault);
    if (ran == RAN_INTO_FAULT)
        lin_spec_remember_fault(lin, outcomes->limits, &fault);
    if (ran != RAN_WELL)
        return ran == RAN_BLOCKED ? RAN_WELL : ran;
    const value *answers = set->count > 1 ? bind_items(answer, set->count) : &answer;
    if (!answers) {
        (void)script_error(&lin->script, together->at, &fault,
                           "expected %u answers on every way, found none", set->count);
        lin_spec_remember_fault(lin, outcomes->limits, &fault);
        return RAN_INTO_FAULT;
    }
    if (!agree(lin, calls, set->count, answers, shown, &refused))
        return refused ? RAN_OUT_OF_MEMORY : RAN_WELL;
    size_t length;
    const uint64_t *state = lin_machine_state(machine, &length);
    const value result = value_list(lin->program.pool, shown, set->count);
    return state && result != VALUE_REFUSED &&
                   lin_spec_add_whole(lin, state, length, result, first, outcomes)
               ? RAN_WELL
               : RAN_OUT_OF_MEMORY;
}

bool lin_spec_step_together(const struct spec *spec, uint32_t number, const uint64_t *words,
                            size_t length, const struct call *const *calls,
                            struct outcomes *outcomes)
{
    (void)length;
    struct lin_spec *lin = lin_spec_of(spec);
    value arguments[MOST_ARGUMENTS];
    const size_t first = outcomes->items.length;
    if (!gather_arguments(lin, &lin->class.togethers[number], calls, arguments))
        return false;
    struct lin_machine *machine = lin_spec_borrow(lin, outcomes->limits);
    if (!machine)
        return false;
    enum ran ran;
    uint32_t steps = 0;
    bool goes_on = true;
    lin_machine_restart(machine);
    do {
        ran = run_once(lin, machine, number, words + lin_spec_variables_at(lin, words), arguments,
                       calls, first, outcomes);
        goes_on = lin_spec_goes_on(outcomes, first, &steps);
    } while (ran == RAN_WELL && goes_on && lin_machine_advance(machine));
    lin_spec_give_back(lin, machine);
    return ran == RAN_WELL && goes_on;
}

/* ---- a member at a time ---- */

/* Writes the numbers of the operations that are open once the set of `words`, complete, has
 * answered so: how many there are. */
static size_t find_open(const struct lin_spec *lin, const uint64_t *words, value result,
                        uint64_t *open)
{
    const struct spec_together *set = &lin->class.togethers[words[0] - 1];
    const uint64_t *members = words + members_at(lin, words);
    const value *answers = bind_items(result, set->count);
    size_t count = 0;
    for (uint64_t i = 0; i < words[1]; i++) {
        bool member = false;
        for (uint32_t j = 0; j < set->count; j++)
            member |= members[j * MEMBER_WORDS + MEMBER_NUMBER] == words[2 + i];
        if (!member)
            open[count++] = words[2 + i];
    }
    for (uint32_t j = 0; j < set->count; j++) {
        if (answers[j] != lin->class.stays_open)
            continue;
        const uint64_t number = members[j * MEMBER_WORDS + MEMBER_NUMBER];
        size_t at = count++;
        for (; at > 0 && open[at - 1] > number; at--)
            open[at] = open[at - 1];
        open[at] = number;
    }
    return count;
}

/* Adds a state that a complete set has led to, `made`, with the operations that are open then. */
static bool add_completed(const struct lin_spec *lin, const uint64_t *words, const uint64_t *made,
                          const struct outcome *outcome, value result, struct outcomes *outcomes)
{
    if (!lin->class.is_open)
        return outcomes_add(outcomes, made, outcome->length, result);
    const size_t variables = outcome->length - lin_spec_words_before(lin);
    const size_t room = 2 + words[1] + SPEC_MOST_TOGETHER + variables;
    uint64_t *state = outcomes_add_room(outcomes, room, result);
    if (!state)
        return false;
    state[0] = 0;
    state[1] = find_open(lin, words, outcome->result, state + 2);
    memcpy(state + 2 + state[1], made + lin_spec_words_before(lin), variables * sizeof *state);
    outcomes_shorten(outcomes, 2 + state[1] + variables);
    return true;
}

/* The set of a state is complete: what it leads to. The answer of the call is its own recorded one.
 */
static bool complete_set(const struct spec *spec, const uint64_t *words, size_t length,
                         const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_spec_of(spec);
    const uint32_t number = (uint32_t)words[0] - 1;
    const struct spec_together *together = &lin->class.togethers[number];
    struct call members[LIN_MOST_TOGETHER];
    const struct call *calls[LIN_MOST_TOGETHER];
    struct outcomes made;
    for (uint32_t i = 0; i < together->count; i++) {
        const uint64_t *member = words + members_at(lin, words) + (size_t)i * MEMBER_WORDS;
        members[i] = (struct call){.argument = member[MEMBER_ARGUMENT],
                                   .result = member[MEMBER_RESULT],
                                   .operation = together->operations[i],
                                   .process = call->process, /* of a set of one */
                                   .result_known = member[MEMBER_KNOWN] != 0};
        calls[i] = &members[i];
    }
    outcomes_init(&made, lin->budget);
    made.limits = outcomes->limits;
    bool fine = lin_spec_step_together(spec, number, words, length, calls, &made);
    for (size_t i = 0; fine && i < made.items.length; i++)
        fine = add_completed(lin, words, made.words.items + made.items.items[i].start,
                             &made.items.items[i], call->result_known ? call->result : VALUE_NIL,
                             outcomes);
    outcomes_release(&made);
    return fine;
}

/* The call becomes the member at `seat` of a set, in a state in which others may have begun. */
static bool join_set(const struct spec *spec, const uint64_t *words, size_t length, uint32_t number,
                     uint32_t seat, const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_spec_of(spec);
    const uint32_t count = lin->class.togethers[number].count;
    const size_t first = members_at(lin, words), from = lin_spec_variables_at(lin, words);
    const size_t before = first + (size_t)count * MEMBER_WORDS, room = before + length - from;
    uint64_t *joined = memory_zeroed(lin->budget, room * sizeof *joined);
    if (!joined)
        return false;
    memcpy(joined, words, from * sizeof *joined);
    memcpy(joined + before, words + from, (length - from) * sizeof *joined);
    joined[0] = number + 1;
    uint64_t *member = joined + first + (size_t)seat * MEMBER_WORDS;
    member[MEMBER_BEGUN] = 1;
    member[MEMBER_ARGUMENT] = call->argument;
    member[MEMBER_KNOWN] = call->result_known;
    member[MEMBER_RESULT] = call->result_known ? call->result : VALUE_NIL;
    member[MEMBER_NUMBER] = lin->class.is_open ? call->number : 0;
    bool fine =
        lin_spec_gathered(spec, joined, room) == count
            ? complete_set(spec, joined, room, call, outcomes)
            : outcomes_add(outcomes, joined, room, call->result_known ? call->result : VALUE_NIL);
    memory_release(lin->budget, joined, room * sizeof *joined);
    return fine;
}

/* Whether the call has a seat already in the set that has begun. */
static bool is_seated(const struct lin_spec *lin, const uint64_t *words, const struct call *call)
{
    const size_t end = lin_spec_variables_at(lin, words);
    bool seated = false;
    for (size_t at = members_at(lin, words); lin->class.is_open && at < end; at += MEMBER_WORDS)
        seated |= words[at + MEMBER_BEGUN] && words[at + MEMBER_NUMBER] == call->number;
    return seated;
}

bool lin_spec_join_sets(const struct spec *spec, const uint64_t *words, size_t length,
                        const struct call *call, struct outcomes *outcomes)
{
    const struct lin_spec *lin = lin_spec_of(spec);
    const bool open = spec_is_open(spec, words, length, call->number);
    const size_t first = members_at(lin, words);
    if (is_seated(lin, words, call))
        return true;
    for (uint32_t i = 0; i < lin->class.together_count; i++) {
        const struct spec_together *together = &lin->class.togethers[i];
        if (words[0] && words[0] - 1 != i)
            continue;
        for (uint32_t j = 0; j < together->count; j++) {
            const bool is_free =
                !words[0] || !words[first + (size_t)j * MEMBER_WORDS + MEMBER_BEGUN];
            if (is_free && together->operations[j] == call->operation &&
                together->open[j] == open && !join_set(spec, words, length, i, j, call, outcomes))
                return false;
        }
    }
    return true;
}

/* ---- description ---- */

static bool some_open(const struct lin_object *object)
{
    bool some = false;
    for (uint32_t i = 0; i < object->together_count; i++)
        for (uint32_t j = 0; j < object->togethers[i]->count; j++)
            some |= object->togethers[i]->open[j];
    return some;
}

static enum status describe_set(struct lin_spec *lin, uint32_t count, struct spec_together *set,
                                uint16_t **operations, bool **open)
{
    *operations = arena_allocate(&lin->arena, count * sizeof **operations);
    *open = arena_allocate(&lin->arena, count * sizeof **open);
    *set = (struct spec_together){*operations, *open, count};
    return *operations && *open ? STATUS_OK : STATUS_LIMIT;
}

enum status lin_spec_describe_sets(struct lin_spec *lin)
{
    const struct lin_object *object = lin->program.object;
    const bool spans = some_open(object);
    const uint32_t count = object->together_count + (spans ? object->operation_count : 0);
    struct spec_together *sets = arena_allocate(&lin->arena, count * sizeof *sets);
    TRY_MEMORY(sets);
    for (uint32_t i = 0; i < count; i++) {
        const struct lin_together *together = written(lin, i);
        uint16_t *operations;
        bool *open;
        TRY(describe_set(lin, together ? together->count : 1, &sets[i], &operations, &open));
        for (uint32_t j = 0; j < sets[i].count; j++) {
            operations[j] =
                (uint16_t)(together ? together->numbers[j] : i - object->together_count);
            open[j] = together && together->open[j];
        }
    }
    lin->class.togethers = sets;
    lin->class.together_count = count;
    lin->class.stays_open =
        value_text(lin->program.pool, KIND_SYMBOL, LIN_STAYS_OPEN, strlen(LIN_STAYS_OPEN));
    lin->class.is_open = spans ? is_open : NULL;
    return lin->class.stays_open == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}
