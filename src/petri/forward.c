/* The forward engine: the coverability set, after Karp and Miller (1969), with what made it fast
 * since: markings that others cover are dropped at once, and accelerations are remembered and used
 * like transitions (Finkel, Haddad and Khmelnitsky, Minimal Coverability Tree Construction Made
 * Complete and Efficient, FoSSaCS 2020).
 *
 * Invariant: of every marking that has been expanded, dropped ones included, each successor is
 * covered by one of the antichain, or the target has been met. So when nothing is left to be
 * expanded the antichain is closed. Published prunings went wrong by cutting what lies below a
 * dropped marking, which may be what covers another's successor. Here nothing is cut: below a
 * dropped marking only what is covered itself is dropped, and the order (OMEGAs first) sees to it
 * that this is nearly all. Ancestors stay in memory, dropped or not: on an endless branch some
 * marking would be larger than an ancestor, which gives it one OMEGA more, so that every branch,
 * and by Koenig's lemma the tree, is finite. */
#include "petri/forward.h"

#include <assert.h>
#include <string.h>

#include "petri/forward_state.h"

#define MOST_COUNT   (OMEGA / 2) /* larger ones are not represented */
#define OMEGA_EFFECT INT64_MAX

static bool at_least(const uint32_t *left, const uint32_t *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (left[i] < right[i])
            return false;
    return true;
}

/* ---- the antichain ---- */

static size_t row_of(const struct forward *forward, uint32_t control)
{
    return control == NET_NONE ? forward->problem->control_count : control;
}

static void signatures(const struct forward *forward, uint64_t *marked, uint64_t *endless)
{
    *marked = *endless = 0;
    for (size_t i = 0; i < forward->problem->counter_count; i++) {
        *marked |= forward->candidate[i] != 0 ? bit_of(i) : 0;
        *endless |= forward->candidate[i] == OMEGA ? bit_of(i) : 0;
    }
}

static bool row_covers(struct forward *forward, size_t number, uint64_t marked, uint64_t endless)
{
    const struct antichain_row *row = &forward->antichain[number];
    size_t count = forward->problem->counter_count;
    forward->done += row->nodes.length / 4 + 1;
    for (size_t i = row->nodes.length; i-- > 0;) {
        const struct node *node = &forward->nodes.items[row->nodes.items[i]];
        if ((marked & ~node->marked) || (endless & ~node->endless))
            continue;
        forward->done += 1 + count / 16;
        if (at_least(node->counts, forward->candidate, count))
            return true;
    }
    return false;
}

/* The candidate's counts, with these signatures, are covered by the antichain; one without a
 * control by any. */
static bool is_covered(struct forward *forward, uint32_t control, uint64_t marked, uint64_t endless)
{
    bool covered = row_covers(forward, row_of(forward, control), marked, endless);
    for (size_t i = 0; control == NET_NONE && !covered && i < forward->problem->control_count; i++)
        covered = row_covers(forward, i, marked, endless);
    return covered;
}

static void drop_in_row(struct forward *forward, size_t number, const struct node *by)
{
    struct antichain_row *row = &forward->antichain[number];
    size_t kept = 0, count = forward->problem->counter_count;
    forward->done += row->nodes.length / 4 + 1;
    for (size_t i = 0; i < row->nodes.length; i++) {
        struct node *node = &forward->nodes.items[row->nodes.items[i]];
        bool covered = !(node->marked & ~by->marked) && !(node->endless & ~by->endless) &&
                       at_least(by->counts, node->counts, count);
        node->alive = !covered;
        if (!covered)
            row->nodes.items[kept++] = row->nodes.items[i];
    }
    row->nodes.length = kept;
}

static void drop_covered(struct forward *forward, const struct node *by)
{
    drop_in_row(forward, row_of(forward, by->control), by);
    if (by->control != NET_NONE)
        drop_in_row(forward, row_of(forward, NET_NONE), by);
}

/* ---- accelerations ---- */

static bool meets(const struct demand *demand, uint32_t control, const uint32_t *counts)
{
    if (demand->control != NET_NONE && demand->control != control)
        return false;
    for (uint32_t i = 0; i < demand->count; i++)
        if (counts[demand->items[i].counter] < demand->items[i].count)
            return false;
    return true;
}

static bool grow(const struct acceleration *acceleration, uint32_t *counts)
{
    bool grown = false;
    for (uint32_t i = 0; i < acceleration->grown_count; i++) {
        grown = grown || counts[acceleration->grown[i]] != OMEGA;
        counts[acceleration->grown[i]] = OMEGA;
    }
    return grown;
}

/* Applies those that are known, as long as one of them does something. */
static bool accelerate_again(struct forward *forward, uint32_t control)
{
    size_t count = forward->accelerations.length;
    for (size_t i = 0, idle = 0; idle < count; i = (i + 1) % count, idle++) {
        const struct acceleration *acceleration = &forward->accelerations.items[i];
        forward->done++;
        if (forward->candidate[acceleration->grown[0]] == OMEGA && acceleration->grown_count == 1)
            continue;
        if (!meets(&acceleration->demand, control, forward->candidate) ||
            !grow(acceleration, forward->candidate))
            continue;
        if (!vector_push(&forward->words, (uint32_t)i | WORD_ACCELERATION))
            return false;
        idle = 0;
    }
    return true;
}

/* What a word demands so that afterwards `demand` (by counter) is met; both in place. */
static void demand_before(const struct forward *forward, uint32_t word, uint32_t *control,
                          uint32_t *demand)
{
    if (word & WORD_ACCELERATION) {
        const struct acceleration *known = &forward->accelerations.items[word & ~WORD_ACCELERATION];
        for (uint32_t i = 0; i < known->grown_count; i++)
            demand[known->grown[i]] = 0;
        for (uint32_t i = 0; i < known->demand.count; i++) {
            const struct counter_count *item = &known->demand.items[i];
            if (demand[item->counter] < item->count)
                demand[item->counter] = item->count;
        }
        if (known->demand.control != NET_NONE)
            *control = known->demand.control;
        return;
    }
    const struct problem_step *step = &forward->problem->steps.items[word];
    for (uint32_t i = 0; i < step->change_count; i++) {
        uint32_t *at = &demand[step->changes[i].counter];
        int64_t less = (int64_t)*at - step->changes[i].delta;
        if (*at != OMEGA)
            *at = less < 0 ? 0 : (uint32_t)less;
    }
    for (uint32_t i = 0; i < step->take_count; i++)
        if (demand[step->takes[i].counter] < step->takes[i].count)
            demand[step->takes[i].counter] = step->takes[i].count;
    if (step->from != NET_NONE || step->to != NET_NONE)
        *control = step->from;
}

/* The effect of a word on each counter, added to `effect`; OMEGA_EFFECT: as much as one likes. */
static void add_effect(const struct forward *forward, uint32_t word, int64_t *effect)
{
    if (word & WORD_ACCELERATION) {
        const struct acceleration *known = &forward->accelerations.items[word & ~WORD_ACCELERATION];
        for (uint32_t i = 0; i < known->grown_count; i++)
            effect[known->grown[i]] = OMEGA_EFFECT;
        return;
    }
    const struct problem_step *step = &forward->problem->steps.items[word];
    for (uint32_t i = 0; i < step->change_count; i++)
        if (effect[step->changes[i].counter] < OMEGA_EFFECT / 2)
            effect[step->changes[i].counter] += step->changes[i].delta;
}

/* Of the whole sequence: what is demanded before it, and its effect. */
static void follow_back(struct forward *forward, const struct acceleration *acceleration,
                        uint32_t *control, uint32_t *demand, int64_t *effect)
{
    uint32_t begin = acceleration->words, end = acceleration->word_end;
    const uint32_t *words = forward->words.items;
    for (uint32_t n = acceleration->last;;) {
        for (uint32_t i = end; i-- > begin;) {
            demand_before(forward, words[i], control, demand);
            add_effect(forward, words[i], effect);
        }
        forward->done += 4;
        if (n == acceleration->ancestor)
            return;
        begin = forward->nodes.items[n].words;
        end = forward->nodes.items[n].word_end;
        n = forward->nodes.items[n].parent;
    }
}

/* Enough must be there for each word, and OMEGA where a whole repetition loses tokens; what it
 * gains grows. */
static bool complete(struct forward *forward, const struct node *ancestor,
                     struct acceleration *acceleration, uint32_t *demand, int64_t *effect)
{
    size_t count = forward->problem->counter_count;
    uint32_t control = NET_NONE, demanded = 0, gained = 0;
    follow_back(forward, acceleration, &control, demand, effect);
    for (size_t i = 0; i < count; i++) {
        if (effect[i] < 0)
            demand[i] = OMEGA;
        demanded += demand[i] > 0;
        gained += effect[i] > 0 && demand[i] != OMEGA;
    }
    struct counter_count *items = arena_allocate(&forward->arena, demanded * sizeof *items);
    uint32_t *grown = arena_allocate(&forward->arena, gained * sizeof *grown);
    if (!items || !grown)
        return false;
    acceleration->demand =
        (struct demand){control == NET_NONE ? NET_NONE : ancestor->control, 0, items};
    acceleration->grown = grown;
    for (uint32_t i = 0; i < count; i++) {
        if (demand[i])
            items[acceleration->demand.count++] = (struct counter_count){i, demand[i]};
        if (effect[i] > 0 && demand[i] != OMEGA)
            grown[acceleration->grown_count++] = i;
    }
    return true;
}

/* The candidate, whose words are those from `words` on, is at least the ancestor and more. */
static bool accelerate(struct forward *forward, uint32_t ancestor, uint32_t parent, uint32_t words)
{
    size_t count = forward->problem->counter_count;
    struct acceleration found = {.ancestor = ancestor,
                                 .last = parent,
                                 .words = words,
                                 .word_end = (uint32_t)forward->words.length};
    uint32_t *demand = memory_zeroed(forward->budget, count * sizeof *demand);
    int64_t *effect = memory_zeroed(forward->budget, count * sizeof *effect);
    bool good = demand && effect &&
                complete(forward, &forward->nodes.items[ancestor], &found, demand, effect);
    memory_release(forward->budget, demand, count * sizeof *demand);
    memory_release(forward->budget, effect, count * sizeof *effect);
    if (!good)
        return false;
    assert(found.grown_count > 0 && "an ancestor that was not exceeded");
    grow(&found, forward->candidate);
    uint32_t word = (uint32_t)forward->accelerations.length | WORD_ACCELERATION;
    return vector_push(&forward->accelerations, found) && vector_push(&forward->words, word);
}

/* Looks for ancestors that the candidate exceeds; false when memory is refused. */
static bool accelerate_from_ancestors(struct forward *forward, uint32_t control, uint32_t parent,
                                      uint32_t words)
{
    size_t count = forward->problem->counter_count;
    for (uint32_t n = parent; n != NET_NONE; n = forward->nodes.items[n].parent) {
        const struct node *node = &forward->nodes.items[n];
        forward->done++;
        if (node->control != control)
            continue;
        forward->done += 1 + count / 32;
        if (!at_least(forward->candidate, node->counts, count))
            continue;
        bool more = false;
        for (size_t i = 0; i < count; i++)
            more =
                more || (forward->candidate[i] != OMEGA && node->counts[i] < forward->candidate[i]);
        if (more && (!accelerate(forward, n, parent, words) || !accelerate_again(forward, control)))
            return false;
    }
    return true;
}

/* ---- nodes ---- */

static bool covers_target(struct forward *forward, const struct node *node)
{
    const struct problem *problem = forward->problem;
    for (uint32_t i = 0; i < problem->targets.length; i++) {
        if (!meets(&problem->targets.items[i], node->control, node->counts))
            continue;
        forward->goal_target = i;
        return true;
    }
    forward->done += problem->targets.length / 8;
    return false;
}

/* OMEGAs first, then shallow ones. */
static uint64_t key_of(const struct forward *forward, const struct node *node)
{
    uint64_t endless = 0;
    for (size_t i = 0; i < forward->problem->counter_count; i++)
        endless += node->counts[i] == OMEGA;
    uint64_t depth = node->depth < (1u << 24) ? node->depth : (1u << 24);
    return (UINT64_C(0xffffff) - endless) << 32 | depth;
}

/* Makes the candidate a node. */
static bool keep(struct forward *forward, uint32_t control, uint32_t parent, uint32_t words,
                 uint64_t marked, uint64_t endless)
{
    size_t count = forward->problem->counter_count;
    uint32_t *counts = arena_allocate(&forward->arena, count * sizeof *counts);
    uint32_t number = (uint32_t)forward->nodes.length;
    assert(parent == NET_NONE || parent < number);
    if (!counts)
        return false;
    memcpy(counts, forward->candidate, count * sizeof *counts);
    struct node node = {.parent = parent,
                        .control = control,
                        .words = words,
                        .word_end = (uint32_t)forward->words.length,
                        .depth = parent == NET_NONE ? 0 : forward->nodes.items[parent].depth + 1,
                        .alive = true,
                        .marked = marked,
                        .endless = endless,
                        .counts = counts};
    struct antichain_row *row = &forward->antichain[row_of(forward, control)];
    drop_covered(forward, &node);
    if (!vector_push(&forward->nodes, node) || !vector_push(&row->nodes, number) ||
        !queue_push(&forward->queue, key_of(forward, &node), number))
        return false;
    if (covers_target(forward, &node)) {
        forward->goal = number;
        forward->state = ENGINE_UNSAFE;
    }
    return true;
}

/* The candidate as it is after the words from `words` on: accelerated, and kept unless covered. */
static bool consider(struct forward *forward, uint32_t control, uint32_t parent, uint32_t words)
{
    uint64_t marked, endless;
    size_t known = forward->accelerations.length;
    signatures(forward, &marked, &endless);
    forward->done += 1 + forward->problem->counter_count / 16;
    if (is_covered(forward, control, marked, endless)) {
        forward->words.length = words;
        return true;
    }
    if (!accelerate_again(forward, control) ||
        !accelerate_from_ancestors(forward, control, parent, words))
        return false;
    if (forward->words.length > (size_t)words + 1) {
        signatures(forward, &marked, &endless);
        if (is_covered(forward, control, marked, endless)) {
            if (forward->accelerations.length == known) /* none refers to these words */
                forward->words.length = words;
            return true;
        }
    }
    return keep(forward, control, parent, words, marked, endless);
}

/* ---- steps ---- */

/* Makes the candidate of a step from the node; false if it cannot fire, or brings nothing new. */
static bool take(struct forward *forward, const struct node *node, const struct problem_step *step)
{
    const uint32_t *counts = node->counts;
    bool more = step->to != step->from;
    forward->done++;
    if (step->from != NET_NONE && step->from != node->control)
        return false;
    for (uint32_t i = 0; i < step->take_count; i++)
        if (counts[step->takes[i].counter] < step->takes[i].count)
            return false;
    for (uint32_t i = 0; i < step->change_count; i++)
        more = more || (step->changes[i].delta > 0 && counts[step->changes[i].counter] != OMEGA);
    if (!more)
        return false;
    memcpy(forward->candidate, counts, forward->problem->counter_count * sizeof *counts);
    for (uint32_t i = 0; i < step->change_count; i++) {
        uint32_t *at = &forward->candidate[step->changes[i].counter];
        if (*at != OMEGA)
            *at = (uint32_t)((int64_t)*at + step->changes[i].delta);
        if (*at != OMEGA && *at > MOST_COUNT)
            forward->state = ENGINE_STUCK;
    }
    return true;
}

static bool fire(struct forward *forward, uint32_t number, uint32_t s)
{
    const struct problem_step *step = &forward->problem->steps.items[s];
    const struct node *node = &forward->nodes.items[number];
    if (!take(forward, node, step) || forward->state != ENGINE_RUNNING)
        return true;
    bool moves = step->from != NET_NONE || step->to != NET_NONE;
    assert((!moves || step->from == node->control) && "two controls at once");
    uint32_t control = moves ? step->to : node->control;
    uint32_t words = (uint32_t)forward->words.length;
    return vector_push(&forward->words, s) && consider(forward, control, number, words);
}

/* The next step of the current node: those of its control first, then those of any. NET_NONE: there
 * is none. */
static uint32_t next_step(struct forward *forward)
{
    const struct groups *from = &forward->problem->from;
    uint32_t control = forward->nodes.items[forward->current].control;
    uint32_t at = forward->next_step++, own = 0;
    if (control != NET_NONE) {
        own = from->first[control + 1] - from->first[control];
        if (at < own)
            return from->items[from->first[control] + at];
    }
    assert(own <= at);
    uint32_t rest = from->first[forward->problem->control_count] + at - own;
    return rest < from->first[forward->problem->control_count + 1] ? from->items[rest] : NET_NONE;
}

/* Takes up the next node; false if none is left. */
static bool next_node(struct forward *forward)
{
    while (forward->queue.heap.length) {
        uint32_t node = queue_pop(&forward->queue);
        if (!forward->nodes.items[node].alive)
            continue;
        forward->current = node;
        forward->next_step = 0;
        return true;
    }
    return false;
}

enum engine_state forward_work(struct forward *forward, uint64_t work)
{
    uint64_t until = forward->done + work;
    while (forward->state == ENGINE_RUNNING && forward->done < until) {
        if (forward->current == NET_NONE && !next_node(forward)) {
            forward->state = ENGINE_SAFE;
            break;
        }
        /* A node that has been dropped since is covered by one that is still to be expanded. */
        bool alive = forward->nodes.items[forward->current].alive;
        uint32_t step = alive ? next_step(forward) : NET_NONE;
        if (step == NET_NONE)
            forward->current = NET_NONE;
        else if (!fire(forward, forward->current, step))
            forward->state = ENGINE_REFUSED;
    }
    return forward->state;
}

/* ---- the whole ---- */

static bool begin(struct forward *forward)
{
    const struct problem *problem = forward->problem;
    size_t counters = problem->counter_count, rows = problem->control_count + 1;
    forward->candidate = memory_allocate(forward->budget, counters * sizeof *forward->candidate);
    forward->antichain = memory_zeroed(forward->budget, rows * sizeof *forward->antichain);
    if (!forward->candidate || !forward->antichain)
        return false;
    for (size_t i = 0; i < rows; i++)
        vector_init(&forward->antichain[i].nodes, forward->budget);
    if (counters)
        memcpy(forward->candidate, problem->initial, counters * sizeof *forward->candidate);
    return consider(forward, problem->initial_control, NET_NONE, 0);
}

struct forward *forward_create(const struct problem *problem, struct budget *budget)
{
    struct forward *forward = memory_zeroed(budget, sizeof *forward);
    if (!forward)
        return NULL;
    forward->problem = problem;
    forward->budget = budget;
    forward->current = NET_NONE;
    forward->state = ENGINE_RUNNING;
    arena_init(&forward->arena, budget);
    vectors_init(budget, &forward->nodes, &forward->words, &forward->accelerations);
    queue_init(&forward->queue, budget);
    if (begin(forward))
        return forward;
    forward_destroy(forward);
    return NULL;
}

void forward_destroy(struct forward *forward)
{
    if (!forward)
        return;
    const struct problem *problem = forward->problem;
    size_t rows = problem->control_count + 1;
    for (size_t i = 0; forward->antichain && i < rows; i++)
        if (forward->antichain[i].nodes.budget)
            vector_release(&forward->antichain[i].nodes);
    memory_release(forward->budget, forward->antichain, rows * sizeof *forward->antichain);
    memory_release(forward->budget, forward->candidate,
                   problem->counter_count * sizeof *forward->candidate);
    vectors_release(&forward->nodes, &forward->words, &forward->accelerations);
    queue_release(&forward->queue);
    arena_release(&forward->arena);
    memory_release(forward->budget, forward, sizeof *forward);
}

uint64_t forward_explored(const struct forward *forward)
{
    return forward->nodes.length;
}
