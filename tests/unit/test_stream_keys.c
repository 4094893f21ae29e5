/* Objects that monitors decide, or that go from these to the search, have the same answers on
 * several threads as on one: behind every piece of a history the same verdict, event, counts and
 * fault, and in the end the same story. The histories are of every specification, of many keys at
 * once, some of which are violated; some lines are no events, or events of nobody.
 *
 *     test_stream_keys [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "support/prefix.h"
#include "support/seeds.h"
#include "value/print.h"

#define KEYS_MOST 80
#define PROCESSES 100 /* from one key's to the next one's */

static struct seeds seeds = {6, 3};
static unsigned violations, faults, given_up;
static char path[] = "/tmp/linchpin-stream-keys-XXXXXX";

/* ---- histories ---- */

struct event_text {
    struct text *lines; /* of a key, in order */
    size_t count, next;
};

static void append_value(value v, unsigned key, struct text *line)
{
    text_format(line, "[%u ", key);
    value_print_edn(v, line);
    text_append(line, "]}\n");
}

static void write_line(struct event_text *events, const struct prefixes *prefixes,
                       const struct interval *interval, const char *type, unsigned key)
{
    const struct spec_class *class = prefixes->sample.part.spec->class;
    const struct call *call = &interval->call;
    struct text *line = &events->lines[events->count++];
    bool ends = strcmp(type, "ok") == 0;
    text_format(line, "{:process %u, :type :%s, :f :%s, :value ", key * PROCESSES + call->process,
                type, class->operations[call->operation].name);
    append_value(!ends ? call->argument : call->result_known ? call->result : VALUE_NIL, key, line);
}

static void write_key(struct event_text *events, const struct prefixes *prefixes, unsigned key)
{
    const struct part *part = &prefixes->sample.part;
    *events = (struct event_text){.lines = calloc(2 * part->count + 1, sizeof *events->lines)};
    for (uint32_t at = 0; at < part->positions; at++)
        for (uint32_t i = 0; i < part->count; i++) {
            const struct interval *interval = &part->intervals[i];
            const struct fate *fate = &prefixes->fates[i];
            bool completes = interval->response != POSITION_NEVER;
            if (interval->invoke == at)
                write_line(events, prefixes, interval, "invoke", key);
            if (interval->response == at)
                write_line(events, prefixes, interval, "ok", key);
            if (!completes && fate->end == at && at > interval->invoke)
                write_line(events, prefixes, interval, fate->fails ? "fail" : "info", key);
        }
}

static void make_key(const struct subject *subject, struct random *random, unsigned mutate,
                     unsigned key, struct event_text *events)
{
    struct prefixes prefixes = {0};
    struct shape shape = {.operations = 1 + random_below(random, 24),
                          .processes = 1 + random_below(random, 3),
                          .values = random_below(random, 3) ? 0 : 1 + random_below(random, 4),
                          .recalled = 4,
                          .pending_percent = random_below(random, 3),
                          .unknown_percent = random_below(random, 4) ? 0 : 3,
                          .mutate_percent = mutate,
                          .eagerness = random_below(random, 3)};
    *events = (struct event_text){0};
    sample_random(&prefixes.sample, subject, random, &shape);
    if (prefixes.sample.part.count <= PREFIXES_MOST) {
        prefixes_choose_fates(&prefixes, random);
        write_key(events, &prefixes, key);
    }
    sample_release(&prefixes.sample);
}

/* A line that is no event, or one of nobody. */
static void spoil(struct random *random, struct text *log)
{
    static const char *const lines[] = {
        "{:process 9999, :type :ok, :f :read, :value [1 nil]}\n",
        "{:process 9999, :type :invoke, :f :what, :value [1 nil]}\n",
        "{:process 9999, :type\n",
        "{:process :nemesis, :type :info, :f :kill, :value nil}\n",
        "\n",
    };
    text_append(log, lines[random_below(random, ARRAY_LENGTH(lines))]);
}

/* The keys' events, some keys at a time. */
static void make_log(const struct subject *subject, struct random *random, struct text *log)
{
    static struct event_text events[KEYS_MOST];
    unsigned count = 2 + random_below(random, KEYS_MOST - 2), first = 0;
    unsigned at_a_time = 1 + random_below(random, count);
    unsigned wrong = random_below(random, 3), spoils = random_below(random, 3);
    for (unsigned key = 0; key < count; key++) {
        bool mutate = wrong && random_below(random, wrong == 1 ? count : 8) == 0;
        make_key(subject, random, mutate ? 100 : 0, key, &events[key]);
    }
    while (first < count) {
        unsigned last = first + at_a_time < count ? first + at_a_time : count;
        struct event_text *key = &events[first + random_below(random, last - first)];
        if (key->next < key->count)
            text_append(log, text_string(&key->lines[key->next++]));
        if (spoils == 1 && random_below(random, 400) == 0)
            spoil(random, log);
        while (first < count && events[first].next == events[first].count)
            first++;
    }
    for (unsigned key = 0; key < count; key++) {
        for (size_t i = 0; i < events[key].count; i++)
            text_release(&events[key].lines[i]);
        free(events[key].lines);
    }
}

/* ---- monitors ---- */

struct watched {
    lp_context *context;
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
};

static void watch(struct watched *watched, const struct workload *workload,
                  lp_monitor_options options, size_t threads)
{
    lp_error error;
    watched->context = lp_context_create(0);
    const lp_spec_options spec_options = {
        .size = sizeof spec_options, .initial = workload->initial, .owned = workload->owned};
    if (lp_spec_create(watched->context, workload->spec, &spec_options, &watched->spec, &error) !=
        LP_OK)
        fail_msg("%s", error.message);
    const lp_binding binding = {NULL, watched->spec};
    options.jobs = threads;
    if (lp_monitor_create(watched->context, "log", &binding, 1, &options, &watched->monitor,
                          &error) != LP_OK)
        fail_msg("%s", error.message);
}

static void leave(struct watched *watched)
{
    lp_monitor_destroy(watched->monitor);
    lp_spec_destroy(watched->spec);
    lp_context_destroy(watched->context);
}

static bool is_same(const lp_monitor_state *a, const lp_monitor_state *b)
{
    return a->verdict == b->verdict && a->limit == b->limit && a->operations == b->operations &&
           a->running == b->running && a->pending == b->pending && a->skipped == b->skipped &&
           a->objects == b->objects && a->retained == b->retained && a->lines == b->lines &&
           a->line == b->line && a->exact == b->exact && a->given_up == b->given_up &&
           a->given_up_line == b->given_up_line && a->over == b->over;
}

static void print_state(const char *who, const lp_monitor_state *state)
{
    printf("%s: verdict %d, %" PRIu64 " operations, %" PRIu64 " running, %" PRIu64
           " pending, %" PRIu64 " objects, %" PRIu64 " kept, line %" PRIu32 " of %" PRIu32
           ", exact %d, %" PRIu64 " given up from %" PRIu32 "\n",
           who, (int)state->verdict, state->operations, state->running, state->pending,
           state->objects, state->retained, state->line, state->lines, state->exact,
           state->given_up, state->given_up_line);
}

static void expect_same_state(struct watched both[2], const char *name, uint64_t seed)
{
    const lp_monitor_state a = *lp_monitor_look(both[0].monitor);
    const lp_monitor_state b = *lp_monitor_look(both[1].monitor);
    if (is_same(&a, &b))
        return;
    print_state("one thread", &a);
    print_state("several", &b);
    fail_msg("seed %" PRIu64 ", %s: expected the same state", seed, name);
}

static void expect_same_list(const uint32_t *a, size_t length, const uint32_t *b, size_t other)
{
    assert_int_equal(length, other);
    if (length)
        assert_memory_equal(a, b, length * sizeof *a);
}

static void expect_same_story(const lp_violation *a, const lp_violation *b)
{
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->method, b->method);
    if (!a->core_complete || !b->core_complete)
        return; /* how small it got depends on the time */
    expect_same_list(a->core, a->core_length, b->core, b->core_length);
    expect_same_list(a->context, a->context_length, b->context, b->context_length);
}

static void expect_same_result(struct watched both[2])
{
    lp_history *histories[2];
    lp_result *results[2];
    lp_error error;
    for (int i = 0; i < 2; i++)
        assert_int_equal(lp_monitor_result(both[i].monitor, &histories[i], &results[i], &error),
                         LP_OK);
    assert_int_equal(results[0]->verdict, results[1]->verdict);
    assert_string_equal(results[0]->reason, results[1]->reason);
    assert_string_equal(results[0]->method, results[1]->method);
    assert_int_equal(results[0]->operations, results[1]->operations);
    if (results[0]->verdict != LP_VIOLATION) /* what is behind it may have been searched, too */
        assert_int_equal(results[0]->explored, results[1]->explored);
    assert_int_equal(results[0]->parts, results[1]->parts);
    assert_int_equal(lp_history_length(histories[0]), lp_history_length(histories[1]));
    assert_int_equal(results[0]->violation_count, results[1]->violation_count);
    for (size_t i = 0; i < results[0]->violation_count; i++)
        expect_same_story(&results[0]->violations[i], &results[1]->violations[i]);
    for (int i = 0; i < 2; i++) {
        lp_result_destroy(results[i]);
        lp_history_destroy(histories[i]);
    }
}

/* What is written of the one with several threads is the state that it shows. */
static void expect_restored(struct watched *several, const struct workload *workload,
                            lp_monitor_options options, uint64_t seed)
{
    struct watched both[2] = {*several};
    lp_error error;
    bool restored;
    if (lp_monitor_save(several->monitor, path, &error) != LP_OK)
        fail_msg("seed %" PRIu64 ", %s: %s", seed, workload->name, error.message);
    watch(&both[1], workload, options, 2);
    if (lp_monitor_restore(both[1].monitor, path, &restored, &error) != LP_OK)
        fail_msg("seed %" PRIu64 ", %s: %s", seed, workload->name, error.message);
    expect_same_state(both, workload->name, seed);
    leave(&both[1]);
}

/* Whether what was done last went well; it must be the same of both. */
static bool expect_same_status(const lp_status statuses[2], const struct watched both[2],
                               const char *name, uint64_t seed)
{
    if (statuses[0] != statuses[1] ||
        (statuses[0] != LP_OK && (both[0].error.line != both[1].error.line ||
                                  strcmp(both[0].error.message, both[1].error.message) != 0)))
        fail_msg("seed %" PRIu64 ", %s: one thread: %d, %s; several: %d, %s", seed, name,
                 (int)statuses[0], statuses[0] ? both[0].error.message : "", (int)statuses[1],
                 statuses[1] ? both[1].error.message : "");
    return statuses[0] == LP_OK;
}

/* Feeds both all of the log, in the same pieces. Whether it was taken. */
static bool feed_both(struct watched both[2], const struct text *log, struct random *random,
                      const char *name, uint64_t seed)
{
    uint32_t piece = 1 + random_below(random, 3) * random_below(random, 60000);
    unsigned looks = 1 + random_below(random, 4), decides = 1 + random_below(random, 6);
    bool goes_on = true;
    for (size_t at = 0, length; at < log->length && goes_on; at += length) {
        lp_status statuses[2];
        length = 200 + random_below(random, piece);
        length = log->length - at < length ? log->length - at : length;
        for (int i = 0; i < 2; i++)
            statuses[i] =
                lp_monitor_feed(both[i].monitor, text_string(log) + at, length, &both[i].error);
        goes_on = expect_same_status(statuses, both, name, seed);
        if (random_below(random, looks) == 0)
            expect_same_state(both, name, seed);
        if (!goes_on || random_below(random, decides))
            continue;
        for (int i = 0; i < 2; i++)
            statuses[i] = lp_monitor_decide(both[i].monitor, &both[i].error);
        goes_on = expect_same_status(statuses, both, name, seed);
    }
    return goes_on;
}

static void try_seed(const struct subject *subject, uint64_t seed)
{
    struct random random;
    struct text log = TEXT_EMPTY;
    struct watched both[2];
    const char *name = subject->workload->name;
    random_seed(&random, seed);
    make_log(subject, &random, &log);
    lp_monitor_options options = {.size = sizeof options,
                                  .format = "edn",
                                  .independent = true,
                                  .keep = 1 + random_below(&random, 100),
                                  .batch = 1 + random_below(&random, 2000),
                                  .monitors_only = random_below(&random, 8) == 0};
    options.checkpoints = !options.monitors_only && random_below(&random, 3) == 0;
    watch(&both[0], subject->workload, options, 1);
    watch(&both[1], subject->workload, options, 2 + random_below(&random, 3));
    bool taken = feed_both(both, &log, &random, name, seed);
    for (int i = 0; i < 2 && taken; i++)
        assert_int_equal(lp_monitor_decide(both[i].monitor, &both[i].error), LP_OK);
    expect_same_state(both, name, seed);
    const lp_monitor_state *state = lp_monitor_look(both[0].monitor);
    violations += state->verdict == LP_VIOLATION;
    given_up += state->given_up > 0;
    faults += !taken;
    if (taken)
        expect_same_result(both);
    if (options.checkpoints && taken)
        expect_restored(&both[1], subject->workload, options, seed);
    leave(&both[0]);
    leave(&both[1]);
    text_release(&log);
}

static void test_keys(void **state)
{
    (void)state;
    size_t count;
    const struct workload *all = workloads(&count);
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        subject_open(&subject, &all[i]);
        for (unsigned j = 0; j < seeds.count; j++)
            try_seed(&subject, seeds.first + j);
        subject_close(&subject);
    }
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u violations, %u faults, %u with objects given up\n",
           seeds.first, seeds.first + seeds.count - 1, violations, faults, given_up);
    assert_true(violations > seeds.count && faults > 0);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys)};
    close(mkstemp(path));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
