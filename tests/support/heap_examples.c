#include "support/heap_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "spec/rule_object.h"
#include "unbounded/heap_marks.h"
#include "unbounded/heap_spans.h"

static void keep_for_prefixes(struct violation_automata *automata)
{
    size_t kept = 0;
    for (size_t i = 0; i < automata->count; i++)
        if (automata->items[i].for_prefixes)
            automata->items[kept++] = automata->items[i];
    automata->count = kept;
}

enum status heap_example_prove(struct heap_example *subject, uint64_t last_deadline)
{
    const struct heap_points points = {.system = &subject->system,
                                       .object = subject->automata.object,
                                       .automata = &subject->automata,
                                       .budget = &subject->budget,
                                       .arena = &subject->arena,
                                       .limits = &subject->limits,
                                       .last_deadline = last_deadline,
                                       .by_calls = subject->by_calls,
                                       .error = &subject->error};
    return heap_points_find(&points, &subject->answer);
}

bool heap_example_read(struct heap_example *subject, const char *text, const char *specification)
{
    return heap_example_read_values(subject, text, specification, VIOLATION_COLOURS);
}

bool heap_example_read_values(struct heap_example *subject, const char *text,
                              const char *specification, uint32_t values)
{
    const struct lin_setting setting = {.threads = 1,
                                        .operations = -1,
                                        .values = values,
                                        .nodes = HEAP_MOST_NODES,
                                        .unbounded = true,
                                        .keeps = true,
                                        .notes_points = true};
    memset(subject, 0, sizeof *subject);
    if (!lin_compiled_open(&subject->compiled, text, UINT32_MAX, setting, NULL))
        return false;
    budget_init(&subject->budget, NULL, (size_t)1 << 30);
    limits_init(&subject->limits, &subject->budget);
    arena_init(&subject->arena, &subject->budget);
    const enum status created =
        thread_system_create(&subject->system, &subject->compiled.alone, subject->compiled.labels,
                             &subject->compiled.fixture.limits, &subject->error);
    if (created == STATUS_INPUT) { /* its `init` goes wrong */
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
        return false;
    }
    assert_int_equal(created, STATUS_OK);
    assert_int_equal(
        violation_automata_of(specification, &subject->arena, &subject->automata, &subject->error),
        STATUS_OK);
    keep_for_prefixes(&subject->automata);
    assert_int_equal(method_roles_find(subject->system.steps->object, subject->automata.object,
                                       &subject->arena, &subject->roles, &subject->error),
                     STATUS_OK);
    assert_null(heap_shape_make(subject->system.steps, &subject->answer.shape));
    subject->runs =
        (struct heap_subject){&subject->system, &subject->answer.shape, false, 0, false};
    return true;
}

static bool open_example(struct heap_example *subject, const char *text, const char *specification,
                         unsigned seconds, bool by_calls)
{
    if (!heap_example_read(subject, text, specification))
        return false;
    subject->by_calls = by_calls;
    if (seconds > 0)
        subject->limits.deadline = clock_nanoseconds() + seconds * UINT64_C(1000000000);
    const enum status status = heap_example_prove(subject, subject->limits.deadline);
    if (status == STATUS_LIMIT && seconds > 0)
        subject->answer.kind = HEAP_LIMIT;
    else
        assert_int_equal(status, STATUS_OK);
    subject->limits.deadline = 0;
    if (subject->answer.kind != HEAP_PROVED)
        assert_null(heap_shape_make(subject->system.steps, &subject->answer.shape));
    return true;
}

bool heap_example_open(struct heap_example *subject, const char *text, const char *specification,
                       unsigned seconds)
{
    return open_example(subject, text, specification, seconds, false);
}

bool heap_example_open_by_calls(struct heap_example *subject, const char *text,
                                const char *specification, unsigned seconds)
{
    return open_example(subject, text, specification, seconds, true);
}

size_t heap_example_observers(const struct heap_example *subject)
{
    if (subject->answer.placement.moments)
        return 1;
    return subject->automata.count + subject->answer.placement.meets;
}

void heap_example_observe(struct heap_example *subject, size_t observer, struct alphabet *alphabet,
                          struct heap_proof *proof)
{
    const bool watches = subject->answer.placement.moments || observer == subject->automata.count;
    assert_int_equal(alphabet_make(&subject->automata.items[watches ? 0 : observer],
                                   &subject->roles, true, &subject->arena, alphabet),
                     STATUS_OK);
    if (watches)
        alphabet->colours = HEAP_WATCH_COLOURS;
    bool settles = false;
    for (uint32_t i = 0; i < HEAP_MOST_OPERATIONS; i++)
        settles |= subject->answer.placement.points[i].settles;
    const enum heap_way way = settles ? heap_way_of(alphabet) : HEAP_WAY_SETTLED;
    struct heap_shape shape = subject->answer.shape;
    for (uint32_t i = 0; i < HEAP_MOST_OPERATIONS && way == HEAP_WAY_SETTLED; i++)
        if (subject->answer.placement.points[i].spans)
            assert_int_equal(heap_span_alphabet(alphabet, &subject->arena), STATUS_OK);
    if (way == HEAP_WAY_COVER || way == HEAP_WAY_LOWEST) {
        alphabet->colours = 1u << HEAP_VALUE_PLAIN;
        shape.marks = way == HEAP_WAY_COVER ? HEAP_MARKS_COVER : HEAP_MARKS_LOWEST;
        assert_null(heap_marks_provide(&shape));
    }
    heap_proof_init(proof, &subject->system, &shape, alphabet, &subject->answer.placement,
                    &subject->budget, &subject->limits, &subject->error);
    if (watches)
        heap_proof_watch(proof);
}

void heap_example_close(struct heap_example *subject, bool opened)
{
    if (opened) {
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
    }
    lin_compiled_close(&subject->compiled);
}

/* ---- programs ---- */

#define NODE "struct node { value item; node next; } "
#define PUSH                                                                                       \
    "op push(value v) { node n = new node; n.item = v; node t;\n do { t = top;\n n.next = t;\n } " \
    "while (!cas(top, t, n));\n return ok; } "
#define POP                                                                                        \
    "op pop() { while (true) { node t = top;\n if (t == null) return empty;\n node x = t.next;\n " \
    "if (cas(top, t, x)) return t.item;\n } }"
#define STACK "impl it { " NODE "shared node top; "

#define QUEUE                                                                                      \
    "impl it { " NODE "shared node head; shared node tail; init { head = new node; tail = head; }"
#define ENQUEUE                                                                                    \
    "op enqueue(value v) { node n = new node; n.item = v;\n while (true) { node t = tail;\n"       \
    "node x = t.next;\n if (t == tail) { if (x == null) {\n if (cas(t.next, null, n)) {\n"         \
    "cas(tail, t, n);\n return ok; } } else {\n cas(tail, t, x);\n } } } } "
#define DEQUEUE                                                                                    \
    "op dequeue() { while (true) { node h = head;\n node t = tail;\n node x = h.next;\n"           \
    "if (h == head) { if (h == t) { if (x == null) return empty;\n cas(tail, t, x);\n"             \
    "} else { value v = x.item;\n if (cas(head, h, x)) return v;\n } } } }"
#define ENQUEUE_GIVEN                                                                              \
    "op enqueue(value v) { node n = new node; n.item = v;\n while (true) { node t = tail;\n"       \
    "node x = t.next;\n if (t == tail) { if (x == null) {\n if (cas(t.next, null, n)) {\n"         \
    "linearize ok;\n cas(tail, t, n);\n return ok; } } else {\n cas(tail, t, x);\n } } } } "
#define DEQUEUE_GIVEN                                                                              \
    "op dequeue() { while (true) { node h = head;\n node t = tail;\n node x = h.next;\n"           \
    "if (x == null) {\n linearize empty;\n return empty; }\n if (h == head) { if (h == t) {\n"     \
    "cas(tail, t, x);\n } else { value v = x.item;\n if (cas(head, h, x)) {\n linearize v;\n"      \
    "return v; }\n } } } }"
#define DEQUEUE_TAIL_LAST                                                                          \
    "op dequeue() { while (true) { node h = head;\n node x = h.next;\n if (h == head) {"           \
    "if (x == null) return empty;\n value v = x.item;\n if (cas(head, h, x)) { node t = tail;\n"   \
    "if (h == t) cas(tail, t, x);\n return v; }\n } } }"

/* A register whose value is in a node that is never written again. */
#define BOXED(WRITE, READ)                                                                         \
    "impl it { struct box { value v; } shared box b; op write(value v) { box x = new box; "        \
    "x.v = v;\n " WRITE "\n return ok; } op read() { " READ                                        \
    "\n if (x == null) return empty;\n return x.v; } }"

#define TWO_LOCKS                                                                                  \
    "impl it { " NODE "shared node head; shared node tail; shared bool l; shared bool m; "         \
    "init { head = new node; tail = head; }"
#define ENQUEUE_LOCKED                                                                             \
    "op enqueue(value v) { node n = new node; n.item = v;\n lock(m);\n node t = tail;\n"           \
    "t.next = n;\n tail = n;\n unlock(m);\n return ok; } "
#define DEQUEUE_LOCKED                                                                             \
    "op dequeue() { lock(l);\n node h = head;\n node x = h.next;\n if (x == null) { unlock(l);\n"  \
    "return empty; } value v = x.item;\n head = x;\n unlock(l);\n return v; }"

/* A stack, whatever its operations are called. */
#define STACK_LOCKED(ADD, TAKE)                                                                    \
    "impl it { " NODE "shared node top; shared bool l; "                                           \
    "op " ADD "(value v) { node n = new node; n.item = v;\n lock(l);\n node t = top;\n"            \
    "n.next = t;\n top = n;\n unlock(l);\n return ok; } "                                          \
    "op " TAKE "() { lock(l);\n node t = top;\n if (t == null) { unlock(l); return empty; }\n"     \
    "node x = t.next;\n top = x;\n value v = t.item;\n unlock(l);\n return v; } }"

#define OFFER "struct offer { value item; } shared offer slot; "
/* A push waits until its offer is taken. */
#define MEETING                                                                                    \
    "impl it { " OFFER "op push(value v) { offer mine = new offer; mine.item = v;\n"               \
    "while (!cas(slot, null, mine)) { }\n while (slot == mine) { }\n return ok; } "                \
    "op pop() { while (true) { offer o = slot;\n if (o != null) { value v = o.item;\n"             \
    "if (cas(slot, o, null)) return v;\n } } } }"
#define ELIMINATION                                                                                \
    STACK OFFER                                                                                    \
        "op push(value v) { node n = new node; n.item = v; offer mine = new offer;\n"              \
        "mine.item = v;\n while (true) { if (choose(0..1) == 0) { node t = top;\n n.next = t;\n"   \
        "if (cas(top, t, n)) return ok;\n } else if (cas(slot, null, mine)) {\n"                   \
        "if (!cas(slot, mine, null)) return ok;\n } } } "                                          \
        "op pop() { while (true) { if (choose(0..1) == 0) { node t = top;\n"                       \
        "if (t == null) return empty;\n node x = t.next;\n if (cas(top, t, x)) return t.item;\n"   \
        "} else { offer o = slot;\n if (o != null) { value v = o.item;\n"                          \
        "if (cas(slot, o, null)) return v;\n } } } } }"

/* A push offers its value, and does what `P` says then; a pop that found an offer does what `Q`
 * says.
 */
#define WRONG_MEETING(P, Q)                                                                        \
    "impl it { " OFFER "op push(value v) { offer mine = new offer; mine.item = v;\n"               \
    "while (!cas(slot, null, mine)) { }\n " P "\n return ok; } "                                   \
    "op pop() { while (true) { offer o = slot;\n if (o == null) return empty;\n "                  \
    "value v = o.item;\n " Q " return v;\n } } }"

/* A push that was met pushes all the same. */
#define PUSHES_TWICE                                                                               \
    STACK OFFER "op push(value v) { node n = new node; n.item = v; offer mine = new offer;\n"      \
                "mine.item = v;\n cas(slot, null, mine);\n cas(slot, mine, null);\n node t;\n do " \
                "{ t = top;\n"                                                                     \
                "n.next = t;\n } while (!cas(top, t, n));\n return ok; } "                         \
                "op pop() { offer o = slot;\n if (o != null) { value v = o.item;\n"                \
                "if (cas(slot, o, null)) return v;\n } while (true) { node t = top;\n"             \
                "if (t == null) return empty;\n node x = t.next;\n if (cas(top, t, x)) return "    \
                "t.item;\n } } }"

/* Whoever dequeues puts in what is announced at two places, in an order of its own. */
#define COLLECTED(REST)                                                                            \
    QUEUE "shared node first; shared node second; op enqueue(value v) { node n = new node; "       \
          "n.item = v;\n if (choose(0..1) == 0) {\n while (!cas(first, null, n)) { }\n "           \
          "while (first == n) { }\n } else {\n while (!cas(second, null, n)) { }\n " REST " }\n "  \
          "return ok; } op dequeue() { node x; value v;\n atomic {\n "                             \
          "if (first != null) { tail.next = first; tail = first; first = null; }\n "               \
          "if (second != null) { tail.next = second; tail = second; second = null; }\n "           \
          "x = head.next;\n if (x != null) { head = x; v = x.item; }\n }\n "                       \
          "if (x == null) return empty;\n return v; } }"

const struct heap_program heap_elimination = {ELIMINATION, "stack", true};

const struct heap_program heap_right[] = {
    {STACK PUSH POP " }", "stack", false},
    {QUEUE ENQUEUE_GIVEN DEQUEUE_GIVEN " }", "queue", false},
    {QUEUE ENQUEUE DEQUEUE_TAIL_LAST " }", "queue", false},
    {TWO_LOCKS ENQUEUE_LOCKED DEQUEUE_LOCKED " }", "queue", false},
    {BOXED("b = x;", "box x = b;"), "register", false},
    {COLLECTED("while (second == n) { }\n"), "queue", false},
    {STACK_LOCKED("push", "pop"), "stack", false}, /* whose sets are small */
    {MEETING, "stack", false},
};

const size_t heap_right_count = ARRAY_LENGTH(heap_right);

const struct heap_program heap_wrong[] = {
    {PUSHES_TWICE, "stack", false},
    /* withdrawn, and answered; taken by two; offered twice */
    {WRONG_MEETING("cas(slot, mine, null);", "if (cas(slot, o, null))"), "stack", false},
    {WRONG_MEETING("while (slot == mine) { }", "slot = null;"), "stack", false},
    {WRONG_MEETING("while (slot == mine) { }\n while (!cas(slot, null, mine)) { }",
                   "if (cas(slot, o, null))"),
     "stack", false},
    /* a value that is read again; one that is there before it is written */
    {BOXED("b = x;", "box x = b;\n if (x != null) { box y = b;\n if (y != x) x = null; }"),
     "register", false},
    {BOXED("x.v = null;\n b = x;\n x.v = v;", "box x = b;"), "register", false},
    {STACK "op push(value v) { node n = new node; n.item = v; node t = top; n.next = t; top = n; "
           "return ok; } " POP " }",
     "stack", false},
    {STACK PUSH "op pop() { node t = top; if (t == null) return empty; node x = t.next; top = x; "
                "return t.item; } }",
     "stack", false},
    {STACK PUSH "op pop() { while (true) { node t = top; if (t == null) return empty; "
                "if (cas(top, t, null)) return t.item; } } }",
     "stack", false},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; } while "
           "(!cas(top, t, n)); n.next = t; return ok; } " POP " }",
     "stack", true},
    {QUEUE ENQUEUE "op dequeue() { while (true) { node h = head; node x = h.next; if (x == null) "
                   "return empty; value v = h.item; if (cas(head, h, x)) return v; } } }",
     "queue", false},
    {QUEUE ENQUEUE "op dequeue() { node h = head; node x = h.next; if (x == null) return empty; "
                   "value v = x.item; head = x; return v; } }",
     "queue", true},
    {TWO_LOCKS ENQUEUE_LOCKED
     "op dequeue() { node h = head; lock(l); node x = h.next; if (x == null) { unlock(l); return "
     "empty; } value v = x.item; head = x; unlock(l); return v; } }",
     "queue", true},
    {TWO_LOCKS "op enqueue(value v) { node n = new node; n.item = v; node t = tail; lock(m); "
               "t.next = n; tail = n; unlock(m); return ok; }" DEQUEUE_LOCKED " }",
     "queue", false},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; n.next = t; } "
           "while (!cas(top, t, n)); return ok; } op pop() { node t = top; if (t == null) return "
           "empty; while (true) { t = top; if (t == null) return empty; if (t.next == null) { if "
           "(cas(top, t, null)) return t.item; } else { node x = t.next; node y = x.next; if "
           "(cas(t.next, x, y)) return x.item; } } } }",
     "stack", false},
    {COLLECTED(""), "queue", true},                       /* it does not wait until it is put in */
    {STACK_LOCKED("enqueue", "dequeue"), "queue", false}, /* likewise */
};

const size_t heap_wrong_count = ARRAY_LENGTH(heap_wrong);
