#include "unbounded/heap_moves.h"

#include <string.h>

#include "implementation/state.h"
#include "unbounded/heap_marks.h"

static uint64_t bit(uint32_t node)
{
    return UINT64_C(1) << node;
}

/* ---- states ---- */

/* A row of slots in which nodes of the view are nodes of the pools, in the view's order. */
struct row {
    const struct heap_shape *shape;
    const struct heap_view *view;
    uint32_t *slots;
};

/* The number, within its pool, of a node of the view. */
static uint32_t number_of(const struct heap_view *view, uint32_t node)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < node; i++)
        number += view->nodes[i].pool == view->nodes[node].pool;
    return number;
}

static void to_number(void *user, uint32_t *reference)
{
    if (*reference)
        *reference = 1 + number_of(((struct row *)user)->view, *reference - 1);
}

/* Where values are marked: whose node's each local of a thread is. */
static void write_values_of_thread(struct row *row)
{
    const struct lin_steps *steps = row->shape->steps;
    const struct heap_view *view = row->view;
    if (!is_at_code(view->thread))
        return;
    const struct lin_entry *entry = entry_at(steps, view->thread[LIN_THREAD_AT] - 1);
    for (uint32_t i = 0; i < entry->values.count; i++) {
        const uint32_t word = LIN_THREAD_HEADER + entry->values.items[i];
        if (view->thread[word] == HEAP_VALUE_OF_NODE)
            row->slots[steps->thread_first + word] =
                HEAP_FIRST_NAME - 1 + view->roots[HEAP_FIRST_SOURCE + i];
    }
}

static bool write_row(struct row *row)
{
    const struct lin_steps *steps = row->shape->steps;
    struct heap_view named = *row->view;
    heap_view_each_root(row->shape, &named, to_number, row);
    memset(row->slots, 0, steps->slots * sizeof *row->slots);
    memcpy(row->slots, named.shared, steps->heap_first * sizeof *row->slots);
    memcpy(row->slots + steps->thread_first, named.thread,
           steps->thread_words * sizeof *row->slots);
    for (uint32_t i = 0; i < named.count; i++) {
        struct heap_node *node = &named.nodes[i];
        const struct lin_pool *pool = &steps->pools[node->pool];
        const uint32_t number = number_of(row->view, i);
        if (number >= pool->nodes)
            return false;
        for (uint32_t j = 0; j < row->shape->fields[node->pool]; j++)
            if (heap_is_reference(row->shape, node->pool, j))
                to_number(row, &node->fields[j]);
        uint32_t *words = row->slots + pool->first + number * pool->words;
        words[0] = LIN_NODE_LIVE;
        memcpy(words + 1, node->fields, (pool->words - 1) * sizeof *words);
        if (row->shape->marks && pool->values.count && words[pool->values.items[0]])
            words[pool->values.items[0]] = HEAP_FIRST_NAME + i;
    }
    if (row->shape->marks)
        write_values_of_thread(row);
    return true;
}

static uint32_t of_number(const struct heap_view *view, uint32_t pool, uint32_t reference)
{
    for (uint32_t i = 0; reference && i < view->count; i++)
        if (view->nodes[i].pool == pool && number_of(view, i) + 1 == reference)
            return 1 + i;
    return 0;
}

/* Takes the new nodes of a row up. False if there is no room. */
static bool read_new_nodes(const struct row *row, struct heap_view *view)
{
    const struct lin_steps *steps = row->shape->steps;
    for (uint32_t p = 0; p < steps->pool_count; p++) {
        uint32_t known = 0;
        for (uint32_t i = 0; i < view->count; i++)
            known += view->nodes[i].pool == p;
        for (uint32_t n = known; n < steps->pools[p].nodes; n++) {
            if (row->slots[steps->pools[p].first + n * steps->pools[p].words] != LIN_NODE_LIVE)
                continue;
            if (view->count == HEAP_MOST_NODES || n != known++)
                return false;
            view->nodes[view->count++] = (struct heap_node){.pool = (uint16_t)p, .own = true};
        }
    }
    return true;
}

/* Changes a view to what the row is. */
static bool read_row(const struct row *row, struct heap_view *view)
{
    const struct lin_steps *steps = row->shape->steps;
    if (!read_new_nodes(row, view))
        return false;
    memcpy(view->shared, row->slots, steps->heap_first * sizeof *row->slots);
    memcpy(view->thread, row->slots + steps->thread_first,
           steps->thread_words * sizeof *row->slots);
    for (uint32_t i = 0; i < view->count; i++) {
        const struct lin_pool *pool = &steps->pools[view->nodes[i].pool];
        const uint32_t *words = row->slots + pool->first + number_of(view, i) * pool->words;
        memcpy(view->nodes[i].fields, words + 1, (pool->words - 1) * sizeof *words);
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            uint32_t *field = &view->nodes[i].fields[pool->references[j].slot - 1];
            *field = of_number(view, pool->references[j].pool, *field);
        }
    }
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        view->shared[slot->slot] = of_number(view, slot->pool, view->shared[slot->slot]);
    }
    if (is_at_code(view->thread)) {
        const struct lin_entry *entry = entry_at(steps, view->thread[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; i < entry->reference_count; i++) {
            uint32_t *word = &view->thread[LIN_THREAD_HEADER + entry->references[i].slot];
            *word = of_number(view, entry->references[i].pool, *word);
        }
    }
    return true;
}

/* ---- where values go ---- */

/* Reads what nodes and locals hold behind a step, in a view that has been read from a row. */
static void read_values(struct heap_moves *moves, const struct heap_view *before,
                        struct heap_view *after)
{
    const struct lin_steps *steps = moves->shape->steps;
    moves->stored = 0;
    moves->misplaces = false;
    for (uint32_t n = 0; n < after->count; n++) {
        const struct lin_pool *pool = &steps->pools[after->nodes[n].pool];
        if (pool->values.count == 0)
            continue;
        const uint32_t field = pool->values.items[0] - 1;
        const uint32_t was = n < before->count ? before->nodes[n].fields[field] : 0;
        uint32_t *now = &after->nodes[n].fields[field];
        if (was ? *now == HEAP_FIRST_NAME + n : *now == 0) {
            *now = was;
        } else {
            if (was || *now != HEAP_VALUE_PLAIN || moves->stored)
                moves->misplaces = true;
            *now = HEAP_VALUE_PLAIN;
            moves->stored = 1 + n;
        }
    }
    after->root_count = moves->shape->ghosts;
    for (uint32_t i = 0; i < HEAP_MOST_ROOTS; i++)
        after->roots[i] = 0;
    if (!is_at_code(after->thread))
        return;
    const struct lin_entry *entry = entry_at(steps, after->thread[LIN_THREAD_AT] - 1);
    if (entry->answers_values && after->thread[LIN_THREAD_HEADER + steps->result])
        moves->misplaces = true; /* it stands where it has yet to answer */
    for (uint32_t i = 0; i < entry->values.count; i++) {
        uint32_t *local = &after->thread[LIN_THREAD_HEADER + entry->values.items[i]];
        if (*local < HEAP_FIRST_NAME)
            continue;
        after->roots[HEAP_FIRST_SOURCE + i] = 1 + *local - HEAP_FIRST_NAME;
        *local = HEAP_VALUE_OF_NODE;
    }
}

/* ---- what belongs to a thread ---- */

static void find_locks_held(const struct heap_shape *shape, const struct heap_view *before,
                            struct heap_view *after)
{
    for (uint32_t i = 0; i < shape->steps->heap_first; i++) {
        const uint32_t lock = UINT32_C(1) << i;
        if (before->shared[i] != after->shared[i] && (shape->locks & lock))
            after->held = after->shared[i] ? after->held | lock : after->held & ~lock;
    }
    for (uint32_t n = 0; n < after->count; n++)
        for (uint32_t i = 0; i < shape->fields[after->nodes[n].pool]; i++) {
            struct heap_node *node = &after->nodes[n];
            const uint8_t lock = (uint8_t)(1u << i);
            const uint32_t was = n < before->count ? before->nodes[n].fields[i] : 0;
            if (was != node->fields[i] && (shape->lock_fields[node->pool] & lock))
                node->held = (uint8_t)(node->fields[i] ? node->held | lock : node->held & ~lock);
        }
}

/* A node is a thread's own no more once a shared variable, or a node that is not, leads to it. */
static void give_away(const struct heap_shape *shape, struct heap_view *view)
{
    bool more = true;
    for (size_t i = 0; i < shape->steps->shared_references.length; i++) {
        const uint32_t to = view->shared[shape->steps->shared_references.items[i].slot];
        if (to)
            view->nodes[to - 1].own = false;
    }
    while (more) {
        more = false;
        for (uint32_t i = 0; i < view->count; i++)
            for (uint32_t j = 0; j < shape->fields[view->nodes[i].pool]; j++) {
                const uint32_t to =
                    heap_is_reference(shape, view->nodes[i].pool, j) ? view->nodes[i].fields[j] : 0;
                if (to && !view->nodes[i].own && view->nodes[to - 1].own) {
                    view->nodes[to - 1].own = false;
                    more = true;
                }
            }
    }
}

/* ---- steps ---- */

/* Told of each step by the model. */
struct told {
    struct worker worker; /* first */
    const struct lin_worker *by;
    const struct heap_view *view;
    uint64_t touched;
    bool full;
};

static void note_touched(struct told *told)
{
    const struct lin_worker *by = told->by;
    for (size_t i = 0; i + 1 < by->touched.length; i += 2) {
        const uint32_t node =
            of_number(told->view, by->touched.items[i], 1 + by->touched.items[i + 1]);
        told->touched |= node ? bit(node - 1) : 0;
    }
}

static enum status take_note(struct worker *worker, struct step *step, uint32_t *state)
{
    (void)step;
    (void)state;
    note_touched((struct told *)worker);
    return STATUS_OK;
}

struct referred {
    const struct heap_view *view;
    uint64_t nodes;
};

static void note_reference(void *user, uint32_t *reference)
{
    struct referred *referred = user;
    if (*reference)
        referred->nodes |= bit(*reference - 1);
}

/* The nodes that are referred to from elsewhere than before, or no more by a field that others see.
 */
static uint64_t newly_referred(const struct heap_shape *shape, const struct heap_view *before,
                               struct heap_view *after)
{
    struct referred referred = {.view = before};
    heap_view_each_root(shape, after, note_reference, &referred);
    for (uint32_t n = 0; n < after->count; n++)
        for (uint32_t i = 0; i < shape->fields[after->nodes[n].pool]; i++) {
            uint32_t was = n < before->count ? before->nodes[n].fields[i] : 0;
            if (!heap_is_reference(shape, after->nodes[n].pool, i) ||
                was == after->nodes[n].fields[i])
                continue;
            note_reference(&referred, &after->nodes[n].fields[i]);
            if (n < before->count && !before->nodes[n].own)
                note_reference(&referred, &was);
        }
    return referred.nodes;
}

/* The runs among some nodes, and those behind them that may be empty. */
static uint64_t runs_among(const struct heap_shape *shape, const struct heap_view *view,
                           uint64_t nodes, uint64_t touched)
{
    uint64_t runs = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        const uint32_t next = heap_link_of(shape, &view->nodes[i]);
        if ((nodes & bit(i)) && view->nodes[i].run)
            runs |= bit(i);
        if ((touched & bit(i)) && next && view->nodes[next - 1].run == HEAP_ANY)
            runs |= bit(next - 1);
    }
    return runs;
}

/* What the model says of a state. */
struct taken {
    struct successors out;
    VECTOR(uint32_t) slots;
    struct told told;
};

static enum status ask_model(struct heap_moves *moves, const struct heap_view *view,
                             struct taken *taken)
{
    struct lin_worker *worker = moves->system->worker;
    struct row row = {moves->shape, view, taken->slots.items};
    taken->told = (struct told){.by = worker, .view = view};
    if (!write_row(&row)) {
        moves->failure = heap_too_many_nodes;
        return STATUS_OK;
    }
    taken->out.announce = take_note;
    taken->out.decorator = &taken->told.worker;
    worker->touched.length = 0;
    TRY(lin_model_steps_of(worker, taken->slots.items, 0, UINT32_MAX, &taken->out, moves->error));
    note_touched(&taken->told);
    if (taken->out.starving || (taken->out.waiting && worker->choices.items.length))
        moves->failure = "a step waits for what is not modelled";
    return STATUS_OK;
}

static bool is_ending(const struct heap_moves *moves, const struct step *step)
{
    return step->label == moves->system->model.fault || step->label == moves->system->model.error;
}

/* The view behind a step; false: there is no room. */
static bool view_behind(struct heap_moves *moves, const struct heap_view *view, struct taken *taken,
                        size_t number, struct heap_view *after)
{
    const struct row row = {moves->shape, view,
                            taken->out.states.items + number * moves->shape->steps->slots};
    *after = *view;
    if (is_ending(moves, &taken->out.steps.items[number]))
        return true;
    if (!read_row(&row, after))
        return false;
    if (moves->shape->marks)
        read_values(moves, view, after);
    return true;
}

static uint32_t place_of(const struct heap_moves *moves, const struct heap_view *view,
                         uint32_t operation)
{
    const struct lin_steps *steps = moves->shape->steps;
    uint32_t at = steps->entries[operation].start;
    if (view->thread[LIN_THREAD_AT])
        return view->thread[LIN_THREAD_AT];
    while (steps->listing.code.items[at].op != OP_STEP &&
           steps->listing.code.items[at].op != OP_ANSWER)
        at++;
    return 1 + at;
}

static enum status tell(struct heap_moves *moves, const struct heap_view *view, struct taken *taken,
                        heap_moved *each, void *user)
{
    for (size_t i = 0; i < taken->out.steps.length && !moves->failure; i++) {
        struct heap_view after;
        struct thread_move move;
        if (!view_behind(moves, view, taken, i, &after))
            moves->failure = heap_too_many_nodes;
        TRY_MEMORY(thread_system_read_step(moves->system, &taken->out.steps.items[i], view->thread,
                                           &move));
        find_locks_held(moves->shape, view, &after);
        give_away(moves->shape, &after);
        if (!moves->failure &&
            !each(user, view, &after, &move, place_of(moves, view, move.operation)))
            break;
    }
    return STATUS_OK;
}

/* Likewise, of each way in which a run may be. */
static enum status take_apart(struct heap_moves *moves, const struct heap_view *view, uint32_t run,
                              heap_moved *each, void *user)
{
    struct heap_view one = *view, more = *view, none = *view;
    if (view->nodes[run].run == HEAP_ANY) {
        heap_leave_out(moves->shape, &none, run);
        TRY(heap_moves_of(moves, &none, each, user));
    }
    one.nodes[run].run = HEAP_ONE;
    TRY(heap_moves_of(moves, &one, each, user));
    if (more.count == HEAP_MOST_NODES) {
        moves->failure = heap_too_many_nodes;
        return STATUS_OK;
    }
    struct heap_node *first = &more.nodes[run], *rest = &more.nodes[more.count++];
    *rest = *first;
    rest->run = HEAP_SOME;
    first->run = HEAP_ONE;
    first->fields[moves->shape->link[first->pool]] = more.count;
    return heap_moves_of(moves, &more, each, user);
}

enum status heap_moves_of(struct heap_moves *moves, const struct heap_view *view, heap_moved *each,
                          void *user)
{
    struct taken taken;
    uint64_t apart = 0;
    if (moves->failure)
        return STATUS_OK;
    successors_init(&taken.out, moves->budget);
    vector_init(&taken.slots, moves->budget);
    enum status status = granted(vector_reserve(&taken.slots, moves->shape->steps->slots));
    if (status == STATUS_OK)
        status = ask_model(moves, view, &taken);
    uint64_t named = 0;
    for (size_t i = 0; i < taken.out.steps.length && status == STATUS_OK && !moves->failure; i++) {
        struct heap_view after;
        if (view_behind(moves, view, &taken, i, &after))
            named |= newly_referred(moves->shape, view, &after);
        else
            moves->failure = heap_too_many_nodes;
    }
    if (status == STATUS_OK && !moves->failure)
        apart = runs_among(moves->shape, view, named | taken.told.touched, taken.told.touched);
    if (status == STATUS_OK && !moves->failure)
        status = apart ? take_apart(moves, view, (uint32_t)__builtin_ctzll(apart), each, user)
                       : tell(moves, view, &taken, each, user);
    successors_release(&taken.out);
    vector_release(&taken.slots);
    return status;
}

enum status heap_moves_initial(struct heap_moves *moves, uint32_t number, struct heap_view *view)
{
    const struct lin_steps *steps = moves->shape->steps;
    VECTOR(uint32_t) slots;
    vector_init(&slots, moves->budget);
    *view = (struct heap_view){0};
    enum status status = granted(vector_reserve(&slots, steps->slots));
    if (status == STATUS_OK) {
        const struct row row = {moves->shape, view, slots.items};
        memset(slots.items, 0, steps->slots * sizeof *slots.items);
        memcpy(slots.items,
               thread_system_shared(moves->system, moves->system->initial.items[number]),
               steps->thread_first * sizeof *slots.items);
        memcpy(slots.items + steps->thread_first,
               thread_system_local(moves->system, moves->system->kinds.items[0].idle),
               steps->thread_words * sizeof *slots.items);
        if (!read_row(&row, view))
            moves->failure = heap_too_many_nodes;
        view->root_count = moves->shape->ghosts;
    }
    for (uint32_t i = 0; i < view->count; i++)
        view->nodes[i].own = false;
    vector_release(&slots);
    return status;
}
