/* Depth first over the product, as Couvreur does it (On-the-fly Verification of Linear Temporal
 * Logic, FM 1999): the nodes on the path fall into pieces of strongly connected components, each
 * with the acceptance sets on its edges so far. An edge back to a node that is not done makes one
 * of all pieces from that node's on. As soon as a piece has an edge inside and every acceptance
 * set, a run is accepted; no node is visited twice, and no automaton with a single acceptance set
 * is needed.
 *
 * With fairness a piece does not tell: each component that is complete and has every acceptance set
 * is handed to fairness.c as a graph of its own. */
#include "property/liveness.h"

#include <assert.h>

#include "explore/depth_first.h"

#define DONE       UINT32_MAX
#define LOOK_EVERY 4096 /* nodes between two looks at the limits */

/* A piece of a component: from the node with index `root` on. */
struct piece {
    uint32_t root;
    bool cyclic;         /* it has an edge inside */
    uint64_t acceptance; /* of the edges inside */
    uint64_t entered_by; /* of the edge that leads to it */
};

struct search {
    const struct liveness_options *options;
    struct liveness *result;
    struct product product;
    uint64_t all;           /* acceptance sets */
    VECTOR(uint32_t) index; /* by node; 0: not visited, DONE */
    uint32_t count;
    VECTOR(node_id) live; /* nodes that are not done, in the order of their index */
    VECTOR(struct piece) pieces;
    struct depth_first search;
    VECTOR(struct product_cursor) cursors; /* by node on the path */
    uint64_t acceptance;                   /* of the edge followed last */
    bool accepted;
};

static enum status enter(struct search *search, node_id node)
{
    const struct piece piece = {.root = ++search->count, .entered_by = search->acceptance};
    if (!vector_reserve(&search->cursors, search->cursors.length + 1) ||
        !vector_push(&search->live, node) || !vector_push(&search->pieces, piece))
        return STATUS_LIMIT;
    search->index.items[node] = search->count;
    TRY(product_open(&search->product, node, &search->cursors.items[search->cursors.length]));
    search->cursors.length++;
    if (search->cursors.length > search->result->depth)
        search->result->depth = search->cursors.length;
    if (search->count % LOOK_EVERY == 0) {
        atomic_store(&search->options->limits->work, search->count);
        if (limits_reached(search->options->limits) != LIMIT_NONE)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* An edge leads back to a node with that index: what is above its piece becomes part of it. */
static void join_pieces(struct search *search, uint32_t index, uint64_t acceptance)
{
    struct piece *piece = &search->pieces.items[search->pieces.length - 1];
    while (piece->root > index) {
        acceptance |= piece->acceptance | piece->entered_by;
        search->pieces.length--;
        piece--;
    }
    piece->acceptance |= acceptance;
    piece->cyclic = true;
}

static bool accepts(const struct search *search, const struct piece *piece)
{
    return piece->cyclic && (piece->acceptance & search->all) == search->all;
}

/* The nodes of the top piece are `live` from here on. */
static size_t first_of_piece(const struct search *search)
{
    uint32_t root = search->pieces.items[search->pieces.length - 1].root;
    size_t at = search->live.length;
    while (at > 0 && search->index.items[search->live.items[at - 1]] >= root)
        at--;
    return at;
}

/* A run in the top piece. */
static enum status tell(struct search *search, bool *found)
{
    size_t first = first_of_piece(search);
    return liveness_run_find(&search->product, search->options, search->live.items + first,
                             search->live.length - first, search->result, found);
}

/* The component that the path's last node began is complete. */
static enum status close_component(struct search *search)
{
    const struct piece *piece = &search->pieces.items[search->pieces.length - 1];
    if (search->options->fairness != FAIRNESS_NONE && accepts(search, piece)) {
        TRY(tell(search, &search->accepted));
        if (search->accepted || search->result->too_many)
            return STATUS_OK;
    }
    size_t first = first_of_piece(search);
    for (size_t i = first; i < search->live.length; i++)
        search->index.items[search->live.items[i]] = DONE;
    search->live.length = first;
    search->pieces.length--;
    return STATUS_OK;
}

static enum status meet(void *self, uint32_t node, bool *go_there)
{
    struct search *search = self;
    while (search->index.length <= node)
        if (!vector_push(&search->index, 0))
            return STATUS_LIMIT;
    uint32_t index = search->index.items[node];
    *go_there = index == 0;
    if (*go_there)
        return enter(search, node);
    if (index == DONE)
        return STATUS_OK;
    join_pieces(search, index, search->acceptance);
    if (search->options->fairness == FAIRNESS_NONE &&
        accepts(search, &search->pieces.items[search->pieces.length - 1]))
        TRY(tell(search, &search->accepted));
    search->search.stop = search->accepted || search->result->too_many;
    return STATUS_OK;
}

/* The edges of a node come one after the other. */
static enum status follow(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct search *search = self;
    struct product_cursor *cursor = &search->cursors.items[search->cursors.length - 1];
    struct product_edge edge;
    bool more;
    (void)number;
    assert(cursor->node == node);
    (void)node;
    TRY(product_next(&search->product, cursor, &edge, &more));
    if (!more)
        return STATUS_OK;
    search->acceptance = edge.acceptance;
    *target = edge.target;
    return STATUS_OK;
}

static enum status leave(void *self, uint32_t node)
{
    struct search *search = self;
    search->cursors.length--;
    assert(search->pieces.items[search->pieces.length - 1].root <= search->index.items[node]);
    if (search->pieces.items[search->pieces.length - 1].root == search->index.items[node])
        TRY(close_component(search));
    search->search.stop = search->accepted || search->result->too_many;
    return STATUS_OK;
}

static enum status search_all(struct search *search)
{
    static const struct depth_visitor visitor = {meet, follow, leave};
    for (size_t i = 0; i < search->product.initial.length; i++) {
        search->acceptance = 0;
        if (!search->accepted && !search->result->too_many)
            TRY(depth_first_from(&search->search, &visitor, search,
                                 search->product.initial.items[i]));
    }
    if (search->accepted)
        search->result->answer = VIOLATED;
    else if (!search->result->too_many)
        search->result->answer = HOLDS;
    return STATUS_OK;
}

static enum status end(struct search *search, enum status status)
{
    struct liveness *result = search->result;
    if (status == STATUS_INPUT) {
        enum status led = liveness_run_to_fault(&search->product, result);
        status = led == STATUS_OK ? status : led;
    }
    if (status == STATUS_LIMIT) {
        result->answer = UNDECIDED;
        result->limit = limits_which(search->options->limits);
        status = STATUS_OK;
    }
    return status;
}

enum status liveness_search(struct graph *graph, const struct liveness_options *options,
                            struct liveness *result, struct error *error)
{
    struct budget *budget = options->limits->budget;
    struct search search = {
        .options = options, .result = result, .all = buchi_all_sets(options->automaton)};
    vector_init(&search.index, budget);
    vector_init(&search.live, budget);
    vector_init(&search.pieces, budget);
    vector_init(&search.cursors, budget);
    depth_first_init(&search.search, budget);
    enum status status = product_create(graph, options, &search.product, error);
    if (status == STATUS_OK)
        status = search_all(&search);
    result->states = search.product.nodes.length;
    result->transitions = search.product.transitions;
    result->met = search.product.met;
    status = end(&search, status);
    product_release(&search.product);
    vector_release(&search.index);
    vector_release(&search.live);
    vector_release(&search.pieces);
    vector_release(&search.cursors);
    depth_first_release(&search.search);
    return status;
}
