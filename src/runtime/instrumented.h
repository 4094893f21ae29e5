/* Put in front of every source that gcc compiles for `linchpin test`: what gcc would make of these
 * functions in place, behind the instrumentation, would not be seen. Their names are kept from it
 * by -fno-builtin-...; these are their other names, which headers of C++ use. */
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
