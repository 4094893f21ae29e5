#include "reduce/symmetry.h"

#include <assert.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/interning.h"

/* In a row: they may go round in a cycle. */
#define SKIPS_MOST SIZE_OR_SMALL(64, 2)

#define KNOWN_LABELS SIZE_OR_SMALL(256, 2)

/* What a label with a renumbering behind it was made; `made` is LABEL_TAU where nothing is known.
 */
struct known_label {
    label l, made;
    struct renumbering by;
};

struct symmetry_worker {
    struct decorator_worker decorator; /* first */
    struct worker *source;             /* of the source, inside the worker inside */
    struct word_arrays keys;           /* label and renumbering: number of the label of both */
    VECTOR(label) labels;
    uint32_t renumbered, passed;            /* as of struct successors, of the state at hand */
    struct known_label known[KNOWN_LABELS]; /* some of them, by hash */
};

static const struct symmetry *symmetry_of(const struct worker *worker)
{
    return (const struct symmetry *)worker->model;
}

/* The worker that knows how to renumber. */
static struct worker *source_of(const struct worker *worker)
{
    return ((const struct symmetry_worker *)worker)->source;
}

enum status symmetry_turn(struct worker *worker, uint32_t *state, struct renumbering by,
                          struct error *error)
{
    struct worker *source = source_of(worker);
    TRY(source->model->class->turn(source, state, by, error));
    /* what a dead variable goes back to need not be the same for every index */
    return renumbering_is_none(by) ? STATUS_OK : decorator_represent(worker, state, error);
}

label symmetry_turn_label(struct worker *worker, label l, struct renumbering by)
{
    struct worker *source = source_of(worker);
    return source->model->class->turn_label(source, l, by);
}

enum status symmetry_settle(struct worker *worker, uint32_t *state, struct error *error)
{
    struct worker *inner = decorator_inside(worker);
    bool skips = symmetry_of(worker)->skips && inner->model->class->skip;
    TRY(decorator_represent(worker, state, error));
    for (uint32_t i = 0; skips && i < SKIPS_MOST; i++) {
        uint32_t process = 0;
        TRY(inner->model->class->skip(inner, state, &process, error));
        if (process == UINT32_MAX)
            break;
        ((struct symmetry_worker *)worker)->passed++;
    }
    return STATUS_OK;
}

/* The label of a step and what comes behind it, which is looked up here first: labels are shared.
 */
static enum status add_renumbering(struct symmetry_worker *worker, label *l, struct renumbering by)
{
    struct known_label *known =
        &worker->known[hash_pair(*l, (uint64_t)by.threads << 32 | by.values) % KNOWN_LABELS];
    if (known->made != LABEL_TAU && known->l == *l && known->by.threads == by.threads &&
        known->by.values == by.values) {
        *l = known->made;
        return STATUS_OK;
    }
    const uint32_t key[] = {*l, by.threads, by.values};
    bool fresh = false;
    uint32_t number = word_arrays_intern(&worker->keys, key, ARRAY_LENGTH(key), &fresh);
    TRY_MEMORY(number != UINT32_MAX);
    assert(fresh ? number == worker->labels.length : number < worker->labels.length);
    if (fresh) {
        label made = labels_renumbered(worker->source->model->labels, *l, by);
        TRY_MEMORY(made != LABEL_REFUSED && vector_push(&worker->labels, made));
    }
    *known = (struct known_label){*l, worker->labels.items[number], by};
    *l = known->made;
    return STATUS_OK;
}

static enum status stand_in(struct worker *worker, struct step *step, uint32_t *state,
                            struct error *error)
{
    struct worker *source = source_of(worker);
    struct renumbering by = RENUMBERING_NONE;
    TRY(symmetry_settle(worker, state, error));
    if (step->label == LABEL_TERMINATE) /* those who ask about it look for the label alone */
        return symmetry_turn(worker, state, RENUMBERING_NONE, error);
    TRY(source->model->class->arrange(source, state, &by, error));
    if (renumbering_is_none(by))
        return STATUS_OK;
    TRY(decorator_represent(worker, state, error)); /* as in symmetry_turn */
    ((struct symmetry_worker *)worker)->renumbered++;
    return add_renumbering((struct symmetry_worker *)worker, &step->label, by);
}

/* Of a step that is announced there is nothing to settle, and nobody to tell of an error. */
static enum status announced(struct worker *worker, struct step *step, uint32_t *state)
{
    struct error ignored;
    enum status status = stand_in(worker, step, state, &ignored);
    assert(status == STATUS_OK || status == STATUS_LIMIT);
    return status;
}

static enum status stand_in_all(struct worker *worker, const uint32_t *state,
                                struct successors *out, struct error *error)
{
    const bool turns = symmetry_of(worker)->turns;
    struct worker *inner = decorator_inside(worker);
    const size_t first = out->steps.length, slots = worker->model->slots;
    if (turns && inner->model->class->announces) {
        assert(!out->announce);
        out->announce = announced;
        out->decorator = worker;
        enum status status = worker_successors(inner, state, out, error);
        out->announce = NULL;
        return status;
    }
    TRY(worker_successors(inner, state, out, error));
    for (size_t i = first; turns && i < out->steps.length; i++)
        TRY(stand_in(worker, &out->steps.items[i], out->states.items + i * slots, error));
    return STATUS_OK;
}

static enum status successors(struct worker *base, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    struct symmetry_worker *worker = (struct symmetry_worker *)base;
    worker->renumbered = worker->passed = 0;
    enum status status = stand_in_all(base, state, out, error);
    out->renumbered += worker->renumbered;
    out->passed += worker->passed;
    return status;
}

/* Initial states stand for themselves: nothing is compared with a renumbered specification then. */
static enum status initial(struct worker *worker, struct successors *out, struct error *error)
{
    size_t first = out->steps.length;
    TRY(worker_initial(decorator_inside(worker), out, error));
    for (size_t i = first; symmetry_of(worker)->turns && i < out->steps.length; i++) {
        uint32_t *state = out->states.items + i * worker->model->slots;
        TRY(symmetry_settle(worker, state, error));
        TRY(symmetry_turn(worker, state, RENUMBERING_NONE, error));
    }
    return STATUS_OK;
}

/* What a step leads to has been brought into form. */
static enum status represent(struct worker *worker, uint32_t *state, struct error *error)
{
    if (symmetry_of(worker)->turns)
        return STATUS_OK;
    TRY(decorator_represent(worker, state, error));
    return symmetry_turn(worker, state, RENUMBERING_NONE, error);
}

static enum status skip(struct worker *worker, uint32_t *state, uint32_t *process,
                        struct error *error)
{
    struct worker *inner = decorator_inside(worker);
    *process = UINT32_MAX;
    if (symmetry_of(worker)->turns || !inner->model->class->skip)
        return STATUS_OK;
    TRY(inner->model->class->skip(inner, state, process, error));
    return *process == UINT32_MAX ? STATUS_OK
                                  : symmetry_turn(worker, state, RENUMBERING_NONE, error);
}

static struct worker *create_worker(const struct model *base)
{
    struct symmetry_worker *worker = decorator_make_worker(base, sizeof *worker);
    if (!worker)
        return NULL;
    worker->source =
        decorator_find_worker(worker->decorator.inner, ((const struct symmetry *)base)->source);
    word_arrays_init(&worker->keys, base->budget);
    vector_init(&worker->labels, base->budget);
    return &worker->decorator.worker;
}

static void destroy_worker(struct worker *base)
{
    struct symmetry_worker *worker = (struct symmetry_worker *)base;
    word_arrays_release(&worker->keys);
    vector_release(&worker->labels);
    decorator_free_worker(base, sizeof *worker);
}

/* The model arranges states itself. */
static enum status expand(struct worker *worker, struct packed_steps *steps)
{
    struct worker *inner = decorator_inside(worker);
    steps->arranges = true;
    enum status status = inner->model->class->expand(inner, steps);
    steps->arranges = false;
    return status;
}

#define SYMMETRY_CLASS                                                                             \
    .name = "symmetry", .worker_create = create_worker, .worker_destroy = destroy_worker,          \
    .initial = initial, .successors = successors, .follow = decorator_follow,                      \
    .evaluate = decorator_evaluate, .represent = represent, .skip = skip, .turn = symmetry_turn,   \
    .turn_label = symmetry_turn_label, .known = decorator_known, .print = decorator_print

static const struct model_class symmetry_class = {SYMMETRY_CLASS},
                                expanding_class = {SYMMETRY_CLASS, .expand = expand};

void symmetry_create(const struct model *inner, const struct model *source, bool turns, bool skips,
                     struct symmetry *symmetry)
{
    assert(inner->slots == source->slots && source->class->arrange && source->class->turn);
    *symmetry = (struct symmetry){
        .decorator = {*inner, inner}, .source = source, .turns = turns, .skips = skips};
    symmetry->decorator.model.class = inner == source && turns && !skips && inner->class->expand
                                          ? &expanding_class
                                          : &symmetry_class;
}
