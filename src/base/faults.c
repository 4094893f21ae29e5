#include "base/faults.h"

#ifdef LINCHPIN_FAULTS

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint_least64_t asked;
static uint64_t refused_first; /* 0: none */
static bool refuses_all_behind;
static const char *count_to;

static void write_count(void)
{
    FILE *file = fopen(count_to, "w");
    if (!file)
        return;
    fprintf(file, "%llu\n", (unsigned long long)atomic_load(&asked));
    fclose(file);
}

static void read_environment(void)
{
    const char *wanted = getenv("LINCHPIN_REFUSE");
    char *rest = NULL;
    if (wanted) {
        refused_first = strtoull(wanted, &rest, 10);
        refuses_all_behind = *rest == '+';
    }
    count_to = getenv("LINCHPIN_COUNT");
    if (count_to)
        atexit(write_count);
}

bool faults_refuse(void)
{
    pthread_once(&once, read_environment);
    const uint64_t number = atomic_fetch_add(&asked, 1) + 1;
    return refused_first &&
           (number == refused_first || (refuses_all_behind && number > refused_first));
}

#endif
