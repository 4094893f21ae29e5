/* The specification `auto`: random small objects, compiled and run in random scenarios, against its
 * definition (support/serial_oracle.h). Under sc the answers must be the same; what is violated
 * there is so under the weaker models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"
#include "support/generate.h"
#include "support/seeds.h"
#include "support/serial_oracle.h"

static struct seeds seeds = {1, 4};

enum {
    OBJECTS = 24, /* compiled at once */
    SCENARIOS = 6 /* of each */
};

/* ---- objects ---- */

static struct serial_statement make_statement(struct random *random, bool *holds)
{
    static const enum serial_kind kinds[] = {
        SERIAL_LOAD, SERIAL_LOAD,  SERIAL_LOAD, SERIAL_STORE, SERIAL_STORE, SERIAL_ADD,
        SERIAL_ADD,  SERIAL_AWAIT, SERIAL_TAKE, SERIAL_LOCK,  SERIAL_NO_IF, SERIAL_EMPTY_IF};
    struct serial_statement made = {.kind = kinds[random_below(random, ARRAY_LENGTH(kinds))],
                                    .variable = random_below(random, SERIAL_VARIABLES),
                                    .value = random_below(random, 3)};
    if (*holds && random_chance(random, 1, 2))
        made.kind = SERIAL_UNLOCK;
    else if (*holds && made.kind == SERIAL_LOCK)
        made.kind = SERIAL_ADD;
    *holds = made.kind == SERIAL_LOCK || (*holds && made.kind != SERIAL_UNLOCK);
    return made;
}

static void make_object(struct random *random, struct serial_object *object)
{
    memset(object, 0, sizeof *object);
    object->count = 2 + random_below(random, 2);
    for (unsigned i = 0; i < object->count; i++) {
        struct serial_operation *operation = &object->operations[i];
        bool holds = false;
        operation->length = 1 + random_below(random, SERIAL_LENGTH - 1);
        for (unsigned k = 0; k < operation->length; k++)
            operation->statements[k] = make_statement(random, &holds);
        if (holds && random_chance(random, 9, 10))
            operation->statements[operation->length++].kind = SERIAL_UNLOCK;
        operation->may_fail = random_chance(random, 1, 4);
        operation->may_wait = random_chance(random, 1, 4);
    }
}

static void print_statement(unsigned p, const struct serial_statement *statement, struct text *text)
{
    static const char *const forms[] = {
        [SERIAL_LOAD] = "r = 3 * r + o%u.v[%u];",
        [SERIAL_STORE] = "o%u.v[%u] = %u;",
        [SERIAL_ADD] = "r = 3 * r + atomic_fetch_add(&o%u.v[%u], 1);",
        [SERIAL_AWAIT] = "while (o%u.v[%u] != %u) { }",
        [SERIAL_TAKE] = "for (;;) { int n = o%u.v[%u]; if (n && "
                        "atomic_compare_exchange_strong(&o%u.v[%u], &n, n - 1)) break; }",
        [SERIAL_LOCK] = "pthread_mutex_lock(&o%u.m[%u]);",
        [SERIAL_UNLOCK] = "pthread_mutex_unlock(&o%u.m[%u]);",
        [SERIAL_NO_IF] = "if (o%u.v[%u] == %u) return LP_NO;",
        [SERIAL_EMPTY_IF] = "if (o%u.v[%u] == %u) return LP_EMPTY;",
    };
    bool locks = statement->kind == SERIAL_LOCK || statement->kind == SERIAL_UNLOCK;
    unsigned which = locks ? 0 : statement->variable;
    unsigned numbers[] = {p, which, statement->kind == SERIAL_TAKE ? p : statement->value, which};
    unsigned next = 0;
    for (const char *at = forms[statement->kind]; *at; at++)
        if (at[0] == '%' && at[1] == 'u')
            text_format(text, "%u", numbers[next++]), at++;
        else
            text_append_char(text, *at);
    text_append(text, "\n");
}

static void print_object(unsigned p, const struct serial_object *object, struct text *text)
{
    text_format(text, "static struct { atomic_int v[2]; pthread_mutex_t m[1]; } o%u;\n", p);
    for (unsigned i = 0; i < object->count; i++) {
        text_format(text, "static lp_int o%u_%u(void *o, lp_int r) { (void)o; r = 1;\n", p, i);
        for (unsigned k = 0; k < object->operations[i].length; k++)
            print_statement(p, &object->operations[i].statements[k], text);
        text_append(text, "return r; }\n");
    }
    text_format(text, "LP_TEST(o%u, .spec = \"auto\", .ops = {", p);
    for (unsigned i = 0; i < object->count; i++)
        text_format(text, "{\"f%u\", o%u_%u, 0, 0, 0, %d * LP_MAY_FAIL | %d * LP_MAY_WAIT},", i, p,
                    i, object->operations[i].may_fail, object->operations[i].may_wait);
    text_append(text, "});\n");
}

/* ---- scenarios ---- */

static void make_calls(struct random *random, const struct serial_object *object,
                       struct serial_calls *calls, struct text *scenario)
{
    static const unsigned lengths[][SERIAL_THREADS] = {{1, 1}, {2, 1},    {1, 2},   {2, 2},
                                                       {3, 1}, {1, 1, 1}, {2, 1, 1}};
    unsigned which = random_below(random, ARRAY_LENGTH(lengths)), number = 0;
    memset(calls, 0, sizeof *calls);
    calls->threads = lengths[which][2] ? 3 : 2;
    for (unsigned thread = 0; thread < calls->threads; thread++) {
        calls->lengths[thread] = lengths[which][thread];
        for (unsigned i = 0; i < calls->lengths[thread]; i++, number++) {
            calls->operations[number] = random_below(random, object->count);
            text_format(scenario, "%sf%u",
                        i        ? "; "
                        : thread ? " | "
                                 : "",
                        calls->operations[number]);
        }
    }
}

static unsigned violated, waiting;

static void check(struct code_fixture *code, unsigned p, const struct serial_object *object,
                  struct random *random, uint64_t seed)
{
    static struct exchange_result result;
    struct text scenario = TEXT_EMPTY;
    struct serial_calls calls;
    make_calls(random, object, &calls, &scenario);
    bool holds = serial_oracle_holds(object, &calls);
    for (int model = MEMORY_SC; model <= MEMORY_RC11; model++) {
        code_run(code, p, (enum memory_model)model, text_string(&scenario), &result);
        bool agrees = result.end == (holds ? END_COMPLETE : END_FINDING);
        if (model != MEMORY_SC && holds)
            continue;
        if (!agrees)
            fail_msg("seed %llu, o%u, %s: %s under model %d, but ended with %u, found %u",
                     (unsigned long long)seed, p, text_string(&scenario),
                     holds ? "holds" : "violated", model, result.end, result.finding.kind);
    }
    violated += !holds;
    waiting += holds && result.hanging > 0;
    text_release(&scenario);
}

static void run_seed(uint64_t seed)
{
    static struct serial_object objects[OBJECTS];
    struct code_fixture code;
    struct text text = TEXT_EMPTY;
    struct random random;
    random_seed(&random, seed);
    text_append(&text,
                "#include <pthread.h>\n#include <stdatomic.h>\n#include <linchpin/test.h>\n");
    for (unsigned p = 0; p < OBJECTS; p++) {
        make_object(&random, &objects[p]);
        print_object(p, &objects[p], &text);
    }
    code_build_text(&code, text_string(&text), ".c", "-O1");
    for (unsigned p = 0; p < OBJECTS; p++)
        for (unsigned i = 0; i < SCENARIOS; i++)
            check(&code, p, &objects[p], &random, seed);
    code_release(&code);
    text_release(&text);
}

static void random_objects_are_legal_by_definition(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        run_seed(seed);
    print_message("%u violated, %u wait\n", violated, waiting);
    assert_true(violated > 0 && waiting > 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_objects_are_legal_by_definition),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
