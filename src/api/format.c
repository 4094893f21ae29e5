/* Laying out `.lin` files. */
#include <string.h>

#include <linchpin/model.h>

#include "api/objects.h"
#include "api/require.h"
#include "lin/format.h"

/* The text as the file has it. */
static bool is_same(const struct script *script, const struct text *laid_out)
{
    const struct script_part *part = &script->parts[script->main];
    return part->end - part->start == laid_out->length &&
           memcmp(script->text + part->start, text_string(laid_out), laid_out->length) == 0;
}

lp_status lp_model_format(lp_context *context, const char *path, FILE *out, bool *same,
                          lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(out);
    REQUIRE_NOT_NULL(same);
    struct arena arena;
    struct script script;
    struct limits limits;
    struct error fault;
    struct text text = TEXT_EMPTY;
    arena_init(&arena, &context->budget);
    limits_for(&limits, context, &context->budget, 0);
    enum status status = script_read(path, &arena, &limits, &script, &fault);
    if (status == STATUS_OK)
        status = lin_format(&script, &arena, &text, &fault);
    if (status == STATUS_OK) {
        *same = is_same(&script, &text);
        fwrite(text_string(&text), 1, text.length, out);
    } else {
        if (status == STATUS_LIMIT)
            error_set(&fault, status, NULL, 0, "a limit was reached before the file was laid out");
        report_status(status, &fault, error);
    }
    text_release(&text);
    arena_release(&arena);
    return (lp_status)status;
}
