/* Reading PNML: what an ordinary net may say, and what is said of the rest; what is written is read
 * as the same net again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petri/format.h"
#include "support/net_random.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct net net;
    struct error error;
};

static enum status read_text(struct fixture *fixture, const char *text)
{
    struct script script;
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    net_init(&fixture->net, &fixture->budget);
    enum status status =
        script_from_text("net", text, strlen(text), &fixture->arena, &script, &fixture->error);
    return status == STATUS_OK ? net_read_pnml(&script, &fixture->net, &fixture->error) : status;
}

static void close(struct fixture *fixture)
{
    net_release(&fixture->net);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

static void assert_arcs(struct arcs arcs, const struct arc *expected, uint32_t count)
{
    assert_int_equal(arcs.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(arcs.items[i].place, expected[i].place);
        assert_int_equal(arcs.items[i].count, expected[i].count);
    }
}

/* Two pages, the second refers to a node of the first through another reference, before both are
 * declared; an element of another tool holds what would be wrong elsewhere. */
static const char two_pages[] =
    "<?xml version='1.0'?>\n"
    "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>"
    "<net id='n' "
    "type='http://www.pnml.org/version-2009/grammar/ptnet'><name><text>x</text></name>\n"
    "<page id='one'>\n"
    "<arc id='a1' source='r2' target='t'><inscription><text> 3\n</text></inscription></arc>\n"
    "<arc id='a2' source='t' target='q'><graphics><position x='1' y='2'/></graphics></arc>\n"
    "<arc id='a3' source='t' target='q'/>\n"
    "<referencePlace id='r2' ref='r1'/>\n"
    "<page id='within'><referencePlace id='r1' ref='p'><name><text>q</text></name></referencePlace>"
    "</page></page>\n"
    "<page id='two'><place id='p'><name><text>the &lt;first&gt;\n place</text></name>"
    "<initialMarking><text>7</text><toolspecific tool='t' version='1'><arc/></toolspecific>"
    "</initialMarking></place>\n"
    "<place id='q'><toolspecific tool='linchpin' version='0'><open/></toolspecific></place>\n"
    "<transition id='t'><name><text>fire</text></name></transition>\n"
    "<transition id='u'/><referenceTransition id='v' ref='u'/><arc id='a' source='v' target='p'/>\n"
    "</page><toolspecific tool='linchpin' version='0'><target><atLeast place='r2'>2</atLeast>"
    "<atLeast place='q'>1</atLeast></target></toolspecific></net></pnml>\n";

static void a_net_of_several_pages_is_read(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, two_pages), STATUS_OK);
    const struct net *net = &fixture.net;
    assert_int_equal(net->places.length, 2);
    assert_string_equal(net->places.items[0].name, "the <first> place");
    assert_string_equal(net->places.items[1].name, "q");
    assert_true(net->places.items[0].initial == 7 && !net->places.items[0].open);
    assert_true(net->places.items[1].initial == 0 && net->places.items[1].open);
    assert_int_equal(net->transitions.length, 2);
    assert_string_equal(net->transitions.items[0].name, "fire");
    assert_string_equal(net->transitions.items[1].name, "u");
    assert_int_equal(net->transitions.items[1].line, 14);
    const struct arc takes[] = {{0, 3}}, gives[] = {{1, 2}}, single[] = {{0, 1}};
    assert_arcs(net->transitions.items[0].takes, takes, 1);
    assert_arcs(net->transitions.items[0].gives, gives, 1); /* the two arcs together */
    assert_arcs(net->transitions.items[1].takes, NULL, 0);
    assert_arcs(net->transitions.items[1].gives, single, 1);
    const struct arc target[] = {{0, 2}, {1, 1}};
    assert_int_equal(net->targets.length, 1);
    assert_arcs(net->targets.items[0], target, 2);
    close(&fixture);
}

/* Older files have no pages, no namespace, and write `value`. */
static void older_files_are_read(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(
        read_text(&fixture,
                  "<pnml><net id='n' type='P/T net'><place id='a'><initialMarking><value>2"
                  "</value></initialMarking><capacity><value>0</value></capacity></place>"
                  "<transition id='t'/><arc id='x' source='a' target='t'>"
                  "<type value='normal'/></arc></net></pnml>"),
        STATUS_OK);
    assert_int_equal(fixture.net.places.items[0].initial, 2);
    assert_int_equal(fixture.net.transitions.items[0].takes.count, 1);
    close(&fixture);
}

/* Where two places have one name, it tells them apart no longer; nor does a name that is an id. */
static void names_that_are_given_twice_are_replaced_by_ids(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture,
                               "<pnml><net id='n'><place id='a'><name><text>b</text></name>"
                               "</place><place id='b'/></net></pnml>"),
                     STATUS_OK);
    assert_string_equal(fixture.net.places.items[0].name, "a");
    assert_string_equal(fixture.net.places.items[1].name, "b");
    close(&fixture);
}

#define NET(inside) "<pnml><net id='n' type='ptnet'>\n" inside "</net></pnml>"

static const struct {
    const char *text;
    uint32_t line;
    const char *message; /* what it begins with */
} wrong[] = {
    {"<", 1, "expected well-formed XML, found: "},
    {"<pnml>\n</net>", 2, "expected well-formed XML, found: mismatched tag"},
    {"<pnml></pnml>", 1, "expected a net, found none"},
    {"<html></html>", 1, "expected the element 'pnml', found 'html'"},
    {"<pnml>\n<net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>", 2,
     "expected a place/transition net, type '.../ptnet', found 'http://www.pnml.org/"},
    {"<pnml><net id='n'/>\n<net id='m'/></pnml>", 2, "expected one net, found 'a second one'"},
    {NET("<declaration/>"), 2,
     "expected what a place/transition net has here, found 'declaration'"},
    {NET("<place id='p'>\n<hlinitialMarking/></place>"), 3,
     "expected what a place/transition net has here, found 'hlinitialMarking'"},
    {NET("<transition id='p'><rate/></transition>"), 2,
     "expected what a place/transition net has here, found 'rate'"},
    {NET("<place/>"), 2, "expected the attribute 'id', found 'none'"},
    {NET("<place id=''/>"), 2, "expected the attribute 'id', found 'an empty one'"},
    {NET("<place id='p'/>\n<transition id='p'/>"), 3,
     "expected an id of its own for each node, found 'p' again"},
    {NET("<place id='p'><initialMarking>\n<text>-1</text></initialMarking></place>"), 3,
     "expected a number of tokens, from 0 to 1000000000, found '-1'"},
    {NET("<place id='p'><initialMarking><text>1000000001</text></initialMarking></place>"), 2,
     "expected a number of tokens, from 0 to 1000000000, found '1000000001'"},
    {NET("<place id='p'><initialMarking><text/></initialMarking></place>"), 2,
     "expected a number of tokens"},
    {NET("<place id='p'><capacity><text>3</text></capacity></place>"), 2,
     "expected a place without a bound, found '3'"},
    {NET("<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'>\n<inscription>"
         "<text>0</text></inscription></arc>"),
     3, "expected a weight, from 1 to 1000000000, found '0'"},
    {NET("<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='x'/>"), 3,
     "expected the id of a place or transition, found 'x'"},
    {NET("<place id='p'/><place id='q'/>\n<arc id='a' source='p' target='q'/>"), 3,
     "expected an arc between a place and a transition, found two places"},
    {NET("<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='t'>"
         "<type value='inhibitor'/></arc>"),
     3, "expected an ordinary arc, found 'inhibitor'"},
    {NET("<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='t'>"
         "<arctype><text>reset</text></arctype></arc>"),
     3, "expected an ordinary arc, found 'reset'"},
    {NET("<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='t' type='read'/>"), 3,
     "expected an ordinary arc, found 'read'"},
    {NET("<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='t'><inscription>"
         "<text>1000000000</text></inscription></arc><arc id='b' source='p' target='t'/>"),
     3, "expected at most 1000000000 tokens of a place together, found more"},
    {NET("<referencePlace id='p' ref='q'/>\n<referencePlace id='q' ref='p'/>"), 2,
     "expected references that lead to a node, found a circle of them"},
    {NET("<referencePlace id='p' ref='t'/><transition id='t'/>"), 2,
     "expected a reference to a place, found one to 't'"},
    {NET("<referencePlace id='p' ref='q'/>"), 2, "expected the id of a place, found 'q'"},
    {NET("<toolspecific tool='linchpin'><target>\n<atLeast place='p'>1</atLeast></target>"
         "</toolspecific>"),
     3, "expected the id of a place, found 'p'"},
    {NET("<toolspecific tool='linchpin'><open/></toolspecific>"), 2,
     "expected it within a place, found 'open'"},
    {"<!DOCTYPE pnml [\n<!ENTITY a 'aaaa'>]><pnml/>", 2,
     "expected no entities to be declared, found 'a'"},
};

static void what_is_no_ordinary_net_is_refused_with_its_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct fixture fixture;
        assert_int_equal(read_text(&fixture, wrong[i].text), STATUS_INPUT);
        if (strncmp(fixture.error.message, wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("%s\nexpected: %s\nfound: %s", wrong[i].text, wrong[i].message,
                     fixture.error.message);
        if (fixture.error.line != wrong[i].line)
            fail_msg("%s\nline %u", wrong[i].text, fixture.error.line);
        close(&fixture);
    }
}

/* Elements within one another, for a reader that would recur. */
static void deep_files_are_refused(void **unused)
{
    (void)unused;
    struct fixture fixture;
    size_t depth = 5000, length = 0;
    char *text = malloc(40 + depth * 20);
    length += (size_t)sprintf(text, "<pnml><net id='n'>");
    for (size_t i = 0; i < depth; i++)
        length += (size_t)sprintf(text + length, "<page id='p'>");
    assert_int_equal(read_text(&fixture, text), STATUS_INPUT);
    assert_non_null(strstr(fixture.error.message, "at most 1,000 elements within one another"));
    close(&fixture);
    free(text);
}

/* ---- what is written ---- */

static void assert_same_arcs(struct arcs left, struct arcs right)
{
    assert_arcs(left, right.items, right.count);
}

static void assert_same(const struct net *left, const struct net *right)
{
    assert_int_equal(left->places.length, right->places.length);
    for (size_t p = 0; p < left->places.length; p++) {
        assert_string_equal(left->places.items[p].name, right->places.items[p].name);
        assert_int_equal(left->places.items[p].initial, right->places.items[p].initial);
        assert_int_equal(left->places.items[p].open, right->places.items[p].open);
    }
    assert_int_equal(left->transitions.length, right->transitions.length);
    for (size_t t = 0; t < left->transitions.length; t++) {
        const struct net_transition *one = &left->transitions.items[t];
        const struct net_transition *other = &right->transitions.items[t];
        assert_same_arcs(one->takes, other->takes);
        assert_same_arcs(one->gives, other->gives);
        assert_true(!one->name || strcmp(one->name, other->name) == 0);
    }
    assert_int_equal(left->targets.length, right->targets.length);
    for (size_t i = 0; i < left->targets.length; i++)
        assert_same_arcs(left->targets.items[i], right->targets.items[i]);
    assert_int_equal(left->invariants.length, right->invariants.length);
    for (size_t i = 0; i < left->invariants.length; i++)
        assert_same_arcs(left->invariants.items[i].weights, right->invariants.items[i].weights);
}

static enum status read_spec(struct fixture *fixture, const char *text)
{
    struct script script;
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    net_init(&fixture->net, &fixture->budget);
    assert_int_equal(
        script_from_text("net", text, strlen(text), &fixture->arena, &script, &fixture->error),
        STATUS_OK);
    return net_read_spec(&script, &fixture->net, &fixture->error);
}

static void check_written(const struct net *net, enum net_format format)
{
    struct fixture again;
    struct error error;
    char *written = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    assert_int_equal(net_write(net, format, out, &error), STATUS_OK);
    fclose(out);
    enum status status =
        format == NET_PNML ? read_text(&again, written) : read_spec(&again, written);
    if (status != STATUS_OK)
        fail_msg("%s\n%u: %s", written, again.error.line, again.error.message);
    assert_same(net, &again.net);
    close(&again);
    free(written);
}

static void what_is_written_is_the_same_net_again(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct budget budget;
        struct random random;
        struct net_sample sample;
        struct net net;
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        net_sample_random(&random, &sample);
        net_init(&net, &budget);
        net_sample_build(&sample, &net);
        if (seed % 3 == 0)
            net_add_target(&net, NULL, 0); /* covered by everything */
        if (seed % 2 == 0)
            net_add_invariant(&net, (struct arc[]){{0, 2}, {1, 1}}, 2);
        check_written(&net, NET_PNML);
        check_written(&net, NET_SPEC);
        if (seed % 5 == 0) {
            net_add_place(&net, "a \"name\" <that> & mist does not take", 0, true);
            check_written(&net, NET_PNML);
        }
        net_release(&net);
        assert_int_equal(budget.used, 0);
    }
}

/* With any memory too small reading ends, and nothing is left behind. */
static void little_memory_is_a_limit(void **unused)
{
    (void)unused;
    unsigned refused = 0;
    for (size_t memory = 1 << 10; memory < (size_t)1 << 20; memory += memory / 8) {
        struct budget budget;
        struct arena arena;
        struct net net;
        struct script script;
        struct error error;
        budget_init(&budget, NULL, memory);
        arena_init(&arena, &budget);
        net_init(&net, &budget);
        enum status status =
            script_from_text("net", two_pages, strlen(two_pages), &arena, &script, &error);
        if (status == STATUS_OK)
            status = net_read_pnml(&script, &net, &error);
        assert_true(status == STATUS_OK || status == STATUS_LIMIT);
        refused += status == STATUS_LIMIT;
        net_release(&net);
        arena_release(&arena);
        assert_int_equal(budget.used, 0);
    }
    assert_true(refused > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_of_several_pages_is_read),
        cmocka_unit_test(older_files_are_read),
        cmocka_unit_test(names_that_are_given_twice_are_replaced_by_ids),
        cmocka_unit_test(what_is_no_ordinary_net_is_refused_with_its_place),
        cmocka_unit_test(deep_files_are_refused),
        cmocka_unit_test(what_is_written_is_the_same_net_again),
        cmocka_unit_test(little_memory_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
