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
    VECTOR(struct product_cursor) path;
    bool accepted;
};

static enum status visit(struct search *search, node_id node, uint64_t entered_by)
{
    const struct piece piece = {.root = ++search->count, .entered_by = entered_by};
    if (!vector_reserve(&search->path, search->path.length + 1) ||
        !vector_push(&search->live, node) || !vector_push(&search->pieces, piece))
        return STATUS_LIMIT;
    search->index.items[node] = search->count;
    TRY(product_open(&search->product, node, &search->path.items[search->path.length]));
    search->path.length++;
    if (search->path.length > search->result->depth)
        search->result->depth = search->path.length;
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

static enum status follow(struct search *search, const struct product_edge *edge)
{
    while (search->index.length <= edge->target)
        if (!vector_push(&search->index, 0))
            return STATUS_LIMIT;
    uint32_t index = search->index.items[edge->target];
    if (index == 0)
        return visit(search, edge->target, edge->acceptance);
    if (index == DONE)
        return STATUS_OK;
    join_pieces(search, index, edge->acceptance);
    if (search->options->fairness == FAIRNESS_NONE &&
        accepts(search, &search->pieces.items[search->pieces.length - 1]))
        return tell(search, &search->accepted);
    return STATUS_OK;
}

static enum status search_from(struct search *search, node_id root)
{
    const struct product_edge first = {.target = root};
    TRY(follow(search, &first));
    while (search->path.length > 0 && !search->accepted && !search->result->too_many) {
        struct product_edge edge;
        bool more;
        struct product_cursor *cursor = &search->path.items[search->path.length - 1];
        TRY(product_next(&search->product, cursor, &edge, &more));
        if (more) {
            TRY(follow(search, &edge));
            continue;
        }
        uint32_t index = search->index.items[cursor->node];
        search->path.length--;
        if (search->pieces.items[search->pieces.length - 1].root == index)
            TRY(close_component(search));
    }
    return STATUS_OK;
}

static enum status search_all(struct search *search)
{
    for (size_t i = 0; i < search->product.initial.length; i++)
        if (!search->accepted && !search->result->too_many)
            TRY(search_from(search, search->product.initial.items[i]));
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
    vector_init(&search.path, budget);
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
    vector_release(&search.path);
    return status;
}
