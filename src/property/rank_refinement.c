/* The walk of refinement.c, level by level, with every pair where its state is: the hash of a state
 * says which rank owns it, and only there is it stored, with its antichain. Pairs that others find
 * go to the owner (rank_mail.h). Since a level is settled when all that it finds is known, which
 * pairs are taken up is the same for any number of ranks, and so are the counts.
 *
 * A round is the one step in which ranks meet: each says whether it has more of its level to take
 * up and whether it has come to an end, and all exchange what was found so far. A rank asks for one
 * after so many pairs, and then as long as another has more. What ends the search (a violation, an
 * error of the model, a limit) is known to all at the end of a round, at the same place of the
 * program.
 *
 * Nobody stores where a pair was found from. To tell a violation the ranks walk back: for each step
 * every rank takes up its pairs of the level before again, until one leads to the pair that was
 * reached; that one goes to all. This takes at most as long as the search did. */
#include "property/rank_refinement.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/log.h"
#include "property/antichain.h"
#include "property/rank_mail.h"

#define PAIRS_A_ROUND SIZE_OR_SMALL(16384, 16) /* taken up */
#define WAITING_MOST  ((size_t)1 << 17)        /* pairs to other ranks */

/* How the search came to an end on a rank. The greatest counts. */
enum ending {
    ENDING_NONE,
    ENDING_LIMIT,
    ENDING_FOUND, /* a violation, or an error of the model */
};

struct rank_pair {
    state_id state;
    normal_id with; /* NORMAL_NONE: it is not taken up, for a smaller one */
};

/* Of the way back: a pair's normalised state, and the label of the step that is taken from it. */
struct rank_step {
    label by;
    normal_id with;
};

struct walk {
    struct graph *graph;
    struct normal *specification;
    const struct refinement_options *options;
    const struct transport *transport;
    struct refinement *result;
    struct error *error;
    struct state_table states; /* that this rank owns */
    struct pairs pairs;
    struct antichain antichain;
    VECTOR(struct rank_pair) nodes; /* level by level */
    VECTOR(uint32_t) levels;        /* the first node of each */
    struct rank_names names;
    struct rank_mail mail;
    uint64_t *agreed; /* scratch: what a round agrees on */
    uint32_t round;   /* pairs to be taken up in one */
    uint32_t taken;   /* since the last round */
    uint64_t transitions;
    enum ending ending; /* on this rank */
    enum status status; /* of ENDING_FOUND, or why not */
    enum limit limit;
    bool is_over, is_complete; /* on all ranks */
    uint32_t settled;          /* nodes of the levels that have ended */
    uint32_t found_at;         /* ENDING_FOUND: the node, and the step, unless it is an error of the
                                  model before there is one */
    bool found_step;
    label found_by;
    uint32_t *found_state;
    VECTOR(uint64_t) hashes; /* scratch, by step */
    /* The way back, from its end. */
    VECTOR(uint32_t) way;           /* states, slot by slot */
    VECTOR(struct rank_step) steps; /* that lead to them */
};

static uint32_t slots_of(const struct walk *walk)
{
    return walk->graph->model->slots;
}

static uint64_t hash_of(const struct walk *walk, const uint32_t *state)
{
    return state_table_hash(&walk->states, state);
}

/* The table of states is laid out by other bits of the hash. */
static unsigned owner_of(const struct walk *walk, uint64_t hash)
{
    return (unsigned)((hash_word(hash) >> 32) % walk->transport->ranks);
}

/* ---- pairs ---- */

/* Adds a pair that this rank owns. */
static enum status add(void *self, const uint32_t *state, normal_id normal, label by)
{
    struct walk *walk = self;
    bool fresh, is_pair;
    (void)by;
    const state_id id = state_table_intern(&walk->states, state, &fresh);
    TRY_MEMORY(id != STATE_REFUSED);
    TRY_MEMORY(walk->options->antichain ? antichain_add(&walk->antichain, id, normal, &is_pair)
                                        : pairs_add(&walk->pairs, id, normal, &is_pair));
    return granted(!is_pair || (walk->nodes.length < NODE_NONE &&
                                vector_push(&walk->nodes, ((struct rank_pair){id, normal}))));
}

static enum status find(struct walk *walk, uint64_t hash, const uint32_t *state, normal_id normal)
{
    const unsigned owner = owner_of(walk, hash);
    if (owner == walk->transport->rank)
        return add(walk, state, normal, LABEL_TAU);
    return granted(rank_mail_put(&walk->mail, owner, hash, state, normal, LABEL_TAU));
}

/* ---- steps ---- */

static uint32_t *successor(struct walk *walk, size_t i)
{
    return walk->graph->own.successors.states.items + i * slots_of(walk);
}

/* Whether a step is one that was there before: same label, same state. */
static bool is_repeated(struct walk *walk, size_t at, uint64_t processes)
{
    const struct step *steps = walk->graph->own.successors.steps.items;
    const size_t identity = walk->graph->model->identity_slots * sizeof(uint32_t);
    for (size_t i = 0; i < at; i++)
        if (steps[i].label == steps[at].label && graph_takes(&steps[i], processes) &&
            walk->hashes.items[i] == walk->hashes.items[at] &&
            memcmp(successor(walk, i), successor(walk, at), identity) == 0)
            return true;
    return false;
}

/* What follows from a state; the edges are the steps that graph_takes. */
static enum status expand(struct walk *walk, const uint32_t *state, uint64_t *processes)
{
    TRY(graph_successors(walk->graph, state, processes, walk->error));
    return granted(vector_reserve(&walk->hashes, walk->graph->own.successors.steps.length));
}

static enum status step(struct walk *walk, normal_id from, label by, normal_id *to)
{
    *to = from;
    return by == LABEL_TAU
               ? STATUS_OK
               : walk->specification->class->step(walk->specification, from, by, to, walk->error);
}

/* The search ends with this pair, and with a step from it, or null. */
static void end_here(struct walk *walk, uint32_t node, const struct step *last,
                     const uint32_t *state, enum status status)
{
    walk->ending = ENDING_FOUND;
    walk->status = status;
    walk->found_at = node;
    walk->found_step = last != NULL;
    if (!last)
        return;
    walk->found_by = last->label;
    memcpy(walk->found_state, state, slots_of(walk) * sizeof *state);
}

static enum status follow(struct walk *walk, uint32_t node)
{
    const struct rank_pair here = walk->nodes.items[node];
    uint64_t processes;
    enum status status = expand(walk, state_table_get(&walk->states, here.state), &processes);
    if (status == STATUS_INPUT)
        end_here(walk, node, NULL, NULL, status);
    TRY(status);
    const struct successors *out = &walk->graph->own.successors;
    for (size_t i = 0; i < out->steps.length; i++) {
        const struct step *taken = &out->steps.items[i];
        const uint32_t *state = successor(walk, i);
        normal_id next;
        if (!graph_takes(taken, processes))
            continue;
        walk->hashes.items[i] = hash_of(walk, state);
        if (is_repeated(walk, i, processes))
            continue;
        walk->transitions++;
        status = step(walk, here.with, taken->label, &next);
        if (status == STATUS_INPUT || (status == STATUS_OK && next == NORMAL_NONE))
            end_here(walk, node, taken, state, status);
        if (status != STATUS_OK || next == NORMAL_NONE)
            return status;
        if (next == NORMAL_EVERYTHING)
            continue;
        TRY_MEMORY(rank_names_met(&walk->names, next, here.with, taken->label));
        TRY(find(walk, walk->hashes.items[i], state, next));
    }
    return STATUS_OK;
}

/* ---- rounds ---- */

/* What a round agrees on, the most of all ranks: */
enum {
    AGREED_MORE, /* some rank has more of its level to take up */
    AGREED_ENDING,
    AGREED_LIMIT,
    AGREED_BITS, /* from here on, of each word of a pair */
};

static size_t agreed_count(const struct walk *walk)
{
    return AGREED_BITS + rank_mail_words(&walk->mail);
}

static void note(struct walk *walk, enum status status)
{
    if (status == STATUS_OK || walk->ending != ENDING_NONE)
        return;
    walk->ending = ENDING_LIMIT;
    walk->status = status;
    walk->limit = limits_which(walk->options->limits);
}

/* Whether some rank had more to take up. */
static bool meet(struct walk *walk, bool has_more)
{
    walk->taken = 0;
    walk->agreed[AGREED_MORE] = has_more;
    walk->agreed[AGREED_ENDING] = walk->ending;
    walk->agreed[AGREED_LIMIT] = walk->ending == ENDING_LIMIT ? walk->limit : LIMIT_NONE;
    rank_mail_bits(&walk->mail, walk->agreed + AGREED_BITS);
    walk->transport->reduce(walk->transport, TRANSPORT_MOST, walk->agreed, agreed_count(walk));
    walk->is_over = walk->agreed[AGREED_ENDING] != ENDING_NONE;
    if (walk->is_over)
        return false;
    note(walk, rank_mail_exchange(&walk->mail, walk->agreed + AGREED_BITS, add, walk, walk->error));
    return walk->agreed[AGREED_MORE] != 0;
}

/* Marks the pairs of the level that ends which are not minimal. */
static void settle(struct walk *walk, size_t first)
{
    for (size_t i = first; i < walk->nodes.length && walk->options->antichain; i++) {
        struct rank_pair *pair = &walk->nodes.items[i];
        if (!antichain_has(&walk->antichain, pair->state, pair->with))
            pair->with = NORMAL_NONE;
    }
}

/* The level has ended on this rank: waits until it has on all, and for the next one that it has
 * pairs of. */
static enum status found(void *self, uint32_t *count)
{
    struct walk *walk = self;
    for (size_t fresh = 0; !fresh && !walk->is_over;) {
        while (meet(walk, false))
            ;
        if (walk->is_over)
            return STATUS_LIMIT;
        settle(walk, walk->settled);
        if (!vector_push(&walk->levels, walk->settled))
            note(walk, STATUS_LIMIT);
        fresh = walk->nodes.length - walk->settled;
        walk->settled = (uint32_t)walk->nodes.length;
        uint64_t sums[] = {fresh, walk->ending != ENDING_NONE};
        walk->transport->reduce(walk->transport, TRANSPORT_SUM, sums, ARRAY_LENGTH(sums));
        walk->is_complete = !sums[0] && !sums[1];
        walk->is_over = walk->is_complete;
    }
    *count = (uint32_t)walk->nodes.length;
    return STATUS_OK;
}

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    if (walk->nodes.items[node].with != NORMAL_NONE)
        note(walk, follow(walk, node));
    const bool is_round = ++walk->taken >= walk->round || walk->mail.waiting >= WAITING_MOST;
    if (is_round && walk->ending == ENDING_NONE)
        meet(walk, true);
    if (walk->ending != ENDING_NONE && !walk->is_over)
        meet(walk, false);
    *stop = walk->is_over;
    return STATUS_OK;
}

static enum status begin(struct walk *walk)
{
    normal_id initial;
    TRY(walk->specification->class->initial(walk->specification, &initial, walk->error));
    TRY_MEMORY(rank_names_met(&walk->names, initial, NORMAL_NONE, LABEL_TAU));
    for (size_t i = 0; i < walk->graph->initial.length; i++) {
        const uint32_t *state = graph_state(walk->graph, walk->graph->initial.items[i]);
        if (owner_of(walk, hash_of(walk, state)) == walk->transport->rank)
            TRY(add(walk, state, initial, LABEL_TAU));
    }
    return STATUS_OK;
}

static void search(struct walk *walk)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    struct explorer explorer;
    note(walk, begin(walk));
    explorer_init(&explorer, EXPLORE_OLDEST_FIRST, walk->options->limits,
                  walk->options->limits->budget);
    explorer.work = &walk->options->limits->work;
    explorer.task = "refinement";
    explorer.nodes = "pairs";
    const enum status status = explore(&explorer, &visitor, walk);
    explorer_release(&explorer);
    if (!walk->is_over) {
        note(walk, status);
        while (!walk->is_over)
            meet(walk, false);
    }
}

/* ---- the way back ---- */

/* One more pair of the way, on all ranks. */
static enum status take_way(void *self, const uint32_t *state, normal_id normal, label by)
{
    struct walk *walk = self;
    const size_t at = walk->way.length, slots = slots_of(walk);
    TRY_MEMORY(vector_reserve(&walk->way, at + slots));
    memcpy(walk->way.items + at, state, slots * sizeof *state);
    walk->way.length = at + slots;
    return granted(vector_push(&walk->steps, ((struct rank_step){by, normal})));
}

/* Rank `from` gives a pair to all, and the label of the step that is taken from it. STATUS_LIMIT
 * also where that rank could not. */
static enum status pass(struct walk *walk, unsigned from, const uint32_t *state, normal_id normal,
                        label by)
{
    const struct transport *transport = walk->transport;
    uint64_t *bits = walk->agreed;
    const size_t before = walk->steps.length;
    enum status status = STATUS_OK, other;
    for (uint32_t i = 0; i < rank_mail_words(&walk->mail); i++)
        bits[i] = 32;
    if (transport->rank == from)
        status = take_way(walk, state, normal, by);
    for (unsigned i = 0; i < transport->ranks && transport->rank == from && status == STATUS_OK;
         i++)
        if (i != from)
            status = granted(rank_mail_put(&walk->mail, i, 0, state, normal, by));
    other = rank_mail_exchange(&walk->mail, bits, take_way, walk, walk->error);
    if (status == STATUS_OK)
        status = other;
    return status == STATUS_OK ? granted(walk->steps.length > before) : status;
}

/* Looks among the pairs of a level on this rank for one from which a step leads to the last of the
 * way. */
static enum status look_before(struct walk *walk, size_t level, struct rank_pair *pair, label *by,
                               bool *is_found)
{
    const size_t slots = slots_of(walk),
                 identity = walk->graph->model->identity_slots * sizeof(uint32_t);
    const uint32_t *target = walk->way.items + walk->way.length - slots;
    const normal_id with = walk->steps.items[walk->steps.length - 1].with;
    *is_found = false;
    for (uint32_t node = walk->levels.items[level]; node < walk->levels.items[level + 1]; node++) {
        uint64_t processes;
        normal_id next;
        *pair = walk->nodes.items[node];
        if (pair->with == NORMAL_NONE)
            continue;
        TRY(expand(walk, state_table_get(&walk->states, pair->state), &processes));
        for (size_t i = 0; i < walk->graph->own.successors.steps.length; i++) {
            const struct step *taken = &walk->graph->own.successors.steps.items[i];
            if (!graph_takes(taken, processes) || memcmp(successor(walk, i), target, identity) != 0)
                continue;
            TRY(step(walk, pair->with, taken->label, &next));
            *by = taken->label;
            *is_found = next == with;
            if (*is_found)
                return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* The step before the last of the way; false where some rank could not go on. */
static bool go_back(struct walk *walk, size_t level, enum status *status)
{
    const struct transport *transport = walk->transport;
    struct rank_pair pair = {0};
    label by = LABEL_TAU;
    bool is_found = false;
    if (*status == STATUS_OK)
        *status = look_before(walk, level, &pair, &by, &is_found);
    uint64_t least[] = {is_found ? transport->rank : transport->ranks, *status == STATUS_OK};
    transport->reduce(transport, TRANSPORT_LEAST, least, ARRAY_LENGTH(least));
    if (!least[1])
        return false;
    assert(least[0] < transport->ranks);
    const uint32_t *state =
        least[0] == transport->rank ? state_table_get(&walk->states, pair.state) : NULL;
    *status = pass(walk, (unsigned)least[0], state, pair.with, by);
    return true;
}

/* The last pair, and the step from it. */
static enum status begin_way(struct walk *walk, unsigned from)
{
    const struct transport *transport = walk->transport;
    const bool is_own = transport->rank == from;
    const struct rank_pair pair =
        is_own ? walk->nodes.items[walk->found_at] : (struct rank_pair){0};
    uint64_t has_step = walk->found_step;
    for (unsigned i = 0; i < transport->ranks; i++)
        walk->mail.outboxes[i].pairs.length = 0; /* of a round that did not come */
    transport->broadcast(transport, from, &has_step, sizeof has_step);
    transport->broadcast(transport, from, &walk->status, sizeof walk->status);
    if (walk->status == STATUS_INPUT)
        transport->broadcast(transport, from, walk->error, sizeof *walk->error);
    walk->found_step = has_step != 0;
    enum status status = STATUS_OK;
    if (walk->found_step)
        status = pass(walk, from, walk->found_state, pair.with, LABEL_TAU);
    const enum status second =
        pass(walk, from, is_own ? state_table_get(&walk->states, pair.state) : NULL, pair.with,
             walk->found_by);
    return status == STATUS_OK ? second : status;
}

/* On rank 0. */
static enum status write_execution(struct walk *walk)
{
    struct execution *execution = &walk->result->execution;
    const size_t slots = slots_of(walk);
    for (size_t left = walk->steps.length; left > 0; left--) {
        state_id id;
        TRY(graph_add(walk->graph, walk->way.items + (left - 1) * slots, &id, walk->error));
        TRY_MEMORY(left == walk->steps.length
                       ? vector_push(&execution->states, id)
                       : execution_push(execution, walk->steps.items[left].by, id));
    }
    walk->result->before = walk->steps.items[walk->found_step ? 1 : 0].with;
    return STATUS_OK;
}

/* Collective: what a rank has found becomes the result; STATUS_LIMIT where that is not possible. */
static enum status tell_found(struct walk *walk)
{
    const struct transport *transport = walk->transport;
    uint64_t from = walk->ending == ENDING_FOUND ? transport->rank : transport->ranks;
    transport->reduce(transport, TRANSPORT_LEAST, &from, 1);
    enum status status = begin_way(walk, (unsigned)from);
    const enum status found = walk->status;
    bool goes_on = true;
    for (size_t level = walk->levels.length - 1; level > 0 && goes_on; level--)
        goes_on = go_back(walk, level - 1, &status);
    uint64_t failed = !goes_on || status != STATUS_OK;
    transport->reduce(transport, TRANSPORT_MOST, &failed, 1);
    if (failed)
        return STATUS_LIMIT;
    if (transport->rank == 0)
        TRY(write_execution(walk));
    walk->result->answer = found == STATUS_OK ? VIOLATED : UNDECIDED;
    return found;
}

/* ---- the whole ---- */

static void add_up(struct walk *walk, struct rank_figures *figures)
{
    const struct transport *transport = walk->transport;
    struct refinement *result = walk->result;
    const uint64_t kept = walk->options->antichain ? walk->antichain.count : walk->pairs.count;
    uint64_t sums[] = {kept, walk->transitions, walk->states.count, walk->mail.sent_bytes,
                       walk->graph->own.exhausted};
    uint64_t most = walk->states.count;
    transport->reduce(transport, TRANSPORT_SUM, sums, ARRAY_LENGTH(sums));
    transport->reduce(transport, TRANSPORT_MOST, &most, 1);
    result->pairs = sums[0];
    result->transitions = sums[1];
    *figures = (struct rank_figures){.states = sums[2], .largest = most, .bytes = sums[3]};
    walk->graph->own.exhausted = sums[4] != 0;
}

static enum status conclude(struct walk *walk, struct rank_figures *figures)
{
    struct refinement *result = walk->result;
    result->extent = (struct search_extent){
        .order = EXPLORE_OLDEST_FIRST, .depth = walk->levels.length ? walk->levels.length - 1 : 0};
    add_up(walk, figures);
    if (walk->is_complete) {
        result->answer = HOLDS;
        return STATUS_OK;
    }
    enum status status = STATUS_LIMIT;
    result->limit = (enum limit)walk->agreed[AGREED_LIMIT];
    /* A rank to which memory was refused may lack names, and the last level. */
    const bool is_whole = result->limit == LIMIT_NONE || result->limit == LIMIT_TIME;
    if (walk->agreed[AGREED_ENDING] == ENDING_FOUND && is_whole)
        status = tell_found(walk);
    if (status != STATUS_LIMIT)
        return status;
    result->answer = UNDECIDED;
    result->execution.states.length = result->execution.labels.length = 0;
    if (result->limit == LIMIT_NONE)
        result->limit = limits_which(walk->options->limits);
    return STATUS_OK;
}

static bool walk_init(struct walk *walk, struct budget *budget)
{
    const struct model *model = walk->graph->model;
    state_table_init(&walk->states, budget, model->slots, model->identity_slots);
    pairs_init(&walk->pairs, budget);
    antichain_init(&walk->antichain, walk->specification, budget);
    vectors_init(budget, &walk->nodes, &walk->levels, &walk->hashes, &walk->way, &walk->steps);
    bool room = rank_names_init(&walk->names, walk->transport->ranks, walk->specification,
                                model->labels, budget);
    room &= rank_mail_init(&walk->mail, walk->transport, &walk->names, model->slots, budget);
    walk->found_state = memory_zeroed(budget, model->slots * sizeof *walk->found_state);
    walk->agreed = memory_zeroed(budget, agreed_count(walk) * sizeof *walk->agreed);
    return room && walk->found_state && walk->agreed;
}

static void walk_release(struct walk *walk, struct budget *budget)
{
    const size_t slots = slots_of(walk);
    memory_release(budget, walk->agreed, agreed_count(walk) * sizeof *walk->agreed);
    memory_release(budget, walk->found_state, slots * sizeof *walk->found_state);
    rank_mail_release(&walk->mail);
    rank_names_release(&walk->names);
    vectors_release(&walk->nodes, &walk->levels, &walk->hashes, &walk->way, &walk->steps);
    antichain_release(&walk->antichain);
    pairs_release(&walk->pairs);
    state_table_release(&walk->states);
}

enum status refine_among_ranks(struct graph *implementation, struct normal *specification,
                               const struct refinement_options *options,
                               struct transport_meeting *meeting, struct refinement *result,
                               struct rank_figures *figures, struct error *error)
{
    struct budget *budget = options->limits->budget;
    struct walk walk = {.graph = implementation,
                        .specification = specification,
                        .options = options,
                        .transport = meeting->transport,
                        .result = result,
                        .round = meeting->round ? meeting->round : PAIRS_A_ROUND,
                        .error = error};
    enum status status = STATUS_OK;
    *figures = (struct rank_figures){0};
    assert(!options->failures && !implementation->keeps_offers && !implementation->skips);
    const bool room = walk_init(&walk, budget);
    if (transport_meet(meeting, room)) {
        search(&walk);
        status = conclude(&walk, figures);
    } else {
        result->answer = UNDECIDED;
        result->limit = LIMIT_MEMORY; /* what else would keep a rank from coming */
    }
    walk_release(&walk, budget);
    return status;
}
