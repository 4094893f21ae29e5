#include "verify/lin_log.h"

#include <inttypes.h>

#include "implementation/step_places.h"

/* The write-once fields by name, where they are read. */
static void log_write_once(const struct log *log, const struct lin_steps *steps)
{
    struct text fields = TEXT_EMPTY;
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].of->field_count; j++)
            if (steps->pools[i].write_once[j])
                text_format(&fields, "%s%s.%s", fields.length ? ", " : "", steps->pools[i].of->name,
                            steps->pools[i].of->fields[j]->name);
    LOG(log, "reduction: written once: %s", text_string(&fields));
    text_release(&fields);
}

/* The lines at which iterations begin that may leave nothing behind. */
static void log_pure(const struct log *log, const struct lin_steps *steps)
{
    struct text lines = TEXT_EMPTY;
    uint32_t last = 0;
    for (size_t i = 0; i < steps->listing.code.length; i++) {
        uint32_t line = script_line(steps->module->script, steps->listing.places.items[i]);
        if (!steps->pure[i].token || line == last)
            continue;
        text_format(&lines, "%s%" PRIu32, lines.length ? ", " : "", line);
        last = line;
    }
    LOG(log, "reduction: pure iterations from line %s on", text_string(&lines));
    text_release(&lines);
}

/* The lines of the STEPs at which something is asked of what a thread holds. */
static void log_stale(const struct log *log, const struct lin_steps *steps, const char *what,
                      const struct lin_stale *items, size_t count)
{
    struct text lines = TEXT_EMPTY;
    uint32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = items[i].at,
                       line = script_line(steps->module->script, steps->listing.places.items[at]);
        if (line != last)
            text_format(&lines, "%s%" PRIu32, lines.length ? ", " : "", line);
        last = line;
    }
    LOG(log, "reduction: %s line %s", what, text_string(&lines));
    text_release(&lines);
}

/* The fields that are not read of what a shared variable leads to, by way of it. */
static void log_fields(const struct log *log, const struct lin_steps *steps)
{
    struct text fields = TEXT_EMPTY;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *reference = &steps->shared_references.items[i];
        const struct lin_pool *pool = &steps->pools[reference->pool];
        const char *name = lin_steps_shared_name(steps, reference->slot);
        text_clear(&fields);
        for (uint32_t j = 0, word = 1; name && j < pool->of->field_count; j++) {
            if (!(steps->shared_reads[i] & pool->field_bits[word]))
                text_format(&fields, "%s%s.%s", fields.length ? ", " : "", pool->of->name,
                            pool->of->fields[j]->name);
            for (const uint64_t bit = pool->field_bits[word];
                 word < pool->words && pool->field_bits[word] == bit;)
                word++;
        }
        if (fields.length)
            LOG(log, "reduction: not read by way of %s: %s", name, text_string(&fields));
    }
    text_release(&fields);
}

/* The name of the field that a word of a node belongs to. */
static const char *field_name(const struct lin_pool *pool, uint32_t word)
{
    uint32_t field = 0, end = 1;
    for (;; field++) {
        end += pool->lengths[field] * lin_step_words_of(&pool->of->fields[field]->type);
        if (word < end)
            return pool->of->fields[field]->name;
    }
}

/* Which fields are taken for sticky, and by what it is known that they do not change. */
static void log_sticky(const struct log *log, const struct lin_model *model)
{
    const struct lin_steps *steps = model->steps;
    struct text fields = TEXT_EMPTY;
    for (uint64_t left = model->supposed; left; left &= left - 1) {
        const struct lin_supposition *supposed = &steps->suppositions.items[__builtin_ctzll(left)];
        const struct lin_pool *pool = &steps->pools[supposed->pool];
        text_format(&fields, "%s%s.%s", fields.length ? ", " : "", pool->of->name,
                    field_name(pool, supposed->field));
        if (supposed->guard == LIN_ENDS_THERE)
            text_append(&fields, " of nodes that are linked");
        else if (supposed->guard != supposed->field)
            text_format(&fields, " behind %s", field_name(pool, supposed->guard));
    }
    LOG(log, "reduction: supposed to be sticky: %s", text_string(&fields));
    text_release(&fields);
}

void lin_log_reductions(const struct log *log, const struct lin_model *model, reductions used)
{
    const struct lin_steps *steps = model->steps;
    const uint32_t threads = steps->setting.threads;
    struct text names = TEXT_EMPTY;
    if (!log_wants(log, LOG_MOMENTS))
        return;
    reductions_print(used, &names);
    LOG(log, "compiler: %s, %" PRIu32 " threads, %zu instructions", steps->object->name, threads,
        steps->listing.code.length);
    if (model->options.symmetry)
        LOG(log, "reduction: %s on, %" PRIu32 " threads alike", text_string(&names), threads);
    else
        LOG(log, "reduction: %s on", text_string(&names));
    if (used & REDUCE_WRITE_ONCE)
        log_write_once(log, steps);
    if (used & REDUCE_PURE)
        log_pure(log, steps);
    if (used & REDUCE_STALE)
        log_stale(log, steps, "no stale reads before", steps->stale.items, steps->stale.length);
    if (used & REDUCE_DECIDED)
        log_stale(log, steps, "a step may be decided before", steps->decided.items,
                  steps->decided.length);
    if (used & REDUCE_STICKY)
        log_sticky(log, model);
    if (used & REDUCE_FIELDS)
        log_fields(log, steps);
    text_release(&names);
}
