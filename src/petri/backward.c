/* The backward engine. It keeps a basis, the minimal markings known to cover a target in the end,
 * each with the step that leads from it towards the target, and expands them to their predecessors.
 *
 * Invariant: of every marking that has been expanded, dropped ones included, each predecessor is at
 * least as large as some known one, or is excluded because it cannot be reached. So when nothing is
 * left to be expanded, no transition leads from outside into what lies above the known ones.
 *
 * A marking is a control, or none demanded, and a few counts in ascending order. Those with one
 * control stand together, each with a signature (a bit for each counter mod 64) and the sum of its
 * tokens, which rule out nearly all comparisons. */
#include "petri/backward.h"

#include <assert.h>
#include <string.h>

#include "petri/distance.h"
#include "petri/queue.h"

#define MOST_TOKENS_EACH (UINT32_C(1) << 30)

struct element {
    uint32_t control; /* NET_NONE: any */
    uint32_t count;
    const struct counter_count *items;
    uint32_t next, step; /* what firing the step leads to at least; NET_NONE: a target */
    uint32_t depth;
    bool alive; /* minimal among the known ones */
};

struct row_entry {
    uint64_t signature;
    uint64_t sum;
    uint32_t element, depth;
};

struct backward {
    const struct problem *problem;
    struct budget *budget;
    struct arena arena;
    enum backward_order order;
    struct distances distances;
    VECTOR(struct element) elements;
    struct basis_row {
        VECTOR(struct row_entry) entries;
    } * basis; /* by control; at the end those that demand none */
    struct queue queue;
    struct counter_count *items; /* room for the marking under construction */
    uint32_t *stamps, stamp;     /* by step: taken in this expansion */
    struct arc *arcs;            /* room for the marking as one of the net */
    uint64_t done;
    uint32_t goal;
    enum engine_state state;
};

/* ---- what can be reached ---- */

static bool exceeds(const struct bound *bound, uint32_t control, const struct counter_count *items,
                    uint32_t count)
{
    uint64_t sum = control == NET_NONE ? 0 : bound->control_weights[control];
    for (uint32_t i = 0; i < count; i++)
        sum += (uint64_t)items[i].count * bound->counter_weights[items[i].counter];
    return sum > bound->most;
}

static bool excluded(struct backward *backward, uint32_t control, const struct counter_count *items,
                     uint32_t count)
{
    const struct problem *problem = backward->problem;
    uint32_t length = 0;
    if (control != NET_NONE)
        backward->arcs[length++] = (struct arc){problem->controls[control], 1};
    for (uint32_t i = 0; i < count; i++)
        backward->arcs[length++] =
            (struct arc){problem->counters[items[i].counter], items[i].count};
    backward->done += 1 + length * length / 8;
    if (!concurrency_allow(&problem->pairs, (struct arcs){backward->arcs, length}))
        return true;
    for (size_t i = 0; i < problem->bounds.length; i++)
        if (exceeds(&problem->bounds.items[i], control, items, count))
            return true;
    return false;
}

static bool is_initial(const struct problem *problem, const struct element *element)
{
    if (element->control != NET_NONE && element->control != problem->initial_control)
        return false;
    for (uint32_t i = 0; i < element->count; i++)
        if (element->items[i].count > problem->initial[element->items[i].counter])
            return false;
    return true;
}

/* ---- the basis ---- */

static size_t row_of(const struct backward *backward, uint32_t control)
{
    return control == NET_NONE ? backward->problem->control_count : control;
}

/* Whether each count of `small` is there in `large`. */
static bool below(const struct counter_count *small, uint32_t small_count,
                  const struct counter_count *large, uint32_t large_count)
{
    uint32_t j = 0;
    if (small_count > large_count)
        return false;
    for (uint32_t i = 0; i < small_count; i++) {
        assert(i == 0 || small[i - 1].counter < small[i].counter);
        while (j < large_count && large[j].counter < small[i].counter)
            j++;
        if (j == large_count || large[j].counter != small[i].counter ||
            large[j].count < small[i].count)
            return false;
    }
    return true;
}

static bool row_has_below(struct backward *backward, size_t row, const struct row_entry *entry,
                          const struct counter_count *items, uint32_t count)
{
    const struct basis_row *found = &backward->basis[row];
    backward->done += found->entries.length / 4 + 1;
    for (size_t i = 0; i < found->entries.length; i++) {
        const struct row_entry *other = &found->entries.items[i];
        bool longer = backward->order == BACKWARD_SHORTEST && other->depth > entry->depth;
        if (longer || (other->signature & ~entry->signature) || other->sum > entry->sum)
            continue;
        const struct element *element = &backward->elements.items[other->element];
        backward->done++;
        if (below(element->items, element->count, items, count))
            return true;
    }
    return false;
}

static void drop_above(struct backward *backward, size_t row, const struct row_entry *entry,
                       const struct element *by)
{
    struct basis_row *found = &backward->basis[row];
    size_t kept = 0;
    backward->done += found->entries.length / 4 + 1;
    for (size_t i = 0; i < found->entries.length; i++) {
        struct row_entry other = found->entries.items[i];
        struct element *element = &backward->elements.items[other.element];
        /* One that is nearer to the target may still be on the shortest run. */
        bool nearer = backward->order == BACKWARD_SHORTEST && other.depth < by->depth;
        bool above = !nearer && !(entry->signature & ~other.signature) && entry->sum <= other.sum &&
                     below(by->items, by->count, element->items, element->count);
        element->alive = !above;
        if (!above)
            found->entries.items[kept++] = other;
    }
    found->entries.length = kept;
}

static uint64_t key_of(const struct backward *backward, const struct element *element, uint64_t sum)
{
    uint64_t most = (UINT64_C(1) << 31) - 1, depth = element->depth;
    bool shortest = backward->order == BACKWARD_SHORTEST;
    sum = sum > most ? most : sum;
    enum distance_kind kind = shortest ? DISTANCE_MAXIMUM : DISTANCE_SUM;
    uint64_t distance =
        distance_of(&backward->distances, kind, element->control, element->items, element->count);
    return (depth + distance) << 32 | (shortest ? sum : distance);
}

/* Ends the search if the element has an initial marking above it. */
static void look_at(struct backward *backward, uint32_t number)
{
    if (backward->state != ENGINE_RUNNING ||
        !is_initial(backward->problem, &backward->elements.items[number]))
        return;
    assert(number < backward->elements.length);
    backward->goal = number;
    backward->state = ENGINE_UNSAFE;
}

static bool keep(struct backward *backward, const struct element *element, struct row_entry *entry)
{
    size_t row = row_of(backward, element->control);
    entry->element = (uint32_t)backward->elements.length;
    drop_above(backward, row, entry, element);
    if (element->control == NET_NONE)
        for (size_t i = 0; i < backward->problem->control_count; i++)
            drop_above(backward, i, entry, element);
    if (!vector_push(&backward->elements, *element) ||
        !vector_push(&backward->basis[row].entries, *entry) ||
        !queue_push(&backward->queue, key_of(backward, element, entry->sum), entry->element))
        return false;
    if (backward->order != BACKWARD_SHORTEST)
        look_at(backward, entry->element);
    return true;
}

/* A marking that is to be known, unless it is already, or cannot be reached; its items are copied.
 * False when memory is refused. */
static bool consider(struct backward *backward, struct element *element)
{
    struct row_entry entry = {.depth = element->depth};
    for (uint32_t i = 0; i < element->count; i++) {
        entry.signature |= bit_of(element->items[i].counter);
        entry.sum += element->items[i].count;
    }
    size_t any = backward->problem->control_count;
    assert(element->count <= backward->problem->counter_count);
    if (excluded(backward, element->control, element->items, element->count) ||
        row_has_below(backward, any, &entry, element->items, element->count) ||
        (element->control != NET_NONE &&
         row_has_below(backward, element->control, &entry, element->items, element->count)))
        return true;
    size_t bytes = element->count * sizeof *element->items;
    struct counter_count *items = arena_allocate(&backward->arena, bytes);
    if (!items)
        return false;
    if (bytes)
        memcpy(items, element->items, bytes);
    element->items = items;
    element->alive = true;
    return keep(backward, element, &entry);
}

/* ---- predecessors ---- */

/* Puts into `items` what must be there for the step to lead to the element or above; returns how
 * many there are. */
static uint32_t demand_before(struct backward *backward, const struct element *element,
                              const struct problem_step *step, struct counter_count *items)
{
    uint32_t i = 0, count = 0;
    uint32_t change = 0, take = 0;
    while (i < element->count || take < step->take_count) {
        uint32_t wanted = i < element->count ? element->items[i].counter : NET_NONE;
        uint32_t taken = take < step->take_count ? step->takes[take].counter : NET_NONE;
        uint32_t counter = wanted < taken ? wanted : taken;
        int64_t demand = 0;
        while (change < step->change_count && step->changes[change].counter < counter)
            change++;
        if (wanted == counter) {
            demand = element->items[i++].count;
            if (change < step->change_count && step->changes[change].counter == counter)
                demand -= step->changes[change].delta;
        }
        if (taken == counter) {
            uint32_t least = step->takes[take++].count;
            demand = demand < least ? least : demand;
        }
        if (demand > MOST_TOKENS_EACH)
            backward->state = ENGINE_STUCK;
        if (demand > 0)
            items[count++] = (struct counter_count){counter, (uint32_t)demand};
    }
    return count;
}

/* The control demanded before; false if the step cannot lead there. */
static bool control_before(const struct element *element, const struct problem_step *step,
                           uint32_t *control)
{
    *control = step->from;
    if (element->control == NET_NONE || step->to == element->control)
        return true;
    if (step->from != NET_NONE || step->to != NET_NONE)
        return false; /* a second control would hold a token */
    *control = element->control;
    return true;
}

static bool step_back(struct backward *backward, uint32_t number, uint32_t s)
{
    const struct problem_step *step = &backward->problem->steps.items[s];
    struct element element = backward->elements.items[number], before = {0};
    backward->done++;
    if (backward->stamps[s] == backward->stamp || !control_before(&element, step, &before.control))
        return true;
    backward->stamps[s] = backward->stamp;
    before.next = number;
    before.step = s;
    before.depth = element.depth + 1;
    before.items = backward->items;
    before.count = demand_before(backward, &element, step, backward->items);
    return backward->state != ENGINE_RUNNING || consider(backward, &before);
}

static bool step_back_group(struct backward *backward, uint32_t number, const struct groups *groups,
                            uint32_t group)
{
    for (uint32_t i = groups->first[group]; i < groups->first[group + 1]; i++)
        if (!step_back(backward, number, groups->items[i]))
            return false;
    return true;
}

/* Only steps that give something of what is demanded lead to anything new. */
static bool expand(struct backward *backward, uint32_t number)
{
    const struct problem *problem = backward->problem;
    struct element element = backward->elements.items[number];
    backward->stamp++;
    if (element.control != NET_NONE &&
        !step_back_group(backward, number, &problem->to, element.control))
        return false;
    for (uint32_t i = 0; i < element.count; i++)
        if (!step_back_group(backward, number, &problem->raises, element.items[i].counter))
            return false;
    return true;
}

enum engine_state backward_work(struct backward *backward, uint64_t work)
{
    uint64_t until = backward->done + work;
    while (backward->state == ENGINE_RUNNING && backward->done < until) {
        if (!backward->queue.heap.length) {
            backward->state = ENGINE_SAFE;
            break;
        }
        uint32_t number = queue_pop(&backward->queue);
        if (!backward->elements.items[number].alive)
            continue;
        look_at(backward, number); /* in this order only now it is known that it is the shortest */
        if (backward->state == ENGINE_RUNNING && !expand(backward, number))
            backward->state = ENGINE_REFUSED;
    }
    return backward->state;
}

/* ---- the whole ---- */

static bool begin(struct backward *backward)
{
    const struct problem *problem = backward->problem;
    struct budget *budget = backward->budget;
    size_t rows = problem->control_count + 1;
    backward->basis = memory_zeroed(budget, rows * sizeof *backward->basis);
    backward->items = memory_allocate(budget, problem->counter_count * sizeof *backward->items);
    backward->arcs = memory_allocate(budget, (problem->counter_count + 1) * sizeof(struct arc));
    backward->stamps = memory_zeroed(budget, problem->steps.length * sizeof *backward->stamps);
    if (!backward->basis || !backward->items || !backward->arcs || !backward->stamps)
        return false;
    for (size_t i = 0; i < rows; i++)
        vector_init(&backward->basis[i].entries, budget);
    enum distance_kind kind =
        backward->order == BACKWARD_SHORTEST ? DISTANCE_MAXIMUM : DISTANCE_SUM;
    if (!distances_find(problem, kind, &backward->arena, &backward->distances))
        return false;
    for (size_t i = 0; i < problem->targets.length; i++) {
        const struct demand *target = &problem->targets.items[i];
        struct element element = {.control = target->control,
                                  .count = target->count,
                                  .items = target->items,
                                  .next = NET_NONE,
                                  .step = NET_NONE};
        if (!consider(backward, &element))
            return false;
    }
    return true;
}

struct backward *backward_create(const struct problem *problem, enum backward_order order,
                                 struct budget *budget)
{
    struct backward *backward = memory_zeroed(budget, sizeof *backward);
    if (!backward)
        return NULL;
    backward->problem = problem;
    backward->budget = budget;
    backward->order = order;
    backward->state = ENGINE_RUNNING;
    arena_init(&backward->arena, budget);
    vector_init(&backward->elements, budget);
    queue_init(&backward->queue, budget);
    if (begin(backward))
        return backward;
    backward_destroy(backward);
    return NULL;
}

void backward_destroy(struct backward *backward)
{
    if (!backward)
        return;
    const struct problem *problem = backward->problem;
    struct budget *budget = backward->budget;
    size_t rows = problem->control_count + 1;
    for (size_t i = 0; backward->basis && i < rows; i++)
        if (backward->basis[i].entries.budget)
            vector_release(&backward->basis[i].entries);
    memory_release(budget, backward->basis, rows * sizeof *backward->basis);
    memory_release(budget, backward->items, problem->counter_count * sizeof *backward->items);
    memory_release(budget, backward->arcs, (problem->counter_count + 1) * sizeof(struct arc));
    memory_release(budget, backward->stamps, problem->steps.length * sizeof *backward->stamps);
    vector_release(&backward->elements);
    queue_release(&backward->queue);
    arena_release(&backward->arena);
    memory_release(budget, backward, sizeof *backward);
}

uint64_t backward_explored(const struct backward *backward)
{
    return backward->elements.length;
}

/* ---- answers ---- */

static bool add_marking(const struct backward *backward, const struct element *element,
                        struct certificate *certificate)
{
    const struct problem *problem = backward->problem;
    size_t length = 0;
    struct arc *items = arena_allocate(&certificate->arena, (element->count + 1) * sizeof *items);
    if (!items)
        return false;
    if (element->control != NET_NONE)
        items[length++] = (struct arc){problem->controls[element->control], 1};
    for (uint32_t i = 0; i < element->count; i++)
        items[length++] =
            (struct arc){problem->counters[element->items[i].counter], element->items[i].count};
    struct arcs marking = {items, (uint32_t)arcs_normalise(items, length)};
    return vector_push(&certificate->markings, marking);
}

enum status backward_certificate(const struct backward *backward, struct certificate *certificate)
{
    const struct problem *problem = backward->problem;
    assert(backward->state == ENGINE_SAFE && backward->queue.heap.length == 0);
    certificate->kind = CERTIFICATE_BASIS;
    certificate->pairs = &problem->pairs;
    for (size_t i = 0; i < problem->bounds.length; i++)
        TRY_MEMORY(vector_push(&certificate->invariants, problem->bounds.items[i].weights));
    for (size_t i = 0; i < backward->elements.length; i++)
        if (backward->elements.items[i].alive &&
            !add_marking(backward, &backward->elements.items[i], certificate))
            return STATUS_LIMIT;
    return STATUS_OK;
}

size_t backward_length(const struct backward *backward)
{
    return backward->elements.items[backward->goal].depth;
}

enum status backward_run(const struct backward *backward, struct budget *budget, struct run *run)
{
    const struct problem *problem = backward->problem;
    const struct element *goal = &backward->elements.items[backward->goal];
    size_t bytes = problem->counter_count * sizeof(uint32_t);
    uint32_t *demand = memory_zeroed(budget, bytes);
    if (!demand || !vector_reserve(&run->transitions, goal->depth + 1)) {
        memory_release(budget, demand, bytes);
        return STATUS_LIMIT;
    }
    for (uint32_t i = 0; i < goal->count; i++)
        demand[goal->items[i].counter] = goal->items[i].count;
    run_begin(problem, demand, run);
    memory_release(budget, demand, bytes);
    run->transitions.length = 0;
    for (const struct element *at = goal; at->next != NET_NONE;
         at = &backward->elements.items[at->next])
        run->transitions.items[run->transitions.length++] =
            problem->steps.items[at->step].transition;
    assert(run->transitions.length == goal->depth);
    return STATUS_OK;
}
