#include "support/prefix_lines.h"

#include <inttypes.h>

#include "value/print.h"

/* As EDN. */
static void print_value(value v, bool texts, struct text *text)
{
    int64_t integer;
    size_t length;
    const value *items = value_get_items(v, &length);
    if (texts && value_get_integer(v, &integer)) {
        text_format(text, "\"number %" PRId64 "\"", integer);
    } else if (texts && value_kind_of(v) == KIND_LIST) {
        text_append(text, "[");
        for (size_t i = 0; i < length; i++) {
            text_append(text, " ");
            print_value(items[i], texts, text);
        }
        text_append(text, "]");
    } else {
        value_print_edn(v, text);
    }
}

static void write_event(struct prefix_lines *written, const struct prefixes *prefixes,
                        const struct interval *interval, const char *type, bool result, bool texts)
{
    const struct spec_class *class = prefixes->sample.part.spec->class;
    struct text *line = &written->lines[written->count++];
    text_format(line, "{:process %u, :type :%s, :f :%s, :value ", interval->call.process, type,
                class->operations[interval->call.operation].name);
    if (!result)
        print_value(interval->call.argument, texts, line);
    else if (interval->call.result_known)
        print_value(interval->call.result, texts, line);
    else
        text_append(line, "nil");
    text_append(line, "}\n");
}

void prefix_lines_write(struct prefix_lines *written, struct prefixes *prefixes, bool texts)
{
    const struct part *part = &prefixes->sample.part;
    for (uint32_t i = 0; i < part->count; i++)
        if (prefixes->fates[i].end <= part->intervals[i].invoke)
            prefixes->fates[i].end = POSITION_NEVER;
    for (uint32_t at = 0; at < part->positions; at++) {
        const size_t before = written->count;
        for (uint32_t i = 0; i < part->count; i++) {
            const struct interval *interval = &part->intervals[i];
            const struct fate *fate = &prefixes->fates[i];
            bool completes = interval->response != POSITION_NEVER;
            if (interval->invoke == at)
                write_event(written, prefixes, interval, "invoke", false, texts);
            if (interval->response == at)
                write_event(written, prefixes, interval, "ok", true, texts);
            if (!completes && fate->end == at)
                write_event(written, prefixes, interval, fate->fails ? "fail" : "info", false,
                            texts);
        }
        for (size_t i = before; i < written->count; i++)
            written->positions[i] = at;
    }
}

void prefix_lines_release(struct prefix_lines *written)
{
    for (size_t i = 0; i < written->count; i++)
        text_release(&written->lines[i]);
    *written = (struct prefix_lines){0};
}
