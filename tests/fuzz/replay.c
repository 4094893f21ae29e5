/* Feeds files, and the files of folders, to a fuzz target: how the kept corpus is replayed where
 * libFuzzer is not. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        return 0;
    }
    size_t room = (size_t)1 << 20;
    uint8_t *bytes = malloc(room), *exact;
    size_t length = bytes ? fread(bytes, 1, room, file) : 0;
    fclose(file);
    exact = malloc(length ? length : 1); /* so that reading beyond it shows */
    if (!bytes || !exact)
        abort();
    memcpy(exact, bytes, length);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, length);
    free(bytes);
    free(exact);
    return 1;
}

int main(int count, char **arguments)
{
    int replayed = 0;
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(arguments[i]);
        if (!folder) {
            replayed += replay_file(arguments[i]);
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[i], entry->d_name);
            if (entry->d_name[0] != '.')
                replayed += replay_file(path);
        }
        closedir(folder);
    }
    printf("%d inputs replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
