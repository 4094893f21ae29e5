/* Whoever is free takes the next piece; the caller, too, while the piece that it wants is not
 * parsed. So with one thread each piece is parsed when it is asked for. Threads are started for the
 * pieces at hand, and end with them: values are forgotten in between, when nobody is about to make
 * some. */
#include "stream/ahead.h"

#include <assert.h>
#include <string.h>

#include "value/forget.h"

#define PIECE  SIZE_OR_SMALL((size_t)16 << 10, 64) /* bytes, or a line */
#define SPREAD SIZE_OR_SMALL((size_t)48 << 10, 64) /* bytes from which to start threads */

void ahead_init(struct ahead *ahead, const char *name, struct read_context *context)
{
    *ahead = (struct ahead){.name = name, .context = context};
    vector_init(&ahead->workers, context->budget);
    for (size_t i = 0; i < AHEAD_PIECES; i++)
        vector_init(&ahead->pieces[i].events, context->budget);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
}

void ahead_release(struct ahead *ahead)
{
    for (size_t i = 0; i < ahead->workers.length; i++) {
        void *state = ahead->workers.items[i].state;
        if (state && ahead->format->lines->close)
            ahead->format->lines->close(state);
        if (state)
            memory_release(ahead->context->budget, state, ahead->format->lines->state_size);
    }
    for (size_t i = 0; i < AHEAD_PIECES; i++)
        vector_release(&ahead->pieces[i].events);
    vector_release(&ahead->workers);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
}

/* ---- a piece ---- */

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static enum status parse_line(const struct ahead_worker *worker, struct ahead_piece *piece,
                              const char *line, size_t length)
{
    const struct ahead *ahead = worker->ahead;
    struct line_parser parser = {.context = ahead->context,
                                 .file = ahead->name,
                                 .state = worker->state,
                                 .events = &piece->events,
                                 .error = &piece->error};
    const size_t before = piece->events.length;
    enum status status = ahead->format->lines->parse(&parser, line, length);
    if (status == STATUS_OK && parser.stopped)
        status = error_set(&piece->error, STATUS_INPUT, ahead->name, 0,
                           "expected a whole event on the line, as in every history that is "
                           "followed");
    if (status != STATUS_OK)
        piece->events.length = before;
    for (size_t i = before; i < piece->events.length; i++)
        piece->events.items[i].line = piece->lines;
    return status;
}

static void parse_piece(const struct ahead_worker *worker, struct ahead_piece *piece)
{
    const char *end = piece->text + piece->length;
    piece->events.length = piece->lines = 0;
    piece->status = STATUS_OK;
    piece->error = (struct error){0};
    for (const char *line = piece->text; line < end; piece->lines++) {
        const char *next = memchr(line, '\n', (size_t)(end - line)), *last = ++next;
        while (last > line && is_white(last[-1]))
            last--;
        if (last > line)
            piece->status = parse_line(worker, piece, line, (size_t)(last - line));
        if (piece->status != STATUS_OK)
            return;
        line = next;
    }
}

/* ---- threads ---- */

/* Takes a piece and parses it, if there is one. Under the lock. */
static bool parse_next(struct ahead_worker *worker)
{
    struct ahead *ahead = worker->ahead;
    if (ahead->next == ahead->count)
        return false;
    struct ahead_piece *piece = &ahead->pieces[ahead->next++];
    pthread_mutex_unlock(&ahead->lock);
    parse_piece(worker, piece);
    pthread_mutex_lock(&ahead->lock);
    piece->parsed = true;
    pthread_cond_broadcast(&ahead->changed);
    return true;
}

static void *run(void *argument)
{
    struct ahead_worker *worker = argument;
    value_pool_short_lived(worker->ahead->pool);
    pthread_mutex_lock(&worker->ahead->lock);
    while (parse_next(worker))
        ;
    pthread_mutex_unlock(&worker->ahead->lock);
    return NULL;
}

/* Makes what so many threads need. False when refused. */
static bool prepare(struct ahead *ahead, size_t threads)
{
    struct budget *budget = ahead->context->budget;
    while (ahead->workers.length < threads) {
        struct ahead_worker worker = {.ahead = ahead};
        worker.state = memory_zeroed(budget, ahead->format->lines->state_size);
        if (!worker.state)
            return false;
        if (!vector_push(&ahead->workers, worker)) {
            memory_release(budget, worker.state, ahead->format->lines->state_size);
            return false;
        }
    }
    return true;
}

/* Cuts the text; how much of it is in the pieces. */
static size_t cut(struct ahead *ahead, const char *text, size_t length)
{
    size_t from = 0;
    for (ahead->count = 0; ahead->count < AHEAD_PIECES && from < length; ahead->count++) {
        size_t least = length - from < PIECE ? length - from : PIECE;
        const char *newline = memchr(text + from + least - 1, '\n', length - (from + least - 1));
        struct ahead_piece *piece = &ahead->pieces[ahead->count];
        piece->text = text + from;
        piece->length = (size_t)(newline - piece->text) + 1;
        piece->parsed = false;
        from += piece->length;
    }
    return from;
}

size_t ahead_begin(struct ahead *ahead, unsigned threads, const char *text, size_t length)
{
    assert(length > 0 && text[length - 1] == '\n');
    size_t taken = cut(ahead, text, length);
    if (threads > ahead->count || taken < SPREAD)
        threads = taken < SPREAD ? 1 : (unsigned)ahead->count;
    ahead->next = ahead->started = 0;
    if (!prepare(ahead, threads > 1 ? threads : 1))
        return 0;
    ahead->pool = value_pool_short_lived(NULL);
    value_pool_short_lived(ahead->pool);
    for (size_t i = 1; i < threads; i++) {
        struct ahead_worker *worker = &ahead->workers.items[i];
        if (pthread_create(&worker->thread, NULL, run, worker))
            break;
        ahead->started++;
    }
    return taken;
}

const struct ahead_piece *ahead_piece(struct ahead *ahead, size_t number)
{
    const struct ahead_piece *piece = &ahead->pieces[number];
    assert(number < ahead->count);
    pthread_mutex_lock(&ahead->lock);
    while (!piece->parsed)
        if (!parse_next(&ahead->workers.items[0]))
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return piece;
}

void ahead_end(struct ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->next = ahead->count; /* what nobody has taken is not wanted any more */
    pthread_mutex_unlock(&ahead->lock);
    while (ahead->started > 0)
        pthread_join(ahead->workers.items[ahead->started--].thread, NULL);
}

void ahead_forget(struct ahead *ahead)
{
    for (size_t i = 0; i < ahead->workers.length; i++)
        ahead->format->lines->forget(ahead->workers.items[i].state);
}
