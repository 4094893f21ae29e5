#include "native/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/attributes.h"

#define MOST_WORDS     64
#define MOMENTS_TO_END 1000 /* milliseconds that a compiler has to take its files away */

/* Steps are counted, checked and compared as the interpreter does it: nothing may be assumed that
 * C does not promise of the interpreter's own types. */
static const char *const options[] = {
    "-O2", "-shared", "-fPIC", "-w", "-x", "c", "-fno-strict-aliasing", "-fwrapv"};

/* Appends the words of CC; how many there are. */
static size_t split(const char *words, struct text *command)
{
    size_t count = 0;
    for (;;) {
        words += strspn(words, " \t");
        size_t length = strcspn(words, " \t");
        if (length == 0)
            return count;
        text_append_bytes(command, words, length);
        text_append_char(command, '\0');
        words += length;
        count++;
    }
}

static bool is_program(const char *path, struct stat *found)
{
    return stat(path, found) == 0 && S_ISREG(found->st_mode) && access(path, X_OK) == 0;
}

/* Where PATH has a program; false: nowhere. */
static bool find_program(const char *name, struct text *path, struct stat *found)
{
    const char *folders = secure_getenv("PATH");
    if (strchr(name, '/')) {
        text_append(path, name);
        return is_program(name, found);
    }
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        text_clear(path);
        text_append_bytes(path, folders, length);
        text_format(path, "%s%s", length ? "/" : "./", name);
        if (is_program(text_string(path), found))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool native_compiler_find(struct native_compiler *compiler)
{
    const char *said = secure_getenv("CC");
    struct stat found;
    struct text path = TEXT_EMPTY;
    *compiler = (struct native_compiler){0};
    if (!said || split(said, &compiler->command) == 0)
        (void)split("cc", &compiler->command);
    bool is_there = find_program(text_string(&compiler->command), &path, &found);
    if (is_there)
        text_format(&compiler->identity, "%s %lld %lld.%09ld %llu", text_string(&path),
                    (long long)found.st_size, (long long)found.st_mtim.tv_sec,
                    found.st_mtim.tv_nsec, (unsigned long long)found.st_ino);
    for (size_t i = 0; is_there && i < compiler->command.length; i++)
        text_append_char(&compiler->identity,
                         compiler->command.bytes[i] ? compiler->command.bytes[i] : ' ');
    for (size_t i = 0; is_there && i < ARRAY_LENGTH(options); i++)
        text_format(&compiler->identity, "%s ", options[i]);
    text_release(&path);
    return is_there;
}

void native_compiler_release(struct native_compiler *compiler)
{
    text_release(&compiler->command);
    text_release(&compiler->identity);
}

pid_t native_compiler_begin(const struct native_compiler *compiler, const char *source,
                            const char *library)
{
    const char *words[MOST_WORDS + ARRAY_LENGTH(options) + 4];
    size_t count = 0;
    pid_t process = 0;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    for (size_t at = 0; at < compiler->command.length && count < MOST_WORDS; count++) {
        words[count] = compiler->command.bytes + at;
        at += strlen(words[count]) + 1;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        words[count++] = options[i];
    words[count++] = "-o";
    words[count++] = library;
    words[count++] = source;
    words[count] = NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none); /* a thread may have blocked some */
    posix_spawnattr_setpgroup(&attributes, 0);      /* of its own, with all that it starts */
    int failure =
        posix_spawnp(&process, words[0], &actions, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure ? 0 : process;
}

enum native_compiling native_compiler_wait(pid_t process, bool wait)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(process, &status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR)
        continue;
    if (ended == 0)
        return NATIVE_COMPILING;
    return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NATIVE_COMPILED
                                                                             : NATIVE_NOT_COMPILED;
}

void native_compiler_stop(pid_t process)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)kill(-process, SIGTERM);
    for (unsigned i = 0; i < MOMENTS_TO_END; i++) {
        if (native_compiler_wait(process, false) != NATIVE_COMPILING)
            return;
        (void)nanosleep(&moment, NULL);
    }
    (void)kill(-process, SIGKILL);
    (void)native_compiler_wait(process, true);
}
