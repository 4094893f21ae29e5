/* Running a test of real code: its scenarios one by one, several at once, each in a process of its
 * own. They are begun in their order; of those that are violated or cut off the first counts. */
#include <pthread.h>
#include <string.h>

#include "api/require.h"
#include "api/tested.h"
#include "base/parallel.h"

struct run {
    struct testing *testing;
    const lp_test_options *options;
    struct limits limits; /* of all scenarios */
    size_t test;
    unsigned jobs;
    pthread_mutex_t lock;
    struct scenario_walk walk;
    bool given; /* there is one scenario, which is in `first` */
    size_t begun;
    struct scenario first;
    VECTOR(struct tried) tried; /* by the number of the scenario */
    bool stopped;               /* no more are begun */
    size_t last;                /* the one that counts, where there is one: */
    struct scenario scenario;
    struct exchange_result *result;
    enum status status; /* of it */
    struct error error;
};

/* ---- one scenario ---- */

static enum status explore(struct run *run, const struct scenario *scenario,
                           struct exchange_result *result, struct error *error)
{
    const lp_program *program = run->testing->program;
    enum {
        ONE_IN = 100
    };
    double seconds = run->options->timeout;
    struct exchange_request request = {.version = EXCHANGE_VERSION,
                                       .kind = REQUEST_EXPLORE,
                                       .test = (uint32_t)run->test,
                                       .model = (uint32_t)run->options->model,
                                       .scenario = *scenario,
                                       .seconds = seconds,
                                       .memory = budget_left(run->limits.budget) / run->jobs,
                                       .repeat_one_in = ONE_IN};
    if (request.memory == SIZE_MAX / run->jobs)
        request.memory = 0;
    TRY(conversation_run(text_string(&program->path), &request, NULL, &run->limits, result, error));
    if (result->end != END_FINDING)
        return STATUS_OK;
    /* Once more, in another process: what was found must be found there. */
    struct exchange_result *again = memory_allocate(run->limits.budget, sizeof *again);
    if (!again)
        return STATUS_LIMIT;
    request.kind = REQUEST_CONFIRM;
    enum status status = conversation_run(text_string(&program->path), &request, &result->graph,
                                          &run->limits, again, error);
    if (status == STATUS_OK &&
        (again->end != END_FINDING || again->finding.kind != result->finding.kind))
        result->end = END_DIFFERS;
    memory_release(run->limits.budget, again, sizeof *again);
    return status;
}

/* Takes the next scenario; false when there is none, or no more is to be begun. */
static bool take(struct run *run, struct scenario *scenario, size_t *number)
{
    pthread_mutex_lock(&run->lock);
    bool taken = !run->stopped;
    if (taken && run->given) {
        *scenario = run->first;
        run->stopped = true;
    } else if (taken) {
        taken = scenario_walk_next(&run->walk, scenario);
        run->stopped = !taken; /* the walk is not asked again behind its end */
    }
    *number = run->begun;
    if (taken && !vector_push(&run->tried, (struct tried){0}))
        taken = false;
    run->begun += taken;
    pthread_mutex_unlock(&run->lock);
    return taken;
}

static void note(struct run *run, size_t number, const struct scenario *scenario,
                 enum status status, const struct exchange_result *result,
                 const struct error *error)
{
    pthread_mutex_lock(&run->lock);
    run->tried.items[number] =
        (struct tried){result->executions, result->blocked, result->hanging, result->histories};
    if ((status != STATUS_OK || result->end != END_COMPLETE) && number < run->last) {
        run->stopped = true;
        run->last = number;
        run->scenario = *scenario;
        *run->result = *result;
        run->status = status;
        run->error = *error;
    }
    pthread_mutex_unlock(&run->lock);
}

static void work(void *context, size_t i, unsigned worker)
{
    struct run *run = context;
    struct scenario scenario;
    size_t number;
    struct exchange_result *result = memory_allocate(run->limits.budget, sizeof *result);
    (void)i;
    (void)worker;
    while (result && take(run, &scenario, &number)) {
        struct error error = {0};
        memset(result, 0, offsetof(struct exchange_result, graph));
        enum status status = explore(run, &scenario, result, &error);
        note(run, number, &scenario, status, result, &error);
    }
    memory_release(run->limits.budget, result, sizeof *result);
}

/* ---- all of them ---- */

static enum status find_scenarios(struct run *run, struct error *error)
{
    struct testing *testing = run->testing;
    for (uint32_t i = 0; i < testing->test->operation_count; i++) {
        const struct exchange_operation *operation = &testing->test->operations[i];
        testing->operations[i] = (struct scenario_operation){.name = operation->name,
                                                             .from = operation->from,
                                                             .to = operation->to,
                                                             .only_thread = operation->only_thread};
    }
    testing->interface = (struct scenario_interface){.operations = testing->operations,
                                                     .count = testing->test->operation_count};
    run->given = run->options->scenario != NULL;
    if (testing->test->operation_count == 0)
        return error_set(error, STATUS_USAGE, NULL, 0, "test %s has no operations",
                         testing->test->name);
    if (run->given)
        return scenario_parse(run->options->scenario, &testing->interface, &run->first, error);
    return scenario_walk_init(&run->walk, &testing->interface, &scenarios_promised, NULL, error);
}

static void sum(struct run *run)
{
    lp_tested *visible = &run->testing->visible;
    for (size_t i = 0; i < run->tried.length && i <= run->last; i++) {
        visible->scenarios++;
        visible->executions += run->tried.items[i].executions;
        visible->blocked += run->tried.items[i].blocked;
        visible->hanging += run->tried.items[i].hanging;
        visible->histories += run->tried.items[i].histories;
    }
}

static enum status run_scenarios(struct run *run, struct error *error)
{
    TRY(find_scenarios(run, error));
    run->last = SIZE_MAX;
    parallel_for(run->jobs, run->jobs, work, run);
    sum(run);
    if (run->last == SIZE_MAX)
        return tested_tell_holds(run->testing, !run->given);
    if (run->status == STATUS_LIMIT) { /* before the program answered */
        run->result->end = END_TIME;
        if (limits_which(&run->limits) == LIMIT_MEMORY)
            run->result->end = END_MEMORY;
        run->testing->visible.limit = (lp_limit)limits_which(&run->limits);
    } else if (run->status != STATUS_OK) {
        *error = run->error;
        return run->status;
    }
    return tested_tell(run->testing, &run->scenario, run->result, error);
}

static enum status open_and_run(struct testing *testing, size_t test,
                                const lp_test_options *options, struct error *error)
{
    lp_context *context = testing->program->context;
    struct run run = {
        .testing = testing, .options = options, .test = test, .jobs = threads_for(options->jobs)};
    limits_for(&run.limits, context, &context->budget, options->total_timeout);
    vector_init(&run.tried, &context->budget);
    run.result = memory_zeroed(&context->budget, sizeof *run.result);
    if (!run.result)
        return STATUS_LIMIT;
    pthread_mutex_init(&run.lock, NULL);
    enum status status = run_scenarios(&run, error);
    pthread_mutex_destroy(&run.lock);
    vector_release(&run.tried);
    memory_release(&context->budget, run.result, sizeof *run.result);
    return status;
}

lp_status lp_program_run(lp_context *context, const lp_program *program, size_t test,
                         const lp_test_options *options, lp_tested **tested, lp_error *error)
{
    static const lp_test_options defaults = {.model = LP_MEMORY_RC11};
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    REQUIRE_NOT_NULL(tested);
    REQUIRE(test < program->tests.items.length, "there is no such test");
    struct error fault = {0};
    enum status status = STATUS_LIMIT;
    struct testing *testing = memory_zeroed(&context->budget, sizeof *testing);
    *tested = NULL;
    if (testing) {
        testing->magic = TESTED_MAGIC;
        testing->program = program;
        testing->test = &program->tests.items.items[test];
        testing->model = (options ? options : &defaults)->model;
        testing->started = clock_nanoseconds();
        arena_init(&testing->arena, &context->budget);
        status = open_and_run(testing, test, options ? options : &defaults, &fault);
        testing->visible.seconds = seconds_since(testing->started);
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    if (status == STATUS_OK)
        *tested = &testing->visible;
    else if (testing)
        lp_tested_destroy(&testing->visible);
    return report_status(status, &fault, error);
}

void lp_tested_destroy(lp_tested *tested)
{
    if (!tested)
        return;
    struct testing *testing = (struct testing *)tested;
    REQUIRE_ALIVE(testing, TESTED_MAGIC);
    testing->magic = 0;
    arena_release(&testing->arena);
    memory_release(&testing->program->context->budget, testing, sizeof *testing);
}
