/* `||| i:{0..N-1} @ P0(i)` and another process beside it. The index is used in ways that say the
 * same of every index, and once in a while in one that does not. The specification is made like the
 * implementation, but for one place. A process goes on as itself or another only in the place where
 * it ends, behind a step. */
#include "support/csp_random_symmetric.h"

#include "base/text.h"

#define DEFINITIONS 3

struct generator {
    struct arena *arena;
    struct random random;
    char prefix;      /* of the definitions' names */
    unsigned strange; /* one in so many uses of an index tells it from others; 0: none */
    unsigned count;   /* N */
    bool alone;       /* the process beside the indexed ones: it has no index */
};

struct place {
    unsigned depth;
    bool last, guarded;
};

#define MAKE(sort, ...) random_node_make(generator->arena, sort, __VA_ARGS__, NULL)
#define WORD_OF(words)  random_word(&generator->random, words)
#define FORMATTED(...)  random_formatted(generator->arena, __VA_ARGS__)
#define ONE_IN(n)       random_chance(&generator->random, 1, n)

static bool is_strange(struct generator *generator)
{
    return generator->strange && ONE_IN(generator->strange);
}

static const char *const plain_conditions[] = {"x == 0",    "x == 1",      "x != y", "y == 2",
                                               "t[x] == 1", "owner == -1", NULL};
static const char *const own_conditions[] = {"a[i] == 0",
                                             "a[i] == x",
                                             "owner == i",
                                             "owner != i",
                                             "b[i] == i",
                                             "b[i] == owner",
                                             "m[i][i] == 1",
                                             "b[i] == -1",
                                             "a[i] == 1 && x == 0",
                                             "b[i] != -1 && m[b[i]][i] > 0",
                                             "call(mine, i)",
                                             "log[i][at[i]] == 1",
                                             "at[i] > 1",
                                             "call(same, b[i], owner)",
                                             "w[i][0][i] == 1",
                                             "s[i] == a[i]",
                                             NULL};
static const char *const strange_conditions[] = {
    "i == 0",        "i < 1",     "a[0] == 1",        "owner == 1",      "a[i] == i",
    "b[i] + 1 == i", "t[i] == 1", "call(same, i, x)", "w[0][0][i] == 1", NULL};

static struct random_node *condition(struct generator *generator)
{
    const char *const *items = generator->alone || ONE_IN(3) ? plain_conditions
                               : is_strange(generator)       ? strange_conditions
                                                             : own_conditions;
    return MAKE(RANDOM_CONDITION, WORD_OF(items));
}

static const char *const plain_statements[] = {"x = 1 - x; ", "y = (y + 1) % 3; ", "owner = -1; ",
                                               "x = t[x]; ",  "y = x; ",           NULL};
static const char *const own_statements[] = {
    "a[i] = 1 - a[i]; ",
    "a[i] = x; ",
    "x = a[i]; ",
    "owner = i; ",
    "b[i] = owner; ",
    "b[i] = i; ",
    "owner = b[i]; ",
    "m[i][i] = x; ",
    "if (b[i] != -1) { m[b[i]][i] = 1; } ",
    "if (b[i] != -1) { x = m[i][b[i]]; } ",
    "if (owner == i) { a[i] = 0; } ",
    "var k = i; b[k] = owner; ",
    "a[i] = 0; ",
    "if (at[i] < 2) { at[i]++; log[i][at[i]] = x; } ",
    "log[i][at[i]] = x; ",
    "x = log[i][at[i]]; ",
    "if (owner != -1) { x = log[owner][at[i]]; } ",
    "a = s; ",
    "s = a; ",
    "s[i] = 1 - s[i]; ",
    "w[i][x][i] = 1; ",
    "if (owner != -1) { w[owner][1][i] = w[i][0][owner]; } ",
    "while (at[i] < 1) { at[i]++; } ",
    "var k = b[i]; b[i] = owner; owner = k; ",
    "var l[2]; l[x] = 1; a[i] = l[1]; ",
    "give; ",
    NULL};
static const char *const strange_statements[] = {"a[0] = 1; ",
                                                 "x = i % 2; ",
                                                 "owner = 0; ",
                                                 "a[i] = i; ",
                                                 "b[i] = (i + 1) % 2; ",
                                                 "var k; b[i] = k; ",
                                                 "x = log[i][0]; ",
                                                 "m[b[i]][i] = 1; ",
                                                 "at[i] = 0; ",
                                                 "a = [0(N)]; ",
                                                 "var l[N]; l[i] = 1; x = l[0]; ",
                                                 "w[i][0][x] = 1; ",
                                                 "s = t3; ",
                                                 NULL};

static struct random_node *program(struct generator *generator)
{
    struct random_node *statements[2];
    unsigned count = 1 + random_below(&generator->random, 2);
    if (ONE_IN(3))
        return MAKE(RANDOM_PROGRAM, "");
    for (unsigned i = 0; i < count; i++) {
        const char *const *items = generator->alone || ONE_IN(3) ? plain_statements
                                   : is_strange(generator)       ? strange_statements
                                                                 : own_statements;
        statements[i] = MAKE(RANDOM_STATEMENT, WORD_OF(items));
    }
    return count == 1 ? MAKE(RANDOM_PROGRAM, "{@@}", statements[0])
                      : MAKE(RANDOM_PROGRAM, "{@@@@}", statements[0], statements[1]);
}

static const char *event(struct generator *generator)
{
    static const char *const plain[] = {"tau", "tau", "f", "g.x", "h.owner", NULL};
    static const char *const own[] = {"tau", "tau",    "tau",    "e.i",       "e.i",      "f",
                                      "d.i", "g.a[i]", "h.b[i]", "p.i.owner", "p.b[i].i", NULL};
    static const char *const strange[] = {"e.0", "f.i.1", "e.(i + 1)", "g.i", "p.i.0", NULL};
    if (generator->alone || ONE_IN(6))
        return WORD_OF(plain);
    return WORD_OF(is_strange(generator) ? strange : own);
}

static const char *const own_arguments[] = {"i, i", "i, owner", "i, b[i]", "i, -1", NULL};
static const char *const strange_arguments[] = {"i, 0", "i, x", "i, i + 1", NULL};

static struct random_node *end(struct generator *generator, const struct place *place)
{
    static const char *const words[] = {"Skip", "Skip", "Stop", NULL};
    if (!place->last || !place->guarded || ONE_IN(5))
        return MAKE(RANDOM_PROCESS, WORD_OF(words));
    if (generator->alone)
        return MAKE(RANDOM_PROCESS, FORMATTED("%cR()", generator->prefix));
    if (ONE_IN(4)) /* arguments are evaluated late */
        return MAKE(RANDOM_PROCESS,
                    FORMATTED("%cV(%s)", generator->prefix,
                              WORD_OF(is_strange(generator) ? strange_arguments : own_arguments)));
    return MAKE(RANDOM_PROCESS, FORMATTED("%c%u(i)", generator->prefix,
                                          random_below(&generator->random, DEFINITIONS)));
}

static struct random_node *process(struct generator *generator, struct place place)
{
    struct place within = {place.depth - 1, false, place.guarded};
    struct place after = {place.depth - 1, place.last, true};
    struct place branch = {place.depth - 1, place.last, place.guarded};
    if (place.depth == 0)
        return end(generator, &place);
    switch (random_below(&generator->random, 20)) {
    case 0:
        return MAKE(RANDOM_PROCESS, "(@@ [] @@)", process(generator, branch),
                    process(generator, branch));
    case 1:
        return MAKE(RANDOM_PROCESS, "([@@] @@)", condition(generator), process(generator, branch));
    case 2:
        return MAKE(RANDOM_PROCESS, "ifa (@@) { @@ } else { @@ }", condition(generator),
                    process(generator, branch), process(generator, branch));
    case 3:
        return MAKE(RANDOM_PROCESS, "if (@@) { @@ } else { @@ }", condition(generator),
                    process(generator, after), process(generator, after));
    case 4:
        return MAKE(RANDOM_PROCESS, "(@@; @@)", process(generator, within),
                    process(generator, branch));
    case 5:
        return MAKE(RANDOM_PROCESS, "(@@ ||| @@)", process(generator, within),
                    process(generator, within));
    case 6:
        if (generator->alone || ONE_IN(2))
            return MAKE(RANDOM_PROCESS, "atomic { @@ }", process(generator, within));
        return MAKE(RANDOM_PROCESS,
                    ONE_IN(2) ? "(@@ \\ {e.i, f})" : "(@@ \\ {k:{0..N - 1} @ e.k, p.i.-1})",
                    process(generator, within));
    case 7:
        if (ONE_IN(2))
            return MAKE(RANDOM_PROCESS, "(@@ interrupt @@)", process(generator, within),
                        process(generator, within));
        return MAKE(RANDOM_PROCESS, "(@@ [*] @@)", process(generator, within),
                    process(generator, within));
    case 8:
        if (!generator->alone && ONE_IN(4))
            return MAKE(RANDOM_PROCESS, "([] j:{0..N - 1} @ z.j.i -> Skip)");
        return MAKE(RANDOM_PROCESS, "case { @@: @@ default: @@ }", condition(generator),
                    process(generator, after), process(generator, after));
    case 9: {
        static const char *const messages[] = {"c!x", "c?r", "s0!1", "s0?r", NULL};
        return MAKE(RANDOM_PROCESS, "(@@@@ -> @@)", MAKE(RANDOM_MODEL, WORD_OF(messages)),
                    program(generator), process(generator, after));
    }
    default:
        return MAKE(RANDOM_PROCESS, "(@@@@ -> @@)", MAKE(RANDOM_MODEL, event(generator)),
                    program(generator), process(generator, after));
    }
}

/* The definitions of one side, and the process made of them. */
static struct random_node *side(struct generator *generator, bool beside, bool hides)
{
    static const char *const besides[] = {" ||| $R()", " ||| (||| k:{0..N - 1} @ $V(k, -1))",
                                          " ||| (||| {2} @ $R())", " ||| $Group()", "; $R()"};
    struct random_node *parts[DEFINITIONS + 4];
    unsigned count = 0;
    generator->alone = false;
    for (unsigned i = 0; i < DEFINITIONS; i++) {
        const struct place place = {4, true, false};
        parts[count++] =
            MAKE(RANDOM_DECLARATION, FORMATTED("%c%u(i) = @@;\n", generator->prefix, i),
                 process(generator, place));
    }
    const struct place second = {2, true, false};
    parts[count++] = MAKE(RANDOM_DECLARATION,
                          FORMATTED("%cV(i, j) = (p.i.j -> Skip [] [owner == j] e.j -> Skip [] "
                                    "[j != -1] tau{if (j != -1) { b[j] = i; }} -> Skip); (@@);\n",
                                    generator->prefix),
                          process(generator, second));
    parts[count++] =
        MAKE(RANDOM_MODEL, FORMATTED("%cGroup() = ||| i:{0..N - 1} @ (e.i -> %c1(i));\n",
                                     generator->prefix, generator->prefix));
    generator->alone = true;
    const struct place place = {2, true, false};
    parts[count++] = MAKE(RANDOM_DECLARATION, FORMATTED("%cR() = @@;\n", generator->prefix),
                          process(generator, place));
    struct text text = TEXT_EMPTY;
    text_format(&text, "%cMain() = %s(||| i:{0..N - 1} @ %c0(i))", generator->prefix,
                hides ? "(" : "", generator->prefix);
    if (beside)
        for (const char *at = besides[random_below(&generator->random, ARRAY_LENGTH(besides))]; *at;
             at++)
            text_append_char(&text, *at == '$' ? generator->prefix : *at);
    if (hides)
        text_append(&text, ONE_IN(2) ? ") \\ {f}" : ") \\ {f, k:{0..N - 1} @ e.k}");
    text_append(&text, ";\n");
    parts[count++] =
        MAKE(RANDOM_MODEL, arena_copy_text(generator->arena, text_string(&text), text.length));
    text_release(&text);
    return random_node_list(generator->arena, RANDOM_MODEL, "", parts, count);
}

/* Puts something smaller in one place. */
struct change {
    struct arena *arena;
    struct random *random;
    unsigned left;
};

static bool change_place(void *context, struct random_node **place)
{
    struct change *change = context;
    if ((*place)->sort == RANDOM_MODEL || (*place)->sort == RANDOM_DECLARATION ||
        change->left-- > 0)
        return true;
    struct random_node *smaller =
        random_node_smaller(change->arena, *place, random_below(change->random, 3));
    if (smaller)
        *place = smaller;
    return false;
}

struct random_node *csp_random_symmetric(struct arena *arena, struct random *random)
{
    struct generator own = {.arena = arena, .random = *random}, *generator = &own;
    generator->strange = ONE_IN(3) ? 10 : 0;
    generator->count = ONE_IN(3) ? 3 : 2;
    bool beside = ONE_IN(2), hides = ONE_IN(4);
    struct random_node *parts[16];
    unsigned count = 0;
    static const char *const owners[] = {"var owner = -1;\n", "var owner = 1;\n",
                                         "var owner:{-1..3};\n", NULL};
    static const char *const arrays[] = {"var a[N];\n", "var a = [1, 0, 0];\n", NULL};
    parts[count++] =
        MAKE(RANDOM_MODEL, generator->count == 3 ? "#define N 3;\n" : "#define N 2;\n");
    parts[count++] = MAKE(RANDOM_MODEL, WORD_OF(owners));
    parts[count++] = MAKE(RANDOM_MODEL, generator->count == 3 ? WORD_OF(arrays) : "var a[N];\n");
    parts[count++] =
        MAKE(RANDOM_MODEL, "var x; var y; var b[N]; var m[N][N]; var t = [0, 1, 1];\n"
                           "var log[N][3]; var at[N]; var s[N]; var w[N][2][N];\n"
                           "var t3 = [1, 0(N - 1)]; channel c 1; channel s0 0;\n"
                           "#define same(k, l) k == l;\n"
                           "#define give {if (owner != -1) { a[owner] = x; owner = -1; }};\n"
                           "#define mine(k) owner == k;\n"
                           "#define goal x == 1 && owner != -1;\n"
                           "#define other y == 2;\n"
                           "#define odd a[0] == 1 && a[1] == 0;\n");
    struct random before = generator->random;
    generator->prefix = 'P';
    parts[count++] = side(generator, beside, hides);
    generator->random = before;
    generator->prefix = 'Q';
    struct random_node *specification = side(generator, beside, hides);
    for (unsigned changes = 1 + ONE_IN(2); changes > 0; changes--) {
        struct change change = {arena, &generator->random, random_below(&generator->random, 20)};
        (void)random_node_walk(&specification, change_place, &change);
    }
    parts[count++] = specification;
    parts[count++] = MAKE(RANDOM_MODEL, "#assert PMain() refines QMain();\n"
                                        "#assert QMain() refines PMain();\n"
                                        "#assert PMain() deadlockfree;\n"
                                        "#assert PMain() nonterminating;\n"
                                        "#assert PMain() reaches goal;\n"
                                        "#assert PMain() reaches other with max(x);\n"
                                        "#assert PMain() reaches odd;\n");
    *random = generator->random;
    return random_node_list(arena, RANDOM_MODEL, "", parts, count);
}
