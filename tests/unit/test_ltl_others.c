/* Automata of random formulas against those of SPIN and of lbt, on random words. Where one of the
 * programs is not installed its test is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "logic/buchi_translate.h"
#include "support/ltl_others.h"
#include "support/ltl_words.h"
#include "support/seeds.h"

#define ATOMS             3
#define WORDS_PER_FORMULA 8

static struct seeds seeds = {.first = 1, .count = 2000};

struct other {
    const char *name;
    const char *command; /* of a shell: reads one formula from $f */
    unsigned kinds, size;
    bool (*read)(const char *text, unsigned atoms, struct buchi *buchi);
};

static const struct other others[] = {
    {"spin", "spin -f \"$f\"", TREE_NEXT, 7, read_never_claim},
    {"lbt", "echo \"$f\" | lbt", TREE_KINDS, 6, read_lbt},
};

static bool is_installed(const struct other *other)
{
    char command[80];
    snprintf(command, sizeof command, "command -v %s > /dev/null", other->name);
    return system(command) == 0;
}

static struct tree *random_formula(const struct other *other, struct random *random, uint64_t seed)
{
    random_seed(random, seed);
    return tree_random(random, 1 + random_below(random, other->size), ATOMS, other->kinds);
}

/* A formula a line, as the other program reads them; lbt gets what ltl_print makes. */
static void write_formulas(const struct other *other, struct budget *budget, FILE *file)
{
    for (unsigned i = 0; i < seeds.count; i++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        struct tree *tree = random_formula(other, &random, seeds.first + i);
        if (other->read == read_lbt) {
            struct ltl ltl;
            assert_true(ltl_init(&ltl, budget));
            ltl_print(&ltl, tree_build(tree, &ltl), LTL_SYNTAX_LBT, NULL, &text);
            ltl_release(&ltl);
        } else {
            tree_print(tree, &text);
        }
        fprintf(file, "%s\n", text_string(&text));
        text_release(&text);
        tree_release(tree);
    }
}

/* All its automata, one behind the other, each ended by a line `====`. One process of it may take a
 * second: some formulas it cannot do. */
static char *run(const struct other *other, struct budget *budget)
{
    char path[] = "/tmp/formulas-XXXXXX", command[300];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    write_formulas(other, budget, file);
    fclose(file);
    snprintf(
        command, sizeof command,
        "ulimit -t 60; while read -r f; do (ulimit -t 1; %s); echo ====; done < %s 2> /dev/null",
        other->command, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    struct text text = TEXT_EMPTY;
    char block[65536];
    for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;)
        text_append_bytes(&text, block, got);
    pclose(pipe);
    unlink(path);
    return text_take(&text);
}

/* False when the other program gave no automaton. */
static bool compare(const struct other *other, uint64_t seed, const char *text,
                    struct budget *budget, struct limits *limits)
{
    struct random random;
    struct ltl ltl;
    struct buchi ours, theirs;
    struct error error;
    struct tree *tree = random_formula(other, &random, seed);
    assert_true(ltl_init(&ltl, budget));
    assert_int_equal(buchi_translate(&ltl, tree_build(tree, &ltl), limits, &ours, &error),
                     STATUS_OK);
    buchi_init(&theirs, budget);
    bool found = other->read(text, ATOMS, &theirs);
    for (unsigned i = 0; i < WORDS_PER_FORMULA && found; i++) {
        struct lasso word;
        lasso_random(&random, ATOMS, &word);
        bool expected = buchi_accepts(&theirs, &word);
        if (buchi_accepts(&ours, &word) != expected || lasso_satisfies(&word, tree) != expected) {
            struct text message = TEXT_EMPTY;
            tree_print(tree, &message);
            text_append(&message, "\non");
            lasso_print(&word, &message);
            print_error("%s %s\n%s\n", other->name, expected ? "accepts" : "rejects",
                        text_string(&message));
            text_release(&message);
            fail();
        }
    }
    buchi_release(&ours);
    buchi_release(&theirs);
    ltl_release(&ltl);
    tree_release(tree);
    return found;
}

static void automata_agree(void **state)
{
    const struct other *other = *state;
    struct budget budget;
    struct limits limits;
    unsigned compared = 0;
    if (!is_installed(other))
        skip();
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    char *text = run(other, &budget), *at = text;
    for (unsigned i = 0; i < seeds.count; i++) {
        char *end = strstr(at, "====\n");
        assert_non_null(end);
        *end = 0;
        compared += compare(other, seeds.first + i, at, &budget, &limits);
        at = end + strlen("====\n");
    }
    free(text);
    print_message("%s: %u of %u formulas compared\n", other->name, compared, seeds.count);
    assert_true(compared >= seeds.count - seeds.count / 20);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        {"automata_agree_with_spin", automata_agree, NULL, NULL, (void *)(uintptr_t)&others[0]},
        {"automata_agree_with_lbt", automata_agree, NULL, NULL, (void *)(uintptr_t)&others[1]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
