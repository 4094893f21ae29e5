/* A lens over each assertion runs it; once that is done, another one has the verdict and shows the
 * whole answer. Commands:
 *
 *     linchpin.verify      [URI, INDEX]  decide assertion INDEX; answered when it is decided
 *     linchpin.showResult  [URI, INDEX]  what linchpin verify prints, in a file that is shown
 *     linchpin.cancel      [URI]         stop what is being decided of the document */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "lsp/features.h"
#include "report/json.h"
#include "report/tree.h"

/* ---- lenses ---- */

static void add_lens(yajl_gen json, const struct document *document, const lp_assertion *assertion,
                     size_t index, const char *title, const char *command)
{
    size_t start = lines_place(&document->lines, assertion->line, assertion->column);
    yajl_gen_map_open(json);
    json_add_range(json, "range", &document->lines, start, document_word_end(document, start));
    json_open_object(json, "command");
    json_add_text(json, "title", title);
    json_add_text(json, "command", command);
    json_open_list(json, "arguments");
    json_add_item(json, document->uri);
    if (strcmp(command, "linchpin.cancel") != 0)
        yajl_gen_integer(json, (long long)index);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
    yajl_gen_map_close(json);
}

static bool is_running(const struct server *server, const struct document *document,
                       const lp_assertion *assertion)
{
    char *key = verdict_key(assertion);
    bool found = false;
    for (const struct assertion_run *run = server->runs; run && !found; run = run->next)
        found = strcmp(run->uri, document->uri) == 0 && strcmp(run->assertion, key) == 0 &&
                !run->cancelled;
    free(key);
    return found;
}

static void add_lenses(const struct server *server, yajl_gen json, const struct document *document,
                       const lp_assertion *assertion, size_t index)
{
    const struct verdict *verdict = document_verdict(document, assertion);
    if (is_running(server, document, assertion)) {
        add_lens(json, document, assertion, index, "verifying ... (stop)", "linchpin.cancel");
        return;
    }
    add_lens(json, document, assertion, index, "verify", "linchpin.verify");
    if (!verdict)
        return;
    struct text title = TEXT_EMPTY;
    text_format(&title, "%s%s", verdict->title,
                verdict->hash == lp_model_hash(document->model) ? "" : ", before the last change");
    add_lens(json, document, assertion, index, text_string(&title), "linchpin.showResult");
    text_release(&title);
}

void lens_code_lens(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = server_document(server, id, params);
    struct wire_message message;
    lp_assertion assertion;
    if (!document)
        return;
    wire_begin_answer(&message, id);
    yajl_gen_array_open(message.json);
    for (size_t i = 0; document->model && lp_model_assertion_at(document->model, i, &assertion);
         i++)
        add_lenses(server, message.json, document, &assertion, i);
    yajl_gen_array_close(message.json);
    wire_send(&server->wire, &message);
}

static void refresh(struct server *server)
{
    struct wire_message message;
    if (!server->refreshes_lenses)
        return;
    char *id = server_new_id(server);
    wire_begin_request(&message, "workspace/codeLens/refresh", id);
    wire_send(&server->wire, &message);
    free(id);
}

/* ---- runs ---- */

static void finished(struct assertion_run *run)
{
    struct server *server = run->user;
    queue_add_run(&server->queue, run);
}

/* The progress token, as JSON: the client's, or one that it is asked to take; null: none. */
static char *make_token(struct server *server, yajl_val params)
{
    struct text token = TEXT_EMPTY;
    yajl_val given = tree_find(params, "workDoneToken", yajl_t_any);
    const char *word = wire_text(params, "workDoneToken");
    if (given && YAJL_IS_NUMBER(given)) {
        text_append(&token, YAJL_GET_NUMBER(given));
        return text_take(&token);
    }
    if (!word && !server->shows_progress)
        return NULL;
    struct wire_message message;
    char *id = server_new_id(server);
    size_t length;
    if (!word) {
        wire_begin_request(&message, "window/workDoneProgress/create", id);
        json_open_object(message.json, "params");
        json_add_text(message.json, "token", id);
        yajl_gen_map_close(message.json);
        wire_send(&server->wire, &message);
    }
    yajl_gen json = yajl_gen_alloc(NULL);
    if (!json)
        abort();
    json_add_item(json, word ? word : id);
    const unsigned char *made;
    yajl_gen_get_buf(json, &made, &length);
    text_append_bytes(&token, (const char *)made, length);
    yajl_gen_free(json);
    free(id);
    return text_take(&token);
}

static void give_up(struct server *server, struct assertion_run *run)
{
    wire_answer_error(&server->wire, tree_find(run->request, "id", yajl_t_any),
                      run->cancelled ? WIRE_REQUEST_CANCELLED : WIRE_REQUEST_FAILED,
                      run->cancelled ? "the run was cancelled" : "the system gives no thread");
}

static void drop(struct server *server, struct assertion_run *run)
{
    struct assertion_run **link = &server->runs;
    while (*link != run)
        link = &(*link)->next;
    *link = run->next;
    assertion_run_release(run);
}

/* Starts what waits, up to the number that may work at once. */
static void start_waiting(struct server *server)
{
    unsigned working = 0;
    for (const struct assertion_run *run = server->runs; run; run = run->next)
        working += run->started;
    for (struct assertion_run *run = server->runs, *next; run && working < RUN_MOST; run = next) {
        next = run->next;
        if (run->started)
            continue;
        if (!run->cancelled && assertion_run_start(run)) {
            working++;
        } else {
            give_up(server, run);
            drop(server, run);
        }
    }
}

static void add_run(struct server *server, const struct document *document, yajl_val message,
                    const lp_assertion *assertion, size_t index)
{
    struct assertion_run *run = memory_small(sizeof *run);
    *run = (struct assertion_run){
        .settings = server->settings,
        .wire = &server->wire,
        .finished = finished,
        .user = server,
        .request = message,
        .uri = text_copy(document->uri),
        .path = text_copy(document->path),
        .index = index,
        .assertion = verdict_key(assertion),
        .token = make_token(server, tree_find(message, "params", yajl_t_object))};
    run->files = documents_texts(&server->documents, document, &run->file_count);
    for (size_t i = 0; i < run->file_count; i++) {
        run->files[i].path = text_copy(run->files[i].path);
        run->files[i].text = text_copy(run->files[i].text);
    }
    struct assertion_run **link = &server->runs;
    while (*link)
        link = &(*link)->next;
    *link = run;
    start_waiting(server);
    refresh(server);
}

void lens_run_finished(struct server *server, struct assertion_run *run)
{
    struct document *document = documents_find(&server->documents, run->uri);
    assertion_run_answer(run);
    if (document && run->verdict) {
        document_keep(document, run->verdict);
        run->verdict = NULL;
        if (!document->dirty)
            server_publish(server, document);
    }
    drop(server, run);
    start_waiting(server);
    refresh(server);
}

void lens_cancel_request(struct server *server, yajl_val params)
{
    yajl_val id = tree_find(params, "id", yajl_t_any);
    for (struct assertion_run *run = server->runs; run; run = run->next)
        if (wire_same_id(tree_find(run->request, "id", yajl_t_any), id))
            assertion_run_cancel(run);
    start_waiting(server);
}

void lens_cancel_progress(struct server *server, yajl_val params)
{
    yajl_val token = tree_find(params, "token", yajl_t_any);
    for (struct assertion_run *run = server->runs; run; run = run->next) {
        char error[64];
        yajl_val own = run->token ? yajl_tree_parse(run->token, error, sizeof error) : NULL;
        if (own && wire_same_id(own, token))
            assertion_run_cancel(run);
        yajl_tree_free(own);
    }
    start_waiting(server);
}

void lens_release(struct server *server)
{
    for (struct assertion_run *run = server->runs; run; run = run->next)
        assertion_run_cancel(run);
    while (server->runs)
        drop(server, server->runs);
    if (server->folder) {
        struct text path = TEXT_EMPTY;
        text_format(&path, "%s/result.txt", server->folder);
        unlink(text_string(&path));
        rmdir(server->folder);
        text_release(&path);
        free(server->folder);
    }
}

/* ---- showing ---- */

/* A file with the text, in a folder of the server's own; null: it cannot be written. */
static char *write_result(struct server *server, const char *report)
{
    const char *folder = getenv("TMPDIR");
    struct text path = TEXT_EMPTY;
    if (!server->folder) {
        text_format(&path, "%s/linchpin-lsp-XXXXXX", folder && *folder ? folder : "/tmp");
        server->folder = text_take(&path);
        if (!mkdtemp(server->folder)) {
            free(server->folder);
            server->folder = NULL;
            return NULL;
        }
    }
    text_format(&path, "%s/result.txt", server->folder);
    FILE *out = fopen(text_string(&path), "w");
    bool good = out && fputs(report, out) >= 0;
    good = out && fclose(out) == 0 && good;
    char *made = good ? text_take(&path) : NULL;
    text_release(&path);
    return made;
}

static void show_result(struct server *server, yajl_val id, const struct verdict *verdict)
{
    struct wire_message message;
    char *path = server->shows_documents ? write_result(server, verdict->report) : NULL;
    if (path) {
        char *uri = document_uri(path), *request = server_new_id(server);
        wire_begin_request(&message, "window/showDocument", request);
        json_open_object(message.json, "params");
        json_add_text(message.json, "uri", uri);
        json_add_boolean(message.json, "takeFocus", false);
        yajl_gen_map_close(message.json);
        wire_send(&server->wire, &message);
        free(uri);
        free(request);
        free(path);
    }
    wire_begin_answer(&message, id);
    yajl_gen_map_open(message.json);
    json_add_text(message.json, "title", verdict->title);
    json_add_text(message.json, "report", verdict->report);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
}

/* ---- commands ---- */

static yajl_val argument(yajl_val params, size_t index)
{
    yajl_val list = tree_find(params, "arguments", yajl_t_array);
    return list && index < YAJL_GET_ARRAY(list)->len ? YAJL_GET_ARRAY(list)->values[index] : NULL;
}

/* The document and the assertion that the arguments name; false, once that is answered, where they
 * name none. */
static bool find_assertion(struct server *server, yajl_val id, yajl_val params,
                           struct document **document, lp_assertion *assertion, size_t *index)
{
    yajl_val uri = argument(params, 0), number = argument(params, 1);
    *document = uri && uri->type == yajl_t_string
                    ? documents_find(&server->documents, uri->u.string)
                    : NULL;
    bool good = *document && number && YAJL_IS_INTEGER(number) && YAJL_GET_INTEGER(number) >= 0;
    if (!good) {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS,
                          "expected the URI of an open document and the number of an assertion");
        return false;
    }
    *index = (size_t)YAJL_GET_INTEGER(number);
    if (!server_analyse(server, *document)) {
        wire_answer_error(&server->wire, id, WIRE_CONTENT_MODIFIED, "the document was changed");
        return false;
    }
    if ((*document)->model && lp_model_assertion_at((*document)->model, *index, assertion))
        return true;
    wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                      (*document)->model ? "there is no such assertion" : "the model has errors");
    return false;
}

static void cancel_all(struct server *server, yajl_val id, yajl_val params)
{
    yajl_val uri = argument(params, 0);
    for (struct assertion_run *run = server->runs; run; run = run->next)
        if (!uri || uri->type != yajl_t_string || strcmp(uri->u.string, run->uri) == 0)
            assertion_run_cancel(run);
    start_waiting(server);
    refresh(server);
    wire_answer_null(&server->wire, id);
}

bool lens_execute_command(struct server *server, yajl_val message, yajl_val id, yajl_val params)
{
    const char *command = wire_text(params, "command");
    struct document *document;
    lp_assertion assertion;
    size_t index;
    if (command && strcmp(command, "linchpin.cancel") == 0) {
        cancel_all(server, id, params);
    } else if (command && strcmp(command, "linchpin.verify") == 0) {
        if (!find_assertion(server, id, params, &document, &assertion, &index))
            return false;
        add_run(server, document, message, &assertion, index);
        return true;
    } else if (command && strcmp(command, "linchpin.showResult") == 0) {
        if (!find_assertion(server, id, params, &document, &assertion, &index))
            return false;
        const struct verdict *verdict = document_verdict(document, &assertion);
        if (verdict)
            show_result(server, id, verdict);
        else
            wire_answer_error(&server->wire, id, WIRE_REQUEST_FAILED,
                              "the assertion was not decided yet");
    } else {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS, "there is no command '%s'",
                          command ? command : "");
    }
    return false;
}
