/* Definitions stand in groups. Where a process ends (behind a prefix, in a branch, last in a
 * sequence) it may go on as any process of its group or a later one, elsewhere only as one of a
 * later group: so the components of a composition never grow. A reference that no step has come
 * before goes to a later group only: so recursion is guarded. */
#include "support/csp_random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/csp_random_network.h"
#include "support/csp_random_object.h"
#include "support/csp_random_symmetric.h"
#include "support/csp_random_tree.h"

#define MAX_DEFINITIONS 5
#define MAX_NAMES       4

struct definition {
    unsigned group;
    bool has_parameter;
};

struct generator {
    struct random random;
    struct arena *arena;
    struct definition definitions[MAX_DEFINITIONS];
    unsigned definition_count;
    bool counts; /* processes at work are counted */
    bool large;  /* arrays have hundreds of elements */
    bool faults; /* things that may go wrong at run time */
};

/* Where a process stands. */
struct place {
    unsigned depth, group;
    bool last, guarded;
    bool constant;                /* components and arguments do not read variables */
    const char *names[MAX_NAMES]; /* bound to numbers */
    unsigned name_count;
};

#define MAKE(sort, ...) random_node_make(generator->arena, sort, __VA_ARGS__, NULL)
#define FORMATTED(...)  random_formatted(generator->arena, __VA_ARGS__)
#define PICK(generator, ...)                                                                       \
    random_word(&generator->random, (const char *const[]){__VA_ARGS__, NULL})
#define ONE_IN(n) random_chance(&generator->random, 1, n)

/* ---- expressions ---- */

static struct random_node *condition(struct generator *generator, const struct place *place,
                                     unsigned depth);

static struct random_node *atom(struct generator *generator, const struct place *place)
{
    if (place->name_count && ONE_IN(2))
        return MAKE(RANDOM_NUMBER,
                    place->names[random_below(&generator->random, place->name_count)]);
    if (place->constant || ONE_IN(3))
        return MAKE(RANDOM_NUMBER, PICK(generator, "0", "1", "2", "N", "red", "green"));
    if (generator->counts && ONE_IN(4))
        return MAKE(RANDOM_NUMBER, "busy");
    if (generator->large && ONE_IN(4))
        return MAKE(RANDOM_NUMBER, PICK(generator, "v[280]", "v[16]", "g[1][180]"));
    return MAKE(RANDOM_NUMBER, PICK(generator, "x", "y", "v[0]", "v[1]", "g[1][0]"));
}

static struct random_node *number(struct generator *generator, const struct place *place,
                                  unsigned depth)
{
    if (depth == 0 || ONE_IN(2))
        return atom(generator, place);
    struct random_node *first = number(generator, place, depth - 1);
    switch (random_below(&generator->random, place->constant ? 6 : 13)) {
    case 0:
        return MAKE(RANDOM_NUMBER, "(@@ % 2)", first);
    case 1:
        return MAKE(RANDOM_NUMBER, "(@@ / 2)", first);
    case 2:
        return MAKE(RANDOM_NUMBER, "-@@", MAKE(RANDOM_NUMBER, "(@@)", first));
    case 3:
        return MAKE(RANDOM_NUMBER, "call(twice, @@)", first);
    case 4:
        return MAKE(RANDOM_NUMBER, PICK(generator, "call(Max, @@, @@)", "call(min, @@, @@)"), first,
                    number(generator, place, depth - 1));
    case 5:
        if (generator->faults && ONE_IN(3))
            return MAKE(RANDOM_NUMBER, PICK(generator, "call(Sqrt, @@)", "call(Pow, @@, 40)"),
                        first);
        return MAKE(RANDOM_NUMBER,
                    PICK(generator, "call(Abs, @@)", "call(Sign, @@)", "call(Pow, (@@ % 5), 3)",
                         "call(Sqrt, call(abs, @@))"),
                    first);
    case 11:
        return MAKE(RANDOM_NUMBER,
                    PICK(generator, "call(sum, v)", "call(second, v)", "call(corner, g)"));
    case 6:
        return MAKE(RANDOM_NUMBER, generator->large ? "v[@@ % 2 * 280]" : "v[@@ % 2]", first);
    case 7:
        return MAKE(RANDOM_NUMBER, "call(ccount, c)");
    case 8:
        return generator->faults ? MAKE(RANDOM_NUMBER, "v[@@]", first) : first;
    case 9:
        return MAKE(RANDOM_NUMBER, "g[@@ % 2][@@ % 2]", first, atom(generator, place));
    case 10:
        if (generator->faults)
            return MAKE(RANDOM_NUMBER, "(2 % @@)", first);
        return MAKE(RANDOM_NUMBER, "(@@ & 1)", first);
    default:
        return MAKE(RANDOM_NUMBER, PICK(generator, "(@@ + @@)", "(@@ - @@)", "(@@ * @@)"), first,
                    number(generator, place, depth - 1));
    }
}

/* A number that is small whatever it is made of. */
static struct random_node *small(struct generator *generator, const struct place *place)
{
    if (ONE_IN(2))
        return MAKE(RANDOM_NUMBER, PICK(generator, "0", "1", "2"));
    return MAKE(RANDOM_NUMBER, "((@@) % 3)", number(generator, place, 2));
}

static struct random_node *condition(struct generator *generator, const struct place *place,
                                     unsigned depth)
{
    if (depth == 0 || ONE_IN(2)) {
        if (place->constant || ONE_IN(2))
            return MAKE(RANDOM_CONDITION,
                        PICK(generator, "@@ == @@", "@@ != @@", "@@ < @@", "@@ >= @@"),
                        number(generator, place, 1), number(generator, place, 1));
        if (generator->counts && ONE_IN(3))
            return MAKE(RANDOM_CONDITION, PICK(generator, "busy == 0", "busy > 1", "busy < 2"));
        return MAKE(RANDOM_CONDITION, PICK(generator, "x == 0", "x > 0", "flag", "flag == true",
                                           "goal", /* may fault */
                                           "call(cempty, c)", "call(cfull, c)", "y == x"));
    }
    struct random_node *first = condition(generator, place, depth - 1);
    switch (random_below(&generator->random, 4)) {
    case 0:
        return MAKE(RANDOM_CONDITION, "!(@@)", first);
    case 1:
        return MAKE(RANDOM_CONDITION, "(|| j:{0..1}@ (v[j] == @@))", number(generator, place, 1));
    default:
        return MAKE(RANDOM_CONDITION, PICK(generator, "(@@ && @@)", "(@@ || @@)", "(@@ xor @@)"),
                    first, condition(generator, place, depth - 1));
    }
}

/* ---- programs ---- */

static struct random_node *statement(struct generator *generator, const struct place *place,
                                     unsigned depth)
{
    struct random_node *value = small(generator, place);
    switch (random_below(&generator->random, depth ? 12 : 6)) {
    case 0:
    case 1:
        return MAKE(RANDOM_STATEMENT, "x = @@;", value);
    case 2:
        return MAKE(RANDOM_STATEMENT, "y = @@;",
                    generator->faults ? number(generator, place, 1) : value);
    case 3:
        return MAKE(RANDOM_STATEMENT,
                    generator->large
                        ? PICK(generator, "v[@@ % 2] = @@;", "v[@@ % 2 * 280] = @@;",
                               "vv[@@ % 3 * 100] = @@;")
                        : PICK(generator, "v[@@ % 2] = @@;", "v[@@ % 2] = @@;", "vv[@@ % 2] = @@;"),
                    number(generator, place, 1), value);
    case 4:
        return MAKE(RANDOM_STATEMENT, "flag = @@;", condition(generator, place, 1));
    case 5:
        return MAKE(RANDOM_STATEMENT,
                    PICK(generator, "swap;", "h = 1 - h;", "x = y = 1;", "g[x % 2][1] = y;",
                         "if (x < 2) x++;", "v = vv;", "vv = v;",
                         generator->large ? "v = [1, x, 0(270), y(28)];" : "v = [1, x];"));
    case 6:
        return MAKE(RANDOM_STATEMENT, "if (@@) { @@ } else { @@ }", condition(generator, place, 1),
                    statement(generator, place, depth - 1), statement(generator, place, depth - 1));
    case 7:
        return MAKE(RANDOM_STATEMENT, "if (@@) { @@ }", condition(generator, place, 1),
                    statement(generator, place, depth - 1));
    case 8:
        return MAKE(RANDOM_STATEMENT,
                    FORMATTED("var t%u = 0; while (t%u < 2) { @@ t%u = t%u + 1; }", depth, depth,
                              depth, depth),
                    statement(generator, place, depth - 1));
    case 9:
        return MAKE(RANDOM_STATEMENT, "var u[2]; u[x % 2] = @@; x = u[1];", value);
    default:
        return MAKE(RANDOM_STATEMENT, "@@ @@", statement(generator, place, depth - 1),
                    statement(generator, place, depth - 1));
    }
}

/* "{...}", or "" now and then. */
static struct random_node *program(struct generator *generator, const struct place *place)
{
    if (place->constant || ONE_IN(2))
        return MAKE(RANDOM_PROGRAM, "");
    return MAKE(RANDOM_PROGRAM, "{@@}", statement(generator, place, 2));
}

/* ---- processes ---- */

static struct random_node *process(struct generator *generator, const struct place *place);

static struct place deeper(const struct place *place)
{
    struct place inner = *place;
    inner.depth = place->depth ? place->depth - 1 : 0;
    return inner;
}

/* Behind a step. */
static struct random_node *rest(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    inner.guarded = true;
    return process(generator, &inner);
}

/* As a component, which must not grow. */
static struct random_node *component(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    inner.last = false;
    return process(generator, &inner);
}

static struct random_node *branch(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    return process(generator, &inner);
}

static struct random_node *reference(struct generator *generator, const struct place *place)
{
    unsigned candidates[MAX_DEFINITIONS], count = 0;
    for (unsigned i = 0; i < generator->definition_count; i++) {
        const struct definition *definition = &generator->definitions[i];
        bool same = place->last && place->guarded && definition->group == place->group;
        if (same || definition->group > place->group)
            candidates[count++] = i;
    }
    if (count == 0)
        return MAKE(RANDOM_PROCESS, PICK(generator, "Skip", "Stop"));
    unsigned chosen = candidates[random_below(&generator->random, count)];
    if (ONE_IN(8) && (place->constant || ONE_IN(2))) /* a process that is given an array */
        return MAKE(RANDOM_PROCESS, place->constant ? "Pass([@@, 1])" : "Pass([@@, y])",
                    small(generator, place));
    if (ONE_IN(8) && !place->constant)
        return MAKE(RANDOM_PROCESS, PICK(generator, "Pass(v)", "Pass(g)"));
    if (!generator->definitions[chosen].has_parameter)
        return MAKE(RANDOM_PROCESS, FORMATTED("P%u%s", chosen, ONE_IN(2) ? "()" : ""));
    return MAKE(RANDOM_PROCESS, FORMATTED("P%u(@@)", chosen), small(generator, place));
}

static struct random_node *event_prefix(struct generator *generator, const struct place *place)
{
    const char *plain = PICK(generator, "a@@ -> (@@)", "b@@ -> (@@)", "d@@ -> (@@)");
    switch (random_below(&generator->random, 6)) {
    case 0:
        return MAKE(RANDOM_PROCESS, "tau@@ -> (@@)", program(generator, place),
                    rest(generator, place));
    case 1:
        return MAKE(RANDOM_PROCESS, "{@@} -> (@@)", statement(generator, place, 1),
                    rest(generator, place));
    case 2:
        return MAKE(RANDOM_PROCESS, "e.@@@@ -> (@@)", small(generator, place),
                    program(generator, place), rest(generator, place));
    default:
        return MAKE(RANDOM_PROCESS, plain, program(generator, place), rest(generator, place));
    }
}

static const char *channel(struct generator *generator)
{
    return PICK(generator, "c", "c", "s", "s", "k[0]", "k[x % 2]");
}

static struct random_node *output(struct generator *generator, const struct place *place)
{
    const char *to = channel(generator);
    if (ONE_IN(6)) /* over w goes an array, with a number */
        return MAKE(RANDOM_PROCESS, PICK(generator, "w!v.@@@@ -> (@@)", "w!g.@@@@ -> (@@)"),
                    small(generator, place), program(generator, place), rest(generator, place));
    if (ONE_IN(3))
        return MAKE(RANDOM_PROCESS, FORMATTED("%s!@@.@@@@ -> (@@)", to), small(generator, place),
                    small(generator, place), program(generator, place), rest(generator, place));
    return MAKE(RANDOM_PROCESS, FORMATTED("%s!@@@@ -> (@@)", to), small(generator, place),
                program(generator, place), rest(generator, place));
}

static struct random_node *input(struct generator *generator, const struct place *place)
{
    static const char *const names[MAX_NAMES] = {"m", "n", "o", "p"};
    struct place inner = *place;
    const char *from = channel(generator);
    if (place->name_count == MAX_NAMES || ONE_IN(5))
        return MAKE(RANDOM_PROCESS, FORMATTED("%s?@@@@ -> (@@)", from), small(generator, place),
                    program(generator, place), rest(generator, place));
    const char *name = names[place->name_count];
    inner.names[inner.name_count++] = name;
    if (ONE_IN(5))
        return MAKE(RANDOM_PROCESS,
                    ONE_IN(3)   ? FORMATTED("w?v.%s@@ -> (@@)", name)
                    : ONE_IN(2) ? FORMATTED("w?z.%s@@ -> (e.z[1].z[%s %% 2] -> (@@))", name, name)
                                : FORMATTED("w?z.%s@@ -> (Pass(z); @@)", name),
                    program(generator, &inner), rest(generator, &inner));
    if (ONE_IN(4))
        return MAKE(RANDOM_PROCESS, FORMATTED("%s?[@@]%s@@ -> (@@)", from, name),
                    condition(generator, &inner, 1), program(generator, &inner),
                    rest(generator, &inner));
    if (ONE_IN(3))
        return MAKE(RANDOM_PROCESS, FORMATTED("%s?%s.@@@@ -> (@@)", from, name),
                    small(generator, place), program(generator, &inner), rest(generator, &inner));
    return MAKE(RANDOM_PROCESS, FORMATTED("%s?%s@@ -> (@@)", from, name),
                program(generator, &inner), rest(generator, &inner));
}

static struct random_node *conditional(struct generator *generator, const struct place *place)
{
    struct place guarded = deeper(place);
    guarded.guarded = true;
    struct random_node *test = condition(generator, place, 2);
    switch (random_below(&generator->random, 7)) {
    case 0:
        return MAKE(RANDOM_PROCESS, "if (@@) { @@ } else { @@ }", test,
                    process(generator, &guarded), process(generator, &guarded));
    case 1:
        return MAKE(RANDOM_PROCESS, "if (@@) { @@ }", test, process(generator, &guarded));
    case 2:
        return MAKE(RANDOM_PROCESS, "ifa (@@) { @@ } else { @@ }", test, branch(generator, place),
                    branch(generator, place));
    case 3:
        return MAKE(RANDOM_PROCESS, "ifb (@@) { @@ }", test, process(generator, &guarded));
    case 4:
        return MAKE(RANDOM_PROCESS, "case { @@: (@@) @@: (@@) default: @@ }", test,
                    process(generator, &guarded), condition(generator, place, 1),
                    process(generator, &guarded), process(generator, &guarded));
    case 5:
        return MAKE(RANDOM_PROCESS, "case { @@: (@@) @@: @@ }", test, process(generator, &guarded),
                    condition(generator, place, 1), process(generator, &guarded));
    default:
        return MAKE(RANDOM_PROCESS, "([@@] (@@))", test, branch(generator, place));
    }
}

static struct random_node *choice(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    struct place external = inner; /* a branch's invisible step wraps what it leads to */
    external.last = false;
    struct place internal = inner;
    internal.guarded = true;
    switch (random_below(&generator->random, 5)) {
    case 0:
        return MAKE(RANDOM_PROCESS, "(@@ [*] @@)", process(generator, &external),
                    process(generator, &external));
    case 1:
        return MAKE(RANDOM_PROCESS, "(@@ <> @@)", process(generator, &internal),
                    process(generator, &internal));
    case 2:
        return MAKE(RANDOM_PROCESS, "(@@ [] @@ [] @@)", process(generator, &inner),
                    process(generator, &inner), process(generator, &inner));
    case 3:
        if (inner.name_count == MAX_NAMES)
            break;
        inner.names[inner.name_count++] = "i";
        return MAKE(RANDOM_PROCESS, PICK(generator, "([] i:{0..1}@ (@@))", "([] i:{0, 2}@ (@@))"),
                    process(generator, &inner));
    default:
        break;
    }
    return MAKE(RANDOM_PROCESS, "(@@ [] @@)", process(generator, &inner),
                process(generator, &inner));
}

static struct random_node *parallel(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    inner.last = false;
    inner.constant = inner.constant || !ONE_IN(8);
    if (inner.constant) /* what is received has no alphabet */
        inner.name_count = 0;
    if (ONE_IN(6) && inner.name_count < MAX_NAMES) {
        inner.names[inner.name_count++] = "i";
        return MAKE(RANDOM_PROCESS, "(|| i:{0..1}@ (@@))", process(generator, &inner));
    }
    return MAKE(RANDOM_PROCESS, "(@@ || @@)", process(generator, &inner),
                process(generator, &inner));
}

static struct random_node *composition(struct generator *generator, const struct place *place)
{
    struct place inner = deeper(place);
    inner.last = false;
    switch (random_below(&generator->random, 12)) {
    case 0:
    case 1:
        return MAKE(RANDOM_PROCESS, "(@@ ||| @@)", component(generator, place),
                    component(generator, place));
    case 2:
        return MAKE(RANDOM_PROCESS, PICK(generator, "(|||{2}@ (@@))", "(|||{3}@ (@@))"),
                    component(generator, place));
    case 3:
        if (inner.name_count == MAX_NAMES)
            break;
        inner.names[inner.name_count++] = "i";
        return MAKE(RANDOM_PROCESS, "(||| i:{0..1}@ (@@))", process(generator, &inner));
    case 4:
    case 5:
        return parallel(generator, place);
    case 6:
        return MAKE(RANDOM_PROCESS, "(@@ interrupt @@)", component(generator, place),
                    component(generator, place));
    case 7:
        return MAKE(RANDOM_PROCESS,
                    PICK(generator, "(@@ \\ {a})", "(@@ \\ {a, e.1})", "(@@ \\ {j:{0..1}@ e.j, b})",
                         "(@@ \\ {e, s.1, d})"),
                    branch(generator, place));
    case 8:
        return MAKE(RANDOM_PROCESS, "atomic { @@ }", branch(generator, place));
    case 9:
        if (inner.constant || inner.name_count == MAX_NAMES)
            break;
        inner.guarded = true;
        return MAKE(RANDOM_PROCESS,
                    PICK(generator, "((s!1 -> (@@)) ||| (s?r -> (@@)))",
                         "(((s!1 -> (@@)) ||| (s?r -> (@@))) \\ {s.1, b})"),
                    process(generator, &inner), process(generator, &inner));
    default:
        break;
    }
    return MAKE(RANDOM_PROCESS, "((@@); @@)", component(generator, place),
                branch(generator, place));
}

static struct random_node *process(struct generator *generator, const struct place *place)
{
    unsigned kind = random_below(&generator->random, place->depth ? 20 : 3);
    switch (kind) {
    case 0:
        return MAKE(RANDOM_PROCESS, PICK(generator, "Skip", "Stop", "Skip"));
    case 1:
    case 2:
        return reference(generator, place);
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        return event_prefix(generator, place);
    case 9:
        return place->constant ? event_prefix(generator, place) : output(generator, place);
    case 10:
        return place->constant ? event_prefix(generator, place) : input(generator, place);
    case 11:
    case 12:
        return conditional(generator, place);
    case 13:
    case 14:
    case 15:
        return choice(generator, place);
    default:
        return composition(generator, place);
    }
}

/* ---- models ---- */

static struct random_node *definition(struct generator *generator, unsigned i)
{
    struct place place = {.depth = 2 + random_below(&generator->random, 2),
                          .group = generator->definitions[i].group,
                          .last = true};
    place.constant = i + 1 == generator->definition_count && ONE_IN(2);
    if (generator->definitions[i].has_parameter)
        place.names[place.name_count++] = "q";
    struct random_node *body = process(generator, &place);
    return MAKE(RANDOM_DECLARATION, FORMATTED("P%u%s = @@;\n", i, place.name_count ? "(q)" : "()"),
                body);
}

struct mutation {
    struct generator *generator;
    unsigned countdown;
    bool done;
};

/* Whether it declares a name, which what stands in it may use. */
static bool declares(const struct random_node *node)
{
    return strstr(node->format, " i:{") || strchr(node->format, '?') ||
           strstr(node->format, "var ");
}

static bool mutate_place(void *context, struct random_node **place)
{
    struct mutation *mutation = context;
    if (mutation->countdown-- > 0)
        return true;
    if (declares(*place))
        return false;
    struct random_node *other = random_node_smaller(mutation->generator->arena, *place,
                                                    random_below(&mutation->generator->random, 5));
    if (other)
        *place = other;
    return false;
}

/* What Main is compared with: nearly the same, or something else. */
static struct random_node *specification(struct generator *generator,
                                         const struct random_node *main)
{
    struct place place = {.depth = 4, .group = 0};
    if (ONE_IN(3))
        return process(generator, &place);
    struct random_node *copy = random_node_copy(generator->arena, main);
    struct mutation mutation = {.generator = generator};
    for (unsigned i = random_below(&generator->random, 3); i > 0; i--) {
        mutation.countdown = random_below(&generator->random, 30);
        (void)random_node_walk(&copy, mutate_place, &mutation);
    }
    return copy;
}

static struct random_node *declarations(struct generator *generator)
{
    return MAKE(
        RANDOM_MODEL, "", MAKE(RANDOM_DECLARATION, "#define N 2;\nenum {red, green};\n"),
        MAKE(RANDOM_DECLARATION, "#define twice(n) (n + n);\n"),
        MAKE(RANDOM_DECLARATION, "#define second(m) m[1];\n"
                                 "#define corner(m) (m[0][1] + call(second, v));\n"),
        MAKE(RANDOM_DECLARATION,
             "#define sum(m) {var t = 0; var w = 0; while (w < 2) { t = t + m[w]; w++; } t};\n"),
        MAKE(RANDOM_DECLARATION,
             generator->faults ? PICK(generator, "#define goal x == 1;\n", "#define goal x = 1;\n",
                                      "#define goal y;\n", "#define goal 2 / x == 1;\n",
                                      "#define goal flag = (x == 1);\n")
                               : "#define goal x == 1 && y != 1;\n"),
        MAKE(RANDOM_DECLARATION, "#define swap {var t = x; x = y; y = t;};\n"),
        MAKE(RANDOM_DECLARATION,
             PICK(generator, "var x;\n", "var x = 1;\n", "var x;\n", "var x:{0..2} = *;\n")),
        MAKE(RANDOM_DECLARATION, "var y:{0..2};\n"),
        MAKE(RANDOM_DECLARATION, generator->large ? "var v = [1, 0(299)];\n" : "var v = [1, 0];\n"),
        MAKE(RANDOM_DECLARATION,
             generator->large
                 ? PICK(generator, "var vv[300]:{0..2} = [2(300)];\n", "var vv[300];\n")
                 : PICK(generator, "var vv[2]:{0..2} = [0, 2];\n", "var vv[2];\n")),
        MAKE(RANDOM_DECLARATION, generator->large
                                     ? "var g[2][200] = [0, 1(2), 0(197), 2, 0(199)];\n"
                                     : "var g[2][2] = [0, 1(2), 2];\n"),
        MAKE(RANDOM_DECLARATION, "var flag = false;\n"),
        MAKE(RANDOM_DECLARATION, PICK(generator, "var h;\n", "var h;\n", "hvar h;\n")),
        MAKE(RANDOM_DECLARATION, PICK(generator, "channel c 1;\n", "channel c 2;\n")),
        MAKE(RANDOM_DECLARATION,
             PICK(generator, "channel s 0;\nchannel w 0;\n", "channel s 0;\nchannel w 1;\n")),
        MAKE(RANDOM_DECLARATION,
             PICK(generator, "Pass(m) = b.m[1] -> e.m[0] -> Skip;\n",
                  "Pass(m) = (w!m.1 -> Skip) [] (a{x = m[y % 2] % 3;} -> Skip);\n",
                  "Pass(m) = if (m[0] == x) { w?m.r -> e.r -> Skip } else { d -> Skip };\n")),
        MAKE(RANDOM_DECLARATION, PICK(generator, "channel k[2] 1;\n", "channel k[2] 0;\n")));
}

/* Small processes beside each other from the second state on: what reductions are made for. */
static struct random_node *composed(struct generator *generator, const struct place *place)
{
    struct place inner = *place;
    inner.depth = 2 + random_below(&generator->random, 2);
    inner.constant = ONE_IN(3);
    const char *form = inner.constant ? PICK(generator, "a -> (@@ || @@ || @@)",
                                             "a -> ((@@ || @@ || @@); b -> Skip)")
                                      : PICK(generator, "a -> (@@ ||| @@ ||| @@)",
                                             "a -> (((@@ ||| @@ ||| @@) \\ {a}); b -> Skip)");
    struct random_node *first = process(generator, &inner), *second = process(generator, &inner);
    return MAKE(RANDOM_PROCESS, form, first, second, process(generator, &inner));
}

static struct random_node *model(struct generator *generator)
{
    static const char *const assertions[] = {
        "Main() deadlockfree",       "Main() nonterminating",
        "Main() divergencefree",     "Main() deterministic",
        "Main() reaches goal",       "Main() reaches goal with max(x)",
        "Main() refines Spec()",     "Main() reaches goal with min(2 * y - x)",
        "Main() refines<F> Spec()",  "Main() refines <FD> Spec()",
        "Spec() refines Main()",     "Spec() refines<F> Main()",
        "Spec() refines<FD> Main()", "Spec() deadlockfree",
    };
    enum {
        ASSERTIONS = sizeof assertions / sizeof *assertions
    };
    struct random_node *parts[MAX_DEFINITIONS + 6 + ASSERTIONS];
    unsigned count = 0;
    generator->faults = ONE_IN(8);
    generator->large = ONE_IN(6);
    generator->counts = !generator->faults && ONE_IN(6);
    generator->definition_count = 2 + random_below(&generator->random, MAX_DEFINITIONS - 1);
    for (unsigned i = 0; i < generator->definition_count; i++)
        generator->definitions[i] =
            (struct definition){.group = 1 + i / (1 + random_below(&generator->random, 2)),
                                .has_parameter = ONE_IN(3) && i + 1 < generator->definition_count};
    const unsigned busy = random_below(&generator->random, generator->definition_count);
    parts[count++] = declarations(generator);
    if (generator->counts)
        parts[count++] = MAKE(RANDOM_DECLARATION,
                              FORMATTED("#define busy #P%u(%s);\n", busy,
                                        generator->definitions[busy].has_parameter ? "1" : ""));
    for (unsigned i = 0; i < generator->definition_count; i++)
        parts[count++] = definition(generator, i);
    const struct place place = {.depth = 4, .group = 0};
    struct random_node *main = ONE_IN(2) ? process(generator, &place) : composed(generator, &place);
    parts[count++] = MAKE(RANDOM_DECLARATION, "Main() = @@;\n", main);
    parts[count++] = MAKE(RANDOM_DECLARATION, "Spec() = @@;\n", specification(generator, main));
    if (ONE_IN(3))
        parts[count++] = MAKE(RANDOM_DECLARATION,
                              PICK(generator, "#alphabet P0 {a, b};\n", "#alphabet P1 {b};\n",
                                   "#alphabet P1 {j:{0..2}@ e.j, d};\n"));
    for (unsigned i = 0; i < ASSERTIONS; i++)
        parts[count++] = MAKE(RANDOM_DECLARATION, FORMATTED("#assert %s;\n", assertions[i]));
    return random_node_list(generator->arena, RANDOM_MODEL, "", parts, count);
}

/* ---- the interface ---- */

struct csp_random {
    struct budget budget;
    struct arena arena;
    struct random_node *root;
    struct text text;
};

struct csp_random *csp_random_create(enum csp_random_shape shape, uint64_t seed)
{
    struct csp_random *made = calloc(1, sizeof *made);
    assert(made);
    budget_init(&made->budget, NULL, 0);
    arena_init(&made->arena, &made->budget);
    struct generator generator = {.arena = &made->arena};
    random_seed(&generator.random, seed);
    made->root = shape == CSP_RANDOM_OBJECT ? csp_random_object(&made->arena, &generator.random)
                 : shape == CSP_RANDOM_SYMMETRIC
                     ? csp_random_symmetric(&made->arena, &generator.random)
                 : shape == CSP_RANDOM_NETWORK ? csp_random_network(&made->arena, &generator.random)
                                               : model(&generator);
    random_node_print(made->root, &made->text);
    return made;
}

void csp_random_destroy(struct csp_random *made)
{
    text_release(&made->text);
    arena_release(&made->arena);
    free(made);
}

const char *csp_random_text(struct csp_random *made)
{
    return text_string(&made->text);
}

/* ---- shrinking ---- */

struct shrinking {
    struct csp_random *model;
    csp_random_keep *keep;
    void *context;
    bool progress;
};

/* Replaces the node at the place by something smaller if what is looked for still shows. */
static bool shrink_place(void *context, struct random_node **place)
{
    struct shrinking *shrinking = context;
    struct csp_random *model = shrinking->model;
    struct random_node *before = *place, *other;
    for (unsigned i = 0; (other = random_node_smaller(&model->arena, before, i)) != NULL; i++) {
        struct text text = TEXT_EMPTY;
        *place = other;
        random_node_print(model->root, &text);
        if (text.length < model->text.length &&
            shrinking->keep(shrinking->context, text_string(&text))) {
            text_release(&model->text);
            model->text = text;
            shrinking->progress = true;
            before = other;
            i = UINT32_MAX; /* try what is smaller still */
            continue;
        }
        text_release(&text);
        *place = before;
    }
    return true;
}

void csp_random_shrink(struct csp_random *model, csp_random_keep *keep, void *context)
{
    struct shrinking shrinking = {model, keep, context, true};
    while (shrinking.progress) {
        shrinking.progress = false;
        (void)random_node_walk(&model->root, shrink_place, &shrinking);
    }
}
