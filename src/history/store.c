#include "history/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "history/etcd.h"

/* How deep below the folder given runs are looked for: store/<test>/<time> is 2, and results are
 * often kept in a folder per day or per build on top. */
#define MAX_DEPTH 5

/* The first that a run has is its history. */
static const char *const history_files[] = {
    "history.edn",       "history.edn.gz", "history.edn.zst", "history.jsonl",   "history.jsonl.gz",
    "history.jsonl.zst", "history.txt",    "history.txt.gz",  "history.txt.zst", "operations.json"};

/* What a run of Jepsen leaves beside its history, and before it. */
static const char *const run_files[] = {"jepsen.log", "test.jepsen", "test.fressian",
                                        "results.edn"};

struct search {
    struct store_inputs *inputs;
    struct error *error;
};

/* The names in one folder, sorted. */
struct names {
    VECTOR(const char *) items;
};

static enum status refused(const struct search *search, const char *path)
{
    return error_set(search->error, STATUS_LIMIT, path, 0, "the memory limit was reached");
}

static const char *join(const struct search *search, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s%s%s", folder, slash, name);
    const char *joined = arena_copy_text(&search->inputs->arena, text_string(&text), text.length);
    text_release(&text);
    return joined;
}

/* Digit runs compare as numbers: client-2 before client-10. */
static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static enum status list(const struct search *search, const char *folder, struct names *names)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return error_set(search->error, STATUS_INPUT, folder, 0,
                         "expected a folder that can be read, found: %s", strerror(errno));
    enum status status = STATUS_OK;
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        const char *name =
            arena_copy_text(&search->inputs->arena, entry->d_name, strlen(entry->d_name));
        if (!name || !vector_push(&names->items, name))
            status = refused(search, folder);
    }
    closedir(directory);
    if (status == STATUS_OK && names->items.length)
        qsort(names->items.items, names->items.length, sizeof *names->items.items, compare_names);
    return status;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_own_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static enum status add_input(const struct search *search, const char *name,
                             const char *const *files, size_t count)
{
    const char **copies =
        arena_allocate(&search->inputs->arena, (count ? count : 1) * sizeof *copies);
    if (!copies)
        return refused(search, name);
    memcpy(copies, files, count * sizeof *copies);
    struct store_input input = {.name = name, .files = copies, .count = count};
    return vector_push(&search->inputs->items, input) ? STATUS_OK : refused(search, name);
}

static enum status add_run(const struct search *search, const char *folder, bool *found)
{
    for (size_t i = 0; i < ARRAY_LENGTH(history_files); i++) {
        const char *file = join(search, folder, history_files[i]);
        if (!file)
            return refused(search, folder);
        if (!is_file(file))
            continue;
        *found = true;
        return add_input(search, file, &file, 1);
    }
    return STATUS_OK;
}

static enum status add_report(const struct search *search, const char *folder,
                              const struct names *names, bool *found)
{
    VECTOR(const char *) files;
    vector_init(&files, search->inputs->items.budget);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < names->items.length && status == STATUS_OK; i++) {
        if (strncmp(names->items.items[i], "client-", 7) != 0)
            continue;
        const char *client = join(search, folder, names->items.items[i]);
        const char *file = client ? join(search, client, "operations.json") : NULL;
        if (!file || (is_file(file) && !vector_push(&files, file)))
            status = refused(search, folder);
    }
    *found = files.length > 0;
    if (status == STATUS_OK && *found)
        status = add_input(search, files.length == 1 ? files.items[0] : folder,
                           (const char *const *)files.items, files.length);
    vector_release(&files);
    return status;
}

static bool is_run(const struct names *names)
{
    for (size_t i = 0; i < names->items.length; i++)
        for (size_t j = 0; j < ARRAY_LENGTH(run_files); j++)
            if (strcmp(names->items.items[i], run_files[j]) == 0)
                return true;
    return false;
}

static enum status search_folder(const struct search *search, const char *folder, unsigned depth)
{
    struct names names;
    vector_init(&names.items, search->inputs->items.budget);
    size_t before = search->inputs->items.length;
    bool found = false;
    enum status status = add_run(search, folder, &found);
    if (status == STATUS_OK && !found)
        status = list(search, folder, &names);
    if (status == STATUS_OK && !found)
        status = add_report(search, folder, &names, &found);
    for (size_t i = 0; !found && depth > 0 && i < names.items.length && status == STATUS_OK; i++) {
        if (strcmp(names.items.items[i], "independent") == 0)
            continue;
        const char *below = join(search, folder, names.items.items[i]);
        if (!below)
            status = refused(search, folder);
        else if (is_own_folder(below))
            status = search_folder(search, below, depth - 1);
    }
    if (status == STATUS_OK && !found && search->inputs->items.length == before && is_run(&names) &&
        !vector_push(&search->inputs->without, folder))
        status = refused(search, folder);
    vector_release(&names.items);
    return status;
}

enum status store_expand(const char *path, struct budget *budget, struct store_inputs *inputs,
                         struct error *error)
{
    struct search search = {.inputs = inputs, .error = error};
    struct stat status;
    arena_init(&inputs->arena, budget);
    vectors_init(budget, &inputs->items, &inputs->without);
    if (strcmp(path, "-") == 0)
        return add_input(&search, path, &path, 1);
    if (stat(path, &status) != 0)
        return error_set(error, STATUS_INPUT, path, 0, "expected a file or folder, found: %s",
                         strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return add_input(&search, path, &path, 1);
    TRY(search_folder(&search, path, MAX_DEPTH));
    if (inputs->items.length > 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, path, 0,
                     "expected a Jepsen store (with history.edn, history.jsonl or history.txt) or "
                     "an etcd report (with client-1/operations.json) in the folder or below it, "
                     "found none; give other files by name");
}

void store_release(struct store_inputs *inputs)
{
    vectors_release(&inputs->items, &inputs->without);
    arena_release(&inputs->arena);
}

static enum status read_one(const char *file, struct value_pool *pool, struct budget *budget,
                            const struct read_options *options, struct histories *histories,
                            unsigned long long *hash, struct error *error)
{
    struct source *source;
    vector_init(&histories->items, budget);
    TRY(source_open(file, budget, &source, error));
    enum status status = histories_read(source, pool, budget, options, histories, error);
    *hash = source_hash(source);
    source_close(source);
    return status;
}

enum status store_read(const struct store_input *input, struct value_pool *pool,
                       struct budget *budget, const struct read_options *options,
                       struct histories *histories, unsigned long long *hash, struct error *error)
{
    *hash = 0;
    histories->budget = budget;
    if (input->count == 1)
        return read_one(input->files[0], pool, budget, options, histories, hash, error);
    vector_init(&histories->items, budget);
    if (options->format && strcmp(options->format, "etcd") != 0)
        return error_set(error, STATUS_USAGE, input->name, 0,
                         "several files that are one history are read as etcd's, not as %s",
                         options->format);
    struct read_context context = {
        .pool = pool, .budget = budget, .options = options, .histories = histories};
    enum status status =
        etcd_read_files(&context, input->name, input->files, input->count, hash, error);
    if (status != STATUS_OK)
        histories_release(histories);
    if (status != STATUS_OK && error && !*error->file)
        error_set_file(error, input->name);
    return status;
}
