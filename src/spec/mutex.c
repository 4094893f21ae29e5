/* The state is one word: 0 when free; when held 1, or with spec->owned 1 + the process that holds
 * it. A mutex is not reentrant. */
#include "spec/mutex.h"

#include "spec/bind.h"

#define FREE UINT64_C(0)

static const struct spec_operation operations[] = {
    [MUTEX_ACQUIRE] = {.name = "acquire", .argument = "", .result = ""},
    [MUTEX_RELEASE] = {.name = "release", .argument = "", .result = ""},
    [MUTEX_TRY_ACQUIRE] = {.name = "try-acquire",
                           .argument = "",
                           .result = "true if acquired",
                           .optional = true},
};

static bool starts_held(const struct spec *spec)
{
    return value_text_is(spec->initial, "held");
}

static enum status create(struct spec *spec, struct error *error)
{
    if (!spec->has_initial || value_text_is(spec->initial, "free"))
        return STATUS_OK;
    if (!starts_held(spec))
        return bind_bad_initial(spec, "free or held", error);
    if (spec->owned)
        return bind_bad_initial(spec, "free (nobody could release it when only its owner may)",
                                error);
    return STATUS_OK;
}

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    uint64_t word = starts_held(spec) ? 1 : FREE;
    return outcomes_add(state, &word, 1, VALUE_NIL);
}

/* Of acquire and release nothing is looked at; of try-acquire whether it answered true or false. */
static enum status bind(const struct spec *spec, uint16_t operation,
                        const struct recorded *recorded, struct call *call, struct text *complaint)
{
    bool answers = operation == MUTEX_TRY_ACQUIRE && call->result_known &&
                   value_kind_of(recorded->result) == KIND_BOOLEAN;
    TRY(bind_nothing(spec, operation, recorded, call, complaint));
    call->result_known = answers;
    call->read_only = answers && recorded->result == VALUE_FALSE;
    return STATUS_OK;
}

static bool step_try(const struct call *call, uint64_t now, uint64_t held,
                     struct outcomes *outcomes)
{
    value answer = value_boolean(now == FREE);
    if (call->result_known && call->result != answer)
        return true;
    return outcomes_add(outcomes, now == FREE ? &held : &now, 1, answer);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    (void)length;
    uint64_t held = spec->owned ? UINT64_C(1) + call->process : 1;
    if (call->operation == MUTEX_TRY_ACQUIRE)
        return step_try(call, words[0], held, outcomes);
    bool acquire = call->operation == MUTEX_ACQUIRE;
    if (words[0] != (acquire ? FREE : held))
        return true;
    uint64_t after = acquire ? held : FREE;
    return outcomes_add(outcomes, &after, 1, VALUE_NIL);
}

static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    (void)spec;
    (void)length;
    text_append(text, words[0] == FREE ? "free" : "held");
}

static const uint16_t client[] = {MUTEX_ACQUIRE, MUTEX_RELEASE};

const struct spec_class mutex_class = {
    .name = "mutex",
    .summary = "a lock that one process holds at a time",
    .operations = operations,
    .operation_count = ARRAY_LENGTH(operations),
    .client = client,
    .client_count = ARRAY_LENGTH(client),
    .takes_owned = true,
    .create = create,
    .bind = bind,
    .init = init,
    .step = step,
    .find_values = spec_find_no_values,
    .print_state = print_state,
};
