/* Running a test of real code: its scenarios one by one, several at once, each in a process of its
 * own. They are begun in their order: those of the promised set first, then, if there is time,
 * larger ones. Of those that are violated the first counts. */
#include <pthread.h>
#include <string.h>

#include "api/tested_explore.h"
#include "api/tested_smaller.h"
#include "api/tested_words.h"
#include "base/parallel.h"
#include "base/require.h"

/* A scenario whose outcome is told, and how it ended. */
struct kept {
    size_t number; /* SIZE_MAX: there is none */
    struct scenario scenario;
    struct exchange_result *result;
    enum status status;
    struct error error;
};

/* What became of a scenario. */
struct tried {
    uint64_t executions, blocked, hanging, waiting_behind, histories;
    unsigned calls;
    bool is_larger, /* than those of the promised set */
        cut_off,    /* not decided, for whatever reason */
        left_out;   /* no order of its calls is legal */
};

struct run {
    struct testing *testing;
    const lp_test_options *options;
    struct limits larger_limits; /* of those that are larger than promised */
    pthread_mutex_t lock;
    struct scenario_walk walk;
    bool larger;                /* the walk is through those that are */
    struct scenario first;      /* that is given */
    VECTOR(struct tried) tried; /* by the number of the scenario */
    uint64_t executions;        /* so far */
    bool stopped;               /* no more are begun */
    atomic_bool starved;        /* memory was refused for some of them */
    struct kept last;           /* behind which nothing counts: a violation, or what would come of
                                   others, too */
    struct kept cut_off;        /* the first of the promised set that is */
};

/* ---- one scenario ---- */

/* From the promised set to the larger ones, if there is time for them; false: there is none. */
static bool begin_larger(struct run *run)
{
    struct error error;
    if (run->larger || run->options->larger_timeout <= 0 || run->cut_off.number != SIZE_MAX ||
        limits_reached(&run->larger_limits) != LIMIT_NONE ||
        scenario_walk_init(&run->walk, &run->testing->interface.interface, &scenarios_larger,
                           &run->testing->bounds, &error) != STATUS_OK)
        return false;
    run->walk.limits = &run->larger_limits;
    run->larger = true;
    return true;
}

static bool walk_on(struct run *run, struct scenario *scenario)
{
    return scenario_walk_next(&run->walk, scenario) ||
           (begin_larger(run) && scenario_walk_next(&run->walk, scenario));
}

static bool find_next(struct run *run, struct scenario *scenario)
{
    enum {
        LOOK_AFTER = 1024
    };
    bool found;
    if (run->testing->given) {
        *scenario = run->first;
        run->stopped = true;
        return true;
    }
    const struct limits *limits = run->larger ? &run->larger_limits : &run->testing->limits;
    if (run->larger && limits_reached(limits) != LIMIT_NONE)
        return false;
    while ((found = walk_on(run, scenario)) && testing_breaks_contract(run->testing, scenario))
        if (++run->testing->visible.left_out % LOOK_AFTER == 0 &&
            limits_reached(limits) != LIMIT_NONE) {
            run->walk.is_cut_off = true;
            return false;
        }
    return found;
}

static void show_progress(const struct run *run)
{
    const struct testing *testing = run->testing;
    if (!run->options->progress)
        return;
    const lp_test_progress now = {.scenarios = run->tried.length,
                                  .calls = run->walk.scenario.call_count,
                                  .threads = run->walk.scenario.thread_count,
                                  .executions = run->executions,
                                  .is_larger = run->larger,
                                  .memory = atomic_load(&run->testing->limits.budget->used),
                                  .seconds = seconds_since(testing->started)};
    run->options->progress(run->options->progress_user, &now);
}

/* Takes the next scenario; false when there is none, or no more is to be begun. */
static bool take(struct run *run, struct scenario *scenario, size_t *number, bool *is_larger)
{
    pthread_mutex_lock(&run->lock);
    bool taken = !run->stopped && find_next(run, scenario);
    run->stopped |= !taken;
    *number = run->tried.length;
    *is_larger = run->larger;
    if (taken && !vector_push(&run->tried, ((struct tried){.calls = scenario->call_count,
                                                           .is_larger = run->larger}))) {
        run->starved = true;
        taken = false;
    }
    if (taken)
        show_progress(run);
    pthread_mutex_unlock(&run->lock);
    return taken;
}

static void keep(struct kept *kept, size_t number, const struct scenario *scenario,
                 enum status status, const struct exchange_result *result,
                 const struct error *error)
{
    if (number >= kept->number)
        return;
    kept->number = number;
    kept->scenario = *scenario;
    *kept->result = *result;
    kept->status = status;
    kept->error = *error;
}

/* Whether a scenario that was not decided says nothing of others. */
static bool others_may_be_decided(enum status status, const struct exchange_result *result)
{
    return status == STATUS_OK && (result->end == END_TIME || result->end == END_TOO_LARGE ||
                                   result->end == END_ENDLESS || result->end == END_UNDECIDED);
}

static void note(struct run *run, size_t number, const struct scenario *scenario,
                 enum status status, const struct exchange_result *result,
                 const struct error *error)
{
    pthread_mutex_lock(&run->lock);
    struct tried *tried = &run->tried.items[number];
    bool decided =
        status == STATUS_OK &&
        (result->end == END_COMPLETE || result->end == END_FINDING || result->end == END_LEFT_OUT);
    tried->executions = result->executions;
    tried->blocked = result->blocked;
    tried->hanging = result->hanging;
    tried->waiting_behind = result->waiting_behind;
    tried->histories = result->histories;
    run->executions += result->executions;
    run->testing->visible.repeated += result->repeated;
    run->testing->met_twice += result->twice;
    run->testing->misses_rounds |= result->misses_rounds;
    testing_merge_relaxed(run->testing, result);
    tried->cut_off = !decided;
    tried->left_out = decided && result->end == END_LEFT_OUT;
    if (run->testing->given)
        run->testing->is_out_of_contract = result->breaks_contract;
    if (decided && result->end == END_FINDING) {
        keep(&run->last, number, scenario, status, result, error);
        run->stopped = true;
    } else if (!decided && (status == STATUS_OK || status == STATUS_LIMIT) && tried->is_larger) {
        run->stopped |= status == STATUS_LIMIT;
    } else if (!decided && others_may_be_decided(status, result)) {
        keep(&run->cut_off, number, scenario, status, result, error);
    } else if (!decided) {
        keep(status == STATUS_LIMIT ? &run->cut_off : &run->last, number, scenario, status, result,
             error);
        run->stopped = true;
    }
    pthread_mutex_unlock(&run->lock);
}

static void work(void *context, size_t i, unsigned worker)
{
    struct run *run = context;
    struct scenario scenario;
    size_t number;
    bool is_larger;
    struct conversation *kept = NULL;
    struct exchange_result *result = memory_allocate(run->testing->limits.budget, sizeof *result);
    (void)i;
    (void)worker;
    if (!result)
        run->starved = true;
    while (result && take(run, &scenario, &number, &is_larger)) {
        struct error error = {0};
        const struct explore_request request = {.scenario = scenario,
                                                .model = run->testing->model,
                                                .leaves_out = !run->testing->given,
                                                .limits = is_larger ? &run->larger_limits : NULL,
                                                .kept = run->testing->checks_all ? NULL : &kept};
        memset(result, 0, offsetof(struct exchange_result, graph));
        enum status status = tested_explore(run->testing, &request, result, &error);
        note(run, number, &scenario, status, result, &error);
    }
    if (kept)
        (void)conversation_close(kept);
    memory_release(run->testing->limits.budget, result, sizeof *result);
}

/* ---- all of them ---- */

static enum status find_scenarios(struct run *run, struct error *error)
{
    struct testing *testing = run->testing;
    const lp_test_options *options = run->options;
    TRY(test_interface_init(&testing->interface, testing->test, error));
    testing_find_contract(testing);
    testing->given = options->scenario != NULL;
    if (testing->given)
        return scenario_parse(options->scenario, &testing->interface.interface, &run->first, error);
    testing->bounds = options->threads || options->operations
                          ? scenario_bounds_asked(options->threads, options->operations)
                          : scenarios_promised;
    TRY(scenario_walk_init(&run->walk, &testing->interface.interface, &testing->bounds, NULL,
                           error));
    run->walk.limits = &run->testing->limits;
    return STATUS_OK;
}

static void sum(struct run *run)
{
    lp_tested *visible = &run->testing->visible;
    for (size_t i = 0; i < run->tried.length && i <= run->last.number; i++) {
        const struct tried *tried = &run->tried.items[i];
        visible->scenarios += !tried->is_larger && !tried->left_out;
        visible->larger += tried->is_larger && !tried->left_out;
        visible->left_out += tried->left_out;
        visible->larger_cut_off += tried->is_larger && tried->cut_off;
        visible->executions += tried->executions;
        visible->blocked += tried->blocked;
        visible->hanging += tried->hanging;
        visible->waiting_behind += tried->waiting_behind;
        visible->histories += tried->histories;
    }
}

/* With how many calls all of the promised set were gone through. */
static unsigned find_covered(const struct run *run)
{
    unsigned calls = run->walk.scenario.call_count;
    for (size_t i = 0; i < run->tried.length; i++)
        if (run->tried.items[i].cut_off && run->tried.items[i].calls < calls)
            calls = run->tried.items[i].calls;
    return calls ? calls - 1 : 0;
}

/* The promised set was not gone through: for a limit, or since one of its scenarios was cut off. */
static enum status tell_cut_off(struct run *run, struct error *error)
{
    struct testing *testing = run->testing;
    struct kept *kept = &run->cut_off;
    enum limit limit = limits_which(&run->testing->limits);
    if (!testing->given)
        TRY(tested_tell_covered(testing, find_covered(run)));
    if (kept->number == SIZE_MAX || kept->status == STATUS_LIMIT) {
        kept->result->end = limit == LIMIT_MEMORY ? END_MEMORY : END_TIME;
        testing->visible.limit = (lp_limit)limit;
    }
    return tested_tell(testing, kept->number == SIZE_MAX ? &run->walk.scenario : &kept->scenario,
                       kept->result, error);
}

/* What the answer says of calls of a given scenario that clients do not make. */
static void note_contract(struct run *run, const struct scenario *scenario)
{
    struct testing *testing = run->testing;
    if (!testing->given)
        return;
    testing->is_out_of_order = !scenario_is_in_order(scenario, &testing->interface.interface);
    testing->is_out_of_contract |= testing_breaks_contract(testing, scenario);
}

/* Before a violation is told: the scenarios that were gone through on the way were small ones
 * first, so that a smaller one is looked for only of one that was given, or is larger than those of
 * a set of which some were cut off. */
static enum status tell_last(struct run *run, struct error *error)
{
    struct testing *testing = run->testing;
    struct kept *last = &run->last;
    if (last->result->end == END_FINDING) {
        if (testing->given || run->cut_off.number < last->number || run->larger)
            TRY(tested_find_smaller(testing, &last->scenario, last->result, error));
        testing->is_out_of_contract = last->result->breaks_contract;
        note_contract(run, &last->scenario);
        TRY(tested_find_clearer(testing, &last->scenario, last->result, error));
        TRY(tested_find_under(testing, &last->scenario, error));
        testing->relaxed.count = 0; /* of others nothing is told */
        testing_merge_relaxed(testing, last->result);
    }
    return tested_tell(testing, &last->scenario, last->result, error);
}

/* The execution of a schedule, and no other. */
static enum status run_schedule(struct run *run, struct error *error)
{
    struct testing *testing = run->testing;
    struct exchange_result *result = run->last.result;
    struct schedule *schedule = memory_allocate(testing->limits.budget, sizeof *schedule);
    TRY_MEMORY(schedule);
    enum status status = schedule_parse(run->options->schedule, schedule, error);
    if (status == STATUS_OK)
        status = tested_replay(testing, &run->first, schedule, result, error);
    memory_release(testing->limits.budget, schedule, sizeof *schedule);
    TRY(status);
    lp_tested *visible = &testing->visible;
    visible->scenarios = visible->executions = visible->histories = 1;
    visible->blocked = result->blocked;
    visible->hanging = result->hanging;
    testing_merge_relaxed(testing, result);
    return tested_tell_replay(testing, &run->first, result, error);
}

static enum status run_scenarios(struct run *run, struct error *error)
{
    TRY(find_scenarios(run, error));
    if (run->options->schedule)
        return run_schedule(run, error);
    parallel_for(run->testing->jobs, run->testing->jobs, work, run);
    sum(run);
    if (run->last.number != SIZE_MAX && run->last.status != STATUS_OK) {
        *error = run->last.error;
        return run->last.status;
    }
    note_contract(run, &run->first);
    if (run->last.number != SIZE_MAX)
        return tell_last(run, error);
    if (run->starved || run->cut_off.number != SIZE_MAX || (!run->larger && run->walk.is_cut_off))
        return tell_cut_off(run, error);
    return tested_tell_holds(run->testing, error);
}

static void begin_limits(struct run *run)
{
    lp_context *context = run->testing->program->context;
    const lp_test_options *options = run->options;
    limits_for(&run->testing->limits, context, &context->budget, options->total_timeout);
    limits_for(&run->larger_limits, context, &context->budget, options->larger_timeout);
    if (options->total_timeout > 0 && options->total_timeout < options->larger_timeout)
        run->larger_limits = run->testing->limits;
}

static enum status open_and_run(struct testing *testing, size_t test,
                                const lp_test_options *options, struct error *error)
{
    struct budget *budget = &testing->program->context->budget;
    struct run *run = memory_zeroed(budget, sizeof *run);
    TRY_MEMORY(run);
    *run = (struct run){.testing = testing,
                        .options = options,
                        .last.number = SIZE_MAX,
                        .cut_off.number = SIZE_MAX};
    testing->number = test;
    testing->jobs = threads_for(options->jobs);
    testing->timeout = options->timeout;
    testing->checks_all = options->self_check;
    testing->relaxes_races = options->relaxes_races;
    begin_limits(run);
    vector_init(&run->tried, budget);
    run->last.result = memory_zeroed(budget, sizeof *run->last.result);
    run->cut_off.result = memory_zeroed(budget, sizeof *run->cut_off.result);
    pthread_mutex_init(&run->lock, NULL);
    enum status status =
        run->last.result && run->cut_off.result ? run_scenarios(run, error) : STATUS_LIMIT;
    pthread_mutex_destroy(&run->lock);
    testing_drop_contract(testing);
    vector_release(&run->tried);
    memory_release(budget, run->last.result, sizeof *run->last.result);
    memory_release(budget, run->cut_off.result, sizeof *run->cut_off.result);
    memory_release(budget, run, sizeof *run);
    return status;
}

lp_status lp_program_run(lp_context *context, const lp_program *program, size_t test,
                         const lp_test_options *options, lp_tested **tested, lp_error *error)
{
    lp_test_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    REQUIRE_NOT_NULL(tested);
    REQUIRE(test < program->tests.items.length, "there is no such test");
    REQUIRE_SIZED(&own, options, self_check);
    if (!options)
        own.model = LP_MEMORY_RC11;
    REQUIRE(!own.schedule || own.scenario, "a schedule is that of a scenario");
    struct error fault = {0};
    enum status status = STATUS_LIMIT;
    struct testing *testing = memory_zeroed(&context->budget, sizeof *testing);
    *tested = NULL;
    if (testing) {
        testing->magic = TESTED_MAGIC;
        testing->program = program;
        testing->test = &program->tests.items.items[test];
        testing->model = own.model;
        testing->started = clock_nanoseconds();
        arena_init(&testing->arena, &context->budget);
        status = open_and_run(testing, test, &own, &fault);
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
