/* An answer about real code in words: what was found, where, and the execution that shows it. */
#include <inttypes.h>
#include <string.h>

#include "api/tested_calls.h"
#include "api/tested_names.h"
#include "api/tested_reason.h"
#include "api/tested_trace.h"
#include "api/tested_words.h"
#include "base/quantity.h"

static enum status append_hanging(const struct testing *testing,
                                  const struct exchange_result *result, struct text *text,
                                  struct error *error)
{
    const struct exchange_operation_run *run = &result->operations[result->never_waits];
    text_format(text, "%s: ", tested_finding_name((enum finding_kind)result->finding.kind));
    tested_append_call(testing, run, text);
    text_format(text, " of thread %u does not return", run->thread + 1U);
    bool may_wait = testing->test->operations[run->operation].flags & EXCHANGE_MAY_WAIT;
    if (result->may_wait && testing_is_auto(testing))
        text_format(text,
                    ", but may wait only where it does not return%s with one operation after the "
                    "other",
                    may_wait ? ", or answers empty or no," : " either");
    else if (result->may_wait)
        text_format(text, ", but may wait only where %s %s", testing->test->spec,
                    may_wait ? "would answer empty or no" : "has no answer");
    else if (!may_wait && result->finding.kind == FINDING_WAITS)
        text_append(text, ", and is none that may wait (LP_MAY_WAIT)");
    text_append(text, ": ");
    return tested_append_waits(testing, result, text, error);
}

static enum status tell_schedule(struct testing *testing, const struct exchange_result *result)
{
    struct budget *budget = testing->limits.budget;
    struct schedule *schedule = memory_allocate(budget, sizeof *schedule);
    struct text text = TEXT_EMPTY;
    TRY_MEMORY(schedule);
    schedule_take(&result->graph, result->goes_on, schedule);
    schedule->goes_round = result->goes_round;
    schedule_print(schedule, &text);
    memory_release(budget, schedule, sizeof *schedule);
    testing->visible.schedule = testing_keep(testing, &text);
    return testing->visible.schedule ? STATUS_OK : STATUS_LIMIT;
}

/* What clients do not do: what of it was left out, or that the scenario does it. */
static void append_contract(const struct testing *testing, struct text *text)
{
    const struct scenario_orders *orders = testing->interface.interface.orders;
    const char *spec = testing->test->spec;
    if (testing->is_out_of_contract)
        text_format(text,
                    "; but no order of these calls is legal for %s, whatever they answer: clients "
                    "do not make them",
                    spec);
    else if (testing->is_out_of_order)
        text_format(text, "; but threads do not call in the order that %s asks of clients", spec);
    else if (!testing->given && orders)
        text_format(text, "; threads call in the order that %s asks of clients", spec);
    if (testing->visible.left_out == 0)
        return;
    text_append(text, "; ");
    text_append_count(text, testing->visible.left_out);
    text_format(text, " scenario%s left out: no order of their calls is legal for %s",
                testing->visible.left_out == 1 ? " was" : "s were", spec);
}

/* Operations that one thread only calls: of what others would see, nothing is known. */
static void append_only_threads(const struct testing *testing, struct text *text)
{
    const struct scenario_interface *interface = &testing->interface.interface;
    bool is_first = true;
    for (size_t i = 0; i < interface->count && !testing->given; i++) {
        const struct scenario_operation *operation = &interface->operations[i];
        if (operation->only_thread == 0)
            continue;
        text_format(text, "%s only thread %d%s %s", is_first ? ";" : ",", operation->only_thread,
                    is_first ? " calls" : "", operation->name);
        is_first = false;
    }
}

/* What a legal answer is, where nobody has said it. */
static void append_auto(const struct testing *testing, struct text *text)
{
    if (testing_is_auto(testing))
        text_append(text, "; legal is what the code answers with one operation after the other");
}

/* The plain accesses that were taken as relaxed ones, by their lines, each once. */
static enum status tell_relaxed(struct testing *testing, struct error *error)
{
    const struct exchange_relaxed *relaxed = &testing->relaxed;
    struct place places[EXCHANGE_RELAXED];
    lp_tested *visible = &testing->visible;
    const char **lines = arena_allocate(&testing->arena, EXCHANGE_RELAXED * sizeof *lines);
    TRY_MEMORY(lines);
    visible->relaxed = lines;
    visible->relaxed_count = 0;
    TRY(tested_find_places(testing, relaxed->places, relaxed->count, places, error));
    bool kept = true;
    for (uint32_t i = 0; i < relaxed->count; i++) {
        struct text text = TEXT_EMPTY;
        if (places[i].file)
            text_format(&text, "%s:%u", tested_base_name(places[i].file), places[i].line);
        else
            text_append(&text, "a place that is not known");
        const char *line = testing_keep(testing, &text);
        bool is_new = line != NULL;
        kept &= is_new;
        for (size_t j = 0; is_new && j < visible->relaxed_count; j++)
            is_new = strcmp(lines[j], line) != 0;
        if (is_new)
            lines[visible->relaxed_count++] = line;
    }
    places_release(places, relaxed->count);
    return kept ? STATUS_OK : STATUS_LIMIT;
}

static void append_relaxed(const struct testing *testing, struct text *text)
{
    const lp_tested *visible = &testing->visible;
    for (size_t i = 0; i < visible->relaxed_count; i++)
        text_format(text, "%s%s",
                    i ? ", " : "; plain accesses that race were taken as relaxed atomic ones: ",
                    visible->relaxed[i]);
}

static enum status tell_finding(struct testing *testing, const struct exchange_result *result,
                                struct error *error)
{
    const struct finding *finding = &result->finding;
    struct text reason = TEXT_EMPTY;
    if (finding->kind == FINDING_DEADLOCK || finding->kind == FINDING_WAITS ||
        finding->kind == FINDING_LIVELOCK)
        TRY(append_hanging(testing, result, &reason, error));
    else
        TRY(tested_append_finding(testing, finding, &reason, error));
    if (finding->kind == FINDING_NOT_LINEARIZABLE)
        append_auto(testing, &reason);
    append_relaxed(testing, &reason);
    if (testing->given)
        append_contract(testing, &reason);
    testing->visible.verdict = LP_VIOLATED;
    testing->visible.finding = tested_finding_name((enum finding_kind)finding->kind);
    testing->visible.reason = testing_keep(testing, &reason);
    TRY_MEMORY(testing->visible.reason);
    TRY(tested_tell_calls(testing, result));
    TRY(tell_schedule(testing, result));
    return tested_tell_trace(testing, result, error);
}

static enum status tell_undecided(struct testing *testing, const struct exchange_result *result,
                                  struct error *error)
{
    static const char *const why[] = {
        [END_TIME] = "the time limit was reached",
        [END_MEMORY] = "the memory limit was reached",
        [END_TOO_LARGE] = "an execution is too large: at most 250 accesses to shared memory, 8 "
                          "threads and 128 locations are followed",
        [END_DIFFERS] = "the code does not do the same when it is run again: it depends on more "
                        "than what its threads read",
        [END_MIXED] = "atomic accesses of different sizes to the same memory cannot be tested yet",
        [END_NOT_MODELLED] = "this cannot be tested yet: ",
        [END_ENDLESS] = "code ran for 10 s of processor time without an end in sight: ",
        [END_UNDECIDED] = "an execution could not be decided",
    };
    struct place place;
    struct text reason = TEXT_EMPTY;
    const void *at = result->at;
    if (result->end == END_USAGE)
        return error_set(error, STATUS_USAGE, NULL, 0, "%s", result->finding.sentence);
    TRY(tested_find_places(testing, &at, 1, &place, error));
    text_append(&reason, why[result->end]);
    if (result->end == END_NOT_MODELLED || result->end == END_ENDLESS)
        text_append(&reason, result->finding.sentence);
    tested_append_place(&place, &reason);
    append_relaxed(testing, &reason);
    places_release(&place, 1);
    testing->visible.verdict = LP_UNDECIDED;
    if (result->end == END_TIME && testing->visible.limit == LP_LIMIT_NONE)
        testing->visible.limit = LP_LIMIT_TIME;
    if (result->end == END_MEMORY)
        testing->visible.limit = LP_LIMIT_MEMORY;
    testing->visible.reason = testing_keep(testing, &reason);
    return testing->visible.reason ? STATUS_OK : STATUS_LIMIT;
}

static enum status keep_scenario(struct testing *testing, const struct scenario *scenario)
{
    struct text text = TEXT_EMPTY;
    scenario_print(scenario, &testing->interface.interface, &text);
    testing->visible.scenario = testing_keep(testing, &text);
    return testing->visible.scenario ? STATUS_OK : STATUS_LIMIT;
}

enum status tested_tell(struct testing *testing, const struct scenario *scenario,
                        const struct exchange_result *result, struct error *error)
{
    TRY(keep_scenario(testing, scenario));
    TRY(tell_relaxed(testing, error));
    return result->end == END_FINDING ? tell_finding(testing, result, error)
                                      : tell_undecided(testing, result, error);
}

/* "the schedule does not fit: its step 3 is not what thread 2 does at locks.c:12" */
static enum status refuse_schedule(struct testing *testing, const struct exchange_result *result,
                                   struct error *error)
{
    struct place place;
    struct text text = TEXT_EMPTY;
    TRY(tested_find_places(testing, &result->at, 1, &place, error));
    if (place.file)
        text_format(&text, "what the code does at %s:%u", tested_base_name(place.file), place.line);
    else
        text_append(&text, "what the code can do");
    enum status status =
        error_set(error, STATUS_USAGE, NULL, 0,
                  "the schedule is none of this program and scenario under %s: its step %u is not "
                  "%s",
                  testing_model_name(testing->model), result->steps_made + 1, text_string(&text));
    text_release(&text);
    places_release(&place, 1);
    return status;
}

enum status tested_tell_replay(struct testing *testing, const struct scenario *scenario,
                               const struct exchange_result *result, struct error *error)
{
    struct text reason = TEXT_EMPTY;
    if (result->end == END_DIFFERS)
        return refuse_schedule(testing, result, error);
    if (result->end != END_COMPLETE)
        return tested_tell(testing, scenario, result, error);
    TRY(keep_scenario(testing, scenario));
    text_append(&reason, "nothing is wrong in the execution of the schedule; no other was run");
    testing->visible.verdict = LP_UNDECIDED;
    testing->visible.reason = testing_keep(testing, &reason);
    return testing->visible.reason ? STATUS_OK : STATUS_LIMIT;
}

/* "up to 7 calls by two threads and 6 by three"; one thread is named where it is alone. */
static void append_bounds(const struct scenario_bounds *bounds, struct text *text)
{
    static const char *const numbers[] = {"",     "one",  "two", "three",
                                          "four", "five", "six", "seven"};
    unsigned last = SCENARIO_THREADS, first = 2;
    while (last > 1 && bounds->calls[last] == 0)
        last--;
    if (last == 1)
        first = 1;
    text_format(text, "up to %u call%s by %s thread%s", bounds->calls[first],
                bounds->calls[first] == 1 ? "" : "s", numbers[first], first == 1 ? "" : "s");
    for (unsigned i = first + 1; i <= last; i++)
        text_format(text, "%s%u by %s", i == last ? " and " : ", ", bounds->calls[i], numbers[i]);
}

enum status tested_tell_covered(struct testing *testing, unsigned calls)
{
    struct text text = TEXT_EMPTY;
    if (calls == 0)
        return STATUS_OK;
    text_format(&text, "every scenario of up to %u call%s", calls, calls == 1 ? "" : "s");
    testing->visible.covered = testing_keep(testing, &text);
    return testing->visible.covered ? STATUS_OK : STATUS_LIMIT;
}

static void append_larger(const lp_tested *visible, struct text *text)
{
    if (visible->larger == 0)
        return;
    text_append(text, "; and ");
    text_append_count(text, visible->larger);
    text_append(text, visible->larger == 1 ? " larger scenario" : " larger scenarios");
    if (visible->larger_cut_off > 0 && visible->larger == 1) {
        text_append(text, ", which was cut off");
    } else if (visible->larger_cut_off > 0) {
        text_append(text, ", ");
        text_append_count(text, visible->larger_cut_off);
        text_append(text, " of them cut off");
    }
}

/* No execution is gone through twice: one that was would be an error of the exploration. */
static enum status tell_met_twice(struct testing *testing)
{
    struct text reason = TEXT_EMPTY;
    text_append_count(&reason, testing->met_twice);
    text_append(&reason, " executions were met twice, which is an error of linchpin: nothing is "
                         "known");
    testing->visible.verdict = LP_UNDECIDED;
    testing->visible.reason = testing_keep(testing, &reason);
    return testing->visible.reason ? STATUS_OK : STATUS_LIMIT;
}

/* That the bound of the set ends threads within their orders is not held against the object. */
static void append_waiting_behind(const lp_tested *visible, struct text *text)
{
    if (visible->waiting_behind == 0)
        return;
    text_append(text, ", in ");
    text_append_count(text, visible->waiting_behind);
    text_append(text, " of them behind one that waits for a thread whose calls are over within its "
                      "order: that is not held against the object");
}

enum status tested_tell_holds(struct testing *testing, struct error *error)
{
    struct text reason = TEXT_EMPTY;
    lp_tested *visible = &testing->visible;
    TRY(tell_relaxed(testing, error));
    if (testing->met_twice > 0)
        return tell_met_twice(testing);
    visible->verdict = LP_HOLDS;
    visible->complete = !testing->misses_rounds;
    text_append(&reason, "every behaviour of ");
    if (testing->given)
        text_append(&reason, "the scenario");
    else
        append_bounds(&testing->bounds, &reason);
    text_format(&reason, " under %s was covered, compiled with %s",
                testing_model_name(testing->model), text_string(&testing->program->compilers));
    append_larger(visible, &reason);
    text_append(&reason, testing->model == LP_MEMORY_RC11
                             ? "; no load buffering"
                             : "; reordering of relaxed accesses by the compiler is not");
    if (testing->model != LP_MEMORY_RC11)
        text_append(&reason, " covered");
    if (strstr(text_string(&testing->program->compilers), "clang"))
        text_append(&reason, "; weak compare-exchanges that clang compiled do not fail for no "
                             "reason");
    append_auto(testing, &reason);
    append_relaxed(testing, &reason);
    append_only_threads(testing, &reason);
    append_contract(testing, &reason);
    if (testing->misses_rounds)
        text_append(&reason, "; data races of what a loop around a wait for a condition reads are "
                             "looked for in its last iteration only");
    if (testing->checks_all)
        text_append(&reason, "; each execution was run twice, and did the same, and none was met "
                             "twice");
    if (visible->hanging > 0) {
        text_append(&reason, "; in ");
        text_append_count(&reason, visible->hanging);
        text_append(&reason, " of the executions operations wait for ever, as they may");
    }
    append_waiting_behind(visible, &reason);
    visible->reason = testing_keep(testing, &reason);
    return visible->reason ? STATUS_OK : STATUS_LIMIT;
}
