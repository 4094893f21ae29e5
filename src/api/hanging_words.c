/* An execution in which nothing goes on any more, in words: for what each thread waits. */
#include <string.h>

#include "api/tested_names.h"
#include "api/tested_words.h"

struct telling {
    const struct exchange_result *result;
    struct memory_names names;
    struct place places[EXECUTION_EVENTS]; /* of the events of the graph, ... */
    struct place waits[EXECUTION_THREADS]; /* ... and of what waits */
    struct text *text;
};

enum {
    MOST_READS = 3 /* of an iteration that are told */
};

static void append_source(const struct telling *telling, const struct execution_event *read)
{
    const struct execution_graph *graph = &telling->result->graph;
    if (read->source < 0) {
        text_append(telling->text, ", as it was at first");
        return;
    }
    text_format(telling->text, ", which thread %u wrote", graph->events[read->source].thread + 1U);
    tested_append_place(&telling->places[read->source], telling->text);
}

/* Without the writes of read-modify-writes that stored what they read. */
static struct execution_event origin_of(const struct execution_graph *graph,
                                        const struct execution_event *read)
{
    struct execution_event found = *read;
    while (found.source >= 0) {
        const struct execution_event *write = &graph->events[found.source];
        if (!write->is_update || graph->events[write->before].value != write->value)
            break;
        found.source = graph->events[write->before].source;
    }
    return found;
}

static void append_read(const struct telling *telling, const struct execution_event *read)
{
    const struct execution_graph *graph = &telling->result->graph;
    struct text name = TEXT_EMPTY;
    struct execution_event origin = origin_of(graph, read);
    text_append(telling->text, "reads ");
    memory_names_append_value(&telling->names, read->value, read->size, telling->text);
    if (memory_names_append(&telling->names, graph->locations[read->location].address, read->size,
                            &name))
        text_format(telling->text, " from %s", text_string(&name));
    text_release(&name);
    append_source(telling, &origin);
}

/* The reads of the iteration, each value of a location once; what it read without atomics under a
 * lock is no event. */
static void append_iteration(const struct telling *telling, unsigned thread, unsigned since)
{
    const struct execution_graph *graph = &telling->result->graph;
    const struct execution_event *told[MOST_READS];
    unsigned count = 0, more = 0;
    for (unsigned at = 0; at < graph->replay_count; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        bool is_new = event->thread == thread && event->index > since &&
                      event->kind == EVENT_KIND_READ && event->call == CALL_NONE;
        for (unsigned i = 0; i < count && is_new; i++)
            is_new = told[i]->location != event->location;
        if (is_new && count == MOST_READS)
            more++;
        else if (is_new)
            told[count++] = event;
    }
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            text_append(telling->text, i + 1 == count && !more ? " and " : ", ");
        append_read(telling, told[i]);
    }
    if (more)
        text_format(telling->text, " and %u more", more);
    if (count == 0)
        text_append(telling->text, "finds under its lock what it found before");
}

static void append_wait(const struct telling *telling, unsigned thread)
{
    static const char *const words[] = {[WAIT_LOCK] = "waits for a lock",
                                        [WAIT_LOOP] = "goes round",
                                        [WAIT_SIGNAL] = "waits for a signal",
                                        [WAIT_SEMAPHORE] = "waits for a semaphore",
                                        [WAIT_BARRIER] = "waits at a barrier"};
    const struct exchange_wait *wait = &telling->result->waits[thread];
    const struct execution_graph *graph = &telling->result->graph;
    text_format(telling->text, "thread %u ", thread + 1);
    if (wait->kind == WAIT_JOIN) {
        text_format(telling->text, "waits for the end of thread %u", wait->other + 1U);
        tested_append_place(&telling->waits[thread], telling->text);
        return;
    }
    text_append(telling->text, words[wait->kind]);
    tested_append_place(&telling->waits[thread], telling->text);
    const struct execution_event *read =
        graph->last[thread] >= 0 ? &graph->events[graph->last[thread]] : NULL;
    if (wait->kind == WAIT_LOOP) {
        text_append(telling->text, " and ");
        append_iteration(telling, thread, wait->since);
    } else if (wait->kind == WAIT_LOCK && read && read->source >= 0) {
        text_format(telling->text, " that thread %u took", graph->events[read->source].thread + 1U);
        tested_append_place(&telling->places[read->source], telling->text);
    }
}

/* Where a thread that goes round does so: between the least and the greatest of its lines. */
static void append_round(const struct telling *telling, unsigned thread)
{
    const struct execution_graph *graph = &telling->result->graph;
    const struct place *first = NULL;
    for (unsigned at = telling->result->round; at < graph->replay_count; at++) {
        const struct place *place = &telling->places[graph->replay[at]];
        if (graph->events[graph->replay[at]].thread == thread && place->file &&
            (!first || place->line < first->line))
            first = place;
    }
    text_format(telling->text, "thread %u goes round", thread + 1);
    if (first)
        tested_append_place(first, telling->text);
}

static void append_rounds(const struct telling *telling)
{
    const struct execution_graph *graph = &telling->result->graph;
    unsigned moves = 0, count = 0;
    for (unsigned at = telling->result->round; at < graph->replay_count; at++)
        moves |= 1U << graph->events[graph->replay[at]].thread;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++) {
        if (!(moves >> i & 1))
            continue;
        if (count++ > 0)
            text_append(telling->text, "; ");
        append_round(telling, i);
    }
    unsigned length = 0; /* an update is one step */
    for (unsigned at = telling->result->round; at < graph->replay_count; at++)
        length += !graph->events[graph->replay[at]].is_update;
    text_format(telling->text,
                "; the last %u steps lead back to where all was in front of them, and can be "
                "repeated for ever",
                length);
}

static void append_all(const struct telling *telling)
{
    unsigned count = 0;
    if (telling->result->goes_round) {
        append_rounds(telling);
        return;
    }
    for (unsigned i = 0; i < EXECUTION_THREADS; i++) {
        if (telling->result->waits[i].kind == WAIT_NONE)
            continue;
        if (count++ > 0)
            text_append(telling->text, "; ");
        append_wait(telling, i);
    }
    text_append(telling->text, "; and nobody does anything else any more");
}

enum status tested_append_waits(const struct testing *testing, const struct exchange_result *result,
                                struct text *text, struct error *error)
{
    const lp_program *program = testing->program;
    const char *path = text_string(&program->path);
    struct budget *budget = &program->context->budget;
    struct telling telling = {.result = result, .text = text};
    const void *addresses[EXECUTION_EVENTS];
    for (event_number i = 0; i < result->graph.event_count; i++)
        addresses[i] = result->graph.events[i].at;
    enum status status =
        places_find(path, addresses, result->graph.event_count, budget, telling.places, error);
    if (status != STATUS_OK)
        return status;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        addresses[i] = result->waits[i].at;
    status = places_find(path, addresses, EXECUTION_THREADS, budget, telling.waits, error);
    if (status == STATUS_OK) {
        status = memory_names_open(testing, result, &telling.names, error);
        if (status == STATUS_OK)
            append_all(&telling);
        memory_names_release(&telling.names);
        places_release(telling.waits, EXECUTION_THREADS);
    }
    places_release(telling.places, result->graph.event_count);
    return status;
}
