#include "lang/script.h"

#include <string.h>

#include "base/source.h"
#include "base/text.h"

#define LONGEST_SHOWN_LINE 160 /* a longer line is shown only around the place */
#define SHOWN_BEFORE       80  /* so much of it before the place */

enum status script_from_text(const char *name, const char *text, size_t length, struct arena *arena,
                             struct script *script, struct error *error)
{
    if (length > SCRIPT_MAX_BYTES)
        return error_set(error, STATUS_INPUT, name, 0, "expected a model, found more than 64 MiB");
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    script->name = arena_copy_text(arena, name, strlen(name));
    script->text = arena_copy_text(arena, text, length);
    script->length = length;
    if (!script->name || !script->text)
        return STATUS_LIMIT;
    const char *zero = memchr(script->text, 0, length);
    if (zero)
        return script_error(script, (place)(zero - script->text), error,
                            "expected text, found a 0 byte");
    return STATUS_OK;
}

enum status script_read(const char *path, struct arena *arena, const struct limits *limits,
                        struct script *script, struct error *error)
{
    struct source *source;
    TRY(source_open(path, arena->budget, &source, error));
    source_set_limits(source, limits);
    struct text text = TEXT_EMPTY;
    char block[16384];
    size_t got = 0;
    enum status status;
    do {
        status = source_read(source, block, sizeof block, &got, error);
        if (status == STATUS_OK)
            text_append_bytes(&text, block, got);
    } while (status == STATUS_OK && got > 0 && text.length <= SCRIPT_MAX_BYTES);
    if (status == STATUS_OK)
        status = script_from_text(source_name(source), text_string(&text), text.length, arena,
                                  script, error);
    text_release(&text);
    source_close(source);
    return status;
}

uint32_t script_line(const struct script *script, place at)
{
    uint32_t line = 1;
    for (place i = 0; i < at; i++)
        line += script->text[i] == '\n';
    return line;
}

static place line_start(const struct script *script, place at)
{
    while (at > 0 && script->text[at - 1] != '\n')
        at--;
    return at;
}

uint32_t script_column(const struct script *script, place at)
{
    return at - line_start(script, at) + 1;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The place's line, or what is around it, and below it a mark at the place. */
static void show_line(const struct script *script, place at, struct text *text)
{
    place start = line_start(script, at);
    place end = start + (place)strcspn(script->text + start, "\r\n");
    bool cut_before = end - start > LONGEST_SHOWN_LINE && at - start > SHOWN_BEFORE;
    if (cut_before)
        start = at - SHOWN_BEFORE;
    bool cut_after = end - start > LONGEST_SHOWN_LINE;
    if (cut_after)
        end = start + LONGEST_SHOWN_LINE;
    while (is_continuation(script->text[start]))
        start++;
    while (is_continuation(script->text[end]))
        end--;
    text_format(text, "\n    %s%.*s%s\n    %s", cut_before ? "..." : "", (int)(end - start),
                script->text + start, cut_after ? "..." : "", cut_before ? "   " : "");
    for (place i = start; i < at; i++)
        if (!is_continuation(script->text[i]))
            text_append_char(text, script->text[i] == '\t' ? '\t' : ' ');
    text_append_char(text, '^');
}

enum status script_error(const struct script *script, place at, struct error *error,
                         const char *format, ...)
{
    if (at > script->length)
        at = (place)script->length;
    struct text message = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&message, format, arguments);
    va_end(arguments);
    show_line(script, at, &message);
    error_set(error, STATUS_INPUT, script->name, script_line(script, at), "%s",
              text_string(&message));
    text_release(&message);
    return STATUS_INPUT;
}
