/* The transport between ranks over MPI. This is the only file that knows of MPI; it is a library of
 * its own, lib/linchpin/mpi.so, that the program loads with --mpi.
 *
 * MPI's own waiting takes a core for itself. All waiting here looks some times, then sleeps in
 * between, so that a rank that has nothing to do leaves its core to others. Errors end every rank,
 * as MPI does by itself; a rank that is killed is noticed by what launched it, which then ends the
 * others. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/transport.h"

/* MPI counts in int: what is longer is sent in several messages. */
#define MOST_AT_ONCE ((size_t)1 << 30)

struct mpi {
    struct transport visible; /* first */
    int *sizes, *places;      /* of what goes to each rank, then of what comes from each */
    uint64_t *out, *in;       /* words, gathered */
    size_t out_room, in_room;
};

_Noreturn static void give_up(const char *why)
{
    fprintf(stderr, "linchpin: --mpi: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 70);
    abort();
}

static void nap(unsigned *looks)
{
    enum {
        LOOKS = 200,
        NAP = 50000 /* nanoseconds */
    };
    const struct timespec pause = {.tv_nsec = NAP};
    if (++*looks > LOOKS)
        nanosleep(&pause, NULL);
}

static void finish(MPI_Request *request)
{
    int done = 0;
    for (unsigned looks = 0; !done; nap(&looks)) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
    }
}

static void make_room(uint64_t **words, size_t *room, size_t needed)
{
    if (needed <= *room)
        return;
    *room = needed + needed / 2;
    free(*words);
    *words = malloc(*room * sizeof **words);
    if (!*words)
        give_up("the system gives no memory for what is exchanged");
}

/* ---- collective ---- */

static void reduce(const struct transport *transport, enum transport_reduction reduction,
                   uint64_t *values, size_t count)
{
    MPI_Op operation = reduction == TRANSPORT_SUM     ? MPI_SUM
                       : reduction == TRANSPORT_LEAST ? MPI_MIN
                                                      : MPI_MAX;
    MPI_Request request;
    (void)transport;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, operation, MPI_COMM_WORLD,
                   &request);
    finish(&request);
}

static void broadcast(const struct transport *transport, unsigned from, void *bytes, size_t length)
{
    (void)transport;
    for (size_t at = 0; at < length; at += MOST_AT_ONCE) {
        size_t now = length - at < MOST_AT_ONCE ? length - at : MOST_AT_ONCE;
        MPI_Request request;
        MPI_Ibcast((char *)bytes + at, (int)now, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
        finish(&request);
    }
}

/* Where the words to each rank, or from each, stand; how many there are. */
static size_t find_places(const int *sizes, unsigned ranks, int *places)
{
    size_t all = 0;
    for (unsigned i = 0; i < ranks; i++) {
        places[i] = (int)all;
        all += (size_t)sizes[i];
        if (all > INT_MAX)
            give_up("more is exchanged at once than MPI can count");
    }
    return all;
}

static const uint64_t *exchange(const struct transport *transport, const uint64_t *const *out,
                                const size_t *lengths, size_t *received)
{
    struct mpi *mpi = transport->self;
    const unsigned ranks = transport->ranks;
    int *sent = mpi->sizes, *came = sent + ranks, *to = mpi->places, *from = to + ranks;
    MPI_Request request;
    for (unsigned i = 0; i < ranks; i++) {
        if (lengths[i] > INT_MAX)
            give_up("more is exchanged at once than MPI can count");
        sent[i] = (int)lengths[i];
    }
    MPI_Ialltoall(sent, 1, MPI_INT, came, 1, MPI_INT, MPI_COMM_WORLD, &request);
    make_room(&mpi->out, &mpi->out_room, find_places(sent, ranks, to));
    for (unsigned i = 0; i < ranks; i++)
        if (lengths[i])
            memcpy(mpi->out + to[i], out[i], lengths[i] * sizeof **out);
    finish(&request);
    make_room(&mpi->in, &mpi->in_room, find_places(came, ranks, from));
    MPI_Ialltoallv(mpi->out, sent, to, MPI_UINT64_T, mpi->in, came, from, MPI_UINT64_T,
                   MPI_COMM_WORLD, &request);
    finish(&request);
    for (unsigned i = 0; i < ranks; i++)
        received[i] = (size_t)came[i];
    return mpi->in;
}

/* ---- between two ranks: the length, then the bytes ---- */

/* Those of a message are told from those of others by their topic, too: what is received is all of
 * it before anything else of that topic is looked at. */
enum {
    CONTENT = 100
};

static void send(const struct transport *transport, unsigned to, enum transport_topic topic,
                 const void *bytes, size_t length)
{
    uint64_t announced = length;
    MPI_Request request;
    (void)transport;
    MPI_Isend(&announced, 1, MPI_UINT64_T, (int)to, (int)topic, MPI_COMM_WORLD, &request);
    finish(&request);
    for (size_t at = 0; at < length; at += MOST_AT_ONCE) {
        size_t now = length - at < MOST_AT_ONCE ? length - at : MOST_AT_ONCE;
        MPI_Isend((const char *)bytes + at, (int)now, MPI_BYTE, (int)to, CONTENT + (int)topic,
                  MPI_COMM_WORLD, &request);
        finish(&request);
    }
}

static void *receive_content(int from, enum transport_topic topic, size_t length)
{
    char *bytes = malloc(length + 1);
    if (!bytes)
        give_up("the system gives no memory for a message");
    for (size_t at = 0; at < length; at += MOST_AT_ONCE) {
        size_t now = length - at < MOST_AT_ONCE ? length - at : MOST_AT_ONCE;
        MPI_Request request;
        MPI_Irecv(bytes + at, (int)now, MPI_BYTE, from, CONTENT + (int)topic, MPI_COMM_WORLD,
                  &request);
        finish(&request);
    }
    bytes[length] = 0;
    return bytes;
}

static void *receive(const struct transport *transport, enum transport_topic topic, bool waits,
                     unsigned *from, size_t *length)
{
    uint64_t announced;
    MPI_Status status;
    MPI_Request request;
    int there = 0;
    (void)transport;
    for (unsigned looks = 0; !there; nap(&looks)) {
        MPI_Iprobe(MPI_ANY_SOURCE, (int)topic, MPI_COMM_WORLD, &there, &status);
        if (there)
            break;
        if (!waits)
            return NULL;
    }
    MPI_Irecv(&announced, 1, MPI_UINT64_T, status.MPI_SOURCE, (int)topic, MPI_COMM_WORLD, &request);
    finish(&request);
    *from = (unsigned)status.MPI_SOURCE;
    *length = announced;
    return receive_content(status.MPI_SOURCE, topic, announced);
}

/* ---- beginning and end ---- */

static void close_all(struct transport *transport)
{
    struct mpi *mpi = transport->self;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* MPI_Finalize waits, and takes a core for it */
    finish(&request);
    MPI_Finalize();
    free(mpi->sizes);
    free(mpi->places);
    free(mpi->out);
    free(mpi->in);
    free(mpi);
}

static unsigned count_neighbours(void)
{
    MPI_Comm machine;
    int count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return (unsigned)count;
}

static bool has_launcher(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return true;
    return false;
}

__attribute__((visibility("default"))) transport_open linchpin_transport_open;

struct transport *linchpin_transport_open(void)
{
    int provided, rank, ranks;
    const bool launched = has_launcher(); /* before MPI sets them itself */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return NULL;
    if (provided < MPI_THREAD_SERIALIZED)
        give_up("this MPI does not let several threads take turns");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (mpi) {
        mpi->sizes = calloc(2 * (size_t)ranks, sizeof *mpi->sizes);
        mpi->places = calloc(2 * (size_t)ranks, sizeof *mpi->places);
    }
    if (!mpi || !mpi->sizes || !mpi->places)
        give_up("the system gives no memory");
    mpi->visible = (struct transport){.version = LP_VERSION,
                                      .rank = (unsigned)rank,
                                      .ranks = (unsigned)ranks,
                                      .neighbours = count_neighbours(),
                                      .launched = launched,
                                      .self = mpi,
                                      .reduce = reduce,
                                      .broadcast = broadcast,
                                      .exchange = exchange,
                                      .send = send,
                                      .receive = receive,
                                      .close = close_all};
    return &mpi->visible;
}
