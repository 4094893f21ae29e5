/* Threads over a shared state: interleaving the moves of single threads gives the states and steps
 * of the model with that many threads in which nothing is collected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "implementation/symmetry.h"
#include "reduce/symmetry.h"
#include "support/any_random.h"
#include "support/heap_runs.h"
#include "support/lin_compiled.h"
#include "support/lin_random.h"
#include "support/seeds.h"
#include "unbounded/thread_memory.h"

#define MOST_THREADS 3
#define MOST_WORDS   512 /* of a state */
#define ENDED        UINT32_MAX

static size_t most_states = 50000; /* of a model; larger ones are left out where that is allowed */
static bool tells;

/* ---- what is reached ---- */

/* States, by their words, and steps: from, label, shown, to. */
struct reached {
    struct word_arrays *states;
    struct word_arrays edges;
    VECTOR(uint32_t) to_do; /* states, each once */
    VECTOR(bool) met;       /* by state */
};

static void reached_init(struct reached *reached, struct word_arrays *states)
{
    reached->states = states;
    word_arrays_init(&reached->edges, NULL);
    vector_init(&reached->to_do, NULL);
    vector_init(&reached->met, NULL);
}

static void reached_release(struct reached *reached)
{
    word_arrays_release(&reached->edges);
    vector_release(&reached->to_do);
    vector_release(&reached->met);
}

static uint32_t reach(struct reached *reached, const uint32_t *words, size_t count)
{
    uint32_t number = word_arrays_intern(reached->states, words, count, NULL);
    assert_true(number != UINT32_MAX);
    while (reached->met.length <= number)
        assert_true(vector_push(&reached->met, false));
    if (!reached->met.items[number])
        assert_true(vector_push(&reached->to_do, number));
    reached->met.items[number] = true;
    return number;
}

static void add_edge(struct reached *reached, uint32_t from, label l, label shown, uint32_t to)
{
    const uint32_t words[] = {from, l, shown, to};
    assert_true(word_arrays_intern(&reached->edges, words, 4, NULL) != UINT32_MAX);
}

/* By the model with all its threads. False: there are too many states. */
static bool explore_model(const struct lin_model *lin, const struct model *reduced,
                          struct reached *reached)
{
    struct worker *worker = worker_create(reduced);
    uint32_t state[MOST_WORDS], slots = lin->model.slots;
    struct successors out;
    struct error error;
    successors_init(&out, NULL);
    assert_non_null(worker);
    assert_int_equal(worker_initial(worker, &out, &error), STATUS_OK);
    for (size_t i = 0; i < out.steps.length; i++)
        (void)reach(reached, out.states.items + i * slots, slots);
    for (size_t at = 0; at < reached->to_do.length && at < most_states; at++) {
        size_t count;
        uint32_t from = reached->to_do.items[at];
        memcpy(state, word_arrays_get(reached->states, from, &count), slots * sizeof *state);
        successors_clear(&out);
        if (worker_successors(worker, state, &out, &error) != STATUS_OK)
            fail_msg("%u: %s", error.line, error.message);
        for (size_t i = 0; i < out.steps.length; i++) {
            const struct step *step = &out.steps.items[i];
            label own = lin_model_own_label(lin, step->label);
            bool ends = own == lin->fault || own == lin->error;
            uint32_t to = ends ? ENDED : reach(reached, out.states.items + i * slots, slots);
            add_edge(reached, from, step->label, step->shown, to);
        }
    }
    successors_release(&out);
    worker_destroy(worker);
    return reached->to_do.length <= most_states;
}

/* A label with another thread for thread 0. */
static label relabel(struct labels *labels, label l, uint32_t thread)
{
    uint32_t components[8];
    struct action action = *labels_get(labels, l);
    assert_true(action.count <= 8);
    if (action.kind == LABEL_NOTE || action.count == 0)
        return l;
    memcpy(components, action.components, action.count * sizeof *components);
    for (size_t i = 0; action.kind == LABEL_SEVERAL && i < action.count; i++)
        components[i] = relabel(labels, components[i], thread);
    if (action.kind != LABEL_SEVERAL)
        components[0] = thread;
    action.components = components;
    return labels_intern(labels, &action);
}

/* The kind of the thread with that number. */
static uint32_t kind_of(const struct thread_system *system, uint32_t thread)
{
    for (uint32_t i = 0; i < system->kinds.length; i++)
        if (system->kinds.items[i].only == (int32_t)thread)
            return i;
    return 0;
}

/* A label, or the several that it is made of: "inv.push.0.1 res.push.0 ". */
static void print_labels(const struct labels *labels, label l, struct text *text)
{
    const struct action *action = labels_get(labels, l);
    for (size_t i = 0; action->kind == LABEL_SEVERAL && i < action->count; i++)
        print_labels(labels, action->components[i], text);
    if (action->kind != LABEL_SEVERAL)
        labels_print(labels, l, text);
    text_append_char(text, ' ');
}

/* What a move says of its call and its answer is what its label says. */
static void look_at_move(const struct thread_system *system, const struct thread_move *move)
{
    struct text whole = TEXT_EMPTY, call = TEXT_EMPTY, answer = TEXT_EMPTY;
    const struct lin_object *object = system->steps->object;
    print_labels(system->labels, move->ending && move->calls ? move->shown : move->label, &whole);
    const char *said = text_string(&whole);
    assert_true(move->operation < object->operation_count);
    const char *name = object->operations[move->operation]->name;
    text_format(&call, "inv.%s.0", name);
    if (move->argument)
        text_format(&call, ".%u", move->argument);
    text_format(&answer, "res.%s%s", name, move->answer == ANSWER_OTHER ? "" : ".0");
    if (move->answer == ANSWER_VALUED)
        text_format(&answer, ".%u", move->result);
    text_append(&call, move->argument || !object->operations[move->operation]->parameter_count
                           ? " "
                           : "."); /* an argument that is no value */
    text_append(&answer, move->answer == ANSWER_OTHER ? "" : " ");
    assert_int_equal(move->calls, thread_system_is_idle(system, move->local));
    assert_true((strstr(said, text_string(&call)) != NULL) == move->calls);
    assert_true(strstr(said, "res.") ? move->answer && strstr(said, text_string(&answer))
                                     : move->answer == ANSWER_NONE);
    if (move->answer)
        assert_true(thread_system_is_idle(system, move->next_local));
    else if (!move->ending)
        assert_int_equal(thread_system_operation(system, move->next_local), move->operation);
    assert_int_equal(thread_system_kind(system, move->local),
                     thread_system_kind(system, move->next_local));
    text_release(&whole);
    text_release(&call);
    text_release(&answer);
}

/* A shared state, a local one of each thread; for each its own nodes, in two halves. */
struct parts {
    uint32_t shared, local[MOST_THREADS], own[MOST_THREADS][2];
};

static uint32_t reach_parts(const struct thread_system *system, struct reached *reached,
                            uint32_t threads, const struct parts *parts)
{
    uint32_t words[MOST_WORDS], count = system->steps->thread_first;
    memcpy(words, thread_system_shared(system, parts->shared), count * sizeof *words);
    for (uint32_t i = 0; i < threads; i++, count += system->steps->thread_words)
        memcpy(words + count, thread_system_local(system, parts->local[i]),
               system->steps->thread_words * sizeof *words);
    return reach(reached, words, count);
}

static uint64_t own_of(const struct parts *parts, uint32_t thread)
{
    return parts->own[thread][0] | (uint64_t)parts->own[thread][1] << 32;
}

static void intern_parts(struct word_arrays *all, const struct parts *parts)
{
    assert_true(word_arrays_intern(all, (const uint32_t *)parts, sizeof *parts / sizeof(uint32_t),
                                   NULL) != UINT32_MAX);
}

static void look_at_memory(struct thread_system *system, uint32_t threads,
                           const struct parts *before, const struct thread_move *move,
                           uint32_t thread, struct parts *after);

/* By the moves of the system's threads, one after the other. */
static bool explore_moves(struct thread_system *system, uint32_t threads, struct reached *reached)
{
    struct word_arrays all; /* parts */
    word_arrays_init(&all, NULL);
    for (size_t i = 0; i < system->initial.length; i++) {
        struct parts parts = {.shared = system->initial.items[i]};
        for (uint32_t j = 0; j < threads; j++)
            parts.local[j] = system->kinds.items[kind_of(system, j)].idle;
        intern_parts(&all, &parts);
    }
    for (uint32_t at = 0; at < all.items.length && at < most_states; at++) {
        size_t count;
        struct parts parts, next;
        const struct thread_moves *moves;
        struct error error;
        memcpy(&parts, word_arrays_get(&all, at, &count), sizeof parts);
        uint32_t from = reach_parts(system, reached, threads, &parts);
        for (uint32_t i = 0; i < threads; i++) {
            assert_int_equal(
                thread_system_expand(system, parts.shared, parts.local[i], &moves, &error),
                STATUS_OK);
            for (uint32_t j = 0; j < moves->count; j++) {
                const struct thread_move *move = &moves->items[j];
                uint32_t to = ENDED;
                assert_true(move->shared == parts.shared && move->local == parts.local[i]);
                look_at_move(system, move);
                if (move->ending == ENDING_NONE) {
                    look_at_memory(system, threads, &parts, move, i, &next);
                    intern_parts(&all, &next);
                    to = reach_parts(system, reached, threads, &next);
                }
                add_edge(reached, from, relabel(system->labels, move->label, i),
                         relabel(system->labels, move->shown, i), to);
            }
        }
    }
    bool complete = all.items.length <= most_states;
    word_arrays_release(&all);
    return complete;
}

/* ---- memory ---- */

static void mark_others(const struct thread_system *system, uint32_t threads,
                        const struct parts *parts, uint32_t but, uint64_t *marked)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *words = thread_system_shared(system, parts->shared);
    for (size_t i = 0; i < steps->shared_references.length; i++)
        heap_mark(steps, words, steps->shared_references.items[i].pool,
                  words[steps->shared_references.items[i].slot], marked);
    for (uint32_t i = 0; i < threads; i++) {
        uint16_t operation = thread_system_operation(system, parts->local[i]);
        if (i == but || operation == UINT16_MAX)
            continue;
        const struct lin_entry *entry = &steps->entries[operation];
        const uint32_t *locals = thread_system_local(system, parts->local[i]) + LIN_THREAD_HEADER;
        for (uint32_t j = 0; j < entry->reference_count; j++)
            heap_mark(steps, words, entry->references[j].pool, locals[entry->references[j].slot],
                      marked);
    }
}

static struct {
    unsigned changes, hidden, own; /* moves that others see, that they do not; nodes */
} tally;

static bool differs_for(const struct lin_steps *steps, const uint32_t *before,
                        const uint32_t *after, uint64_t seen)
{
    bool differ = memcmp(before, after, steps->heap_first * sizeof *before) != 0;
    for (uint32_t i = 0, number = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++, number++) {
            uint32_t first = steps->pools[i].first + j * steps->pools[i].words;
            differ |= (seen >> number & 1) && memcmp(before + first, after + first,
                                                     steps->pools[i].words * sizeof *before) != 0;
        }
    return differ;
}

/* A move is said to change something if it changes what another thread reaches, exactly so where it
 * is known what the others refer to; a thread's own nodes are live, and no other reaches them. */
static void look_at_memory(struct thread_system *system, uint32_t threads,
                           const struct parts *before, const struct thread_move *move,
                           uint32_t thread, struct parts *after)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *old = thread_system_shared(system, before->shared);
    const uint32_t *new = thread_system_shared(system, move->next_shared);
    uint64_t seen = 0, seen_after = 0;
    uint64_t others = 0, own = own_of(before, thread), none = 0;
    for (uint32_t i = 0; i < threads; i++)
        others |= i == thread ? 0 : thread_system_references(system, before->local[i]);
    bool changes = thread_system_changes(system, move, others, &none);
    bool is_known = (move->shared + move->local) % 3 == 0;
    bool may_change = thread_system_changes(system, move, is_known ? others : UINT64_MAX, &own);
    *after = *before;
    after->shared = move->next_shared;
    after->local[thread] = move->next_local;
    if (thread_system_is_idle(system, move->next_local))
        own = 0;
    after->own[thread][0] = (uint32_t)own;
    after->own[thread][1] = (uint32_t)(own >> 32);
    mark_others(system, threads, before, thread, &seen);
    mark_others(system, threads, after, thread, &seen_after);
    bool differ = differs_for(steps, old, new, seen);
    assert_int_equal(changes, differ);
    assert_true(may_change || !differ);
    for (uint32_t i = 0, number = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++, number++)
            if (own >> number & 1) {
                assert_false(seen_after >> number & 1);
                assert_int_equal(new[steps->pools[i].first + j * steps->pools[i].words],
                                 LIN_NODE_LIVE);
                tally.own++;
            }
    ++*(may_change ? &tally.changes : &tally.hidden);
}

/* ---- comparisons ---- */

static void expect_same_edges(struct reached *one, struct reached *other)
{
    size_t edges = one->edges.items.length;
    assert_int_equal(one->to_do.length, other->to_do.length);
    assert_int_equal(other->edges.items.length, edges);
    for (uint32_t i = 0; i < edges; i++) {
        size_t count;
        bool fresh;
        const uint32_t *edge = word_arrays_get(&other->edges, i, &count);
        assert_true(word_arrays_intern(&one->edges, edge, count, &fresh) != UINT32_MAX);
        assert_false(fresh);
    }
}

/* The least state, by its words, among those that differ by the numbers of threads, nodes and
 * values, as far as the model does not tell them apart. */
static void least_of_orbit(struct lin_worker *worker, const uint32_t *state, uint32_t *least)
{
    static const uint8_t same[TURNING_MOST] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t exchanged[TURNING_MOST] = {1, 0, 2, 3, 4, 5, 6, 7};
    const struct lin_model *model = worker->model;
    const struct lin_setting *setting = &model->steps->setting;
    uint32_t other[MOST_WORDS], slots = model->model.slots;
    assert_true(!model->options.symmetry || setting->threads == 2);
    assert_true(!model->options.values || setting->values == 2);
    for (unsigned i = 0; i < 4; i++) {
        struct renumbering by = {turning_make(i & 1 ? exchanged : same),
                                 turning_make(i & 2 ? exchanged : same)};
        if ((i & 1 && !model->options.symmetry) || (i & 2 && !model->options.values))
            continue;
        memcpy(other, state, slots * sizeof *state);
        assert_true(lin_model_turn(worker, other, by));
        if (i == 0 || memcmp(other, least, slots * sizeof *least) < 0)
            memcpy(least, other, slots * sizeof *least);
    }
}

/* The orbits that the states reached lie in. */
static void find_orbits(const struct lin_model *model, const struct reached *reached,
                        struct word_arrays *orbits)
{
    uint32_t state[MOST_WORDS], least[MOST_WORDS], slots = model->model.slots;
    struct lin_worker *worker = lin_worker_create(model);
    assert_non_null(worker);
    word_arrays_init(orbits, NULL);
    for (size_t i = 0; i < reached->to_do.length; i++) {
        size_t count;
        memcpy(state, word_arrays_get(reached->states, reached->to_do.items[i], &count),
               slots * sizeof *state);
        least_of_orbit(worker, state, least);
        assert_true(word_arrays_intern(orbits, least, slots, NULL) != UINT32_MAX);
    }
    lin_worker_destroy(worker);
}

/* A model whose states are canonical reaches, of each orbit that is reached at all, some state. */
static void compare_orbits(struct lin_compiled *compiled, const struct reached *reached,
                           bool symmetry)
{
    const struct lin_options options = {.intervals = true,
                                        .forget = true,
                                        .symmetry = symmetry,
                                        .values = symmetry,
                                        .shows_errors = true};
    struct word_arrays states, wanted, found;
    struct reached by_model;
    struct symmetry on_top;
    struct lin_model model;
    assert_int_equal(lin_model_create(&compiled->steps, &options, compiled->labels,
                                      &compiled->fixture.budget, &model, &compiled->fixture.error),
                     STATUS_OK);
    word_arrays_init(&states, NULL);
    reached_init(&by_model, &states);
    symmetry_create(&model.model, &model.model, true, false, &on_top);
    assert_true(
        explore_model(&model, symmetry ? &on_top.decorator.model : &model.model, &by_model));
    find_orbits(&model, reached, &wanted);
    find_orbits(&model, &by_model, &found);
    assert_int_equal(found.items.length, wanted.items.length);
    for (uint32_t i = 0; i < found.items.length; i++) {
        size_t count;
        bool fresh;
        const uint32_t *words = word_arrays_get(&found, i, &count);
        assert_true(word_arrays_intern(&wanted, words, count, &fresh) != UINT32_MAX);
        assert_false(fresh);
    }
    word_arrays_release(&wanted);
    word_arrays_release(&found);
    reached_release(&by_model);
    word_arrays_release(&states);
    lin_model_release(&model);
}

/* False: there is no initial state, or there are too many. */
static bool compare(struct lin_compiled *compiled)
{
    static const struct lin_options options = {
        .intervals = true, .forget = true, .names = true, .shows_errors = true};
    uint32_t threads = compiled->steps.setting.threads;
    struct thread_system system;
    struct lin_model model;
    struct word_arrays states;
    struct reached by_moves, by_model;
    struct error *error = &compiled->fixture.error;
    struct budget *budget = &compiled->fixture.budget;
    assert_true(compiled->steps.slots <= MOST_WORDS && threads <= MOST_THREADS);
    enum status status = thread_system_create(&system, &compiled->alone, compiled->labels,
                                              &compiled->fixture.limits, error);
    if (status != STATUS_OK) { /* `init` goes wrong */
        assert_int_equal(status, STATUS_INPUT);
        thread_system_release(&system);
        return false;
    }
    assert_int_equal(
        lin_model_create(&compiled->steps, &options, compiled->labels, budget, &model, error),
        STATUS_OK);
    word_arrays_init(&states, NULL);
    reached_init(&by_moves, &states);
    reached_init(&by_model, &states);
    bool complete = explore_model(&model, &model.model, &by_model) &&
                    explore_moves(&system, threads, &by_moves);
    if (complete) {
        expect_same_edges(&by_moves, &by_model);
        compare_orbits(compiled, &by_moves, false);
    }
    if (complete && threads == 2)
        compare_orbits(compiled, &by_moves, true);
    if (complete && tells)
        print_message("%s, %u threads: %zu shared, %zu local, %zu pairs; %zu states, %zu steps\n",
                      compiled->steps.object->name, threads, system.shared.items.length,
                      system.locals.items.length, system.pairs.items.length, by_moves.to_do.length,
                      by_moves.edges.items.length);
    reached_release(&by_moves);
    reached_release(&by_model);
    word_arrays_release(&states);
    lin_model_release(&model);
    thread_system_release(&system);
    return complete;
}

/* ---- implementations ---- */

#define TEST_AND_SET                                                                               \
    "impl test_and_set { shared bool held = false;"                                                \
    " op acquire() { while (swap(held, true)) { } return ok; }"                                    \
    " op release() { held = false; return ok; } }"
#define HW_QUEUE                                                                                   \
    "impl hw_queue(N) { shared value slot[N] = null; shared int(0..N) back = 0;"                   \
    " op enqueue(value v) { int(0..N) i; atomic { assume(back < N); i = fetch_add(back, 1); }"     \
    "  slot[i] = v; return ok; }"                                                                  \
    " op dequeue() { while (true) { int(0..N) n = back;"                                           \
    "  for (int(0..N) k = 0; k < n; k = k + 1) { value v = swap(slot[k], null);"                   \
    "   if (v != null) return v; } } } }"
#define LOCK_QUEUE                                                                                 \
    "impl lock_queue { shared value slot[2] = null; shared int(0..2) count = 0; shared bool busy;" \
    " op enqueue(value v) { lock(busy); int(0..2) n = count;"                                      \
    "  if (n == 2) { unlock(busy); return full; } slot[n] = v; count = n + 1; unlock(busy);"       \
    "  return ok; }"                                                                               \
    " op dequeue() { lock(busy); int(0..2) n = count; if (n == 0) { unlock(busy); return empty; }" \
    "  value v = slot[0]; value w = slot[1]; slot[0] = w; slot[1] = null; count = n - 1;"          \
    "  unlock(busy); return v; } }"
#define TREIBER(after)                                                                             \
    "impl treiber { struct node { value item; node next; } shared node top = null;"                \
    " op push(value v) { node n = new node; n.item = v; node t;"                                   \
    "  do { t = top; n.next = t; } while (!cas(top, t, n)); return ok; }"                          \
    " op pop() { while (true) { node t = top; if (t == null) return empty; node x = t.next;"       \
    "  if (cas(top, t, x)) { value v = t.item; " after " return v; } } } }"
/* Its tag leaves the range after three pops: an error of the model. */
#define TAGGED                                                                                     \
    "impl tagged_stack { struct node { value item; node next; }"                                   \
    " record tagged { node ptr; int(0..2) tag; } shared tagged head;"                              \
    " op push(value v) { node n = new node; n.item = v; tagged h;"                                 \
    "  do { h = head; n.next = h.ptr; } while (!cas(head, h, tagged(n, h.tag))); return ok; }"     \
    " op pop() { while (true) { tagged h = head; if (h.ptr == null) return empty;"                 \
    "  node x = h.ptr.next; if (cas(head, h, tagged(x, h.tag + 1))) { value v = h.ptr.item;"       \
    "  free(h.ptr); return v; } } } }"
struct sample {
    const char *text;
    int32_t parameter;
    uint32_t values;
    int32_t nodes;
    uint32_t threads;
};

static const struct sample samples[] = {
    {TEST_AND_SET, 0, 1, -1, 3}, {HW_QUEUE, 2, 2, -1, 2},           {HW_QUEUE, 2, 1, -1, 3},
    {LOCK_QUEUE, 0, 2, -1, 2},   {LOCK_QUEUE, 0, 1, -1, 3},         {TREIBER(""), 0, 2, 2, 2},
    {TREIBER(""), 0, 1, 2, 3},   {TREIBER("free(t);"), 0, 1, 1, 3}, {TAGGED, 0, 1, 2, 2},
    {ONE_WRITER, 0, 2, -1, 3},   {ONE_WRITER, 0, 1, -1, 2},
};

static struct lin_setting setting_of(const struct sample *sample)
{
    return (struct lin_setting){
        .threads = sample->threads, .values = sample->values, .nodes = sample->nodes};
}

static void moves_interleaved_are_the_steps_of_threads(void **unused)
{
    (void)unused;
    tells = true;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct lin_compiled compiled;
        lin_compiled_expect(&compiled, samples[i].text, 0, setting_of(&samples[i]),
                            &samples[i].parameter);
        assert_true(compare(&compiled));
        lin_compiled_close(&compiled);
    }
    tells = false;
    print_message("%u moves that others see, %u that they do not, %u own nodes\n", tally.changes,
                  tally.hidden, tally.own);
    assert_true(tally.changes > 0 && tally.hidden > 0 && tally.own > 0);
}

/* ---- shipped models ---- */

static char *read_text(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/examples/models/any/%s", SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    assert_true(length > 0 && length < (1 << 16) - 1);
    fclose(file);
    return text;
}

/* Every implementation of the file with two threads, two nodes and parameters of 2. */
static void compare_file(const char *name, const char *const *client)
{
    static const int32_t parameters[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct lin_setting setting = {.threads = 2, .values = 1, .nodes = 2, .client = client};
    char *text = read_text(name);
    struct lin_fixture fixture;
    assert_true(lin_fixture_open(&fixture, text));
    setting.client_count = client ? 2 : 0;
    for (uint32_t i = 0; i < fixture.module.objects.length; i++) {
        struct lin_compiled compiled;
        if (fixture.module.objects.items[i]->is_spec)
            continue;
        lin_compiled_expect(&compiled, text, i, setting, parameters);
        assert_true(compare(&compiled));
        lin_compiled_close(&compiled);
    }
    lin_fixture_close(&fixture);
    free(text);
}

static void so_they_are_of_shipped_models(void **unused)
{
    static const char *const containers[] = {"hw_queue.lin",   "lock_queue.lin",
                                             "lock_stack.lin", "register.lin",
                                             "treiber.lin",    "two_lock_queue.lin"};
    static const char *const locks[] = {"locks.lin", "semaphore.lin"};
    static const char *const client[] = {"acquire", "release"};
    (void)unused;
    tells = true;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        compare_file(containers[i], NULL);
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        compare_file(locks[i], client);
    tells = false;
}

/* ---- random programs ---- */

/* Whether its threads are all alike to the code. */
static bool is_suitable(const struct lin_steps *steps, const char *text)
{
    return !lin_steps_use(steps, OP_THREAD) && !lin_steps_use(steps, OP_LOAD_LINKED) &&
           !strstr(text, "[threads]") && steps->slots <= MOST_WORDS;
}

/* Whether the program was compared. One that is mutated may be no program at all. */
static bool compare_random(uint64_t with, const char *text, bool is_program)
{
    static const char *const client[] = {"acquire", "release"};
    struct lin_setting setting = {
        .threads = 2, .values = 1 + with % 2, .nodes = 1 + (int32_t)(with / 2 % 3)};
    struct lin_compiled compiled;
    if (strstr(text, "op acquire")) {
        setting.client = client;
        setting.client_count = 2;
    }
    bool compiles = lin_compiled_open(&compiled, text, UINT32_MAX, setting, NULL);
    if (!compiles && is_program)
        fail_msg("%s\n%s", compiled.fixture.error.message, text);
    bool compared = compiles && is_suitable(&compiled.steps, text) && compare(&compiled);
    lin_compiled_close(&compiled);
    return compared;
}

static struct seeds seeds = {1, 400};
static uint64_t seed; /* of the program that is looked at; 0: none */

static int tell_seed(void **unused)
{
    (void)unused;
    if (seed)
        print_message("seed %llu\n", (unsigned long long)seed);
    return 0;
}

static void so_they_are_of_random_programs(void **unused)
{
    unsigned compared = 0;
    (void)unused;
    most_states = 3000;
    for (seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct any_program program = {.text = TEXT_EMPTY};
        if (seed % 4 == 0)
            lin_random_progress_print(seed, &program.text);
        else if (seed % 4 == 1)
            lin_random_print(seed, &program.text);
        else
            any_random_create(&program, seed);
        compared += compare_random(seed, text_string(&program.text), seed % 4 < 2);
        text_release(&program.text);
    }
    seed = 0;
    print_message("%u of %u compared\n", compared, seeds.count);
    assert_true(compared > seeds.count / 3);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_interleaved_are_the_steps_of_threads),
        cmocka_unit_test(so_they_are_of_shipped_models),
        cmocka_unit_test_teardown(so_they_are_of_random_programs, tell_seed),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
