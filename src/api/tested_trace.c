#include "api/tested_trace.h"

#include <stdlib.h>
#include <string.h>

#include "api/tested_calls.h"
#include "api/tested_names.h"
#include "api/tested_reason.h"
#include "scenario/tidy_order.h"

enum {
    MOST_UNORDERED = 4
};

struct tracing {
    struct testing *testing;
    const struct exchange_result *result;
    struct execution_graph *graph; /* in the order in which it is told */
    struct place *places;          /* of the events, and the two accesses of the finding */
    size_t place_count;
    bool several_files;
    struct memory_names names;
    lp_access *steps;
    size_t count, loop_start;
    const char **unordered;
};

static const struct place *place_of(const struct tracing *tracing, event_number event)
{
    return &tracing->places[event];
}

static const struct place *place_of_finding(const struct tracing *tracing, bool other)
{
    return &tracing->places[tracing->graph->event_count + other];
}

/* ---- accesses in words ---- */

static const char *order_of(const struct execution_event *event)
{
    static const char *const orders[] = {[ORDER_RELAXED] = " relaxed",
                                         [ORDER_CONSUME] = " consume",
                                         [ORDER_ACQUIRE] = " acquire",
                                         [ORDER_RELEASE] = " release",
                                         [ORDER_ACQ_REL] = " acq_rel",
                                         [ORDER_SEQ_CST] = " seq_cst",
                                         [ORDER_PLAIN] = ""};
    return orders[event->order];
}

static const char *name_of(const struct execution_event *event)
{
    static const char *const reads[] = {[OPERATION_LOAD] = "load",
                                        [OPERATION_EXCHANGE] = "exchange",
                                        [OPERATION_ADD] = "fetch_add",
                                        [OPERATION_SUB] = "fetch_sub",
                                        [OPERATION_AND] = "fetch_and",
                                        [OPERATION_OR] = "fetch_or",
                                        [OPERATION_XOR] = "fetch_xor",
                                        [OPERATION_NAND] = "fetch_nand",
                                        [OPERATION_COMPARE_EXCHANGE] = "compare_exchange",
                                        [OPERATION_ADD_UNLESS] = "add_unless",
                                        [OPERATION_AWAIT] = "await",
                                        [OPERATION_AWAIT_NONE] = "await"};
    static const char *const kinds[] = {[EVENT_KIND_BEGIN] = "begins",
                                        [EVENT_KIND_END] = "ends",
                                        [EVENT_KIND_CREATE] = "creates a thread",
                                        [EVENT_KIND_JOIN] = "joins a thread",
                                        [EVENT_KIND_READ] = NULL,
                                        [EVENT_KIND_WRITE] = "store",
                                        [EVENT_KIND_FENCE] = "fence",
                                        [EVENT_KIND_CHOICE] = "chooses"};
    static const char *const calls[] = {[CALL_NONE] = NULL,
                                        [CALL_LOCK] = "lock",
                                        [CALL_LOOK_AT_LOCK] = "look at lock",
                                        [CALL_TRY_LOCK] = "try_lock",
                                        [CALL_UNLOCK] = "unlock",
                                        [CALL_READ_LOCK] = "read_lock",
                                        [CALL_TRY_READ_LOCK] = "try_read_lock",
                                        [CALL_READ_UNLOCK] = "read_unlock",
                                        [CALL_WAIT] = "wait",
                                        [CALL_SLEEP] = "sleep",
                                        [CALL_SIGNAL] = "signal",
                                        [CALL_BROADCAST] = "broadcast",
                                        [CALL_SEMAPHORE_WAIT] = "sem_wait",
                                        [CALL_SEMAPHORE_TRY_WAIT] = "sem_trywait",
                                        [CALL_SEMAPHORE_POST] = "sem_post",
                                        [CALL_BARRIER_ARRIVE] = "arrive",
                                        [CALL_BARRIER_WAIT] = "barrier_wait"};
    if (event->call != CALL_NONE)
        return calls[event->call];
    return event->kind == EVENT_KIND_READ ? reads[event->operation] : kinds[event->kind];
}

static void append_access(const struct execution_event *event, struct text *text)
{
    bool ordered =
        (event_is_access(event) && event->call == CALL_NONE) || event->kind == EVENT_KIND_FENCE;
    text_format(text, "%s%s", name_of(event), ordered ? order_of(event) : "");
}

/* ", line 12", or ", locks.c:12" where there are several files. */
static void append_line(const struct tracing *tracing, const struct place *place, struct text *text)
{
    if (place->file && tracing->several_files)
        text_format(text, ", %s:%u", tested_base_name(place->file), place->line);
    else if (place->file)
        text_format(text, ", line %u", place->line);
}

static void append_location(const struct tracing *tracing, const void *address, unsigned size,
                            struct text *text)
{
    if (!memory_names_append(&tracing->names, address, size, text))
        text_format(text, "%p", address);
}

static event_number update_of(const struct execution_graph *graph, event_number read)
{
    for (event_number i = 0; i < graph->event_count; i++)
        if (graph->events[i].is_update && graph->events[i].before == read)
            return i;
    return EXECUTION_NONE;
}

/* The writes to the location of a read that are newer than its source, and come before it as it is
 * told; *next: the oldest of them. */
static unsigned count_newer(const struct execution_graph *graph, event_number number,
                            event_number *next)
{
    const struct execution_event *read = &graph->events[number];
    unsigned newer = 0, rank = execution_source_rank(graph, read);
    *next = EXECUTION_NONE;
    for (unsigned at = 0; graph->replay[at] != number; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        if (event->kind != EVENT_KIND_WRITE || event->location != read->location ||
            event->rank <= rank)
            continue;
        newer++;
        if (*next < 0 || event->rank < graph->events[*next].rank)
            *next = graph->replay[at];
    }
    return newer;
}

static void append_source(const struct tracing *tracing, event_number number, struct text *text)
{
    const struct execution_event *read = &tracing->graph->events[number];
    event_number next;
    unsigned newer = count_newer(tracing->graph, number, &next);
    if (read->source >= 0) {
        text_format(text, "thread %u", tracing->graph->events[read->source].thread + 1U);
        append_line(tracing, place_of(tracing, read->source), text);
    } else {
        text_append(text, "initial");
    }
    if (newer)
        text_format(text, "; stale: %u newer", newer);
}

/* ---- steps ---- */

static bool keep(struct tracing *tracing, struct text *text, const char **kept)
{
    *kept = testing_keep(tracing->testing, text);
    return *kept != NULL;
}

static enum status set_place(struct tracing *tracing, const struct place *place, lp_access *step)
{
    step->line = place->line;
    if (place->file)
        step->file = arena_copy_text(&tracing->testing->arena, place->file, strlen(place->file));
    return place->file && !step->file ? STATUS_LIMIT : STATUS_OK;
}

static void append_value(const struct tracing *tracing, event_number number, struct text *text)
{
    const struct execution_graph *graph = tracing->graph;
    const struct execution_event *event = &graph->events[number];
    event_number update = update_of(graph, number);
    memory_names_append_value(&tracing->names, event->value, event->size, text);
    if (update >= 0) {
        text_append(text, " -> ");
        memory_names_append_value(&tracing->names, graph->events[update].value, event->size, text);
    }
    if (event->fails)
        text_append(text, ", but fails");
}

/* Of the end of a wait for a signal, where such waits end at any time (exploration_wake_freely):
 * the lock is given back and taken in one call, with nothing of the thread in between but the
 * choice whether its time is up. The unlock for a lock, or the lock for an unlock; EXECUTION_NONE.
 */
static event_number find_other_half(const struct execution_graph *graph, event_number number)
{
    const struct execution_event *event = &graph->events[number];
    bool unlocks = event->call == CALL_UNLOCK;
    event_number found = EXECUTION_NONE;
    unsigned nearest = EXECUTION_EVENTS;
    for (event_number i = 0; graph->wakes_freely && i < graph->event_count; i++) {
        const struct execution_event *other = &graph->events[i];
        unsigned distance = (unsigned)abs(other->index - event->index);
        if (other->thread == event->thread && (other->index > event->index) == unlocks &&
            other->index != event->index && !other->is_update && other->kind != EVENT_KIND_CHOICE &&
            distance < nearest) {
            found = i;
            nearest = distance;
        }
    }
    if (found < 0)
        return found;
    const struct execution_event *other = &graph->events[found];
    return other->call == (unlocks ? CALL_LOCK : CALL_UNLOCK) && other->at == event->at &&
                   other->location == event->location
               ? found
               : EXECUTION_NONE;
}

/* What came of a call: of those by which a number grows or falls, that; of others, that they did
 * not get what they asked for. The values by which a lock is told apart are nobody's business. */
static void append_outcome(const struct tracing *tracing, event_number number, struct text *text)
{
    const struct execution_event *event = &tracing->graph->events[number];
    switch ((enum event_call)event->call) {
    case CALL_LOOK_AT_LOCK:
        text_append(text, execution_fails(event) ? "held, waits" : "free");
        return;
    case CALL_LOCK:
    case CALL_TRY_LOCK:
    case CALL_READ_LOCK:
    case CALL_TRY_READ_LOCK:
        if (event->call == CALL_LOCK && find_other_half(tracing->graph, number) >= 0)
            text_append(text, "wakes, perhaps for no reason");
        if (execution_fails(event))
            text_format(text, "%s%s", text->length ? "; " : "",
                        event->is_lock ? "held, waits" : "held, fails");
        return;
    case CALL_SLEEP:
        text_append(text, execution_fails(event) ? "not signalled" : "signalled");
        return;
    case CALL_UNLOCK:
        if (find_other_half(tracing->graph, number) >= 0)
            text_append(text, "waits for a signal");
        return;
    case CALL_READ_UNLOCK:
    case CALL_WAIT:
    case CALL_SIGNAL:
    case CALL_BROADCAST:
        return;
    default:
        append_value(tracing, number, text);
    }
}

static enum status tell_event(struct tracing *tracing, event_number number)
{
    const struct execution_graph *graph = tracing->graph;
    const struct execution_event *event = &graph->events[number];
    struct text text = TEXT_EMPTY;
    lp_access *step = &tracing->steps[tracing->count++];
    *step = (lp_access){.thread = event->thread + 1U,
                        .call = tested_find_call(tracing->result, event->thread, event->index)};
    TRY(set_place(tracing, place_of(tracing, number), step));
    append_access(event, &text);
    TRY_MEMORY(keep(tracing, &text, &step->access));
    if (!event_is_access(event))
        return STATUS_OK;
    append_location(tracing, graph->locations[event->location].address, event->size, &text);
    TRY_MEMORY(keep(tracing, &text, &step->location));
    append_outcome(tracing, number, &text);
    if (text.length)
        TRY_MEMORY(keep(tracing, &text, &step->value));
    if (event->kind != EVENT_KIND_READ)
        return STATUS_OK;
    if (event->call == CALL_SLEEP && execution_fails(event))
        return STATUS_OK; /* that it waits is from itself */
    append_source(tracing, number, &text);
    TRY_MEMORY(keep(tracing, &text, &step->source));
    return STATUS_OK;
}

/* Whether an access of the finding is no event of the graph. */
static bool is_beside(const struct finding_access *access)
{
    return access->thread < EXECUTION_THREADS &&
           (access->kind == ACCESS_READ || access->kind == ACCESS_WRITE ||
            access->kind == ACCESS_FREE);
}

static const char *name_beside(const struct finding *finding, const struct finding_access *access)
{
    static const char *const names[] = {
        [ACCESS_READ] = "plain read", [ACCESS_WRITE] = "plain write", [ACCESS_FREE] = "free"};
    if (is_beside(access))
        return names[access->kind];
    switch (finding->kind) {
    case FINDING_ASSERTION:
        return "assertion fails";
    case FINDING_ABORT:
        return "ends the program";
    case FINDING_CRASH:
        return "crashes";
    case FINDING_BAD_UNLOCK:
        return "unlocks";
    case FINDING_MISUSE:
        return "misuses";
    case FINDING_EXCEPTION:
        return "throws";
    default:
        return NULL;
    }
}

/* What an access of the finding is about: what is freed is a whole block. */
static const void *address_of(const struct tracing *tracing, const struct finding_access *access)
{
    const struct exchange_result *result = tracing->result;
    const char *address = result->finding.address;
    for (uint32_t i = 0; access->kind == ACCESS_FREE && i < result->block_count; i++) {
        const char *block = result->blocks[i].address;
        if (address >= block && address <= block + result->blocks[i].size)
            return block;
    }
    return address;
}

/* An access of the finding, or what else its thread did at the end. */
static enum status tell_beside(struct tracing *tracing, bool other)
{
    const struct finding *finding = &tracing->result->finding;
    const struct finding_access *access = other ? &finding->other : &finding->here;
    const char *name = name_beside(finding, access);
    struct text text = TEXT_EMPTY;
    if (!name || access->thread >= EXECUTION_THREADS)
        return STATUS_OK;
    lp_access *step = &tracing->steps[tracing->count++];
    *step = (lp_access){
        .thread = access->thread + 1U,
        .access = name,
        .call = other ? tested_find_call_before(tracing->result, access->thread, access->time)
                      : tested_find_call(tracing->result, access->thread, EXECUTION_EVENTS)};
    TRY(set_place(tracing, place_of_finding(tracing, other), step));
    if (finding->kind == FINDING_ASSERTION)
        step->line = finding->line;
    if (!is_beside(access) || !finding->address)
        return STATUS_OK;
    append_location(tracing, address_of(tracing, access), access->kind != ACCESS_FREE, &text);
    TRY_MEMORY(keep(tracing, &text, &step->location));
    return STATUS_OK;
}

/* The other access of the finding comes behind so many events of its thread. */
static bool is_due(const struct tracing *tracing, unsigned at)
{
    const struct finding_access *other = &tracing->result->finding.other;
    const struct execution_graph *graph = tracing->graph;
    unsigned made = 0;
    if (!is_beside(other))
        return false;
    for (unsigned i = 0; i < at; i++)
        made += graph->events[graph->replay[i]].thread == other->thread;
    bool next_is_own =
        at < graph->replay_count && graph->events[graph->replay[at]].thread == other->thread;
    /* In front of its first event: that is when the thread begins. */
    return made + 1U == other->time && (made > 0 || next_is_own || at == graph->replay_count);
}

static enum status tell_steps(struct tracing *tracing)
{
    const struct execution_graph *graph = tracing->graph;
    bool told = false;
    for (unsigned at = 0; at <= graph->replay_count; at++) {
        if (!told && is_due(tracing, at)) {
            told = true;
            TRY(tell_beside(tracing, true));
        }
        if (tracing->result->goes_round && at == tracing->result->round)
            tracing->loop_start = tracing->count;
        if (at < graph->replay_count && !graph->events[graph->replay[at]].is_update)
            TRY(tell_event(tracing, graph->replay[at]));
    }
    return tell_beside(tracing, false);
}

/* ---- what would have to be ordered ---- */

static enum status add_unordered(struct tracing *tracing, struct text *text)
{
    lp_tested *visible = &tracing->testing->visible;
    visible->unordered = tracing->unordered;
    const char **line = &tracing->unordered[visible->unordered_count++];
    TRY_MEMORY(keep(tracing, text, line));
    return STATUS_OK;
}

static void append_who(const struct tracing *tracing, event_number number, struct text *text)
{
    const struct place *place = place_of(tracing, number);
    const struct execution_event *event = &tracing->graph->events[number];
    text_format(text, "the %s of thread %u",
                name_of(event->is_update ? &tracing->graph->events[event->before] : event),
                event->thread + 1U);
    tested_append_place(place, text);
}

static enum status tell_race(struct tracing *tracing)
{
    const struct finding *finding = &tracing->result->finding;
    const struct finding_access *accesses[] = {&finding->other, &finding->here};
    struct text text = TEXT_EMPTY;
    for (unsigned i = 0; i < ARRAY_LENGTH(accesses); i++) {
        text_append(&text, i ? " and what " : "what ");
        tested_append_thread(accesses[i]->thread, &text);
        text_format(&text, " %s", tested_access_verb(accesses[i]->kind));
        tested_append_place(place_of_finding(tracing, i == 0), &text);
    }
    text_append(&text, ": one has to happen before the other");
    return add_unordered(tracing, &text);
}

/* A read of an old value: would what it misses happen before it, it could not. */
static enum status tell_stale(struct tracing *tracing, event_number read, event_number missed)
{
    struct text text = TEXT_EMPTY;
    append_who(tracing, missed, &text);
    text_append(&text, " and ");
    append_who(tracing, read, &text);
    text_append(&text, ": if the first happened before the second, ");
    memory_names_append_value(&tracing->names, tracing->graph->events[read].value,
                              tracing->graph->events[read].size, &text);
    text_append(&text, " could not be read");
    return add_unordered(tracing, &text);
}

/* The last read of a location by which a thread may have found what it stores there, in the same
 * call. */
static event_number read_before(const struct tracing *tracing, event_number write)
{
    const struct execution_graph *graph = tracing->graph;
    const struct execution_event *stored = &graph->events[write];
    unsigned call = tested_find_call(tracing->result, stored->thread, stored->index);
    for (event_number i = stored->before; call && i >= 0; i = graph->events[i].before) {
        const struct execution_event *event = &graph->events[i];
        if (tested_find_call(tracing->result, event->thread, event->index) != call)
            return EXECUTION_NONE;
        if (event_is_access(event) && event->location == stored->location)
            return event->kind == EVENT_KIND_READ ? i : EXECUTION_NONE;
    }
    return EXECUTION_NONE;
}

/* Where a thread stores behind what it read, and another one has stored in between. */
static enum status tell_torn(struct tracing *tracing, event_number write)
{
    const struct execution_graph *graph = tracing->graph;
    const struct execution_event *stored = &graph->events[write];
    event_number read = read_before(tracing, write);
    if (stored->kind != EVENT_KIND_WRITE || stored->is_update || read < 0)
        return STATUS_OK;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *between = &graph->events[i];
        struct text text = TEXT_EMPTY;
        if (between->kind != EVENT_KIND_WRITE || between->location != stored->location ||
            between->thread == stored->thread || between->rank >= stored->rank ||
            between->rank <= execution_source_rank(graph, &graph->events[read]))
            continue;
        append_who(tracing, i, &text);
        text_append(&text, " comes between ");
        append_who(tracing, read, &text);
        text_append(&text, " and ");
        append_who(tracing, write, &text);
        return add_unordered(tracing, &text);
    }
    return STATUS_OK;
}

static enum status tell_unordered(struct tracing *tracing)
{
    const struct execution_graph *graph = tracing->graph;
    const lp_tested *visible = &tracing->testing->visible;
    if (tracing->result->finding.kind == FINDING_RACE)
        return tell_race(tracing);
    for (unsigned at = 0; at < graph->replay_count; at++) {
        event_number missed, number = graph->replay[at];
        if (visible->unordered_count < MOST_UNORDERED &&
            graph->events[number].kind == EVENT_KIND_READ &&
            count_newer(graph, number, &missed) > 0)
            TRY(tell_stale(tracing, number, missed));
    }
    for (unsigned at = 0; at < graph->replay_count; at++)
        if (visible->unordered_count < MOST_UNORDERED)
            TRY(tell_torn(tracing, graph->replay[at]));
    return STATUS_OK;
}

/* ---- all ---- */

static enum status find_places(struct tracing *tracing, struct error *error)
{
    const struct exchange_result *result = tracing->result;
    const struct execution_graph *graph = tracing->graph;
    struct budget *budget = &tracing->testing->program->context->budget;
    const void **addresses = memory_allocate(budget, tracing->place_count * sizeof *addresses);
    size_t count = 0;
    TRY_MEMORY(addresses);
    for (event_number i = 0; i < graph->event_count; i++)
        addresses[count++] = graph->events[i].at;
    addresses[count++] = result->finding.here.at;
    addresses[count++] = result->finding.other.at;
    enum status status =
        tested_find_places(tracing->testing, addresses, count, tracing->places, error);
    memory_release(budget, addresses, tracing->place_count * sizeof *addresses);
    const char *first = NULL;
    for (size_t i = 0; status == STATUS_OK && i < graph->event_count + 2U; i++) {
        const char *file = tracing->places[i].file;
        tracing->several_files |= first && file && strcmp(first, file) != 0;
        first = first ? first : file;
    }
    return status;
}

static enum status tell(struct tracing *tracing, struct error *error)
{
    struct testing *testing = tracing->testing;
    TRY(memory_names_open(testing, tracing->result, &tracing->names, error));
    tracing->steps =
        arena_allocate(&testing->arena, (tracing->graph->event_count + 2U) * sizeof(lp_access));
    tracing->unordered = arena_zeroed(&testing->arena, MOST_UNORDERED * sizeof(const char *));
    TRY_MEMORY(tracing->steps && tracing->unordered);
    TRY(tell_steps(tracing));
    testing->visible.trace = tracing->steps;
    testing->visible.trace_length = tracing->count;
    testing->visible.loop_start =
        tracing->result->goes_round ? tracing->loop_start : tracing->count;
    return tell_unordered(tracing);
}

enum status tested_tell_trace(struct testing *testing, const struct exchange_result *result,
                              struct error *error)
{
    struct budget *budget = &testing->program->context->budget;
    struct tracing tracing = {
        .testing = testing, .result = result, .place_count = result->graph.event_count + 2U};
    tracing.places = memory_zeroed(budget, tracing.place_count * sizeof *tracing.places);
    tracing.graph = memory_allocate(budget, sizeof *tracing.graph);
    enum status status = tracing.places && tracing.graph ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK) {
        execution_copy(tracing.graph, &result->graph);
        /* What the culprit does at the end need not come right behind its last event here. */
        bool tidied = result->hangs || tidy_order(tracing.graph, TIDY_ANY_THREAD, budget);
        (void)tidied;
        status = find_places(&tracing, error);
    }
    if (status == STATUS_OK)
        status = tell(&tracing, error);
    if (tracing.places)
        places_release(tracing.places, tracing.place_count);
    memory_release(budget, tracing.graph, sizeof *tracing.graph);
    memory_release(budget, tracing.places, tracing.place_count * sizeof *tracing.places);
    memory_names_release(&tracing.names);
    return status;
}
