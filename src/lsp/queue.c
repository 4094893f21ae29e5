/* A linked list under one lock. */
#include "lsp/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "report/tree.h"

/* Whether it changes the document. */
static bool is_change(yajl_val message, const char *uri)
{
    const char *method = wire_text(message, "method");
    yajl_val params = tree_find(message, "params", yajl_t_object);
    const char *changed = wire_text(tree_find(params, "textDocument", yajl_t_object), "uri");
    return method && changed && strcmp(changed, uri) == 0 &&
           (strcmp(method, "textDocument/didChange") == 0 ||
            strcmp(method, "textDocument/didClose") == 0);
}

/* Marks the request that a $/cancelRequest names, if it is still here. */
static void mark_cancelled(struct queue *queue, yajl_val message)
{
    const char *method = wire_text(message, "method");
    if (!method || strcmp(method, "$/cancelRequest") != 0)
        return;
    yajl_val id = tree_find(tree_find(message, "params", yajl_t_object), "id", yajl_t_any);
    for (struct queue_item *item = queue->first; item; item = item->next)
        if (item->kind == QUEUE_MESSAGE &&
            wire_same_id(tree_find(item->message, "id", yajl_t_any), id))
            item->cancelled = true;
}

static void add(struct queue *queue, enum queue_kind kind, yajl_val message,
                struct assertion_run *run)
{
    struct queue_item *item = memory_small(sizeof *item);
    *item = (struct queue_item){.kind = kind, .message = message, .run = run};
    pthread_mutex_lock(&queue->lock);
    if (kind == QUEUE_MESSAGE) {
        mark_cancelled(queue, message);
        if (queue->analysing && is_change(message, queue->analysed)) {
            lp_context_interrupt(queue->analysing);
            queue->stopped = true;
        }
    }
    *queue->last = item;
    queue->last = &item->next;
    pthread_cond_signal(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

void queue_add_run(struct queue *queue, struct assertion_run *run)
{
    add(queue, QUEUE_RUN, NULL, run);
}

static void *read_all(void *argument)
{
    struct queue *queue = argument;
    char *content;
    size_t length;
    enum wire_read read;
    while ((read = wire_read(queue->in, &content, &length)) == WIRE_MESSAGE) {
        yajl_val message = wire_parse(content, length);
        const char *method = wire_text(message, "method");
        bool ends = method && strcmp(method, "exit") == 0;
        free(content);
        add(queue, message ? QUEUE_MESSAGE : QUEUE_GARBAGE, message, NULL);
        if (ends) /* nothing comes behind it, and nobody may be there to read it */
            return NULL;
    }
    add(queue, read == WIRE_END ? QUEUE_END : QUEUE_BROKEN, NULL, NULL);
    return NULL;
}

bool queue_open(struct queue *queue, FILE *in)
{
    pthread_condattr_t attributes;
    *queue = (struct queue){.in = in};
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->more, &attributes);
    pthread_condattr_destroy(&attributes);
    return pthread_create(&queue->reader, NULL, read_all, queue) == 0;
}

void queue_close(struct queue *queue)
{
    pthread_join(queue->reader, NULL);
    while (queue->first) {
        struct queue_item *item = queue->first;
        queue->first = item->next;
        yajl_tree_free(item->message);
        free(item);
    }
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
}

struct queue_item *queue_take(struct queue *queue, int milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (milliseconds > 0) {
        until.tv_nsec += (long)milliseconds * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
    }
    pthread_mutex_lock(&queue->lock);
    int result = 0;
    while (!queue->first && result == 0 && milliseconds != 0)
        result = milliseconds < 0 ? pthread_cond_wait(&queue->more, &queue->lock)
                                  : pthread_cond_timedwait(&queue->more, &queue->lock, &until);
    struct queue_item *item = queue->first;
    if (item) {
        queue->first = item->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    pthread_mutex_unlock(&queue->lock);
    return item;
}

bool queue_analyse(struct queue *queue, lp_context *context, const char *uri)
{
    bool waits = false;
    pthread_mutex_lock(&queue->lock);
    for (struct queue_item *item = queue->first; item; item = item->next)
        waits |= item->kind == QUEUE_MESSAGE && is_change(item->message, uri);
    queue->stopped = waits;
    if (!waits) {
        queue->analysing = context;
        queue->analysed = uri;
    }
    pthread_mutex_unlock(&queue->lock);
    return !waits;
}

bool queue_analysed(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->analysing)
        lp_context_resume(queue->analysing);
    queue->analysing = NULL;
    bool stopped = queue->stopped;
    pthread_mutex_unlock(&queue->lock);
    return !stopped;
}
