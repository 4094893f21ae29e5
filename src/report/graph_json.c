/* State graphs as JSON: states, edges, and groups of states where it is normalised. */
#include "report/execution.h"
#include "report/graph.h"
#include "report/json.h"

static void add_nodes(const lp_graph *graph, yajl_gen json)
{
    json_open_list(json, "states");
    for (size_t i = 0; i < graph->node_count; i++) {
        const lp_node *node = &graph->nodes[i];
        yajl_gen_map_open(json);
        json_add_number(json, "id", i);
        json_add_boolean(json, "initial", node->initial);
        json_add_boolean(json, "expanded", node->expanded);
        json_add_variables(json, "variables", node->variables, node->variable_count);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_edges(const lp_graph *graph, yajl_gen json)
{
    json_open_list(json, "edges");
    for (size_t i = 0; i < graph->edge_count; i++) {
        const lp_edge *edge = &graph->edges[i];
        yajl_gen_map_open(json);
        json_add_number(json, "source", edge->source);
        json_add_number(json, "target", edge->target);
        json_add_text(json, "event", edge->event);
        json_add_boolean(json, "visible", edge->visible);
        json_add_number(json, "process", edge->process);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_group(const lp_group *group, size_t id, yajl_gen json)
{
    yajl_gen_map_open(json);
    json_add_number(json, "id", id);
    json_add_indices(json, "members", group->members, group->member_count);
    json_open_list(json, "edges");
    for (size_t i = 0; i < group->edge_count; i++) {
        yajl_gen_map_open(json);
        json_add_text(json, "event", group->edges[i].event);
        json_add_number(json, "target", group->edges[i].target);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

void graph_write_json(const lp_graph *graph, const char *input, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_text(json, "input", input);
    json_add_text(json, "process", graph->process);
    json_add_boolean(json, "complete", graph->complete);
    add_nodes(graph, json);
    add_edges(graph, json);
    if (graph->group_count) {
        json_open_list(json, "normalised");
        for (size_t i = 0; i < graph->group_count; i++)
            add_group(&graph->groups[i], i, json);
        yajl_gen_array_close(json);
    }
    json_end(json, out);
}
