/* A scenario that is given may have more than it takes. First calls are left out one by one as long
 * as what is left is violated; then what has still fewer calls is gone through, smallest first, for
 * two calls may be to blame for hiding what one of them shows; then the calls of two threads are
 * given to one. All is bounded, and what was not gone through is said. What has a finding of
 * another kind than the first is not taken for it. */
#include "api/tested_smaller.h"

#include "api/tested_explore.h"
#include "base/hash.h"
#include "scenario/sub_scenarios.h"

static const double SMALLER_SECONDS = 5, MODEL_SECONDS = 5, CLEARER_SECONDS = 5;

struct smaller {
    struct testing *testing;
    struct scenario given, best;
    struct exchange_result *result; /* of the best */
    struct exchange_result *trial;
    VECTOR(uint64_t) tried; /* hashes of scenarios */
    uint64_t started;
    bool cut_off, undecided;
    bool differs;     /* some show another kind of finding */
    bool ends_orders; /* as that which is given, where somebody waits: for a client that ends within
                         an order, holding a lock, others may wait without any fault */
    struct error *error;
};

static bool is_new(struct smaller *smaller, const struct scenario *scenario)
{
    struct text text = TEXT_EMPTY;
    scenario_print(scenario, &smaller->testing->interface.interface, &text);
    uint64_t hash = hash_bytes(text_string(&text), text.length, 0);
    text_release(&text);
    for (size_t i = 0; i < smaller->tried.length; i++)
        if (smaller->tried.items[i] == hash)
            return false;
    return vector_push(&smaller->tried, hash);
}

/* What is found: an access that races with a free is one to what is freed, in another order; who
 * waits for ever may do so for one thing or another. */
static enum finding_kind kind_of(const struct finding *finding)
{
    bool frees = finding->here.kind == ACCESS_FREE || finding->other.kind == ACCESS_FREE;
    if (finding->kind == FINDING_RACE && frees)
        return FINDING_USE_AFTER_FREE;
    return finding->kind == FINDING_DEADLOCK ? FINDING_WAITS : (enum finding_kind)finding->kind;
}

/* Whether a scenario is violated in the same way: it is the best then. */
static bool try(struct smaller *smaller, const struct scenario *scenario)
{
    double left = SMALLER_SECONDS - seconds_since(smaller->started);
    if (smaller->cut_off ||
        !scenario_is_allowed(scenario, &smaller->testing->interface.interface) ||
        !scenario_is_in_order(scenario, &smaller->testing->interface.interface) ||
        (smaller->ends_orders &&
         !scenario_ends_orders(scenario, &smaller->testing->interface.interface)) ||
        (!smaller->testing->is_out_of_contract &&
         testing_breaks_contract(smaller->testing, scenario)) ||
        !is_new(smaller, scenario))
        return false;
    if (left <= 0 || limits_reached(&smaller->testing->limits) != LIMIT_NONE) {
        smaller->cut_off = true;
        return false;
    }
    const struct explore_request request = {.scenario = *scenario,
                                            .model = smaller->testing->model,
                                            .seconds = left,
                                            .leaves_out = !smaller->testing->is_out_of_contract};
    enum status status = tested_explore(smaller->testing, &request, smaller->trial, smaller->error);
    bool violated = status == STATUS_OK && smaller->trial->end == END_FINDING;
    bool found =
        violated && kind_of(&smaller->trial->finding) == kind_of(&smaller->result->finding);
    smaller->differs |= violated && !found;
    if (!violated && (status != STATUS_OK ||
                      (smaller->trial->end != END_COMPLETE && smaller->trial->end != END_LEFT_OUT)))
        smaller->undecided = true;
    if (!found)
        return false;
    struct exchange_result *before = smaller->result;
    smaller->best = *scenario;
    smaller->result = smaller->trial;
    smaller->trial = before;
    return true;
}

static bool leave_out_one(struct smaller *smaller)
{
    const struct scenario best = smaller->best;
    struct scenario part;
    for (unsigned i = 0; best.call_count > 1 && i < best.call_count; i++) {
        scenario_of_calls(&best, ~(UINT32_C(1) << i), &part);
        if (try(smaller, &part))
            return true;
    }
    return false;
}

static bool take_few(struct smaller *smaller)
{
    struct scenario part;
    for (unsigned count = 1; count + 1 < smaller->best.call_count; count++)
        for (uint32_t calls = 1; calls < UINT32_C(1) << smaller->given.call_count; calls++) {
            if ((unsigned)__builtin_popcount(calls) != count)
                continue;
            scenario_of_calls(&smaller->given, calls, &part);
            if (try(smaller, &part))
                return true;
            if (smaller->cut_off)
                return false;
        }
    return false;
}

static bool join_threads(struct smaller *smaller)
{
    const struct scenario best = smaller->best;
    struct scenario joined;
    for (unsigned first = 0; first < best.thread_count; first++)
        for (unsigned second = 0; second < best.thread_count; second++) {
            if (first == second)
                continue;
            scenario_of_fewer_threads(&best, first, second, &joined);
            if (try(smaller, &joined))
                return true;
        }
    return false;
}

static enum status say(struct testing *testing, const char *what)
{
    struct text text = TEXT_EMPTY;
    if (testing->visible.cut_off)
        text_format(&text, "%s; ", testing->visible.cut_off);
    text_append(&text, what);
    testing->visible.cut_off = testing_keep(testing, &text);
    return testing->visible.cut_off ? STATUS_OK : STATUS_LIMIT;
}

static enum status tell_smaller(struct smaller *smaller)
{
    struct testing *testing = smaller->testing;
    struct text given = TEXT_EMPTY;
    if (smaller->best.call_count != smaller->given.call_count ||
        smaller->best.thread_count != smaller->given.thread_count) {
        scenario_print(&smaller->given, &testing->interface.interface, &given);
        testing->visible.found_in = testing_keep(testing, &given);
        TRY_MEMORY(testing->visible.found_in);
    }
    if (smaller->cut_off)
        return say(testing, "smaller scenarios were gone through for 5 s only");
    if (smaller->undecided)
        return say(testing, "of some smaller scenarios it is not decided whether they show it");
    if (smaller->differs)
        return say(testing, "some smaller scenarios show another kind of finding");
    return STATUS_OK;
}

enum status tested_find_smaller(struct testing *testing, struct scenario *scenario,
                                struct exchange_result *result, struct error *error)
{
    struct budget *budget = testing->limits.budget;
    struct exchange_result *own = memory_allocate(budget, 2 * sizeof *own);
    TRY_MEMORY(own);
    struct error ignored = {0};
    struct smaller smaller = {.testing = testing,
                              .given = *scenario,
                              .best = *scenario,
                              .result = &own[0],
                              .trial = &own[1],
                              .started = clock_nanoseconds(),
                              .error = &ignored};
    (void)error;
    own[0] = *result;
    smaller.ends_orders = kind_of(&result->finding) == FINDING_WAITS &&
                          scenario_ends_orders(scenario, &testing->interface.interface);
    vector_init(&smaller.tried, budget);
    while (leave_out_one(&smaller) || take_few(&smaller) || join_threads(&smaller))
        ;
    enum status status = tell_smaller(&smaller);
    *scenario = smaller.best;
    *result = *smaller.result;
    vector_release(&smaller.tried);
    memory_release(budget, own, 2 * sizeof *own);
    return status;
}

enum status tested_find_clearer(struct testing *testing, const struct scenario *scenario,
                                struct exchange_result *result, struct error *error)
{
    struct budget *budget = testing->limits.budget;
    struct exchange_result *clearer = memory_allocate(budget, sizeof *clearer);
    TRY_MEMORY(clearer);
    const struct explore_request request = {.scenario = *scenario,
                                            .model = testing->model,
                                            .seconds = CLEARER_SECONDS,
                                            .executions = EXPLORE_TOLD,
                                            .clearest = true};
    enum status status = tested_explore(testing, &request, clearer, error);
    bool found = status == STATUS_OK && clearer->end == END_FINDING &&
                 clearer->finding.kind == result->finding.kind;
    bool all = found && clearer->clearest;
    if (found)
        *result = *clearer;
    memory_release(budget, clearer, sizeof *clearer);
    if (all)
        return STATUS_OK;
    return say(testing, found && result->executions >= EXPLORE_TOLD
                            ? "the execution is the clearest of the first 20,000"
                            : "not all executions were looked at for the clearest");
}

/* ---- other memory models ---- */

static enum status look_under(struct testing *testing, const struct scenario *scenario,
                              lp_memory_model model, struct exchange_result *result)
{
    const struct explore_request request = {
        .scenario = *scenario, .model = model, .seconds = MODEL_SECONDS};
    struct error ignored = {0};
    struct text reason = TEXT_EMPTY;
    uint64_t started = clock_nanoseconds();
    enum status status = tested_explore(testing, &request, result, &ignored);
    lp_answer *answer = &testing->visible.under[model];
    *answer = LP_UNDECIDED;
    if (status == STATUS_OK && result->end == END_FINDING)
        *answer = LP_VIOLATED;
    else if (status == STATUS_OK && result->end == END_COMPLETE)
        *answer = LP_HOLDS;
    if (*answer != LP_UNDECIDED)
        return STATUS_OK;
    if (status == STATUS_LIMIT || (status == STATUS_OK && result->end == END_TIME))
        text_format(&reason, "not decided in %.2g s", seconds_since(started));
    else
        text_append(&reason, "not decided");
    testing->visible.under_reason[model] = testing_keep(testing, &reason);
    return testing->visible.under_reason[model] ? STATUS_OK : STATUS_LIMIT;
}

enum status tested_find_under(struct testing *testing, const struct scenario *scenario,
                              struct error *error)
{
    struct budget *budget = testing->limits.budget;
    struct exchange_result *result = memory_allocate(budget, sizeof *result);
    TRY_MEMORY(result);
    enum status status = STATUS_OK;
    (void)error;
    for (lp_memory_model model = LP_MEMORY_SC; model <= LP_MEMORY_RC11; model++) {
        if (model == testing->model)
            testing->visible.under[model] = LP_VIOLATED;
        else if (status == STATUS_OK)
            status = look_under(testing, scenario, model, result);
    }
    memory_release(budget, result, sizeof *result);
    return status;
}
