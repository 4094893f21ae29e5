/* Searches that are ended again and again, and go on from what was written: the same answer, counts
 * and execution as those of a search that nothing ends. Random models in both languages; files that
 * were damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/model.h"
#include "base/memory.h"
#include "support/csp_random.h"
#include "support/lin_random.h"
#include "support/seeds.h"
#include "verify/checkpointing.h"
#include "verify/csp_assertion.h"
#include "verify/lin_assertion.h"

/* Endless models end there. */
#define MEMORY ((size_t)16 << 20) /* bytes */
#define WORK   UINT64_C(20000)    /* states */

static struct seeds seeds = {.first = 1, .count = 60};
static char path[64]; /* of the file; what it is of is in key */
static const char key[] = "a random model\n";

/* What is compared. */
struct told {
    enum status status;
    enum holds answer;
    enum limit limit;
    uint64_t states, transitions;
    struct text words; /* the execution and the reason, or the error */
};

struct counted {
    unsigned assertions, ended, violated, held, growths;
};

static void tell(const struct assertion_result *result, const struct error *error,
                 struct told *told)
{
    told->answer = result->answer;
    told->limit = result->limit;
    told->states = result->states;
    told->transitions = result->transitions;
    if (told->status != STATUS_OK)
        text_format(&told->words, "%s:%u: %s\n", error->file, error->line, error->message);
    text_format(&told->words, "%s\n%s\n", text_string(&result->reason),
                result->trace.start ? result->trace.start : "");
    for (size_t i = 0; i < result->trace.steps.length; i++) {
        const struct trace_step *step = &result->trace.steps.items[i];
        text_format(&told->words, "%u %s: %s\n", step->process, step->event, step->changes);
    }
}

/* Decides one assertion, with a checkpoint or (null) without. */
static void decide(lp_context *context, const lp_model *model, size_t index,
                   struct assertion_options options, struct checkpoint *checkpoint,
                   struct told *told)
{
    struct budget budget;
    struct limits limits;
    struct model_copy instance;
    struct assertion_result result;
    struct error error = {0};
    *told = (struct told){.status = STATUS_OK};
    budget_init(&budget, &context->budget, 0);
    limits_init(&limits, &budget);
    limits.most_work = WORK;
    options.limits = &limits;
    options.checkpoint = checkpoint;
    assertion_result_init(&result, &budget);
    told->status = model_copy_open(&instance, model, &budget, &error);
    if (told->status == STATUS_OK)
        told->status =
            instance.is_lin
                ? lin_assertion_decide(&instance.lin, &instance.lin.assertions.items[index],
                                       context->pool, &options, &result, &error)
                : csp_assertion_decide(&instance.program, &instance.module.assertions.items[index],
                                       context->pool, &options, &result, &error);
    tell(&result, &error, told);
    assertion_result_release(&result);
    model_copy_release(&instance);
}

static bool is_undecided(const struct told *told)
{
    return told->status == STATUS_OK && told->limit != LIMIT_NONE;
}

#define MOST_ROUNDS 3000

static void decide_in_pieces(lp_context *context, const lp_model *model, size_t index,
                             const struct assertion_options *options, uint64_t seed,
                             struct told *told, struct counted *counted)
{
    struct budget budget;
    budget_init(&budget, NULL, 0);
    unlink(path);
    for (unsigned round = 0;; round++) {
        struct checkpoint checkpoint;
        checkpoint_init(&checkpoint, path, key, &budget);
        checkpoint.every = 1 + (seed * 7 + round) % 23 * (1 + round / 4);
        checkpoint.most = 1 + (seed + round) % 3;
        decide(context, model, index, *options, &checkpoint, told);
        const bool was_ended = is_undecided(told) && checkpoint.most == checkpoint.written;
        assert_true(!checkpoint.failed);
        counted->ended += was_ended;
        counted->growths += checkpoint.growths.length;
        checkpoint_release(&checkpoint);
        if (!was_ended)
            return;
        assert_true(round < MOST_ROUNDS);
        text_release(&told->words);
    }
}

static void compare(lp_context *context, const lp_model *model, size_t index,
                    const struct assertion_options *options, uint64_t seed, const char *text,
                    struct counted *counted)
{
    struct told whole, pieces;
    decide(context, model, index, *options, NULL, &whole);
    if (!is_undecided(&whole)) {
        decide_in_pieces(context, model, index, options, seed, &pieces, counted);
        counted->assertions++;
        counted->violated += whole.answer == VIOLATED;
        counted->held += whole.answer == HOLDS;
        if (whole.status != pieces.status || whole.answer != pieces.answer ||
            whole.states != pieces.states || whole.transitions != pieces.transitions ||
            strcmp(text_string(&whole.words), text_string(&pieces.words)) != 0)
            fail_msg("seed %llu, assertion %zu: %d, %llu states, %llu transitions\n%s\nin pieces "
                     "%d, %llu states, %llu transitions\n%s\n%s",
                     (unsigned long long)seed, index, (int)whole.answer,
                     (unsigned long long)whole.states, (unsigned long long)whole.transitions,
                     text_string(&whole.words), (int)pieces.answer,
                     (unsigned long long)pieces.states, (unsigned long long)pieces.transitions,
                     text_string(&pieces.words), text);
        text_release(&pieces.words);
    }
    text_release(&whole.words);
}

static void compare_all(const char *name, const char *text, uint64_t seed, struct counted *counted)
{
    static const char *const reduced[] = {"default", "none", "symmetry,slice", "antichain",
                                          "partial-order"};
    static const enum explore_order orders[] = {EXPLORE_IN_TURNS, EXPLORE_OLDEST_FIRST,
                                                EXPLORE_NEWEST_FIRST};
    lp_context *context = lp_context_create(MEMORY);
    lp_model *model = NULL;
    lp_assertion assertion;
    struct error ignored;
    struct assertion_options options = {.order = orders[seed % ARRAY_LENGTH(orders)],
                                        .engine = ENGINE_BYTECODE};
    assert_int_equal(
        reductions_parse(reduced[seed / 3 % ARRAY_LENGTH(reduced)], &options.reductions, &ignored),
        STATUS_OK);
    options.reductions &= ~(reductions)REDUCE_STICKY; /* nothing is supposed with checkpoints */
    /* Some of those in CSP# are wrong, and meant to. */
    const lp_status status = lp_model_parse(context, name, text, strlen(text), &model, NULL);
    for (size_t i = 0; status == LP_OK && lp_model_assertion_at(model, i, &assertion); i++) {
        const struct model_copy *read = &model->instance;
        if (!(read->is_lin ? checkpointing_lin_lacks(&read->lin.assertions.items[i])
                           : checkpointing_csp_lacks(&read->module.assertions.items[i])))
            compare(context, model, i, &options, seed, text, counted);
    }
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void print_counted(const char *what, const struct counted *counted)
{
    print_message("seeds %llu to %llu, %s: %u assertions, %u hold, %u are violated, ended %u "
                  "times, %u growths\n",
                  (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), what, counted->assertions,
                  counted->held, counted->violated, counted->ended, counted->growths);
    assert_true(counted->held > seeds.count / 8 && counted->violated > seeds.count / 8);
    assert_true(counted->ended > seeds.count && counted->growths > seeds.count);
}

static void implementations(void **unused)
{
    (void)unused;
    struct counted counted = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        if (seed % 5 == 0)
            lin_random_print_points(seed, &text);
        else if (seed % 5 == 1)
            lin_random_print_sets(seed, &text);
        else
            lin_random_print(seed, &text);
        compare_all("m.lin", text_string(&text), seed, &counted);
        text_release(&text);
    }
    print_counted("implementations", &counted);
}

static void processes(void **unused)
{
    (void)unused;
    struct counted counted = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct csp_random *model = csp_random_create(seed / 3 % CSP_RANDOM_SHAPES, seed);
        compare_all("m.csp", csp_random_text(model), seed, &counted);
        csp_random_destroy(model);
    }
    print_counted("processes", &counted);
}

/* ---- files ---- */

static const char counter[] = "var n = 0; A() = a{n = (n + 1) % 50} -> A(); B() = b{n = (n + 3) % "
                              "50} -> B(); Main() = A() ||| B(); #assert Main() deadlockfree;";

static size_t read_file(unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, room, file);
    fclose(file);
    return length;
}

static void write_file(const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void go_on(const char *with, struct told *told, bool *resumed)
{
    lp_context *context = lp_context_create(MEMORY);
    lp_model *model = NULL;
    struct checkpoint checkpoint;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    assert_int_equal(lp_model_parse(context, "m.csp", counter, strlen(counter), &model, NULL),
                     LP_OK);
    checkpoint_init(&checkpoint, path, with, &budget);
    checkpoint.every = 20;
    checkpoint.most = *resumed ? 0 : 1;
    decide(context, model, 0, (struct assertion_options){.reductions = REDUCE_NONE}, &checkpoint,
           told);
    *resumed = checkpoint.resumed;
    checkpoint_release(&checkpoint);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* Each byte that is another one, and each end that is missing, is noticed. */
static void damage_is_noticed(void **unused)
{
    (void)unused;
    static unsigned char bytes[1 << 16];
    struct told told;
    bool resumed = true;
    unlink(path);
    go_on(key, &told, &resumed); /* to its end */
    const uint64_t states = told.states;
    assert_false(resumed);
    text_release(&told.words);
    unlink(path);
    go_on(key, &told, &resumed);
    text_release(&told.words);
    const size_t length = read_file(bytes, sizeof bytes);
    assert_true(length > 100 && length < sizeof bytes);
    for (size_t at = 0; at < length; at++) {
        bytes[at] ^= (unsigned char)(1 << at % 8);
        write_file(bytes, length);
        bytes[at] ^= (unsigned char)(1 << at % 8);
        resumed = true;
        go_on(key, &told, &resumed);
        assert_int_equal(told.status, STATUS_USAGE);
        text_release(&told.words);
        write_file(bytes, at);
        resumed = true;
        go_on(key, &told, &resumed);
        assert_int_equal(told.status, STATUS_USAGE);
        text_release(&told.words);
    }
    write_file(bytes, length);
    resumed = true;
    go_on("another model\n", &told, &resumed);
    assert_int_equal(told.status, STATUS_USAGE);
    assert_non_null(strstr(text_string(&told.words), "expected a checkpoint of `another model`, "
                                                     "found one of `a random model`"));
    text_release(&told.words);
    write_file(bytes, length);
    resumed = true;
    go_on(key, &told, &resumed);
    assert_true(resumed);
    assert_int_equal(told.status, STATUS_OK);
    assert_int_equal(told.states, states);
    text_release(&told.words);
}

/* ---- what is interrupted behind an answer ---- */

/* Without tags a node that comes back is taken for one that was never away. */
static const char untagged_stack[] =
    "impl untagged {\n"
    "    struct node { value item; node next; }\n"
    "    shared node top;\n"
    "    op push(value v) {\n"
    "        node n = new node;\n"
    "        n.item = v;\n"
    "        node t;\n"
    "        do { t = top; n.next = t; } while (!cas(top, t, n));\n"
    "        return ok;\n"
    "    }\n"
    "    op pop() {\n"
    "        while (true) {\n"
    "            node t = top;\n"
    "            if (t == null) return empty;\n"
    "            node x = t.next;\n"
    "            if (cas(top, t, x)) { value r = t.item; free(t); return r; }\n"
    "        }\n"
    "    }\n"
    "}\n"
    "assert untagged linearizes stack with threads = 2, ops = 4, nodes = 2;\n";

static void interrupt_second(void *context, const char *line)
{
    if (strstr(line, "looking for a shorter execution"))
        lp_context_interrupt(context);
}

/* The execution of the violation; *resumed: an answer was kept, or a search. */
static struct text verify_untagged(const char *folder, bool interrupted, bool *resumed)
{
    lp_context *context = lp_context_create(0);
    lp_model *model = NULL;
    lp_verification *result = NULL;
    lp_error error = {0};
    struct text words = TEXT_EMPTY;
    const lp_verify_options options = {.size = sizeof options, .jobs = 1, .checkpoint = folder};
    assert_non_null(context);
    if (interrupted)
        lp_context_log(context, LP_LOG_MOMENTS, interrupt_second, context);
    if (lp_model_parse(context, "untagged.lin", untagged_stack, strlen(untagged_stack), &model,
                       &error) != LP_OK ||
        lp_verify(context, model, 0, &options, &result, &error) != LP_OK)
        fail_msg("line %u: %s", error.line, error.message);
    assert_int_equal(result->answer, LP_VIOLATED);
    for (size_t i = 0; i < result->execution.length; i++)
        text_format(&words, "%s\n", result->execution.steps[i].event);
    *resumed = result->resumed;
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
    return words;
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* The execution that there is then is longer: the next run tells the one that it would have told.
 */
static void a_shorter_execution_is_found_after_an_interrupt(void **unused)
{
    (void)unused;
    char folder[80];
    bool resumed;
    snprintf(folder, sizeof folder, "%s.d", path);
    remove_folder(folder);
    struct text whole = verify_untagged(NULL, false, &resumed);
    struct text cut = verify_untagged(folder, true, &resumed);
    assert_string_not_equal(text_string(&whole), text_string(&cut));
    struct text next = verify_untagged(folder, false, &resumed);
    assert_string_equal(text_string(&whole), text_string(&next));
    struct text kept = verify_untagged(folder, false, &resumed);
    assert_true(resumed);
    assert_string_equal(text_string(&whole), text_string(&kept));
    remove_folder(folder);
    text_release(&whole);
    text_release(&cut);
    text_release(&next);
    text_release(&kept);
}

/* test_checkpoint [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    snprintf(path, sizeof path, "/tmp/linchpin-checkpoint-%ld", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(implementations),
        cmocka_unit_test(processes),
        cmocka_unit_test(a_shorter_execution_is_found_after_an_interrupt),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
