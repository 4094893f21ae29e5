/* Events written in JSON: {"process": 0, "type": "invoke", "f": "write", "value": 3}. */
#ifndef HISTORY_JSON_EVENTS_H
#define HISTORY_JSON_EVENTS_H

#include "history/lines.h"
#include "history/scan.h"

/* The fast road: a line that holds one event, in its plainest form, and nothing else (white space
 * at its end left out). False for whatever is not so plain; where it is true, json_read_line reads
 * the same. The line is as format->parse of lines.h is given it. */
bool json_scan_line(struct scan_names *names, struct value_pool *pool, const char *line,
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
