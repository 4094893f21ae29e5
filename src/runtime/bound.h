/* What stands for functions of libraries in the code under test: there `malloc` is bound to
 * BOUND(malloc), and so on (scenario/symbols.h has the list). */
#ifndef RUNTIME_BOUND_H
#define RUNTIME_BOUND_H

#define BOUND(NAME) linchpin_bound_##NAME

/* Declares a function, and begins its definition. */
#define BOUND_FUNCTION(RESULT, NAME, ...)                                                          \
    RESULT BOUND(NAME)(__VA_ARGS__);                                                               \
    RESULT BOUND(NAME)(__VA_ARGS__)

#endif
