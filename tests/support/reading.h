/* Histories from texts, and whether two are the same. */
#ifndef SUPPORT_READING_H
#define SUPPORT_READING_H

#include "history/formats.h"
#include "support/difference.h"

/* A pool and what was read into it. */
struct library {
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
};

void library_open(struct library *library, size_t memory_limit);

/* Fails the test if memory is left. */
void library_close(struct library *library);

/* Reads a text. On failure `histories` is empty, and closing it harmless. */
enum status library_read(struct library *library, const char *text, size_t length,
                         const char *format, unsigned threads, size_t block,
                         struct histories *histories, struct error *error);

/* The history of a text that has one; fails the test otherwise. Owned by the caller. */
struct history *library_read_one(struct library *library, const char *text, size_t length,
                                 const char *format);

/* What the format writes of the history, as bytes of their own; fails the test on an error. */
char *library_write(const struct history *history, const char *format, size_t *length);

#endif
