/* What is said of inductive rules: the shipped ones have all properties, wrong ones of each kind
 * are caught with the smallest example, and of random ones the verdicts are those of the
 * definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lin/check.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "lin/spec.h"
#include "rules/rule_set_check.h"
#include "spec/builtin.h"
#include "support/rule_derivation.h"

#define SEED UINT64_C(20261124)

struct fixture {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct value_pool *pool;
    const struct rule_set *set;
    struct spec *spec;
    struct rule_set_finding finding;
    struct error error;
};

static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    fixture->pool = value_pool_create(&fixture->budget);
}

static void close_fixture(struct fixture *fixture)
{
    spec_destroy(fixture->spec);
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

/* The first rules of the script, and what they are compared with. */
static void read_rules(struct fixture *fixture)
{
    enum status status =
        lin_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error);
    if (status == STATUS_OK)
        status = lin_check(&fixture->module, &fixture->error);
    if (status != STATUS_OK)
        fail_msg("%s", fixture->error.message);
    fixture->set = fixture->module.rules.items[0]->set;
    const char *subject = fixture->set->subject;
    struct spec_request request = {.name = subject};
    if (!subject)
        return;
    status = lin_find_object(&fixture->module, subject, true)
                 ? lin_spec_from_script(&fixture->script, subject, &request, fixture->pool,
                                        &fixture->budget, &fixture->spec, &fixture->error)
                 : spec_create(&request, fixture->pool, &fixture->budget, &fixture->spec,
                               &fixture->error);
    if (status != STATUS_OK)
        fail_msg("%s", fixture->error.message);
}

static enum status check(struct fixture *fixture, unsigned bound, unsigned threads)
{
    struct limits limits;
    limits_init(&limits, &fixture->budget);
    const struct rule_set_request request = {
        .set = fixture->set, .spec = fixture->spec, .bound = bound, .threads = threads};
    return rule_set_check(&request, &limits, &fixture->finding, &fixture->error);
}

static void read_shipped(struct fixture *fixture, const char *name)
{
    char path[512];
    open_fixture(fixture);
    snprintf(path, sizeof path, "%s/examples/rules/%s.lin", SOURCE_DIR, name);
    if (script_read(path, &fixture->arena, NULL, &fixture->script, &fixture->error) != STATUS_OK)
        fail_msg("%s: %s", path, fixture->error.message);
    read_rules(fixture);
}

static void read_text(struct fixture *fixture, const char *text)
{
    open_fixture(fixture);
    assert_int_equal(script_from_text("a.lin", text, strlen(text), &fixture->arena,
                                      &fixture->script, &fixture->error),
                     STATUS_OK);
    read_rules(fixture);
}

/* ---- the shipped ones ---- */

/* With the histories that are linearizable, by size: counted elsewhere, by a program that shares no
 * code with this one, from the specification. */
static const struct {
    const char *name;
    bool renamed;
    uint64_t linearizable[6];
} shipped[] = {
    {"queue", true, {0, 2, 10, 80, 1049, 18776}},
    {"stack", true, {0, 2, 10, 82, 1101, 20308}},
    {"register", true, {0, 2, 10, 87, 1212, 23384}},
    {"mutex", true, {0, 1, 2, 7, 71, 510}},
    {"semaphore", true, {0}},
    {"set", false, {0}},
    {"priority_queue", false, {0}},
};

static void shipped_rules_have_all_properties(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(shipped); i++) {
        struct fixture fixture;
        unsigned bound = shipped[i].renamed ? 5 : 3;
        read_shipped(&fixture, shipped[i].name);
        assert_int_equal(check(&fixture, bound, 2), STATUS_OK);
        assert_int_equal(fixture.finding.size, bound);
        for (unsigned p = 0; p < RULE_PROPERTIES; p++) {
            bool asked = p != RULE_EQUAL_VALUES || shipped[i].renamed;
            if (fixture.finding.properties[p].verdict != (asked ? RULE_HOLDS : RULE_NOT_ASKED))
                fail_msg("%s: property %u", shipped[i].name, p);
        }
        for (unsigned n = 1; n <= bound && shipped[i].linearizable[1]; n++)
            assert_int_equal(fixture.finding.by_size[n].linearizable, shipped[i].linearizable[n]);
        close_fixture(&fixture);
    }
}

/* ---- wrong ones ---- */

#define QUEUE_METHODS                                                                              \
    "input Enq = enqueue(value); method Deq = dequeue() -> value;\n"                               \
    "method DeqEmpty = dequeue() -> empty;\n"
#define STACK_METHODS                                                                              \
    "input Push = push(value); method Pop = pop() -> value;\n"                                     \
    "method PopEmpty = pop() -> empty;\n"
#define STACK_RULES                                                                                \
    "rule R0: empty;\n"                                                                            \
    "rule RPushPop: u v where u, v in {Push, Pop}*, matched(Push, u), matched(Push, v)\n"          \
    "    => Push u Pop v;\n"                                                                       \
    "rule RPush: u v where u, v in {Push, Pop}*, matched(Push, u) => u Push v;\n"                  \
    "rule RPopEmpty: u v where matched(Push, u) => u PopEmpty v;\n"

static void wrong_rules_are_caught(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        enum rule_property property;
        unsigned size;
        const char *reason;
    } wrong[] = {
        {"rules r { input A = a(value); method B = b() -> value;\n"
         "rule R0: empty; rule R: u => A u; rule S: u => u A B; rule T: u => A B u; }",
         RULE_LAST_UNIQUE, 2, "the last step of `A a, B a` can be by S and by T"},
        {"rules r { input A = a(value); method B = b() -> value;\n"
         "rule R0: empty; rule R: u => A B u; rule S: u => B A u; }",
         RULE_LAST_KEPT, 2,
         "the last step of `A a, B a` is by R, and that of `B a, A a`, which has the same events, "
         "by S"},
        {"rules register { input Write = write(value); method Read = read() -> value;\n"
         "method ReadInit = read() -> empty; rule R0: empty;\n"
         "rule RWR: u => Write Read* u; rule RI: u => ReadInit u; }",
         RULE_MATCHED, 2,
         "every projection of `Write a, ReadInit` matches a rule, and it is not derived"},
        {"rules register { input Write = write(value); method Read = read() -> value;\n"
         "method ReadInit = read() -> empty; rule R0: empty;\n"
         "rule RWR: u => Write Read* u; rule RI: u => ReadInit u; }",
         RULE_BY_PROJECTIONS, 2,
         "every projection of the history is linearizable to what a rule up to RI matches"},
        {"rules r { input A = a(value); method B = b() -> value;\n"
         "rule R0: empty; rule R: u => A u B; }",
         RULE_PREFIXES, 2, "`A a, B a` is derived, and `A a`, which it begins with, is not"},
        {"rules semaphore of mutex { input Take = acquire(); method Give = release();\n"
         "rule R0: empty; rule R: Take; rule S: u v where matched(Take, u) => u Take Give v; }",
         RULE_STEP_BY_STEP, 4,
         "the history is linearizable to what S matches with the value a, and without the value a "
         "to what the rules up to S derive; but as a whole it is not"},
        {"rules semaphore of mutex { input Take = acquire(); method Give = release();\n"
         "rule R0: empty; rule R: Take; rule S: u v where matched(Take, u) => u Take Give v; }",
         RULE_BY_LAST_RULES, 4,
         "every projection of the history is linearizable to what its last rule matches, and the "
         "whole is not linearizable"},
        {"rules r of queue {" QUEUE_METHODS "rule R0: empty;\n"
         "rule REnq: u where u in Enq* => u Enq;\n"
         "rule REnqDeq: u v where v in {Enq, Deq}* => Enq u Deq v;\n"
         "rule RDeqEmpty: u v where matched(Enq, u) => u DeqEmpty v; }",
         RULE_ALLOWED, 4,
         "`Enq a, Enq b, Deq b, Deq a` is derived, and queue does not allow `enqueue 1, enqueue 2, "
         "dequeue -> 2, dequeue -> 1`"},
        {"rules r of queue {" QUEUE_METHODS "rule R0: empty;\n"
         "rule REnq: u where u in Enq* => u Enq;\n"
         "rule REnqDeq: u v where u in Enq*, v in {Enq, Deq}* => Enq u Deq v; }",
         RULE_ALL_ALLOWED, 1, "queue allows `dequeue -> nil`, and it is not derived"},
        {"rules bag { " STACK_METHODS STACK_RULES "}\n"
         "spec bag { list l = []; op push(value v) { l = l + [v]; return ok; }\n"
         "op pop() { if (l == []) return empty; value v = choose(l); l = l - [v]; return v; } }",
         RULE_ALL_ALLOWED, 3, "bag allows `push 1, push 2, pop -> 1`, and it is not derived"},
        {"rules set { input Add = add(value) -> true; input AddAgain = add(value) -> false;\n"
         "rule R0: empty; rule R: u v w => u Add v AddAgain* w; }",
         RULE_EQUAL_VALUES, 2,
         "`Add a, Add b` is derived, and with some of its values equal, as in `add 1 -> true, add "
         "1 -> true`, set does not allow it"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct fixture fixture;
        struct text text = TEXT_EMPTY;
        read_text(&fixture, wrong[i].text);
        assert_int_equal(check(&fixture, 4, 1), STATUS_OK);
        const struct rule_property_finding *found = &fixture.finding.properties[wrong[i].property];
        if (found->verdict != RULE_VIOLATED)
            fail_msg("property %u is not violated: %s", wrong[i].property, wrong[i].text);
        rule_example_explain(fixture.set, wrong[i].property, &found->example, fixture.pool, &text);
        if (!strstr(text_string(&text), wrong[i].reason) || found->size != wrong[i].size)
            fail_msg("expected at %u: %s\nfound at %u: %s", wrong[i].size, wrong[i].reason,
                     found->size, text_string(&text));
        text_release(&text);
        close_fixture(&fixture);
    }
}

static void threads_change_nothing(void **unused)
{
    (void)unused;
    struct fixture one, many;
    const char *text = "rules r of queue {" QUEUE_METHODS "rule R0: empty;\n"
                       "rule REnq: u => u Enq;\n"
                       "rule REnqDeq: u v where v in {Enq, Deq}* => Enq u Deq v; }";
    read_text(&one, text);
    read_text(&many, text);
    assert_int_equal(check(&one, 4, 1), STATUS_OK);
    assert_int_equal(check(&many, 4, 5), STATUS_OK);
    assert_memory_equal(one.finding.by_size, many.finding.by_size, sizeof one.finding.by_size);
    for (unsigned p = 0; p < RULE_PROPERTIES; p++) {
        struct text left = TEXT_EMPTY, right = TEXT_EMPTY;
        assert_int_equal(one.finding.properties[p].verdict, many.finding.properties[p].verdict);
        if (one.finding.properties[p].verdict == RULE_VIOLATED) {
            rule_example_explain(one.set, p, &one.finding.properties[p].example, one.pool, &left);
            rule_example_explain(many.set, p, &many.finding.properties[p].example, many.pool,
                                 &right);
        }
        assert_string_equal(text_string(&left), text_string(&right));
        text_release(&left);
        text_release(&right);
    }
    close_fixture(&one);
    close_fixture(&many);
}

static void limits_are_told(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct limits limits;
    atomic_bool stop = true;
    read_shipped(&fixture, "queue");
    limits_init(&limits, &fixture.budget);
    limits.interrupt = &stop;
    const struct rule_set_request request = {
        .set = fixture.set, .spec = fixture.spec, .bound = 5, .threads = 2};
    assert_int_equal(rule_set_check(&request, &limits, &fixture.finding, &fixture.error),
                     STATUS_OK);
    assert_int_equal(fixture.finding.limit, LIMIT_INTERRUPT);
    assert_true(fixture.finding.size < 5);
    assert_int_equal(fixture.finding.properties[RULE_MATCHED].verdict, RULE_OPEN);
    close_fixture(&fixture);
}

static void faults_of_the_specification_have_a_place(void **unused)
{
    (void)unused;
    struct fixture fixture;
    read_text(&fixture,
              "rules s { input A = f(value); rule R0: empty; rule R: u => u A; }\n"
              "spec s { int n = 0; op f(value v) {\n n++; assert (n < 2); return ok; } }");
    assert_int_equal(check(&fixture, 3, 1), STATUS_INPUT);
    assert_int_equal(fixture.error.line, 3);
    close_fixture(&fixture);
}

/* ---- the definitions ---- */

#define MOST 3 /* events */

/* All orders of the events of one labelling, with all that is known of them by derivations. */
struct definition {
    const struct rule_set *set;
    struct derivation derivation;
    bool violated[RULE_PROPERTIES];
};

static struct rule_word make_word(const struct rule_event *events, const uint32_t *ranks,
                                  unsigned length, const struct rule_set *set)
{
    return (struct rule_word){events, length, set->values == RULE_VALUES_ORDERED ? ranks : NULL};
}

/* The projection of a word to the groups whose bits are set, with ranks closed up. */
struct projection {
    struct rule_event events[RULE_MOST_EVENTS];
    uint32_t ranks[RULE_MOST_EVENTS];
    unsigned length;
};

static struct projection project(const struct rule_event *events, const uint32_t *ranks,
                                 unsigned length, unsigned groups)
{
    struct projection projection = {.length = 0};
    for (unsigned i = 0; i < length; i++)
        if (groups >> events[i].group & 1)
            projection.events[projection.length++] = events[i];
    for (unsigned g = 0; g < RULE_MOST_EVENTS; g++)
        for (unsigned h = 0; h < RULE_MOST_EVENTS; h++)
            projection.ranks[g] += (groups >> h & 1) && ranks[h] < ranks[g];
    return projection;
}

static const struct derived *find(const struct definition *definition,
                                  const struct projection *projection)
{
    const struct rule_word word =
        make_word(projection->events, projection->ranks, projection->length, definition->set);
    return derivation_find(&definition->derivation, &word);
}

/* Whether one of the first `count` rules makes it; `only`: that rule and witness. */
static bool matches(const struct definition *definition, const struct projection *projection,
                    unsigned first, unsigned count, unsigned witnesses)
{
    const struct rule_word word =
        make_word(projection->events, projection->ranks, projection->length, definition->set);
    if (word.length == 0)
        return first == 0;
    for (unsigned r = first; r < count; r++)
        for (unsigned i = 0; i < word.length && r > 0; i++)
            if ((witnesses >> word.events[i].group & 1) &&
                derivation_makes(definition->set, r, &word, word.events[i].group))
                return true;
    return false;
}

/* ---- histories by definition ---- */

struct history {
    const struct rule_labelling *labelling;
    const uint32_t *ranks;
    const struct word *word;
};

/* Whether some order of the operations of these groups that respects the history is derived by the
 * first `level` rules, or (level 0) matched by a rule from `first` to before `count`. */
static bool linearizes(struct definition *definition, const struct history *history,
                       unsigned groups, unsigned level, unsigned first, unsigned count,
                       unsigned witnesses, unsigned done, struct rule_event *events,
                       unsigned length)
{
    const struct rule_labelling *labelling = history->labelling;
    bool whole = true;
    for (unsigned i = 0; i < labelling->count; i++) {
        if ((done >> i & 1) || !(groups >> labelling->events[i].group & 1))
            continue;
        whole = false;
        unsigned before = history->word->before[i] & ~done;
        bool ready = true;
        for (unsigned j = 0; j < labelling->count; j++)
            ready &= !(before >> j & 1) || !(groups >> labelling->events[j].group & 1);
        if (!ready)
            continue;
        events[length] = labelling->events[i];
        if (linearizes(definition, history, groups, level, first, count, witnesses, done | 1u << i,
                       events, length + 1))
            return true;
    }
    if (!whole)
        return false;
    struct projection projection = project(events, history->ranks, length, groups);
    if (level == 0)
        return matches(definition, &projection, first, count, witnesses);
    const struct derived *derived = find(definition, &projection);
    return derived && derived->level <= level;
}

static bool is_derived_to(struct definition *definition, const struct history *history,
                          unsigned groups, unsigned level)
{
    struct rule_event events[RULE_MOST_EVENTS];
    return linearizes(definition, history, groups, level, 0, 0, 0, 0, events, 0);
}

static bool is_matched_to(struct definition *definition, const struct history *history,
                          unsigned groups, unsigned first, unsigned count, unsigned witnesses)
{
    struct rule_event events[RULE_MOST_EVENTS];
    return linearizes(definition, history, groups, 0, first, count, witnesses, 0, events, 0);
}

/* The last rule of what is derived over some groups; 0 if nothing is. */
static unsigned last_rule(const struct definition *definition, const struct history *history,
                          unsigned groups)
{
    struct rule_event left[RULE_MOST_EVENTS];
    unsigned count = 0, order[RULE_MOST_EVENTS], last = 0;
    for (unsigned i = 0; i < history->labelling->count; i++)
        if (groups >> history->labelling->events[i].group & 1)
            order[count++] = i;
    unsigned permutations = 1;
    for (unsigned i = 2; i <= count; i++)
        permutations *= i;
    for (unsigned p = 0; p < permutations; p++) {
        unsigned rest = p, used = 0;
        for (unsigned i = 0; i < count; i++) { /* digits of p choose among what is left */
            unsigned skip = rest % (count - i), at = 0;
            rest /= count - i;
            for (;; at++)
                if (!(used >> at & 1) && skip-- == 0)
                    break;
            used |= 1u << at;
            left[i] = history->labelling->events[order[at]];
        }
        struct projection projection = project(left, history->ranks, count, groups);
        const struct derived *derived = find(definition, &projection);
        if (derived)
            last = (unsigned)__builtin_ctz(derived->last);
    }
    return last;
}

static bool define_history(void *context, const struct word *word);

struct defining {
    struct definition *definition;
    struct history history;
};

static bool define_history(void *context, const struct word *word)
{
    struct defining *defining = context;
    struct definition *definition = defining->definition;
    struct history *history = &defining->history;
    unsigned rules = definition->set->rule_count;
    unsigned all = (1u << history->labelling->group_count) - 1;
    history->word = word;
    for (unsigned r = 1; r < rules; r++)
        for (unsigned x = 0; x < history->labelling->group_count; x++)
            definition->violated[RULE_STEP_BY_STEP] |=
                is_matched_to(definition, history, all, r, r + 1, 1u << x) &&
                is_derived_to(definition, history, all & ~(1u << x), r + 1) &&
                !is_derived_to(definition, history, all, r + 1);
    for (unsigned level = 1; level <= rules; level++) {
        bool each = true;
        for (unsigned part = 0; part <= all; part++)
            each = each && is_matched_to(definition, history, part, 0, level, ~0u);
        definition->violated[RULE_BY_PROJECTIONS] |=
            each != is_derived_to(definition, history, all, level);
    }
    bool each = true;
    for (unsigned part = 0; part <= all; part++) {
        unsigned last = last_rule(definition, history, part);
        each = each && is_matched_to(definition, history, part, last, last + 1, ~0u);
    }
    definition->violated[RULE_BY_LAST_RULES] |=
        each != is_derived_to(definition, history, all, rules);
    return true;
}

/* ---- executions by definition ---- */

static bool define_word(void *context, const struct rule_word *word)
{
    static const uint32_t no_ranks[RULE_MOST_EVENTS];
    struct definition *definition = context;
    const uint32_t *ranks = word->ranks ? word->ranks : no_ranks;
    unsigned groups = 0;
    for (unsigned i = 0; i < word->length; i++)
        groups |= 1u << word->events[i].group;
    struct projection whole = project(word->events, ranks, word->length, groups);
    const struct derived *derived = find(definition, &whole);
    bool match = true;
    for (unsigned part = 0; part <= groups; part++) {
        struct projection projection = project(word->events, ranks, word->length, part);
        const struct derived *left = find(definition, &projection);
        match = match && matches(definition, &projection, 0, definition->set->rule_count, ~0u);
        definition->violated[RULE_PROJECTED] |= derived && (!left || left->level > derived->level);
    }
    definition->violated[RULE_MATCHED] |= match != (derived != NULL);
    if (!derived)
        return true;
    definition->violated[RULE_LAST_UNIQUE] |= (derived->last & (derived->last - 1)) != 0;
    unsigned begun = 0;
    for (unsigned i = 0; i + 1 < word->length; i++)
        begun |= 1u << word->events[i].group;
    struct projection prefix = project(word->events, ranks, word->length - 1, begun);
    definition->violated[RULE_PREFIXES] |= !find(definition, &prefix);
    return true;
}

static bool define_labelling(void *context, const struct rule_labelling *labelling)
{
    struct definition *definition = context;
    uint32_t ranks[RULE_MOST_EVENTS] = {0};
    const struct labelling shape = {.count = labelling->count};
    struct defining defining = {definition, {labelling, ranks, NULL}};
    if (definition->set->values != RULE_VALUES_ORDERED) {
        words_visit(&shape, HISTORY_ALL, define_history, &defining);
        return rule_words_visit(definition->set, labelling, define_word, definition);
    }
    for (unsigned code = 0; code < 27; code++) { /* three groups at most, of three ranks */
        for (unsigned g = 0, rest = code; g < 3; g++, rest /= 3)
            ranks[g] = rest % 3;
        bool order = true;
        for (unsigned g = 0; g < labelling->group_count; g++)
            for (unsigned h = 0; h < g; h++)
                order &= ranks[g] != ranks[h];
        if (order)
            words_visit(&shape, HISTORY_ALL, define_history, &defining);
    }
    return rule_words_visit(definition->set, labelling, define_word, definition);
}

/* By definition, for all sizes up to MOST. */
static void define(struct definition *definition, const struct rule_set *set, struct budget *budget)
{
    struct rule_shapes shapes;
    *definition = (struct definition){.set = set};
    vector_init(&shapes.items, budget);
    derivation_make(&definition->derivation, set, MOST);
    assert_true(rule_shapes_find(set, MOST, &shapes));
    for (unsigned n = 1; n <= MOST; n++)
        assert_true(rule_labellings_visit(&shapes, n, define_labelling, definition));
    vector_release(&shapes.items);
    derivation_release(&definition->derivation);
}

static void random_rules_have_the_properties_that_definitions_say(void **unused)
{
    (void)unused;
    static const enum rule_property compared[] = {
        RULE_LAST_UNIQUE,  RULE_PROJECTED,      RULE_MATCHED,      RULE_PREFIXES,
        RULE_STEP_BY_STEP, RULE_BY_PROJECTIONS, RULE_BY_LAST_RULES};
    struct random random;
    unsigned violations[RULE_PROPERTIES] = {0};
    random_seed(&random, SEED);
    for (unsigned i = 0; i < 300; i++) {
        struct fixture fixture;
        struct rule_set set;
        struct definition definition;
        open_fixture(&fixture);
        rule_set_random(&set, &random);
        fixture.set = &set;
        assert_int_equal(check(&fixture, MOST, 1), STATUS_OK);
        define(&definition, &set, &fixture.budget);
        for (size_t j = 0; j < ARRAY_LENGTH(compared); j++) {
            enum rule_property property = compared[j];
            enum rule_verdict found = fixture.finding.properties[property].verdict;
            if (found != RULE_NOT_ASKED &&
                (found == RULE_VIOLATED) != definition.violated[property])
                fail_msg("random rules %u of seed %llu: property %u is%s violated", i,
                         (unsigned long long)SEED, property, found == RULE_VIOLATED ? "" : " not");
            violations[property] += found == RULE_VIOLATED;
        }
        close_fixture(&fixture);
    }
    for (size_t j = 0; j < ARRAY_LENGTH(compared); j++)
        print_message("property %u: violated by %u of 300\n", compared[j], violations[compared[j]]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_rules_have_all_properties),
        cmocka_unit_test(wrong_rules_are_caught),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(faults_of_the_specification_have_a_place),
        cmocka_unit_test(random_rules_have_the_properties_that_definitions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
