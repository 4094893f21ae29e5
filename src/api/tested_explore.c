#include "api/tested_explore.h"

#include <string.h>

static struct exchange_request ask(const struct testing *testing, const struct scenario *scenario,
                                   lp_memory_model model)
{
    enum {
        ONE_IN = 100
    };
    struct exchange_request asked = {.version = EXCHANGE_VERSION,
                                     .test = (uint32_t)testing->number,
                                     .model = (uint32_t)model,
                                     .scenario = *scenario,
                                     .seconds = testing->timeout,
                                     .memory = budget_left(testing->limits.budget) / testing->jobs,
                                     .repeat_one_in = testing->checks_all ? 1 : ONE_IN,
                                     .counts_twice = testing->checks_all,
                                     .relaxes_races = testing->relaxes_races,
                                     .is_of_set = !testing->given,
                                     .goes_on = SCHEDULE_NOBODY};
    if (asked.memory == SIZE_MAX / testing->jobs)
        asked.memory = 0;
    return asked;
}

/* Once more, in another process: what was found must be found there. */
static enum status confirm(struct testing *testing, struct exchange_request *asked,
                           const struct limits *limits, struct exchange_result *result,
                           struct error *error)
{
    const char *program = text_string(&testing->program->path);
    struct exchange_result *again = memory_allocate(testing->limits.budget, sizeof *again);
    TRY_MEMORY(again);
    asked->kind = REQUEST_CONFIRM;
    asked->goes_on = result->goes_on;
    asked->relaxed = result->relaxed;
    asked->goes_round = result->goes_round;
    enum status status = conversation_run(program, asked, &result->graph, limits, again, error);
    if (status == STATUS_OK &&
        (again->end != END_FINDING || again->finding.kind != result->finding.kind))
        result->end = END_DIFFERS;
    memory_release(testing->limits.budget, again, sizeof *again);
    return status;
}

static enum status explore(struct testing *testing, struct exchange_request *asked,
                           const struct explore_request *request, struct conversation **kept,
                           struct exchange_result *result, struct error *error)
{
    const char *program = text_string(&testing->program->path);
    const struct limits *limits = request->limits ? request->limits : &testing->limits;
    asked->kind = REQUEST_EXPLORE;
    if (kept)
        TRY(conversation_explore(kept, program, asked, limits, result, error));
    else
        TRY(conversation_run(program, asked, NULL, limits, result, error));
    return result->end == END_FINDING ? confirm(testing, asked, limits, result, error) : STATUS_OK;
}

enum status tested_explore(struct testing *testing, const struct explore_request *request,
                           struct exchange_result *result, struct error *error)
{
    struct exchange_request asked = ask(testing, &request->scenario, request->model);
    asked.executions = request->executions;
    asked.clearest = request->clearest;
    asked.leaves_out = request->leaves_out;
    if (request->seconds > 0 && (asked.seconds <= 0 || asked.seconds > request->seconds))
        asked.seconds = request->seconds;
    bool is_used = request->kept && *request->kept;
    const struct exchange_request alone = asked;
    enum status status = explore(testing, &asked, request, request->kept, result, error);
    if (!is_used || (status != STATUS_INPUT && result->end != END_DIFFERS))
        return status;
    /* What earlier scenarios have left behind may be to blame. */
    asked = alone;
    memset(result, 0, sizeof *result);
    return explore(testing, &asked, request, NULL, result, error);
}

enum status tested_replay(struct testing *testing, const struct scenario *scenario,
                          const struct schedule *schedule, struct exchange_result *result,
                          struct error *error)
{
    const char *program = text_string(&testing->program->path);
    struct exchange_request asked = ask(testing, scenario, testing->model);
    asked.kind = REQUEST_REPLAY;
    asked.clearest = true; /* as what is told, where races are relaxed */
    asked.executions = EXPLORE_TOLD;
    asked.schedule = *schedule;
    return conversation_run(program, &asked, NULL, &testing->limits, result, error);
}
