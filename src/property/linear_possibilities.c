/* Few different things are done to many possibilities: what an operation makes of a state, and a
 * word of a thread of what all are about, is looked up in tables of what was worked out lately, and
 * so are the effects of a possibility. (Of operations that take effect together they are kept: who
 * those are is a search.) Closing a set marks what follows from a member; the members
 * that it began with and that were never met so are its roots. That a possibility follows from
 * another is found without marks, by a walk that no thread's result may leave, which is short. */
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
    const uint32_t number = shared_words_intern(&normal->of->statuses, words, STATUS_WORDS);
    *id = number << STATUS_PHASE_BITS | phase;
    return number < UINT32_MAX >> STATUS_PHASE_BITS;
}

value linear_status_value(const uint32_t *words, size_t at)
{
    return words[at] | (uint64_t)words[at + 1] << 32;
}

const uint32_t *linear_status_words(const struct linear_normal *normal, uint32_t id)
{
    size_t length;
    const uint32_t *words =
        shared_words_get(&normal->of->statuses, id >> STATUS_PHASE_BITS, &length);
    assert(length == STATUS_WORDS && words[0] == linear_phase(id));
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
static bool take_outcome(struct linear_normal *normal, possibility from, uint32_t thread,
                         uint32_t state, uint32_t done)
{
    possibility effect = 0;
    return possibilities_change(&normal->base.possibilities, from, state, thread, done, &effect) &&
           vector_push(&normal->found, effect);
}

bool linear_take_effect(struct linear_normal *normal, possibility from, uint32_t thread,
                        uint32_t status, const struct linear_event *point)
{
    const uint32_t by[3] = {possibility_own(from), status, thread};
    const uint32_t *words = linear_status_words(normal, status);
    uint16_t operation = (uint16_t)words[1];
    value argument = linear_status_value(words, 2);
    uint32_t state = 0, done = 0;
    assert(words[0] == PHASE_CALLED &&
           possibility_of(&normal->base.possibilities, from, thread) == status);
    if (!linear_run(normal, by[0], operation, argument, thread))
        return false;
    for (size_t i = 0; i < normal->outcomes.items.length; i++) {
        const struct outcome *outcome = &normal->outcomes.items.items[i];
        if (point && !linear_event_agrees(point, outcome->result))
            continue;
        if (!linear_intern_state(normal, normal->outcomes.words.items + outcome->start,
                                 outcome->length, &state) ||
            !linear_intern_status(normal, PHASE_DONE, operation, argument, outcome->result,
                                  &done) ||
            !take_outcome(normal, from, thread, state, done))
            return false;
    }
    return normal->outcomes.items.length != 1 || point || recall_put(&normal->ran, by, state, done);
}

/* Threads that take effect together: of which possibility, in which set, and who has been found for
 * its first members. */
struct gathering {
    struct linear_normal *normal;
    possibility of;
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
    uint32_t state = 0;
    possibility effect = 0;
    const value *answers = value_get_items(outcome->result, &count);
    assert(count == gathering->count);
    if (!linear_intern_state(normal, normal->outcomes.words.items + outcome->start, outcome->length,
                             &state))
        return false;
    const uint32_t *words = possibility_threads(possibilities, gathering->of, &length);
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
    return possibilities_make(possibilities, &effect) && vector_push(&normal->found, effect);
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
    if (!linear_load_state(normal, possibility_own(gathering->of), &length) ||
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
    (void)possibility_threads(&normal->base.possibilities, gathering->of, &length);
    if (gathering->count == together->count)
        return run_together(gathering);
    for (size_t at = 0; at < length; at += 2) {
        const uint32_t *words =
            possibility_threads(&normal->base.possibilities, gathering->of, &length);
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
static bool take_effect_together(struct linear_normal *normal, possibility of)
{
    for (uint32_t i = 0; i < normal->spec->class->together_count; i++) {
        struct gathering gathering = {
            .normal = normal, .of = of, .together = i, .among = UINT64_MAX};
        if (!gather(&gathering))
            return false;
    }
    return true;
}

bool linear_could_together(struct linear_normal *normal, possibility of, uint32_t together,
                           uint64_t among, bool *could)
{
    struct gathering gathering = {
        .normal = normal, .of = of, .together = together, .among = among, .only_asks = true};
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

/* Whoever is called takes effect, alone or with others. */
static bool find_effects(struct linear_normal *normal, possibility of)
{
    const struct spec_class *class = normal->spec->class;
    size_t length;
    const uint32_t *words = possibility_threads(&normal->base.possibilities, of, &length);
    for (size_t at = 0; at < length && !class->is_open; at += 2) {
        if (linear_phase(words[at + 1]) != PHASE_CALLED)
            continue;
        const uint32_t *known =
            recall_find(&normal->ran, possibility_own(of), words[at + 1], words[at]);
        if (known ? !take_outcome(normal, of, words[at], known[0], known[1])
                  : !linear_take_effect(normal, of, words[at], words[at + 1], NULL))
            return false;
    }
    return class->together_count == 0 || take_effect_together(normal, of);
}

/* A set can have as many possibilities as there are orders of what is running. */
static bool is_too_long(struct operations_normal *base)
{
    return limits_look(base->limits, &base->taken);
}

/* Appends those that are kept of the possibility of this number; *known: they are. */
static bool take_kept(struct linear_normal *normal, uint32_t number, bool *known)
{
    const _Atomic uint32_t *place = blocks_at(&normal->of->effects, number);
    const uint32_t row = place ? atomic_load_explicit(place, memory_order_acquire) : 0;
    size_t length = 0;
    const uint32_t *words = row ? word_rows_get(&normal->of->rows, row - 1, &length) : NULL;
    *known = row;
    for (size_t i = 0; i < length; i += 2)
        if (!vector_push(&normal->found, possibility_make(words[i], words[i + 1])))
            return false;
    return true;
}

/* Keeps what normal->found has from `first` on. Two threads may do so: they are the same. */
static bool keep(struct linear_normal *normal, uint32_t number, size_t first)
{
    struct linear_normal *of = normal->of;
    const size_t count = normal->found.length - first;
    _Atomic uint32_t *place = blocks_reach(&of->effects, number);
    if (!place || !vector_reserve(&normal->base.possibilities.scratch, 2 * count))
        return false;
    uint32_t *words = normal->base.possibilities.scratch.items;
    for (size_t i = 0; i < count; i++) {
        words[2 * i] = possibility_own(normal->found.items[first + i]);
        words[2 * i + 1] = possibility_about(normal->found.items[first + i]);
    }
    lock_briefly(&of->keeping);
    const uint32_t row = word_rows_add(&of->rows, words, 2 * count);
    pthread_mutex_unlock(&of->keeping);
    if (row == WORD_ROWS_NONE)
        return false;
    atomic_store_explicit(place, row + 1, memory_order_release);
    return true;
}

static bool find_or_take_kept(struct linear_normal *normal, possibility of)
{
    const size_t first = normal->found.length;
    bool known = false;
    const uint32_t number = shared_words_intern(
        &normal->of->asked, (uint32_t[]){possibility_own(of), possibility_about(of)}, 2);
    return number != UINT32_MAX && take_kept(normal, number, &known) &&
           (known || (find_effects(normal, of) && keep(normal, number, first)));
}

#define LATELY ((size_t)SIZE_OR_SMALL(2048, 4)) /* a power of two */

void linear_forget_effects(struct linear_normal *normal)
{
    memory_release(normal->words.budget, normal->lately, LATELY * sizeof *normal->lately);
    normal->lately = NULL;
}

/* Puts what normal->found has from `first` on in the place of what stood there. */
static void know(struct linear_normal *normal, struct linear_known_effects *place, possibility of,
                 size_t first)
{
    const size_t count = normal->found.length - first;
    if (count > LINEAR_EFFECTS_MOST)
        return;
    place->of = of;
    place->known = 1 + (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        place->items[i] = normal->found.items[first + i];
}

/* Possibilities are few, and each is asked about in many sets. */
static bool find_or_look_up(struct linear_normal *normal, possibility of)
{
    const size_t first = normal->found.length;
    if (!normal->lately)
        normal->lately = memory_zeroed(normal->words.budget, LATELY * sizeof *normal->lately);
    if (!normal->lately || !vector_reserve(&normal->found, first + LINEAR_EFFECTS_MOST))
        return false;
    const uint64_t mixed = of * UINT64_C(0x9e3779b97f4a7c15);
    struct linear_known_effects *place = &normal->lately[mixed >> 32 & (LATELY - 1)];
    if (place->known == 0 || place->of != of) {
        if (!find_effects(normal, of))
            return false;
        know(normal, place, of, first);
        return true;
    }
    for (uint32_t i = 0; i + 1 < place->known; i++)
        normal->found.items[first + i] = place->items[i];
    normal->found.length = first + place->known - 1;
    return true;
}

enum status linear_effects(struct linear_normal *normal, possibility of)
{
    return granted(normal->spec->class->together_count ? find_or_take_kept(normal, of)
                                                       : find_or_look_up(normal, of));
}

/* ---- sets ---- */

/* Closes a set. */
static enum status close_set(struct linear_normal *normal, struct possibility_set *set)
{
    for (size_t i = 0; i < set->items.length; i++) {
        if (is_too_long(&normal->base))
            return STATUS_LIMIT;
        normal->found.length = 0;
        TRY(linear_effects(normal, set->items.items[i]));
        for (size_t j = 0; j < normal->found.length; j++)
            TRY_MEMORY(possibility_set_add(set, normal->found.items[j]));
    }
    return STATUS_OK;
}

/* How many threads have been called and have not taken effect: fewer in each effect. */
static uint32_t count_called(const struct linear_normal *normal, possibility of)
{
    size_t length;
    uint32_t called = 0;
    const uint32_t *words = possibility_threads(&normal->base.possibilities, of, &length);
    for (size_t at = 0; at < length; at += 2)
        called += linear_phase(words[at + 1]) == PHASE_CALLED;
    return called;
}

/* Adds the effects of a possibility to normal->walked, unless no member of the set has fewer called
 * threads than it. */
static enum status walk_on(struct linear_normal *normal, possibility of, uint32_t least)
{
    if (is_too_long(&normal->base))
        return STATUS_LIMIT;
    if (count_called(normal, of) <= least)
        return STATUS_OK;
    normal->found.length = 0;
    TRY(linear_effects(normal, of));
    for (size_t i = 0; i < normal->found.length; i++)
        TRY_MEMORY(possibility_set_add(&normal->walked, normal->found.items[i]));
    return STATUS_OK;
}

/* Leaves only the members that do not follow from others. With `least` 0 all is walked that follows
 * from them. */
static enum status keep_roots(struct linear_normal *normal, uint32_t least)
{
    struct possibility_set *set = &normal->base.possibilities.set, *walked = &normal->walked;
    size_t kept = 0;
    possibility_set_start(walked);
    for (size_t i = 0; i < set->items.length; i++)
        TRY(walk_on(normal, set->items.items[i], least));
    for (size_t i = 0; i < walked->items.length; i++)
        if (!possibility_set_has(set, walked->items.items[i])) /* else it has been */
            TRY(walk_on(normal, walked->items.items[i], least));
    for (size_t i = 0; i < set->items.length; i++)
        if (!possibility_set_has(walked, set->items.items[i]))
            set->items.items[kept++] = set->items.items[i];
    assert(kept > 0);
    set->items.length = kept;
    return STATUS_OK;
}

static uint32_t least_called(const struct linear_normal *normal, const struct possibility_set *set)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < set->items.length && least > 0; i++) {
        const uint32_t called = count_called(normal, set->items.items[i]);
        least = called < least ? called : least;
    }
    return least;
}

enum status linear_members(struct linear_normal *normal, normal_id id)
{
    struct possibility_row row = possibilities_row(&normal->base.possibilities, id);
    possibility member = 0;
    possibility_set_start(&normal->walked);
    while (possibility_row_next(&row, &member))
        TRY_MEMORY(possibility_set_add(&normal->walked, member));
    return linear_stores_roots(normal) ? close_set(normal, &normal->walked) : STATUS_OK;
}

enum status linear_signature(struct linear_normal *normal, normal_id id, uint64_t *signature)
{
    *signature = 0;
    TRY(linear_members(normal, id));
    for (size_t i = 0; i < normal->walked.items.length; i++)
        *signature |= possibility_signature(normal->walked.items.items[i]);
    return STATUS_OK;
}

enum status linear_intern_set(struct linear_normal *normal, bool are_roots, normal_id *id)
{
    struct possibility_set *set = &normal->base.possibilities.set;
    /* A specification that may be at fault runs whatever it could run here, needed or not: its
     * faults are told. */
    const bool runs_all = normal->spec->class->fault;
    if (!linear_stores_roots(normal) && !normal->base.events.points)
        TRY(close_set(normal, set));
    if (linear_stores_roots(normal) && (runs_all || (!are_roots && set->items.length > 1)))
        TRY(keep_roots(normal, runs_all ? 0 : least_called(normal, set)));
    return granted(possibilities_finish(&normal->base.possibilities, id));
}

/* Whether one may become the other, as far as statuses tell: who is about what stays, and so do
 * results. */
static bool may_become(const struct linear_normal *normal, possibility from, possibility to)
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
        if (linear_phase(words[at + 1]) != PHASE_CALLED ||
            linear_phase(others[at + 1]) == PHASE_CALLED)
            return false;
        const uint32_t *status = linear_status_words(normal, words[at + 1]);
        const uint32_t *other = linear_status_words(normal, others[at + 1]);
        if (memcmp(status + 1, other + 1, 3 * sizeof *status) != 0)
            return false;
    }
    return true;
}

/* Whether a possibility is another, or follows from it. */
static enum status follows_from(struct linear_normal *normal, possibility of, possibility from,
                                bool *follows)
{
    const size_t first = normal->found.length;
    *follows = of == from;
    if (*follows || !may_become(normal, from, of))
        return STATUS_OK;
    TRY(linear_effects(normal, from));
    const size_t end = normal->found.length;
    for (size_t i = first; i < end && !*follows; i++)
        TRY(follows_from(normal, of, normal->found.items[i], follows));
    normal->found.length = first;
    return STATUS_OK;
}

/* Whether it is one of those that a row begins with, or, where sets are stored as their roots,
 * follows from one. */
static enum status is_among(struct linear_normal *normal, possibility of,
                            struct possibility_row roots, bool *found)
{
    struct possibility_row row = roots;
    possibility root = 0;
    *found = false;
    while (!*found && possibility_row_next(&row, &root))
        *found = root == of;
    while (!*found && linear_stores_roots(normal) && possibility_row_next(&roots, &root))
        TRY(follows_from(normal, of, root, found));
    return STATUS_OK;
}

enum status linear_includes(struct linear_normal *normal, normal_id whole, normal_id part,
                            bool *includes)
{
    const struct possibility_row roots = possibilities_row(&normal->base.possibilities, whole);
    struct possibility_row members = possibilities_row(&normal->base.possibilities, part);
    possibility member = 0;
    *includes = true;
    normal->found.length = 0;
    while (*includes && possibility_row_next(&members, &member))
        TRY(is_among(normal, member, roots, includes));
    return STATUS_OK;
}
