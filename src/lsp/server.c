/* One loop takes items from the queue. While there are none, documents that have changed are
 * analysed, a moment after the last change, so that who types is not told of every letter. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "lsp/features.h"
#include "lsp/state.h"
#include "report/json.h"
#include "report/tree.h"

#define QUIET_MILLISECONDS 60 /* without a message, before a change is analysed */

/* ---- what requests share ---- */

char *server_new_id(struct server *server)
{
    struct text id = TEXT_EMPTY;
    text_format(&id, "linchpin-%u", ++server->requests);
    return text_take(&id);
}

static struct document *find_document(const struct server *server, yajl_val params)
{
    const char *uri = wire_text(tree_find(params, "textDocument", yajl_t_object), "uri");
    return uri ? documents_find(&server->documents, uri) : NULL;
}

struct document *server_document(struct server *server, yajl_val id, yajl_val params)
{
    struct document *document = find_document(server, params);
    if (!document) {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS,
                          "expected the URI of an open document");
        return NULL;
    }
    if (server_analyse(server, document))
        return document;
    wire_answer_error(&server->wire, id, WIRE_CONTENT_MODIFIED, "the document was changed");
    return NULL;
}

struct document *server_place(struct server *server, yajl_val id, yajl_val params, size_t *offset)
{
    struct position position;
    if (!document_position(tree_find(params, "position", yajl_t_object), &position)) {
        wire_answer_error(&server->wire, id, WIRE_INVALID_PARAMS, "expected a position");
        return NULL;
    }
    struct document *document = server_document(server, id, params);
    if (document)
        *offset = lines_offset(&document->lines, position);
    return document;
}

/* ---- the beginning and the end ---- */

static yajl_val find_in(yajl_val object, const char *one, const char *other, yajl_type type)
{
    return tree_find(tree_find(object, one, yajl_t_object), other, type);
}

static void take_capabilities(struct server *server, yajl_val params)
{
    yajl_val can = tree_find(params, "capabilities", yajl_t_object);
    yajl_val window = tree_find(can, "window", yajl_t_object);
    yajl_val workspace = tree_find(can, "workspace", yajl_t_object);
    yajl_val units = find_in(can, "general", "positionEncodings", yajl_t_array);
    server->shows_progress = window && tree_boolean(window, "workDoneProgress");
    server->shows_documents = find_in(window, "showDocument", "support", yajl_t_true) != NULL;
    server->refreshes_lenses =
        find_in(workspace, "codeLens", "refreshSupport", yajl_t_true) != NULL;
    for (size_t i = 0; units && i < YAJL_GET_ARRAY(units)->len; i++) {
        yajl_val unit = YAJL_GET_ARRAY(units)->values[i];
        if (unit->type == yajl_t_string && strcmp(unit->u.string, "utf-8") == 0)
            server->documents.unit = POSITION_UTF8;
    }
}

static void initialize(struct server *server, yajl_val id, yajl_val params)
{
    static const char *const providers[] = {"hoverProvider",
                                            "definitionProvider",
                                            "referencesProvider",
                                            "documentSymbolProvider",
                                            "documentHighlightProvider",
                                            "documentFormattingProvider",
                                            "documentRangeFormattingProvider",
                                            "foldingRangeProvider",
                                            "workspaceSymbolProvider"};
    static const char *const calls[] = {"(", ","};
    static const char *const commands[] = {"linchpin.verify", "linchpin.showResult",
                                           "linchpin.cancel"};
    struct wire_message message;
    take_capabilities(server, params);
    wire_begin_answer(&message, id);
    yajl_gen json = message.json;
    yajl_gen_map_open(json);
    json_open_object(json, "capabilities");
    json_add_text(json, "positionEncoding",
                  server->documents.unit == POSITION_UTF8 ? "utf-8" : "utf-16");
    json_open_object(json, "textDocumentSync");
    json_add_boolean(json, "openClose", true);
    json_add_number(json, "change", 2);
    json_add_boolean(json, "save", true);
    yajl_gen_map_close(json);
    for (size_t i = 0; i < ARRAY_LENGTH(providers); i++)
        json_add_boolean(json, providers[i], true);
    json_open_object(json, "renameProvider");
    json_add_boolean(json, "prepareProvider", true);
    yajl_gen_map_close(json);
    json_open_object(json, "completionProvider");
    json_add_boolean(json, "resolveProvider", false);
    yajl_gen_map_close(json);
    json_open_object(json, "signatureHelpProvider");
    json_add_texts(json, "triggerCharacters", calls, ARRAY_LENGTH(calls));
    yajl_gen_map_close(json);
    json_open_object(json, "codeLensProvider");
    json_add_boolean(json, "resolveProvider", false);
    yajl_gen_map_close(json);
    json_open_object(json, "executeCommandProvider");
    json_add_texts(json, "commands", commands, ARRAY_LENGTH(commands));
    json_add_boolean(json, "workDoneProgress", true);
    yajl_gen_map_close(json);
    yajl_gen_map_close(json);
    json_open_object(json, "serverInfo");
    json_add_text(json, "name", "linchpin");
    json_add_text(json, "version", lp_version());
    yajl_gen_map_close(json);
    yajl_gen_map_close(json);
    wire_send(&server->wire, &message);
    server->initialized = true;
}

static void shut_down(struct server *server, yajl_val id, yajl_val params)
{
    (void)params;
    server->shut_down = true;
    for (struct assertion_run *run = server->runs; run; run = run->next)
        assertion_run_cancel(run);
    wire_answer_null(&server->wire, id);
}

/* ---- documents ---- */

static void tell(struct server *server, const char *words)
{
    struct wire_message message;
    wire_begin_notification(&message, "window/logMessage");
    json_open_object(message.json, "params");
    json_add_number(message.json, "type", 1);
    json_add_text(message.json, "message", words);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
}

static void did_open(struct server *server, yajl_val params)
{
    yajl_val about = tree_find(params, "textDocument", yajl_t_object);
    const char *uri = wire_text(about, "uri"), *text = wire_text(about, "text");
    if (uri && text)
        documents_open(&server->documents, uri, wire_text(about, "languageId"), text,
                       tree_find(about, "version", yajl_t_number));
    else
        tell(server, "textDocument/didOpen: expected a uri and a text");
    documents_touch_including(&server->documents);
}

static void did_change(struct server *server, yajl_val params)
{
    struct document *document = find_document(server, params);
    if (!document)
        tell(server, "textDocument/didChange: the document is not open");
    else if (!document_change(document, params, server->documents.unit))
        tell(server, "textDocument/didChange: expected ranges with texts, or a text");
    documents_touch_including(&server->documents);
}

static void did_close(struct server *server, yajl_val params)
{
    struct document *document = find_document(server, params);
    struct wire_message message;
    if (!document)
        return;
    wire_begin_notification(&message, "textDocument/publishDiagnostics");
    json_open_object(message.json, "params");
    json_add_text(message.json, "uri", document->uri);
    json_open_list(message.json, "diagnostics");
    yajl_gen_array_close(message.json);
    yajl_gen_map_close(message.json);
    wire_send(&server->wire, &message);
    documents_close(&server->documents, document);
    documents_touch_including(&server->documents);
}

/* A file has changed that others may include. */
static void files_changed(struct server *server, yajl_val params)
{
    (void)params;
    for (struct document *document = server->documents.first; document; document = document->next)
        document_touch(document);
}

/* ---- messages ---- */

static const struct {
    const char *method;
    void (*answer)(struct server *server, yajl_val id, yajl_val params);
} requests[] = {
    {"shutdown", shut_down},
    {"textDocument/hover", names_hover},
    {"textDocument/definition", names_definition},
    {"textDocument/references", names_references},
    {"textDocument/documentHighlight", names_highlight},
    {"textDocument/documentSymbol", outline_symbols},
    {"textDocument/foldingRange", outline_folding},
    {"textDocument/completion", complete_completion},
    {"textDocument/signatureHelp", complete_signature},
    {"workspace/symbol", outline_workspace_symbols},
    {"textDocument/prepareRename", rename_prepare},
    {"textDocument/rename", rename_rename},
    {"textDocument/formatting", layout_format},
    {"textDocument/rangeFormatting", layout_format_range},
    {"textDocument/codeLens", lens_code_lens},
};

static const struct {
    const char *method;
    void (*take)(struct server *server, yajl_val params);
} notifications[] = {
    {"textDocument/didOpen", did_open},
    {"textDocument/didChange", did_change},
    {"textDocument/didClose", did_close},
    {"textDocument/didSave", files_changed},
    {"workspace/didChangeWatchedFiles", files_changed},
    {"$/cancelRequest", lens_cancel_request},
    {"window/workDoneProgress/cancel", lens_cancel_progress},
};

/* Answers a request; true: its message is kept, to be answered later. */
static bool take_request(struct server *server, const char *method, yajl_val message, yajl_val id,
                         yajl_val params)
{
    struct wire *wire = &server->wire;
    bool begins = strcmp(method, "initialize") == 0;
    if (server->shut_down || (begins && server->initialized)) {
        wire_answer_error(wire, id, WIRE_INVALID_REQUEST,
                          begins ? "the server is initialized already"
                                 : "the server was shut down");
    } else if (begins) {
        initialize(server, id, params);
    } else if (!server->initialized) {
        wire_answer_error(wire, id, WIRE_NOT_INITIALIZED, "expected `initialize` first, found `%s`",
                          method);
    } else if (strcmp(method, "workspace/executeCommand") == 0) {
        return lens_execute_command(server, message, id, params);
    } else {
        for (size_t i = 0; i < ARRAY_LENGTH(requests); i++)
            if (strcmp(requests[i].method, method) == 0) {
                requests[i].answer(server, id, params);
                return false;
            }
        wire_answer_error(wire, id, WIRE_METHOD_NOT_FOUND, "there is no method `%s`", method);
    }
    return false;
}

static void take_notification(struct server *server, const char *method, yajl_val params)
{
    if (!server->initialized || server->shut_down)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(notifications); i++)
        if (strcmp(notifications[i].method, method) == 0)
            notifications[i].take(server, params);
}

static void take_message(struct server *server, struct queue_item *item)
{
    yajl_val message = item->message;
    yajl_val id = tree_find(message, "id", yajl_t_any);
    const char *method = wire_text(message, "method");
    yajl_val params = tree_find(message, "params", yajl_t_object);
    bool has_id = id && (YAJL_IS_NUMBER(id) || id->type == yajl_t_string), kept = false;
    if (!method &&
        (!YAJL_IS_OBJECT(message) || !has_id ||
         (!tree_find(message, "result", yajl_t_any) && !tree_find(message, "error", yajl_t_any))))
        wire_answer_error(&server->wire, has_id ? id : NULL, WIRE_INVALID_REQUEST,
                          "expected an object with a method");
    else if (method && has_id && item->cancelled)
        wire_answer_error(&server->wire, id, WIRE_REQUEST_CANCELLED, "the request was cancelled");
    else if (method && has_id)
        kept = take_request(server, method, message, id, params);
    else if (method)
        take_notification(server, method, params);
    if (!kept)
        yajl_tree_free(message);
}

/* ---- the loop ---- */

static struct document *find_dirty(const struct server *server)
{
    struct document *document = server->documents.first;
    while (document && !document->dirty)
        document = document->next;
    return document;
}

static bool is_exit(const struct queue_item *item)
{
    const char *method = item->kind == QUEUE_MESSAGE ? wire_text(item->message, "method") : NULL;
    return method && strcmp(method, "exit") == 0;
}

/* Takes an item; false: it is the last one, and *status what the server ends with. */
static bool take_item(struct server *server, struct queue_item *item, int *status)
{
    *status = server->shut_down ? 0 : 1;
    if (is_exit(item)) {
        yajl_tree_free(item->message);
        return false;
    }
    switch (item->kind) {
    case QUEUE_MESSAGE:
        take_message(server, item);
        return true;
    case QUEUE_GARBAGE:
        wire_answer_error(&server->wire, NULL, WIRE_PARSE_ERROR, "expected JSON");
        return true;
    case QUEUE_RUN:
        lens_run_finished(server, item->run);
        return true;
    case QUEUE_BROKEN:
        fputs("linchpin lsp: expected messages with `Content-Length: N`, an empty line and N bytes "
              "(an editor starts this command; see docs/manual/editors.md)\n",
              stderr);
        *status = 2;
        return false;
    default:
        return false;
    }
}

static int work(struct server *server)
{
    int status = 0;
    bool goes_on = true;
    while (goes_on) {
        struct document *dirty = find_dirty(server);
        struct queue_item *item = queue_take(&server->queue, dirty ? QUIET_MILLISECONDS : -1);
        if (item) {
            goes_on = take_item(server, item, &status);
            free(item);
        } else if (dirty) {
            server_analyse(server, dirty);
        }
    }
    return status;
}

int lsp_serve(const struct run_settings *settings, FILE *in, FILE *out)
{
    struct server server = {.settings = settings, .wire = {.out = out}};
    server.context = lp_context_create(settings->memory);
    if (!server.context || !queue_open(&server.queue, in)) {
        fputs("linchpin lsp: the system gives no memory or thread\n", stderr);
        return server.context ? 70 : 3;
    }
    pthread_mutex_init(&server.wire.lock, NULL);
    int status = work(&server);
    lens_release(&server);
    queue_close(&server.queue);
    documents_release(&server.documents);
    lp_context_destroy(server.context);
    pthread_mutex_destroy(&server.wire.lock);
    return status;
}
