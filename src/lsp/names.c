/* What stands at a position: a name, as the language's own checker resolved it (lp_name_at), or a
 * word or sign of the language, of which the manual speaks. */
#include <stdlib.h>
#include <string.h>

#include "lsp/features.h"
#include "lsp/locations.h"
#include "lsp/manual.h"
#include "lsp/resolved.h"
#include "report/json.h"
#include "report/tree.h"

/* ---- resolved.h ---- */

bool resolved_at(const struct document *document, size_t index, lp_name *name, size_t *start)
{
    if (index >= document->own_name_count)
        return false;
    *start = document->name_starts[index];
    return lp_name_at(document->names, index, name);
}

bool resolved_find(const struct document *document, size_t offset, lp_name *name, size_t *start)
{
    size_t low = 0, high = document->own_name_count;
    while (low < high) { /* the first name behind */
        size_t middle = low + (high - low) / 2;
        if (document->name_starts[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && resolved_at(document, low - 1, name, start) &&
           offset <= *start + strlen(name->name);
}

static bool same_file(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

bool resolved_same(const lp_name *one, const lp_name *other)
{
    if (resolved_is_builtin(one) || resolved_is_builtin(other))
        return one->declared_line == other->declared_line && strcmp(one->name, other->name) == 0;
    return one->declared_line == other->declared_line &&
           one->declared_column == other->declared_column &&
           same_file(one->declared_file, other->declared_file);
}

bool resolved_is_builtin(const lp_name *name)
{
    return name->declared_line == 0;
}

bool resolved_declares(const lp_name *name)
{
    return name->line == name->declared_line && name->column == name->declared_column &&
           same_file(name->file, name->declared_file);
}

/* ---- hover ---- */

/* The line of the declaration; false: it is in another file. */
static bool append_declaration(const struct document *document, const lp_name *name,
                               struct text *text)
{
    if (name->declared_file)
        return false;
    const char *whole = text_string(&document->text);
    size_t at = lines_place(&document->lines, name->declared_line, 0);
    text_format(text, "```%s\n%.*s\n```\n", document->is_lin ? "lin" : "csp",
                (int)strcspn(whole + at, "\r\n"), whole + at);
    return true;
}

static void append_name(const struct document *document, const lp_name *name, struct text *text)
{
    if (resolved_is_builtin(name)) {
        text_format(text, "built-in %s `%s`\n\n", lp_name_kind_name(name->kind), name->name);
        manual_append(document->is_lin ? manual_lin : manual_csp, name->name, strlen(name->name),
                      text);
        return;
    }
    append_declaration(document, name, text);
    text_format(text, "%s `%s`", lp_name_kind_name(name->kind), name->name);
    if (name->declared_file)
        text_format(text, ", declared in %s:%u", name->declared_file, name->declared_line);
    else if (name->kind == LP_NAME_EVENT || name->kind == LP_NAME_OPERATION)
        text_format(text, ", first in line %u", name->declared_line);
    else
        text_format(text, ", declared in line %u", name->declared_line);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Signs of CSP# that the manual explains, longest first. */
static const char *const signs[] = {"<FD>", "|||", "[*]", "<F>", "[]", "<>", "||", "|=",
                                    "->",   "..",  "==",  "!=",  "&&", "!",  "?",  NULL};

/* The word or sign around a byte. */
static size_t word_around(const struct document *document, size_t offset, size_t *start)
{
    const char *text = text_string(&document->text);
    size_t end = offset;
    *start = offset;
    while (*start > 0 && is_letter(text[*start - 1]))
        --*start;
    while (end < document->text.length && is_letter(text[end]))
        end++;
    if (end > *start)
        return end - *start;
    for (size_t i = 0; signs[i]; i++) {
        size_t length = strlen(signs[i]);
        for (size_t back = 0; back < length && back <= offset; back++)
            if (strncmp(text + offset - back, signs[i], length) == 0) {
                *start = offset - back;
                return length;
            }
    }
    return 0;
}

static bool append_hover(const struct document *document, size_t offset, size_t *start,
                         size_t *length, struct text *text)
{
    lp_name name;
    if (resolved_find(document, offset, &name, start)) {
        *length = strlen(name.name);
        append_name(document, &name, text);
        return true;
    }
    if (document_is_opaque(document, offset))
        return false;
    *length = word_around(document, offset, start);
    return *length && manual_append(document->is_lin ? manual_lin : manual_csp,
                                    text_string(&document->text) + *start, *length, text);
}

void names_hover(struct server *server, yajl_val id, yajl_val params)
{
    size_t offset, start = 0, length = 0;
    struct text text = TEXT_EMPTY;
    struct wire_message message;
    struct document *document = server_place(server, id, params, &offset);
    if (!document)
        return;
    if (append_hover(document, offset, &start, &length, &text)) {
        wire_begin_answer(&message, id);
        yajl_gen_map_open(message.json);
        json_open_object(message.json, "contents");
        json_add_text(message.json, "kind", "markdown");
        json_add_text(message.json, "value", text_string(&text));
        yajl_gen_map_close(message.json);
        json_add_range(message.json, "range", &document->lines, start, start + length);
        yajl_gen_map_close(message.json);
        wire_send(&server->wire, &message);
    } else {
        wire_answer_null(&server->wire, id);
    }
    text_release(&text);
}

/* ---- places ---- */

/* The document and the name at the position; false, once that is answered with null, if there is
 * none. */
static bool find(struct server *server, yajl_val id, yajl_val params, struct document **document,
                 lp_name *name)
{
    size_t offset, start;
    *document = server_place(server, id, params, &offset);
    if (!*document)
        return false;
    if (resolved_find(*document, offset, name, &start))
        return true;
    wire_answer_null(&server->wire, id);
    return false;
}

void names_definition(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name;
    if (!find(server, id, params, &document, &name))
        return;
    struct locations locations;
    locations_init(&locations, server, document);
    if (resolved_is_builtin(&name)) {
        wire_answer_null(&server->wire, id);
        return;
    }
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    locations_add(&locations, message.json, name.declared_file, name.declared_line,
                  name.declared_column, strlen(name.name));
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
    locations_release(&locations);
}

void names_references(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name, other;
    bool declarations = true;
    yajl_val context = tree_find(params, "context", yajl_t_object);
    if (context && tree_find(context, "includeDeclaration", yajl_t_any))
        declarations = tree_boolean(context, "includeDeclaration");
    if (!find(server, id, params, &document, &name))
        return;
    struct locations locations;
    locations_init(&locations, server, document);
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t i = 0; lp_name_at(document->names, i, &other); i++) {
        if (!resolved_same(&name, &other) || (!declarations && resolved_declares(&other)))
            continue;
        yajl_gen_map_open(message.json);
        locations_add(&locations, message.json, other.file, other.line, other.column,
                      strlen(other.name));
        yajl_gen_map_close(message.json);
    }
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
    locations_release(&locations);
}

void names_highlight(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name, other;
    size_t start;
    if (!find(server, id, params, &document, &name))
        return;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t i = 0; resolved_at(document, i, &other, &start); i++) {
        if (!resolved_same(&name, &other))
            continue;
        yajl_gen_map_open(message.json);
        json_add_range(message.json, "range", &document->lines, start, start + strlen(other.name));
        yajl_gen_map_close(message.json);
    }
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
}
