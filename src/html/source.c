/* A report may be read where the source is not: what a step did is shown with its line. The files
 * are read again when the report is written, so a file that was changed meanwhile is shown as it is
 * now. */
#include "html/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/places.h"

enum {
    MOST_FILES = 8,
    MOST_LINES = 20000, /* of a file: what is behind them is not shown */
    ABOUT = 4,          /* lines before and behind one that is named, as the page shows */
};

struct file {
    const char *path;
    bool wanted[MOST_LINES + 1];
};

struct sources {
    struct file *files[MOST_FILES];
    size_t count;
};

static void want(void *user, const struct placed_step *step)
{
    struct sources *sources = user;
    uint32_t line = step->line;
    size_t i = 0;
    if (line > MOST_LINES)
        return;
    while (i < sources->count && strcmp(sources->files[i]->path, step->file) != 0)
        i++;
    if (i == MOST_FILES)
        return;
    if (i == sources->count) {
        sources->files[sources->count++] = memory_small(sizeof **sources->files);
        *sources->files[i] = (struct file){.path = step->file};
    }
    uint32_t first = line > ABOUT ? line - ABOUT : 1;
    for (uint32_t k = first; k <= line + ABOUT && k <= MOST_LINES; k++)
        sources->files[i]->wanted[k] = true;
}

static void add_lines(const struct file *file, FILE *in, yajl_gen json)
{
    char *line = NULL, number[24];
    size_t size = 0;
    ssize_t length;
    for (size_t i = 1; i <= MOST_LINES && (length = getline(&line, &size, in)) >= 0; i++) {
        if (!file->wanted[i])
            continue;
        line[strcspn(line, "\r\n")] = 0;
        snprintf(number, sizeof number, "%zu", i);
        json_add_text(json, number, line);
    }
    free(line);
}

/* Returns whether a list was open or is now. */
static bool add_file(const struct file *file, bool is_open, yajl_gen json)
{
    struct stat about;
    FILE *in =
        stat(file->path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(file->path, "r") : NULL;
    if (!in)
        return is_open;
    if (!is_open)
        json_open_list(json, "sources");
    yajl_gen_map_open(json);
    json_add_text(json, "file", file->path);
    json_open_object(json, "lines");
    add_lines(file, in, json);
    yajl_gen_map_close(json);
    yajl_gen_map_close(json);
    fclose(in);
    return true;
}

void html_source_json(const struct result *result, yajl_gen json)
{
    struct sources sources = {0};
    bool is_open = false;
    places_visit(result, want, &sources);
    for (size_t i = 0; i < sources.count; i++)
        is_open = add_file(sources.files[i], is_open, json);
    if (is_open)
        yajl_gen_array_close(json);
    for (size_t i = 0; i < sources.count; i++)
        free(sources.files[i]);
}
