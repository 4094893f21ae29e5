#include "support/memory_oracle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets of texts ---- */

static size_t find_text(const struct text_set *set, const char *text, bool *found)
{
    size_t low = 0, high = set->count;
    *found = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(set->items[middle], text);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool text_set_has(const struct text_set *set, const char *text)
{
    bool found;
    (void)find_text(set, text, &found);
    return found;
}

bool text_set_add(struct text_set *set, const char *text)
{
    bool found;
    size_t at = find_text(set, text, &found);
    if (found)
        return false;
    if (set->count == set->capacity) {
        set->capacity = set->capacity * 2 + 16;
        set->items = realloc(set->items, set->capacity * sizeof *set->items);
        assert(set->items);
    }
    memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof *set->items);
    set->items[at] = strdup(text);
    set->count++;
    return true;
}

void text_set_release(struct text_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->items[i]);
    free(set->items);
    *set = (struct text_set){0};
}

/* ---- relations over at most 32 events, a word for each event ---- */

enum {
    MOST = 32
};

typedef uint32_t set;

struct relation {
    set to[MOST];
};

static struct relation join(const struct relation *a, const struct relation *b)
{
    struct relation both;
    for (unsigned i = 0; i < MOST; i++)
        both.to[i] = a->to[i] | b->to[i];
    return both;
}

/* a ; b */
static struct relation then(const struct relation *a, const struct relation *b)
{
    struct relation both = {{0}};
    for (unsigned i = 0; i < MOST; i++)
        for (unsigned j = 0; j < MOST; j++)
            if (a->to[i] >> j & 1)
                both.to[i] |= b->to[j];
    return both;
}

static struct relation closed(const struct relation *a)
{
    struct relation plus = *a;
    for (unsigned k = 0; k < MOST; k++)
        for (unsigned i = 0; i < MOST; i++)
            if (plus.to[i] >> k & 1)
                plus.to[i] |= plus.to[k];
    return plus;
}

/* With every event itself. */
static struct relation maybe(const struct relation *a)
{
    struct relation both = *a;
    for (unsigned i = 0; i < MOST; i++)
        both.to[i] |= 1u << i;
    return both;
}

/* [from] ; a ; [to] */
static struct relation between(set from, const struct relation *a, set to)
{
    struct relation cut = {{0}};
    for (unsigned i = 0; i < MOST; i++)
        if (from >> i & 1)
            cut.to[i] = a->to[i] & to;
    return cut;
}

static bool is_irreflexive(const struct relation *a)
{
    for (unsigned i = 0; i < MOST; i++)
        if (a->to[i] >> i & 1)
            return false;
    return true;
}

static bool is_acyclic(const struct relation *a)
{
    struct relation plus = closed(a);
    return is_irreflexive(&plus);
}

/* ---- candidates ---- */

struct event {
    unsigned thread, index; /* index 0: the initial write of a location */
    char kind;              /* R, W, F */
    unsigned location;
    enum memory_order_c11 order;
    uint64_t value;
    int source; /* of a read */
    int rank;   /* of a write; 0: initial */
    bool is_update;
    bool is_exchange; /* a read that belongs to a read-modify-write, even to one that fails */
};

struct candidates {
    const struct memory_program *program;
    enum memory_model model;
    enum psc_form psc;
    struct text_set *graphs;
    uint64_t domain[16];
    unsigned domain_count;
    struct event events[MOST];
    unsigned count;
    size_t left;              /* how many more are looked at */
    bool asks_hanging, hangs; /* instead of graphs: whether one hangs in which threads are */
    unsigned stuck;           /* a bit each */
};

static set all(const struct candidates *candidates, bool (*is)(const struct event *))
{
    set found = 0;
    for (unsigned i = 0; i < candidates->count; i++)
        if (is(&candidates->events[i]))
            found |= 1u << i;
    return found;
}

static bool is_read(const struct event *event)
{
    return event->kind == 'R';
}
static bool is_write(const struct event *event)
{
    return event->kind == 'W';
}
static bool is_fence(const struct event *event)
{
    return event->kind == 'F';
}

static bool acquires(const struct event *event)
{
    return event->kind != 'W' && (event->order == ORDER_ACQUIRE || event->order == ORDER_ACQ_REL ||
                                  event->order == ORDER_SEQ_CST);
}

static bool releases(const struct event *event)
{
    return event->kind != 'R' && event->index > 0 &&
           (event->order == ORDER_RELEASE || event->order == ORDER_ACQ_REL ||
            event->order == ORDER_SEQ_CST);
}

static bool is_seq_cst(const struct event *event)
{
    return event->index > 0 && event->order == ORDER_SEQ_CST;
}

struct basic {
    struct relation sb, rf, mo, rb, rmw, same;
};

static struct basic basics(const struct candidates *candidates)
{
    struct basic found;
    memset(&found, 0, sizeof found);
    for (unsigned i = 0; i < candidates->count; i++)
        for (unsigned j = 0; j < candidates->count; j++) {
            const struct event *a = &candidates->events[i], *b = &candidates->events[j];
            set bit = 1u << j;
            if (b->index > 0 && (a->index == 0 || (a->thread == b->thread && a->index < b->index)))
                found.sb.to[i] |= bit;
            if (a->kind == 'F' || b->kind == 'F' || a->location != b->location || i == j)
                continue;
            found.same.to[i] |= bit;
            if (b->kind == 'R' && b->source == (int)i)
                found.rf.to[i] |= bit;
            if (a->kind == 'W' && b->kind == 'W' && a->rank < b->rank)
                found.mo.to[i] |= bit;
            if (a->kind == 'R' && b->kind == 'W' && candidates->events[a->source].rank < b->rank)
                found.rb.to[i] |= bit;
            if (b->is_update && a->thread == b->thread && a->index + 1 == b->index)
                found.rmw.to[i] |= bit;
        }
    return found;
}

static bool is_atomic(const struct basic *basic)
{
    struct relation across = then(&basic->rb, &basic->mo);
    for (unsigned i = 0; i < MOST; i++)
        if (basic->rmw.to[i] & across.to[i])
            return false;
    return true;
}

static struct relation happens_before(const struct candidates *candidates,
                                      const struct basic *basic)
{
    set reads = all(candidates, is_read), writes = all(candidates, is_write);
    set fences = all(candidates, is_fence);
    struct relation rf_rmw = then(&basic->rf, &basic->rmw), chain = closed(&rf_rmw);
    chain = maybe(&chain);
    struct relation sequence = between(writes, &chain, writes); /* rs */
    struct relation after_fence = between(fences, &basic->sb, ~0u);
    struct relation before_fence = between(~0u, &basic->sb, fences);
    after_fence = maybe(&after_fence);
    before_fence = maybe(&before_fence);
    struct relation head = between(all(candidates, releases), &after_fence, ~0u);
    struct relation tail = between(~0u, &before_fence, all(candidates, acquires));
    struct relation released = then(&head, &sequence), read = then(&released, &basic->rf);
    read = between(~0u, &read, reads);
    struct relation sw = then(&read, &tail), either = join(&basic->sb, &sw);
    return closed(&either);
}

static bool is_coherent(const struct relation *hb, const struct relation *eco)
{
    struct relation or_not = maybe(eco), around = then(hb, &or_not);
    return is_irreflexive(&around);
}

static struct relation psc(const struct candidates *candidates, const struct basic *basic,
                           const struct relation *hb, const struct relation *eco)
{
    set strong = all(candidates, is_seq_cst), fences = strong & all(candidates, is_fence);
    struct relation elsewhere = basic->sb, at_same = *hb;
    for (unsigned i = 0; i < MOST; i++) {
        if (candidates->psc == PSC_PAPER)
            elsewhere.to[i] &= ~basic->same.to[i];
        at_same.to[i] &= basic->same.to[i];
    }
    struct relation far = then(&elsewhere, hb);
    far = then(&far, &elsewhere);
    struct relation scb = join(&basic->sb, &far);
    scb = join(&scb, &at_same);
    scb = join(&scb, &basic->mo);
    scb = join(&scb, &basic->rb);
    static const struct relation nothing;
    struct relation same = maybe(&nothing), hb_or_not = maybe(hb);
    struct relation from = between(fences, &hb_or_not, ~0u), to = between(~0u, &hb_or_not, fences);
    struct relation self = between(strong, &same, strong);
    from = join(&from, &self);
    to = join(&to, &self);
    struct relation base = then(&from, &scb);
    base = then(&base, &to);
    struct relation around = then(hb, eco);
    around = then(&around, hb);
    around = join(&around, hb);
    around = between(fences, &around, fences);
    return join(&base, &around);
}

static bool is_rc11(const struct candidates *candidates, const struct basic *basic,
                    const struct relation *eco)
{
    struct relation hb = happens_before(candidates, basic);
    struct relation porf = join(&basic->sb, &basic->rf);
    if (!is_coherent(&hb, eco) || !is_acyclic(&porf))
        return false;
    struct relation strong = psc(candidates, basic, &hb, eco);
    return is_acyclic(&strong);
}

/* ppo U rfe U mo U rb U what full fences order, and coherence. */
static bool is_tso(const struct candidates *candidates, const struct basic *basic)
{
    set reads = all(candidates, is_read), writes = all(candidates, is_write), locked = 0;
    struct relation kept = basic->sb, per_location = basic->sb, outside = basic->rf;
    for (unsigned i = 0; i < candidates->count; i++) {
        const struct event *event = &candidates->events[i];
        if (event->is_update || event->is_exchange || (event->kind != 'R' && is_seq_cst(event)))
            locked |= 1u << i;
        per_location.to[i] &= basic->same.to[i];
        outside.to[i] &= ~basic->sb.to[i] | (event->index == 0 ? ~0u : 0);
        if (writes >> i & 1)
            kept.to[i] &= ~reads;
    }
    set weak_fences = all(candidates, is_fence) & ~locked;
    for (unsigned i = 0; i < candidates->count; i++) {
        kept.to[i] &= ~weak_fences;
        if (weak_fences >> i & 1)
            kept.to[i] = 0;
    }
    struct relation into = between(~0u, &basic->sb, locked), out = between(locked, &basic->sb, ~0u);
    struct relation global = join(&kept, &outside);
    global = join(&global, &basic->mo);
    global = join(&global, &basic->rb);
    global = join(&global, &into);
    global = join(&global, &out);
    per_location = join(&per_location, &basic->rf);
    per_location = join(&per_location, &basic->mo);
    per_location = join(&per_location, &basic->rb);
    return is_acyclic(&global) && is_acyclic(&per_location);
}

static bool is_allowed(const struct candidates *candidates)
{
    struct basic basic = basics(candidates);
    struct relation eco = join(&basic.rf, &basic.mo);
    if (!is_atomic(&basic))
        return false;
    eco = join(&eco, &basic.rb);
    eco = closed(&eco);
    if (candidates->model == MEMORY_TSO)
        return is_tso(candidates, &basic);
    if (candidates->model == MEMORY_RC11)
        return is_rc11(candidates, &basic, &eco);
    struct relation order = join(&basic.sb, &eco);
    return is_acyclic(&order);
}

static void describe(const struct candidates *candidates, char *words)
{
    size_t length = 0;
    words[0] = '\0';
    for (unsigned thread = 0; thread < PROGRAM_THREADS; thread++)
        for (unsigned i = 0; i < candidates->count; i++) { /* events of a thread stand in order */
            const struct event *event = &candidates->events[i];
            if (event->thread != thread || event->index == 0)
                continue;
            unsigned from = 0;
            if (event->kind == 'R' && candidates->events[event->source].index > 0)
                from = candidates->events[event->source].thread * 32u +
                       candidates->events[event->source].index;
            length += (size_t)snprintf(
                words + length, GRAPH_WORDS - length, "%u.%u %c%d=%d %u;", thread, event->index,
                event->kind, event->kind == 'F' ? -1 : (int)event->location, (int)event->value,
                event->kind == 'R'   ? from
                : event->kind == 'W' ? (unsigned)event->rank
                                     : 0);
        }
}

/* Whether the last read of each thread that is stuck is of the newest write. */
static bool all_read_newest(const struct candidates *candidates)
{
    for (unsigned i = 0; i < candidates->count; i++) {
        const struct event *read = &candidates->events[i];
        bool is_last = read->kind == 'R' && candidates->stuck >> read->thread & 1;
        for (unsigned j = 0; j < candidates->count; j++)
            is_last &= candidates->events[j].thread != read->thread ||
                       candidates->events[j].index <= read->index;
        for (unsigned j = 0; j < candidates->count && is_last; j++)
            if (candidates->events[j].kind == 'W' &&
                candidates->events[j].location == read->location &&
                candidates->events[j].rank > candidates->events[read->source].rank)
                return false;
    }
    return true;
}

/* Every order of the writes of each location from `write` on; then the axioms. */
static void choose_ranks(struct candidates *candidates, unsigned write)
{
    while (write < candidates->count &&
           (candidates->events[write].kind != 'W' || candidates->events[write].index == 0))
        write++;
    if (write == candidates->count) {
        char words[GRAPH_WORDS];
        if (candidates->left == 0)
            return;
        candidates->left--;
        if (!is_allowed(candidates))
            return;
        if (candidates->asks_hanging) {
            candidates->hangs |= all_read_newest(candidates);
            return;
        }
        describe(candidates, words);
        bool fresh = text_set_add(candidates->graphs, words);
        assert(fresh);
        (void)fresh;
        return;
    }
    struct event *placed = &candidates->events[write];
    int others = 0;
    for (unsigned i = 0; i < write; i++)
        others += candidates->events[i].kind == 'W' && candidates->events[i].index > 0 &&
                  candidates->events[i].location == placed->location;
    for (int rank = others + 1; rank >= 1; rank--) { /* those at and behind it move by one */
        for (int change = 1; change >= -1; change -= 2) {
            for (unsigned i = 0; i < write; i++) {
                struct event *other = &candidates->events[i];
                if (other->kind == 'W' && other->index > 0 && other->location == placed->location &&
                    other->rank >= rank + (change < 0))
                    other->rank += change;
            }
            if (change > 0) {
                placed->rank = rank;
                choose_ranks(candidates, write + 1);
            }
        }
    }
}

static void choose_sources(struct candidates *candidates, unsigned read)
{
    while (read < candidates->count && candidates->events[read].kind != 'R')
        read++;
    if (read == candidates->count) {
        choose_ranks(candidates, 0);
        return;
    }
    struct event *event = &candidates->events[read];
    for (unsigned i = 0; i < candidates->count && candidates->left > 0; i++) {
        const struct event *write = &candidates->events[i];
        if (write->kind != 'W' || write->location != event->location ||
            write->value != event->value)
            continue;
        event->source = (int)i;
        choose_sources(candidates, read + 1);
    }
}

static struct event *add_event(struct candidates *candidates, unsigned thread, unsigned index,
                               char kind, const struct program_instruction *instruction)
{
    assert(candidates->count < MOST);
    struct event *event = &candidates->events[candidates->count++];
    *event = (struct event){.thread = thread,
                            .index = index,
                            .kind = kind,
                            .location = instruction->location,
                            .order = instruction->order,
                            .is_exchange = instruction->kind == PROGRAM_UPDATE ||
                                           instruction->kind == PROGRAM_COMPARE_EXCHANGE};
    return event;
}

/* Every run of the threads from `thread` on, with any value of the domain read anywhere; what they
 * store joins the domain, or, when the domain is known, the candidates are gone through. False: the
 * domain is too large. */
static bool run_threads(struct candidates *candidates, unsigned thread, struct program_thread state,
                        unsigned index, bool finding_domain)
{
    const struct memory_program *program = candidates->program;
    if (thread == program->threads) {
        if (!finding_domain && (!candidates->asks_hanging || candidates->stuck))
            choose_sources(candidates, 0);
        return true;
    }
    const struct program_instruction *next = memory_program_next(program, thread, &state);
    if (!next) {
        if (finding_domain || (state.stuck && !candidates->asks_hanging))
            return true;
        candidates->stuck |= (unsigned)state.stuck << thread;
        bool all = run_threads(candidates, thread + 1, (struct program_thread){0}, 0, false);
        candidates->stuck &= ~(1u << thread);
        return all;
    }
    unsigned count = candidates->count;
    bool reads = next->kind != PROGRAM_STORE && next->kind != PROGRAM_FENCE;
    unsigned ways = reads ? candidates->domain_count : 1;
    for (unsigned i = 0; i < ways * (1 + next->is_weak); i++) { /* of a weak one, both */
        uint64_t old = candidates->domain[i % ways], stored;
        struct program_thread later = state;
        unsigned at = index;
        candidates->count = count;
        bool stores = memory_program_stores(next, &state, old, &stored);
        if (i >= ways && !stores)
            continue;
        stores &= i < ways;
        if (next->kind == PROGRAM_FENCE)
            add_event(candidates, thread, ++at, 'F', next)->location = PROGRAM_LOCATIONS;
        if (reads) {
            struct event *read = add_event(candidates, thread, ++at, 'R', next);
            read->value = old;
            if (next->kind == PROGRAM_COMPARE_EXCHANGE && !stores)
                read->order = next->failure_order;
        }
        if (stores) {
            struct event *write = add_event(candidates, thread, ++at, 'W', next);
            write->value = stored;
            write->is_update = reads;
        }
        for (unsigned j = 0; finding_domain && stores && j <= candidates->domain_count; j++) {
            if (j < candidates->domain_count && candidates->domain[j] == stored)
                break;
            if (j == candidates->domain_count) {
                if (j == sizeof candidates->domain / sizeof *candidates->domain)
                    return false;
                candidates->domain[candidates->domain_count++] = stored;
                break;
            }
        }
        memory_program_advance(next, &later, old);
        if (!run_threads(candidates, thread, later, at, finding_domain))
            return false;
    }
    candidates->count = count;
    return true;
}

/* All values that can be read: those that threads store who read such. */
static bool find_domain(struct candidates *candidates)
{
    unsigned before;
    candidates->domain[0] = 0;
    candidates->domain_count = 1;
    do {
        before = candidates->domain_count;
        for (unsigned i = 0; i < candidates->program->threads; i++)
            if (!run_threads(candidates, i, (struct program_thread){0}, 0, true))
                return false;
    } while (candidates->domain_count > before && candidates->domain_count < 12);
    return candidates->domain_count == before;
}

/* All candidates; false if the domain is too large. */
static bool go_through(struct candidates *candidates)
{
    if (!find_domain(candidates))
        return false;
    for (unsigned i = 0; i < PROGRAM_LOCATIONS; i++)
        candidates->events[candidates->count++] =
            (struct event){.thread = PROGRAM_THREADS, .kind = 'W', .location = i};
    (void)run_threads(candidates, 0, (struct program_thread){0}, 0, false);
    return true;
}

bool memory_oracle_graphs(const struct memory_program *program, enum memory_model model,
                          enum psc_form psc_form, struct text_set *graphs)
{
    struct candidates candidates = {
        .program = program, .model = model, .psc = psc_form, .graphs = graphs, .left = 60000};
    if (!go_through(&candidates))
        return false;
    return candidates.left > 0;
}

bool memory_oracle_hangs(const struct memory_program *program, enum memory_model model,
                         enum psc_form psc_form, bool *hangs)
{
    struct candidates candidates = {
        .program = program, .model = model, .psc = psc_form, .asks_hanging = true, .left = 60000};
    if (!go_through(&candidates))
        return false;
    *hangs = candidates.hangs;
    return candidates.hangs || candidates.left > 0;
}

/* ---- clients ---- */

struct clients_of {
    struct candidates plain; /* the graph without a client */
    const struct operation_place *operations;
    unsigned count;
    unsigned edges[MEMORY_OPERATIONS]; /* for each operation those with an edge to its call */
    void (*visit)(void *context, const unsigned *before);
    void *context;
};

static void take_graph(struct candidates *candidates, const struct execution_graph *graph)
{
    assert(graph->event_count <= 16 && graph->location_count <= 4);
    for (unsigned i = 0; i < graph->location_count; i++)
        candidates->events[candidates->count++] =
            (struct event){.thread = EXECUTION_THREADS, .kind = 'W', .location = i};
    for (unsigned i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        bool reads = event->kind == EVENT_KIND_READ, writes = event->kind == EVENT_KIND_WRITE;
        assert(event->kind != EVENT_KIND_CREATE && event->kind != EVENT_KIND_JOIN);
        candidates->events[candidates->count++] = (struct event){
            .thread = event->thread,
            .index = 1000u * event->index - (event->is_update ? 999 : 0),
            .kind = reads    ? 'R'
                    : writes ? 'W'
                             : 'F',
            .location = reads || writes ? event->location : graph->location_count,
            .order = (enum memory_order_c11)event->order,
            .source = !reads              ? 0
                      : event->source < 0 ? (int)event->location
                                          : (int)graph->location_count + event->source,
            .rank = writes ? event->rank : 0,
            .is_update = event->is_update,
            .is_exchange = reads && event->operation != OPERATION_LOAD};
    }
}

/* Where an operation's call and return stand between the events of its thread, given that
 * operations of a thread are in order. */
static unsigned call_of(const struct clients_of *clients, unsigned operation)
{
    return 1000 * clients->operations[operation].before + 100 * operation + 45;
}
static unsigned return_of(const struct clients_of *clients, unsigned operation)
{
    return 1000 * clients->operations[operation].after + 100 * operation + 55;
}

/* The accesses of a client: writes right behind a return, reads right before a call. */
static void add_client(const struct clients_of *clients, struct candidates *candidates)
{
    unsigned made = 0;
    for (unsigned to = 0; to < clients->count; to++)
        for (unsigned from = 0; from < clients->count; from++) {
            if (!(clients->edges[to] >> from & 1))
                continue;
            assert(candidates->count + 2 <= MOST && made < 40);
            candidates->events[candidates->count] =
                (struct event){.thread = clients->operations[from].thread,
                               .index = return_of(clients, from) + 1 + made,
                               .kind = 'W',
                               .location = 10 + made,
                               .order = ORDER_RELEASE,
                               .rank = 1};
            candidates->events[candidates->count + 1] =
                (struct event){.thread = clients->operations[to].thread,
                               .index = call_of(clients, to) - 40 + made,
                               .kind = 'R',
                               .location = 10 + made,
                               .order = ORDER_ACQUIRE,
                               .source = (int)candidates->count};
            candidates->count += 2;
            made++;
        }
}

static struct relation order_of_events(const struct candidates *candidates)
{
    struct basic basic = basics(candidates);
    if (candidates->model != MEMORY_SC)
        return happens_before(candidates, &basic);
    struct relation order = join(&basic.sb, &basic.rf);
    order = join(&order, &basic.mo);
    order = join(&order, &basic.rb);
    return closed(&order);
}

/* Whether something behind the return of the one comes before something in front of the call of
 * the other. */
static bool returns_before(const struct clients_of *clients, const struct candidates *candidates,
                           const struct relation *order, unsigned from, unsigned to)
{
    const struct operation_place *first = &clients->operations[from];
    const struct operation_place *second = &clients->operations[to];
    if (!first->returned || first->thread == second->thread)
        return first->returned && from < to;
    for (unsigned i = 0; i < candidates->count; i++)
        for (unsigned j = 0; j < candidates->count; j++)
            if (candidates->events[i].thread == first->thread &&
                candidates->events[i].index > return_of(clients, from) &&
                candidates->events[j].thread == second->thread &&
                candidates->events[j].index < call_of(clients, to) && order->to[i] >> j & 1)
                return true;
    return false;
}

static void visit_client(struct clients_of *clients)
{
    struct candidates candidates = clients->plain;
    unsigned before[MEMORY_OPERATIONS] = {0};
    add_client(clients, &candidates);
    if (!is_allowed(&candidates))
        return;
    struct relation order = order_of_events(&candidates);
    for (unsigned to = 0; to < clients->count; to++)
        for (unsigned from = 0; from < clients->count; from++)
            if (from != to && returns_before(clients, &candidates, &order, from, to))
                before[to] |= 1u << from;
    clients->visit(clients->context, before);
}

/* Each pair of operations of two threads has an edge one way, the other, or none; two would be a
 * cycle. */
static void choose_edges(struct clients_of *clients, unsigned pair)
{
    unsigned a = pair % clients->count, b = pair / clients->count;
    if (pair == clients->count * clients->count) {
        visit_client(clients);
        return;
    }
    choose_edges(clients, pair + 1);
    if (a >= b || clients->operations[a].thread == clients->operations[b].thread)
        return;
    for (unsigned way = 0; way < 2; way++) {
        unsigned from = way ? b : a, to = way ? a : b;
        if (!clients->operations[from].returned)
            continue;
        clients->edges[to] |= 1u << from;
        choose_edges(clients, pair + 1);
        clients->edges[to] &= ~(1u << from);
    }
}

bool memory_oracle_clients(const struct execution_graph *graph, enum memory_model model,
                           enum psc_form psc_form, const struct operation_place *operations,
                           unsigned count, void (*visit)(void *context, const unsigned *before),
                           void *context)
{
    struct clients_of clients = {.operations = operations,
                                 .count = count,
                                 .visit = visit,
                                 .context = context,
                                 .plain = {.model = model, .psc = psc_form}};
    unsigned pairs = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            pairs += operations[i].thread != operations[j].thread;
    if (graph->event_count > 16 || graph->event_count + graph->location_count + 2 * pairs > MOST)
        return false;
    take_graph(&clients.plain, graph);
    choose_edges(&clients, 0);
    return true;
}
