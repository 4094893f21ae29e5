/* An answer about real code in words: what was found, where, and the execution that shows it. */
#include <inttypes.h>
#include <string.h>

#include "api/tested.h"
#include "base/quantity.h"
#include "scenario/places.h"

static const char *const models[] = {
    [LP_MEMORY_SC] = "sc", [LP_MEMORY_TSO] = "tso", [LP_MEMORY_RC11] = "rc11"};

const char *tested_keep(struct testing *testing, struct text *text)
{
    const char *kept = arena_copy_text(&testing->arena, text_string(text), text->length);
    text_release(text);
    return kept;
}

/* Of -> results that are no numbers, as in linchpin/test.h. */
static void append_result(int64_t result, struct text *text)
{
    static const char *const named[] = {"empty", "done", "no", "yes"};
    if (result < INTPTR_MIN + (int64_t)ARRAY_LENGTH(named))
        text_append(text, named[result - INTPTR_MIN]);
    else
        text_format(text, "%" PRId64, result);
}

static void append_call(const struct testing *testing, const struct exchange_operation_run *run,
                        struct text *text)
{
    const struct scenario_operation *operation = &testing->interface.operations[run->operation];
    text_format(text, "%s(", operation->name);
    if (scenario_operation_has_argument(operation))
        text_format(text, "%" PRId64, run->argument);
    if (operation->takes_two)
        text_format(text, ", %" PRId64, run->second);
    text_append(text, ")");
}

/* ---- places ---- */

static enum status find_places(const struct testing *testing, const void *const *addresses,
                               size_t count, bool exact, struct place *places, struct error *error)
{
    const lp_program *program = testing->program;
    return places_find(text_string(&program->path), addresses, count, exact,
                       &program->context->budget, places, error);
}

static void append_place(const struct place *place, struct text *text)
{
    const char *name = place->file ? strrchr(place->file, '/') : NULL;
    if (place->file)
        text_format(text, " at %s:%u", name ? name + 1 : place->file, place->line);
}

/* ---- reasons ---- */

static const char *const found[] = {
    [FINDING_NONE] = NULL,
    [FINDING_NOT_LINEARIZABLE] = "not linearizable",
    [FINDING_RACE] = "data race",
    [FINDING_USE_AFTER_FREE] = "use after free",
    [FINDING_DOUBLE_FREE] = "double free",
    [FINDING_BAD_FREE] = "bad free",
    [FINDING_OUT_OF_BLOCK] = "out of bounds",
    [FINDING_UNINITIALISED] = "uninitialised memory",
    [FINDING_BAD_UNLOCK] = "bad unlock",
    [FINDING_MISUSE] = "misuse",
    [FINDING_EXCEPTION] = "uncaught exception",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_WAITS] = "waits for ever",
    [FINDING_ASSERTION] = "failed assertion",
    [FINDING_ABORT] = "program ends",
    [FINDING_CRASH] = "crash",
};

static void append_thread(unsigned thread, struct text *text)
{
    if (thread == THREAD_ALONE)
        text_append(text, "setup or teardown");
    else
        text_format(text, "thread %u", thread + 1);
}

static const char *verb_of(unsigned kind)
{
    static const char *const verbs[] = {
        [ACCESS_NONE] = "is",
        [ACCESS_READ] = "reads",
        [ACCESS_WRITE] = "writes",
        [ACCESS_ATOMIC_READ] = "reads atomically",
        [ACCESS_ATOMIC_WRITE] = "writes atomically",
        [ACCESS_FREE] = "frees",
    };
    return verbs[kind];
}

static void append_what(const struct finding *finding, struct text *text)
{
    switch (finding->kind) {
    case FINDING_RACE:
        text_format(text, "%s", verb_of(finding->here.kind));
        break;
    case FINDING_USE_AFTER_FREE:
        text_format(text, "%s memory that is freed", verb_of(finding->here.kind));
        break;
    case FINDING_DOUBLE_FREE:
        text_append(text, "frees a block that is freed");
        break;
    case FINDING_BAD_FREE:
        text_append(text, "frees what is no block of the heap");
        break;
    case FINDING_OUT_OF_BLOCK:
        text_format(text, "%s memory of the heap that is in no block", verb_of(finding->here.kind));
        break;
    case FINDING_UNINITIALISED:
        text_append(text, "reads memory of the heap atomically that nobody has written");
        break;
    case FINDING_BAD_UNLOCK:
        text_append(text, "unlocks a mutex that it does not hold");
        break;
    case FINDING_MISUSE:
        text_append(text, finding->sentence);
        break;
    case FINDING_EXCEPTION:
        text_format(text, "throws an exception that leaves %s", finding->sentence);
        break;
    case FINDING_ABORT:
        text_format(text, "calls %s", finding->sentence);
        break;
    case FINDING_CRASH:
        text_format(text, "is ended by signal %d (%s)", finding->signal,
                    strsignal(finding->signal));
        break;
    default:
        break;
    }
}

static void append_finding(const struct finding *finding, const struct place *places,
                           struct text *text)
{
    if (finding->kind == FINDING_NOT_LINEARIZABLE) {
        text_append(text, "not linearizable: no legal order of the operations explains their "
                          "results");
        return;
    }
    text_format(text, "%s: ", found[finding->kind]);
    if (finding->kind == FINDING_ASSERTION) {
        const char *name = strrchr(finding->file, '/');
        text_format(text, "%s, in ", finding->sentence);
        append_thread(finding->here.thread, text);
        text_format(text, " at %s:%u", name ? name + 1 : finding->file, finding->line);
        return;
    }
    append_thread(finding->here.thread, text);
    text_append(text, " ");
    append_what(finding, text);
    append_place(&places[0], text);
    if (finding->other.kind == ACCESS_NONE)
        return;
    text_append(text, finding->kind == FINDING_RACE ? " what " : ", as ");
    append_thread(finding->other.thread, text);
    text_format(text, " %s", verb_of(finding->other.kind));
    append_place(&places[1], text);
    if (finding->kind == FINDING_RACE)
        text_append(text, ", and neither happens before the other");
}

/* ---- the execution ---- */

static const char *order_of(const struct execution_event *event)
{
    static const char *const orders[] = {[ORDER_RELAXED] = " relaxed",
                                         [ORDER_CONSUME] = " consume",
                                         [ORDER_ACQUIRE] = " acquire",
                                         [ORDER_RELEASE] = " release",
                                         [ORDER_ACQ_REL] = " acq_rel",
                                         [ORDER_SEQ_CST] = " seq_cst",
                                         [ORDER_PLAIN] = ""};
    return orders[event->order];
}

static void append_access(const struct execution_event *event, struct text *text)
{
    static const char *const reads[] = {[OPERATION_LOAD] = "load",
                                        [OPERATION_EXCHANGE] = "exchange",
                                        [OPERATION_ADD] = "fetch_add",
                                        [OPERATION_SUB] = "fetch_sub",
                                        [OPERATION_AND] = "fetch_and",
                                        [OPERATION_OR] = "fetch_or",
                                        [OPERATION_XOR] = "fetch_xor",
                                        [OPERATION_NAND] = "fetch_nand",
                                        [OPERATION_COMPARE_EXCHANGE] = "compare_exchange",
                                        [OPERATION_ADD_UNLESS] = "add_unless",
                                        [OPERATION_AWAIT] = "await"};
    static const char *const kinds[] = {[EVENT_KIND_BEGIN] = "begins",
                                        [EVENT_KIND_END] = "ends",
                                        [EVENT_KIND_CREATE] = "creates a thread",
                                        [EVENT_KIND_JOIN] = "joins a thread",
                                        [EVENT_KIND_READ] = NULL,
                                        [EVENT_KIND_WRITE] = "store",
                                        [EVENT_KIND_FENCE] = "fence",
                                        [EVENT_KIND_CHOICE] = "chooses"};
    const char *name =
        event->kind == EVENT_KIND_READ ? reads[event->operation] : kinds[event->kind];
    bool ordered = event_is_access(event) || event->kind == EVENT_KIND_FENCE;
    text_format(text, "%s%s", name, ordered ? order_of(event) : "");
}

static const struct execution_event *update_of(const struct execution_graph *graph,
                                               event_number read)
{
    for (event_number i = 0; i < graph->event_count; i++)
        if (graph->events[i].is_update && graph->events[i].before == read)
            return &graph->events[i];
    return NULL;
}

static void append_source(const struct execution_graph *graph, event_number number,
                          const struct place *places, struct text *text)
{
    const struct execution_event *read = &graph->events[number];
    unsigned newer = 0, rank = execution_source_rank(graph, read);
    if (read->source >= 0) {
        text_format(text, "thread %u", graph->events[read->source].thread + 1U);
        if (places[read->source].file)
            text_format(text, ", line %u", places[read->source].line);
    } else {
        text_append(text, "initial");
    }
    for (unsigned at = 0; graph->replay[at] != number; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        newer += event->kind == EVENT_KIND_WRITE && event->location == read->location &&
                 event->rank > rank;
    }
    if (newer)
        text_format(text, "; stale: %u newer", newer);
}

static enum status tell_step(struct testing *testing, const struct execution_graph *graph,
                             event_number number, const struct place *places,
                             const struct text *symbols, lp_access *step)
{
    const struct execution_event *event = &graph->events[number];
    const struct execution_event *update = update_of(graph, number);
    struct text access = TEXT_EMPTY, location = TEXT_EMPTY, held = TEXT_EMPTY, source = TEXT_EMPTY;
    *step = (lp_access){.thread = event->thread + 1U, .line = places[number].line};
    append_access(event, &access);
    step->access = tested_keep(testing, &access);
    if (places[number].file)
        step->file =
            arena_copy_text(&testing->arena, places[number].file, strlen(places[number].file));
    if (!event_is_access(event))
        return step->access ? STATUS_OK : STATUS_LIMIT;
    const void *address = graph->locations[event->location].address;
    if (!places_name(symbols, address, &location))
        text_format(&location, "%p", address);
    text_format(&held, "%" PRId64, (int64_t)event->value);
    if (update)
        text_format(&held, " -> %" PRId64, (int64_t)update->value);
    step->location = tested_keep(testing, &location);
    step->value = tested_keep(testing, &held);
    bool kept = step->access && step->location && step->value;
    if (event->kind == EVENT_KIND_READ) {
        append_source(graph, number, places, &source);
        step->source = tested_keep(testing, &source);
        kept = kept && step->source;
    }
    return kept ? STATUS_OK : STATUS_LIMIT;
}

static enum status tell_trace(struct testing *testing, const struct execution_graph *graph,
                              const struct place *places, struct error *error)
{
    const lp_program *program = testing->program;
    struct text symbols = TEXT_EMPTY;
    lp_access *steps = arena_allocate(&testing->arena, (graph->replay_count + 1) * sizeof *steps);
    size_t count = 0;
    enum status status = steps ? places_read_symbols(text_string(&program->path),
                                                     &program->context->budget, &symbols, error)
                               : STATUS_LIMIT;
    for (unsigned i = 0; status == STATUS_OK && i < graph->replay_count; i++) {
        event_number number = graph->replay[i];
        if (!graph->events[number].is_update)
            status = tell_step(testing, graph, number, places, &symbols, &steps[count++]);
    }
    testing->visible.trace = steps;
    testing->visible.trace_length = count;
    text_release(&symbols);
    return status;
}

static enum status tell_execution(struct testing *testing, const struct execution_graph *graph,
                                  struct error *error)
{
    const void *addresses[EXECUTION_EVENTS];
    struct place places[EXECUTION_EVENTS];
    for (event_number i = 0; i < graph->event_count; i++)
        addresses[i] = graph->events[i].at;
    enum status status = find_places(testing, addresses, graph->event_count, false, places, error);
    if (status == STATUS_OK)
        status = tell_trace(testing, graph, places, error);
    places_release(places, graph->event_count);
    return status;
}

static enum status tell_operations(struct testing *testing, const struct exchange_result *result)
{
    const char **lines =
        arena_zeroed(&testing->arena, (result->operation_count + 1) * sizeof *lines);
    const char **client = arena_zeroed(&testing->arena, (result->edge_count + 1) * sizeof *client);
    if (!lines || !client)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < result->operation_count; i++) {
        const struct exchange_operation_run *run = &result->operations[i];
        struct text text = TEXT_EMPTY;
        if (!run->called)
            continue;
        text_format(&text, "thread %u: ", run->thread + 1U);
        append_call(testing, run, &text);
        text_append(&text, run->finished ? " -> " : " has not returned");
        if (run->finished)
            append_result(run->result, &text);
        if (!(lines[testing->visible.operation_count++] = tested_keep(testing, &text)))
            return STATUS_LIMIT;
    }
    for (uint32_t i = 0; i < result->edge_count; i++) {
        const struct exchange_operation_run *from = &result->operations[result->edges[i].from];
        const struct exchange_operation_run *to = &result->operations[result->edges[i].to];
        struct text text = TEXT_EMPTY;
        append_call(testing, to, &text);
        text_format(&text, " of thread %u begins after ", to->thread + 1U);
        append_call(testing, from, &text);
        text_format(&text, " of thread %u has returned", from->thread + 1U);
        if (!(client[testing->visible.client_count++] = tested_keep(testing, &text)))
            return STATUS_LIMIT;
    }
    testing->visible.operations = lines;
    testing->visible.client = client;
    return STATUS_OK;
}

/* ---- whole answers ---- */

static enum status append_hanging(const struct testing *testing,
                                  const struct exchange_result *result, struct text *text,
                                  struct error *error)
{
    const struct exchange_operation_run *run = &result->operations[result->never_waits];
    text_format(text, "%s: ", found[result->finding.kind]);
    append_call(testing, run, text);
    text_format(text, " of thread %u does not return", run->thread + 1U);
    if (result->may_wait)
        text_format(text, ", but may wait only where %s would answer empty or no",
                    testing->test->spec);
    text_append(text, ": ");
    return tested_append_waits(testing, result, text, error);
}

static enum status tell_finding(struct testing *testing, const struct exchange_result *result,
                                struct error *error)
{
    const struct finding *finding = &result->finding;
    const void *addresses[] = {finding->here.at, finding->other.at};
    struct place places[ARRAY_LENGTH(addresses)];
    struct text reason = TEXT_EMPTY;
    TRY(find_places(testing, addresses, ARRAY_LENGTH(addresses), finding->kind == FINDING_CRASH,
                    places, error));
    if (finding->kind == FINDING_DEADLOCK || finding->kind == FINDING_WAITS)
        TRY(append_hanging(testing, result, &reason, error));
    else
        append_finding(finding, places, &reason);
    places_release(places, ARRAY_LENGTH(places));
    testing->visible.verdict = LP_VIOLATED;
    testing->visible.finding = found[finding->kind];
    testing->visible.reason = tested_keep(testing, &reason);
    TRY(tell_operations(testing, result));
    TRY(tell_execution(testing, &result->graph, error));
    return testing->visible.reason ? STATUS_OK : STATUS_LIMIT;
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
        [END_UNDECIDED] = "an execution could not be decided",
    };
    struct place place;
    struct text reason = TEXT_EMPTY;
    const void *at = result->at;
    if (result->end == END_USAGE)
        return error_set(error, STATUS_USAGE, NULL, 0, "%s", result->finding.sentence);
    TRY(find_places(testing, &at, 1, false, &place, error));
    text_append(&reason, why[result->end]);
    if (result->end == END_NOT_MODELLED)
        text_append(&reason, result->finding.sentence);
    append_place(&place, &reason);
    places_release(&place, 1);
    testing->visible.verdict = LP_UNDECIDED;
    if (result->end == END_TIME && testing->visible.limit == LP_LIMIT_NONE)
        testing->visible.limit = LP_LIMIT_TIME;
    if (result->end == END_MEMORY)
        testing->visible.limit = LP_LIMIT_MEMORY;
    testing->visible.reason = tested_keep(testing, &reason);
    return testing->visible.reason ? STATUS_OK : STATUS_LIMIT;
}

enum status tested_tell(struct testing *testing, const struct scenario *scenario,
                        const struct exchange_result *result, struct error *error)
{
    struct text text = TEXT_EMPTY;
    scenario_print(scenario, &testing->interface.interface, &text);
    testing->visible.scenario = tested_keep(testing, &text);
    if (!testing->visible.scenario)
        return STATUS_LIMIT;
    return result->end == END_FINDING ? tell_finding(testing, result, error)
                                      : tell_undecided(testing, result, error);
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
    testing->visible.covered = tested_keep(testing, &text);
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

enum status tested_tell_holds(struct testing *testing)
{
    struct text reason = TEXT_EMPTY;
    lp_tested *visible = &testing->visible;
    visible->verdict = LP_HOLDS;
    visible->complete = true;
    text_append(&reason, "every behaviour of ");
    if (testing->given)
        text_append(&reason, "the scenario");
    else
        append_bounds(&testing->bounds, &reason);
    text_format(&reason, " under %s was covered, compiled with %s", models[testing->model],
                text_string(&testing->program->compilers));
    append_larger(visible, &reason);
    text_append(&reason, testing->model == LP_MEMORY_RC11
                             ? "; no load buffering"
                             : "; reordering of relaxed accesses by the compiler is not");
    if (testing->model != LP_MEMORY_RC11)
        text_append(&reason, " covered");
    if (visible->hanging > 0) {
        text_append(&reason, "; in ");
        text_append_count(&reason, visible->hanging);
        text_append(&reason, " of the executions operations wait for ever, as they may");
    }
    visible->reason = tested_keep(testing, &reason);
    return visible->reason ? STATUS_OK : STATUS_LIMIT;
}
