/* What a document consists of: what it declares, and its blocks and comments of several lines. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "lsp/features.h"
#include "lsp/locations.h"
#include "lsp/resolved.h"
#include "report/json.h"

/* The protocol's kind; 0: it is not in the outline. */
static unsigned symbol_kind(lp_name_kind kind)
{
    static const uint8_t kinds[LP_NAME_KINDS] = {
        [LP_NAME_CONSTANT] = 14,      [LP_NAME_VARIABLE] = 13, [LP_NAME_TYPE] = 23,
        [LP_NAME_OPERATION] = 6,      [LP_NAME_FUNCTION] = 12, [LP_NAME_SPECIFICATION] = 11,
        [LP_NAME_IMPLEMENTATION] = 5, [LP_NAME_PROGRAM] = 2,   [LP_NAME_PROCESS] = 12,
        [LP_NAME_CHANNEL] = 7,        [LP_NAME_RULES] = 3,     [LP_NAME_RULE] = 12,
        [LP_NAME_AUTOMATON] = 5,      [LP_NAME_METHOD] = 6,    [LP_NAME_STATE] = 22,
    };
    return kinds[kind];
}

void outline_symbols(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = server_document(server, id, params);
    struct wire_message message;
    lp_name name;
    size_t start;
    if (!document)
        return;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t i = 0; resolved_at(document, i, &name, &start); i++) {
        if (!symbol_kind(name.kind) || !resolved_declares(&name))
            continue;
        yajl_gen_map_open(message.json);
        json_add_text(message.json, "name", name.name);
        json_add_text(message.json, "detail", lp_name_kind_name(name.kind));
        json_add_number(message.json, "kind", symbol_kind(name.kind));
        json_add_range(message.json, "range", &document->lines, start, start + strlen(name.name));
        json_add_range(message.json, "selectionRange", &document->lines, start,
                       start + strlen(name.name));
        yajl_gen_map_close(message.json);
    }
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
}

/* ---- all open documents ---- */

/* Whether the letters of the query stand in the name in that order. */
static bool fits(const char *name, const char *query)
{
    for (; *query && *name; name++)
        query += strncasecmp(name, query, 1) == 0;
    return *query == 0;
}

static void add_symbols(struct server *server, yajl_gen json, const struct document *document,
                        const char *query)
{
    struct locations locations;
    lp_name name;
    size_t start;
    locations_init(&locations, server, document);
    for (size_t i = 0; resolved_at(document, i, &name, &start); i++) {
        if (!symbol_kind(name.kind) || !resolved_declares(&name) || !fits(name.name, query))
            continue;
        yajl_gen_map_open(json);
        json_add_text(json, "name", name.name);
        json_add_number(json, "kind", symbol_kind(name.kind));
        json_open_object(json, "location");
        locations_add(&locations, json, NULL, name.line, name.column, strlen(name.name));
        yajl_gen_map_close(json);
        yajl_gen_map_close(json);
    }
    locations_release(&locations);
}

void outline_workspace_symbols(struct server *server, yajl_val id, yajl_val params)
{
    const char *query = wire_text(params, "query");
    struct wire_message message;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (struct document *document = server->documents.first; document; document = document->next)
        if (server_analyse(server, document))
            add_symbols(server, message.json, document, query ? query : "");
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
}

/* ---- blocks ---- */

static void add_fold(yajl_gen json, const struct lines *lines, size_t start, size_t end,
                     const char *kind)
{
    uint32_t first = lines_position(lines, start).line, last = lines_position(lines, end).line;
    bool block = !kind; /* the line of its closing brace stays */
    if (last < first + 1 + block)
        return;
    yajl_gen_map_open(json);
    json_add_number(json, "startLine", first);
    json_add_number(json, "endLine", last - block);
    if (kind)
        json_add_text(json, "kind", kind);
    yajl_gen_map_close(json);
}

void outline_folding(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = server_document(server, id, params);
    struct wire_message message;
    if (!document)
        return;
    const char *text = text_string(&document->text);
    size_t *open = memory_small((document->text.length + 1) * sizeof *open), depth = 0;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t at = 0; text[at]; at++) {
        size_t end = document_opaque_end(text, at);
        if (end > at) {
            if (text[at] == '/' && text[at + 1] == '*')
                add_fold(message.json, &document->lines, at, end - 1, "comment");
            at = text[at] == '"' && text[end] == '"' ? end : end - 1;
        } else if (text[at] == '{') {
            open[depth++] = at;
        } else if (text[at] == '}' && depth) {
            add_fold(message.json, &document->lines, open[--depth], at, NULL);
        }
    }
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
    free(open);
}
