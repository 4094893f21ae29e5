/* Reads bfc's thread transition systems (cprover.org/bfc, section 2) and properties:
 *
 *     SHARED LOCAL                how many of each
 *     S L -> S' L'                the shared state and a thread's own change
 *     S L +> S' L'                the shared state changes, and a new thread begins in L'
 *
 * Transfers of all threads in a state, which bfc writes behind a transition, are refused. */
#include <inttypes.h>

#include "petri/format.h"
#include "petri/scan.h"

#define MOST_STATES UINT32_C(1000000)

/* "S L" as places. */
static enum status read_pair(struct scan *scan, uint32_t shared, uint32_t local, struct arc *arcs,
                             struct error *error)
{
    TRY(scan_number(scan, "a shared state", shared - 1, &arcs[0].place, error));
    TRY(scan_number(scan, "a local state", local - 1, &arcs[1].place, error));
    arcs[1].place += shared;
    arcs[0].count = arcs[1].count = 1;
    return STATUS_OK;
}

static enum status read_transition(struct scan *scan, uint32_t shared, uint32_t local,
                                   struct net *net, struct error *error)
{
    struct arc takes[2], gives[3];
    char name[64];
    uint32_t line = scan->line;
    TRY(read_pair(scan, shared, local, takes, error));
    bool spawns = scan_is(scan, "+>");
    if (!spawns && !scan_is(scan, "->"))
        return scan_complain(scan, "'->' or '+>'", error);
    scan_next(scan);
    TRY(read_pair(scan, shared, local, gives, error));
    if (scan->length && scan->line == line)
        return scan_complain(scan, "the end of the line (transfers are not supported)", error);
    gives[2] = takes[1];
    snprintf(name, sizeof name, "%" PRIu32 " %" PRIu32 " %s %" PRIu32 " %" PRIu32, takes[0].place,
             takes[1].place - shared, spawns ? "+>" : "->", gives[0].place,
             gives[1].place - shared);
    uint32_t added = net_add_transition(net, name, line, takes, 2, gives, spawns ? 3 : 2);
    return added == NET_NONE ? STATUS_LIMIT : STATUS_OK;
}

static enum status add_states(struct net *net, const char *letter, uint32_t count, uint32_t first,
                              bool open)
{
    char name[32];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%" PRIu32, letter, i);
        TRY_MEMORY(net_add_place(net, name, i ? 0 : first, open && !i) != NET_NONE);
    }
    return STATUS_OK;
}

enum status net_read_tts(const struct script *script, struct net *net, struct error *error)
{
    struct scan scan;
    uint32_t shared, local;
    scan_begin(script, &scan);
    TRY(scan_number(&scan, "the number of shared states", MOST_STATES, &shared, error));
    TRY(scan_number(&scan, "the number of local states", MOST_STATES, &local, error));
    if (!shared || !local)
        return script_error(script, 0, error, "expected at least one shared and one local state");
    TRY(add_states(net, "s", shared, 1, false));
    TRY(add_states(net, "l", local, 0, true));
    while (scan.length)
        TRY(read_transition(&scan, shared, local, net, error));
    net->controls = shared;
    return STATUS_OK;
}

enum status net_read_prop(const struct script *script, struct net *net, struct error *error)
{
    struct scan scan;
    struct arc arc = {0, 1};
    VECTOR(struct arc) arcs;
    uint32_t shared = net->controls, local = (uint32_t)net->places.length - shared;
    vector_init(&arcs, net->places.budget);
    scan_begin(script, &scan);
    enum status status = scan_number(&scan, "a shared state", shared - 1, &arc.place, error);
    if (status == STATUS_OK && !vector_push(&arcs, arc))
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = scan_expect(&scan, "|", error);
    while (status == STATUS_OK) {
        status = scan_number(&scan, "a local state", local - 1, &arc.place, error);
        arc.place += shared;
        if (status == STATUS_OK && !vector_push(&arcs, arc))
            status = STATUS_LIMIT;
        if (status != STATUS_OK || !scan_is(&scan, ","))
            break;
        scan_next(&scan);
    }
    if (status == STATUS_OK && scan.length)
        status = scan_complain(&scan, "',' or the end of the file", error);
    if (status == STATUS_OK && net_add_target(net, arcs.items, arcs.length) == NET_NONE)
        status = STATUS_LIMIT;
    vector_release(&arcs);
    return status;
}
