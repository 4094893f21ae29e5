#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>

void require_failed(const char *function, const char *what)
{
    fprintf(stderr, "linchpin: %s: %s\n", function, what);
    abort();
}
