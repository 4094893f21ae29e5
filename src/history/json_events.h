/* Events written in JSON: {"process": 0, "type": "invoke", "f": "write", "value": 3}. */
#ifndef HISTORY_JSON_EVENTS_H
#define HISTORY_JSON_EVENTS_H

#include "history/lines.h"
#include "history/scan.h"

/* What stands between two values of a line, the name of the second one's field among it, as it was
 * in an earlier line: most lines of a log are alike. */
#define JSON_GAP  16
#define JSON_GAPS 8

struct json_gap {
    uint64_t letters[JSON_GAP / 8], mask[JSON_GAP / 8]; /* mask: of the letters that count */
    uint8_t length;                                     /* 0: nothing is known */
    uint8_t field;                                      /* enum jepsen_field */
};

/* What the fast road remembers. Zeros at first. */
struct json_scanner {
    struct scan_names names;
    struct json_gap gaps[JSON_GAPS]; /* in front of the first value, the second one, ... */
};

/* The fast road: a line that holds one event, in its plainest form, and nothing else (white space
 * at its end left out). False for whatever is not so plain; where it is true, json_read_line reads
 * the same. The line is as format->parse of lines.h is given it. */
bool json_scan_line(struct json_scanner *scanner, struct value_pool *pool, const char *line,
                    size_t length, uint32_t number, struct event *event);

/* The general road, through yajl. */
struct json_reader;

/* Null when refused. */
struct json_reader *json_reader_create(struct read_context *context);
void json_reader_destroy(struct json_reader *reader);

/* Reads a line that holds one event (no newline in it, one byte of white space behind it).
 * STATUS_INPUT, after which the reader is of no more use; STATUS_LIMIT. */
enum status json_read_line(struct json_reader *reader, const char *line, size_t length,
                           uint32_t number, struct event *event, struct error *error) MUST_CHECK;

/* Reads the context's whole source as one array of events, and hands them to lines_event. */
enum status json_read_array(struct json_reader *reader, struct line_reading *reading,
                            struct error *error) MUST_CHECK;

#endif
