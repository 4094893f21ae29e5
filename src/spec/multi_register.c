/* Bound, the argument of a transaction is a list of micro-operations [:read key nil] and
 * [:write key v], and its result the same list with the reads filled in; a read that is not to be
 * checked is [:read key] there. A transaction sees its own writes. */
#include "spec/multi_register.h"

#include <string.h>

#include "spec/bind.h"
#include "spec/keyed.h"

static const struct spec_operation operations[] = {
    [MULTI_REGISTER_TXN] = {.name = "txn",
                            .argument = "[[:read k nil] [:write k v] ...]",
                            .result = "the same, reads filled in"},
    [MULTI_REGISTER_READ] = {.name = "read", .argument = "k", .result = "v", .read_only = true},
    [MULTI_REGISTER_WRITE] = {.name = "write", .argument = "[k v]", .result = ""},
};

/* What spec->data points to. */
struct names {
    value read, write;
};

static enum status create(struct spec *spec, struct error *error)
{
    struct names *names = memory_allocate(spec->budget, sizeof *names);
    if (!names)
        return bind_refused(error);
    names->read = value_text(spec->pool, KIND_KEYWORD, "read", 4);
    names->write = value_text(spec->pool, KIND_KEYWORD, "write", 5);
    spec->data = names;
    if (names->read == VALUE_REFUSED || names->write == VALUE_REFUSED) {
        memory_release(spec->budget, names, sizeof *names);
        return bind_refused(error);
    }
    return STATUS_OK;
}

static void destroy(struct spec *spec)
{
    memory_release(spec->budget, spec->data, sizeof(struct names));
}

/* The micro-operation in its bound form; false if it is none. */
static bool parse_micro(const struct names *names, value micro, value bound[3])
{
    const value *items = bind_items(micro, 3);
    if (!items)
        items = bind_items(micro, 2);
    if (!items || items[1] == VALUE_NIL)
        return false;
    bool whole = bind_items(micro, 3) != NULL;
    bool read = value_text_is(items[0], "read") || value_text_is(items[0], "r");
    bool write = value_text_is(items[0], "write") || value_text_is(items[0], "w");
    bound[0] = read ? names->read : names->write;
    bound[1] = items[1];
    bound[2] = whole ? items[2] : VALUE_NIL;
    return read || (write && whole);
}

#define TRANSACTION "[[:read k nil] [:write k v] ...]"

/* The bound argument, and whether it writes. */
static enum status bind_argument(const struct spec *spec, struct call *call, struct text *complaint)
{
    size_t length;
    const value *items = value_get_items(call->argument, &length);
    if (value_kind_of(call->argument) != KIND_LIST)
        return bind_complain(complaint, TRANSACTION, call->argument);
    VECTOR(value) micros;
    vector_init(&micros, spec->budget);
    enum status status = vector_reserve(&micros, length) ? STATUS_OK : STATUS_LIMIT;
    const struct names *names = spec->data;
    call->read_only = true;
    for (size_t i = 0; status == STATUS_OK && i < length; i++) {
        value bound[3];
        if (!parse_micro(names, items[i], bound)) {
            status = bind_complain(complaint, "[:read k nil] or [:write k v]", items[i]);
            break;
        }
        if (bound[0] == names->read)
            bound[2] = VALUE_NIL;
        else
            call->read_only = false;
        micros.items[micros.length++] = value_list(spec->pool, bound, 3);
    }
    if (status == STATUS_OK) {
        call->argument = value_list(spec->pool, micros.items, micros.length);
        status = call->argument == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    }
    vector_release(&micros);
    return status;
}

/* The bound result: micro-operation for micro-operation that of the argument. */
static enum status bind_result(const struct spec *spec, struct call *call, struct text *complaint)
{
    const char *expected = "the micro-operations of the invocation with the reads filled in";
    size_t length, result_length;
    const value *items = value_get_items(call->argument, &length);
    const value *results = value_get_items(call->result, &result_length);
    if (value_kind_of(call->result) != KIND_LIST || length != result_length)
        return bind_complain(complaint, expected, call->result);
    VECTOR(value) micros;
    vector_init(&micros, spec->budget);
    enum status status = vector_reserve(&micros, length) ? STATUS_OK : STATUS_LIMIT;
    const struct names *names = spec->data;
    for (size_t i = 0; status == STATUS_OK && i < length; i++) {
        const value *asked = bind_items(items[i], 3);
        value bound[3];
        if (!parse_micro(names, results[i], bound) || bound[0] != asked[0] ||
            bound[1] != asked[1]) {
            status = bind_complain(complaint, expected, call->result);
            break;
        }
        bool read = bound[0] == names->read;
        bool unchecked =
            read && (!bind_items(results[i], 3) || (spec->nil_reads && bound[2] == VALUE_NIL));
        micros.items[micros.length++] =
            read ? value_list(spec->pool, bound, unchecked ? 2 : 3) : items[i];
    }
    if (status == STATUS_OK) {
        call->result = value_list(spec->pool, micros.items, micros.length);
        status = call->result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    }
    vector_release(&micros);
    return status;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    const value *items;
    switch (operation) {
    case MULTI_REGISTER_READ:
        if (recorded->argument == VALUE_NIL)
            return bind_complain(complaint, "a key, not nil", recorded->argument);
        if (spec->nil_reads && call->result == VALUE_NIL)
            call->result_known = false;
        return STATUS_OK;
    case MULTI_REGISTER_WRITE:
        items = bind_items(recorded->argument, 2);
        if (!items || items[0] == VALUE_NIL)
            return bind_complain(complaint, "[k v]", recorded->argument);
        bind_no_result(call);
        return STATUS_OK;
    default:
        TRY(bind_argument(spec, call, complaint));
        return call->result_known ? bind_result(spec, call, complaint) : STATUS_OK;
    }
}

static bool keys(const struct spec *spec, const struct call *call, struct spec_keys *found)
{
    (void)spec;
    if (call->operation == MULTI_REGISTER_READ)
        return vector_push(&found->items, call->argument);
    if (call->operation == MULTI_REGISTER_WRITE)
        return vector_push(&found->items, bind_items(call->argument, 2)[0]);
    size_t length;
    const value *items = value_get_items(call->argument, &length);
    for (size_t i = 0; i < length; i++)
        if (!vector_push(&found->items, bind_items(items[i], 3)[1]))
            return false;
    return true;
}

/* What a read of `key` before micro-operation `i` of a transaction sees. */
static value seen_by(const struct spec *spec, const uint64_t *words, size_t length,
                     const value *micros, size_t i, value key)
{
    const struct names *names = spec->data;
    while (i-- > 0) {
        const value *earlier = bind_items(micros[i], 3);
        if (earlier[0] == names->write && earlier[1] == key)
            return earlier[2];
    }
    return keyed_get(spec, words, length, key).value;
}

/* Whether every read of the transaction sees what the known result says. */
static bool reads_agree(const struct spec *spec, const uint64_t *words, size_t length,
                        const struct call *call)
{
    const struct names *names = spec->data;
    size_t count;
    const value *micros = value_get_items(call->argument, &count);
    const value *results = value_get_items(call->result, &count);
    for (size_t i = 0; i < count; i++) {
        const value *answered = bind_items(results[i], 3);
        if (answered && answered[0] == names->read &&
            answered[2] != seen_by(spec, words, length, micros, i, answered[1]))
            return false;
    }
    return true;
}

/* The transaction's answer where it is not known; VALUE_REFUSED. */
static value fill_in(const struct spec *spec, const uint64_t *words, size_t length, value argument)
{
    const struct names *names = spec->data;
    size_t count;
    const value *micros = value_get_items(argument, &count);
    VECTOR(value) filled;
    vector_init(&filled, spec->budget);
    if (!vector_reserve(&filled, count))
        return VALUE_REFUSED;
    for (size_t i = 0; i < count; i++) {
        const value *micro = bind_items(micros[i], 3);
        value bound[3] = {micro[0], micro[1], micro[2]};
        if (micro[0] == names->read)
            bound[2] = seen_by(spec, words, length, micros, i, micro[1]);
        filled.items[filled.length++] = value_list(spec->pool, bound, 3);
    }
    value result = value_list(spec->pool, filled.items, filled.length);
    vector_release(&filled);
    return result;
}

static bool step_transaction(const struct spec *spec, const uint64_t *words, size_t length,
                             const struct call *call, struct outcomes *outcomes)
{
    if (call->result_known && !reads_agree(spec, words, length, call))
        return true;
    value result = call->result;
    if (!call->result_known)
        result = fill_in(spec, words, length, call->argument);
    if (result == VALUE_REFUSED)
        return false;
    const struct names *names = spec->data;
    size_t count, after = length;
    const value *micros = value_get_items(call->argument, &count);
    uint64_t *room = outcomes_add_room(outcomes, length + KEYED_ENTRY * count, result);
    if (!room)
        return false;
    memcpy(room, words, length * sizeof *words);
    for (size_t i = 0; i < count; i++) {
        const value *micro = bind_items(micros[i], 3);
        if (micro[0] == names->write)
            after = keyed_set(spec, room, after, micro[1], (struct cell){.value = micro[2]});
    }
    outcomes_shorten(outcomes, after);
    return true;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    if (call->operation == MULTI_REGISTER_TXN)
        return step_transaction(spec, words, length, call, outcomes);
    if (call->operation == MULTI_REGISTER_READ) {
        value held = keyed_get(spec, words, length, call->argument).value;
        if (call->result_known && call->result != held)
            return true;
        return outcomes_add(outcomes, words, length, held);
    }
    const value *items = bind_items(call->argument, 2);
    uint64_t *room = outcomes_add_room(outcomes, length + KEYED_ENTRY, VALUE_NIL);
    if (!room)
        return false;
    memcpy(room, words, length * sizeof *words);
    struct cell cell = {.value = items[1]};
    outcomes_shorten(outcomes, keyed_set(spec, room, length, items[0], cell));
    return true;
}

const struct spec_class multi_register_class = {
    .name = "multi-register",
    .summary = "several registers, read and written in transactions",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .takes_nil_reads = true,
    .create = create,
    .destroy = destroy,
    .bind = bind,
    .keys = keys,
    .init = keyed_init,
    .step = step,
    .find_values = keyed_find_values,
    .print_state = keyed_print_state,
};
