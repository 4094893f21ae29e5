/* Effects are worked out once for each possibility. Closing a set marks what follows from a member;
 * the members that it began with and that were never met so are its roots. That a possibility
 * follows from another is found without marks, by a walk that no thread's result may leave: this
 * one changes nothing, and is short. */
#include "property/linear_possibilities.h"

#include <assert.h>
#include <string.h>

#include "base/interning.h"
#include "base/parallel.h"

bool linear_intern_state(struct linear_normal *normal, const uint64_t *words, size_t length,
                         uint32_t *state)
{
    *state = shared_words_intern(&normal->of->states, (const uint32_t *)words, 2 * length);
    return *state != UINT32_MAX;
}

bool linear_load_state(struct linear_normal *normal, uint32_t state, size_t *length)
{
    size_t halves;
    const uint32_t *words = shared_words_get(&normal->of->states, state, &halves);
    assert(halves % 2 == 0); /* each word was stored as two */
    if (!vector_reserve(&normal->words, halves / 2 + 1))
        return false;
    memcpy(normal->words.items, words, halves * sizeof *words);
    *length = halves / 2;
    return true;
}

bool linear_intern_status(struct linear_normal *normal, enum phase phase, uint16_t operation,
                          value argument, value result, uint32_t *id)
{
    const uint32_t words[STATUS_WORDS] = {phase,
                                          operation,
                                          (uint32_t)argument,
                                          (uint32_t)(argument >> 32),
                                          (uint32_t)result,
                                          (uint32_t)(result >> 32)};
    *id = shared_words_intern(&normal->of->statuses, words, STATUS_WORDS);
    return *id != UINT32_MAX;
}

value linear_status_value(const uint32_t *words, size_t at)
{
    return words[at] | (uint64_t)words[at + 1] << 32;
}

const uint32_t *linear_status_words(const struct linear_normal *normal, uint32_t id)
{
    size_t length;
    const uint32_t *words = shared_words_get(&normal->of->statuses, id, &length);
    assert(length == STATUS_WORDS && words[0] <= PHASE_OPEN);
    return words;
}

/* Leaves out the outcomes in which a set has begun that takes effect together: sets are taken as
 * one (take_effect_together). */
static void keep_whole(struct linear_normal *normal)
{
    struct outcomes *outcomes = &normal->outcomes;
    size_t kept = 0;
    for (size_t i = 0; i < outcomes->items.length; i++) {
        const struct outcome *outcome = &outcomes->items.items[i];
        if (spec_gathered(normal->spec, outcomes->words.items + outcome->start, outcome->length) ==
            0)
            outcomes->items.items[kept++] = *outcome;
    }
    outcomes->items.length = kept;
}

bool linear_run(struct linear_normal *normal, uint32_t state, uint16_t operation, value argument,
                uint32_t thread)
{
    size_t length = 0;
    const struct call call = {.argument = argument, .process = thread, .operation = operation};
    outcomes_clear(&normal->outcomes);
    normal->outcomes.limits = normal->base.limits;
    bool fine = linear_load_state(normal, state, &length) &&
                normal->spec->class->step(normal->spec, normal->words.items, length, &call,
                                          &normal->outcomes);
    keep_whole(normal);
    return fine;
}

/* Appends what a possibility becomes with this outcome of an operation that was called. */
static bool take_outcome(struct linear_normal *normal, uint32_t id, uint32_t thread, uint32_t state,
                         uint32_t done)
{
    uint32_t effect = 0;
    return possibilities_change(&normal->base.possibilities, id, state, thread, done, &effect) &&
           vector_push(&normal->found, effect);
}

bool linear_take_effect(struct linear_normal *normal, uint32_t id, uint32_t thread, uint32_t status,
                        const struct linear_event *point)
{
    const uint32_t from[3] = {possibility_own(&normal->base.possibilities, id), status, thread};
    const uint32_t *known = point ? NULL : recall_find(&normal->ran, from[0], status, thread);
    if (known)
        return take_outcome(normal, id, thread, known[0], known[1]);
    const uint32_t *words = linear_status_words(normal, status);
    uint16_t operation = (uint16_t)words[1];
    value argument = linear_status_value(words, 2);
    uint32_t state = 0, done = 0;
    assert(words[0] == PHASE_CALLED &&
           possibility_of(&normal->base.possibilities, id, thread) == status);
    if (!linear_run(normal, from[0], operation, argument, thread))
        return false;
    for (size_t i = 0; i < normal->outcomes.items.length; i++) {
        const struct outcome *outcome = &normal->outcomes.items.items[i];
        if (point && !linear_event_agrees(point, outcome->result))
            continue;
        if (!linear_intern_state(normal, normal->outcomes.words.items + outcome->start,
                                 outcome->length, &state) ||
            !linear_intern_status(normal, PHASE_DONE, operation, argument, outcome->result,
                                  &done) ||
            !take_outcome(normal, id, thread, state, done))
            return false;
    }
    return normal->outcomes.items.length != 1 || point ||
           recall_put(&normal->ran, from, state, done);
}

/* Threads that take effect together: of which possibility, in which set, and who has been found for
 * its first members. */
struct gathering {
    struct linear_normal *normal;
    uint32_t id;
    uint32_t together, count;
    uint32_t threads[SPEC_MOST_TOGETHER];
    struct call calls[SPEC_MOST_TOGETHER];
    uint64_t among; /* threads that may be members: bit i: thread i */
    bool only_asks; /* whether they could; else effects are found */
    bool could;
};

/* Adds the possibility in which these threads are done, in the state of the outcome. */
static bool add_together(struct gathering *gathering, const struct outcome *outcome)
{
    struct linear_normal *normal = gathering->normal;
    struct possibilities *possibilities = &normal->base.possibilities;
    size_t length, count;
    uint32_t state = 0, effect = 0;
    const value *answers = value_get_items(outcome->result, &count);
    assert(count == gathering->count);
    if (!linear_intern_state(normal, normal->outcomes.words.items + outcome->start, outcome->length,
                             &state))
        return false;
    const uint32_t *words = possibility_threads(possibilities, gathering->id, &length);
    if (!vector_reserve(&possibilities->scratch, 1 + length))
        return false;
    memcpy(possibilities->scratch.items + 1, words, length * sizeof *words);
    possibilities->scratch.length = 1 + length;
    possibilities->scratch.items[0] = state;
    for (uint32_t i = 0; i < count; i++) {
        const struct call *call = &gathering->calls[i];
        uint32_t done = 0;
        const bool open =
            normal->spec->class->is_open && answers[i] == normal->spec->class->stays_open;
        if (!linear_intern_status(normal, open ? PHASE_OPEN : PHASE_DONE, call->operation,
                                  call->argument, open ? VALUE_NIL : answers[i], &done))
            return false;
        for (size_t at = 1; at <= length; at += 2)
            if (possibilities->scratch.items[at] == gathering->threads[i])
                possibilities->scratch.items[at + 1] = done;
    }
    return possibilities_intern(possibilities, &effect) && vector_push(&normal->found, effect);
}

/* All members have been found. */
static bool run_together(struct gathering *gathering)
{
    struct linear_normal *normal = gathering->normal;
    const struct call *calls[SPEC_MOST_TOGETHER];
    size_t length = 0;
    for (uint32_t i = 0; i < gathering->count; i++)
        calls[i] = &gathering->calls[i];
    outcomes_clear(&normal->outcomes);
    normal->outcomes.limits = normal->base.limits;
    if (!linear_load_state(normal, possibility_own(&normal->base.possibilities, gathering->id),
                           &length) ||
        !normal->spec->class->step_together(normal->spec, gathering->together, normal->words.items,
                                            length, calls, &normal->outcomes))
        return false;
    gathering->could |= normal->outcomes.items.length > 0;
    for (size_t i = 0; i < normal->outcomes.items.length && !gathering->only_asks; i++)
        if (!add_together(gathering, &normal->outcomes.items.items[i]))
            return false;
    return true;
}

static bool is_gathered(const struct gathering *gathering, uint32_t thread)
{
    bool found = false;
    for (uint32_t i = 0; i < gathering->count; i++)
        found |= gathering->threads[i] == thread;
    return found;
}

/* Finds each thread that could be the next member, and then further ones. */
static bool gather(struct gathering *gathering)
{
    const struct linear_normal *normal = gathering->normal;
    const struct spec_together *together = &normal->spec->class->togethers[gathering->together];
    size_t length;
    (void)possibility_threads(&normal->base.possibilities, gathering->id, &length);
    if (gathering->count == together->count)
        return run_together(gathering);
    for (size_t at = 0; at < length; at += 2) {
        const uint32_t *words =
            possibility_threads(&normal->base.possibilities, gathering->id, &length);
        const uint32_t thread = words[at], *status = linear_status_words(normal, words[at + 1]);
        const enum phase phase =
            together->open && together->open[gathering->count] ? PHASE_OPEN : PHASE_CALLED;
        if (status[0] != phase || status[1] != together->operations[gathering->count] ||
            (thread < 64 && !(gathering->among >> thread & 1)) || is_gathered(gathering, thread))
            continue;
        gathering->threads[gathering->count] = thread;
        gathering->calls[gathering->count] =
            (struct call){.argument = linear_status_value(status, 2),
                          .process = thread,
                          .operation = (uint16_t)status[1]};
        gathering->count++;
        bool fine = gather(gathering);
        gathering->count--;
        if (!fine)
            return false;
    }
    return true;
}

/* Called threads of a possibility take effect together, in every way they can. */
static bool take_effect_together(struct linear_normal *normal, uint32_t id)
{
    for (uint32_t i = 0; i < normal->spec->class->together_count; i++) {
        struct gathering gathering = {
            .normal = normal, .id = id, .together = i, .among = UINT64_MAX};
        if (!gather(&gathering))
            return false;
    }
    return true;
}

bool linear_could_together(struct linear_normal *normal, uint32_t id, uint32_t together,
                           uint64_t among, bool *could)
{
    struct gathering gathering = {
        .normal = normal, .id = id, .together = together, .among = among, .only_asks = true};
    *could = false;
    if (!gather(&gathering))
        return false;
    *could = gathering.could;
    return true;
}

/* ---- effects ---- */

bool linear_stores_roots(const struct linear_normal *normal)
{
    return !normal->base.events.points && !normal->spec->class->is_open;
}

/* Whoever is called takes effect, alone or with others: in normal->found. */
static bool find_effects(struct linear_normal *normal, uint32_t id)
{
    size_t length;
    const uint32_t *words = possibility_threads(&normal->base.possibilities, id, &length);
    normal->found.length = 0;
    for (size_t at = 0; at < length; at += 2)
        if (!normal->spec->class->is_open &&
            linear_status_words(normal, words[at + 1])[0] == PHASE_CALLED &&
            !linear_take_effect(normal, id, words[at], words[at + 1], NULL))
            return false;
    return take_effect_together(normal, id);
}

/* A set can have as many possibilities as there are orders of what is running. */
static bool is_too_long(struct operations_normal *base)
{
    return limits_look(base->limits, &base->taken);
}

/* The effects of a possibility, where they are known. */
static const uint32_t *known_effects(const struct linear_normal *normal, uint32_t id,
                                     uint32_t *count)
{
    const _Atomic uint32_t *place = blocks_at(&normal->of->effects, id);
    const uint32_t row = place ? atomic_load_explicit(place, memory_order_acquire) : 0;
    size_t length = 0;
    const uint32_t *effects = row ? word_rows_get(&normal->of->rows, row - 1, &length) : NULL;
    *count = (uint32_t)length;
    return effects;
}

/* Keeps normal->found as the effects of a possibility. Two threads may do so: they are the same. */
static bool keep_effects(const struct linear_normal *normal, uint32_t id)
{
    struct linear_normal *of = normal->of;
    _Atomic uint32_t *place = blocks_reach(&of->effects, id);
    lock_briefly(&of->keeping);
    const uint32_t row = word_rows_add(&of->rows, normal->found.items, normal->found.length);
    pthread_mutex_unlock(&of->keeping);
    if (row == WORD_ROWS_NONE || !place)
        return false;
    atomic_store_explicit(place, row + 1, memory_order_release);
    return true;
}

enum status linear_effects(struct linear_normal *normal, uint32_t id, const uint32_t **effects,
                           uint32_t *count)
{
    *effects = known_effects(normal, id, count);
    if (*effects)
        return STATUS_OK;
    if (is_too_long(&normal->base))
        return STATUS_LIMIT;
    TRY_MEMORY(find_effects(normal, id) && keep_effects(normal, id));
    return linear_effects(normal, id, effects, count);
}

/* ---- sets ---- */

/* Closes a set. What follows from a member is marked in normal->walked. */
static enum status close_set(struct linear_normal *normal, struct possibility_set *set)
{
    const uint32_t *effects;
    uint32_t count;
    for (size_t i = 0; i < set->items.length; i++) {
        if (is_too_long(&normal->base))
            return STATUS_LIMIT;
        TRY(linear_effects(normal, set->items.items[i], &effects, &count));
        for (uint32_t j = 0; j < count; j++)
            TRY_MEMORY(possibility_set_add(set, effects[j]) &&
                       possibility_set_add(&normal->walked, effects[j]));
    }
    return STATUS_OK;
}

/* Leaves only the members that the set began with and that do not follow from others. */
static void keep_roots(struct linear_normal *normal, size_t began_with)
{
    struct possibility_set *set = &normal->base.possibilities.set;
    size_t kept = 0;
    for (size_t i = 0; i < began_with; i++)
        if (!possibility_set_has(&normal->walked, set->items.items[i]))
            set->items.items[kept++] = set->items.items[i];
    assert(kept > 0 && kept <= began_with);
    set->items.length = kept;
}

/* The bits of all members; not 0. */
static uint64_t signature_of(const struct possibility_set *set)
{
    uint64_t signature = 0;
    for (size_t i = 0; i < set->items.length; i++)
        signature |= word_signature(set->items.items[i]);
    return signature;
}

/* The signature of a set that has been closed; 0: it has not. Who knows it knows all effects, too.
 */
static uint64_t known_signature(const struct linear_normal *normal, normal_id id)
{
    const _Atomic uint64_t *place = blocks_at(&normal->of->signatures, id);
    return place ? atomic_load_explicit(place, memory_order_acquire) : 0;
}

static enum status know(struct linear_normal *normal, normal_id id, uint64_t signature)
{
    assert(signature != 0);
    _Atomic uint64_t *place = blocks_reach(&normal->of->signatures, id);
    TRY_MEMORY(place);
    atomic_store_explicit(place, signature, memory_order_release);
    return STATUS_OK;
}

enum status linear_members(struct linear_normal *normal, normal_id id)
{
    size_t count;
    const uint32_t *stored = possibilities_members(&normal->base.possibilities, id, &count);
    possibility_set_start(&normal->walked);
    for (size_t i = 0; i < count; i++)
        TRY_MEMORY(possibility_set_add(&normal->walked, stored[i]));
    return linear_stores_roots(normal) ? close_set(normal, &normal->walked) : STATUS_OK;
}

enum status linear_signature(struct linear_normal *normal, normal_id id, uint64_t *signature)
{
    *signature = known_signature(normal, id);
    if (*signature)
        return STATUS_OK;
    TRY(linear_members(normal, id));
    *signature = signature_of(&normal->walked);
    return know(normal, id, *signature);
}

/* A specification that may be at fault runs whatever it could run here, needed or not: its faults
 * are told. */
static enum status find_faults(struct linear_normal *normal, normal_id id)
{
    uint64_t ignored;
    return linear_signature(normal, id, &ignored);
}

enum status linear_intern_set(struct linear_normal *normal, bool are_roots, normal_id *id)
{
    struct possibility_set *set = &normal->base.possibilities.set;
    const size_t began_with = set->items.length;
    const bool stores_roots = linear_stores_roots(normal);
    if (stores_roots && (are_roots || began_with == 1)) {
        TRY_MEMORY(possibilities_finish(&normal->base.possibilities, id));
        return normal->spec->class->fault ? find_faults(normal, *id) : STATUS_OK;
    }
    possibility_set_start(&normal->walked);
    if (!normal->base.events.points)
        TRY(close_set(normal, set));
    const uint64_t signature = signature_of(set);
    if (stores_roots)
        keep_roots(normal, began_with);
    TRY_MEMORY(possibilities_finish(&normal->base.possibilities, id));
    return know(normal, *id, signature);
}

/* Whether one may become the other, as far as statuses tell: who is about what stays, and so do
 * results. */
static bool may_become(const struct linear_normal *normal, uint32_t from, uint32_t to)
{
    size_t length, other_length;
    const uint32_t *words = possibility_threads(&normal->base.possibilities, from, &length);
    const uint32_t *others = possibility_threads(&normal->base.possibilities, to, &other_length);
    if (length != other_length)
        return false;
    for (size_t at = 0; at < length; at += 2) {
        if (words[at] != others[at])
            return false;
        if (words[at + 1] == others[at + 1])
            continue;
        const uint32_t *status = linear_status_words(normal, words[at + 1]);
        const uint32_t *other = linear_status_words(normal, others[at + 1]);
        if (status[0] != PHASE_CALLED || other[0] == PHASE_CALLED ||
            memcmp(status + 1, other + 1, 3 * sizeof *status) != 0)
            return false;
    }
    return true;
}

/* Whether a possibility is another, or follows from it. Both are members of interned sets, so all
 * effects on the way are known. */
static bool follows_from(const struct linear_normal *normal, uint32_t id, uint32_t from)
{
    uint32_t count;
    if (id == from)
        return true;
    if (!may_become(normal, from, id))
        return false;
    const uint32_t *effects = known_effects(normal, from, &count);
    assert(effects);
    for (uint32_t i = 0; i < count; i++)
        if (follows_from(normal, id, effects[i]))
            return true;
    return false;
}

bool linear_includes(const struct linear_normal *normal, normal_id whole, normal_id part)
{
    const struct possibilities *possibilities = &normal->base.possibilities;
    size_t count, part_count;
    const uint32_t *roots = possibilities_members(possibilities, whole, &count);
    const uint32_t *members = possibilities_members(possibilities, part, &part_count);
    if (words_include(roots, count, members, part_count))
        return true;
    if (!linear_stores_roots(normal))
        return false;
    for (size_t i = 0; i < part_count; i++) {
        bool found = false;
        for (size_t j = 0; j < count && !found; j++)
            found = follows_from(normal, members[i], roots[j]);
        if (!found)
            return false;
    }
    return true;
}
