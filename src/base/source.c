/* Three layers, each drained before the one below is asked:
 *
 *     head   what was peeked at and not yet taken, after unpacking
 *     codec  nothing, or gzip, or zstd
 *     raw    a block of the file as it is; for plain files only its first bytes, to see the magic
 *
 * Several compressed members or frames behind one another are one stream, as their tools read them.
 * Data that ends inside a member, or does not match its checksum, is an error: a history that was
 * cut short must not be taken for a whole one. */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/codec.h"
#include "base/faults.h"
#include "base/memory.h"

#define RAW_SIZE  ((size_t)128 << 10) /* ZSTD_DStreamInSize() is about that */
#define HEAD_SIZE ((size_t)64 << 10)  /* the most that source_peek promises */
#define MAGIC     4
#define WAIT      100 /* milliseconds between looks at the limits while nothing comes */

struct source {
    const char *name;
    struct budget *budget;
    int file;                    /* -1: memory */
    const unsigned char *memory; /* what is left of it */
    size_t memory_length;
    unsigned char *raw;
    size_t raw_at, raw_end;
    unsigned char *head;
    size_t head_at, head_end;
    const struct limits *limits;
    bool begun; /* the kind is known */
    enum codec_kind kind;
    struct codec *codec; /* null: none */
    XXH3_state_t *hash;
};

static enum status refused(const struct source *source, struct error *error)
{
    return error_set(error, STATUS_LIMIT, source->name, 0, "the memory limit is reached");
}

/* Waits until the file has something, looking at the limits now and then. */
static enum status wait_for(const struct source *source, struct error *error)
{
    struct pollfd file = {.fd = source->file, .events = POLLIN};
    int ready = 0;
    while (ready <= 0) {
        if (limits_reached(source->limits) != LIMIT_NONE)
            return error_set(error, STATUS_LIMIT, source->name, 0,
                             "a limit was reached while reading");
        ready = poll(&file, 1, WAIT);
        if (ready < 0 && errno != EINTR)
            break; /* read says what is wrong */
    }
    return STATUS_OK;
}

static enum status raw_read(struct source *source, void *buffer, size_t size, size_t *got,
                            struct error *error)
{
    if (source->file < 0) {
        *got = size < source->memory_length ? size : source->memory_length;
        if (*got)
            memcpy(buffer, source->memory, *got);
        source->memory += *got;
        source->memory_length -= *got;
        return STATUS_OK;
    }
    if (source->limits)
        TRY(wait_for(source, error));
    ssize_t length;
    do
        length = faults_read(source->file, buffer, size);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return error_set(error, STATUS_INPUT, source->name, 0, "cannot read: %s", strerror(errno));
    *got = (size_t)length;
    return STATUS_OK;
}

/* Reads on into the raw block, until it holds `least` bytes or the file ends. */
static enum status raw_fill(struct source *source, size_t least, struct error *error)
{
    size_t kept = source->raw_end - source->raw_at;
    if (kept >= least)
        return STATUS_OK;
    memmove(source->raw, source->raw + source->raw_at, kept);
    source->raw_at = 0;
    source->raw_end = kept;
    while (source->raw_end < least) {
        size_t got;
        TRY(raw_read(source, source->raw + source->raw_end, RAW_SIZE - source->raw_end, &got,
                     error));
        if (got == 0)
            break;
        source->raw_end += got;
    }
    return STATUS_OK;
}

static bool starts_gzip(const unsigned char *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* A frame, or a skippable one (RFC 8878, 3.1). */
static bool starts_zstd(const unsigned char *bytes, size_t length)
{
    if (length < MAGIC || bytes[3] != (bytes[0] == 0x28 ? 0xfd : 0x18))
        return false;
    return bytes[0] == 0x28 ? bytes[1] == 0xb5 && bytes[2] == 0x2f
                            : (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d;
}

static enum status begin(struct source *source, struct error *error)
{
    TRY(raw_fill(source, MAGIC, error));
    source->begun = true;
    const unsigned char *bytes = source->raw + source->raw_at;
    size_t length = source->raw_end - source->raw_at;
    if (starts_gzip(bytes, length))
        source->kind = CODEC_GZIP;
    else if (starts_zstd(bytes, length))
        source->kind = CODEC_ZSTD;
    else
        return STATUS_OK;
    return codec_open(source->kind, source->name, source->budget, &source->codec, error);
}

static enum status open_layers(const char *name, int file, const void *bytes, size_t length,
                               struct budget *budget, struct source **source, struct error *error)
{
    struct source *opened = memory_zeroed(budget, sizeof *opened);
    *source = opened;
    if (!opened) {
        if (file > STDIN_FILENO)
            close(file);
        return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
    }
    opened->name = name;
    opened->budget = budget;
    opened->file = file;
    opened->memory = bytes;
    opened->memory_length = length;
    opened->raw = memory_allocate(budget, RAW_SIZE);
    opened->hash = XXH3_createState();
    if (!opened->raw || !opened->hash) {
        source_close(opened);
        *source = NULL;
        return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
    }
    XXH3_64bits_reset(opened->hash);
    return STATUS_OK;
}

enum status source_open(const char *path, struct budget *budget, struct source **source,
                        struct error *error)
{
    *source = NULL;
    if (strcmp(path, "-") == 0)
        return open_layers("standard input", STDIN_FILENO, NULL, 0, budget, source, error);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (file < 0 || fstat(file, &facts)) {
        int reason = errno;
        if (file >= 0)
            close(file);
        return error_set(error, STATUS_INPUT, path, 0, "cannot open: %s", strerror(reason));
    }
    if (S_ISDIR(facts.st_mode)) {
        close(file);
        return error_set(error, STATUS_INPUT, path, 0, "expected a file, found a folder");
    }
    return open_layers(path, file, NULL, 0, budget, source, error);
}

enum status source_open_memory(const char *name, const void *bytes, size_t length,
                               struct budget *budget, struct source **source, struct error *error)
{
    return open_layers(name, -1, bytes, length, budget, source, error);
}

void source_set_limits(struct source *source, const struct limits *limits)
{
    source->limits = limits;
}

/* One step; raw bytes are there. */
static enum status step(struct source *source, unsigned char *buffer, size_t size, size_t *got,
                        struct error *error)
{
    size_t taken = 0;
    if (source->kind == CODEC_GZIP && !codec_is_inside(source->codec)) {
        TRY(raw_fill(source, 2, error));
        if (!starts_gzip(source->raw + source->raw_at, source->raw_end - source->raw_at))
            return codec_damaged(source->codec, "is followed by something else", error);
    }
    TRY(codec_step(source->codec, source->raw + source->raw_at, source->raw_end - source->raw_at,
                   &taken, buffer, size, got, error));
    source->raw_at += taken;
    return STATUS_OK;
}

/* The file has ended; zstd may still hold unpacked bytes. */
static enum status unpack_rest(struct source *source, unsigned char *buffer, size_t size,
                               size_t *got, struct error *error)
{
    size_t taken;
    if (codec_is_inside(source->codec) && source->kind == CODEC_ZSTD)
        TRY(codec_step(source->codec, source->raw, 0, &taken, buffer, size, got, error));
    if (codec_is_inside(source->codec) && *got == 0)
        return codec_damaged(source->codec, "ends too early", error);
    return STATUS_OK;
}

static enum status unpack(struct source *source, unsigned char *buffer, size_t size, size_t *got,
                          struct error *error)
{
    *got = 0;
    while (*got == 0) {
        if (source->raw_at == source->raw_end) {
            TRY(raw_fill(source, 1, error));
            if (source->raw_at == source->raw_end)
                return unpack_rest(source, buffer, size, got, error);
        }
        TRY(step(source, buffer, size, got, error));
    }
    return STATUS_OK;
}

/* Below the head: unpacked bytes. */
static enum status body_read(struct source *source, void *buffer, size_t size, size_t *got,
                             struct error *error)
{
    if (!source->begun)
        TRY(begin(source, error));
    if (source->codec)
        return unpack(source, buffer, size, got, error);
    size_t kept = source->raw_end - source->raw_at;
    if (kept == 0)
        return raw_read(source, buffer, size, got, error);
    *got = size < kept ? size : kept;
    memcpy(buffer, source->raw + source->raw_at, *got);
    source->raw_at += *got;
    return STATUS_OK;
}

enum status source_read(struct source *source, void *buffer, size_t size, size_t *got,
                        struct error *error)
{
    size_t kept = source->head_end - source->head_at;
    *got = 0;
    if (size == 0)
        return STATUS_OK;
    if (kept > 0) {
        *got = size < kept ? size : kept;
        memcpy(buffer, source->head + source->head_at, *got);
        source->head_at += *got;
    } else {
        TRY(body_read(source, buffer, size, got, error));
    }
    XXH3_64bits_update(source->hash, buffer, *got);
    return STATUS_OK;
}

enum status source_is_packed(struct source *source, bool *packed, struct error *error)
{
    if (!source->begun)
        TRY(begin(source, error));
    *packed = source->kind != CODEC_NONE;
    return STATUS_OK;
}

enum status source_peek(struct source *source, const char **bytes, size_t *length, size_t most,
                        struct error *error)
{
    if (!source->head) {
        source->head = memory_allocate(source->budget, HEAD_SIZE);
        if (!source->head)
            return refused(source, error);
    }
    size_t kept = source->head_end - source->head_at;
    memmove(source->head, source->head + source->head_at, kept);
    source->head_at = 0;
    source->head_end = kept;
    if (most > HEAD_SIZE)
        most = HEAD_SIZE;
    while (source->head_end < most) {
        size_t got;
        TRY(body_read(source, source->head + source->head_end, most - source->head_end, &got,
                      error));
        if (got == 0)
            break;
        source->head_end += got;
    }
    *bytes = (const char *)source->head;
    *length = source->head_end < most ? source->head_end : most;
    return STATUS_OK;
}

const char *source_name(const struct source *source)
{
    return source->name;
}

unsigned long long source_hash(const struct source *source)
{
    return XXH3_64bits_digest(source->hash);
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->file > STDIN_FILENO)
        close(source->file);
    codec_close(source->codec);
    XXH3_freeState(source->hash);
    memory_release(source->budget, source->raw, RAW_SIZE);
    if (source->head)
        memory_release(source->budget, source->head, HEAD_SIZE);
    memory_release(source->budget, source, sizeof *source);
}

bool source_is_same(const char *one, const char *other)
{
    if (strcmp(one, other) == 0)
        return true;
    char *first = realpath(one, NULL), *second = realpath(other, NULL);
    bool same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}
