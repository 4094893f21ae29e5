/* Lowe's search (Concurrency and Computation 2017), told the events as they come: instead of one
 * order of the operations it keeps every configuration that some order leads to. A configuration is
 * the state of the object and the operations that have taken effect though they are not over. When
 * an operation completes it must have taken effect: in configurations in which it has not, others
 * take effect, in every order, until it does. The history so far is linearizable exactly while a
 * configuration is left.
 *
 * Events come in batches. Of what completes within a batch, or failed, the outcome is known from
 * the beginning. Of an operation that still runs when the batch ends it is not: a configuration in
 * which it has taken effect remembers from there on the state before (`base`) and the operations
 * since, and when the outcome is known they take effect once more, from that state. So it holds for
 * every specification, also those whose states depend on what was answered, and one that failed
 * has changed nothing: the configurations in which it took effect are dropped.
 *
 * - Operations that complete within the batch and change nothing take effect as soon as they are
 *   legal, as in search/search.c.
 * - A pending operation that would leave the state as it is, is left out; of pending ones that do
 *   the same the first goes first; and a configuration in which fewer of them have taken effect,
 *   all else equal, stands for those with more. One that has taken effect in all is forgotten.
 *
 * Invariant: `taken` of an item are operations in `open`; one of them that runs and may still
 * answer is in `since`, which begins with such a one. */
#include "stream/configurations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"
#include "spec/builtin.h"
#include "spec/map.h"
#include "stream/configuration_items.h"

#define NONE        UINT32_MAX
#define TICKS_LOOK  SIZE_OR_SMALL(4096, 16)
#define COMPARISONS 16 /* of items, that take as long as it takes to explore one */

/* ---- items ---- */

void configurations_init(struct configurations *configurations, struct limits *limits)
{
    *configurations = (struct configurations){.limits = limits};
    struct budget *budget = limits->budget;
    arrays_init(&configurations->states, budget);
    arrays_init(&configurations->items, budget);
    vectors_init(budget, &configurations->now, &configurations->next, &configurations->open,
                 &configurations->visited, &configurations->stamps, &configurations->words,
                 &configurations->paths, &configurations->further, &configurations->found,
                 &configurations->keyed);
    vector_init(&configurations->alike, budget);
    outcomes_init(&configurations->outcomes, budget);
    configurations->outcomes.limits = limits;
}

void configurations_release(struct configurations *configurations)
{
    arrays_release(&configurations->states);
    arrays_release(&configurations->items);
    vectors_release(&configurations->now, &configurations->next, &configurations->open,
                    &configurations->visited, &configurations->stamps, &configurations->words,
                    &configurations->paths, &configurations->further, &configurations->found,
                    &configurations->keyed);
    vector_release(&configurations->alike);
    outcomes_release(&configurations->outcomes);
}

const uint64_t *configurations_item(const struct configurations *configurations, size_t i)
{
    return item_words(configurations, configurations->now.items[i]);
}

const uint64_t *configurations_state(const struct configurations *configurations, uint64_t state,
                                     size_t *length)
{
    *length = configurations->states.entries.items[state].length;
    return arrays_get(&configurations->states, (uint32_t)state);
}

/* Whether something may be learned of an operation yet that makes a difference to configurations in
 * which it has taken effect and which are left: not of one that never answers. */
static bool is_unsettled(const struct configurations *configurations, uint64_t operation)
{
    const struct spec_class *class = configurations->object->spec->class;
    const struct stream_operation *running = configurations_operation(configurations, operation);
    bool never_answers = spec_class_is_builtin(class) && class != &map_class &&
                         class->operations[running->call.operation].result[0] == 0;
    return running->stage == STAGE_RUNNING && !never_answers;
}

static bool item_has(const uint64_t *item, uint64_t operation)
{
    const uint64_t *taken = item + ITEM_WORDS;
    for (uint64_t i = 0; i < item[ITEM_TAKEN] && taken[i] <= operation; i++)
        if (taken[i] == operation)
            return true;
    return false;
}

/* Where a call leads from a state: `found`. False when refused. */
static bool find_steps(struct configurations *configurations, uint32_t state,
                       const struct call *call)
{
    const struct spec *spec = configurations->object->spec;
    struct outcomes *outcomes = &configurations->outcomes;
    size_t length;
    const uint64_t *words = configurations_state(configurations, state, &length);
    configurations->found.length = 0;
    configurations->ticks++;
    outcomes_clear(outcomes);
    if (!spec->class->step(spec, words, length, call, outcomes))
        return false;
    for (size_t i = 0; i < outcomes->items.length; i++) {
        const struct outcome *outcome = &outcomes->items.items[i];
        uint32_t to = arrays_intern(&configurations->states, outcomes->words.items + outcome->start,
                                    outcome->length);
        bool known = false;
        for (size_t j = 0; j < configurations->found.length; j++)
            known |= configurations->found.items[j] == to;
        if (to == ARRAY_REFUSED || (!known && !vector_push(&configurations->found, to)))
            return false;
    }
    return true;
}

/* Whether an operation changes nothing, and is to take effect as soon as it is legal. */
static bool is_eager(const struct configurations *configurations, uint32_t operation)
{
    return configurations_stage(configurations, operation) == STAGE_COMPLETES &&
           configurations_operation(configurations, operation)->call.read_only;
}

/* How an item is made of another. */
struct change {
    uint32_t state, base;
    uint32_t taken, over;  /* an operation that has taken effect now, or is over; NONE */
    const uint64_t *since; /* the operations since `base` */
    uint64_t since_count;
};

/* Begins an item in `words`: its operations, those included that take effect as soon as they can.
 * The latter are `found` in the end. False when refused. */
static bool make_taken(struct configurations *configurations, const uint64_t *item,
                       const struct change *change, uint64_t *count)
{
    const uint64_t *taken = item + ITEM_WORDS, *end = taken + item[ITEM_TAKEN];
    size_t eager = 0;
    configurations->further.length = 0;
    for (size_t i = 0; i < configurations->open.length; i++) {
        uint32_t operation = configurations->open.items[i];
        bool has = taken < end && *taken == operation;
        taken += has;
        if (operation == change->over)
            continue;
        if (!has && operation != change->taken) {
            if (!is_eager(configurations, operation))
                continue;
            if (!find_steps(configurations, change->state,
                            &configurations_operation(configurations, operation)->call))
                return false;
            if (configurations->found.length == 0)
                continue;
            struct path path = {.state = operation};
            if (!vector_push(&configurations->further, path))
                return false;
            eager++;
        }
        if (!vector_push(&configurations->words, operation))
            return false;
        ++*count;
    }
    return true;
}

/* The number of the changed item; ARRAY_REFUSED. */
static uint32_t derive(struct configurations *configurations, const uint64_t *item,
                       const struct change *change)
{
    uint64_t header[ITEM_WORDS] = {[ITEM_STATE] = change->state,
                                   [ITEM_BASE] = change->base,
                                   [ITEM_SINCE] = change->since_count};
    configurations->words.length = 0;
    for (size_t i = 0; i < ITEM_WORDS; i++)
        if (!vector_push(&configurations->words, 0))
            return ARRAY_REFUSED;
    if (!make_taken(configurations, item, change, &header[ITEM_TAKEN]))
        return ARRAY_REFUSED;
    for (uint64_t i = 0; i < change->since_count; i++)
        if (!vector_push(&configurations->words, change->since[i]))
            return ARRAY_REFUSED;
    if (change->base != ARRAY_REFUSED) {
        if (change->taken != NONE) {
            if (!vector_push(&configurations->words, change->taken))
                return ARRAY_REFUSED;
            header[ITEM_SINCE]++;
        }
        for (size_t i = 0; i < configurations->further.length; i++)
            if (!vector_push(&configurations->words, configurations->further.items[i].state))
                return ARRAY_REFUSED;
        header[ITEM_SINCE] += configurations->further.length;
    }
    memcpy(configurations->words.items, header, sizeof header);
    return arrays_intern(&configurations->items, configurations->words.items,
                         configurations->words.length);
}

/* Whether the batch is to be left: what it is then. */
static bool is_stopped(struct configurations *configurations, enum possible *possible)
{
    const struct configurations *c = configurations;
    uint64_t work = c->explored - c->before + c->compared / COMPARISONS;
    bool crowded = c->most && work > c->most + c->most_each * c->rounds;
    *possible = crowded ? POSSIBLE_CROWDED : POSSIBLE_REFUSED;
    return crowded || limits_work(configurations->limits, &configurations->ticks, TICKS_LOOK);
}

/* ---- events ---- */

static bool has_pending(const struct configurations *configurations)
{
    for (size_t i = 0; i < configurations->open.length; i++)
        if (configurations_stage(configurations, configurations->open.items[i]) == STAGE_PENDING)
            return true;
    return false;
}

/* Begins a round, in which `next` is made. */
static void begin_round(struct configurations *configurations)
{
    configurations->round++;
    configurations->rounds++;
    configurations->next.length = configurations->alike.length = 0;
    configurations->pending = has_pending(configurations);
}

static enum possible end_round(struct configurations *configurations)
{
    struct configurations *c = configurations;
    enum possible possible;
    if (!vector_reserve(&c->now, c->next.length))
        return POSSIBLE_REFUSED;
    if (c->next.length)
        memcpy(c->now.items, c->next.items, c->next.length * sizeof *c->next.items);
    c->now.length = c->next.length;
    if (c->now.length == 0)
        return IMPOSSIBLE;
    if (!configurations_keep_least(c))
        return POSSIBLE_REFUSED;
    return is_stopped(c, &possible) ? possible : POSSIBLE;
}

enum possible configurations_invoke(struct configurations *configurations, uint32_t operation)
{
    struct stream_operation *invoked = configurations_operation(configurations, operation);
    invoked->invoked = true;
    if (invoked->stage == STAGE_FAILED)
        return POSSIBLE;
    if (!vector_push(&configurations->open, operation))
        return POSSIBLE_REFUSED;
    if (!is_eager(configurations, operation))
        return POSSIBLE;
    begin_round(configurations);
    for (size_t i = 0; i < configurations->now.length; i++) {
        const uint64_t *item = configurations_item(configurations, i);
        struct change change = {.state = (uint32_t)item[ITEM_STATE],
                                .base = (uint32_t)item[ITEM_BASE],
                                .taken = NONE,
                                .over = NONE,
                                .since = item_since(item),
                                .since_count = item[ITEM_SINCE]};
        uint32_t to = derive(configurations, item, &change);
        if (!configurations_add_met(configurations, &configurations->next, to))
            return POSSIBLE_REFUSED;
    }
    return end_round(configurations);
}

/* Of pending operations that do the same an earlier one has not taken effect. */
static bool has_twin(const struct configurations *configurations, const uint64_t *item,
                     uint32_t operation)
{
    const struct call *call = &configurations_operation(configurations, operation)->call;
    bool tells_callers = spec_tells_callers(configurations->object->spec);
    for (size_t i = 0; configurations->open.items[i] != operation; i++) {
        uint32_t other = configurations->open.items[i];
        const struct call *earlier = &configurations_operation(configurations, other)->call;
        if (configurations_stage(configurations, other) == STAGE_PENDING &&
            earlier->operation == call->operation && earlier->argument == call->argument &&
            earlier->result_known == call->result_known &&
            (!tells_callers || earlier->process == call->process) && !item_has(item, other))
            return true;
    }
    return false;
}

/* Lets an operation take effect in a configuration: what it leads to is added to `visited`. */
static bool take_effect(struct configurations *configurations, const uint64_t *item,
                        uint32_t operation)
{
    uint32_t state = (uint32_t)item[ITEM_STATE];
    enum stage stage = configurations_stage(configurations, operation);
    if (!find_steps(configurations, state,
                    &configurations_operation(configurations, operation)->call))
        return false;
    uint32_t few[8], *found = few;
    size_t count = configurations->found.length;
    if (count > ARRAY_LENGTH(few) && !(found = malloc(count * sizeof *found)))
        return false;
    if (count)
        memcpy(found, configurations->found.items, count * sizeof *found);
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        if (stage == STAGE_PENDING && found[i] == state)
            continue;
        bool begins = item[ITEM_BASE] == ARRAY_REFUSED && is_unsettled(configurations, operation);
        struct change change = {.state = found[i],
                                .base = begins ? state : (uint32_t)item[ITEM_BASE],
                                .taken = operation,
                                .over = NONE,
                                .since = item_since(item),
                                .since_count = item[ITEM_SINCE]};
        uint32_t to = derive(configurations, item, &change);
        done = configurations_add_met(configurations, &configurations->visited, to);
    }
    if (found != few)
        free(found);
    return done;
}

/* The operation is over in a configuration in which it has taken effect. */
static bool leave(struct configurations *configurations, const uint64_t *item, uint32_t operation)
{
    struct change change = {.state = (uint32_t)item[ITEM_STATE],
                            .base = (uint32_t)item[ITEM_BASE],
                            .taken = NONE,
                            .over = operation,
                            .since = item_since(item),
                            .since_count = item[ITEM_SINCE]};
    uint32_t to = derive(configurations, item, &change);
    return to != ARRAY_REFUSED && vector_push(&configurations->next, to);
}

/* Different configurations may become the same once an operation is over. */
static bool unite_next(struct configurations *configurations)
{
    struct configurations *c = configurations;
    size_t kept = 0;
    c->round++;
    c->alike.length = 0;
    for (size_t i = 0; i < c->next.length; i++) {
        bool done;
        if (configurations_meet(c, c->next.items[i], &done))
            c->next.items[kept++] = c->next.items[i];
        if (!done)
            return false;
    }
    c->next.length = kept;
    return true;
}

/* Lets each operation that may take effect do so. */
static bool expand(struct configurations *configurations, const uint64_t *item)
{
    for (size_t i = 0; i < configurations->open.length; i++) {
        uint32_t other = configurations->open.items[i];
        if (item_has(item, other) || is_eager(configurations, other))
            continue; /* what is eager would have taken effect if it could */
        if (configurations_stage(configurations, other) == STAGE_PENDING &&
            has_twin(configurations, item, other))
            continue;
        if (!take_effect(configurations, item, other))
            return false;
    }
    return true;
}

enum possible configurations_respond(struct configurations *configurations, uint32_t operation)
{
    struct configurations *c = configurations;
    begin_round(c);
    c->visited.length = 0;
    for (size_t i = 0; i < c->now.length; i++)
        if (!configurations_add_met(c, &c->visited, c->now.items[i]))
            return POSSIBLE_REFUSED;
    for (size_t i = 0; i < c->visited.length; i++) {
        const uint64_t *item = item_words(c, c->visited.items[i]);
        bool done = item_has(item, operation) ? leave(c, item, operation) : expand(c, item);
        enum possible possible = POSSIBLE_REFUSED;
        if (!done || is_stopped(c, &possible))
            return possible;
    }
    size_t kept = 0;
    for (size_t i = 0; i < c->open.length; i++)
        if (c->open.items[i] != operation)
            c->open.items[kept++] = c->open.items[i];
    c->open.length = kept;
    configurations_operation(c, operation)->stage = STAGE_OVER;
    return unite_next(c) ? end_round(c) : POSSIBLE_REFUSED;
}

/* ---- the beginning of a batch ---- */

/* Lets the operations since the base take effect once more: `paths`. False when refused. */
static bool repeat(struct configurations *configurations, uint32_t base, const uint64_t *since,
                   uint64_t count)
{
    struct configurations *c = configurations;
    struct path first = {.state = base, .base = ARRAY_REFUSED};
    c->paths.length = 0;
    if (!vector_push(&c->paths, first))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const struct stream_operation *operation = configurations_operation(c, since[i]);
        c->further.length = 0;
        for (size_t j = 0; j < c->paths.length; j++) {
            struct path path = c->paths.items[j];
            if (path.base == ARRAY_REFUSED && is_unsettled(c, since[i])) {
                path.base = path.state;
                path.first = (uint32_t)i;
            }
            if (!find_steps(c, path.state, &operation->call))
                return false;
            for (size_t k = 0; k < c->found.length; k++) {
                path.state = c->found.items[k];
                if (!vector_push(&c->further, path))
                    return false;
            }
        }
        c->paths.length = 0;
        for (size_t j = 0; j < c->further.length; j++)
            if (!vector_push(&c->paths, c->further.items[j]))
                return false;
    }
    return true;
}

/* One configuration of the last batch, with what is known now. */
static bool settle(struct configurations *configurations, const uint64_t *item)
{
    struct configurations *c = configurations;
    for (uint64_t i = 0; i < item[ITEM_TAKEN]; i++)
        if (configurations_stage(c, item[ITEM_WORDS + i]) == STAGE_FAILED)
            return true; /* it never was so */
    const uint64_t *since = item_since(item);
    if (item[ITEM_BASE] == ARRAY_REFUSED) {
        struct path path = {.state = (uint32_t)item[ITEM_STATE], .base = ARRAY_REFUSED};
        c->paths.length = 0;
        if (!vector_push(&c->paths, path))
            return false;
    } else if (!repeat(c, (uint32_t)item[ITEM_BASE], since, item[ITEM_SINCE])) {
        return false;
    }
    for (size_t i = 0; i < c->paths.length; i++) {
        struct path path = c->paths.items[i];
        bool settled = path.base == ARRAY_REFUSED;
        struct change change = {.state = path.state,
                                .base = path.base,
                                .taken = NONE,
                                .over = NONE,
                                .since = settled ? NULL : since + path.first,
                                .since_count = settled ? 0 : item[ITEM_SINCE] - path.first};
        uint32_t to = derive(c, item, &change);
        if (!configurations_add_met(c, &c->next, to))
            return false;
    }
    return true;
}

/* Reads the stored configuration at *at as an item; ARRAY_REFUSED. */
static uint32_t load(struct configurations *configurations, const uint64_t **at)
{
    const uint64_t *head = *at, *words = head + STORED_HEAD;
    uint64_t length = head[0], base_length = head[1] == UINT64_MAX ? 0 : head[1];
    uint64_t base = ARRAY_REFUSED, rest = head[2] + head[3];
    uint32_t state = arrays_intern(&configurations->states, words, length);
    if (head[1] != UINT64_MAX)
        base = arrays_intern(&configurations->states, words + length, base_length);
    words += length + base_length;
    *at = words + rest;
    if (state == ARRAY_REFUSED || (head[1] != UINT64_MAX && base == ARRAY_REFUSED) ||
        !vector_reserve(&configurations->words, ITEM_WORDS + rest))
        return ARRAY_REFUSED;
    uint64_t header[ITEM_WORDS] = {
        [ITEM_STATE] = state, [ITEM_BASE] = base, [ITEM_TAKEN] = head[2], [ITEM_SINCE] = head[3]};
    memcpy(configurations->words.items, header, sizeof header);
    if (rest)
        memcpy(configurations->words.items + ITEM_WORDS, words, rest * sizeof *words);
    return arrays_intern(&configurations->items, configurations->words.items, ITEM_WORDS + rest);
}

enum possible configurations_begin(struct configurations *configurations,
                                   struct stream_object *object)
{
    struct configurations *c = configurations;
    const uint64_t *at = object->stored.items;
    c->object = object;
    arrays_release(&c->states);
    arrays_release(&c->items);
    c->stamps.length = c->open.length = c->now.length = 0;
    c->round = 0;
    c->rounds = c->compared = 0;
    c->before = c->explored;
    for (uint32_t i = 0; i < object->operations.length; i++) {
        const struct stream_operation *operation = &object->operations.items[i];
        bool open = operation->stage == STAGE_RUNNING || operation->stage == STAGE_COMPLETES ||
                    operation->stage == STAGE_PENDING;
        if (operation->invoked && open && !vector_push(&c->open, i))
            return POSSIBLE_REFUSED;
    }
    begin_round(c);
    for (uint32_t i = 0; i < object->count; i++) {
        uint32_t item = load(c, &at);
        enum possible possible = POSSIBLE_REFUSED;
        if (item == ARRAY_REFUSED || !settle(c, item_words(c, item)) || is_stopped(c, &possible))
            return possible;
    }
    assert(at == object->stored.items + object->stored.length);
    return end_round(c);
}

/* ---- the end of a batch ---- */

/* Pending operations that have taken effect in every configuration are over, and those that change
 * nothing. */
static void forget_taken(struct configurations *configurations)
{
    size_t kept = 0;
    for (size_t i = 0; i < configurations->open.length; i++) {
        uint32_t operation = configurations->open.items[i];
        bool everywhere = configurations_stage(configurations, operation) == STAGE_PENDING;
        bool idle = configurations_operation(configurations, operation)->call.read_only;
        for (size_t j = 0; j < configurations->now.length && everywhere && !idle; j++)
            everywhere = item_has(configurations_item(configurations, j), operation);
        if (everywhere)
            configurations_operation(configurations, operation)->stage = STAGE_OVER;
        else
            configurations->open.items[kept++] = operation;
    }
    configurations->open.length = kept;
}

/* New numbers of the operations that are kept, in `visited`; NONE for others. False when refused.
 */
static bool number_operations(struct configurations *configurations)
{
    struct configurations *c = configurations;
    struct stream_object *object = c->object;
    if (!vector_reserve(&c->visited, object->operations.length))
        return false;
    c->visited.length = object->operations.length;
    for (size_t i = 0; i < c->visited.length; i++)
        c->visited.items[i] = NONE;
    for (size_t i = 0; i < c->open.length; i++)
        c->visited.items[c->open.items[i]] = 0;
    for (size_t i = 0; i < c->now.length; i++) {
        const uint64_t *item = configurations_item(c, i);
        for (uint64_t j = 0; j < item[ITEM_SINCE]; j++)
            c->visited.items[item_since(item)[j]] = 0;
    }
    uint32_t kept = 0;
    for (size_t i = 0; i < object->operations.length; i++)
        if (c->visited.items[i] != NONE) {
            c->visited.items[i] = kept;
            object->operations.items[kept++] = object->operations.items[i];
        }
    object->operations.length = kept;
    return true;
}

static bool store_words(struct stream_object *object, const uint64_t *words, size_t length)
{
    if (!vector_reserve(&object->stored, object->stored.length + length))
        return false;
    if (length)
        memcpy(object->stored.items + object->stored.length, words, length * sizeof *words);
    object->stored.length += length;
    return true;
}

/* Appends an item to what the object has; `open` says which operations are, by their old numbers.
 */
static bool store(struct configurations *configurations, const uint64_t *item, const bool *open)
{
    struct configurations *c = configurations;
    struct stream_object *object = c->object;
    size_t length, base_length = 0, start = object->stored.length;
    const uint64_t *state = configurations_state(c, item[ITEM_STATE], &length), *base = NULL;
    bool based = item[ITEM_BASE] != ARRAY_REFUSED;
    if (based)
        base = configurations_state(c, item[ITEM_BASE], &base_length);
    uint64_t head[STORED_HEAD] = {length, based ? base_length : UINT64_MAX, 0, item[ITEM_SINCE]};
    if (!store_words(object, head, STORED_HEAD) || !store_words(object, state, length) ||
        !store_words(object, base, base_length))
        return false;
    for (uint64_t i = 0; i < item[ITEM_TAKEN]; i++) {
        uint64_t operation = item[ITEM_WORDS + i];
        if (!open[operation])
            continue;
        if (!vector_push(&object->stored, c->visited.items[operation]))
            return false;
        head[2]++;
    }
    for (uint64_t i = 0; i < item[ITEM_SINCE]; i++)
        if (!vector_push(&object->stored, c->visited.items[item_since(item)[i]]))
            return false;
    object->stored.items[start + 2] = head[2];
    return true;
}

/* Gives back what a busy time took. */
static void trim_stored(struct stream_object *object)
{
    size_t size = sizeof *object->stored.items;
    size_t length = object->stored.length, capacity = object->stored.capacity;
    if (capacity <= 4 * length + 64)
        return;
    uint64_t *moved =
        memory_resize(object->stored.budget, object->stored.items, capacity * size, length * size);
    if (!moved)
        return;
    object->stored.items = moved;
    object->stored.capacity = length;
}

enum possible configurations_end(struct configurations *configurations)
{
    struct configurations *c = configurations;
    struct stream_object *object = c->object;
    size_t count = object->operations.length;
    forget_taken(c);
    bool *open = memory_zeroed(c->limits->budget, count * sizeof *open);
    bool done = open;
    for (size_t i = 0; i < c->open.length && done; i++)
        open[c->open.items[i]] = true;
    done = done && number_operations(c);
    object->stored.length = 0;
    for (size_t i = 0; i < c->now.length && done; i++)
        done = store(c, configurations_item(c, i), open);
    object->count = (uint32_t)c->now.length;
    memory_release(c->limits->budget, open, count * sizeof *open);
    trim_stored(object);
    return done ? POSSIBLE : POSSIBLE_REFUSED;
}
