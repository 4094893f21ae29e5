/* A history means the same in every format that can say it: what `convert` writes is decided like
 * what it read, by every specification; where a format cannot say it, nothing is written. Random
 * histories, with values of every kind, over all built-in objects and over specifications in `.lin`
 * that answer sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linchpin/linchpin.h>

#include "support/generate.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 150};

/* Objects that answer sets, on their own and within other values. */
static const char set_objects[] = "spec all_members {\n"
                                  "    set members = {};\n"
                                  "    op add(value v) { members = members + {v}; return ok; }\n"
                                  "    op read() { return members; }\n"
                                  "}\n"
                                  "spec groups {\n"
                                  "    map groups = {};\n"
                                  "    op join(value g, value v) {\n"
                                  "        set s = {};\n"
                                  "        if (g in groups) s = groups[g];\n"
                                  "        groups[g] = s + {v};\n"
                                  "        return ok;\n"
                                  "    }\n"
                                  "    op read() { return groups; }\n"
                                  "    op both() { return [groups, groups]; }\n"
                                  "}\n"
                                  "spec given {\n"
                                  "    set members = {};\n"
                                  "    op unite(set s) { members = members + s; return ok; }\n"
                                  "    op contains(value v) { return v in members; }\n"
                                  "}\n"
                                  "spec kept {\n"
                                  "    value held = empty;\n"
                                  "    op keep(value v) { held = v; return ok; }\n"
                                  "    op read() { return held; }\n"
                                  "}\n";

static const struct workload own[] = {
    {.name = "all members",
     .spec = "all_members",
     .calls = {{"add", "#", NULL}, {"read", NULL, "#{} [] [#] #{#} [#_#] #{#_7} [7_#]"}}},
    {.name = "groups",
     .spec = "groups",
     .calls = {{"join", "[# #]", NULL},
               {"read", NULL, "{} {#_#{#}} {#_[#]} {#_[#_7]}"},
               {"both", NULL, "[{}_{}] [{#_#{#}}_{#_[#]}]"}}},
    {.name = "given",
     .spec = "given",
     .calls = {{"unite", "#{#}", NULL}, {"contains", "#", "true false"}}},
    {.name = "kept",
     .spec = "kept",
     .calls = {{"keep", "#", NULL}, {"keep", "#{#}", NULL}, {"read", NULL, "nil # #{#_} [#]"}}},
    {.name = "map, texts",
     .spec = "map",
     .calls = {{"put", "[# #]", NULL},
               {"append", "[# #]", NULL},
               {"get", "#", "nil # [#] \"ab\" [#_#]"}}},
};

/* What the `#` of one history become: integers, strings or keywords alone mostly, sometimes all
 * kinds of values, some of which formats may confuse. */
static const char *const palettes[][4] = {
    {"1", "2", "1", "2"},
    {"\"a\"", "\"b\"", "\"a\"", "\"\""},
    {":a", ":b", ":a", ":b"},
    {":a", "\"a\"", "a", ":a"},
    {"[1 2]", "#{1 2}", "[2 1]", "1"},
    {"#{[1 2]}", "[#{1 2}]", "{1 2}", "{\"1\" 2}"},
    {"1.0", "1", "##Inf", "\"##Inf\""},
    {"{\"~#set\" [1]}", "#{1}", "{:a 1}", "{\"a\" 1}"},
    {"true", "\"true\"", "18446744073709551617", "\"18446744073709551617\""},
};

#define PALETTES (sizeof palettes / sizeof *palettes)

/* `from` with each # replaced and each _ a blank. */
static void append_filled(struct text *text, const char *from, size_t length,
                          const char *const *palette, struct random *random)
{
    for (size_t i = 0; i < length; i++) {
        bool set = from[i] == '#' && i + 1 < length && from[i + 1] == '{';
        if (from[i] == '#' && !set)
            text_append(text, palette[random_below(random, 4)]);
        else
            text_append_char(text, from[i] == '_' ? ' ' : from[i]);
    }
}

/* One of the answers that the template has, separated by blanks outside of brackets. */
static void append_answer(struct text *text, const char *results, const char *const *palette,
                          struct random *random)
{
    size_t count = 1, chosen, length;
    bool separated = strchr(results, '_') || !strpbrk(results, "[{");
    for (const char *at = results; separated && *at; at++)
        count += *at == ' ';
    chosen = random_below(random, count);
    for (; chosen > 0; chosen--)
        results = strchr(results, ' ') + 1;
    length = separated ? strcspn(results, " ") : strlen(results);
    append_filled(text, results, length, palette, random);
}

static void append_event(struct text *text, const char *process, const char *type,
                         const char *function, const char *what, const char *fields)
{
    text_format(text, "{:process %s, :type :%s, :f :%s, :value %s%s}\n", process, type, function,
                what, fields);
}

/* Integers where the workload has # within strings. */
static size_t choose_palette(const struct workload *workload, struct random *random)
{
    for (size_t i = 0; i < WORKLOAD_MAX_CALLS && workload->calls[i].operation; i++)
        if (workload->calls[i].argument && strstr(workload->calls[i].argument, "\"#"))
            return 0;
    return random_below(random, 2) ? 0 : random_below(random, PALETTES);
}

/* A history in EDN: up to three processes, operations that overlap, fail, stay pending. */
static void make_history(const struct workload *workload, struct random *random, struct text *text)
{
    static const char *const numbers[] = {"0", "1", "2"}, *const names[] = {"0", "7", "8"};
    const char *const *palette = palettes[choose_palette(workload, random)];
    const char *const *processes = random_below(random, 4) ? numbers : names;
    const struct call_template *running[3] = {NULL, NULL, NULL};
    struct text values[3] = {TEXT_EMPTY, TEXT_EMPTY, TEXT_EMPTY};
    const char *fields[3] = {"", "", ""}; /* of the operations that run */
    bool has_fields = random_below(random, 6) == 0;
    size_t calls = 0, left = 1 + random_below(random, 6);
    while (calls < WORKLOAD_MAX_CALLS && workload->calls[calls].operation)
        calls++;
    for (bool busy = true; busy;) {
        size_t i = random_below(random, 3);
        const struct call_template *call = running[i];
        if (!call && left) {
            call = running[i] = &workload->calls[random_below(random, calls)];
            text_clear(&values[i]);
            const char *argument = call->argument ? call->argument : "nil";
            append_filled(&values[i], argument, strlen(argument), palette, random);
            static const char *const keys[] = {", :key 1", ", :key :a", ", :key \"a\"",
                                               ", :key [1]"};
            fields[i] = has_fields ? keys[random_below(random, 4)] : "";
            append_event(text, processes[i], "invoke", call->operation, text_string(&values[i]),
                         fields[i]);
            left--;
        } else if (call) {
            size_t chance = random_below(random, 12);
            if (chance > 1 && call->results) {
                text_clear(&values[i]);
                append_answer(&values[i], call->results, palette, random);
            }
            const char *type = chance == 0 ? "fail" : chance == 1 ? "info" : "ok";
            append_event(text, processes[i], type, call->operation, text_string(&values[i]),
                         fields[i]);
            running[i] = NULL;
        }
        busy = left > 0 || running[0] || running[1];
    }
    for (size_t i = 0; i < 3; i++)
        text_release(&values[i]);
}

static lp_history *parse(lp_context *context, const char *format, const char *bytes, size_t length)
{
    lp_read_options options = {.size = sizeof options, .format = format};
    lp_history **histories, *history = NULL;
    lp_error error;
    size_t count;
    lp_status status =
        lp_history_parse(context, "h", bytes, length, &options, &histories, &count, &error);
    if (status != LP_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, LP_OK);
    assert_int_equal(count, 1);
    history = histories[0];
    free(histories);
    return history;
}

/* Whether there is a verdict, and which. */
static bool decide(lp_context *context, const lp_history *history, const lp_spec *spec,
                   lp_verdict *verdict)
{
    const lp_binding binding = {.spec = spec};
    lp_result *result;
    lp_error error;
    if (lp_check(context, history, &binding, 1, NULL, &result, &error) != LP_OK)
        return false;
    *verdict = result->verdict;
    lp_result_destroy(result);
    return true;
}

struct tally {
    unsigned decided, linearizable, written, refused;
};

static void convert_and_compare(lp_context *context, const lp_history *history,
                                const char *original, const lp_spec *spec, lp_verdict verdict,
                                const char *format, struct tally *tally)
{
    char *bytes = NULL;
    size_t length = 0;
    lp_error error;
    FILE *out = open_memstream(&bytes, &length);
    lp_status status = lp_history_write(history, format, out, &error);
    fclose(out);
    if (status == LP_OK) {
        lp_history *again = parse(context, format, bytes, length);
        lp_verdict other = LP_UNKNOWN;
        bool decided = decide(context, again, spec, &other);
        if (!decided || other != verdict)
            print_message("%s as %s\n%sbecame\n%s", lp_spec_name(spec), format, original, bytes);
        assert_true(decided);
        assert_int_equal(other, verdict);
        lp_history_destroy(again);
        tally->written++;
    } else {
        assert_int_equal(status, LP_INPUT);
        assert_int_equal(length, 0);
        tally->refused++;
    }
    free(bytes);
}

static void convert_everywhere(lp_context *context, const struct workload *workload,
                               const lp_spec *spec, uint64_t seed, struct tally *tally)
{
    struct text text = TEXT_EMPTY;
    struct random random;
    lp_verdict verdict;
    random_seed(&random, seed);
    make_history(workload, &random, &text);
    lp_history *history = parse(context, "edn", text.bytes, text.length);
    if (decide(context, history, spec, &verdict)) {
        const char *name, *description;
        bool writable;
        tally->decided++;
        tally->linearizable += verdict == LP_LINEARIZABLE;
        for (size_t i = 0; lp_format_at(i, &name, &description, &writable); i++)
            if (writable)
                convert_and_compare(context, history, text_string(&text), spec, verdict, name,
                                    tally);
    }
    lp_history_destroy(history);
    text_release(&text);
}

static void convert_workload(const struct workload *workload, const char *file)
{
    lp_context *context = lp_context_create(0);
    const lp_spec_options options = {
        .size = sizeof options, .initial = workload->initial, .owned = workload->owned};
    struct text name = TEXT_EMPTY;
    struct tally tally = {0};
    lp_spec *spec;
    lp_error error;
    text_format(&name, "%s%s%s", file ? file : "", file ? ":" : "", workload->spec);
    lp_status status = lp_spec_create(context, text_string(&name), &options, &spec, &error);
    if (status != LP_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, LP_OK);
    for (unsigned i = 0; i < seeds.count; i++)
        convert_everywhere(context, workload, spec, seeds.first + i, &tally);
    print_message("%s: %u decided, %u linearizable, %u written, %u refused\n", workload->name,
                  tally.decided, tally.linearizable, tally.written, tally.refused);
    assert_true(seeds.count < 100 || (tally.linearizable && tally.written > tally.decided));
    lp_spec_destroy(spec);
    lp_context_destroy(context);
    text_release(&name);
}

static void no_conversion_changes_a_verdict(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    for (size_t i = 0; i < count; i++)
        convert_workload(&all[i], NULL);
}

static void nor_where_answers_are_sets(void **unused)
{
    (void)unused;
    char path[] = "/tmp/setsXXXXXX.lin";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    assert_int_equal(write(file, set_objects, strlen(set_objects)), strlen(set_objects));
    close(file);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        convert_workload(&own[i], strcmp(own[i].spec, "map") == 0 ? NULL : path);
    unlink(path);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_conversion_changes_a_verdict),
        cmocka_unit_test(nor_where_answers_are_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
