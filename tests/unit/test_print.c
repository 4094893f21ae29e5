/* EDN and JSON texts of values: what is printed reads back as the same value, what is no EDN is
 * refused at its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/random.h"
#include "value/edn.h"
#include "value/print.h"

static struct budget budget;
static struct value_pool *pool;

static int set_up(void **unused)
{
    (void)unused;
    budget_init(&budget, NULL, 0);
    pool = value_pool_create(&budget);
    return pool == NULL;
}

static int tear_down(void **unused)
{
    (void)unused;
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
    return 0;
}

static value read_edn(const char *text)
{
    value result;
    size_t used;
    struct error error = {0};
    enum status status = value_parse_edn(pool, text, strlen(text), &used, "f", 1, &result, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s", text, error.message);
    return result;
}

static void expect_edn(value v, const char *expected)
{
    struct text text = TEXT_EMPTY;
    value_print_edn(v, &text);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void expect_json(const char *edn, const char *expected)
{
    struct text text = TEXT_EMPTY;
    value_print_json(read_edn(edn), &text);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void edn_is_read_and_printed(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"nil", "nil"},
        {" ,\t; a comment\n true", "true"},
        {"false", "false"},
        {"-0", "0"},
        {"+7", "7"},
        {"7N", "7"},
        {"0x1F", "31"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775809N", "-9223372036854775809"},
        {"1.5", "1.5"},
        {"1e3", "1000.0"},
        {"0.1", "0.1"},
        {"1.5M", "1.5"},
        {"0.1000000000000000000001M", "0.1000000000000000000001M"},
        {"1e400", "1e400"},
        {"+10.0E+399", "1e400"},
        {"-0.00150e-397", "-1.5e-400"},
        {"10e399M", "10e399M"},
        {"1.00000000000000000M", "1.0"},
        {"1e300", "1e+300"},
        {"2/4", "1/2"},
        {"-4/2", "-2"},
        {"##Inf", "##Inf"},
        {"##-Inf", "##-Inf"},
        {"##NaN", "##NaN"},
        {"\"a\\n\\\"\\u00e9\\\\\"", "\"a\\n\\\"é\\\\\""},
        {"\"\\ud83d\\ude00\"", "\"😀\""},
        {":a.b/c", ":a.b/c"},
        {":0", ":0"},
        {"a-b?", "a-b?"},
        {"-", "-"},
        {"\\a", "\"a\""},
        {"\\newline", "\"\\n\""},
        {"\\u0041", "\"A\""},
        {"\\é", "\"é\""},
        {"[1 (2 3) []]", "[1 [2 3] []]"},
        {"#{3 1 2 1}", "#{1 2 3}"},
        {"{:b 2, :a 1}", "{:a 1, :b 2}"},
        {"[1 #_ 2 #_ #_ 3 4 5 #_6]", "[1 5]"},
        {"#inst \"2020-01-01\"", "\"2020-01-01\""},
        {"#jepsen.history.Op{:index 0}", "{:index 0}"},
        /* metadata says nothing of the value */
        {"^{:doc \"x\", :n [1 ^:deep {}]} [1 2]", "[1 2]"},
        {"[^:a 1 ^String \"s\" ^\"[B\" b ^[long] c]", "[1 \"s\" b c]"},
        {"^:a ^:b ^{:c ^:d 1} #{^:e x}", "#{x}"},
        {"{^:a :k ^:b #^:c :v}", "{:k :v}"},
        {"#tag ^:a 7", "7"},
        {"^:a #_ ^:b 1 2", "2"},
        {"^ ^:c {:m 1} nil", "nil"},
        /* a namespace belongs to the keys that have none */
        {"#:a.b{:x 1, y 2, \"z\" 3, 4 5}", "{4 5, \"z\" 3, :a.b/x 1, a.b/y 2}"},
        {"#:a{:_/x 1, :c/y 2, _/z 3}", "{:c/y 2, :x 1, z 3}"},
        {"#:a {:x {:y #:b{:z 1}}}", "{:a/x {:y {:b/z 1}}}"},
        {"#::{:x 1, :_/y 2}", "{:x 1, :y 2}"},
        {"#::a{:x 1}", "{:a/x 1}"},
        {"#:a{}", "{}"},
        {"[#_ #:a{:x 1} 2]", "[2]"},
        {"#linchpin/symbol \"a b\"", "#linchpin/symbol \"a b\""},
        {"#linchpin/keyword \"\"", "#linchpin/keyword \"\""},
        {"#linchpin/symbol \"7\"", "#linchpin/symbol \"7\""},
        {"#linchpin/symbol \"nil\"", "#linchpin/symbol \"nil\""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        expect_edn(read_edn(cases[i][0]), cases[i][1]);
}

static void people_are_shown_symbols_as_they_are(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"#linchpin/symbol \"a b\"", "a b"},
        {"#linchpin/symbol \"7\"", "7"},
        {"#linchpin/symbol \"a\\nb\"", "#linchpin/symbol \"a\\nb\""},
        {"#linchpin/keyword \"\"", "#linchpin/keyword \"\""},
        {"\"a b\"", "\"a b\""},
        {"[7 x]", "[7 x]"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text text = TEXT_EMPTY;
        value_print_shown(read_edn(cases[i][0]), &text);
        assert_string_equal(text_string(&text), cases[i][1]);
        text_release(&text);
    }
}

static void only_one_form_is_taken(void **unused)
{
    (void)unused;
    value result;
    size_t used;
    const char *text = " [1 2] 3";
    assert_int_equal(value_parse_edn(pool, text, strlen(text), &used, "f", 1, &result, NULL),
                     STATUS_OK);
    assert_int_equal(used, 6);
}

static void what_is_no_edn_is_refused_at_its_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        {"", 3, "expected a value, found the end"},
        {"\n\n;x\n", 6, "expected a value, found the end"},
        {"[1\n2", 4, "expected a value or ], found the end"},
        {"[1\n2}", 4, "expected a value or ], found `}`"},
        {"]", 3, "expected a value, found `]`"},
        {"\"ab\ncd", 3, "expected a closing \" of the string, found the end"},
        {"\"ab\\", 3, "expected a closing \" of the string, found the end"},
        {"\"\\q\"", 3, "expected an escape such as \\n, \\\" or \\u0041, found `q`"},
        {"\"\\ud800\"", 3, "expected a pair of surrogates, found `\"`"},
        {"\"\xff\"", 3, "expected UTF-8, found a string with other bytes"},
        {"{:a}", 3, "expected a map of keys and values in turn, found 1 forms"},
        {"007", 3, "expected a number, found `007`"},
        {"1/0", 3, "expected a number, found `1/0`"},
        {"12abc", 3, "expected a number, found `12abc`"},
        {"1e", 3, "expected a number, found `1e`"},
        {"0e123456789012345678", 3, "expected a number, found `0e123456789012345678`"},
        {":", 3, "expected a keyword, found `:`"},
        {"::a", 3, "expected a keyword, found `::a`"},
        {"@a", 3, "expected a value, found `@a`"},
        {"\\abc", 3, "expected a character such as \\a or \\newline, found `\\`"},
        {"##Foo", 3, "expected ##Inf, ##-Inf or ##NaN, found `##Foo`"},
        {"#", 3, "expected a tag, a set or a discarded form, found the end"},
        {"^:a", 3, "expected a value behind its metadata, found the end"},
        {"[1 ^:a]", 3, "expected a value behind its metadata, found `]`"},
        {"{:k ^:a\n}", 4, "expected a value behind its metadata, found `}`"},
        {"^7 x", 3, "expected a map, keyword, symbol, string or vector as metadata, found `7`"},
        {"^(a) x", 3, "expected a map, keyword, symbol, string or vector as metadata, found `(`"},
        {"^", 3, "expected a map, keyword, symbol, string or vector as metadata, found the end"},
        {"#:{:a 1}", 3, "expected a namespaced map such as #:name{:key 1}, found `#:`"},
        {"#:a/b{:a 1}", 3, "expected a namespaced map such as #:name{:key 1}, found `#:a/b`"},
        {"#:a [1]", 3, "expected the map behind its namespace, found `[`"},
        {"#:a", 3, "expected the map behind its namespace, found the end"},
        {"#:a{:x}", 3, "expected a map of keys and values in turn, found 1 forms"},
        {"#linchpin/symbol 7", 3, "expected a string behind the tag, found the end"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        value result;
        size_t used;
        struct error error = {0};
        enum status status = value_parse_edn(pool, cases[i].text, strlen(cases[i].text), &used, "f",
                                             3, &result, &error);
        assert_int_equal(status, STATUS_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.file, "f");
        assert_int_equal(error.line, cases[i].line);
    }
}

static void depth_is_bounded(void **unused)
{
    (void)unused;
    for (int extra = 0; extra <= 1; extra++) {
        struct text text = TEXT_EMPTY;
        for (int i = 0; i < VALUE_MAX_DEPTH + extra; i++)
            text_append(&text, "[");
        for (int i = 0; i < VALUE_MAX_DEPTH + extra; i++)
            text_append(&text, "]");
        value result;
        size_t used;
        enum status status =
            value_parse_edn(pool, text_string(&text), text.length, &used, "f", 1, &result, NULL);
        assert_int_equal(status, extra ? STATUS_INPUT : STATUS_OK);
        if (!extra)
            expect_edn(result, text_string(&text));
        text_release(&text);
    }
    /* A value deeper than any reader makes still prints. */
    value deep = VALUE_NIL;
    for (int i = 0; i < 100000; i++)
        deep = value_list(pool, &deep, 1);
    struct text text = TEXT_EMPTY;
    value_print_edn(deep, &text);
    assert_non_null(strstr(text_string(&text), "..."));
    text_release(&text);
}

static void discarded_forms_nest_within_bounds(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 100000; i++)
        text_append(&text, "#_ ");
    value result;
    size_t used;
    assert_int_equal(
        value_parse_edn(pool, text_string(&text), text.length, &used, "f", 1, &result, NULL),
        STATUS_INPUT);
    text_release(&text);
}

static void json_is_printed(void **unused)
{
    (void)unused;
    expect_json("nil", "null");
    expect_json("[1 :a b \"c\"]", "[1, \"a\", \"b\", \"c\"]");
    expect_json("#{2 1}", "[1, 2]");
    expect_json("{:a 1, \"b\" nil, 3 [true]}", "{\"3\": [true], \"b\": null, \"a\": 1}");
    expect_json("\"\\u0001\\\"\\\\\\n\"", "\"\\u0001\\\"\\\\\\n\"");
    expect_json("##NaN", "\"##NaN\"");
    expect_json("12345678901234567890", "12345678901234567890");
    expect_json("[1e400 -10e-400]", "[1e400, -1e-399]");
    expect_json("[1/2 1e400M #linchpin/symbol \"10e399\"]", "[\"1/2\", \"1e400M\", \"10e399\"]");
    expect_json("2.0", "2.0");
    struct text text = TEXT_EMPTY;
    value_print_json(value_text(pool, KIND_STRING, "a\xff", 2), &text);
    assert_string_equal(text_string(&text), "\"a\\ufffd\"");
    text_release(&text);
}

static value random_value(struct random *random, unsigned depth)
{
    static const char letters[] = "ab:/\"\\ \n#7-é.";
    char name[8];
    size_t length = random_below(random, sizeof name);
    for (size_t i = 0; i < length; i++)
        name[i] = letters[random_below(random, 11)];
    value items[4];
    uint32_t kind = random_below(random, depth ? 9 : 6);
    uint32_t count = random_below(random, 3);
    for (uint32_t i = 0; kind >= 6 && i < 2 * count; i++)
        items[i] = random_value(random, depth - 1);
    double real;
    uint64_t bits = random_next(random);
    memcpy(&real, &bits, sizeof real);
    switch (kind) {
    case 0:
        return random_chance(random, 1, 2) ? VALUE_NIL : value_boolean(random_chance(random, 1, 2));
    case 1:
        return value_integer(pool, (int64_t)(bits >> random_below(random, 64)));
    case 2:
        return value_real(pool, random_chance(random, 1, 2) ? real : random_below(random, 10));
    case 3:
        return value_text(pool, KIND_STRING, name, length);
    case 4:
        return value_text(pool, KIND_KEYWORD, name, length);
    case 5:
        return value_text(pool, KIND_SYMBOL, name, length);
    case 6:
        return value_list(pool, items, 2 * count);
    case 7:
        return value_set(pool, items, 2 * count);
    default:
        return value_map(pool, items, 2 * count);
    }
}

static void every_value_reads_back(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 1);
    for (int i = 0; i < 50000; i++) {
        value v = random_value(&random, 3);
        struct text text = TEXT_EMPTY;
        value_print_edn(v, &text);
        if (read_edn(text_string(&text)) != v)
            fail_msg("%s is read back as another value", text_string(&text));
        text_release(&text);
    }
}

/* Bytes that are near EDN never crash the reader, and what it accepts prints and reads back. */
static void random_bytes_are_read_or_refused(void **unused)
{
    (void)unused;
    static const char bytes[] = "[](){}#_\"\\:;,. \n\tabn017NM/-+eux\xc3\xa9~^";
    struct random random;
    random_seed(&random, 2);
    for (int i = 0; i < 100000; i++) {
        char text[24];
        size_t length = random_below(&random, sizeof text), used;
        for (size_t j = 0; j < length; j++)
            text[j] = bytes[random_below(&random, sizeof bytes)];
        char *copy = malloc(length ? length : 1); /* exact, so that reading beyond it shows */
        memcpy(copy, text, length);
        value result;
        if (value_parse_edn(pool, copy, length, &used, "f", 1, &result, NULL) == STATUS_OK) {
            assert_true(used <= length);
            struct text printed = TEXT_EMPTY;
            value_print_edn(result, &printed);
            assert_true(read_edn(text_string(&printed)) == result);
            text_release(&printed);
        }
        free(copy);
    }
}

static void a_refusing_budget_stops_the_reader(void **unused)
{
    (void)unused;
    struct budget small;
    budget_init(&small, NULL, 20000);
    struct value_pool *tight = value_pool_create(&small);
    char text[40000] = "[";
    for (size_t i = 1; i + 8 < sizeof text; i += 6)
        memcpy(text + i, "\"ab\"1 ", 6);
    value result;
    size_t used;
    assert_int_equal(value_parse_edn(tight, text, sizeof text, &used, "f", 1, &result, NULL),
                     STATUS_LIMIT);
    value_pool_destroy(tight);
    assert_int_equal(small.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edn_is_read_and_printed),
        cmocka_unit_test(people_are_shown_symbols_as_they_are),
        cmocka_unit_test(only_one_form_is_taken),
        cmocka_unit_test(what_is_no_edn_is_refused_at_its_line),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(discarded_forms_nest_within_bounds),
        cmocka_unit_test(json_is_printed),
        cmocka_unit_test(every_value_reads_back),
        cmocka_unit_test(random_bytes_are_read_or_refused),
        cmocka_unit_test(a_refusing_budget_stops_the_reader),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
