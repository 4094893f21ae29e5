#include "html/html.h"

#include <string.h>

#include "html/automata.h"
#include "html/page.h"
#include "html/source.h"
#include "report/json.h"
#include "report/result.h"

/* JSON that stands in a script: no text in it can end the script. '<' is in texts only. */
static void append_script(const struct text *json, struct text *text)
{
    const char *end = text_string(json) + json->length;
    text_append(text, "<script type=\"application/json\" class=\"answer\">");
    for (const char *at = text_string(json), *next; at < end; at = next) {
        next = memchr(at, '<', (size_t)(end - at));
        text_append_bytes(text, at, (size_t)((next ? next : end) - at));
        if (next)
            text_append(text, "\\u003c");
        next = next ? next + 1 : end;
    }
    text_append(text, "</script>\n");
}

static void add_heading(const struct result *result, yajl_gen json)
{
    json_add_text(json, "subject", text_string(&result->subject));
    json_add_text(json, "about", result->about);
    json_add_text(json, "verdict", result->words[result->verdict]);
    json_add_text(json, "facts", text_string(&result->facts));
    json_add_text(json, "reason", text_string(&result->reason));
    json_add_text(json, "replay", text_string(&result->replay));
    json_open_list(json, "warnings");
    for (size_t i = 0; i < result->warning_count; i++)
        json_add_item(json, result->warnings[i].message);
    yajl_gen_array_close(json);
}

/* The history of which a violation's operations are drawn, or that automata are run on; null: there
 * is none. */
static const lp_history *find_history(const struct result *result)
{
    const struct node *node = result->root.first;
    while (node && node->kind != NODE_TIMELINE && (node->kind != NODE_AUTOMATON || !node->history))
        node = node->next;
    return node ? node->history : NULL;
}

void html_append_result(const struct result *result, const struct html_history *history,
                        struct text *text)
{
    const struct html_history told = {.history = find_history(result)};
    struct text answer = TEXT_EMPTY;
    yajl_gen json = json_begin_text(&answer);
    add_heading(result, json);
    json_open_object(json, "fields");
    result_json_fields(result, json);
    yajl_gen_map_close(json);
    html_automata_json(result, json);
    if (history || told.history)
        html_history_json(history ? history : &told, json);
    html_source_json(result, json);
    json_end_text(json);
    append_script(&answer, text);
    text_release(&answer);
}

void html_append_error(const char *input, const char *message, struct text *text)
{
    struct text answer = TEXT_EMPTY;
    yajl_gen json = json_begin_text(&answer);
    json_add_text(json, "subject", input);
    json_add_text(json, "verdict", "error");
    json_add_text(json, "reason", message);
    json_end_text(json);
    append_script(&answer, text);
    text_release(&answer);
}

static const char *find_mark(void)
{
    return strstr(html_page, "<!-- answers -->");
}

void html_begin(FILE *out)
{
    fwrite(html_page, 1, (size_t)(find_mark() - html_page), out);
}

void html_end(FILE *out)
{
    fputs(find_mark(), out);
}
