/* The ring of blocks. Each block goes through
 *
 *     filled (by the calling thread)  ->  parsed (by any)  ->  taken (by the calling thread)
 *
 * and blocks are numbered in the order of the file; the three counters below say how far each stage
 * has got, taken <= next_to_parse <= filled <= taken + ring. The calling thread takes first (so
 * that memory is freed), else fills (so that the others have work), else parses like the others. */
#include "history/lines.h"

#include <pthread.h>
#include <string.h>

#include "base/faults.h"
#include "value/print.h"

/* Fits the caches with its events; handing over costs < 1 %. */
#define BLOCK   ((size_t)SIZE_OR_SMALL(256 << 10, 64))
#define BEHIND  32 /* readable bytes behind the text, for scanners */
#define IN_WORK 2  /* blocks beyond one per thread: one filled, one parsed */
#define MOST    64 /* threads that one file can feed */

struct block {
    char *text;
    size_t length, capacity;
    struct events events;
    uint32_t lines; /* newlines in it */
    uint32_t passed_over;
    size_t stopped; /* bytes up to where `rest` takes over; length if it need not */
    uint32_t stopped_line;
    bool parsed, last;
    bool unread;        /* `status` is that of reading it */
    enum status status; /* of reading or parsing; what it has of events comes first */
    struct error error;
};

struct pipeline {
    struct read_context *context;
    const struct line_format *format;
    struct line_reading reading;
    size_t ring; /* how many blocks there are */
    size_t filled, next_to_parse, taken;
    bool ended; /* the last block is filled */
    bool stopping;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct bytes left; /* the unfinished line behind the last block filled */
    struct bytes rest; /* what `rest` has not used yet */
    struct rest_text rest_text;
    size_t rest_least; /* length from which it is worth calling `rest` again */
    uint32_t line;     /* newlines before the next block taken */
    struct block blocks[];
};

struct member {
    struct pipeline *pipeline;
    pthread_t thread;
    void *state;
};

enum status lines_push(struct line_parser *parser, const struct event *event)
{
    if (LIKELY(vector_push(parser->events, *event)))
        return STATUS_OK;
    return reading_stopped(parser->context, parser->error);
}

static void parse_block(struct pipeline *pipeline, struct block *block, void *state)
{
    struct line_parser parser = {.context = pipeline->context,
                                 .file = source_name(pipeline->context->source),
                                 .state = state,
                                 .events = &block->events,
                                 .error = &block->error};
    const char *end = block->text + block->length;
    block->stopped = block->length;
    for (const char *at = block->text; at < end; parser.line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline;
        while (stop > at && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        if (stop > at && !parser.stopped) {
            block->status = pipeline->format->parse(&parser, at, (size_t)(stop - at));
            if (block->status != STATUS_OK)
                return;
            if (parser.stopped) {
                block->stopped = (size_t)(at - block->text);
                block->stopped_line = parser.line;
            }
        }
        at = newline + 1;
    }
    block->lines = parser.line;
    block->passed_over = parser.passed_over;
}

/* Room for `length` bytes of text. */
static bool reserve_text(struct pipeline *pipeline, struct block *block, size_t length)
{
    if (length + BEHIND <= block->capacity)
        return true;
    size_t capacity = block->capacity * 2 > length + BEHIND ? block->capacity * 2 : length + BEHIND;
    char *moved = memory_resize(pipeline->context->budget, block->text, block->capacity, capacity);
    if (!moved)
        return false;
    block->text = moved;
    block->capacity = capacity;
    return true;
}

/* Reads on until the block has `least` bytes or the source ends. */
static enum status fill_up(struct pipeline *pipeline, struct block *block, size_t least)
{
    if (!reserve_text(pipeline, block, least + 1))
        return reading_stopped(pipeline->context, &block->error);
    while (block->length < least && !block->last) {
        size_t got;
        TRY(source_read(pipeline->context->source, block->text + block->length,
                        least - block->length, &got, &block->error));
        block->last = got == 0;
        block->length += got;
    }
    return STATUS_OK;
}

/* The line behind the block's last newline is kept for the next block. */
static enum status cut(struct pipeline *pipeline, struct block *block, const char *newline)
{
    struct bytes *left = &pipeline->left;
    size_t length = (size_t)(block->text + block->length - (newline + 1));
    if (!vector_reserve(left, length))
        return reading_stopped(pipeline->context, &block->error);
    if (length)
        memcpy(left->items, newline + 1, length);
    left->length = length;
    block->length -= length;
    return STATUS_OK;
}

static enum status fill(struct pipeline *pipeline, struct block *block)
{
    struct bytes *left = &pipeline->left;
    size_t size = pipeline->context->options->block ? pipeline->context->options->block : BLOCK;
    block->length = left->length;
    if (!reserve_text(pipeline, block, left->length))
        return reading_stopped(pipeline->context, &block->error);
    if (left->length)
        memcpy(block->text, left->items, left->length);
    left->length = 0;
    for (size_t seen = 0;; seen = block->length) {
        TRY(fill_up(pipeline, block, block->length > size / 2 ? block->length * 2 : size));
        if (block->last)
            break;
        const char *newline = memrchr(block->text + seen, '\n', block->length - seen);
        if (newline) {
            TRY(cut(pipeline, block, newline));
            break;
        }
    }
    if (block->length == 0 || block->text[block->length - 1] != '\n')
        block->text[block->length++] = '\n';
    memset(block->text + block->length, 0, BEHIND - 1);
    return STATUS_OK;
}

/* Fills the next block of the ring. */
static void fill_next(struct pipeline *pipeline)
{
    struct block *block = &pipeline->blocks[pipeline->filled % pipeline->ring];
    block->events.length = 0;
    block->parsed = block->last = false;
    block->passed_over = 0;
    block->status = fill(pipeline, block);
    block->unread = block->status != STATUS_OK;
    if (block->unread)
        block->parsed = block->last = true;
    else if (pipeline->filled == 0 && memcmp(block->text, "\xef\xbb\xbf", 3) == 0)
        memcpy(block->text, "   ", 3); /* a byte order mark */
}

enum status lines_event(struct line_reading *reading, const struct event *event,
                        struct error *error)
{
    if (event->type == EVENT_NOTE && event->noted == EVENT_INVOKE && !reading->skipped) {
        reading->skipped = true;
        reading->skipped_process = event->process;
        reading->skipped_line = event->line;
    }
    return reading_event(&reading->reading, event, error);
}

/* Shows `rest` what it has not used, if there is enough of it to make a difference: each time twice
 * as much, so that an event over many lines is not looked at too often. */
static enum status take_rest(struct pipeline *pipeline, bool last, struct error *error)
{
    struct bytes *bytes = &pipeline->rest;
    struct rest_text *rest = &pipeline->rest_text;
    if (!pipeline->format->rest ||
        (!last && (bytes->length == 0 || bytes->length < pipeline->rest_least)))
        return STATUS_OK;
    rest->text = bytes->length ? bytes->items : "";
    rest->length = bytes->length;
    rest->last = last;
    rest->used = 0;
    TRY(pipeline->format->rest(&pipeline->reading, rest, error));
    for (size_t i = 0; i < rest->used; i++)
        rest->line += bytes->items[i] == '\n';
    bytes->length -= rest->used;
    if (bytes->length)
        memmove(bytes->items, bytes->items + rest->used, bytes->length);
    pipeline->rest_least = 2 * bytes->length;
    return STATUS_OK;
}

static enum status keep_rest(struct pipeline *pipeline, const char *text, size_t length,
                             struct error *error)
{
    struct bytes *rest = &pipeline->rest;
    if (!vector_reserve(rest, rest->length + length))
        return reading_stopped(pipeline->context, error);
    if (length)
        memcpy(rest->items + rest->length, text, length);
    rest->length += length;
    return STATUS_OK;
}

/* Hands the block's events to the builder. */
static enum status take_events(struct pipeline *pipeline, const struct block *block,
                               struct error *error)
{
    uint32_t base = pipeline->line + 1;
    for (size_t i = 0; i < block->events.length; i++) {
        struct event *event = &block->events.items[i];
        event->line += base;
        TRY(lines_event(&pipeline->reading, event, error));
    }
    return STATUS_OK;
}

/* Takes what the block was parsed to, or if an event spans its beginning, its text. */
static enum status take(struct pipeline *pipeline, struct block *block, struct error *error)
{
    struct rest_text *rest = &pipeline->rest_text;
    bool in_rest = pipeline->rest.length > 0 || rest->ended;
    if (limits_reached(pipeline->context->options->limits) != LIMIT_NONE)
        return reading_stopped(pipeline->context, error);
    if (!in_rest && !block->unread)
        TRY(take_events(pipeline, block, error));
    if (block->status != STATUS_OK) {
        if (error)
            *error = block->error;
        if (error && !block->unread)
            error->line += pipeline->line + 1;
        return block->status;
    }
    pipeline->reading.reading.history->passed_over += block->passed_over;
    size_t from = in_rest ? 0 : block->stopped;
    if (!in_rest)
        rest->line = pipeline->line + 1 + (from < block->length ? block->stopped_line : 0);
    pipeline->line += block->lines;
    TRY(keep_rest(pipeline, block->text + from, block->length - from, error));
    return take_rest(pipeline, block->last, error);
}

static struct block *block_at(struct pipeline *pipeline, size_t number)
{
    return &pipeline->blocks[number % pipeline->ring];
}

/* Parses the next block that nobody parses yet; called, and returns, with the lock held. */
static void parse_next(struct pipeline *pipeline, void *state)
{
    struct block *block = block_at(pipeline, pipeline->next_to_parse++);
    if (block->parsed)
        return;
    pthread_mutex_unlock(&pipeline->lock);
    parse_block(pipeline, block, state);
    pthread_mutex_lock(&pipeline->lock);
    block->parsed = true;
    pthread_cond_broadcast(&pipeline->changed);
}

static void *member_run(void *argument)
{
    struct member *member = argument;
    struct pipeline *pipeline = member->pipeline;
    pthread_mutex_lock(&pipeline->lock);
    while (!pipeline->stopping) {
        if (pipeline->next_to_parse < pipeline->filled)
            parse_next(pipeline, member->state);
        else
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* What the calling thread does; with the lock held where it looks at the counters. */
static enum status run(struct pipeline *pipeline, void *state, struct error *error)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&pipeline->lock);
    while (status == STATUS_OK && !(pipeline->ended && pipeline->taken == pipeline->filled)) {
        struct block *next = block_at(pipeline, pipeline->taken);
        if (pipeline->taken < pipeline->next_to_parse && next->parsed) {
            pthread_mutex_unlock(&pipeline->lock);
            status = take(pipeline, next, error);
            pthread_mutex_lock(&pipeline->lock);
            pipeline->taken++;
        } else if (!pipeline->ended && pipeline->filled < pipeline->taken + pipeline->ring) {
            pthread_mutex_unlock(&pipeline->lock);
            fill_next(pipeline);
            pthread_mutex_lock(&pipeline->lock);
            pipeline->ended = block_at(pipeline, pipeline->filled)->last;
            pipeline->filled++;
            pthread_cond_broadcast(&pipeline->changed);
        } else if (pipeline->next_to_parse < pipeline->filled) {
            parse_next(pipeline, state);
        } else {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
        }
    }
    pipeline->stopping = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    return status;
}

/* Runs the pipeline on this thread and as many others as asked for and given. */
static enum status run_all(struct pipeline *pipeline, unsigned threads, struct error *error)
{
    const struct line_format *format = pipeline->format;
    struct budget *budget = pipeline->context->budget;
    size_t size = (format->state_size + 63) & ~(size_t)63; /* threads share no cache line */
    struct member members[MOST];
    char *states = memory_zeroed(budget, size * threads);
    if (!states)
        return reading_stopped(pipeline->context, error);
    unsigned started = 1;
    for (; started < threads; started++) {
        members[started] = (struct member){.pipeline = pipeline, .state = states + size * started};
        if (pthread_create(&members[started].thread, NULL, member_run, &members[started]))
            break;
    }
    enum status status = run(pipeline, states, error);
    for (unsigned i = 1; i < started; i++)
        pthread_join(members[i].thread, NULL);
    for (unsigned i = 0; i < threads && format->close; i++)
        format->close(states + size * i);
    memory_release(budget, states, size * threads);
    return status;
}

static void pipeline_open(struct pipeline *pipeline)
{
    struct budget *budget = pipeline->context->budget;
    vectors_init(budget, &pipeline->left, &pipeline->rest);
    for (size_t i = 0; i < pipeline->ring; i++)
        vector_init(&pipeline->blocks[i].events, budget);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
}

static void pipeline_close(struct pipeline *pipeline)
{
    struct budget *budget = pipeline->context->budget;
    for (size_t i = 0; i < pipeline->ring; i++) {
        vector_release(&pipeline->blocks[i].events);
        memory_release(budget, pipeline->blocks[i].text, pipeline->blocks[i].capacity);
    }
    vectors_release(&pipeline->left, &pipeline->rest);
    pthread_mutex_destroy(&pipeline->lock);
    pthread_cond_destroy(&pipeline->changed);
}

enum status lines_close(struct line_reading *reading, enum status so_far, struct error *error)
{
    const struct history *history = reading->reading.history;
    if (so_far == STATUS_OK && reading->skipped && history->operations.length == 0) {
        struct text process = TEXT_EMPTY;
        value_print_edn(reading->skipped_process, &process);
        so_far = error_set(error, STATUS_INPUT, history->name, reading->skipped_line,
                           "expected an integer as `process` (events of others are skipped as "
                           "annotations, and here all would be), found %s",
                           text_string(&process));
        text_release(&process);
    }
    return reading_close(&reading->reading, so_far, error);
}

enum status lines_read(struct read_context *context, const struct line_format *format,
                       struct error *error)
{
    unsigned threads = context->options->threads;
    threads = threads < 1 ? 1 : threads > MOST ? MOST : threads;
    /* A block is as large as what may be said of it, and most files fit into one. */
    const size_t ring = threads == 1 ? 1 : threads + IN_WORK;
    const size_t size = sizeof(struct pipeline) + ring * sizeof(struct block);
    struct pipeline *pipeline = memory_zeroed(context->budget, size);
    void *rest_state = memory_zeroed(context->budget, format->rest_size);
    enum status status = STATUS_LIMIT;
    if (pipeline && rest_state) {
        pipeline->context = context;
        pipeline->format = format;
        pipeline->ring = ring;
        pipeline->rest_text.state = rest_state;
        pipeline_open(pipeline);
        status = reading_open(context, source_name(context->source), format->name,
                              &pipeline->reading.reading, error);
        if (status == STATUS_OK)
            status = lines_close(&pipeline->reading, run_all(pipeline, threads, error), error);
        pipeline_close(pipeline);
    } else {
        status = reading_stopped(context, error);
    }
    memory_release(context->budget, rest_state, format->rest_size);
    memory_release(context->budget, pipeline, size);
    return status;
}
