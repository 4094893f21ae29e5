/* Where a proof fails, the check of certificates (unbounded/heap_certificate.h) finds by itself
 * what is wrong, and says it: of small programs with all the steps at which their operations could
 * take effect, look, or meet. The views that a proof has met until it fails are the beginning of a
 * certificate; a check that overlooked the failure would miss a view instead, and say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/text.h"
#include "support/heap_examples.h"
#include "support/heap_handed.h"
#include "support/heap_set_examples.h"

#define MOST_STEPS  24
#define MOST_SAID   5
#define MOST_MEMORY ((size_t)4 << 20) /* of one proof: with some points views grow without end */

/* What the check may say where a proof fails. */
static const char *const said[][MOST_SAID] = {
    [HEAP_FAULT] = {"an operation does what it must not do",
                    "an operation takes effect with an answer that is wrong",
                    "an operation takes effect with an answer that is open or wrong",
                    "an operation ends with an answer that it must not give",
                    "an operation takes effect nowhere, and does not only bring a value"},
    [HEAP_NO_EFFECT] = {"an operation answers something else than where it took effect",
                        "an operation that may be met ends without having taken effect",
                        "an operation answers what the specification does not"},
    [HEAP_SECOND_EFFECT] = {"an operation takes effect twice",
                            "an operation that may be met takes effect twice"},
    [HEAP_OTHER_ANSWER] = {"an operation answers something else than where it took effect",
                           "an operation that may be met ends without having taken effect",
                           "an operation answers what the specification does not"},
    [HEAP_OPEN_ANSWER] = {"where an operation takes effect it is open what it answers",
                          "an operation takes effect with an answer that is open or wrong"},
    [HEAP_WRONG_EMPTY] = {"an operation answers something else than where it took effect"},
    [HEAP_ACCEPTED] = {"an operation takes effect with an answer that is wrong",
                       "an operation that is met must not take effect there",
                       "an operation is called, or ends, where it must not"},
    [HEAP_NOT_MET] = {"an operation meets nobody", "who is met does not run, or has taken effect"},
};

struct tally {
    unsigned by_kind[HEAP_LIMIT + 1];
};

/* Runs a proof, and hands what it has met to the check. Whether it is a proof. */
static bool agree(struct heap_proof *proof, const char *observer, struct tally *tally,
                  const char *text)
{
    struct heap_checked checked;
    proof->budget->limit = proof->budget->used + MOST_MEMORY;
    const enum status status = heap_proof_run(proof);
    proof->budget->limit = 0;
    if (status == STATUS_LIMIT || proof->failure.kind == HEAP_LIMIT) { /* of memory */
        tally->by_kind[HEAP_LIMIT]++;
        proof->budget->refused = false;
        return false;
    }
    assert_int_equal(status, STATUS_OK);
    const struct heap_failure *failure = &proof->failure;
    const char *refusal = heap_handed_refusal(proof, proof->placement, UINT32_MAX, &checked);
    bool agrees =
        failure->kind == HEAP_PROVED ? !refusal : failure->kind == HEAP_TOO_LARGE && refusal;
    tally->by_kind[failure->kind]++;
    for (size_t i = 0; i < MOST_SAID && refusal && failure->kind < ARRAY_LENGTH(said); i++)
        agrees |= said[failure->kind][i] && strcmp(said[failure->kind][i], refusal) == 0;
    if (!agrees) {
        for (uint16_t i = 0; i < 3; i++)
            print_message("operation %u: changing %u, reading %u, meeting %u\n", i,
                          proof->placement->points[i].changing, proof->placement->points[i].reading,
                          proof->placement->points[i].meeting);
        fail_msg("%s: failure %d of operation %u at %u, but the check says: %s\n%s", observer,
                 (int)failure->kind, failure->operation, failure->at,
                 refusal ? refusal : "it is right", text);
    }
    return failure->kind == HEAP_PROVED;
}

/* ---- the steps of operations ---- */

/* The steps at which an operation changes something, and all of them; nowhere comes first. */
struct steps {
    uint32_t changing[MOST_STEPS], all[MOST_STEPS];
    uint32_t changes, count;
    bool given; /* some are */
};

/* Those that a proof without an observer has met. */
static void find_steps(const struct heap_proof *proof, uint16_t operation, struct steps *steps)
{
    *steps = (struct steps){.changes = 1, .count = 1};
    for (size_t i = 0; i < proof->candidates.length; i++) {
        const struct heap_candidate *candidate = &proof->candidates.items[i];
        if (candidate->operation != operation)
            continue;
        assert_true(steps->count < MOST_STEPS);
        steps->all[steps->count++] = candidate->at;
        if (candidate->changes)
            steps->changing[steps->changes++] = candidate->at;
        steps->given |= candidate->given;
    }
}

/* Calls `each` with placements in which one operation's point is elsewhere, in one respect; of the
 * steps that it may read at last every third. */
static void each_elsewhere(const struct steps *steps, uint16_t operations,
                           const struct heap_placement *found, bool takes,
                           void (*each)(void *user, const struct heap_placement *placement),
                           void *user)
{
    for (uint16_t o = 0; o < operations; o++) {
        struct heap_placement placement = *found;
        struct heap_point *point = &placement.points[o];
        for (uint32_t i = 0; i < steps[o].changes; i++) {
            *point = found->points[o];
            point->changing = steps[o].changing[i];
            if (point->changing != found->points[o].changing)
                each(user, &placement);
            *point = found->points[o];
            point->meeting = steps[o].changing[i];
            placement.meets = found->meets || point->meeting;
            if (takes && o > 0 && point->meeting != found->points[o].meeting)
                each(user, &placement);
            placement.meets = found->meets;
        }
        const uint32_t readings = takes && o > 0 ? steps[o].count : 0;
        for (uint32_t i = 0; i < readings; i += 3) {
            *point = found->points[o];
            point->reading = steps[o].all[i];
            if (point->reading != found->points[o].reading)
                each(user, &placement);
        }
        *point = (struct heap_point){.spans = true};
        if (takes && !found->meets)
            each(user, &placement);
        *point = found->points[o];
        point->given = !point->given;
        if (steps[o].given)
            each(user, &placement);
    }
}

/* ---- automata ---- */

struct looking {
    struct heap_example *subject;
    struct heap_set_example *set;
    struct tally *tally;
    const char *text;
};

/* Whether all observers have a proof with a placement. */
static bool agree_on_stack(const struct looking *looking, const struct heap_placement *placement)
{
    bool proved = true;
    looking->subject->answer.placement = *placement;
    for (size_t i = 0; i < heap_example_observers(looking->subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        heap_example_observe(looking->subject, i, &alphabet, &proof);
        proved &= agree(&proof, proof.watches ? "who is met" : alphabet.automaton->name,
                        looking->tally, looking->text);
        heap_proof_release(&proof);
    }
    return proved;
}

static void look_at_stack(void *user, const struct heap_placement *placement)
{
    (void)agree_on_stack(user, placement);
}

/* Of an operation 0 that brings values, and an operation 1 that takes them: whether there is a
 * proof with the placement that was found. */
static bool agree_on_stacks(const char *text, struct tally *tally)
{
    struct heap_example subject;
    struct looking looking = {.subject = &subject, .tally = tally, .text = text};
    struct heap_proof proof;
    struct steps steps[2];
    assert_true(heap_example_open(&subject, text, "stack", 0));
    heap_proof_init(&proof, &subject.system, &subject.answer.shape, NULL, NULL, &subject.budget,
                    &subject.limits, &subject.error);
    assert_int_equal(heap_proof_run(&proof), STATUS_OK);
    find_steps(&proof, 0, &steps[0]);
    find_steps(&proof, 1, &steps[1]);
    heap_proof_release(&proof);
    struct heap_placement placement = subject.answer.placement;
    const bool proved = agree_on_stack(&looking, &placement);
    each_elsewhere(steps, 2, &placement, true, look_at_stack, &looking);
    if (!proved) { /* as if pushes were met only where a pop changes something last */
        struct heap_point *pop = &placement.points[1];
        *pop = (struct heap_point){.reading = pop->reading,
                                   .meeting = steps[1].changing[steps[1].changes - 1]};
        placement.points[0].changing = 0;
        placement.meets = true;
        each_elsewhere(steps, 2, &placement, true, look_at_stack, &looking);
    }
    heap_example_close(&subject, true);
    return proved;
}

/* A stack with a lock; what is given stands in front of what a push locks; of a pop, in front of
 * it, behind it, where it has found nothing, and in front of its end. */
#define STACK(PUSH, FRONT, LOCKED, EMPTY, END)                                                     \
    "impl it { struct node { value item; node next; } shared node top; shared node side; "         \
    "shared bool l; op push(value v) { node n = new node; n.item = v; " PUSH " lock(l); "          \
    "node t = top; n.next = t; top = n; unlock(l); return ok; } op pop() { " FRONT                 \
    " lock(l); " LOCKED " node t = top; " EMPTY                                                    \
    " node x = t.next; top = x; value v = t.item; unlock(l); " END " return v; } }"
#define WHERE_EMPTY(THEN) "if (t == null) { unlock(l); " THEN " }"
#define OFTEN             "do { side = new node; } while (choose(0..1) == 0);"

/* Pushes write something twice, and take their offer back. */
#define TWICE                                                                                      \
    "impl it { struct offer { value item; } shared offer slot; shared bool noise; "                \
    "op push(value v) { offer mine = new offer; mine.item = v; for (int(0..2) i = 0; i < 2; i++) " \
    "{ bool k = noise; noise = !k; } cas(slot, null, mine); cas(slot, mine, null); return ok; } "  \
    "op pop() { offer o = slot; if (o == null) return empty; value v = o.item; "                   \
    "cas(slot, o, null); return v; } }"
/* The text of pushes that are met, and answer something. */
static void write_answering(const char *answer, struct text *text)
{
    static const char right[] = "return ok;";
    const char *meeting = heap_right[heap_right_count - 1].text, *at = strstr(meeting, right);
    assert_non_null(at);
    text_append_bytes(text, meeting, (size_t)(at - meeting));
    text_append(text, answer);
    text_append(text, at + strlen(right));
}

static void what_is_wrong_with_a_stack_is_found(void **unused)
{
    const struct {
        const char *text;
        bool right;
    } programs[] = {
        {STACK("", "", "", WHERE_EMPTY("return empty;"), ""), true},
        /* another variable is written, by a push often, and what is empty is looked at again */
        {STACK(OFTEN, "", "", WHERE_EMPTY("side = null; node y = top; return empty;"), ""), true},
        {STACK("", "side = new node;", "", WHERE_EMPTY("return empty;"), ""), true},
        {STACK("", "", "linearize;", WHERE_EMPTY("return empty;"), ""), true},
        {STACK("", "", "linearize; linearize;", WHERE_EMPTY("return empty;"), ""), true},
        {STACK("", "", "", WHERE_EMPTY("return empty;") " linearize;", ""), true},
        /* what it answers is open, or nothing that a stack does; it pops from what is empty */
        {STACK("", "", OFTEN, WHERE_EMPTY("return empty;"), "if (choose(0..1) == 0) return empty;"),
         false},
        {STACK("", "", "side = null;", WHERE_EMPTY("return false;"), ""), false},
        /* likewise, as others write */
        {STACK("side = new node;", "side = null;", "", WHERE_EMPTY("return empty;"),
               "node s = side; if (s == null) return empty;"),
         false},
        {STACK("", "", "", "", ""), false},
        {heap_right[heap_right_count - 1].text, true}, /* of meetings */
        {heap_wrong[1].text, false},                   /* who was met or not */
        {TWICE, false},
    };
    static const enum heap_failure_kind kinds[] = {
        HEAP_PROVED,      HEAP_FAULT,       HEAP_NO_EFFECT, HEAP_SECOND_EFFECT, HEAP_OTHER_ANSWER,
        HEAP_OPEN_ANSWER, HEAP_WRONG_EMPTY, HEAP_ACCEPTED,  HEAP_NOT_MET};
    struct tally tally = {0};
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++)
        if (agree_on_stacks(programs[i].text, &tally) != programs[i].right)
            fail_msg("%s%s", programs[i].right ? "" : "proved: ", programs[i].text);
    struct text answering = TEXT_EMPTY;
    write_answering("return false;", &answering);
    assert_false(agree_on_stacks(text_string(&answering), &tally));
    text_release(&answering);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        assert_true(tally.by_kind[kinds[i]] > 0);
}

/* ---- specifications ---- */

#define BITS(ADD)                                                                                  \
    "impl bits { struct node { int(0..1) unused; } shared node side; shared bool l; "              \
    "shared int(0..1) bag[3]; op add(int(1..2) k) { " ADD " lock(l); bool there = bag[k] == 1; "   \
    "if (!there) bag[k] = 1; unlock(l); return !there; } op remove(int(1..2) k) { lock(l); "       \
    "bool there = bag[k] == 1; if (there) bag[k] = 0; side = null; unlock(l); return there; } "    \
    "op contains(int(1..2) k) { side = null; lock(l); bool there = bag[k] == 1; unlock(l); "       \
    "return there; } }"

/* A set to which what is there cannot be added. */
static const struct heap_specification *set;

static bool run_strictly(void *user, uint32_t state, uint16_t operation, uint8_t argument,
                         uint32_t *next, uint8_t *answer)
{
    const bool ran = set->run(user, state, operation, argument, next, answer);
    if (operation == 0 && *next == state)
        *answer = HEAP_IMPOSSIBLE;
    return ran;
}

static bool agree_on_key(const struct looking *looking, uint32_t key, bool strictly)
{
    struct heap_proof proof;
    struct heap_specification specification;
    heap_set_example_observe(looking->set, key, &proof);
    set = proof.specification;
    specification = *set;
    specification.run = strictly ? run_strictly : set->run;
    proof.specification = &specification;
    const bool proved = agree(&proof, "a set", looking->tally, looking->text);
    heap_proof_release(&proof);
    return proved;
}

/* Some of the views of a proof are left out, each alone. */
static void leave_out_views(const struct looking *looking, uint32_t key)
{
    struct heap_proof proof;
    struct heap_checked checked;
    heap_set_example_observe(looking->set, key, &proof);
    assert_int_equal(heap_proof_run(&proof), STATUS_OK);
    for (uint32_t i = 0; i < proof.views.items.length; i += 5)
        assert_non_null(heap_handed_refusal(&proof, proof.placement, i, &checked));
    heap_proof_release(&proof);
}

static void look_at_set(void *user, const struct heap_placement *placement)
{
    const struct looking *looking = user;
    looking->set->answer.placement = *placement;
    (void)agree_on_key(looking, 0, false);
    (void)agree_on_key(looking, 1, true);
}

static void agree_on_set(const char *text, struct tally *tally)
{
    struct heap_set_example subject;
    struct looking looking = {.set = &subject, .tally = tally, .text = text};
    struct heap_proof proof;
    struct steps steps[3];
    assert_true(heap_set_example_open(&subject, text, 0));
    assert_int_equal(subject.answer.kind, HEAP_PROVED);
    heap_proof_init(&proof, &subject.system, &subject.answer.shape, NULL, NULL, &subject.budget,
                    &subject.limits, &subject.error);
    assert_int_equal(heap_proof_run(&proof), STATUS_OK);
    for (uint16_t i = 0; i < ARRAY_LENGTH(steps); i++)
        find_steps(&proof, i, &steps[i]);
    heap_proof_release(&proof);
    const struct heap_placement found = subject.answer.placement;
    assert_true(agree_on_key(&looking, 0, false));
    assert_false(agree_on_key(&looking, 0, true));
    leave_out_views(&looking, 1);
    each_elsewhere(steps, ARRAY_LENGTH(steps), &found, false, look_at_set, &looking);
    heap_set_example_close(&subject, true);
}

static void what_is_wrong_with_a_set_is_found(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    agree_on_set(BITS(""), &tally);
    agree_on_set(BITS(OFTEN), &tally);
    assert_true(tally.by_kind[HEAP_PROVED] > 0 && tally.by_kind[HEAP_NO_EFFECT] > 0 &&
                tally.by_kind[HEAP_SECOND_EFFECT] > 0 && tally.by_kind[HEAP_OTHER_ANSWER] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_with_a_stack_is_found),
        cmocka_unit_test(what_is_wrong_with_a_set_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
