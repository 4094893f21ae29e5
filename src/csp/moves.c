/* The operational semantics of CSP#: what a term may do in a valuation (docs/manual/csp.md says it
 * for people). Each operator lets its parts append their moves and then adapts them in place:
 * targets are wrapped, terminations turned into steps, hidden labels into τ.
 *
 * A synchronous channel needs an output and an input of two different components. The outputs that
 * the state offers are collected first, so that an input can be offered for exactly the tuples that
 * somebody sends: both halves then travel upwards with their targets known, and meet in the
 * composition that has the two in different components. */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "csp/model.h"

#define MOST_ARGUMENTS 32
#define MAX_NESTING    2500 /* processes within processes: the stack has to hold as many calls */
#define MAX_UNFOLDING  1000 /* references without a step between them: unguarded recursion */

typedef const uint32_t *words;

static enum status moves(struct csp_model *model, term t, const uint32_t *slots, unsigned level,
                         struct error *error);

enum status csp_ran(const struct csp_model *model, enum ran ran, const struct fault *fault,
                    struct error *error)
{
    if (ran == RAN_WELL)
        return STATUS_OK;
    if (ran == RAN_OUT_OF_MEMORY)
        return STATUS_LIMIT;
    return script_error(model->program->module->script, fault->at, error, "%s", fault->message);
}

static enum status evaluate(struct csp_model *model, code_id code, const uint32_t *slots, datum *d,
                            struct error *error)
{
    if (code_is_constant(model->program->codes, code, d))
        return STATUS_OK;
    struct machine machine = csp_machine(model->program);
    struct fault fault;
    memcpy(model->trial, slots, model->program->slot_count * sizeof *slots);
    return csp_ran(model, machine_run(&machine, code, model->trial, d, &fault), &fault, error);
}

static enum status test(struct csp_model *model, code_id code, const uint32_t *slots, bool *holds,
                        struct error *error)
{
    struct machine machine = csp_machine(model->program);
    struct fault fault;
    memcpy(model->trial, slots, model->program->slot_count * sizeof *slots);
    return csp_ran(model, machine_test(&machine, code, model->trial, holds, &fault), &fault, error);
}

static enum status add(struct csp_model *model, struct move move)
{
    TRY(csp_look(&model->terms));
    if (move.label == LABEL_REFUSED || move.shown == LABEL_REFUSED || move.target == TERM_REFUSED)
        return STATUS_LIMIT;
    return vector_push(&model->moves, move) ? STATUS_OK : STATUS_LIMIT;
}

static struct move silent(term target)
{
    return (struct move){
        .label = LABEL_TAU, .shown = LABEL_TAU, .target = target, .channel = UINT32_MAX};
}

/* ---- prefixes ---- */

/* Evaluates `count` codes onto model->words. */
static enum status evaluate_all(struct csp_model *model, words codes, size_t count,
                                const uint32_t *slots, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        datum d = 0;
        TRY(evaluate(model, codes[i], slots, &d, error));
        if (datum_tag_of(d) == DATUM_OBJECT)
            return script_error(model->program->module->script,
                                codes_get(model->program->codes, codes[i])->places[0], error,
                                "expected an integer or a boolean in an event, found a "
                                "collection");
        if (!vector_push(&model->words, datum_to_slot(d)))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status event_label(struct csp_model *model, term t, words at, size_t length,
                               const uint32_t *slots, label *result, struct error *error)
{
    struct csp_terms *terms = &model->terms;
    uint32_t known = terms->fixed.items[t];
    if (known) {
        *result = known - 1;
        return STATUS_OK;
    }
    bool constant = true;
    datum ignored;
    for (size_t i = 3; constant && i < length; i++)
        constant = code_is_constant(model->program->codes, at[i], &ignored);
    size_t start = model->words.length;
    TRY(evaluate_all(model, at + 3, length - 3, slots, error));
    const struct action *name = labels_get(terms->labels, at[0] - 1);
    const struct action event = {.kind = (enum label_kind)name->components[0],
                                 .name = name->name,
                                 .components = model->words.items + start,
                                 .count = (uint32_t)(length - 3)};
    *result = labels_intern(terms->labels, &event);
    model->words.length = start;
    if (*result == LABEL_REFUSED)
        return STATUS_LIMIT;
    if (constant)
        terms->fixed.items[t] = *result + 1;
    return STATUS_OK;
}

static enum status event(struct csp_model *model, term t, words at, size_t length,
                         const uint32_t *slots, struct error *error)
{
    struct move move = silent(at[2]);
    move.programs[0] = at[1];
    move.data = at[1] != 0;
    if (at[0])
        TRY(event_label(model, t, at, length, slots, &move.label, error));
    move.shown = move.label;
    return add(model, move);
}

/* The slot of the channel, an index applied. */
static enum status channel_slot(struct csp_model *model, const struct channel_info *info,
                                code_id index, const uint32_t *slots, uint32_t *slot,
                                struct error *error)
{
    *slot = info->slot;
    if (!index)
        return STATUS_OK;
    datum d = 0;
    TRY(evaluate(model, index, slots, &d, error));
    if (datum_tag_of(d) != DATUM_INTEGER || datum_bits(d) < 0 ||
        (uint32_t)datum_bits(d) >= info->length)
        return script_error(model->program->module->script,
                            codes_get(model->program->codes, index)->places[0], error,
                            "expected an index from 0 to %u of the channels `%s`, found %d",
                            info->length - 1, info->name, datum_bits(d));
    *slot += (uint32_t)datum_bits(d);
    return STATUS_OK;
}

/* The label of a communication; `tuple` is its values. */
static label channel_label(struct csp_model *model, enum label_kind kind, uint32_t slot,
                           words tuple, size_t count)
{
    const struct csp_program *program = model->program;
    for (size_t i = 0; i < program->channels.length; i++) {
        const struct channel_info *info = &program->channels.items[i];
        if (slot < info->slot || slot >= info->slot + info->length)
            continue;
        struct text name = TEXT_EMPTY;
        text_append(&name, info->name);
        if (info->is_array)
            text_format(&name, "[%u]", slot - info->slot);
        label made =
            labels_intern_named(model->terms.labels, kind, text_string(&name), tuple, count);
        text_release(&name);
        return made;
    }
    return LABEL_REFUSED;
}

/* The content of a channel with a tuple added at its end. */
static object_id content_add(struct csp_model *model, object_id content, words tuple, size_t count)
{
    size_t length, start = model->words.length;
    struct object_pool *objects = model->program->objects;
    words items = object_items(objects, content, &length);
    bool room = true;
    for (size_t i = 0; room && i < length; i++)
        room = vector_push(&model->words, items[i]);
    room = room && vector_push(&model->words, (uint32_t)count);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&model->words, tuple[i]);
    object_id after =
        room ? object_intern(objects, model->words.items + start, model->words.length - start)
             : OBJECT_REFUSED;
    model->words.length = start;
    return after;
}

static uint32_t content_count(const struct object_pool *objects, object_id content)
{
    size_t length;
    words items = object_items(objects, content, &length);
    uint32_t count = 0;
    for (size_t at = 0; at < length; at += items[at] + 1)
        count++;
    return count;
}

/* An output over a channel without buffer: an offer, or just noted while offers are collected. */
static enum status offer(struct csp_model *model, struct move move, uint32_t slot,
                         object_id content)
{
    if (content == OBJECT_REFUSED)
        return STATUS_LIMIT;
    if (model->collecting)
        return vector_push(&model->offers, slot) && vector_push(&model->offers, content)
                   ? STATUS_OK
                   : STATUS_LIMIT;
    move.kind = MOVE_OFFER;
    move.channel = slot;
    move.content = content;
    return add(model, move);
}

static enum status output(struct csp_model *model, words at, size_t length, const uint32_t *slots,
                          struct error *error)
{
    const struct channel_info *info = &model->program->channels.items[at[0]];
    size_t start = model->words.length, count = length - 4;
    uint32_t slot = 0, tuple[64];
    TRY(channel_slot(model, info, at[1], slots, &slot, error));
    TRY(evaluate_all(model, at + 4, count, slots, error));
    model->words.length = start;
    if (count > ARRAY_LENGTH(tuple))
        return script_error(model->program->module->script, 0, error,
                            "expected at most %zu values in one message over `%s`, found %zu",
                            ARRAY_LENGTH(tuple), info->name, count);
    memcpy(tuple, model->words.items + start, count * sizeof *tuple);
    struct move move = silent(at[3]);
    move.programs[0] = at[2];
    move.data = true;
    if (info->capacity == 0)
        return offer(model, move, slot, content_add(model, 0, tuple, count));
    if (content_count(model->program->objects, slots[slot]) >= info->capacity)
        return STATUS_OK;
    move.label = move.shown = channel_label(model, LABEL_OUTPUT, slot, tuple, count);
    move.channel = slot;
    move.content = content_add(model, slots[slot], tuple, count);
    return move.content == OBJECT_REFUSED ? STATUS_LIMIT : add(model, move);
}

static enum status matches(struct csp_model *model, const struct closure *closure, words tuple,
                           size_t count, const uint32_t *slots, bool *match, struct error *error)
{
    *match = closure->node->argument_count == count;
    for (size_t i = 0; *match && i < count; i++) {
        if (csp_receives(&model->terms, closure->node->arguments[i], closure->scope))
            continue;
        code_id code = 0;
        datum d = 0;
        TRY(csp_compile_expression(model->program, closure->node->arguments[i], closure->scope,
                                   &code, error));
        TRY(evaluate(model, code, slots, &d, error));
        *match = datum_tag_of(d) != DATUM_OBJECT && datum_to_slot(d) == tuple[i];
    }
    return STATUS_OK;
}

/* One tuple that an input may take; its guard sees the channel as it is afterwards. */
static enum status accept(struct csp_model *model, uint32_t closure_number, uint32_t slot,
                          words tuple, size_t count, object_id after, uint8_t kind,
                          const uint32_t *slots, struct error *error)
{
    const struct closure closure = model->terms.closures.items[closure_number];
    bool match = false;
    TRY(matches(model, &closure, tuple, count, slots, &match, error));
    if (!match)
        return STATUS_OK;
    struct instance instance;
    bool faulty = false;
    TRY(csp_receive(&model->terms, closure_number, tuple, count, &instance, error));
    if (instance.guard) {
        uint32_t *trial =
            memory_allocate(model->model.budget, model->program->slot_count * sizeof *trial);
        if (!trial)
            return STATUS_LIMIT;
        memcpy(trial, slots, model->program->slot_count * sizeof *trial);
        if (kind == MOVE_STEP)
            trial[slot] = after;
        enum status status = test(model, instance.guard, trial, &match, error);
        memory_release(model->model.budget, trial, model->program->slot_count * sizeof *trial);
        /* Whether somebody else offers this tuple is known where the two halves meet. */
        faulty = status == STATUS_INPUT && kind == MOVE_ACCEPT;
        if (!faulty)
            TRY(status);
        if (!match && !faulty)
            return STATUS_OK;
    }
    struct move move = silent(instance.rest);
    move.faulty = faulty ? instance.guard : 0;
    move.programs[0] = instance.program;
    move.data = true;
    move.kind = kind;
    move.channel = slot;
    move.content = after;
    if (kind == MOVE_STEP)
        move.label = move.shown = channel_label(model, LABEL_INPUT, slot, tuple, count);
    return add(model, move);
}

static enum status input(struct csp_model *model, uint32_t closure_number, const uint32_t *slots,
                         struct error *error)
{
    const struct closure closure = model->terms.closures.items[closure_number];
    struct symbol symbol = csp_symbol(model->program, closure.node->name);
    const struct channel_info *info = &model->program->channels.items[symbol.index];
    uint32_t slot = 0;
    code_id index = 0;
    if (closure.node->index)
        TRY(csp_compile_expression(model->program, closure.node->index, closure.scope, &index,
                                   error));
    TRY(channel_slot(model, info, index, slots, &slot, error));
    struct object_pool *objects = model->program->objects;
    size_t length;
    if (info->capacity) {
        words items = object_items(objects, slots[slot], &length);
        if (length == 0)
            return STATUS_OK;
        size_t rest = length - items[0] - 1;
        object_id after = object_intern(objects, items + items[0] + 1, rest);
        if (after == OBJECT_REFUSED)
            return STATUS_LIMIT;
        return accept(model, closure_number, slot, items + 1, items[0], after, MOVE_STEP, slots,
                      error);
    }
    for (size_t i = 0; i < model->offers.length; i += 2) {
        if (model->offers.items[i] != slot)
            continue;
        object_id content = model->offers.items[i + 1];
        words items = object_items(objects, content, &length);
        TRY(accept(model, closure_number, slot, items + 1, items[0], content, MOVE_ACCEPT, slots,
                   error));
    }
    return STATUS_OK;
}

/* ---- references, conditions ---- */

/* The body of a reference for its arguments in this valuation; kept where they are constants. */
static enum status body_of(struct csp_model *model, term t, words at, size_t count,
                           const uint32_t *slots, term *body, struct error *error)
{
    datum arguments[MOST_ARGUMENTS], ignored;
    uint32_t *fixed = &model->terms.fixed.items[t];
    if (*fixed) {
        *body = *fixed - 1;
        return STATUS_OK;
    }
    uint32_t number = at[0];
    bool constant = true;
    for (size_t i = 0; i < count; i++) {
        constant = constant && code_is_constant(model->program->codes, at[i + 1], &ignored);
        TRY(evaluate(model, at[i + 1], slots, &arguments[i], error));
    }
    TRY(csp_unfold(&model->terms, number, arguments, count, body, error));
    if (constant)
        model->terms.fixed.items[t] = *body + 1;
    return STATUS_OK;
}

static enum status reference(struct csp_model *model, term t, words at, size_t length,
                             const uint32_t *slots, unsigned level, struct error *error)
{
    size_t count = length - 1;
    const struct csp_module *module = model->program->module;
    const struct csp_definition *definition = &module->definitions.items[at[0]];
    if (count > MOST_ARGUMENTS)
        return script_error(module->script, definition->at, error,
                            "expected at most %d parameters, found %zu", MOST_ARGUMENTS, count);
    if (model->depth >= MAX_UNFOLDING)
        return script_error(module->script, definition->at, error,
                            "expected a step before `%s` comes up again, found none: the recursion "
                            "is not guarded",
                            definition->name);
    term body = 0;
    TRY(body_of(model, t, at, count, slots, &body, error));
    model->depth++;
    enum status status = moves(model, body, slots, level, error);
    model->depth--;
    return status;
}

/* τ steps of conditionals are shown as PAT shows them. */
static enum status choose(struct csp_model *model, term target)
{
    struct move move = silent(target);
    if (model->shown_if == LABEL_TAU)
        model->shown_if = labels_intern_named(model->terms.labels, LABEL_NOTE, "[if]", NULL, 0);
    move.shown = model->shown_if;
    return add(model, move);
}

static enum status cases(struct csp_model *model, words at, size_t length, const uint32_t *slots,
                         struct error *error)
{
    for (size_t i = 0; i < length; i += 2) {
        bool holds = at[i] == 0;
        term target = at[i + 1];
        if (at[i])
            TRY(test(model, at[i], slots, &holds, error));
        if (holds)
            return choose(model, target);
    }
    return choose(model, TERM_SKIP);
}

/* ---- sequence, choices, interrupt, hiding, atomic ---- */

static enum status sequence(struct csp_model *model, term first, term second, const uint32_t *slots,
                            unsigned level, struct error *error)
{
    size_t start = model->moves.length;
    TRY(moves(model, first, slots, level, error));
    for (size_t i = start; i < model->moves.length; i++) {
        struct move *move = &model->moves.items[i];
        if (move->label == LABEL_TERMINATE) {
            move->label = move->shown = LABEL_TAU;
            move->target = second;
        } else {
            move->target = term_sequence(&model->terms, move->target, second);
            if (model->moves.items[i].target == TERM_REFUSED)
                return STATUS_LIMIT;
        }
    }
    return STATUS_OK;
}

/* [*]: an invisible step of a branch keeps the choice open. */
static enum status external(struct csp_model *model, term t, const uint32_t *slots, unsigned level,
                            struct error *error)
{
    size_t length;
    (void)term_words(&model->terms, t, &length);
    for (size_t i = 0; i < length; i++) {
        size_t start = model->moves.length;
        TRY(moves(model, term_words(&model->terms, t, &length)[i], slots, level, error));
        for (size_t j = start; j < model->moves.length; j++) {
            struct move *move = &model->moves.items[j];
            if (move->label != LABEL_TAU || move->kind != MOVE_STEP)
                continue;
            size_t mark = model->words.length;
            words children = term_words(&model->terms, t, &length);
            for (size_t k = 0; k < length; k++)
                if (!vector_push(&model->words, k == i ? move->target : children[k]))
                    return STATUS_LIMIT;
            term target =
                term_choice(&model->terms, TERM_KIND_EXTERNAL, model->words.items + mark, length);
            model->words.length = mark;
            if (target == TERM_REFUSED)
                return STATUS_LIMIT;
            model->moves.items[j].target = target;
        }
    }
    return STATUS_OK;
}

static enum status interrupt(struct csp_model *model, term first, term second,
                             const uint32_t *slots, unsigned level, struct error *error)
{
    size_t start = model->moves.length;
    TRY(moves(model, first, slots, level, error));
    size_t middle = model->moves.length;
    TRY(moves(model, second, slots, level, error));
    for (size_t i = start; i < model->moves.length; i++) {
        struct move *move = &model->moves.items[i];
        uint32_t pair[] = {move->target, second};
        if (i >= middle) {
            if (move->label != LABEL_TAU || move->kind != MOVE_STEP)
                continue; /* the interrupt has happened */
            pair[0] = first;
            pair[1] = move->target;
        } else if (move->label == LABEL_TERMINATE) {
            continue; /* the first has ended, and with it the interrupt */
        }
        term target = term_make(&model->terms, TERM_KIND_INTERRUPT, pair, 2);
        if (target == TERM_REFUSED)
            return STATUS_LIMIT;
        model->moves.items[i].target = target;
    }
    return STATUS_OK;
}

static enum status hide(struct csp_model *model, uint32_t set, term child, const uint32_t *slots,
                        unsigned level, struct error *error)
{
    size_t start = model->moves.length;
    TRY(moves(model, child, slots, level, error));
    for (size_t i = start; i < model->moves.length; i++) {
        struct move *move = &model->moves.items[i];
        if (move->label != LABEL_TAU && label_set_has(&model->terms, set, move->label)) {
            move->shown = labels_hidden(model->terms.labels, move->label);
            move->label = LABEL_TAU;
        }
        if (move->label != LABEL_TERMINATE)
            move->target = term_hide(&model->terms, set, move->target);
        if (move->target == TERM_REFUSED || move->shown == LABEL_REFUSED)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status atomic(struct csp_model *model, term child, const uint32_t *slots,
                          unsigned level, struct error *error)
{
    size_t start = model->moves.length;
    TRY(moves(model, child, slots, level, error));
    for (size_t i = start; i < model->moves.length; i++) {
        struct move *move = &model->moves.items[i];
        move->atomic = true;
        if (move->label != LABEL_TERMINATE)
            move->target = term_atomic(&model->terms, move->target);
        if (move->target == TERM_REFUSED)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* ---- compositions ---- */

/* A composition at work: its components' moves stand in model->moves from `from[i]` on. */
struct composition {
    term t;
    enum term_kind kind;
    uint32_t count; /* of components */
};

/* How many may stay when one of `count` copies goes: more than one answer where there is a
 * cut-off. */
static uint32_t rest_of(const struct csp_model *model, uint32_t count,
                        uint32_t rests[CSP_MOST_CUT_OFF + 2])
{
    uint32_t cut_off = model->terms.counting.cut_off, written = 0;
    if (count < COPIES_MANY) {
        rests[written++] = count - 1;
    } else if (!cut_off) {
        rests[written++] = count;
    } else {
        for (uint32_t rest = count == COPIES_ANY ? 0 : cut_off; rest <= cut_off; rest++)
            rests[written++] = rest;
        rests[written++] = COPIES_MANY;
    }
    return written;
}

/* The composition with component i replaced, built. */
static term replace_afresh(struct csp_model *model, const struct composition *composition,
                           uint32_t i, term child)
{
    size_t length, mark = model->words.length;
    words at = term_words(&model->terms, composition->t, &length);
    for (size_t k = 0; k < length; k++)
        if (!vector_push(&model->words, at[k]))
            return TERM_REFUSED;
    uint32_t *copy = model->words.items + mark;
    term target = TERM_REFUSED;
    switch (composition->kind) {
    case TERM_KIND_INTERLEAVE:
        copy[i] = child;
        target = term_interleaved(&model->terms, copy, length);
        break;
    case TERM_KIND_PARALLEL:
        copy[1 + i] = child;
        target = term_make(&model->terms, TERM_KIND_PARALLEL, copy, length);
        break;
    default:
        assert(!"copies are counted");
    }
    model->words.length = mark;
    return target;
}

#define MOST_REPLACED ((size_t)1 << 18)

/* Keeps four replacements and more for each term, up to a number. False when refused. */
static bool grow_replaced(struct csp_model *model)
{
    size_t old = model->replaced_capacity, capacity = old ? 4 * old : 256;
    if (4 * model->terms.terms.items.length <= old || old >= MOST_REPLACED)
        return true;
    struct replaced *replaced = memory_scattered(model->model.budget, capacity * sizeof *replaced);
    if (!replaced)
        return false;
    memory_release(model->model.budget, model->replaced, old * sizeof *replaced);
    model->replaced = replaced;
    model->replaced_capacity = capacity;
    return true;
}

/* The composition with component i replaced; looked up first, where the last one of its kind is
 * remembered. */
static term replace(struct csp_model *model, const struct composition *composition, uint32_t i,
                    term child)
{
    if (!grow_replaced(model))
        return TERM_REFUSED;
    uint64_t hash = hash_pair((uint64_t)composition->t << 32 | child, i);
    struct replaced *known = &model->replaced[hash & (model->replaced_capacity - 1)];
    if (known->made && known->whole == composition->t && known->index == i && known->come == child)
        return known->made;
    term made = replace_afresh(model, composition, i, child);
    if (made != TERM_REFUSED)
        *known = (struct replaced){composition->t, i, child, made};
    return made;
}

static term component(const struct csp_model *model, const struct composition *composition,
                      uint32_t i)
{
    size_t length;
    words at = term_words(&model->terms, composition->t, &length);
    switch (composition->kind) {
    case TERM_KIND_INTERLEAVE:
        return at[i];
    case TERM_KIND_PARALLEL:
        return at[1 + i];
    default:
        return at[2 + 2 * i];
    }
}

/* The composition with two components replaced: by way of the one with the first replaced, whose
 * flattening could move the second, so both are put in at once. */
static term replace_two(struct csp_model *model, const struct composition *composition, uint32_t i,
                        term first, uint32_t j, term second)
{
    size_t length, mark = model->words.length;
    words at = term_words(&model->terms, composition->t, &length);
    for (size_t k = 0; k < length; k++)
        if (!vector_push(&model->words, at[k]))
            return TERM_REFUSED;
    uint32_t *copy = model->words.items + mark;
    term target = TERM_REFUSED;
    switch (composition->kind) {
    case TERM_KIND_INTERLEAVE:
        copy[i] = first;
        copy[j] = second;
        target = term_interleaved(&model->terms, copy, length);
        break;
    case TERM_KIND_PARALLEL:
        copy[1 + i] = first;
        copy[1 + j] = second;
        target = term_make(&model->terms, TERM_KIND_PARALLEL, copy, length);
        break;
    default:
        assert(!"copies are counted");
    }
    model->words.length = mark;
    return target;
}

/* Copies of which some have gone, as the counts at model->words from `mark` on say, and others have
 * come. */
static term recount(struct csp_model *model, size_t mark, const term *come, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&model->words, 1) || !vector_push(&model->words, come[i]))
            return TERM_REFUSED;
    return term_copies(&model->terms, model->words.items[mark] != 0, model->words.items + mark + 1,
                       (model->words.length - mark - 1) / 2);
}

/* Adds the move in which copies leave the components `gone` and become the terms `come`: one, or
 * one for each number that may stay. The counts stand at model->words from `mark` on. */
static enum status add_recounted(struct csp_model *model, const struct move *move, size_t mark,
                                 const uint32_t *gone, const term *come, size_t count, size_t from)
{
    size_t length = model->words.length;
    if (from == count) {
        struct move recounted = *move;
        recounted.target = recount(model, mark, come, count);
        model->words.length = length;
        return add(model, recounted);
    }
    size_t at = mark + 1 + 2 * (size_t)gone[from];
    uint32_t before = model->words.items[at], rests[CSP_MOST_CUT_OFF + 2];
    if (before == 0) /* the one that has gone was the last */
        return STATUS_OK;
    uint32_t rest_count = rest_of(model, before, rests);
    for (uint32_t i = 0; i < rest_count; i++) {
        model->words.items[at] = rests[i];
        TRY(add_recounted(model, move, mark, gone, come, count, from + 1));
    }
    model->words.items[at] = before;
    return STATUS_OK;
}

/* Adds the move with the components replaced, one or two: of copies, one of each. */
static enum status add_replaced(struct csp_model *model, const struct composition *composition,
                                struct move move, const uint32_t *gone, const term *come,
                                size_t count)
{
    if (composition->kind != TERM_KIND_COPIES) {
        move.target = count == 1
                          ? replace(model, composition, gone[0], come[0])
                          : replace_two(model, composition, gone[0], come[0], gone[1], come[1]);
        return add(model, move);
    }
    size_t length, mark = model->words.length;
    words at = term_words(&model->terms, composition->t, &length);
    for (size_t i = 0; i < length; i++)
        if (!vector_push(&model->words, at[i]))
            return STATUS_LIMIT;
    enum status status = add_recounted(model, &move, mark, gone, come, count, 0);
    model->words.length = mark;
    return status;
}

/* How many components stand behind the term at i: more than one only for copies. */
static uint32_t count_of(const struct csp_model *model, const struct composition *composition,
                         uint32_t i)
{
    size_t length;
    words at = term_words(&model->terms, composition->t, &length);
    return composition->kind == TERM_KIND_COPIES ? at[1 + 2 * i] : 1;
}

/* A move with the component's index beside it, while a composition sorts them out. */
struct part_move {
    struct move move;
    uint32_t component;
};

typedef VECTOR(struct part_move) part_moves;

/* Notes which component of the outermost composition takes the step, and whether it can go on
 * atomically: by itself, or by a step that it takes together with others, who may be atomic. */
static enum status mark_column(struct csp_model *model, enum term_kind kind, struct move *move,
                               uint32_t column)
{
    uint8_t first = 0;
    move->process = column;
    move->processes = step_bit(column);
    if (model->footprints.has_atomic)
        TRY(csp_first_steps(&model->footprints, move->target, &first));
    move->enters_atomic = first & (FIRST_ATOMIC | csp_joint_steps(kind));
    return STATUS_OK;
}

/* Lets every component append its moves, and takes them over. */
static enum status gather(struct csp_model *model, const struct composition *composition,
                          const uint32_t *slots, unsigned level, part_moves *parts,
                          struct error *error)
{
    for (uint32_t i = 0; i < composition->count; i++) {
        size_t start = model->moves.length;
        if (level == 0 && model->only != UINT32_MAX && model->only != i)
            continue;
        TRY(moves(model, component(model, composition, i), slots, level + 1, error));
        for (size_t j = start; j < model->moves.length; j++) {
            struct part_move part = {model->moves.items[j], i};
            if (level == 0)
                TRY(mark_column(model, composition->kind, &part.move, i));
            if (!vector_push(parts, part))
                return STATUS_LIMIT;
        }
        model->moves.length = start;
    }
    return STATUS_OK;
}

/* Both halves of a synchronous communication, of two different components. */
static enum status communicate(struct csp_model *model, const struct composition *composition,
                               const part_moves *parts, const uint32_t *slots, struct error *error)
{
    bool ignored;
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *out = &parts->items[i];
        if (out->move.kind != MOVE_OFFER)
            continue;
        for (size_t j = 0; j < parts->length; j++) {
            const struct part_move *in = &parts->items[j];
            if (in->move.kind != MOVE_ACCEPT || in->move.channel != out->move.channel ||
                in->move.content != out->move.content)
                continue;
            if (in->component == out->component && count_of(model, composition, in->component) == 1)
                continue;
            if (in->move.faulty)
                TRY(test(model, in->move.faulty, slots, &ignored, error));
            const uint32_t gone[] = {out->component, in->component};
            const term come[] = {out->move.target, in->move.target};
            struct move move = silent(TERM_STOP);
            size_t length;
            words tuple = object_items(model->program->objects, out->move.content, &length);
            move.label = move.shown =
                channel_label(model, LABEL_SYNC, out->move.channel, tuple + 1, tuple[0]);
            move.programs[0] = out->move.programs[0];
            move.programs[1] = in->move.programs[0];
            move.process = out->move.process;
            move.processes = out->move.processes | in->move.processes;
            move.atomic = out->move.atomic || in->move.atomic;
            move.data = true;
            model->inexact |= gone[0] == gone[1] && model->terms.counting.cut_off &&
                              count_of(model, composition, gone[0]) == COPIES_ANY;
            TRY(add_replaced(model, composition, move, gone, come, 2));
        }
    }
    return STATUS_OK;
}

/* Termination of a composition: all components at once. */
static enum status terminate(struct csp_model *model, const struct composition *composition,
                             const part_moves *parts)
{
    uint32_t able = 0, last = UINT32_MAX;
    uint64_t processes = 0;
    bool atomic_one = false;
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->move.label != LABEL_TERMINATE)
            continue;
        atomic_one |= part->move.atomic; /* a component may be able to in several ways */
        processes |= part->move.processes;
        able += part->component != last;
        last = part->component;
    }
    if (able < composition->count)
        return STATUS_OK;
    struct move move = silent(TERM_STOP);
    move.label = move.shown = LABEL_TERMINATE;
    move.atomic = atomic_one;
    move.processes = processes;
    return add(model, move);
}

/* How many components' alphabets have the label. */
static bool owns(const struct csp_model *model, const struct composition *composition, uint32_t i,
                 label l)
{
    size_t length;
    words at = term_words(&model->terms, composition->t, &length);
    return label_set_has(&model->terms, at[1 + composition->count + i], l);
}

/* Appends the moves in which every owner of the label takes part, from component `next` on; `words`
 * from `mark` on is the composition under construction. */
static enum status join(struct csp_model *model, const struct composition *composition,
                        const part_moves *parts, const struct move *first, uint32_t next,
                        size_t mark)
{
    while (next < composition->count && !owns(model, composition, next, first->label))
        next++;
    if (next == composition->count) {
        struct move move = *first;
        move.target = term_make(&model->terms, TERM_KIND_PARALLEL, model->words.items + mark,
                                1 + 2 * (size_t)composition->count);
        return add(model, move);
    }
    term before = model->words.items[mark + 1 + next];
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->component != next || part->move.label != first->label || part->move.data ||
            part->move.kind != MOVE_STEP)
            continue;
        struct move joined = *first;
        joined.atomic |= part->move.atomic;
        joined.processes |= part->move.processes;
        model->words.items[mark + 1 + next] = part->move.target;
        TRY(join(model, composition, parts, &joined, next + 1, mark));
    }
    model->words.items[mark + 1 + next] = before;
    return STATUS_OK;
}

static bool is_shared(const struct csp_model *model, const struct composition *composition,
                      const struct part_move *part, bool *first)
{
    if (composition->kind != TERM_KIND_PARALLEL || part->move.data ||
        part->move.label == LABEL_TAU || part->move.kind != MOVE_STEP)
        return false;
    uint32_t owners = 0, lowest = UINT32_MAX;
    for (uint32_t i = 0; i < composition->count; i++) {
        if (owns(model, composition, i, part->move.label)) {
            owners++;
            if (lowest == UINT32_MAX)
                lowest = i;
        }
    }
    *first = lowest == part->component;
    return owners > 1;
}

static enum status join_from(struct csp_model *model, const struct composition *composition,
                             const part_moves *parts, const struct part_move *part)
{
    size_t length, mark = model->words.length;
    words at = term_words(&model->terms, composition->t, &length);
    for (size_t k = 0; k < length; k++)
        if (!vector_push(&model->words, at[k]))
            return STATUS_LIMIT;
    model->words.items[mark + 1 + part->component] = part->move.target;
    enum status status = join(model, composition, parts, &part->move, part->component + 1, mark);
    model->words.length = mark;
    return status;
}

static enum status compose(struct csp_model *model, const struct composition *composition,
                           const part_moves *parts, const uint32_t *slots, struct error *error)
{
    for (size_t i = 0; i < parts->length; i++) {
        const struct part_move *part = &parts->items[i];
        if (part->move.label == LABEL_TERMINATE)
            continue;
        bool first = false;
        if (is_shared(model, composition, part, &first)) {
            if (first)
                TRY(join_from(model, composition, parts, part));
            continue;
        }
        TRY(add_replaced(model, composition, part->move, &part->component, &part->move.target, 1));
    }
    TRY(terminate(model, composition, parts));
    return model->synchronous ? communicate(model, composition, parts, slots, error) : STATUS_OK;
}

static enum status composition_moves(struct csp_model *model, term t, enum term_kind kind,
                                     const uint32_t *slots, unsigned level, struct error *error)
{
    size_t length;
    words at = term_words(&model->terms, t, &length);
    struct composition composition = {.t = t, .kind = kind};
    composition.count = kind == TERM_KIND_INTERLEAVE ? (uint32_t)length
                        : kind == TERM_KIND_PARALLEL ? at[0]
                                                     : (uint32_t)(length / 2);
    part_moves parts;
    vector_init(&parts, model->model.budget);
    enum status status = gather(model, &composition, slots, level, &parts, error);
    if (status == STATUS_OK)
        status = compose(model, &composition, &parts, slots, error);
    vector_release(&parts);
    return status;
}

/* ---- all kinds ---- */

static enum status all(struct csp_model *model, term t, const uint32_t *slots, unsigned level,
                       bool internal, struct error *error)
{
    size_t length;
    (void)term_words(&model->terms, t, &length);
    for (size_t i = 0; i < length; i++) {
        term child = term_words(&model->terms, t, &length)[i];
        if (internal)
            TRY(add(model, silent(child)));
        else
            TRY(moves(model, child, slots, level, error));
    }
    return STATUS_OK;
}

static enum status moves_of_kind(struct csp_model *model, term t, const uint32_t *slots,
                                 unsigned level, struct error *error)
{
    size_t length;
    words at = term_words(&model->terms, t, &length);
    enum term_kind kind = term_kind_of(&model->terms, t);
    bool holds = false;
    struct move move;
    switch (kind) {
    case TERM_KIND_STOP:
        return STATUS_OK;
    case TERM_KIND_SKIP:
        move = silent(TERM_STOP);
        move.label = move.shown = LABEL_TERMINATE;
        return add(model, move);
    case TERM_KIND_EVENT:
        return event(model, t, at, length, slots, error);
    case TERM_KIND_OUTPUT:
        return output(model, at, length, slots, error);
    case TERM_KIND_INPUT:
        return input(model, at[0], slots, error);
    case TERM_KIND_REFERENCE:
        return reference(model, t, at, length, slots, level, error);
    case TERM_KIND_SEQUENCE:
        return sequence(model, at[0], at[1], slots, level, error);
    case TERM_KIND_GUARD:
        TRY(test(model, at[0], slots, &holds, error));
        return holds ? moves(model, at[1], slots, level, error) : STATUS_OK;
    case TERM_KIND_IF:
        TRY(test(model, at[0], slots, &holds, error));
        return choose(model, holds ? at[1] : at[2]);
    case TERM_KIND_IF_ATOMIC:
        TRY(test(model, at[0], slots, &holds, error));
        return moves(model, holds ? at[1] : at[2], slots, level, error);
    case TERM_KIND_IF_BLOCKING:
        TRY(test(model, at[0], slots, &holds, error));
        return holds ? choose(model, at[1]) : STATUS_OK;
    case TERM_KIND_CASE:
        return cases(model, at, length, slots, error);
    case TERM_KIND_CHOICE:
    case TERM_KIND_INTERNAL:
        return all(model, t, slots, level, kind == TERM_KIND_INTERNAL, error);
    case TERM_KIND_EXTERNAL:
        return external(model, t, slots, level, error);
    case TERM_KIND_INTERRUPT:
        return interrupt(model, at[0], at[1], slots, level, error);
    case TERM_KIND_HIDE:
        return hide(model, at[0], at[1], slots, level, error);
    case TERM_KIND_ATOMIC:
        return atomic(model, at[0], slots, level, error);
    case TERM_KIND_ASSERT:
        TRY(test(model, at[0], slots, &holds, error));
        if (!holds)
            return script_error(model->program->module->script,
                                codes_get(model->program->codes, at[0])->places[0], error,
                                "an assertion of the model fails");
        move = silent(TERM_STOP);
        move.label = move.shown = LABEL_TERMINATE;
        return add(model, move);
    default:
        return composition_moves(model, t, kind, slots, level, error);
    }
}

/* Each call is nested in the one for the process around it. */
static enum status moves(struct csp_model *model, term t, const uint32_t *slots, unsigned level,
                         struct error *error)
{
    if (model->nesting == MAX_NESTING) {
        if (model->terms.limits)
            atomic_store(&model->terms.limits->too_deep, true);
        return STATUS_LIMIT;
    }
    model->nesting++;
    enum status status = moves_of_kind(model, t, slots, level, error);
    model->nesting--;
    return status;
}

enum status csp_moves(struct csp_model *model, term t, const uint32_t *slots, struct error *error)
{
    model->offers.length = 0;
    model->moves.length = 0;
    model->depth = 0;
    if (model->synchronous) {
        model->collecting = true;
        enum status status = moves(model, t, slots, 0, error);
        model->collecting = false;
        model->moves.length = 0;
        TRY(status);
    }
    return moves(model, t, slots, 0, error);
}
