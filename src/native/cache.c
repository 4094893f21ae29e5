#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/memory.h"

#define MOST_BYTES (64U << 20) /* of a library */

/* Behind a library: what it was when it was written. */
struct seal {
    char magic[8];
    uint64_t length, hashes[2];
};

#define MAGIC "linchpin"

/* Whether a folder is the user's own, and nobody else may look into it. */
static bool is_own_folder(const char *path)
{
    struct stat found;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool own = fstat(folder, &found) == 0 && found.st_uid == geteuid() &&
               (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    close(folder);
    return own;
}

bool native_cache_open(struct native_cache *cache)
{
    const char *root = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    *cache = (struct native_cache){0};
    if (root && root[0] == '/')
        text_append(&cache->folder, root);
    else if (home && home[0] == '/')
        text_format(&cache->folder, "%s/.cache", home);
    else
        return false;
    (void)mkdir(text_string(&cache->folder), S_IRWXU); /* it may be there */
    text_append(&cache->folder, "/linchpin");
    (void)mkdir(text_string(&cache->folder), S_IRWXU);
    if (is_own_folder(text_string(&cache->folder)))
        return true;
    text_release(&cache->folder);
    return false;
}

bool native_cache_open_private(struct native_cache *cache)
{
    const char *root = secure_getenv("TMPDIR");
    *cache = (struct native_cache){.is_private = true};
    text_format(&cache->folder, "%s/linchpin-native-XXXXXX",
                root && root[0] == '/' ? root : "/tmp");
    if (mkdtemp(cache->folder.bytes))
        return true;
    text_release(&cache->folder);
    return false;
}

void native_cache_close(struct native_cache *cache)
{
    if (cache->is_private && cache->folder.length)
        (void)rmdir(text_string(&cache->folder));
    text_release(&cache->folder);
}

static bool write_all(int file, const void *bytes, size_t length)
{
    const char *from = bytes;
    while (length > 0) {
        ssize_t written = faults_write(file, from, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        length -= (size_t)written;
    }
    return true;
}

bool native_cache_write(const char *path, const struct text *bytes)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return false;
    bool written = write_all(file, bytes->bytes, bytes->length);
    written &= close(file) == 0;
    if (!written)
        (void)unlink(path);
    return written;
}

static bool read_all(int file, char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t count = faults_read(file, bytes, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

/* The contents of a file that is the user's own and that nobody else may write; null: of no such
 * file. Released with free(). */
static char *read_own(const char *path, size_t *length)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *bytes = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
        (found.st_mode & (S_IWGRP | S_IWOTH)) == 0 && found.st_size > 0 &&
        found.st_size < MOST_BYTES) {
        *length = (size_t)found.st_size;
        bytes = malloc(*length);
        if (bytes && !read_all(file, bytes, *length)) {
            free(bytes);
            bytes = NULL;
        }
    }
    close(file);
    return bytes;
}

static struct seal seal_of(const char *bytes, size_t length)
{
    struct seal seal = {.magic = MAGIC, .length = length};
    for (uint64_t i = 0; i < 2; i++)
        seal.hashes[i] = hash_bytes(bytes, length, i + 1);
    return seal;
}

bool native_cache_keep(const char *path, const char *kept)
{
    size_t length = 0;
    char *bytes = read_own(path, &length);
    if (!bytes)
        return false;
    const struct seal seal = seal_of(bytes, length);
    free(bytes);
    int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    bool sealed = file >= 0 && write_all(file, &seal, sizeof seal);
    sealed &= file >= 0 && close(file) == 0;
    return sealed && rename(path, kept) == 0;
}

bool native_cache_is_whole(const char *path)
{
    size_t length = 0;
    char *bytes = read_own(path, &length);
    bool whole = false;
    if (bytes && length > sizeof(struct seal)) {
        struct seal found, wanted = seal_of(bytes, length - sizeof wanted);
        memcpy(&found, bytes + length - sizeof found, sizeof found);
        whole = memcmp(&found, &wanted, sizeof found) == 0;
    }
    free(bytes);
    if (whole)
        (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
    return whole;
}

/* ---- its size ---- */

#define MOST_LISTED   4096
#define SECONDS_A_DAY (24 * 60 * 60)

struct kept_file {
    char name[64];
    time_t used;
};

static int compare_use(const void *a, const void *b)
{
    const struct kept_file *left = a, *right = b;
    return (left->used > right->used) - (left->used < right->used);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), behind = strlen(end);
    return length >= behind && strcmp(name + length - behind, end) == 0;
}

/* The libraries of a folder; what is left behind is deleted. */
static size_t list(DIR *folder, struct kept_file *files)
{
    const time_t now = time(NULL);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) && count < MOST_LISTED;) {
        struct stat found;
        if (fstatat(dirfd(folder), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(found.st_mode) || strlen(entry->d_name) >= sizeof files->name)
            continue;
        if (!ends_with(entry->d_name, ".so")) {
            if (strstr(entry->d_name, ".so-") && found.st_mtim.tv_sec + SECONDS_A_DAY < now)
                (void)unlinkat(dirfd(folder), entry->d_name, 0);
            continue;
        }
        strcpy(files[count].name, entry->d_name);
        files[count++].used = found.st_mtim.tv_sec;
    }
    return count;
}

void native_cache_trim(const struct native_cache *cache)
{
    DIR *folder = opendir(text_string(&cache->folder));
    struct kept_file *files = memory_small(MOST_LISTED * sizeof *files);
    size_t count = folder ? list(folder, files) : 0;
    if (count > NATIVE_CACHE_MOST) {
        qsort(files, count, sizeof *files, compare_use);
        for (size_t i = 0; i < count - NATIVE_CACHE_MOST * 3 / 4; i++)
            (void)unlinkat(dirfd(folder), files[i].name, 0);
    }
    free(files);
    if (folder)
        closedir(folder);
}
