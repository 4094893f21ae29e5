/* Bytes arrive whole whatever they are packed in; what is damaged or cut short is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/random.h"
#include "base/source.h"

enum {
    PLAIN,
    GZIP,
    ZSTD,
    PACKINGS
};

/* A block with its length. */
struct bytes {
    unsigned char *at;
    size_t length;
};

static struct bytes pack(int packing, const unsigned char *bytes, size_t length)
{
    size_t room = length + length / 2 + 1000;
    struct bytes packed = {malloc(room), 0};
    if (packing == ZSTD) {
        ZSTD_CCtx *zstd = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
        packed.length = ZSTD_compress2(zstd, packed.at, room, bytes, length);
        assert_false(ZSTD_isError(packed.length));
        ZSTD_freeCCtx(zstd);
    } else if (packing == GZIP) {
        z_stream zlib = {.next_in = (unsigned char *)(uintptr_t)bytes,
                         .avail_in = (uInt)length,
                         .next_out = packed.at,
                         .avail_out = (uInt)room};
        assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
        packed.length = zlib.total_out;
        deflateEnd(&zlib);
    } else {
        memcpy(packed.at, bytes, length);
        packed.length = length;
    }
    return packed;
}

static struct bytes join(struct bytes a, struct bytes b)
{
    struct bytes both = {malloc(a.length + b.length + 1), a.length + b.length};
    memcpy(both.at, a.at, a.length);
    memcpy(both.at + a.length, b.at, b.length);
    free(a.at);
    free(b.at);
    return both;
}

/* Half noise, half repetition: packs to several blocks. */
static struct bytes sample(size_t length)
{
    struct bytes bytes = {malloc(length + 1), length};
    struct random random;
    random_seed(&random, length);
    for (size_t i = 0; i < length; i++)
        bytes.at[i] = (i / 1000) % 2 ? (unsigned char)random_next(&random) : 'a';
    return bytes;
}

static enum status read_all(const struct bytes *packed, struct random *random, struct bytes *all,
                            unsigned long long *hash, struct error *error)
{
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct source *source;
    *all = (struct bytes){malloc(1 << 21), 0};
    enum status status =
        source_open_memory("name", packed->at, packed->length, &budget, &source, error);
    while (status == STATUS_OK) {
        size_t most = 1 + random_below(random, 100000), got;
        if (random_chance(random, 1, 4)) {
            const char *head;
            size_t length;
            status = source_peek(source, &head, &length, most, error);
            if (status != STATUS_OK)
                break;
            struct bytes seen = pack(PLAIN, (const unsigned char *)head, length);
            status = source_read(source, all->at + all->length, most, &got, error);
            if (status == STATUS_OK && length > 0)
                assert_memory_equal(seen.at, all->at + all->length, got < length ? got : length);
            free(seen.at);
        } else {
            status = source_read(source, all->at + all->length, most, &got, error);
        }
        if (status == STATUS_OK && got == 0)
            break;
        all->length += status == STATUS_OK ? got : 0;
        assert_true(all->length <= (1 << 20) + 500000);
    }
    if (status == STATUS_OK)
        *hash = source_hash(source);
    source_close(source);
    assert_int_equal(budget.used, 0);
    return status;
}

static void every_packing_gives_the_same_bytes(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 4);
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 1000, 65536, 131072, 700001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct bytes plain = sample(sizes[i]);
        unsigned long long hashes[PACKINGS] = {0};
        for (int packing = 0; packing < PACKINGS; packing++) {
            struct bytes packed = pack(packing, plain.at, plain.length), all;
            assert_int_equal(read_all(&packed, &random, &all, &hashes[packing], NULL), STATUS_OK);
            assert_int_equal(all.length, plain.length);
            assert_memory_equal(all.at, plain.at, plain.length);
            assert_true(hashes[packing] == hashes[PLAIN]);
            free(packed.at);
            free(all.at);
        }
        free(plain.at);
    }
}

static void packed_files_may_be_joined(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 5);
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        struct bytes first = sample(200000), second = sample(3);
        struct bytes packed =
            join(pack(packing, first.at, first.length),
                 join(pack(packing, second.at, second.length), pack(packing, first.at, 0)));
        struct bytes plain = join(first, second), all;
        unsigned long long hash;
        assert_int_equal(read_all(&packed, &random, &all, &hash, NULL), STATUS_OK);
        assert_int_equal(all.length, plain.length);
        assert_memory_equal(all.at, plain.at, plain.length);
        free(packed.at);
        free(plain.at);
        free(all.at);
    }
}

static void what_is_cut_short_is_refused(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 6);
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        struct bytes plain = sample(5000);
        struct bytes packed = pack(packing, plain.at, plain.length);
        for (size_t length = 4; length < packed.length; length++) {
            struct bytes cut = {malloc(length), length}, all;
            memcpy(cut.at, packed.at, length);
            struct error error = {0};
            unsigned long long hash;
            assert_int_equal(read_all(&cut, &random, &all, &hash, &error), STATUS_INPUT);
            assert_string_equal(error.message, packing == GZIP ? "the gzip data ends too early"
                                                               : "the zstd data ends too early");
            assert_string_equal(error.file, "name");
            free(cut.at);
            free(all.at);
        }
        free(packed.at);
        free(plain.at);
    }
}

/* Every flipped bit either is noticed or changes nothing (gzip's header has bits without use). */
static void damage_is_noticed(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 7);
    for (int packing = GZIP; packing < PACKINGS; packing++) {
        struct bytes plain = sample(3000), all;
        struct bytes packed = pack(packing, plain.at, plain.length);
        for (int round = 0; round < 2000; round++) {
            size_t at = 4 + random_below(&random, (uint32_t)packed.length - 4);
            unsigned char bit = (unsigned char)(1u << random_below(&random, 8));
            packed.at[at] ^= bit;
            unsigned long long hash;
            if (read_all(&packed, &random, &all, &hash, NULL) == STATUS_OK) {
                assert_int_equal(all.length, plain.length);
                assert_memory_equal(all.at, plain.at, plain.length);
            }
            free(all.at);
            packed.at[at] ^= bit;
        }
        struct bytes followed = join(packed, pack(PLAIN, plain.at, 10));
        struct error error = {0};
        unsigned long long hash;
        assert_int_equal(read_all(&followed, &random, &all, &hash, &error), STATUS_INPUT);
        assert_non_null(strstr(error.message, packing == GZIP ? "is followed by something else"
                                                              : "zstd data is damaged"));
        free(all.at);
        free(followed.at);
        free(plain.at);
    }
}

static void a_file_is_read_and_its_absence_named(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    char path[] = "/tmp/linchpin-source-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "hello", 5), 5);
    close(file);
    struct source *source;
    struct error error = {0};
    assert_int_equal(source_open(path, &budget, &source, &error), STATUS_OK);
    const char *head;
    char bytes[10];
    size_t length, got;
    assert_int_equal(source_peek(source, &head, &length, 3, &error), STATUS_OK);
    assert_int_equal(length, 3);
    assert_memory_equal(head, "hel", 3);
    assert_int_equal(source_peek(source, &head, &length, 100, &error), STATUS_OK);
    assert_int_equal(length, 5);
    assert_int_equal(source_read(source, bytes, 10, &got, &error), STATUS_OK);
    assert_int_equal(got, 5);
    assert_memory_equal(bytes, "hello", 5);
    assert_string_equal(source_name(source), path);
    source_close(source);
    unlink(path);
    assert_int_equal(source_open(path, &budget, &source, &error), STATUS_INPUT);
    assert_string_equal(error.message, "cannot open: No such file or directory");
    assert_string_equal(error.file, path);
    assert_int_equal(source_open("/tmp", &budget, &source, &error), STATUS_INPUT);
    assert_string_equal(error.message, "expected a file, found a folder");
    assert_int_equal(budget.used, 0);
}

/* A pipe to which nobody writes. */
static void waiting_ends_with_the_limits(void **unused)
{
    (void)unused;
    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct limits limits;
    limits_init(&limits, &budget);
    limits.deadline = clock_nanoseconds() + 1000000;
    struct source *source;
    struct error error = {0};
    char byte;
    size_t got;
    assert_int_equal(source_open("-", &budget, &source, &error), STATUS_OK);
    source_set_limits(source, &limits);
    assert_int_equal(source_read(source, &byte, 1, &got, &error), STATUS_LIMIT);
    limits.deadline = 0;
    assert_int_equal(write(ends[1], "x", 1), 1);
    close(ends[1]);
    assert_int_equal(source_read(source, &byte, 1, &got, &error), STATUS_OK);
    assert_int_equal(got, 1);
    assert_string_equal(source_name(source), "standard input");
    source_close(source);
    dup2(before, STDIN_FILENO);
    close(before);
    close(ends[0]);
}

static void a_refusing_budget_is_a_limit(void **unused)
{
    (void)unused;
    struct bytes plain = sample(500000);
    for (int packing = 0; packing < PACKINGS; packing++) {
        struct bytes packed = pack(packing, plain.at, plain.length);
        bool refused = false, allowed = false;
        for (size_t limit = 100; limit < 2000000; limit = limit * 5 / 4) {
            struct budget budget;
            budget_init(&budget, NULL, limit);
            struct source *source;
            enum status status =
                source_open_memory("name", packed.at, packed.length, &budget, &source, NULL);
            char buffer[4096];
            size_t got = 1;
            while (status == STATUS_OK && got)
                status = source_read(source, buffer, sizeof buffer, &got, NULL);
            assert_true(status == STATUS_OK || status == STATUS_LIMIT);
            refused |= status == STATUS_LIMIT;
            allowed |= status == STATUS_OK;
            source_close(source);
            assert_int_equal(budget.used, 0);
        }
        assert_true(refused && allowed);
        free(packed.at);
    }
    free(plain.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_gives_the_same_bytes),
        cmocka_unit_test(packed_files_may_be_joined),
        cmocka_unit_test(what_is_cut_short_is_refused),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(a_file_is_read_and_its_absence_named),
        cmocka_unit_test(waiting_ends_with_the_limits),
        cmocka_unit_test(a_refusing_budget_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
