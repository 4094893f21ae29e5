/* Deciding executions for every client, against the definition: on graphs of random small programs,
 * whose threads' instructions are cut into operations with random answers, every client is made
 * (tests/support/memory_oracle.c), and for each every order of the operations is tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/spec.h"
#include "scenario/clients.h"
#include "spec/register.h"
#include "support/generate.h"
#include "support/memory_oracle.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 100};

/* ---- the definition ---- */

enum {
    ORDERS = 8192
};

struct orders {
    unsigned items[ORDERS][MEMORY_OPERATIONS];
    size_t count;
    unsigned operations;
};

static void take_order(void *context, const unsigned *before)
{
    struct orders *orders = context;
    for (size_t i = 0; i < orders->count; i++)
        if (memcmp(orders->items[i], before, orders->operations * sizeof *before) == 0)
            return;
    assert_true(orders->count < ORDERS);
    memcpy(orders->items[orders->count++], before, orders->operations * sizeof *before);
}

struct trial {
    const struct spec *spec;
    const struct executed_operation *operations;
    unsigned count;
    const unsigned *before;
    int waits; /* the operation that has to wait at the end; -1: none */
    unsigned
        behind; /* pending ones that may have taken effect then; if any, what is kept need not */
};

static bool has_to_be_there(const struct trial *trial, unsigned operation)
{
    return trial->operations[operation].returned &&
           !(trial->behind && trial->operations[operation].is_kept);
}

static bool is_beside_another(const struct trial *trial, unsigned operation)
{
    for (unsigned i = 0; i < trial->count; i++)
        if (i != operation && !(trial->before[i] >> operation & 1) &&
            !(trial->before[operation] >> i & 1))
            return true;
    return false;
}

static bool answers_nothing(const struct trial *trial, unsigned operation, const uint64_t *words,
                            size_t length)
{
    struct call call = trial->operations[operation].call;
    const struct spec_class *class = trial->spec->class;
    struct outcomes outcomes;
    bool found;
    call.result_known = false;
    outcomes_init(&outcomes, trial->spec->budget);
    assert_true(class->step(trial->spec, words, length, &call, &outcomes));
    found = outcomes.items.length == 0;
    bool has_answers =
        class->operations[call.operation].result[0] && !trial->operations[operation].must_answer;
    for (size_t i = 0; i < outcomes.items.length && has_answers; i++)
        found |= outcomes.items.items[i].result == VALUE_NIL ||
                 outcomes.items.items[i].result == VALUE_FALSE;
    outcomes_release(&outcomes);
    return found;
}

/* Whether the operations that are not in `placed` can follow. */
static bool can_go_on(const struct trial *trial, unsigned placed, const uint64_t *words,
                      size_t length)
{
    bool finished = true, found = false;
    for (unsigned i = 0; i < trial->count; i++)
        finished &= placed >> i & 1 || !has_to_be_there(trial, i);
    if (finished &&
        (trial->waits < 0 || answers_nothing(trial, (unsigned)trial->waits, words, length)))
        return true;
    for (unsigned i = 0; i < trial->count && !found; i++) {
        const struct executed_operation *operation = &trial->operations[i];
        struct outcomes outcomes;
        struct call call = operation->call;
        bool first = !(placed >> i & 1) &&
                     (trial->waits < 0 || operation->returned || trial->behind >> i & 1);
        for (unsigned j = 0; j < trial->count; j++)
            first &= !(trial->before[i] >> j & 1) || placed >> j & 1 || !has_to_be_there(trial, j);
        if (!first)
            continue;
        outcomes_init(&outcomes, trial->spec->budget);
        call.result_known &= operation->returned;
        if (!operation->never_legal || !operation->returned)
            assert_true(trial->spec->class->step(trial->spec, words, length, &call, &outcomes));
        for (size_t j = 0; j < outcomes.items.length && !found; j++)
            found = can_go_on(trial, placed | 1u << i,
                              outcomes.words.items + outcomes.items.items[j].start,
                              outcomes.items.items[j].length);
        if (!found && operation->returned && operation->may_fail && operation->answered_no &&
            is_beside_another(trial, i))
            found = can_go_on(trial, placed | 1u << i, words, length);
        outcomes_release(&outcomes);
    }
    return found;
}

static bool has_order(const struct trial *trial)
{
    struct outcomes initial;
    outcomes_init(&initial, trial->spec->budget);
    assert_true(trial->spec->class->init(trial->spec, VALUE_NIL, &initial));
    bool found = can_go_on(trial, 0, initial.words.items, initial.items.items[0].length);
    outcomes_release(&initial);
    return found;
}

/* Whether for every client's order some order of the operations is legal, behind which `waits`
 * (-1: none) may wait, or else may if those `behind` which it is have taken effect. */
static bool has_orders(const struct spec *spec, const struct executed_operation *operations,
                       const struct orders *orders, int waits, unsigned behind)
{
    for (size_t i = 0; i < orders->count; i++) {
        struct trial trial = {.spec = spec,
                              .operations = operations,
                              .count = orders->operations,
                              .before = orders->items[i],
                              .waits = waits,
                              .behind = behind};
        if (!has_order(&trial))
            return false;
    }
    return true;
}

/* Whether there are such orders, and, where nothing goes on, for each operation that has not
 * returned, which may wait then, or behind others that may. */
static bool is_right(const struct spec *spec, const struct executed_operation *operations,
                     const struct orders *orders, enum clients_end end, bool *behind)
{
    unsigned hanging = 0, waiting = 0, first, before;
    *behind = false;
    if (!has_orders(spec, operations, orders, -1, 0))
        return false;
    for (unsigned i = 0; end != CLIENTS_GO_ON && i < orders->operations; i++) {
        if (operations[i].returned)
            continue;
        if (!operations[i].may_wait)
            return false;
        hanging |= 1u << i;
        waiting |= (unsigned)has_orders(spec, operations, orders, (int)i, 0) << i;
    }
    first = waiting;
    do {
        before = waiting;
        for (unsigned i = 0; end == CLIENTS_HANG_KEPT && before && i < orders->operations; i++)
            if (hanging >> i & 1)
                waiting |= (unsigned)has_orders(spec, operations, orders, (int)i, before) << i;
    } while (waiting != before);
    *behind = waiting == hanging && first != hanging;
    return waiting == hanging;
}

/* ---- random executions ---- */

/* The same graph, each thread with a beginning. */
static void add_beginnings(const struct execution_graph *from, struct execution_graph *to)
{
    event_number moved[EXECUTION_EVENTS];
    execution_clear(to);
    for (unsigned i = 0; i < from->location_count; i++)
        assert_true(execution_add_location(to, from->locations[i].address, from->locations[i].size,
                                           from->locations[i].initial));
    for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++)
        if (from->last[thread] >= 0)
            (void)execution_add(to, thread, EVENT_KIND_BEGIN, ORDER_PLAIN);
    for (unsigned at = 0; at < from->replay_count; at++) {
        const struct execution_event *event = &from->events[from->replay[at]];
        event_number made = moved[from->replay[at]] = execution_add(
            to, event->thread, (enum event_kind)event->kind, (enum memory_order_c11)event->order);
        struct execution_event added = *event;
        added.index++;
        added.before = to->events[made].before;
        added.source = event->source >= 0 ? moved[event->source] : event->source;
        to->events[made] = added;
        if (event_is_access(&added))
            execution_set_location(to, made, added.location);
    }
    for (unsigned at = 0; at < to->replay_count; at++)
        execution_update_clocks(to, to->replay[at]);
}

static unsigned length_of(const struct execution_graph *graph, unsigned thread)
{
    return graph->last[thread] < 0 ? 0 : graph->events[graph->last[thread]].index;
}

static bool splits_update(const struct execution_graph *graph, unsigned thread, unsigned index)
{
    for (unsigned i = 0; i < graph->event_count; i++)
        if (graph->events[i].thread == thread && graph->events[i].index == index + 1)
            return graph->events[i].is_update;
    return false;
}

/* Cuts the events of each thread into operations, some without events, some with events between. */
static unsigned cut(struct random *random, const struct execution_graph *graph, unsigned most,
                    struct operation_place *places)
{
    unsigned count = 0, share = 1 + most / 2;
    for (unsigned thread = 0; thread < PROGRAM_THREADS && count < most; thread++) {
        unsigned at = 1, length = length_of(graph, thread);
        for (unsigned i = 0; i < share && count < most && at <= length; i++) {
            struct operation_place made = {.thread = thread, .returned = true};
            at += random_chance(random, 1, 6) && at < length;
            while (splits_update(graph, thread, at))
                at++;
            made.before = at;
            at += random_below(random, 4);
            at = at > length ? length : at;
            while (splits_update(graph, thread, at))
                at++;
            made.after = at;
            if (length == 0 || (made.before == made.after && !random_chance(random, 1, 4)))
                continue;
            places[count++] = made;
        }
    }
    return count;
}

/* One for readers and writers, as no built-in object is. */
#define LOCK "lock"
static const char lock_text[] =
    "spec lock {\n"
    "    int readers = 0; bool writing = false;\n"
    "    op read() { await (!writing && readers < 9); readers++; return ok; }\n"
    "    op unread() { await (readers > 0); readers--; return ok; }\n"
    "    op write() { await (!writing && readers == 0); writing = true; return ok; }\n"
    "}\n";

static const struct {
    const char *spec;
    bool takes;
    struct {
        const char *operation;
        bool has_argument;
        unsigned answers; /* 1 done, 2 empty, 4 no, 8 yes, 16 a number */
    } calls[4];
} objects[] = {
    {"queue", true, {{"enqueue", true, 1 | 1 | 4}, {"dequeue", false, 2 | 16}}},
    {"stack", true, {{"push", true, 1}, {"pop", false, 2 | 16}}},
    {"register", true, {{"write", true, 1}, {"read", false, 2 | 16}}},
    {"set", true, {{"add", true, 4 | 8}, {"remove", true, 4 | 8}, {"contains", true, 4 | 8}}},
    {"mutex", true, {{"acquire", false, 1}, {"release", false, 1}}},
    {"unordered-queue", true, {{"enqueue", true, 1}, {"dequeue", false, 2 | 16}}},
    {LOCK,
     true,
     {{"read", false, 1}, {"read", false, 1}, {"write", false, 1}, {"unread", false, 1}}},
};

/* What an operation answers in a state, which becomes the one behind it; anything if it is not
 * legal there. */
static void take_effect(const struct spec *spec, const struct call *call, struct outcomes *state,
                        struct executed_result *result)
{
    struct outcomes after;
    struct call asked = *call;
    int64_t number;
    asked.result_known = false;
    outcomes_init(&after, spec->budget);
    assert_true(
        spec->class->step(spec, state->words.items, state->items.items[0].length, &asked, &after));
    if (after.items.length > 0 &&
        !spec_operation_is_silent(&spec->class->operations[call->operation])) {
        value answer = after.items.items[0].result;
        result->is_done = false;
        result->is_empty = answer == VALUE_NIL;
        result->is_no = answer == VALUE_FALSE;
        result->is_yes = answer == VALUE_TRUE;
        if (value_get_integer(answer, &number))
            result->result = number;
    }
    if (after.items.length > 0) {
        outcomes_clear(state);
        assert_true(outcomes_add(state, after.words.items + after.items.items[0].start,
                                 after.items.items[0].length, VALUE_NIL));
    }
    outcomes_release(&after);
}

struct asked {
    uint16_t operation;
    struct executed_result result;
};

/* An operation of the object, and anything that such could answer. */
static struct asked ask(struct random *random, const struct spec *spec, unsigned object,
                        unsigned number)
{
    struct asked asked = {.operation = 0};
    unsigned calls = 0, bit;
    while (calls < 4 && objects[object].calls[calls].operation)
        calls++;
    unsigned chosen = random_below(random, calls);
    const char *name = objects[object].calls[chosen].operation;
    unsigned answers = objects[object].calls[chosen].answers;
    do
        bit = 1u << random_below(random, 5);
    while (!(answers & bit) || (bit == 4 && answers & 1 && random_chance(random, 2, 3)));
    asked.operation = (uint16_t)spec_operation_find(spec->class, name, strlen(name));
    asked.result = (struct executed_result){
        .has_argument = objects[object].calls[chosen].has_argument,
        .argument = 1 + (random_below(random, 4) == 0 ? 0 : (int64_t)number % 2),
        .is_done = bit == 1,
        .is_empty = bit == 2,
        .is_no = bit == 4,
        .is_yes = bit == 8,
        .result = 1 + (int64_t)random_below(random, 2)};
    return asked;
}

static void bind(const struct spec *spec, const struct asked *asked,
                 struct executed_operation *operation)
{
    struct text complaint = TEXT_EMPTY;
    assert_int_equal(
        executed_operation_bind(spec, asked->operation, &asked->result, operation, &complaint),
        STATUS_OK);
    text_release(&complaint);
}

/* Mostly what the object answers when the operations take effect in some order in which those of a
 * thread are in order. */
static void answer(struct random *random, const struct spec *spec, unsigned object,
                   const struct operation_place *places, unsigned count,
                   struct executed_operation *operations)
{
    struct outcomes state;
    struct asked asked[MEMORY_OPERATIONS];
    unsigned left = (1u << count) - 1, wrong = random_below(random, 8);
    outcomes_init(&state, spec->budget);
    assert_true(spec->class->init(spec, VALUE_NIL, &state));
    for (unsigned i = 0; i < count; i++) {
        asked[i] = ask(random, spec, object, i);
        operations[i] = (struct executed_operation){
            .thread = (uint8_t)places[i].thread,
            .before = (uint8_t)places[i].before,
            .after = (uint8_t)places[i].after,
            .returned = places[i].returned,
            .may_fail = random_chance(random, 1, 4),
            .may_wait = random_chance(random, 5, 6),
            .must_answer = random_chance(random, 1, 4),
            .is_kept = places[i].returned && random_chance(random, 1, 2),
        };
        bind(spec, &asked[i], &operations[i]);
    }
    while (left) {
        unsigned next = random_below(random, count);
        while (next > 0 && left >> (next - 1) & 1 && places[next - 1].thread == places[next].thread)
            next--;
        if (!(left >> next & 1))
            continue;
        left &= ~(1u << next);
        if (next == wrong)
            continue;
        take_effect(spec, &operations[next].call, &state, &asked[next].result);
        bind(spec, &asked[next], &operations[next]);
    }
    outcomes_release(&state);
}

struct figures {
    unsigned graphs, asked, right, wrong, hanging, behind, needing_edges;
    size_t orders;
};

static void show(const struct memory_program *program, const struct execution_graph *graph,
                 const struct spec *spec, const struct executed_operation *operations,
                 unsigned count)
{
    char words[GRAPH_WORDS];
    struct text text = TEXT_EMPTY;
    memory_program_print(program);
    memory_graph_describe(graph, words);
    text_format(&text, "%s\n", words);
    for (unsigned i = 0; i < count; i++) {
        text_format(&text, "thread %u, %u to %u: ", operations[i].thread, operations[i].before,
                    operations[i].after);
        spec_print_call(spec, &operations[i].call, &text);
        text_format(
            &text, "%s%s%s%s%s%s%s\n", operations[i].returned ? "" : " pending",
            operations[i].may_fail ? " may fail" : "", operations[i].may_wait ? " may wait" : "",
            operations[i].must_answer ? " must answer" : "", operations[i].answered_no ? " no" : "",
            operations[i].never_legal ? " never legal" : "", operations[i].is_kept ? " kept" : "");
    }
    fprintf(stderr, "%s", text_string(&text));
    text_release(&text);
}

/* With the edges told there is no order, and without any one of them there is, or the client is not
 * allowed: that the edges told are those of some client. */
static void check_edges(const struct spec *spec, const struct executed_operation *operations,
                        const struct orders *orders, const struct clients_answer *told)
{
    bool met = false;
    for (size_t i = 0; i < orders->count && !met; i++) {
        struct trial trial = {.spec = spec,
                              .operations = operations,
                              .count = orders->operations,
                              .before = orders->items[i],
                              .waits = told->fault == CLIENTS_WAITS ? told->operation : -1};
        bool all = true;
        for (size_t j = 0; j < told->edge_count; j++)
            all &= orders->items[i][told->edges[j].to] >> told->edges[j].from & 1;
        met = all && (told->fault == CLIENTS_HANGS || !has_order(&trial));
    }
    assert_true(met);
}

static void compare_graph(const struct memory_program *program, const struct execution_graph *graph,
                          enum memory_model model, enum psc_form psc, struct random *random,
                          struct clients **deciders, struct subject *subjects,
                          struct figures *figures)
{
    static struct orders orders;
    struct operation_place places[MEMORY_OPERATIONS];
    struct executed_operation operations[MEMORY_OPERATIONS], shuffled[MEMORY_OPERATIONS];
    unsigned count = cut(random, graph, 2 + random_below(random, 4), places);
    bool hangs = random_chance(random, 1, 4);
    for (unsigned i = 0; i < count && hangs; i++) /* the last of a thread has not returned */
        if ((i + 1 == count || places[i + 1].thread != places[i].thread) &&
            random_chance(random, 1, 2)) {
            places[i].returned = false;
            places[i].after = length_of(graph, places[i].thread);
        }
    unsigned rotation = 0;
    while (rotation < count && (rotation == 0 || places[rotation].thread == places[0].thread))
        rotation++;
    orders.count = 0;
    orders.operations = count;
    if (count == 0 || !memory_oracle_clients(graph, model, psc, places, count, take_order, &orders))
        return;
    figures->graphs++;
    figures->orders += orders.count;
    for (unsigned tries = 0; tries < 12; tries++) {
        enum clients_end end = hangs ? (enum clients_end)random_below(random, 3) : CLIENTS_GO_ON;
        unsigned object = end == CLIENTS_HANG_KEPT && random_chance(random, 5, 6)
                              ? ARRAY_LENGTH(objects) - 1
                              : random_below(random, ARRAY_LENGTH(objects));
        const struct spec *spec = subjects[object].spec;
        struct clients_answer told;
        bool behind;
        answer(random, spec, object, places, count, operations);
        for (unsigned i = 0; i < count; i++) /* the order of threads does not count */
            shuffled[i] = operations[(i + rotation) % count];
        assert_int_equal(clients_decide(deciders[object], graph, shuffled, count, end, &told),
                         STATUS_OK);
        for (size_t i = 0; i < told.edge_count; i++) {
            told.edges[i].from = (uint8_t)((told.edges[i].from + rotation) % count);
            told.edges[i].to = (uint8_t)((told.edges[i].to + rotation) % count);
        }
        if (count)
            told.operation = (uint8_t)((told.operation + rotation) % count);
        bool right = is_right(spec, operations, &orders, end, &behind);
        if (told.verdict != (right ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION) ||
            (right && told.waits_behind != behind)) {
            show(program, graph, spec, operations, count);
            fail_msg("decided %d (%d), by the definition %d (%d) (model %d, end %d)", told.verdict,
                     told.waits_behind, !right, behind, model, end);
        }
        figures->asked++;
        figures->hanging += end != CLIENTS_GO_ON;
        figures->behind += right && behind;
        figures->right += right;
        figures->wrong += !right;
        figures->needing_edges += !right && told.edge_count > 0;
        if (!right)
            check_edges(spec, operations, &orders, &told);
    }
}

/* Makes much of a program sequentially consistent, as what psc looks at. */
static void strengthen(struct memory_program *program, struct random *random)
{
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned j = 0; j < program->length[i]; j++) {
            struct program_instruction *made = &program->instructions[i][j];
            if (random_chance(random, 2, 3))
                made->order = made->failure_order = ORDER_SEQ_CST;
            if (made->kind == PROGRAM_UPDATE && random_chance(random, 1, 2))
                made->kind = PROGRAM_STORE;
        }
}

static void open_object(struct subject *subject, const struct workload *workload)
{
    const struct spec_request request = {0};
    struct error error;
    if (strcmp(workload->spec, LOCK) != 0) {
        subject_open(subject, workload);
        return;
    }
    *subject = (struct subject){.workload = workload};
    budget_init(&subject->budget, NULL, 0);
    subject->pool = value_pool_create(&subject->budget);
    assert_int_equal(lin_spec_from_text("lock.lin", lock_text, NULL, &request, subject->pool,
                                        &subject->budget, &subject->spec, &error),
                     STATUS_OK);
}

static void compare(enum memory_model model, enum psc_form psc)
{
    struct figures figures = {0};
    struct subject subjects[ARRAY_LENGTH(objects)];
    struct workload loads[ARRAY_LENGTH(objects)];
    struct limits limits[ARRAY_LENGTH(objects)];
    struct clients *deciders[ARRAY_LENGTH(objects)];
    uint64_t rechecked = 0;
    memset(loads, 0, sizeof loads);
    for (unsigned i = 0; i < ARRAY_LENGTH(objects); i++) {
        loads[i].name = loads[i].spec = objects[i].spec;
        open_object(&subjects[i], &loads[i]);
        limits_init(&limits[i], &subjects[i].budget);
        struct clients_settings settings = {
            .spec = subjects[i].spec, .model = model, .psc = psc, .limits = &limits[i]};
        assert_int_equal(clients_create(&settings, &deciders[i]), STATUS_OK);
    }
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        struct random random;
        struct budget budget;
        struct exploration *exploration;
        struct execution_graph graph;
        unsigned graphs = 0;
        random_seed(&random, seed * 77 + model);
        memory_program_random(&program, seed, 4 + (unsigned)(seed % 7));
        if (seed % 2)
            strengthen(&program, &random);
        budget_init(&budget, NULL, 0);
        struct exploration_settings settings = {.model = model, .psc = psc, .budget = &budget};
        assert_int_equal(exploration_create(&settings, &exploration), STATUS_OK);
        while (graphs < 4 && exploration_begin(exploration)) {
            bool complete;
            assert_true(memory_program_run(&program, exploration, &complete));
            if (!random_chance(&random, 1, 3))
                continue;
            graphs++;
            add_beginnings(exploration_graph(exploration), &graph);
            compare_graph(&program, &graph, model, psc, &random, deciders, subjects, &figures);
        }
        exploration_destroy(exploration);
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(objects); i++) {
        rechecked += clients_figures(deciders[i]).rechecked;
        clients_destroy(deciders[i]);
        subject_close(&subjects[i]);
    }
    print_message("seeds from %llu: %u graphs, %zu orders; %u executions, %u right, %u hanging, %u "
                  "behind another, %u only wrong with a client; %llu of %u looked at twice\n",
                  (unsigned long long)seeds.first, figures.graphs, figures.orders, figures.asked,
                  figures.right, figures.hanging, figures.behind, figures.needing_edges,
                  (unsigned long long)rechecked, figures.wrong);
    assert_true(figures.right > 0 && figures.needing_edges > 0);
    assert_true(seeds_met(figures.behind, figures.asked, 2000));
}

static void sc_is_decided_as_defined(void **unused)
{
    (void)unused;
    compare(MEMORY_SC, PSC_PAPER);
}

static void tso_is_decided_as_defined(void **unused)
{
    (void)unused;
    compare(MEMORY_TSO, PSC_PAPER);
}

static void rc11_is_decided_as_defined(void **unused)
{
    (void)unused;
    compare(MEMORY_RC11, PSC_PAPER);
    compare(MEMORY_RC11, PSC_GENMC);
}

/* ---- what only psc forbids ---- */

/* Decides these operations of a register in the graph of the program in which the loads, thread by
 * thread, read what `reads` has, and thread 2 writes behind thread 3. */
static void decide_one(const struct memory_program *program, const uint64_t *reads,
                       struct executed_operation *operations, const struct asked *asked,
                       size_t count, struct clients_answer *told, struct clients_figures *figures)
{
    struct workload load = {.name = "register", .spec = "register"};
    struct subject subject;
    struct limits limits;
    struct clients *clients;
    struct exploration *exploration;
    unsigned met = 0;
    subject_open(&subject, &load);
    limits_init(&limits, &subject.budget);
    struct clients_settings settings = {
        .spec = subject.spec, .model = MEMORY_RC11, .limits = &limits};
    struct exploration_settings explored = {.model = MEMORY_RC11, .budget = &subject.budget};
    assert_int_equal(clients_create(&settings, &clients), STATUS_OK);
    assert_int_equal(exploration_create(&explored, &exploration), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        operations[i].returned = true;
        bind(subject.spec, &asked[i], &operations[i]);
    }
    while (exploration_begin(exploration)) {
        bool complete, same = true;
        unsigned at = 0, last = 0;
        struct execution_graph graph;
        assert_true(memory_program_run(program, exploration, &complete));
        add_beginnings(exploration_graph(exploration), &graph);
        for (unsigned thread = 0; thread < PROGRAM_THREADS; thread++)
            for (unsigned i = 0; i < graph.event_count; i++) { /* in order in each thread */
                const struct execution_event *event = &graph.events[i];
                if (event->thread == thread && event->kind == EVENT_KIND_READ)
                    same &= event->value == reads[at++];
                if (event->thread == 2 && event->kind == EVENT_KIND_WRITE)
                    last = event->rank;
            }
        for (unsigned i = 0; i < graph.event_count; i++)
            same &= graph.events[i].thread != 3 || graph.events[i].rank < last;
        if (!same)
            continue;
        met++;
        assert_int_equal(clients_decide(clients, &graph, operations, count, CLIENTS_GO_ON, told),
                         STATUS_OK);
    }
    assert_int_equal(met, 1);
    *figures = clients_figures(clients);
    exploration_destroy(exploration);
    clients_destroy(clients);
    subject_close(&subject);
}

static const struct asked write_one = {.operation = REGISTER_WRITE,
                                       .result = {.has_argument = true, .argument = 1}};
static const struct asked read_nothing = {.operation = REGISTER_READ, .result = {.is_empty = true}};

/* y and z are 0. Thread 1 writes z; thread 2 writes y, then reads z; thread 0 reads y behind a
 * fence. If both reads find 0, the fence is before the write of y in psc, that before the read of
 * z, and that before the write of z. A client that orders that before the fence makes a circle. */
static void read_behind_write(enum memory_order_c11 load_of_z, struct clients_answer *told,
                              struct clients_figures *figures)
{
    const struct memory_program program = {
        .threads = 3,
        .length = {2, 1, 2},
        .instructions = {
            {{.kind = PROGRAM_FENCE, .order = ORDER_SEQ_CST},
             {.kind = PROGRAM_LOAD, .location = 0, .order = ORDER_RELAXED}},
            {{.kind = PROGRAM_STORE, .location = 1, .order = ORDER_SEQ_CST, .value = 1}},
            {{.kind = PROGRAM_STORE, .location = 0, .order = ORDER_SEQ_CST, .value = 1},
             {.kind = PROGRAM_LOAD, .location = 1, .order = load_of_z}}}};
    struct executed_operation operations[] = {{.thread = 1, .before = 1, .after = 2},
                                              {.thread = 0, .before = 1, .after = 3}};
    const struct asked asked[] = {write_one, read_nothing};
    decide_one(&program, (uint64_t[]){0, 0}, operations, asked, 2, told, figures);
}

static void an_edge_that_psc_forbids_is_no_edge_of_a_client(void **unused)
{
    (void)unused;
    struct clients_answer told;
    struct clients_figures figures;
    read_behind_write(ORDER_SEQ_CST, &told, &figures);
    assert_int_equal(told.verdict, VERDICT_LINEARIZABLE);
    assert_int_equal(figures.rechecked, 1);
    read_behind_write(ORDER_ACQUIRE, &told, &figures);
    assert_int_equal(told.verdict, VERDICT_VIOLATION);
    assert_int_equal(told.edge_count, 1);
    assert_int_equal(told.edges[0].from, 0);
    assert_int_equal(told.edges[0].to, 1);
}

/* A circle like that, closed by a read of y behind another one, of what thread 3 released. An edge
 * from the write of z to the read closes it; one to what thread 3 does before orders the two as
 * well, but with no access of another location in between. */
static void what_follows_from_an_edge_may_be_allowed_only_so(void **unused)
{
    (void)unused;
    const struct memory_program program = {
        .threads = 4,
        .length = {2, 1, 2, 1},
        .instructions = {
            {{.kind = PROGRAM_LOAD, .location = 0, .order = ORDER_ACQUIRE},
             {.kind = PROGRAM_LOAD, .location = 0, .order = ORDER_SEQ_CST}},
            {{.kind = PROGRAM_STORE, .location = 1, .order = ORDER_SEQ_CST, .value = 1}},
            {{.kind = PROGRAM_STORE, .location = 0, .order = ORDER_SEQ_CST, .value = 1},
             {.kind = PROGRAM_LOAD, .location = 1, .order = ORDER_SEQ_CST}},
            {{.kind = PROGRAM_STORE, .location = 0, .order = ORDER_RELEASE, .value = 2}}}};
    const uint64_t reads[] = {2, 2, 0};
    const struct asked asked[] = {write_one, read_nothing, read_nothing};
    struct executed_operation operations[] = {{.thread = 1, .before = 1, .after = 2},
                                              {.thread = 0, .before = 2, .after = 3},
                                              {.thread = 3, .before = 1, .after = 1}};
    struct clients_answer told;
    struct clients_figures figures;
    decide_one(&program, reads, operations, asked, 2, &told, &figures);
    assert_int_equal(told.verdict, VERDICT_LINEARIZABLE);
    decide_one(&program, reads, operations, asked, 3, &told, &figures);
    assert_int_equal(told.verdict, VERDICT_VIOLATION);
    assert_int_equal(told.before[1], 1 << 2);
    assert_int_equal(told.edge_count, 1);
    assert_int_equal(told.edges[0].from, 0);
    assert_int_equal(told.edges[0].to, 2);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sc_is_decided_as_defined),
        cmocka_unit_test(tso_is_decided_as_defined),
        cmocka_unit_test(rc11_is_decided_as_defined),
        cmocka_unit_test(an_edge_that_psc_forbids_is_no_edge_of_a_client),
        cmocka_unit_test(what_follows_from_an_edge_may_be_allowed_only_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
