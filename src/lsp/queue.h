/* What is to be done, in its order: messages, which a thread of its own reads, and runs that are
 * through. The reader looks ahead: a request that is cancelled before its turn is answered without
 * being looked at, and a change stops the analysis of what it changes. */
#ifndef LSP_QUEUE_H
#define LSP_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <linchpin/linchpin.h>

#include "lsp/assertion_run.h"
#include "lsp/wire.h"

enum queue_kind {
    QUEUE_MESSAGE,
    QUEUE_GARBAGE, /* a message that is no JSON */
    QUEUE_RUN,
    QUEUE_END,    /* of the stream */
    QUEUE_BROKEN, /* what comes is no messages */
};

struct queue_item {
    enum queue_kind kind;
    yajl_val message; /* owned by who takes it */
    bool cancelled;   /* by its client */
    struct assertion_run *run;
    struct queue_item *next;
};

struct queue {
    FILE *in;
    pthread_t reader;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct queue_item *first, **last;
    lp_context *analysing; /* stopped by a change of this document; null: nothing is analysed */
    const char *analysed;
    bool stopped; /* it was */
};

/* Begins to read; false: the system gives no thread. */
bool queue_open(struct queue *queue, FILE *in) MUST_CHECK;

/* Behind QUEUE_END and QUEUE_BROKEN, or where the rest is not wanted: the reader may be waiting for
 * its client, and is left alone. */
void queue_close(struct queue *queue);

/* The next item, released with free(); with `milliseconds` (else -1: it waits) null if there is
 * none in that time. */
struct queue_item *queue_take(struct queue *queue, int milliseconds);

/* Adds a run that is through; called by its thread. */
void queue_add_run(struct queue *queue, struct assertion_run *run);

/* Says what a change of the document is to stop; false: one waits already. */
bool queue_analyse(struct queue *queue, lp_context *context, const char *uri);
/* At its end; false: a change has come meanwhile. */
bool queue_analysed(struct queue *queue);

#endif
