/* What a stream keeps, written to a file and read from it. What something is made of is said once:
 * a function goes through its fields, and each is written, or filled in with what was written. So
 * reading cannot differ from writing. The same functions put a monitor into memory, packed. After a
 * failure all numbers read are 0, and the first failure is the one that is told in the end. */
#ifndef STREAM_ARCHIVE_H
#define STREAM_ARCHIVE_H

#include <string.h>

#include "base/packed.h"
#include "base/sections.h"
#include "base/table.h"
#include "base/vector.h"
#include "history/labels.h"
#include "spec/spec.h"

struct archive {
    struct sections_out *out; /* null: it is read, or `packed` is written */
    struct sections_in *in;
    struct packed *packed; /* in memory, values as words; null: it is read from `at`, or a file */
    const uint8_t *at;
    uint64_t before; /* in memory: the last number that is not small */
    struct value_pool *pool;
    struct error *error;
    enum status status;
    struct table numbers;    /* of the values so far, by their words */
    VECTOR(value) values;    /* those that are objects, in the order in which they were met */
    VECTOR(bool) are_values; /* of the words of a state */
};

/* One of `out` and `in` is null. */
void archive_init(struct archive *archive, struct sections_out *out, struct sections_in *in,
                  struct value_pool *pool, struct error *error);
void archive_release(struct archive *archive);

/* In memory, for the same process and while values live. Nothing is to be released. Written: a
 * failure is that `packed` refuses. */
struct archive archive_to_memory(struct packed *packed);
struct archive archive_from_memory(const uint8_t *bytes);

static inline bool archive_reads(const struct archive *archive)
{
    return archive->in || archive->at;
}

/* The first failure: STATUS_LIMIT, what does not fit together (STATUS_INPUT), or STATUS_USAGE. */
void archive_fail(struct archive *archive, enum status status);
void archive_damaged(struct archive *archive, const char *how);

void archive_section(struct archive *archive, uint32_t tag);

/* A number, of any size; UINT64_MAX takes no more room than 0. */
uint64_t archive_number(struct archive *archive, uint64_t number);

/* One that is less than `below`, or UINT32_MAX. */
uint32_t archive_place(struct archive *archive, uint32_t place, size_t below);

#define ARCHIVE(archive, field)                                                                    \
    ((field) = (__typeof__(field))archive_number(archive, (uint64_t)(field)))

/* A field that is one of so many. */
#define ARCHIVE_BELOW(archive, field, below)                                                       \
    ((field) = (__typeof__(field))archive_below(archive, (uint64_t)(field), (below)))
uint64_t archive_below(struct archive *archive, uint64_t number, uint64_t below);

/* The length of a vector, which has room for it then. */
#define ARCHIVE_LENGTH(archive, vector)                                                            \
    do {                                                                                           \
        size_t archived_length = archive_length(archive, (vector)->length);                        \
        if (!vector_reserve(vector, archived_length)) {                                            \
            archive_fail(archive, STATUS_LIMIT);                                                   \
            archived_length = 0;                                                                   \
        }                                                                                          \
        if (archive_reads(archive) && archived_length)                                             \
            memset((vector)->items, 0, archived_length * sizeof *(vector)->items);                 \
        (vector)->length = archived_length;                                                        \
    } while (0)
size_t archive_length(struct archive *archive, size_t length);

/* A vector of numbers, of values. */
#define ARCHIVE_NUMBERS(archive, vector)                                                           \
    do {                                                                                           \
        ARCHIVE_LENGTH(archive, vector);                                                           \
        for (size_t archived = 0; archived < (vector)->length; archived++)                         \
            ARCHIVE(archive, (vector)->items[archived]);                                           \
    } while (0)
#define ARCHIVE_VALUES(archive, vector)                                                            \
    do {                                                                                           \
        ARCHIVE_LENGTH(archive, vector);                                                           \
        for (size_t archived = 0; archived < (vector)->length; archived++)                         \
            archive_value(archive, &(vector)->items[archived]);                                    \
    } while (0)

/* Bytes of the caller's, `length` of them both times. */
void archive_bytes(struct archive *archive, void *bytes, size_t length);

/* A value, or any word that is none. */
void archive_value(struct archive *archive, value *v);

/* The same, of a value that is looked into while it is read: what is none is damage. */
void archive_known_value(struct archive *archive, value *v);

void archive_call(struct archive *archive, struct call *call);

/* What was read is given this number. */
void archive_label(struct archive *archive, struct labels *labels, value v, uint32_t number);

/* Whether states of a specification can be written: it is known which of their words are values. */
bool archive_knows_states(const struct spec *spec);
void archive_state(struct archive *archive, const struct spec *spec, uint64_t *words,
                   size_t length);

#endif
