#include "scenario/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status folder_make(struct text *path, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    struct text name = TEXT_EMPTY;
    text_format(&name, "%s/linchpin-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    char *made = text_take(&name);
    bool there = mkdtemp(made) != NULL;
    if (there)
        text_append(path, made);
    enum status status = there ? STATUS_OK
                               : error_set(error, STATUS_USAGE, NULL, 0,
                                           "no folder %s can be made: %s", made, strerror(errno));
    free(made);
    return status;
}

void folder_remove(const char *path)
{
    DIR *folder = *path ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) {
        closedir(folder);
        rmdir(path);
    }
}

enum status file_read(const char *path, struct text *text, struct error *error)
{
    char bytes[8192];
    size_t count;
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, STATUS_INTERNAL, path, 0, "cannot be read: %s", strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, file)))
        text_append_bytes(text, bytes, count);
    fclose(file);
    return STATUS_OK;
}

enum status file_write(const char *path, const struct text *text, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool written = file && fwrite(text_string(text), 1, text->length, file) == text->length;
    if (file && fclose(file) == 0 && written)
        return STATUS_OK;
    return error_set(error, STATUS_INTERNAL, path, 0, "cannot be written: %s", strerror(errno));
}
