#include "unbounded/heap_steps.h"

#include <assert.h>
#include <string.h>

#include "unbounded/heap_marks.h"

/* Handed to the model as the one that is told of each step as soon as it is made. */
struct listener {
    struct worker worker; /* first */
    struct heap_steps *steps;
    const struct heap_view *view;
};

static const char too_many_nodes[] = "a thread sees too many nodes that differ";

void heap_steps_init(struct heap_steps *steps, struct thread_system *system,
                     const struct heap_shape *shape, struct budget *budget)
{
    *steps = (struct heap_steps){.system = system, .shape = *shape, .budget = budget};
    successors_init(&steps->out, budget);
    vectors_init(budget, &steps->touched, &steps->state);
}

void heap_steps_release(struct heap_steps *steps)
{
    successors_release(&steps->out);
    vectors_release(&steps->touched, &steps->state);
}

/* ---- views as states ---- */

static uint32_t in_pool(const struct heap_steps *steps, uint32_t reference)
{
    return reference ? 1 + steps->number[reference - 1] : 0;
}

static void name_in_pool(void *user, uint32_t *reference)
{
    *reference = in_pool(user, *reference);
}

static void count_nodes(struct heap_steps *steps, const struct heap_view *view,
                        uint32_t counts[MOST_POOLS])
{
    memset(counts, 0, MOST_POOLS * sizeof *counts);
    for (uint32_t i = 0; i < view->count; i++)
        steps->number[i] = counts[view->nodes[i].pool]++;
}

/* ---- whose value a value is ---- */

/* Where values are marked each node's has a name of its own in the state, so that it is seen where
 * it goes. */
static void name_values(struct heap_steps *steps, const struct heap_view *view)
{
    const struct lin_steps *code = steps->shape.steps;
    uint32_t *state = steps->state.items;
    for (uint32_t i = 0; i < view->count; i++) {
        const struct lin_pool *pool = &code->pools[view->nodes[i].pool];
        uint32_t *words = state + pool->first + steps->number[i] * pool->words;
        for (uint32_t j = 0; j < pool->values.count; j++)
            if (words[pool->values.items[j]])
                words[pool->values.items[j]] = heap_name_of_value(i);
    }
    if (!is_at_code(view->thread))
        return;
    const struct lin_entry *entry = entry_at(code, view->thread[LIN_THREAD_AT] - 1);
    for (uint32_t i = 0; i < entry->values.count; i++) {
        uint32_t *word = state + code->thread_first + LIN_THREAD_HEADER + entry->values.items[i];
        if (*word == HEAP_VALUE_OF_NODE)
            *word = heap_name_of_value(view->roots[HEAP_FIRST_SOURCE + i] - 1);
    }
}

/* What a word of a node is behind a step: what it was, or the value of the call. */
static uint32_t find_stored(struct heap_steps *steps, const struct heap_view *before, uint32_t node,
                            uint32_t field, uint32_t word)
{
    const uint32_t was = node < before->count ? before->nodes[node].fields[field] : 0;
    if (word == (was ? heap_name_of_value(node) : 0))
        return was;
    steps->misplaces |= was || word != HEAP_VALUE_PLAIN || steps->stored;
    steps->stored = 1 + node;
    return HEAP_VALUE_PLAIN;
}

/* Reads the names again. */
static void find_values(struct heap_steps *steps, const struct heap_view *before,
                        struct heap_view *after)
{
    const struct lin_steps *code = steps->shape.steps;
    steps->stored = 0;
    steps->misplaces = false;
    for (uint32_t i = 0; i < after->count; i++) {
        const struct lin_value_slots *values = &code->pools[after->nodes[i].pool].values;
        for (uint32_t j = 0; j < values->count; j++) {
            uint32_t *word = &after->nodes[i].fields[values->items[j] - 1];
            *word = find_stored(steps, before, i, values->items[j] - 1, *word);
        }
    }
    after->root_count = steps->shape.ghosts;
    memset(after->roots, 0, sizeof after->roots);
    if (!is_at_code(after->thread))
        return;
    after->roots[0] = before->roots[0];
    const struct lin_entry *entry = entry_at(code, after->thread[LIN_THREAD_AT] - 1);
    steps->misplaces |= entry->answers_values && after->thread[LIN_THREAD_HEADER + code->result];
    for (uint32_t i = 0; i < entry->values.count; i++) {
        uint32_t *word = &after->thread[LIN_THREAD_HEADER + entry->values.items[i]];
        if (!heap_is_name_of_value(*word))
            continue;
        after->roots[HEAP_FIRST_SOURCE + i] = 1 + heap_node_of_name(*word);
        *word = HEAP_VALUE_OF_NODE;
    }
}

/* False if a pool has too few nodes. */
static bool make_state(struct heap_steps *steps, const struct heap_view *view)
{
    const struct lin_steps *code = steps->shape.steps;
    struct heap_view named;
    uint32_t counts[MOST_POOLS];
    uint32_t *state = steps->state.items;
    count_nodes(steps, view, counts);
    for (uint32_t i = 0; i < code->pool_count; i++)
        if (counts[i] > code->pools[i].nodes)
            return false;
    heap_view_copy(&named, view);
    heap_view_each_root(&steps->shape, &named, name_in_pool, steps);
    memset(state, 0, code->slots * sizeof *state);
    memcpy(state, named.shared, code->heap_first * sizeof *state);
    memcpy(state + code->thread_first, named.thread, code->thread_words * sizeof *state);
    for (uint32_t i = 0; i < view->count; i++) {
        const struct heap_node *node = &view->nodes[i];
        const struct lin_pool *pool = &code->pools[node->pool];
        uint32_t *words = state + pool->first + steps->number[i] * pool->words;
        words[0] = LIN_NODE_LIVE;
        memcpy(words + 1, node->fields, (pool->words - 1) * sizeof *words);
        for (uint32_t j = 0; j < pool->reference_count; j++)
            words[pool->references[j].slot] = in_pool(steps, words[pool->references[j].slot]);
    }
    if (steps->shape.marks)
        name_values(steps, view);
    return true;
}

/* The index of a node of the state: those of the view, then those that are new. */
static uint32_t index_of(const struct heap_view *after, const struct heap_steps *steps,
                         uint32_t pool, uint32_t number)
{
    for (uint32_t i = 0; i < after->count; i++)
        if (after->nodes[i].pool == pool && steps->number[i] == number)
            return i;
    return HEAP_GONE;
}

static uint32_t in_view(const struct heap_view *view, const struct heap_steps *steps, uint32_t pool,
                        uint32_t reference)
{
    return reference ? 1 + index_of(view, steps, pool, reference - 1) : 0;
}

/* Whether the pools of the view's roots are known by the slots: reads them anew. */
static void read_roots(const struct heap_steps *steps, struct heap_view *view)
{
    const struct lin_steps *code = steps->shape.steps;
    for (size_t i = 0; i < code->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &code->shared_references.items[i];
        view->shared[slot->slot] = in_view(view, steps, slot->pool, view->shared[slot->slot]);
    }
    if (!is_at_code(view->thread))
        return;
    const struct lin_entry *entry = entry_at(code, view->thread[LIN_THREAD_AT] - 1);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        uint32_t *word = &view->thread[LIN_THREAD_HEADER + entry->references[i].slot];
        *word = in_view(view, steps, entry->references[i].pool, *word);
    }
}

/* The view of a state behind a step from `before`; false if there is no room for its nodes. */
static bool read_state(struct heap_steps *steps, const struct heap_view *before,
                       const uint32_t *state, struct heap_view *after)
{
    const struct lin_steps *code = steps->shape.steps;
    uint32_t counts[MOST_POOLS];
    heap_view_copy(after, before);
    count_nodes(steps, before, counts);
    memcpy(after->shared, state, code->heap_first * sizeof *state);
    memcpy(after->thread, state + code->thread_first, code->thread_words * sizeof *state);
    for (uint32_t p = 0; p < code->pool_count; p++)
        for (uint32_t n = counts[p]; n < code->pools[p].nodes; n++) {
            if (state[code->pools[p].first + n * code->pools[p].words] != LIN_NODE_LIVE)
                continue;
            const uint32_t added =
                heap_view_add(after, &(struct heap_node){.pool = (uint16_t)p, .own = true});
            if (added == HEAP_GONE)
                return false;
            steps->number[added] = n;
        }
    for (uint32_t i = 0; i < after->count; i++) {
        struct heap_node *node = &after->nodes[i];
        const struct lin_pool *pool = &code->pools[node->pool];
        const uint32_t *words = state + pool->first + steps->number[i] * pool->words;
        memcpy(node->fields, words + 1, (pool->words - 1) * sizeof *words);
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            const uint32_t field = pool->references[j].slot - 1;
            node->fields[field] =
                in_view(after, steps, pool->references[j].pool, node->fields[field]);
        }
    }
    read_roots(steps, after);
    if (steps->shape.marks)
        find_values(steps, before, after);
    return true;
}

/* Which locks the thread holds: those that it has taken, as long as nobody gives them back. */
static void note_locks(const struct heap_shape *shape, const struct heap_view *before,
                       struct heap_view *after)
{
    for (uint32_t i = 0; i < HEAP_MOST_SHARED && i < shape->steps->heap_first; i++)
        if ((shape->locks >> i & 1) && before->shared[i] != after->shared[i])
            after->held = (after->held & ~(UINT32_C(1) << i)) | (after->shared[i] & 1) << i;
    for (uint32_t n = 0; n < after->count; n++)
        for (uint32_t i = 0; i < shape->fields[after->nodes[n].pool]; i++) {
            struct heap_node *node = &after->nodes[n];
            const bool changes =
                (n < before->count ? before->nodes[n].fields[i] : 0) != node->fields[i];
            if ((shape->lock_fields[node->pool] >> i & 1) && changes)
                node->held = (uint8_t)((node->held & ~(1u << i)) | (node->fields[i] & 1) << i);
        }
}

/* Nodes that a shared variable or a node of others leads to are nobody's own. */
static void publish(const struct heap_shape *shape, struct heap_view *view)
{
    const struct lin_pool *pools = shape->steps->pools;
    uint64_t shared = heap_view_shared_nodes(shape, view), known;
    do {
        known = shared;
        for (uint32_t i = 0; i < view->count; i++) {
            struct heap_node *node = &view->nodes[i];
            node->own = node->own && !(shared >> i & 1);
            for (uint32_t j = 0; !node->own && j < pools[node->pool].reference_count; j++) {
                const uint32_t to = node->fields[pools[node->pool].references[j].slot - 1];
                if (to)
                    shared |= UINT64_C(1) << (to - 1);
            }
        }
    } while (shared != known);
}

enum status heap_steps_initial(struct heap_steps *steps, uint32_t number, struct heap_view *view)
{
    const struct thread_system *system = steps->system;
    const struct lin_steps *code = steps->shape.steps;
    uint32_t *state;
    *view = (struct heap_view){0};
    TRY_MEMORY(vector_reserve(&steps->state, code->slots));
    state = steps->state.items;
    memcpy(state, thread_system_shared(system, system->initial.items[number]),
           code->thread_first * sizeof *state);
    memcpy(state + code->thread_first, thread_system_local(system, system->kinds.items[0].idle),
           code->thread_words * sizeof *state);
    if (!read_state(steps, &(struct heap_view){0}, state, view))
        steps->failure = too_many_nodes;
    for (uint32_t i = 0; i < view->count; i++)
        view->nodes[i].own = false;
    if (steps->stored && steps->shape.marks)
        steps->failure = "`init` puts values into nodes";
    return STATUS_OK;
}

/* ---- steps ---- */

static uint64_t touched_nodes(const struct heap_steps *steps, const struct heap_view *view)
{
    const struct lin_worker *worker = steps->system->worker;
    uint64_t touched = 0;
    for (size_t i = 0; i + 1 < worker->touched.length; i += 2) {
        const uint32_t node =
            index_of(view, steps, worker->touched.items[i], worker->touched.items[i + 1]);
        if (node != HEAP_GONE)
            touched |= UINT64_C(1) << node;
    }
    return touched;
}

static enum status note_step(struct worker *worker, struct step *step, uint32_t *state)
{
    struct listener *listener = (struct listener *)worker;
    (void)step;
    (void)state;
    return granted(
        vector_push(&listener->steps->touched, touched_nodes(listener->steps, listener->view)));
}

static enum status run_steps(struct heap_steps *steps, const struct heap_view *view,
                             uint64_t *touched, struct error *error)
{
    struct thread_system *system = steps->system;
    struct listener listener = {.steps = steps, .view = view};
    successors_clear(&steps->out);
    steps->touched.length = 0;
    steps->out.announce = note_step;
    steps->out.decorator = &listener.worker;
    system->worker->touched.length = 0;
    enum status status =
        lin_model_steps_of(system->worker, steps->state.items, 0, UINT32_MAX, &steps->out, error);
    steps->out.announce = NULL;
    *touched = steps->out.waiting ? touched_nodes(steps, view) : 0;
    for (size_t i = 0; i < steps->touched.length; i++)
        *touched |= steps->touched.items[i];
    return status;
}

/* What looks for references to runs. */
struct looking {
    const struct heap_view *view;
    uint64_t runs;
};

static void look_for_run(void *user, uint32_t *reference)
{
    struct looking *looking = user;
    if (*reference && *reference - 1 < looking->view->count &&
        looking->view->nodes[*reference - 1].run)
        looking->runs |= UINT64_C(1) << (*reference - 1);
}

/* The runs that something refers to behind a step that did not before, and those that something
 * that others see does not refer to any more. */
static uint64_t named_runs(const struct heap_steps *steps, const struct heap_view *before,
                           struct heap_view *after)
{
    struct looking looking = {.view = before};
    heap_view_each_root(&steps->shape, after, look_for_run, &looking);
    for (uint32_t i = 0; i < after->count; i++) {
        const struct lin_pool *pool = &steps->shape.steps->pools[after->nodes[i].pool];
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            const uint32_t field = pool->references[j].slot - 1;
            uint32_t to = after->nodes[i].fields[field];
            uint32_t was = i < before->count ? before->nodes[i].fields[field] : 0;
            if (was == to)
                continue;
            look_for_run(&looking, &to);
            if (i < before->count && !before->nodes[i].own)
                look_for_run(&looking, &was);
        }
    }
    return looking.runs;
}

uint32_t heap_first_step(const struct lin_steps *code, uint32_t operation)
{
    uint32_t at = code->entries[operation].start;
    while (code->listing.code.items[at].op != OP_STEP &&
           code->listing.code.items[at].op != OP_ANSWER)
        at++;
    return at + 1;
}

/* The step's runs that have to be taken apart before it is known; its views if there are none. */
static uint64_t read_step(struct heap_steps *steps, const struct heap_view *view, size_t number,
                          struct heap_view *after)
{
    const struct step *step = &steps->out.steps.items[number];
    if (step->label == steps->system->model.fault || step->label == steps->system->model.error) {
        heap_view_copy(after, view);
        return 0;
    }
    if (!read_state(steps, view, steps->out.states.items + number * steps->shape.steps->slots,
                    after)) {
        steps->failure = too_many_nodes;
        return 0;
    }
    return named_runs(steps, view, after);
}

static uint64_t runs_of(const struct heap_view *view)
{
    uint64_t runs = 0;
    for (uint32_t i = 0; i < view->count && i < HEAP_MOST_NODES; i++)
        runs |= (uint64_t)(view->nodes[i].run != HEAP_ONE) << i;
    return runs;
}

/* Runs behind some nodes that may be empty: a step that looks at these nodes tells. */
static uint64_t doubtful_runs(const struct heap_shape *shape, const struct heap_view *view,
                              uint64_t nodes)
{
    uint64_t runs = 0;
    for (; nodes; nodes &= nodes - 1) {
        const struct heap_node *node = &view->nodes[__builtin_ctzll(nodes)];
        const uint32_t next =
            shape->link[node->pool] >= 0 ? node->fields[shape->link[node->pool]] : 0;
        if (next && view->nodes[next - 1].run == HEAP_ANY)
            runs |= UINT64_C(1) << (next - 1);
    }
    return runs;
}

static enum status take_apart(struct heap_steps *steps, const struct heap_view *view, uint32_t run,
                              heap_step_user *each, void *user, struct error *error)
{
    assert(run < HEAP_MOST_NODES);
    if (view->nodes[run].run == HEAP_ANY) {
        struct heap_view empty = *view;
        heap_view_empty(&steps->shape, &empty, run);
        TRY(heap_steps_of(steps, &empty, each, user, error));
    }
    for (int behind = 0; behind < 2 && !steps->failure; behind++) {
        struct heap_view apart = *view;
        if (heap_view_split(&steps->shape, &apart, run, false, behind) == HEAP_GONE)
            steps->failure = too_many_nodes;
        else
            TRY(heap_steps_of(steps, &apart, each, user, error));
    }
    return STATUS_OK;
}

enum status heap_steps_of(struct heap_steps *steps, const struct heap_view *view,
                          heap_step_user *each, void *user, struct error *error)
{
    const uint64_t runs = runs_of(view);
    uint64_t touched = 0;
    TRY_MEMORY(vector_reserve(&steps->state, steps->shape.steps->slots));
    if (!make_state(steps, view)) {
        steps->failure = too_many_nodes;
        return STATUS_OK;
    }
    TRY(run_steps(steps, view, &touched, error));
    if (steps->out.waiting && steps->system->worker->choices.items.length > 0)
        steps->failure = "a step that chooses may wait";
    if (steps->out.starving)
        steps->failure = too_many_nodes;
    struct heap_view after;
    uint64_t apart = (touched | doubtful_runs(&steps->shape, view, touched)) & runs;
    const size_t count = steps->out.steps.length;
    for (size_t i = 0; i < count && !apart && !steps->failure; i++)
        apart = read_step(steps, view, i, &after);
    if (apart)
        return take_apart(steps, view, (uint32_t)__builtin_ctzll(apart), each, user, error);
    /* What is told of may ask for steps itself. */
    VECTOR(struct step) all;
    VECTOR(uint32_t) states;
    vectors_init(steps->budget, &all, &states);
    const size_t words = count * steps->shape.steps->slots;
    enum status status = granted(vector_reserve(&all, count) && vector_reserve(&states, words));
    if (status == STATUS_OK && count) {
        memcpy(all.items, steps->out.steps.items, count * sizeof *all.items);
        memcpy(states.items, steps->out.states.items, words * sizeof *states.items);
    }
    for (size_t i = 0; i < count && status == STATUS_OK && !steps->failure; i++) {
        struct heap_step step = {.before = view, .after = &after};
        if (!thread_system_read_step(steps->system, &all.items[i], view->thread, &step.move))
            status = STATUS_LIMIT;
        step.at = view->thread[LIN_THREAD_AT]
                      ? view->thread[LIN_THREAD_AT]
                      : heap_first_step(steps->shape.steps, step.move.operation);
        heap_view_copy(&after, view);
        if (!step.move.ending) {
            if (!read_state(steps, view, states.items + i * steps->shape.steps->slots, &after))
                steps->failure = too_many_nodes;
            step.stored = steps->stored;
            step.misplaces = steps->misplaces;
            note_locks(&steps->shape, view, &after);
            publish(&steps->shape, &after);
        }
        if (status == STATUS_OK && !steps->failure && !each(user, &step))
            break;
    }
    vectors_release(&all, &states);
    return status;
}
