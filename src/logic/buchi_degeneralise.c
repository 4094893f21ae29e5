/* Degeneralisation: a copy (s, level) of a state waits for an edge of set `level`. Where acceptance
 * is by edge, the edge that ends the last level is accepting and levels start again; where it is by
 * state, level n stands for "all were seen" and its states are the accepting ones. There a set that
 * all edges which leave a state are in counts as seen in the state. In another component levels
 * start anew. */
#include "logic/buchi_degeneralise.h"

#include "logic/buchi_simplify.h"

struct copies {
    const struct buchi *general;
    struct buchi *degeneral;
    struct buchi_components components;
    uint64_t *ahead;            /* of states: the sets that all edges within the component are in */
    struct word_arrays numbers; /* [state, level] of each copy */
    uint32_t levels;            /* acceptance sets */
    bool by_state;
};

/* The sets that are seen for certain on leaving a state; none where it is on no cycle. */
static uint64_t sets_ahead(const struct copies *copies, uint32_t state)
{
    const struct buchi *general = copies->general;
    const struct buchi_components *components = &copies->components;
    uint64_t sets = UINT64_MAX;
    bool on_cycle = false;
    for (uint32_t i = general->first.items[state]; i < general->first.items[state + 1]; i++) {
        const struct buchi_edge *edge = &general->edges.items[i];
        if (buchi_component(components, edge->target) != buchi_component(components, state))
            continue;
        sets &= edge->acceptance;
        on_cycle = true;
    }
    return on_cycle ? sets : 0;
}

/* The copy of a state that is entered at a level. */
static bool copy_number(struct copies *copies, uint32_t state, uint32_t level, uint32_t *number)
{
    while (copies->by_state && level < copies->levels && (copies->ahead[state] >> level & 1))
        level++;
    *number = word_arrays_intern(&copies->numbers, (uint32_t[]){state, level}, 2, NULL);
    return *number != UINT32_MAX;
}

/* The level behind an edge; *complete: it ended the last one. */
static uint32_t level_behind(const struct copies *copies, uint32_t level, uint64_t acceptance,
                             bool *complete)
{
    *complete = false;
    if (copies->by_state && level == copies->levels)
        level = 0;
    while (level < copies->levels && (acceptance >> level & 1))
        level++;
    if (copies->by_state || level < copies->levels)
        return level;
    *complete = true;
    level = 0;
    while (level + 1 < copies->levels && (acceptance >> level & 1))
        level++;
    return level;
}

static bool copy_edges(struct copies *copies, uint32_t number)
{
    size_t length;
    const uint32_t *copy = word_arrays_get(&copies->numbers, number, &length);
    uint32_t state = copy[0], level = copy[1];
    bool at_end = copies->by_state && level == copies->levels;
    const struct buchi *general = copies->general;
    const struct buchi_components *components = &copies->components;
    for (uint32_t i = general->first.items[state]; i < general->first.items[state + 1]; i++) {
        struct buchi_edge edge = general->edges.items[i];
        bool complete = false,
             stays = buchi_component(components, edge.target) == buchi_component(components, state);
        uint32_t next = stays ? level_behind(copies, level, edge.acceptance, &complete) : 0;
        edge.acceptance = at_end || complete;
        if (!copy_number(copies, edge.target, next, &edge.target) ||
            !vector_push(&copies->degeneral->edges, edge))
            return false;
    }
    return true;
}

static bool make_copies(struct copies *copies, const struct limits *limits)
{
    const struct buchi *general = copies->general;
    struct buchi *degeneral = copies->degeneral;
    degeneral->acceptance_count = 1;
    for (size_t i = 0; i < general->initial.length; i++) {
        uint32_t number;
        if (!copy_number(copies, general->initial.items[i], 0, &number) ||
            !vector_push(&degeneral->initial, number))
            return false;
    }
    for (uint32_t looked = 0, i = 0; i < copies->numbers.items.length; i++) {
        if (limits_look(limits, &looked) ||
            !vector_push(&degeneral->first, (uint32_t)degeneral->edges.length) ||
            !copy_edges(copies, i))
            return false;
    }
    degeneral->state_count = (uint32_t)copies->numbers.items.length;
    return vector_push(&degeneral->first, (uint32_t)degeneral->edges.length);
}

static bool degeneralise(struct copies *copies, const struct limits *limits)
{
    size_t size = copies->general->state_count * sizeof *copies->ahead;
    if (!buchi_components_find(copies->general, limits->budget, &copies->components))
        return false;
    copies->ahead = memory_allocate(limits->budget, size);
    for (uint32_t i = 0; copies->ahead && i < copies->general->state_count; i++)
        copies->ahead[i] = sets_ahead(copies, i);
    bool made = copies->ahead && make_copies(copies, limits);
    memory_release(limits->budget, copies->ahead, size);
    buchi_components_release(&copies->components);
    return made;
}

enum status buchi_degeneralise(const struct buchi *buchi, enum buchi_form form,
                               const struct limits *limits, struct buchi *degeneral,
                               struct error *error)
{
    struct copies copies = {.general = buchi,
                            .degeneral = degeneral,
                            .levels = buchi->acceptance_count,
                            .by_state = form == BUCHI_BY_STATE || buchi->acceptance_count == 0};
    buchi_init(degeneral, limits->budget);
    word_arrays_init(&copies.numbers, limits->budget);
    bool made = degeneralise(&copies, limits) &&
                buchi_simplify(degeneral, form == BUCHI_BY_STATE, 1, limits);
    word_arrays_release(&copies.numbers);
    if (made)
        return STATUS_OK;
    buchi_release(degeneral);
    return error_set(error, STATUS_LIMIT, NULL, 0, "the automaton is too large for the limits");
}
