/* Petri nets in mist's format (.spec): runs are fired; that no target can be covered is shown by a
 * set of markings that no transition leaves, or enters (docs/manual/proofs.md).
 *
 * A marking has the tokens of each place; OMEGA is as many as one likes. */
#include <stdlib.h>
#include <string.h>

#include "parser.h"

#define OMEGA (INT64_MAX / 4)
#define MOST  1000000000

struct net {
    const struct file *file;
    size_t places, transitions, targets;
    value *names;
    int64_t *initial, **takes, **gives, **wanted; /* of each transition, of each target */
    bool *open;                                   /* initially that many or more */
};

/* ---- reading ---- */

static bool at_section(const struct parser *p)
{
    return !p->length || is(p, "rules") || is(p, "init") || is(p, "target") || is(p, "invariants");
}

static int64_t read_number(struct parser *p)
{
    int64_t number;
    if (!get_integer(value_text(INTEGER, p->token, p->length), &number) || number < 0 ||
        number > MOST)
        unknown(p);
    advance(p);
    return number;
}

static size_t read_place(struct parser *p)
{
    size_t number = *value_text(STRING, p->token, p->length)->number;
    if (number == 0)
        unknown(p);
    advance(p);
    return number - 1;
}

static int64_t *no_tokens(const struct net *net)
{
    int64_t *tokens = room(NULL, net->places, sizeof *tokens);
    memset(tokens, 0, net->places * sizeof *tokens);
    return tokens;
}

/* A place that is not among those marked. */
static size_t read_other_place(struct parser *p, int64_t *marked)
{
    const struct parser before = *p;
    size_t place = read_place(p);
    if (marked[place]++)
        unknown(&before);
    return place;
}

/* PLACE >= N, ...; no place twice. Gives the line in which the last one ends. */
static size_t read_conditions(const struct net *net, struct parser *p, int64_t *tokens)
{
    int64_t *marked = no_tokens(net);
    size_t line;
    do {
        size_t place = read_other_place(p, marked);
        expect(p, ">=");
        line = p->line;
        tokens[place] = read_number(p);
    } while (accept(p, ","));
    free(marked);
    return line;
}

/* [CONDITIONS] -> PLACE' = PLACE [+ N | - N], ...; */
static void read_rule(struct net *net, struct parser *p)
{
    int64_t *takes = no_tokens(net), *gives = no_tokens(net), *marked = no_tokens(net);
    if (!accept(p, "true") && !is(p, "->"))
        read_conditions(net, p, takes);
    memcpy(gives, takes, net->places * sizeof *gives);
    expect(p, "->");
    while (!accept(p, ";")) {
        size_t place = read_other_place(p, marked);
        expect(p, "'");
        expect(p, "=");
        if (read_place(p) != place)
            unknown(p);
        int sign = accept(p, "+") ? 1 : accept(p, "-") ? -1 : 0;
        gives[place] += sign ? sign * read_number(p) : 0;
        if (gives[place] < 0) /* there is no guard for what is taken */
            unknown(p);
        if (!accept(p, ",") && !is(p, ";"))
            unknown(p);
    }
    free(marked);
    net->takes = room(net->takes, net->transitions + 1, sizeof *net->takes);
    net->gives = room(net->gives, net->transitions + 1, sizeof *net->gives);
    net->takes[net->transitions] = takes;
    net->gives[net->transitions++] = gives;
}

static void read_places(struct net *net, struct parser *p)
{
    for (expect(p, "vars"); !at_section(p); advance(p)) {
        value name = value_text(STRING, p->token, p->length);
        if (!is_name(p) || p->length > 255 || *name->number)
            unknown(p);
        net->names = room(net->names, net->places + 1, sizeof *net->names);
        net->names[net->places] = name;
        *name->number = ++net->places;
    }
}

static void read_initial(struct net *net, struct parser *p)
{
    int64_t *marked = no_tokens(net);
    for (expect(p, "init"); !at_section(p);) {
        size_t place = read_other_place(p, marked);
        if (!(net->open[place] = accept(p, ">=")))
            expect(p, "=");
        net->initial[place] = read_number(p);
        if (!accept(p, ",") && !at_section(p))
            unknown(p);
    }
    free(marked);
}

/* Each on lines of its own, so that no comma is forgotten. */
static void read_targets(struct net *net, struct parser *p)
{
    expect(p, "target");
    do {
        int64_t *tokens = no_tokens(net);
        size_t line = read_conditions(net, p, tokens);
        if (!at_section(p) && p->line == line)
            unknown(p);
        net->wanted = room(net->wanted, net->targets + 1, sizeof *net->wanted);
        net->wanted[net->targets++] = tokens;
    } while (!at_section(p));
}

/* PLACE = WEIGHT, ...; they are of no use here. */
static void read_invariants(struct parser *p)
{
    while (p->length)
        do {
            read_place(p);
            expect(p, "=");
            read_number(p);
        } while (accept(p, ","));
}

/* What linchpin would not read is not read here either: it may be meant otherwise. */
static void read_net(const struct file *file, struct net *net)
{
    struct parser parser = {.file = file, .at = file->bytes, .line = 1, .hashes = true};
    struct parser *p = &parser;
    *net = (struct net){.file = file};
    advance(p);
    read_places(net, p);
    net->initial = no_tokens(net);
    net->open = room(NULL, net->places, sizeof *net->open);
    memset(net->open, 1, net->places * sizeof *net->open);
    expect(p, "rules");
    while (!at_section(p))
        read_rule(net, p);
    read_initial(net, p);
    read_targets(net, p);
    if (accept(p, "invariants"))
        read_invariants(p);
    if (p->token != file->bytes + file->length)
        unknown(p);
}

/* ---- markings ---- */

static bool covers(const struct net *net, const int64_t *many, const int64_t *few)
{
    size_t p = 0;
    while (p < net->places && many[p] >= few[p])
        p++;
    return p == net->places;
}

/* Fires a transition, forwards or backwards. */
static void move(const struct net *net, int64_t *marking, const int64_t *takes,
                 const int64_t *gives)
{
    for (size_t p = 0; p < net->places; p++)
        if (marking[p] != OMEGA)
            marking[p] = (marking[p] > takes[p] ? marking[p] - takes[p] : 0) + gives[p];
}

static size_t read_index(value v, size_t count)
{
    int64_t index;
    if (!get_integer(v, &index) || index < 0 || (uint64_t)index >= count)
        refuse("the net has no place, or no transition, of that number");
    return (size_t)index;
}

/* [[place, tokens], ...]; -1 is OMEGA. */
static int64_t *read_tokens(const struct net *net, value list)
{
    int64_t *tokens = no_tokens(net), number;
    for (size_t i = 0; i < list->length; i++) {
        value pair = list->items[i];
        if (!is_pair(pair) || !get_integer(pair->items[1], &number) || number < -1 || number > MOST)
            refuse("expected a place with a number of tokens");
        tokens[read_index(pair->items[0], net->places)] = number < 0 ? OMEGA : number;
    }
    return tokens;
}

/* ---- runs ---- */

static void check_run(const struct net *net, struct evidence *evidence)
{
    value line = next_evidence(evidence), start = get_field(line, "start");
    if (!start || start->kind != LIST)
        refuse("expected a list \"start\"");
    int64_t *marking = read_tokens(net, start);
    for (size_t p = 0; p < net->places; p++)
        if (marking[p] == OMEGA || marking[p] < net->initial[p] ||
            (marking[p] > net->initial[p] && !net->open[p]))
            refuse("%s has another number of tokens at first", net->names[p]->text);
    while ((line = next_evidence(evidence))) {
        value list = get_field(line, "fire");
        if (!list || list->kind != LIST)
            refuse("expected a list \"fire\"");
        for (size_t i = 0; i < list->length; i++) {
            size_t t = read_index(list->items[i], net->transitions);
            if (!covers(net, marking, net->takes[t]))
                refuse("transition %zu cannot fire", t);
            move(net, marking, net->takes[t], net->gives[t]);
        }
    }
    size_t covered = 0;
    while (covered < net->targets && !covers(net, marking, net->wanted[covered]))
        covered++;
    if (covered == net->targets)
        refuse("the run covers no target");
}

/* ---- sets of markings ---- */

/* What is known of reachable markings, and a set of markings. */
struct proof {
    const struct net *net;
    bool *live, *together; /* places that may hold a token; two, one in each */
    int64_t **weights;     /* no transition raises their sums */
    int64_t **markings;
    size_t weight_count, count;
};

static bool are_together(const struct proof *proof, size_t p, size_t q)
{
    return proof->together[p * proof->net->places + q];
}

static void read_proof(struct proof *proof, struct evidence *evidence)
{
    size_t places = proof->net->places;
    proof->live = room(NULL, places, 1);
    proof->together = room(NULL, places * places, 1);
    memset(proof->live, 0, places);
    memset(proof->together, 0, places * places);
    for (value line, list; (line = next_evidence(evidence));) {
        value place = get_field(line, "place"), weights = get_field(line, "weights");
        list = place ? get_field(line, "with") : weights ? weights : get_field(line, "marking");
        if (!list || list->kind != LIST)
            refuse("expected a place, weights or a marking");
        size_t p = place ? read_index(place, places) : 0;
        for (size_t i = 0; place && i < list->length; i++) {
            size_t q = read_index(list->items[i], places);
            proof->together[p * places + q] = proof->together[q * places + p] = true;
        }
        int64_t ***all = weights ? &proof->weights : &proof->markings;
        size_t *count = weights ? &proof->weight_count : &proof->count;
        if (place)
            proof->live[p] = true;
        else {
            *all = room(*all, *count + 1, sizeof **all);
            (*all)[(*count)++] = read_tokens(proof->net, list);
        }
    }
}

/* Whether every two of the tokens may lie together. */
static bool is_possible(const struct proof *proof, const int64_t *tokens)
{
    bool possible = true;
    for (size_t p = 0; p < proof->net->places && possible; p++)
        for (size_t q = 0; q <= p && possible && tokens[p]; q++)
            possible = q < p ? !tokens[q] || are_together(proof, p, q)
                             : proof->live[p] && (tokens[p] == 1 || are_together(proof, p, p));
    return possible;
}

/* Whether a token of r may lie beside all of these. */
static bool is_beside(const struct proof *proof, size_t r, const int64_t *tokens)
{
    size_t p = 0;
    while (p < proof->net->places && (!tokens[p] || are_together(proof, r, p)))
        p++;
    return p == proof->net->places;
}

static __int128 weigh(const struct net *net, const int64_t *weights, const int64_t *tokens)
{
    __int128 sum = 0;
    for (size_t p = 0; p < net->places; p++)
        sum += (__int128)weights[p] * tokens[p];
    return sum;
}

/* What is initial, with OMEGA where a place is open. */
static int64_t *first_marking(const struct net *net)
{
    int64_t *first = no_tokens(net);
    for (size_t p = 0; p < net->places; p++)
        first[p] = net->open[p] ? OMEGA : net->initial[p];
    return first;
}

/* What is claimed of all reachable markings holds at first, and is kept. */
static void check_claims(const struct proof *proof)
{
    const struct net *net = proof->net;
    if (!is_possible(proof, first_marking(net)))
        refuse("two tokens lie together at first");
    for (size_t i = 0; i < proof->weight_count; i++)
        for (size_t p = 0; p < net->places; p++)
            if (net->open[p] && proof->weights[i][p])
                refuse("a place that is open has a weight");
    for (size_t t = 0; t < net->transitions; t++) {
        if (!is_possible(proof, net->takes[t]))
            continue;
        bool kept = is_possible(proof, net->gives[t]);
        for (size_t r = 0; kept && r < net->places; r++)
            kept = !proof->live[r] || !is_beside(proof, r, net->takes[t]) ||
                   is_beside(proof, r, net->gives[t]);
        if (!kept)
            refuse("transition %zu leads to two tokens that are not said to lie together", t);
        for (size_t i = 0; i < proof->weight_count; i++)
            if (weigh(net, proof->weights[i], net->gives[t]) >
                weigh(net, proof->weights[i], net->takes[t]))
                refuse("transition %zu raises a weighted sum", t);
    }
}

static bool is_excluded(const struct proof *proof, const int64_t *tokens)
{
    bool excluded = !is_possible(proof, tokens);
    for (size_t i = 0; !excluded && i < proof->weight_count; i++)
        excluded = weigh(proof->net, proof->weights[i], tokens) >
                   weigh(proof->net, proof->weights[i], proof->net->initial);
    return excluded;
}

/* Whether the marking is below one of the set, or above one. */
static bool is_known(const struct proof *proof, const int64_t *marking, bool below)
{
    size_t i = 0;
    while (i < proof->count && !(below ? covers(proof->net, proof->markings[i], marking)
                                       : covers(proof->net, marking, proof->markings[i])))
        i++;
    return i < proof->count;
}

/* Forwards: all that is below has what is initial, no target, and no transition leaves it. Else all
 * that is above has the targets, nothing initial, and none enters it, but from what is excluded. */
static void check_set(const struct proof *proof, bool forwards)
{
    const struct net *net = proof->net;
    int64_t *first = first_marking(net), *marking = no_tokens(net);
    if (forwards && !is_known(proof, first, true))
        refuse("an initial marking is not in the set");
    for (size_t t = 0; t < net->targets; t++)
        if (!forwards && !is_excluded(proof, net->wanted[t]) &&
            !is_known(proof, net->wanted[t], false))
            refuse("a target is not in the set");
    for (size_t i = 0; i < proof->count; i++) {
        const int64_t *own = proof->markings[i];
        if (!forwards && covers(net, first, own))
            refuse("an initial marking is in the set");
        for (size_t t = 0; t < net->targets; t++)
            if (forwards && covers(net, own, net->wanted[t]) && !is_excluded(proof, net->wanted[t]))
                refuse("a marking of the set covers a target");
        for (size_t t = 0; t < net->transitions; t++) {
            const int64_t *takes = net->takes[t], *gives = net->gives[t];
            if (forwards && (!covers(net, own, takes) || !is_possible(proof, takes)))
                continue;
            memcpy(marking, own, net->places * sizeof *marking);
            move(net, marking, forwards ? takes : gives, forwards ? gives : takes);
            if (!is_known(proof, marking, forwards) && (forwards || !is_excluded(proof, marking)))
                refuse("transition %zu %s the set", t, forwards ? "leaves" : "enters");
        }
    }
}

void check_net(value claim, struct evidence *evidence, size_t limit)
{
    struct net net;
    struct proof proof = {.net = &net};
    read_net(claimed_input(claim, "input", "sha256"), &net);
    bool safe = value_is(get_field(claim, "verdict"), "safe");
    bool forwards = value_is(get_field(claim, "set"), "closed forwards");
    if (net.places > 10000 || net.places * net.transitions > 10 * limit)
        too_large("more places and transitions than --limit allows");
    if (!safe && !value_is(get_field(claim, "verdict"), "unsafe"))
        refuse("the verdict of a net is safe or unsafe");
    if (!safe) {
        check_run(&net, evidence);
    } else {
        read_proof(&proof, evidence);
        if (proof.count * net.transitions > limit)
            too_large("more markings and transitions than --limit allows");
        check_claims(&proof);
        check_set(&proof, forwards);
    }
    for (size_t p = 0; p < net.places; p++)
        *net.names[p]->number = 0;
}
