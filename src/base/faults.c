#include "base/faults.h"
#include "base/bounds.h"
#include "base/failing.h"

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

/* Which of the things that are counted from 1 fail. */
struct chosen {
    uint64_t first; /* 0: none */
    char behind;    /* '+': all behind it; '*': each multiple of it; else: none */
};

static atomic_uint_least64_t asked, called;
static struct chosen refused, failing;
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
    fprintf(file, "%llu\n%llu\n", (unsigned long long)atomic_load(&asked),
            (unsigned long long)atomic_load(&called));
    fclose(file);
}

static uint64_t number_from(const char *name)
{
    const char *said = getenv(name);
    return said ? strtoull(said, NULL, 10) : 0;
}

static struct chosen chosen_by(const char *name)
{
    struct chosen chosen = {0};
    const char *said = getenv(name);
    char *rest = NULL;
    if (said) {
        chosen.first = strtoull(said, &rest, 10);
        chosen.behind = *rest;
    }
    return chosen;
}

static bool is_chosen(const struct chosen *chosen, uint64_t number)
{
    if (!chosen->first || number < chosen->first)
        return false;
    return number == chosen->first || chosen->behind == '+' ||
           (chosen->behind == '*' && number % chosen->first == 0);
}

static void read_environment(void)
{
    refused = chosen_by("LINCHPIN_REFUSE");
    failing = chosen_by("LINCHPIN_FAIL");
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
    return is_chosen(&refused, atomic_fetch_add(&asked, 1) + 1);
}

bool faults_fail(int reason)
{
    pthread_once(&once, read_environment);
    if (!is_chosen(&failing, atomic_fetch_add(&called, 1) + 1))
        return false;
    errno = reason;
    return true;
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
    if (size && (!part || faults_fail(EIO)))
        return -1;
    return read(file, bytes, part);
}

ssize_t faults_write(int file, const void *bytes, size_t size)
{
    const size_t part = part_of(size);
    if (size && (!part || faults_fail(ENOSPC)))
        return -1;
    return write(file, bytes, part);
}

/* A file behind a stream, of which the cookie is the number. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
    const int file = (int)(intptr_t)cookie;
    const bool full = faults_fail(ENOSPC);
    const size_t fit = full ? size / 2 : size;
    size_t done = 0;
    while (done < fit) {
        ssize_t count = write(file, bytes + done, fit - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        done += (size_t)count;
    }
    if (full)
        errno = ENOSPC;
    return full ? 0 : (ssize_t)done; /* 0: it has failed */
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *faults_stream(int file)
{
    pthread_once(&once, read_environment);
    if (!failing.first && !count_to)
        return fdopen(file, "w");
    return fopencookie((void *)(intptr_t)file, "w",
                       (cookie_io_functions_t){.write = stream_write, .close = stream_close});
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
