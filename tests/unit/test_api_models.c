/* The installed functions for models: reading, verifying, walking, drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"

/* A lock whose test and set are two steps, and what it should have been. */
static const char lock_model[] = "var locked = false;\n"
                                 "Enter(i) = ifa (!locked) { test.i -> tau{locked = true} ->\n"
                                 "           in.i -> out.i{locked = false} -> Stop };\n"
                                 "Lock() = Enter(0) ||| Enter(1);\n"
                                 "Mutex(n) = [n == 0] in.0 -> out.0 -> Mutex(n) [] in.1 -> out.1 "
                                 "-> Mutex(n);\n"
                                 "Spec() = Mutex(0) \\ {x};\n"
                                 "Hidden() = Lock() \\ {test.0, test.1};\n"
                                 "#assert Hidden()\n"
                                 "    refines Spec();\n"
                                 "#assert Spec() deadlockfree;";

static lp_context *open_context(void)
{
    lp_context *context = lp_context_create(0);
    assert_non_null(context);
    return context;
}

static lp_model *parse(lp_context *context, const char *text)
{
    lp_model *model = NULL;
    lp_error error = {0};
    if (lp_model_parse(context, "m.csp", text, strlen(text), &model, &error) != LP_OK)
        fail_msg("%s", error.message);
    return model;
}

static lp_verification *verify(lp_context *context, const lp_model *model, size_t index,
                               const lp_verify_options *options)
{
    lp_verification *result = NULL;
    lp_error error = {0};
    if (lp_verify(context, model, index, options, &result, &error) != LP_OK)
        fail_msg("%s", error.message);
    return result;
}

/* ---- models ---- */

static void a_model_says_what_it_holds(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    size_t before = lp_context_memory(context);
    lp_model *model = parse(context, lock_model), *other = parse(context, "P = a -> P;");
    assert_true(lp_context_memory(context) - before < 65536); /* many may be read at once */
    lp_assertion assertion;
    lp_process process;
    assert_string_equal(lp_model_name(model), "m.csp");
    assert_true(lp_model_assertion_at(model, 0, &assertion));
    assert_string_equal(assertion.text, "Hidden() refines Spec()");
    assert_string_equal(assertion.process, "Hidden()");
    assert_int_equal(assertion.line, 8);
    assert_int_equal(assertion.column, 9);
    assert_true(lp_model_assertion_at(model, 1, &assertion));
    assert_string_equal(assertion.text, "Spec() deadlockfree");
    assert_false(lp_model_assertion_at(model, 2, &assertion));
    assert_true(lp_model_process_at(model, 0, &process));
    assert_string_equal(process.name, "Enter");
    assert_int_equal(process.parameters, 1);
    assert_int_equal(process.line, 2);
    assert_false(lp_model_process_at(model, 5, &process));
    assert_true(lp_model_hash(model) != lp_model_hash(other));
    lp_model_destroy(other);
    other = parse(context, lock_model);
    assert_true(lp_model_hash(model) == lp_model_hash(other));
    lp_model_destroy(other);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void assert_refused(const char *text, uint32_t line, const char *words)
{
    lp_context *context = open_context();
    lp_model *model;
    lp_error error = {0};
    size_t before = lp_context_memory(context);
    assert_int_equal(lp_model_parse(context, "bad.csp", text, strlen(text), &model, &error),
                     LP_INPUT);
    assert_null(model);
    assert_string_equal(error.file, "bad.csp");
    assert_int_equal(error.line, line);
    if (!strstr(error.message, words))
        fail_msg("%s: expected `%s`, found `%s`", text, words, error.message);
    assert_int_equal(lp_context_memory(context), before);
    lp_context_destroy(context);
}

static void faults_of_a_model_have_a_place(void **unused)
{
    (void)unused;
    assert_refused("P = a ->\n\n;", 3, "expected ");
    assert_refused("var x;\nvar x;", 2, "which is a variable already");
    assert_refused("#include \"queue.lin\";", 1, "expected no #include in a model");
    assert_refused("#import \"My.Own\";", 1, "a file `My.Own.csp`");
    lp_context *context = open_context();
    lp_model *model;
    lp_error error = {0};
    assert_int_equal(lp_model_read(context, "/nowhere/m.csp", &model, &error), LP_INPUT);
    assert_string_equal(error.file, "/nowhere/m.csp");
    lp_context_destroy(context);
}

/* ---- verifying ---- */

static void a_violation_is_shown_step_by_step(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    size_t before = lp_context_memory(context);
    lp_verification *result = verify(context, model, 0, NULL);
    assert_int_equal(result->answer, LP_VIOLATED);
    assert_int_equal(result->failure, LP_FAILURE_EVENT);
    assert_string_equal(result->method, "refinement");
    assert_true(result->has_execution);
    /* test, test, set, in, set, in or in another order: the second `in` comes before an `out` */
    assert_int_equal(result->execution.length, 6);
    const lp_step *last = &result->execution.steps[5];
    assert_true(last->visible && strncmp(last->event, "in.", 3) == 0);
    assert_int_equal(result->offered_count, 1);
    assert_true(strncmp(result->offered[0], "out.", 4) == 0);
    size_t seen = 0;
    for (size_t i = 0; i < result->execution.length; i++)
        seen += result->execution.steps[i].visible;
    assert_int_equal(seen, 2); /* the tests are hidden */
    assert_int_equal(result->execution.start_count, 1);
    assert_string_equal(result->execution.start[0].name, "locked");
    assert_string_equal(result->execution.start[0].value, "false");
    lp_verification_destroy(result);
    assert_int_equal(lp_context_memory(context), before);

    result = verify(context, model, 1, NULL);
    assert_int_equal(result->answer, LP_HOLDS);
    assert_string_equal(result->reason, "");
    assert_false(result->has_execution);
    assert_true(result->states > 0 && result->memory > 0 && result->seconds >= 0);
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void operations_become_a_history(void **unused)
{
    (void)unused;
    static const lp_step steps[] = {{.event = "inv.cas.3.-1.true", .visible = true},
                                    {.event = "inv.hidden.0"},
                                    {.event = "other.1", .visible = true},
                                    {.event = "res.cas.3.false", .visible = true},
                                    {.event = "inv.pop.0", .visible = true},
                                    {.event = "res.pop.0.7", .visible = true},
                                    {.event = "res.pop.0", .visible = true}};
    lp_execution execution = {.steps = steps, .length = 6};
    lp_context *context = open_context();
    lp_history *history;
    lp_error error;
    assert_int_equal(lp_execution_history(context, &execution, "x", &history, &error), LP_OK);
    assert_int_equal(lp_history_length(history), 2);
    lp_operation cas = lp_history_operation(history, 0), pop = lp_history_operation(history, 1);
    assert_string_equal(cas.function, "cas");
    assert_int_equal(cas.outcome, LP_OUTCOME_FAIL);
    assert_true(cas.process == lp_value_integer(context, 3));
    const lp_value pair[] = {lp_value_integer(context, -1), lp_value_boolean(true)};
    assert_true(cas.argument == lp_value_list(context, pair, 2));
    assert_true(pop.argument == LP_VALUE_NIL && pop.result == lp_value_integer(context, 7));
    lp_history_destroy(history);
    execution.length = 7; /* nothing is running any more */
    assert_int_equal(lp_execution_history(context, &execution, "x", &history, &error), LP_INPUT);
    assert_null(history);
    lp_context_destroy(context);
}

static void a_violation_of_linearizability_is_confirmed_as_a_history(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, "P = inv.write.0.5 -> res.write.0 -> inv.read.0 -> "
                                     "res.read.0.4 -> Stop;"
                                     "#assert P linearizes register(initial = 4);");
    lp_verification *result = verify(context, model, 0, NULL);
    assert_int_equal(result->answer, LP_VIOLATED);
    assert_non_null(result->check);
    assert_int_equal(result->check->verdict, LP_VIOLATION);
    assert_int_equal(result->check->violations[0].core_length, 2);
    for (size_t i = 0; i < result->execution.length; i++) /* calls and returns take turns */
        assert_int_equal(result->execution.steps[i].kind, i % 2 ? LP_STEP_RETURN : LP_STEP_CALL);
    assert_int_equal(lp_history_length(result->history), 2);
    lp_verification_destroy(result);
    /* the values that were made stay with the context, nothing else does */
    size_t after = lp_context_memory(context);
    result = verify(context, model, 0, NULL);
    lp_verification_destroy(result);
    assert_int_equal(lp_context_memory(context), after);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void only_the_reductions_asked_for_are_used(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    lp_error error = {0};
    lp_verify_options options = {.size = sizeof options, .reductions = "none"};
    lp_verification *result = verify(context, model, 0, &options);
    assert_int_equal(result->reduction_count, 0);
    lp_verification_destroy(result);
    options.reductions = "antichain";
    result = verify(context, model, 0, &options);
    assert_int_equal(result->reduction_count, 1);
    assert_string_equal(result->reductions[0], "antichain");
    lp_verification_destroy(result);
    options.reductions = "everything";
    assert_int_equal(lp_verify(context, model, 0, &options, &result, &error), LP_USAGE);
    assert_null(result);
    assert_int_equal(lp_reductions_check("none", &error), LP_OK);
    assert_int_equal(lp_reductions_check("slice,antichain", &error), LP_OK);
    assert_int_equal(lp_reductions_check("slice,", &error), LP_USAGE);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void a_fault_of_the_running_model_has_an_execution(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, "var x = 2;\nP = a{x = x - 1} -> b.(4 / x) -> P;\n"
                                     "#assert P deadlockfree; #assert P linearizes nosuch;");
    lp_verification *result;
    lp_error error = {0};
    assert_int_equal(lp_verify(context, model, 0, NULL, &result, &error), LP_INPUT);
    assert_int_equal(error.line, 2);
    assert_non_null(result);
    assert_int_equal(result->execution.length, 3); /* a, b.4, a: x is 0 */
    assert_string_equal(result->execution.steps[1].event, "b.4");
    lp_verification_destroy(result);
    assert_int_equal(lp_verify(context, model, 1, NULL, &result, &error), LP_INPUT);
    assert_null(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void limits_leave_it_undecided(void **unused)
{
    (void)unused;
    lp_context *context = lp_context_create((size_t)8 << 20);
    lp_model *model = parse(context, "var x; P = a{x = x + 1} -> P; #assert P deadlockfree;");
    lp_verification *result = verify(context, model, 0, NULL);
    assert_int_equal(result->answer, LP_UNDECIDED);
    assert_int_equal(result->limit, LP_LIMIT_MEMORY);
    assert_true(result->states > 1000 && result->memory <= (size_t)8 << 20);
    assert_string_equal(result->covered, strstr(result->reason, " after "));
    lp_verification_destroy(result);
    const lp_verify_options soon = {.size = sizeof soon, .timeout = 1e-9};
    result = verify(context, model, 0, &soon);
    assert_int_equal(result->limit, LP_LIMIT_TIME);
    lp_verification_destroy(result);
    lp_context_interrupt(context);
    result = verify(context, model, 0, NULL);
    assert_int_equal(result->limit, LP_LIMIT_INTERRUPT);
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void every_small_limit_is_honoured(void **unused)
{
    (void)unused;
    lp_context *models = open_context();
    lp_model *model = parse(models, lock_model);
    for (size_t limit = 4096; limit < (size_t)2 << 20; limit += limit / 7) {
        lp_context *context = lp_context_create(limit);
        lp_verification *result = NULL;
        lp_walk *walk = NULL;
        lp_graph *graph = NULL;
        lp_error error = {0};
        const lp_graph_options options = {.size = sizeof options, .normalised = true};
        lp_status status = lp_verify(context, model, 0, NULL, &result, &error);
        assert_true(status == LP_LIMIT || (status == LP_OK && result->answer != LP_HOLDS));
        lp_verification_destroy(result);
        status = lp_walk_create(context, model, NULL, &walk, &error);
        assert_true(status == LP_LIMIT || status == LP_OK);
        lp_walk_destroy(walk);
        status = lp_graph_create(context, model, NULL, &options, &graph, &error);
        assert_true(status == LP_LIMIT || (status == LP_OK && graph->complete));
        lp_graph_destroy(graph);
        lp_context_destroy(context);
    }
    lp_model_destroy(model);
    lp_context_destroy(models);
}

/* A lock that any number of threads may use, and one that two of them break. */
static const char any_model[] = "impl good { shared bool held;\n"
                                "    op acquire() { while (swap(held, true)) { } return ok; }\n"
                                "    op release() { held = false; return ok; } }\n"
                                "impl bad { shared bool held;\n"
                                "    op acquire() { await (!held); held = true; return ok; }\n"
                                "    op release() { held = false; return ok; } }\n"
                                "assert good linearizes mutex with threads = any;\n"
                                "assert bad linearizes mutex with threads = any;\n";

static lp_model *parse_any(lp_context *context)
{
    lp_model *model = NULL;
    lp_error error = {0};
    if (lp_model_parse(context, "any.lin", any_model, strlen(any_model), &model, &error) != LP_OK)
        fail_msg("%s", error.message);
    return model;
}

static void any_number_of_threads_comes_down_to_questions(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse_any(context);
    lp_verification *proof = verify(context, model, 0, NULL);
    lp_verification *broken = verify(context, model, 1, NULL);
    assert_int_equal(proof->answer, LP_HOLDS);
    assert_int_equal(proof->threads, 0);
    assert_true(proof->question_count >= 3);
    for (size_t i = 0; i < proof->question_count; i++) {
        const lp_question *question = &proof->questions[i];
        print_message("%s: %s\n", question->name, question->about);
        assert_int_equal(question->answer, LP_QUESTION_SAFE);
        assert_true(*question->name && *question->about && *question->method);
        assert_true(question->controls > 0 && question->places >= question->controls);
    }
    assert_int_equal(broken->answer, LP_VIOLATED);
    assert_int_equal(broken->threads, 2);
    assert_true(broken->has_execution && broken->check);
    lp_verification_destroy(broken);
    lp_verification_destroy(proof);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void small_limits_prove_nothing_of_any_number_of_threads(void **unused)
{
    (void)unused;
    lp_context *models = open_context();
    lp_model *model = parse_any(models);
    unsigned decided[2] = {0};
    for (size_t limit = 4096; limit < (size_t)4 << 20; limit += limit / 7) {
        for (size_t i = 0; i < 2; i++) {
            lp_context *context = lp_context_create(limit);
            lp_verification *result = NULL;
            lp_error error = {0};
            lp_status status = lp_verify(context, model, i, NULL, &result, &error);
            assert_true(status == LP_LIMIT || status == LP_OK);
            if (status == LP_OK && result->answer != LP_UNDECIDED) {
                decided[i]++;
                assert_int_equal(result->answer, i == 0 ? LP_HOLDS : LP_VIOLATED);
            } else if (status == LP_OK) {
                assert_int_equal(result->limit, LP_LIMIT_MEMORY);
            }
            lp_verification_destroy(result);
            lp_context_destroy(context);
        }
    }
    assert_true(decided[0] > 0 && decided[1] > 0);
    lp_model_destroy(model);
    lp_context_destroy(models);
}

static void *verify_often(void *argument)
{
    const lp_model *model = argument;
    lp_context *context = open_context();
    for (unsigned i = 0; i < 20; i++) {
        lp_verification *result = verify(context, model, 0, NULL);
        assert_int_equal(result->answer, LP_VIOLATED);
        assert_int_equal(result->execution.length, 6);
        lp_verification_destroy(result);
    }
    lp_context_destroy(context);
    return NULL;
}

static void threads_share_a_model(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    pthread_t threads[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, verify_often, model), 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* ---- walking ---- */

static size_t find(const lp_step *steps, size_t count, const char *event)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(steps[i].event, event) == 0)
            return i;
    fail_msg("there is no step `%s`", event);
    return 0;
}

static void take(lp_walk *walk, const char *event)
{
    const lp_step *steps;
    size_t count;
    lp_error error;
    assert_int_equal(lp_walk_steps(walk, &steps, &count, &error), LP_OK);
    assert_int_equal(lp_walk_take(walk, find(steps, count, event), &error), LP_OK);
}

static void a_walk_goes_there_and_back(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    lp_walk *walk;
    lp_error error;
    const lp_step *steps;
    const lp_variable *variables;
    size_t count;
    assert_int_equal(lp_walk_create(context, model, "Lock()", &walk, &error), LP_OK);
    assert_string_equal(lp_walk_process(walk), "Lock()");
    assert_false(lp_walk_back(walk));
    assert_int_equal(lp_walk_steps(walk, &steps, &count, &error), LP_OK);
    assert_int_equal(count, 2);
    assert_int_equal(steps[find(steps, count, "test.1")].process, 1);
    take(walk, "test.1");
    take(walk, "τ");
    assert_int_equal(lp_walk_state(walk, &variables, &count, &error), LP_OK);
    assert_int_equal(count, 1);
    assert_string_equal(variables[0].value, "true");
    assert_int_equal(lp_walk_steps(walk, &steps, &count, &error), LP_OK);
    assert_int_equal(steps[find(steps, count, "in.1")].change_count, 0);
    assert_true(lp_walk_back(walk));
    assert_int_equal(lp_walk_state(walk, &variables, &count, &error), LP_OK);
    assert_string_equal(variables[0].value, "false");
    take(walk, "test.0"); /* it is still possible */
    assert_true(lp_walk_back(walk) && lp_walk_back(walk) && !lp_walk_back(walk));
    lp_walk_destroy(walk);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void a_walk_follows_an_execution_as_far_as_it_goes(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    lp_verification *result = verify(context, model, 0, NULL);
    lp_walk *walk;
    lp_error error;
    size_t followed;
    assert_int_equal(lp_walk_create(context, model, "Hidden()", &walk, &error), LP_OK);
    assert_int_equal(lp_walk_along(walk, &result->execution, &followed, &error), LP_OK);
    assert_int_equal(followed, 6);
    lp_step wrong[6];
    memcpy(wrong, result->execution.steps, sizeof wrong);
    wrong[3].process = 1 - wrong[3].process;
    lp_execution changed = result->execution;
    changed.steps = wrong;
    assert_int_equal(lp_walk_along(walk, &changed, &followed, &error), LP_OK);
    assert_int_equal(followed, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(lp_walk_back(walk));
    assert_false(lp_walk_back(walk));
    lp_walk_destroy(walk);
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void a_reference_names_the_process(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"None",    "Enter", "Enter(0, 1)", "Lock() refines Spec()",
                                        "Lock();", "",      "/*",          "\" "};
    lp_context *context = open_context();
    lp_model *model = parse(context, lock_model);
    lp_walk *walk;
    lp_error error;
    assert_int_equal(lp_walk_create(context, model, NULL, &walk, &error), LP_OK);
    assert_string_equal(lp_walk_process(walk), "Hidden()");
    lp_walk_destroy(walk);
    assert_int_equal(lp_walk_create(context, model, "Enter(1 - 1)", &walk, &error), LP_OK);
    take(walk, "test.0");
    lp_walk_destroy(walk);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(lp_walk_create(context, model, wrong[i], &walk, &error), LP_USAGE);
        assert_null(walk);
        assert_non_null(strstr(error.message, "names no process"));
    }
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* ---- graphs ---- */

static void a_graph_has_each_state_once(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = parse(context, "P = a -> Stop ||| b -> Stop ||| c -> Stop;");
    size_t before = lp_context_memory(context);
    const lp_graph_options cut = {.size = sizeof cut, .max_states = 1},
                           grouped = {.size = sizeof grouped, .normalised = true};
    lp_graph *graph;
    lp_error error;
    assert_int_equal(lp_graph_create(context, model, "P", NULL, &graph, &error), LP_OK);
    assert_true(graph->complete);
    assert_int_equal(graph->node_count, 8); /* a cube */
    assert_int_equal(graph->edge_count, 12);
    assert_int_equal(graph->group_count, 0);
    for (size_t i = 1; i < graph->edge_count; i++)
        assert_true(graph->edges[i - 1].source <= graph->edges[i].source);
    lp_graph_destroy(graph);
    assert_int_equal(lp_graph_create(context, model, "P", &cut, &graph, &error), LP_OK);
    assert_false(graph->complete);
    assert_int_equal(graph->limit, LP_LIMIT_NONE);
    assert_int_equal(graph->node_count, 4);
    assert_true(graph->nodes[0].expanded && !graph->nodes[3].expanded);
    lp_graph_destroy(graph);
    assert_int_equal(lp_graph_create(context, model, "P", &grouped, &graph, &error), LP_OK);
    assert_int_equal(graph->group_count, 8); /* nothing is hidden */
    lp_graph_destroy(graph);
    assert_int_equal(lp_context_memory(context), before);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* ---- contracts ---- */

static void assert_aborts(void (*misuse)(lp_context *context, lp_model *model), const char *words)
{
    int channel[2], status;
    char said[512];
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDERR_FILENO);
        lp_context *context = open_context();
        misuse(context, parse(context, lock_model));
        _exit(0);
    }
    close(channel[1]);
    ssize_t got = read(channel[0], said, sizeof said - 1);
    said[got > 0 ? got : 0] = 0;
    close(channel[0]);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    assert_non_null(strstr(said, words));
}

static void verify_none(lp_context *context, lp_model *model)
{
    lp_verification *result;
    lp_error error;
    (void)lp_verify(context, model, 2, NULL, &result, &error);
}

static void verify_a_destroyed_one(lp_context *context, lp_model *model)
{
    lp_verification *result = verify(context, model, 0, NULL);
    (void)lp_verify(context, (const lp_model *)result, 0, NULL, &result, NULL);
}

static void take_no_step(lp_context *context, lp_model *model)
{
    lp_walk *walk;
    if (lp_walk_create(context, model, NULL, &walk, NULL) == LP_OK)
        (void)lp_walk_take(walk, 2, NULL);
}

/* lp_model_parse_all of one text, unless something is forgotten. */
static void parse_all(lp_context *context, const lp_file_text *file, size_t files, bool has_room)
{
    lp_model *model;
    lp_error errors[2];
    size_t count;
    (void)lp_model_parse_all(context, file, files, &model, NULL, has_room ? errors : NULL,
                             has_room ? ARRAY_LENGTH(errors) : 0, &count);
}

static void parse_no_text(lp_context *context, lp_model *model)
{
    (void)model;
    parse_all(context, &(lp_file_text){"m.csp", lock_model, strlen(lock_model)}, 0, true);
}

static void parse_null_texts(lp_context *context, lp_model *model)
{
    (void)model;
    parse_all(context, NULL, 1, true);
}

static void parse_a_null_text(lp_context *context, lp_model *model)
{
    (void)model;
    parse_all(context, &(lp_file_text){"m.csp", NULL, 1}, 1, true);
}

static void parse_a_text_without_a_path(lp_context *context, lp_model *model)
{
    (void)model;
    parse_all(context, &(lp_file_text){NULL, lock_model, strlen(lock_model)}, 1, true);
}

static void parse_without_room_for_errors(lp_context *context, lp_model *model)
{
    (void)model;
    parse_all(context, &(lp_file_text){"m.csp", lock_model, strlen(lock_model)}, 1, false);
}

static void parse_without_a_count(lp_context *context, lp_model *model)
{
    lp_error error;
    (void)lp_model_parse_all(context, &(lp_file_text){"m.csp", "", 0}, 1, &model, NULL, &error, 1,
                             NULL);
}

static void parse_without_a_model(lp_context *context, lp_model *model)
{
    (void)model;
    lp_error error;
    size_t count;
    (void)lp_model_parse_all(context, &(lp_file_text){"m.csp", "", 0}, 1, NULL, NULL, &error, 1,
                             &count);
}

static void parse_in_no_context(lp_context *context, lp_model *model)
{
    (void)context;
    (void)model;
    parse_all(NULL, &(lp_file_text){"m.csp", "", 0}, 1, true);
}

/* What is no misuse: an empty text that is null, and more errors than there is room for. */
static void odd_texts_are_parsed(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_model *model = NULL;
    lp_error errors[1];
    size_t count;
    const lp_file_text nothing = {"empty.csp", NULL, 0};
    if (lp_model_parse_all(context, &nothing, 1, &model, NULL, errors, 1, &count) == LP_OK)
        lp_model_destroy(model);
    static const char wrong[] = "P = a -> ;\nQ = b -> ;\nR = c -> ;\n";
    const lp_file_text text = {"wrong.csp", wrong, sizeof wrong - 1};
    assert_int_equal(lp_model_parse_all(context, &text, 1, &model, NULL, errors, 1, &count),
                     LP_INPUT);
    assert_true(count > 1);
    assert_int_equal(errors[0].line, 1);
    lp_context_destroy(context);
}

static void misuse_names_the_function(void **unused)
{
    (void)unused;
    assert_aborts(parse_no_text, "lp_model_parse_all: there is no text");
    assert_aborts(parse_null_texts, "lp_model_parse_all: there is no text");
    assert_aborts(parse_a_null_text, "lp_model_parse_all: a text is null");
    assert_aborts(parse_a_text_without_a_path, "lp_model_parse_all: files[i].path is null");
    assert_aborts(parse_without_room_for_errors, "lp_model_parse_all: there is no room for errors");
    assert_aborts(parse_without_a_count, "lp_model_parse_all: count is null");
    assert_aborts(parse_without_a_model, "lp_model_parse_all: model is null");
    assert_aborts(parse_in_no_context, "lp_model_parse_all: context is null, or was destroyed");
    assert_aborts(verify_none, "lp_verify: there is no such assertion");
    assert_aborts(verify_a_destroyed_one, "lp_verify: model is null, or was destroyed");
    assert_aborts(take_no_step, "lp_walk_take: there is no such step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_says_what_it_holds),
        cmocka_unit_test(faults_of_a_model_have_a_place),
        cmocka_unit_test(a_violation_is_shown_step_by_step),
        cmocka_unit_test(operations_become_a_history),
        cmocka_unit_test(a_violation_of_linearizability_is_confirmed_as_a_history),
        cmocka_unit_test(only_the_reductions_asked_for_are_used),
        cmocka_unit_test(a_fault_of_the_running_model_has_an_execution),
        cmocka_unit_test(limits_leave_it_undecided),
        cmocka_unit_test(every_small_limit_is_honoured),
        cmocka_unit_test(any_number_of_threads_comes_down_to_questions),
        cmocka_unit_test(small_limits_prove_nothing_of_any_number_of_threads),
        cmocka_unit_test(threads_share_a_model),
        cmocka_unit_test(a_walk_goes_there_and_back),
        cmocka_unit_test(a_walk_follows_an_execution_as_far_as_it_goes),
        cmocka_unit_test(a_reference_names_the_process),
        cmocka_unit_test(a_graph_has_each_state_once),
        cmocka_unit_test(odd_texts_are_parsed),
        cmocka_unit_test(misuse_names_the_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
