/*    line  thread 1                   thread 2
 *          push(1)
 *      22  store release top = 1
 *          -> done
 *                                     pop()
 *      30                             load acquire top: 1         from thread 1, line 22
 *
 * Of a livelock the loop has a line in front of it and one behind it. Where the same lines come
 * many times, one behind the other, they stand once.
 */
#include "report/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"

enum {
    MOST_THREADS = 64,
    INDENT = 4,
    BETWEEN = 2,
    MOST_COLUMNS = 100,
    MOST_FOLDED = 16, /* lines that are repeated together */
    LEAST_SPARED = 8, /* lines that folding must spare */
};

struct row {
    unsigned thread;   /* from 0 */
    const char *words; /* across all columns; null: none */
    struct text line, cell, from;
};

struct lanes {
    const lp_tested *found;
    struct row *rows;
    size_t count;
    bool several_files;
    bool is_wide; /* where a value is from stands on a line of its own */
    unsigned threads;
    size_t line_width, widths[MOST_THREADS];
    unsigned calls[MOST_THREADS]; /* that each thread is in, from 1 */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *only_file(struct lanes *lanes)
{
    const char *file = NULL;
    for (size_t i = 0; i < lanes->found->trace_length; i++) {
        const char *other = lanes->found->trace[i].file;
        lanes->several_files |= file && other && strcmp(file, other) != 0;
        file = file ? file : other;
    }
    return lanes->several_files ? NULL : file;
}

static struct row *add_row(struct lanes *lanes, unsigned thread)
{
    struct row *row = &lanes->rows[lanes->count++];
    *row = (struct row){.thread = thread};
    if (lanes->threads <= thread)
        lanes->threads = thread + 1;
    return row;
}

static void add_begin(struct lanes *lanes, const lp_test_call *call)
{
    struct row *row = add_row(lanes, call->thread - 1);
    text_format(&row->cell, "%s(", call->name);
    if (call->has_argument)
        text_format(&row->cell, "%" PRId64, call->argument);
    if (call->has_second)
        text_format(&row->cell, ", %" PRId64, call->second);
    if (call->has_third)
        text_format(&row->cell, ", %" PRId64, call->third);
    text_append(&row->cell, ")");
}

static void add_end(struct lanes *lanes, const lp_test_call *call)
{
    if (call->result)
        text_format(&add_row(lanes, call->thread - 1)->cell, "-> %s", call->result);
}

/* "0 (initial) -> 1": that nobody has written a value stands beside it; what else its source says,
 * in the column of sources. */
static void add_value(struct row *row, const lp_access *step)
{
    static const char initial[] = "initial";
    size_t length = strlen(initial);
    text_append(&row->cell, strncmp(step->access, "store", strlen("store")) == 0 ? " = " : ": ");
    if (!step->source || strncmp(step->source, initial, length) != 0) {
        text_append(&row->cell, step->value);
        if (step->source)
            text_format(&row->from, "from %s", step->source);
        return;
    }
    const char *stored = strstr(step->value, " -> ");
    size_t read = stored ? (size_t)(stored - step->value) : strlen(step->value);
    text_format(&row->cell, "%.*s (%s)%s", (int)read, step->value, initial, step->value + read);
    const char *more = step->source + length;
    if (strncmp(more, "; ", 2) == 0)
        text_append(&row->from, more + 2);
}

static void add_step(struct lanes *lanes, const lp_access *step)
{
    struct row *row = add_row(lanes, step->thread - 1);
    if (step->line && lanes->several_files && step->file)
        text_format(&row->line, "%s:%u", base_name(step->file), step->line);
    else if (step->line)
        text_format(&row->line, "%u", step->line);
    text_append(&row->cell, step->access);
    if (step->location)
        text_format(&row->cell, " %s", step->location);
    if (step->value)
        add_value(row, step);
    else if (step->source && strcmp(step->source, "initial") != 0)
        text_format(&row->from, "from %s", step->source);
}

static void add_words(struct lanes *lanes, const char *words)
{
    lanes->rows[lanes->count++] = (struct row){.words = words};
}

static bool is_last_of_call(const lp_tested *found, size_t index)
{
    const lp_access *step = &found->trace[index];
    for (size_t i = index + 1; i < found->trace_length; i++)
        if (found->trace[i].thread == step->thread)
            return found->trace[i].call != step->call;
    return true;
}

static void add_rows(struct lanes *lanes)
{
    const lp_tested *found = lanes->found;
    for (size_t i = 0; i < found->trace_length; i++) {
        const lp_access *step = &found->trace[i];
        if (step->thread == 0 || step->thread > MOST_THREADS)
            continue;
        const lp_test_call *call = step->call ? &found->calls[step->call - 1] : NULL;
        if (call && lanes->calls[step->thread - 1] != step->call)
            add_begin(lanes, call);
        lanes->calls[step->thread - 1] = step->call;
        if (i == found->loop_start)
            add_words(lanes, "-- the loop --");
        add_step(lanes, step);
        if (call && is_last_of_call(found, i))
            add_end(lanes, call);
    }
    if (found->loop_start < found->trace_length)
        add_words(lanes, "-- back to its first step, and so on for ever --");
}

static bool rows_equal(const struct row *a, const struct row *b)
{
    return !a->words && !b->words && a->thread == b->thread &&
           strcmp(text_string(&a->line), text_string(&b->line)) == 0 &&
           strcmp(text_string(&a->cell), text_string(&b->cell)) == 0 &&
           strcmp(text_string(&a->from), text_string(&b->from)) == 0;
}

/* How often the `count` rows from `at` on come again right behind them. */
static size_t find_repeats(const struct lanes *lanes, size_t at, size_t count)
{
    size_t equal = 0;
    while (at + count + equal < lanes->count &&
           rows_equal(&lanes->rows[at + equal], &lanes->rows[at + count + equal]))
        equal++;
    return equal / count;
}

static void release_row(struct row *row)
{
    text_release(&row->line);
    text_release(&row->cell);
    text_release(&row->from);
}

static void fold(struct lanes *lanes)
{
    size_t kept = 0;
    for (size_t at = 0; at < lanes->count;) {
        size_t count = 1, again = 0;
        while (count <= MOST_FOLDED &&
               (again = find_repeats(lanes, at, count)) * count < LEAST_SPARED + 1)
            count++;
        bool folds = count <= MOST_FOLDED;
        for (size_t i = 0; i < (folds ? count : 1); i++)
            lanes->rows[kept++] = lanes->rows[at++];
        if (!folds)
            continue;
        for (size_t i = 0; i < count * again; i++)
            release_row(&lanes->rows[at++]);
        struct row *row = &lanes->rows[kept++];
        *row = (struct row){.thread = 0};
        if (count == 1)
            text_format(&row->cell, "-- this line %zu more times --", again);
        else
            text_format(&row->cell, "-- these %zu lines %zu more times --", count, again);
        row->words = text_string(&row->cell);
    }
    lanes->count = kept;
}

static size_t columns_of(const struct text *text)
{
    return utf8_columns(text_string(text), text->length);
}

static void pad(struct text *line, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        text_append_char(line, ' ');
}

static void measure(struct lanes *lanes)
{
    for (unsigned thread = 0; thread < lanes->threads; thread++)
        lanes->widths[thread] = strlen("thread 10");
    lanes->line_width = strlen("line");
    size_t all = INDENT, widest = 0;
    for (size_t i = 0; i < lanes->count; i++) {
        const struct row *row = &lanes->rows[i];
        if (row->words)
            continue;
        size_t cell = columns_of(&row->cell), line = columns_of(&row->line);
        if (cell > lanes->widths[row->thread])
            lanes->widths[row->thread] = cell;
        if (line > lanes->line_width)
            lanes->line_width = line;
        if (columns_of(&row->from) > widest)
            widest = columns_of(&row->from);
    }
    for (unsigned thread = 0; thread < lanes->threads; thread++)
        all += lanes->widths[thread] + BETWEEN;
    lanes->is_wide = all + lanes->line_width + BETWEEN + widest > MOST_COLUMNS;
}

static void add_head(struct node *root, const struct lanes *lanes)
{
    struct text *line = node_add_line(root, INDENT, STYLE_DIM);
    text_append(line, "line");
    pad(line, lanes->line_width - strlen("line"));
    for (unsigned thread = 0; thread < lanes->threads; thread++) {
        pad(line, BETWEEN);
        size_t before = line->length;
        text_format(line, "thread %u", thread + 1);
        if (thread + 1 < lanes->threads)
            pad(line, lanes->widths[thread] - (line->length - before));
    }
}

static void add_line(struct node *root, const struct lanes *lanes, const struct row *row)
{
    struct text *line = node_add_line(root, INDENT, row->words ? STYLE_DIM : STYLE_PLAIN);
    if (row->words) {
        text_append(line, row->words);
        return;
    }
    pad(line, lanes->line_width - columns_of(&row->line));
    text_append(line, text_string(&row->line));
    pad(line, BETWEEN);
    for (unsigned thread = 0; thread < row->thread; thread++)
        pad(line, lanes->widths[thread] + BETWEEN);
    text_append(line, text_string(&row->cell));
    if (!row->from.length)
        return;
    if (lanes->is_wide) {
        line = node_add_line(root, INDENT, STYLE_DIM);
        pad(line, lanes->line_width + BETWEEN + BETWEEN);
        for (unsigned thread = 0; thread < row->thread; thread++)
            pad(line, lanes->widths[thread] + BETWEEN);
        text_append(line, text_string(&row->from));
        return;
    }
    pad(line, lanes->widths[row->thread] - columns_of(&row->cell) + BETWEEN);
    for (unsigned thread = row->thread + 1; thread < lanes->threads; thread++)
        pad(line, lanes->widths[thread] + BETWEEN);
    text_append(line, text_string(&row->from));
}

void lanes_add(struct node *root, const lp_tested *found)
{
    struct lanes lanes = {.found = found};
    if (!found->trace_length)
        return;
    lanes.rows = memory_small((3 * found->trace_length + 2) * sizeof *lanes.rows);
    const char *file = only_file(&lanes);
    add_rows(&lanes);
    fold(&lanes);
    measure(&lanes);
    node_add_gap(root);
    struct text *title = node_add_line(root, 2, STYLE_PLAIN);
    text_format(title, "the execution%s%s:", file ? ", in " : "", file ? base_name(file) : "");
    add_head(root, &lanes);
    for (size_t i = 0; i < lanes.count; i++) {
        add_line(root, &lanes, &lanes.rows[i]);
        release_row(&lanes.rows[i]);
    }
    free(lanes.rows);
}
