#include "native/build.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "native/cache.h"
#include "native/compiler.h"

/* The program that is linked without shared libraries may have none of these. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose

struct native_build {
    struct native_compiler compiler;
    struct native_cache cache;
    struct text name;           /* of the library in the cache's folder, with the folder */
    struct text source;         /* as it was written */
    struct text file, compiled; /* while the compiler is at work: what it reads and writes */
    struct text story;
    enum native_progress progress;
    pid_t process;
    void *library;
};

/* Whether libraries can be loaded: whether a loader has loaded the program, that is. One without it
 * would bring a second C library into the process. */
static bool can_load(void)
{
    return dlopen && dlsym && dlclose && getauxval(AT_BASE) != 0;
}

static void tell(struct native_build *build, const char *what, const char *of)
{
    text_clear(&build->story);
    text_format(&build->story, "%s%s", what, of);
}

static void fail(struct native_build *build, const char *what, const char *of)
{
    build->progress = NATIVE_FAILED;
    tell(build, what, of);
}

/* The name of the library is a hash of all that it depends on. */
static void name_library(struct native_build *build)
{
    struct text all = TEXT_EMPTY;
    text_format(&all, "%s\n%s\n", LP_VERSION, text_string(&build->compiler.identity));
    text_append_bytes(&all, build->source.bytes, build->source.length);
    text_clear(&build->name);
    text_format(&build->name, "%s/%016" PRIx64 "%016" PRIx64 ".so",
                text_string(&build->cache.folder), hash_bytes(all.bytes, all.length, 1),
                hash_bytes(all.bytes, all.length, 2));
    text_release(&all);
}

static bool load(struct native_build *build)
{
    const char *name = text_string(&build->name);
    if (!native_cache_is_whole(name))
        return false;
    build->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!build->library)
        return false;
    build->progress = NATIVE_READY;
    return true;
}

struct native_build *native_build_find(const char *source)
{
    struct native_build *build = memory_small(sizeof *build);
    *build = (struct native_build){.progress = NATIVE_MISSING};
    text_append(&build->source, source);
    if (!native_compiler_find(&build->compiler)) {
        fail(build, "no compiler: ", text_string(&build->compiler.command));
        return build;
    }
    if (!can_load()) {
        fail(build, "this program cannot load libraries", "");
        return build;
    }
    if (!native_cache_open(&build->cache))
        return build;
    name_library(build);
    if (load(build))
        tell(build, "found in ", text_string(&build->cache.folder));
    return build;
}

/* Writes what is to be compiled, and begins; false when that cannot be done in this folder. */
static bool begin_in(struct native_build *build)
{
    static atomic_uint count;
    unsigned number = atomic_fetch_add(&count, 1);
    name_library(build);
    text_clear(&build->file);
    text_clear(&build->compiled);
    text_format(&build->file, "%s-%ld-%u.c", text_string(&build->name), (long)getpid(), number);
    text_format(&build->compiled, "%s-%ld-%u.new", text_string(&build->name), (long)getpid(),
                number);
    if (!native_cache_write(text_string(&build->file), &build->source))
        return false;
    build->process = native_compiler_begin(&build->compiler, text_string(&build->file),
                                           text_string(&build->compiled));
    if (build->process)
        return true;
    (void)unlink(text_string(&build->file));
    return false;
}

static bool begin_privately(struct native_build *build)
{
    native_cache_close(&build->cache);
    return native_cache_open_private(&build->cache) && begin_in(build);
}

void native_build_begin(struct native_build *build)
{
    if (build->progress != NATIVE_MISSING)
        return;
    if ((build->cache.folder.length && begin_in(build)) || begin_privately(build))
        build->progress = NATIVE_BUSY;
    else
        fail(build, "cannot be written or begun: ", text_string(&build->compiler.command));
}

/* The compiler's files, but for the library that is kept. */
static void clean(struct native_build *build)
{
    (void)unlink(text_string(&build->file));
    (void)unlink(text_string(&build->compiled));
}

static void finish(struct native_build *build, bool compiled)
{
    build->process = 0;
    bool kept =
        compiled && native_cache_keep(text_string(&build->compiled), text_string(&build->name));
    clean(build);
    if (kept && load(build)) {
        tell(build, "compiled in ", text_string(&build->cache.folder));
        if (build->cache.is_private)
            (void)unlink(text_string(&build->name));
        else
            native_cache_trim(&build->cache);
        return;
    }
    if (kept)
        (void)unlink(text_string(&build->name));
    if (!build->cache.is_private && begin_privately(build)) {
        return; /* the user's folder may be full, or nothing in it may be loaded */
    }
    fail(build, "not compiled by ", text_string(&build->compiler.command));
}

enum native_progress native_build_look(struct native_build *build, bool wait)
{
    while (build->progress == NATIVE_BUSY) {
        enum native_compiling now = native_compiler_wait(build->process, wait);
        if (now == NATIVE_COMPILING)
            break;
        finish(build, now == NATIVE_COMPILED);
    }
    return build->progress;
}

const void *native_build_symbol(const struct native_build *build, const char *name)
{
    return build->library ? dlsym(build->library, name) : NULL;
}

const char *native_build_story(const struct native_build *build)
{
    return text_string(&build->story);
}

void native_build_release(struct native_build *build)
{
    if (!build)
        return;
    if (build->process) {
        native_compiler_stop(build->process);
        clean(build);
    }
    if (build->library)
        dlclose(build->library);
    native_cache_close(&build->cache);
    native_compiler_release(&build->compiler);
    text_release(&build->name);
    text_release(&build->source);
    text_release(&build->file);
    text_release(&build->compiled);
    text_release(&build->story);
    free(build);
}
