#include "cli/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

char *units_file(const char *operand, uint32_t *line)
{
    struct text file = TEXT_EMPTY;
    *line = 0;
    const char *colon = strrchr(operand, ':');
    bool digits = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
    if (digits && strlen(colon + 1) < 10 && access(operand, F_OK) != 0) {
        text_append_bytes(&file, operand, (size_t)(colon - operand));
        *line = (uint32_t)strtoul(colon + 1, NULL, 10);
    } else
        text_append(&file, operand);
    return text_take(&file);
}

lp_status units_process(const lp_model *model, uint32_t line, const char **process, lp_error *error)
{
    lp_assertion assertion;
    for (size_t i = 0; line && lp_model_assertion_at(model, i, &assertion); i++) {
        if (assertion.line != line)
            continue;
        if (*process) {
            snprintf(error->message, sizeof error->message,
                     "expected a line or a process, found both, line %u and '%.200s'", line,
                     *process);
            return LP_USAGE;
        }
        *process = assertion.process;
        return LP_OK;
    }
    if (!line)
        return LP_OK;
    *error = (lp_error){0};
    snprintf(error->message, sizeof error->message, "expected an assertion in line %u, found none",
             line);
    return LP_INPUT;
}

void units_name(char *const *operands, size_t count, struct units *units)
{
    *units = (struct units){.source_count = count};
    units->sources = memory_small(count * sizeof *units->sources);
    for (size_t i = 0; i < count; i++)
        units->sources[i].operand = units_file(operands[i], &units->sources[i].line);
}

void units_forget(struct units *units)
{
    for (size_t i = 0; i < units->source_count; i++)
        free(units->sources[i].operand);
    free(units->sources);
    free(units->items);
}

bool unit_assertion(const struct unit *unit, lp_assertion *assertion)
{
    const struct source_model *source = unit->source;
    return source->model && source->status == LP_OK &&
           lp_model_assertion_at(source->model, unit->assertion, assertion);
}

static bool is_meant(const struct source_model *source, const lp_assertion *assertion)
{
    return !source->line || source->line == assertion->line;
}

static size_t count_meant(const struct source_model *source)
{
    lp_assertion assertion;
    size_t count = 0;
    for (size_t i = 0; lp_model_assertion_at(source->model, i, &assertion); i++)
        count += is_meant(source, &assertion);
    return count;
}

static void read_model(struct source_model *source, lp_context *context)
{
    struct text message = TEXT_EMPTY;
    source->status = model_read(context, source->operand, &source->model, &source->errors);
    if (source->status != LP_OK || count_meant(source))
        return;
    source->status = LP_INPUT;
    text_append(&message, "expected at least one assertion");
    if (source->line)
        text_format(&message, " in line %u", source->line);
    text_append(&message, ", found none");
    source->errors.count = 1;
    source->errors.items[0] = (lp_error){0};
    snprintf(source->errors.items[0].message, sizeof source->errors.items[0].message, "%s",
             text_string(&message));
    text_release(&message);
}

void units_read(struct units *units, lp_context *context)
{
    size_t room = units->source_count;
    for (size_t i = 0; i < units->source_count; i++) {
        read_model(&units->sources[i], context);
        if (units->sources[i].status == LP_OK)
            room += count_meant(&units->sources[i]);
    }
    units->items = memory_small(room * sizeof *units->items);
    for (size_t i = 0; i < units->source_count; i++) {
        struct unit unit = {.source = &units->sources[i]};
        lp_assertion assertion;
        if (!unit_assertion(&unit, &assertion))
            units->items[units->count++] = unit;
        for (; unit_assertion(&unit, &assertion); unit.assertion++)
            if (is_meant(unit.source, &assertion))
                units->items[units->count++] = unit;
    }
}

void units_release(struct units *units)
{
    for (size_t i = 0; i < units->source_count; i++)
        lp_model_destroy(units->sources[i].model);
}
