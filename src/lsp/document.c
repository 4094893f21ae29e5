/* Texts are changed in place; what was found out about one is forgotten with the first change. */
#include "lsp/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/tree.h"

/* ---- URIs ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *document_path(const char *uri, const char *language)
{
    static const char scheme[] = "file://";
    struct text path = TEXT_EMPTY;
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0) {
        bool is_lin = language && strcmp(language, "lin") == 0;
        text_append(&path, uri);
        if (is_lin && !ends_with(uri, ".lin"))
            text_append(&path, ".lin");
        return text_take(&path);
    }
    const char *at = uri + sizeof scheme - 1;
    at += strcspn(at, "/"); /* the machine's name */
    while (*at) {
        int high = *at == '%' ? hex(at[1]) : -1;
        int low = high >= 0 ? hex(at[2]) : -1;
        if (low >= 0 && (high || low)) {
            text_append_char(&path, (char)(high * 16 + low));
            at += 3;
        } else {
            text_append_char(&path, *at++);
        }
    }
    text_append(&path, "");
    return text_take(&path);
}

char *document_uri(const char *path)
{
    static const char digits[] = "0123456789ABCDEF";
    struct text uri = TEXT_EMPTY;
    char *whole = realpath(path, NULL);
    text_append(&uri, "file://");
    for (const char *at = whole ? whole : path; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (isalnum(c) || strchr("/-._~", c)) {
            text_append_char(&uri, *at);
        } else {
            text_append_char(&uri, '%');
            text_append_char(&uri, digits[c >> 4]);
            text_append_char(&uri, digits[c & 15]);
        }
    }
    free(whole);
    return text_take(&uri);
}

/* ---- the list ---- */

struct document *documents_find(const struct documents *documents, const char *uri)
{
    struct document *document = documents->first;
    while (document && strcmp(document->uri, uri) != 0)
        document = document->next;
    return document;
}

static void forget(struct document *document)
{
    lines_release(&document->lines);
    lp_model_destroy(document->model);
    lp_names_destroy(document->names);
    free(document->errors);
    free(document->name_starts);
    document->name_starts = NULL;
    document->own_name_count = 0;
    document->model = NULL;
    document->names = NULL;
    document->errors = NULL;
    document->error_count = 0;
}

void document_touch(struct document *document)
{
    forget(document);
    document->dirty = true;
}

static void document_free(struct document *document)
{
    forget(document);
    while (document->verdicts) {
        struct verdict *verdict = document->verdicts;
        document->verdicts = verdict->next;
        verdict_release(verdict);
    }
    text_release(&document->text);
    free(document->uri);
    free(document->path);
    free(document);
}

static void take_version(struct document *document, yajl_val version)
{
    document->has_version = version && YAJL_IS_INTEGER(version);
    if (document->has_version)
        document->version = YAJL_GET_INTEGER(version);
}

struct document *documents_open(struct documents *documents, const char *uri, const char *language,
                                const char *text, yajl_val version)
{
    struct document *document = documents_find(documents, uri);
    if (document)
        documents_close(documents, document);
    document = memory_small(sizeof *document);
    *document = (struct document){
        .uri = text_copy(uri), .path = document_path(uri, language), .next = documents->first};
    document->is_lin = ends_with(document->path, ".lin");
    text_append(&document->text, text);
    take_version(document, version);
    documents->first = document;
    document_touch(document);
    return document;
}

void documents_close(struct documents *documents, struct document *document)
{
    struct document **link = &documents->first;
    while (*link != document)
        link = &(*link)->next;
    *link = document->next;
    document_free(document);
}

void documents_release(struct documents *documents)
{
    while (documents->first)
        documents_close(documents, documents->first);
}

lp_file_text *documents_texts(const struct documents *documents, const struct document *document,
                              size_t *count)
{
    size_t most = 1;
    for (const struct document *other = documents->first; other; other = other->next)
        most++;
    lp_file_text *texts = memory_small(most * sizeof *texts);
    texts[0] = (lp_file_text){document->path, text_string(&document->text), document->text.length};
    *count = 1;
    for (const struct document *other = documents->first; other; other = other->next)
        if (other != document)
            texts[(*count)++] =
                (lp_file_text){other->path, text_string(&other->text), other->text.length};
    return texts;
}

void documents_touch_including(struct documents *documents)
{
    for (struct document *document = documents->first; document; document = document->next)
        if (strstr(text_string(&document->text), "include") ||
            strstr(text_string(&document->text), "import"))
            document_touch(document);
}

/* ---- changes ---- */

bool document_position(yajl_val value, struct position *position)
{
    uint32_t line, character;
    if (!value || !YAJL_IS_OBJECT(value) || !tree_number(value, "line", &line) ||
        !tree_number(value, "character", &character))
        return false;
    *position = (struct position){line, character};
    return true;
}

/* Replaces bytes of the text. */
static void replace(struct text *text, size_t start, size_t end, const char *with)
{
    struct text made = TEXT_EMPTY;
    text_append_bytes(&made, text_string(text), start);
    text_append(&made, with);
    text_append_bytes(&made, text_string(text) + end, text->length - end);
    text_release(text);
    *text = made;
}

static bool change_one(struct document *document, yajl_val change, enum position_unit unit)
{
    struct position start, end;
    yajl_val text = tree_find(change, "text", yajl_t_string);
    yajl_val range = tree_find(change, "range", yajl_t_object);
    if (!text)
        return false;
    if (!range) {
        replace(&document->text, 0, document->text.length, YAJL_GET_STRING(text));
        return true;
    }
    if (!document_position(tree_find(range, "start", yajl_t_object), &start) ||
        !document_position(tree_find(range, "end", yajl_t_object), &end))
        return false;
    struct lines lines;
    lines_init(&lines, text_string(&document->text), document->text.length, unit);
    size_t from = lines_offset(&lines, start), to = lines_offset(&lines, end);
    lines_release(&lines);
    replace(&document->text, from, to > from ? to : from, YAJL_GET_STRING(text));
    return true;
}

bool document_change(struct document *document, yajl_val changes, enum position_unit unit)
{
    yajl_val list = tree_find(changes, "contentChanges", yajl_t_array);
    yajl_val about = tree_find(changes, "textDocument", yajl_t_object);
    bool good = list != NULL;
    document_touch(document);
    for (size_t i = 0; good && i < YAJL_GET_ARRAY(list)->len; i++)
        good = YAJL_IS_OBJECT(YAJL_GET_ARRAY(list)->values[i]) &&
               change_one(document, YAJL_GET_ARRAY(list)->values[i], unit);
    take_version(document, tree_find(about, "version", yajl_t_number));
    return good;
}

/* ---- the analysis ---- */

/* Names of the text itself come first. */
static void find_names(struct document *document)
{
    size_t count = 0;
    lp_name name;
    while (document->names && lp_name_at(document->names, count, &name) && !name.file)
        count++;
    document->name_starts = memory_small((count + 1) * sizeof *document->name_starts);
    document->own_name_count = count;
    for (size_t i = 0; i < count; i++) {
        lp_name_at(document->names, i, &name);
        document->name_starts[i] = lines_place(&document->lines, name.line, name.column);
    }
}

void document_analysed(struct document *document, lp_model *model, lp_names *names,
                       lp_error *errors, size_t error_count, enum position_unit unit)
{
    document->model = model;
    document->names = names;
    document->errors = errors;
    document->error_count = error_count;
    document->dirty = false;
    lines_init(&document->lines, text_string(&document->text), document->text.length, unit);
    find_names(document);
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

size_t document_word_end(const struct document *document, size_t start)
{
    const char *text = text_string(&document->text);
    size_t end = start;
    while (end < document->text.length && is_letter(text[end]))
        end++;
    if (end == start && end < document->text.length && text[end] != '\n' && text[end] != '\r')
        end++;
    return end;
}

size_t document_opaque_end(const char *text, size_t at)
{
    if (strncmp(text + at, "//", 2) == 0)
        return at + strcspn(text + at, "\n");
    if (strncmp(text + at, "/*", 2) == 0) {
        const char *close = strstr(text + at + 2, "*/");
        return close ? (size_t)(close - text) + 2 : at + strlen(text + at);
    }
    return text[at] == '"' ? at + 1 + strcspn(text + at + 1, "\"\n") : at;
}

bool document_is_opaque(const struct document *document, size_t offset)
{
    const char *text = text_string(&document->text);
    for (size_t at = 0; text[at] && at <= offset;) {
        size_t end = document_opaque_end(text, at);
        if (end > at && offset < end)
            return true;
        at = end > at ? end + (text[at] == '"' && text[end] == '"') : at + 1;
    }
    return false;
}

/* ---- verdicts ---- */

char *verdict_key(const lp_assertion *assertion)
{
    struct text key = TEXT_EMPTY;
    text_append(&key, assertion->text);
    if (assertion->expected)
        text_format(&key, " // expect: %s", assertion->expected);
    return text_take(&key);
}

struct verdict *document_verdict(const struct document *document, const lp_assertion *assertion)
{
    struct verdict *verdict = document->verdicts;
    char *key = verdict_key(assertion);
    while (verdict && strcmp(verdict->assertion, key) != 0)
        verdict = verdict->next;
    free(key);
    return verdict;
}

void document_keep(struct document *document, struct verdict *verdict)
{
    struct verdict **link = &document->verdicts;
    while (*link && strcmp((*link)->assertion, verdict->assertion) != 0)
        link = &(*link)->next;
    struct verdict *old = *link;
    verdict->next = old ? old->next : NULL;
    *link = verdict;
    if (old)
        verdict_release(old);
}

void verdict_release(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->step_count; i++) {
        free(verdict->steps[i].file);
        free(verdict->steps[i].says);
    }
    free(verdict->steps);
    free(verdict->assertion);
    free(verdict->title);
    free(verdict->report);
    free(verdict->reason);
    free(verdict);
}
