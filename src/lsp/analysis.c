/* Reading documents, and what is wrong with them. An error in a file that is included is told where
 * the document includes something of that name; what a run of an assertion has found, at the
 * assertion. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lsp/locations.h"
#include "report/json.h"

enum severity {
    SEVERITY_ERROR = 1,
    SEVERITY_WARNING = 2,
};

/* ---- telling ---- */

static void begin_diagnostic(yajl_gen json, const struct document *document, size_t start,
                             enum severity severity, const char *message)
{
    yajl_gen_map_open(json);
    json_add_range(json, "range", &document->lines, start, document_word_end(document, start));
    json_add_number(json, "severity", severity);
    json_add_text(json, "source", "linchpin");
    json_add_text(json, "message", message);
}

/* The message's first line: below it stands the line of the file, which the editor shows. */
static char *first_line(const char *message)
{
    struct text text = TEXT_EMPTY;
    text_append_bytes(&text, message, strcspn(message, "\n"));
    text_append(&text, "");
    return text_take(&text);
}

/* Writes a related place. */
static void add_related(yajl_gen json, struct locations *locations, const char *file, uint32_t line,
                        uint32_t column, const char *message)
{
    yajl_gen_map_open(json);
    json_open_object(json, "location");
    locations_add(locations, json, file, line, column, 0);
    yajl_gen_map_close(json);
    json_add_text(json, "message", message);
    yajl_gen_map_close(json);
}

static void add_error(yajl_gen json, struct locations *locations, const lp_error *error)
{
    const struct document *document = locations->document;
    char *message = first_line(error->message);
    if (!*error->file || strcmp(error->file, document->path) == 0) {
        begin_diagnostic(
            json, document,
            lines_place(&document->lines, error->line ? error->line : 1, error->column),
            SEVERITY_ERROR, message);
    } else {
        struct text told = TEXT_EMPTY;
        text_format(&told, "%s:%" PRIu32 ": %s", error->file, error->line, message);
        begin_diagnostic(json, document, locations_include(document, error->file), SEVERITY_ERROR,
                         text_string(&told));
        json_open_list(json, "relatedInformation");
        add_related(json, locations, error->file, error->line, error->column, message);
        yajl_gen_array_close(json);
        text_release(&told);
    }
    yajl_gen_map_close(json);
    free(message);
}

static void add_steps(yajl_gen json, struct locations *locations, const struct verdict *verdict)
{
    json_open_list(json, "relatedInformation");
    for (size_t i = 0; i < verdict->step_count; i++)
        add_related(json, locations, verdict->steps[i].file, verdict->steps[i].line, 0,
                    verdict->steps[i].says);
    yajl_gen_array_close(json);
}

/* What the last run of an assertion found, if that is of this text and not as it should be. */
static void add_verdict(yajl_gen json, struct locations *locations, const lp_assertion *assertion)
{
    const struct document *document = locations->document;
    const struct verdict *verdict = document_verdict(document, assertion);
    if (!verdict || verdict->hash != lp_model_hash(document->model) || verdict->as_expected)
        return;
    size_t start = lines_place(&document->lines, assertion->line, assertion->column);
    if (verdict->is_error && verdict->line)
        start = lines_place(&document->lines, verdict->line, verdict->column);
    struct text message = TEXT_EMPTY;
    char *reason = first_line(verdict->reason);
    text_format(&message, "%s%s%s", verdict->title, *reason ? ": " : "", reason);
    begin_diagnostic(json, document, start, verdict->is_unknown ? SEVERITY_WARNING : SEVERITY_ERROR,
                     text_string(&message));
    if (verdict->step_count)
        add_steps(json, locations, verdict);
    yajl_gen_map_close(json);
    text_release(&message);
    free(reason);
}

void server_publish(struct server *server, const struct document *document)
{
    struct wire_message message;
    struct locations locations;
    lp_assertion assertion;
    locations_init(&locations, server, document);
    wire_begin_notification(&message, "textDocument/publishDiagnostics");
    json_open_object(message.json, "params");
    json_add_text(message.json, "uri", document->uri);
    if (document->has_version)
        json_add_integer(message.json, "version", document->version);
    json_open_list(message.json, "diagnostics");
    for (size_t i = 0; i < document->error_count && i < DOCUMENT_ERRORS; i++)
        add_error(message.json, &locations, &document->errors[i]);
    for (size_t i = 0; document->model && lp_model_assertion_at(document->model, i, &assertion);
         i++)
        add_verdict(message.json, &locations, &assertion);
    yajl_gen_array_close(message.json);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
    locations_release(&locations);
}

/* ---- reading ---- */

bool server_analyse(struct server *server, struct document *document)
{
    if (!document->dirty)
        return true;
    lp_model *model = NULL;
    lp_names *names = NULL;
    size_t count = 0, file_count;
    lp_error *errors = memory_small(DOCUMENT_ERRORS * sizeof *errors);
    if (!queue_analyse(&server->queue, server->context, document->uri)) {
        free(errors);
        return false;
    }
    lp_file_text *files = documents_texts(&server->documents, document, &file_count);
    lp_status status = lp_model_parse_all(server->context, files, file_count, &model, &names,
                                          errors, DOCUMENT_ERRORS, &count);
    free(files);
    bool stopped = !queue_analysed(&server->queue);
    if (status == LP_LIMIT && stopped) {
        lp_names_destroy(names);
        free(errors);
        return false;
    }
    document_analysed(document, model, names, errors, count, server->documents.unit);
    server_publish(server, document);
    return true;
}
