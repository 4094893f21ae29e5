/* Histories without end, decided batch by batch: on every prefix at which a batch ends the answer
 * is that of the definition (support/oracle.h), for every specification, with operations that run,
 * fail and stay pending.
 *
 *     test_stream [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "api/objects.h"
#include "decide/check.h"
#include "stream/configurations.h"
#include "stream/continued.h"
#include "support/prefix.h"
#include "support/reading.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 120};

struct trial {
    const struct subject *subject;
    struct prefixes prefixes;
    uint64_t violations, batches;
};

static void know(const struct trial *trial, uint32_t i, uint32_t end,
                 struct stream_operation *operation)
{
    operation->stage = (uint8_t)prefixes_know(&trial->prefixes, i, end, &operation->call);
}

static struct stream_operation *find(struct stream_object *object, uint64_t serial)
{
    for (size_t i = 0; i < object->operations.length; i++)
        if (object->operations.items[i].serial == serial)
            return &object->operations.items[i];
    return NULL;
}

/* The events from `begin` to `end`. */
static enum possible run_batch(const struct trial *trial, struct configurations *configurations,
                               struct stream_object *object, uint32_t begin, uint32_t end)
{
    const struct part *part = &trial->prefixes.sample.part;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        struct stream_operation *known = find(object, i);
        if (known && known->stage == STAGE_RUNNING)
            know(trial, i, end, known);
        if (interval->invoke < begin || interval->invoke >= end)
            continue;
        struct stream_operation operation = {.serial = i};
        know(trial, i, end, &operation);
        assert_true(vector_push(&object->operations, operation));
    }
    enum possible possible = configurations_begin(configurations, object);
    for (uint32_t at = begin; at < end && possible == POSSIBLE; at++)
        for (uint32_t i = 0; i < part->count && possible == POSSIBLE; i++) {
            const struct interval *interval = &part->intervals[i];
            if (interval->invoke != at && interval->response != at)
                continue;
            struct stream_operation *operation = find(object, i);
            uint32_t number = (uint32_t)(operation - object->operations.items);
            possible = interval->invoke == at ? configurations_invoke(configurations, number)
                                              : configurations_respond(configurations, number);
        }
    return possible == POSSIBLE ? configurations_end(configurations) : possible;
}

static void fail_with(const struct trial *trial, uint64_t seed, uint32_t begin, uint32_t end,
                      bool expected)
{
    struct text text = TEXT_EMPTY;
    prefixes_print(&trial->prefixes, &text);
    fail_msg("seed %" PRIu64 ", %s, the batch from %u to %u: expected %s: %s", seed,
             trial->subject->workload->name, begin, end, expected ? "possible" : "impossible",
             text_string(&text));
}

/* Cuts the sample into batches of up to `most` events. */
static void try_sample(struct trial *trial, struct random *random, uint64_t seed, uint32_t most)
{
    const struct part *part = &trial->prefixes.sample.part;
    struct limits limits;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    struct configurations configurations;
    struct stream_object object;
    configurations_init(&configurations, &limits);
    assert_true(stream_object_init(&object, part->spec, part->key, &budget));
    for (uint32_t begin = 0, end; begin < part->positions; begin = end) {
        end = begin + 1 + random_below(random, most);
        end = end < part->positions ? end : part->positions;
        enum possible possible = run_batch(trial, &configurations, &object, begin, end);
        bool expected = prefixes_linearizable(&trial->prefixes, end);
        assert_int_not_equal(possible, POSSIBLE_REFUSED);
        trial->batches++;
        if ((possible == POSSIBLE) != expected)
            fail_with(trial, seed, begin, end, expected);
        if (!expected) {
            trial->violations++;
            break;
        }
    }
    stream_object_release(&object);
    configurations_release(&configurations);
    assert_int_equal(budget.used, 0);
}

static void try_seed(struct trial *trial, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 1 + random_below(&random, 8),
                          .processes = 1 + random_below(&random, 4),
                          .values = random_below(&random, 4),
                          .recalled = 4,
                          .pending_percent = random_below(&random, 3) * 15,
                          .unknown_percent = random_below(&random, 3) * 10,
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4)};
    sample_random(&trial->prefixes.sample, trial->subject, &random, &shape);
    const struct part *part = &trial->prefixes.sample.part;
    if (part->count > 8)
        return;
    prefixes_choose_fates(&trial->prefixes, &random);
    try_sample(trial, &random, seed, 1);
    try_sample(trial, &random, seed, 4);
    try_sample(trial, &random, seed, 12);
}

static void test_prefixes(void **state)
{
    (void)state;
    size_t count;
    const struct workload *all = workloads(&count);
    uint64_t batches = 0, violations = 0;
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        subject_open(&subject, &all[i]);
        struct trial trial = {.subject = &subject};
        for (unsigned j = 0; j < seeds.count; j++)
            try_seed(&trial, seeds.first + j);
        batches += trial.batches;
        violations += trial.violations;
        sample_release(&trial.prefixes.sample);
        subject_close(&subject);
    }
    printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " batches, %" PRIu64 " violations\n",
           seeds.first, seeds.first + seeds.count - 1, batches, violations);
    assert_true(violations > seeds.count);
}

/* A program that tells what it does finds out when its queue hands out 2 before 1, and is told by
 * what. */
static void test_monitor(void **state)
{
    (void)state;
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "queue", NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .keep = 4, .batch = 8};
    assert_int_equal(lp_monitor_create(context, "queue", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    lp_value one = lp_value_integer(context, 1), nil = LP_VALUE_NIL;
    for (int64_t i = 0; i < 200; i++) {
        lp_value item = lp_value_integer(context, i % 2 ? i - 1 : i);
        lp_value answer = lp_value_integer(context, i == 151 ? 7 : i - 1);
        const char *function = i % 2 ? "dequeue" : "enqueue";
        assert_int_equal(lp_monitor_invoke(monitor, one, function, i % 2 ? nil : item, &error),
                         LP_OK);
        assert_int_equal(
            lp_monitor_complete(monitor, one, LP_OUTCOME_OK, i % 2 ? answer : nil, &error), LP_OK);
        assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
        assert_int_equal(lp_monitor_look(monitor)->verdict,
                         i < 151 ? LP_LINEARIZABLE : LP_VIOLATION);
    }
    assert_int_equal(lp_monitor_look(monitor)->line, 2 * 151 + 2);
    assert_true(lp_monitor_look(monitor)->exact);
    lp_history *history;
    lp_result *result;
    assert_int_equal(lp_monitor_result(monitor, &history, &result, &error), LP_OK);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_int_equal(result->operations, 152);
    assert_true(lp_history_length(history) < 30);
    assert_true(result->violations[0].core_length > 0);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

static void tell(lp_monitor *monitor, lp_value process, const char *function, lp_value argument,
                 lp_outcome outcome, lp_value result)
{
    lp_error error;
    assert_int_equal(lp_monitor_invoke(monitor, process, function, argument, &error), LP_OK);
    assert_int_equal(lp_monitor_complete(monitor, process, outcome, result, &error), LP_OK);
}

/* What is kept of a queue with many pending operations is little more than these, in 64 bytes each
 * and as much room to grow, their clients' names among it; and all of them are in the story. */
static void test_pending_operations_are_kept_once(void **state)
{
    (void)state;
    enum {
        FIRST = 5000,
        PENDING = 40000
    };
    size_t first = 0;
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "queue", NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .keep = 100};
    assert_int_equal(lp_monitor_create(context, "queue", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    lp_value nil = LP_VALUE_NIL, client = lp_value_integer(context, 0);
    for (int64_t i = 1; i <= PENDING; i++) {
        lp_value other = lp_value_integer(context, i);
        tell(monitor, other, "enqueue", other, LP_OUTCOME_UNKNOWN, nil);
        for (int64_t j = 0; j < 3; j++) {
            lp_value added = lp_value_integer(context, PENDING + 3 * i + j);
            tell(monitor, client, "enqueue", added, LP_OUTCOME_OK, nil);
            tell(monitor, client, "dequeue", nil, LP_OUTCOME_OK, added);
        }
        if (i % 1000 == 0)
            assert_true(lp_monitor_look(monitor)->retained < 2 * (uint64_t)i + 6000);
        if (i == FIRST)
            first = lp_monitor_look(monitor)->memory;
    }
    assert_true(lp_monitor_look(monitor)->memory - first < 2 * 64 * (PENDING - FIRST));
    tell(monitor, client, "dequeue", nil, LP_OUTCOME_OK, lp_value_integer(context, -1));
    assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
    assert_int_equal(lp_monitor_look(monitor)->verdict, LP_VIOLATION);
    lp_history *history;
    lp_result *result;
    assert_int_equal(lp_monitor_result(monitor, &history, &result, &error), LP_OK);
    assert_true(lp_history_length(history) > PENDING);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

/* What waits in a client's queue is in no operation yet, and would be forgotten. */
static void test_forgetful_monitor_has_no_clients(void **state)
{
    (void)state;
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_client *client;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "queue", NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .forget = true};
    assert_int_equal(lp_monitor_create(context, "queue", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    assert_int_equal(lp_client_create(monitor, lp_value_integer(context, 1), &client, &error),
                     LP_USAGE);
    assert_non_null(strstr(error.message, "without `forget`"));
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

/* 1 and 2 are in the set at first, and nobody removes 2 twice: each element is counted by itself.
 */
static void test_sets_begin_with_their_elements(void **state)
{
    (void)state;
    static const char *const calls[][3] = {{"contains", "1", "true"},  {"add", "1", "false"},
                                           {"contains", "3", "false"}, {"remove", "2", "true"},
                                           {"contains", "2", "false"}, {"remove", "2", "true"}};
    lp_context *context = lp_context_create(0);
    const lp_spec_options of = {.size = sizeof of, .initial = "[1 2]"};
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "set", &of, &spec, &error), LP_OK);
    const lp_binding binding = {NULL, spec};
    const lp_monitor_options options = {.size = sizeof options, .format = "edn"};
    assert_int_equal(lp_monitor_create(context, "set", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
        struct text lines = TEXT_EMPTY;
        text_format(&lines,
                    "{:process 0, :type :invoke, :f :%s, :value %s}\n"
                    "{:process 0, :type :ok, :f :%s, :value %s}\n",
                    calls[i][0], calls[i][1], calls[i][0], calls[i][2]);
        assert_int_equal(lp_monitor_feed(monitor, text_string(&lines), lines.length, &error),
                         LP_OK);
        assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
        const bool last = i + 1 == ARRAY_LENGTH(calls);
        assert_int_equal(lp_monitor_look(monitor)->verdict, last ? LP_VIOLATION : LP_LINEARIZABLE);
        text_release(&lines);
    }
    assert_int_equal(lp_monitor_look(monitor)->line, 2 * ARRAY_LENGTH(calls));
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

/* Lines of which the last is refused where it comes, with what is said of it. */
static void expect_refused(const char *specification, lp_monitor_options options, const char *lines,
                           unsigned line, const char *message)
{
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    options.size = sizeof options;
    options.format = "edn";
    assert_int_equal(lp_spec_create(context, specification, NULL, &spec, &error), LP_OK);
    const lp_binding binding = {NULL, spec};
    assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    assert_int_equal(lp_monitor_feed(monitor, lines, strlen(lines), &error), LP_INPUT);
    if (error.line != line || !strstr(error.message, message))
        fail_msg("expected line %u: %s, found line %u: %s", line, message, error.line,
                 error.message);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

static void test_lines_are_refused_where_they_come(void **state)
{
    (void)state;
    const lp_monitor_options plain = {.keep = 0};
    expect_refused("map", plain,
                   "{:process 0, :type :invoke, :f :get, :value 1}\n"
                   "{:process 0, :type :ok, :f :get, :value [1 7]}\n",
                   2, "expected the value of the key, found a list of the key and a value");
    expect_refused("register", plain,
                   "{:process 0, :type :invoke, :f :write, :value 1, :time 10}\n"
                   "{:process 0, :type :ok, :f :write, :value 1, :time 5}\n",
                   2, "the times run backwards: 5, after 10 in line 1");
    expect_refused("register", (lp_monitor_options){.monitors_only = true},
                   "{:process 0, :type :invoke, :f :write, :value 1, :time \"noon\"}\n", 1,
                   "expected an integer as `time`, found something else");
    /* Each object may be of another specification. */
    expect_refused("counter", (lp_monitor_options){.inferred = true},
                   "{:process 0, :type :invoke, :f :inc, :value nil}\n"
                   "{:process 0, :type :ok, :f :inc, :value nil}\n"
                   "{:process 0, :type :invoke, :f :inc, :value nil, :object \"b\"}\n",
                   3, "expected an operation from which counter is inferred, found another");
}

/* Two keys are violated; the one that is so first is searched within so many bytes. What the
 * monitor knows behind that; false: the limit was reached otherwise, or not at all. */
static bool give_up_first_key(size_t bytes, lp_monitor_state *found)
{
    static const char *const keys[] = {"{:process 0, :type :invoke, :f :append, :value [1 \"x\"]}\n"
                                       "{:process 0, :type :ok, :f :append, :value nil}\n"
                                       "{:process 0, :type :invoke, :f :get, :value 1}\n"
                                       "{:process 0, :type :ok, :f :get, :value \"y\"}\n",
                                       "{:process 0, :type :invoke, :f :get, :value 2}\n"
                                       "{:process 0, :type :ok, :f :get, :value \"z\"}\n"};
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "map", NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .format = "edn"};
    assert_int_equal(lp_monitor_create(context, "map", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    assert_int_equal(lp_monitor_feed(monitor, keys[0], strlen(keys[0]), &error), LP_OK);
    context->budget.limit = atomic_load(&context->budget.used) + bytes;
    const bool decided = lp_monitor_decide(monitor, &error) == LP_OK &&
                         lp_monitor_look(monitor)->verdict == LP_UNKNOWN;
    context->budget.limit = 0;
    if (decided) {
        assert_int_equal(lp_monitor_feed(monitor, keys[1], strlen(keys[1]), &error), LP_OK);
        assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
        *found = *lp_monitor_look(monitor);
    }
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
    return decided;
}

/* What nothing is known of may have been violated earlier. */
static void test_nothing_is_exact_behind_what_was_given_up(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (size_t bytes = 1; bytes < 20000; bytes += 1 + bytes / 16) {
        lp_monitor_state found;
        if (!give_up_first_key(bytes, &found))
            continue;
        assert_int_equal(found.verdict, LP_VIOLATION);
        assert_int_equal(found.given_up, 1);
        assert_int_equal(found.line, 6);
        assert_false(found.exact); /* it is line 4 */
        tried++;
    }
    assert_true(tried > 0);
}

/* ---- histories that go on ---- */

static const struct workload *register_workload(void)
{
    size_t count;
    const struct workload *all = workloads(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, "register") == 0)
            return &all[i];
    fail_msg("there is no register");
    return NULL;
}

/* The verdict on a history of a register that goes on in one of some states, in which operations
 * of process 0 have taken effect, which is process 7 here. */
static enum verdict decide_continued(const int64_t *states, size_t count, bool taken,
                                     const char *text)
{
    struct subject subject;
    subject_open(&subject, register_workload());
    struct continued *continued = continued_create(subject.spec, false, &subject.budget);
    assert_non_null(continued);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = value_small(states[i]);
        struct continued_call call = {0, 7};
        assert_true(continued_add(continued, &word, 1, &call, taken));
    }
    struct spec *spec = continued_spec(continued);
    struct library library;
    struct error error;
    struct check check;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), "json");
    struct binding binding = {.spec = spec};
    struct check_options options = {
        .bind = {.bindings = &binding, .binding_count = 1}, .method = METHOD_AUTO, .threads = 1};
    assert_int_equal(check_history(history, &options, &library.limits, &check, &error), STATUS_OK);
    enum verdict verdict = check.verdict;
    check_release(&check);
    history_destroy(history);
    library_close(&library);
    spec_destroy(spec);
    subject_close(&subject);
    return verdict;
}

#define READ(process, value)                                                                       \
    "{\"process\":" process ",\"type\":\"invoke\",\"f\":\"read\"}\n"                               \
    "{\"process\":" process ",\"type\":\"ok\",\"f\":\"read\",\"value\":" value "}\n"

/* The first read decides which of the states it was, so the second has no choice. */
static void test_read_decides_where_it_goes_on(void **state)
{
    (void)state;
    const int64_t states[] = {1, 2};
    assert_int_equal(decide_continued(states, 2, false, READ("0", "1") READ("1", "1")),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_continued(states, 2, false, READ("0", "2") READ("1", "2")),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_continued(states, 2, false, READ("0", "1") READ("1", "2")),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_continued(states, 2, false, READ("0", "3")), VERDICT_VIOLATION);
}

/* A read that has taken effect answers what it then read, whatever the state is now, and once. */
static void test_operation_that_has_taken_effect_goes_on(void **state)
{
    (void)state;
    const int64_t states[] = {1};
    assert_int_equal(decide_continued(states, 1, true, READ("0", "5") READ("1", "1")),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_continued(states, 1, true, READ("0", "5") READ("0", "5")),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_continued(states, 1, false, READ("0", "5")), VERDICT_VIOLATION);
}

/* ---- what counts, behind a cut ---- */

#define EVENT(process, type, f, value)                                                             \
    "{:process " #process ", :type :" #type ", :f :" f ", :value " value "}\n"
#define CALL(process, f, value)       EVENT(process, invoke, f, value)
#define ANSWERS(process, f, value)    EVENT(process, ok, f, value)
#define DO(process, f, value, answer) CALL(process, f, value) ANSWERS(process, f, answer)
#define TEN_TIMES(events)             events events events events events events events events events events

struct account {
    const char *spec, *events;
    uint32_t line; /* of the violation; 0: there is none */
};

#define APPENDED_AGAIN(value)                                                                      \
    CALL(1, "append", "[:x 1]")                                                                    \
    CALL(2, "append", "[:x 2]")                                                                    \
    CALL(3, "append", "[:x 3]")                                                                    \
    TEN_TIMES(DO(0, "get", ":x", "[1 2 3]")) DO(0, "get", ":x", "[1 2 3 " value "]")

#define PENDING_PUT    CALL(1, "put", "[:x 1]") EVENT(1, info, "put", "[:x 1]")
#define PENDING_CAS    CALL(2, "cas", "[:x 0 1]") EVENT(2, info, "cas", "[:x 0 1]")
#define BEFORE_PENDING DO(0, "append", "[:x 5]", "nil") DO(0, "put", "[:x 0]", "nil")
#define BEHIND_PENDING                                                                             \
    TEN_TIMES(DO(0, "get", ":x", "1")) DO(0, "put", "[:x 2]", "nil") DO(0, "get", ":x", "1")

static const struct account accounts[] = {
    /* What a read has seen failed, or was somebody else's. */
    {"counter",
     CALL(1, "inc", "nil") CALL(2, "inc", "nil") DO(0, "read", "nil", "1") TEN_TIMES(
         DO(0, "inc", "nil", "nil")) EVENT(1, fail, "inc", "nil") EVENT(2, fail, "inc", "nil"),
     26},
    {"counter",
     CALL(1, "inc", "nil") CALL(2, "inc", "nil") DO(0, "read", "nil", "1")
         TEN_TIMES(DO(0, "inc", "nil", "nil")) EVENT(1, fail, "inc", "nil") ANSWERS(2, "inc", "nil")
             DO(0, "read", "nil", "11") DO(0, "read", "nil", "12"),
     30},
    /* A read may answer what was so while it ran, and nothing else. */
    {"counter",
     DO(0, "inc", "nil", "nil") CALL(1, "read", "nil") TEN_TIMES(DO(0, "inc", "nil", "nil"))
         ANSWERS(1, "read", "6") DO(0, "read", "nil", "11"),
     0},
    {"counter",
     DO(0, "inc", "nil", "nil") CALL(1, "read", "nil") TEN_TIMES(DO(0, "inc", "nil", "nil"))
         ANSWERS(1, "read", "0"),
     24},
    /* The same when something else has been added meanwhile. */
    {"counter",
     DO(0, "inc", "nil", "nil") CALL(1, "read", "nil") CALL(2, "read", "nil")
         TEN_TIMES(DO(0, "inc", "nil", "nil")) CALL(0, "add", "5") ANSWERS(1, "read", "6")
             ANSWERS(0, "add", "nil") ANSWERS(2, "read", "16"),
     0},
    {"counter",
     DO(0, "inc", "nil", "nil") CALL(1, "read", "nil") TEN_TIMES(DO(0, "inc", "nil", "nil"))
         DO(0, "add", "5", "nil") ANSWERS(1, "read", "12"),
     26},
    /* Nothing adds 0, and runs on. */
    {"counter",
     CALL(1, "add", "0") TEN_TIMES(DO(0, "inc", "nil", "nil")) DO(0, "add", "5", "nil")
         ANSWERS(1, "add", "nil") DO(0, "read", "nil", "15"),
     0},
    {"semaphore(2)",
     DO(0, "acquire", "nil", "nil") CALL(1, "release", "nil") DO(0, "acquire", "nil", "nil")
         DO(0, "acquire", "nil", "nil")
             TEN_TIMES(DO(0, "release", "nil", "nil") DO(0, "acquire", "nil", "nil"))
                 EVENT(1, fail, "release", "nil"),
     48},
    /* A key is not decided for good while an append runs, and another is violated meanwhile. */
    {"map",
     CALL(0, "append", "[:y 1]") DO(1, "get", ":y", "7") CALL(1, "get", ":y")
         DO(2, "append", "[:x 1]", "nil") DO(2, "get", ":x", "9"),
     3},
    /* What still runs has taken effect long before, and takes none once more. */
    {"map", APPENDED_AGAIN("1"), 25},
    {"map", APPENDED_AGAIN("2"), 25},
    {"map", APPENDED_AGAIN("3"), 25},
    /* Either may have led to the first 1: the one that asks for nothing is needed for the second.
     */
    {"map", BEFORE_PENDING PENDING_PUT PENDING_CAS BEHIND_PENDING, 0},
    {"map", BEFORE_PENDING PENDING_CAS PENDING_PUT BEHIND_PENDING, 0},
    {"map",
     BEFORE_PENDING PENDING_PUT PENDING_CAS BEHIND_PENDING DO(0, "put", "[:x 3]", "nil")
         DO(0, "get", ":x", "1"),
     36},
    {"map",
     BEFORE_PENDING PENDING_CAS PENDING_PUT BEHIND_PENDING DO(0, "put", "[:x 3]", "nil")
         DO(0, "get", ":x", "1"),
     36},
    /* Only process 2 can have added what 4 found, and search has taken over. */
    {"set",
     CALL(3, "remove", "1") CALL(1, "remove", "1") CALL(0, "remove", "1")
         ANSWERS(1, "remove", "false") CALL(2, "add", "1") CALL(5, "add", "1") CALL(4, "add", "1")
             ANSWERS(4, "add", "false") CALL(1, "add", "1") EVENT(5, fail, "add", "1")
                 CALL(6, "add", "1") ANSWERS(3, "remove", "false") CALL(4, "contains", "1")
                     ANSWERS(1, "add", "nil") CALL(1, "remove", "1") EVENT(2, fail, "add", "1")
                         CALL(3, "contains", "1") EVENT(4, info, "contains", "1")
                             ANSWERS(1, "remove", "true"),
     16},
};

static void try_account(const struct account *account, size_t batch)
{
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, account->spec, NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {
        .size = sizeof options, .keep = 1, .batch = batch, .format = "edn"};
    assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    assert_int_equal(lp_monitor_feed(monitor, account->events, strlen(account->events), &error),
                     LP_OK);
    assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
    const lp_monitor_state *state = lp_monitor_look(monitor);
    if (state->verdict != (account->line ? LP_VIOLATION : LP_LINEARIZABLE) ||
        state->line != account->line || state->exact != (account->line > 0))
        fail_msg("batches of %zu, %s: expected line %u, found the verdict %d, line %u, of\n%s",
                 batch, account->spec, account->line, (int)state->verdict, state->line,
                 account->events);
    lp_history *history;
    lp_result *result;
    assert_int_equal(lp_monitor_result(monitor, &history, &result, &error), LP_OK);
    assert_int_equal(result->verdict, state->verdict);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

static void test_accounts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(accounts); i++)
        for (size_t batch = 1; batch < 8; batch++)
            try_account(&accounts[i], batch);
}

struct use {
    const char *spec, *there, *back;
    bool answers;
};

/* What is kept of what counts does not grow, however long one of its operations runs. */
static void test_counts_are_level(void **state)
{
    (void)state;
    static const struct use uses[] = {{"counter", "inc", "inc", false},
                                      {"semaphore(9)", "acquire", "release", false},
                                      {"mutex", "acquire", "release", false},
                                      {"set", "add", "remove", true}};
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++) {
        const struct use *use = &uses[i];
        lp_context *context = lp_context_create(0);
        lp_spec *spec;
        lp_monitor *monitor;
        lp_error error;
        assert_int_equal(lp_spec_create(context, use->spec, NULL, &spec, &error), LP_OK);
        lp_binding binding = {NULL, spec};
        lp_monitor_options options = {.size = sizeof options, .keep = 100};
        assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                         LP_OK);
        lp_value client = lp_value_integer(context, 0), other = lp_value_integer(context, 1);
        lp_value argument = use->answers ? other : LP_VALUE_NIL;
        lp_value answer = use->answers ? lp_value_boolean(true) : LP_VALUE_NIL;
        assert_int_equal(lp_monitor_invoke(monitor, other, use->there, argument, &error), LP_OK);
        for (size_t j = 0; j < 10000; j++) {
            tell(monitor, client, use->there, argument, LP_OUTCOME_OK, answer);
            tell(monitor, client, use->back, argument, LP_OUTCOME_OK, answer);
            assert_true(lp_monitor_look(monitor)->retained < 6000);
        }
        assert_int_equal(lp_monitor_look(monitor)->verdict, LP_LINEARIZABLE);
        lp_monitor_destroy(monitor);
        lp_spec_destroy(spec);
        lp_context_destroy(context);
    }
}

/* An element of a set that is left alone takes little. */
static void test_idle_elements_are_small(void **state)
{
    (void)state;
    enum {
        ELEMENTS = 20000
    };
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "set", NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .keep = 100};
    assert_int_equal(lp_monitor_create(context, "set", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    lp_value client = lp_value_integer(context, 0);
    for (int64_t i = 0; i < ELEMENTS; i++)
        tell(monitor, client, "add", lp_value_integer(context, i), LP_OUTCOME_OK,
             lp_value_boolean(true));
    printf("%.0f bytes an element\n", (double)lp_monitor_look(monitor)->memory / ELEMENTS);
    assert_true(lp_monitor_look(monitor)->memory < (uint64_t)1200 * ELEMENTS);
    tell(monitor, client, "add", lp_value_integer(context, 7), LP_OUTCOME_OK,
         lp_value_boolean(true));
    assert_int_equal(lp_monitor_look(monitor)->verdict, LP_VIOLATION);
    assert_int_equal(lp_monitor_look(monitor)->line, 2 * ELEMENTS + 2);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

/* A container of its own for each key, and one of them is left alone once it is empty. */
static void leave_empty(const char *name, const char *add, const char *remove)
{
    enum {
        CONTAINERS = 5000
    };
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, name, NULL, &spec, &error), LP_OK);
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options, .keep = 100, .independent = true};
    assert_int_equal(lp_monitor_create(context, name, &binding, 1, &options, &monitor, &error),
                     LP_OK);
    lp_value client = lp_value_integer(context, 0), seven = lp_value_integer(context, 7);
    for (int64_t i = 0; i <= CONTAINERS; i++) {
        lp_value key = lp_value_integer(context, i < CONTAINERS ? i : 9);
        lp_value item[] = {key, seven}, nothing[] = {key, LP_VALUE_NIL};
        lp_value added = lp_value_list(context, item, 2);
        lp_value asked = lp_value_list(context, nothing, 2);
        if (i < CONTAINERS)
            tell(monitor, client, add, added, LP_OUTCOME_OK, added);
        else
            assert_true(lp_monitor_look(monitor)->memory < (uint64_t)1200 * CONTAINERS);
        tell(monitor, client, remove, asked, LP_OUTCOME_OK, added);
    }
    assert_int_equal(lp_monitor_decide(monitor, &error), LP_OK);
    assert_int_equal(lp_monitor_look(monitor)->verdict, LP_VIOLATION);
    assert_int_equal(lp_monitor_look(monitor)->line, 4 * CONTAINERS + 2);
    assert_true(lp_monitor_look(monitor)->exact);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
}

static void test_empty_containers_are_small(void **state)
{
    (void)state;
    leave_empty("queue", "enqueue", "dequeue");
    leave_empty("stack", "push", "pop");
    leave_empty("priority-queue", "insert", "delete-min");
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_monitor),
        cmocka_unit_test(test_forgetful_monitor_has_no_clients),
        cmocka_unit_test(test_sets_begin_with_their_elements),
        cmocka_unit_test(test_lines_are_refused_where_they_come),
        cmocka_unit_test(test_nothing_is_exact_behind_what_was_given_up),
        cmocka_unit_test(test_pending_operations_are_kept_once),
        cmocka_unit_test(test_accounts),
        cmocka_unit_test(test_counts_are_level),
        cmocka_unit_test(test_idle_elements_are_small),
        cmocka_unit_test(test_empty_containers_are_small),
        cmocka_unit_test(test_read_decides_where_it_goes_on),
        cmocka_unit_test(test_operation_that_has_taken_effect_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
