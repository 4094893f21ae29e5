/* The new file is made in the folder of the old one, so that rename() is atomic; a symbolic link is
 * followed first, so that the link stays and its target is replaced. */
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdbool.h>

#include "base/memory.h"
#include "base/text.h"

#define TEMPORARY ".tmp" /* what the name of an unfinished file ends with */

struct output {
    FILE *stream;
    char *path;      /* as the user gave it, for messages */
    char *place;     /* links followed; null: the stream is written directly */
    char *temporary; /* where it stands meanwhile */
};

static enum status complain(const struct output *output, const char *what, struct error *error)
{
    return error_set(error, STATUS_USAGE, NULL, 0, "cannot %s '%s': %s", what, output->path,
                     strerror(errno));
}

static void output_free(struct output *output)
{
    free(output->path);
    free(output->place);
    free(output->temporary);
    free(output);
}

/* A temporary file that has the rights of the file it replaces, or those of any new file. */
static enum status open_temporary(struct output *output, mode_t mode, struct error *error)
{
    struct text name = TEXT_EMPTY;
    text_format(&name, "%s.XXXXXX" TEMPORARY, output->place);
    output->temporary = text_take(&name);
    int descriptor = mkstemps(output->temporary, (int)strlen(TEMPORARY));
    if (descriptor < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return complain(output, "create", error);
    }
    if (fchmod(descriptor, mode) || !(output->stream = fdopen(descriptor, "w"))) {
        enum status status = complain(output, "create", error);
        close(descriptor);
        unlink(output->temporary);
        return status;
    }
    return STATUS_OK;
}

static enum status open_stream(struct output *output, struct error *error)
{
    struct stat found;
    if (strcmp(output->path, "-") == 0) {
        output->stream = stdout;
        return STATUS_OK;
    }
    bool exists = stat(output->path, &found) == 0;
    if (exists && !S_ISREG(found.st_mode)) {
        output->stream = fopen(output->path, "w");
        return output->stream ? STATUS_OK : complain(output, "write", error);
    }
    char *target = exists ? realpath(output->path, NULL) : NULL;
    output->place = target ? target : text_copy(output->path);
    mode_t mask = umask(0);
    umask(mask);
    return open_temporary(output, exists ? found.st_mode & 07777 : 0666 & ~mask, error);
}

enum status output_open(const char *path, struct output **output, struct error *error)
{
    struct output *opened = memory_small(sizeof *opened);
    *opened = (struct output){.path = text_copy(path)};
    enum status status = open_stream(opened, error);
    if (status != STATUS_OK) {
        output_free(opened);
        opened = NULL;
    }
    *output = opened;
    return status;
}

FILE *output_stream(struct output *output)
{
    return output->stream;
}

/* fclose alone forgets an error of an earlier write. */
static bool finish_stream(struct output *output)
{
    if (output->stream == stdout)
        return true;
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    int reason = errno;
    if (fclose(output->stream) && good) {
        good = false;
        reason = errno;
    }
    errno = reason ? reason : EIO;
    return good;
}

enum status output_commit(struct output *output, struct error *error)
{
    enum status status = STATUS_OK;
    if (!finish_stream(output))
        status = complain(output, "write", error);
    else if (output->temporary && rename(output->temporary, output->place))
        status = complain(output, "replace", error);
    if (status != STATUS_OK && output->temporary)
        unlink(output->temporary);
    output_free(output);
    return status;
}

void output_abandon(struct output *output)
{
    if (!output)
        return;
    if (output->stream != stdout)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    output_free(output);
}

/* ---- what was left ---- */

bool output_is_left_over(const char *name, const char *of)
{
    const size_t length = strlen(of), more = strlen(TEMPORARY);
    return strncmp(name, of, length) == 0 && name[length] == '.' &&
           strlen(name) == length + 7 + more && strcmp(name + length + 7, TEMPORARY) == 0;
}

/* The file that a link leads to is the one that is replaced. */
void output_remove_left_over(const char *path)
{
    char *target = realpath(path, NULL), *place = target ? target : text_copy(path);
    char *slash = strrchr(place, '/');
    const char *name = slash ? slash + 1 : place;
    struct text folder = TEXT_EMPTY, found = TEXT_EMPTY;
    text_append(&folder, slash ? "" : "./");
    text_append_bytes(&folder, place, slash ? (size_t)(slash - place) + 1 : 0);
    DIR *all = opendir(text_string(&folder));
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        if (!output_is_left_over(entry->d_name, name))
            continue;
        text_clear(&found);
        text_format(&found, "%s%s", text_string(&folder), entry->d_name);
        unlink(text_string(&found));
    }
    if (all)
        closedir(all);
    text_release(&folder);
    text_release(&found);
    free(place);
}
