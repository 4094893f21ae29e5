/* Graphs of whole systems and what is asked of them, by definition. */
#include "support/csp_oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/csp_oracle_linear.h"
#include "support/csp_oracle_term.h"

typedef const struct oracle_term *term;

#define NOWHERE SIZE_MAX

struct state {
    term control;
    struct oracle_valuation *valuation;
    const char *key;
    size_t depth;
    struct oracle_edge *edges;
    size_t edge_count;
    bool faulty;
};

struct oracle_graph {
    struct oracle_graph *next;
    const struct csp_process *reference;
    enum oracle_answer built; /* HOLDS: whole */
    const char *wrong;        /* UNDEFINED: why */
    struct state *states;
    size_t count, initial_count;
    size_t *table; /* by key: index + 1 */
    size_t table_size;
    bool too_large;
    const char *fault; /* the first; null: none */
};

/* ---- graphs ---- */

static const char *key_of(struct oracle *oracle, term control, struct oracle_valuation *valuation)
{
    struct writer text = {.oracle = oracle};
    writer_append(&text, control->text);
    for (size_t i = 0; i < oracle->module->variables.length; i++) {
        if (oracle->module->variables.items[i].hidden)
            continue;
        writer_char(&text, '\n');
        for (int32_t j = 0; j < oracle->lengths[i]; j++) {
            oracle_print_value(valuation->variables[i][j], &text);
            writer_char(&text, ' ');
        }
    }
    for (size_t i = 0; i < oracle->module->channels.length; i++)
        for (int32_t j = 0; j < oracle->channel_counts[i]; j++) {
            const struct oracle_queue *queue = &valuation->channels[i][j];
            writer_char(&text, '\n');
            for (unsigned k = 0; k < queue->count; k++) {
                writer_char(&text, '<');
                for (unsigned l = 0; l < queue->tuples[k].count; l++) {
                    oracle_print_value(queue->tuples[k].values[l], &text);
                    writer_char(&text, ' ');
                }
            }
        }
    return writer_text(&text);
}

static size_t hash(const char *key)
{
    size_t h = 1469598103934665603u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 1099511628211u;
    return h;
}

/* NOWHERE when there are too many. */
static size_t find_state(struct oracle *oracle, struct oracle_graph *lts, term control,
                         struct oracle_valuation *valuation, size_t depth)
{
    const char *key = key_of(oracle, control, valuation);
    size_t at = hash(key) % lts->table_size;
    for (; lts->table[at]; at = (at + 1) % lts->table_size)
        if (strcmp(lts->states[lts->table[at] - 1].key, key) == 0)
            return lts->table[at] - 1;
    if (lts->count == oracle->most_states) {
        lts->too_large = true;
        return NOWHERE;
    }
    lts->states[lts->count] =
        (struct state){.control = control, .valuation = valuation, .key = key, .depth = depth};
    lts->table[at] = ++lts->count;
    return lts->count - 1;
}

static bool has_label(const struct oracle_edge *edge, const char *label)
{
    return label && edge->label ? strcmp(edge->label, label) == 0 : edge->label == label;
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static void add_edge(struct oracle *oracle, struct state *state, const struct oracle_move *move,
                     size_t target)
{
    const struct oracle_edge made = {.label = move->label,
                                     .shown = move->shown,
                                     .processes = move->processes ? move->processes : 1,
                                     .target = target};
    for (size_t i = 0; i < state->edge_count; i++) {
        const struct oracle_edge *known = &state->edges[i];
        bool same = same_text(known->shown, made.shown) && known->processes == made.processes;
        if (has_label(known, made.label) && known->target == target && (same || !oracle->apart))
            return;
    }
    struct oracle_edge *edges = oracle_allocate(oracle, (state->edge_count + 1) * sizeof *edges);
    if (state->edge_count)
        memcpy(edges, state->edges, state->edge_count * sizeof *edges);
    edges[state->edge_count++] = made;
    state->edges = edges;
}

static void expand(struct oracle *oracle, struct oracle_graph *lts, size_t from)
{
    jmp_buf escape;
    oracle->escape = &escape;
    if (setjmp(escape)) {
        lts->states[from].faulty = true;
        lts->states[from].edge_count = 0;
        if (!lts->fault)
            lts->fault = oracle->message;
        return;
    }
    oracle->control = lts->states[from].control;
    oracle->now = lts->states[from].valuation;
    struct oracle_moves moves =
        oracle_moves(oracle, lts->states[from].control, lts->states[from].valuation);
    for (unsigned i = 0; i < moves.count && !lts->too_large; i++) {
        size_t to = find_state(oracle, lts, moves.items[i].target,
                               oracle_take(oracle, &moves.items[i], lts->states[from].valuation),
                               lts->states[from].depth + 1);
        if (to != NOWHERE)
            add_edge(oracle, &lts->states[from], &moves.items[i], to);
    }
}

/* Every combination of the wild variables' values from `variable`, `element` on. */
static void add_initial(struct oracle *oracle, struct oracle_graph *lts, term control,
                        struct oracle_valuation *valuation, size_t variable, int32_t element)
{
    const struct csp_module *module = oracle->module;
    if (variable == module->variables.length) {
        (void)find_state(oracle, lts, control, oracle_copy(oracle, valuation), 0);
        return;
    }
    const struct csp_variable *declared = &module->variables.items[variable];
    bool wild = declared->initial && declared->initial->kind == EXPRESSION_WILD;
    if (!wild || element == oracle->lengths[variable]) {
        add_initial(oracle, lts, control, valuation, variable + 1, 0);
        return;
    }
    for (int32_t v = oracle_constant(oracle, declared->low, NULL);
         v <= oracle_constant(oracle, declared->high, NULL); v++) {
        valuation->variables[variable][element].number = v;
        add_initial(oracle, lts, control, valuation, variable, element + 1);
    }
}

/* False when the model is wrong. */
static bool start(struct oracle *oracle, struct oracle_graph *lts,
                  const struct csp_process *reference)
{
    jmp_buf escape;
    oracle->escape = &escape;
    if (setjmp(escape))
        return false;
    if (!oracle->initial)
        oracle_declare(oracle);
    lts->table_size = oracle->most_states * 2 + 8;
    lts->table = oracle_allocate(oracle, lts->table_size * sizeof *lts->table);
    lts->states = oracle_allocate(oracle, oracle->most_states * sizeof *lts->states);
    term control = oracle_instantiate(oracle, reference, NULL);
    add_initial(oracle, lts, control, oracle_copy(oracle, oracle->initial), 0, 0);
    lts->initial_count = lts->count;
    return true;
}

/* The graph of a process, built when first asked for. */
static struct oracle_graph *build(struct oracle *oracle, const struct csp_process *reference)
{
    for (struct oracle_graph *graph = oracle->graphs; graph; graph = graph->next)
        if (reference->argument_count == 0 && graph->reference->argument_count == 0 &&
            strcmp(graph->reference->name, reference->name) == 0)
            return graph;
    struct oracle_graph *lts = oracle_allocate(oracle, sizeof *lts);
    *lts = (struct oracle_graph){.next = oracle->graphs, .reference = reference};
    oracle->graphs = lts;
    if (!start(oracle, lts, reference)) {
        lts->built = ORACLE_UNDEFINED;
        lts->wrong = oracle->message;
        return lts;
    }
    for (size_t i = 0; i < lts->count && !lts->too_large; i++)
        expand(oracle, lts, i);
    lts->built = lts->too_large ? ORACLE_TOO_LARGE : ORACLE_HOLDS;
    return lts;
}

static bool is_terminate(const struct oracle_edge *edge)
{
    return edge->label && strcmp(edge->label, "terminate") == 0;
}

static bool is_stable(const struct state *state)
{
    for (size_t i = 0; i < state->edge_count; i++)
        if (!state->edges[i].label)
            return false;
    return true;
}

/* Whether invisible steps alone lead from `from` to `to`, in one step or more. */
static bool silently_reaches(const struct oracle_graph *lts, size_t from, size_t to, bool *seen)
{
    for (size_t i = 0; i < lts->states[from].edge_count; i++) {
        const struct oracle_edge *edge = &lts->states[from].edges[i];
        if (edge->label)
            continue;
        if (edge->target == to)
            return true;
        if (seen[edge->target])
            continue;
        seen[edge->target] = true;
        if (silently_reaches(lts, edge->target, to, seen))
            return true;
    }
    return false;
}

static bool is_on_cycle(struct oracle *oracle, const struct oracle_graph *lts, size_t state)
{
    bool *seen = oracle_allocate(oracle, lts->count * sizeof *seen);
    return silently_reaches(lts, state, state, seen);
}

static bool diverges(struct oracle *oracle, const struct oracle_graph *lts, size_t state)
{
    bool *seen = oracle_allocate(oracle, lts->count * sizeof *seen);
    (void)silently_reaches(lts, state, NOWHERE, seen);
    seen[state] = true;
    for (size_t i = 0; i < lts->count; i++)
        if (seen[i] && is_on_cycle(oracle, lts, i))
            return true;
    return false;
}

/* ---- questions about states ---- */

static void violate(struct oracle_result *result, size_t length)
{
    if (result->answer != ORACLE_VIOLATED || length < result->length)
        result->length = length;
    result->answer = ORACLE_VIOLATED;
}

static void look_for_deadlock(const struct oracle_graph *lts, bool terminating,
                              struct oracle_result *result)
{
    for (size_t i = 0; i < lts->count; i++) {
        const struct state *state = &lts->states[i];
        if (i < lts->initial_count && !state->faulty && state->edge_count == 0)
            violate(result, 0);
        for (size_t j = 0; j < state->edge_count; j++) {
            const struct state *target = &lts->states[state->edges[j].target];
            if (is_terminate(&state->edges[j]) ? terminating
                                               : target->edge_count == 0 && !target->faulty)
                violate(result, state->depth + 1);
        }
    }
}

static void look_for_nondeterminism(const struct oracle_graph *lts, struct oracle_result *result)
{
    for (size_t i = 0; i < lts->count; i++) {
        const struct state *state = &lts->states[i];
        for (size_t j = 0; j < state->edge_count; j++)
            for (size_t k = 0; k < j; k++)
                if (has_label(&state->edges[j], state->edges[k].label))
                    violate(result, state->depth + 1); /* equal edges are there once */
    }
}

static void look_for_divergence(struct oracle *oracle, const struct oracle_graph *lts,
                                struct oracle_result *result)
{
    for (size_t i = 0; i < lts->count; i++)
        if (is_on_cycle(oracle, lts, i))
            violate(result, lts->states[i].depth);
}

/* A state in which the goal or the value that is asked for cannot be evaluated is a fault; the
 * others are looked at all the same. */
static void look_at_goal(struct oracle *oracle, const struct state *state,
                         const struct csp_expression *goal, const struct csp_assertion *assertion,
                         struct oracle_result *result)
{
    jmp_buf escape;
    oracle->escape = &escape;
    if (setjmp(escape)) {
        result->faults = true;
        result->message = oracle->message;
        return;
    }
    oracle->control = state->control;
    oracle->now = state->valuation;
    if (!oracle_holds(oracle, goal, NULL, state->valuation))
        return;
    int32_t value = 0;
    if (assertion->extreme)
        value = oracle_evaluate(oracle, assertion->extreme, NULL, state->valuation).number;
    bool better = assertion->maximum ? value > result->extreme : value < result->extreme;
    if (result->answer == ORACLE_VIOLATED || better) {
        result->extreme = value;
        result->length = state->depth;
    }
    result->answer = ORACLE_HOLDS;
}

static void look_for_goal(struct oracle *oracle, const struct oracle_graph *lts,
                          const struct csp_assertion *assertion, struct oracle_result *result)
{
    int macro = oracle_macro(oracle, assertion->goal);
    result->answer = ORACLE_VIOLATED;
    if (macro < 0)
        oracle_fail(oracle, "%s is no proposition", assertion->goal);
    const struct csp_expression *goal = oracle->module->macros.items[macro].expression;
    for (size_t i = 0; i < lts->count; i++)
        look_at_goal(oracle, &lts->states[i], goal, assertion, result);
}

static void ask(struct oracle *oracle, const struct oracle_graph *lts,
                const struct csp_assertion *assertion, struct oracle_result *result)
{
    jmp_buf escape;
    oracle->escape = &escape;
    result->states = lts->count;
    result->faults = lts->fault != NULL;
    result->message = lts->fault;
    if (setjmp(escape)) {
        result->faults = true;
        result->message = oracle->message;
        return;
    }
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
        look_for_deadlock(lts, false, result);
        return;
    case ASSERTION_NONTERMINATING:
        look_for_deadlock(lts, true, result);
        return;
    case ASSERTION_DETERMINISTIC:
        look_for_nondeterminism(lts, result);
        return;
    case ASSERTION_DIVERGENCE_FREE:
        look_for_divergence(oracle, lts, result);
        return;
    default:
        look_for_goal(oracle, lts, assertion, result);
    }
}

/* ---- refinement: the product with the specification's subsets ---- */

struct pair {
    size_t state;
    bool *subset; /* of the specification's states */
    size_t depth;
};

struct product {
    struct oracle *oracle;
    const struct oracle_graph *implementation, *specification;
    enum csp_assertion_kind kind;
    struct pair *pairs;
    size_t count;
    bool too_large; /* more pairs than `most_states`: they do not decide */
    struct oracle_result *result;
};

static bool is_empty(const struct product *product, const bool *subset)
{
    for (size_t i = 0; i < product->specification->count; i++)
        if (subset[i])
            return false;
    return true;
}

/* Adds what invisible steps reach. */
static void close_subset(const struct product *product, bool *subset)
{
    const struct oracle_graph *specification = product->specification;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < specification->count; i++)
            for (size_t j = 0; subset[i] && j < specification->states[i].edge_count; j++) {
                const struct oracle_edge *edge = &specification->states[i].edges[j];
                if (!edge->label && !subset[edge->target])
                    more = subset[edge->target] = true;
            }
    }
}

static bool *subset_after(const struct product *product, const bool *subset, const char *label)
{
    const struct oracle_graph *specification = product->specification;
    bool *after = oracle_allocate(product->oracle, specification->count * sizeof *after);
    for (size_t i = 0; i < specification->count; i++)
        for (size_t j = 0; subset[i] && j < specification->states[i].edge_count; j++) {
            const struct oracle_edge *edge = &specification->states[i].edges[j];
            if (has_label(edge, label))
                after[edge->target] = true;
        }
    close_subset(product, after);
    return after;
}

static void add_pair(struct product *product, size_t state, bool *subset, size_t depth)
{
    for (size_t i = 0; i < product->count; i++)
        if (product->pairs[i].state == state &&
            memcmp(product->pairs[i].subset, subset,
                   product->specification->count * sizeof *subset) == 0)
            return;
    if (product->count == product->oracle->most_states)
        product->too_large = true;
    else
        product->pairs[product->count++] = (struct pair){state, subset, depth};
}

static bool can(const struct state *state, const char *label)
{
    for (size_t i = 0; i < state->edge_count; i++)
        if (has_label(&state->edges[i], label))
            return true;
    return false;
}

/* Whether the stable state `specified` can refuse all that the stable state `implemented` refuses:
 * every event of either system that `specified` can do, `implemented` can do. */
static bool may_refuse(const struct state *specified, const struct state *implemented)
{
    for (size_t i = 0; i < specified->edge_count; i++)
        if (!can(implemented, specified->edges[i].label))
            return false;
    return true;
}

/* Looks at the failures and divergences of a pair; false if its steps do not matter any more. */
static bool look_at_failures(struct product *product, const struct pair *pair)
{
    const struct oracle_graph *implementation = product->implementation;
    const struct oracle_graph *specification = product->specification;
    if (product->kind == ASSERTION_REFINES_FAILURES_DIVERGENCES) {
        for (size_t i = 0; i < specification->count; i++)
            if (pair->subset[i] && diverges(product->oracle, specification, i))
                return false;
        if (diverges(product->oracle, implementation, pair->state))
            violate(product->result, pair->depth);
    }
    const struct state *state = &implementation->states[pair->state];
    if (state->faulty || !is_stable(state))
        return true;
    for (size_t i = 0; i < specification->count; i++)
        if (pair->subset[i] && is_stable(&specification->states[i]) &&
            !specification->states[i].faulty && may_refuse(&specification->states[i], state))
            return true;
    violate(product->result, pair->depth);
    return true;
}

static void refine(struct product *product)
{
    const struct oracle_graph *implementation = product->implementation;
    struct oracle *oracle = product->oracle;
    bool *initial = oracle_allocate(oracle, product->specification->count * sizeof *initial);
    product->pairs = oracle_allocate(oracle, oracle->most_states * sizeof *product->pairs);
    for (size_t i = 0; i < product->specification->initial_count; i++)
        initial[i] = true;
    close_subset(product, initial);
    for (size_t i = 0; i < implementation->initial_count; i++)
        add_pair(product, i, initial, 0);
    for (size_t i = 0; i < product->count && !product->too_large; i++) {
        const struct pair pair = product->pairs[i];
        const struct state *state = &implementation->states[pair.state];
        product->result->faults |= state->faulty;
        if (product->kind != ASSERTION_REFINES && !look_at_failures(product, &pair))
            continue;
        for (size_t j = 0; j < state->edge_count; j++) {
            const struct oracle_edge *edge = &state->edges[j];
            bool *after =
                edge->label ? subset_after(product, pair.subset, edge->label) : pair.subset;
            if (is_empty(product, after))
                violate(product->result, pair.depth + 1);
            else
                add_pair(product, edge->target, after, pair.depth + 1);
        }
    }
    product->result->states = product->count;
    if (product->too_large)
        product->result->answer = ORACLE_TOO_LARGE;
}

static void refine_graphs(struct oracle *oracle, const struct oracle_graph *implementation,
                          const struct oracle_graph *specification, enum csp_assertion_kind kind,
                          struct oracle_result *result)
{
    struct product product = {.oracle = oracle,
                              .implementation = implementation,
                              .specification = specification,
                              .kind = kind,
                              .result = result};
    result->faults = specification->fault != NULL;
    result->message = specification->fault ? specification->fault : implementation->fault;
    refine(&product);
}

/* ---- linearizability: refinement of the specification as a process ---- */

/* The graph with only calls and responses visible. */
static struct oracle_graph hide_steps(struct oracle *oracle, const struct oracle_graph *lts)
{
    struct oracle_graph hidden = *lts;
    hidden.states = oracle_allocate(oracle, lts->count * sizeof *hidden.states);
    for (size_t i = 0; i < lts->count; i++) {
        hidden.states[i] = lts->states[i];
        size_t size = lts->states[i].edge_count * sizeof *hidden.states[i].edges;
        struct oracle_edge *edges = hidden.states[i].edges = oracle_allocate(oracle, size);
        for (size_t j = 0; j < lts->states[i].edge_count; j++) {
            edges[j] = lts->states[i].edges[j];
            const char *label = edges[j].label;
            if (label && strncmp(label, "inv.", 4) != 0 && strncmp(label, "res.", 4) != 0)
                edges[j].label = NULL;
        }
    }
    return hidden;
}

static bool performs_some(const struct oracle_graph *lts, const char *prefix)
{
    bool found = false;
    for (size_t i = 0; i < lts->count; i++)
        for (size_t j = 0; j < lts->states[i].edge_count; j++)
            found |= lts->states[i].edges[j].label &&
                     strncmp(lts->states[i].edges[j].label, prefix, 4) == 0;
    return found;
}

static void linearizes(struct oracle *oracle, const struct oracle_graph *implementation,
                       const struct csp_assertion *assertion, struct oracle_result *result)
{
    struct oracle_linear_module linear;
    bool three = oracle_definition(oracle, "T2") >= 0; /* as csp_random_object.c has it */
    const struct csp_process *process =
        oracle_linear_open(&linear, assertion->goal, three ? 3 : 2, three ? 1 : 2);
    struct oracle *other = oracle_create(&linear.module, 3000);
    const struct oracle_graph *specification = build(other, process);
    assert(specification->built == ORACLE_HOLDS);
    struct oracle_graph left = hide_steps(oracle, implementation);
    struct oracle_graph right = hide_steps(other, specification);
    refine_graphs(oracle, &left, &right, ASSERTION_REFINES, result);
    result->message = NULL;
    if (result->answer == ORACLE_HOLDS &&
        !(performs_some(&left, "inv.") && performs_some(&left, "res."))) {
        result->faults = true;
        result->message = "nothing is called, or nothing answers";
    }
    oracle_destroy(other);
    oracle_linear_close(&linear);
}

/* ---- the interface ---- */

struct oracle *oracle_create(const struct csp_module *module, size_t most_states)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    assert(oracle);
    oracle->module = module;
    oracle->most_states = most_states;
    budget_init(&oracle->budget, NULL, 0);
    arena_init(&oracle->arena, &oracle->budget);
    return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
    arena_release(&oracle->arena);
    free(oracle);
}

void oracle_decide(struct oracle *oracle, const struct csp_assertion *assertion,
                   struct oracle_result *result)
{
    const struct oracle_graph *implementation = build(oracle, assertion->process), *specification;
    *result =
        (struct oracle_result){.answer = implementation->built, .message = implementation->wrong};
    if (result->answer != ORACLE_HOLDS)
        return;
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_REFINES:
    case ASSERTION_REFINES_FAILURES:
    case ASSERTION_REFINES_FAILURES_DIVERGENCES:
        specification = build(oracle, assertion->specification);
        result->answer = specification->built;
        result->message = specification->wrong;
        if (result->answer == ORACLE_HOLDS)
            refine_graphs(oracle, implementation, specification,
                          (enum csp_assertion_kind)assertion->kind, result);
        return;
    case ASSERTION_LINEARIZES:
        linearizes(oracle, implementation, assertion, result);
        return;
    default:
        ask(oracle, implementation, assertion, result);
    }
}

bool oracle_performs(struct oracle *oracle, const struct csp_process *reference,
                     const char *const *labels, size_t count, bool weak)
{
    const struct oracle_graph *lts = build(oracle, reference);
    if (lts->built == ORACLE_UNDEFINED)
        return false;
    struct product all = {.oracle = oracle, .specification = lts};
    bool *here = oracle_allocate(oracle, lts->count * sizeof *here);
    for (size_t i = 0; i < lts->initial_count; i++)
        here[i] = true;
    for (size_t step = 0; step < count; step++) {
        bool *after = oracle_allocate(oracle, lts->count * sizeof *after);
        if (weak && !labels[step])
            continue;
        if (weak)
            close_subset(&all, here);
        for (size_t i = 0; i < lts->count; i++)
            for (size_t j = 0; here[i] && j < lts->states[i].edge_count; j++) {
                const struct oracle_edge *edge = &lts->states[i].edges[j];
                if (has_label(edge, labels[step]))
                    after[edge->target] = true;
            }
        here = after;
    }
    return !is_empty(&all, here);
}

void oracle_keep_apart(struct oracle *oracle)
{
    assert(!oracle->graphs);
    oracle->apart = true;
}

bool oracle_view_graph(struct oracle *oracle, const struct csp_process *reference,
                       struct oracle_view *view)
{
    const struct oracle_graph *lts = build(oracle, reference);
    *view = (struct oracle_view){.graph = lts,
                                 .count = lts->count,
                                 .initial = lts->initial_count,
                                 .faulty = lts->fault != NULL};
    return lts->built == ORACLE_HOLDS;
}

bool oracle_view_is_faulty(const struct oracle_view *view, size_t state)
{
    return view->graph->states[state].faulty;
}

const struct oracle_edge *oracle_view_edges(const struct oracle_view *view, size_t state,
                                            size_t *count)
{
    *count = view->graph->states[state].edge_count;
    return view->graph->states[state].edges;
}

bool oracle_view_test(struct oracle *oracle, const struct oracle_view *view, size_t state,
                      const struct csp_expression *expression, bool *faulty)
{
    jmp_buf escape;
    oracle->escape = &escape;
    *faulty = true;
    if (setjmp(escape))
        return false;
    oracle->control = view->graph->states[state].control;
    oracle->now = view->graph->states[state].valuation;
    bool holds = oracle_holds(oracle, expression, NULL, view->graph->states[state].valuation);
    *faulty = false;
    return holds;
}
