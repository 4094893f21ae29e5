/* The contracts of the installed functions: always checked, and whoever breaks one is told which
 * function was misused before the process ends. What data may do wrong is never a contract. */
#ifndef BASE_REQUIRE_H
#define BASE_REQUIRE_H

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

_Noreturn void require_failed(const char *function, const char *what);

#endif
