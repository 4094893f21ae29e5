#include "verify/lin_any_points.h"

#include <string.h>

#include "lin/check.h"
#include "lin/opaque.h"
#include "unbounded/plain_closure.h"
#include "verify/lin_any_lines.h"
#include "verify/lin_any_setting.h"
#include "verify/numbered_states.h"

#define MOST_OPERATIONS 16
#define MOST_CHOICES    12 /* of one operation */
#define MOST_PLACEMENTS 200
#define LEAST_VALUES    3
#define MORE_VALUES     3 /* than a state may keep */

/* A step at which an operation may take effect: the first that begins at an instruction, 0 being
 * its call, or the first of those that changes what is shared. Whether it does is asked without
 * looking at which values there are. */
struct point_choice {
    uint32_t at;
    bool only_if_changed;
};

struct point_choices {
    struct point_choice items[MOST_CHOICES];
    uint32_t count, chosen;
    bool matters; /* with another one the answer may be another */
};

struct points {
    const struct lin_instance *instance;
    struct questions *questions;
    struct numbered_states states;                 /* of the specification */
    struct point_choices choices[MOST_OPERATIONS]; /* by the implementation's operation */
    VECTOR(uint8_t) kept;                          /* by state: the values in it, 1 << value */
    uint32_t values;                               /* that are called with, from 1 */
    uint32_t most_kept;                            /* values in one state */
    struct error *error;
};

/* ---- what a thread remembers ---- */

#define TAKEN          (UINT64_C(1) << 63)
#define ARGUMENT_SHIFT 56
#define ARGUMENT_MASK  (UINT64_C(127) << ARGUMENT_SHIFT)

/* ---- the specification ---- */

/* Which of the values are in a state: those that are missed when they have another name. */
static bool find_values(struct points *points, uint32_t state, uint8_t *kept)
{
    const struct spec *spec = points->instance->spec;
    for (uint32_t i = 0; i < points->values; i++) {
        struct renaming renaming = {.count = RENAMING_MOST};
        size_t length, halves;
        for (uint32_t j = 0; j < RENAMING_MOST; j++)
            renaming.to[j] = (uint8_t)(j + 1);
        renaming.to[i] = RENAMING_MOST;
        renaming.to[RENAMING_MOST - 1] = (uint8_t)(i + 1);
        if (!numbered_states_load(&points->states, state, &length) ||
            !spec->class->rename(spec, &renaming, points->states.words.items, length))
            return false;
        const uint32_t *before = word_arrays_get(&points->states.states, state, &halves);
        if (memcmp(before, points->states.words.items,
                   length * sizeof *points->states.words.items) != 0)
            *kept |= (uint8_t)(1u << (i + 1));
    }
    return true;
}

/* Of a new state, in the order of their numbers. */
static bool note_state(struct points *points, uint32_t state)
{
    uint8_t kept = 0;
    if (!find_values(points, state, &kept) || !vector_push(&points->kept, kept))
        return false;
    uint32_t count = (uint32_t)__builtin_popcount(kept);
    if (points->most_kept < count)
        points->most_kept = count;
    return true;
}

/* numbered_states_run; what is in a new state is noted. */
static bool run(struct points *points, uint32_t state, uint16_t operation, value argument,
                bool *legal, uint32_t *next, value *answer)
{
    const size_t known = points->states.states.items.length;
    return numbered_states_run(&points->states, state, operation, argument, legal, next, answer) &&
           (points->states.states.items.length == known || note_state(points, *next));
}

/* ---- moves ---- */

/* Each value that is not null becomes the same one. */
static void make_alike(const struct lin_value_slots *slots, uint32_t *one, uint32_t *other)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        one[slots->items[i]] = one[slots->items[i]] != 0;
        other[slots->items[i]] = other[slots->items[i]] != 0;
    }
}

/* Whether a move changes what is shared, whichever values there are: values are only null or not.
 */
static bool changes(struct points *points, const struct thread_move *move)
{
    const struct thread_system *system = points->questions->system;
    const struct lin_steps *steps = system->steps;
    const size_t count = steps->thread_first;
    uint32_t *copies = memory_allocate(points->questions->budget, 2 * count * sizeof *copies);
    if (move->shared == move->next_shared || !copies) {
        points->states.refused |= !copies;
        memory_release(points->questions->budget, copies, 2 * count * sizeof *copies);
        return false;
    }
    uint32_t *before = copies, *after = copies + count;
    memcpy(before, thread_system_shared(system, move->shared), count * sizeof *before);
    memcpy(after, thread_system_shared(system, move->next_shared), count * sizeof *after);
    make_alike(&steps->shared_values, before, after);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++) {
            const uint32_t first = steps->pools[i].first + j * steps->pools[i].words;
            make_alike(&steps->pools[i].values, before + first, after + first);
        }
    bool changed = memcmp(before, after, count * sizeof *before) != 0;
    memory_release(points->questions->budget, copies, 2 * count * sizeof *copies);
    return changed;
}

static uint32_t instruction_of(const struct points *points, const struct thread_move *move)
{
    return thread_system_local(points->questions->system, move->local)[LIN_THREAD_AT];
}

static bool is_point(struct points *points, const struct thread_move *move)
{
    const struct point_choices *choices = &points->choices[move->operation];
    if (choices->count == 0)
        return false;
    const struct point_choice *choice = &choices->items[choices->chosen];
    return instruction_of(points, move) == choice->at &&
           (!choice->only_if_changed || changes(points, move));
}

/* An operation that is under way. */
struct running {
    struct points *points;
    uint16_t operation; /* of the specification */
    value argument;
    uint32_t state;
    auxiliary remembered;
    bool is_again; /* it has taken effect with a value that was there already */
};

/* What could be answered here without changing anything. */
static void observe(struct running *running)
{
    struct points *points = running->points;
    uint32_t next = 0;
    value answer = VALUE_NIL;
    bool legal = false;
    if (running->remembered & TAKEN)
        return;
    if (!run(points, running->state, running->operation, running->argument, &legal, &next, &answer))
        points->states.refused = true;
    else if (legal && next == running->state)
        running->remembered |= UINT64_C(1) << numbered_states_value(&points->states, answer);
}

static bool is_kept(const struct points *points, uint32_t state, value argument)
{
    int64_t integer;
    return value_get_integer(argument, &integer) && integer > 0 && integer < RENAMING_MOST &&
           (points->kept.items[state] >> integer & 1);
}

static void take_effect(struct running *running, struct point_choices *choices)
{
    struct points *points = running->points;
    uint32_t next = 0;
    value answer = VALUE_NIL;
    bool legal = false;
    if (!run(points, running->state, running->operation, running->argument, &legal, &next, &answer))
        points->states.refused = true;
    if (!legal)
        return;
    choices->matters |= next != running->state;
    running->is_again = is_kept(points, running->state, running->argument);
    running->state = next;
    running->remembered = TAKEN | (running->remembered & ARGUMENT_MASK) |
                          numbered_states_value(&points->states, answer);
}

/* Whether what is answered is what the specification has answered, or could have. */
static bool agrees(const struct running *running, const struct linear_event *answer)
{
    const struct points *points = running->points;
    const auxiliary remembered = running->remembered & ~(TAKEN | ARGUMENT_MASK);
    bool found = false;
    for (size_t i = 0; i < points->states.answers.length && !found; i++) {
        bool given = running->remembered & TAKEN ? remembered == i : remembered >> i & 1;
        found = given && linear_event_agrees(answer, points->states.answers.items[i]);
    }
    return found;
}

static enum thread_effect move_has_effect(void *user, const struct thread_move *move,
                                          struct reading *reading)
{
    struct points *points = user;
    struct point_choices *choices = &points->choices[move->operation];
    struct linear_event call = {0}, answer = {0};
    if (!numbered_states_read(&points->states, move->label, &call, &answer)) {
        points->states.refused = true;
        return EFFECT_REFUSED;
    }
    if (move->calls)
        reading->auxiliary = (auxiliary)numbered_states_value(&points->states, call.argument)
                             << ARGUMENT_SHIFT;
    const struct lin_steps *steps = points->questions->system->steps;
    const char *name = steps->entries[move->operation].operation->name;
    const struct spec_class *class = points->instance->spec->class;
    struct running running = {
        .points = points,
        .operation = (uint16_t)spec_operation_find(class, name, strlen(name)),
        .argument =
            points->states.answers.items[(reading->auxiliary & ARGUMENT_MASK) >> ARGUMENT_SHIFT],
        .state = reading->state,
        .remembered = reading->auxiliary};
    observe(&running);
    if (!(running.remembered & TAKEN) && is_point(points, move))
        take_effect(&running, choices);
    if (running
            .is_again) /* each call brings a value that is kept apart from those that are there */
        return EFFECT_REFUSED;
    observe(&running);
    *reading = (struct reading){running.state, running.remembered};
    bool good = move->answer == ANSWER_NONE || agrees(&running, &answer);
    choices->matters |= !good;
    return good || points->states.refused ? EFFECT_GOOD : EFFECT_BAD;
}

/* ---- placements ---- */

static void add_choice(struct points *points, uint16_t operation, uint32_t at, bool changed)
{
    struct point_choices *choices = &points->choices[operation];
    for (uint32_t i = 0; i < choices->count; i++)
        if (choices->items[i].at == at && choices->items[i].only_if_changed == changed)
            return;
    if (choices->count < MOST_CHOICES)
        choices->items[choices->count++] = (struct point_choice){at, changed};
}

/* Steps that change something come first, then all others. */
static enum status find_choices(struct points *points, const struct limits *limits)
{
    struct plain_closure plain;
    struct questions *questions = points->questions;
    enum status status = plain_closure_make(&plain, questions->system, 1u << 1, questions->budget,
                                            limits, points->error);
    for (int changed = 1; changed >= 0 && status == STATUS_OK; changed--)
        for (size_t i = 0; i < plain.closure.moves.list.length; i++) {
            const struct thread_move *move = plain.closure.moves.list.items[i].move;
            if (!changed || changes(points, move))
                add_choice(points, move->operation, instruction_of(points, move), changed == 1);
        }
    plain_closure_release(&plain);
    return status;
}

/* The next placement that may give another answer; false if there is none. */
static bool choose_next(struct points *points)
{
    for (uint32_t i = 0; i < MOST_OPERATIONS; i++) {
        struct point_choices *choices = &points->choices[i];
        if (!choices->matters || choices->count == 0)
            continue;
        if (++choices->chosen < choices->count)
            return true;
        choices->chosen = 0;
    }
    return false;
}

/* ---- one placement ---- */

static bool begin(struct points *points)
{
    points->kept.length = points->most_kept = 0;
    for (uint32_t i = 0; i < MOST_OPERATIONS; i++)
        points->choices[i].matters = false;
    return numbered_states_begin(&points->states, VALUE_NIL) && note_state(points, 0);
}

/* With as many values as it takes: besides those of a state one for who is wrong, one for what it
 * answers, and one for who takes effect. */
static enum status ask_with_values(struct points *points, const struct limits *limits,
                                   struct question_answer *answer)
{
    for (points->values = LEAST_VALUES;; points->values++) {
        const struct question question = {.kind = QUESTION_EFFECTS,
                                          .effect = move_has_effect,
                                          .effect_user = points,
                                          .colours = (2u << points->values) - 2};
        TRY_MEMORY(begin(points));
        TRY(question_ask(points->questions, &question, limits, answer, points->error));
        if (points->states.refused)
            return STATUS_LIMIT;
        if (points->states.unable || answer->verdict != VERDICT_SAFE ||
            points->most_kept + MORE_VALUES <= points->values)
            return STATUS_OK;
        if (points->values == LIN_ANY_POINTS_VALUES)
            break;
        question_answer_release(answer);
    }
    points->states.unable = "it keeps too many values at once";
    return STATUS_OK;
}

/* ---- the whole ---- */

/* What is not provided for; null: nothing. *at: where, if that is one place. */
static const char *look_at_specification(const struct lin_instance *instance, place *at,
                                         bool *is_known)
{
    const struct lin_object *own = instance->own;
    *is_known = own && instance->spec->class->rename && !lin_copies_values(own, at);
    if (!own || !instance->spec->class->rename || *is_known)
        return "it compares values with one another, or keeps them in a set or map";
    if (instance->steps.object->operation_count > MOST_OPERATIONS)
        return "there are too many operations";
    return NULL;
}

/* Of those that do not do the one that goes well for longest is most likely to be no fault of the
 * placement. */
static bool is_better(bool is_first, const struct question_answer *found,
                      const struct question_answer *known)
{
    return is_first || found->verdict != VERDICT_UNSAFE ||
           found->schedule.steps.length > known->schedule.steps.length;
}

static enum status try_placements(struct points *points, const struct limits *limits,
                                  struct question_answer *answer)
{
    TRY(find_choices(points, limits));
    bool more = true;
    for (uint32_t i = 0; i < MOST_PLACEMENTS && more; i++) {
        struct question_answer found;
        enum status status = ask_with_values(points, limits, &found);
        if (status == STATUS_OK && is_better(i == 0, &found, answer)) {
            question_answer_release(answer);
            *answer = found;
        } else {
            question_answer_release(&found);
        }
        TRY(status);
        if (points->states.unable || answer->verdict != VERDICT_UNSAFE)
            return STATUS_OK;
        more = choose_next(points);
    }
    return STATUS_OK;
}

static enum status take_unable(struct points *points, const place *at,
                               struct question_answer *answer)
{
    struct text text = TEXT_EMPTY;
    lin_any_append_unprovided(points->instance, points->states.unable, at, &text);
    answer->verdict = VERDICT_UNKNOWN;
    answer->limit = LIMIT_NONE;
    answer->method = "";
    answer->reason = arena_copy_text(&points->questions->arena, text_string(&text), text.length);
    text_release(&text);
    return granted(answer->reason);
}

enum status lin_any_points_ask(const struct lin_instance *instance, struct questions *questions,
                               const struct limits *limits, struct question_answer *answer,
                               struct error *error)
{
    struct points points = {.instance = instance, .questions = questions, .error = error};
    struct budget *budget = questions->budget;
    *answer = (struct question_answer){.verdict = VERDICT_UNKNOWN, .method = ""};
    schedule_init(&answer->schedule, budget);
    numbered_states_init(&points.states, instance->spec, instance->labels, budget, error);
    points.states.outcomes.limits = limits;
    vector_init(&points.kept, budget);
    place at;
    bool is_known;
    points.states.unable = look_at_specification(instance, &at, &is_known);
    enum status status = points.states.unable ? STATUS_OK : try_placements(&points, limits, answer);
    if (status == STATUS_OK && points.states.unable)
        status = take_unable(&points,
                             points.states.chooses ? lin_any_choice(instance, &at)
                             : is_known            ? &at
                                                   : NULL,
                             answer);
    if (status == STATUS_LIMIT) {
        answer->verdict = VERDICT_UNKNOWN;
        answer->limit = limits_reached(limits);
        if (answer->limit == LIMIT_NONE)
            answer->limit = LIMIT_MEMORY;
        status = STATUS_OK;
    }
    numbered_states_release(&points.states);
    vector_release(&points.kept);
    return status;
}
