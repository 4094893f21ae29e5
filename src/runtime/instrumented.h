/* Put in front of every source that is compiled for `linchpin test`.
 *
 * What the library of C++ has compiled of strings and streams is to be compiled with the source
 * instead, so that it is instrumented. */
#if defined(__cplusplus) && defined(__has_include)
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#ifdef _GLIBCXX_EXTERN_TEMPLATE
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
#endif

/* What gcc would make of these functions in place, behind the instrumentation, would not be seen.
 * Their names are kept from it by -fno-builtin-...; these are their other names, which headers of
 * C++ use. */
#ifndef __clang__
#ifdef __cplusplus
extern "C" {
#endif

extern void *linchpin_memcpy(void *, const void *, __SIZE_TYPE__) __asm__("memcpy");
extern void *linchpin_memmove(void *, const void *, __SIZE_TYPE__) __asm__("memmove");
extern void *linchpin_memset(void *, int, __SIZE_TYPE__) __asm__("memset");
extern int linchpin_memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp");

#ifdef __cplusplus
}
#endif

#define __builtin_memcpy  linchpin_memcpy
#define __builtin_memmove linchpin_memmove
#define __builtin_memset  linchpin_memset
#define __builtin_memcmp  linchpin_memcmp
#endif
