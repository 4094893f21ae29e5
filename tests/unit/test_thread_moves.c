/* What a thread system says of kinds, initial states, endings and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "implementation/print.h"
#include "support/lin_compiled.h"
#include "unbounded/thread_memory.h"

static void open_system(struct lin_compiled *compiled, struct thread_system *system,
                        const char *text, struct lin_setting setting)
{
    setting.threads = 1;
    lin_compiled_expect(compiled, text, 0, setting, NULL);
    struct error *error = &compiled->fixture.error;
    if (thread_system_create(system, &compiled->alone, compiled->labels, &compiled->fixture.limits,
                             error) != STATUS_OK)
        fail_msg("%u: %s", error->line, error->message);
}

/* The only move of a thread there that ends so. */
static const struct thread_move *move_of(struct thread_system *system, uint32_t shared,
                                         uint32_t local, enum thread_ending ending)
{
    const struct thread_moves *moves;
    const struct thread_move *found = NULL;
    struct error error;
    assert_int_equal(thread_system_expand(system, shared, local, &moves, &error), STATUS_OK);
    for (uint32_t i = 0; i < moves->count; i++)
        if (moves->items[i].ending == ending) {
            assert_null(found);
            found = &moves->items[i];
        }
    assert_non_null(found);
    return found;
}

static void threads_of_only_are_kinds_of_one(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    (void)unused;
    open_system(&compiled, &system, ONE_WRITER, (struct lin_setting){.values = 2, .nodes = -1});
    assert_int_equal(system.kinds.length, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct thread_moves *moves;
        uint32_t idle = system.kinds.items[i].idle;
        assert_int_equal(system.kinds.items[i].only, (int32_t)i - 1);
        assert_int_equal(thread_system_kind(&system, idle), i);
        assert_true(thread_system_is_idle(&system, idle));
        assert_int_equal(thread_system_operation(&system, idle), UINT16_MAX);
        assert_int_equal(thread_system_expand(&system, system.initial.items[0], idle, &moves,
                                              &compiled.fixture.error),
                         STATUS_OK);
        bool writes = false, clears = false;
        for (uint32_t j = 0; j < moves->count; j++) {
            writes |= moves->items[j].operation == 0;
            clears |= moves->items[j].operation == 2;
        }
        assert_false(writes); /* it waits until something has been read */
        assert_int_equal(clears, i == 1);
    }
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

static void initial_states_are_those_that_init_can_choose(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    (void)unused;
    open_system(&compiled, &system, ONE_WRITER, (struct lin_setting){.values = 2, .nodes = -1});
    assert_int_equal(system.initial.length, 2); /* four choices, of which two leave no trace */
    assert_true(system.initial.items[0] != system.initial.items[1]);
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

/* Three nodes are all there ever are, whether they can be reached or not. */
static void nodes_are_not_collected(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    (void)unused;
    open_system(&compiled, &system,
                "impl forgetful { struct node { bool b; } shared node last;"
                " op put() { last = new node; return ok; } }",
                (struct lin_setting){.values = 1, .nodes = 3});
    uint32_t shared = system.initial.items[0], idle = system.kinds.items[0].idle;
    for (unsigned i = 0; i < 3; i++)
        shared = move_of(&system, shared, idle, ENDING_NONE)->next_shared;
    const struct thread_moves *moves;
    assert_int_equal(thread_system_expand(&system, shared, idle, &moves, &compiled.fixture.error),
                     STATUS_OK);
    assert_int_equal(moves->count, 0);
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

/* A node that was given back is a thread's own again if nobody can refer to it when it is taken. */
static void a_node_can_be_taken_again(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    (void)unused;
    open_system(&compiled, &system,
                "impl again { struct node { bool b; } shared bool on;"
                " op put() { node n = new node; n.b = true; on = true; free(n); return ok; } }",
                (struct lin_setting){.values = 1, .nodes = 1});
    uint32_t shared = system.initial.items[0], local = system.kinds.items[0].idle;
    for (unsigned round = 0; round < 3; round++) {
        static const bool changes[] = {false, false, true, false};
        uint64_t own = 0;
        for (unsigned i = 0; i < 4; i++) {
            const struct thread_move *move = move_of(&system, shared, local, ENDING_NONE);
            uint64_t others = i > 0 || round == 0 ? UINT64_MAX : round == 1 ? 0 : 1;
            bool seen = round == 2 && i < 2; /* another may have kept a reference */
            assert_int_equal(thread_system_changes(&system, move, others, &own),
                             round == 0 ? changes[i] : seen || (round == 2 && i == 3));
            assert_int_equal(own, i < 3 && round < 2);
            shared = move->next_shared;
            local = move->next_local;
        }
        assert_true(thread_system_is_idle(&system, local));
    }
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

static const char going_wrong[] =
    "impl wrong { struct node { bool b; } shared node none; shared int(0..1) n;\n"
    " op follow(value v) { node x = none;\n  bool b = x.b; return ok; }\n"
    " op count() { int t = n;\n  n = t + 1; return n; } }";

static void what_goes_wrong_is_a_move(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    struct text text = TEXT_EMPTY;
    (void)unused;
    open_system(&compiled, &system, going_wrong, (struct lin_setting){.values = 1, .nodes = 1});
    uint32_t shared = system.initial.items[0], idle = system.kinds.items[0].idle;
    const struct thread_moves *calls, *moves;
    struct error *error = &compiled.fixture.error;
    assert_int_equal(thread_system_expand(&system, shared, idle, &calls, error), STATUS_OK);
    assert_int_equal(calls->count, 2);
    const struct thread_move *fault =
        move_of(&system, shared, calls->items[0].next_local, ENDING_FAULT);
    assert_int_equal(fault->operation, 0);
    assert_false(fault->calls);
    assert_int_equal(fault->next_shared, shared);
    assert_int_equal(fault->next_local, fault->local);
    labels_print(system.labels, fault->label, &text);
    assert_string_equal(text_string(&text), "fault");
    const struct thread_move *counted =
        move_of(&system, shared, calls->items[1].next_local, ENDING_NONE);
    assert_int_equal(thread_system_expand(&system, counted->next_shared, idle, &moves, error),
                     STATUS_OK);
    const struct thread_move *wrong =
        move_of(&system, counted->next_shared, moves->items[1].next_local, ENDING_ERROR);
    text_clear(&text);
    labels_print(system.labels, wrong->label, &text);
    assert_string_equal(text_string(&text), "error");
    text_clear(&text);
    labels_print(system.labels, wrong->shown, &text);
    assert_string_equal(text_string(&text), "5: n = t + 1");
    text_clear(&text);
    thread_system_print_local(&system, wrong->local, &text);
    text_append(&text, "; ");
    lin_print(system.steps, thread_system_shared(&system, wrong->shared), NULL, &text);
    assert_string_equal(text_string(&text), "count at 5: n = t + 1 with t = 1; none = null, n = 1");
    text_release(&text);
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

static void an_error_of_init_is_an_error(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    (void)unused;
    lin_compiled_expect(
        &compiled, "impl wrong { shared int(0..1) n;\n init { n = 2; }\n op get() { return n; } }",
        0, (struct lin_setting){.threads = 1, .values = 1, .nodes = -1}, NULL);
    struct error *error = &compiled.fixture.error;
    assert_int_equal(thread_system_create(&system, &compiled.alone, compiled.labels,
                                          &compiled.fixture.limits, error),
                     STATUS_INPUT);
    assert_int_equal(error->line, 2);
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

/* The values that are left in memory after the pushes and pops of one thread. */
static void values_in_memory_are_those_that_are_reached(void **unused)
{
    struct lin_compiled compiled;
    struct thread_system system;
    uint32_t values;
    (void)unused;
    open_system(
        &compiled, &system,
        "impl one { struct node { value item; node next; } shared node top; shared node last;"
        " op push(value v) { atomic { node n = new node; n.item = v; n.next = top; top = n;"
        " } return ok; }"
        " op pop() { atomic { if (top == null) return empty; node t = top; top = t.next;"
        " value v = t.item; last = t; free(t); return v; } } }",
        (struct lin_setting){.values = 3, .nodes = 2});
    uint32_t idle = system.kinds.items[0].idle, shared = system.initial.items[0];
    static const uint8_t pushed[] = {3, 1};
    const struct thread_moves *moves;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(
            thread_system_expand(&system, shared, idle, &moves, &compiled.fixture.error),
            STATUS_OK);
        for (uint32_t j = 0; j < moves->count; j++)
            if (moves->items[j].argument == pushed[i])
                shared = moves->items[j].next_shared;
    }
    assert_true(thread_system_values(&system, shared, &values));
    assert_int_equal(values, 1U << 3 | 1U << 1);
    const struct thread_move *pop = move_of(&system, shared, idle, ENDING_NONE);
    assert_int_equal(pop->answer, ANSWER_VALUED);
    assert_int_equal(pop->result, 1);
    assert_true(thread_system_values(&system, pop->next_shared, &values));
    assert_int_equal(values, 1U << 3);
    thread_system_release(&system);
    lin_compiled_close(&compiled);
}

static void memory_that_is_refused_is_a_limit(void **unused)
{
    (void)unused;
    size_t most = 0;
    for (enum status status = STATUS_LIMIT; status == STATUS_LIMIT; most += 500) {
        struct lin_compiled compiled;
        struct thread_system system;
        struct budget budget;
        const struct thread_moves *moves;
        static const struct lin_setting setting = {.threads = 1, .values = 1, .nodes = -1};
        lin_compiled_expect(&compiled,
                            "impl test_and_set { shared bool held = false;"
                            " op acquire() { while (swap(held, true)) { } return ok; }"
                            " op release() { held = false; return ok; } }",
                            0, setting, NULL);
        struct error *error = &compiled.fixture.error;
        struct limits limits;
        budget_init(&budget, &compiled.fixture.budget, most + 1);
        limits_init(&limits, &budget);
        status = thread_system_create(&system, &compiled.alone, compiled.labels, &limits, error);
        for (uint32_t i = 0; status == STATUS_OK && i < system.shared.items.length; i++)
            for (uint32_t j = 0; status == STATUS_OK && j < system.locals.items.length; j++)
                status = thread_system_expand(&system, i, j, &moves, error);
        assert_int_equal(budget.refused, status == STATUS_LIMIT);
        thread_system_release(&system);
        assert_int_equal(budget.used, 0);
        lin_compiled_close(&compiled);
    }
    assert_true(most > SIZE_OR_SMALL(10000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_only_are_kinds_of_one),
        cmocka_unit_test(initial_states_are_those_that_init_can_choose),
        cmocka_unit_test(nodes_are_not_collected),
        cmocka_unit_test(a_node_can_be_taken_again),
        cmocka_unit_test(what_goes_wrong_is_a_move),
        cmocka_unit_test(an_error_of_init_is_an_error),
        cmocka_unit_test(values_in_memory_are_those_that_are_reached),
        cmocka_unit_test(memory_that_is_refused_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
