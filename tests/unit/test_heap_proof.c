/* Proofs for any number of threads and a heap without bound: in runs of one to four threads what
 * each thread sees of each state is a view of the closed set, and no run does what the proof
 * excludes. The runs are those of a thread system; what the observer reads is told from what
 * operations have answered in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "implementation/state.h"
#include "rules/shipped.h"
#include "spec/rule_object.h"
#include "support/lin_compiled.h"
#include "support/seeds.h"
#include "unbounded/heap_points.h"

#define MOST_THREADS 4
#define MOST_STEPS   160
#define MOST_PUSHED  (HEAP_MOST_NODES - 6)
#define MOST_ALONE   400

static unsigned runs_of_each = 60;

/* ---- an implementation, and its proof ---- */

struct subject {
    struct lin_compiled compiled;
    struct thread_system system;
    struct arena arena;
    struct budget budget;
    struct limits limits;
    struct violation_automata automata;
    struct method_roles roles;
    struct heap_shape shape;
    struct heap_answer answer;
    struct error error;
};

static void keep_for_prefixes(struct violation_automata *automata)
{
    size_t kept = 0;
    for (size_t i = 0; i < automata->count; i++)
        if (automata->items[i].for_prefixes)
            automata->items[kept++] = automata->items[i];
    automata->count = kept;
}

/* False if the text is no implementation. */
static bool subject_open(struct subject *subject, const char *text, const char *specification)
{
    const struct lin_setting setting = {.threads = 1,
                                        .operations = -1,
                                        .values = VIOLATION_COLOURS,
                                        .nodes = HEAP_MOST_NODES,
                                        .keeps = true};
    memset(subject, 0, sizeof *subject);
    if (!lin_compiled_open(&subject->compiled, text, UINT32_MAX, setting, NULL))
        return false;
    budget_init(&subject->budget, NULL, (size_t)1 << 30);
    limits_init(&subject->limits, &subject->budget);
    subject->limits.deadline = clock_nanoseconds() + UINT64_C(20000000000);
    arena_init(&subject->arena, &subject->budget);
    assert_int_equal(thread_system_create(&subject->system, &subject->compiled.alone,
                                          subject->compiled.labels, &subject->budget,
                                          &subject->error),
                     STATUS_OK);
    assert_int_equal(
        violation_automata_of(specification, &subject->arena, &subject->automata, &subject->error),
        STATUS_OK);
    keep_for_prefixes(&subject->automata);
    assert_int_equal(method_roles_find(subject->system.steps->object, subject->automata.object,
                                       &subject->arena, &subject->roles, &subject->error),
                     STATUS_OK);
    assert_null(heap_shape_make(subject->system.steps, &subject->shape));
    const struct heap_points points = {.system = &subject->system,
                                       .object = subject->automata.object,
                                       .automata = &subject->automata,
                                       .budget = &subject->budget,
                                       .arena = &subject->arena,
                                       .limits = &subject->limits,
                                       .error = &subject->error};
    assert_int_equal(heap_points_find(&points, &subject->answer), STATUS_OK);
    return true;
}

static void subject_close(struct subject *subject, bool opened)
{
    if (opened) {
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
    }
    lin_compiled_close(&subject->compiled);
}

/* ---- runs ---- */

struct taken {
    uint32_t thread;
    const struct thread_move *move;
    uint32_t shared, local[MOST_THREADS]; /* in front of it */
    uint64_t own[MOST_THREADS];           /* likewise: nodes that only this thread knows */
    uint32_t held[MOST_THREADS]; /* likewise: variables that it made true, and nobody false since */
    uint8_t held_fields[MOST_THREADS][HEAP_MOST_NODES]; /* likewise, by node in one row */
    uint32_t ends; /* the step that answers what runs; UINT32_MAX: none */
};

struct walk {
    uint32_t threads, length;
    struct taken steps[MOST_STEPS + 1];     /* the last one is the state at the end */
    struct thread_move alone[MOST_THREADS]; /* what unfinished operations answer, alone */
};

/* Marks the nodes, in one row, that a reference leads to. */
static void mark(const struct lin_steps *code, const uint32_t *words, uint32_t pool,
                 uint32_t reference, uint64_t *marked)
{
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    if (!reference || (*marked >> (starts[pool] + reference - 1) & 1))
        return;
    *marked |= UINT64_C(1) << (starts[pool] + reference - 1);
    const uint32_t *node =
        words + code->pools[pool].first + (reference - 1) * code->pools[pool].words;
    for (uint32_t i = 0; i < code->pools[pool].reference_count; i++)
        mark(code, words, code->pools[pool].references[i].pool,
             node[code->pools[pool].references[i].slot], marked);
}

static uint64_t live_nodes(const struct lin_steps *code, const uint32_t *words)
{
    uint32_t starts[MOST_POOLS];
    uint64_t live = 0;
    (void)pool_starts(code, starts);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++)
            if (words[code->pools[p].first + n * code->pools[p].words] == LIN_NODE_LIVE)
                live |= UINT64_C(1) << (starts[p] + n);
    return live;
}

/* What shared variables and nodes that are nobody's own lead to. */
static uint64_t published(const struct lin_steps *code, const uint32_t *words, uint64_t own)
{
    uint32_t starts[MOST_POOLS];
    uint64_t marked = 0;
    (void)pool_starts(code, starts);
    for (size_t i = 0; i < code->shared_references.length; i++)
        mark(code, words, code->shared_references.items[i].pool,
             words[code->shared_references.items[i].slot], &marked);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++) {
            const uint32_t *node = words + code->pools[p].first + n * code->pools[p].words;
            if (node[0] != LIN_NODE_LIVE || (own >> (starts[p] + n) & 1))
                continue;
            for (uint32_t i = 0; i < code->pools[p].reference_count; i++)
                mark(code, words, code->pools[p].references[i].pool,
                     node[code->pools[p].references[i].slot], &marked);
        }
    return marked;
}

static const struct thread_moves *moves_of(struct subject *subject, uint32_t shared, uint32_t local)
{
    const struct thread_moves *moves;
    assert_int_equal(thread_system_expand(&subject->system, shared, local, &moves, &subject->error),
                     STATUS_OK);
    return moves;
}

/* The answer of the operation that a thread runs, if it goes on alone. */
static struct thread_move answer_alone(struct subject *subject, uint32_t shared, uint32_t local)
{
    for (unsigned i = 0; i < MOST_ALONE; i++) {
        const struct thread_moves *moves = moves_of(subject, shared, local);
        if (moves->count == 0 || moves->items[0].ending)
            break;
        if (moves->items[0].answer)
            return moves->items[0];
        shared = moves->items[0].next_shared;
        local = moves->items[0].next_local;
    }
    return (struct thread_move){0};
}

/* Behind a move of a thread: who has made true what is true. */
static void note_held(const struct subject *subject, const uint32_t *before, struct taken *now)
{
    const struct lin_steps *code = subject->system.steps;
    const uint32_t *after = thread_system_shared(&subject->system, now->shared);
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    for (uint32_t i = 0; i < code->heap_first; i++)
        for (uint32_t t = 0; before[i] != after[i] && t < MOST_THREADS; t++) {
            now->held[t] &= ~(1u << i);
            if (t == now->thread && after[i] && (subject->shape.locks >> i & 1))
                now->held[t] |= 1u << i;
        }
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++)
            for (uint32_t f = 0; f + 1 < code->pools[p].words; f++) {
                const uint32_t word = code->pools[p].first + n * code->pools[p].words + 1 + f;
                for (uint32_t t = 0; before[word] != after[word] && t < MOST_THREADS; t++) {
                    uint8_t *held = &now->held_fields[t][starts[p] + n];
                    *held &= (uint8_t) ~(1u << f);
                    if (t == now->thread && after[word] && (subject->shape.lock_fields[p] >> f & 1))
                        *held |= (uint8_t)(1u << f);
                }
            }
}

static void make_run(struct subject *subject, struct random *random, struct walk *run)
{
    const struct lin_steps *code = subject->system.steps;
    struct taken now = {
        .shared = subject->system.initial
                      .items[random_below(random, (uint32_t)subject->system.initial.length)],
        .ends = UINT32_MAX};
    uint32_t length = 20 + random_below(random, MOST_STEPS - 20);
    const uint32_t most = 1 + random_below(random, 12), more = 1 + random_below(random, 4);
    run->threads = 1 + random_below(random, MOST_THREADS);
    run->length = 0;
    for (uint32_t t = 0; t < MOST_THREADS; t++)
        now.local[t] = subject->system.kinds.items[0].idle;
    now.thread = random_below(random, run->threads);
    uint32_t added = 0;
    while (run->length < length) {
        if (random_below(random, more) == 0)
            now.thread = random_below(random, run->threads);
        const struct thread_moves *moves = moves_of(subject, now.shared, now.local[now.thread]);
        if (moves->count == 0) { /* it waits */
            now.thread = random_below(random, run->threads);
            length--;
            continue;
        }
        now.move = &moves->items[random_below(random, moves->count)];
        if (now.move->calls && now.move->argument && ++added > most) {
            length--;
            continue;
        }
        if (now.move->ending)
            break;
        run->steps[run->length++] = now;
        const uint64_t before =
            live_nodes(code, thread_system_shared(&subject->system, now.shared));
        now.shared = now.move->next_shared;
        now.local[now.thread] = now.move->next_local;
        note_held(subject, thread_system_shared(&subject->system, now.move->shared), &now);
        const uint32_t *words = thread_system_shared(&subject->system, now.shared);
        uint64_t own = live_nodes(code, words) & ~before;
        now.own[now.thread] |= own;
        for (uint32_t t = 0; t < run->threads; t++)
            now.own[t] &= ~published(code, words, now.own[t]);
    }
    run->steps[run->length] = now;
    /* what ends what */
    uint32_t ends[MOST_THREADS];
    memset(ends, 0xff, sizeof ends);
    for (uint32_t i = run->length; i-- > 0;) {
        struct taken *step = &run->steps[i];
        if (step->move->answer)
            ends[step->thread] = i;
        step->ends = ends[step->thread];
        if (step->move->calls)
            ends[step->thread] = UINT32_MAX;
    }
    for (uint32_t t = 0; t < run->threads; t++)
        if (!thread_system_is_idle(&subject->system, now.local[t]))
            run->alone[t] = answer_alone(subject, now.shared, now.local[t]);
}

/* ---- what a thread sees ---- */

/* The view of a thread of a state. False if there are too many nodes. */
static bool view_of(const struct subject *subject, const struct taken *state, uint32_t thread,
                    uint32_t observer, uint32_t promise, struct heap_view *view)
{
    const struct lin_steps *code = subject->system.steps;
    const uint32_t *words = thread_system_shared(&subject->system, state->shared);
    const uint32_t *local = thread_system_local(&subject->system, state->local[thread]);
    uint32_t starts[MOST_POOLS], index[64] = {0};
    uint64_t seen = 0;
    (void)pool_starts(code, starts);
    for (size_t i = 0; i < code->shared_references.length; i++)
        mark(code, words, code->shared_references.items[i].pool,
             words[code->shared_references.items[i].slot], &seen);
    const uint16_t operation = thread_system_operation(&subject->system, state->local[thread]);
    const struct lin_entry *entry = operation == UINT16_MAX ? NULL : &code->entries[operation];
    for (uint32_t i = 0; entry && i < entry->reference_count; i++)
        mark(code, words, entry->references[i].pool,
             local[LIN_THREAD_HEADER + entry->references[i].slot], &seen);
    *view =
        (struct heap_view){.observer = observer, .promise = promise, .held = state->held[thread]};
    memcpy(view->shared, words, code->heap_first * sizeof *words);
    memcpy(view->thread, local, code->thread_words * sizeof *words);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++) {
            const uint32_t row = starts[p] + n;
            if (!(seen >> row & 1))
                continue;
            struct heap_node node = {.pool = (uint16_t)p,
                                     .own = state->own[thread] >> row & 1,
                                     .held = state->held_fields[thread][row]};
            memcpy(node.fields, words + code->pools[p].first + n * code->pools[p].words + 1,
                   (code->pools[p].words - 1) * sizeof *words);
            const uint32_t at = heap_view_add(view, &node);
            if (at == HEAP_GONE)
                return false;
            index[row] = 1 + at;
        }
    for (uint32_t i = 0; i < view->count; i++) {
        const struct lin_pool *pool = &code->pools[view->nodes[i].pool];
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            uint32_t *field = &view->nodes[i].fields[pool->references[j].slot - 1];
            *field = *field ? index[starts[pool->references[j].pool] + *field - 1] : 0;
        }
    }
    for (size_t i = 0; i < code->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &code->shared_references.items[i];
        uint32_t *word = &view->shared[slot->slot];
        *word = *word ? index[starts[slot->pool] + *word - 1] : 0;
    }
    for (uint32_t i = 0; entry && i < entry->reference_count; i++) {
        uint32_t *word = &view->thread[LIN_THREAD_HEADER + entry->references[i].slot];
        *word = *word ? index[starts[entry->references[i].pool] + *word - 1] : 0;
    }
    return true;
}

static struct {
    uint64_t states, runs, dead;
    unsigned proved, refused, wrong_text;
} tally;

/* Whether a step changes what others may see, as the text says it. */
static bool changes(const struct subject *subject, const struct taken *step)
{
    const struct lin_steps *code = subject->system.steps;
    const uint32_t *before = thread_system_shared(&subject->system, step->move->shared);
    const uint32_t *after = thread_system_shared(&subject->system, step->move->next_shared);
    uint32_t starts[MOST_POOLS];
    const uint64_t live = live_nodes(code, before) & ~step->own[step->thread];
    bool differ = memcmp(before, after, code->heap_first * sizeof *before) != 0;
    (void)pool_starts(code, starts);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++) {
            const uint32_t first = code->pools[p].first + n * code->pools[p].words;
            differ |=
                (live >> (starts[p] + n) & 1) &&
                memcmp(before + first, after + first, code->pools[p].words * sizeof *before) != 0;
        }
    return differ;
}

/* Follows a run as an automaton reads it; looks that each thread's view is there. False: the run is
 * one that the automaton does not accept, however it goes on. Fails the test where the proof is
 * wrong. */
static void follow(struct subject *subject, struct heap_proof *proof, const struct walk *run,
                   struct random *random, const char *text)
{
    const struct alphabet *alphabet = proof->alphabet;
    const struct lin_steps *code = subject->system.steps;
    uint32_t observer = alphabet->automaton->initial, promises[MOST_THREADS] = {0};
    for (uint32_t i = 0;; i++) {
        const struct taken *step = &run->steps[i];
        for (uint32_t t = 0; t < run->threads; t++) {
            struct heap_view view;
            if (!view_of(subject, step, t, observer, promises[t], &view) ||
                !heap_view_arrange(&proof->steps.shape, &view, NULL))
                continue;
            tally.states++;
            if (!heap_proof_covers(proof, &view))
                fail_msg("%s: step %u, thread %u: not covered, observer %u, promise %x\n%s",
                         alphabet->automaton->name, i, t, observer, promises[t], text);
        }
        if (i == run->length)
            return;
        const struct thread_move *move = step->move;
        const uint32_t at =
            thread_system_is_idle(&subject->system, step->local[step->thread])
                ? heap_first_step(code, move->operation)
                : thread_system_local(&subject->system, step->local[step->thread])[LIN_THREAD_AT];
        uint32_t *promise = &promises[step->thread];
        if (move->calls) {
            if (move->argument && !(alphabet->colours >> move->argument & 1))
                return;
            *promise = heap_promise_of_call(move);
        }
        const struct heap_point *point = &proof->placement->points[move->operation];
        const bool taken = heap_promise_kind(*promise) == HEAP_PROMISE_TAKEN;
        struct thread_move whole =
            step->ends == UINT32_MAX ? run->alone[step->thread] : *run->steps[step->ends].move;
        whole.operation = move->operation;
        whole.argument = heap_promise_argument(*promise);
        struct heap_readings readings;
        if (changes(subject, step) && at == point->changing) {
            if (taken)
                fail_msg("an operation takes effect twice\n%s", text);
            heap_read_whole(alphabet, observer, &whole, &readings);
            if (readings.accepts)
                fail_msg("%s accepts\n%s", alphabet->automaton->name, text);
            if (readings.count == 0) {
                tally.dead++;
                return;
            }
            observer = readings.states[random_below(random, (uint32_t)readings.count)];
            *promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
        } else if (at == point->reading && !taken) {
            /* What would be answered here, alone, is not told by what was answered in the end. */
            const struct thread_move alone =
                move->answer ? *move : answer_alone(subject, move->next_shared, move->next_local);
            struct thread_move read = alone;
            read.operation = move->operation;
            read.argument = whole.argument;
            heap_read_whole(alphabet, observer, &read, &readings);
            bool only_reads = readings.count > 0;
            for (size_t j = 0; j < readings.count; j++)
                only_reads &=
                    readings.states[j] == observer || alphabet->accepting[readings.states[j]];
            *promise &= UINT32_C(0xff) << 18;
            if (only_reads && read.answer)
                *promise |= heap_promise_make(
                    readings.accepts ? HEAP_PROMISE_WRONG : HEAP_PROMISE_RIGHT, &read);
        }
        if (move->answer) {
            if (heap_promise_kind(*promise) == HEAP_PROMISE_NONE ||
                heap_promise_kind(*promise) == HEAP_PROMISE_WRONG ||
                !heap_promise_is(*promise, move))
                fail_msg("an answer is not what was promised\n%s", text);
            *promise = 0;
        }
    }
}

static void look_at_runs(struct subject *subject, unsigned runs, struct random *random,
                         const char *text)
{
    struct walk *run = malloc(sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < subject->automata.count; i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        assert_int_equal(alphabet_make(&subject->automata.items[i], &subject->roles, true,
                                       &subject->arena, &alphabet),
                         STATUS_OK);
        heap_proof_init(&proof, &subject->system, &subject->shape, &alphabet,
                        &subject->answer.placement, &subject->budget, &subject->limits,
                        &subject->error);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        for (unsigned j = 0; j < runs; j++) {
            make_run(subject, random, run);
            follow(subject, &proof, run, random, text);
            tally.runs++;
        }
        heap_proof_release(&proof);
    }
    free(run);
}

/* Whether there is a proof; where there is one, runs are looked at. */
static bool prove(const char *text, const char *specification, unsigned runs, struct random *random)
{
    struct subject subject;
    const bool opened = subject_open(&subject, text, specification);
    const bool proved = opened && subject.answer.kind == HEAP_PROVED;
    if (proved)
        look_at_runs(&subject, runs, random, text);
    tally.proved += proved;
    tally.refused += opened && !proved;
    tally.wrong_text += !opened;
    subject_close(&subject, opened);
    return proved;
}

/* ---- programs ---- */

#define NODE "struct node { value item; node next; } "
#define PUSH                                                                                       \
    "op push(value v) { node n = new node; n.item = v; node t;\n do { t = top;\n n.next = t;\n } " \
    "while (!cas(top, t, n));\n return ok; } "
#define POP                                                                                        \
    "op pop() { while (true) { node t = top;\n if (t == null) return empty;\n node x = t.next;\n " \
    "if (cas(top, t, x)) return t.item;\n } }"
#define STACK "impl it { " NODE "shared node top; "

#define QUEUE                                                                                      \
    "impl it { " NODE "shared node head; shared node tail; init { head = new node; tail = head; }"
#define ENQUEUE                                                                                    \
    "op enqueue(value v) { node n = new node; n.item = v;\n while (true) { node t = tail;\n"       \
    "node x = t.next;\n if (t == tail) { if (x == null) {\n if (cas(t.next, null, n)) {\n"         \
    "cas(tail, t, n);\n return ok; } } else {\n cas(tail, t, x);\n } } } } "
#define DEQUEUE                                                                                    \
    "op dequeue() { while (true) { node h = head;\n node t = tail;\n node x = h.next;\n"           \
    "if (h == head) { if (h == t) { if (x == null) return empty;\n cas(tail, t, x);\n"             \
    "} else { value v = x.item;\n if (cas(head, h, x)) return v;\n } } } }"
#define DEQUEUE_TAIL_LAST                                                                          \
    "op dequeue() { while (true) { node h = head;\n node x = h.next;\n if (h == head) {"           \
    "if (x == null) return empty;\n value v = x.item;\n if (cas(head, h, x)) { node t = tail;\n"   \
    "if (h == t) cas(tail, t, x);\n return v; }\n } } }"

#define TWO_LOCKS                                                                                  \
    "impl it { " NODE "shared node head; shared node tail; shared bool l; shared bool m; "         \
    "init { head = new node; tail = head; }"
#define ENQUEUE_LOCKED                                                                             \
    "op enqueue(value v) { node n = new node; n.item = v;\n lock(m);\n node t = tail;\n"           \
    "t.next = n;\n tail = n;\n unlock(m);\n return ok; } "
#define DEQUEUE_LOCKED                                                                             \
    "op dequeue() { lock(l);\n node h = head;\n node x = h.next;\n if (x == null) { unlock(l);\n"  \
    "return empty; } value v = x.item;\n head = x;\n unlock(l);\n return v; }"

static const struct {
    const char *text, *specification;
} right[] = {
    {STACK PUSH POP " }", "stack"},
    {QUEUE ENQUEUE DEQUEUE " }", "queue"},
    {QUEUE ENQUEUE DEQUEUE_TAIL_LAST " }", "queue"},
    {TWO_LOCKS ENQUEUE_LOCKED DEQUEUE_LOCKED " }", "queue"},
};

/* Each is violated by few threads. */
static const struct {
    const char *text, *specification;
} wrong[] = {
    {STACK "op push(value v) { node n = new node; n.item = v; node t = top; n.next = t; top = n; "
           "return ok; } " POP " }",
     "stack"},
    {STACK PUSH "op pop() { node t = top; if (t == null) return empty; node x = t.next; top = x; "
                "return t.item; } }",
     "stack"},
    {STACK PUSH "op pop() { while (true) { node t = top; if (t == null) return empty; "
                "if (cas(top, t, null)) return t.item; } } }",
     "stack"},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; } while "
           "(!cas(top, t, n)); n.next = t; return ok; } " POP " }",
     "stack"},
    {QUEUE ENQUEUE "op dequeue() { while (true) { node h = head; node x = h.next; if (x == null) "
                   "return empty; value v = h.item; if (cas(head, h, x)) return v; } } }",
     "queue"},
    {QUEUE ENQUEUE "op dequeue() { node h = head; node x = h.next; if (x == null) return empty; "
                   "value v = x.item; head = x; return v; } }",
     "queue"},
    {TWO_LOCKS ENQUEUE_LOCKED
     "op dequeue() { node h = head; lock(l); node x = h.next; if (x == null) { unlock(l); return "
     "empty; } value v = x.item; head = x; unlock(l); return v; } }",
     "queue"},
    {TWO_LOCKS "op enqueue(value v) { node n = new node; n.item = v; node t = tail; lock(m); "
               "t.next = n; tail = n; unlock(m); return ok; }" DEQUEUE_LOCKED " }",
     "queue"},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; n.next = t; } "
           "while (!cas(top, t, n)); return ok; } op pop() { node t = top; if (t == null) return "
           "empty; while (true) { t = top; if (t == null) return empty; if (t.next == null) { if "
           "(cas(top, t, null)) return t.item; } else { node x = t.next; node y = x.next; if "
           "(cas(t.next, x, y)) return x.item; } } } }",
     "stack"},
};

static struct seeds seeds = {1, 12};

static void each_state_of_runs_is_covered(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(right); i++)
        assert_true(prove(right[i].text, right[i].specification, runs_of_each, &random));
    print_message("%llu views of %llu runs, %llu of which ended early\n",
                  (unsigned long long)tally.states, (unsigned long long)tally.runs,
                  (unsigned long long)tally.dead);
    assert_true(tally.states > 1000);
}

static void nothing_wrong_is_proved(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    memset(&tally, 0, sizeof tally);
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
        assert_false(prove(wrong[i].text, wrong[i].specification, 1, &random));
    assert_int_equal(tally.refused, ARRAY_LENGTH(wrong));
}

/* ---- mutants ---- */

static const char *const words[] = {"h", "t", "x", "n", "head", "tail", "top", "null"};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Leaves a statement out, or puts another variable in the place of one. */
static void mutate(struct random *random, const char *text, struct text *mutant)
{
    const size_t length = strlen(text);
    for (;;) {
        size_t at = random_below(random, (uint32_t)length), end;
        if (random_below(random, 3) == 0) { /* from a line's beginning to its first semicolon */
            while (at > 0 && text[at - 1] != '\n')
                at--;
            end = at + strcspn(text + at, ";{}\n");
            if (text[end] != ';')
                continue;
            text_append_bytes(mutant, text, at);
            text_append(mutant, text + end + 1);
            return;
        }
        while (at > 0 && is_word(text[at - 1]))
            at--;
        end = at;
        while (is_word(text[end]))
            end++;
        bool known = false;
        for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
            known |= strlen(words[i]) == end - at && strncmp(words[i], text + at, end - at) == 0;
        if (!known || (at > 0 && text[at - 1] == '.'))
            continue;
        text_append_bytes(mutant, text, at);
        text_append(mutant, words[random_below(random, ARRAY_LENGTH(words))]);
        text_append(mutant, text + end);
        return;
    }
}

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
        random_seed(&random, seed);
        const size_t number = random_below(&random, ARRAY_LENGTH(right));
        mutate(&random, right[number].text, &once);
        if (random_below(&random, 2))
            mutate(&random, text_string(&once), &twice);
        else
            text_append(&twice, text_string(&once));
        if (prove(text_string(&twice), right[number].specification, runs_of_each / 2, &random))
            print_message("proved, seed %llu\n", (unsigned long long)seed);
        text_release(&once);
        text_release(&twice);
    }
    print_message("%u proved, %u refused, %u of no use; %llu views\n", tally.proved, tally.refused,
                  tally.wrong_text, (unsigned long long)tally.states);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_of_runs_is_covered),
        cmocka_unit_test(nothing_wrong_is_proved),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
