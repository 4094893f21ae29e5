/* The timeline: what it draws, character by character. The columns follow from the rules in
 * report/timeline.c: an event stands one column right of the one before, two if it begins an
 * operation after an end, and an end where the label has room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "report/timeline.h"

static const struct terminal unicode = {.unicode = true, .columns = 80};
static const struct terminal ascii = {.columns = 80};

static void expect(const struct timeline *timeline, const struct terminal *terminal,
                   const char *drawing)
{
    struct text text = TEXT_EMPTY;
    timeline_draw(timeline, terminal, 2, &text);
    assert_string_equal(text_string(&text), drawing);
    text_release(&text);
}

static const char *const rows[] = {"process 0", "process 1", "process 2"};

/* enqueue 3 (0..1) before dequeue (2..3): the gap of two shows that one precedes the other. */
static void precedence_is_a_gap(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {{"enqueue 3", 0, 0, 1, true},
                                          {"dequeue", 1, 2, 3, false}};
    struct timeline timeline = {rows, 2, items, 2, "nemesis", NULL, 0};
    expect(&timeline, &unicode,
           "  process 0  ┣━ enqueue 3 ━┫\n"
           "  process 1                  ├─ dequeue ─┤\n");
    expect(&timeline, &ascii,
           "  process 0  |= enqueue 3 =|\n"
           "  process 1                  |- dequeue -|\n");
}

/* a: columns 0 to 7; b begins at 1, its label ends it at 8 at the earliest, after a's end. */
static void overlap_is_staggered(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {{"aa", 0, 0, 2, true}, {"bb", 1, 1, 3, true}};
    struct timeline timeline = {rows, 2, items, 2, "nemesis", NULL, 0};
    expect(&timeline, &unicode,
           "  process 0  ┣━ aa ━┫\n"
           "  process 1   ┣━ bb ━┫\n");
}

/* The outer operation stretches over the two inside it; its label stands in the middle.
 * Columns: x 0, a 1 to 7, b 9 to 15, x ends at 16. Lines: 17 - 2 - 3 = 12, six on each side. */
static void an_outer_operation_stretches(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {
        {"x", 0, 0, 5, false}, {"a", 1, 1, 2, true}, {"b", 1, 3, 4, true}};
    struct timeline timeline = {rows, 2, items, 3, "nemesis", NULL, 0};
    expect(&timeline, &unicode,
           "  process 0  ├────── x ──────┤\n"
           "  process 1   ┣━ a ━┫ ┣━ b ━┫\n");
}

/* A pending operation has no end: it reaches one column beyond the last event. A process that went
 * on after it gets a second lane, without repeating its name. */
static void pending_operations_are_open(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {{"enq 1", 0, 0, TIMELINE_OPEN, true},
                                          {"deq", 0, 1, 2, false}};
    struct timeline timeline = {rows, 1, items, 2, "nemesis", NULL, 0};
    expect(&timeline, &unicode,
           "  process 0  ┣━ enq 1 ╍╍╍>\n"
           "              ├─ deq ─┤\n");
    expect(&timeline, &ascii,
           "  process 0  |= enq 1 ...>\n"
           "              |- deq -|\n");
}

/* A note stands between the events around it, in a row of its own: w 0 to 8, kill at 9 to 17, r
 * from 10, heal no earlier than 19, so r ends at 20: four columns for its lines, two on each side.
 */
static void notes_have_a_row(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {{"w 1", 0, 0, 1, true}, {"r 2", 1, 2, 3, true}};
    const struct timeline_note notes[] = {{"kill n1", 2}, {"heal", 3}};
    struct timeline timeline = {rows, 2, items, 2, "nemesis", notes, 2};
    expect(&timeline, &unicode,
           "  nemesis             ▼ kill n1 ▼ heal\n"
           "  process 0  ┣━ w 1 ━┫\n"
           "  process 1            ┣━━ r 2 ━━┫\n");
}

/* 50 columns, 13 of them margin: 37 are left. w takes 0 to 8, so that a note at 9 has 28 of them;
 * in 45 columns it would have 23, too few to read, and begins a block. */
static void notes_are_cut_at_the_edge(void **unused)
{
    (void)unused;
    struct terminal narrow = {.unicode = true, .columns = 50};
    const struct timeline_item items[] = {{"w 1", 0, 0, 1, true}, {"r 2", 1, 2, 3, true}};
    const struct timeline_note notes[] = {{"partition n1 from n2, n3, n4 and n5", 2}};
    struct timeline timeline = {rows, 2, items, 2, "nemesis", notes, 1};
    expect(&timeline, &narrow,
           "  nemesis             ▼ partition n1 from n2, n3,…\n"
           "  process 0  ┣━ w 1 ━┫\n"
           "  process 1            ┣━ r 2 ━┫\n");
    narrow.columns = 45;
    expect(&timeline, &narrow,
           "  process 0  ┣━ w 1 ━┫\n"
           "\n"
           "  … and later:\n"
           "  nemesis    ▼ partition n1 from n2, n3, n4 …\n"
           "  process 1   ┣━ r 2 ━┫\n");
}

/* 40 columns, 13 of them margin: 27 are left. long begins at 0, enqueue takes 1 to 15, w 17 to 25;
 * dequeue does not fit any more. In both blocks long has what its label leaves: 26 - 8 = 18 columns
 * of lines in the first, 16 - 8 = 8 in the second, where it ends right of dequeue (0 to 14). */
static void wide_drawings_become_blocks(void **unused)
{
    (void)unused;
    const struct terminal narrow = {.unicode = true, .columns = 40};
    const struct timeline_item items[] = {{"long", 0, 0, 7, false},
                                          {"enqueue 1", 1, 1, 2, true},
                                          {"w 1", 1, 3, 4, true},
                                          {"dequeue 1", 2, 5, 6, true}};
    struct timeline timeline = {rows, 3, items, 4, "nemesis", NULL, 0};
    expect(&timeline, &narrow,
           "  process 0  ├───────── long ─────────…\n"
           "  process 1   ┣━ enqueue 1 ━┫ ┣━ w 1 ━┫\n"
           "\n"
           "  … and later:\n"
           "  process 0  …──── long ────┤\n"
           "  process 2  ┣━ dequeue 1 ━┫\n");
}

/* A label wider than the terminal is cut, never the drawing. */
static void long_labels_are_cut(void **unused)
{
    (void)unused;
    const struct terminal narrow = {.columns = 40};
    const struct timeline_item items[] = {
        {"0123456789012345678901234567890123456789", 0, 0, 1, true}};
    struct timeline timeline = {rows, 1, items, 1, "nemesis", NULL, 0};
    expect(&timeline, &narrow, "  process 0  |= 01234567890123456789 =|\n");
}

/* A wide character takes two columns. */
static void wide_characters_count_twice(void **unused)
{
    (void)unused;
    const struct timeline_item items[] = {{"漢", 0, 0, 1, true}, {"a", 0, 2, 3, true}};
    struct timeline timeline = {rows, 1, items, 2, "nemesis", NULL, 0};
    expect(&timeline, &unicode, "  process 0  ┣━ 漢 ━┫ ┣━ a ━┫\n");
}

#define MOST 12

/* Some operations with different labels "o0.", "o1.", ...; positions 0 .. 2 * count - 1, some ends
 * missing. Returns the number of rows. */
static size_t some_items(struct random *random, struct timeline_item *items, size_t count,
                         char labels[MOST][16])
{
    uint32_t positions = 0;
    size_t begun = 0, running[MOST], running_count = 0;
    while (begun < count || running_count > 0) {
        if (begun < count && (running_count == 0 || random_chance(random, 1, 2))) {
            snprintf(labels[begun], sizeof labels[begun], "o%zu.", begun);
            items[begun] = (struct timeline_item){.label = labels[begun],
                                                  .row = (uint32_t)begun,
                                                  .start = positions++,
                                                  .end = TIMELINE_OPEN,
                                                  .core = random_chance(random, 1, 2)};
            running[running_count++] = begun++;
        } else {
            size_t which = random_below(random, (uint32_t)running_count);
            if (!random_chance(random, 1, 8)) /* else it is pending for ever */
                items[running[which]].end = positions++;
            running[which] = running[--running_count];
        }
    }
    return count;
}

/* Where the item's interval begins and ends in a drawing of one block (ASCII). */
static void find_columns(const char *drawing, const struct timeline_item *item, size_t *start,
                         size_t *end)
{
    const char *label = strstr(drawing, item->label), *line = label, *left = label, *right = label;
    assert_non_null(label);
    while (line > drawing && line[-1] != '\n')
        line--;
    while (*left != '|')
        left--;
    while (*right != '|' && *right != '>')
        right++;
    assert_true(left >= line);
    *start = (size_t)(left - line);
    *end = *right == '|' ? (size_t)(right - line) : SIZE_MAX;
}

/* Every event has its column, and their order is that of the positions. */
static void expect_order(const char *drawing, const struct timeline_item *items, size_t count)
{
    size_t column_of[2 * MOST], events = 0;
    for (size_t i = 0; i < 2 * MOST; i++)
        column_of[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t start, end;
        find_columns(drawing, &items[i], &start, &end);
        column_of[items[i].start] = start;
        assert_int_equal(end == SIZE_MAX, items[i].end == TIMELINE_OPEN);
        if (items[i].end != TIMELINE_OPEN)
            column_of[items[i].end] = end;
    }
    while (events < 2 * MOST && column_of[events] != SIZE_MAX)
        events++;
    for (size_t i = 1; i < events; i++)
        assert_true(column_of[i - 1] < column_of[i]);
}

/* No line is wider than the terminal, and each operation is named in it. */
static void expect_fit(const char *drawing, unsigned columns, const struct timeline_item *items,
                       size_t count)
{
    for (const char *line = drawing; *line;) {
        size_t length = strcspn(line, "\n");
        assert_true(length <= columns);
        assert_true(length == 0 || line[length - 1] != ' ');
        line += length + 1;
    }
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(drawing, items[i].label));
}

static void any_operations_are_drawn_in_order(void **unused)
{
    (void)unused;
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f",
                                            "g", "h", "i", "j", "k", "l"};
    struct random random;
    random_seed(&random, 20261120);
    for (int round = 0; round < 3000; round++) {
        struct timeline_item items[MOST];
        char labels[MOST][16];
        size_t count = 1 + random_below(&random, MOST);
        struct timeline timeline = {
            names, some_items(&random, items, count, labels), items, count, "n", NULL, 0};
        const struct terminal wide = {.columns = 1000};
        const struct terminal narrow = {.columns = 40 + random_below(&random, 60)};
        struct text text = TEXT_EMPTY;
        timeline_draw(&timeline, &wide, 2, &text);
        expect_order(text_string(&text), items, count);
        text_clear(&text);
        timeline_draw(&timeline, &narrow, 2, &text);
        expect_fit(text_string(&text), narrow.columns, items, count);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_a_gap),
        cmocka_unit_test(overlap_is_staggered),
        cmocka_unit_test(an_outer_operation_stretches),
        cmocka_unit_test(pending_operations_are_open),
        cmocka_unit_test(notes_have_a_row),
        cmocka_unit_test(notes_are_cut_at_the_edge),
        cmocka_unit_test(wide_drawings_become_blocks),
        cmocka_unit_test(long_labels_are_cut),
        cmocka_unit_test(wide_characters_count_twice),
        cmocka_unit_test(any_operations_are_drawn_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
