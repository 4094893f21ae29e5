/* Each thread that steps a specification borrows a machine; those not in use are kept for the next.
 * A fault at run time (an index, an overflow) belongs to no state: it is remembered, the step is
 * refused, and whoever asked for the verdict asks for the fault (class->fault). */
#include "lin/spec.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "lin/check.h"
#include "lin/check_constants.h"
#include "lin/machine.h"
#include "lin/opaque.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "lin/spec_shape.h"
#include "spec/rule_set_spec.h"
#include "value/agree.h"

struct lin_spec {
    struct spec_class class;
    struct budget *budget;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct lin_program program;
    value *parameters;
    struct lin_shape *shapes;
    uint64_t *initial;
    size_t initial_length;
    pthread_mutex_t lock; /* of what follows */
    VECTOR(struct lin_machine *) idle;
    bool has_fault;
    struct error fault;
};

static struct lin_spec *lin_of(const struct spec *spec)
{
    return spec->data;
}

/* ---- running ---- */

static struct lin_machine *borrow(struct lin_spec *lin)
{
    struct lin_machine *machine = NULL;
    pthread_mutex_lock(&lin->lock);
    if (lin->idle.length > 0)
        machine = lin->idle.items[--lin->idle.length];
    pthread_mutex_unlock(&lin->lock);
    return machine ? machine : lin_machine_create(&lin->program, lin->budget);
}

static void give_back(struct lin_spec *lin, struct lin_machine *machine)
{
    pthread_mutex_lock(&lin->lock);
    bool kept = vector_push(&lin->idle, machine);
    pthread_mutex_unlock(&lin->lock);
    if (!kept)
        lin_machine_destroy(machine);
}

static void remember_fault(struct lin_spec *lin, const struct error *fault)
{
    pthread_mutex_lock(&lin->lock);
    if (!lin->has_fault)
        lin->fault = *fault;
    lin->has_fault = true;
    pthread_mutex_unlock(&lin->lock);
}

static enum status find_fault(const struct spec *spec, struct error *error)
{
    struct lin_spec *lin = lin_of(spec);
    pthread_mutex_lock(&lin->lock);
    enum status status = lin->has_fault ? STATUS_INPUT : STATUS_OK;
    if (lin->has_fault && error)
        *error = lin->fault;
    pthread_mutex_unlock(&lin->lock);
    return status;
}

/* Whether the answer `given` agrees with what was recorded. `ok` agrees with anything but another
 * symbol that the operation could have answered. */
static bool agrees(const struct lin_spec *lin, const struct call *call, value given, bool *refused)
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

/* ---- states ----
 *
 * Where operations take effect together, a word stands before the variables: 0, or 1 + the number
 * of a `together` that has begun. Behind that stand four words for each of its members then. */

#define MEMBER_WORDS 4

enum member_word {
    MEMBER_BEGUN,
    MEMBER_ARGUMENT,
    MEMBER_KNOWN, /* its result */
    MEMBER_RESULT,
};

/* Where the variables begin in a state. */
static size_t variables_at(const struct lin_spec *lin, const uint64_t *words)
{
    if (!lin->class.together_count)
        return 0;
    return words[0] ? 1 + lin->class.togethers[words[0] - 1].count * MEMBER_WORDS : 1;
}

static bool is_known(const struct outcomes *outcomes, size_t first, const uint64_t *words,
                     size_t length, size_t before, value result)
{
    for (size_t i = first; i < outcomes->items.length; i++) {
        const struct outcome *other = &outcomes->items.items[i];
        const uint64_t *state = outcomes->words.items + other->start;
        if (other->result == result && other->length == before + length &&
            (before == 0 || state[0] == 0) &&
            memcmp(state + before, words, length * sizeof *words) == 0)
            return true;
    }
    return false;
}

/* Adds a state, the variables in `words`, unless it is there from `first` on. */
static bool add_whole(const struct lin_spec *lin, const uint64_t *words, size_t length,
                      value result, size_t first, struct outcomes *outcomes)
{
    const size_t before = lin->class.together_count ? 1 : 0;
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
        remember_fault(lin, &fault);
    bool refused = false;
    if (ran != RAN_WELL)
        return ran == RAN_BLOCKED ? RAN_WELL : ran;
    if (!agrees(lin, call, result, &refused))
        return refused ? RAN_OUT_OF_MEMORY : RAN_WELL;
    if (call->result_known)
        result = call->result; /* for `ok` and sets it may be another value */
    else if (result == lin->program.ok)
        result = VALUE_NIL;
    size_t length;
    const uint64_t *state = lin_machine_state(machine, &length);
    return state && add_whole(lin, state, length, result, first, outcomes) ? RAN_WELL
                                                                           : RAN_OUT_OF_MEMORY;
}

/* ---- operations that take effect together ---- */

#define MOST_TOGETHER_ARGUMENTS (16 * LIN_MOST_TOGETHER)

static uint32_t lin_gathered(const struct spec *spec, const uint64_t *words, size_t length)
{
    const struct lin_spec *lin = lin_of(spec);
    uint32_t count = 0;
    (void)length;
    for (size_t at = 1; at < variables_at(lin, words); at += MEMBER_WORDS)
        count += words[at + MEMBER_BEGUN] != 0;
    return count;
}

/* The arguments of the calls, one after the other. */
static bool gather_arguments(const struct lin_spec *lin, const struct lin_together *together,
                             const struct call *const *calls, value *arguments)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < together->count; i++) {
        const uint32_t count = lin->program.operations[together->numbers[i]].parameters;
        const value *items =
            count > 1 ? bind_items(calls[i]->argument, count) : &calls[i]->argument;
        if (given + count > MOST_TOGETHER_ARGUMENTS)
            return false;
        for (uint32_t j = 0; j < count; j++)
            arguments[given++] = items[j];
    }
    return true;
}

/* Whether the answers agree with what was recorded; `shown` become what is answered. */
static bool agree(const struct lin_spec *lin, const struct call *const *calls, uint32_t count,
                  value answers, value *shown, bool *refused)
{
    const value *items = bind_items(answers, count);
    bool fine = true;
    for (uint32_t i = 0; fine && i < count; i++) {
        fine = agrees(lin, calls[i], items[i], refused);
        shown[i] = calls[i]->result_known        ? calls[i]->result
                   : items[i] == lin->program.ok ? VALUE_NIL
                                                 : items[i];
    }
    return fine;
}

static enum ran together_once(struct lin_spec *lin, struct lin_machine *machine, uint32_t number,
                              const uint64_t *words, const value *arguments,
                              const struct call *const *calls, size_t first,
                              struct outcomes *outcomes)
{
    const uint32_t count = lin->program.object->togethers[number]->count;
    value answers, shown[LIN_MOST_TOGETHER];
    struct error fault;
    bool refused = false;
    enum ran ran = lin_machine_run(machine, &lin->program.togethers[number], words, arguments, 0,
                                   &answers, &fault);
    if (ran == RAN_INTO_FAULT)
        remember_fault(lin, &fault);
    if (ran != RAN_WELL)
        return ran == RAN_BLOCKED ? RAN_WELL : ran;
    if (!bind_items(answers, count)) {
        (void)script_error(&lin->script, lin->program.object->togethers[number]->at, &fault,
                           "expected %u answers on every way, found none", count);
        remember_fault(lin, &fault);
        return RAN_INTO_FAULT;
    }
    if (!agree(lin, calls, count, answers, shown, &refused))
        return refused ? RAN_OUT_OF_MEMORY : RAN_WELL;
    size_t length;
    const uint64_t *state = lin_machine_state(machine, &length);
    const value result = value_list(lin->program.pool, shown, count);
    return state && result != VALUE_REFUSED &&
                   add_whole(lin, state, length, result, first, outcomes)
               ? RAN_WELL
               : RAN_OUT_OF_MEMORY;
}

static bool lin_step_together(const struct spec *spec, uint32_t number, const uint64_t *words,
                              size_t length, const struct call *const *calls,
                              struct outcomes *outcomes)
{
    (void)length;
    struct lin_spec *lin = lin_of(spec);
    value arguments[MOST_TOGETHER_ARGUMENTS];
    const size_t first = outcomes->items.length;
    if (!gather_arguments(lin, lin->program.object->togethers[number], calls, arguments))
        return false;
    struct lin_machine *machine = borrow(lin);
    if (!machine)
        return false;
    enum ran ran;
    lin_machine_restart(machine);
    do
        ran = together_once(lin, machine, number, words + variables_at(lin, words), arguments,
                            calls, first, outcomes);
    while (ran == RAN_WELL && lin_machine_advance(machine));
    give_back(lin, machine);
    return ran == RAN_WELL;
}

/* The set of a state is complete: what it leads to. The answer of the call is its own recorded one.
 */
static bool complete_set(const struct spec *spec, const uint64_t *words, size_t length,
                         const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_of(spec);
    const uint32_t number = (uint32_t)words[0] - 1;
    const struct spec_together *together = &lin->class.togethers[number];
    struct call members[LIN_MOST_TOGETHER];
    const struct call *calls[LIN_MOST_TOGETHER];
    struct outcomes made;
    for (uint32_t i = 0; i < together->count; i++) {
        const uint64_t *member = words + 1 + i * MEMBER_WORDS;
        members[i] = (struct call){.argument = member[MEMBER_ARGUMENT],
                                   .result = member[MEMBER_RESULT],
                                   .operation = together->operations[i],
                                   .result_known = member[MEMBER_KNOWN] != 0};
        calls[i] = &members[i];
    }
    outcomes_init(&made, lin->budget);
    bool fine = lin_step_together(spec, number, words, length, calls, &made);
    for (size_t i = 0; fine && i < made.items.length; i++)
        fine =
            outcomes_add(outcomes, made.words.items + made.items.items[i].start,
                         made.items.items[i].length, call->result_known ? call->result : VALUE_NIL);
    outcomes_release(&made);
    return fine;
}

/* The call becomes the member at `seat` of a set, in a state in which others may have begun. */
static bool join_set(const struct spec *spec, const uint64_t *words, size_t length, uint32_t number,
                     uint32_t seat, const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_of(spec);
    const uint32_t count = lin->class.togethers[number].count;
    const size_t from = variables_at(lin, words), before = 1 + (size_t)count * MEMBER_WORDS;
    const size_t room = before + length - from;
    uint64_t *joined = memory_zeroed(lin->budget, room * sizeof *joined);
    if (!joined)
        return false;
    memcpy(joined, words, from * sizeof *joined);
    memcpy(joined + before, words + from, (length - from) * sizeof *joined);
    joined[0] = number + 1;
    uint64_t *member = joined + 1 + seat * MEMBER_WORDS;
    member[MEMBER_BEGUN] = 1;
    member[MEMBER_ARGUMENT] = call->argument;
    member[MEMBER_KNOWN] = call->result_known;
    member[MEMBER_RESULT] = call->result_known ? call->result : VALUE_NIL;
    bool fine =
        lin_gathered(spec, joined, room) == count
            ? complete_set(spec, joined, room, call, outcomes)
            : outcomes_add(outcomes, joined, room, call->result_known ? call->result : VALUE_NIL);
    memory_release(lin->budget, joined, room * sizeof *joined);
    return fine;
}

/* All ways in which the call begins a set, or joins the one that has begun. */
static bool join_sets(const struct spec *spec, const uint64_t *words, size_t length,
                      const struct call *call, struct outcomes *outcomes)
{
    const struct lin_spec *lin = lin_of(spec);
    for (uint32_t i = 0; i < lin->class.together_count; i++) {
        const struct spec_together *together = &lin->class.togethers[i];
        if (words[0] && words[0] - 1 != i)
            continue;
        for (uint32_t j = 0; j < together->count; j++) {
            const bool is_free = !words[0] || !words[1 + j * MEMBER_WORDS + MEMBER_BEGUN];
            if (is_free && together->operations[j] == call->operation &&
                !join_set(spec, words, length, i, j, call, outcomes))
                return false;
        }
    }
    return true;
}

static bool lin_step(const struct spec *spec, const uint64_t *words, size_t length,
                     const struct call *call, struct outcomes *outcomes)
{
    struct lin_spec *lin = lin_of(spec);
    if (lin->class.together_count && !join_sets(spec, words, length, call, outcomes))
        return false;
    if (lin->class.together_count && words[0]) /* a set has begun */
        return true;
    words += variables_at(lin, words);
    struct lin_machine *machine = borrow(lin);
    if (!machine)
        return false;
    size_t first = outcomes->items.length;
    enum ran ran;
    lin_machine_restart(machine);
    do
        ran = step_once(lin, machine, words, call, first, outcomes);
    while (ran == RAN_WELL && lin_machine_advance(machine));
    give_back(lin, machine);
    return ran == RAN_WELL;
}

static bool lin_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                       size_t length)
{
    (void)length;
    return lin_rename_state(&lin_of(spec)->program, renaming, words);
}

static bool lin_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    const struct lin_spec *lin = lin_of(spec);
    return add_whole(lin, lin->initial, lin->initial_length, VALUE_NIL, state->items.length, state);
}

static void lin_print(const struct spec *spec, const uint64_t *words, size_t length,
                      struct text *text)
{
    const uint32_t gathered = spec_gathered(spec, words, length);
    lin_print_state(&lin_of(spec)->program, words + variables_at(lin_of(spec), words), text);
    if (gathered)
        text_format(text, " (%u of a set)", gathered);
}

static enum status lin_bind(const struct spec *spec, uint16_t operation,
                            const struct recorded *recorded, struct call *call,
                            struct text *complaint)
{
    return lin_shape_bind(&lin_of(spec)->shapes[operation], recorded, call, complaint);
}

/* ---- creation ---- */

static enum status describe(struct lin_spec *lin, struct error *error)
{
    const struct lin_object *object = lin->program.object;
    uint32_t count = object->operation_count;
    struct spec_operation *rows = arena_allocate(&lin->arena, count * sizeof *rows);
    lin->shapes = arena_allocate(&lin->arena, count * sizeof *lin->shapes);
    if (!rows || !lin->shapes)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        TRY(lin_shape_find(&lin->program, object->operations[i], &lin->arena, &lin->shapes[i],
                           &rows[i], error));
    struct spec_together *togethers =
        arena_allocate(&lin->arena, object->together_count * sizeof *togethers);
    TRY_MEMORY(togethers);
    for (uint32_t i = 0; i < object->together_count; i++) {
        const struct lin_together *together = object->togethers[i];
        uint16_t *members = arena_allocate(&lin->arena, together->count * sizeof *members);
        TRY_MEMORY(members);
        for (uint32_t j = 0; j < together->count; j++)
            members[j] = (uint16_t)together->numbers[j];
        togethers[i] = (struct spec_together){members, together->count};
    }
    lin->class.togethers = togethers;
    lin->class.together_count = object->together_count;
    lin->class.operations = rows;
    lin->class.operation_count = count;
    return STATUS_OK;
}

static void lin_release(struct lin_spec *lin)
{
    for (size_t i = 0; i < lin->idle.length; i++)
        lin_machine_destroy(lin->idle.items[i]);
    vector_release(&lin->idle);
    lin_program_release(&lin->program);
    lin_module_release(&lin->module);
    arena_release(&lin->arena);
    pthread_mutex_destroy(&lin->lock);
    memory_release(lin->budget, lin, sizeof *lin);
}

static void lin_destroy(struct spec *spec)
{
    lin_release(lin_of(spec));
}

/* The initial state: one, and found without a fault. */
static enum status find_initial(struct lin_spec *lin, struct error *error)
{
    struct lin_machine *machine = borrow(lin);
    if (!machine)
        return STATUS_LIMIT;
    value result;
    lin_machine_restart(machine);
    enum ran ran = lin_machine_run(machine, &lin->program.initially, NULL, NULL, 0, &result, error);
    enum status status = ran == RAN_WELL         ? STATUS_OK
                         : ran == RAN_INTO_FAULT ? STATUS_INPUT
                                                 : STATUS_LIMIT;
    const struct lin_object *object = lin->program.object;
    if (ran == RAN_BLOCKED || (ran == RAN_WELL && lin_machine_advance(machine)))
        status = script_error(&lin->script, object->at, error,
                              "expected one initial state of `%s`, found %s", object->name,
                              ran == RAN_BLOCKED ? "none" : "several");
    const uint64_t *words = NULL;
    if (status == STATUS_OK) {
        words = lin_machine_state(machine, &lin->initial_length);
        lin->initial = arena_allocate(&lin->arena, (lin->initial_length + 1) * sizeof *words);
        status = words && lin->initial ? STATUS_OK : STATUS_LIMIT;
    }
    if (status == STATUS_OK && lin->initial_length)
        memcpy(lin->initial, words, lin->initial_length * sizeof *words);
    give_back(lin, machine);
    return status;
}

/* What a name can mean: a specification, or rules, unless a specification has their name. */
struct candidate {
    const struct lin_object *object;
    const struct lin_rules *rules;
    const char *name;
    bool included;
};

/* The candidate with number `i`, specifications first; false: it is none, or no specification. */
static bool candidate_at(const struct lin_spec *lin, size_t i, struct candidate *candidate)
{
    const struct lin_module *module = &lin->module;
    *candidate = (struct candidate){0};
    place at;
    if (i < module->objects.length) {
        candidate->object = module->objects.items[i];
        candidate->name = candidate->object->name;
        at = candidate->object->at;
        if (!candidate->object->is_spec)
            return false;
    } else {
        candidate->rules = module->rules.items[i - module->objects.length];
        candidate->name = candidate->rules->name;
        at = candidate->rules->at;
        if (lin_find_object(module, candidate->name, true))
            return false;
    }
    candidate->included = script_part_at(&lin->script, at) != lin->script.main;
    return true;
}

static size_t candidate_count(const struct lin_spec *lin)
{
    return lin->module.objects.length + lin->module.rules.length;
}

/* Whether the file itself has a specification. */
static bool has_own(const struct lin_spec *lin)
{
    struct candidate candidate;
    for (size_t i = 0; i < candidate_count(lin); i++)
        if (candidate_at(lin, i, &candidate) && !candidate.included)
            return true;
    return false;
}

/* The specification that `reference` names; the only one if it names none. */
static enum status choose(const struct lin_spec *lin, const struct lin_reference *reference,
                          struct candidate *chosen, struct error *error)
{
    struct text names = TEXT_EMPTY;
    struct candidate candidate;
    size_t count = 0;
    *chosen = (struct candidate){0};
    bool own = has_own(lin);
    for (size_t i = 0; i < candidate_count(lin); i++) {
        if (!candidate_at(lin, i, &candidate) || (own && !reference && candidate.included))
            continue;
        text_format(&names, "%s%s", count++ > 0 ? ", " : "", candidate.name);
        if (!reference || strcmp(reference->name, candidate.name) == 0)
            *chosen = candidate;
    }
    enum status status = STATUS_OK;
    if (count == 0)
        status = error_set(error, STATUS_INPUT, lin->script.name, 1,
                           "expected a specification (`spec NAME { ... }`), found none");
    else if (!reference && count > 1)
        status = error_set(error, STATUS_USAGE, NULL, 0,
                           "expected %s:NAME with one of its specifications (%s), found no name",
                           lin->script.name, text_string(&names));
    else if (!chosen->name)
        status =
            error_set(error, STATUS_USAGE, NULL, 0, "expected a specification of %s (%s), found %s",
                      lin->script.name, text_string(&names), reference->name);
    else if (chosen->rules && reference && reference->argument_count > 0)
        status = error_set(error, STATUS_USAGE, NULL, 0,
                           "%s is given by rules: it takes no arguments", chosen->name);
    text_release(&names);
    return status;
}

static enum status create_program(struct lin_spec *lin, const struct lin_object *object,
                                  const struct lin_reference *reference,
                                  const struct spec_request *request, struct value_pool *pool,
                                  struct error *error)
{
    TRY(lin_arguments(&lin->module, object, reference,
                      request->has_initial ? &request->initial : NULL, pool, &lin->parameters,
                      error));
    TRY(lin_compile(&lin->module, object, lin->parameters, pool, &lin->program, error));
    TRY(describe(lin, error));
    lin->class.tells_callers = lin->program.tells_callers;
    if (!object->together_count && lin_leaves_values_opaque(object, lin->parameters))
        lin->class.rename = lin_rename;
    lin->class.name = arena_copy_text(&lin->arena, object->name, strlen(object->name));
    return lin->class.name ? find_initial(lin, error) : STATUS_LIMIT;
}

/* Creates what `text` names. Rules have been copied then, and need no `lin`. */
static enum status create(struct lin_spec *lin, const char *text,
                          const struct spec_request *request, struct value_pool *pool,
                          struct spec **spec, struct error *error)
{
    TRY(lin_parse(&lin->script, &lin->arena, &lin->module, error));
    TRY(lin_check(&lin->module, error));
    struct lin_reference reference;
    if (text)
        TRY(lin_parse_reference(text, &lin->arena, &reference, error));
    if (text)
        checker_take_constants_of(&lin->module, &reference);
    struct candidate chosen;
    TRY(choose(lin, text ? &reference : NULL, &chosen, error));
    struct spec_request inner = {.initial = request->initial, .has_initial = request->has_initial};
    if (chosen.rules)
        return rule_set_spec_create(chosen.rules->set, &inner, pool, lin->budget, spec, error);
    TRY(create_program(lin, chosen.object, text ? &reference : NULL, request, pool, error));
    return spec_create_class(&lin->class, &inner, lin, pool, lin->budget, spec, error);
}

static struct lin_spec *lin_create(struct budget *budget)
{
    struct lin_spec *lin = memory_zeroed(budget, sizeof *lin);
    if (!lin)
        return NULL;
    lin->budget = budget;
    arena_init(&lin->arena, budget);
    vector_init(&lin->idle, budget);
    pthread_mutex_init(&lin->lock, NULL);
    lin->class = (struct spec_class){.summary = "a specification in .lin",
                                     .destroy = lin_destroy,
                                     .bind = lin_bind,
                                     .init = lin_init,
                                     .step = lin_step,
                                     .gathered = lin_gathered,
                                     .step_together = lin_step_together,
                                     .print_state = lin_print,
                                     .fault = find_fault};
    return lin;
}

/* Takes over `lin`, whose script has been read with this status. */
static enum status finish(struct lin_spec *lin, enum status status, const char *reference,
                          const struct spec_request *request, struct value_pool *pool,
                          struct spec **spec, struct error *error)
{
    if (status == STATUS_OK)
        status = create(lin, reference, request, pool, spec, error);
    if (status == STATUS_LIMIT)
        bind_refused(error);
    if (status == STATUS_OK && (*spec)->data == lin)
        return STATUS_OK;
    lin_release(lin);
    return status;
}

enum status lin_spec_from_script(const struct script *script, const char *reference,
                                 const struct spec_request *request, struct value_pool *pool,
                                 struct budget *budget, struct spec **spec, struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    enum status status = script_extend(script, "", &lin->arena, &lin->script, error);
    return finish(lin, status, reference, request, pool, spec, error);
}

enum status lin_spec_from_text(const char *file, const char *text, const char *reference,
                               const struct spec_request *request, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    enum status status =
        script_from_text(file, text, strlen(text), &lin->arena, &lin->script, error);
    return finish(lin, status, reference, request, pool, spec, error);
}

/* Where the file's name ends: behind `.lin`, at the end or before a colon. */
static const char *file_end(const char *name)
{
    for (const char *at = name; (at = strstr(at, ".lin")); at += 4)
        if (at[4] == 0 || at[4] == ':')
            return at + 4;
    return NULL;
}

bool lin_spec_is_named(const char *name)
{
    return file_end(name) != NULL;
}

enum status lin_spec_open(const char *name, const struct spec_request *request,
                          struct value_pool *pool, struct budget *budget, struct spec **spec,
                          struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    const char *end = file_end(name);
    char *path = arena_copy_text(&lin->arena, name, (size_t)(end - name));
    enum status status =
        path ? script_read(path, &lin->arena, NULL, &lin->script, error) : STATUS_LIMIT;
    return finish(lin, status, *end ? end + 1 : NULL, request, pool, spec, error);
}
