#include "stress/answers.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/describe.h"
#include "stress/alone.h"
#include "stress/channel.h"

enum {
    FAILED = 2,
    NO_MEMORY = 70
};

static int list(const lp_test *tests, size_t count)
{
    const struct exchange_list head = {EXCHANGE_VERSION, (uint32_t)count};
    channel_answer(&head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        struct exchange_test described;
        describe_test(&tests[i], &described);
        channel_answer(&described, sizeof described);
    }
    return 0;
}

/* ---- the steps of a specification ---- */

struct stepping {
    const lp_test *test;
    struct exchange_functions described;
    unsigned char *answer; /* with room for the outcomes of every choice */
    size_t length;
};

static unsigned most_choices(const lp_test *test)
{
    return test->sequential->choices ? test->sequential->choices : 1;
}

static void append(struct stepping *stepping, const void *bytes, size_t size)
{
    if (size)
        memcpy(stepping->answer + stepping->length, bytes, size);
    stepping->length += size;
}

static void take_step(struct stepping *stepping, const struct exchange_step *asked,
                      const uint64_t *words)
{
    uint64_t now[FUNCTIONS_WORDS];
    struct exchange_outcomes head = {0};
    size_t size = stepping->described.words * sizeof *now;
    lp_sequential_call call = {.operation = asked->operation,
                               .name = stepping->test->ops[asked->operation].name,
                               .argument = (lp_int)asked->argument,
                               .second = (lp_int)asked->second,
                               .third = (lp_int)asked->third};
    stepping->length = 0;
    append(stepping, &head, sizeof head);
    for (; call.choice < most_choices(stepping->test); call.choice++) {
        lp_int result = LP_DONE;
        memcpy(now, words, sizeof now);
        if (!stepping->test->sequential->step(now, &call, &result))
            continue;
        const struct exchange_outcome outcome = {.result = result};
        append(stepping, &outcome, sizeof outcome);
        append(stepping, now, size);
        head.count++;
    }
    memcpy(stepping->answer, &head, sizeof head);
    channel_answer(stepping->answer, stepping->length);
}

static int answer_steps(const lp_test *test)
{
    struct stepping stepping = {.test = test};
    struct exchange_step asked;
    uint64_t words[FUNCTIONS_WORDS] = {0};
    describe_functions(test, &stepping.described);
    channel_answer(&stepping.described, sizeof stepping.described);
    if (stepping.described.complaint[0])
        return 0;
    if (test->sequential->init)
        test->sequential->init(words);
    size_t size = stepping.described.words * sizeof *words;
    channel_answer(words, size);
    stepping.answer = malloc(sizeof(struct exchange_outcomes) +
                             most_choices(test) * (sizeof(struct exchange_outcome) + size));
    if (!stepping.answer)
        return NO_MEMORY;
    while (channel_read(EXCHANGE_REQUESTS, &asked, sizeof asked) &&
           channel_read(EXCHANGE_REQUESTS, words, size))
        take_step(&stepping, &asked, words);
    free(stepping.answer);
    return 0;
}

int answer_request(const lp_test *tests, size_t count)
{
    struct exchange_request request;
    if (!channel_read(EXCHANGE_REQUESTS, &request, sizeof request))
        return FAILED;
    if (request.kind == REQUEST_ALONE)
        return request.test < count ? alone_answer(&tests[request.test]) : FAILED;
    if (request.kind != REQUEST_STEPS)
        return list(tests, count);
    if (request.test >= count || !tests[request.test].sequential)
        return FAILED;
    return answer_steps(&tests[request.test]);
}
