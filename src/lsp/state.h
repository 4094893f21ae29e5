/* What the server knows. One thread works on it, the one that takes items from the queue. */
#ifndef LSP_STATE_H
#define LSP_STATE_H

#include "lsp/assertion_run.h"
#include "lsp/document.h"
#include "lsp/queue.h"
#include "lsp/wire.h"

struct server {
    const struct run_settings *settings;
    struct wire wire;
    struct queue queue;
    struct documents documents;
    lp_context *context; /* of analyses */
    bool initialized, shut_down;
    bool shows_progress, refreshes_lenses, shows_documents; /* what the client can do */
    struct assertion_run *runs;                             /* started, or waiting for one to end */
    unsigned requests;                                      /* to the client, so far */
    char *folder; /* of results that are shown; null: none was */
};

/* Whether the document's analysis is that of its text, made now if need be; then the client is told
 * what is wrong with it. False: it was stopped by a change. */
bool server_analyse(struct server *server, struct document *document);

/* Tells it again, for an assertion was decided. */
void server_publish(struct server *server, const struct document *document);

/* The id of a request to the client, released with free(). */
char *server_new_id(struct server *server);

/* A request that names a document, and perhaps a position in it, which must be analysed. Null, once
 * it is answered, where there is none. */
struct document *server_document(struct server *server, yajl_val id, yajl_val params);
struct document *server_place(struct server *server, yajl_val id, yajl_val params, size_t *offset);

#endif
