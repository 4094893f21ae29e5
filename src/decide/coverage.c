#include "decide/coverage.h"

#include "base/quantity.h"
#include "value/print.h"

static void print_limit(const struct coverage *coverage, struct text *text)
{
    const struct budget *budget = coverage->budget;
    switch (coverage->limit) {
    case LIMIT_TIME:
        if (coverage->timeout > 0)
            text_format(text, "time limit of %g s reached", coverage->timeout);
        else
            text_append(text, "time limit reached");
        return;
    case LIMIT_MEMORY:
        while (budget && budget->limit == 0)
            budget = budget->parent;
        if (budget) {
            text_append(text, "memory limit of ");
            text_append_size(text, budget->limit);
            text_append(text, " reached");
        } else {
            text_append(text, "the system has no memory left");
        }
        return;
    case LIMIT_INTERRUPT:
        text_append(text, "interrupted");
        return;
    case LIMIT_NONE:
    case LIMIT_DEPTH: /* histories do not nest */
        break;
    }
    text_append(text, "not decided");
}

static void print_furthest(const struct coverage *coverage, struct text *text)
{
    const struct part *part = coverage->furthest;
    if (!part || coverage->furthest_length == 0)
        return;
    text_append(text, "; furthest: ");
    text_append_count(text, coverage->furthest_length);
    text_append(text, " of ");
    text_append_count(text, part->count);
    text_append(text, " operations");
    if (part->object != NO_OBJECT && coverage->several_objects) {
        text_append(text, " of ");
        value_print_edn(coverage->history->objects.items[part->object], text);
    }
    if (part->has_key || part->has_independent) {
        text_append(text, " of key ");
        value_print_edn(part->has_independent ? part->independent : part->key, text);
    }
}

size_t coverage_print(const struct coverage *coverage, struct text *text)
{
    print_limit(coverage, text);
    size_t covered = text->length;
    text_append(text, ": ");
    if (coverage->parts > 1) {
        const char *plural = coverage->keyed             ? "keys"
                             : coverage->several_objects ? "objects"
                                                         : "parts";
        text_append_count(text, coverage->parts_decided);
        text_append(text, " of ");
        text_append_count(text, coverage->parts);
        text_format(text, " %s decided, ", plural);
    }
    text_append_count(text, coverage->explored);
    text_append(text,
                coverage->explored == 1 ? " configuration explored" : " configurations explored");
    print_furthest(coverage, text);
    return covered;
}
