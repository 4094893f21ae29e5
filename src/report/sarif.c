#include "report/sarif.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "report/json.h"
#include "report/places.h"
#include "report/text.h"

/* What commands are asked about. */
static const struct rule {
    const char *command, *id, *says;
} rules[] = {
    {"check", "history", "A recorded history is linearizable."},
    {"cover", "net", "No bad marking of the net is covered."},
    {"stress", "stress", "What real threads recorded of an object is linearizable."},
    {"test", "code", "Every execution of the object's code that the memory model allows is right."},
    {"verify", "assertion", "What the model asserts holds."},
};

/* ---- places ---- */

/* Relative to the working folder, where the file lies there. */
static char *uri_of(const char *file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/";
    struct text uri = TEXT_EMPTY;
    file = report_file_below(file);
    if (*file == '/')
        text_append(&uri, "file://");
    for (; *file; file++)
        if (strchr(plain, *file))
            text_append_char(&uri, *file);
        else
            text_format(&uri, "%%%02X", (unsigned char)*file);
    return text_take(&uri);
}

/* {"physicalLocation": ...} as fields of an object that is open; of standard input nothing. */
static void add_place(yajl_gen json, const char *file, uint32_t line)
{
    if (!file || strcmp(file, "-") == 0)
        return;
    char *uri = uri_of(file);
    json_open_object(json, "physicalLocation");
    json_open_object(json, "artifactLocation");
    json_add_text(json, "uri", uri);
    yajl_gen_map_close(json);
    if (line) {
        json_open_object(json, "region");
        json_add_number(json, "startLine", line);
        yajl_gen_map_close(json);
    }
    yajl_gen_map_close(json);
    free(uri);
}

static void add_locations(yajl_gen json, const char *file, uint32_t line)
{
    if (!file || strcmp(file, "-") == 0)
        return;
    json_open_list(json, "locations");
    json_open_object(json, NULL);
    add_place(json, file, line);
    yajl_gen_map_close(json);
    yajl_gen_array_close(json);
}

static void add_message(yajl_gen json, const char *message)
{
    json_open_object(json, "message");
    json_add_text(json, "text", message);
    yajl_gen_map_close(json);
}

/* ---- steps ---- */

/* Those of one thread, while all are visited. */
struct flow {
    yajl_gen json;
    uint32_t thread;
    size_t order; /* of all */
    size_t own;
};

static void append_cell(const struct node *row, const char *key, const char *before,
                        struct text *text)
{
    const struct node *cell = node_find_cell(row, key);
    if (cell && cell->text)
        text_format(text, "%s%s", before, cell->text);
}

static void append_step(const struct placed_step *step, struct text *text)
{
    if (step->access) {
        append_cell(step->access, "access", "", text);
        append_cell(step->access, "location", " ", text);
        append_cell(step->access, "value", ": ", text);
        append_cell(step->access, "from", ", from ", text);
        return;
    }
    text_append(text, step->step->event);
    for (size_t i = 0; i < step->step->change_count; i++)
        text_format(text, "%s%s = %s", i ? ", " : "; ", step->step->changes[i].name,
                    step->step->changes[i].value);
}

static void count_own(void *user, const struct placed_step *step)
{
    struct flow *flow = user;
    flow->own += step->thread == flow->thread;
}

static void add_own(void *user, const struct placed_step *step)
{
    struct flow *flow = user;
    flow->order++;
    if (step->thread != flow->thread)
        return;
    struct text says = TEXT_EMPTY;
    append_step(step, &says);
    json_open_object(flow->json, NULL);
    json_open_object(flow->json, "location");
    add_place(flow->json, step->file, step->line);
    add_message(flow->json, text_string(&says));
    yajl_gen_map_close(flow->json);
    json_add_number(flow->json, "executionOrder", flow->order);
    yajl_gen_map_close(flow->json);
    text_release(&says);
}

static void add_thread(yajl_gen json, const struct result *result, uint32_t thread)
{
    char id[32];
    struct flow flow = {.json = json, .thread = thread};
    places_visit(result, count_own, &flow);
    if (flow.own == 0)
        return;
    snprintf(id, sizeof id, "%" PRIu32, thread);
    json_open_object(json, NULL);
    json_add_text(json, "id", id);
    json_open_list(json, "locations");
    places_visit(result, add_own, &flow);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

static void count_threads(void *user, const struct placed_step *step)
{
    uint32_t *threads = user;
    if (step->thread >= *threads)
        *threads = step->thread + 1;
}

/* A flow of each thread that has a step. */
static void add_flow(yajl_gen json, const struct result *result)
{
    uint32_t threads = 0;
    places_visit(result, count_threads, &threads);
    if (threads == 0)
        return;
    json_open_list(json, "codeFlows");
    json_open_object(json, NULL);
    json_open_list(json, "threadFlows");
    for (uint32_t thread = 0; thread < threads; thread++)
        add_thread(json, result, thread);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
    yajl_gen_array_close(json);
}

/* ---- parts ---- */

static size_t rule_of(const char *command)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LENGTH(rules) && strcmp(rules[i].command, command) != 0)
        i++;
    return i;
}

/* An object at the end of a text of several. */
static yajl_gen part_begin(struct text *several)
{
    if (several->length)
        text_append(several, ",\n");
    return json_begin_text(several);
}

void sarif_add_result(struct sarif *sarif, const char *command, const struct result *result)
{
    lp_answer judged = result_judge(result);
    if (judged == LP_HOLDS)
        return;
    struct text message = TEXT_EMPTY;
    size_t rule = rule_of(command);
    result_append_message(result, &message);
    yajl_gen part = part_begin(&sarif->results);
    json_add_text(part, "ruleId", rules[rule].id);
    json_add_number(part, "ruleIndex", rule);
    json_add_text(part, "kind", judged == LP_VIOLATED ? "fail" : "open");
    json_add_text(part, "level", judged == LP_VIOLATED ? "error" : "none");
    add_message(part, text_string(&message));
    add_locations(part, result->file ? result->file : result->input, result->line);
    add_flow(part, result);
    json_end_text(part);
    text_release(&message);
}

void sarif_add_error(struct sarif *sarif, const lp_error *error, const char *operand)
{
    yajl_gen part = part_begin(&sarif->notifications);
    json_add_text(part, "level", "error");
    add_message(part, error->message);
    add_locations(part, *error->file ? error->file : operand, error->line);
    json_end_text(part);
}

static void add_all(struct text *text, const struct text *more)
{
    if (text->length && more->length)
        text_append(text, ",\n");
    text_append_bytes(text, text_string(more), more->length);
}

void sarif_add_all(struct sarif *sarif, const struct sarif *more)
{
    add_all(&sarif->results, &more->results);
    add_all(&sarif->notifications, &more->notifications);
}

void sarif_release(struct sarif *sarif)
{
    text_release(&sarif->results);
    text_release(&sarif->notifications);
}

/* ---- the whole ---- */

void sarif_write(const struct sarif *sarif, FILE *out)
{
    fprintf(out,
            "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
            "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"linchpin\",\"version\":\"%s\","
            "\"rules\":[",
            lp_version());
    for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
        fprintf(out, "%s{\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"}}", i ? "," : "",
                rules[i].id, rules[i].says);
    fprintf(out,
            "]}},\"invocations\":[{\"executionSuccessful\":%s,"
            "\"toolExecutionNotifications\":[%s]}],\n\"results\":[\n",
            sarif->notifications.length ? "false" : "true", text_string(&sarif->notifications));
    fprintf(out, "%s\n]}]}\n", text_string(&sarif->results));
}
