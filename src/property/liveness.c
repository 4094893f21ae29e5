/* Emptiness of the product on the fly, as Couvreur does it (On-the-fly Verification of Linear
 * Temporal Logic, FM 1999): explore/components.c knows of each piece of a component, while it
 * grows, which acceptance sets are on its edges. As soon as a piece has an edge inside and every
 * acceptance set, a run is accepted; no node is visited twice, and no automaton with a single
 * acceptance set is needed.
 *
 * With fairness a piece does not tell: each component that is complete and has every acceptance set
 * is handed to fairness.c as a graph of its own. */
#include "property/liveness.h"

#include <assert.h>
#include <inttypes.h>

#include "base/log.h"
#include "explore/components.h"

struct search {
    const struct liveness_options *options;
    struct liveness *result;
    struct product product;
    uint64_t all; /* acceptance sets */
    struct components components;
    struct explorer explorer;
    VECTOR(struct product_cursor) cursors; /* by node on the path */
    bool accepted;
};

static enum status enter(struct search *search, node_id node)
{
    TRY_MEMORY(vector_reserve(&search->cursors, search->cursors.length + 1));
    TRY(product_open(&search->product, node, &search->cursors.items[search->cursors.length]));
    search->cursors.length++;
    assert(search->cursors.length == search->components.search.path.length);
    if (search->cursors.length > search->result->depth)
        search->result->depth = search->cursors.length;
    return STATUS_OK;
}

/* The edges of a node come one after the other. */
static enum status edge(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct search *search = self;
    struct product_edge edge;
    bool more;
    if (number == 0)
        TRY(enter(search, node));
    struct product_cursor *cursor = &search->cursors.items[search->cursors.length - 1];
    assert(cursor->node == node);
    TRY(product_next(&search->product, cursor, &edge, &more));
    if (!more) {
        search->cursors.length--;
        return STATUS_OK;
    }
    search->components.marks = edge.acceptance;
    *target = edge.target;
    return STATUS_OK;
}

static bool accepts(const struct search *search)
{
    const struct component_piece *piece = components_piece(&search->components);
    return piece->cyclic && (piece->marks & search->all) == search->all;
}

/* Looks for a run among nodes that lead to each other, with every acceptance set. */
static enum status tell(struct search *search, const node_id *nodes, size_t count, bool *stop)
{
    TRY(liveness_run_find(&search->product, search->options, nodes, count, search->result,
                          &search->accepted));
    LOG(search->explorer.log, "liveness: %s among %zu pairs that lead to each other",
        search->accepted ? "a run is accepted" : "no fair run is accepted", count);
    *stop = search->accepted || search->result->too_many;
    return STATUS_OK;
}

/* Without fairness a run can stay in the piece. */
static enum status closed(void *self, bool *stop)
{
    struct search *search = self;
    const struct components *components = &search->components;
    const size_t first = components_piece(components)->first;
    assert(first < components->open.length);
    if (search->options->fairness != FAIRNESS_NONE || !accepts(search))
        return STATUS_OK;
    return tell(search, components->open.items + first, components->open.length - first, stop);
}

static enum status complete(void *self, const uint32_t *members, uint32_t count, bool *stop)
{
    struct search *search = self;
    if (search->options->fairness == FAIRNESS_NONE || !accepts(search))
        return STATUS_OK;
    return tell(search, members, count, stop);
}

static enum status search_all(struct search *search)
{
    const struct buchi *automaton = search->options->automaton;
    LOG(search->explorer.log,
        "liveness: automaton with %" PRIu32 " states, %" PRIu32 " acceptance sets",
        automaton->state_count, automaton->acceptance_count);
    for (size_t i = 0; i < search->product.initial.length; i++)
        if (!search->accepted && !search->result->too_many)
            TRY(components_from(&search->components, search->product.initial.items[i]));
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
        execution_release(&result->execution); /* a run may be half written */
        execution_init(&result->execution, search->options->limits->budget);
        status = STATUS_OK;
    }
    return status;
}

enum status liveness_search(struct graph *graph, const struct liveness_options *options,
                            struct liveness *result, struct error *error)
{
    static const struct components_of of = {edge, complete, closed};
    struct budget *budget = options->limits->budget;
    struct search search = {
        .options = options, .result = result, .all = buchi_all_sets(options->automaton)};
    vector_init(&search.cursors, budget);
    explorer_init(&search.explorer, EXPLORE_ALONG_EDGES, options->limits, budget);
    search.explorer.work = &options->limits->work;
    search.explorer.task = "liveness";
    search.explorer.nodes = "pairs";
    enum status status = product_create(graph, options, &search.product, error);
    if (!components_init(&search.components, &of, &search, 0, budget))
        status = STATUS_LIMIT;
    search.components.search.explorer = &search.explorer;
    if (status == STATUS_OK)
        status = search_all(&search);
    explorer_tell_end(&search.explorer, status);
    result->states = search.product.nodes.length;
    result->transitions = search.product.transitions;
    result->met = search.product.met;
    status = end(&search, status);
    product_release(&search.product);
    components_release(&search.components);
    explorer_release(&search.explorer);
    vector_release(&search.cursors);
    return status;
}
