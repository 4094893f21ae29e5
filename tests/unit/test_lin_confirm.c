/* Schedules of a thread system, taken again on the model of so many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/lin_fixture.h"
#include "verify/lin_confirm.h"
#include "verify/lin_instance_open.h"

/* The first assertion of a module, which is about any number of threads, with a run of its system.
 */
struct confirmed {
    struct lin_fixture fixture;
    struct labels *labels;
    struct lin_instance instance;
    struct thread_system system;
    struct schedule run;
    uint32_t shared, locals[8]; /* behind the run, by its thread */
    struct assertion_result result;
};

static const struct lin_assertion *assertion_of(const struct confirmed *confirmed)
{
    return &confirmed->fixture.module.assertions.items[0];
}

static void begin(struct confirmed *confirmed, const char *text)
{
    static const struct lin_options nothing;
    *confirmed = (struct confirmed){0};
    struct lin_fixture *fixture = &confirmed->fixture;
    if (!lin_fixture_open(fixture, text))
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
    confirmed->labels = labels_create(&fixture->budget);
    if (lin_instance_open(&confirmed->instance, &fixture->module, assertion_of(confirmed), &nothing,
                          confirmed->labels, fixture->pool, &fixture->limits,
                          &fixture->error) != STATUS_OK ||
        thread_system_create(&confirmed->system, &confirmed->instance.steps, confirmed->labels,
                             &fixture->limits, &fixture->error) != STATUS_OK)
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
    schedule_init(&confirmed->run, &fixture->budget);
    assertion_result_init(&confirmed->result, &fixture->budget);
    confirmed->run.shared = confirmed->shared = confirmed->system.initial.items[0];
}

static void end(struct confirmed *confirmed)
{
    assertion_result_release(&confirmed->result);
    schedule_release(&confirmed->run);
    thread_system_release(&confirmed->system);
    lin_instance_close(&confirmed->instance);
    labels_destroy(confirmed->labels);
    lin_fixture_close(&confirmed->fixture);
}

/* Thread `number` is there; it is `only thread` this one, or -1. */
static uint32_t add_thread(struct confirmed *confirmed, uint32_t number, int32_t only)
{
    const struct thread_system *system = &confirmed->system;
    size_t kind = 0;
    while (system->kinds.items[kind].only != only)
        kind++;
    confirmed->locals[number] = system->kinds.items[kind].idle;
    if (confirmed->run.threads <= number)
        confirmed->run.threads = number + 1;
    return number;
}

/* What a move is called: its label, "inv.pop.0+res.pop.0.1" if it has parts, else what is shown. */
static const char *move_name(const struct confirmed *confirmed, const struct thread_move *move,
                             struct text *text)
{
    label l = move->label ? move->label : move->shown;
    const struct action *action = labels_get(confirmed->labels, l);
    text_clear(text);
    if (action->kind != LABEL_SEVERAL)
        labels_print(confirmed->labels, l, text);
    else
        for (size_t i = 0; i < action->count; i++) {
            text_append(text, i ? "+" : "");
            labels_print(confirmed->labels, action->components[i], text);
        }
    return text_string(text);
}

/* The thread takes a move whose name has `name` in it. */
static void take(struct confirmed *confirmed, uint32_t thread, const char *name)
{
    const struct thread_moves *moves;
    struct text text = TEXT_EMPTY;
    struct error error;
    uint32_t i = 0;
    assert_int_equal(thread_system_expand(&confirmed->system, confirmed->shared,
                                          confirmed->locals[thread], &moves, &error),
                     STATUS_OK);
    while (i < moves->count && !strstr(move_name(confirmed, &moves->items[i], &text), name))
        print_message("  not %s\n", move_name(confirmed, &moves->items[i++], &text));
    if (i == moves->count)
        fail_msg("thread %u cannot take %s", thread, name);
    text_release(&text);
    const struct thread_move *move = &moves->items[i];
    assert_true(vector_push(&confirmed->run.steps, ((struct schedule_step){thread, move})));
    confirmed->shared = move->next_shared;
    confirmed->locals[thread] = move->next_local;
}

static enum status confirm(struct confirmed *confirmed)
{
    struct limits limits;
    limits_init(&limits, &confirmed->fixture.budget);
    const struct assertion_options options = {.reductions = REDUCE_DEFAULT, .limits = &limits};
    assertion_result_release(&confirmed->result);
    assertion_result_init(&confirmed->result, &confirmed->fixture.budget);
    enum status status = lin_confirm(
        &confirmed->fixture.module, assertion_of(confirmed), confirmed->fixture.pool, &options,
        &confirmed->system, &confirmed->run, &confirmed->result, &confirmed->fixture.error);
    for (size_t i = 0; i < confirmed->result.trace.steps.length; i++)
        print_message("  %u: %s\n", confirmed->result.trace.steps.items[i].process,
                      confirmed->result.trace.steps.items[i].event);
    print_message("  %s\n", text_string(&confirmed->result.reason));
    return status;
}

static void expect(struct confirmed *confirmed, enum holds answer)
{
    if (confirm(confirmed) != STATUS_OK)
        fail_msg("%u: %s", confirmed->fixture.error.line, confirmed->fixture.error.message);
    assert_int_equal(confirmed->result.answer, answer);
}

static const char *event(const struct confirmed *confirmed, size_t step)
{
    assert_true(step < confirmed->result.trace.steps.length);
    return confirmed->result.trace.steps.items[step].event;
}

static const char *last_event(const struct confirmed *confirmed)
{
    return event(confirmed, confirmed->result.trace.steps.length - 1);
}

/* ---- locks ---- */

static const char test_then_set[] = "impl lock {\n"
                                    "    shared bool held;\n"
                                    "    op acquire() {\n"
                                    "        await (!held);\n"
                                    "        held = true;\n"
                                    "        return ok;\n"
                                    "    }\n"
                                    "    op release() { held = false; return ok; }\n"
                                    "}\n"
                                    "assert lock linearizes mutex with threads = any;\n";

static void a_violation_is_confirmed(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, test_then_set);
    uint32_t one = add_thread(&confirmed, 0, -1), other = add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.acquire");
    take(&confirmed, other, "inv.acquire");
    take(&confirmed, one, "res.acquire");
    take(&confirmed, other, "res.acquire");
    expect(&confirmed, VIOLATED);
    assert_int_equal(confirmed.result.threads, 2);
    assert_string_equal(event(&confirmed, 0), "inv.acquire.0");
    assert_string_equal(last_event(&confirmed), "res.acquire.1");
    end(&confirmed);
}

/* Both stand behind the test; that they both get in is found when they go on. */
static void what_is_pending_is_completed(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, test_then_set);
    uint32_t one = add_thread(&confirmed, 0, -1), other = add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.acquire");
    take(&confirmed, other, "inv.acquire");
    expect(&confirmed, VIOLATED);
    end(&confirmed);
}

/* Nobody calls again, so that one thread that may go wrong later does not. */
static void nothing_is_called_behind_the_schedule(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, test_then_set);
    uint32_t one = add_thread(&confirmed, 0, -1);
    add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.acquire");
    expect(&confirmed, HOLDS);
    end(&confirmed);
}

/* ---- values ---- */

static const char slot[] = "impl slot {\n"
                           "    shared value x;\n"
                           "    shared value y;\n"
                           "    op push(value v) {\n"
                           "        x = v;\n"
                           "        y = v;\n"
                           "        return ok;\n"
                           "    }\n"
                           "    op pop() {\n"
                           "        value v = swap(x, null);\n"
                           "        return v;\n"
                           "    }\n"
                           "}\n"
                           "assert slot linearizes stack with threads = any;\n";

/* Two pushes of one colour are of two values: the second pop answers null, though one is inside. */
static void each_insertion_has_a_value_of_its_own(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, slot);
    uint32_t one = add_thread(&confirmed, 0, -1), other = add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.push.0.3");
    take(&confirmed, one, "res.push");
    take(&confirmed, one, "inv.push.0.3");
    take(&confirmed, one, "res.push");
    take(&confirmed, other, "inv.pop.0+res.pop.0.3");
    expect(&confirmed, HOLDS);
    assert_int_equal(confirmed.result.values, 2);
    take(&confirmed, other, "inv.pop.0+res.pop.0");
    expect(&confirmed, VIOLATED);
    assert_string_equal(event(&confirmed, 0), "inv.push.0.1");
    assert_string_equal(event(&confirmed, 4), "inv.push.0.2");
    end(&confirmed);
}

/* Another way to write would be a violation. */
static void only_the_steps_of_the_schedule_are_taken(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, "impl slot {\n"
                      "    shared value x;\n"
                      "    op write(value v) {\n"
                      "        either { x = v; } or { x = null; }\n"
                      "        return ok;\n"
                      "    }\n"
                      "    op read() { return x; }\n"
                      "}\n"
                      "assert slot linearizes register with threads = any;\n");
    uint32_t one = add_thread(&confirmed, 0, -1);
    take(&confirmed, one, "inv.write.0.2");
    assert_int_equal(thread_system_shared(&confirmed.system, confirmed.shared)[0], 2);
    take(&confirmed, one, "res.read.0.2");
    expect(&confirmed, HOLDS);
    end(&confirmed);
}

static void a_colour_is_not_taken_for_another(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, slot);
    uint32_t one = add_thread(&confirmed, 0, -1), other = add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.push.0.2");
    take(&confirmed, other, "inv.push.0.1"); /* over it */
    take(&confirmed, one, "res.push");
    take(&confirmed, other, "res.push");
    take(&confirmed, one, "inv.pop.0+res.pop.0.1");
    take(&confirmed, one, "inv.pop.0+res.pop.0");
    expect(&confirmed, VIOLATED);
    assert_int_equal(confirmed.result.values, 2);
    end(&confirmed);
}

/* ---- nodes, and threads with a number ---- */

static void nodes_keep_their_numbers_and_threads_theirs(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, "impl list {\n"
                      "    struct node { value item; node next; }\n"
                      "    shared node top;\n"
                      "    op push(value v) only thread 3 {\n"
                      "        node n = new node;\n"
                      "        n.item = v;\n"
                      "        node t = top;\n"
                      "        n.next = t;\n"
                      "        top = n;\n"
                      "        return ok;\n"
                      "    }\n"
                      "    op pop() {\n"
                      "        node t = top;\n"
                      "        if (t == null) return empty;\n"
                      "        node x = t.next;\n"
                      "        top = x;\n"
                      "        return t.item;\n"
                      "    }\n"
                      "}\n"
                      "assert list linearizes stack with threads = any, nodes = 2;\n");
    uint32_t pusher = add_thread(&confirmed, 3, 3), popper = add_thread(&confirmed, 0, -1);
    uint32_t other = add_thread(&confirmed, 1, -1);
    take(&confirmed, pusher, "inv.push.0.2");
    for (unsigned i = 0; i < 3; i++)
        take(&confirmed, pusher, "");
    take(&confirmed, pusher, "res.push");
    take(&confirmed, popper, "inv.pop.0");
    take(&confirmed, other, "inv.pop.0");
    take(&confirmed, popper, "x = t.next");
    take(&confirmed, popper, "top = x");
    take(&confirmed, popper, "res.pop.0.2");
    expect(&confirmed, VIOLATED); /* the other one, which takes it as well, is not in it */
    assert_string_equal(event(&confirmed, 0), "inv.push.3.1");
    assert_int_equal(confirmed.result.threads, 4);
    assert_non_null(strstr(last_event(&confirmed), "res.pop.1.1"));
    end(&confirmed);
}

/* ---- what ends a run ---- */

static void an_error_of_the_model_is_one(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, "impl lock {\n"
                      "    shared int(0..1) n;\n"
                      "    op acquire() {\n"
                      "        int i = n;\n"
                      "        n = i + 1;\n"
                      "        return ok;\n"
                      "    }\n"
                      "    op release() { n = 0; return ok; }\n"
                      "}\n"
                      "assert lock linearizes mutex with threads = any;\n");
    uint32_t one = add_thread(&confirmed, 0, -1), other = add_thread(&confirmed, 1, -1);
    take(&confirmed, one, "inv.acquire.0");
    take(&confirmed, one, "res.acquire.0");
    take(&confirmed, other, "inv.acquire.0");
    take(&confirmed, other, "error");
    assert_int_equal(confirm(&confirmed), STATUS_INPUT);
    assert_int_equal(confirmed.fixture.error.line, 5);
    assert_true(confirmed.result.trace.steps.length > 0);
    end(&confirmed);
}

static void a_null_reference_is_a_fault(void **state)
{
    (void)state;
    struct confirmed confirmed;
    begin(&confirmed, "impl lock {\n"
                      "    struct node { node next; }\n"
                      "    shared node top;\n"
                      "    init { top = new node; }\n"
                      "    op acquire() {\n"
                      "        node t = top;\n"
                      "        node x = t.next;\n"
                      "        top = x;\n"
                      "        return ok;\n"
                      "    }\n"
                      "    op release() { return ok; }\n"
                      "}\n"
                      "assert lock linearizes mutex with threads = any;\n");
    uint32_t one = add_thread(&confirmed, 0, -1);
    take(&confirmed, one, "inv.acquire.0");
    take(&confirmed, one, "x = t.next");
    take(&confirmed, one, "res.acquire.0");
    take(&confirmed, one, "inv.release.0");
    take(&confirmed, one, "inv.acquire.0");
    take(&confirmed, one, "fault");
    expect(&confirmed, VIOLATED);
    assert_non_null(strstr(text_string(&confirmed.result.reason), "null reference"));
    end(&confirmed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violation_is_confirmed),
        cmocka_unit_test(what_is_pending_is_completed),
        cmocka_unit_test(nothing_is_called_behind_the_schedule),
        cmocka_unit_test(each_insertion_has_a_value_of_its_own),
        cmocka_unit_test(only_the_steps_of_the_schedule_are_taken),
        cmocka_unit_test(a_colour_is_not_taken_for_another),
        cmocka_unit_test(nodes_keep_their_numbers_and_threads_theirs),
        cmocka_unit_test(an_error_of_the_model_is_one),
        cmocka_unit_test(a_null_reference_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
