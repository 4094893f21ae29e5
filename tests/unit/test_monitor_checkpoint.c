/* A monitor that is written to a file and read again, in another context and so with its values at
 * other places, answers what one does that nothing interrupted: on random histories of every
 * specification, at random moments, line by line. A file that was damaged, or is of another
 * question, is refused. And the line that a monitor names is the first one that the definition
 * rejects.
 *
 *     test_monitor_checkpoint [FIRST_SEED [COUNT]] */
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

#include "base/sections.h"
#include "stream/checkpoint.h"
#include "support/prefix_lines.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 8};
static char path[] = "/tmp/linchpin-monitor-checkpoint-XXXXXX";

/* ---- monitors ---- */

struct watched {
    const struct workload *workload;
    lp_monitor_options options;
    lp_context *context;
    lp_spec *spec;
    lp_monitor *monitor;
};

static void watch(struct watched *watched)
{
    lp_error error;
    watched->context = lp_context_create(0);
    const lp_spec_options options = {.size = sizeof options,
                                     .initial = watched->workload->initial,
                                     .owned = watched->workload->owned};
    if (lp_spec_create(watched->context, watched->workload->spec, &options, &watched->spec,
                       &error) != LP_OK)
        fail_msg("%s", error.message);
    const lp_binding binding = {NULL, watched->spec};
    watched->options.size = sizeof watched->options;
    watched->options.checkpoints = true;
    watched->options.format = "edn";
    if (lp_monitor_create(watched->context, "log", &binding, 1, &watched->options,
                          &watched->monitor, &error) != LP_OK)
        fail_msg("%s", error.message);
}

static void leave(struct watched *watched)
{
    lp_monitor_destroy(watched->monitor);
    lp_spec_destroy(watched->spec);
    lp_context_destroy(watched->context);
}

static void go_on_from_file(struct watched *watched)
{
    lp_error error;
    bool restored;
    if (lp_monitor_save(watched->monitor, path, &error) != LP_OK)
        fail_msg("%s", error.message);
    leave(watched);
    watch(watched);
    if (lp_monitor_restore(watched->monitor, path, &restored, &error) != LP_OK)
        fail_msg("%s", error.message);
    assert_true(restored);
}

/* What is compared; not the memory, nor what is of another context. */
static lp_monitor_state seen(struct watched *watched)
{
    lp_monitor_state state = *lp_monitor_look(watched->monitor);
    state.memory = 0;
    return state;
}

static bool is_same(const lp_monitor_state *a, const lp_monitor_state *b)
{
    return a->verdict == b->verdict && a->operations == b->operations && a->running == b->running &&
           a->pending == b->pending && a->skipped == b->skipped && a->objects == b->objects &&
           a->retained == b->retained && a->lines == b->lines && a->line == b->line &&
           a->exact == b->exact && a->given_up == b->given_up &&
           a->given_up_line == b->given_up_line;
}

/* Of the two at their ends: the answers, with what is told. */
static void compare_results(struct watched *whole, struct watched *cut, uint64_t seed)
{
    lp_history *histories[2];
    lp_result *results[2];
    lp_error error;
    struct watched *both[] = {whole, cut};
    for (int i = 0; i < 2; i++)
        if (lp_monitor_result(both[i]->monitor, &histories[i], &results[i], &error) != LP_OK)
            fail_msg("seed %" PRIu64 ", %s, %s: %s", seed, whole->workload->name,
                     i ? "interrupted" : "not interrupted", error.message);
    assert_int_equal(results[0]->verdict, results[1]->verdict);
    assert_int_equal(results[0]->operations, results[1]->operations);
    assert_int_equal(lp_history_length(histories[0]), lp_history_length(histories[1]));
    if (results[0]->verdict != LP_VIOLATION) /* the story's check may find other orders first */
        assert_int_equal(results[0]->explored, results[1]->explored);
    assert_int_equal(results[0]->violation_count, results[1]->violation_count);
    for (int i = 0; i < 2; i++) {
        lp_result_destroy(results[i]);
        lp_history_destroy(histories[i]);
    }
}

static uint64_t cuts, violations, unknown;

static void try_history(const struct workload *workload, const struct prefix_lines *written,
                        struct random *random, uint64_t seed)
{
    struct watched whole = {
        .workload = workload,
        .options = {.keep = 1 + random_below(random, 8), .batch = 1 + random_below(random, 24)}};
    struct watched cut = {.workload = workload, .options = whole.options};
    uint32_t often = 1 + random_below(random, 10), decide = 2 + random_below(random, 20);
    lp_error error;
    watch(&whole);
    watch(&cut);
    lp_status status = LP_OK;
    for (size_t i = 0; i < written->count && status == LP_OK; i++) {
        const struct text *line = &written->lines[i];
        if (random_below(random, often) == 0) {
            go_on_from_file(&cut);
            cuts++;
        }
        bool decides = random_below(random, decide) == 0;
        status = lp_monitor_feed(whole.monitor, text_string(line), line->length, &error);
        lp_status other = lp_monitor_feed(cut.monitor, text_string(line), line->length, &error);
        if (status == LP_OK && decides) {
            status = lp_monitor_decide(whole.monitor, &error);
            other = lp_monitor_decide(cut.monitor, &error);
        }
        assert_int_equal(status, other);
        const lp_monitor_state a = seen(&whole), b = seen(&cut);
        if (!is_same(&a, &b))
            fail_msg("seed %" PRIu64 ", %s, line %zu: expected the same state of both", seed,
                     workload->name, i + 1);
        if (a.verdict == LP_VIOLATION)
            break;
    }
    if (status == LP_OK) {
        assert_int_equal(lp_monitor_decide(whole.monitor, &error), LP_OK);
        assert_int_equal(lp_monitor_decide(cut.monitor, &error), LP_OK);
        violations += seen(&whole).verdict == LP_VIOLATION;
        compare_results(&whole, &cut, seed);
    }
    leave(&whole);
    leave(&cut);
}

static void try_seed(const struct subject *subject, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 1 + random_below(&random, 24),
                          .processes = 1 + random_below(&random, 4),
                          .values = random_below(&random, 4),
                          .recalled = 4,
                          .pending_percent = random_below(&random, 3) * 4,
                          .unknown_percent = random_below(&random, 3) * 4,
                          .mutate_percent = 60,
                          .eagerness = random_below(&random, 4)};
    struct prefixes prefixes = {0};
    struct prefix_lines written = {0};
    sample_random(&prefixes.sample, subject, &random, &shape);
    if (prefixes.sample.part.count <= PREFIXES_MOST) {
        const char *name = subject->workload->spec;
        bool numbers = strstr(name, "counter") || strstr(name, "semaphore");
        prefixes_choose_fates(&prefixes, &random);
        prefix_lines_write(&written, &prefixes, !numbers && random_below(&random, 2));
        try_history(subject->workload, &written, &random, seed);
        prefix_lines_release(&written);
    }
    sample_release(&prefixes.sample);
}

static void test_interrupted(void **state)
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
    printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " times from a file, %" PRIu64
           " violations\n",
           seeds.first, seeds.first + seeds.count - 1, cuts, violations);
    assert_true(cuts > seeds.count && violations > seeds.count);
}

/* ---- long histories ---- */

#define CLIENTS 4

/* A client between its events: what it does, and whether that has taken effect. */
struct client {
    bool runs, done, adds;
    int64_t number;  /* added, or taken; 0: nothing was there */
    unsigned behind; /* how many of its operations nobody knows the end of: each ends a process */
};

/* A container with all that was added and not taken. */
struct container {
    int64_t items[64];
    size_t count;
};

/* Takes the newest, or the least. */
static int64_t take_from(struct container *container, bool newest)
{
    size_t at = container->count - 1;
    if (container->count == 0)
        return 0;
    for (size_t i = 0; i < container->count && !newest; i++)
        if (container->items[i] < container->items[at])
            at = i;
    int64_t taken = container->items[at];
    container->count--;
    memmove(container->items + at, container->items + at + 1,
            (container->count - at) * sizeof *container->items);
    return taken;
}

/* The next event of a client; "": it has none that is seen. */
static void move_client(struct client *client, struct container *container, bool newest,
                        unsigned process, int64_t number, struct random *random, struct text *line)
{
    const char *type = "invoke";
    text_clear(line);
    if (!client->runs) {
        bool full = container->count > 40;
        client->runs = true;
        client->done = false;
        client->adds = !full && random_below(random, 2) == 0;
        client->number = number;
    } else if (!client->done) {
        if (client->adds)
            container->items[container->count++] = client->number;
        else
            client->number = take_from(container, newest);
        client->done = true;
        return;
    } else {
        client->runs = false;
        type = random_below(random, 600) == 0 ? "info" : "ok";
        if (!client->adds && random_below(random, 4000) == 0)
            client->number++; /* a mistake */
    }
    const char *function = newest         ? client->adds ? "push" : "pop"
                           : client->adds ? "insert"
                                          : "delete-min";
    text_format(line, "{:process %u, :type :%s, :f :%s, :value ",
                process + CLIENTS * client->behind, type, function);
    client->behind += *type == 'i' && !client->runs;
    if ((client->adds && client->runs) || (!client->adds && *type == 'o' && client->number))
        text_format(line, "%" PRId64 "}\n", client->number);
    else
        text_append(line, "nil}\n");
}

static void try_long(const char *name, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct watched whole = {.workload = workload_find(name), .options = {.keep = 50, .batch = 64}};
    struct watched cut = {.workload = whole.workload, .options = whole.options};
    struct client clients[CLIENTS] = {0};
    struct container container = {0};
    struct text line = TEXT_EMPTY;
    lp_error error;
    watch(&whole);
    watch(&cut);
    for (int64_t i = 1; i < 6000; i++) {
        unsigned process = random_below(&random, CLIENTS);
        int64_t number = 1 + (i * 7919) % 100003; /* each once */
        move_client(&clients[process], &container, strcmp(name, "stack") == 0, process, number,
                    &random, &line);
        if (random_below(&random, 100) == 0) {
            go_on_from_file(&cut);
            cuts++;
        }
        assert_int_equal(lp_monitor_feed(whole.monitor, text_string(&line), line.length, &error),
                         LP_OK);
        assert_int_equal(lp_monitor_feed(cut.monitor, text_string(&line), line.length, &error),
                         LP_OK);
        const lp_monitor_state a = seen(&whole), b = seen(&cut);
        if (!is_same(&a, &b))
            fail_msg("seed %" PRIu64 ", %s, event %" PRId64 ": expected the same state of both",
                     seed, name, i);
        if (a.over)
            break;
    }
    assert_int_equal(lp_monitor_decide(whole.monitor, &error), LP_OK);
    assert_int_equal(lp_monitor_decide(cut.monitor, &error), LP_OK);
    violations += seen(&whole).verdict == LP_VIOLATION;
    unknown += seen(&whole).verdict == LP_UNKNOWN;
    compare_results(&whole, &cut, seed);
    text_release(&line);
    leave(&whole);
    leave(&cut);
}

/* In which monitors that look now and then drop what they need not keep. */
static void test_long_histories(void **state)
{
    (void)state;
    cuts = violations = unknown = 0;
    for (uint64_t i = 0; i < (seeds.count + 3) / 4; i++) {
        try_long("stack", seeds.first + i);
        try_long("priority-queue", seeds.first + i);
    }
    printf("long histories: %" PRIu64 " times from a file, %" PRIu64 " violations, %" PRIu64
           " unknown\n",
           cuts, violations, unknown);
    assert_true(cuts > 0);
}

/* ---- the line that is named ---- */

/* How many events the definition accepts, of all positions. */
static uint32_t accepted(const struct prefixes *prefixes)
{
    uint32_t end = 0;
    while (end < prefixes->sample.part.positions && prefixes_linearizable(prefixes, end + 1))
        end++;
    return end;
}

static void try_line(const struct subject *subject, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 1 + random_below(&random, 9),
                          .processes = 1 + random_below(&random, 3),
                          .values = random_below(&random, 3),
                          .recalled = 4,
                          .pending_percent = random_below(&random, 3) * 4,
                          .mutate_percent = 70,
                          .eagerness = random_below(&random, 4)};
    struct prefixes prefixes = {0};
    struct prefix_lines written = {0};
    struct watched watched = {
        .workload = subject->workload,
        .options = {.keep = 1 + random_below(&random, 8), .batch = 1 + random_below(&random, 24)}};
    lp_status status = LP_OK;
    lp_error error;
    sample_random(&prefixes.sample, subject, &random, &shape);
    bool small = prefixes.sample.part.count <= ORACLE_MOST;
    if (small) {
        prefixes_choose_fates(&prefixes, &random);
        prefix_lines_write(&written, &prefixes, false);
    }
    watch(&watched);
    for (size_t i = 0; i < written.count && status == LP_OK; i++)
        status = lp_monitor_feed(watched.monitor, text_string(&written.lines[i]),
                                 written.lines[i].length, &error);
    if (small && status == LP_OK) {
        assert_int_equal(lp_monitor_decide(watched.monitor, &error), LP_OK);
        const lp_monitor_state state = seen(&watched);
        const uint32_t expected = accepted(&prefixes);
        const bool wrong = expected < prefixes.sample.part.positions;
        if ((state.verdict == LP_VIOLATION) != wrong ||
            (wrong && (!state.exact || written.positions[state.line - 1] != expected))) {
            struct text told = TEXT_EMPTY;
            for (size_t i = 0; i < written.count; i++)
                text_append(&told, text_string(&written.lines[i]));
            fail_msg("seed %" PRIu64
                     ", %s: expected %u events to be accepted, found line %u of\n%s",
                     seed, subject->workload->name, expected, state.line, text_string(&told));
        }
        violations += wrong;
    }
    leave(&watched);
    prefix_lines_release(&written);
    sample_release(&prefixes.sample);
}

/* The event with which there is a violation is the first one that the definition rejects. */
static void test_first_line(void **state)
{
    (void)state;
    size_t count;
    const struct workload *all = workloads(&count);
    violations = 0;
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        subject_open(&subject, &all[i]);
        for (unsigned j = 0; j < 4 * seeds.count; j++)
            try_line(&subject, seeds.first + j);
        subject_close(&subject);
    }
    printf("first lines: %" PRIu64 " violations of %zu objects\n", violations, count);
    assert_true(violations > count);
}

/* ---- files that are refused ---- */

static void save_small(struct watched *watched)
{
    static const char *const lines[] = {
        "{:process 0, :type :invoke, :f :write, :value \"a\"}\n",
        "{:process 0, :type :ok, :f :write, :value \"a\"}\n",
        "{:process 1, :type :invoke, :f :cas, :value [\"a\" \"b\"]}\n",
        "{:process 2, :type :invoke, :f :read, :value nil}\n",
        "{:process 2, :type :ok, :f :read, :value \"b\"}\n",
        "{:process 3, :type :invoke, :f :write, :value {:k #{1.5 \"a\"}}}\n"};
    lp_error error;
    watch(watched);
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
        assert_int_equal(lp_monitor_feed(watched->monitor, lines[i], strlen(lines[i]), &error),
                         LP_OK);
    assert_int_equal(lp_monitor_decide(watched->monitor, &error), LP_OK);
    assert_int_equal(lp_monitor_save(watched->monitor, path, &error), LP_OK);
    leave(watched);
}

/* The message that a monitor has for the file; empty: it goes on from it. */
static const char *open_file(struct watched *watched)
{
    static lp_error error;
    bool restored;
    watch(watched);
    lp_status status = lp_monitor_restore(watched->monitor, path, &restored, &error);
    assert_int_equal(restored, status == LP_OK);
    assert_true(status == LP_OK || status == LP_INPUT);
    if (status == LP_OK)
        error.message[0] = 0;
    leave(watched);
    return error.message;
}

static size_t read_file(unsigned char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t length = fread(bytes, 1, most, file);
    fclose(file);
    assert_true(length > 0 && length < most);
    return length;
}

static void write_file(const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void test_damage(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    struct watched watched = {.workload = workload_find("cas-register")};
    save_small(&watched);
    size_t length = read_file(bytes, sizeof bytes);
    assert_string_equal(open_file(&watched), "");
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= 1 << i % 8;
        write_file(bytes, length);
        assert_string_not_equal(open_file(&watched), "");
        bytes[i] ^= 1 << i % 8;
    }
    for (size_t i = 0; i < length; i++) {
        write_file(bytes, i);
        assert_string_not_equal(open_file(&watched), "");
    }
}

static void test_other_questions(void **state)
{
    (void)state;
    struct watched watched = {.workload = workload_find("cas-register")};
    save_small(&watched);
    struct watched others[] = {watched, watched, watched, watched};
    others[0].workload = workload_find("register");
    others[1].options.keep = 5;
    others[2].options.order = LP_ORDER_FILE;
    others[3].options.late = 5;
    static const char *const words[] = {"specification register", "--keep", "--order", "--late"};
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        const char *message = open_file(&others[i]);
        if (!strstr(message, words[i]))
            fail_msg("expected `%s` in the message, found: %s", words[i], message);
    }
    assert_string_equal(open_file(&watched), "");
}

/* One of the format before is refused by name, whatever is in it. */
static void test_format_before(void **state)
{
    (void)state;
    struct watched watched = {.workload = workload_find("cas-register")};
    struct sections_out *out;
    struct error fault;
    char expected[100];
    assert_int_equal(
        sections_create(path, STREAM_CHECKPOINT_KIND, STREAM_CHECKPOINT_VERSION - 1, &out, &fault),
        STATUS_OK);
    sections_put_key(out, "what was asked");
    assert_int_equal(sections_commit(out, &fault), STATUS_OK);
    snprintf(expected, sizeof expected,
             "expected a checkpoint of format %d, found one of format %d",
             STREAM_CHECKPOINT_VERSION, STREAM_CHECKPOINT_VERSION - 1);
    const char *message = open_file(&watched);
    if (!strstr(message, expected))
        fail_msg("expected `%s` in the message, found: %s", expected, message);
}

static void test_no_file(void **state)
{
    (void)state;
    struct watched watched = {.workload = workload_find("cas-register")};
    lp_error error;
    bool restored = true;
    unlink(path);
    watch(&watched);
    assert_int_equal(lp_monitor_restore(watched.monitor, path, &restored, &error), LP_OK);
    assert_false(restored);
    leave(&watched);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupted),     cmocka_unit_test(test_long_histories),
        cmocka_unit_test(test_first_line),      cmocka_unit_test(test_damage),
        cmocka_unit_test(test_other_questions), cmocka_unit_test(test_format_before),
        cmocka_unit_test(test_no_file)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
