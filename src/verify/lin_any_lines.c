#include "verify/lin_any_lines.h"

#include "implementation/statement_text.h"
#include "lin/opaque.h"

#define MOST_SHOWN 60 /* of a statement */

unsigned lin_any_line(const struct lin_instance *instance, uint32_t at)
{
    return script_line(instance->module->script, instance->steps.listing.places.items[at - 1]);
}

void lin_any_append_step(const struct lin_instance *instance, uint32_t at, struct text *text)
{
    const struct script *script = instance->module->script;
    const struct listing *listing = &instance->steps.listing;
    const unsigned line = lin_any_line(instance, at),
                   column = script_column(script, listing->places.items[at - 1]);
    bool alone = true;
    for (uint32_t i = 0; i < listing->places.length && alone; i++)
        alone = listing->code.items[i].op != OP_STEP || lin_any_line(instance, i + 1) != line ||
                script_column(script, listing->places.items[i]) == column;
    text_format(text, "%u", line);
    if (!alone)
        text_format(text, ":%u", column);
}

/* "21 `if (cas(top, t, x))`" */
static void append_statement(const struct lin_instance *instance, uint32_t at, struct text *text)
{
    const place where = instance->steps.listing.places.items[at - 1];
    const char *start, *end;
    lin_find_statement(instance->module->script, where, &start, &end);
    const int length = (int)(end - start);
    lin_any_append_step(instance, at, text);
    text_format(text, " `%.*s%s`", length > MOST_SHOWN ? MOST_SHOWN : length, start,
                length > MOST_SHOWN ? "..." : "");
}

/* Where precision was lost: behind the last step that left it open which heap it is; if none did,
 * and all are known, at most in what one thread does not see of the others. */
static void append_loss(const struct lin_instance *instance, const struct heap_cause *path,
                        uint32_t count, bool all, struct text *text)
{
    const struct heap_cause *doubtful = NULL, *other = NULL;
    for (uint32_t i = 0; i < count; i++) {
        doubtful = path[i].is_doubtful ? &path[i] : doubtful;
        other = path[i].is_other ? &path[i] : other;
    }
    if (doubtful) {
        text_append(text, "; several heaps were possible, last, behind the step at line ");
        append_statement(instance, doubtful->at, text);
        text_append(text, doubtful->is_other ? " of another thread" : "");
    } else if (other && all) {
        text_append(text, "; each step left one heap only: so it may come about, and the points "
                          "are not right, or it was lost which threads go together, last at line ");
        append_statement(instance, other->at, text);
    }
}

void lin_any_append_path(const struct lin_instance *instance, const struct heap_cause *path,
                         uint32_t length, struct text *text)
{
    const uint32_t count = length < HEAP_MOST_CAUSES ? length : HEAP_MOST_CAUSES;
    if (count == 0)
        return;
    text_append(text, length > count ? ", and the last lines on the way there are "
                                     : ", and the lines on the way there are ");
    for (uint32_t i = 0; i < count; i++) {
        const struct heap_cause *cause = &path[i];
        text_append(text, i == 0 ? "" : ", ");
        append_statement(instance, cause->at, text);
        text_append(text, cause->is_other ? " (of another thread)" : "");
    }
    append_loss(instance, path, count, count == length, text);
}

void lin_any_append_unprovided(const struct lin_instance *instance, const char *unable,
                               const place *at, struct text *text)
{
    text_format(text, "the specification `%s` is not provided for: %s", instance->name, unable);
    if (at)
        text_format(text, " (line %u)", script_line(instance->module->script, *at));
}

const place *lin_any_choice(const struct lin_instance *instance, place *at)
{
    return instance->own && lin_chooses(instance->own, at) ? at : NULL;
}

enum status lin_any_answer_by_views(struct questions *questions, uint64_t begin, bool is_proved,
                                    size_t views, size_t effects, struct text *text,
                                    struct question_answer *answer)
{
    answer->verdict = is_proved ? VERDICT_SAFE : VERDICT_UNKNOWN;
    answer->explored = answer->locals = views;
    answer->transitions = effects;
    answer->seconds = seconds_since(begin);
    answer->reason = arena_copy_text(&questions->arena, text_string(text), text->length);
    text_release(text);
    return granted(answer->reason);
}
