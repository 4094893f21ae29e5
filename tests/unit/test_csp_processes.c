/* Who takes the steps of an execution that is shown: a process keeps its number, so what one number
 * does is what that process alone can do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "support/seeds.h"

#define MOST_STEPS     30
#define MOST_PROCESSES 32

static struct seeds seeds = {.first = 1, .count = 400};

/* ---- walks ---- */

static lp_model *parse(lp_context *context, const char *text)
{
    lp_model *model = NULL;
    lp_error error = {0};
    if (lp_model_parse(context, "m.csp", text, strlen(text), &model, &error) != LP_OK)
        fail_msg("%s\n%s", text, error.message);
    return model;
}

static lp_walk *open_walk(lp_context *context, const lp_model *model, const char *process)
{
    lp_walk *walk = NULL;
    lp_error error = {0};
    if (lp_walk_create(context, model, process, &walk, &error) != LP_OK)
        fail_msg("%s: %s", process, error.message);
    return walk;
}

/* Takes up to MOST_STEPS random steps. */
static void wander(lp_walk *walk, struct random *random, struct text *events, lp_step *taken,
                   size_t *length)
{
    lp_error error = {0};
    size_t starts[MOST_STEPS];
    for (*length = 0; *length < MOST_STEPS; ++*length) {
        const lp_step *steps;
        size_t count;
        assert_int_equal(lp_walk_steps(walk, &steps, &count, &error), LP_OK);
        if (count == 0)
            break;
        uint32_t chosen = random_below(random, (uint32_t)count);
        taken[*length] = steps[chosen];
        starts[*length] = events->length;
        text_append(events, steps[chosen].event);
        text_append_char(events, '\0');
        assert_int_equal(lp_walk_take(walk, chosen, &error), LP_OK);
    }
    for (size_t i = 0; i < *length; i++)
        taken[i].event = text_string(events) + starts[i];
}

static size_t follow(lp_walk *walk, const lp_step *steps, size_t length)
{
    const lp_execution execution = {.steps = steps, .length = length};
    lp_error error = {0};
    size_t followed = 0;
    assert_int_equal(lp_walk_along(walk, &execution, &followed, &error), LP_OK);
    return followed;
}

/* Where the composition may have ended: at `zz`, or a termination, which may be the τ before it. */
static bool may_end(const lp_step *taken, size_t length, size_t at)
{
    const bool is_last = at + 1 == length || strcmp(taken[at + 1].event, "zz") == 0;
    return strcmp(taken[at].event, "zz") == 0 || strcmp(taken[at].event, "terminate") == 0 ||
           (is_last && !taken[at].visible);
}

/* The steps of one process until then, as they are numbered of a process alone. */
static size_t steps_of(const lp_step *taken, size_t length, uint32_t process, lp_step *own)
{
    size_t count = 0;
    for (size_t i = 0; i < length && !may_end(taken, length, i); i++) {
        if (taken[i].process != process)
            continue;
        own[count] = taken[i];
        own[count++].process = 0;
    }
    return count;
}

static void print_steps(const lp_step *steps, size_t length)
{
    for (size_t i = 0; i < length; i++)
        print_error("  %u %s\n", steps[i].process, steps[i].event);
}

/* ---- random models ---- */

/* A process without parallel parts; P stands for itself where a step is before it. */
static void write_process(struct random *random, unsigned depth, char self, bool guarded,
                          struct text *text)
{
    static const char *const choices[] = {"[]", "<>", "[*]", ";"};
    uint32_t kind = random_below(random, depth ? 9 : 3);
    if (kind == 0) {
        text_append(text, random_chance(random, 1, 2) ? "Skip" : "Stop");
    } else if (kind <= 2) {
        if (guarded)
            text_format(text, "%c()", self);
        else
            text_format(text, "%c -> Skip", "abc"[random_below(random, 3)]);
    } else if (kind <= 5) {
        text_format(text, "%c -> (", "abc"[random_below(random, 3)]);
        write_process(random, depth - 1, self, true, text);
        text_append_char(text, ')');
    } else {
        text_append_char(text, '(');
        write_process(random, depth - 1, self, guarded, text);
        text_format(text, ") %s (", choices[random_below(random, 4)]);
        write_process(random, depth - 1, self, guarded, text);
        text_append_char(text, ')');
    }
}

/* What may stand around a composition: `@` is where. */
static const char *const around[] = {
    "@",
    "(@) \\ {zz}",
    "(@) [*] (zz -> Stop)",
    "(zz -> Stop) [*] (@)",
    "(@) [] (zz -> Stop)",
    "(@) interrupt (zz -> Stop)",
    "(zz -> Stop) interrupt (@)",
    "(@); (zz -> Stop)",
    "Inner()",
    "atomic{@}",
};

static void write_model(struct random *random, bool copies, struct text *text)
{
    static const char *const compositions[] = {"|||{2} @ A", "|||{3} @ A", "|||{..} @ A"};
    const char *composition = copies ? compositions[random_below(random, 3)] : "A ||| B ||| C";
    const char *shape = around[random_below(random, 10)];
    for (char name = 'A'; name <= 'C'; name++) {
        text_format(text, "%c() = ", name);
        write_process(random, 3, name, false, text);
        text_append(text, ";\n");
    }
    text_format(text, "Inner() = %s;\nMain() = ", composition);
    for (const char *at = shape; *at; at++) {
        if (*at == '@')
            text_append(text, composition);
        else
            text_append_char(text, *at);
    }
    text_append(text, ";\n");
}

/* ---- tests ---- */

static void each_process_does_what_it_can_alone(void **unused)
{
    (void)unused;
    unsigned steps = 0, second = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        const bool copies = seed % 2;
        struct random random;
        struct text text = TEXT_EMPTY, events = TEXT_EMPTY, others = TEXT_EMPTY;
        lp_context *context = lp_context_create(0);
        lp_step taken[MOST_STEPS], wrong[MOST_STEPS], own[MOST_STEPS];
        size_t length, wrong_length;
        random_seed(&random, seed);
        write_model(&random, copies, &text);
        lp_model *model = parse(context, text_string(&text));
        lp_walk *walk = open_walk(context, model, "Main()");
        lp_walk *again = open_walk(context, model, "Main()");
        wander(again, &random, &others, wrong, &wrong_length);
        wander(walk, &random, &events, taken, &length);
        for (uint32_t process = 0; process < MOST_PROCESSES; process++) {
            const char name[] = {copies ? 'A' : "ABC"[process < 3 ? process : 0], '\0'};
            size_t count = steps_of(taken, length, process, own);
            lp_walk *alone = open_walk(context, model, name);
            if (follow(alone, own, count) != count) {
                print_steps(taken, length);
                fail_msg("seed %llu: not what %s does alone, process %u\n%s",
                         (unsigned long long)seed, name, process, text_string(&text));
            }
            assert_true(copies || process < 3 || count == 0);
            steps += (unsigned)count;
            second += process == 1 && count > 0;
            lp_walk_destroy(alone);
        }
        /* what was met before is of no consequence */
        if (follow(again, taken, length) != length) {
            print_steps(taken, length);
            fail_msg("seed %llu: cannot be taken again\n%s", (unsigned long long)seed,
                     text_string(&text));
        }
        lp_walk_destroy(walk);
        lp_walk_destroy(again);
        lp_model_destroy(model);
        lp_context_destroy(context);
        text_release(&text);
        text_release(&events);
        text_release(&others);
    }
    print_message("seeds %llu to %llu: %u steps, %u with a second process\n",
                  (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), steps, second);
    assert_true(second > seeds.count / 4);
}

/* Of what grows the first part is who it was, the others are new. */
static void new_processes_have_new_numbers(void **unused)
{
    (void)unused;
    static const char text[] = "P = a -> (P ||| b -> Skip); Main = P ||| c -> Stop;";
    lp_context *context = lp_context_create(0);
    lp_model *model = parse(context, text);
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct random random;
        struct text events = TEXT_EMPTY;
        lp_step taken[MOST_STEPS];
        size_t length;
        uint32_t met = 1;
        random_seed(&random, seed);
        lp_walk *walk = open_walk(context, model, "Main");
        wander(walk, &random, &events, taken, &length);
        assert_int_equal(length, MOST_STEPS);
        bool used[MOST_STEPS + 2] = {false};
        for (size_t i = 0; i < length; i++) {
            char event = taken[i].event[0];
            uint32_t process = taken[i].process;
            if (event == 'a') {
                assert_int_equal(process, 0);
                met++;
            } else if (event == 'c') {
                assert_int_equal(process, 1);
            } else {
                assert_true(process >= 2 && process <= met && !used[process]);
            }
            used[process] = event != 'a';
        }
        lp_walk_destroy(walk);
        text_release(&events);
    }
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* What is told of a violation, and what simulation shows, are the same processes. */
static void traces_follow_copies(void **unused)
{
    (void)unused;
    static const char text[] = "P() = e.2 -> f -> e.1 -> P;\n"
                               "Main() = b -> (|||{2} @ (d -> (P)));\n"
                               "Hidden() = Main() \\ {b, d, i:{0..2} @ e.i};\n"
                               "Calm() = Stop <> Skip;\n#assert Hidden() refines Calm();\n";
    lp_context *context = lp_context_create(0);
    lp_model *model = parse(context, text);
    lp_verification *result = NULL;
    lp_error error = {0};
    assert_int_equal(lp_verify(context, model, 0, NULL, &result, &error), LP_OK);
    assert_int_equal(result->answer, LP_VIOLATED);
    assert_string_equal(result->execution.steps[result->execution.length - 1].event, "f");
    for (size_t i = 0; i < result->execution.length; i++)
        assert_int_equal(result->execution.steps[i].process, 0);
    lp_walk *walk = open_walk(context, model, "Hidden()");
    assert_int_equal(follow(walk, result->execution.steps, result->execution.length),
                     result->execution.length);
    lp_walk_destroy(walk);
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* test_csp_processes [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_process_does_what_it_can_alone),
        cmocka_unit_test(new_processes_have_new_numbers),
        cmocka_unit_test(traces_follow_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
