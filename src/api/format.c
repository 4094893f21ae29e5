/* Laying out `.lin` files. */
#include <string.h>

#include <linchpin/model.h>

#include "api/model.h"
#include "base/require.h"
#include "lin/format.h"

/* The text as the file has it. */
static bool is_same(const struct script *script, const struct text *laid_out)
{
    const struct script_part *part = &script->parts[script->main];
    return part->end - part->start == laid_out->length &&
           memcmp(script->text + part->start, text_string(laid_out), laid_out->length) == 0;
}

lp_status lp_model_format_text(lp_context *context, const char *name, const char *text,
                               size_t length, FILE *out, bool *same, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    REQUIRE_NOT_NULL(out);
    REQUIRE_NOT_NULL(same);
    struct arena arena;
    struct script script;
    struct error fault;
    struct text laid_out = TEXT_EMPTY;
    arena_init(&arena, &context->budget);
    enum status status = script_from_text(name, text ? text : "", length, &arena, &script, &fault);
    if (status == STATUS_OK)
        status = lin_format(&script, &arena, &laid_out, &fault);
    if (status == STATUS_OK) {
        *same = is_same(&script, &laid_out);
        fwrite(text_string(&laid_out), 1, laid_out.length, out);
    } else if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "a limit was reached before the text was laid out");
    text_release(&laid_out);
    arena_release(&arena);
    return report_status(status, &fault, error);
}

lp_status lp_model_format(lp_context *context, const char *path, FILE *out, bool *same,
                          lp_error *error)
{
    lp_error first;
    size_t count;
    return lp_model_format_all(context, path, out, same, error ? error : &first, 1, &count);
}

lp_status lp_model_format_all(lp_context *context, const char *path, FILE *out, bool *same,
                              lp_error *errors, size_t room, size_t *count)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(out);
    REQUIRE_NOT_NULL(same);
    REQUIRE_NOT_NULL(count);
    REQUIRE(errors && room > 0, "there is no room for errors");
    struct arena arena;
    struct script script;
    struct limits limits;
    struct error fault;
    struct text text = TEXT_EMPTY;
    struct faults faults = {.items = memory_small(room * sizeof *faults.items), .room = room};
    lp_error first = {0};
    arena_init(&arena, &context->budget);
    limits_for(&limits, context, &context->budget, 0);
    enum status status = script_read(path, &arena, &limits, &script, &fault);
    if (status == STATUS_OK) {
        script.faults = &faults;
        status = lin_format(&script, &arena, &text, &fault);
    }
    if (status == STATUS_OK) {
        *same = is_same(&script, &text);
        fwrite(text_string(&text), 1, text.length, out);
    } else if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "a limit was reached before the file was laid out");
    report_status(status, &fault, &first);
    *count = faults_report(&faults, (lp_status)status, &first,
                           status == STATUS_INPUT && faults.count, errors);
    text_release(&text);
    arena_release(&arena);
    return (lp_status)status;
}
