/* Makes a net of PNML's nodes and arcs: reference nodes are what they refer to, through any number
 * of others, and what arcs say of the same two nodes adds up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "petri/format.h"
#include "petri/pnml.h"

struct making {
    const struct pnml *pnml;
    struct net *net;
    struct error *error;
    struct arena arena;
    struct name_numbers ids;
    uint32_t *meant;   /* by node: the one that it stands for */
    uint32_t *numbers; /* by node: its place or transition in the net */
};

static bool is_place(const struct pnml_node *node)
{
    return node->kind == PNML_PLACE || node->kind == PNML_REFERENCE_PLACE;
}

static bool is_reference(const struct pnml_node *node)
{
    return node->kind == PNML_REFERENCE_PLACE || node->kind == PNML_REFERENCE_TRANSITION;
}

/* ---- ids ---- */

static enum status index_ids(struct making *making)
{
    const struct pnml *pnml = making->pnml;
    for (uint32_t i = 0; i < pnml->nodes.length; i++) {
        const struct pnml_node *node = &pnml->nodes.items[i];
        size_t length = strlen(node->id);
        if (name_numbers_find(&making->ids, node->id, length) != NAME_NONE)
            return script_error(pnml->script, node->at, making->error,
                                "expected an id of its own for each node, found '%.60s' again",
                                node->id);
        TRY_MEMORY(name_numbers_add(&making->ids, node->id, length));
    }
    return STATUS_OK;
}

static enum status find_node(const struct making *making, const char *id, place at,
                             const char *expected, uint32_t *node)
{
    *node = name_numbers_find(&making->ids, id, strlen(id));
    if (*node != NAME_NONE)
        return STATUS_OK;
    return script_error(making->pnml->script, at, making->error,
                        "expected the id of %s, found '%.60s'", expected, id);
}

/* Nodes whose `meant` is found end the way; the way itself is marked, so that a circle is seen. */
static enum status follow_reference(struct making *making, uint32_t node)
{
    const struct pnml *pnml = making->pnml;
    const struct pnml_node *first = &pnml->nodes.items[node];
    uint32_t at = node, next, end;
    while (making->meant[at] == NET_NONE && is_reference(&pnml->nodes.items[at])) {
        const struct pnml_node *referring = &pnml->nodes.items[at];
        making->meant[at] = at; /* on the way: a reference that means itself */
        TRY(find_node(making, referring->reference, referring->at,
                      is_place(first) ? "a place" : "a transition", &next));
        if (is_place(&pnml->nodes.items[next]) != is_place(first))
            return script_error(pnml->script, referring->at, making->error,
                                "expected a reference to a %s, found one to '%.60s'",
                                is_place(first) ? "place" : "transition", referring->reference);
        at = next;
    }
    end = making->meant[at] == NET_NONE ? at : making->meant[at];
    if (is_reference(&pnml->nodes.items[end]))
        return script_error(pnml->script, first->at, making->error,
                            "expected references that lead to a node, found a circle of them");
    for (at = node; making->meant[at] == at && is_reference(&pnml->nodes.items[at]); at = next) {
        making->meant[at] = end;
        TRY(find_node(making, pnml->nodes.items[at].reference, first->at, "a node", &next));
    }
    making->meant[end] = end;
    return STATUS_OK;
}

/* ---- names ---- */

/* Of a node: its name, if every place has another, or every transition; else its id. */
static bool names_differ(const struct making *making, bool places, bool *differ)
{
    const struct pnml *pnml = making->pnml;
    struct name_numbers names;
    bool good = true;
    name_numbers_init(&names, making->arena.budget);
    *differ = true;
    for (uint32_t i = 0; i < pnml->nodes.length && good && *differ; i++) {
        const struct pnml_node *node = &pnml->nodes.items[i];
        if (is_reference(node) || is_place(node) != places)
            continue;
        const char *name = node->name ? node->name : node->id;
        *differ = name_numbers_find(&names, name, strlen(name)) == NAME_NONE;
        good = !*differ || name_numbers_add(&names, name, strlen(name));
    }
    name_numbers_release(&names);
    return good;
}

static const char *name_of(const struct pnml_node *node, bool by_name)
{
    return by_name && node->name ? node->name : node->id;
}

/* ---- places ---- */

static enum status add_places(struct making *making)
{
    const struct pnml *pnml = making->pnml;
    bool by_name;
    TRY_MEMORY(names_differ(making, true, &by_name));
    for (uint32_t i = 0; i < pnml->nodes.length; i++) {
        const struct pnml_node *node = &pnml->nodes.items[i];
        if (node->kind != PNML_PLACE)
            continue;
        making->numbers[i] =
            net_add_place(making->net, name_of(node, by_name), node->tokens, node->open);
        TRY_MEMORY(making->numbers[i] != NET_NONE);
    }
    return STATUS_OK;
}

/* ---- arcs ---- */

/* An arc by the transition it belongs to. */
struct end {
    uint32_t transition; /* node */
    bool gives;
    place at;
    struct arc arc;
};

static int by_transition(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    if (a->transition != b->transition)
        return a->transition < b->transition ? -1 : 1;
    if (a->gives != b->gives)
        return a->gives ? 1 : -1;
    return (a->arc.place > b->arc.place) - (a->arc.place < b->arc.place);
}

static enum status resolve_arc(const struct making *making, const struct pnml_arc *arc,
                               struct end *end)
{
    const struct pnml *pnml = making->pnml;
    uint32_t source, target;
    TRY(find_node(making, arc->source, arc->at, "a place or transition", &source));
    TRY(find_node(making, arc->target, arc->at, "a place or transition", &target));
    bool from_place = is_place(&pnml->nodes.items[source]);
    if (from_place == is_place(&pnml->nodes.items[target]))
        return script_error(pnml->script, arc->at, making->error,
                            "expected an arc between a place and a transition, found two %s",
                            from_place ? "places" : "transitions");
    uint32_t place_node = making->meant[from_place ? source : target];
    *end = (struct end){.transition = making->meant[from_place ? target : source],
                        .gives = !from_place,
                        .at = arc->at,
                        .arc = {making->numbers[place_node], arc->weight}};
    return STATUS_OK;
}

/* Adds up what stands side by side; returns how many are left. */
static enum status merge(const struct making *making, struct end *ends, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!kept || by_transition(&ends[kept - 1], &ends[i]) != 0) {
            ends[kept++] = ends[i];
            continue;
        }
        uint64_t sum = (uint64_t)ends[kept - 1].arc.count + ends[i].arc.count;
        if (sum > NET_MOST_TOKENS)
            return script_error(making->pnml->script, ends[i].at, making->error,
                                "expected at most %" PRIu32
                                " tokens of a place together, found more",
                                NET_MOST_TOKENS);
        ends[kept - 1].arc.count = (uint32_t)sum;
    }
    *count = kept;
    return STATUS_OK;
}

static enum status find_ends(struct making *making, struct end **ends, size_t *count)
{
    const struct pnml *pnml = making->pnml;
    *count = pnml->arcs.length;
    *ends = arena_allocate(&making->arena, (*count + 1) * sizeof **ends);
    TRY_MEMORY(*ends);
    for (size_t i = 0; i < *count; i++)
        TRY(resolve_arc(making, &pnml->arcs.items[i], &(*ends)[i]));
    if (*count)
        qsort(*ends, *count, sizeof **ends, by_transition);
    return merge(making, *ends, count);
}

/* Moves those of one transition and direction, from *at on, into `arcs`; returns how many. */
static size_t take(const struct end *ends, size_t count, size_t *at, uint32_t transition,
                   bool gives, struct arc *arcs)
{
    size_t taken = 0;
    for (; *at < count && ends[*at].transition == transition && ends[*at].gives == gives; ++*at)
        arcs[taken++] = ends[*at].arc;
    return taken;
}

static enum status add_transitions(struct making *making)
{
    const struct pnml *pnml = making->pnml;
    struct end *ends;
    size_t count, at = 0;
    bool by_name;
    TRY(find_ends(making, &ends, &count));
    struct arc *arcs = arena_allocate(&making->arena, (count + 1) * sizeof *arcs);
    TRY_MEMORY(arcs && names_differ(making, false, &by_name));
    for (uint32_t i = 0; i < pnml->nodes.length; i++) {
        const struct pnml_node *node = &pnml->nodes.items[i];
        if (node->kind != PNML_TRANSITION)
            continue;
        size_t taken = take(ends, count, &at, i, false, arcs);
        size_t given = take(ends, count, &at, i, true, arcs + taken);
        TRY_MEMORY(net_add_transition(making->net, name_of(node, by_name), node->line, arcs, taken,
                                      arcs + taken, given) != NET_NONE);
    }
    return STATUS_OK;
}

/* ---- targets and invariants ---- */

static enum status find_counts(struct making *making, size_t begin, struct end *ends, size_t count)
{
    const struct pnml *pnml = making->pnml;
    for (size_t i = 0; i < count; i++) {
        const struct pnml_count *said = &pnml->counts.items[begin + i];
        uint32_t node;
        TRY(find_node(making, said->id, said->at, "a place", &node));
        if (!is_place(&pnml->nodes.items[node]))
            return script_error(pnml->script, said->at, making->error,
                                "expected the id of a place, found that of a transition");
        ends[i] = (struct end){.at = said->at,
                               .arc = {making->numbers[making->meant[node]], said->count}};
    }
    return STATUS_OK;
}

static enum status add_group(struct making *making, bool is_target, size_t begin, size_t end)
{
    size_t count = end - begin;
    struct end *ends = arena_allocate(&making->arena, (count + 1) * sizeof *ends);
    struct arc *arcs = arena_allocate(&making->arena, (count + 1) * sizeof *arcs);
    TRY_MEMORY(ends && arcs);
    TRY(find_counts(making, begin, ends, count));
    if (count)
        qsort(ends, count, sizeof *ends, by_transition);
    TRY(merge(making, ends, &count));
    for (size_t i = 0; i < count; i++)
        arcs[i] = ends[i].arc;
    uint32_t added = is_target ? net_add_target(making->net, arcs, count)
                               : net_add_invariant(making->net, arcs, count);
    return added == NET_NONE ? STATUS_LIMIT : STATUS_OK;
}

static enum status add_groups(struct making *making)
{
    const struct pnml *pnml = making->pnml;
    size_t begin = 0;
    for (size_t i = 0; i < pnml->groups.length; i++) {
        const struct pnml_counts *group = &pnml->groups.items[i];
        TRY(add_group(making, group->is_target, begin, group->end));
        begin = group->end;
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status make(struct making *making)
{
    size_t count = making->pnml->nodes.length, bytes = (count + 1) * sizeof(uint32_t);
    making->meant = arena_allocate(&making->arena, bytes);
    making->numbers = arena_allocate(&making->arena, bytes);
    TRY_MEMORY(making->meant && making->numbers);
    memset(making->meant, 0xff, bytes);
    TRY(index_ids(making));
    for (uint32_t i = 0; i < count; i++)
        TRY(follow_reference(making, i));
    TRY(add_places(making));
    TRY(add_transitions(making));
    return add_groups(making);
}

enum status pnml_to_net(const struct pnml *pnml, struct net *net, struct error *error)
{
    struct making making = {.pnml = pnml, .net = net, .error = error};
    arena_init(&making.arena, net->places.budget);
    name_numbers_init(&making.ids, net->places.budget);
    enum status status = make(&making);
    name_numbers_release(&making.ids);
    arena_release(&making.arena);
    return status;
}

enum status net_read_pnml(const struct script *script, struct net *net, struct error *error)
{
    struct budget *budget = net->places.budget;
    struct pnml pnml = {.script = script, .limits = net->limits};
    arena_init(&pnml.arena, budget);
    vectors_init(budget, &pnml.nodes, &pnml.arcs, &pnml.groups, &pnml.counts);
    enum status status = pnml_read(&pnml, error);
    if (status == STATUS_OK)
        status = pnml_to_net(&pnml, net, error);
    vectors_release(&pnml.nodes, &pnml.arcs, &pnml.groups, &pnml.counts);
    arena_release(&pnml.arena);
    return status;
}
