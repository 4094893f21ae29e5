/* Threads over a shared state: interleaving the moves of single threads gives the states and steps
 * of the model with that many threads in which nothing is collected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petri/thread_system.h"
#include "support/lin_fixture.h"

#define MOST_THREADS 3
#define MOST_WORDS   512   /* of a state */
#define MOST_STATES  50000 /* of a model */
#define ENDED        UINT32_MAX

/* The one implementation of a module, compiled for some number of threads. */
struct compiled {
    struct lin_fixture fixture;
    struct labels *labels;
    struct lin_steps steps, alone; /* for that number; for one thread of a system */
};

static void compile_for(struct compiled *compiled, struct lin_setting setting,
                        const int32_t *parameters, struct lin_steps *steps)
{
    struct lin_fixture *fixture = &compiled->fixture;
    const struct lin_object *object = fixture->module.objects.items[0];
    setting.operations = -1;
    setting.keeps = true;
    if (lin_steps_compile(&fixture->module, object, parameters, &setting, &fixture->arena, steps,
                          &fixture->error) != STATUS_OK)
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
}

static void compile(struct compiled *compiled, const char *text, struct lin_setting setting,
                    const int32_t *parameters)
{
    struct lin_fixture *fixture = &compiled->fixture;
    if (!lin_fixture_open(fixture, text))
        fail_msg("%u: %s\n%s", fixture->error.line, fixture->error.message, text);
    compiled->labels = labels_create(&fixture->budget);
    compile_for(compiled, setting, parameters, &compiled->steps);
    setting.threads = 1;
    compile_for(compiled, setting, parameters, &compiled->alone);
}

static void compiled_close(struct compiled *compiled)
{
    lin_steps_release(&compiled->steps);
    lin_steps_release(&compiled->alone);
    labels_destroy(compiled->labels);
    lin_fixture_close(&compiled->fixture);
    assert_int_equal(compiled->fixture.budget.used, 0);
}

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
    assert_true(number < MOST_STATES);
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

/* By the model with all its threads. */
static void explore_model(struct lin_model *lin, struct reached *reached)
{
    struct model *model = &lin->model;
    uint32_t state[MOST_WORDS], slots = model->slots;
    struct successors out;
    struct error error;
    assert_true(slots <= MOST_WORDS);
    successors_init(&out, NULL);
    assert_int_equal(model->class->initial(model, &out, &error), STATUS_OK);
    for (size_t i = 0; i < out.steps.length; i++)
        (void)reach(reached, out.states.items + i * slots, slots);
    for (size_t at = 0; at < reached->to_do.length; at++) {
        size_t count;
        uint32_t from = reached->to_do.items[at];
        memcpy(state, word_arrays_get(reached->states, from, &count), slots * sizeof *state);
        successors_clear(&out);
        if (model->class->successors(model, state, &out, &error) != STATUS_OK)
            fail_msg("%u: %s", error.line, error.message);
        for (size_t i = 0; i < out.steps.length; i++) {
            const struct step *step = &out.steps.items[i];
            bool ends = step->label == lin->fault || step->label == lin->error;
            uint32_t to =
                ends && step->label ? ENDED : reach(reached, out.states.items + i * slots, slots);
            add_edge(reached, from, step->label, step->shown, to);
        }
    }
    successors_release(&out);
}

/* A label with another thread for thread 0. */
static label relabel(struct labels *labels, label l, uint32_t thread)
{
    size_t count;
    uint32_t components[8];
    if (l == LABEL_TAU || labels_kind(labels, l) != LABEL_EVENT)
        return l;
    const uint32_t *old = labels_components(labels, l, &count);
    assert_true(count <= 8);
    if (count == 0)
        return l;
    memcpy(components, old, count * sizeof *old);
    char name[100];
    snprintf(name, sizeof name, "%s", labels_name(labels, l));
    bool several = strchr(name, '+');
    for (size_t i = 0; several && i < count; i++)
        components[i] = relabel(labels, components[i], thread);
    if (!several)
        components[0] = thread;
    return labels_intern(labels, LABEL_EVENT, name, components, count);
}

/* The kind of the thread with that number. */
static uint32_t kind_of(const struct thread_system *system, uint32_t thread)
{
    for (uint32_t i = 0; i < system->kinds.length; i++)
        if (system->kinds.items[i].only == (int32_t)thread)
            return i;
    return 0;
}

/* The state that consists of a shared one, and one of each thread: words[0], words[1], ... */
static uint32_t reach_parts(const struct thread_system *system, struct reached *reached,
                            uint32_t threads, const uint32_t *parts)
{
    uint32_t words[MOST_WORDS], count = system->steps->thread_first;
    assert_true(count + threads * system->steps->thread_words <= MOST_WORDS);
    memcpy(words, thread_system_shared(system, parts[0]), count * sizeof *words);
    for (uint32_t i = 0; i < threads; i++, count += system->steps->thread_words)
        memcpy(words + count, thread_system_local(system, parts[1 + i]),
               system->steps->thread_words * sizeof *words);
    return reach(reached, words, count);
}

/* By the moves of the system's threads, one after the other. */
static void explore_moves(struct thread_system *system, uint32_t threads, struct reached *reached)
{
    struct word_arrays parts; /* a shared state and one of each thread: in the order of to_do */
    word_arrays_init(&parts, NULL);
    for (size_t i = 0; i < system->initial.length; i++) {
        uint32_t words[1 + MOST_THREADS] = {system->initial.items[i]};
        for (uint32_t j = 0; j < threads; j++)
            words[1 + j] = system->kinds.items[kind_of(system, j)].idle;
        (void)reach_parts(system, reached, threads, words);
        assert_true(word_arrays_intern(&parts, words, 1 + (size_t)threads, NULL) == i);
    }
    for (uint32_t at = 0; at < parts.items.length; at++) {
        size_t count;
        uint32_t words[1 + MOST_THREADS], from = reached->to_do.items[at];
        const struct thread_moves *moves;
        struct error error;
        memcpy(words, word_arrays_get(&parts, at, &count), sizeof words[0] * (1 + threads));
        for (uint32_t i = 0; i < threads; i++) {
            assert_int_equal(thread_system_expand(system, words[0], words[1 + i], &moves, &error),
                             STATUS_OK);
            for (uint32_t j = 0; j < moves->count; j++) {
                const struct thread_move *move = &moves->items[j];
                uint32_t next[1 + MOST_THREADS], to = ENDED;
                assert_int_equal(move->shared, words[0]);
                assert_int_equal(move->local, words[1 + i]);
                memcpy(next, words, sizeof next[0] * (1 + threads));
                next[0] = move->next_shared;
                next[1 + i] = move->next_local;
                if (move->ending == ENDING_NONE) {
                    to = reach_parts(system, reached, threads, next);
                    assert_true(word_arrays_intern(&parts, next, 1 + (size_t)threads, NULL) !=
                                UINT32_MAX);
                    assert_int_equal(parts.items.length, reached->to_do.length);
                }
                add_edge(reached, from, relabel(system->labels, move->label, i),
                         relabel(system->labels, move->shown, i), to);
            }
        }
    }
    word_arrays_release(&parts);
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
#define TAGGED                                                                                     \
    "impl tagged_stack { struct node { value item; node next; }"                                   \
    " record tagged { node ptr; int(0..2) tag; } shared tagged head;"                              \
    " op push(value v) { node n = new node; n.item = v; tagged h;"                                 \
    "  do { h = head; n.next = h.ptr; } while (!cas(head, h, tagged(n, h.tag))); return ok; }"     \
    " op pop() { while (true) { tagged h = head; if (h.ptr == null) return empty;"                 \
    "  node x = h.ptr.next; if (cas(head, h, tagged(x, h.tag + 1))) return h.ptr.item; } } }"

struct sample {
    const char *text;
    int32_t parameter;
    uint32_t values;
    int32_t nodes;
};

static const struct sample samples[] = {
    {TEST_AND_SET, 0, 1, -1}, {HW_QUEUE, 2, 2, -1},           {LOCK_QUEUE, 0, 2, -1},
    {TREIBER(""), 0, 2, 2},   {TREIBER("free(t);"), 0, 1, 2}, {TAGGED, 0, 1, 2},
};

static struct lin_setting setting_of(const struct sample *sample, uint32_t threads)
{
    return (struct lin_setting){
        .threads = threads, .values = sample->values, .nodes = sample->nodes};
}

static void compare(struct compiled *compiled)
{
    static const struct lin_fusion fusion = {.intervals = true, .forget = true, .names = true};
    uint32_t threads = compiled->steps.setting.threads;
    struct thread_system system;
    struct lin_model model;
    struct word_arrays states;
    struct reached by_moves, by_model;
    struct error error;
    struct budget *budget = &compiled->fixture.budget;
    if (thread_system_create(&system, &compiled->alone, compiled->labels, budget, &error) !=
            STATUS_OK ||
        lin_model_create(&compiled->steps, &fusion, compiled->labels, budget, &model, &error) !=
            STATUS_OK)
        fail_msg("%u: %s", error.line, error.message);
    model.error = system.model.error;
    word_arrays_init(&states, NULL);
    reached_init(&by_moves, &states);
    reached_init(&by_model, &states);
    explore_moves(&system, threads, &by_moves);
    explore_model(&model, &by_model);
    size_t edges = by_moves.edges.items.length;
    print_message("%s, %u threads: %zu shared, %zu local, %zu pairs; %zu states, %zu steps\n",
                  compiled->steps.object->name, threads, system.shared.items.length,
                  system.locals.items.length, system.pairs.items.length, by_moves.to_do.length,
                  edges);
    assert_int_equal(by_moves.to_do.length, by_model.to_do.length);
    assert_int_equal(by_model.edges.items.length, edges);
    for (size_t i = 0; i < edges; i++) {
        size_t count;
        bool fresh;
        const uint32_t *edge = word_arrays_get(&by_model.edges, (uint32_t)i, &count);
        assert_true(word_arrays_intern(&by_moves.edges, edge, count, &fresh) != UINT32_MAX);
        assert_false(fresh);
    }
    reached_release(&by_moves);
    reached_release(&by_model);
    word_arrays_release(&states);
    lin_model_release(&model);
    thread_system_release(&system);
}

static void moves_interleaved_are_the_steps_of_threads(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct compiled compiled;
        compile(&compiled, samples[i].text, setting_of(&samples[i], 2), &samples[i].parameter);
        compare(&compiled);
        compiled_close(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_interleaved_are_the_steps_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
