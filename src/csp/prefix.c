#include "csp/prefix.h"

#include <string.h>

#include "csp/events.h"
#include "csp/message.h"

#define MOST_SLOTS 1024 /* of one message */

typedef const uint32_t *words;

/* The slots of an array behind those that stand in worker->words. */
static bool push_array(struct csp_worker *worker, datum array)
{
    size_t length;
    words items = object_items(worker->shared->program->objects, datum_elements(array), &length);
    bool room = vector_push(&worker->words, SLOT_OPEN);
    for (size_t i = 0; room && i < length; i++)
        room = vector_push(&worker->words, items[i]);
    return room && vector_push(&worker->words, SLOT_CLOSE);
}

/* Evaluates `count` codes onto worker->words. */
static enum status evaluate_all(struct csp_worker *worker, words codes, size_t count,
                                const uint32_t *slots, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        datum d = 0;
        TRY(csp_evaluate(worker, codes[i], slots, &d, error));
        if (datum_is_array(d)) {
            if (!push_array(worker, d))
                return STATUS_LIMIT;
            continue;
        }
        if (datum_tag_of(d) == DATUM_OBJECT)
            return script_error(worker->shared->program->module->script,
                                codes_get(worker->shared->program->codes, codes[i])->places[0],
                                error,
                                "expected an integer or a boolean in an event, found a "
                                "collection");
        if (!vector_push(&worker->words, datum_to_slot(d)))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status event_label(struct csp_worker *worker, term t, words at, size_t length,
                               const uint32_t *slots, label *result, struct error *error)
{
    struct labels *labels = worker->shared->pool.labels;
    uint32_t *fixed = csp_fixed(worker, t);
    if (!fixed)
        return STATUS_LIMIT;
    if (*fixed) {
        *result = *fixed - 1;
        return STATUS_OK;
    }
    bool constant = true;
    datum ignored;
    for (size_t i = 3; constant && i < length; i++)
        constant = code_is_constant(worker->shared->program->codes, at[i], &ignored);
    size_t start = worker->words.length;
    TRY(evaluate_all(worker, at + 3, length - 3, slots, error));
    *result = csp_named_event(labels, at[0], worker->words.items + start, length - 3);
    worker->words.length = start;
    if (*result == LABEL_REFUSED)
        return STATUS_LIMIT;
    if (constant)
        *fixed = *result + 1;
    return STATUS_OK;
}

enum status csp_event_moves(struct csp_worker *worker, term t, words at, size_t length,
                            const uint32_t *slots, struct error *error)
{
    struct move move = csp_silent_move(at[2]);
    move.programs[0] = at[1];
    move.data = at[1] != 0;
    if (at[0])
        TRY(event_label(worker, t, at, length, slots, &move.label, error));
    move.shown = move.label;
    return csp_add_move(worker, move);
}

/* The slot of the channel, an index applied. */
static enum status channel_slot(struct csp_worker *worker, const struct channel_info *info,
                                code_id index, const uint32_t *slots, uint32_t *slot,
                                struct error *error)
{
    *slot = info->slot;
    if (!index)
        return STATUS_OK;
    datum d = 0;
    TRY(csp_evaluate(worker, index, slots, &d, error));
    if (datum_tag_of(d) != DATUM_INTEGER || datum_bits(d) < 0 ||
        (uint32_t)datum_bits(d) >= info->length)
        return script_error(worker->shared->program->module->script,
                            codes_get(worker->shared->program->codes, index)->places[0], error,
                            "expected an index from 0 to %u of the channels `%s`, found %d",
                            info->length - 1, info->name, datum_bits(d));
    *slot += (uint32_t)datum_bits(d);
    return STATUS_OK;
}

/* The label of a communication; `tuple` is its values. */
label csp_channel_label(struct csp_worker *worker, enum label_kind kind, uint32_t slot, words tuple,
                        size_t count)
{
    const struct csp_program *program = worker->shared->program;
    for (size_t i = 0; i < program->channels.length; i++) {
        const struct channel_info *info = &program->channels.items[i];
        if (slot < info->slot || slot >= info->slot + info->length)
            continue;
        struct text name = TEXT_EMPTY;
        text_append(&name, info->name);
        if (info->is_array)
            text_format(&name, "[%u]", slot - info->slot);
        label made = labels_intern_named(worker->shared->pool.labels, kind, text_string(&name),
                                         tuple, count);
        text_release(&name);
        return made;
    }
    return LABEL_REFUSED;
}

/* The content of a channel with a tuple added at its end. */
static object_id content_add(struct csp_worker *worker, object_id content, words tuple,
                             size_t count)
{
    size_t length, start = worker->words.length;
    struct object_pool *objects = worker->shared->program->objects;
    words items = object_items(objects, content, &length);
    bool room = true;
    for (size_t i = 0; room && i < length; i++)
        room = vector_push(&worker->words, items[i]);
    room = room && vector_push(&worker->words, (uint32_t)count);
    for (size_t i = 0; room && i < count; i++)
        room = vector_push(&worker->words, tuple[i]);
    object_id after =
        room ? object_intern(objects, worker->words.items + start, worker->words.length - start)
             : OBJECT_REFUSED;
    worker->words.length = start;
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
static enum status offer(struct csp_worker *worker, struct move move, uint32_t slot,
                         object_id content)
{
    if (content == OBJECT_REFUSED)
        return STATUS_LIMIT;
    if (worker->collecting)
        return vector_push(&worker->offers, slot) && vector_push(&worker->offers, content)
                   ? STATUS_OK
                   : STATUS_LIMIT;
    move.kind = MOVE_OFFER;
    move.channel = slot;
    move.content = content;
    return csp_add_move(worker, move);
}

enum status csp_output_moves(struct csp_worker *worker, words at, size_t length,
                             const uint32_t *slots, struct error *error)
{
    const struct channel_info *info = &worker->shared->program->channels.items[at[0]];
    size_t start = worker->words.length, count = 0;
    uint32_t slot = 0, tuple[MOST_SLOTS];
    worker->varies = true;
    TRY(channel_slot(worker, info, at[1], slots, &slot, error));
    TRY(evaluate_all(worker, at + 4, length - 4, slots, error));
    count = worker->words.length - start;
    worker->words.length = start;
    if (count > ARRAY_LENGTH(tuple))
        return script_error(worker->shared->program->module->script, 0, error,
                            "expected at most %zu values and elements of arrays in one message "
                            "over `%s`, found %zu",
                            ARRAY_LENGTH(tuple), info->name, count);
    memcpy(tuple, worker->words.items + start, count * sizeof *tuple);
    struct move move = csp_silent_move(at[3]);
    move.programs[0] = at[2];
    move.data = true;
    if (info->capacity == 0)
        return offer(worker, move, slot, content_add(worker, 0, tuple, count));
    if (content_count(worker->shared->program->objects, slots[slot]) >= info->capacity)
        return STATUS_OK;
    move.label = move.shown = csp_channel_label(worker, LABEL_OUTPUT, slot, tuple, count);
    move.channel = slot;
    move.content = content_add(worker, slots[slot], tuple, count);
    return move.content == OBJECT_REFUSED ? STATUS_LIMIT : csp_add_move(worker, move);
}

static enum status matches(struct csp_worker *worker, const struct closure *closure, words tuple,
                           size_t count, const uint32_t *slots, bool *match, struct error *error)
{
    size_t values = 0;
    for (size_t at = 0; at < count; at += message_part(tuple + at))
        values++;
    *match = closure->node->argument_count == values;
    size_t at = 0;
    for (uint32_t i = 0; *match && i < values; i++, at += message_part(tuple + at)) {
        code_id code = 0;
        datum d = 0;
        TRY(csp_closure_code(&worker->terms, closure, 1 + i, &code, error));
        if (!code) /* it only receives */
            continue;
        TRY(csp_evaluate(worker, code, slots, &d, error));
        *match = message_is(worker->shared->program->objects, tuple + at, d);
    }
    return STATUS_OK;
}

/* One tuple that an input may take; its guard sees the channel as it is afterwards. */
static enum status accept(struct csp_worker *worker, uint32_t closure_number, uint32_t slot,
                          words tuple, size_t count, object_id after, uint8_t kind,
                          const uint32_t *slots, struct error *error)
{
    const struct closure *closure = csp_closure(&worker->shared->pool, closure_number);
    bool match = false;
    TRY(matches(worker, closure, tuple, count, slots, &match, error));
    if (!match)
        return STATUS_OK;
    struct instance instance;
    bool faulty = false;
    TRY(csp_receive(&worker->terms, &worker->shared->unfolded, closure_number, tuple, count,
                    &instance, error));
    if (instance.guard) {
        uint32_t *trial = memory_allocate(worker->shared->pool.budget,
                                          worker->shared->program->slot_count * sizeof *trial);
        if (!trial)
            return STATUS_LIMIT;
        memcpy(trial, slots, worker->shared->program->slot_count * sizeof *trial);
        if (kind == MOVE_STEP)
            trial[slot] = after;
        enum status status = csp_test(worker, instance.guard, trial, &match, error);
        memory_release(worker->shared->pool.budget, trial,
                       worker->shared->program->slot_count * sizeof *trial);
        /* Whether somebody else offers this tuple is known where the two halves meet. */
        faulty = status == STATUS_INPUT && kind == MOVE_ACCEPT;
        if (!faulty)
            TRY(status);
        if (!match && !faulty)
            return STATUS_OK;
    }
    struct move move = csp_silent_move(instance.rest);
    move.faulty = faulty ? instance.guard : 0;
    move.programs[0] = instance.program;
    move.data = true;
    move.kind = kind;
    move.channel = slot;
    move.content = after;
    if (kind == MOVE_STEP)
        move.label = move.shown = csp_channel_label(worker, LABEL_INPUT, slot, tuple, count);
    return csp_add_move(worker, move);
}

enum status csp_input_moves(struct csp_worker *worker, uint32_t closure_number,
                            const uint32_t *slots, struct error *error)
{
    const struct closure *closure = csp_closure(&worker->shared->pool, closure_number);
    struct symbol symbol = csp_symbol(worker->shared->program, closure->node->name);
    const struct channel_info *info = &worker->shared->program->channels.items[symbol.index];
    uint32_t slot = 0;
    code_id index = 0;
    worker->varies = true;
    TRY(csp_closure_code(&worker->terms, closure, 0, &index, error));
    TRY(channel_slot(worker, info, index, slots, &slot, error));
    struct object_pool *objects = worker->shared->program->objects;
    size_t length;
    if (info->capacity) {
        words items = object_items(objects, slots[slot], &length);
        if (length == 0)
            return STATUS_OK;
        size_t rest = length - items[0] - 1;
        object_id after = object_intern(objects, items + items[0] + 1, rest);
        if (after == OBJECT_REFUSED)
            return STATUS_LIMIT;
        return accept(worker, closure_number, slot, items + 1, items[0], after, MOVE_STEP, slots,
                      error);
    }
    for (size_t i = 0; i < worker->offers.length; i += 2) {
        if (worker->offers.items[i] != slot)
            continue;
        object_id content = worker->offers.items[i + 1];
        words items = object_items(objects, content, &length);
        TRY(accept(worker, closure_number, slot, items + 1, items[0], content, MOVE_ACCEPT, slots,
                   error));
    }
    return STATUS_OK;
}
