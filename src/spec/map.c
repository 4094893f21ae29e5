/* A key that holds nil is one that is not there, so nil cannot be put. What is known of revisions
 * (revision.h) is part of the state. Bound results are
 *
 *     get               the value, or {:value v :revision r}
 *     put ... delete    {:revision r}, else not known
 *     cas, put-if-...   {:ok bool} and what of :value, :revision was recorded
 *
 * A get that shows a revision may settle what was open before, so it counts as changing the state.
 */
#include "spec/map.h"

#include <string.h>

#include "spec/bind.h"
#include "spec/revision.h"

static const struct spec_operation operations[] = {
    [MAP_PUT] = {.name = "put", .argument = "[k v]", .result = ""},
    [MAP_GET] = {.name = "get",
                 .argument = "k",
                 .result = "v, nil when missing",
                 .read_only = true},
    [MAP_APPEND] = {.name = "append", .argument = "[k s]", .result = ""},
    [MAP_DELETE] = {.name = "delete", .argument = "k", .result = ""},
    [MAP_CAS] = {.name = "cas", .argument = "[k old new]", .result = "ok: swapped"},
    [MAP_PUT_IF_REVISION] = {.name = "put-if-revision",
                             .argument = "[k revision v]",
                             .result = "ok: put"},
};

static enum status create(struct spec *spec, struct error *error)
{
    struct answer_names *names = memory_allocate(spec->budget, sizeof *names);
    if (!names)
        return bind_refused(error);
    spec->data = names;
    if (!answer_names_create(spec->pool, names)) {
        memory_release(spec->budget, names, sizeof *names);
        return bind_refused(error);
    }
    return STATUS_OK;
}

static void destroy(struct spec *spec)
{
    memory_release(spec->budget, spec->data, sizeof(struct answer_names));
}

static bool takes_key_only(uint16_t operation)
{
    return operation == MAP_GET || operation == MAP_DELETE;
}

static bool is_conditional(uint16_t operation)
{
    return operation == MAP_CAS || operation == MAP_PUT_IF_REVISION;
}

/* {"key": "x", "f": "put", "value": 1} */
static value join_key(const struct spec *spec, uint16_t operation, value key, value argument)
{
    if (takes_key_only(operation))
        return key;
    value joined[3] = {key, argument};
    const value *items = bind_items(argument, 2);
    if (!is_conditional(operation) || !items)
        return value_list(spec->pool, joined, 2);
    memcpy(joined + 1, items, 2 * sizeof *items);
    return value_list(spec->pool, joined, 3);
}

static enum status bind_argument(uint16_t operation, struct call *call, struct text *complaint)
{
    value argument = call->argument;
    if (takes_key_only(operation)) {
        if (argument == VALUE_NIL)
            return bind_complain(complaint, "a key, not nil", argument);
        return STATUS_OK;
    }
    size_t count = is_conditional(operation) ? 3 : 2;
    const value *items = bind_items(argument, count);
    if (!items)
        return bind_complain(complaint, operations[operation].argument, argument);
    if (items[0] == VALUE_NIL)
        return bind_complain(complaint, "a key, not nil, as the first component", argument);
    if (items[count - 1] == VALUE_NIL)
        return bind_complain(complaint, "a value other than nil (which reads as missing)",
                             argument);
    int64_t revision;
    if (operation == MAP_PUT_IF_REVISION &&
        (!value_get_integer(items[1], &revision) || revision < 0 || revision >= REVISION_MAX))
        return bind_complain(complaint, "a revision (an integer from 0) as the second component",
                             argument);
    return STATUS_OK;
}

static void bind_get(const struct spec *spec, struct call *call)
{
    struct answer answer;
    if (spec->nil_reads && call->result == VALUE_NIL)
        call->result_known = false;
    if (!call->result_known || !answer_shows_revision(call->result))
        return;
    answer_parse(call->result, &answer);
    call->read_only = answer.value == VALUE_NIL; /* what is missing stays as it is */
    call->result = answer_bind(spec->pool, spec->data, &answer);
}

static void bind_conditional(const struct spec *spec, const struct recorded *recorded,
                             struct call *call)
{
    struct answer answer = {0};
    if (!recorded->completed)
        return;
    bind_swapped(recorded, call);
    if (!recorded->result_recorded || !answer_parse(recorded->result, &answer))
        answer = (struct answer){0};
    if (!answer.has_ok)
        answer.ok = call->result == VALUE_TRUE;
    answer.has_ok = true;
    answer.has_value = answer.has_value && !answer.ok;
    call->read_only = !answer.ok && !answer.has_value;
    call->result = answer_bind(spec->pool, spec->data, &answer);
}

static void bind_write(const struct spec *spec, struct call *call)
{
    struct answer answer;
    call->result_known = call->result_known && answer_parse(call->result, &answer) &&
                         answer.has_revision && !answer.has_value;
    answer.has_ok = false;
    if (call->result_known)
        call->result = answer_bind(spec->pool, spec->data, &answer);
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    TRY(bind_argument(operation, call, complaint));
    if (operation == MAP_GET)
        bind_get(spec, call);
    else if (is_conditional(operation))
        bind_conditional(spec, recorded, call);
    else
        bind_write(spec, call);
    return call->result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static value key_of(const struct call *call)
{
    return takes_key_only(call->operation) ? call->argument
                                           : value_object(call->argument)->content.items[0];
}

static bool keys(const struct spec *spec, const struct call *call, struct spec_keys *found)
{
    (void)spec;
    return vector_push(&found->items, key_of(call));
}

/* A step in the making. */
struct position {
    const struct spec *spec;
    const uint64_t *words;
    size_t length;
    const struct call *call;
    struct outcomes *outcomes;
    struct cell cell;
};

static bool unchanged(const struct position *at, value result)
{
    return outcomes_add(at->outcomes, at->words, at->length, result);
}

static bool changed(const struct position *at, struct cell cell, value result)
{
    uint64_t *room = outcomes_add_room(at->outcomes, at->length + KEYED_ENTRY, result);
    if (!room)
        return false;
    memcpy(room, at->words, at->length * sizeof *room);
    outcomes_shorten(at->outcomes, keyed_set(at->spec, room, at->length, key_of(at->call), cell));
    return true;
}

static bool step_get(const struct position *at)
{
    const struct call *call = at->call;
    struct cell cell = at->cell;
    if (!call->result_known || call->result == cell.value)
        return unchanged(at, cell.value);
    struct answer answer;
    if (!answer_parse(call->result, &answer) || answer.value != cell.value ||
        !answer.has_revision || !revision_seen(&cell, &answer))
        return true;
    return changed(at, cell, call->result);
}

static bool step_write(const struct position *at, value v)
{
    struct cell cell = at->cell;
    struct answer answer = {0};
    if (at->call->result_known)
        answer_parse(at->call->result, &answer);
    if (!revision_written(&cell, v, &answer))
        return true;
    return changed(at, cell, at->call->result);
}

/* `one` and `other` joined; VALUE_REFUSED. */
static value join_strings(const struct spec *spec, value one, value other)
{
    size_t one_length, other_length;
    const char *one_letters = value_get_text(one, &one_length);
    const char *other_letters = value_get_text(other, &other_length);
    size_t length = one_length + other_length;
    char few[256], *letters = few;
    if (length > sizeof few)
        letters = memory_allocate(spec->budget, length);
    if (!letters)
        return VALUE_REFUSED;
    memcpy(letters, one_letters, one_length);
    memcpy(letters + one_length, other_letters, other_length);
    value joined = value_text(spec->pool, KIND_STRING, letters, length);
    if (letters != few)
        memory_release(spec->budget, letters, length);
    return joined;
}

/* The list with one more item; VALUE_REFUSED. */
static value join_list(const struct spec *spec, value list, value item)
{
    size_t length;
    const value *items = value_get_items(list, &length);
    value *longer = memory_allocate(spec->budget, (length + 1) * sizeof *longer);
    if (!longer)
        return VALUE_REFUSED;
    if (length)
        memcpy(longer, items, length * sizeof *items);
    longer[length] = item;
    value joined = value_list(spec->pool, longer, length + 1);
    memory_release(spec->budget, longer, (length + 1) * sizeof *longer);
    return joined;
}

/* Strings are joined to strings, anything is appended to a list; what is missing becomes the one
 * or the other. Nothing can be appended to other values, nor what is no string to a string. */
static bool step_append(const struct position *at)
{
    value held = at->cell.value, appended = bind_items(at->call->argument, 2)[1], joined;
    enum value_kind kind = value_kind_of(held);
    bool string = value_kind_of(appended) == KIND_STRING;
    if (held == VALUE_NIL)
        joined = string ? appended : value_list(at->spec->pool, &appended, 1);
    else if (kind == KIND_STRING && string)
        joined = join_strings(at->spec, held, appended);
    else if (kind == KIND_LIST)
        joined = join_list(at->spec, held, appended);
    else
        return true;
    return joined != VALUE_REFUSED && step_write(at, joined);
}

/* The outcome of a conditional write that was done, where that is legal. `expected`: the revision
 * that the condition asked for, -1 if none. */
static bool step_done(const struct position *at, int64_t expected, value v,
                      const struct answer *answer, value result)
{
    struct cell cell = at->cell;
    struct answer seen = {.revision = expected, .has_revision = expected > 0};
    if (!revision_seen(&cell, &seen) || !revision_written(&cell, v, answer))
        return true;
    return changed(at, cell, result);
}

/* The outcome of one that was not done. */
static bool step_not_done(const struct position *at, int64_t expected, const struct answer *answer,
                          value result)
{
    struct cell cell = at->cell;
    if (!answer->has_value) {
        bool late = answer->has_revision && answer->revision < (int64_t)(cell.stamp >> 1);
        return late || unchanged(at, result);
    }
    if (answer->value != cell.value || !revision_seen(&cell, answer))
        return true;
    if (expected >= 0 && !revision_may_differ(cell, expected))
        return true;
    return changed(at, cell, result);
}

static bool step_conditional(const struct position *at)
{
    const struct call *call = at->call;
    const value *items = bind_items(call->argument, 3);
    int64_t expected = -1;
    bool may_match, may_differ;
    if (call->operation == MAP_CAS) {
        may_match = at->cell.value == items[1];
        may_differ = !may_match;
    } else {
        value_get_integer(items[1], &expected);
        may_match = revision_may_be(at->cell, expected);
        may_differ = revision_may_differ(at->cell, expected);
    }
    struct answer answer = {0};
    if (!call->result_known)
        return (!may_match || step_done(at, expected, items[2], &answer, VALUE_TRUE)) &&
               (!may_differ || step_not_done(at, expected, &answer, VALUE_FALSE));
    answer_parse(call->result, &answer);
    if (answer.ok)
        return !may_match || step_done(at, expected, items[2], &answer, call->result);
    return !may_differ || step_not_done(at, expected, &answer, call->result);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    struct position at = {.spec = spec,
                          .words = words,
                          .length = length,
                          .call = call,
                          .outcomes = outcomes,
                          .cell = keyed_get(spec, words, length, key_of(call))};
    switch (call->operation) {
    case MAP_GET:
        return step_get(&at);
    case MAP_PUT:
        return step_write(&at, bind_items(call->argument, 2)[1]);
    case MAP_APPEND:
        return step_append(&at);
    case MAP_DELETE:
        return step_write(&at, VALUE_NIL);
    default:
        return step_conditional(&at);
    }
}

/* Most histories say only whether a cas was done. */
static value shown_result(const struct call *call)
{
    bool conditional = call->operation == MAP_CAS || call->operation == MAP_PUT_IF_REVISION;
    return conditional ? answer_shown(call->result) : call->result;
}

const struct spec_class map_class = {
    .name = "map",
    .summary = "keys with a value each",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .takes_nil_reads = true,
    .create = create,
    .destroy = destroy,
    .bind = bind,
    .join_key = join_key,
    .shown_result = shown_result,
    .keys = keys,
    .init = keyed_init,
    .step = step,
    .find_values = keyed_find_values,
    .print_state = keyed_print_state,
};
