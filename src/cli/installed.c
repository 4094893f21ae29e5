#include "cli/installed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_file(const struct text *folder, const char *file)
{
    struct text path = TEXT_EMPTY;
    text_format(&path, "%s/%s", text_string(folder), file);
    bool there = access(text_string(&path), R_OK) == 0;
    text_release(&path);
    return there;
}

/* The folder of the program; false with an errno. */
static bool find_program(struct text *folder)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = '\0';
    char *name = strrchr(program, '/');
    if (name)
        *name = '\0';
    text_append(folder, program);
    return true;
}

static bool find_beside(const struct text *program, const char *file, struct text *folder)
{
    static const char *const places[] = {"lib/linchpin", "../lib/linchpin"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        text_clear(folder);
        text_format(folder, "%s/%s", text_string(program), places[i]);
        if (has_file(folder, file))
            return true;
    }
    return false;
}

bool installed_find(const char *file, struct text *folder)
{
    struct text program = TEXT_EMPTY;
    const char *named = getenv("LINCHPIN_RUNTIME");
    bool found;
    if (named && *named) {
        text_append(folder, named);
        found = has_file(folder, file);
    } else
        found = find_program(&program) && find_beside(&program, file, folder);
    text_release(&program);
    return found;
}

bool installed_runtime(const char *command, const char *file, struct text *folder)
{
    struct text program = TEXT_EMPTY;
    const char *named = getenv("LINCHPIN_RUNTIME");
    errno = 0;
    if (installed_find(file, folder))
        return true;
    if (named && *named)
        fprintf(stderr, "linchpin %s: LINCHPIN_RUNTIME: expected a folder with %s, found %s\n",
                command, file, named);
    else if (!find_program(&program))
        fprintf(
            stderr,
            "linchpin %s: %s is not found: /proc, which tells where linchpin is, cannot be read "
            "(%s); name the folder lib/linchpin in LINCHPIN_RUNTIME\n",
            command, file, strerror(errno));
    else
        fprintf(stderr,
                "linchpin %s: %s is not installed: expected it in lib/linchpin beside %s, or in "
                "the folder that LINCHPIN_RUNTIME names\n",
                command, file, text_string(&program));
    text_release(&program);
    return false;
}
