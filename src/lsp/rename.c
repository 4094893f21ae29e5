/* Renaming is tried before it is told: the text with the new name is read again, and every name in
 * it must mean what it meant. So a name that is taken, one that hides another, a keyword and a word
 * that is built in are refused by the language itself. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lsp/features.h"
#include "lsp/resolved.h"
#include "report/json.h"
#include "report/tree.h"

/* ---- what can be renamed ---- */

/* Whether the file declares the specification or implementation whose name stands there. */
static bool is_declared(const struct document *document, const char *at)
{
    size_t length = strcspn(at, " (;,");
    lp_name name;
    for (size_t i = 0; lp_name_at(document->names, i, &name); i++)
        if ((name.kind == LP_NAME_SPECIFICATION || name.kind == LP_NAME_IMPLEMENTATION) &&
            strlen(name.name) == length && strncmp(at, name.name, length) == 0)
            return true;
    return false;
}

/* Whether what stands behind the word in an assertion, if it has the word, is built in. */
static bool names_builtin(const struct document *document, const char *assertion, const char *word)
{
    const char *found = assertion ? strstr(assertion, word) : NULL;
    return found && !is_declared(document, found + strlen(word));
}

/* Whether the file asserts something of a specification that it does not declare: the names of
 * operations are then those of that one. */
static bool uses_builtin(const struct document *document)
{
    lp_assertion assertion;
    for (size_t i = 0; lp_model_assertion_at(document->model, i, &assertion); i++) {
        const char *refines = strstr(assertion.text, " refines ");
        if (names_builtin(document, assertion.text, " linearizes ") ||
            names_builtin(document, assertion.text, " spec = ") ||
            (refines && (names_builtin(document, assertion.text, " with ") ||
                         names_builtin(document, refines, " with "))))
            return true;
    }
    return false;
}

/* Why a name cannot be renamed; null: it can. */
static const char *refusal(const struct document *document, const lp_name *name)
{
    lp_name other;
    if (!document->model)
        return "the model has errors: what its names mean is not known for sure";
    if (name->kind == LP_NAME_OPERATION && uses_builtin(document))
        return "a built-in specification is used here, whose operations have these names";
    for (size_t i = 0; lp_name_at(document->names, i, &other); i++)
        if (resolved_same(name, &other) && other.file)
            return "the name is used in a file that is included, which others may include too";
    return name->declared_file
               ? "the name is declared in a file that is included, which others may include too"
               : NULL;
}

/* The name at the position; false, once that is answered, where there is none to be renamed. */
static bool find(struct server *server, yajl_val id, yajl_val params, struct document **document,
                 lp_name *name)
{
    size_t offset;
    *document = server_place(server, id, params, &offset);
    if (!*document)
        return false;
    if (!resolved_find(*document, offset, name)) {
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                          "there is no name here that the model declares");
        return false;
    }
    const char *why = refusal(*document, name);
    if (why)
        wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED, "%s", why);
    return !why;
}

void rename_prepare(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document;
    struct wire_message message;
    lp_name name;
    size_t start = 0;
    if (!find(server, id, params, &document, &name))
        return;
    resolved_start(document, &name, &start);
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
    for (size_t i = 0; lp_name_at(document->names, i, &other); i++) {
        if (!resolved_same(name, &other) || !resolved_start(document, &other, &start))
            continue;
        text_append_bytes(made, text + at, start - at);
        text_append(made, new_name);
        at = start + strlen(other.name);
    }
    text_append_bytes(made, text + at, document->text.length - at);
    text_append(made, "");
}

/* The index of the place where a name is declared; SIZE_MAX: it is no place of a name. */
static size_t declaration(const lp_names *names, const lp_name *name)
{
    lp_name other;
    for (size_t i = 0; lp_name_at(names, i, &other); i++)
        if (resolved_same(name, &other) && resolved_declares(&other))
            return i;
    return SIZE_MAX;
}

/* For each name the index of its declaration; released with free(). */
static size_t *declarations(const lp_names *names, size_t *count)
{
    lp_name name;
    *count = 0;
    while (names && lp_name_at(names, *count, &name))
        ++*count;
    size_t *made = memory_small((*count + 1) * sizeof *made);
    for (size_t i = 0; i < *count; i++) {
        lp_name_at(names, i, &name);
        made[i] = resolved_declares(&name) ? i : declaration(names, &name);
    }
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
    size_t count;
    apply(document, name, new_name, &made);
    lp_status status = lp_model_parse_all(server->context, document->path, text_string(&made),
                                          made.length, &model, &names, &error, 1, &count);
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
    if (!find(server, id, params, &document, &name) || !try(server, id, document, &name, new_name))
        return;
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    json_open_object(message.json, "changes");
    json_open_list(message.json, document->uri);
    for (size_t i = 0; lp_name_at(document->names, i, &other); i++) {
        if (!resolved_same(&name, &other) || !resolved_start(document, &other, &start))
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
