/* Checkpoints of monitors that cannot be used. A byte says something else than was written, and the
 * hashes are those of what stands there: the file is refused as damaged or too long, or read, and
 * nothing is read or written where nothing is, which builds with sanitizers see. And files that are
 * whole, for which there is too little memory: that is said, and not that they are damaged; so it
 * is where one is written.
 *
 *     test_monitor_damage [FIRST_SEED [COUNT]] */
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

#include "api/objects.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/sections.h"
#include "base/vector.h"
#include "support/bounded.h"
#include "support/prefix_lines.h"
#include "support/seeds.h"

#define ENOUGH (UINT64_C(1) << 26) /* bytes, for whatever a file says */
#define TIMES  24                  /* that each file is opened, damaged and with little memory */
#define KEY    SECTION_TAG('k', 'e', 'y', ' ')
#define HEAD   16 /* bytes in front of the blocks, and in front of what is in each (sections.h) */

static const char *const logs[] = {"first", "second"};
static struct seeds seeds = {1, 3};
static char path[] = "/tmp/linchpin-monitor-damage-XXXXXX";

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
    assert_int_equal(
        lp_spec_create(watched->context, watched->workload->spec, &options, &watched->spec, &error),
        LP_OK);
    const lp_binding binding = {NULL, watched->spec};
    watched->options.size = sizeof watched->options;
    watched->options.checkpoints = true;
    watched->options.format = "edn";
    assert_int_equal(lp_monitor_create(watched->context, "log", &binding, 1, &watched->options,
                                       &watched->monitor, &error),
                     LP_OK);
}

/* Of two logs each has the processes of every second number, and the lines say when they were. */
static lp_status feed(struct watched *watched, const struct text *line, size_t number,
                      lp_error *error)
{
    if (!watched->options.log_count)
        return lp_monitor_feed(watched->monitor, text_string(line), line->length, error);
    struct text timed = {0};
    const size_t process = strtoul(text_string(line) + strlen("{:process "), NULL, 10);
    text_format(&timed, "%.*s, :time %zu}\n", (int)line->length - (int)strlen("}\n"),
                text_string(line), 10 * number);
    lp_status status = lp_monitor_feed_log(watched->monitor, process % 2, text_string(&timed),
                                           timed.length, error);
    text_release(&timed);
    return status;
}

static void leave(struct watched *watched)
{
    lp_monitor_destroy(watched->monitor);
    lp_spec_destroy(watched->spec);
    lp_context_destroy(watched->context);
}

/* ---- files ---- */

struct bytes {
    unsigned char items[1 << 18];
    size_t length;
};

static void read_file(struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    bytes->length = fread(bytes->items, 1, sizeof bytes->items, file);
    fclose(file);
    assert_true(bytes->length > HEAD && bytes->length < sizeof bytes->items);
}

static void write_file(const struct bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes->items, 1, bytes->length, file), bytes->length);
    fclose(file);
}

/* The block that begins at `at`: its tag, how many bytes are in it. */
static uint32_t tag_at(const struct bytes *bytes, size_t at)
{
    uint32_t tag;
    memcpy(&tag, bytes->items + at, sizeof tag);
    return tag;
}

static uint32_t length_at(const struct bytes *bytes, size_t at)
{
    uint32_t length;
    memcpy(&length, bytes->items + at + 4, sizeof length);
    return length;
}

/* Gives each block the hash of what stands there. */
static void mend_hashes(struct bytes *bytes)
{
    uint64_t hash = hash_bytes(bytes->items, HEAD, 0);
    for (size_t at = HEAD; at < bytes->length; at += HEAD + length_at(bytes, at)) {
        const uint32_t tag = tag_at(bytes, at), length = length_at(bytes, at);
        hash = hash_pair(hash_bytes(bytes->items + at + HEAD, length, hash),
                         (uint64_t)tag << 32 | length);
        memcpy(bytes->items + at + 8, &hash, sizeof hash);
    }
}

static uint64_t taken, damaged, refused, unwritten;

/* Writes the file with so little memory that it may not suffice: then that is said. */
static void write_with_little(struct watched *watched, uint64_t memory, uint64_t seed)
{
    lp_error error;
    struct budget *budget = &watched->context->budget;
    const uint64_t limit = budget->limit;
    budget->limit = atomic_load(&budget->used) + memory;
    lp_status status = lp_monitor_save(watched->monitor, path, &error);
    budget->limit = limit;
    if (status != LP_OK && status != LP_LIMIT)
        fail_msg("seed %" PRIu64 ", %s: expected that the limit is reached, found %s", seed,
                 watched->workload->name, error.message);
    unwritten += status == LP_LIMIT;
}

/* Opens the file with so many bytes of memory. */
static lp_status open_file(struct watched *watched, uint64_t memory, lp_error *error)
{
    bool restored;
    watch(watched);
    struct budget *budget = &watched->context->budget;
    budget->limit = atomic_load(&budget->used) + memory;
    lp_status status = lp_monitor_restore(watched->monitor, path, &restored, error);
    assert_int_equal(restored, status == LP_OK);
    leave(watched);
    return status;
}

static void open_damaged(struct watched *watched, uint64_t seed)
{
    lp_error error;
    lp_status status = open_file(watched, ENOUGH, &error);
    bool said = status == LP_INPUT && strstr(error.message, "is damaged");
    if (status != LP_OK && status != LP_LIMIT && !said)
        fail_msg("seed %" PRIu64
                 ", %s: expected a monitor, that the file is damaged, or too long, found %s",
                 seed, watched->workload->name, error.message);
    taken += status == LP_OK;
    damaged += status != LP_OK;
}

/* A file that is whole, with less memory than it takes. */
static void refuse_memory(struct watched *watched, struct random *random, uint64_t seed)
{
    uint64_t enough = 64;
    lp_error error;
    while (open_file(watched, enough, &error) != LP_OK)
        enough *= 2;
    for (unsigned i = 0; i < TIMES; i++) {
        const uint64_t memory = 1 + random_below(random, (uint32_t)enough);
        lp_status status = open_file(watched, memory, &error);
        if (status != LP_OK && status != LP_LIMIT)
            fail_msg("seed %" PRIu64 ", %s, %" PRIu64
                     " bytes: expected that the limit is reached, found %s",
                     seed, watched->workload->name, memory, error.message);
        refused += status != LP_OK;
    }
}

/* The block in which a byte is; 0: that of the head, or of the first section, which is text. */
static size_t block_of(const struct bytes *bytes, size_t byte)
{
    for (size_t at = HEAD, next; at < bytes->length; at = next) {
        next = at + HEAD + length_at(bytes, at);
        if (byte < next)
            return byte < at + HEAD || tag_at(bytes, at) == KEY ? 0 : at;
    }
    return 0;
}

/* Some bytes, each alone. */
static void damage_some(struct watched *watched, struct random *random, uint64_t seed)
{
    static const unsigned char likely[] = {0, 1, 2, 3, 5, 127, 128, 255};
    static struct bytes bytes;
    read_file(&bytes);
    for (unsigned i = 0; i < TIMES;) {
        const size_t byte = random_below(random, (uint32_t)bytes.length);
        const unsigned char was = bytes.items[byte];
        if (!block_of(&bytes, byte))
            continue;
        i++;
        bytes.items[byte] = random_below(random, 2) ? likely[random_below(random, 8)]
                                                    : (unsigned char)random_below(random, 256);
        mend_hashes(&bytes);
        write_file(&bytes);
        open_damaged(watched, seed);
        bytes.items[byte] = was;
    }
}

static void try_seed(const struct subject *subject, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct shape shape = {.operations = 4 + random_below(&random, 12),
                          .processes = 1 + random_below(&random, 4),
                          .values = random_below(&random, 4),
                          .recalled = 4,
                          .pending_percent = 10,
                          .unknown_percent = random_below(&random, 3) * 4,
                          .eagerness = random_below(&random, 4)};
    struct prefixes prefixes = {0};
    struct prefix_lines written = {0};
    lp_error error;
    sample_random(&prefixes.sample, subject, &random, &shape);
    if (prefixes.sample.part.count <= PREFIXES_MOST) {
        struct watched watched = {.workload = subject->workload,
                                  .options = {.keep = 1 + random_below(&random, 8),
                                              .batch = 1 + random_below(&random, 24)}};
        if (random_below(&random, 3) == 0) {
            watched.options.logs = logs;
            watched.options.log_count = 2;
            watched.options.window = random_below(&random, 60);
        }
        const char *name = subject->workload->spec;
        bool numbers = strstr(name, "counter") || strstr(name, "semaphore");
        prefixes_choose_fates(&prefixes, &random);
        prefix_lines_write(&written, &prefixes, !numbers && random_below(&random, 2));
        watch(&watched);
        size_t until = random_below(&random, (uint32_t)written.count + 1);
        lp_status status = LP_OK;
        for (size_t i = 0; i < until && status == LP_OK; i++)
            status = feed(&watched, &written.lines[i], i, &error);
        if (status == LP_OK && random_below(&random, 2))
            status = lp_monitor_decide(watched.monitor, &error);
        if (status == LP_OK && random_below(&random, 2))
            write_with_little(&watched, random_below(&random, 2) ? random_below(&random, 512) : 0,
                              seed);
        if (status == LP_OK)
            status = lp_monitor_save(watched.monitor, path, &error);
        leave(&watched);
        if (status == LP_OK) {
            refuse_memory(&watched, &random, seed);
            damage_some(&watched, &random, seed);
        }
        prefix_lines_release(&written);
    }
    sample_release(&prefixes.sample);
}

static void test_files(void **state)
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
    printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " damaged files refused, %" PRIu64
           " read; %" PRIu64 " and %" PRIu64 " times too little memory to read and to write one\n",
           seeds.first, seeds.first + seeds.count - 1, damaged, taken, refused, unwritten);
    assert_true(damaged > seeds.count && taken > seeds.count && refused > seeds.count);
    assert_true(unwritten > 0);
}

static int run(const char *name)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

/* With few configurations, too, so that some objects are kept to be decided as a whole. */
int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const int usual = run_bounded("0", run), few = run_bounded("2", run);
    unlink(path);
    return usual || few;
}
