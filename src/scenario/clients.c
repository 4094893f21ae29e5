/* A set of client edges is looked at as what it comes to: for each operation those that return
 * before its call, closed. Adding edges takes orders away and never brings one back (also where an
 * operation may fail: the more is ordered, the less is beside it), so only one question is asked of
 * a set: has it a legal order? If it has, then whatever set has none and contains this one must
 * have an edge against that order: one from an operation to one that stands before it, or one that
 * orders an operation that failed with the one beside it. These are tried, depth first; once one
 * has been tried, the sets with it need not be looked at again, and are left out beside it. Where
 * none is left, no client shows a violation.
 *
 * Whether a graph allows a set is looked at twice. First by what client_order says of single
 * edges: that allows too much, but depends on little, so that "linearizable" is remembered for all
 * graphs that look the same. Only when that finds a violation are the sets put to the graph
 * (execution_add_edges), with all that its memory model asks. */
#include "scenario/clients.h"

#include <assert.h>
#include <string.h>

#include "base/interning.h"
#include "scenario/sequential_order.h"

enum {
    WORDS_OF_OPERATION = 3,
    WORDS_OF_KEY = 1 + CLIENTS_OPERATIONS * WORDS_OF_OPERATION,
    MOST_WITNESSES = 16
};

/* What is remembered of executions that look the same. */
enum remembered {
    REMEMBERED_LINEARIZABLE,
    REMEMBERED_TO_RECHECK
};

struct clients {
    struct clients_settings settings;
    struct sequential_search search;
    struct word_arrays keys;
    VECTOR(uint8_t) remembered; /* enum remembered, by key */
    struct clients_figures figures;
    struct execution_graph extended;

    /* The execution at hand, its operations sorted by thread and place. */
    const struct execution_graph *graph;
    const struct executed_operation *operations[CLIENTS_OPERATIONS];
    uint8_t numbers[CLIENTS_OPERATIONS]; /* in the caller's list */
    struct client_place places[CLIENTS_OPERATIONS];
    struct client_order order;
    struct sequential_question question;
    bool is_exact;     /* sets are put to the graph */
    bool is_too_large; /* some could not be */
    uint32_t steps;
    struct sequential_order witnesses[MOST_WITNESSES]; /* orders that sets of the question have */
    unsigned witness_count;
    uint16_t violated[CLIENTS_OPERATIONS]; /* a set that has no order */
    uint32_t longest_state;                /* behind the longest order of the last violation */
};

enum status clients_create(const struct clients_settings *settings, struct clients **result)
{
    struct budget *budget = settings->limits->budget;
    struct clients *clients = *result = memory_zeroed(budget, sizeof *clients);
    TRY_MEMORY(clients);
    clients->settings = *settings;
    word_arrays_init(&clients->keys, budget);
    vector_init(&clients->remembered, budget);
    if (sequential_search_init(&clients->search, settings->spec, settings->limits))
        return STATUS_OK;
    clients_destroy(clients);
    *result = NULL;
    return STATUS_LIMIT;
}

void clients_destroy(struct clients *clients)
{
    if (!clients)
        return;
    sequential_search_release(&clients->search);
    word_arrays_release(&clients->keys);
    vector_release(&clients->remembered);
    memory_release(clients->settings.limits->budget, clients, sizeof *clients);
}

struct clients_figures clients_figures(const struct clients *clients)
{
    return clients->figures;
}

/* ---- the execution at hand ---- */

static bool comes_before(const struct executed_operation *a, const struct executed_operation *b)
{
    if (a->thread != b->thread)
        return a->thread < b->thread;
    return a->before != b->before ? a->before < b->before : a->after < b->after;
}

/* Operations of a thread that have no events stay in the order in which they are given. */
static void sort_operations(struct clients *clients, const struct executed_operation *operations,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned place = i;
        while (place > 0 && comes_before(&operations[i], clients->operations[place - 1])) {
            clients->operations[place] = clients->operations[place - 1];
            clients->numbers[place] = clients->numbers[place - 1];
            place--;
        }
        clients->operations[place] = &operations[i];
        clients->numbers[place] = (uint8_t)i;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct executed_operation *operation = clients->operations[i];
        assert(operation->before <= operation->after && operation->thread < EXECUTION_THREADS);
        clients->places[i] = (struct client_place){.thread = operation->thread,
                                                   .before = operation->before,
                                                   .after = operation->after,
                                                   .returned = operation->returned};
    }
}

/* Makes the question whether the operations that returned have an order, beside whatever those that
 * did not may have done. */
static bool ask(struct clients *clients, unsigned count)
{
    struct sequential_question *question = &clients->question;
    *question = (struct sequential_question){.count = count, .waits = SEQUENTIAL_NONE};
    for (unsigned i = 0; i < count; i++) {
        const struct executed_operation *operation = clients->operations[i];
        struct call call = operation->call;
        uint16_t bit = (uint16_t)(1u << i);
        call.result_known &= operation->returned;
        question->class[i] = sequential_class(&clients->search, &call);
        if (question->class[i] == CLASS_REFUSED)
            return false;
        question->present |= bit;
        *(operation->returned ? &question->required : &question->optional) |= bit;
        if (operation->returned && operation->answered_no && operation->may_fail)
            question->may_fail |= bit;
        if (operation->returned && operation->never_legal)
            question->never_legal |= bit;
    }
    return true;
}

/* Makes the question whether an operation may wait behind some order of those that returned. */
static void ask_to_wait(struct clients *clients, unsigned operation)
{
    struct sequential_question *question = &clients->question;
    question->optional = 0;
    question->waits = (uint8_t)operation;
    question->waits_must_answer = clients->operations[operation]->must_answer;
    question->waits_call = clients->operations[operation]->call;
    question->waits_call.result_known = false;
    question->waits_operation = question->waits_call.operation;
}

/* ---- what a set of edges comes to, and whether it is allowed ---- */

struct edge_set {
    uint16_t before[CLIENTS_OPERATIONS]; /* closed */
};

static bool contains(const uint16_t *before, unsigned from, unsigned to)
{
    return before[to] >> from & 1;
}

static bool is_within(const uint16_t *part, const uint16_t *whole, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (part[i] & ~whole[i])
            return false;
    return true;
}

static bool meets(const uint16_t *a, const uint16_t *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* Whether what follows from an edge to the call of `first` reaches an edge from the return of
 * `second` by way of some event. */
static bool is_passed(const struct clients *clients, unsigned first, unsigned second)
{
    const struct client_place *in = &clients->places[first], *out = &clients->places[second];
    return clients->order.links[second] >> first & 1 &&
           (in->thread != out->thread || in->before < out->after);
}

/* Whether an edge follows from others of the set, or from one and happens-before. */
static bool follows(const struct clients *clients, const uint16_t *before, unsigned from,
                    unsigned to)
{
    const struct client_order *order = &clients->order;
    for (unsigned i = 0; i < order->count; i++)
        for (unsigned j = 0; j < order->count && contains(before, from, i); j++)
            if (contains(before, j, to) &&
                (is_passed(clients, i, j) ||
                 (i == j && (contains(order->before, from, i) || contains(order->before, j, to)))))
                return true;
    return false;
}

static event_number event_at(const struct execution_graph *graph, unsigned thread, unsigned index)
{
    event_number event = graph->last[thread];
    while (event >= 0 && graph->events[event].index > index)
        event = graph->events[event].before;
    assert(event < 0 || graph->events[event].index == index);
    return event;
}

/* The edge among events that an edge among operations makes; false if there is nothing to be
 * ordered. */
static bool edge_of_events(const struct clients *clients, unsigned from, unsigned to,
                           struct client_edge *edge)
{
    const struct client_place *first = &clients->places[from], *second = &clients->places[to];
    const struct execution_graph *graph = clients->graph;
    edge->from = event_at(graph, first->thread, first->after);
    edge->to = graph->last[second->thread];
    if (edge->from < 0 || edge->to < 0 || graph->events[edge->to].index <= second->before)
        return false;
    edge->to = event_at(graph, second->thread, second->before + 1u);
    return true;
}

/* A client makes the fewest edges from which the set follows: the more accesses it makes of its
 * own, the more psc asks of them. There is one such choice, for the set is a partial order. */
static enum edges_answer put_to_graph(struct clients *clients, const uint16_t *before)
{
    struct client_edge edges[CLIENTS_OPERATIONS * CLIENTS_OPERATIONS];
    size_t count = 0;
    for (unsigned to = 0; to < clients->order.count; to++)
        for (unsigned from = 0; from < clients->order.count; from++)
            if (contains(before, from, to) && !contains(clients->order.before, from, to) &&
                !follows(clients, before, from, to) &&
                edge_of_events(clients, from, to, &edges[count]))
                count++;
    return execution_add_edges(clients->graph, clients->settings.model, clients->settings.psc,
                               edges, count, &clients->extended);
}

/* ---- the search through sets of edges ---- */

enum finding {
    FINDING_LINEARIZABLE,
    FINDING_VIOLATION,
    FINDING_LIMIT
};

static enum finding look_for_violation(struct clients *clients, const struct edge_set *set,
                                       const struct edge_set *excluded, bool is_allowed);

/* Adds an edge to a set, and looks into it unless neither it nor what contains it is allowed, or
 * has been looked at. */
static enum finding look_with_edge(struct clients *clients, const struct edge_set *set,
                                   const struct edge_set *excluded, unsigned from, unsigned to)
{
    const struct client_order *order = &clients->order;
    struct edge_set with = *set;
    enum edges_answer answer = EDGES_ALLOWED;
    with.before[to] |= (uint16_t)(1u << from);
    client_order_close(order, with.before);
    if (!is_within(with.before, order->possible, order->count) ||
        meets(with.before, excluded->before, order->count))
        return FINDING_LINEARIZABLE;
    if (clients->is_exact)
        answer = put_to_graph(clients, with.before);
    clients->is_too_large |= answer == EDGES_TOO_MANY;
    if (answer == EDGES_TOO_MANY || answer == EDGES_INCOHERENT)
        return FINDING_LINEARIZABLE;
    return look_for_violation(clients, &with, excluded, answer == EDGES_ALLOWED);
}

/* Whether an order that another set of the question has is one of the set at hand as well. */
static bool holds(const struct sequential_question *question, const struct sequential_order *order)
{
    unsigned missing = question->required;
    for (unsigned place = 0; place < order->count; place++) {
        unsigned operation = order->operations[place], beside = order->beside[operation];
        if (question->before[operation] & missing)
            return false;
        if (beside != SEQUENTIAL_NONE && (question->before[operation] >> beside & 1 ||
                                          question->before[beside] >> operation & 1))
            return false;
        missing &= ~(1u << operation);
    }
    return true;
}

/* An order of the set at hand: mostly one of those found before is one. */
static enum sequential_answer find_order(struct clients *clients, struct sequential_order *found)
{
    for (unsigned i = clients->witness_count; i-- > 0;)
        if (holds(&clients->question, &clients->witnesses[i])) {
            *found = clients->witnesses[i];
            return SEQUENTIAL_FOUND;
        }
    enum sequential_answer answer = sequential_find(&clients->search, &clients->question, found);
    if (answer == SEQUENTIAL_FOUND && clients->witness_count < MOST_WITNESSES)
        clients->witnesses[clients->witness_count++] = *found;
    return answer;
}

/* The edges that an order stands against. */
static void find_against(const struct sequential_order *order, struct edge_set *against)
{
    uint16_t behind = 0; /* the operations behind the one at hand */
    for (unsigned place = order->count; place-- > 0;) {
        unsigned operation = order->operations[place], beside = order->beside[operation];
        against->before[operation] |= behind;
        behind |= (uint16_t)(1u << operation);
        if (beside != SEQUENTIAL_NONE) {
            against->before[operation] |= (uint16_t)(1u << beside);
            against->before[beside] |= (uint16_t)(1u << operation);
        }
    }
}

/* Looks with each of the edges that is possible. */
static enum finding look_with_each(struct clients *clients, const struct edge_set *set,
                                   const struct edge_set *excluded, const struct edge_set *edges)
{
    struct edge_set tried = *excluded;
    for (unsigned to = 0; to < clients->order.count; to++) {
        unsigned left = edges->before[to] & clients->order.possible[to] & ~tried.before[to] &
                        ~(unsigned)set->before[to];
        for (; left; left &= left - 1) {
            unsigned from = (unsigned)__builtin_ctz(left);
            enum finding finding = look_with_edge(clients, set, &tried, from, to);
            if (finding != FINDING_LINEARIZABLE)
                return finding;
            tried.before[to] |= (uint16_t)(1u << from);
        }
    }
    return FINDING_LINEARIZABLE;
}

/* A set that is not allowed itself may be contained in one that is: a client that makes one edge
 * less by itself, because it follows from others, also makes fewer accesses. */
static enum finding look_for_violation(struct clients *clients, const struct edge_set *set,
                                       const struct edge_set *excluded, bool is_allowed)
{
    struct sequential_order found;
    struct edge_set against = {{0}};
    clients->steps++;
    if (limits_work(clients->settings.limits, &clients->steps, STEPS_A_LOOK / 16))
        return FINDING_LIMIT;
    clients->question.before = set->before;
    switch (find_order(clients, &found)) {
    case SEQUENTIAL_FOUND:
        find_against(&found, &against);
        break;
    case SEQUENTIAL_MISSING:
        if (is_allowed) {
            memcpy(clients->violated, set->before, sizeof clients->violated);
            return FINDING_VIOLATION;
        }
        memset(&against, 0xff, sizeof against);
        break;
    default:
        return FINDING_LIMIT;
    }
    return look_with_each(clients, set, excluded, &against);
}

/* Whether some set of edges leaves the question without an order. While it is not exact, certain
 * edges are in every set. */
static enum finding look(struct clients *clients)
{
    struct edge_set all, none = {{0}};
    clients->witness_count = 0;
    memcpy(all.before, clients->is_exact ? clients->order.before : clients->order.certain,
           sizeof all.before);
    client_order_close(&clients->order, all.before);
    return look_for_violation(clients, &all, &none, true);
}

/* ---- what is remembered ---- */

/* All that the search depends on while it is not exact. */
static size_t write_key(const struct clients *clients, enum clients_end end, uint32_t *words)
{
    const struct client_order *order = &clients->order;
    const struct sequential_question *question = &clients->question;
    size_t length = 0;
    words[length++] = order->count * 3 + end;
    for (unsigned i = 0; i < order->count; i++) {
        const struct executed_operation *operation = clients->operations[i];
        uint32_t flags = (uint32_t)(question->required >> i & 1) |
                         (uint32_t)(question->may_fail >> i & 1) << 1 |
                         (uint32_t)(question->never_legal >> i & 1) << 2 |
                         (uint32_t)(operation->may_wait && !operation->returned) << 3 |
                         (uint32_t)(operation->must_answer && !operation->returned) << 4;
        words[length++] = question->class[i];
        words[length++] = order->certain[i] | (uint32_t)order->possible[i] << 16;
        words[length++] = order->links[i] | flags << 16;
    }
    assert(length <= WORDS_OF_KEY);
    return length;
}

/* ---- deciding ---- */

/* Whether an operation that has not returned may wait, for every client; if not, the question is
 * left as it is then. */
static enum finding look_at_waiting(struct clients *clients, unsigned operation)
{
    const struct sequential_question question = clients->question;
    ask_to_wait(clients, operation);
    enum finding finding = look(clients);
    if (finding == FINDING_LINEARIZABLE)
        clients->question = question;
    return finding;
}

/* Whether all operations that have not returned may wait. */
static enum finding look_at_hanging(struct clients *clients, struct clients_answer *answer)
{
    enum finding finding = FINDING_LINEARIZABLE;
    for (unsigned left = clients->question.optional; left; left &= left - 1) {
        unsigned operation = (unsigned)__builtin_ctz(left);
        if (clients->operations[operation]->may_wait)
            continue;
        answer->operation = clients->numbers[operation];
        answer->fault = CLIENTS_HANGS;
        memcpy(clients->violated, clients->order.before, sizeof clients->violated);
        return FINDING_VIOLATION;
    }
    answer->fault = CLIENTS_WAITS;
    for (unsigned left = clients->question.optional; left && finding == FINDING_LINEARIZABLE;
         left &= left - 1) {
        unsigned operation = (unsigned)__builtin_ctz(left);
        answer->operation = clients->numbers[operation];
        finding = look_at_waiting(clients, operation);
    }
    return finding;
}

/* Whether an operation may wait where those `behind` which it is may have taken effect, and what is
 * kept need not have. */
static enum finding look_behind(struct clients *clients, unsigned operation, uint16_t behind)
{
    struct sequential_question *question = &clients->question;
    ask_to_wait(clients, operation);
    question->optional = behind;
    for (unsigned left = question->required; left && behind; left &= left - 1) {
        uint16_t bit = (uint16_t)(left & -left);
        if (!clients->operations[__builtin_ctz(left)]->is_kept)
            continue;
        question->required &= (uint16_t)~bit;
        question->optional |= bit;
    }
    return look(clients);
}

/* Whether all operations that have not returned wait as they may, or behind such, or behind these,
 * and so on; if not, the question is left as it is of one of the others. */
static enum finding look_at_waiting_behind(struct clients *clients, struct clients_answer *answer)
{
    const struct sequential_question question = clients->question;
    uint16_t waiting = 0, more = 0;
    do {
        waiting |= more;
        more = 0;
        for (unsigned left = question.optional & ~(unsigned)waiting; left; left &= left - 1) {
            clients->question = question;
            enum finding finding = look_behind(clients, (unsigned)__builtin_ctz(left), waiting);
            if (finding == FINDING_LIMIT)
                return finding;
            if (finding == FINDING_LINEARIZABLE)
                more |= (uint16_t)(left & -left);
        }
    } while (more);
    answer->waits_behind = waiting == question.optional;
    if (answer->waits_behind)
        return FINDING_LINEARIZABLE;
    unsigned other = (unsigned)__builtin_ctz(question.optional & ~(unsigned)waiting);
    clients->question = question;
    answer->operation = clients->numbers[other];
    return look_at_waiting(clients, other);
}

/* Asks everything of the operations: that those that returned have an order, and, where nothing
 * ever goes on, that those that did not return may wait. What they may wait behind is looked for
 * once it is certain that one of them has no reason of its own. */
static enum finding look_at_all(struct clients *clients, enum clients_end end,
                                struct clients_answer *answer)
{
    answer->fault = CLIENTS_NO_ORDER;
    enum finding finding = look(clients);
    if (finding != FINDING_LINEARIZABLE || end == CLIENTS_GO_ON)
        return finding;
    const struct sequential_question question = clients->question;
    finding = look_at_hanging(clients, answer);
    if (finding != FINDING_VIOLATION || answer->fault != CLIENTS_WAITS ||
        end != CLIENTS_HANG_KEPT || !clients->is_exact)
        return finding;
    clients->question = question;
    return look_at_waiting_behind(clients, answer);
}

/* Takes edges away as long as there is no order without them, and the graph allows what is left;
 * then tells the rest. */
static bool tell_edges(struct clients *clients, struct clients_answer *answer)
{
    const struct client_order *order = &clients->order;
    struct edge_set kept = {{0}}, plain;
    struct sequential_order found;
    memcpy(plain.before, order->before, sizeof plain.before);
    client_order_close(order, plain.before);
    for (unsigned to = 0; to < order->count; to++)
        kept.before[to] = clients->violated[to] & (uint16_t)~plain.before[to];
    for (unsigned to = 0; to < order->count && answer->fault != CLIENTS_HANGS; to++)
        for (unsigned from = 0; from < order->count; from++) {
            if (!contains(kept.before, from, to))
                continue;
            struct edge_set without = kept;
            without.before[to] &= (uint16_t) ~(1u << from);
            struct edge_set closed = without;
            for (unsigned i = 0; i < order->count; i++)
                closed.before[i] |= plain.before[i];
            client_order_close(order, closed.before);
            clients->question.before = closed.before;
            enum sequential_answer is_there =
                sequential_find(&clients->search, &clients->question, &found);
            if (is_there == SEQUENTIAL_LIMIT)
                return false;
            if (is_there == SEQUENTIAL_MISSING &&
                put_to_graph(clients, closed.before) == EDGES_ALLOWED)
                kept = without;
        }
    for (unsigned to = 0; to < order->count; to++)
        for (unsigned from = 0; from < order->count; from++)
            if (contains(kept.before, from, to))
                answer->edges[answer->edge_count++] = (struct clients_edge){
                    .from = clients->numbers[from], .to = clients->numbers[to]};
    return true;
}

/* What the edges come to, and how far an order gets with them. */
static bool tell_longest(struct clients *clients, struct clients_answer *answer)
{
    const struct client_order *order = &clients->order;
    struct edge_set closed;
    struct sequential_order found;
    uint8_t places[CLIENTS_OPERATIONS];
    memcpy(closed.before, order->before, sizeof closed.before);
    for (unsigned i = 0; i < order->count; i++)
        places[clients->numbers[i]] = (uint8_t)i;
    for (size_t i = 0; i < answer->edge_count; i++)
        closed.before[places[answer->edges[i].to]] |=
            (uint16_t)(1u << places[answer->edges[i].from]);
    client_order_close(order, closed.before);
    for (unsigned to = 0; to < order->count; to++)
        for (unsigned from = 0; from < order->count; from++)
            if (contains(closed.before, from, to))
                answer->closed[clients->numbers[to]] |= (uint16_t)(1u << clients->numbers[from]);
    clients->question.before = closed.before;
    if (sequential_find(&clients->search, &clients->question, &found) == SEQUENTIAL_LIMIT)
        return false;
    for (unsigned i = 0; i < found.count; i++)
        answer->order[answer->order_length++] = clients->numbers[found.operations[i]];
    clients->longest_state = found.state;
    return true;
}

void clients_print_state(struct clients *clients, struct text *text)
{
    struct transitions *transitions = &clients->search.transitions;
    bool printed = transitions->spec->class->print_state &&
                   transitions_print_state(transitions, clients->longest_state, text);
    (void)printed; /* nothing else is said of it then */
}

static void tell_order(const struct clients *clients, struct clients_answer *answer)
{
    for (unsigned to = 0; to < clients->order.count; to++)
        for (unsigned left = clients->order.before[to]; left; left &= left - 1)
            answer->before[clients->numbers[to]] |=
                (uint16_t)(1u << clients->numbers[__builtin_ctz(left)]);
}

static enum status give_up(const struct clients *clients, struct clients_answer *answer)
{
    answer->verdict = VERDICT_UNKNOWN;
    answer->fault = CLIENTS_NO_FAULT;
    answer->edge_count = 0;
    answer->limit = limits_which(clients->settings.limits);
    return STATUS_OK;
}

static enum status conclude(struct clients *clients, enum finding finding,
                            struct clients_answer *answer)
{
    if (finding == FINDING_LIMIT)
        return give_up(clients, answer);
    if (finding == FINDING_VIOLATION) {
        answer->verdict = VERDICT_VIOLATION;
        return tell_edges(clients, answer) && tell_longest(clients, answer)
                   ? STATUS_OK
                   : give_up(clients, answer);
    }
    answer->fault = CLIENTS_NO_FAULT;
    answer->verdict = clients->is_too_large ? VERDICT_UNKNOWN : VERDICT_LINEARIZABLE;
    return STATUS_OK;
}

enum status clients_decide(struct clients *clients, const struct execution_graph *graph,
                           const struct executed_operation *operations, size_t count,
                           enum clients_end end, struct clients_answer *answer)
{
    assert(count <= CLIENTS_OPERATIONS);
    uint32_t key[WORDS_OF_KEY];
    bool is_new;
    *answer = (struct clients_answer){.verdict = VERDICT_UNKNOWN};
    clients->figures.asked++;
    clients->graph = graph;
    sort_operations(clients, operations, (unsigned)count);
    client_order_find(graph, clients->settings.model, clients->places, (unsigned)count,
                      &clients->order);
    tell_order(clients, answer);
    if (!ask(clients, (unsigned)count))
        return give_up(clients, answer);
    uint32_t number =
        word_arrays_intern(&clients->keys, key, write_key(clients, end, key), &is_new);
    if (number == UINT32_MAX)
        return give_up(clients, answer);
    if (!is_new && number < clients->remembered.length &&
        clients->remembered.items[number] == REMEMBERED_LINEARIZABLE) {
        answer->verdict = VERDICT_LINEARIZABLE;
        return STATUS_OK;
    }
    struct sequential_question question = clients->question;
    clients->is_too_large = clients->is_exact = false;
    if (is_new || number >= clients->remembered.length) {
        clients->figures.decided++;
        enum finding finding = look_at_all(clients, end, answer);
        if (finding == FINDING_LIMIT)
            return give_up(clients, answer);
        bool right = finding == FINDING_LINEARIZABLE;
        while (clients->remembered.length <= number)
            if (!vector_push(&clients->remembered, REMEMBERED_TO_RECHECK))
                return give_up(clients, answer);
        clients->remembered.items[number] = right ? REMEMBERED_LINEARIZABLE : REMEMBERED_TO_RECHECK;
        if (right)
            return conclude(clients, finding, answer);
    }
    clients->figures.rechecked++;
    clients->question = question;
    clients->is_exact = true;
    return conclude(clients, look_at_all(clients, end, answer), answer);
}

/* ---- binding ---- */

static value value_of(const struct spec *spec, const struct executed_result *result)
{
    if (result->is_empty || result->is_done)
        return VALUE_NIL;
    if (result->is_no || result->is_yes)
        return value_boolean(result->is_yes);
    return value_integer(spec->pool, result->result);
}

static value argument_of(const struct spec *spec, const struct executed_result *result)
{
    if (!result->has_argument)
        return VALUE_NIL;
    const value all[] = {value_integer(spec->pool, result->argument),
                         value_integer(spec->pool, result->second),
                         value_integer(spec->pool, result->third)};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        if (all[i] == VALUE_REFUSED)
            return VALUE_REFUSED;
    if (!result->has_second)
        return all[0];
    return value_list(spec->pool, all, result->has_third ? 3 : 2);
}

enum status executed_operation_bind(const struct spec *spec, uint16_t operation,
                                    const struct executed_result *result,
                                    struct executed_operation *executed, struct text *complaint)
{
    struct recorded recorded = {.completed = executed->returned,
                                .result_recorded = executed->returned && !result->is_done,
                                .process = executed->thread,
                                .result = VALUE_NIL};
    const struct spec_operation *described = &spec->class->operations[operation];
    recorded.argument = argument_of(spec, result);
    if (executed->returned)
        recorded.result = value_of(spec, result);
    TRY_MEMORY(recorded.argument != VALUE_REFUSED && recorded.result != VALUE_REFUSED);
    executed->answered_no = executed->returned && (result->is_empty || result->is_no);
    executed->never_legal = executed->answered_no && spec_operation_is_silent(described) &&
                            !(result->is_no && spec_operation_may_decline(described));
    return spec_bind(spec, operation, &recorded, &executed->call, complaint);
}
