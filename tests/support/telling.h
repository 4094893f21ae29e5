/* Histories told as text, and what reading and writing should make of them. */
#ifndef SUPPORT_TELLING_H
#define SUPPORT_TELLING_H

#include "base/random.h"
#include "base/text.h"
#include "support/reading.h"

/* A history's events, one a line, values as EDN:
 *
 *     0 invoke enqueue 1
 *     0 ok nil            (`ok` alone: no value was recorded)
 *     1 invoke get nil key=x object=m
 *     note :nemesis :start nil
 */
void history_tell(const struct history *history, struct text *text);

/* Reads and fails the test unless the only history tells `expected`. */
void assert_reads(const char *format, const char *input, const char *expected);

/* Reads, with one thread or several, and fails the test unless that is STATUS_INPUT at `line` with
 * exactly this message (null: with any). */
void assert_refuses(const char *format, const char *input, uint32_t line, const char *message);

/* Reads a text with one thread, and again with several and in small blocks; fails the test unless
 * both give the same. The status, and what was read. */
enum status assert_same_in_blocks(struct library *library, const char *format, const char *text,
                                  size_t length, struct random *random, struct histories *read);

/* Reads `input` in `format`, writes it in `to`, reads that, recognised: fails the test unless both
 * tell the same. */
void assert_round_trip(const char *format, const char *input, const char *to);

/* Reads `input` in `format` and writes it in `to`: fails the test unless that writes nothing and
 * says that the format cannot say `what` of operation 0. */
void assert_cannot_write(const char *format, const char *input, const char *to, const char *what);

#endif
