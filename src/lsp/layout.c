/* Laying out `.lin`: one edit, of the lines that change, or of those among them that are asked for.
 * Layout changes nothing but white space, so that the letters of the two texts correspond. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lsp/features.h"
#include "report/json.h"
#include "report/tree.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Writes the edit that makes one text of another: where they begin and end alike is left. */
static void add_edit(yajl_gen json, const struct lines *lines, const char *made, size_t length)
{
    size_t start = 0, end = lines->length, made_end = length;
    while (start < end && start < made_end && lines->text[start] == made[start])
        start++;
    while (start > 0 && lines->text[start - 1] != '\n')
        start--;
    while (end > start && made_end > start && lines->text[end - 1] == made[made_end - 1])
        end--, made_end--;
    while (end < lines->length && made_end < length && lines->text[end - 1] != '\n')
        end++, made_end++;
    struct text with = TEXT_EMPTY;
    text_append_bytes(&with, made + start, made_end - start);
    yajl_gen_map_open(json);
    json_add_range(json, "range", lines, start, end);
    json_add_text(json, "newText", text_string(&with));
    yajl_gen_map_close(json);
    text_release(&with);
}

/* The text as it should be; null, once that is answered with null, where there is none: the
 * diagnostics say why. */
static char *lay_out(struct server *server, yajl_val id, const struct document *document,
                     size_t *length)
{
    char *made = NULL;
    bool same;
    FILE *out = document->is_lin ? open_memstream(&made, length) : NULL;
    if (document->is_lin && !out)
        abort();
    if (out) {
        lp_status status =
            lp_model_format_text(server->context, document->path, text_string(&document->text),
                                 document->text.length, out, &same, NULL);
        fclose(out);
        if (status == LP_OK)
            return made;
        free(made);
    }
    wire_answer_null(&server->wire, id);
    return NULL;
}

void layout_format(struct server *server, yajl_val id, yajl_val params)
{
    size_t length;
    struct wire_message message;
    struct document *document = server_document(server, id, params);
    char *made = document ? lay_out(server, id, document, &length) : NULL;
    if (!made)
        return;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    if (length != document->lines.length || memcmp(made, document->lines.text, length) != 0)
        add_edit(message.json, &document->lines, made, length);
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
    free(made);
}

/* ---- some lines ---- */

/* The places of a text's letters, white space left out. */
struct letters {
    const char *text;
    size_t *at, count;
};

static struct letters find_letters(const char *text, size_t length)
{
    struct letters letters = {text, memory_small((length + 1) * sizeof(size_t)), 0};
    for (size_t i = 0; i < length; i++)
        if (!is_blank(text[i]))
            letters.at[letters.count++] = i;
    return letters;
}

static bool correspond(const struct letters *one, const struct letters *other)
{
    bool same = one->count == other->count;
    for (size_t i = 0; same && i < one->count; i++)
        same = one->text[one->at[i]] == other->text[other->at[i]];
    return same;
}

/* Whether a line begins with letter `i`, so that the one before ends a line. */
static bool begins_line(const struct letters *letters, size_t i)
{
    if (i == 0 || i == letters->count)
        return true;
    const char *before = letters->text + letters->at[i - 1];
    return memchr(before, '\n', letters->at[i] - letters->at[i - 1]);
}

/* The first letter at or behind a byte. */
static size_t letter_from(const struct letters *letters, size_t offset)
{
    size_t low = 0, high = letters->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (letters->at[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t line_start(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* Where the line of a letter ends, white space at its end included. */
static size_t line_end(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] != '\n')
        at++;
    return at;
}

/* The edit of the lines from byte `from` to byte `to`, and of further ones until lines of one text
 * begin and end where lines of the other do. */
static void add_edit_within(yajl_gen json, const struct lines *lines, const char *made,
                            size_t length, size_t from, size_t to)
{
    struct letters old = find_letters(lines->text, lines->length);
    struct letters new = find_letters(made, length);
    size_t first = letter_from(&old, line_start(lines->text, from));
    size_t behind = letter_from(&old, line_end(lines->text, lines->length, to));
    bool same = first == behind || !correspond(&old, &new);
    while (!begins_line(&old, first) || !begins_line(&new, first))
        first--;
    while (!begins_line(&old, behind) || !begins_line(&new, behind))
        behind++;
    if (!same) {
        size_t start = line_start(lines->text, old.at[first]);
        size_t end = line_end(lines->text, lines->length, old.at[behind - 1]);
        size_t made_start = line_start(made, new.at[first]);
        size_t made_end = line_end(made, length, new.at[behind - 1]);
        struct text with = TEXT_EMPTY;
        text_append_bytes(&with, made + made_start, made_end - made_start);
        if (with.length != end - start ||
            memcmp(text_string(&with), lines->text + start, with.length) != 0) {
            yajl_gen_map_open(json);
            json_add_range(json, "range", lines, start, end);
            json_add_text(json, "newText", text_string(&with));
            yajl_gen_map_close(json);
        }
        text_release(&with);
    }
    free(old.at);
    free(new.at);
}

void layout_format_range(struct server *server, yajl_val id, yajl_val params)
{
    size_t length;
    struct wire_message message;
    struct position start, end;
    yajl_val range = tree_find(params, "range", yajl_t_object);
    if (!document_position(tree_find(range, "start", yajl_t_object), &start) ||
        !document_position(tree_find(range, "end", yajl_t_object), &end)) {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS, "expected a range");
        return;
    }
    struct document *document = server_document(server, id, params);
    char *made = document ? lay_out(server, id, document, &length) : NULL;
    if (!made)
        return;
    size_t from = lines_offset(&document->lines, start), to = lines_offset(&document->lines, end);
    if (to > from && end.character == 0) /* it ends in front of that line */
        to--;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    add_edit_within(message.json, &document->lines, made, length, from, to > from ? to : from);
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
    free(made);
}
