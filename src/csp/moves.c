/* The operational semantics of CSP#: what a term may do in a valuation (docs/manual/csp.md says it
 * for people). Each operator lets its parts append their moves and then adapts them in place:
 * targets are wrapped, terminations turned into steps, hidden labels into τ.
 *
 * A synchronous channel needs an output and an input of two different components. The outputs that
 * the state offers are collected first, so that an input can be offered for exactly the tuples that
 * somebody sends: both halves then travel upwards with their targets known, and meet in the
 * composition that has the two in different components. */
#include "csp/moves.h"

#include "csp/compose.h"
#include "csp/follow.h"
#include "csp/prefix.h"

#define MOST_ARGUMENTS 32
#define MAX_NESTING    2500 /* processes within processes: the stack has to hold as many calls */
#define MAX_UNFOLDING  1000 /* references without a step between them: unguarded recursion */

typedef const uint32_t *words;

static enum status moves(struct csp_worker *worker, term t, const uint32_t *slots, unsigned level,
                         struct error *error);

/* ---- references, conditions ---- */

/* Kept where the arguments are constants. */
enum status csp_body_of(struct csp_worker *worker, term t, const uint32_t *slots, term *body,
                        struct error *error)
{
    size_t count;
    words at = term_words(&worker->terms, t, &count);
    const struct csp_module *module = worker->shared->program->module;
    const struct csp_definition *definition = &module->definitions.items[at[0]];
    datum arguments[MOST_ARGUMENTS], ignored;
    if (--count > MOST_ARGUMENTS)
        return script_error(module->script, definition->at, error,
                            "expected at most %d parameters, found %zu", MOST_ARGUMENTS, count);
    uint32_t *fixed = csp_fixed(worker, t);
    TRY_MEMORY(fixed);
    if (*fixed) {
        *body = *fixed - 1;
        return STATUS_OK;
    }
    uint32_t number = at[0];
    bool constant = true;
    for (size_t i = 0; i < count; i++) {
        constant =
            constant && code_is_constant(worker->shared->program->codes, at[i + 1], &ignored);
        TRY(csp_evaluate(worker, at[i + 1], slots, &arguments[i], error));
    }
    TRY(csp_unfold(&worker->terms, &worker->shared->unfolded, number, arguments, count, body,
                   error));
    if (constant)
        *fixed = *body + 1;
    return STATUS_OK;
}

static enum status reference(struct csp_worker *worker, term t, words at, const uint32_t *slots,
                             unsigned level, struct error *error)
{
    const struct csp_module *module = worker->shared->program->module;
    const struct csp_definition *definition = &module->definitions.items[at[0]];
    if (worker->depth >= MAX_UNFOLDING)
        return script_error(module->script, definition->at, error,
                            "expected a step before `%s` comes up again, found none: the recursion "
                            "is not guarded",
                            definition->name);
    term body = 0;
    TRY(csp_body_of(worker, t, slots, &body, error));
    worker->depth++;
    enum status status = moves(worker, body, slots, level, error);
    worker->depth--;
    return status;
}

/* τ steps of conditionals are shown as PAT shows them. */
static enum status choose(struct csp_worker *worker, term target)
{
    struct move move = csp_silent_move(target);
    move.shown = worker->shared->shown_if;
    return csp_add_move(worker, move);
}

static enum status cases(struct csp_worker *worker, words at, size_t length, const uint32_t *slots,
                         struct error *error)
{
    for (size_t i = 0; i < length; i += 2) {
        bool holds = at[i] == 0;
        term target = at[i + 1];
        if (at[i])
            TRY(csp_test(worker, at[i], slots, &holds, error));
        if (holds)
            return choose(worker, target);
    }
    return choose(worker, TERM_SKIP);
}

/* ---- sequence, choices, interrupt, hiding, atomic ---- */

/* A recursion like A = a -> A; B makes ever longer sequences, each with the one before as its first
 * process. So that a state of it does not cost its length, the moves of such a one are kept, where
 * they are the same in every state. */
static bool is_long(const struct csp_worker *worker, term t)
{
    size_t length;
    return term_kind_of(&worker->terms, t) == TERM_KIND_SEQUENCE &&
           term_kind_of(&worker->terms, term_words(&worker->terms, t, &length)[0]) ==
               TERM_KIND_SEQUENCE;
}

static enum status add_kept(struct csp_worker *worker, uint32_t number)
{
    const size_t first = number ? worker->kept_ends.items[number - 1] : 0;
    for (size_t i = first; i < worker->kept_ends.items[number]; i++)
        TRY(csp_add_move(worker, worker->kept.items[i]));
    return STATUS_OK;
}

/* Keeps the moves from `start` on as those of the term. */
static enum status keep_moves(struct csp_worker *worker, term t, size_t start)
{
    uint32_t *fixed = csp_fixed(worker, t);
    TRY_MEMORY(fixed);
    for (size_t i = start; i < worker->moves.length; i++)
        TRY_MEMORY(vector_push(&worker->kept, worker->moves.items[i]));
    *fixed = (uint32_t)worker->kept_ends.length + 1;
    return granted(vector_push(&worker->kept_ends, worker->kept.length));
}

static enum status moves_of_first(struct csp_worker *worker, term first, const uint32_t *slots,
                                  unsigned level, struct error *error)
{
    const size_t start = worker->moves.length;
    if (!is_long(worker, first))
        return moves(worker, first, slots, level, error);
    const uint32_t *fixed = csp_fixed(worker, first);
    TRY_MEMORY(fixed);
    const bool followed = worker->following.on && level == 0;
    if (*fixed) {
        TRY(add_kept(worker, *fixed - 1));
        return followed ? csp_follow_leaf(worker, start) : STATUS_OK;
    }
    const bool varies = worker->varies;
    worker->varies = false;
    TRY(moves(worker, first, slots, level, error));
    if (!worker->varies && !followed)
        TRY(keep_moves(worker, first, start));
    worker->varies |= varies;
    return STATUS_OK;
}

static enum status sequence(struct csp_worker *worker, term first, term second,
                            const uint32_t *slots, unsigned level, struct error *error)
{
    size_t start = worker->moves.length;
    TRY(moves_of_first(worker, first, slots, level, error));
    for (size_t i = start; i < worker->moves.length; i++) {
        struct move *move = &worker->moves.items[i];
        if (move->label == LABEL_TERMINATE) {
            move->label = move->shown = LABEL_TAU;
            move->target = second;
        } else {
            move->target = term_sequence(&worker->terms, move->target, second);
            TRY_MEMORY(worker->moves.items[i].target != TERM_REFUSED);
        }
    }
    return STATUS_OK;
}

/* The moves of one of several processes that stand side by side. */
static enum status moves_of_child(struct csp_worker *worker, term t, size_t i,
                                  const uint32_t *slots, unsigned level, struct error *error)
{
    size_t length;
    const term child = term_words(&worker->terms, t, &length)[i];
    worker->varies = true;
    if (!worker->following.on || level > 0)
        return moves(worker, child, slots, level, error);
    const size_t outer = csp_follow_child(worker, t, (uint32_t)i);
    enum status status = moves(worker, child, slots, level, error);
    worker->following.at = outer;
    return status;
}

/* [*]: an invisible step of a branch keeps the choice open. */
static enum status external(struct csp_worker *worker, term t, const uint32_t *slots,
                            unsigned level, struct error *error)
{
    size_t length;
    (void)term_words(&worker->terms, t, &length);
    for (size_t i = 0; i < length; i++) {
        size_t start = worker->moves.length;
        TRY(moves_of_child(worker, t, i, slots, level, error));
        for (size_t j = start; j < worker->moves.length; j++) {
            struct move *move = &worker->moves.items[j];
            if (move->label != LABEL_TAU || move->kind != MOVE_STEP)
                continue;
            if (worker->following.on && level == 0)
                TRY(csp_follow_keep(worker, t, (uint32_t)i, move));
            size_t mark = worker->words.length;
            words children = term_words(&worker->terms, t, &length);
            for (size_t k = 0; k < length; k++)
                TRY_MEMORY(vector_push(&worker->words, k == i ? move->target : children[k]));
            term target =
                term_choice(&worker->terms, TERM_KIND_EXTERNAL, worker->words.items + mark, length);
            worker->words.length = mark;
            TRY_MEMORY(target != TERM_REFUSED);
            worker->moves.items[j].target = target;
        }
    }
    return STATUS_OK;
}

static enum status interrupt(struct csp_worker *worker, term t, words at, const uint32_t *slots,
                             unsigned level, struct error *error)
{
    const term first = at[0], second = at[1];
    size_t start = worker->moves.length;
    TRY(moves_of_child(worker, t, 0, slots, level, error));
    size_t middle = worker->moves.length;
    TRY(moves_of_child(worker, t, 1, slots, level, error));
    for (size_t i = start; i < worker->moves.length; i++) {
        struct move *move = &worker->moves.items[i];
        uint32_t pair[] = {move->target, second};
        if (i >= middle) {
            if (move->label != LABEL_TAU || move->kind != MOVE_STEP)
                continue; /* the interrupt has happened */
            pair[0] = first;
            pair[1] = move->target;
        } else if (move->label == LABEL_TERMINATE) {
            continue; /* the first has ended, and with it the interrupt */
        }
        if (worker->following.on && level == 0)
            TRY(csp_follow_keep(worker, t, i >= middle, move));
        term target = term_make(&worker->terms, TERM_KIND_INTERRUPT, pair, 2);
        TRY_MEMORY(target != TERM_REFUSED);
        worker->moves.items[i].target = target;
    }
    return STATUS_OK;
}

static enum status hide(struct csp_worker *worker, uint32_t set, term child, const uint32_t *slots,
                        unsigned level, struct error *error)
{
    size_t start = worker->moves.length;
    TRY(moves(worker, child, slots, level, error));
    for (size_t i = start; i < worker->moves.length; i++) {
        struct move *move = &worker->moves.items[i];
        if (move->label != LABEL_TAU && label_set_has(&worker->terms, set, move->label)) {
            move->shown = labels_hidden(worker->shared->pool.labels, move->label);
            move->label = LABEL_TAU;
        }
        if (move->label != LABEL_TERMINATE)
            move->target = term_hide(&worker->terms, set, move->target);
        TRY_MEMORY(move->target != TERM_REFUSED && move->shown != LABEL_REFUSED);
    }
    return STATUS_OK;
}

static enum status atomic(struct csp_worker *worker, term child, const uint32_t *slots,
                          unsigned level, struct error *error)
{
    size_t start = worker->moves.length;
    TRY(moves(worker, child, slots, level, error));
    for (size_t i = start; i < worker->moves.length; i++) {
        struct move *move = &worker->moves.items[i];
        move->atomic = true;
        if (move->label != LABEL_TERMINATE)
            move->target = term_atomic(&worker->terms, move->target);
        TRY_MEMORY(move->target != TERM_REFUSED);
    }
    return STATUS_OK;
}

/* ---- compositions ---- */

/* Notes which component of the outermost composition takes the step, and whether it can go on
 * atomically: by itself, or by a step that it takes together with others, who may be atomic. */
static enum status mark_column(struct csp_worker *worker, enum term_kind kind, struct move *move,
                               uint32_t column)
{
    uint8_t first = 0;
    move->process = column;
    move->processes = step_bit(column);
    if (worker->shared->footprints.has_atomic)
        TRY(csp_first_steps(&worker->shared->footprints, move->target, &first));
    move->enters_atomic = first & (FIRST_ATOMIC | csp_joint_steps(kind));
    return STATUS_OK;
}

/* Whether the steps of a composition tell of its leaves: the outermost one, or a component of one
 * that does. */
static enum status is_apart(struct csp_worker *worker, const struct composition *composition,
                            unsigned level, bool *apart)
{
    uint32_t leaves = 0;
    *apart = worker->within;
    worker->within = false;
    if (level > 0 || !worker->shared->takes_apart)
        return STATUS_OK;
    TRY(csp_leaves(&worker->owners, &worker->terms, composition->t, &leaves));
    *apart = leaves > 0;
    worker->leaf = 0;
    return STATUS_OK;
}

/* Lets every component append its moves, and takes them over. */
static enum status gather(struct csp_worker *worker, const struct composition *composition,
                          const uint32_t *slots, unsigned level, part_moves *parts,
                          struct error *error)
{
    bool apart = false;
    TRY(is_apart(worker, composition, level, &apart));
    for (uint32_t i = 0; i < composition->count; i++) {
        size_t start = worker->moves.length;
        const term component = csp_component(worker, composition, i);
        const uint32_t leaf = worker->leaf;
        const bool within = apart && term_kind_of(&worker->terms, component) == TERM_KIND_PARALLEL;
        if (level == 0 && worker->only != UINT32_MAX && worker->only != i) {
            worker->leaf += apart ? csp_leaves_within(&worker->terms, component) : 0;
            continue;
        }
        worker->within = within;
        TRY(moves(worker, component, slots, level + 1, error));
        worker->leaf += apart && !within;
        for (size_t j = start; j < worker->moves.length; j++) {
            struct part_move part = {worker->moves.items[j], i};
            const uint64_t processes = within ? part.move.processes : step_bit(leaf);
            if (level == 0)
                TRY(mark_column(worker, composition->kind, &part.move, i));
            if (apart)
                part.move.processes = processes;
            if (level == 0 && worker->following.on)
                TRY(csp_follow_component(worker, composition, i, &part.move));
            TRY_MEMORY(vector_push(parts, part));
        }
        worker->moves.length = start;
    }
    return STATUS_OK;
}

static enum status composition_moves(struct csp_worker *worker, term t, const uint32_t *slots,
                                     unsigned level, struct error *error)
{
    const struct composition composition = csp_composition(worker, t);
    part_moves parts;
    worker->varies = true;
    vector_init(&parts, worker->shared->pool.budget);
    enum status status = gather(worker, &composition, slots, level, &parts, error);
    if (status == STATUS_OK)
        status = csp_compose(worker, &composition, &parts, slots, error);
    vector_release(&parts);
    return status;
}

/* ---- all kinds ---- */

static enum status all(struct csp_worker *worker, term t, const uint32_t *slots, unsigned level,
                       bool internal, struct error *error)
{
    size_t length;
    (void)term_words(&worker->terms, t, &length);
    for (size_t i = 0; i < length; i++) {
        term child = term_words(&worker->terms, t, &length)[i];
        if (internal)
            TRY(csp_add_move(worker, csp_silent_move(child)));
        else
            TRY(moves(worker, child, slots, level, error));
    }
    return STATUS_OK;
}

static enum status moves_of_kind(struct csp_worker *worker, term t, const uint32_t *slots,
                                 unsigned level, struct error *error)
{
    size_t length;
    words at = term_words(&worker->terms, t, &length);
    enum term_kind kind = term_kind_of(&worker->terms, t);
    bool holds = false;
    struct move move;
    switch (kind) {
    case TERM_KIND_STOP:
        return STATUS_OK;
    case TERM_KIND_SKIP:
        move = csp_silent_move(TERM_STOP);
        move.label = move.shown = LABEL_TERMINATE;
        return csp_add_move(worker, move);
    case TERM_KIND_EVENT:
        return csp_event_moves(worker, t, at, length, slots, error);
    case TERM_KIND_OUTPUT:
        return csp_output_moves(worker, at, length, slots, error);
    case TERM_KIND_INPUT:
        return csp_input_moves(worker, at[0], slots, error);
    case TERM_KIND_REFERENCE:
        return reference(worker, t, at, slots, level, error);
    case TERM_KIND_SEQUENCE:
        return sequence(worker, at[0], at[1], slots, level, error);
    case TERM_KIND_GUARD:
        TRY(csp_test(worker, at[0], slots, &holds, error));
        return holds ? moves(worker, at[1], slots, level, error) : STATUS_OK;
    case TERM_KIND_IF:
        TRY(csp_test(worker, at[0], slots, &holds, error));
        return choose(worker, holds ? at[1] : at[2]);
    case TERM_KIND_IF_ATOMIC:
        TRY(csp_test(worker, at[0], slots, &holds, error));
        return moves(worker, holds ? at[1] : at[2], slots, level, error);
    case TERM_KIND_IF_BLOCKING:
        TRY(csp_test(worker, at[0], slots, &holds, error));
        return holds ? choose(worker, at[1]) : STATUS_OK;
    case TERM_KIND_CASE:
        return cases(worker, at, length, slots, error);
    case TERM_KIND_CHOICE:
    case TERM_KIND_INTERNAL:
        return all(worker, t, slots, level, kind == TERM_KIND_INTERNAL, error);
    case TERM_KIND_EXTERNAL:
        return external(worker, t, slots, level, error);
    case TERM_KIND_INTERRUPT:
        return interrupt(worker, t, at, slots, level, error);
    case TERM_KIND_HIDE:
        return hide(worker, at[0], at[1], slots, level, error);
    case TERM_KIND_ATOMIC:
        return atomic(worker, at[0], slots, level, error);
    case TERM_KIND_ASSERT:
        TRY(csp_test(worker, at[0], slots, &holds, error));
        if (!holds)
            return script_error(worker->shared->program->module->script,
                                codes_get(worker->shared->program->codes, at[0])->places[0], error,
                                "an assertion of the model fails");
        move = csp_silent_move(TERM_STOP);
        move.label = move.shown = LABEL_TERMINATE;
        return csp_add_move(worker, move);
    default:
        return composition_moves(worker, t, slots, level, error);
    }
}

static enum status moves_followed(struct csp_worker *worker, term t, const uint32_t *slots,
                                  struct error *error)
{
    const size_t first = worker->moves.length;
    struct csp_followed_from from;
    TRY(csp_follow_into(worker, t, &from));
    TRY(moves_of_kind(worker, t, slots, 0, error));
    return csp_follow_out(worker, &from, first);
}

/* Each call is nested in the one for the process around it. */
static enum status moves(struct csp_worker *worker, term t, const uint32_t *slots, unsigned level,
                         struct error *error)
{
    if (worker->nesting == MAX_NESTING) {
        if (worker->shared->pool.limits)
            atomic_store(&worker->shared->pool.limits->too_deep, true);
        return STATUS_LIMIT;
    }
    worker->nesting++;
    enum status status = LIKELY(!worker->following.on || level > 0)
                             ? moves_of_kind(worker, t, slots, level, error)
                             : moves_followed(worker, t, slots, error);
    worker->nesting--;
    return status;
}

enum status csp_moves(struct csp_worker *worker, term t, const uint32_t *slots, struct error *error)
{
    worker->offers.length = 0;
    worker->moves.length = 0;
    worker->depth = 0;
    if (worker->shared->synchronous) {
        worker->collecting = true;
        enum status status = moves(worker, t, slots, 0, error);
        worker->collecting = false;
        worker->moves.length = 0;
        TRY(status);
    }
    return moves(worker, t, slots, 0, error);
}
