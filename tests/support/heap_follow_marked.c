#include "support/heap_follow_marked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "unbounded/heap_marks.h"

/* What is known of the operation that a thread runs. */
struct running {
    uint8_t brings; /* its value; 0: none, or it is not marked any more */
    uint8_t chosen; /* the value that it takes, until that is settled; 0: none */
    bool covered, settled;
};

struct following {
    struct heap_example *subject;
    struct heap_proof *proof;
    const struct heap_walk *run;
    struct random *random;
    const char *text;
    struct running running[HEAP_RUN_THREADS];
    bool inside[HEAP_DISTINCT_VALUES + 1];
    uint8_t lowest; /* a value; 0: none so far */
    uint32_t marked;
};

static bool is_lowest_rule(const struct following *f)
{
    return f->proof->steps.shape.marks == HEAP_MARKS_LOWEST;
}

static const uint32_t *words_of(const struct following *f, uint32_t shared)
{
    return thread_system_shared(&f->subject->system, shared);
}

/* ---- the heap of a state ---- */

/* The node, in one row, that holds a value; 1 + its number, 0: none. */
static uint32_t node_of(const struct following *f, uint32_t shared, uint8_t held)
{
    const struct lin_steps *code = f->subject->system.steps;
    const uint32_t *words = words_of(f, shared);
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = 0; n < code->pools[p].nodes; n++)
            if (code->pools[p].values.count &&
                words[code->pools[p].first + n * code->pools[p].words +
                      code->pools[p].values.items[0]] == held &&
                starts[p] + n < HEAP_RUN_NODES)
                return 1 + starts[p] + n;
    return 0;
}

/* The node to which the link of one leads, likewise. */
static uint32_t next_of(const struct following *f, uint32_t shared, uint32_t node)
{
    const struct lin_steps *code = f->subject->system.steps;
    uint32_t starts[MOST_POOLS];
    (void)pool_starts(code, starts);
    for (uint32_t p = 0; p < code->pool_count; p++) {
        const struct lin_pool *pool = &code->pools[p];
        if (node <= starts[p] || node > starts[p] + pool->nodes)
            continue;
        const int32_t link = f->proof->steps.shape.link[p];
        if (link < 0)
            return 0;
        const uint32_t to = words_of(
            f, shared)[pool->first + (node - 1 - starts[p]) * pool->words + 1 + (uint32_t)link];
        return to ? starts[p] + to : 0;
    }
    return 0;
}

static bool leads_to(const struct following *f, uint32_t shared, uint32_t from, uint32_t to)
{
    uint32_t at = from;
    for (unsigned i = 0; at && i < HEAP_RUN_NODES; i++) {
        at = next_of(f, shared, at);
        if (at == to)
            return true;
    }
    return false;
}

/* ---- views ---- */

static uint32_t word_of_value(const struct following *f, uint32_t held)
{
    if (held == 0)
        return 0;
    if (held == f->lowest)
        return f->inside[held] ? HEAP_VALUE_BOTH : HEAP_VALUE_LOWEST;
    return f->inside[held] ? HEAP_VALUE_INSIDE : HEAP_VALUE_PLAIN;
}

/* What a thread sees of a state. False: there is no room. */
static bool see(const struct following *f, const struct heap_walk_step *state, uint32_t thread,
                struct heap_view *view)
{
    const struct lin_steps *code = f->subject->system.steps;
    const struct running *running = &f->running[thread];
    const uint32_t *local = thread_system_local(&f->subject->system, state->local[thread]);
    const uint16_t operation = thread_system_operation(&f->subject->system, state->local[thread]);
    const struct lin_entry *entry = operation == UINT16_MAX ? NULL : &code->entries[operation];
    uint32_t roots[HEAP_MOST_ROOTS] = {0}, rows[HEAP_MOST_NODES];
    bool stored = false;
    for (uint32_t i = 0; entry && i < entry->values.count; i++) {
        const uint32_t held = local[LIN_THREAD_HEADER + entry->values.items[i]];
        if (held && !(f->proof->placement->points[operation].spans))
            roots[HEAP_FIRST_SOURCE + i] = node_of(f, state->shared, (uint8_t)held);
    }
    if (running->brings || running->chosen) {
        roots[0] = node_of(f, state->shared, running->brings ? running->brings : running->chosen);
        stored = running->brings && roots[0];
    }
    if (!heap_run_view_with(&f->subject->runs, state, thread, roots, f->proof->steps.shape.ghosts,
                            view, rows))
        return false;
    for (uint32_t i = 0; i < view->count; i++) {
        const struct lin_value_slots *values = &code->pools[view->nodes[i].pool].values;
        for (uint32_t j = 0; j < values->count; j++) {
            uint32_t *word = &view->nodes[i].fields[values->items[j] - 1];
            *word = word_of_value(f, *word);
        }
    }
    for (uint32_t i = 0; entry && i < entry->values.count; i++) {
        uint32_t *word = &view->thread[LIN_THREAD_HEADER + entry->values.items[i]];
        if (*word)
            *word = roots[HEAP_FIRST_SOURCE + i] ? HEAP_VALUE_OF_NODE : HEAP_VALUE_PLAIN;
    }
    view->observer = f->marked;
    view->promise = (uint32_t)(running->covered ? HEAP_MARKED_COVERED : 0) |
                    (uint32_t)(running->settled ? HEAP_MARKED_SETTLED : 0) |
                    (uint32_t)(running->brings ? HEAP_MARKED_BRINGS : 0) |
                    (uint32_t)(stored ? HEAP_MARKED_STORED : 0);
    return heap_view_arrange(&f->proof->steps.shape, view, NULL);
}

static void look_at_views(const struct following *f, uint32_t number,
                          struct heap_followed *followed)
{
    for (uint32_t t = 0; t < f->run->threads; t++) {
        struct heap_view view;
        if (!see(f, &f->run->steps[number], t, &view))
            continue;
        followed->states++;
        if (!heap_proof_covers(f->proof, &view))
            fail_msg("%s: step %u, thread %u: not covered, %u marked, promise %x\n%s",
                     f->proof->alphabet->automaton->name, number, t, view.observer, view.promise,
                     f->text);
    }
}

/* ---- what operations do ---- */

/* The value that is settled to be taken in a step; 0: none. */
static uint8_t settled_by(const struct following *f, uint32_t number)
{
    const struct heap_walk_step *step = &f->run->steps[number];
    const struct heap_point *point = &f->proof->placement->points[step->move->operation];
    if (!point->settles || heap_run_at(&f->subject->runs, step) != point->changing ||
        !heap_run_changes(&f->subject->runs, step))
        return 0;
    const struct thread_move answer =
        step->move->answer
            ? *step->move
            : heap_run_alone(&f->subject->runs, step->move->next_shared, step->move->next_local);
    return answer.answer == ANSWER_VALUED ? answer.result : 0;
}

/* What the operation that is called in a step will be settled to take, in this run. */
static uint8_t will_take(const struct following *f, uint32_t number)
{
    const uint32_t thread = f->run->steps[number].thread;
    uint8_t taken = 0;
    for (uint32_t i = number; i < f->run->length && !taken; i++) {
        const struct heap_walk_step *step = &f->run->steps[i];
        if (step->thread != thread)
            continue;
        if (i > number && step->move->calls)
            break;
        taken = settled_by(f, i);
        if (step->move->answer)
            break;
    }
    return taken;
}

/* Its value is surely inside from here on. */
static void mark(struct following *f, uint32_t shared, uint8_t brought)
{
    f->inside[brought] = true;
    f->marked++;
    if (!is_lowest_rule(f) || f->lowest)
        return;
    uint8_t below[HEAP_RUN_NODES];
    uint32_t count = 0, at = node_of(f, shared, brought), first = at;
    below[count++] = brought;
    for (unsigned i = 0; i < HEAP_RUN_NODES && at; i++) {
        at = next_of(f, shared, at);
        for (uint32_t held = 1; at && held <= HEAP_DISTINCT_VALUES; held++)
            if (at != first && node_of(f, shared, (uint8_t)held) == at && count < HEAP_RUN_NODES)
                below[count++] = (uint8_t)held;
    }
    f->lowest = below[random_below(f->random, count)];
    for (uint32_t t = 0; t < f->run->threads; t++) {
        struct running *running = &f->running[t];
        const uint32_t root = running->brings ? node_of(f, shared, running->brings) : 0,
                       lowest = node_of(f, shared, f->lowest);
        if (root && root != lowest && leads_to(f, shared, lowest, root) &&
            !leads_to(f, shared, root, lowest))
            running->brings = 0;
    }
}

/* False: there is no such run, or none that need be followed. */
static bool call(struct following *f, uint32_t number, struct running *running)
{
    const uint8_t taken = will_take(f, number);
    *running = (struct running){0};
    if (taken && f->inside[taken]) {
        running->chosen = taken;
        f->inside[taken] = false;
        f->marked--;
        if (is_lowest_rule(f) && f->marked == 0)
            return false;
    }
    running->covered = !is_lowest_rule(f) && f->marked > 0;
    return true;
}

static bool settle(struct following *f, uint8_t taken, struct running *running)
{
    if (running->settled)
        fail_msg("what an operation takes is settled twice\n%s", f->text);
    if (running->chosen != taken && (f->inside[taken] || f->lowest == taken))
        return false;
    if (is_lowest_rule(f) && f->lowest == taken)
        fail_msg("the lowest value is taken\n%s", f->text);
    running->settled = true;
    running->chosen = 0;
    for (uint32_t t = 0; t < f->run->threads; t++)
        if (f->running[t].brings == taken)
            f->running[t].brings = 0;
    return true;
}

static bool take(struct following *f, uint32_t number)
{
    const struct heap_walk_step *step = &f->run->steps[number];
    const struct thread_move *move = step->move;
    struct running *running = &f->running[step->thread];
    if (move->calls && !call(f, number, running))
        return false;
    const uint8_t taken = settled_by(f, number);
    if (taken && !settle(f, taken, running))
        return false;
    if (move->answer == ANSWER_VALUED && !running->settled)
        fail_msg("what is answered is settled nowhere\n%s", f->text);
    if (move->answer == ANSWER_PLAIN && (running->settled || running->covered))
        fail_msg("nothing is found while something is inside\n%s", f->text);
    if (move->answer)
        *running = (struct running){0};
    return true;
}

static void bring(struct following *f, const struct heap_walk_step *step)
{
    struct running *running = &f->running[step->thread];
    if (step->move->calls)
        *running = (struct running){.brings = step->move->argument};
    const uint8_t brought = running->brings;
    if (!step->move->answer)
        return;
    *running = (struct running){0};
    if (brought && f->marked < HEAP_MOST_MARKED && random_below(f->random, 2))
        mark(f, step->move->next_shared, brought);
}

void heap_follow_marked(struct heap_example *subject, struct heap_proof *proof,
                        const struct heap_walk *run, struct random *random, const char *text,
                        struct heap_followed *followed)
{
    struct following f = {
        .subject = subject, .proof = proof, .run = run, .random = random, .text = text};
    followed->runs++;
    for (uint32_t i = 0;; i++) {
        look_at_views(&f, i, followed);
        if (i == run->length)
            return;
        const struct heap_walk_step *step = &run->steps[i];
        if (proof->placement->points[step->move->operation].spans) {
            bring(&f, step);
        } else if (!take(&f, i)) {
            followed->dead++;
            return;
        }
        for (uint32_t t = 0; t < run->threads; t++)
            f.running[t].covered &= f.marked > 0;
    }
}

void heap_follow_marked_runs(struct heap_example *proved, struct heap_proof *proof,
                             const char *specification, unsigned runs, struct random *random,
                             const char *text, struct heap_followed *followed)
{
    struct heap_example of_runs;
    struct heap_walk *run = malloc(sizeof *run);
    assert_non_null(run);
    assert_true(heap_example_read_values(&of_runs, text, specification, HEAP_DISTINCT_VALUES));
    of_runs.runs.shape = &proved->answer.shape;
    of_runs.runs.distinct = true;
    for (unsigned i = 0; i < runs; i++) {
        heap_run_make(&of_runs.runs, random, run);
        heap_follow_marked(&of_runs, proof, run, random, text, followed);
    }
    heap_example_close(&of_runs, true);
    free(run);
}
