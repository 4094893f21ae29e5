/* malloc and its family, new and delete; copying, filling and comparing memory. */
#include <errno.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"
#include "runtime/heap.h"
#include "runtime/shadow.h"

enum {
    ALIGN = 16
};

/* ---- C ---- */

BOUND_FUNCTION(void *, malloc, size_t size)
{
    return execution_allocate(size, ALIGN, HEAP_MALLOC, false, CALLER);
}

BOUND_FUNCTION(void, free, void *block)
{
    execution_free(block, HEAP_MALLOC, CALLER);
}

BOUND_FUNCTION(void *, calloc, size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all))
        return NULL;
    void *block =
        execution_allocate(all, ALIGN, HEAP_MALLOC, true, CALLER); /* blocks are of zeros */
    if (block)
        execution_plain(block, all, true, CALLER); /* its zeros are published as others are */
    return block;
}

BOUND_FUNCTION(void *, realloc, void *old, size_t size)
{
    void *block = execution_allocate(size, ALIGN, HEAP_MALLOC, false, CALLER);
    if (!old || !block)
        return block;
    if (heap_is_block(old)) {
        size_t length = heap_block_size(old) < size ? heap_block_size(old) : size;
        execution_plain(old, length, false, CALLER);
        memcpy(block, old, length);
        shadow_copy_initialised(block, old, length);
    }
    execution_free(old, HEAP_MALLOC, CALLER);
    return block;
}

BOUND_FUNCTION(void *, aligned_alloc, size_t align, size_t size)
{
    return execution_allocate(size, align, HEAP_MALLOC, false, CALLER);
}

BOUND_FUNCTION(void *, memalign, size_t align, size_t size)
{
    return execution_allocate(size, align, HEAP_MALLOC, false, CALLER);
}

BOUND_FUNCTION(int, posix_memalign, void **result, size_t align, size_t size)
{
    if (align < sizeof(void *) || align & (align - 1))
        return EINVAL;
    *result = execution_allocate(size, align, HEAP_MALLOC, false, CALLER);
    return *result ? 0 : ENOMEM;
}

/* ---- C++, by the names that its compilers make ----
 *
 * They have these names, too, for the library of C++ itself. */

#define ALSO(NAME) __attribute__((alias("linchpin_bound_" #NAME)))

#define NEW(NAME, FAMILY, ...)                                                                     \
    extern void *NAME(size_t size, ##__VA_ARGS__) ALSO(NAME);                                      \
    BOUND_FUNCTION(void *, NAME, size_t size, ##__VA_ARGS__)                                       \
    {                                                                                              \
        return execution_allocate(size, ALIGN, FAMILY, false, CALLER);                             \
    }

#define NEW_ALIGNED(NAME, FAMILY, ...)                                                             \
    extern void *NAME(size_t size, size_t align, ##__VA_ARGS__) ALSO(NAME);                        \
    BOUND_FUNCTION(void *, NAME, size_t size, size_t align, ##__VA_ARGS__)                         \
    {                                                                                              \
        return execution_allocate(size, align, FAMILY, false, CALLER);                             \
    }

#define DELETE(NAME, FAMILY, ...)                                                                  \
    extern void NAME(void *block, ##__VA_ARGS__) ALSO(NAME);                                       \
    BOUND_FUNCTION(void, NAME, void *block, ##__VA_ARGS__)                                         \
    {                                                                                              \
        execution_free(block, FAMILY, CALLER);                                                     \
    }

NEW(_Znwm, HEAP_NEW)
NEW(_Znam, HEAP_NEW_ARRAY)
NEW(_ZnwmRKSt9nothrow_t, HEAP_NEW, const void *nothrow __attribute__((unused)))
NEW(_ZnamRKSt9nothrow_t, HEAP_NEW_ARRAY, const void *nothrow __attribute__((unused)))
NEW_ALIGNED(_ZnwmSt11align_val_t, HEAP_NEW)
NEW_ALIGNED(_ZnamSt11align_val_t, HEAP_NEW_ARRAY)
NEW_ALIGNED(_ZnwmSt11align_val_tRKSt9nothrow_t, HEAP_NEW,
            const void *nothrow __attribute__((unused)))
NEW_ALIGNED(_ZnamSt11align_val_tRKSt9nothrow_t, HEAP_NEW_ARRAY,
            const void *nothrow __attribute__((unused)))
DELETE(_ZdlPv, HEAP_NEW)
DELETE(_ZdaPv, HEAP_NEW_ARRAY)
DELETE(_ZdlPvm, HEAP_NEW, size_t size __attribute__((unused)))
DELETE(_ZdaPvm, HEAP_NEW_ARRAY, size_t size __attribute__((unused)))
DELETE(_ZdlPvRKSt9nothrow_t, HEAP_NEW, const void *nothrow __attribute__((unused)))
DELETE(_ZdaPvRKSt9nothrow_t, HEAP_NEW_ARRAY, const void *nothrow __attribute__((unused)))
DELETE(_ZdlPvSt11align_val_t, HEAP_NEW, size_t align __attribute__((unused)))
DELETE(_ZdaPvSt11align_val_t, HEAP_NEW_ARRAY, size_t align __attribute__((unused)))
DELETE(_ZdlPvmSt11align_val_t, HEAP_NEW, size_t size __attribute__((unused)),
       size_t align __attribute__((unused)))
DELETE(_ZdaPvmSt11align_val_t, HEAP_NEW_ARRAY, size_t size __attribute__((unused)),
       size_t align __attribute__((unused)))

/* ---- memory and strings ---- */

static void *copy(void *to, const void *from, size_t size, const void *at)
{
    if (size) {
        execution_plain(from, size, false, at);
        execution_plain(to, size, true, at);
        shadow_copy_initialised(to, from, size);
        memmove(to, from, size);
    }
    return to;
}

BOUND_FUNCTION(void *, memcpy, void *to, const void *from, size_t size)
{
    return copy(to, from, size, CALLER);
}

BOUND_FUNCTION(void *, memmove, void *to, const void *from, size_t size)
{
    return copy(to, from, size, CALLER);
}

BOUND_FUNCTION(void *, memset, void *to, int byte, size_t size)
{
    if (size) {
        execution_plain(to, size, true, CALLER);
        memset(to, byte, size);
    }
    return to;
}

/* What compilers make of a memcmp that only asks whether they are equal. */
BOUND_FUNCTION(int, bcmp, const void *left, const void *right, size_t size)
{
    if (size) {
        execution_plain(left, size, false, CALLER);
        execution_plain(right, size, false, CALLER);
    }
    return memcmp(left, right, size);
}

BOUND_FUNCTION(int, memcmp, const void *left, const void *right, size_t size)
{
    if (size) {
        execution_plain(left, size, false, CALLER);
        execution_plain(right, size, false, CALLER);
    }
    return memcmp(left, right, size);
}

BOUND_FUNCTION(size_t, strlen, const char *text)
{
    size_t length = strlen(text);
    execution_plain(text, length + 1, false, CALLER);
    return length;
}

BOUND_FUNCTION(int, strcmp, const char *left, const char *right)
{
    execution_plain(left, strlen(left) + 1, false, CALLER);
    execution_plain(right, strlen(right) + 1, false, CALLER);
    return strcmp(left, right);
}

BOUND_FUNCTION(char *, strcpy, char *to, const char *from)
{
    return copy(to, from, strlen(from) + 1, CALLER);
}
