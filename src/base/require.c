#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void require_failed(const char *function, const char *what)
{
    fprintf(stderr, "linchpin: %s: %s\n", function, what);
    abort();
}

void require_sized(const char *function, void *own, size_t size, size_t least, const void *given)
{
    size_t said = size;
    memset(own, 0, size);
    if (!given) {
        memcpy(own, &said, sizeof said);
        return;
    }
    memcpy(&said, given, sizeof said);
    if (said < least)
        require_failed(function, "the `size` of a structure is not its sizeof");
    for (size_t i = size; i < said; i++)
        if (((const char *)given)[i] != 0)
            require_failed(function, "a structure has members that this version does not know");
    memcpy(own, given, said < size ? said : size);
    memcpy(own, &size, sizeof size);
}
