/* The states walked through are kept, so that a step can be taken back; of the one where the walk
 * stands its steps are worked out when they are asked for. */
#include <linchpin/walk.h>

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "api/process.h"
#include "api/variables.h"
#include "base/interning.h"
#include "base/log.h"
#include "base/require.h"
#include "space/state_table.h"

#define WALK_MAGIC UINT32_C(0x6c707761)

struct lp_walk {
    uint32_t magic;
    lp_context *context;
    struct process process;
    struct successors initial;
    VECTOR(uint32_t) path; /* states, one behind the other */
    VECTOR(label) taken;   /* how each but the first was reached, as it is shown */
    VECTOR(uint32_t) who;  /* who is where in each (model_class.follow), as a number of: */
    struct word_arrays whos;
    size_t slots;  /* of a state */
    uint64_t said; /* step of the last line in the log */
    bool looked;   /* the successors and steps are those of the last state */
    struct successors successors;
    struct followed followed;
    lp_step *steps;
    struct arena arena; /* of what was shown of the last state */
};

static const uint32_t *here(const struct lp_walk *walk)
{
    return walk->path.items + walk->path.length - walk->slots;
}

static void forget(lp_walk *walk)
{
    walk->looked = false;
    walk->steps = NULL;
    successors_clear(&walk->successors);
    arena_release(&walk->arena);
    arena_init(&walk->arena, &walk->process.budget);
}

/* `by`: of the step; LABEL_REFUSED: it is the first. */
static enum status go_to(lp_walk *walk, const uint32_t *state, label by, uint32_t who)
{
    if (!vector_reserve(&walk->path, walk->path.length + walk->slots) ||
        (by != LABEL_REFUSED && !vector_push(&walk->taken, by)) || !vector_push(&walk->who, who))
        return STATUS_LIMIT;
    memcpy(walk->path.items + walk->path.length, state, walk->slots * sizeof *state);
    walk->path.length += walk->slots;
    forget(walk);
    return STATUS_OK;
}

static enum status show(struct lp_walk *walk, const uint32_t *state, const uint32_t *before,
                        const lp_variable **variables, size_t *count)
{
    const struct model *model = walk->process.model;
    struct text text = TEXT_EMPTY;
    model->class->print(model, state, before, &text);
    enum status status = variables_split(&walk->arena, text_string(&text), variables, count);
    text_release(&text);
    return status;
}

/* Who is where in an initial state. */
static enum status nobody_yet(lp_walk *walk, uint32_t *who)
{
    *who = word_arrays_intern(&walk->whos, NULL, 0, NULL);
    return *who == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

/* Who is where behind a step that was described last. */
static enum status who_behind(lp_walk *walk, size_t step, uint32_t *who)
{
    size_t length;
    const uint32_t *words = followed_words(&walk->followed, step, &length);
    *who = word_arrays_intern(&walk->whos, words, length, NULL);
    return *who == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
}

/* The steps to `out`, in the arena. */
static enum status describe(lp_walk *walk, const uint32_t *from, uint32_t who,
                            const struct successors *out, lp_step **steps, struct error *error)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&walk->whos, who, &length);
    TRY(worker_follow(walk->process.worker, from, words, length, out, &walk->followed, error));
    struct text text = TEXT_EMPTY;
    size_t count = out->steps.length;
    lp_step *list = arena_allocate(&walk->arena, count * sizeof *list);
    enum status status = list ? STATUS_OK : STATUS_LIMIT;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct step *step = &out->steps.items[i];
        text_clear(&text);
        labels_print(walk->process.labels, step->shown, &text);
        list[i] = (lp_step){.event = arena_copy_text(&walk->arena, text_string(&text), text.length),
                            .kind = step_kind(labels_get(walk->process.labels, step->shown),
                                              step->label != LABEL_TAU),
                            .process = walk->followed.processes.items[i],
                            .visible = step->label != LABEL_TAU};
        step_place(labels_get(walk->process.labels, step->shown), &list[i]);
        status = show(walk, out->states.items + i * walk->slots, from, &list[i].changes,
                      &list[i].change_count);
        if (!list[i].event)
            status = STATUS_LIMIT;
    }
    text_release(&text);
    *steps = list;
    return status;
}

static enum status look(lp_walk *walk, struct error *error)
{
    if (walk->looked)
        return STATUS_OK;
    forget(walk);
    TRY(worker_successors(walk->process.worker, here(walk), &walk->successors, error));
    TRY(describe(walk, here(walk), walk->who.items[walk->who.length - 1], &walk->successors,
                 &walk->steps, error));
    walk->looked = true;
    if (walk->successors.steps.length == 0)
        LOG(walk->process.limits.log, "walk: no step is possible after %zu", walk->taken.length);
    return STATUS_OK;
}

/* Of a walk; null: memory for it was refused. */
static lp_status answer(const lp_walk *walk, enum status status, struct error *fault,
                        lp_error *error)
{
    if (status == STATUS_LIMIT)
        process_explain_limit(walk ? &walk->process : NULL, fault);
    return report_status(status, fault, error);
}

/* ---- creation ---- */

static enum status open(lp_walk *walk, const lp_model *model, const char *reference,
                        struct error *error)
{
    TRY(process_open(&walk->process, walk->context, model, reference, true, 0, error));
    walk->slots = walk->process.model->slots;
    walk->initial.limits = &walk->process.limits;
    TRY(worker_initial(walk->process.worker, &walk->initial, error));
    LOG(walk->process.limits.log, "walk: %zu slots a state, the first of %zu initial states",
        walk->slots, walk->initial.steps.length);
    uint32_t who = 0;
    TRY(nobody_yet(walk, &who));
    return go_to(walk, walk->initial.states.items, LABEL_REFUSED, who);
}

lp_status lp_walk_create(lp_context *context, const lp_model *model, const char *process,
                         lp_walk **walk, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    REQUIRE_NOT_NULL(walk);
    struct error fault;
    enum status status = STATUS_LIMIT;
    *walk = NULL;
    lp_walk *created = memory_zeroed(&context->budget, sizeof *created);
    if (created) {
        created->magic = WALK_MAGIC;
        created->context = context;
        successors_init(&created->initial, &created->process.budget);
        successors_init(&created->successors, &created->process.budget);
        followed_init(&created->followed, &created->process.budget);
        vectors_init(&created->process.budget, &created->path, &created->taken, &created->who);
        word_arrays_init(&created->whos, &created->process.budget);
        arena_init(&created->arena, &created->process.budget);
        status = open(created, model, process, &fault);
    }
    answer(created, status, &fault, error);
    if (status == STATUS_OK)
        *walk = created;
    else
        lp_walk_destroy(created);
    return (lp_status)status;
}

void lp_walk_destroy(lp_walk *walk)
{
    if (!walk)
        return;
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    walk->magic = 0;
    successors_release(&walk->initial);
    successors_release(&walk->successors);
    followed_release(&walk->followed);
    vectors_release(&walk->path, &walk->taken, &walk->who);
    word_arrays_release(&walk->whos);
    arena_release(&walk->arena);
    process_release(&walk->process);
    memory_release(&walk->context->budget, walk, sizeof *walk);
}

/* ---- walking ---- */

const char *lp_walk_process(const lp_walk *walk)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    return walk->process.name;
}

lp_status lp_walk_state(lp_walk *walk, const lp_variable **variables, size_t *count,
                        lp_error *error)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    REQUIRE_NOT_NULL(variables);
    REQUIRE_NOT_NULL(count);
    struct error fault;
    return answer(walk, show(walk, here(walk), NULL, variables, count), &fault, error);
}

lp_status lp_walk_steps(lp_walk *walk, const lp_step **steps, size_t *count, lp_error *error)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    REQUIRE_NOT_NULL(steps);
    REQUIRE_NOT_NULL(count);
    struct error fault;
    enum status status = look(walk, &fault);
    *steps = status == STATUS_OK ? walk->steps : NULL;
    *count = status == STATUS_OK ? walk->successors.steps.length : 0;
    return answer(walk, status, &fault, error);
}

static void tell_log(lp_walk *walk, size_t index)
{
    const struct log *log = walk->process.limits.log;
    const lp_step *step = &walk->steps[index];
    if (log_due(log, walk->taken.length + 1, &walk->said))
        LOG(log, "walk: step %zu: %s of process %" PRIu32 ", one of %zu that are possible",
            walk->taken.length + 1, step->event, step->process, walk->successors.steps.length);
}

lp_status lp_walk_take(lp_walk *walk, size_t index, lp_error *error)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    struct error fault;
    enum status status = look(walk, &fault);
    if (status == STATUS_OK) {
        REQUIRE(index < walk->successors.steps.length, "there is no such step");
        tell_log(walk, index);
        uint32_t who = 0;
        status = who_behind(walk, index, &who);
        if (status == STATUS_OK)
            status = go_to(walk, walk->successors.states.items + index * walk->slots,
                           walk->successors.steps.items[index].shown, who);
    }
    return answer(walk, status, &fault, error);
}

bool lp_walk_back(lp_walk *walk)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    if (walk->path.length == walk->slots)
        return false;
    LOG_STEP(walk->process.limits.log, "walk: step %zu is taken back", walk->taken.length);
    walk->path.length -= walk->slots;
    walk->taken.length--;
    walk->who.length--;
    forget(walk);
    return true;
}

lp_walk_end lp_walk_ending(const lp_walk *walk)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    size_t count = walk->taken.length, calls = 0, returns = 0;
    assert(walk->path.length == (count + 1) * walk->slots);
    if (count && walk->taken.items[count - 1] == LABEL_TERMINATE)
        return LP_END_TERMINATED;
    for (size_t i = 0; i < count && walk->process.has_lin; i++) {
        enum label_kind kind = labels_kind(walk->process.labels, walk->taken.items[i]);
        calls += kind == LABEL_INVOKE;
        returns += kind == LABEL_RESPOND;
    }
    return calls > 0 && calls == returns ? LP_END_RETURNED : LP_END_DEADLOCK;
}

/* ---- along an execution ---- */

/* Equal steps may lead to different states, so that all places are kept where the execution may be,
 * level by level, each with the place of the level before that it was reached from. */
struct place_reached {
    state_id state;
    uint32_t who;    /* number in walk->whos */
    uint32_t parent; /* index into places */
    label by;        /* the step from there */
};

struct along {
    lp_walk *walk;
    const lp_execution *execution;
    struct state_table states;
    VECTOR(struct place_reached) places;
    VECTOR(uint32_t) levels;  /* where in places each begins */
    struct word_arrays known; /* states with who is where in them */
    VECTOR(uint32_t) marks;   /* by number of these: the last level that has it, from 1 */
    struct successors out;
};

static void along_init(struct along *along, const struct model *model)
{
    state_table_init(&along->states, model->budget, model->slots, model->identity_slots);
    vectors_init(model->budget, &along->places, &along->levels, &along->marks);
    word_arrays_init(&along->known, model->budget);
    successors_init(&along->out, model->budget);
}

static void along_release(struct along *along)
{
    state_table_release(&along->states);
    vectors_release(&along->places, &along->levels, &along->marks);
    word_arrays_release(&along->known);
    successors_release(&along->out);
}

static enum status level_add(struct along *along, const uint32_t *state, uint32_t who,
                             uint32_t parent, label by)
{
    bool fresh = false;
    uint32_t level = (uint32_t)along->levels.length;
    state_id id = state_table_intern(&along->states, state, &fresh);
    const uint32_t both[] = {id, who};
    const uint32_t number =
        id == STATE_REFUSED ? UINT32_MAX
                            : word_arrays_intern(&along->known, both, ARRAY_LENGTH(both), &fresh);
    if (number == UINT32_MAX || (fresh && !vector_push(&along->marks, 0)))
        return STATUS_LIMIT;
    if (along->marks.items[number] == level)
        return STATUS_OK;
    along->marks.items[number] = level;
    const struct place_reached reached = {id, who, parent, by};
    return granted(vector_push(&along->places, reached));
}

static enum status level_begin(struct along *along)
{
    return granted(vector_push(&along->levels, (uint32_t)along->places.length));
}

static bool same_step(const lp_step *taken, const lp_step *wanted)
{
    return strcmp(taken->event, wanted->event) == 0 && taken->process == wanted->process &&
           variables_equal(taken->changes, taken->change_count, wanted->changes,
                           wanted->change_count);
}

static enum status along_start(struct along *along)
{
    lp_walk *walk = along->walk;
    const lp_execution *execution = along->execution;
    uint32_t who = 0;
    TRY(nobody_yet(walk, &who));
    TRY(level_begin(along));
    for (size_t i = 0; i < walk->initial.steps.length; i++) {
        const uint32_t *state = walk->initial.states.items + i * walk->slots;
        const lp_variable *variables;
        size_t count;
        TRY(show(walk, state, NULL, &variables, &count));
        if (variables_equal(variables, count, execution->start, execution->start_count))
            TRY(level_add(along, state, who, 0, LABEL_TAU));
    }
    return STATUS_OK;
}

#define WAITS "waits at " /* what stands before the statement in a step that is none */

/* Whether step `index` says that a thread waits, and it does in `from`, whose successors were asked
 * for last. Such a step of a loop leads nowhere else; successors have none. */
static enum status waits_there(const struct along *along, size_t index, const uint32_t *from,
                               bool *waits)
{
    struct process *process = &along->walk->process;
    const lp_step *step = &along->execution->steps[index];
    *waits = process->has_lin && strncmp(step->event, WAITS, strlen(WAITS)) == 0 &&
             step->process < process->lin.steps.setting.threads &&
             (along->out.waiting >> step->process & 1);
    if (!*waits)
        return STATUS_OK;
    struct text text = TEXT_EMPTY;
    label note = lin_model_note(&process->lin.model, from, step->process);
    labels_print(process->labels, note, &text);
    *waits = strcmp(text_string(&text), step->event + strlen(WAITS)) == 0;
    text_release(&text);
    return STATUS_OK;
}

/* The places behind step `index`; a fault of the model on another way is none of this one. */
static enum status along_step(struct along *along, size_t index, struct error *error)
{
    const struct model *model = along->walk->process.model;
    uint32_t first = along->levels.items[index], end = (uint32_t)along->places.length;
    TRY(level_begin(along));
    for (uint32_t at = first; at < end; at++) {
        const uint32_t *from = state_table_get(&along->states, along->places.items[at].state);
        uint32_t who = along->places.items[at].who;
        lp_step *steps = NULL;
        successors_clear(&along->out);
        enum status status =
            worker_successors(along->walk->process.worker, from, &along->out, error);
        if (status == STATUS_INPUT)
            continue;
        TRY(status);
        bool waits;
        TRY(waits_there(along, index, from, &waits));
        if (waits) {
            TRY(level_add(along, from, who, at, LABEL_TAU));
            continue;
        }
        TRY(describe(along->walk, from, who, &along->out, &steps, error));
        for (size_t i = 0; i < along->out.steps.length; i++) {
            if (!same_step(&steps[i], &along->execution->steps[index]))
                continue;
            TRY(who_behind(along->walk, i, &who));
            TRY(level_add(along, along->out.states.items + i * model->slots, who, at,
                          along->out.steps.items[i].shown));
        }
        forget(along->walk);
    }
    return STATUS_OK;
}

/* Whether the loop can be gone round from a place back to its state; nodes may then have other
 * names, and processes that are alike each other's places. */
static enum status goes_round(const struct along *along, const struct place_reached *from,
                              bool *round, struct error *error)
{
    const uint32_t *state = state_table_get(&along->states, from->state);
    const lp_execution *whole = along->execution;
    const struct model *model = along->walk->process.model;
    const lp_execution loop = {.steps = whole->steps + whole->loop_start,
                               .length = whole->length - whole->loop_start};
    struct along again = {.walk = along->walk, .execution = &loop};
    along_init(&again, model);
    enum status status = level_begin(&again);
    if (status == STATUS_OK)
        status = level_add(&again, state, from->who, 0, LABEL_TAU); /* as state 0 */
    for (size_t i = 0; status == STATUS_OK && i < loop.length; i++)
        status = along_step(&again, i, error);
    *round = false;
    size_t last = status == STATUS_OK ? again.levels.items[loop.length] : again.places.length;
    for (size_t i = last; status == STATUS_OK && i < again.places.length && !*round; i++)
        status =
            process_is_same(&along->walk->process, state_table_get(&again.states, 0),
                            state_table_get(&again.states, again.places.items[i].state), round);
    along_release(&again);
    return status;
}

/* Whether the execution, all of whose steps there are, is a lasso whose loop does not close. */
static enum status is_open(const struct along *along, bool *open, struct error *error)
{
    const lp_execution *execution = along->execution;
    size_t level = execution->loop_start;
    *open = execution->is_lasso && along->levels.length > execution->length &&
            level < execution->length;
    if (!*open)
        return STATUS_OK;
    for (uint32_t at = along->levels.items[level]; at < along->levels.items[level + 1] && *open;
         at++) {
        bool round;
        TRY(goes_round(along, &along->places.items[at], &round, error));
        *open = !round;
    }
    return STATUS_OK;
}

/* Makes the way to the last level that is not empty the walk's path. */
static enum status along_take(struct along *along, size_t *followed)
{
    lp_walk *walk = along->walk;
    size_t levels = along->levels.length;
    if (along->levels.items[levels - 1] == along->places.length)
        levels--;
    if (levels == 0)
        return STATUS_OK; /* not even its initial state */
    uint32_t at = along->levels.items[levels - 1];
    TRY_MEMORY(vector_reserve(&walk->path, levels * walk->slots) &&
               vector_reserve(&walk->taken, levels - 1) && vector_reserve(&walk->who, levels));
    walk->path.length = levels * walk->slots;
    walk->taken.length = levels - 1;
    walk->who.length = levels;
    for (size_t i = levels; i-- > 0;) {
        const struct place_reached *reached = &along->places.items[at];
        memcpy(walk->path.items + i * walk->slots, state_table_get(&along->states, reached->state),
               walk->slots * sizeof *walk->path.items);
        walk->who.items[i] = reached->who;
        if (i > 0)
            walk->taken.items[i - 1] = reached->by;
        at = reached->parent;
    }
    *followed = levels - 1;
    return STATUS_OK;
}

static enum status follow(struct along *along, size_t *followed, struct error *error)
{
    bool open;
    TRY(along_start(along));
    for (size_t i = 0; i < along->execution->length; i++) {
        if (along->levels.items[i] == along->places.length)
            break;
        TRY(along_step(along, i, error));
    }
    TRY(is_open(along, &open, error));
    TRY(along_take(along, followed));
    if (open && *followed == along->execution->length) {
        --*followed;
        along->walk->path.length -= along->walk->slots;
        along->walk->taken.length--;
        along->walk->who.length--;
    }
    return STATUS_OK;
}

lp_status lp_walk_along(lp_walk *walk, const lp_execution *execution, size_t *followed,
                        lp_error *error)
{
    REQUIRE_ALIVE(walk, WALK_MAGIC);
    REQUIRE_NOT_NULL(execution);
    REQUIRE_NOT_NULL(followed);
    struct error fault;
    const struct model *model = walk->process.model;
    struct along along = {.walk = walk, .execution = execution};
    along_init(&along, model);
    *followed = 0;
    walk->path.length = walk->slots;
    walk->taken.length = 0;
    walk->who.length = 1;
    enum status status = follow(&along, followed, &fault);
    LOG(walk->process.limits.log,
        "walk: %zu of the trace's %zu steps can be taken, by way of %" PRIu32 " states", *followed,
        execution->length, along.states.count);
    forget(walk);
    along_release(&along);
    return answer(walk, status, &fault, error);
}
