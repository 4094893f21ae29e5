/* What could stand at a place: the names that are in scope there and the words of the language; and
 * of a call that is being written, what it takes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lsp/features.h"
#include "lsp/resolved.h"
#include "report/json.h"

static const char *const lin_words[] = {"assert",
                                        "automaton",
                                        "bool",
                                        "break",
                                        "case",
                                        "cas",
                                        "client",
                                        "const",
                                        "continue",
                                        "default",
                                        "do",
                                        "else",
                                        "enum",
                                        "false",
                                        "for",
                                        "if",
                                        "impl",
                                        "init",
                                        "input",
                                        "int",
                                        "linearizes",
                                        "method",
                                        "never",
                                        "new",
                                        "null",
                                        "op",
                                        "program",
                                        "record",
                                        "refines",
                                        "return",
                                        "rule",
                                        "rules",
                                        "shared",
                                        "spec",
                                        "struct",
                                        "switch",
                                        "thread",
                                        "together",
                                        "true",
                                        "value",
                                        "wait_free",
                                        "lock_free",
                                        "obstruction_free",
                                        "while",
                                        "with"};
static const char *const csp_words[] = {
    "Skip",   "Stop",    "assert",    "atomic",  "channel", "case", "deadlockfree", "default",
    "define", "else",    "enum",      "false",   "hvar",    "if",   "ifa",          "ifb",
    "import", "include", "interrupt", "reaches", "refines", "true", "var",          "while"};

/* The protocol's kind of an item. */
static unsigned item_kind(lp_name_kind kind)
{
    static const uint8_t kinds[LP_NAME_KINDS] = {
        [LP_NAME_CONSTANT] = 21, [LP_NAME_FIELD] = 5,     [LP_NAME_TYPE] = 22,
        [LP_NAME_OPERATION] = 2, [LP_NAME_METHOD] = 2,    [LP_NAME_FUNCTION] = 3,
        [LP_NAME_PROCESS] = 3,   [LP_NAME_RULE] = 3,      [LP_NAME_SPECIFICATION] = 8,
        [LP_NAME_RULES] = 9,     [LP_NAME_AUTOMATON] = 7, [LP_NAME_IMPLEMENTATION] = 7,
        [LP_NAME_PROGRAM] = 9,   [LP_NAME_EVENT] = 23,    [LP_NAME_STATE] = 20,
    };
    return kinds[kind] ? kinds[kind] : 6;
}

/* Whether a local name that is declared at `from` is known at `to`: no block has ended that it
 * belongs to. */
static bool is_in_scope(const struct document *document, lp_name_kind kind, size_t from, size_t to)
{
    const char *text = text_string(&document->text);
    bool parameter = kind == LP_NAME_PARAMETER, entered = false;
    int depth = 0;
    for (size_t at = from; at < to; at++) {
        depth += text[at] == '{';
        depth -= text[at] == '}';
        entered |= depth > 0;
        bool ends = !document->is_lin && depth == 0 && text[at] == ';';
        bool begins =
            !document->is_lin && at > from && text[at - 1] == '\n' && !strchr(" \t\r\n", text[at]);
        if (depth < 0 || begins ||
            (parameter && (ends || (entered && depth == 0 && document->is_lin))))
            return false;
    }
    return from <= to;
}

struct offered {
    const char *name; /* of names that live as long as the document's analysis */
    unsigned kind;
    const char *detail;
};

static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct offered *)one)->name, ((const struct offered *)other)->name);
}

static size_t offer_names(const struct document *document, size_t offset, struct offered *offers)
{
    size_t count = 0;
    lp_name name;
    for (size_t i = 0; document->names && lp_name_at(document->names, i, &name); i++) {
        bool local = name.kind == LP_NAME_LOCAL || name.kind == LP_NAME_PARAMETER;
        size_t start = i < document->own_name_count ? document->name_starts[i] : 0;
        bool typed = i < document->own_name_count && start <= offset &&
                     offset <= start + strlen(name.name); /* it is what is being written */
        if (local && (i >= document->own_name_count || !resolved_declares(&name) ||
                      !is_in_scope(document, name.kind, start, offset)))
            continue;
        if (!typed)
            offers[count++] =
                (struct offered){name.name, item_kind(name.kind), lp_name_kind_name(name.kind)};
    }
    return count;
}

void complete_completion(struct server *server, yajl_val id, yajl_val params)
{
    size_t offset, most = 0;
    struct wire_message message;
    lp_name name;
    struct document *document = server_place(server, id, params, &offset);
    if (!document)
        return;
    while (document->names && lp_name_at(document->names, most, &name))
        most++;
    most += ARRAY_LENGTH(lin_words) + ARRAY_LENGTH(csp_words);
    struct offered *offers = memory_small(most * sizeof *offers);
    size_t count = 0;
    if (offset == 0 || !document_is_opaque(document, offset - 1)) {
        const char *const *words = document->is_lin ? lin_words : csp_words;
        size_t words_count = document->is_lin ? ARRAY_LENGTH(lin_words) : ARRAY_LENGTH(csp_words);
        count = offer_names(document, offset, offers);
        for (size_t i = 0; i < words_count; i++)
            offers[count++] = (struct offered){words[i], 14, "word of the language"};
    }
    qsort(offers, count, sizeof *offers, by_name);
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t i = 0; i < count; i++) {
        if (i && by_name(&offers[i - 1], &offers[i]) == 0)
            continue;
        yajl_gen_map_open(message.json);
        json_add_text(message.json, "label", offers[i].name);
        json_add_number(message.json, "kind", offers[i].kind);
        json_add_text(message.json, "detail", offers[i].detail);
        yajl_gen_map_close(message.json);
    }
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
    free(offers);
}

/* ---- calls ---- */

/* The bracket that is open at a place, and how many commas stand behind it; false: there is none in
 * the statement. */
static bool open_bracket(const char *text, size_t offset, size_t *bracket, unsigned *commas)
{
    unsigned closed = 0;
    *commas = 0;
    for (size_t at = offset; at-- > 0 && !strchr(";{}", text[at]);) {
        if (text[at] == '(' && closed == 0) {
            *bracket = at;
            return true;
        }
        *commas += text[at] == ',' && closed == 0;
        closed += text[at] == ')';
        closed -= text[at] == '(';
    }
    return false;
}

/* Writes the parts of `(a, b)` between brackets and commas. */
static void add_parameters(yajl_gen json, const char *from, size_t length)
{
    json_open_list(json, "parameters");
    for (size_t at = 1; at + 1 < length;) {
        struct text label = TEXT_EMPTY;
        at += strspn(from + at, " ");
        size_t part = strcspn(from + at, ",)");
        text_append_bytes(&label, from + at, part);
        yajl_gen_map_open(json);
        json_add_text(json, "label", text_string(&label));
        yajl_gen_map_close(json);
        text_release(&label);
        at += part + 1;
    }
    yajl_gen_array_close(json);
}

void complete_signature(struct server *server, yajl_val id, yajl_val params)
{
    size_t offset, bracket = 0, start;
    unsigned commas;
    struct wire_message message;
    lp_name name;
    struct document *document = server_place(server, id, params, &offset);
    if (!document)
        return;
    const char *text = text_string(&document->text), *declared = NULL;
    if (open_bracket(text, offset, &bracket, &commas) &&
        resolved_find(document, bracket, &name, &start) && !name.declared_file &&
        !resolved_is_builtin(&name))
        declared = text + lines_place(&document->lines, name.declared_line, name.declared_column) +
                   strlen(name.name);
    size_t length = declared ? strcspn(declared, ")\n") : 0;
    if (!declared || *declared != '(' || declared[length] != ')') {
        wire_answer_null(&server->wire, id);
        return;
    }
    struct text label = TEXT_EMPTY;
    text_append(&label, name.name);
    text_append_bytes(&label, declared, length + 1);
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    json_open_list(message.json, "signatures");
    yajl_gen_map_open(message.json);
    json_add_text(message.json, "label", text_string(&label));
    add_parameters(message.json, declared, length + 1);
    yajl_gen_map_close(message.json);
    yajl_gen_array_close(message.json);
    json_add_number(message.json, "activeSignature", 0);
    json_add_number(message.json, "activeParameter", commas);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
    text_release(&label);
}
