/* Operations drawn as intervals in the terminal, a row per process, time from left to right:
 *
 *     nemesis              ▼ kill n1
 *     process 0  ┣━ enqueue 3 ━┫
 *     process 1                  ┣━ dequeue → 7 ━┫
 *     process 2    ├── enqueue 7 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌>
 *
 * Only order is to scale: every event drawn has a column of its own, and an operation that ends
 * before another begins ends to the left of it. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/terminal.h"

#define TIMELINE_OPEN UINT32_MAX

struct timeline_item {
    const char *label;   /* fit to show: base/utf8.h */
    uint32_t row;        /* index into `rows` */
    uint32_t start, end; /* positions of the two events, start < end; TIMELINE_OPEN: none seen */
    bool core;           /* heavy lines and colour; else light and dim */
};

/* Something noted between two events: an arrow before the event at `position`. */
struct timeline_note {
    const char *label;
    uint32_t position;
};

struct timeline {
    const char *const *rows; /* names */
    size_t row_count;
    const struct timeline_item *items; /* by start */
    size_t item_count;
    const char *note_row;              /* name of the row of the notes */
    const struct timeline_note *notes; /* by position */
    size_t note_count;
};

/* Appends the drawing, each line indented by `indent`. What is wider than the terminal is cut at
 * events into blocks below one another, with a line between them that says that the second is
 * later; an operation running across a cut is drawn in each, with an ellipsis at the cut. */
void timeline_draw(const struct timeline *timeline, const struct terminal *terminal,
                   unsigned indent, struct text *text);

#endif
