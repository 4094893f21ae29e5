#include "scenario/folder.h"

#include <dirent.h>
#include <errno.h>
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
