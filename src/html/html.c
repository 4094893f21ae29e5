#include "html/html.h"

#include <stdlib.h>
#include <string.h>

#include "html/automata.h"
#include "html/page.h"
#include "html/source.h"
#include "report/json.h"
#include "report/result.h"

/* JSON that stands in a script: no text in it can end the script. '<' is in texts only. */
static void append_script(const char *json, size_t length, struct text *text)
{
    text_append(text, "<script type=\"application/json\" class=\"answer\">");
    for (const char *end = json + length, *next; json < end; json = next) {
        next = memchr(json, '<', (size_t)(end - json));
        text_append_bytes(text, json, (size_t)((next ? next : end) - json));
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

/* An answer being written. */
struct answer {
    char *written;
    size_t size;
    FILE *out;
    yajl_gen json;
};

/* False if there is no memory for it. */
static bool answer_begin(struct answer *answer)
{
    *answer = (struct answer){0};
    answer->out = open_memstream(&answer->written, &answer->size);
    if (answer->out)
        answer->json = json_begin(answer->out);
    return answer->out != NULL;
}

static void answer_end(struct answer *answer, struct text *text)
{
    json_end(answer->json, answer->out);
    fclose(answer->out);
    append_script(answer->written, answer->size, text);
    free(answer->written);
}

void html_append_result(const struct result *result, const struct html_history *history,
                        struct text *text)
{
    const struct html_history told = {.history = find_history(result)};
    struct answer answer;
    if (!answer_begin(&answer))
        return;
    yajl_gen json = answer.json;
    add_heading(result, json);
    json_open_object(json, "fields");
    result_json_fields(result, json);
    yajl_gen_map_close(json);
    html_automata_json(result, json);
    if (history || told.history)
        html_history_json(history ? history : &told, json);
    html_source_json(result, json);
    answer_end(&answer, text);
}

void html_append_error(const char *input, const char *message, struct text *text)
{
    struct answer answer;
    if (!answer_begin(&answer))
        return;
    json_add_text(answer.json, "subject", input);
    json_add_text(answer.json, "verdict", "error");
    json_add_text(answer.json, "reason", message);
    answer_end(&answer, text);
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
