#include "scenario/schedule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = {
    [EVENT_KIND_BEGIN] = 'b', [EVENT_KIND_END] = 'e',   [EVENT_KIND_CREATE] = 'c',
    [EVENT_KIND_JOIN] = 'j',  [EVENT_KIND_FENCE] = 'f', [EVENT_KIND_WRITE] = 'w',
    [EVENT_KIND_READ] = 'r',  [EVENT_KIND_CHOICE] = 'o'};

static bool is_access(char kind)
{
    return strchr("ruswp", kind) != NULL;
}

/* Whether a number stands behind it. */
static bool is_numbered(char kind)
{
    return is_access(kind) || kind == 'o';
}

static bool writes(char kind)
{
    return strchr("uwp", kind) != NULL;
}

char schedule_letter(const struct execution_graph *graph, event_number number)
{
    const struct execution_event *event = &graph->events[number];
    memory_value stored;
    if (event->kind == EVENT_KIND_WRITE && event->order == ORDER_PLAIN)
        return 'p';
    if (event->fails)
        return 's';
    if (event->kind == EVENT_KIND_READ && execution_stores(event, &stored))
        return 'u';
    return letters[event->kind];
}

/* ---- from a graph ---- */

/* How many of the first `made` events of the replay are writes that are newer than that rank. */
static unsigned count_newer(const struct execution_graph *graph, unsigned made, unsigned location,
                            unsigned rank)
{
    unsigned newer = 0;
    for (unsigned at = 0; at < made; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        newer +=
            event->kind == EVENT_KIND_WRITE && event->location == location && event->rank > rank;
    }
    return newer;
}

/* The number, from 1, of the thread that an event creates; 0: it has not begun. */
static unsigned find_created(const struct execution_graph *graph, event_number creation)
{
    for (event_number i = 0; i < graph->event_count; i++)
        if (graph->events[i].kind == EVENT_KIND_BEGIN && graph->events[i].source == creation)
            return graph->events[i].thread + 1U;
    return 0;
}

void schedule_take(const struct execution_graph *graph, unsigned goes_on, struct schedule *schedule)
{
    uint16_t numbers[EXECUTION_LOCATIONS];
    uint16_t known = 0;
    memset(numbers, 0xff, sizeof numbers);
    schedule->count = 0;
    schedule->wakes_freely = graph->wakes_freely;
    schedule->goes_round = false;
    schedule->goes_on = (uint8_t)goes_on;
    for (unsigned at = 0; at < graph->replay_count; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        struct schedule_step *step = &schedule->steps[schedule->count];
        if (event->is_update)
            continue;
        schedule->count++;
        *step = (struct schedule_step){.thread = event->thread,
                                       .kind = schedule_letter(graph, graph->replay[at])};
        if (event->kind == EVENT_KIND_CHOICE)
            step->location = (uint16_t)event->value;
        if (event->kind == EVENT_KIND_CREATE)
            step->location = (uint16_t)find_created(graph, graph->replay[at]);
        if (!event_is_access(event))
            continue;
        if (numbers[event->location] == UINT16_MAX)
            numbers[event->location] = known++;
        step->location = numbers[event->location];
        unsigned rank =
            event->kind == EVENT_KIND_WRITE ? event->rank : execution_source_rank(graph, event);
        step->newer = (uint8_t)count_newer(graph, at, event->location, rank);
    }
}

void schedule_print(const struct schedule *schedule, struct text *text)
{
    text_append(text, schedule->goes_round ? "@" : schedule->wakes_freely ? "+" : "");
    for (unsigned i = 0; i < schedule->count; i++) {
        const struct schedule_step *step = &schedule->steps[i];
        if (i == 0 || schedule->steps[i - 1].thread != step->thread)
            text_format(text, "%s%u", i ? "." : "", step->thread + 1U);
        text_append_char(text, step->kind);
        if (is_numbered(step->kind) || (step->kind == 'c' && step->location))
            text_format(text, "%u", step->location);
        if (step->newer)
            text_format(text, "-%u", step->newer);
    }
    if (schedule->goes_on != SCHEDULE_NOBODY)
        text_format(text, "%s%u", schedule->count ? "." : "", schedule->goes_on + 1U);
}

/* ---- from a text ---- */

struct reader {
    const char *text, *at;
    struct error *error;
};

static enum status complain(const struct reader *reader, const char *expected)
{
    if (!*reader->at)
        return error_set(reader->error, STATUS_USAGE, NULL, 0,
                         "a schedule: expected %s, found its end", expected);
    return error_set(reader->error, STATUS_USAGE, NULL, 0,
                     "a schedule: expected %s at character %zu, found '%c'", expected,
                     (size_t)(reader->at - reader->text) + 1, *reader->at);
}

static bool read_number(struct reader *reader, unsigned most, unsigned *number)
{
    const char *start = reader->at;
    *number = 0;
    while (isdigit((unsigned char)*reader->at) && *number <= most)
        *number = *number * 10 + (unsigned)(*reader->at++ - '0');
    if (reader->at > start && *number <= most)
        return true;
    reader->at = start;
    return false;
}

static enum status read_step(struct reader *reader, unsigned thread, struct schedule *schedule)
{
    unsigned number = 0;
    if (schedule->count == EXECUTION_EVENTS)
        return complain(reader, "at most 252 steps");
    struct schedule_step *step = &schedule->steps[schedule->count++];
    *step = (struct schedule_step){.thread = (uint8_t)thread, .kind = *reader->at++};
    if (step->kind == 'c' && isdigit((unsigned char)*reader->at)) {
        if (!read_number(reader, EXECUTION_THREADS, &number) || number == 0)
            return complain(reader, "the thread that is created, 1 to 8");
        step->location = (uint16_t)number;
    }
    if (is_numbered(step->kind)) {
        if (!read_number(reader, EXECUTION_LOCATIONS - 1, &number))
            return complain(reader, step->kind == 'o' ? "a choice" : "the number of a location");
        step->location = (uint16_t)number;
        if (*reader->at == '-' && is_access(step->kind)) {
            reader->at++;
            if (!read_number(reader, EXECUTION_EVENTS, &number))
                return complain(reader, "how many writes are newer");
            step->newer = (uint8_t)number;
        }
    }
    return STATUS_OK;
}

static enum status read_thread(struct reader *reader, struct schedule *schedule)
{
    unsigned thread;
    if (!read_number(reader, EXECUTION_THREADS, &thread) || thread == 0)
        return complain(reader, "a thread, 1 to 8");
    if (!*reader->at) {
        schedule->goes_on = (uint8_t)(thread - 1);
        return STATUS_OK;
    }
    do {
        if (!strchr("ruswpfcjbeo", *reader->at))
            return complain(reader, "a step, one of r u s w p f c j b e o");
        TRY(read_step(reader, thread - 1, schedule));
    } while (*reader->at && *reader->at != '.');
    return STATUS_OK;
}

/* ---- what follows from it ---- */

/* The writes of each location in mo, as they are made. */
struct orders {
    uint8_t writes[EXECUTION_LOCATIONS][EXECUTION_EVENTS]; /* steps, oldest first */
    unsigned counts[EXECUTION_LOCATIONS];
};

static enum status resolve_step(struct schedule *schedule, unsigned number, struct orders *orders,
                                struct error *error)
{
    struct schedule_step *step = &schedule->steps[number];
    if (!is_access(step->kind))
        return STATUS_OK;
    unsigned *count = &orders->counts[step->location];
    uint8_t *list = orders->writes[step->location];
    if (step->newer > *count)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "a schedule: in step %u, %u writes are newer, of %u that were made",
                         number + 1, step->newer, *count);
    unsigned place = *count - step->newer; /* behind so many */
    if (strchr("rus", step->kind))
        step->source = EXECUTION_INITIAL;
    if (strchr("rus", step->kind) && place > 0) {
        const struct schedule_step *from = &schedule->steps[list[place - 1]];
        step->source = (event_number)(from->event + (from->kind == 'u'));
    }
    if (writes(step->kind)) {
        memmove(list + place + 1, list + place, *count - place);
        list[place] = (uint8_t)number;
        ++*count;
    }
    return STATUS_OK;
}

/* Threads that are created and never begin get numbers that no other has. */
static void number_created(struct schedule *schedule)
{
    unsigned used = 0, next = EXECUTION_THREADS;
    for (unsigned i = 0; i < schedule->count; i++) {
        const struct schedule_step *step = &schedule->steps[i];
        used |= 1U << step->thread;
        if (step->kind == 'c' && step->location)
            used |= 1U << (step->location - 1);
    }
    for (unsigned i = 0; i < schedule->count; i++) {
        struct schedule_step *step = &schedule->steps[i];
        while (next > 0 && used >> (next - 1) & 1)
            next--;
        if (step->kind == 'c' && !step->location && next > 0)
            step->location = (uint16_t)next--;
    }
}

static enum status resolve(struct schedule *schedule, struct error *error)
{
    struct orders orders = {.counts = {0}};
    event_number event = 0;
    for (unsigned i = 0; i < schedule->count; i++) {
        schedule->steps[i].event = event;
        event = (event_number)(event + 1 + (schedule->steps[i].kind == 'u'));
        if (event > EXECUTION_EVENTS)
            return error_set(error, STATUS_USAGE, NULL, 0, "a schedule: it has too many steps");
        TRY(resolve_step(schedule, i, &orders, error));
    }
    for (unsigned location = 0; location < EXECUTION_LOCATIONS; location++)
        for (unsigned i = 0; i < orders.counts[location]; i++)
            schedule->steps[orders.writes[location][i]].rank = (uint16_t)(i + 1);
    return STATUS_OK;
}

enum status schedule_parse(const char *text, struct schedule *schedule, struct error *error)
{
    struct reader reader = {.text = text, .at = text, .error = error};
    schedule->count = 0;
    schedule->goes_on = SCHEDULE_NOBODY;
    schedule->wakes_freely = *text == '+';
    schedule->goes_round = *text == '@';
    reader.at += schedule->wakes_freely || schedule->goes_round;
    TRY(read_thread(&reader, schedule));
    while (*reader.at == '.') {
        reader.at++;
        TRY(read_thread(&reader, schedule));
    }
    TRY(resolve(schedule, error));
    number_created(schedule);
    return STATUS_OK;
}

/* ---- following it ---- */

bool schedule_choose(const struct schedule *schedule, unsigned number,
                     struct execution_graph *graph, event_number made)
{
    struct execution_event *event = &graph->events[made];
    const struct schedule_step *step = &schedule->steps[number];
    if (number >= schedule->count || step->thread != event->thread || step->event != made ||
        event_is_access(event) != is_access(step->kind) ||
        (event->kind == EVENT_KIND_READ) != (strchr("rus", step->kind) != NULL))
        return false;
    if (!event_is_access(event))
        return true;
    if (step->location != event->location)
        return false;
    union vector_clock past = {.word = 0};
    if (event->before >= 0)
        past = graph->events[event->before].happens_before;
    unsigned least = execution_least_rank(graph, event->location, past);
    if (event->kind == EVENT_KIND_WRITE) {
        event->rank = step->rank;
        return step->rank > least;
    }
    event->source = step->source;
    event->fails = step->kind == 's';
    if (event->fails && !event->may_fail)
        return false;
    return execution_source_rank(graph, event) >= least;
}

bool schedule_is_atomic(const struct execution_graph *graph)
{
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->is_update &&
            event->rank != execution_source_rank(graph, &graph->events[event->before]) + 1)
            return false;
    }
    return true;
}
