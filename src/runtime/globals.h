/* The global variables of the program under test: the writable segment of the executable but for
 * the runtime's own, which are in sections of their own (cmake/runtime.cmake). Put back before each
 * execution. */
#ifndef RUNTIME_GLOBALS_H
#define RUNTIME_GLOBALS_H

#include <stdbool.h>
#include <stddef.h>

/* Finds them, and keeps how they are. False when memory is short. */
bool globals_open(void);

/* Keeps how they are now; puts them back so. */
void globals_keep(void);
void globals_restore(void);

/* One of them, by number; null and 0 bytes where there are fewer. */
enum {
    GLOBALS_RANGES = 3
};
const char *globals_range(size_t number, size_t *size);

/* The segment: the runtime's own are within it. */
char *globals_start(void);
char *globals_end(void);

#endif
