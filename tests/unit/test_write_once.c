/* Which fields of nodes are written once: of small implementations by what they say, of random ones
 * by every step of every run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "support/lin_random.h"
#include "support/lin_random_write_once.h"
#include "support/lin_walk.h"
#include "support/seeds.h"

#define MOST_STATES 3000 /* of a model; the rest is not looked at */

/* ---- which fields ---- */

static void append_fields(const struct lin_steps *steps, struct text *text)
{
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].of->field_count; j++)
            if (steps->pools[i].write_once[j])
                text_format(text, "%s%s.%s", text->length ? " " : "", steps->pools[i].of->name,
                            steps->pools[i].of->fields[j]->name);
}

static const char before[] =
    "spec s { op f(value v) { return ok; } } impl it { record pair { int(0..3) tag; node ptr; }"
    "struct node { value item; node next; bool gone; pair both; value of[2]; } "
    "shared node top; shared pair tagged; shared node slot[2]; shared node mine[threads];"
    "void fill(node n, value v) { n.item = v; } void put(node *p, node n) { *p = n; }"
    "bool swing(node o, node n) { return cas(top, o, n); } node same(node n) { return n; }"
    "init { node n = new node; n.item = null; top = n; n.gone = true; n.gone = false; } "
    "op f(value v) { node n = new node; node t = top; ";
static const char behind[] = " return ok; } } assert it linearizes s;";

#define ALL      "node.item node.next node.gone node.both node.of"
#define BUT_ITEM "node.next node.gone node.both node.of"

static const struct {
    const char *code, *fields;
} known[] = {
    {"", ALL},
    {"n.item = v; top = n;", ALL},
    {"top = n; n.item = v;", BUT_ITEM},
    {"top = n; n = new node; n.item = v;", ALL},
    {"node m = n; top = n; m.item = v;", BUT_ITEM},
    {"node m = n; top = m; n.item = v;", BUT_ITEM},
    {"top = n; fill(n, v);", BUT_ITEM},
    {"fill(n, v); top = n;", ALL},
    {"put(&top, n); n.item = v;", BUT_ITEM},
    {"node m = same(n); top = n; m.item = v;", BUT_ITEM},
    {"t.item = v;", BUT_ITEM},
    {"do { t = top; n.next = t; } while (!cas(top, t, n));", ALL},
    {"while (true) { t = top; n.next = t; if (cas(top, t, n)) break; }", ALL},
    {"while (true) { t = top; n.next = t; bool d = cas(top, t, n); if (d) return ok; }", ALL},
    {"bool d = false; while (!d) { n.item = v; d = swing(t, n); }", ALL},
    {"bool d; do { n.item = v; d = !cas(top, t, n); d = !d; } while (!d);", ALL},
    {"while (true) { n.item = v; if (v != null && cas(top, t, n)) break; }", ALL},
    {"while (true) { n.item = v; if (v != null || cas(top, t, n)) break; }", ALL},
    {"while (true) { n.item = v; if (cas(top, t, n) || v == null) break; }", ALL},
    {"while (true) { n.item = v; node o = ll(top); if (sc(top, n)) break; }", ALL},
    {"do { n.item = v; } while (cas(top, t, n));", BUT_ITEM},
    {"cas(top, t, n); n.item = v;", BUT_ITEM},
    {"bool d = cas(top, t, n); if (!d) top = n; if (!d) n.item = v;", BUT_ITEM},
    {"bool d = cas(top, t, n); if (d) n.item = v;", BUT_ITEM},
    {"bool d = cas(top, t, n); n = new node; cas(top, t, n); if (!d) n.item = v;", BUT_ITEM},
    {"node o = ll(top); sc(top, n); n.item = v;", BUT_ITEM},
    {"await (cas(top, t, n)); n.item = v;", BUT_ITEM},
    {"await (!cas(top, t, n)); n.item = v; top = n;", ALL},
    {"assert (cas(top, t, n)); n.item = v;", BUT_ITEM},
    {"swap(top, n); n.item = v;", BUT_ITEM},
    {"node o = swap(top, n); o.item = v;", BUT_ITEM},
    {"t.next = n; n.item = v;", "node.gone node.both node.of"},
    {"node m = new node; m.next = n; n.item = v; top = m;", BUT_ITEM},
    {"node m = new node; m.next = n; m.item = v; top = m;", ALL},
    {"pair p = pair(1, n); tagged = p; n.item = v;", BUT_ITEM},
    {"pair p; p.ptr = n; pair q = p; tagged = q; n.item = v;", BUT_ITEM},
    {"pair p = pair(1, n); node m = p.ptr; top = n; m.item = v;", BUT_ITEM},
    {"pair p = pair(1, n); node m = p.ptr; m.item = v; top = n;", ALL},
    {"node a[2]; a[1] = n; top = a[1]; n.item = v;", BUT_ITEM},
    {"node a[2]; a[1] = n; a[0] = t; top = n; a[1].item = v;", BUT_ITEM},
    {"node a[2]; a[0] = n; a[0].item = v; top = n;", ALL},
    {"node a[2]; a[0] = n; if (v == null) a[1] = t; a[0].item = v; top = n;", BUT_ITEM},
    {"node a[2]; a[0] = t; a[1] = n; a[0].item = v;", BUT_ITEM},
    {"slot[1] = n; n.item = v;", BUT_ITEM},
    {"mine[thread] = n; n.item = v;", BUT_ITEM},
    {"node m = mine[thread]; m.item = v; mine[thread] = n;", BUT_ITEM},
    {"if (v == null) top = n; n.item = v;", BUT_ITEM},
    {"if (v == null) n = t; n.item = v;", BUT_ITEM},
    {"if (v == null) n = new node; n.item = v; top = n;", ALL},
    {"node m = v == null ? n : t; m.item = v;", BUT_ITEM},
    {"node m = v == null ? n : new node; m.item = v; top = m;", ALL},
    {"node m; while (v != null) { n = new node; if (m != null) m.item = v; top = n; m = n; }",
     BUT_ITEM},
    {"node m; while (v != null) { m = n; n = new node; m.item = v; }", BUT_ITEM},
    {"while (v != null) { n = new node; n.item = v; top = n; }", ALL},
    {"top = n; lock(n.gone);", "node.item node.next node.both node.of"},
    {"top = n; cas(n.item, null, v);", BUT_ITEM},
    {"top = n; n.both.tag = 1;", "node.item node.next node.gone node.of"},
    {"top = n; n.both = pair(1, null);", "node.item node.next node.gone node.of"},
    {"top = n; n.of[1] = v;", "node.item node.next node.gone node.both"},
    {"top = n; fetch_add(n.both.tag, 1);", "node.item node.next node.gone node.of"},
    {"n.item = v; top = n; node o = swap(top, null); free(o);", ""},
    {"atomic { n.item = v; top = n; }", ALL},
    {"atomic { top = n; n.item = v; }", BUT_ITEM}, /* nobody could notice */
};

static void fields_are_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
        struct lin_walk walk;
        struct text text = TEXT_EMPTY, found = TEXT_EMPTY;
        text_format(&text, "%s%s%s", before, known[i].code, behind);
        if (!lin_walk_open(&walk, text_string(&text)))
            fail_msg("%s\n%s", text_string(&text), walk.fixture.error.message);
        append_fields(walk.steps, &found);
        if (strcmp(text_string(&found), known[i].fields) != 0)
            fail_msg("%s\nexpected %s, found %s", known[i].code, known[i].fields,
                     text_string(&found));
        lin_walk_close(&walk);
        text_release(&text);
        text_release(&found);
    }
}

/* Of many nodes of one operation those that are not told apart count as known to others. */
static void many_nodes_are_told_apart_or_known(void **unused)
{
    (void)unused;
    for (unsigned count = 62; count < 67; count++) {
        struct lin_walk walk;
        struct text text = TEXT_EMPTY, found = TEXT_EMPTY;
        text_append(&text, before);
        for (unsigned i = 1; i < count; i++)
            text_format(&text, "node m%u = new node; ", i);
        text_format(&text, "top = m%u; m%u.item = v;%s", count - 1, count - 1, behind);
        assert_true(lin_walk_open(&walk, text_string(&text)));
        append_fields(walk.steps, &found);
        assert_string_equal(text_string(&found), BUT_ITEM);
        lin_walk_close(&walk);
        text_release(&text);
        text_release(&found);
    }
}

/* ---- every step ---- */

struct tally {
    unsigned writes, fields; /* of write-once fields, met; such fields */
};

/* A field of a node that others can come by has changed. */
static void look_at_node(const struct lin_walk *walk, uint32_t pool, uint32_t node,
                         const uint32_t *old, const uint32_t *new, struct tally *tally,
                         const char *text)
{
    const struct lin_pool *of = &walk->steps->pools[pool];
    uint32_t at = 1;
    for (uint32_t i = 0; i < of->of->field_count; i++) {
        const struct lin_type *type = &of->of->fields[i]->type;
        uint32_t end = at + of->lengths[i] * (type->kind == LIN_TYPE_RECORD ? type->of->words : 1);
        bool changed = memcmp(old + at, new + at, (end - at) * sizeof *old) != 0;
        tally->writes += changed && of->write_once[i];
        if (changed && of->write_once[i] && lin_walk_has_reached(walk, pool, node))
            fail_msg("%s.%s is not written once:\n%s", of->of->name, of->of->fields[i]->name, text);
        at = end;
    }
}

static void look_at_step(struct lin_walk *walk, const struct lin_walk_step *step,
                         struct tally *tally, const char *text)
{
    const uint32_t *old = lin_walk_state(walk, step->from), *new = lin_walk_state(walk, step->to);
    lin_walk_reach_without(walk, old, step->thread);
    for (uint32_t i = 0; i < walk->steps->pool_count; i++) {
        const struct lin_pool *pool = &walk->steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++) {
            uint32_t at = pool->first + j * pool->words;
            if (old[at] == LIN_NODE_LIVE && new[at] == LIN_NODE_LIVE)
                look_at_node(walk, i, j, old + at, new + at, tally, text);
        }
    }
}

static void look_at_all(uint64_t seed, const char *text, struct tally *all)
{
    struct lin_walk walk;
    struct tally tally = {0};
    if (!lin_walk_open(&walk, text))
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, walk.fixture.error.message, text);
    for (uint32_t i = 0; i < walk.steps->pool_count; i++)
        for (uint32_t j = 0; j < walk.steps->pools[i].of->field_count; j++)
            tally.fields += walk.steps->pools[i].write_once[j];
    if (tally.fields)
        lin_walk_run(&walk, MOST_STATES);
    for (size_t i = 0; i < walk.taken.length; i++)
        look_at_step(&walk, &walk.taken.items[i], &tally, text);
    all->writes += tally.writes > 0;
    all->fields += tally.fields > 0;
    lin_walk_close(&walk);
}

static struct seeds seeds = {.first = 1, .count = 600};

static void nobody_sees_them_being_written(void **unused)
{
    typedef void print_program(uint64_t seed, struct text * text);
    static print_program *const prints[] = {lin_random_print_write_once, lin_random_print,
                                            lin_random_print_write_once, lin_random_print_points};
    struct tally tally = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        prints[seed % ARRAY_LENGTH(prints)](seed, &text);
        look_at_all(seed, text_string(&text), &tally);
        text_release(&text);
    }
    print_message("%u with write-once fields, %u that are written\n", tally.fields, tally.writes);
    assert_true(tally.fields > seeds.count / 4 && tally.writes > seeds.count / 8);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_named),
        cmocka_unit_test(many_nodes_are_told_apart_or_known),
        cmocka_unit_test(nobody_sees_them_being_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
