/* Specifications that leave values opaque: which do, and that renaming the values of a call and of
 * the state it is made in renames its outcomes, and nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lin/spec.h"
#include "spec/builtin.h"
#include "spec/spec.h"

#define VALUES 3

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct spec *spec;
};

/* `text` names a built-in specification, or is one. */
static void open_spec(struct fixture *fixture, const char *text)
{
    struct error error;
    struct spec_request request = {.name = text};
    budget_init(&fixture->budget, NULL, (size_t)1 << 28);
    fixture->pool = value_pool_create(&fixture->budget);
    enum status status =
        strchr(text, '{')
            ? lin_spec_from_text("test.lin", text, NULL, &request, fixture->pool, &fixture->budget,
                                 &fixture->spec, &error)
            : spec_create(&request, fixture->pool, &fixture->budget, &fixture->spec, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s", text, error.message);
}

static void close_spec(struct fixture *fixture)
{
    spec_destroy(fixture->spec);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

/* ---- which do ---- */

#define OF(body) "spec s { value last; int n; list l; set m; map k; op f(value v) { " body " } }"

static const char *const opaque[] = {
    "register",
    "cas-register",
    "queue",
    "stack",
    "deque",
    "set",
    "grow-set",
    "unordered-queue",
    OF("last = v; return last;"),
    OF("if (v == last) return true; last = v; return false;"),
    OF("if (last == null) { last = v; n = n + 1; } return n;"),
    OF("l = l + [v]; value x = first(l); l = but_first(l); return x;"),
    OF("if (v in m) return full; m = m + {v}; return ok;"),
    OF("k[v] = last; last = v; return k[v];"),
    OF("if (l == []) return empty; return l[n];"),
    OF("m = m + {v}; value x = choose(m); m = m - {x}; return x;"),
    "spec s(K) { list l; op f(value v) { if (len(l) == K) return full; l = l + [v]; return ok; } }",
};

static const char *const not_opaque[] = {
    "counter",
    "priority-queue",
    "semaphore(2)",
    OF("if (v == 1) return full; return ok;"),
    OF("if (v == n) return full; return ok;"),
    OF("n = v; return ok;"),
    OF("last = n; return ok;"),
    OF("n = n + v; return n;"),
    OF("if (v < last) return full; return ok;"),
    OF("l = l + [1]; return ok;"),
    OF("k[v] = 1; return ok;"),
    OF("k[1] = v; return ok;"),
    OF("m = m + {v}; return min(m);"),
    OF("return l[v];"),
    OF("return n in m;"),
    OF("value x = true ? v : n; return x;"),
    "spec s { int seen(int x) { return x; } op f(value v) { return seen(v); } }",
    "spec s(K = 1) { value last = K; op f(value v) { last = v; return ok; } }",
    "spec s(K = 1) { op f(value v) { return K; } }",
    "spec s { value last; init { last = 1; } op f(value v) { last = v; return ok; } }",
};

static void specifications_that_leave_values_opaque(void **unused)
{
    (void)unused;
    struct fixture fixture;
    for (size_t i = 0; i < ARRAY_LENGTH(opaque); i++) {
        const char *text = opaque[i];
        char given[200];
        if (strncmp(text, "spec s(K)", 9) == 0) { /* its parameter has no default */
            snprintf(given, sizeof given, "spec s(K = 2)%s", text + 9);
            text = given;
        }
        open_spec(&fixture, text);
        if (!fixture.spec->class->rename)
            fail_msg("taken for one that looks at values: %s", text);
        close_spec(&fixture);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(not_opaque); i++) {
        open_spec(&fixture, not_opaque[i]);
        if (fixture.spec->class->rename)
            fail_msg("taken for one that leaves values opaque: %s", not_opaque[i]);
        close_spec(&fixture);
    }
}

/* ---- that it commutes with steps ---- */

static bool is_same(const uint64_t *one, const uint64_t *other, size_t length)
{
    return length == 0 || memcmp(one, other, length * sizeof *one) == 0;
}

/* Whether some outcome of `all` is this one. */
static bool has(const struct outcomes *all, const uint64_t *words, size_t length, value result)
{
    bool found = false;
    for (size_t i = 0; i < all->items.length; i++) {
        const struct outcome *one = &all->items.items[i];
        found |= one->result == result && one->length == length &&
                 is_same(all->words.items + one->start, words, length);
    }
    return found;
}

static struct renaming random_renaming(struct random *random)
{
    struct renaming renaming = {.count = VALUES};
    for (uint8_t i = 0; i < VALUES; i++)
        renaming.to[i] = (uint8_t)(i + 1);
    for (uint32_t i = VALUES - 1; i > 0; i--) {
        uint32_t with = random_below(random, i + 1);
        uint8_t swapped = renaming.to[i];
        renaming.to[i] = renaming.to[with];
        renaming.to[with] = swapped;
    }
    return renaming;
}

static struct call random_call(const struct fixture *fixture, struct random *random)
{
    const struct spec_class *class = fixture->spec->class;
    struct recorded recorded = {.completed = false};
    uint16_t operation = (uint16_t)random_below(random, (uint32_t) class->operation_count);
    value items[2] = {value_small(1 + random_below(random, VALUES)),
                      value_small(1 + random_below(random, VALUES))};
    const char *shape = class->operations[operation].argument;
    if (shape[0])
        recorded.argument = strchr(shape, ' ') ? value_list(fixture->pool, items, 2) : items[0];
    struct call call;
    struct text complaint = TEXT_EMPTY;
    assert_int_equal(spec_bind(fixture->spec, operation, &recorded, &call, &complaint), STATUS_OK);
    text_release(&complaint);
    return call;
}

static void rename_state(const struct fixture *fixture, const struct renaming *renaming,
                         uint64_t *words, size_t length)
{
    assert_true(fixture->spec->class->rename(fixture->spec, renaming, words, length));
}

/* One call in a state, and its renamed twin: `state` becomes what one of the outcomes is. */
static size_t check_call(const struct fixture *fixture, struct random *random, uint64_t *state,
                         size_t length)
{
    const struct spec_class *class = fixture->spec->class;
    struct renaming renaming = random_renaming(random);
    struct call call = random_call(fixture, random), twin = call;
    struct outcomes outcomes, twins;
    uint64_t renamed[64], result[64];
    twin.argument = renaming_apply(&renaming, fixture->pool, call.argument);
    memcpy(renamed, state, length * sizeof *state);
    rename_state(fixture, &renaming, renamed, length);
    outcomes_init(&outcomes, &((struct fixture *)(uintptr_t)fixture)->budget);
    outcomes_init(&twins, &((struct fixture *)(uintptr_t)fixture)->budget);
    assert_true(class->step(fixture->spec, state, length, &call, &outcomes));
    assert_true(class->step(fixture->spec, renamed, length, &twin, &twins));
    assert_int_equal(outcomes.items.length, twins.items.length);
    for (size_t i = 0; i < outcomes.items.length; i++) {
        const struct outcome *outcome = &outcomes.items.items[i];
        assert_true(outcome->length <= 64);
        memcpy(result, outcomes.words.items + outcome->start, outcome->length * sizeof *result);
        rename_state(fixture, &renaming, result, outcome->length);
        assert_true(has(&twins, result, outcome->length,
                        renaming_apply(&renaming, fixture->pool, outcome->result)));
    }
    if (outcomes.items.length > 0) {
        const struct outcome *outcome =
            &outcomes.items.items[random_below(random, (uint32_t)outcomes.items.length)];
        length = outcome->length;
        memcpy(state, outcomes.words.items + outcome->start, length * sizeof *state);
    }
    outcomes_release(&outcomes);
    outcomes_release(&twins);
    return length;
}

static void renaming_commutes_with_steps(void **unused)
{
    static const char *const more[] = {
        "spec dict { map m; op put(value k, value v) { m[k] = v; return ok; }"
        " op get(value k) { return k in m ? m[k] : null; }"
        " op drop(value k) { m = m - {k}; return ok; } }",
        "spec pairs { list l; set s; value last; op f(value v) { l = [[v, last]] + l;"
        " s = s + {{v}, {last, v}}; last = v; if (len(l) > 3) l = but_last(l); return first(l); }"
        " op g() { if (s == {}) return empty; value x = choose(s); s = s - {x}; return x; } }",
    };
    (void)unused;
    for (size_t i = 0; i < 6 + ARRAY_LENGTH(more); i++) { /* the first are built in */
        struct fixture fixture;
        struct random random;
        random_seed(&random, 20261122 + i);
        open_spec(&fixture, i < 6 ? opaque[i] : more[i - 6]);
        assert_non_null(fixture.spec->class->rename);
        for (unsigned run = 0; run < 200; run++) {
            struct outcomes initial;
            uint64_t state[64];
            outcomes_init(&initial, &fixture.budget);
            assert_true(fixture.spec->class->init(fixture.spec, VALUE_NIL, &initial));
            size_t length = initial.items.items[0].length;
            if (length)
                memcpy(state, initial.words.items, length * sizeof *state);
            outcomes_release(&initial);
            for (unsigned step = 0; step < 12; step++)
                length = check_call(&fixture, &random, state, length);
        }
        close_spec(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specifications_that_leave_values_opaque),
        cmocka_unit_test(renaming_commutes_with_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
