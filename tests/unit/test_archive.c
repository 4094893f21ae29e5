/* What is written of a stream and read again: numbers in memory, values in a file, and files that
 * say something that is no value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "stream/archive.h"

#define KIND    SECTION_TAG('t', 'e', 's', 't')
#define TAG     SECTION_TAG('v', 'a', 'l', 's')
#define NUMBERS 4000

/* ---- numbers ---- */

/* As they are met: a little more than the one before, small, or anything. */
static uint64_t draw(struct random *random, uint64_t before)
{
    static const uint64_t ends[] = {0,
                                    1,
                                    4094,
                                    4095,
                                    4096,
                                    UINT32_MAX,
                                    INT64_MAX,
                                    (uint64_t)INT64_MAX + 1,
                                    UINT64_MAX,
                                    0x1ull << 61,
                                    0x3ull << 61,
                                    UINT64_MAX - 1};
    switch (random_below(random, 4)) {
    case 0:
        return ends[random_below(random, sizeof ends / sizeof *ends)];
    case 1:
        return random_next(random) >> random_below(random, 64);
    case 2:
        return random_below(random, 8192);
    default:
        return before + random_below(random, 1000) - 10;
    }
}

static void numbers_come_back_from_memory(void **unused)
{
    (void)unused;
    static uint64_t numbers[NUMBERS];
    struct budget budget;
    struct packed bytes;
    struct random random;
    random_seed(&random, 1);
    budget_init(&budget, NULL, 0);
    vector_init(&bytes, &budget);
    struct archive out = archive_to_memory(&bytes);
    for (size_t i = 0; i < NUMBERS; i++) {
        numbers[i] = draw(&random, i ? numbers[i - 1] : 0);
        assert_int_equal(archive_number(&out, numbers[i]), numbers[i]);
    }
    assert_int_equal(out.status, STATUS_OK);
    struct archive in = archive_from_memory(bytes.items);
    for (size_t i = 0; i < NUMBERS; i++)
        assert_int_equal(archive_number(&in, 0), numbers[i]);
    assert_ptr_equal(in.at, bytes.items + bytes.length);
    vector_release(&bytes);
    assert_int_equal(budget.used, 0);
}

static void too_little_memory_for_numbers_is_told(void **unused)
{
    (void)unused;
    struct budget budget;
    struct packed bytes;
    budget_init(&budget, NULL, 1);
    vector_init(&bytes, &budget);
    struct archive out = archive_to_memory(&bytes);
    assert_int_equal(archive_number(&out, 7), 7);
    assert_int_equal(out.status, STATUS_LIMIT);
    vector_release(&bytes);
}

/* ---- values ---- */

struct file {
    struct budget budget;
    struct value_pool *pool;
    struct sections_out *out;
    struct sections_in *in;
    struct error error;
    char path[64];
};

static void file_create(struct file *file)
{
    *file = (struct file){.path = "/tmp/linchpin-archive-XXXXXX"};
    budget_init(&file->budget, NULL, 0);
    file->pool = value_pool_create(&file->budget);
    assert_non_null(file->pool);
    close(mkstemp(file->path));
    assert_int_equal(sections_create(file->path, KIND, 1, &file->out, &file->error), STATUS_OK);
    sections_begin(file->out, TAG);
}

static void file_reopen(struct file *file)
{
    assert_int_equal(sections_commit(file->out, &file->error), STATUS_OK);
    assert_int_equal(sections_open(file->path, KIND, 1, &file->in, &file->error), STATUS_OK);
    assert_int_equal(sections_enter(file->in, TAG, &file->error), STATUS_OK);
}

static void file_close(struct file *file)
{
    sections_close(file->in);
    value_pool_destroy(file->pool);
    assert_int_equal(file->budget.used, 0);
    unlink(file->path);
}

/* Of each kind, within each other, and those that are met again. */
static void values_come_back_from_a_file(void **unused)
{
    (void)unused;
    struct file file;
    struct archive archive;
    file_create(&file);
    struct value_pool *pool = file.pool;
    char letters[1000];
    memset(letters, 'x', sizeof letters);
    const value items[] = {value_small(-5),
                           value_integer(pool, INT64_MIN),
                           value_real(pool, -0.1),
                           value_text(pool, KIND_STRING, letters, sizeof letters),
                           value_text(pool, KIND_KEYWORD, "", 0),
                           value_text(pool, KIND_SYMBOL, "s", 1)};
    const value values[] = {VALUE_NIL,
                            VALUE_FALSE,
                            value_list(pool, items, 6),
                            items[2],
                            value_set(pool, items, 6),
                            value_map(pool, items, 6),
                            value_list(pool, NULL, 0),
                            VALUE_REFUSED};
    archive_init(&archive, file.out, NULL, pool, &file.error);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        value v = values[i];
        archive_value(&archive, &v);
    }
    assert_int_equal(archive.status, STATUS_OK);
    archive_release(&archive);
    file_reopen(&file);
    archive_init(&archive, NULL, file.in, pool, &file.error);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        value v = VALUE_NIL;
        archive_value(&archive, &v);
        assert_int_equal(v, values[i]); /* values of one pool that are equal are one */
    }
    assert_int_equal(archive.status, STATUS_OK);
    assert_int_equal(sections_enter(file.in, 0, &file.error), STATUS_OK);
    archive_release(&archive);
    file_close(&file);
}

/* ---- damage ---- */

/* How a value begins in a file (archive.c). */
enum {
    ITSELF,
    DEFINED,
};

static void expect_damage(const uint64_t *numbers, size_t count, const char *how)
{
    struct file file;
    struct archive archive;
    value v = VALUE_TRUE;
    file_create(&file);
    for (size_t i = 0; i < count; i++)
        sections_put(file.out, numbers[i]);
    file_reopen(&file);
    archive_init(&archive, NULL, file.in, file.pool, &file.error);
    archive_known_value(&archive, &v);
    assert_int_equal(archive.status, STATUS_INPUT);
    if (!strstr(file.error.message, how))
        fail_msg("expected %s, found %s", how, file.error.message);
    assert_int_equal(v, VALUE_NIL);
    archive_release(&archive);
    file_close(&file);
}

static void what_is_no_value_is_damage(void **unused)
{
    (void)unused;
    enum {
        NESTED = 1010
    };
    uint64_t nested[3 * NESTED];
    for (size_t i = 0; i < NESTED; i++) {
        nested[3 * i] = DEFINED;
        nested[3 * i + 1] = KIND_LIST;
        nested[3 * i + 2] = 1;
    }
    const uint64_t nil[] = {DEFINED, KIND_NIL}, number_unmet[] = {2},
                   lone_key[] = {DEFINED, KIND_MAP, 1, ITSELF, VALUE_TRUE + 1},
                   address[] = {ITSELF, 4096 + 2 + 1}, word[] = {ITSELF, 5 + 1},
                   item[] = {DEFINED, KIND_LIST, 1, ITSELF, 5 + 1};
#define EXPECT(numbers, how) expect_damage(numbers, sizeof(numbers) / sizeof *(numbers), how)
    EXPECT(nil, "a value is of no kind");
    EXPECT(number_unmet, "is damaged");
    EXPECT(lone_key, "a map has a key without a value");
    EXPECT(address, "a value is an address");
    EXPECT(word, "a value is of no kind");
    EXPECT(item, "a value is of no kind");
    EXPECT(nested, "a value is within too many others");
#undef EXPECT
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_from_memory),
        cmocka_unit_test(too_little_memory_for_numbers_is_told),
        cmocka_unit_test(values_come_back_from_a_file),
        cmocka_unit_test(what_is_no_value_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
