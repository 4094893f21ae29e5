/* Nodes are interned by chains, one for each state of the graph; edges are made when they are asked
 * for, from the graph's edge, its letter, and the automaton's edges that read that. */
#include "property/product.h"

#include <assert.h>
#include <string.h>

/* ---- letters ---- */

/* Whether the label, which is written `text`, is one that the atom stands for. */
static bool is_meant(const struct liveness_atom *atom, const struct labels *labels, label l,
                     const char *text)
{
    if (!atom->event || atom->thread == LIVENESS_EXACTLY)
        return atom->event && strcmp(atom->event, text) == 0;
    const struct action *event = labels_get(labels, l);
    return event->kind == atom->kind && strcmp(event->name, atom->event) == 0 &&
           (atom->thread == LIVENESS_ANYBODYS ||
            (event->count > 0 && event->components[0] == (uint32_t)atom->thread));
}

/* Labels are many and letters few: what a label means is looked up once. */
static enum status event_letter(struct product *product, label by, uint64_t *letter)
{
    struct text text = TEXT_EMPTY;
    const struct labels *labels = product->graph->model->labels;
    while (product->event_letters.length <= by) {
        label l = (label)product->event_letters.length;
        uint64_t mask = 0;
        text_clear(&text);
        if (labels_kind(labels, l) != LABEL_NOTE)
            labels_print(labels, l, &text);
        for (unsigned i = 0; i < product->atom_count && text.length > 0; i++)
            if (is_meant(&product->atoms[i], labels, l, text_string(&text)))
                mask |= UINT64_C(1) << i;
        if (!vector_push(&product->event_letters, mask)) {
            text_release(&text);
            return STATUS_LIMIT;
        }
    }
    text_release(&text);
    *letter = product->event_letters.items[by];
    return STATUS_OK;
}

static enum status evaluate_state(struct product *product, state_id state, uint64_t *letter)
{
    const uint32_t *slots = graph_state(product->graph, state);
    *letter = 0;
    for (unsigned i = 0; i < product->atom_count; i++) {
        int64_t value;
        if (product->atoms[i].event)
            continue;
        enum status status = worker_evaluate(
            product->graph->own.worker, product->atoms[i].condition, slots, &value, product->error);
        if (status == STATUS_INPUT)
            product->faulty = state;
        TRY(status);
        if (value)
            *letter |= UINT64_C(1) << i;
    }
    return STATUS_OK;
}

static enum status state_letter(struct product *product, state_id state, uint64_t *letter)
{
    *letter = 0;
    if (!product->conditions)
        return STATUS_OK;
    while (product->state_known.length <= state)
        TRY_MEMORY(vector_push(&product->state_known, false) &&
                   vector_push(&product->state_letters, 0));
    if (!product->state_known.items[state]) {
        TRY(evaluate_state(product, state, &product->state_letters.items[state]));
        product->state_known.items[state] = true;
    }
    *letter = product->state_letters.items[state];
    return STATUS_OK;
}

enum status product_letter(struct product *product, label by, state_id state, uint64_t *letter)
{
    uint64_t events, conditions;
    TRY(event_letter(product, by, &events));
    TRY(state_letter(product, state, &conditions));
    *letter = events | conditions;
    product->met |= *letter;
    return STATUS_OK;
}

enum status product_first_letter(struct product *product, state_id state, uint64_t *letter)
{
    TRY(state_letter(product, state, letter));
    for (unsigned i = 0; i < product->atom_count; i++)
        if (product->atoms[i].event && strcmp(product->atoms[i].event, "init") == 0)
            *letter |= UINT64_C(1) << i;
    product->met |= *letter;
    return STATUS_OK;
}

/* ---- nodes ---- */

static uint32_t automaton_states(const struct product *product)
{
    return product->automaton->state_count;
}

enum status product_last_letter(struct product *product, node_id node, uint64_t *letter)
{
    const struct product_node *known = &product->nodes.items[node];
    uint32_t repeated = known->place / automaton_states(product);
    assert(repeated < product->repeated.length);
    if (repeated == 0)
        return state_letter(product, known->state, letter);
    *letter = product->repeated.items[repeated];
    return STATUS_OK;
}

/* The number of a letter that is read for ever. */
static enum status repeated_letter(struct product *product, uint64_t letter, uint32_t *number)
{
    for (*number = 1; *number < product->repeated.length; ++*number)
        if (product->repeated.items[*number] == letter)
            return STATUS_OK;
    return granted(vector_push(&product->repeated, letter));
}

/* The edges of a state; where nothing is added any more those of one not expanded are not known. */
static enum status edges_of(struct product *product, state_id state, const struct edge **edges,
                            uint32_t *count, bool *known)
{
    *known = !product->known_only || graph_is_expanded(product->graph, state);
    if (!*known) {
        *count = 0;
        return STATUS_OK;
    }
    enum status status = graph_edges(product->graph, state, edges, count, product->error);
    if (status == STATUS_INPUT)
        product->faulty = state;
    return status;
}

/* A state has at most as many nodes as the automaton has states, and the letters it ends with. */
static enum status find_node(struct product *product, state_id state, uint32_t place, node_id *node)
{
    while (product->first_nodes.length <= state)
        TRY_MEMORY(vector_push(&product->first_nodes, NODE_NONE));
    for (*node = product->first_nodes.items[state]; *node != NODE_NONE;
         *node = product->nodes.items[*node].next) {
        assert(product->nodes.items[*node].state == state);
        if (product->nodes.items[*node].place == place)
            return STATUS_OK;
    }
    if (product->known_only)
        return STATUS_OK;
    const struct product_node made = {state, place, product->first_nodes.items[state]};
    if (product->nodes.length >= NODE_NONE - 1 || !vector_push(&product->nodes, made))
        return STATUS_LIMIT;
    *node = product->first_nodes.items[state] = (node_id)product->nodes.length - 1;
    return STATUS_OK;
}

enum status product_enter(struct product *product, state_id state, uint64_t letter,
                          const struct buchi_edge *by, node_id *node)
{
    uint32_t place = by->target;
    if (letter & ~product->conditions) { /* an event that is named: does the run end here? */
        const struct edge *edges;
        uint32_t count, number;
        bool known;
        TRY(edges_of(product, state, &edges, &count, &known));
        if (known && count == 0) {
            TRY(repeated_letter(product, letter, &number));
            place += number * automaton_states(product);
        }
    }
    return find_node(product, state, place, node);
}

/* ---- edges ---- */

/* Reads the letter of the edge that the cursor stands at. */
static enum status read_letter(struct product *product, struct product_cursor *cursor)
{
    uint32_t place = cursor->place;
    assert(place < product->automaton->state_count && cursor->edge <= cursor->count);
    cursor->next = product->automaton->first.items[place];
    if (cursor->edge >= cursor->count)
        return STATUS_OK;
    if (!cursor->edges)
        return product_last_letter(product, cursor->node, &cursor->letter);
    const struct edge *edge = &cursor->edges[cursor->edge];
    return product_letter(product, edge->label, edge->target, &cursor->letter);
}

enum status product_open(struct product *product, node_id node, struct product_cursor *cursor)
{
    bool known;
    *cursor = (struct product_cursor){
        .node = node, .state = product_state(product, node), .place = product_place(product, node)};
    TRY(edges_of(product, cursor->state, &cursor->edges, &cursor->count, &known));
    if (known && cursor->count == 0) { /* the run has ended: one step in place */
        cursor->edges = NULL;
        cursor->count = 1;
    }
    return read_letter(product, cursor);
}

enum status product_next(struct product *product, struct product_cursor *cursor,
                         struct product_edge *edge, bool *more)
{
    const struct buchi *automaton = product->automaton;
    uint32_t end = automaton->first.items[cursor->place + 1];
    *more = false;
    while (cursor->edge < cursor->count) {
        while (cursor->next < end) {
            const struct buchi_edge *by = &automaton->edges.items[cursor->next++];
            if (!buchi_edge_reads(by, cursor->letter))
                continue;
            const struct edge *taken = cursor->edges ? &cursor->edges[cursor->edge] : NULL;
            edge->acceptance = by->acceptance;
            edge->label = taken ? taken->label : LABEL_TAU;
            TRY(product_enter(product, taken ? taken->target : cursor->state, cursor->letter, by,
                              &edge->target));
            if (edge->target == NODE_NONE)
                continue;
            product->transitions++;
            *more = true;
            return STATUS_OK;
        }
        cursor->edge++;
        TRY(read_letter(product, cursor));
    }
    return STATUS_OK;
}

/* ---- creation ---- */

static enum status enter_first(struct product *product, state_id state)
{
    const struct buchi *automaton = product->automaton;
    uint64_t letter;
    TRY(product_first_letter(product, state, &letter));
    for (size_t i = 0; i < automaton->initial.length; i++) {
        uint32_t from = automaton->initial.items[i];
        for (uint32_t e = automaton->first.items[from]; e < automaton->first.items[from + 1]; e++) {
            node_id node;
            if (!buchi_edge_reads(&automaton->edges.items[e], letter))
                continue;
            TRY(product_enter(product, state, letter, &automaton->edges.items[e], &node));
            TRY_MEMORY(vector_push(&product->initial, node));
        }
    }
    return STATUS_OK;
}

enum status product_create(struct graph *graph, const struct liveness_options *options,
                           struct product *product, struct error *error)
{
    struct budget *budget = options->limits->budget;
    *product = (struct product){.graph = graph,
                                .automaton = options->automaton,
                                .atoms = options->atoms,
                                .atom_count = options->atom_count,
                                .faulty = STATE_REFUSED,
                                .error = error};
    for (unsigned i = 0; i < options->atom_count; i++)
        if (!options->atoms[i].event)
            product->conditions |= UINT64_C(1) << i;
    vectors_init(budget, &product->nodes, &product->first_nodes, &product->local,
                 &product->system_of, &product->initial, &product->repeated,
                 &product->event_letters, &product->state_letters, &product->state_known);
    TRY_MEMORY(vector_push(&product->repeated, 0));
    for (size_t i = 0; i < graph->initial.length; i++)
        TRY(enter_first(product, graph->initial.items[i]));
    return STATUS_OK;
}

void product_release(struct product *product)
{
    vectors_release(&product->nodes, &product->first_nodes, &product->local, &product->system_of,
                    &product->initial, &product->repeated, &product->event_letters,
                    &product->state_letters, &product->state_known);
}
