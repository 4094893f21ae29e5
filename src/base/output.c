/* The new file has no name until it is complete (O_TMPFILE), so that whatever ends the program,
 * SIGKILL included, leaves nothing behind. Then it is put in its place at once: by link() where
 * nothing stands there; else beside it by link(), and over it by rename(). Where the file system
 * has no files without a name, it stands beside its place meanwhile, and output_abandon_all removes
 * it. A symbolic link is followed first, so that the link stays and its target is replaced. */
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdbool.h>

#include "base/failing.h"
#include "base/memory.h"
#include "base/text.h"

#define MOST_LINKS 40  /* as many as Linux follows */
#define MOST_NAMES 100 /* that are tried: each is one of 2^24 */
#define NEW_FILE   0666
#define TEMPORARY  ".tmp" /* what the name of an unfinished file ends with */

struct output {
    FILE *stream;
    int file;             /* behind the stream, where it is written into a new file */
    char *path;           /* as the user gave it, for messages */
    char *place;          /* links followed; null: the stream is written directly */
    char *temporary;      /* where it stands meanwhile; null: it has no name yet */
    struct output *other; /* that is open; null: none */
};

/* Those that are open, for output_abandon_all. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct output *begun;

static enum status complain(const struct output *output, const char *what, struct error *error)
{
    return error_set(error, STATUS_USAGE, NULL, 0, "cannot %s '%s': %s", what, output->path,
                     strerror(errno));
}

static void output_free(struct output *output)
{
    pthread_mutex_lock(&lock);
    for (struct output **at = &begun; *at; at = &(*at)->other)
        if (*at == output) {
            *at = output->other;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(output->path);
    free(output->place);
    free(output->temporary);
    free(output);
}

/* ---- names ---- */

static char *folder_of(const char *path)
{
    char *copy = text_copy(path), *folder = text_copy(dirname(copy));
    free(copy);
    return folder;
}

/* What a link that leads to nothing names, link by link; null, with errno: too many. */
static char *follow_links(const char *path)
{
    char *at = text_copy(path), name[4096];
    for (int i = 0; i < MOST_LINKS; i++) {
        struct text next = TEXT_EMPTY;
        ssize_t length = readlink(at, name, sizeof name - 1);
        if (length < 0)
            return at;
        name[length] = '\0';
        char *folder = folder_of(at);
        text_format(&next, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
        free(folder);
        free(at);
        at = text_take(&next);
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* A name beside the place that is as good as sure to be nobody's: see output_is_left_over. */
static char *new_name(const char *place)
{
    unsigned number = 0;
    struct text name = TEXT_EMPTY;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (unsigned)getpid();
    text_format(&name, "%s.%06x" TEMPORARY, place, number & 0xffffff);
    return text_take(&name);
}

/* ---- opening ---- */

/* A file without a name; -1 where the file system has none, or they could not be given one. */
static int open_nameless(const char *place)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    char *folder = folder_of(place);
    int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, NEW_FILE);
    free(folder);
    return file;
}

static int open_named(struct output *output)
{
    int file = -1;
    for (int i = 0; file < 0 && i < MOST_NAMES; i++) {
        char *name = new_name(output->place);
        pthread_mutex_lock(&lock); /* so that output_abandon_all sees each */
        file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, NEW_FILE);
        if (file >= 0)
            output->temporary = name;
        pthread_mutex_unlock(&lock);
        if (file < 0) {
            free(name);
            if (errno != EEXIST)
                break;
        }
    }
    return file;
}

static void drop_temporary(const struct output *output)
{
    if (output->temporary)
        unlink(output->temporary);
}

/* A file that has the rights of the one it replaces (null: there is none), or those of any new
 * file. */
static enum status open_beside(struct output *output, const struct stat *old, struct error *error)
{
    int file = open_nameless(output->place);
    if (file < 0)
        file = open_named(output);
    if (file < 0)
        return complain(output, "create", error);
    bool good = true;
    if (old) {
        const bool is_own = old->st_uid == geteuid() && old->st_gid == getegid();
        if (!is_own && fchown(file, old->st_uid, old->st_gid) != 0) /* only some may give it away */
            (void)!fchown(file, (uid_t)-1, old->st_gid);
        good = fchmod(file, old->st_mode & 07777) == 0;
    }
    if (!good || !(output->stream = faults_stream(file))) {
        enum status status = complain(output, "create", error);
        close(file);
        drop_temporary(output);
        return status;
    }
    output->file = file;
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
        output->stream = fopen(output->path, "we");
        return output->stream ? STATUS_OK : complain(output, "write", error);
    }
    /* Who may not write to the file may not replace it, even where the folder would let them. */
    if (exists && access(output->path, W_OK) != 0)
        return complain(output, "write", error);
    output->place = exists ? realpath(output->path, NULL) : follow_links(output->path);
    if (!output->place)
        return complain(output, "write", error);
    return open_beside(output, exists ? &found : NULL, error);
}

enum status output_open(const char *path, struct output **output, struct error *error)
{
    struct output *opened = memory_small(sizeof *opened);
    *opened = (struct output){.path = text_copy(path)};
    pthread_mutex_lock(&lock);
    opened->other = begun;
    begun = opened;
    pthread_mutex_unlock(&lock);
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

/* ---- the end ---- */

/* To the disk, so that a machine that goes down does not leave a name with nothing behind it. */
static bool sync_file(int file)
{
    if (faults_fail(EIO))
        return false;
    return fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* That the folder has the file is a matter of the folder's own disk block. */
static void sync_folder(const char *place)
{
    char *path = folder_of(place);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(path);
    if (folder < 0)
        return;
    (void)fsync(folder); /* some file systems refuse it, and need none */
    close(folder);
}

/* Gives a file that has none the name `name`; false, with errno. */
static bool name_file(int file, const char *name)
{
    char own[64];
    if (faults_fail(ENOSPC))
        return false;
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Puts what is complete in its place. */
static bool put_in_place(struct output *output, int file)
{
    if (!output->temporary) {
        if (name_file(file, output->place))
            return true;
        for (int i = 0; errno == EEXIST && i < MOST_NAMES && !output->temporary; i++) {
            char *name = new_name(output->place);
            if (name_file(file, name))
                output->temporary = name;
            else
                free(name);
        }
    }
    return output->temporary && !faults_fail(ENOSPC) &&
           rename(output->temporary, output->place) == 0;
}

/* Why an earlier write failed, which the stream has forgotten: a little more is tried of what is
 * dropped anyway, for there may have been room for a part of it; of what is written directly,
 * nothing is. */
static int reason_of_failure(const struct output *output)
{
    static const char more[8192];
    const int file = output->place ? output->file : fileno(output->stream);
    for (int i = 0; i < 2; i++)
        if (write(file, more, output->place ? sizeof more : 0) < 0)
            return errno;
    return EIO;
}

/* fclose alone forgets an error of an earlier write. */
static bool finish(struct output *output)
{
    if (output->stream == stdout)
        return true;
    const int file = output->file;
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (output->place)
        good = good && sync_file(file) && put_in_place(output, file);
    int reason = errno;
    if (good && output->place)
        sync_folder(output->place);
    if (!good && !reason)
        reason = reason_of_failure(output);
    errno = 0;
    if (fclose(output->stream) && good && !output->place)
        return false;
    errno = reason ? reason : EIO;
    return good;
}

enum status output_commit(struct output *output, struct error *error)
{
    enum status status = STATUS_OK;
    if (!finish(output)) {
        status = complain(output, "write", error);
        drop_temporary(output);
    }
    output_free(output);
    return status;
}

void output_abandon(struct output *output)
{
    if (!output)
        return;
    if (output->stream != stdout)
        fclose(output->stream);
    drop_temporary(output);
    output_free(output);
}

void output_abandon_all(void)
{
    pthread_mutex_lock(&lock); /* for good: nobody begins another one */
    for (const struct output *at = begun; at; at = at->other)
        drop_temporary(at);
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
