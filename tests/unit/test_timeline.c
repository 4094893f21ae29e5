/* The timeline: what it draws, character by character. The columns follow from the rules in
 * report/timeline.c: an event stands one column right of the one before, two if it begins an
 * operation after an end, and an end where the label has room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_a_gap),
        cmocka_unit_test(overlap_is_staggered),
        cmocka_unit_test(an_outer_operation_stretches),
        cmocka_unit_test(pending_operations_are_open),
        cmocka_unit_test(notes_have_a_row),
        cmocka_unit_test(wide_drawings_become_blocks),
        cmocka_unit_test(long_labels_are_cut),
        cmocka_unit_test(wide_characters_count_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
