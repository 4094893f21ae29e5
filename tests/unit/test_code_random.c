/* Random small programs, compiled by gcc and by clang with and without optimisation, and explored
 * as real code is.
 *
 * Those without loops, of values of 8 or 16 bytes: as many graphs as the definitions of the memory
 * models have (by tests/support/memory_oracle.h, which knows nothing of compilers and of the
 * exploration), none of them twice. Those with loops that try again: the answers that operations
 * give, whether they are those of a register for every client, and what else is found, are the same
 * whether iterations that only try again are left out or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/code_fixture.h"
#include "support/memory_oracle.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 5};

enum {
    IN_A_FILE = 12
};

static const char *const ORDER_NAMES[] = {"memory_order_relaxed", "memory_order_consume",
                                          "memory_order_acquire", "memory_order_release",
                                          "memory_order_acq_rel", "memory_order_seq_cst"};
static const enum memory_model MODELS[] = {MEMORY_SC, MEMORY_TSO, MEMORY_RC11};
static const char *const MODEL_NAMES[] = {"sc", "tso", "rc11"};

/* Every way in which programs are compiled, one for each seed. */
static const struct {
    const char *compiler, *flag;
} COMPILED[] = {{"gcc", "-O0"}, {"gcc", "-O2"}, {"clang", "-O0"}, {"clang", "-O2"}};

static void build_as(struct code_fixture *code, const struct text *source, uint64_t seed)
{
    unsigned way = (unsigned)(seed % ARRAY_LENGTH(COMPILED));
    if (!code_has_compiler(COMPILED[way].compiler))
        way %= 2;
    setenv("CC", COMPILED[way].compiler, 1);
    code_build_text(code, text_string(source), ".c", COMPILED[way].flag);
    unsetenv("CC");
}

/* A failure leaves the source where it can be read. */
static void differ(const struct code_fixture *code, uint64_t seed, const char *test,
                   enum memory_model model, const char *what)
{
    fail_msg("seed %llu: %s under %s, %s: %s; see %s/source.c", (unsigned long long)seed, test,
             MODEL_NAMES[model], text_string(&code->compilers), what, code->folder);
}

/* ---- programs without loops ---- */

/* Of 16 bytes each half has the value, so that halves which do not belong together are told. */
#define NARROW "typedef uint64_t word;\n#define W(V) V##u\n"
#define WIDE   "typedef unsigned __int128 word;\n#define W(V) ((word)(V) << 64 | (V))\n"

static void write_instruction(const struct program_instruction *one, struct text *source)
{
    unsigned long long value = one->value, expected = one->expected;
    const char *order = ORDER_NAMES[one->order];
    switch (one->kind) {
    case PROGRAM_LOAD:
        text_format(source, "    last = atomic_load_explicit(&x%u, %s);\n", one->location, order);
        break;
    case PROGRAM_STORE:
        text_format(source, "    atomic_store_explicit(&x%u, W(%llu)%s, %s);\n", one->location,
                    value, one->mixes_last ? " ^ last" : "", order);
        break;
    case PROGRAM_UPDATE:
        text_format(source, "    last = atomic_fetch_%s_explicit(&x%u, W(%llu), %s);\n",
                    one->adds ? "add" : "xor", one->location, value, order);
        break;
    case PROGRAM_COMPARE_EXCHANGE:
        text_format(source,
                    "    last = W(%llu);\n    atomic_compare_exchange_strong_explicit(&x%u, &last, "
                    "W(%llu), %s, %s);\n",
                    expected, one->location, value, order, ORDER_NAMES[one->failure_order]);
        break;
    case PROGRAM_FENCE:
        text_format(source, "    atomic_thread_fence(%s);\n", order);
        break;
    case PROGRAM_SKIP_UNLESS:
        text_format(source, "    if (last != W(%llu))\n        return 0;\n", value);
        break;
    case PROGRAM_WAIT_FOR: /* reads once, as the definition has it */
        text_format(source,
                    "    last = atomic_load_explicit(&x%u, %s);\n    while (last != W(%llu))\n"
                    "        (void)atomic_load_explicit(&never, memory_order_acquire);\n",
                    one->location, order, value);
        break;
    }
}

static void write_straight(const struct memory_program *program, unsigned number,
                           struct text *source)
{
    for (unsigned thread = 0; thread < program->threads; thread++) {
        text_format(source,
                    "static lp_int run_%u_%u(void *object, lp_int argument)\n{\n"
                    "    word last = 0;\n",
                    number, thread);
        for (unsigned i = 0; i < program->length[thread]; i++)
            write_instruction(&program->instructions[thread][i], source);
        text_append(source, "    return (lp_int)(0 * last);\n}\n");
    }
    text_format(source, "LP_TEST(program_%u, .ops = {", number);
    for (unsigned thread = 0; thread < program->threads; thread++)
        text_format(source, "{\"t%u\", run_%u_%u}, ", thread, number, thread);
    text_append(source, "});\n\n");
}

static size_t find_test(const struct code_fixture *code, unsigned number)
{
    char name[32];
    snprintf(name, sizeof name, "program_%u", number);
    for (size_t i = 0; i < code->tests.items.length; i++)
        if (strcmp(code->tests.items.items[i].name, name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

static bool compare_graphs(struct code_fixture *code, const struct memory_program *program,
                           uint64_t seed, unsigned number, enum memory_model model)
{
    static struct exchange_result result;
    const struct exchange_request wishes = {
        .model = model, .graphs_only = true, .counts_twice = true};
    struct text_set expected = {0};
    bool known = memory_oracle_graphs(program, model, PSC_PAPER, &expected);
    size_t count = expected.count;
    text_set_release(&expected);
    if (!known)
        return false;
    size_t test = find_test(code, number);
    code_explore(code, test, &wishes, NULL, &result);
    const char *name = code->tests.items.items[test].name;
    if (result.end != END_COMPLETE)
        differ(code, seed, name, model, "it was not explored to its end");
    if (result.twice > 0)
        differ(code, seed, name, model, "a graph was met twice");
    if (result.complete != count)
        differ(code, seed, name, model, "other graphs than by the definition");
    return true;
}

/* All compare-exchanges of what is written are strong. */
static void make_strong(struct memory_program *program)
{
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned j = 0; j < program->length[i]; j++)
            program->instructions[i][j].is_weak = false;
}

static void programs_have_the_graphs_of_the_definition(void **state)
{
    unsigned compared = 0;
    (void)state;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program programs[IN_A_FILE];
        struct code_fixture code;
        struct text source = TEXT_EMPTY;
        text_format(&source,
                    "#include <linchpin/test.h>\n#include <stdatomic.h>\n%s"
                    /* not static: else clang leaves out those that are never read */
                    "_Atomic(word) x0, x1, x2, never;\n\n",
                    seed / ARRAY_LENGTH(COMPILED) % 2 ? WIDE : NARROW);
        for (unsigned i = 0; i < IN_A_FILE; i++) {
            memory_program_random(&programs[i], seed * IN_A_FILE + i, 5 + i % 6);
            make_strong(&programs[i]);
            write_straight(&programs[i], i, &source);
        }
        build_as(&code, &source, seed);
        for (unsigned i = 0; i < IN_A_FILE; i++)
            for (unsigned k = 0; k < ARRAY_LENGTH(MODELS); k++)
                compared += compare_graphs(&code, &programs[i], seed, i, MODELS[k]);
        code_release(&code);
        text_release(&source);
    }
    print_message("seeds from %llu: %u programs compared\n", (unsigned long long)seeds.first,
                  compared);
    assert_true(compared > seeds.count * IN_A_FILE);
}

/* ---- programs that try again ---- */

static const char *pick(struct random *random, const char *const *names, unsigned count)
{
    return names[random_below(random, count)];
}

static const char *load_order(struct random *random, bool strong)
{
    static const char *const names[] = {"memory_order_acquire", "memory_order_relaxed"};
    return strong && random_chance(random, 1, 2) ? "memory_order_seq_cst" : pick(random, names, 2);
}

static const char *update_order(struct random *random, bool strong)
{
    static const char *const names[] = {"memory_order_release", "memory_order_acq_rel",
                                        "memory_order_relaxed", "memory_order_acquire"};
    return strong && random_chance(random, 1, 2) ? "memory_order_seq_cst" : pick(random, names, 4);
}

static const char *store_order(struct random *random, bool strong)
{
    static const char *const names[] = {"memory_order_release", "memory_order_relaxed"};
    return strong && random_chance(random, 1, 2) ? "memory_order_seq_cst" : pick(random, names, 2);
}

static const char *fence_order(struct random *random, bool strong)
{
    static const char *const names[] = {"memory_order_acquire", "memory_order_release",
                                        "memory_order_acq_rel"};
    return strong && random_chance(random, 1, 2) ? "memory_order_seq_cst" : pick(random, names, 3);
}

/* What an iteration does between its read of the location and its attempt. */
static void write_between(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 3);
    switch (random_below(random, 14)) {
    case 11:
    case 12:
        text_format(source, "        atomic_thread_fence(%s);\n", fence_order(random, strong));
        break;
    case 9: /* which may store what is there */
        text_format(source, "        more = atomic_exchange_explicit(&x%u, %u, %s);\n", location,
                    random_below(random, 2), update_order(random, strong));
        break;
    case 10:
        text_format(source, "        more = atomic_fetch_%s_explicit(&x%u, %u, %s);\n",
                    random_chance(random, 1, 2) ? "or" : "and", location, random_below(random, 3),
                    update_order(random, strong));
        break;
    case 0:
    case 1:
        text_format(source, "        more = atomic_load_explicit(&x%u, %s);\n", location,
                    load_order(random, strong));
        break;
    case 2:
        text_append(source, "        more = plain;\n");
        break;
    case 3:
        text_format(source, "        atomic_store_explicit(&own[me], seen, %s);\n",
                    store_order(random, strong));
        break;
    case 4:
        text_append(source, "        kept[seen & 3] = more;\n");
        break;
    case 5:
        text_append(source, "        made->value = seen;\n");
        break;
    case 6:
        text_format(
            source,
            "        if (seen & 1)\n            more = atomic_load_explicit(&own[seen & 1], "
            "%s);\n",
            load_order(random, strong));
        break;
    default:
        break;
    }
}

/* A loop that waits for some bit, or looks for one in two places. */
static void write_search(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 2), mask = 1 + random_below(random, 3);
    text_append(source, "    for (;;) {\n");
    if (random_chance(random, 1, 3))
        write_between(random, strong, source);
    text_format(source, "        seen = atomic_load_explicit(&x%u, %s);\n", location,
                load_order(random, strong));
    text_format(source, "        if (seen & %u)\n            break;\n", mask);
    for (unsigned i = random_below(random, 3); i > 0; i--)
        write_between(random, strong, source);
    if (random_chance(random, 1, 2))
        text_format(source, "        if (more & %u)\n            break;\n", mask);
    text_append(source, "    }\n");
}

/* A reader of what somebody may be changing, who looks whether a number has changed. */
static void write_snapshot(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 2), mask = random_below(random, 3);
    const char *number = load_order(random, strong);
    text_format(source,
                "    do {\n        seen = atomic_load_explicit(&x%u, %s);\n"
                "        more = atomic_load_explicit(&x%u, %s);\n",
                location, number, 1 - location, load_order(random, strong));
    for (unsigned i = random_below(random, 3); i > 0; i--)
        write_between(random, strong, source);
    text_format(source,
                "        kept[1] = atomic_load_explicit(&x%u, %s);\n"
                "    } while (kept[1] != seen || (seen & %u));\n",
                location, number, mask);
}

static void write_loop(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 2), mask = 1 + random_below(random, 3);
    bool reloads = random_chance(random, 1, 2);
    const char *compare = random_chance(random, 1, 2) ? "weak" : "strong";
    char read[160];
    snprintf(read, sizeof read, "seen = atomic_load_explicit(&x%u, %s);\n", location,
             load_order(random, strong));
    if (!reloads)
        text_format(source, "    %s", read);
    text_append(source, "    do {\n");
    if (reloads)
        text_format(source, "        %s", read);
    if (random_chance(random, 1, 4))
        text_append(source,
                    "        if (seen & 2)\n            return (lp_int)(seen * 16 + more);\n");
    for (unsigned i = random_below(random, 3); i > 0; i--)
        write_between(random, strong, source);
    text_format(source,
                "    } while (!atomic_compare_exchange_%s_explicit(&x%u, &seen, (seen + %u%s) & 7, "
                "%s, %s));\n",
                compare, location, mask, random_chance(random, 1, 4) ? " + more" : "",
                update_order(random, strong), load_order(random, strong));
}

/* A loop that does nothing but read, until somebody has set or taken away a bit. */
static void write_spin(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 3), mask = 1 + random_below(random, 3);
    if (random_chance(random, 1, 3))
        text_format(source, "    atomic_store_explicit(&x%u, %u, %s);\n", location,
                    random_below(random, 4), store_order(random, strong));
    if (random_chance(random, 1, 4))
        text_format(source, "    more = atomic_load_explicit(&x%u, %s);\n", location,
                    load_order(random, strong));
    text_format(source,
                "    while (%s((seen = atomic_load_explicit(&x%u, %s)) & %u))\n        %s\n",
                random_chance(random, 1, 2) ? "!" : "", location, load_order(random, strong), mask,
                random_chance(random, 1, 4) ? "if (plain == 9)\n            break;" : ";");
    if (random_chance(random, 1, 3))
        text_append(source, "    seen += plain;\n");
}

/* A loop that does nothing but read one location after another, until some of them have a bit. */
static void write_scan(struct random *random, bool strong, struct text *source)
{
    static const char *const names[] = {"seen", "more", "kept[1]"};
    unsigned first = random_below(random, 3), count = 2 + random_below(random, 2);
    text_append(source, "    for (;;) {\n");
    for (unsigned i = 0; i < count; i++) {
        unsigned location = (first + i) % 3;
        if (random_chance(random, 1, 6))
            text_format(source,
                        "        %s = 1;\n        (void)atomic_compare_exchange_strong_explicit("
                        "&x%u, &%s, 2, %s, %s);\n",
                        names[i], location, names[i], update_order(random, strong),
                        load_order(random, strong));
        else
            text_format(source, "        %s = atomic_load_explicit(&x%u, %s);\n", names[i],
                        location, load_order(random, strong));
        if (random_chance(random, 1, 6))
            text_append(source, "        if (plain == 9)\n            break;\n");
        if (i + 1 == count || random_chance(random, 1, 2))
            text_format(source, "        if (%s%s & %u)\n            %s;\n", names[i],
                        i > 0 && random_chance(random, 1, 3) ? " & seen" : "",
                        1 + random_below(random, 3),
                        i + 1 == count || random_chance(random, 1, 2) ? "break" : "continue");
    }
    text_append(source, "    }\n");
}

static void write_compare(struct random *random, bool strong, unsigned location,
                          const char *expected, struct text *source)
{
    text_format(source, "atomic_compare_exchange_%s_explicit(&x%u, &%s, (%s + 1) & 7, %s, %s)",
                random_chance(random, 1, 4) ? "weak" : "strong", location, expected, expected,
                update_order(random, strong), load_order(random, strong));
}

/* One location is behind another, and who finds it so helps: as in the queue of Michael and Scott,
 * whether that succeeded is not looked at. */
static void write_helping(struct random *random, bool strong, struct text *source)
{
    unsigned behind = random_below(random, 2);
    text_format(source,
                "    for (;;) {\n        seen = atomic_load_explicit(&x%u, %s);\n"
                "        more = atomic_load_explicit(&x%u, %s);\n        if (more != seen) {\n"
                "            ",
                behind, load_order(random, strong), 1 - behind, load_order(random, strong));
    write_compare(random, strong, behind, "seen", source);
    text_append(source, ";\n            continue;\n        }\n");
    if (random_chance(random, 1, 3))
        write_between(random, strong, source);
    text_append(source, "        if (");
    write_compare(random, strong, 1 - behind, "more", source);
    text_append(source, ")\n            break;\n    }\n");
    if (random_chance(random, 1, 2)) {
        text_append(source, "    ");
        write_compare(random, strong, behind, "seen", source);
        text_append(source, ";\n");
    }
}

static void write_step(struct random *random, bool strong, struct text *source)
{
    unsigned location = random_below(random, 3);
    switch (random_below(random, 7)) {
    case 0:
        text_format(source, "    more ^= atomic_load_explicit(&x%u, %s);\n", location,
                    load_order(random, strong));
        break;
    case 1:
        text_format(source, "    atomic_store_explicit(&x%u, %u, %s);\n", location,
                    1 + random_below(random, 3), store_order(random, strong));
        break;
    case 2:
        text_format(source, "    atomic_fetch_add_explicit(&x%u, 1, %s);\n", location,
                    update_order(random, strong));
        break;
    case 3:
        text_format(source, "    more ^= atomic_load_explicit(&own[%u], %s) << 1;\n",
                    random_below(random, 2), load_order(random, strong));
        break;
    case 4:
        if (random_chance(random, 1, 3))
            text_append(source, "    plain = more;\n");
        else if (random_chance(random, 1, 4))
            text_format(source, "    more ^= *(uint64_t *)&x%u;\n", location);
        else
            text_format(source, "    atomic_thread_fence(%s);\n",
                        strong ? "memory_order_seq_cst" : "memory_order_acq_rel");
        break;
    case 5:
        if (random_chance(random, 1, 3))
            text_format(source, "    if (atomic_load_explicit(&x2, %s))\n        plain = 1;\n",
                        load_order(random, strong));
        break;
    default:
        break;
    }
}

/* Two operations: both have such a loop, or one of them waits for nothing. */
static void write_trying(struct random *random, unsigned number, struct text *source)
{
    bool strong = random_chance(random, 1, 4), as_register = random_chance(random, 1, 2);
    for (unsigned operation = 0; operation < 2; operation++) {
        text_format(source,
                    "static lp_int run_%u_%u(void *object, lp_int argument)\n{\n"
                    "    uint64_t seen = 0, more = 0, kept[4] = {0};\n"
                    "    unsigned me = %u;\n    struct node *made = malloc(sizeof *made);\n"
                    "    made->value = 0;\n",
                    number, operation, operation);
        if (random_chance(random, 1, 2))
            write_step(random, strong, source);
        if (operation == 0 || random_chance(random, 2, 3)) {
            unsigned kind = random_below(random, 11);
            (kind == 0   ? write_search
             : kind == 1 ? write_snapshot
             : kind == 2 ? write_spin
             : kind <= 4 ? write_helping
             : kind <= 6 ? write_scan
                         : write_loop)(random, strong, source);
        }
        if (random_chance(random, 2, 3))
            write_step(random, strong, source);
        text_format(source, "    return %s;\n}\n",
                    as_register && operation == 0 ? "LP_DONE"
                    : as_register                 ? "(lp_int)(seen & 3)"
                                  : "(lp_int)(seen * 16 + more + made->value + kept[1])");
    }
    if (as_register)
        text_format(
            source,
            "LP_TEST(program_%u, .spec = \"register\", .ops = {{\"write\", run_%u_0, 1, 2}, "
            "{\"read\", run_%u_1}});\n\n",
            number, number, number);
    else
        text_format(source,
                    "LP_TEST(program_%u, .ops = {{\"a\", run_%u_0, .flags = LP_MAY_WAIT}, "
                    "{\"b\", run_%u_1, .flags = LP_MAY_WAIT}});\n\n",
                    number, number, number);
}

/* What two explorations of a scenario must agree on. Histories are what operations answered; where
 * they are judged, with the order of operations, of which clients can add what is missing. */
static bool agree(const struct exchange_result *all, const struct exchange_result *less,
                  bool has_spec)
{
    if (all->end != less->end)
        return false;
    if (all->end != END_COMPLETE)
        return true;
    if (less->complete > all->complete) /* nothing is added */
        return false;
    bool same = has_spec ? less->histories > 0 && less->histories <= all->histories
                         : less->histories == all->histories;
    return (same || all->histories == 0) && (all->hanging > 0) == (less->hanging > 0);
}

struct sums {
    unsigned compared, faulty;
    uint64_t all, less, retried;
};

static void compare_trying(struct code_fixture *code, uint64_t seed, unsigned number,
                           const char *scenario, enum memory_model model, struct sums *sums)
{
    static struct exchange_result all, less;
    struct exchange_request wishes = {
        .model = model, .seconds = 5, .keeps_retries = true, .keeps_rounds = true};
    size_t test = find_test(code, number);
    code_explore(code, test, &wishes, scenario, &all);
    if (all.end != END_COMPLETE && all.end != END_FINDING)
        return;
    wishes.keeps_retries = wishes.keeps_rounds = false;
    wishes.seconds = 0;
    wishes.counts_twice = true;
    code_explore(code, test, &wishes, scenario, &less);
    if (!agree(&all, &less, code->tests.items.items[test].spec[0]))
        differ(code, seed, code->tests.items.items[test].name, model, scenario);
    if (less.twice > 0)
        differ(code, seed, code->tests.items.items[test].name, model, "graphs were met twice");
    sums->compared++;
    sums->faulty += all.end == END_FINDING;
    if (all.end == END_COMPLETE) {
        sums->all += all.executions;
        sums->less += less.executions;
        sums->retried += less.retried;
    }
}

static void what_only_tries_again_shows_nothing_more(void **state)
{
    static const char *const plain[] = {"a | b", "a | a; b", "a; b | b; a", "a | a | b"};
    static const char *const as_register[] = {"write 1 | read", "write 1 | write 2; read",
                                              "write 1; read | read; write 2",
                                              "write 1 | write 2 | read"};
    struct sums sums = {0};
    (void)state;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct code_fixture code;
        struct text source = TEXT_EMPTY;
        struct random random;
        random_seed(&random, seed);
        text_append(&source, "#include <linchpin/test.h>\n#include <stdatomic.h>\n"
                             "#include <stdlib.h>\n"
                             "static _Atomic uint64_t x0, x1, x2, own[2];\n"
                             "static uint64_t plain;\nstruct node {\n    uint64_t value;\n};\n\n");
        for (unsigned i = 0; i < IN_A_FILE; i++)
            write_trying(&random, i, &source);
        build_as(&code, &source, seed);
        for (unsigned i = 0; i < IN_A_FILE; i++) {
            bool has_spec = code.tests.items.items[find_test(&code, i)].spec[0];
            unsigned which = random_below(&random, 4);
            const char *scenario = has_spec ? as_register[which] : plain[which];
            compare_trying(&code, seed, i, scenario, MODELS[random_below(&random, 3)], &sums);
            compare_trying(&code, seed, i, scenario, MEMORY_RC11, &sums);
        }
        code_release(&code);
        text_release(&source);
    }
    print_message("%u scenarios compared, of which %u have a fault; %llu executions, %llu without "
                  "what tries again, of which %llu were cut\n",
                  sums.compared, sums.faulty, (unsigned long long)sums.all,
                  (unsigned long long)sums.less, (unsigned long long)sums.retried);
}

/* test_code_random [FIRST_SEED [FILES]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_tries_again_shows_nothing_more),
        cmocka_unit_test(programs_have_the_graphs_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
