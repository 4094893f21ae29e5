#include "csp/model.h"

#include <assert.h>
#include <string.h>

#include "csp/at_work.h"
#include "csp/follow.h"
#include "csp/instantiate.h"
#include "csp/liveness.h"
#include "csp/message.h"
#include "csp/moves.h"
#include "csp/print_state.h"

/* ---- workers ---- */

static struct csp_worker *worker_of(struct worker *base)
{
    return (struct csp_worker *)base;
}

/* Of what workers share the pools grow. */
static struct worker *create_worker(const struct model *base)
{
    struct csp_shared *shared = &((struct csp_model *)base)->shared;
    struct csp_worker *worker = memory_zeroed(base->budget, sizeof *worker);
    if (!worker)
        return NULL;
    worker->worker.model = base;
    if (csp_worker_init(worker, shared) == STATUS_OK)
        return &worker->worker;
    csp_worker_release(worker);
    memory_release(base->budget, worker, sizeof *worker);
    return NULL;
}

static void destroy_worker(struct worker *base)
{
    struct csp_worker *worker = worker_of(base);
    csp_worker_release(worker);
    memory_release(base->model->budget, worker, sizeof *worker);
}

/* ---- states ---- */

static enum status push_state(const struct csp_program *program, struct successors *out,
                              const struct step *step, term control, const uint32_t *slots)
{
    if (!vector_push(&out->steps, *step) ||
        !vector_reserve(&out->states, out->states.length + program->slot_count + 1))
        return STATUS_LIMIT;
    uint32_t *state = out->states.items + out->states.length;
    state[0] = control;
    memcpy(state + 1, slots, program->slot_count * sizeof *slots);
    out->states.length += program->slot_count + 1;
    return STATUS_OK;
}

/* The next valuation of the wild variables: counts through all of them; false at the end. */
static bool next_wild(const struct csp_program *program, uint32_t *slots)
{
    for (size_t i = 0; i < program->variables.length; i++) {
        const struct variable_info *info = &program->variables.items[i];
        const struct range_limit *range = &program->ranges.items[info->range];
        for (uint32_t j = 0; info->wild && j < info->length; j++) {
            uint32_t *slot = &slots[info->slot + j];
            if ((int32_t)*slot < range->high) {
                ++*slot;
                return true;
            }
            *slot = (uint32_t)range->low;
        }
    }
    return false;
}

static enum status initial(struct worker *base, struct successors *out, struct error *error)
{
    const struct csp_model *model = (const struct csp_model *)base->model;
    struct csp_worker *worker = worker_of(base);
    const struct csp_program *program = model->shared.program;
    const struct step step = {.label = LABEL_TAU, .shown = LABEL_TAU};
    memcpy(worker->valuation, program->initial, program->slot_count * sizeof *worker->valuation);
    do {
        TRY(csp_look(&worker->terms));
        TRY(csp_count_at_work(worker, model->start, worker->valuation, error));
        TRY(push_state(program, out, &step, model->start, worker->valuation));
    } while (next_wild(program, worker->valuation));
    return STATUS_OK;
}

/* Runs the move's programs and changes its channel: the state it leads to. */
static enum status take(struct csp_worker *worker, const struct move *move, const uint32_t *slots,
                        struct successors *out, struct error *error)
{
    const struct step step = {.label = move->label,
                              .shown = move->shown,
                              .process = move->process,
                              .preempts = move->atomic || move->enters_atomic,
                              .processes =
                                  move->processes ? move->processes : step_bit(move->process)};
    const bool counts = worker->shared->program->counts.length > 0;
    if (move->channel == UINT32_MAX && !move->programs[0] && !move->programs[1] && !counts)
        return push_state(worker->shared->program, out, &step, move->target, slots);
    const size_t start = out->states.length;
    TRY(push_state(worker->shared->program, out, &step, move->target, slots));
    uint32_t *after = out->states.items + start + 1;
    if (move->channel != UINT32_MAX)
        after[move->channel] = move->content;
    struct machine machine = csp_machine(worker->shared->program);
    struct fault fault;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ARRAY_LENGTH(move->programs) && status == STATUS_OK; i++)
        if (move->programs[i])
            status = csp_ran(worker, machine_run(&machine, move->programs[i], after, NULL, &fault),
                             &fault, error);
    if (status == STATUS_OK && counts)
        status = csp_count_at_work(worker, move->target, after, error);
    if (status != STATUS_OK) {
        out->states.length = start;
        out->steps.length--;
    }
    return status;
}

static bool some_are_atomic(const struct csp_worker *worker)
{
    bool atomic = false;
    for (size_t i = 0; i < worker->moves.length; i++)
        atomic |= worker->moves.items[i].atomic && worker->moves.items[i].kind == MOVE_STEP;
    return atomic;
}

/* If any step is atomic, only atomic steps are offered; halves of communications never. */
static inline bool is_offered(const struct move *move, bool only_atomic)
{
    return move->kind == MOVE_STEP && (move->atomic || !only_atomic);
}

static enum status successors(struct worker *base, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    TRY(csp_moves(worker, state[0], state + 1, error));
    const bool only_atomic = some_are_atomic(worker);
    for (size_t i = 0; i < worker->moves.length; i++)
        if (is_offered(&worker->moves.items[i], only_atomic))
            TRY(take(worker, &worker->moves.items[i], state + 1, out, error));
    return STATUS_OK;
}

static enum status follow(struct worker *base, const uint32_t *state, const uint32_t *who,
                          size_t length, const struct successors *of, struct followed *out,
                          struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    (void)of;
    TRY(csp_follow_begin(worker, who, length));
    enum status status = csp_moves(worker, state[0], state + 1, error);
    csp_follow_end(worker);
    const bool only_atomic = some_are_atomic(worker);
    for (size_t i = 0; i < worker->moves.length && status == STATUS_OK; i++)
        if (is_offered(&worker->moves.items[i], only_atomic))
            status = csp_follow_tell(worker, &worker->moves.items[i], out);
    return status;
}

static enum status condition(struct worker *base, uint32_t number, const uint32_t *state,
                             int64_t *result, struct error *error)
{
    const struct csp_model *model = (const struct csp_model *)base->model;
    struct csp_worker *worker = worker_of(base);
    struct machine machine = csp_machine(worker->shared->program);
    struct fault fault;
    assert(number < model->conditions.length);
    struct csp_condition asked = model->conditions.items[number];
    uint32_t *slots = worker->valuation;
    datum d = 0;
    bool holds = false;
    memcpy(slots, state + 1, worker->shared->program->slot_count * sizeof *slots);
    enum ran ran = asked.is_proposition ? machine_test(&machine, asked.code, slots, &holds, &fault)
                                        : machine_run(&machine, asked.code, slots, &d, &fault);
    TRY(csp_ran(worker, ran, &fault, error));
    *result = asked.is_proposition ? holds : datum_bits(d);
    return STATUS_OK;
}

static void print(const struct model *base, const uint32_t *state, const uint32_t *before,
                  struct text *text)
{
    csp_print_state(((const struct csp_model *)base)->shared.program, state, before, text);
}

/* ---- outlooks ---- */

/* Makes of a term the composition that it is at heart, if it is one. What stands behind it in a
 * sequence comes when all its components have terminated, which one that can go on otherwise is in
 * the way of. */
static bool outermost(const struct csp_terms *terms, term *t, enum term_kind *kind)
{
    size_t length;
    for (;;) {
        const uint32_t *at = term_words(terms, *t, &length);
        *kind = term_kind_of(terms, *t);
        if (*kind == TERM_KIND_HIDE)
            *t = at[1];
        else if (*kind == TERM_KIND_SEQUENCE)
            *t = at[0];
        else
            return *kind == TERM_KIND_INTERLEAVE || *kind == TERM_KIND_PARALLEL ||
                   *kind == TERM_KIND_COPIES;
    }
}

/* Adds the events that a component of `||` may take with others first. Where it is in several
 * alphabets but not in the component's own, it never takes it. */
static enum status add_joint_events(struct csp_worker *worker, uint32_t alphabets,
                                    const struct csp_outlook *found, uint32_t component,
                                    struct outlooks *out)
{
    size_t count;
    const label *events = shared_words_get(&worker->terms.pool->label_sets, found->events, &count);
    struct outlook *outlook = &out->items.items[component];
    outlook->event = (uint32_t)out->events.length;
    for (size_t i = 0; i <= count; i++) {
        if (i == count && !(found->first & FIRST_TERMINATES))
            break;
        label l = i < count ? events[i] : LABEL_TERMINATE;
        uint64_t takers = (UINT64_C(1) << worker->leaves.length) - 1;
        if (l != LABEL_TERMINATE)
            TRY(csp_owners_of(&worker->owners, &worker->terms, alphabets, l, &takers));
        if ((takers & step_bit(component)) && (takers & (takers - 1)) &&
            !vector_push(&out->events, ((struct joint_event){l, takers})))
            return STATUS_LIMIT;
    }
    outlook->events = (uint32_t)out->events.length - outlook->event;
    return STATUS_OK;
}

/* The processes that a composition is made of, in worker->leaves; of `||` their alphabets in
 * worker->sets. */
static enum status find_leaves(struct csp_worker *worker, term t)
{
    const struct composition composition = csp_composition(worker, t);
    size_t length;
    uint32_t apart = 0;
    worker->leaves.length = worker->sets.length = 0;
    if (worker->shared->takes_apart)
        TRY(csp_leaves(&worker->owners, &worker->terms, t, &apart));
    if (apart)
        return granted(csp_leaves_list(&worker->terms, t, &worker->leaves, &worker->sets));
    const uint32_t *at = term_words(&worker->terms, t, &length);
    for (uint32_t i = 0; i < composition.count; i++) {
        TRY_MEMORY(vector_push(&worker->leaves, csp_component(worker, &composition, i)));
        if (composition.kind == TERM_KIND_PARALLEL)
            TRY_MEMORY(vector_push(&worker->sets, at[1 + composition.count + i]));
    }
    return STATUS_OK;
}

/* Of copies: component i is, or may become, more than one. */
static bool stands_for_several(const struct csp_worker *worker, term t, uint32_t i)
{
    size_t length;
    const uint32_t *at = term_words(&worker->terms, t, &length);
    return at[0] || at[1 + 2 * i] > 1;
}

static enum status outlooks(struct worker *base, const uint32_t *state, struct outlooks *out,
                            struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    struct csp_footprints *footprints = &worker->shared->footprints;
    enum term_kind kind;
    term t = state[0];
    uint32_t alphabets = 0;
    (void)error;
    out->items.length = out->events.length = 0;
    out->words = footprints->words;
    if (worker->shared->program->counts.length) /* a step of any process may change what is read */
        return STATUS_OK;
    if (!outermost(&worker->terms, &t, &kind))
        return STATUS_OK;
    TRY(find_leaves(worker, t));
    /* With whom the components of `||` take which events is known, where nothing is atomic. */
    const bool known = kind == TERM_KIND_PARALLEL && worker->leaves.length <= STEP_OWN_BITS &&
                       !footprints->has_atomic;
    const uint8_t joint = known ? FIRST_ANY_EVENT | FIRST_COMMUNICATES : csp_joint_steps(kind);
    if (known) {
        alphabets = csp_alphabets(&worker->owners, worker->sets.items, worker->sets.length);
        TRY_MEMORY(alphabets != UINT32_MAX);
    }
    for (uint32_t i = 0; i < worker->leaves.length; i++) {
        const struct csp_outlook *found = csp_outlook_of(footprints, worker->leaves.items[i]);
        if (!found)
            return STATUS_LIMIT;
        struct outlook outlook = {.next = csp_footprint(footprints, found->next),
                                  .future = csp_footprint(footprints, found->future),
                                  .joint = found->first & joint,
                                  .conditional = found->first & FIRST_CONDITIONAL,
                                  .synchronises = found->first & csp_joint_steps(kind),
                                  .faults = csp_footprint(footprints, found->future)[0] &
                                            FOOTPRINT_FAULTS,
                                  .labelled = found->first & FIRST_LABELLED};
        outlook.several = kind == TERM_KIND_COPIES && stands_for_several(worker, t, i);
        if (!vector_push(&out->items, outlook))
            return STATUS_LIMIT;
        if (known)
            TRY(add_joint_events(worker, alphabets, found, i, out));
    }
    return STATUS_OK;
}

/* Atomic steps of other processes would go before its own. Of a component that is taken apart the
 * steps of all its leaves are appended. */
static enum status process_steps(struct worker *base, const uint32_t *state, uint32_t process,
                                 struct successors *out, struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    enum term_kind kind;
    term t = state[0];
    uint32_t leaves = 0;
    if (worker->shared->takes_apart && outermost(&worker->terms, &t, &kind))
        TRY(csp_leaves(&worker->owners, &worker->terms, t, &leaves));
    if (leaves)
        process = csp_leaf_component(&worker->terms, t, process);
    worker->only = worker->shared->footprints.has_atomic ? UINT32_MAX : process;
    enum status status = successors(base, state, out, error);
    worker->only = UINT32_MAX;
    return status;
}

/* Takes out the elements that nobody will read because all that read the array have gone on. What
 * is dead itself does not count, for it is read no more: it only grows, and whoever makes it grow
 * reads it. So states that differ by it agree, and what was taken out once stays out. */
static void forget_passed(const struct growing_read *read, const uint32_t *slots,
                          const uint32_t *alive, uint32_t *live_slots)
{
    int64_t least = INT32_MAX;
    for (uint32_t i = read->by; i < read->by + read->by_length; i++) {
        const bool is_live = alive[(i + 1) / 32] >> ((i + 1) % 32) & 1;
        const int32_t number = (int32_t)slots[i];
        least = is_live && number < least ? number : least;
    }
    least += read->offset;
    for (uint32_t i = 0; i < read->length && least > 0; i++) {
        uint32_t slot = read->slot + i + 1;
        if (i / read->stride % read->size < least)
            live_slots[slot / 32] &= ~(UINT32_C(1) << slot % 32);
    }
}

static enum status live(struct worker *base, const uint32_t *state, const uint32_t **live_slots,
                        struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    const struct csp_program *program = worker->shared->program;
    const uint32_t words = worker->shared->footprints.words;
    (void)error;
    TRY(csp_live_slots(&worker->shared->footprints, state[0], live_slots));
    if (program->growing.length == 0)
        return STATUS_OK;
    if (!vector_reserve(&worker->live, words))
        return STATUS_LIMIT;
    memcpy(worker->live.items, *live_slots, words * sizeof **live_slots);
    for (size_t i = 0; i < program->growing.length; i++)
        forget_passed(&program->growing.items[i], state + 1, *live_slots, worker->live.items);
    *live_slots = worker->live.items;
    return STATUS_OK;
}

static enum status turn(struct worker *base, uint32_t *state, struct renumbering by,
                        struct error *error)
{
    struct csp_worker *worker = worker_of(base);
    return csp_turn_state(&worker->shared->turn, state, by.threads, worker->trial, error);
}

static enum status arrange(struct worker *base, uint32_t *state, struct renumbering *by,
                           struct error *error)
{
    *by = RENUMBERING_NONE;
    TRY(csp_turn_order(&worker_of(base)->shared->turn, state, &by->threads, error));
    return turn(base, state, *by, error);
}

static label turn_label(struct worker *base, label l, struct renumbering by)
{
    return csp_turn_label(worker_of(base)->shared->turn.indices, l, by.threads);
}

static uint32_t control(const struct model *base, const uint32_t *state)
{
    (void)base;
    return state[0];
}

static void condition_touches(const struct model *base, uint32_t number, uint32_t *sets)
{
    const struct csp_model *model = (const struct csp_model *)base;
    csp_footprint_add_code(model->shared.program, model->conditions.items[number].code, sets);
}

static uint64_t known(const struct model *base)
{
    const struct csp_shared *shared = &((const struct csp_model *)base)->shared;
    const struct csp_footprints *footprints = &shared->footprints;
    return labels_count(shared->pool.labels) + shared_words_count(&shared->pool.terms) +
           shared_words_count(&shared->pool.label_sets) +
           shared_words_count(&shared->pool.closure_keys) +
           shared_words_count(&shared->unfolded.body_keys) +
           shared_words_count(&shared->unfolded.instance_keys) +
           codes_count(shared->program->codes) + object_pool_count(shared->program->objects) +
           shared_words_count(&footprints->footprints) + atomic_load(&footprints->worked_out) +
           (shared->turn.indices ? shared_words_count(&shared->turn.keys) : 0) +
           atomic_load(&shared->inexact);
}

static const struct model_class csp_class = {
    .name = "CSP#",
    .worker_create = create_worker,
    .worker_destroy = destroy_worker,
    .initial = initial,
    .successors = successors,
    .process_steps = process_steps,
    .follow = follow,
    .evaluate = condition,
    .outlooks = outlooks,
    .control = control,
    .live = live,
    .turn = turn,
    .arrange = arrange,
    .turn_label = turn_label,
    .condition_touches = condition_touches,
    .known = known,
    .print = print,
};

/* ---- creation ---- */

static enum status create_shared(struct csp_shared *shared, struct csp_program *program,
                                 struct labels *labels, struct limits *limits,
                                 const struct csp_counting *counting, struct csp_indices *indices)
{
    shared->program = program;
    for (size_t i = 0; i < program->channels.length; i++)
        shared->synchronous |= program->channels.items[i].capacity == 0;
    csp_unfolded_init(&shared->unfolded, program->budget);
    TRY(csp_term_pool_create(program, labels, limits, counting, &shared->pool));
    TRY(csp_footprints_create(&shared->pool, &shared->unfolded, &shared->footprints));
    if (indices)
        TRY(csp_turn_create(&shared->pool, indices, &shared->turn));
    shared->shown_if = labels_intern_named(labels, LABEL_NOTE, "[if]", NULL, 0);
    return shared->shown_if == LABEL_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status make_start(struct csp_model *model, const struct csp_process *process,
                              struct error *error)
{
    struct csp_terms terms;
    csp_terms_init(&terms, &model->shared.pool);
    csp_terms_lock(&terms);
    enum status status = csp_instantiate(&terms, process, NULL, &model->start, error);
    csp_terms_unlock(&terms);
    csp_terms_release(&terms);
    return status;
}

enum status csp_model_create(struct csp_program *program, const struct csp_process *process,
                             struct labels *labels, struct limits *limits,
                             const struct csp_counting *counting, struct csp_indices *indices,
                             struct csp_model **result, struct error *error)
{
    struct csp_model *model = memory_zeroed(program->budget, sizeof *model);
    *result = NULL;
    if (!model)
        return STATUS_LIMIT;
    model->process = process;
    model->model = (struct model){.class = &csp_class,
                                  .labels = labels,
                                  .budget = program->budget,
                                  .slots = program->slot_count + 1,
                                  .identity_slots = program->identity_slots + 1};
    vector_init(&model->conditions, program->budget);
    enum status status = create_shared(&model->shared, program, labels, limits, counting, indices);
    if (status == STATUS_OK)
        status = make_start(model, process, error);
    if (status != STATUS_OK) {
        csp_model_destroy(model);
        return status;
    }
    *result = model;
    return STATUS_OK;
}

void csp_model_destroy(struct csp_model *model)
{
    if (!model)
        return;
    csp_turn_release(&model->shared.turn);
    csp_footprints_release(&model->shared.footprints);
    csp_term_pool_release(&model->shared.pool);
    csp_unfolded_release(&model->shared.unfolded);
    vector_release(&model->conditions);
    memory_release(model->model.budget, model, sizeof *model);
}

void csp_model_take_apart(struct csp_model *model)
{
    const struct csp_shared *shared = &model->shared;
    model->shared.takes_apart =
        !shared->footprints.has_atomic && shared->program->module->alphabets.length == 0;
}

void csp_model_unlimited(struct csp_model *model)
{
    model->shared.pool.limits = NULL;
}

static enum status number_condition(struct csp_model *model, bool is_proposition,
                                    const struct csp_expression *expression, uint32_t *number,
                                    struct error *error)
{
    struct csp_condition made = {.is_proposition = is_proposition};
    TRY(csp_compile_expression(model->shared.program, expression, NULL, &made.code, error));
    *number = (uint32_t)model->conditions.length;
    return vector_push(&model->conditions, made) ? STATUS_OK : STATUS_LIMIT;
}

enum status csp_model_proposition(struct csp_model *model, const struct csp_expression *expression,
                                  uint32_t *number, struct error *error)
{
    TRY(number_condition(model, true, expression, number, error));
    /* One that ends its code is a fault when it runs: machine_test. */
    const struct code *code =
        codes_get(model->shared.program->codes, model->conditions.items[*number].code);
    for (uint32_t i = 0; i + 1 < code->length; i++)
        if (opcode_stores((enum opcode)code->instructions[i].op) &&
            code->instructions[i].op != OP_STORE_LOCAL &&
            code->instructions[i].op != OP_STORE_LOCAL_AT)
            return script_error(model->shared.program->module->script, code->places[i], error,
                                "expected a condition, found an assignment inside it: `=` assigns, "
                                "`==` compares");
    return STATUS_OK;
}

enum status csp_model_value(struct csp_model *model, const struct csp_expression *expression,
                            uint32_t *number, struct error *error)
{
    return number_condition(model, false, expression, number, error);
}
