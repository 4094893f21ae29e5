/* Renaming is tried before it is told: the text with the new name is read again, and every name in
 * it must mean what it meant. So a name that is taken, one that hides another, a keyword and a word
 * that is built in are refused by the language itself. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/source.h"
#include "lsp/features.h"
#include "lsp/locations.h"
#include "lsp/resolved.h"
#include "report/json.h"
#include "report/tree.h"

/* ---- what can be renamed ---- */

/* Whether the names of operations are those of a specification that is not in the file: one that is
 * built in, and in CSP# any. */
static bool uses_others(const struct document *document)
{
    lp_name name;
    if (!document->is_lin)
        return true;
    for (size_t i = 0; lp_name_at(document->names, i, &name); i++)
        if (name.kind == LP_NAME_SPECIFICATION && resolved_is_builtin(&name))
            return true;
    return false;
}

/* Whether the other document, which is analysed, has a name that is declared in this one as that
 * is. */
static bool has_name(const struct document *other, const struct document *document,
                     const lp_name *name)
{
    lp_name found;
    for (size_t i = 0; other->names && lp_name_at(other->names, i, &found); i++)
        if (found.declared_file && found.declared_line == name->declared_line &&
            found.declared_column == name->declared_column &&
            source_is_same(found.declared_file, document->path))
            return true;
    return false;
}

/* Why a name cannot be renamed, as a text to be released with free(); null: it can. */
static char *refusal(struct server *server, const struct document *document, const lp_name *name)
{
    lp_name used;
    struct text why = TEXT_EMPTY;
    if (!document->model)
        text_format(&why, "the file has errors at line %u: what its names mean is not known",
                    document->errors[0].line);
    else if (resolved_is_builtin(name))
        text_format(&why, "`%s` is built in", name->name);
    else if (name->kind == LP_NAME_OPERATION && uses_others(document))
        text_append(&why,
                    document->is_lin
                        ? "a built-in specification is used here, whose operations have these names"
                        : "operations have the names that they have in the specification");
    else if (name->declared_file)
        text_format(&why, "the name is declared in %s, which others may include too",
                    name->declared_file);
    for (size_t i = document->own_name_count; !why.length && lp_name_at(document->names, i, &used);
         i++)
        if (resolved_same(name, &used))
            text_format(&why, "the name is used in %s, which others may include too", used.file);
    for (struct document *other = server->documents.first; other && !why.length;
         other = other->next)
        if (other != document && server_analyse(server, other) && has_name(other, document, name))
            text_format(&why, "the name is used in %s, which includes this file", other->path);
    return why.length ? text_take(&why) : NULL;
}

/* The name at the position; false, once that is answered, where there is none to be renamed. */
static bool find(struct server *server, yajl_val id, yajl_val params, struct document **document,
                 lp_name *name, size_t *start)
{
    size_t offset;
    *document = server_place(server, id, params, &offset);
    if (!*document)
        return false;
    if (!resolved_find(*document, offset, name, start)) {
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                          "there is no name here that the model declares");
        return false;
    }
    char *why = refusal(server, *document, name);
    bool good = !why;
    if (why)
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED, "%s", why);
    free(why);
    return good;
}

void rename_prepare(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name;
    size_t start = 0;
    if (!find(server, id, params, &document, &name, &start))
        return;
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    json_add_range(message.json, "range", &document->lines, start, start + strlen(name.name));
    json_add_text(message.json, "placeholder", name.name);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
}

/* ---- trying ---- */

/* The text with the new name. */
static void apply(const struct document *document, const lp_name *name, const char *new_name,
                  struct text *made)
{
    const char *text = text_string(&document->text);
    size_t at = 0, start;
    lp_name other;
    for (size_t i = 0; resolved_at(document, i, &other, &start); i++) {
        if (!resolved_same(name, &other))
            continue;
        text_append_bytes(made, text + at, start - at);
        text_append(made, new_name);
        at = start + strlen(other.name);
    }
    text_append_bytes(made, text + at, document->text.length - at);
    text_append(made, "");
}

/* Where a name stands, to be found by that. */
struct standing {
    lp_name name;
    size_t index;
};

static int by_place(const void *one, const void *other)
{
    const lp_name *a = &((const struct standing *)one)->name;
    const lp_name *b = &((const struct standing *)other)->name;
    int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->column > b->column) - (a->column < b->column);
}

/* For each name the index of its declaration, SIZE_MAX where that is no place of a name; released
 * with free(). */
static size_t *declarations(const lp_names *names, size_t *count)
{
    lp_name name;
    *count = 0;
    while (names && lp_name_at(names, *count, &name))
        ++*count;
    size_t *made = memory_small((*count + 1) * sizeof *made);
    struct standing *all = memory_small((*count + 1) * sizeof *all);
    for (size_t i = 0; i < *count; i++) {
        lp_name_at(names, i, &all[i].name);
        all[i].index = i;
    }
    qsort(all, *count, sizeof *all, by_place);
    for (size_t i = 0; i < *count; i++) {
        lp_name_at(names, i, &name);
        const struct standing declared = {.name = {.file = name.declared_file,
                                                   .line = name.declared_line,
                                                   .column = name.declared_column}};
        const struct standing *found = bsearch(&declared, all, *count, sizeof *all, by_place);
        made[i] = found ? found->index : SIZE_MAX;
    }
    free(all);
    return made;
}

/* Whether the names of two texts mean the same, one by one. */
static bool mean_the_same(const lp_names *before, const lp_names *after)
{
    size_t before_count, after_count;
    size_t *old = declarations(before, &before_count), *new = declarations(after, &after_count);
    bool same = before_count == after_count && memcmp(old, new, before_count * sizeof *old) == 0;
    free(old);
    free(new);
    return same;
}

static bool is_name(const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *word && strchr(letters, *word) && word[strspn(word, all)] == 0;
}

/* Whether the text with the new name says the same; else that is answered. */
static bool try(struct server *server, yajl_val id, const struct document *document,
                const lp_name *name, const char *new_name)
{
    struct text made = TEXT_EMPTY;
    lp_model *model = NULL;
    lp_names *names = NULL;
    lp_error error = {0};
    size_t count, file_count;
    lp_file_text *files = documents_texts(&server->documents, document, &file_count);
    apply(document, name, new_name, &made);
    files[0].text = text_string(&made);
    files[0].length = made.length;
    lp_status status =
        lp_model_parse_all(server->context, files, file_count, &model, &names, &error, 1, &count);
    free(files);
    bool good = status == LP_OK && mean_the_same(document->names, names);
    if (status != LP_OK)
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                          "`%s` cannot be the name here: %.*s", new_name,
                          (int)strcspn(error.message, "\n"), error.message);
    else if (!good)
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                          "`%s` means something else here already", new_name);
    lp_names_destroy(names);
    lp_model_destroy(model);
    text_release(&made);
    return good;
}

void rename_rename(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name, other;
    size_t start;
    const char *new_name = wire_text(params, "newName");
    if (!new_name || !is_name(new_name)) {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS,
                          "expected a name, made of letters, digits and _, found '%s'",
                          new_name ? new_name : "");
        return;
    }
    if (!find(server, id, params, &document, &name, &start) ||
        !try(server, id, document, &name, new_name))
        return;
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    json_open_object(message.json, "changes");
    json_open_list(message.json, document->uri);
    for (size_t i = 0; resolved_at(document, i, &other, &start); i++) {
        if (!resolved_same(&name, &other))
            continue;
        yajl_gen_map_open(message.json);
        json_add_range(message.json, "range", &document->lines, start, start + strlen(other.name));
        json_add_text(message.json, "newText", new_name);
        yajl_gen_map_close(message.json);
    }
    yajl_gen_array_close(message.json);
    yajl_gen_map_close(message.json);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
}
