/* Constants and enums of `.lin`, against another evaluator of the same random expressions: each has
 * its value and type, or the file is refused.
 *
 *     test_lin_constants [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "support/lin_fixture.h"
#include "support/seeds.h"

#define MOST 8 /* constants of a file */

static struct seeds seeds = {1, 3000};

struct constant {
    bool is_bool;
    int64_t number;
};

struct file {
    struct random random;
    struct text text;
    struct constant constants[MOST];
    size_t count;
    bool wrong;
};

static struct constant of_int(struct file *file, int64_t number)
{
    file->wrong |= number < INT32_MIN || number > INT32_MAX;
    return (struct constant){false, file->wrong ? 0 : number};
}

static struct constant of_bool(bool holds)
{
    return (struct constant){true, holds};
}

/* ---- expressions, as text and as what they are ---- */

static struct constant write_expression(struct file *file, unsigned depth, bool wants_bool);

static struct constant write_leaf(struct file *file, bool wants_bool)
{
    const size_t named = file->count ? random_below(&file->random, (uint32_t)file->count) : 0;
    static const int64_t numbers[] = {0, 1, 2, 3, 7, 46341, 65536, INT32_MAX - 1, INT32_MAX};
    if (file->count && file->constants[named].is_bool == wants_bool) {
        text_format(&file->text, "C%zu", named);
        return file->constants[named];
    }
    if (wants_bool) {
        const bool holds = random_below(&file->random, 2);
        text_append(&file->text, holds ? "true" : "false");
        return of_bool(holds);
    }
    const int64_t number = numbers[random_below(&file->random, ARRAY_LENGTH(numbers))];
    text_format(&file->text, "%" PRId64, number);
    return of_int(file, number);
}

static struct constant write_unary(struct file *file, unsigned depth, bool wants_bool)
{
    text_append(&file->text, wants_bool ? "!(" : "-(");
    const struct constant of = write_expression(file, depth - 1, wants_bool);
    text_append(&file->text, ")");
    file->wrong |= of.is_bool != wants_bool;
    return wants_bool ? of_bool(!of.number) : of_int(file, -of.number);
}

static struct constant calculate(struct file *file, const char *sign, int64_t a, int64_t b)
{
    const bool divides = sign[0] == '/' || sign[0] == '%';
    file->wrong |= divides && b == 0;
    if (file->wrong)
        return of_int(file, 0);
    switch (sign[0]) {
    case '+':
        return of_int(file, a + b);
    case '-':
        return of_int(file, a - b);
    case '*':
        return of_int(file, a * b);
    case '/':
        return of_int(file, a / b); /* towards zero */
    default:
        return of_int(file, a % b);
    }
}

static bool compare(const char *sign, int64_t a, int64_t b)
{
    const bool or_equal = sign[1] == '=';
    switch (sign[0]) {
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return a < b || (or_equal && a == b);
    default:
        return a > b || (or_equal && a == b);
    }
}

/* All operands are looked at, also behind one that decides. */
static struct constant write_binary(struct file *file, unsigned depth, bool wants_bool)
{
    static const char *const numbers[] = {"+", "-", "*", "/", "%"};
    static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const connectives[] = {"&&", "||"};
    const bool connects = wants_bool && random_below(&file->random, 2);
    const char *sign = connects ? connectives[random_below(&file->random, 2)]
                       : wants_bool
                           ? comparisons[random_below(&file->random, ARRAY_LENGTH(comparisons))]
                           : numbers[random_below(&file->random, ARRAY_LENGTH(numbers))];
    const bool equals = wants_bool && !connects && sign[1] == '=' && strchr("=!", sign[0]);
    const bool of_bools = connects || (equals && random_below(&file->random, 2));
    text_append(&file->text, "(");
    const struct constant a = write_expression(file, depth - 1, of_bools);
    text_format(&file->text, ") %s (", sign);
    const struct constant b = write_expression(file, depth - 1, of_bools);
    text_append(&file->text, ")");
    file->wrong |=
        a.is_bool != b.is_bool || (a.is_bool && !connects && !equals) || (!a.is_bool && connects);
    if (connects)
        return of_bool(sign[0] == '&' ? a.number && b.number : a.number || b.number);
    return wants_bool ? of_bool(compare(sign, a.number, b.number))
                      : calculate(file, sign, a.number, b.number);
}

/* Once in a while of the other type than it should be. */
static struct constant write_expression(struct file *file, unsigned depth, bool wants_bool)
{
    const bool is_bool = wants_bool ^ random_chance(&file->random, 1, 80);
    if (depth == 0 || random_chance(&file->random, 1, 4))
        return write_leaf(file, is_bool);
    return random_chance(&file->random, 1, 4) ? write_unary(file, depth, is_bool)
                                              : write_binary(file, depth, is_bool);
}

/* ---- files ---- */

static void write_constant(struct file *file)
{
    const bool is_bool = random_chance(&file->random, 1, 3);
    text_format(&file->text, "const %s C%zu = ", is_bool ? "bool" : "int", file->count);
    const struct constant constant =
        write_expression(file, 1 + random_below(&file->random, 3), is_bool);
    file->wrong |= constant.is_bool != is_bool;
    text_append(&file->text, ";\n");
    file->constants[file->count++] = constant;
}

/* Two or three constants, which count on where nothing is said. */
static void write_enum(struct file *file)
{
    const size_t end = file->count + 2 + random_below(&file->random, 2);
    int64_t next = 0;
    text_format(&file->text, "enum e%zu { ", file->count);
    while (file->count < end) {
        text_format(&file->text, "C%zu", file->count);
        if (random_chance(&file->random, 1, 3)) {
            text_append(&file->text, " = ");
            const struct constant said = write_expression(file, 1, false);
            file->wrong |= said.is_bool;
            next = said.number;
        }
        file->constants[file->count++] = of_int(file, next++);
        text_append(&file->text, file->count < end ? ", " : " };\n");
    }
}

static void compare_constants(const struct file *file, const struct lin_module *module,
                              uint64_t seed)
{
    assert_int_equal(module->constants.length, file->count);
    for (size_t i = 0; i < file->count; i++) {
        const struct lin_named_constant *found = module->constants.items[i];
        const bool is_bool = found->type.kind == LIN_TYPE_BOOL;
        if (found->integer != file->constants[i].number || is_bool != file->constants[i].is_bool)
            fail_msg("seed %" PRIu64 ": %s is %d, expected %" PRId64 "\n%s", seed, found->name,
                     found->integer, file->constants[i].number, text_string(&file->text));
    }
    for (size_t i = 0; i < module->enums.length; i++) {
        const struct lin_enum *bounded = module->enums.items[i];
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (uint32_t j = bounded->first; j < bounded->first + bounded->count; j++) {
            const int64_t number = file->constants[j].number;
            low = number < low ? number : low;
            high = number > high ? number : high;
        }
        assert_int_equal(bounded->low->integer, low);
        assert_int_equal(bounded->high->integer, high);
    }
}

static void constants_have_their_values(void **unused)
{
    (void)unused;
    unsigned wrong = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct file file = {.text = TEXT_EMPTY};
        struct lin_fixture fixture;
        random_seed(&file.random, seed);
        for (unsigned n = 1 + random_below(&file.random, 4); n > 0 && file.count + 3 <= MOST; n--)
            if (random_chance(&file.random, 1, 3))
                write_enum(&file);
            else
                write_constant(&file);
        const bool opened = lin_fixture_open(&fixture, text_string(&file.text));
        if (opened == file.wrong)
            fail_msg("seed %" PRIu64 ": %s\n%s", seed,
                     opened ? "expected a mistake" : fixture.error.message,
                     text_string(&file.text));
        if (opened)
            compare_constants(&file, &fixture.module, seed);
        wrong += file.wrong;
        lin_fixture_close(&fixture);
        text_release(&file.text);
    }
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u are refused\n", seeds.first,
           seeds.first + seeds.count - 1, wrong);
    assert_true(seeds_met(wrong, seeds.count, 20));
    assert_true(seeds_met(seeds.count - wrong, seeds.count, 20));
}

static void what_is_wrong_is_said(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"const int N = 1, N = 2;", "expected a new name, found `N` again"},
        {"const int A = 1; enum e { A };", "expected a new name, found `A` again"},
        {"enum e { A }; enum e { B };", "expected a new name, found `e` again"},
        {"enum e { A }; const int e = 1;", "expected a new name, found `e` again"},
        {"const int full = 1;", "`full`, which means something everywhere"},
        {"const int threads = 1;", "`threads`"},
        {"const int A = B; const int B = 1;", "that is declared before, found `B`"},
        {"const int A = 1 / 0;", "no division by 0"},
        {"const int A = 1 % 0;", "no division by 0"},
        {"const int A = 2147483647 + 1;", "expected an int of 32 bits, found 2147483648"},
        {"const int A = -2147483647 - 2;", "expected an int of 32 bits, found -2147483649"},
        {"const int A = -(-2147483647 - 1);", "expected an int of 32 bits, found 2147483648"},
        {"enum e { A = 2147483647, B };", "expected an int of 32 bits, found a greater one"},
        {"const bool A = 1;", "expected a bool, found an int"},
        {"const int A = true;", "expected an int, found a bool"},
        {"const int A = 1 + true;", "expected an int, found a bool"},
        {"const bool A = true && 1;", "expected a bool, found an int"},
        {"const bool A = !1;", "expected a bool, found an int"},
        {"const int A = -true;", "expected an int, found a bool"},
        {"const int A = [1];", "made of numbers and constants"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct lin_fixture fixture;
        const bool opened = lin_fixture_open(&fixture, cases[i].text);
        if (opened || !strstr(fixture.error.message, cases[i].said))
            fail_msg("%s: %s", cases[i].text, opened ? "accepted" : fixture.error.message);
        lin_fixture_close(&fixture);
    }
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants_have_their_values),
                                       cmocka_unit_test(what_is_wrong_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
