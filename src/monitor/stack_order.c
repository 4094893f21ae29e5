/* Makes the linearization of a stack's history from the order in which its values were eliminated:
 * a linked list that grows from the outside in. Its nodes are operations, each with its moment; it
 * is sorted by moments, so it respects precedence, and every push is put in together with its pop,
 * side by side, so it nests whatever comes between them later:
 *
 *     empty pops first; then the values in the order of their elimination
 *
 *          ... node |  push v, pop v | node ...
 *             last moment <= v's      first moment >= v's
 *             last for its push       first for its pop
 *
 * These two nodes are neighbours: all nodes so far stand at moments that were free when v was left,
 * so none is critical for v. The push happens at the moment at which it was free, or at the left
 * node's if that is later (it is within the push, too); the pop likewise. A value whose push and
 * pop overlap goes anywhere: both at one moment of theirs. */
#include "monitor/stack_order.h"

#include <assert.h>

#include "base/place_set.h"

#define NODE_NONE UINT32_MAX

/* Nodes: 2 v and 2 v + 1 are push and pop of element v; then the empty pops; then the list's head.
 */
struct nesting {
    struct elimination *elimination;
    const uint32_t *empty_at;
    struct budget *budget;
    uint32_t *next; /* by node */
    uint32_t *last; /* by moment in `taken`: its last node */
    struct place_set taken;
    uint32_t first_empty, head;
};

static bool nesting_init(struct nesting *nesting, struct elimination *elimination)
{
    struct budget *budget = elimination->budget;
    uint32_t moments = elimination->moments->count;
    *nesting = (struct nesting){.elimination = elimination, .budget = budget};
    nesting->first_empty = 2 * elimination->count;
    nesting->head = nesting->first_empty + elimination->values->empty_count;
    nesting->next = memory_allocate(budget, ((size_t)nesting->head + 1) * sizeof(uint32_t));
    nesting->last = memory_allocate(budget, moments * sizeof(uint32_t));
    if (!nesting->next || !nesting->last || !place_set_init(&nesting->taken, moments, budget))
        return false;
    nesting->next[nesting->head] = NODE_NONE;
    return true;
}

static void nesting_release(struct nesting *nesting)
{
    memory_release(nesting->budget, nesting->next, ((size_t)nesting->head + 1) * sizeof(uint32_t));
    memory_release(nesting->budget, nesting->last,
                   nesting->elimination->moments->count * sizeof(uint32_t));
    place_set_release(&nesting->taken);
}

/* The last moment up to `moment` that has nodes, and its last node; the head if there is none. */
static uint32_t last_node(const struct nesting *nesting, uint32_t moment, uint32_t *its_moment)
{
    uint32_t place = place_set_last(&nesting->taken, moment);
    *its_moment = place == PLACE_SET_NONE ? 0 : place;
    return place == PLACE_SET_NONE ? nesting->head : nesting->last[place];
}

static uint32_t node_moment(const struct nesting *nesting, uint32_t node)
{
    if (node >= nesting->first_empty)
        return nesting->empty_at[node - nesting->first_empty];
    const struct piece *piece = &nesting->elimination->pieces[node / 2];
    return node % 2 ? piece->remove_at : piece->add_at;
}

/* Makes `node`, which stands in the list, the last one of its moment. */
static void close_moment(struct nesting *nesting, uint32_t node, uint32_t moment)
{
    place_set_insert(&nesting->taken, moment);
    nesting->last[moment] = node;
}

static void insert_empty(struct nesting *nesting, uint32_t node)
{
    uint32_t moment = node_moment(nesting, node), left_moment;
    uint32_t left = last_node(nesting, moment, &left_moment);
    nesting->next[node] = nesting->next[left];
    nesting->next[left] = node;
    close_moment(nesting, node, moment);
}

static void insert_pair(struct nesting *nesting, uint32_t element, uint32_t left)
{
    uint32_t push = 2 * element, pop = push + 1;
    nesting->next[pop] = nesting->next[left];
    nesting->next[push] = pop;
    nesting->next[left] = push;
}

static void insert_eliminated(struct nesting *nesting, uint32_t element)
{
    struct piece *piece = &nesting->elimination->pieces[element];
    uint32_t left_moment;
    uint32_t left = last_node(nesting, piece->stay.add_last, &left_moment);
    uint32_t right = nesting->next[left];
    insert_pair(nesting, element, left);
    if (piece->add_at < left_moment)
        piece->add_at = left_moment;
    close_moment(nesting, 2 * element, piece->add_at);
    uint32_t right_moment = right == NODE_NONE ? MOMENT_NONE : node_moment(nesting, right);
    assert(piece->stay.remove_first <= right_moment);
    if (piece->remove_at < right_moment)
        close_moment(nesting, 2 * element + 1, piece->remove_at);
    else
        piece->remove_at = right_moment;
    assert(piece->add_at < piece->remove_at);
}

static void insert_overlapping(struct nesting *nesting, uint32_t element)
{
    struct piece *piece = &nesting->elimination->pieces[element];
    const struct stay *stay = &piece->stay;
    uint32_t moment = stay->add_first > stay->remove_first ? stay->add_first : stay->remove_first;
    uint32_t left_moment;
    insert_pair(nesting, element, last_node(nesting, moment, &left_moment));
    piece->add_at = piece->remove_at = moment;
    close_moment(nesting, 2 * element + 1, moment);
}

static bool append(const struct nesting *nesting, struct decision *decision)
{
    const struct values *values = nesting->elimination->values;
    if (!vector_reserve(&decision->linearization, values->part->count))
        return false;
    for (uint32_t node = nesting->next[nesting->head]; node != NODE_NONE;
         node = nesting->next[node]) {
        uint32_t interval;
        if (node >= nesting->first_empty)
            interval = values->empties[node - nesting->first_empty];
        else if (node % 2)
            interval = values->elements.items[node / 2].remove;
        else
            interval = values->elements.items[node / 2].add;
        if (interval != INTERVAL_NONE && !vector_push(&decision->linearization, interval))
            return false;
    }
    return true;
}

bool nesting_linearize(struct elimination *elimination, const uint32_t *empty_at,
                       struct decision *decision)
{
    struct nesting nesting;
    bool made = nesting_init(&nesting, elimination);
    nesting.empty_at = empty_at;
    for (uint32_t i = 0; made && i < elimination->values->empty_count; i++)
        insert_empty(&nesting, nesting.first_empty + i);
    for (uint32_t i = 0; made && i < elimination->eliminated; i++)
        insert_eliminated(&nesting, elimination->order[i]);
    for (uint32_t i = 0; made && i < elimination->count; i++)
        if (!stay_is_critical(&elimination->pieces[i].stay))
            insert_overlapping(&nesting, i);
    made = made && append(&nesting, decision);
    nesting_release(&nesting);
    return made;
}
