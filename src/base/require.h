/* The contracts of the installed functions: always checked, and whoever breaks one is told which
 * function was misused before the process ends. What data may do wrong is never a contract. */
#ifndef BASE_REQUIRE_H
#define BASE_REQUIRE_H

#include <stddef.h>

#include "base/attributes.h"

/* Ends the process unless `condition` holds; `what` says what the caller must see to. */
#define REQUIRE(condition, what)                                                                   \
    do {                                                                                           \
        if (UNLIKELY(!(condition)))                                                                \
            require_failed(__func__, what);                                                        \
    } while (0)

/* For objects that carry a `magic` number until they are destroyed. */
#define REQUIRE_ALIVE(object, number)                                                              \
    REQUIRE((object) && (object)->magic == (number), #object " is null, or was destroyed")

#define REQUIRE_NOT_NULL(pointer) REQUIRE((pointer) != NULL, #pointer " is null")

/* Copies `given`, a structure whose first member says its size, as the caller was compiled, to
 * `*own`, which is as large as this version knows it: members that an older caller does not have
 * are 0. Ends the process if the size is less than that up to `last`, the last member that the
 * structure had when it was first released, or if members are set that this version does not know.
 * A null `given`: all zeros. */
#define REQUIRE_SIZED(own, given, last)                                                            \
    require_sized(__func__, (own), sizeof *(own),                                                  \
                  (size_t)((char *)(&(own)->last + 1) - (char *)(own)), (given))

void require_sized(const char *function, void *own, size_t size, size_t least, const void *given);

_Noreturn void require_failed(const char *function, const char *what);

#endif
