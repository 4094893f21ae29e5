/* When there are too many marks every second one is dropped: so they stand everywhere about as
 * close, and a line is found after a 2,048th of the log at most, or a piece. */
#include "cli/follow_bytes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/faults.h"
#include "base/memory.h"

#define BLOCK ((size_t)SIZE_OR_SMALL(256 << 10, 64))
#define MOST  ((uint64_t)1 << 30) /* bytes that are read to find a line */

void follow_bytes_mark(struct follow_bytes *bytes, uint64_t line, uint64_t byte)
{
    if (bytes->count && bytes->marks[bytes->count - 1].line >= line)
        return;
    if (bytes->count == FOLLOW_MARKS) {
        for (size_t i = 0; i < FOLLOW_MARKS / 2; i++)
            bytes->marks[i] = bytes->marks[2 * i + 1];
        bytes->count = FOLLOW_MARKS / 2;
    }
    bytes->marks[bytes->count++] = (struct follow_mark){line, byte};
}

/* Goes `lines` lines on from *byte. */
static bool skip_lines(int file, uint64_t lines, uint64_t *byte)
{
    const uint64_t end = *byte + MOST;
    char *block = memory_small(BLOCK);
    while (lines > 0 && *byte < end) {
        ssize_t got = pread(file, block, BLOCK, (off_t)*byte);
        if (got <= 0)
            break;
        const char *at = block, *last = block + got;
        for (const char *next; lines > 0 && (next = memchr(at, '\n', (size_t)(last - at))); lines--)
            at = next + 1;
        *byte += (uint64_t)((lines > 0 ? last : at) - block);
    }
    free(block);
    return lines == 0;
}

bool follow_bytes_find(const struct follow_bytes *bytes, uint64_t line, uint64_t *byte)
{
    struct follow_mark from = {.line = 1};
    for (size_t i = 0; i < bytes->count && bytes->marks[i].line <= line; i++)
        from = bytes->marks[i];
    if (!bytes->path || line == 0)
        return false;
    int file = open(bytes->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    *byte = from.byte;
    bool found = skip_lines(file, line - from.line, byte);
    close(file);
    return found;
}
