/* Files are read depth first, each once, and their texts put one behind the other: a place is a
 * byte in that text, and its part says which file it is in. */
#include "lang/script.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/source.h"
#include "base/text.h"
#include "base/vector.h"

#define LONGEST_SHOWN_LINE 160 /* a longer line is shown only around the place */
#define SHOWN_BEFORE       80  /* so much of it before the place */

/* ---- reading ---- */

/* The parts so far, and their texts one behind the other, each closed by a 0 byte. */
struct loader {
    struct arena *arena;
    const struct limits *limits;
    const struct script_file *files; /* that stand for what is read */
    size_t file_count;
    struct text text;
    VECTOR(struct script_part) parts;
    struct error *error;
};

static void loader_init(struct loader *loader, struct arena *arena, struct error *error)
{
    *loader = (struct loader){.arena = arena, .error = error};
    vector_init(&loader->parts, arena->budget);
}

static void loader_release(struct loader *loader)
{
    text_release(&loader->text);
    vector_release(&loader->parts);
}

/* Adds a part. Its name is copied. */
static enum status add_part(struct loader *loader, const char *name, place directive,
                            const char *text, size_t length)
{
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    struct script_part part = {.name = arena_copy_text(loader->arena, name, strlen(name)),
                               .directive = directive,
                               .start = (place)loader->text.length};
    TRY_MEMORY(part.name);
    if (length > SCRIPT_MAX_BYTES || loader->text.length + length > SCRIPT_MAX_BYTES)
        return error_set(loader->error, STATUS_INPUT, part.name, 0,
                         "expected a model, found more than 64 MiB");
    text_append_bytes(&loader->text, text, length);
    part.end = (place)loader->text.length;
    text_append_char(&loader->text, 0);
    return granted(vector_push(&loader->parts, part));
}

/* Of each so many bytes it is kept what line they are in, so that a line is found without going
 * through all that is before it: a text may be wrong at very many places. */
#define MARKED ((size_t)1024)

struct line_mark {
    uint32_t newlines; /* before this byte */
    place start;       /* of the line that it is in */
};

/* They stand behind the parts. */
static struct line_mark *marks_of(const struct script_part *parts, size_t count)
{
    _Static_assert(_Alignof(struct script_part) % _Alignof(struct line_mark) == 0, "no gap");
    return (struct line_mark *)(parts + count);
}

static void mark_lines(struct line_mark *marks, const char *text, size_t length)
{
    struct line_mark mark = {0, 0};
    for (size_t i = 0; i <= length; i++) {
        if (i % MARKED == 0)
            marks[i / MARKED] = mark;
        if (i < length && text[i] == '\n')
            mark = (struct line_mark){mark.newlines + 1, (place)i + 1};
    }
}

/* Makes a script of the parts; the first is the model. */
static enum status assemble(struct loader *loader, struct script *script)
{
    size_t count = loader->parts.length;
    const size_t marks = loader->text.length / MARKED + 1;
    struct script_part *parts =
        arena_allocate(loader->arena, count * sizeof *parts + marks * sizeof(struct line_mark));
    const char *text =
        arena_copy_text(loader->arena, text_string(&loader->text), loader->text.length);
    TRY_MEMORY(parts && text);
    memcpy(parts, loader->parts.items, count * sizeof *parts);
    mark_lines(marks_of(parts, count), text, loader->text.length);
    *script = (struct script){.name = parts[0].name,
                              .text = text,
                              .length = loader->text.length,
                              .parts = parts,
                              .part_count = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        const char *zero = memchr(text + parts[i].start, 0, parts[i].end - parts[i].start);
        if (zero)
            return script_error(script, (place)(zero - text), loader->error,
                                "expected text, found a 0 byte");
    }
    return STATUS_OK;
}

enum status script_from_text(const char *name, const char *text, size_t length, struct arena *arena,
                             struct script *script, struct error *error)
{
    struct loader loader;
    loader_init(&loader, arena, error);
    enum status status = add_part(&loader, name, 0, text, length);
    if (status == STATUS_OK)
        status = assemble(&loader, script);
    loader_release(&loader);
    return status;
}

/* Behind a comment or string that starts here; `at` where there is none. */
static place skip_opaque(const char *text, place at)
{
    const char *from = text + at, *end = from;
    if (from[0] == '/' && from[1] == '/')
        end += strcspn(from, "\n");
    else if (from[0] == '/' && from[1] == '*')
        end = (end = strstr(from + 2, "*/")) ? end + 2 : from + strlen(from);
    else if (from[0] == '"')
        end += 1 + strcspn(from + 1, "\""), end += *end != 0;
    return at + (place)(end - from);
}

static place skip_space(const char *text, place at)
{
    return at + (place)strspn(text + at, " \t\r\n\f");
}

/* `#include "FILE"` or `#import "NAME"`: what stands between the quotes. */
struct directive {
    place at;
    size_t length;
    bool import;
};

/* Behind the word, if it stands here; else 0. */
static place behind_word(const char *text, place at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text + at, word, length) == 0 ? at + (place)length : 0;
}

/* Finds the next directive of the text from `at`. False: there is none. */
static bool find_directive(const char *text, place at, struct directive *directive)
{
    while (text[at]) {
        place behind = skip_opaque(text, at);
        if (behind > at || text[at] != '#') {
            at = behind > at ? behind : at + 1;
            continue;
        }
        at = skip_space(text, at + 1);
        place include = behind_word(text, at, "include");
        place word = include ? include : behind_word(text, at, "import");
        place quote = word ? skip_space(text, word) : 0;
        if (!word || text[quote] != '"' || !strchr(text + quote + 1, '"'))
            continue;
        *directive = (struct directive){
            .at = quote + 1, .length = strcspn(text + quote + 1, "\""), .import = !include};
        return true;
    }
    return false;
}

/* A complaint about what a directive names. */
static enum status include_error(struct loader *loader, const struct script_part *from,
                                 place directive, const char *what, const char *why)
{
    uint32_t line = 1;
    for (place i = from->start; i < directive; i++)
        line += loader->text.bytes[i] == '\n';
    return error_set(loader->error, STATUS_INPUT, from->name, line, "#include \"%s\": %s", what,
                     why);
}

/* The bytes of a file behind `text`. */
static enum status read_file(struct loader *loader, const char *path, const char **name,
                             struct text *text)
{
    struct source *source;
    TRY(source_open(path, loader->arena->budget, &source, loader->error));
    source_set_limits(source, loader->limits);
    char block[16384];
    size_t got = 0;
    enum status status;
    do {
        status = source_read(source, block, sizeof block, &got, loader->error);
        if (status == STATUS_OK)
            text_append_bytes(text, block, got);
    } while (status == STATUS_OK && got > 0 && text->length <= SCRIPT_MAX_BYTES);
    *name = source_name(source);
    source_close(source);
    return status;
}

/* The bytes of what is included behind `text`. */
static enum status read_included(struct loader *loader, const char *path, const char **name,
                                 struct text *text)
{
    for (size_t i = 0; i < loader->file_count; i++)
        if (source_is_same(loader->files[i].path, path)) {
            text_append_bytes(text, loader->files[i].text, loader->files[i].length);
            return STATUS_OK;
        }
    return read_file(loader, path, name, text);
}

/* ---- paths ---- */

/* The path of what a file includes, in the arena. */
static const char *relative_path(struct loader *loader, const struct script_part *from,
                                 const char *what)
{
    const char *slash = strrchr(from->name, '/');
    struct text path = TEXT_EMPTY;
    if (*what != '/')
        text_append_bytes(&path, slash ? from->name : "./",
                          slash ? (size_t)(slash + 1 - from->name) : 0);
    text_append(&path, what);
    const char *kept = arena_copy_text(loader->arena, text_string(&path), path.length);
    text_release(&path);
    return kept;
}

static bool is_file(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Of a path of Windows the longest end that leads to a file from the folder of the one that
 * includes it; its last name if none does. */
static const char *windows_path(struct loader *loader, const struct script_part *from,
                                const char *what)
{
    struct text plain = TEXT_EMPTY;
    for (const char *c = what; *c; c++)
        text_append_char(&plain, *c == '\\' ? '/' : *c);
    const char *path = NULL, *rest = text_string(&plain);
    for (const char *slash; rest; rest = slash ? slash + 1 : NULL) {
        slash = strchr(rest, '/');
        bool drive = strchr(rest, ':') != NULL || *rest == '/';
        path = drive && slash ? NULL : relative_path(loader, from, rest);
        if (path && is_file(path))
            break;
    }
    text_release(&plain);
    return path;
}

/* The path of what is included; null when refused. */
static const char *included_path(struct loader *loader, const struct script_part *from,
                                 const char *what)
{
    const char *path = relative_path(loader, from, what);
    bool windows = strchr(what, '\\') || (what[0] && what[1] == ':');
    return path && windows && !is_file(path) ? windows_path(loader, from, what) : path;
}

/* The path of NAME.csp or NAME.lin for `#import "NAME"`; null where there is none. */
static const char *imported_path(struct loader *loader, const struct script_part *from,
                                 const char *what)
{
    static const char *const endings[] = {".csp", ".lin"};
    const char *slash = strrchr(what, '/'), *backslash = strrchr(what, '\\');
    const char *name = slash || backslash ? (slash > backslash ? slash : backslash) + 1 : what;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".dll") == 0)
        length -= 4;
    const char *path = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(endings) && !path; i++) {
        struct text file = TEXT_EMPTY;
        text_append_bytes(&file, name, length);
        text_append(&file, endings[i]);
        path = relative_path(loader, from, text_string(&file));
        path = path && is_file(path) ? path : NULL;
        text_release(&file);
    }
    return path;
}

/* Whether a file is named as a model is, behind all links. A model may be a stranger's, and what it
 * includes is shown in messages, and by values in answers: no other file must get there. */
static bool is_model(const char *path)
{
    char *target = realpath(path, NULL);
    const char *dot = strrchr(target ? target : path, '.');
    const bool named = dot && (strcasecmp(dot, ".lin") == 0 || strcasecmp(dot, ".csp") == 0);
    free(target);
    return named;
}

/* ---- what is included ---- */

static enum status load_included(struct loader *loader, uint32_t part, unsigned depth);

/* Adds the file that a directive names, unless it is there already. */
static enum status include(struct loader *loader, uint32_t part, struct directive directive,
                           unsigned depth)
{
    struct script_part from = loader->parts.items[part];
    const char *what =
        arena_copy_text(loader->arena, text_string(&loader->text) + directive.at, directive.length);
    TRY_MEMORY(what);
    const char *path =
        directive.import ? imported_path(loader, &from, what) : included_path(loader, &from, what);
    if (!path)
        return directive.import ? STATUS_OK : STATUS_LIMIT;
    if (depth >= SCRIPT_MAX_DEPTH || loader->parts.length >= SCRIPT_MAX_PARTS)
        return include_error(loader, &from, directive.at, what,
                             "expected fewer files included or less deeply, found too many");
    if (!is_model(path))
        return include_error(loader, &from, directive.at, what,
                             "expected a file that is named .lin or .csp, behind links, too");
    const char *name = path;
    for (size_t i = 0; i < loader->parts.length; i++)
        if (source_is_same(loader->parts.items[i].name, path))
            return add_part(loader, name, directive.at, "", 0);
    struct text text = TEXT_EMPTY;
    enum status status = read_included(loader, path, &name, &text);
    if (status == STATUS_INPUT) {
        struct error copy = *loader->error;
        struct text why = TEXT_EMPTY;
        text_format(&why, "%s%s%s", copy.message, strcmp(path, what) == 0 ? "" : ": ",
                    strcmp(path, what) == 0 ? "" : path);
        status = include_error(loader, &from, directive.at, what, text_string(&why));
        text_release(&why);
    }
    uint32_t added = (uint32_t)loader->parts.length;
    if (status == STATUS_OK)
        status = add_part(loader, name, directive.at, text_string(&text), text.length);
    text_release(&text);
    return status == STATUS_OK ? load_included(loader, added, depth + 1) : status;
}

/* Adds what a part includes, in order. */
static enum status load_included(struct loader *loader, uint32_t part, unsigned depth)
{
    struct directive found;
    for (place at = loader->parts.items[part].start;
         find_directive(text_string(&loader->text), at, &found);
         at = found.at + (place)found.length + 1)
        TRY(include(loader, part, found, depth));
    return STATUS_OK;
}

/* The model's own text, what it includes, and the script of all. */
static enum status load(struct loader *loader, const char *name, const char *text, size_t length,
                        struct script *script)
{
    TRY(add_part(loader, name, 0, text, length));
    TRY(load_included(loader, 0, 0));
    return assemble(loader, script);
}

enum status script_read(const char *path, struct arena *arena, const struct limits *limits,
                        struct script *script, struct error *error)
{
    struct loader loader;
    loader_init(&loader, arena, error);
    loader.limits = limits;
    struct text text = TEXT_EMPTY;
    const char *name = path;
    enum status status = read_file(&loader, path, &name, &text);
    if (status == STATUS_OK)
        status = load(&loader, name, text_string(&text), text.length, script);
    text_release(&text);
    loader_release(&loader);
    return status;
}

enum status script_read_as(const struct script_file *files, size_t count, struct arena *arena,
                           const struct limits *limits, struct script *script, struct error *error)
{
    struct loader loader;
    loader_init(&loader, arena, error);
    loader.limits = limits;
    loader.files = files + 1;
    loader.file_count = count - 1;
    enum status status = load(&loader, files->path, files->text, files->length, script);
    loader_release(&loader);
    return status;
}

enum status script_extend(const struct script *script, const char *more, struct arena *arena,
                          struct script *extended, struct error *error)
{
    struct loader loader;
    uint32_t main = script->main; /* the two scripts may be one */
    loader_init(&loader, arena, error);
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < script->part_count; i++) {
        const struct script_part *part = &script->parts[i];
        text_clear(&text);
        text_append_bytes(&text, script->text + part->start, part->end - part->start);
        if (i == script->main)
            text_append(&text, more);
        status = add_part(&loader, part->name, part->directive, text_string(&text), text.length);
    }
    text_release(&text);
    /* Directives stand in parts before the ones they add, which have moved. */
    for (uint32_t i = 1; i < loader.parts.length; i++) {
        uint32_t in = script_part_at(script, script->parts[i].directive);
        loader.parts.items[i].directive += loader.parts.items[in].start - script->parts[in].start;
    }
    if (status == STATUS_OK)
        status = assemble(&loader, extended);
    if (status == STATUS_OK)
        *extended = script_of_part(extended, main);
    loader_release(&loader);
    return status;
}

/* ---- parts ---- */

uint32_t script_find_part(const struct script *script, place directive)
{
    for (uint32_t i = 1; i < script->part_count; i++)
        if (script->parts[i].directive == directive)
            return i;
    return UINT32_MAX;
}

uint32_t script_part_at(const struct script *script, place at)
{
    uint32_t part = 0;
    while (part + 1 < script->part_count && script->parts[part + 1].start <= at)
        part++;
    return part;
}

struct script script_of_part(const struct script *script, uint32_t part)
{
    struct script made = *script;
    made.name = script->parts[part].name;
    made.main = part;
    return made;
}

/* ---- places ---- */

static struct line_mark mark_before(const struct script *script, place at)
{
    return marks_of(script->parts, script->part_count)[at / MARKED];
}

static uint32_t newlines_before(const struct script *script, place at)
{
    uint32_t newlines = mark_before(script, at).newlines;
    for (place i = at - at % MARKED; i < at; i++)
        newlines += script->text[i] == '\n';
    return newlines;
}

uint32_t script_line(const struct script *script, place at)
{
    const place first = script->parts[script_part_at(script, at)].start;
    return newlines_before(script, at) - newlines_before(script, first) + 1;
}

static place line_start(const struct script *script, place at)
{
    const place first = script->parts[script_part_at(script, at)].start;
    const place marked = at - at % MARKED;
    while (at > marked && script->text[at - 1] != '\n')
        at--;
    if (at == marked)
        at = mark_before(script, at).start;
    return at > first ? at : first;
}

uint32_t script_column(const struct script *script, place at)
{
    return at - line_start(script, at) + 1;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The end of a line that goes on at `start`, or a place too far behind it to be shown. */
static place line_end(const struct script *script, place start)
{
    const char *text = script->text + start;
    place length = 0;
    while (length <= LONGEST_SHOWN_LINE && text[length] && text[length] != '\r' &&
           text[length] != '\n')
        length++;
    return start + length;
}

/* The place's line, or what is around it, and below it a mark at the place. */
static void show_line(const struct script *script, place at, struct text *text)
{
    place start = line_start(script, at), end = line_end(script, start);
    bool cut_before = at - start > SHOWN_BEFORE &&
                      (end - start > LONGEST_SHOWN_LINE || at - start > LONGEST_SHOWN_LINE);
    if (cut_before) {
        start = at - SHOWN_BEFORE;
        end = line_end(script, start);
    }
    bool cut_after = end - start > LONGEST_SHOWN_LINE;
    if (cut_after)
        end = start + LONGEST_SHOWN_LINE;
    /* What is no UTF-8 may have nothing but such bytes. */
    while (start < at && is_continuation(script->text[start]))
        start++;
    while (end > start && is_continuation(script->text[end]))
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
    const char *name = script->parts[script_part_at(script, at)].name;
    struct text message = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&message, format, arguments);
    va_end(arguments);
    show_line(script, at, &message);
    error_set(error, STATUS_INPUT, name, script_line(script, at), "%s", text_string(&message));
    if (error)
        error->column = script_column(script, at);
    text_release(&message);
    return STATUS_INPUT;
}

enum status script_unread(const struct script *script, place directive, struct error *error)
{
    return script_error(script, directive, error,
                        "expected no #include in a model that was not read from a file");
}
