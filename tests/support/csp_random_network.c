/* Three to five processes that share few events, most of which are in the alphabets of two of them,
 * with steps of their own in between: data, choices, loops and now and then a fault. Some of them
 * make a composition of their own, within the one of all. What is put
 * off must come all the same where it matters. A process goes on as itself or another only in the
 * place where it ends, behind a step. */
#include "support/csp_random_network.h"

#include <string.h>

#include "base/text.h"

#define MOST_COMPONENTS 5

struct generator {
    struct arena *arena;
    struct random random;
    unsigned components, component; /* how many, and the one at hand */
    bool faults, ends;              /* some steps are faults; components may terminate */
};

#define MAKE(sort, ...) random_node_make(generator->arena, sort, __VA_ARGS__, NULL)
#define WORD_OF(words)  random_word(&generator->random, words)
#define FORMATTED(...)  random_formatted(generator->arena, __VA_ARGS__)
#define ONE_IN(n)       random_chance(&generator->random, 1, n)

/* An event that this component shares with the next one, the one before or all, or has alone. */
static const char *event(struct generator *generator)
{
    const unsigned own = generator->component, before = own ? own - 1 : generator->components - 1;
    switch (random_below(&generator->random, 10)) {
    case 0:
        return FORMATTED("own.%u", own);
    case 1:
        return "all";
    case 2:
    case 3:
        return FORMATTED("give.%u", own);
    case 4:
    case 5:
        return FORMATTED("give.%u", before);
    case 6:
        return FORMATTED("take.%u", own);
    case 7:
        return FORMATTED("take.%u", before);
    case 8:
        return "tau";
    default:
        return "some";
    }
}

static struct random_node *condition(struct generator *generator)
{
    static const char *const conditions[] = {"x == 0", "x != 0", "y == 1", "x == y", "x < 1", NULL};
    return MAKE(RANDOM_CONDITION, WORD_OF(conditions));
}

static struct random_node *statement(struct generator *generator)
{
    static const char *const plain[] = {
        "x = 1; ",           "x = 0; ", "y = 1; ", "x = y; ", "if (x == 0) { y = 0; } ",
        "x = (x + 1) % 2; ", NULL};
    static const char *const faulty[] = {"v[x + 1] = 1; ", "v[2] = 1; ", "y = 1 / x; ",
                                         "small = x + 1; ", NULL};
    return MAKE(RANDOM_STATEMENT,
                generator->faults && ONE_IN(4) ? WORD_OF(faulty) : WORD_OF(plain));
}

static struct random_node *process(struct generator *generator, unsigned depth, bool last,
                                   bool guarded);

static struct random_node *end(struct generator *generator, bool last, bool guarded)
{
    if (last && guarded && !ONE_IN(6))
        return MAKE(RANDOM_PROCESS, FORMATTED("P%u()", generator->component));
    return MAKE(RANDOM_PROCESS, generator->ends && ONE_IN(2) ? "Skip" : "Stop");
}

static struct random_node *prefix(struct generator *generator, unsigned depth, bool last)
{
    const char *name = event(generator);
    if (ONE_IN(3))
        return MAKE(RANDOM_PROCESS,
                    FORMATTED("(%s{@@} -> @@)", ONE_IN(2) ? name : FORMATTED("tau")),
                    statement(generator), process(generator, depth - 1, last, true));
    return MAKE(RANDOM_PROCESS, FORMATTED("(%s -> @@)", name),
                process(generator, depth - 1, last, true));
}

static struct random_node *process(struct generator *generator, unsigned depth, bool last,
                                   bool guarded)
{
    if (depth == 0)
        return end(generator, last, guarded);
    switch (random_below(&generator->random, 18)) {
    case 0:
        return end(generator, last, guarded);
    case 1:
    case 2:
    case 3:
        return MAKE(RANDOM_PROCESS, "(@@ [] @@)", process(generator, depth - 1, last, guarded),
                    process(generator, depth - 1, last, guarded));
    case 10:
        return MAKE(RANDOM_PROCESS, generator->ends ? "(Skip [] @@)" : "(some -> Stop [] @@)",
                    prefix(generator, depth, last));
    case 4:
    case 11:
        return MAKE(RANDOM_PROCESS, "([@@] @@)", condition(generator),
                    process(generator, depth - 1, last, guarded));
    case 5:
        return MAKE(RANDOM_PROCESS, "if (@@) { @@ } else { @@ }", condition(generator),
                    process(generator, depth - 1, last, guarded),
                    process(generator, depth - 1, last, guarded));
    case 6:
        return MAKE(RANDOM_PROCESS, "(@@ <> @@)", process(generator, depth - 1, last, guarded),
                    process(generator, depth - 1, last, guarded));
    case 7:
        if (!ONE_IN(4))
            return prefix(generator, depth, last);
        return MAKE(RANDOM_PROCESS, FORMATTED("((@@) \\ {give.%u, some})", generator->component),
                    process(generator, depth - 1, false, true));
    case 8:
        if (!ONE_IN(4))
            return prefix(generator, depth, last);
        return MAKE(RANDOM_PROCESS, ONE_IN(2) ? "(@@ ||| @@)" : "(@@ || @@)",
                    process(generator, depth - 1, false, true),
                    process(generator, depth - 1, false, true));
    case 9:
        return MAKE(RANDOM_PROCESS, "(@@; @@)", process(generator, depth - 1, false, true),
                    process(generator, depth - 1, false, true));
    default:
        return prefix(generator, depth, last);
    }
}

/* Components from `first` on, side by side; some of them make a composition of their own. */
static void compose(struct generator *generator, unsigned first, unsigned count, struct text *text)
{
    unsigned own = count;
    if (count >= 2 && ONE_IN(2))
        own = 1 + random_below(&generator->random, count - 1);
    if (count == 1) {
        text_format(text, "P%u()", first);
        return;
    }
    if (own == count) {
        for (unsigned i = 0; i < count; i++)
            text_format(text, "%sP%u()", i ? " || " : "", first + i);
        return;
    }
    text_append(text, own > 1 ? "(" : "");
    compose(generator, first, own, text);
    text_append(text, own > 1 ? ") || " : " || ");
    const bool nested = count - own > 1 && ONE_IN(2);
    text_append(text, nested ? "(" : "");
    compose(generator, first + own, count - own, text);
    text_append(text, nested ? ")" : "");
}

struct random_node *csp_random_network(struct arena *arena, struct random *random)
{
    static const char *const assertions[] = {
        "Main() deadlockfree",   "Main() nonterminating",
        "Main() reaches goal",   "Main() reaches goal with max(x + y)",
        "Main() refines Spec()", "Spec() refines Main()"};
    static const char *const forms[] = {
        "@@", "some -> (@@)", "(@@); own.0 -> Skip", "(@@) \\ {all, give.0, give.1}", "(@@); P0()",
        NULL};
    struct generator own = {.arena = arena, .random = *random}, *generator = &own;
    struct random_node *parts[2 * MOST_COMPONENTS + ARRAY_LENGTH(assertions) + 3];
    unsigned count = 0;
    generator->components = 3 + random_below(&generator->random, MOST_COMPONENTS - 2);
    generator->faults = ONE_IN(4);
    generator->ends = ONE_IN(2);
    parts[count++] = MAKE(RANDOM_MODEL, "var x; var y; var v[2]; var small:{0..1};\n"
                                        "#define goal x == 1 && y == 1;\n");
    for (unsigned i = 0; i < generator->components; i++) {
        generator->component = i;
        parts[count++] = MAKE(RANDOM_DECLARATION, FORMATTED("P%u() = @@;\n", i),
                              process(generator, 3, true, false));
    }
    const bool declares = ONE_IN(3);
    for (unsigned i = 0; i < generator->components; i++)
        if (declares && ONE_IN(3))
            parts[count++] = MAKE(RANDOM_DECLARATION,
                                  FORMATTED("#alphabet P%u {all, give.%u, own.%u};\n", i, i, i));
    struct text text = TEXT_EMPTY;
    compose(generator, 0, generator->components, &text);
    const char *form = WORD_OF(forms);
    const char *at = strstr(form, "@@");
    parts[count++] = MAKE(RANDOM_MODEL, FORMATTED("Main() = %.*s%s%s;\n", (int)(at - form), form,
                                                  text_string(&text), at + 2));
    text_release(&text);
    generator->component = 0;
    parts[count++] = MAKE(RANDOM_DECLARATION, "Spec() = @@ ||| @@;\n",
                          process(generator, 3, false, true), process(generator, 2, false, true));
    for (unsigned i = 0; i < ARRAY_LENGTH(assertions); i++)
        parts[count++] = MAKE(RANDOM_DECLARATION, FORMATTED("#assert %s;\n", assertions[i]));
    *random = generator->random;
    return random_node_list(arena, RANDOM_MODEL, "", parts, count);
}
