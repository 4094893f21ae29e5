#include "base/faults.h"
#include "base/bounds.h"

#include <unistd.h>

#ifdef LINCHPIN_FAULTS

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_JUMPS    10000 /* beyond, the clock would come to its end */
#define SINGLE_BYTES  4096  /* so many moves of one byte; then it would take too long */
#define HOSTILE_BYTES 61    /* behind them: a prime, so that no block or record fits */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint_least64_t asked;
static uint64_t refused_first; /* 0: none */
static bool refuses_all_behind;
static const char *count_to;
static uint64_t most_bytes;  /* at a time; 0: any number */
static bool begins_with_one; /* byte at a time */
static uint64_t jumps_every; /* looks; 0: never */
static uint64_t bounded_by;  /* 0: nothing is */
static uint64_t stops_at;    /* the read or write; 0: none */
static atomic_uint_least64_t moved, looked, asked_to_move;

static void write_count(void)
{
    FILE *file = fopen(count_to, "w");
    if (!file)
        return;
    fprintf(file, "%llu\n", (unsigned long long)atomic_load(&asked));
    fclose(file);
}

static uint64_t number_from(const char *name)
{
    const char *said = getenv(name);
    return said ? strtoull(said, NULL, 10) : 0;
}

static void read_environment(void)
{
    const char *wanted = getenv("LINCHPIN_REFUSE");
    char *rest = NULL;
    if (wanted) {
        refused_first = strtoull(wanted, &rest, 10);
        refuses_all_behind = *rest == '+';
    }
    begins_with_one = SIZE_OR_SMALL(false, true) && !getenv("LINCHPIN_READS");
    most_bytes = begins_with_one ? HOSTILE_BYTES : number_from("LINCHPIN_READS");
    stops_at = number_from("LINCHPIN_STOP");
    bounded_by = number_from("LINCHPIN_BOUND");
    jumps_every = number_from("LINCHPIN_CLOCK");
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

uint64_t faults_bound(uint64_t usual, uint64_t times)
{
    pthread_once(&once, read_environment);
    const uint64_t bound = bounded_by * times;
    return bound && bound < usual ? bound : usual;
}

/* How many of `size` bytes are moved now; 0: it is interrupted. */
static size_t part_of(size_t size)
{
    pthread_once(&once, read_environment);
    if (stops_at && atomic_fetch_add(&asked_to_move, 1) + 1 == stops_at)
        raise(SIGSTOP);
    if (!most_bytes || size == 0)
        return size;
    const uint64_t before = atomic_fetch_add(&moved, 1);
    if (before % 2 == 0) {
        errno = EINTR;
        return 0;
    }
    if (begins_with_one && before < 2 * SINGLE_BYTES)
        return 1;
    return size < most_bytes ? size : (size_t)most_bytes;
}

ssize_t faults_read(int file, void *bytes, size_t size)
{
    const size_t part = part_of(size);
    return part || !size ? read(file, bytes, part) : -1;
}

ssize_t faults_write(int file, const void *bytes, size_t size)
{
    const size_t part = part_of(size);
    return part || !size ? write(file, bytes, part) : -1;
}

uint64_t faults_clock(uint64_t now)
{
    const uint64_t hour = UINT64_C(3600) * 1000000000;
    pthread_once(&once, read_environment);
    if (!jumps_every)
        return now;
    const uint64_t jumps = atomic_fetch_add(&looked, 1) / jumps_every;
    return now + (jumps < MOST_JUMPS ? jumps : MOST_JUMPS) * hour;
}

#else

ssize_t faults_read(int file, void *bytes, size_t size)
{
    return read(file, bytes, size);
}

ssize_t faults_write(int file, const void *bytes, size_t size)
{
    return write(file, bytes, size);
}

#endif
