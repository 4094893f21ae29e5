/* State graphs for graphviz: a node for each state, or of normalised ones a cluster. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/graph.h"
#include "report/quoted.h"

/* A state as a node called `name`: its number, and its variables below. */
static void write_node(const lp_graph *graph, uint32_t index, const char *name, FILE *out)
{
    const lp_node *node = &graph->nodes[index];
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s [label=\"%" PRIu32, name, index);
    for (size_t i = 0; i < node->variable_count; i++) {
        text_append(&text, "\\n");
        quoted_append(&text, node->variables[i].name);
        text_append(&text, " = ");
        quoted_append(&text, node->variables[i].value);
    }
    text_format(&text, "\"%s];\n", node->expanded ? "" : ", style=\"rounded,dashed\"");
    fputs(text_string(&text), out);
    text_release(&text);
}

static void write_edge(const char *source, const char *target, const lp_edge *edge, FILE *out)
{
    struct text text = TEXT_EMPTY;
    text_format(&text, "  %s -> %s [label=\"", source, target);
    quoted_append(&text, edge->event);
    text_format(&text, "\"%s];\n", edge->visible ? "" : ", style=dashed");
    fputs(text_string(&text), out);
    text_release(&text);
}

static void write_start(const char *name, FILE *out)
{
    fprintf(out, "  start_%s [shape=point, label=\"\"];\n  start_%s -> %s;\n", name, name, name);
}

static void write_states(const lp_graph *graph, FILE *out)
{
    char source[32], target[32];
    for (uint32_t i = 0; i < graph->node_count; i++) {
        snprintf(source, sizeof source, "s%" PRIu32, i);
        fputs("  ", out);
        write_node(graph, i, source, out);
        if (graph->nodes[i].initial)
            write_start(source, out);
    }
    for (size_t i = 0; i < graph->edge_count; i++) {
        snprintf(source, sizeof source, "s%" PRIu32, graph->edges[i].source);
        snprintf(target, sizeof target, "s%" PRIu32, graph->edges[i].target);
        write_edge(source, target, &graph->edges[i], out);
    }
}

/* Where a group goes with an event; its own number for an invisible one. */
static uint32_t group_after(const lp_graph *graph, uint32_t group, const lp_edge *edge)
{
    const lp_group *from = &graph->groups[group];
    for (size_t i = 0; edge->visible && i < from->edge_count; i++)
        if (strcmp(from->edges[i].event, edge->event) == 0)
            return from->edges[i].target;
    return group;
}

static void write_group_edges(const lp_graph *graph, uint32_t group, const size_t *first, FILE *out)
{
    char source[32], target[32];
    const lp_group *from = &graph->groups[group];
    for (size_t i = 0; i < from->member_count; i++) {
        uint32_t member = from->members[i];
        for (size_t at = first[member]; at < first[member + 1]; at++) {
            const lp_edge *edge = &graph->edges[at];
            snprintf(source, sizeof source, "g%" PRIu32 "_s%" PRIu32, group, member);
            snprintf(target, sizeof target, "g%" PRIu32 "_s%" PRIu32,
                     group_after(graph, group, edge), edge->target);
            write_edge(source, target, edge, out);
        }
    }
}

static void write_group(const lp_graph *graph, uint32_t group, FILE *out)
{
    char name[32];
    const lp_group *drawn = &graph->groups[group];
    fprintf(out, "  subgraph cluster_%" PRIu32 " {\n    style=\"rounded,dotted\";\n", group);
    for (size_t i = 0; i < drawn->member_count; i++) {
        snprintf(name, sizeof name, "g%" PRIu32 "_s%" PRIu32, group, drawn->members[i]);
        fputs("    ", out);
        write_node(graph, drawn->members[i], name, out);
    }
    fputs("  }\n", out);
    for (size_t i = 0; i < drawn->member_count && group == 0; i++) {
        snprintf(name, sizeof name, "g0_s%" PRIu32, drawn->members[i]);
        if (graph->nodes[drawn->members[i]].initial)
            write_start(name, out);
    }
}

static void write_groups(const lp_graph *graph, FILE *out)
{
    size_t *first = memory_small((graph->node_count + 1) * sizeof *first);
    for (size_t node = 0, at = 0; node <= graph->node_count; node++) {
        while (at < graph->edge_count && graph->edges[at].source < node)
            at++;
        first[node] = at;
    }
    for (uint32_t i = 0; i < graph->group_count; i++)
        write_group(graph, i, out);
    for (uint32_t i = 0; i < graph->group_count; i++)
        write_group_edges(graph, i, first, out);
    free(first);
}

void graph_write_dot(const lp_graph *graph, FILE *out)
{
    struct text name = TEXT_EMPTY;
    quoted_append(&name, graph->process);
    fprintf(out, "digraph \"%s\" {\n  node [shape=box, style=rounded];\n", text_string(&name));
    if (graph->group_count)
        write_groups(graph, out);
    else
        write_states(graph, out);
    fputs("}\n", out);
    text_release(&name);
}
