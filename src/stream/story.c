/* A story begins at the older snapshot of its object. The configurations in which the object was
 * then are settled with what is known at the story's end, where operations that still run are
 * pending for ever. They are the beginning of a specification that goes on (continued.h), and the
 * operations that ran then or were invoked later are a history of it. Or, where all go on from a
 * few whose states are values (roots), it is a history of the object's own specification with one
 * of these for its initial value: linearizable if it is so from some root. That history, cut behind
 * each event, is decided as every other is, and so the first event is found without which it is
 * linearizable: the answer of check on the same prefix. */
#include "stream/story.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decide/check.h"
#include "history/builder.h"
#include "spec/map.h"
#include "stream/counting_cut.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "stream/serials.h"
#include "value/forget.h"

struct teller {
    const struct stream *stream;
    const struct followed *followed;
    uint32_t number; /* its */
    const struct snapshot *from;
    uint64_t ordinal; /* of the last event */
    struct stream_object object;
    struct configurations configurations; /* at the cut, where no monitor decided */
    enum possible possible;               /* whether there is one, as known now */
    size_t root;                          /* which one is wanted */
    const uint64_t *first;                /* that configuration; null: it begins with all of them */
    value initial;                        /* then: its state */
    struct counting_past past;            /* where the snapshot is a cut */
    struct numbers retained;              /* by the monitor, at the snapshot */
    VECTOR(struct continued_call) calls;  /* of operations at the cut, by number */
    VECTOR(uint64_t) earlier; /* ordinals in front of the cut of events that are told, ascending */
    struct story *story;
};

/* The snapshot at which the story begins. */
static const struct snapshot *beginning_of(const struct followed *followed)
{
    return followed->then[followed->then[0] ? 0 : 1];
}

static enum status refused(const struct teller *teller, struct error *error)
{
    return error_set(error, STATUS_LIMIT, teller->stream->history->name, 0,
                     "the memory limit is reached");
}

/* Whether the object goes on from a count. */
static bool goes_on_counting(const struct teller *teller)
{
    return teller->from->monitored && teller->from->beside.length && !teller->from->fresh;
}

/* Whether the story is a history of the object's own specification. */
static bool goes_on_whole(const struct teller *teller)
{
    return teller->from->fresh || teller->from->monitored;
}

static bool is_over(const struct teller *teller, const struct tracked *tracked)
{
    return tracked->ended != ORDINAL_NEVER && tracked->ended <= teller->ordinal;
}

/* As kept_unfold, with values that live as long as the context, as the story may. */
static bool unfold(const struct teller *teller, const struct kept *kept)
{
    struct value_pool *before = value_pool_short_lived(NULL);
    const bool done = kept_unfold(teller->stream, kept);
    value_pool_short_lived(before);
    return done;
}

/* What the end of the story knows of the operations at its beginning. False when refused. */
static bool settle_operations(struct teller *teller)
{
    const struct stream *stream = teller->stream;
    for (size_t i = 0; i < teller->object.operations.length; i++) {
        struct stream_operation *operation = &teller->object.operations.items[i];
        struct shelved room;
        struct kept kept;
        if (operation->stage != STAGE_RUNNING ||
            !kept_find(stream, operation->serial, &room, &kept))
            continue;
        if (!unfold(teller, &kept))
            return false;
        enum outcome_kind outcome = kept.operation->outcome;
        bool over = is_over(teller, kept.tracked);
        operation->stage = STAGE_PENDING;
        operation->call = over ? kept.tracked->call : tracked_invoked(kept.tracked);
        if (over && outcome != OUTCOME_UNKNOWN)
            operation->stage = outcome == OUTCOME_OK ? STAGE_COMPLETES : STAGE_FAILED;
    }
    return true;
}

enum {
    MOST_CONFIGURATIONS = 64, /* among which roots are looked for */
    MOST_BETWEEN = 4,         /* operations that lead from one to another */
};

/* The operations that have taken effect in a configuration and not in another one, in which none
 * has but those; false: there is such a one, or there are too many. */
static bool find_between(const uint64_t *from, const uint64_t *to, uint64_t *between, size_t *count)
{
    uint64_t i = 0;
    *count = 0;
    if (to[ITEM_TAKEN] < from[ITEM_TAKEN] || to[ITEM_TAKEN] - from[ITEM_TAKEN] > MOST_BETWEEN)
        return false;
    for (uint64_t k = 0; k < to[ITEM_TAKEN]; k++)
        if (i < from[ITEM_TAKEN] && from[ITEM_WORDS + i] == to[ITEM_WORDS + k])
            i++;
        else if (*count == MOST_BETWEEN)
            return false;
        else
            between[(*count)++] = to[ITEM_WORDS + k];
    return i == from[ITEM_TAKEN];
}

struct way {
    const struct teller *teller;
    const uint64_t *wanted;
    size_t length;
    uint64_t between[MOST_BETWEEN];
    size_t count;
    bool found;
};

/* Whether the operations that are left, a bit each, lead from a state to the wanted one in some
 * order. False when refused. */
static bool look_for_way(struct way *way, const uint64_t *words, unsigned left)
{
    const struct spec *spec = way->teller->followed->spec;
    struct outcomes outcomes;
    bool done = true;
    if (left == 0) {
        way->found = memcmp(words, way->wanted, way->length * sizeof *words) == 0;
        return true;
    }
    outcomes_init(&outcomes, way->teller->stream->limits->budget);
    for (unsigned i = 0; i < MOST_BETWEEN && done && !way->found; i++) {
        if (!(left >> i & 1))
            continue;
        outcomes_clear(&outcomes);
        done = spec->class->step(spec, words, way->length,
                                 &way->teller->object.operations.items[way->between[i]].call,
                                 &outcomes);
        for (size_t k = 0; k < outcomes.items.length && done && !way->found; k++)
            if (outcomes.items.items[k].length == way->length)
                done = look_for_way(way, outcomes.words.items + outcomes.items.items[k].start,
                                    left & ~(1u << i));
    }
    outcomes_release(&outcomes);
    return done;
}

/* Whether operations that are kept lead from a configuration to another. False when refused. */
static bool look_whether_leads(const struct teller *teller, const uint64_t *from,
                               const uint64_t *to, bool *leads)
{
    size_t length;
    struct way way = {.teller = teller};
    const uint64_t *words =
        configurations_state(&teller->configurations, from[ITEM_STATE], &length);
    way.wanted = configurations_state(&teller->configurations, to[ITEM_STATE], &way.length);
    *leads = false;
    if (from == to || length != way.length || !find_between(from, to, way.between, &way.count))
        return true;
    for (size_t i = 0; i < way.count; i++) {
        struct shelved room;
        struct kept kept;
        if (!kept_find(teller->stream, teller->object.operations.items[way.between[i]].serial,
                       &room, &kept))
            return true;
    }
    const bool done = look_for_way(&way, words, (1u << way.count) - 1);
    *leads = way.found;
    return done;
}

/* Finds the roots: configurations at the cut from which operations that may take effect right
 * behind it lead to all others, so that what can go on from any can go on from a root. None are
 * found where there are too many, or a state is more than a value. False when refused. */
static bool find_roots(struct teller *teller)
{
    const struct configurations *configurations = &teller->configurations;
    const struct spec *spec = teller->followed->spec;
    const size_t count = configurations->now.length;
    size_t found = 0;
    if (count > MOST_CONFIGURATIONS || !online_states_are_values(spec))
        return true;
    for (size_t j = 0; j < count; j++) {
        const uint64_t *to = configurations_item(configurations, j);
        size_t length;
        value v;
        bool leads = false;
        const uint64_t *state = configurations_state(configurations, to[ITEM_STATE], &length);
        if (!online_value(spec, state, length, &v)) {
            teller->first = NULL;
            return true;
        }
        for (size_t i = 0; i < count && !leads; i++)
            if (!look_whether_leads(teller, configurations_item(configurations, i), to, &leads))
                return false;
        if (leads)
            continue;
        if (found++ == (teller->root == STORY_ALL_ROOTS ? 0 : teller->root)) {
            teller->first = to;
            teller->initial = v;
        }
    }
    teller->story->roots = found;
    return true;
}

/* Finds in which configurations the object was at the cut. Where they have roots, the object goes
 * on from the value of one as it went on from its initial one. False when refused. */
static bool begin_configurations(struct teller *teller)
{
    teller->possible = teller->past.impossible ? IMPOSSIBLE : POSSIBLE;
    if (goes_on_whole(teller) && !teller->past.impossible)
        return true;
    if (!settle_operations(teller))
        return false;
    if (teller->past.impossible)
        return true;
    teller->possible = configurations_begin(&teller->configurations, &teller->object);
    if (teller->possible == POSSIBLE && !find_roots(teller))
        return false;
    if (teller->story->roots > 1 && teller->root == STORY_ALL_ROOTS)
        teller->first = NULL;
    return true;
}

/* ---- the history ---- */

static bool copy_names(const struct teller *teller, struct history *history)
{
    const struct history *from = teller->stream->history;
    bool done = vector_reserve(&history->processes, from->processes.length) &&
                vector_reserve(&history->functions, from->functions.length);
    if (!done)
        return false;
    memcpy(history->processes.items, from->processes.items, from->processes.length * sizeof(value));
    memcpy(history->functions.items, from->functions.items, from->functions.length * sizeof(value));
    history->processes.length = from->processes.length;
    history->functions.length = from->functions.length;
    if (teller->followed->object == NO_OBJECT)
        return true;
    return vector_push(&history->objects, from->objects.items[teller->followed->object]);
}

/* The number of the operation of that serial among those at the cut; -1. */
static int64_t number_at_cut(const struct teller *teller, uint64_t serial)
{
    for (size_t i = 0; i < teller->from->object.operations.length; i++)
        if (teller->from->object.operations.items[i].serial == serial)
            return (int64_t)i;
    return -1;
}

/* Whether the monitor had kept the operation, and it is not over with. */
static bool is_retained(const struct teller *teller, uint64_t serial)
{
    bool counts = goes_on_counting(teller);
    const struct numbers *told = counts ? &teller->past.told : &teller->retained;
    const uint64_t *serials = told->items;
    size_t length = told->length;
    size_t low = 0, high = length;
    BISECT(low, high, middle, serials[middle] < serial);
    return low < length && serials[low] == serial;
}

/* Whether the operation of that number at the cut has taken effect before. */
static bool has_taken_effect(const struct teller *teller, int64_t at)
{
    for (uint64_t i = 0; teller->first && i < teller->first[ITEM_TAKEN]; i++)
        if ((int64_t)teller->first[ITEM_WORDS + i] == at)
            return true;
    return false;
}

/* Whether an operation has a part in the story; *at: its number at the cut, or -1. */
static bool is_told(const struct teller *teller, const struct tracked *tracked, int64_t *at)
{
    if (tracked->object != teller->number || tracked->began > teller->ordinal)
        return false;
    *at = -1;
    if (tracked->began >= teller->from->ordinal)
        return true;
    if (teller->from->monitored)
        return is_retained(teller, tracked->serial);
    *at = number_at_cut(teller, tracked->serial);
    return *at >= 0 && teller->from->object.operations.items[*at].stage != STAGE_OVER &&
           !has_taken_effect(teller, *at);
}

/* Of a get that answers [key value] leaves the value: how answers are recorded can be said of maps
 * only, and a specification that goes on is none. */
static void take_key_off(const struct teller *teller, const struct tracked *tracked,
                         struct operation *operation)
{
    size_t length;
    const value *items = value_get_items(operation->argument, &length);
    if (teller->followed->spec->class != &map_class || tracked->call.operation != MAP_GET)
        return;
    if (value_kind_of(operation->argument) == KIND_LIST && length == 2 && items[1] == VALUE_NIL)
        operation->argument = items[0];
    items = value_get_items(operation->result, &length);
    if (value_kind_of(operation->result) == KIND_LIST && length == 2)
        operation->result = items[1];
}

/* The place of an event in the story, with gaps. */
static uint32_t place_of(const struct teller *teller, uint64_t ordinal, uint64_t base)
{
    if (ordinal >= teller->from->ordinal)
        return (uint32_t)(ordinal - base);
    size_t low = 0, high = teller->earlier.length;
    BISECT(low, high, middle, teller->earlier.items[middle] < ordinal);
    return (uint32_t)low;
}

static int compare_ordinals(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

/* Lists the events in front of the cut. False when refused. */
static bool find_earlier(struct teller *teller)
{
    uint64_t cut = teller->from->ordinal;
    int64_t at;
    struct kept_walk walk = kept_walk(teller->stream);
    while (kept_next(&walk)) {
        const struct tracked *tracked = walk.now.tracked;
        if (tracked->began >= cut || !is_told(teller, tracked, &at))
            continue;
        if (!vector_push(&teller->earlier, tracked->began) ||
            (tracked->ended < cut && !vector_push(&teller->earlier, tracked->ended)))
            return false;
    }
    if (teller->earlier.length)
        qsort(teller->earlier.items, teller->earlier.length, sizeof *teller->earlier.items,
              compare_ordinals);
    return true;
}

/* Appends an operation, with ordinals for positions. An operation at the cut gets a process of its
 * own, for the caller may go on to others; so does one whose caller has lost its number. */
static bool tell_operation(struct teller *teller, const struct kept *kept, int64_t at,
                           uint64_t base)
{
    struct history *history = teller->story->history;
    const struct tracked *tracked = kept->tracked;
    struct operation operation = *kept->operation;
    uint32_t caller = operation.process;
    if (kept->shelved && !spec_tells_callers(teller->followed->spec))
        operation.process = labels_find(&teller->stream->builder->processes, kept->process);
    if (at >= 0 || operation.process == LABEL_NONE) {
        operation.process = (uint32_t)history->processes.length;
        if (!vector_push(&history->processes, kept->process))
            return false;
    }
    if (at >= 0)
        teller->calls.items[at] = (struct continued_call){operation.process, caller};
    operation.record = (uint32_t)history->operations.length;
    if (operation.object != NO_OBJECT)
        operation.object = 0;
    operation.invoke = at >= 0 ? (uint32_t)at : place_of(teller, tracked->began, base);
    operation.response = POSITION_NEVER;
    if (is_over(teller, tracked)) {
        if (tracked->ended >= teller->from->ordinal || teller->from->monitored)
            operation.response = place_of(teller, tracked->ended, base);
    } else {
        operation.outcome = OUTCOME_UNKNOWN;
        operation.result = VALUE_NIL;
        operation.result_recorded = false;
        operation.response_line = 0;
        operation.response_time = TIME_NONE;
    }
    if (!goes_on_whole(teller) && !teller->first &&
        teller->stream->options.bind.results == RESULTS_KEYED)
        take_key_off(teller, tracked, &operation);
    return vector_push(&history->operations, operation);
}

/* Leaves no gaps between positions. False when refused. */
static bool number_positions(struct history *history, uint32_t last)
{
    size_t size = ((size_t)last + 1) * sizeof(uint32_t);
    uint32_t *places = memory_zeroed(history->budget, size);
    if (!places)
        return false;
    for (size_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        places[operation->invoke] = 1;
        if (operation->response != POSITION_NEVER)
            places[operation->response] = 1;
    }
    for (uint32_t i = 0; i <= last; i++)
        places[i] = places[i] ? history->positions++ : 0;
    for (size_t i = 0; i < history->operations.length; i++) {
        struct operation *operation = &history->operations.items[i];
        operation->invoke = places[operation->invoke];
        if (operation->response != POSITION_NEVER)
            operation->response = places[operation->response];
    }
    memory_release(history->budget, places, size);
    return true;
}

static enum status make_history(struct teller *teller, struct error *error)
{
    const struct stream *stream = teller->stream;
    if (teller->from->monitored && !find_earlier(teller))
        return refused(teller, error);
    size_t at_cut = teller->object.operations.length + teller->earlier.length;
    assert(at_cut <= teller->from->ordinal); /* each has been invoked before */
    uint64_t base = teller->from->ordinal - at_cut;
    uint64_t last = teller->ordinal - base;
    struct history *history =
        history_create(stream->history->name, stream->history->pool, stream->limits->budget);
    teller->story->history = history;
    if (!history || last >= POSITION_NEVER || !copy_names(teller, history) ||
        !vector_reserve(&teller->calls, at_cut))
        return refused(teller, error);
    history->format = stream->history->format;
    history->order = stream->history->order;
    teller->calls.length = at_cut;
    if (at_cut)
        memset(teller->calls.items, 0xff, at_cut * sizeof *teller->calls.items);
    struct kept_walk walk = kept_walk(stream);
    while (kept_next(&walk)) {
        int64_t at;
        if (is_told(teller, walk.now.tracked, &at) &&
            !(unfold(teller, &walk.now) && tell_operation(teller, &walk.now, at, base)))
            return refused(teller, error);
    }
    return number_positions(history, (uint32_t)last) ? STATUS_OK : refused(teller, error);
}

/* ---- the specification ---- */

/* One configuration at the cut. False when refused. */
static bool add_configuration(struct teller *teller, const uint64_t *item,
                              struct continued *continued)
{
    struct continued_call few[16], *taken = few;
    size_t count = 0, length;
    if (item[ITEM_TAKEN] > ARRAY_LENGTH(few) &&
        !(taken = malloc((size_t)item[ITEM_TAKEN] * sizeof *taken)))
        return false;
    for (uint64_t i = 0; i < item[ITEM_TAKEN]; i++) {
        struct continued_call call = teller->calls.items[item[ITEM_WORDS + i]];
        if (call.process != UINT32_MAX)
            taken[count++] = call;
    }
    const uint64_t *state =
        configurations_state(&teller->configurations, item[ITEM_STATE], &length);
    bool done = continued_add(continued, state, length, taken, count);
    if (taken != few)
        free(taken);
    return done;
}

static enum status make_spec(struct teller *teller, struct error *error)
{
    const struct followed *followed = teller->followed;
    struct limits *limits = teller->stream->limits;
    if (goes_on_counting(teller) && !teller->past.impossible) {
        teller->story->spec =
            counted_spec(&teller->past.counted, teller->past.count, limits->budget);
        return teller->story->spec ? STATUS_OK : refused(teller, error);
    }
    if (goes_on_whole(teller) && !teller->past.impossible) {
        const struct snapshot *from = teller->from;
        teller->story->own = true;
        if (from->fresh || !from->begun)
            return STATUS_OK;
        teller->story->spec =
            online_spec(followed->spec, followed->key, from->state, limits->budget);
        return teller->story->spec ? STATUS_OK : refused(teller, error);
    }
    if (teller->first) {
        teller->story->own = true;
        teller->story->spec =
            online_spec(followed->spec, followed->key, teller->initial, limits->budget);
        return teller->story->spec ? STATUS_OK : refused(teller, error);
    }
    struct continued *continued =
        continued_create(followed->spec, followed->has_key, limits->budget);
    teller->story->impossible = teller->possible == IMPOSSIBLE;
    if (teller->possible == POSSIBLE_REFUSED || !continued) {
        if (continued)
            spec_destroy(continued_spec(continued));
        return refused(teller, error);
    }
    bool done = true;
    for (size_t i = 0; i < teller->configurations.now.length && done; i++)
        done =
            add_configuration(teller, configurations_item(&teller->configurations, i), continued);
    teller->story->spec = continued_spec(continued);
    return done && teller->story->spec ? STATUS_OK : refused(teller, error);
}

enum status story_create(const struct stream *stream, uint32_t object, uint64_t ordinal,
                         size_t root, struct story *story, struct error *error)
{
    const struct followed *followed = objects_awake(stream, object);
    struct budget *budget = stream->limits->budget;
    *story = (struct story){0};
    story->whole = beginning_of(followed)->fresh;
    struct teller teller = {.stream = stream,
                            .followed = followed,
                            .number = object,
                            .from = beginning_of(followed),
                            .ordinal = ordinal,
                            .root = root,
                            .story = story};
    vectors_init(budget, &teller.object.operations, &teller.object.stored);
    vectors_init(budget, &teller.calls, &teller.earlier, &teller.retained);
    configurations_init(&teller.configurations, stream->limits);
    enum status status = STATUS_OK;
    if ((!teller.from->monitored && !stream_object_copy(&teller.object, &teller.from->object)) ||
        (teller.from->monitored && !serials_unpack(&teller.from->retained, &teller.retained)) ||
        (goes_on_counting(&teller) &&
         !counting_past_find(stream, followed, teller.from, ordinal, &teller.past)))
        status = refused(&teller, error);
    if (status == STATUS_OK && !begin_configurations(&teller))
        status = refused(&teller, error);
    if (status == STATUS_OK)
        status = make_history(&teller, error);
    if (status == STATUS_OK)
        status = make_spec(&teller, error);
    stream_object_release(&teller.object);
    configurations_release(&teller.configurations);
    if (goes_on_counting(&teller))
        counting_past_release(&teller.past);
    vectors_release(&teller.calls, &teller.earlier, &teller.retained);
    if (status != STATUS_OK)
        story_release(story);
    return status;
}

enum results_reading story_results(const struct stream *stream, const struct story *story,
                                   uint32_t object)
{
    const struct spec *spec = objects_spec(stream, object);
    if (!story->own || spec->class != &map_class)
        return RESULTS_INFERRED;
    return stream->options.bind.results == RESULTS_KEYED ? RESULTS_KEYED : RESULTS_PLAIN;
}

void story_release(struct story *story)
{
    spec_destroy(story->spec);
    history_destroy(story->history);
    *story = (struct story){0};
}

/* ---- the first event ---- */

/* What check says of a story. */
static enum status check_story(const struct stream *stream, uint32_t object,
                               const struct story *story, uint64_t *steps, enum verdict *verdict,
                               struct error *error)
{
    struct binding binding = {.spec =
                                  story->spec ? story->spec : objects_awake(stream, object)->spec};
    struct check_options options = {.bind = stream->options.bind,
                                    .method = METHOD_AUTO,
                                    .untold = true,
                                    .threads = 1,
                                    .most_work = *steps};
    struct check check;
    *verdict = VERDICT_VIOLATION;
    if (story->impossible)
        return STATUS_OK;
    *verdict = VERDICT_UNKNOWN;
    if (*steps == 0)
        return STATUS_OK;
    options.bind.bindings = &binding;
    options.bind.binding_count = 1;
    options.bind.results = story_results(stream, story, object);
    TRY(check_history(story->history, &options, stream->limits, &check, error));
    *verdict = check.verdict;
    *steps -= check.work < *steps ? check.work : *steps;
    check_release(&check);
    return STATUS_OK;
}

enum status story_decide(const struct stream *stream, uint32_t object, uint64_t ordinal,
                         uint64_t *steps, enum verdict *verdict, struct error *error)
{
    bool is_unknown = false;
    size_t root = 0, roots = 0;
    *verdict = VERDICT_UNKNOWN;
    if (*steps == 0)
        return STATUS_OK;
    do {
        struct story story;
        TRY(story_create(stream, object, ordinal, root, &story, error));
        enum status status = check_story(stream, object, &story, steps, verdict, error);
        roots = story.roots;
        story_release(&story);
        TRY(status);
        is_unknown |= *verdict == VERDICT_UNKNOWN;
        root++;
    } while (root < roots && *verdict != VERDICT_LINEARIZABLE);
    if (is_unknown && *verdict == VERDICT_VIOLATION)
        *verdict = VERDICT_UNKNOWN;
    return STATUS_OK;
}

enum status story_first(const struct stream *stream, uint32_t object, const uint64_t *ordinals,
                        size_t count, uint64_t steps, uint64_t *ordinal, bool *exactly,
                        struct error *error)
{
    enum status status = STATUS_OK;
    /* Invariant: a violation with the event at `high`, none with that before `low`. */
    size_t low = 0, high = count - 1;
    *exactly = count > 0;
    while (*exactly && status == STATUS_OK && low <= high) {
        size_t middle = low + (high - low) / 2;
        enum verdict verdict;
        status = story_decide(stream, object, ordinals[middle], &steps, &verdict, error);
        if (status != STATUS_OK || verdict == VERDICT_UNKNOWN)
            *exactly = false;
        else if (low == high) {
            *exactly = verdict == VERDICT_VIOLATION;
            break;
        } else if (verdict == VERDICT_VIOLATION)
            high = middle;
        else
            low = middle + 1;
    }
    if (!*exactly)
        return status == STATUS_LIMIT ? STATUS_OK : status;
    /* The snapshot has made use of what was not known at the event: of the history up to it there
     * may still be an order, in which an operation does what it did not do in the end. */
    const uint64_t known = beginning_of(objects_awake(stream, object))->known;
    *exactly = ordinals[high] >= known;
    while (ordinals[high] < known && high + 1 < count)
        high++;
    *ordinal = ordinals[high];
    return STATUS_OK;
}
