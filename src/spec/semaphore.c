/* The state is one word: the permits that are free, 0 .. n. */
#include "spec/semaphore.h"

#include "spec/bind.h"

static const struct spec_operation operations[] = {
    [SEMAPHORE_ACQUIRE] = {.name = "acquire", .argument = "", .result = ""},
    [SEMAPHORE_RELEASE] = {.name = "release", .argument = "", .result = ""},
};

static enum status create(struct spec *spec, struct error *error)
{
    if (spec->parameter_count != 1 || spec->parameters[0] < 1)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "semaphore: expected its number of permits, at least 1, as in "
                         "semaphore(3)");
    int64_t permits;
    if (spec->has_initial && (!value_get_integer(spec->initial, &permits) || permits < 0 ||
                              permits > spec->parameters[0]))
        return bind_bad_initial(spec, "the number of free permits, from 0 to its parameter", error);
    return STATUS_OK;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    int64_t permits = spec->parameters[0];
    if (spec->has_initial)
        value_get_integer(spec->initial, &permits);
    uint64_t word = (uint64_t)permits;
    return outcomes_add(state, &word, 1, VALUE_NIL);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)length;
    bool acquire = call->operation == SEMAPHORE_ACQUIRE;
    if (words[0] == (acquire ? 0 : (uint64_t)spec->parameters[0]))
        return true;
    uint64_t after = acquire ? words[0] - 1 : words[0] + 1;
    return outcomes_add(outcomes, &after, 1, VALUE_NIL);
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    (void)length;
    text_format(text, "%llu of %lld free", (unsigned long long)words[0],
                (long long)spec->parameters[0]);
}

static const uint16_t client[] = {SEMAPHORE_ACQUIRE, SEMAPHORE_RELEASE};

const struct spec_class semaphore_class = {
    .name = "semaphore",
    .parameters = "n",
    .summary = "n permits that are taken and given back",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .client = client,
    .client_count = ARRAY_LENGTH(client),
    .create = create,
    .bind = bind_nothing,
    .init = init,
    .step = step,
    .find_values = spec_find_no_values,
    .print_state = print_state,
};
