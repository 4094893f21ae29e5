/* Laying out `.lin`: one edit, of the lines that change. */
#include <stdlib.h>
#include <string.h>

#include "lsp/features.h"
#include "report/json.h"

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

void layout_format(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = server_document(server, id, params);
    char *made = NULL;
    size_t length = 0;
    bool same = false;
    struct wire_message message;
    if (!document)
        return;
    if (!document->is_lin) {
        wire_answer_null(&server->wire, id);
        return;
    }
    FILE *out = open_memstream(&made, &length);
    if (!out)
        abort();
    lp_status status =
        lp_model_format_text(server->context, document->path, text_string(&document->text),
                             document->text.length, out, &same, NULL);
    fclose(out);
    if (status != LP_OK) { /* the diagnostics say why */
        wire_answer_null(&server->wire, id);
    } else {
        wire_begin_answer(&message, id);
        yajl_gen_array_open(message.json);
        if (!same)
            add_edit(message.json, &document->lines, made, length);
        yajl_gen_array_close(message.json);
        wire_send(&server->wire, &message);
    }
    free(made);
}
