/* The count is exact: a history may add up to more than 64 bits. The state is one word while the
 * count fits 64 bits, else two, the lower half first. Sums of the 2^30 operations that a history
 * can have are below 2^94, far from 128 bits. */
#include "spec/counter.h"

#include "spec/bind.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;

static const struct spec_operation operations[] = {
    [COUNTER_ADD] = {.name = "add", .argument = "n", .result = ""},
    [COUNTER_INC] = {.name = "inc", .argument = "", .result = ""},
    [COUNTER_READ] = {.name = "read", .argument = "", .result = "n", .read_only = true},
};

static bool is_integer(value v)
{
    int64_t integer;
    return value_get_integer(v, &integer);
}

static enum status create(struct spec *spec, struct error *error)
{
    if (spec->has_initial && !is_integer(spec->initial))
        return bind_bad_initial(spec, "an integer", error);
    return STATUS_OK;
}

static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    (void)spec;
    switch (operation) {
    case COUNTER_ADD:
        if (!is_integer(recorded->argument))
            return bind_complain(complaint, "an integer of 64 bits", recorded->argument);
        bind_no_result(call);
        return STATUS_OK;
    case COUNTER_INC:
        if (recorded->argument != VALUE_NIL)
            return bind_complain(complaint, "no argument (it adds 1)", recorded->argument);
        bind_no_result(call);
        return STATUS_OK;
    default:
        bind_answer(recorded, call);
        if (call->result_known && !is_integer(call->result))
            return bind_complain(complaint, "an integer of 64 bits as result", call->result);
        return STATUS_OK;
    }
}

static wide load(const uint64_t *words, size_t length)
{
    if (length == 1)
        return (int64_t)words[0];
    return (wide)((wide_unsigned)words[1] << 64 | words[0]);
}

static bool fits_64_bits(wide count)
{
    return count >= INT64_MIN && count <= INT64_MAX;
}

static bool store(struct outcomes *outcomes, wide count, value result)
{
    uint64_t words[2] = {(uint64_t)count, (uint64_t)((wide_unsigned)count >> 64)};
    return outcomes_add(outcomes, words, fits_64_bits(count) ? 1 : 2, result);
}

void counter_print_count(wide count, struct text *text)
{
    char digits[48], *at = digits + sizeof digits;
    wide_unsigned rest = count < 0 ? -(wide_unsigned)count : (wide_unsigned)count;
    *--at = 0;
    do {
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (count < 0)
        *--at = '-';
    text_append(text, at);
}

/* As readers have it: what does not fit an integer is a symbol of its digits. */
static value count_value(const struct spec *spec, wide count)
{
    if (fits_64_bits(count))
        return value_integer(spec->pool, (int64_t)count);
    struct text digits = TEXT_EMPTY;
    counter_print_count(count, &digits);
    value symbol = value_text(spec->pool, KIND_SYMBOL, digits.bytes, digits.length);
    text_release(&digits);
    return symbol;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    int64_t count = 0;
    if (spec->has_initial)
        value_get_integer(spec->initial, &count);
    return store(state, count, VALUE_NIL);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    wide count = load(words, length);
    int64_t number = 1;
    if (call->operation == COUNTER_READ) {
        if (call->result_known && (!value_get_integer(call->result, &number) || number != count))
            return true;
        value result = call->result_known ? call->result : count_value(spec, count);
        return result != VALUE_REFUSED && outcomes_add(outcomes, words, length, result);
    }
    if (call->operation == COUNTER_ADD)
        value_get_integer(call->argument, &number);
    return store(outcomes, count + number, VALUE_NIL);
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    (void)spec;
    counter_print_count(load(words, length), text);
}

const struct spec_class counter_class = {
    .name = "counter",
    .summary = "a number that is added to and read",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .create = create,
    .bind = bind,
    .init = init,
    .step = step,
    .find_values = spec_find_no_values,
    .print_state = print_state,
};
