/* Any bytes, read as a CSP# model.
 *
 * Whatever the model is, reading it must end with a model or with a message that has a place; and
 * each of its first assertions, decided within narrow limits with and without reductions, must get
 * the same answer both times where neither came to a limit or a fault. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "csp/parser.h"
#include "csp/resolve.h"
#include "verify/csp_assertion.h"

#define MEMORY     ((size_t)8 << 20)
#define LONGEST    20000
#define ASSERTIONS 4
#define STATES     4096
#define TIME       UINT64_C(2000000000) /* nanoseconds, for each decision */

struct fuzz {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct csp_module module;
    struct csp_program program;
    struct value_pool *pool;
};

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_csp: %s: %s\n", what, detail);
    abort();
}

static void check_error(enum status status, const struct error *error)
{
    must(status == STATUS_OK || status == STATUS_INPUT || status == STATUS_LIMIT, "status",
         error->message);
    must(status != STATUS_INPUT || (error->line > 0 && error->message[0]), "refused",
         "without a message that has a place");
}

struct answer {
    enum holds holds; /* UNDECIDED: a limit or a fault */
    int64_t extreme;
};

static struct answer decide(struct fuzz *fuzz, size_t assertion, reductions with)
{
    struct limits limits;
    struct error error = {0};
    struct assertion_result result;
    limits_init(&limits, &fuzz->budget);
    limits.most_work = STATES;
    limits.deadline = clock_nanoseconds() + TIME;
    fuzz->budget.refused = false;
    const struct assertion_options options = {.reductions = with, .limits = &limits};
    assertion_result_init(&result, &fuzz->budget);
    enum status status =
        csp_assertion_decide(&fuzz->program, &fuzz->module.assertions.items[assertion], fuzz->pool,
                             &options, &result, &error);
    check_error(status, &error);
    must(status != STATUS_OK || result.answer != UNDECIDED || result.reason.length > 0, "undecided",
         "without a reason");
    struct answer answer = {UNDECIDED, 0};
    if (status == STATUS_OK && result.limit == LIMIT_NONE)
        answer = (struct answer){result.answer, result.has_extreme ? result.extreme : 0};
    assertion_result_release(&result);
    return answer;
}

/* A fault may be met before or after what is looked for: only answers are compared. */
static void compare(struct fuzz *fuzz, size_t assertion)
{
    struct answer plain = decide(fuzz, assertion, REDUCE_NONE);
    struct answer reduced = decide(fuzz, assertion, REDUCE_DEFAULT);
    if (plain.holds == UNDECIDED || reduced.holds == UNDECIDED)
        return;
    const struct csp_assertion *asked = &fuzz->module.assertions.items[assertion];
    must(plain.holds == reduced.holds && plain.extreme == reduced.extreme,
         "reductions change an answer", fuzz->script.text + asked->at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LONGEST)
        return 0;
    struct fuzz fuzz = {0};
    struct error error = {0};
    budget_init(&fuzz.budget, NULL, MEMORY);
    arena_init(&fuzz.arena, &fuzz.budget);
    fuzz.pool = value_pool_create(&fuzz.budget);
    enum status status =
        script_from_text("fuzz.csp", (const char *)data, size, &fuzz.arena, &fuzz.script, &error);
    if (status == STATUS_OK)
        status = csp_parse(&fuzz.script, &fuzz.arena, &fuzz.module, &error);
    if (status == STATUS_OK)
        status = csp_program_create(&fuzz.module, &fuzz.budget, &fuzz.program, &error);
    check_error(status, &error);
    for (size_t i = 0; status == STATUS_OK && i < fuzz.module.assertions.length; i++)
        if (i < ASSERTIONS)
            compare(&fuzz, i);
    if (fuzz.program.module)
        csp_program_release(&fuzz.program);
    csp_module_release(&fuzz.module);
    arena_release(&fuzz.arena);
    value_pool_destroy(fuzz.pool);
    must(fuzz.budget.used == 0, "memory", "is left");
    return 0;
}
