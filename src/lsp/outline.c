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

/* Whether it stands in the outline here. Operations of one name are one name to all objects of a
 * file, but each object shows its own: that behind `op`. */
static bool is_shown(const struct document *document, const lp_name *name, size_t start)
{
    const char *text = text_string(&document->text);
    if (name->kind != LP_NAME_OPERATION)
        return symbol_kind(name->kind) && resolved_declares(name);
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        start--;
    return document->is_lin && start >= 2 && strncmp(text + start - 2, "op", 2) == 0;
}

/* ---- what is in what ---- */

/* For each opening brace of the text the place of its closing one, else 0. */
static size_t *match_braces(const char *text, size_t length)
{
    size_t *matching = memory_small((length + 1) * sizeof *matching);
    size_t *open = memory_small((length + 1) * sizeof *open), depth = 0;
    memset(matching, 0, (length + 1) * sizeof *matching);
    for (size_t at = 0; text[at]; at++) {
        size_t end = document_opaque_end(text, at);
        if (end > at)
            at = text[at] == '"' && text[end] == '"' ? end : end - 1;
        else if (text[at] == '{')
            open[depth++] = at;
        else if (text[at] == '}' && depth)
            matching[open[--depth]] = at;
    }
    free(open);
    return matching;
}

static bool has_children(lp_name_kind kind)
{
    return kind == LP_NAME_SPECIFICATION || kind == LP_NAME_IMPLEMENTATION ||
           kind == LP_NAME_PROGRAM || kind == LP_NAME_TYPE || kind == LP_NAME_RULES ||
           kind == LP_NAME_AUTOMATON;
}

/* Where a declaration ends whose name ends at `at`: behind its block or semicolon, or where the
 * next of a list begins. A process of CSP# has blocks of its events before its semicolon. */
static size_t declaration_end(const char *text, const size_t *matching, size_t at, bool has_block)
{
    unsigned depth = 0;
    for (; text[at]; at++) {
        size_t end = document_opaque_end(text, at);
        if (end > at) {
            at = text[at] == '"' && text[end] == '"' ? end : end - 1;
        } else if (text[at] == '{') {
            if (!matching[at])
                return at;
            at = matching[at];
            if (has_block && !depth)
                return at + 1;
        } else if (strchr("([", text[at])) {
            depth++;
        } else if (strchr(")]", text[at])) {
            if (!depth--)
                return at;
        } else if (!depth && text[at] == ';') {
            return at + 1;
        } else if (!depth && strchr(",}", text[at])) {
            return at;
        }
    }
    return at;
}

/* Where it begins: with the first word in front of its name in the line. */
static size_t declaration_start(const char *text, size_t name)
{
    size_t at = name;
    while (at > 0 && !strchr(";{},\r\n", text[at - 1]))
        at--;
    while (at < name && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

/* The index of the next name that is in the outline, from `i` on; false: there is none. */
static bool next_symbol(const struct document *document, size_t *i, lp_name *name, size_t *start)
{
    for (; resolved_at(document, *i, name, start); ++*i)
        if (is_shown(document, name, *start))
            return true;
    return false;
}

static void begin_symbol(yajl_gen json, const struct document *document, const lp_name *name,
                         size_t start, size_t end)
{
    size_t name_end = start + strlen(name->name);
    size_t first = declaration_start(text_string(&document->text), start);
    yajl_gen_map_open(json);
    json_add_text(json, "name", name->name);
    json_add_text(json, "detail", lp_name_kind_name(name->kind));
    json_add_number(json, "kind", symbol_kind(name->kind));
    json_add_range(json, "range", &document->lines, first, end > name_end ? end : name_end);
    json_add_range(json, "selectionRange", &document->lines, start, name_end);
    json_open_list(json, "children");
}

static void end_symbol(yajl_gen json)
{
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

/* A declaration is a child of the last one that has children and ends behind it: those whose ends
 * are still to come are on a stack, of at most MOST_NESTED. */
#define MOST_NESTED 8

static void add_outline(yajl_gen json, const struct document *document)
{
    const char *text = text_string(&document->text);
    size_t *matching = match_braces(text, document->text.length);
    size_t ends[MOST_NESTED], depth = 0, i = 0, start;
    lp_name name;
    while (next_symbol(document, &i, &name, &start)) {
        bool contains = has_children(name.kind) && depth < MOST_NESTED;
        size_t end = declaration_end(text, matching, start + strlen(name.name),
                                     document->is_lin || contains);
        lp_name next;
        size_t behind, j = i + 1;
        if (!contains && next_symbol(document, &j, &next, &behind)) {
            behind = declaration_start(text, behind);
            end = end > behind && behind > start ? behind : end;
        }
        for (; depth && ends[depth - 1] <= start; depth--)
            end_symbol(json);
        size_t inner = depth && end > ends[depth - 1] ? ends[depth - 1] : end;
        begin_symbol(json, document, &name, start, inner);
        if (contains)
            ends[depth] = inner, depth++;
        else
            end_symbol(json);
        i++;
    }
    for (; depth; depth--)
        end_symbol(json);
    free(matching);
}

void outline_symbols(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = server_document(server, id, params);
    struct wire_message message;
    if (!document)
        return;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    add_outline(message.json, document);
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
        if (!is_shown(document, &name, start) || !fits(name.name, query))
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
