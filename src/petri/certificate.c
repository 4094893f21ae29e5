/* Checks certificates on the net as it was read. Plain on purpose: what is believed here is the
 * definition of a transition's firing, and nothing of how an answer was found. */
#include "petri/certificate.h"

#include "base/groups.h"

#include "petri/pairs_check.h"

void certificate_init(struct certificate *certificate, struct budget *budget)
{
    *certificate = (struct certificate){0};
    arena_init(&certificate->arena, budget);
    vectors_init(budget, &certificate->markings, &certificate->invariants);
}

void certificate_release(struct certificate *certificate)
{
    vectors_release(&certificate->markings, &certificate->invariants);
    arena_release(&certificate->arena);
}

struct checking {
    const struct certificate *certificate;
    const struct net *net;
    const struct limits *limits;
    struct error *error;
    uint64_t *signatures; /* of the certificate's markings */
    uint32_t *counts;     /* by place, of the marking looked at */
    struct arc *arcs;     /* the same as arcs */
    /* By place, those of no place at the end. Of what has several places the rarest is taken, or
     * all. */
    struct groups markings;    /* COVER: by all their places; BASIS: by one */
    struct groups transitions; /* COVER: by a place they take from; BASIS: by all they give to */
    struct arena arena;
    uint32_t looked;
};

static enum status fault(const struct checking *checking, const char *what)
{
    return error_set(checking->error, STATUS_INTERNAL, NULL, 0, "the certificate is wrong: %s",
                     what);
}

static enum status look(struct checking *checking)
{
    return limits_look(checking->limits, &checking->looked) ? STATUS_LIMIT : STATUS_OK;
}

/* ---- invariants ---- */

static uint64_t weigh(struct arcs weights, struct arcs tokens)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tokens.count; i++)
        sum += (uint64_t)arcs_count(weights, tokens.items[i].place) * tokens.items[i].count;
    return sum;
}

static uint64_t weigh_initial(const struct net *net, struct arcs weights)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < weights.count; i++)
        sum += (uint64_t)weights.items[i].count * net->places.items[weights.items[i].place].initial;
    return sum;
}

static enum status check_invariant(struct checking *checking, struct arcs weights)
{
    const struct net *net = checking->net;
    for (uint32_t i = 0; i < weights.count; i++)
        if (net->places.items[weights.items[i].place].open)
            return fault(checking, "an invariant weighs a place that is open");
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        if (weigh(weights, transition->gives) > weigh(weights, transition->takes) &&
            pairs_possible(checking->certificate->pairs, transition->takes))
            return fault(checking, "a transition raises the sum of an invariant");
    }
    return STATUS_OK;
}

/* Whether the marking is one of those that cannot be reached. */
static bool excluded(const struct checking *checking, struct arcs marking)
{
    const struct certificate *certificate = checking->certificate;
    if (!pairs_possible(certificate->pairs, marking))
        return true;
    for (size_t i = 0; i < certificate->invariants.length; i++) {
        struct arcs weights = certificate->invariants.items[i];
        if (weigh(weights, marking) > weigh_initial(checking->net, weights))
            return true;
    }
    return false;
}

/* ---- comparing markings ---- */

static uint64_t signature_of(struct arcs marking)
{
    uint64_t signature = 0;
    for (uint32_t i = 0; i < marking.count; i++)
        signature |= bit_of(marking.items[i].place);
    return signature;
}

static bool is_free(const struct checking *checking, uint32_t p)
{
    struct bits free = checking->certificate->free;
    return free.words && bits_get(free, p);
}

/* Places that are free count as if they were not there. */
static bool covered_by(const struct checking *checking, struct arcs small, struct arcs large)
{
    for (uint32_t i = 0; i < small.count; i++) {
        uint32_t p = small.items[i].place;
        if (!is_free(checking, p) && arcs_count(large, p) < small.items[i].count)
            return false;
    }
    return true;
}

/* ---- what to look at ---- */

/* The place of some that fewest markings have, free ones left out; NET_NONE if there is none. */
static uint32_t rarest(const struct checking *checking, const uint32_t *markings_of,
                       struct arcs arcs)
{
    uint32_t found = NET_NONE;
    for (uint32_t i = 0; i < arcs.count; i++) {
        uint32_t p = arcs.items[i].place;
        if (!is_free(checking, p) && (found == NET_NONE || markings_of[p] < markings_of[found]))
            found = p;
    }
    return found;
}

typedef struct arcs arcs_of(const struct checking *checking, size_t number);

static struct arcs marking_arcs(const struct checking *checking, size_t number)
{
    return checking->certificate->markings.items[number];
}

static struct arcs taken_arcs(const struct checking *checking, size_t number)
{
    return checking->net->transitions.items[number].takes;
}

static struct arcs given_arcs(const struct checking *checking, size_t number)
{
    return checking->net->transitions.items[number].gives;
}

/* Groups what has these arcs by place; by its rarest one only if `markings_of` is given. */
static bool make_index(struct checking *checking, size_t count, arcs_of *arcs,
                       const uint32_t *markings_of, struct groups *index)
{
    uint32_t places = (uint32_t)checking->net->places.length;
    if (!groups_begin(index, (size_t)places + 1, &checking->arena))
        return false;
    while (groups_pass(index, &checking->arena))
        for (uint32_t number = 0; number < count; number++) {
            struct arcs own = arcs(checking, number);
            uint32_t one = markings_of ? rarest(checking, markings_of, own) : NET_NONE;
            const struct arc only = {one != NET_NONE ? one : places, 1};
            if (markings_of)
                own = (struct arcs){&only, 1};
            for (uint32_t i = 0; i < own.count; i++)
                groups_put(index, own.items[i].place, number);
        }
    return groups_made(index);
}

static bool make_indices(struct checking *checking)
{
    bool cover = checking->certificate->kind == CERTIFICATE_COVER;
    size_t places = checking->net->places.length;
    size_t markings = checking->certificate->markings.length;
    size_t transitions = checking->net->transitions.length;
    uint32_t *markings_of = arena_zeroed(&checking->arena, places * sizeof *markings_of);
    if (!markings_of)
        return false;
    for (size_t i = 0; i < markings; i++) {
        struct arcs marking = marking_arcs(checking, i);
        for (uint32_t j = 0; j < marking.count; j++)
            markings_of[marking.items[j].place]++;
    }
    return make_index(checking, markings, marking_arcs, cover ? NULL : markings_of,
                      &checking->markings) &&
           make_index(checking, transitions, cover ? taken_arcs : given_arcs,
                      cover ? markings_of : NULL, &checking->transitions);
}

/* Whether one of the markings of a place covers this one (COVER), or is covered by it (BASIS). */
static bool known_at(const struct checking *checking, struct arcs marking, uint64_t signature,
                     uint32_t p)
{
    const struct certificate *certificate = checking->certificate;
    bool cover = certificate->kind == CERTIFICATE_COVER;
    for (uint32_t i = checking->markings.first[p]; i < checking->markings.first[p + 1]; i++) {
        uint32_t at = checking->markings.items[i];
        uint64_t other = checking->signatures[at];
        struct arcs found = certificate->markings.items[at];
        if (cover ? signature & ~other : other & ~signature)
            continue;
        if (cover ? covered_by(checking, marking, found) : covered_by(checking, found, marking))
            return true;
    }
    return false;
}

/* Whether some marking of the certificate does. */
static bool known(const struct checking *checking, struct arcs marking)
{
    bool cover = checking->certificate->kind == CERTIFICATE_COVER;
    uint32_t places = (uint32_t)checking->net->places.length, fewest = NET_NONE, best = 0;
    uint64_t signature = 0;
    for (uint32_t i = 0; i < marking.count; i++) {
        uint32_t p = marking.items[i].place;
        uint32_t length = checking->markings.first[p + 1] - checking->markings.first[p];
        if (is_free(checking, p))
            continue;
        signature |= bit_of(p);
        if (fewest == NET_NONE || length < fewest) {
            fewest = length;
            best = p;
        }
    }
    if (cover) /* any marking covers what has free places alone */
        return fewest == NET_NONE ? checking->certificate->markings.length > 0
                                  : known_at(checking, marking, signature, best);
    for (uint32_t i = 0; i < marking.count; i++)
        if (known_at(checking, marking, signature, marking.items[i].place))
            return true;
    return known_at(checking, marking, signature, places);
}

/* Collects what is set in counts, at the places of three lists, into arcs. */
static struct arcs collect(struct checking *checking, struct arcs a, struct arcs b, struct arcs c)
{
    uint32_t length = 0;
    const struct arcs lists[] = {a, b, c};
    for (size_t list = 0; list < 3; list++)
        for (uint32_t i = 0; i < lists[list].count; i++) {
            uint32_t *count = &checking->counts[lists[list].items[i].place];
            if (*count)
                checking->arcs[length++] = (struct arc){lists[list].items[i].place, *count};
            *count = 0;
        }
    return (struct arcs){checking->arcs, (uint32_t)arcs_normalise(checking->arcs, length)};
}

static void set_counts(struct checking *checking, struct arcs marking)
{
    for (uint32_t i = 0; i < marking.count; i++)
        checking->counts[marking.items[i].place] = marking.items[i].count;
}

/* ---- a set that is closed forwards ---- */

static enum status check_successor(struct checking *checking, struct arcs marking,
                                   const struct net_transition *transition)
{
    if (!covered_by(checking, transition->takes, marking) ||
        !pairs_possible(checking->certificate->pairs, transition->takes))
        return STATUS_OK;
    set_counts(checking, marking);
    for (uint32_t i = 0; i < transition->takes.count; i++) {
        uint32_t p = transition->takes.items[i].place;
        if (checking->counts[p] != OMEGA && !is_free(checking, p))
            checking->counts[p] -= transition->takes.items[i].count;
    }
    for (uint32_t i = 0; i < transition->gives.count; i++) {
        uint32_t p = transition->gives.items[i].place;
        if (checking->counts[p] != OMEGA)
            checking->counts[p] += transition->gives.items[i].count;
    }
    if (!known(checking, collect(checking, marking, transition->takes, transition->gives)))
        return fault(checking, "a transition leads out of its markings");
    return STATUS_OK;
}

typedef enum status check_transition(struct checking *checking, struct arcs marking,
                                     const struct net_transition *transition);

/* Checks the transitions of a place. */
static enum status check_at(struct checking *checking, struct arcs marking, uint32_t p,
                            check_transition *check)
{
    const struct groups *index = &checking->transitions;
    for (uint32_t i = index->first[p]; i < index->first[p + 1]; i++) {
        TRY(look(checking));
        TRY(check(checking, marking, &checking->net->transitions.items[index->items[i]]));
    }
    return STATUS_OK;
}

static struct arcs initial_marking(struct checking *checking)
{
    const struct net *net = checking->net;
    uint32_t length = 0;
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        if (place->open || place->initial)
            checking->arcs[length++] = (struct arc){p, place->open ? OMEGA : place->initial};
    }
    return (struct arcs){checking->arcs, length};
}

static enum status check_cover(struct checking *checking)
{
    const struct certificate *certificate = checking->certificate;
    const struct net *net = checking->net;
    if (!known(checking, initial_marking(checking)))
        return fault(checking, "the initial marking is outside of its markings");
    for (size_t i = 0; i < certificate->markings.length; i++) {
        struct arcs marking = certificate->markings.items[i];
        for (size_t t = 0; t < net->targets.length; t++)
            if (pairs_possible(certificate->pairs, net->targets.items[t]) &&
                covered_by(checking, net->targets.items[t], marking))
                return fault(checking, "one of its markings covers a target");
        for (uint32_t j = 0; j < marking.count; j++)
            TRY(check_at(checking, marking, marking.items[j].place, check_successor));
        TRY(check_at(checking, marking, (uint32_t)net->places.length, check_successor));
    }
    return STATUS_OK;
}

/* ---- a set that is closed backwards ---- */

static enum status check_predecessor(struct checking *checking, struct arcs marking,
                                     const struct net_transition *transition)
{
    set_counts(checking, marking);
    for (uint32_t i = 0; i < transition->gives.count; i++) {
        uint32_t *count = &checking->counts[transition->gives.items[i].place];
        uint32_t given = transition->gives.items[i].count;
        *count = *count > given ? *count - given : 0;
    }
    for (uint32_t i = 0; i < transition->takes.count; i++)
        checking->counts[transition->takes.items[i].place] += transition->takes.items[i].count;
    struct arcs before = collect(checking, marking, transition->takes, transition->gives);
    if (!excluded(checking, before) && !known(checking, before))
        return fault(checking, "a transition leads into its markings from outside");
    return STATUS_OK;
}

static bool starts_above(const struct net *net, struct arcs marking)
{
    for (uint32_t i = 0; i < marking.count; i++) {
        const struct net_place *place = &net->places.items[marking.items[i].place];
        if (!place->open && place->initial < marking.items[i].count)
            return false;
    }
    return true;
}

static enum status check_basis(struct checking *checking)
{
    const struct certificate *certificate = checking->certificate;
    const struct net *net = checking->net;
    for (size_t t = 0; t < net->targets.length; t++)
        if (!excluded(checking, net->targets.items[t]) && !known(checking, net->targets.items[t]))
            return fault(checking, "a target is outside of its markings");
    for (size_t i = 0; i < certificate->markings.length; i++) {
        struct arcs marking = certificate->markings.items[i];
        if (starts_above(net, marking))
            return fault(checking, "an initial marking is among its markings");
        for (uint32_t j = 0; j < marking.count;
             j++) /* else what comes before is at least as much */
            TRY(check_at(checking, marking, marking.items[j].place, check_predecessor));
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status check(struct checking *checking)
{
    const struct certificate *certificate = checking->certificate;
    for (size_t i = 0; i < certificate->markings.length; i++)
        checking->signatures[i] = signature_of(certificate->markings.items[i]);
    TRY(pairs_check(certificate->pairs, checking->net, &checking->arena, checking->limits,
                    checking->error));
    for (size_t i = 0; i < certificate->invariants.length; i++)
        TRY(check_invariant(checking, certificate->invariants.items[i]));
    return certificate->kind == CERTIFICATE_COVER ? check_cover(checking) : check_basis(checking);
}

enum status certificate_check(const struct certificate *certificate, const struct net *net,
                              struct budget *budget, const struct limits *limits,
                              struct error *error)
{
    struct checking checking = {
        .certificate = certificate, .net = net, .limits = limits, .error = error};
    size_t places = net->places.length, markings = certificate->markings.length;
    size_t room = 3 * places;
    if (certificate->kind == CERTIFICATE_NONE || !certificate->pairs)
        return fault(&checking, "it is empty");
    arena_init(&checking.arena, budget);
    checking.signatures = memory_allocate(budget, markings * sizeof *checking.signatures);
    checking.counts = memory_zeroed(budget, places * sizeof *checking.counts);
    checking.arcs = memory_allocate(budget, room * sizeof *checking.arcs);
    enum status status = STATUS_LIMIT;
    if (checking.signatures && checking.counts && checking.arcs && make_indices(&checking))
        status = check(&checking);
    arena_release(&checking.arena);
    memory_release(budget, checking.signatures, markings * sizeof *checking.signatures);
    memory_release(budget, checking.counts, places * sizeof *checking.counts);
    memory_release(budget, checking.arcs, room * sizeof *checking.arcs);
    return status;
}
