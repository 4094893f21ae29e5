/* Operations that wait, that take effect together, and that stay open: random histories, decided by
 * the general search, by the definition and by the normal form that models are compared with,
 * against the definition taken literally, for objects that are written down a second time, here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "decide/decide.h"
#include "lin/spec.h"
#include "property/linear_normal.h"
#include "support/seeds.h"

#define MOST_OPERATIONS 6
#define MOST_SET        3
#define PROCESSES       4

enum object {
    EXCHANGER,
    SYNCHRONOUS_QUEUE,
    IMMEDIATE_SNAPSHOT,
    WAITING_QUEUE,
    UP_AND_DOWN,
    WRITE_SNAPSHOT,
    HANDOFF,
    RELAY,
    OBJECTS,
};

/* The two operations of each; the second takes nothing, and is not there if it has no name. */
static const struct {
    const char *text, *names[2];
    bool takes[2], answers[2];
} objects[OBJECTS] = {
    [EXCHANGER] = {"spec o { op exchange(value v) { return empty; }"
                   " together exchange(value v), exchange(value w) { return w, v; } }",
                   {"exchange", NULL},
                   {true, false},
                   {true, false}},
    [SYNCHRONOUS_QUEUE] = {"spec o { op put(value v) { await (false); return ok; }"
                           " op take() { await (false); return empty; }"
                           " together take(), put(value v) { return v, ok; } }",
                           {"put", "take"},
                           {true, false},
                           {false, true}},
    [IMMEDIATE_SNAPSHOT] =
        {"spec o { set s; op write(value v) { s = s + {v}; return s; }"
         " together write(value v), write(value w) { s = s + {v, w}; return s, s; }"
         " together write(value u), write(value v), write(value w) { s = s + {u, v, w};"
         " return s, s, s; } }",
         {"write", NULL},
         {true, false},
         {true, false}},
    [WAITING_QUEUE] = {"spec o { list l; op put(value v) { l = l + [v]; return ok; }"
                       " op take() { await (l != []); value v = first(l); l = but_first(l);"
                       " return v; } }",
                       {"put", "take"},
                       {true, false},
                       {false, true}},
    [UP_AND_DOWN] = {"spec o { int n; op up(value v) { n = n + 1; return n; }"
                     " op down() { await (n > 0); n = n - 1; return n; }"
                     " together up(value v), down() { return n, n; } }",
                     {"up", "down"},
                     {true, false},
                     {true, true}},
    [WRITE_SNAPSHOT] = {"spec o { set s; op write(value v) { s = s + {v}; return open; }"
                        " op open write(value v) { return s; } }",
                        {"write", NULL},
                        {true, false},
                        {true, false}},
    /* A put waits for a take, which finds it; a take finds nothing only where none waits. */
    [HANDOFF] = {"spec o { int puts; op put(value v) { puts = puts + 1; return open; }"
                 " op take() { await (puts == 0); return empty; }"
                 " together take(), open put(value v) { puts = puts - 1; return v, ok; } }",
                 {"put", "take"},
                 {true, false},
                 {false, true}},
    /* Some sets of several members that are open, one of which stays so, and sets of one. */
    [RELAY] = {"spec o { int n; op up(value v) { n = n + 1; return open; }"
               " op down() { await (false); return 0; }"
               " op open up(value v) { await (n > 1); n = n - 1; return n; }"
               " together open up(value v), down() { n = n + 1; return open, n; }"
               " together open up(value v), open up(value w) { n = 0; return w, open; } }",
               {"up", "down"},
               {true, false},
               {true, true}},
};

struct happening {
    unsigned which, argument, process;
    int invoke, response; /* positions; the response of a pending one is behind all */
    bool effective;       /* while a history is made: it has taken effect for the last time */
    bool open;            /* it has taken effect before, and is to do so again */
    unsigned answer;
    bool returned;
};

struct random_history {
    enum object object;
    struct happening operations[MOST_OPERATIONS];
    unsigned count;
    int positions;
};

/* ---- the objects ---- */

/* What operations do at once, one or several, in a state; false: they cannot. 0 is nil; a queue is
 * its values as decimal digits, a snapshot their bits. */
static bool apply(enum object object, unsigned *state, struct happening *const *set, unsigned count)
{
    struct happening *first = set[0], *second = count > 1 ? set[1] : NULL;
    unsigned open = 0;
    for (unsigned i = 0; i < count; i++)
        open += set[i]->open;
    if (object != WRITE_SNAPSHOT && object != HANDOFF && object != RELAY && open > 0)
        return false;
    switch (object) {
    case EXCHANGER:
        first->answer = second ? second->argument : 0;
        if (second)
            second->answer = first->argument;
        return count <= 2;
    case SYNCHRONOUS_QUEUE:
        if (count != 2 || first->which == second->which)
            return false;
        first->answer = first->which == 1 ? second->argument : 0;
        second->answer = second->which == 1 ? first->argument : 0;
        return true;
    case IMMEDIATE_SNAPSHOT:
        for (unsigned i = 0; i < count; i++)
            *state |= 1u << set[i]->argument;
        for (unsigned i = 0; i < count; i++)
            set[i]->answer = *state;
        return true;
    case WAITING_QUEUE: {
        unsigned top = 1;
        if (count > 1 || (first->which == 1 && *state == 0))
            return false;
        while (*state >= 10 * top)
            top *= 10;
        first->answer = first->which == 1 ? *state / top : 0;
        *state = first->which == 1 ? *state % top : *state * 10 + first->argument;
        return true;
    }
    case UP_AND_DOWN:
        if (count == 2 && first->which != second->which) {
            first->answer = second->answer = *state;
            return true;
        }
        if (count > 1 || (first->which == 1 && *state == 0))
            return false;
        *state += first->which == 0 ? 1 : -1u;
        first->answer = *state;
        return true;
    case WRITE_SNAPSHOT:
        if (count > 1)
            return false;
        *state |= 1u << first->argument;
        first->answer = *state;
        first->open = !first->open;
        return true;
    case HANDOFF:
        if (count == 1 && open == 0) {
            first->answer = 0;
            first->open = first->which == 0;
            *state += first->which == 0;
            return first->which == 0 || *state == 0;
        }
        if (count != 2 || open != 1 || first->which == second->which)
            return false;
        if (first->which == 1)
            return apply(object, state, (struct happening *[]){second, first}, 2);
        second->answer = first->argument;
        first->open = false;
        *state -= 1;
        return true;
    case RELAY:
        if (count == 1 && first->which == 0) {
            if (first->open && *state <= 1)
                return false;
            *state += first->open ? -1u : 1;
            first->answer = *state;
            first->open = !first->open;
            return true;
        }
        if (count != 2 || open != 2 - first->which - second->which || open == 0)
            return false;
        if (open == 1) {
            (first->which ? first : second)->answer = ++*state;
            return true;
        }
        *state = 0;
        first->answer = second->argument;
        first->open = false;
        return true;
    case OBJECTS:
        break;
    }
    return false;
}

/* ---- the definition ---- */

static bool precedes(const struct happening *one, const struct happening *other)
{
    return one->response < other->invoke;
}

/* Whether these may take effect together next: they are pairwise concurrent, and none is preceded
 * by one that is left. What has begun may go on. */
static bool may_be_next(const struct random_history *history, unsigned taken, unsigned begun,
                        unsigned set)
{
    bool may = true;
    for (unsigned i = 0; i < history->count; i++)
        for (unsigned j = 0; j < history->count; j++)
            if (set >> j & 1 && !(taken >> i & 1) && !(begun >> j & 1))
                may &= !precedes(&history->operations[i], &history->operations[j]);
    return may;
}

/* Whether the rest of a history has an order of sets (Neiger 1994; Castaneda, Rajsbaum and Raynal
 * 2018: an operation is in several, from that in which it has `begun` to that behind which it is
 * `taken`) from this state on. Answers of operations that returned are compared. A pair of members
 * of which only one goes on is tried in both orders. */
static bool is_right_from(const struct random_history *history, unsigned taken, unsigned begun,
                          unsigned state)
{
    unsigned all = (1u << history->count) - 1, returned = 0;
    for (unsigned i = 0; i < history->count; i++)
        returned |= (unsigned)history->operations[i].returned << i;
    bool found = (returned & ~taken) == 0;
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned set = 1; set <= all && !found; set++) {
            struct happening copies[MOST_OPERATIONS], *members[MOST_OPERATIONS];
            unsigned count = 0, then = state, ended = 0;
            for (unsigned i = 0; i < history->count; i++)
                if (set >> i & 1) {
                    copies[i] = history->operations[i];
                    copies[i].open = begun >> i & 1;
                    members[count++] = &copies[i];
                }
            if (turn == 1 && count != 2)
                continue;
            if (turn == 1) {
                struct happening *first = members[0];
                members[0] = members[1];
                members[1] = first;
            }
            if ((set & taken) || count > MOST_SET || !may_be_next(history, taken, begun, set) ||
                !apply(history->object, &then, members, count))
                continue;
            bool agree = true;
            for (unsigned i = 0; i < history->count; i++) {
                const struct happening *recorded = &history->operations[i];
                if (!(set >> i & 1) || copies[i].open)
                    continue;
                ended |= 1u << i;
                if (recorded->returned && objects[history->object].answers[recorded->which])
                    agree &= copies[i].answer == recorded->answer;
            }
            found = agree && is_right_from(history, taken | ended, begun | set, then);
        }
    return found;
}

/* ---- random histories ---- */

static void let_some_take_effect(struct random *random, struct random_history *history,
                                 unsigned *state)
{
    struct happening *members[MOST_OPERATIONS];
    unsigned count = 0, wanted = 1 + random_below(random, MOST_SET);
    for (unsigned i = 0; i < history->count && count < wanted; i++) {
        struct happening *operation = &history->operations[i];
        if (!operation->effective && operation->response < 0 && random_chance(random, 2, 3))
            members[count++] = operation;
    }
    if (count == 0 || !apply(history->object, state, members, count))
        return;
    for (unsigned i = 0; i < count; i++)
        members[i]->effective = !members[i]->open;
}

static void call(struct random *random, struct random_history *history, unsigned process)
{
    struct happening *operation = &history->operations[history->count++];
    *operation = (struct happening){.process = process,
                                    .argument = 1 + random_below(random, 3),
                                    .invoke = history->positions++,
                                    .response = -1};
    operation->which = objects[history->object].names[1] ? random_below(random, 2) : 0;
}

/* Its answers are sets: bits. */
static bool is_snapshot(enum object object)
{
    return object == IMMEDIATE_SNAPSHOT || object == WRITE_SNAPSHOT;
}

static void answer(struct random *random, struct random_history *history,
                   struct happening *operation)
{
    operation->response = history->positions++;
    operation->returned = true;
    if (random_chance(random, 1, 12))
        operation->answer = random_below(random, is_snapshot(history->object) ? 8 : 4)
                            << is_snapshot(history->object);
}

static void make_history(uint64_t seed, struct random_history *history)
{
    struct random random;
    unsigned state = 0;
    random_seed(&random, seed);
    *history = (struct random_history){.object = (enum object)random_below(&random, OBJECTS)};
    for (unsigned steps = 0; steps < 40; steps++) {
        unsigned process = random_below(&random, PROCESSES);
        struct happening *running = NULL;
        for (unsigned i = 0; i < history->count; i++)
            if (history->operations[i].process == process && history->operations[i].response < 0)
                running = &history->operations[i];
        if (random_chance(&random, 1, 2))
            let_some_take_effect(&random, history, &state);
        else if (!running && history->count < MOST_OPERATIONS)
            call(&random, history, process);
        else if (running && (running->effective || random_chance(&random, 1, 40)))
            answer(&random, history, running);
    }
    for (unsigned i = 0; i < history->count; i++)
        if (!history->operations[i].returned)
            history->operations[i].response = 1000;
}

/* ---- the engines ---- */

struct setting {
    struct budget budget;
    struct value_pool *pool;
    struct spec *specs[OBJECTS];
};

static value answer_value(const struct setting *setting, enum object object, unsigned answer)
{
    value items[8];
    size_t count = 0;
    if (!is_snapshot(object))
        return answer || object == UP_AND_DOWN || object == RELAY ? value_small((int32_t)answer)
                                                                  : VALUE_NIL;
    for (unsigned v = 0; v < 8; v++)
        if (answer >> v & 1)
            items[count++] = value_small((int32_t)v);
    return value_list(setting->pool, items, count);
}

static struct call bind(const struct setting *setting, const struct random_history *history,
                        const struct happening *operation)
{
    const struct spec *spec = setting->specs[history->object];
    const char *name = objects[history->object].names[operation->which];
    struct recorded recorded = {.process = operation->process,
                                .completed = operation->returned,
                                .result_recorded = operation->returned};
    if (objects[history->object].takes[operation->which])
        recorded.argument = value_small((int32_t)operation->argument);
    if (operation->returned && objects[history->object].answers[operation->which])
        recorded.result = answer_value(setting, history->object, operation->answer);
    struct call bound;
    struct text complaint = TEXT_EMPTY;
    int number = spec_operation_find(spec->class, name, strlen(name));
    assert_true(number >= 0);
    if (spec_bind(spec, (uint16_t)number, &recorded, &bound, &complaint) != STATUS_OK)
        fail_msg("%s", text_string(&complaint));
    text_release(&complaint);
    return bound;
}

static bool decide_by(const struct setting *setting, const struct random_history *history,
                      enum method method)
{
    struct interval intervals[MOST_OPERATIONS];
    struct part part = {.spec = setting->specs[history->object],
                        .intervals = intervals,
                        .count = history->count,
                        .positions = (uint32_t)history->positions};
    struct limits limits;
    struct decision decision;
    struct error error;
    for (unsigned i = 0; i < history->count; i++) {
        const struct happening *operation = &history->operations[i];
        intervals[i] = (struct interval){
            .call = bind(setting, history, operation),
            .invoke = (uint32_t)operation->invoke,
            .response = operation->returned ? (uint32_t)operation->response : POSITION_NEVER,
            .index = i};
        intervals[i].call.number = i;
        part.pending += !operation->returned;
    }
    limits_init(&limits, (struct budget *)&setting->budget);
    decision_init(&decision, (struct budget *)&setting->budget);
    enum status status = part_decide(&part, method, &limits, &decision, NULL, &error);
    if (status != STATUS_OK)
        fail_msg("%s", error.message);
    assert_true(decision.verdict != VERDICT_UNKNOWN);
    bool right = decision.verdict == VERDICT_LINEARIZABLE;
    decision_release(&decision);
    return right;
}

/* The label of a call or a response. */
static label label_of(struct labels *labels, const struct random_history *history,
                      const struct happening *operation, bool response)
{
    const char *name = objects[history->object].names[operation->which];
    uint32_t components[2] = {operation->process};
    struct action action = {.kind = response ? LABEL_RESPOND : LABEL_INVOKE,
                            .name = labels_text(labels, name, strlen(name)),
                            .components = components,
                            .count = 1};
    if (!response && objects[history->object].takes[operation->which])
        components[action.count++] = operation->argument;
    if (response && objects[history->object].answers[operation->which] &&
        (operation->answer || history->object == UP_AND_DOWN || history->object == RELAY))
        components[action.count++] = operation->answer;
    return labels_intern(labels, &action);
}

/* Whether the normal form that models are compared with can follow the history. */
static bool follows(const struct setting *setting, const struct random_history *history)
{
    struct labels *labels = labels_create((struct budget *)&setting->budget);
    struct linear_normal normal;
    struct error error;
    normal_id at;
    linear_normal_init(&normal, setting->specs[history->object], labels, false,
                       (struct budget *)&setting->budget);
    struct normal *base = &normal.base.normal;
    assert_int_equal(base->class->initial(base, &at, &error), STATUS_OK);
    for (int position = 0; position < history->positions && at != NORMAL_NONE; position++)
        for (unsigned i = 0; i < history->count; i++) {
            const struct happening *operation = &history->operations[i];
            if (operation->invoke != position && operation->response != position)
                continue;
            label l = label_of(labels, history, operation, operation->response == position);
            if (base->class->step(base, at, l, &at, &error) != STATUS_OK)
                fail_msg("%s", error.message);
        }
    linear_normal_release(&normal);
    labels_destroy(labels);
    return at != NORMAL_NONE;
}

static void fail_on(uint64_t seed, const struct random_history *history, const char *who,
                    bool defined)
{
    struct text text = TEXT_EMPTY;
    for (unsigned i = 0; i < history->count; i++) {
        const struct happening *operation = &history->operations[i];
        text_format(&text, "process %u: %s %u, %d to %d", operation->process,
                    objects[history->object].names[operation->which], operation->argument,
                    operation->invoke, operation->response);
        if (operation->returned)
            text_format(&text, ", answers %u", operation->answer);
        text_append(&text, "\n");
    }
    fail_msg("seed %llu: %s; %s says otherwise\n%s", (unsigned long long)seed,
             defined ? "right" : "wrong", who, text_string(&text));
}

static struct seeds seeds = {.first = 1, .count = 4000};

static void histories_are_decided_as_defined(void **unused)
{
    struct setting setting;
    unsigned right[OBJECTS] = {0}, wrong[OBJECTS] = {0};
    (void)unused;
    budget_init(&setting.budget, NULL, (size_t)1 << 30);
    setting.pool = value_pool_create(&setting.budget);
    for (size_t i = 0; i < OBJECTS; i++) {
        const struct spec_request request = {0};
        struct error error;
        if (lin_spec_from_text("o.lin", objects[i].text, NULL, &request, setting.pool,
                               &setting.budget, &setting.specs[i], &error) != STATUS_OK)
            fail_msg("%s", error.message);
    }
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random_history history;
        make_history(seed, &history);
        bool defined = is_right_from(&history, 0, 0, 0);
        (defined ? right : wrong)[history.object]++;
        if (decide_by(&setting, &history, METHOD_SEARCH) != defined)
            fail_on(seed, &history, "the search", defined);
        if (decide_by(&setting, &history, METHOD_DEFINITION) != defined)
            fail_on(seed, &history, "the definition", defined);
        if (!is_snapshot(history.object) && follows(&setting, &history) != defined)
            fail_on(seed, &history, "the normal form", defined);
    }
    for (size_t i = 0; i < OBJECTS; i++) {
        print_message("%s: %u right, %u wrong; ", objects[i].names[0], right[i], wrong[i]);
        assert_true(right[i] > seeds.count / 50 && wrong[i] > seeds.count / 50);
        spec_destroy(setting.specs[i]);
    }
    print_message("\n");
    value_pool_destroy(setting.pool);
    assert_int_equal(setting.budget.used, 0);
}

/* What stands in the message about a specification, or about the history of two operations `f`, if
 * reading it is no fault. */
static void mistakes_are_told(void **unused)
{
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {"spec o { op f() { return ok; } together f(), g() { return ok, ok; } }",
         "expected an operation with an `op` of its own, found `g`"},
        {"spec o { op f() { return ok, ok; } }", "expected one answer, found several"},
        {"spec o { op f() { return ok; } together f(), f() { return ok; } }",
         "expected 2 answers, one for each operation, found 1"},
        {"spec o { op f() { return ok; } together f(), f() { return thread, ok; } }",
         "expected no `thread` in `together`"},
        {"spec o { int me() { return thread; } op f() { return ok; } together f(), f() {"
         " return me(), ok; } }",
         "expected no `thread` in `together`"},
        {"spec o { op f() { return ok; } together f() { return ok; } }",
         "`,` and another operation that takes effect together"},
        {"spec o { op f() { return ok; } together f(), f(), f(), f(), f() { return ok, ok, ok, ok,"
         " ok; } }",
         "expected at most 4 operations that take effect together, found 5"},
        {"spec o { op f(int n) { return ok; } together f(int n), f() { return ok, ok; } }",
         "expected 1 parameter of `f`, as where it stands alone, found 0"},
        {"spec o { op f(int n) { return ok; } together f(int n), f(bool b) { return ok, ok; } }",
         "expected an int, as where `f` stands alone, found a bool"},
        {"spec o { op f() { return open; } op open f() { return open; } }",
         "expected an answer other than `open` of one of them at least"},
        {"spec o { op f() { return open; } op open f() { return ok; }"
         " together open f(), open f() { return open, open; } }",
         "expected an answer other than `open` of one of them at least"},
        {"spec o { bool b; op f() { return b ? open : ok; } op open f() { return ok; } }",
         "expected `open` as an answer of its own"},
        {"spec o { op f() { return open; } op g() { return open; } op open g() { return ok; } }",
         "expected `op open f` or a `together` with `open f`"},
        {"spec o { op f() { return ok; } op open f() { return ok; } }",
         "expected `return open;` of an operation that begins, found none"},
        {"spec o { op f() { return open; } op open f(int n) { return ok; } }",
         "expected 0 parameters of `f`, as where it stands alone, found 1"},
        {"spec o { op f() { return open; } op open f() { return ok, ok; } }",
         "expected one answer, found several"},
        {"spec o { op f() { await (false); } together f(), f() { int n = 1; } }",
         "expected 2 answers on every way, found none"},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(mistakes); i++) {
        const struct spec_request request = {0};
        struct budget budget;
        struct error error;
        struct spec *spec;
        struct outcomes outcomes, next;
        const struct call call = {0};
        budget_init(&budget, NULL, (size_t)1 << 24);
        struct value_pool *pool = value_pool_create(&budget);
        enum status status = lin_spec_from_text("o.lin", mistakes[i].text, NULL, &request, pool,
                                                &budget, &spec, &error);
        outcomes_init(&outcomes, &budget);
        outcomes_init(&next, &budget);
        if (status == STATUS_OK) {
            const struct call *calls[] = {&call, &call};
            assert_true(spec->class->init(spec, VALUE_NIL, &outcomes));
            assert_false(spec->class->step_together(spec, 0, outcomes.words.items,
                                                    outcomes.items.items[0].length, calls, &next));
            status = spec->class->fault(spec, &error);
        }
        assert_int_equal(status, STATUS_INPUT);
        if (!strstr(error.message, mistakes[i].message))
            fail_msg("%s: %s", mistakes[i].text, error.message);
        outcomes_release(&outcomes);
        outcomes_release(&next);
        spec_destroy(spec);
        value_pool_destroy(pool);
    }
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_are_decided_as_defined),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
