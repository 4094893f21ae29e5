#include "scenario/asked_functions.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/asked.h"
#include "scenario/conversation.h"

struct asked {
    struct spec_class class;
    struct spec_operation operations[SCENARIO_OPERATIONS];
    char names[SCENARIO_OPERATIONS][EXCHANGE_NAME];
    const struct exchange_test *test;
    uint64_t initial[FUNCTIONS_WORDS];
    size_t words, size; /* of a state; in bytes */

    pthread_mutex_t lock; /* of what follows */
    struct conversation *conversation;
    char fault[EXCHANGE_SENTENCE]; /* empty: none so far */
    unsigned char *outcomes;       /* as they come */
    size_t room;
};

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    const struct asked *asked = spec->data;
    (void)key;
    return outcomes_add(state, asked->initial, asked->words, VALUE_NIL);
}

/* ---- asking; the lock is held ---- */

static bool keep_fault(struct asked *asked, uint32_t operation)
{
    const char *how = conversation_close(asked->conversation);
    asked->conversation = NULL;
    snprintf(asked->fault, sizeof asked->fault, "the functions of %s: the step of %s %s%s",
             asked->test->name, asked->test->operations[operation].name,
             how && strchr(how, ' ') && strncmp(how, "does", 4) == 0 ? "" : "crashes: ",
             how ? how : "no answer came");
    return false;
}

static size_t outcome_size(const struct asked *asked)
{
    return sizeof(struct exchange_outcome) + asked->words * sizeof(uint64_t);
}

static bool make_room(struct asked *asked, size_t size)
{
    if (size <= asked->room)
        return true;
    unsigned char *larger = realloc(asked->outcomes, size);
    if (!larger)
        return false;
    asked->outcomes = larger;
    asked->room = size;
    return true;
}

static bool ask(struct asked *asked, const uint64_t *words, const struct exchange_step *step,
                uint32_t *count)
{
    unsigned char question[sizeof *step + sizeof asked->initial];
    struct exchange_outcomes head;
    size_t size = asked->words * sizeof *words;
    if (!asked->conversation)
        return false;
    memcpy(question, step, sizeof *step);
    if (size)
        memcpy(question + sizeof *step, words, size);
    if (!conversation_send(asked->conversation, question, sizeof *step + size) ||
        !conversation_receive(asked->conversation, &head, sizeof head))
        return keep_fault(asked, step->operation);
    *count = head.count;
    if (!make_room(asked, head.count * outcome_size(asked)))
        return false;
    return head.count == 0 ||
           conversation_receive(asked->conversation, asked->outcomes,
                                head.count * outcome_size(asked)) ||
           keep_fault(asked, step->operation);
}

static bool take_outcomes(const struct asked *asked, const struct spec *spec,
                          const struct call *call, uint32_t count, struct outcomes *outcomes)
{
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *at = asked->outcomes + i * outcome_size(asked);
        struct exchange_outcome outcome;
        memcpy(&outcome, at, sizeof outcome);
        value answer = asked_answer(spec->pool, outcome.result);
        if (answer == VALUE_REFUSED)
            return false;
        if (call->result_known && answer != call->result)
            continue;
        uint64_t *words = outcomes_add_room(outcomes, asked->words, answer);
        if (!words)
            return false;
        if (asked->words)
            memcpy(words, at + sizeof outcome, asked->words * sizeof *words);
    }
    return true;
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    struct asked *asked = spec->data;
    const struct exchange_step question = asked_step(call);
    uint32_t count = 0;
    (void)length;
    pthread_mutex_lock(&asked->lock);
    bool done =
        ask(asked, words, &question, &count) && take_outcomes(asked, spec, call, count, outcomes);
    pthread_mutex_unlock(&asked->lock);
    return done;
}

/* For people, who know what they wrote: the bytes. */
static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    enum {
        SHOWN = 16
    };
    const struct asked *asked = spec->data;
    const unsigned char *bytes = (const unsigned char *)words;
    size_t size = asked->size < length * sizeof *words ? asked->size : length * sizeof *words;
    text_append(text, "bytes");
    for (size_t i = 0; i < size && i < SHOWN; i++)
        text_format(text, " %02x", bytes[i]);
    if (size > SHOWN)
        text_append(text, " …");
}

static enum status find_fault(const struct spec *spec, struct error *error)
{
    struct asked *asked = spec->data;
    pthread_mutex_lock(&asked->lock);
    enum status status =
        asked->fault[0] ? error_set(error, STATUS_INPUT, NULL, 0, "%s", asked->fault) : STATUS_OK;
    pthread_mutex_unlock(&asked->lock);
    return status;
}

/* ---- beginning and end ---- */

static void release(struct asked *asked)
{
    if (asked->conversation)
        (void)conversation_close(asked->conversation);
    pthread_mutex_destroy(&asked->lock);
    free(asked->outcomes);
    free(asked);
}

static void destroy(struct spec *spec)
{
    release(spec->data);
}

static enum status begin(struct asked *asked, const char *program, uint32_t number,
                         struct error *error)
{
    const struct exchange_request request = {
        .version = EXCHANGE_VERSION, .kind = REQUEST_STEPS, .test = number};
    struct exchange_functions described;
    asked->conversation = conversation_open(program, &request, error);
    if (!asked->conversation)
        return STATUS_INTERNAL;
    if (!conversation_receive(asked->conversation, &described, sizeof described))
        return error_set(error, STATUS_INPUT, NULL, 0, "the functions of %s: no answer came",
                         asked->test->name);
    if (described.complaint[0])
        return error_set(error, STATUS_USAGE, NULL, 0, "%s", described.complaint);
    asked->words = described.words;
    asked->size = described.size;
    if (asked->words && !conversation_receive(asked->conversation, asked->initial,
                                              asked->words * sizeof *asked->initial))
        return error_set(error, STATUS_INPUT, NULL, 0,
                         "the functions of %s: init crashes or does not return", asked->test->name);
    return STATUS_OK;
}

static void describe(struct asked *asked)
{
    asked->class = (struct spec_class){.name = asked->test->name,
                                       .summary = "functions in C",
                                       .operations = asked->operations,
                                       .operation_count = asked->test->operation_count,
                                       .destroy = destroy,
                                       .init = init,
                                       .step = step,
                                       .print_state = print_state,
                                       .fault = find_fault};
    for (uint32_t i = 0; i < asked->test->operation_count; i++) {
        const struct exchange_operation *operation = &asked->test->operations[i];
        snprintf(asked->names[i], sizeof asked->names[i], "%s", operation->name);
        asked->operations[i] = asked_operation(operation, asked->names[i]);
    }
}

enum status asked_functions_spec(const char *program, uint32_t number,
                                 const struct exchange_test *test, struct value_pool *pool,
                                 struct budget *budget, struct spec **spec, struct error *error)
{
    const struct spec_request request = {.name = ""};
    struct asked *asked = memory_small(sizeof *asked);
    memset(asked, 0, sizeof *asked);
    asked->test = test;
    pthread_mutex_init(&asked->lock, NULL);
    describe(asked);
    enum status status = begin(asked, program, number, error);
    if (status == STATUS_OK)
        status = spec_create_class(&asked->class, &request, asked, pool, budget, spec, error);
    if (status != STATUS_OK)
        release(asked);
    return status;
}
