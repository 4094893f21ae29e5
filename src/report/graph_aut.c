/* State graphs in the Aldebaran format: a line for each edge. */
#include <inttypes.h>
#include <string.h>

#include "report/graph.h"

static void write_transition(size_t source, const char *event, size_t target, FILE *out)
{
    fprintf(out, "(%zu,\"%s\",%zu)\n", source, event, target);
}

static void write_groups(const lp_graph *graph, FILE *out)
{
    size_t transitions = 0;
    for (size_t i = 0; i < graph->group_count; i++)
        transitions += graph->groups[i].edge_count;
    fprintf(out, "des (0,%zu,%zu)\n", transitions, graph->group_count);
    for (size_t i = 0; i < graph->group_count; i++)
        for (size_t j = 0; j < graph->groups[i].edge_count; j++)
            write_transition(i, graph->groups[i].edges[j].event, graph->groups[i].edges[j].target,
                             out);
}

/* The format has one initial state: several are put behind one more, with an invisible step to
 * each. */
static void write_states(const lp_graph *graph, FILE *out)
{
    size_t initials = 0, initial = 0, more = 0;
    for (size_t i = graph->node_count; i-- > 0;)
        if (graph->nodes[i].initial) {
            initials++;
            initial = i;
        }
    if (initials > 1) {
        initial = graph->node_count;
        more = initials;
    }
    fprintf(out, "des (%zu,%zu,%zu)\n", initial, graph->edge_count + more,
            graph->node_count + (more > 0));
    for (size_t i = 0; more && i < graph->node_count; i++)
        if (graph->nodes[i].initial)
            write_transition(initial, "tau", i, out);
    for (size_t i = 0; i < graph->edge_count; i++) {
        const lp_edge *edge = &graph->edges[i];
        write_transition(edge->source, edge->visible ? edge->event : "tau", edge->target, out);
    }
}

void graph_write_aut(const lp_graph *graph, FILE *out)
{
    if (graph->group_count)
        write_groups(graph, out);
    else
        write_states(graph, out);
}
