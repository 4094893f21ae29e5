#include "cli/spread.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

/* What a report to rank 0 begins with. */
enum kind_of_report {
    REPORT_WANTS,  /* the rank is free for a piece */
    REPORT_RESULT, /* of a piece: its outcome and its output */
    REPORT_DONE,   /* there will be no more */
};

/* ---- what becomes of a piece, as bytes ---- */

static void pack(const void *bytes, size_t length, struct text *packed)
{
    const uint64_t announced = length;
    text_append_bytes(packed, (const char *)&announced, sizeof announced);
    if (length)
        text_append_bytes(packed, bytes, length);
}

static void pack_text(const struct text *text, struct text *packed)
{
    pack(text->bytes, text->length, packed);
}

/* The next part, and moves behind it. */
static const char *unpack(const char **at, size_t *length)
{
    uint64_t announced;
    memcpy(&announced, *at, sizeof announced);
    const char *bytes = *at + sizeof announced;
    *at = bytes + announced;
    *length = announced;
    return bytes;
}

static void unpack_text(const char **at, struct text *text)
{
    size_t length;
    const char *bytes = unpack(at, &length);
    if (length)
        text_append_bytes(text, bytes, length);
}

/* A block of its own, with a zero behind it; null where there is nothing. */
static char *unpack_block(const char **at, size_t *length)
{
    struct text text = TEXT_EMPTY;
    unpack_text(at, &text);
    *length = text.length;
    return text.length ? text_take(&text) : NULL;
}

/* What has no pointers in it. */
struct plain {
    uint64_t index;
    struct tally tally;
    int status;
    uint64_t claims;
};

static void pack_outcome(size_t index, const struct outcome *outcome,
                         const struct ordered_slot *slot, struct text *packed)
{
    struct plain plain;
    memset(&plain, 0, sizeof plain);
    plain.index = index;
    plain.tally = outcome->tally;
    plain.status = outcome->status;
    plain.claims = outcome->claims;
    pack(&plain, sizeof plain, packed);
    pack_text(&outcome->junit, packed);
    pack_text(&outcome->html, packed);
    pack_text(&outcome->sarif.results, packed);
    pack_text(&outcome->sarif.notifications, packed);
    pack(outcome->trace, outcome->trace_length, packed);
    pack_text(&outcome->proof, packed);
    pack(slot->bytes, slot->length, packed);
    pack(slot->messages, slot->messages ? strlen(slot->messages) : 0, packed);
}

static void take_in(struct spread *spread, const char *bytes)
{
    size_t length;
    struct plain plain;
    memcpy(&plain, unpack(&bytes, &length), sizeof plain);
    struct outcome *outcome = &spread->results->items[plain.index];
    outcome->tally = plain.tally;
    outcome->status = plain.status;
    outcome->claims = plain.claims;
    unpack_text(&bytes, &outcome->junit);
    unpack_text(&bytes, &outcome->html);
    unpack_text(&bytes, &outcome->sarif.results);
    unpack_text(&bytes, &outcome->sarif.notifications);
    outcome->trace = unpack_block(&bytes, &outcome->trace_length);
    unpack_text(&bytes, &outcome->proof);
    char *output = unpack_block(&bytes, &length), *messages;
    size_t unused;
    messages = unpack_block(&bytes, &unused);
    ordered_put(spread->ordered, plain.index, output, length, messages);
}

/* ---- rank 0 ---- */

#define NONE_LEFT UINT64_MAX

/* The next piece for another rank, or NONE_LEFT. What stays is put off: it is decided when nothing
 * else is left. */
static uint64_t next_elsewhere(struct spread *spread)
{
    while (spread->next < spread->count && spread->stays(spread->user, spread->next))
        spread->results->items[spread->next++].again = true;
    bool found = spread->next < spread->count && !spread->is_over(spread->user);
    return found ? spread->next++ : NONE_LEFT;
}

static void answer(struct spread *spread, unsigned rank)
{
    pthread_mutex_lock(&spread->lock);
    const uint64_t given = next_elsewhere(spread);
    pthread_mutex_unlock(&spread->lock);
    spread->transport->send(spread->transport, rank, TRANSPORT_GIVEN, &given, sizeof given);
}

/* Whether there was something to do. */
static bool serve_one(struct spread *spread, unsigned *working)
{
    unsigned from;
    size_t length;
    char *report =
        spread->transport->receive(spread->transport, TRANSPORT_REPORT, false, &from, &length);
    if (!report)
        return false;
    if (report[0] == REPORT_WANTS)
        answer(spread, from);
    else if (report[0] == REPORT_RESULT)
        take_in(spread, report + 1);
    else
        --*working;
    free(report);
    return true;
}

static void *serve(void *argument)
{
    struct spread *spread = argument;
    unsigned working = spread->transport->ranks - 1;
    const struct timespec pause = {.tv_nsec = 100000};
    while (working)
        if (!serve_one(spread, &working))
            nanosleep(&pause, NULL);
    return NULL;
}

/* ---- all ranks ---- */

void spread_begin(struct spread *spread, struct ranks *ranks, size_t count, struct results *results,
                  struct ordered *ordered)
{
    spread->transport = ranks && ranks->transport->ranks > 1 ? ranks->transport : NULL;
    spread->count = count;
    spread->next = 0;
    spread->results = results;
    spread->ordered = ordered;
    pthread_mutex_init(&spread->lock, NULL);
    if (spread->transport && spread->transport->rank == 0 &&
        pthread_create(&spread->server, NULL, serve, spread)) {
        fputs("linchpin: the system gives no thread\n", stderr);
        exit(70); /* what launched the ranks ends the others */
    }
}

static void report(const struct transport *transport, enum kind_of_report about)
{
    const char word = (char)about;
    transport->send(transport, 0, TRANSPORT_REPORT, &word, 1);
}

static bool ask(struct spread *spread, size_t *index)
{
    const struct transport *transport = spread->transport;
    unsigned from;
    size_t length;
    uint64_t given;
    report(transport, REPORT_WANTS);
    char *bytes = transport->receive(transport, TRANSPORT_GIVEN, true, &from, &length);
    memcpy(&given, bytes, sizeof given);
    free(bytes);
    *index = given;
    return given != NONE_LEFT;
}

bool spread_take(struct spread *spread, size_t *index)
{
    const bool helps = spread->transport && spread->transport->rank;
    pthread_mutex_lock(&spread->lock);
    bool found = helps ? ask(spread, index) : spread->next < spread->count;
    if (found && !helps)
        *index = spread->next++;
    pthread_mutex_unlock(&spread->lock);
    return found;
}

void spread_give(struct spread *spread, size_t index)
{
    const struct transport *transport = spread->transport;
    struct text packed = TEXT_EMPTY;
    if (!transport || !transport->rank)
        return;
    text_append_char(&packed, REPORT_RESULT);
    pack_outcome(index, &spread->results->items[index], &spread->ordered->slots[index], &packed);
    pthread_mutex_lock(&spread->lock);
    transport->send(transport, 0, TRANSPORT_REPORT, packed.bytes, packed.length);
    pthread_mutex_unlock(&spread->lock);
    text_release(&packed);
}

void spread_end(struct spread *spread)
{
    const struct transport *transport = spread->transport;
    if (transport && transport->rank)
        report(transport, REPORT_DONE);
    else if (transport)
        pthread_join(spread->server, NULL);
    pthread_mutex_destroy(&spread->lock);
}
