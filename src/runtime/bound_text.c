/* Text that is written into memory, strings, numbers at random. What is printed goes nowhere. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"
#include "runtime/retry.h"

static int write_text(char *to, size_t size, const char *format, va_list list, const void *at)
    __attribute__((format(printf, 3, 0)));
static int write_text(char *to, size_t size, const char *format, va_list list, const void *at)
{
    va_list again;
    printed_reads(format, list, at);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t written = length < 0 ? 0 : (size_t)length + 1;
    if (written > size)
        written = size;
    if (written > 0)
        execution_plain(to, written, true, at);
    return vsnprintf(to, size, format, list);
}

__attribute__((format(printf, 3, 4)))
BOUND_FUNCTION(int, snprintf, char *to, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = write_text(to, size, format, list, CALLER);
    va_end(list);
    return length;
}

__attribute__((format(printf, 3, 0)))
BOUND_FUNCTION(int, vsnprintf, char *to, size_t size, const char *format, va_list list)
{
    return write_text(to, size, format, list, CALLER);
}

__attribute__((format(printf, 2, 3)))
BOUND_FUNCTION(int, sprintf, char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = write_text(to, PTRDIFF_MAX, format, list, CALLER);
    va_end(list);
    return length;
}

/* With _FORTIFY_SOURCE: `room` is what there is. */
__attribute__((format(printf, 5, 6))) BOUND_FUNCTION(int, __snprintf_chk, char *to, size_t size,
                                                     int flag, size_t room, const char *format, ...)
{
    va_list list;
    (void)flag;
    va_start(list, format);
    int length = write_text(to, size < room ? size : room, format, list, CALLER);
    va_end(list);
    return length;
}

/* ---- strings: what they read and write, told before ---- */

static const size_t any = PTRDIFF_MAX; /* length */

static size_t reads(const char *text, size_t most, const void *at)
{
    size_t length = strnlen(text, most);
    execution_plain(text, length < most ? length + 1 : most, false, at);
    return length;
}

BOUND_FUNCTION(char *, strncpy, char *to, const char *from, size_t size)
{
    if (size > 0) {
        reads(from, size, CALLER);
        execution_plain(to, size, true, CALLER);
    }
    return strncpy(to, from, size);
}

BOUND_FUNCTION(char *, strcat, char *to, const char *from)
{
    size_t length = reads(to, any, CALLER), more = reads(from, any, CALLER);
    execution_plain(to + length, more + 1, true, CALLER);
    return strcat(to, from);
}

BOUND_FUNCTION(int, strncmp, const char *left, const char *right, size_t size)
{
    size_t same = 0;
    while (same < size && left[same] && left[same] == right[same])
        same++;
    if (size > 0) {
        execution_plain(left, same < size ? same + 1 : size, false, CALLER);
        execution_plain(right, same < size ? same + 1 : size, false, CALLER);
    }
    return strncmp(left, right, size);
}

BOUND_FUNCTION(size_t, strnlen, const char *text, size_t most)
{
    return most ? reads(text, most, CALLER) : 0;
}

BOUND_FUNCTION(char *, strchr, const char *text, int wanted)
{
    char *found = strchr((char *)text, wanted);
    reads(text, found ? (size_t)(found - text) + 1 : any, CALLER);
    return found;
}

BOUND_FUNCTION(char *, strrchr, const char *text, int wanted)
{
    reads(text, any, CALLER);
    return strrchr((char *)text, wanted);
}

BOUND_FUNCTION(void *, memchr, const void *bytes, int wanted, size_t size)
{
    const char *found = memchr(bytes, wanted, size);
    size_t looked = found ? (size_t)(found - (const char *)bytes) + 1 : size;
    if (looked > 0)
        execution_plain(bytes, looked, false, CALLER);
    return (void *)found;
}

BOUND_FUNCTION(char *, strdup, const char *text)
{
    size_t size = reads(text, any, CALLER) + 1;
    char *copy = execution_allocate(size, sizeof(void *), HEAP_MALLOC, false, CALLER);
    if (copy) {
        execution_plain(copy, size, true, CALLER);
        memcpy(copy, text, size);
    }
    return copy;
}

/* ---- at random: a sequence of each thread's own, the same in every run ---- */

static unsigned next_random(uint64_t *state)
{
    enum {
        SHIFT = 33
    };
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> SHIFT);
}

BOUND_FUNCTION(int, rand, void)
{
    execution_change();
    return (int)next_random(&thread_current()->random);
}

BOUND_FUNCTION(void, srand, unsigned seed)
{
    execution_change();
    thread_current()->random = seed;
}

BOUND_FUNCTION(long, random, void)
{
    execution_change();
    return (long)next_random(&thread_current()->random);
}

BOUND_FUNCTION(void, srandom, unsigned seed)
{
    execution_change();
    thread_current()->random = seed;
}

BOUND_FUNCTION(int, rand_r, unsigned *state)
{
    execution_plain(state, sizeof *state, true, CALLER);
    uint64_t own = *state;
    unsigned found = next_random(&own);
    *state = found;
    return (int)found;
}
