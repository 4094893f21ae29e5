/* What stands for functions of libraries in the code under test: there `malloc` is bound to
 * BOUND(malloc), and so on (scenario/symbols.h has the list). */
#ifndef RUNTIME_BOUND_H
#define RUNTIME_BOUND_H

#include <stdarg.h>

#define BOUND(NAME) linchpin_bound_##NAME

/* Declares a function, and begins its definition. */
#define BOUND_FUNCTION(RESULT, NAME, ...)                                                          \
    RESULT BOUND(NAME)(__VA_ARGS__);                                                               \
    RESULT BOUND(NAME)(__VA_ARGS__)

/* What printing by a format reads and, for %n, writes (bound_print.c). */
void printed_reads(const char *format, va_list list, const void *at)
    __attribute__((format(printf, 1, 0)));

#endif
