/* A column is a number of bytes, so that its line must be looked at. */
#include "lsp/locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "report/json.h"

void locations_init(struct locations *locations, const struct server *server,
                    const struct document *document)
{
    *locations = (struct locations){.server = server, .document = document};
}

static void forget(struct locations *locations)
{
    lines_release(&locations->lines);
    text_release(&locations->text);
    free(locations->file);
    free(locations->uri);
    locations->file = locations->uri = NULL;
}

void locations_release(struct locations *locations)
{
    forget(locations);
}

/* The bytes of a file; none if it cannot be read. */
static void read_file(const char *path, struct text *text)
{
    char block[16384];
    size_t got;
    FILE *in = fopen(path, "r");
    while (in && (got = fread(block, 1, sizeof block, in)) > 0)
        text_append_bytes(text, block, got);
    if (in)
        fclose(in);
}

static void open_file(struct locations *locations, const char *file)
{
    const struct documents *documents = &locations->server->documents;
    const struct document *open = documents->first;
    if (locations->file && strcmp(locations->file, file) == 0)
        return;
    forget(locations);
    while (open && !source_is_same(open->path, file))
        open = open->next;
    locations->file = text_copy(file);
    locations->uri = open ? text_copy(open->uri) : document_uri(file);
    if (open)
        text_append_bytes(&locations->text, text_string(&open->text), open->text.length);
    else
        read_file(file, &locations->text);
    lines_init(&locations->lines, text_string(&locations->text), locations->text.length,
               documents->unit);
}

void locations_add(struct locations *locations, yajl_gen json, const char *file, uint32_t line,
                   uint32_t column, size_t length)
{
    const struct lines *lines = &locations->document->lines;
    if (file) {
        open_file(locations, file);
        lines = &locations->lines;
    }
    size_t start = lines_place(lines, line, column);
    json_add_text(json, "uri", file ? locations->uri : locations->document->uri);
    json_add_range(json, "range", lines, start, start + length);
}

/* ---- includes ---- */

/* The next file that is included, at or behind `at`: its first byte between the quotes, or null. */
static const char *next_include(const char *at)
{
    for (const char *sign = strchr(at, '#'); sign; sign = strchr(sign + 1, '#')) {
        const char *word = sign + 1 + strspn(sign + 1, " \t");
        size_t length = strncmp(word, "include", 7) == 0  ? 7
                        : strncmp(word, "import", 6) == 0 ? 6
                                                          : 0;
        const char *quote = word + length + strspn(word + length, " \t");
        if (length && *quote == '"')
            return quote + 1;
    }
    return NULL;
}

/* Whether what stands between the quotes leads to the file from the document's folder. */
static bool leads_to(const struct document *document, const char *quoted, const char *file)
{
    static const char *const endings[] = {"", ".csp", ".lin"};
    const char *slash = strrchr(document->path, '/');
    size_t folder = slash && *quoted != '/' ? (size_t)(slash + 1 - document->path) : 0;
    bool found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !found; i++) {
        struct text path = TEXT_EMPTY;
        text_append_bytes(&path, document->path, folder);
        for (size_t j = 0; j < strcspn(quoted, "\"\n"); j++)
            text_append_char(&path, quoted[j] == '\\' ? '/' : quoted[j]);
        text_append(&path, endings[i]);
        found = source_is_same(text_string(&path), file);
        text_release(&path);
    }
    return found;
}

size_t locations_include(const struct document *document, const char *file)
{
    const char *text = text_string(&document->text), *first = next_include(text);
    for (const char *quoted = first; quoted; quoted = next_include(quoted))
        if (leads_to(document, quoted, file))
            return (size_t)(quoted - text);
    return first ? (size_t)(first - text) : lines_place(&document->lines, 1, 0);
}
