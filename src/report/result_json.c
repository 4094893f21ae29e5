/* A result as JSON: its nodes that have keys, in their order. */
#include <stdlib.h>
#include <string.h>

#include "report/execution.h"
#include "report/json.h"
#include "report/result.h"
#include "report/rule_history.h"

static void add_value(yajl_gen json, const char *key, lp_value value)
{
    char *printed = lp_value_to_json(value);
    json_add_key(json, key);
    json_add_raw(json, printed ? printed : "null");
    free(printed);
}

static void write_events(const lp_history *history, yajl_gen json)
{
    char *written = NULL;
    size_t size = 0;
    lp_error error;
    FILE *lines = open_memstream(&written, &size);
    if (!lines)
        return;
    bool good = lp_history_write(history, "json", lines, &error) == LP_OK;
    fclose(lines);
    for (char *line = good ? written : NULL, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = 0;
        json_add_raw(json, line);
    }
    free(written);
}

static void write_fields(const struct node *node, yajl_gen json);

/* A field, or an item, which has no key. */
static void write_node(const struct node *node, yajl_gen json)
{
    switch (node->kind) {
    case NODE_TEXT:
        json_add_text(json, node->key, node->text);
        return;
    case NODE_NUMBER:
        json_add_number(json, node->key, node->number);
        return;
    case NODE_INTEGER:
        json_add_integer(json, node->key, node->integer);
        return;
    case NODE_BOOLEAN:
        json_add_boolean(json, node->key, node->boolean);
        return;
    case NODE_SECONDS:
        json_add_seconds(json, node->seconds);
        return;
    case NODE_VALUE:
        add_value(json, node->key, node->value);
        return;
    case NODE_TEXTS:
        json_add_texts(json, node->key, node->found, node->count);
        return;
    case NODE_INDICES:
        json_add_indices(json, node->key, node->found, node->count);
        return;
    case NODE_RULE_HISTORY:
        rule_history_json(json, node->key, node->found);
        return;
    case NODE_OBJECT:
        json_open_object(json, node->key);
        write_fields(node, json);
        yajl_gen_map_close(json);
        return;
    default: /* lists */
        json_open_list(json, node->key);
        for (const struct node *item = node->first; item; item = item->next)
            write_node(item, json);
        if (node->kind == NODE_EVENTS)
            write_events(node->history, json);
        yajl_gen_array_close(json);
    }
}

static void write_fields(const struct node *node, yajl_gen json)
{
    for (const struct node *field = node->first; field; field = field->next)
        if (field->kind == NODE_EXECUTION)
            execution_json_fields(field->found, json);
        else if (field->key)
            write_node(field, json);
}

void result_json_fields(const struct result *result, yajl_gen json)
{
    write_fields(&result->root, json);
}

void result_json(const struct result *result, FILE *out)
{
    yajl_gen json = json_begin(out);
    result_json_fields(result, json);
    json_end(json, out);
}
