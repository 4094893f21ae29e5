/* Sequences are nodes of a tree, as in serial_histories.h; but it grows where the search looks, a
 * call at a time. A call has one answer in a sequence: code that has another one when the sequence
 * is run again, as the beginning of a longer one, is found unsteady. */
#include "scenario/asked_alone.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "scenario/asked.h"
#include "scenario/conversation.h"

const char asked_alone_summary[] = "the code, one operation after the other";

enum {
    ROOT = 0,
    NOWHERE = 0,         /* nothing leads back to the root */
    MOST_NODES = 1 << 20 /* that are kept from one round to the next */
};

const char asked_alone_waits[] = "waits: ";

struct node {
    uint32_t parent, first, next; /* of its children; of those of its parent */
    uint32_t before;              /* the same sequence before the last asked_alone_forget */
    struct exchange_alone_call call;
    int64_t result;
    bool waits; /* the call does not return: nothing follows */
};

struct asked_alone {
    struct spec_class class;
    struct spec_operation operations[2 * SCENARIO_OPERATIONS];
    char names[2 * SCENARIO_OPERATIONS][EXCHANGE_NAME + sizeof asked_alone_waits];
    const struct exchange_test *test;
    unsigned threads;

    pthread_mutex_t lock; /* of what follows */
    struct conversation *conversation;
    const struct limits *limits;
    const value *processes;
    size_t process_count;
    enum asked_alone_trouble trouble;
    char sentence[2 * EXCHANGE_SENTENCE];
    VECTOR(struct node) nodes;
    VECTOR(struct node) before; /* those that were forgotten */
    bool anew;                  /* nothing has been asked since */
};

/* ---- sequences ---- */

static unsigned depth_of(const struct asked_alone *asked, uint32_t node)
{
    unsigned depth = 0;
    for (; node != ROOT; node = asked->nodes.items[node].parent)
        depth++;
    return depth;
}

static uint32_t find_child(const struct node *nodes, uint32_t parent,
                           const struct exchange_alone_call *call)
{
    uint32_t child = nodes[parent].first;
    while (child != NOWHERE && memcmp(&nodes[child].call, call, sizeof *call) != 0)
        child = nodes[child].next;
    return child;
}

/* Where nothing is found it is NOWHERE. */
static uint32_t find_before(const struct asked_alone *asked, uint32_t parent,
                            const struct exchange_alone_call *call)
{
    uint32_t before = asked->nodes.items[parent].before;
    if (asked->before.length == 0 || (parent != ROOT && before == NOWHERE))
        return NOWHERE;
    return find_child(asked->before.items, before, call);
}

/* NOWHERE when refused. */
static uint32_t add_child(struct asked_alone *asked, uint32_t parent,
                          const struct exchange_alone_call *call, int64_t result, bool waits)
{
    struct node made = {.parent = parent,
                        .next = asked->nodes.items[parent].first,
                        .before = find_before(asked, parent, call),
                        .call = *call,
                        .result = result,
                        .waits = waits};
    uint32_t child = (uint32_t)asked->nodes.length;
    if (asked->nodes.length == UINT32_MAX || !vector_push(&asked->nodes, made))
        return NOWHERE;
    asked->nodes.items[parent].first = child;
    return child;
}

/* ---- what goes wrong ---- */

static void append_call(const struct asked_alone *asked, const struct exchange_alone_call *call,
                        struct text *text)
{
    const struct exchange_operation *operation = &asked->test->operations[call->operation];
    text_append(text, operation->name);
    if (operation->takes_two || operation->from || operation->to)
        text_format(text, " %lld", (long long)call->argument);
    if (operation->takes_two)
        text_format(text, " %lld", (long long)call->second);
    if (operation->takes_three)
        text_format(text, " %lld", (long long)call->third);
}

/* Keeps the first trouble: "one operation after the other, push 1 (process 0), pop (process 1): "
 * and what happens. */
static void keep_trouble(struct asked_alone *asked, enum asked_alone_trouble trouble,
                         const struct exchange_alone_call *calls, size_t count, const char *what)
{
    struct text text = TEXT_EMPTY;
    if (asked->trouble != ALONE_FINE)
        return;
    text_append(&text, "one operation after the other, ");
    for (size_t i = 0; i < count; i++) {
        text_append(&text, i ? ", " : "");
        append_call(asked, &calls[i], &text);
        text_format(&text, " (process %u)", calls[i].thread);
    }
    text_format(&text, ": %s", what);
    asked->trouble = trouble;
    snprintf(asked->sentence, sizeof asked->sentence, "%s", text_string(&text));
    text_release(&text);
}

static void keep_crash(struct asked_alone *asked, const struct exchange_alone_call *calls,
                       size_t count, int status)
{
    char what[EXCHANGE_SENTENCE];
    if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "the code was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "the code ended the process with status %d",
                 WEXITSTATUS(status));
    keep_trouble(asked, ALONE_FAULTY, calls, count, what);
}

static void lose_program(struct asked_alone *asked)
{
    const char *how = conversation_close(asked->conversation);
    asked->conversation = NULL;
    if (asked->trouble != ALONE_FINE)
        return;
    asked->trouble = ALONE_NO_ANSWER;
    snprintf(asked->sentence, sizeof asked->sentence,
             "the program that is asked what operations answer one after the other %s",
             how ? how : "does not answer");
}

/* ---- asking; the lock is held ---- */

static bool ask(struct asked_alone *asked, const struct exchange_alone_call *calls, unsigned count,
                struct exchange_alone_answer *answer, int64_t *results)
{
    const struct exchange_alone head = {
        .threads = asked->threads, .count = count, .anew = asked->anew};
    if (asked->trouble != ALONE_FINE || !asked->conversation)
        return false;
    asked->anew = false;
    if (conversation_send(asked->conversation, &head, sizeof head) &&
        conversation_send(asked->conversation, calls, count * sizeof *calls) &&
        conversation_receive(asked->conversation, answer, sizeof *answer) &&
        answer->answered <= count &&
        (answer->answered == 0 ||
         conversation_receive(asked->conversation, results, answer->answered * sizeof *results)))
        return true;
    lose_program(asked);
    return false;
}

static const char unsteady[] = "the last one answers otherwise when it is run again";

/* The same calls have the same answers. */
static bool is_steady(struct asked_alone *asked, uint32_t parent, unsigned depth,
                      const struct exchange_alone_call *calls,
                      const struct exchange_alone_answer *answer, const int64_t *results)
{
    bool steady = answer->answered >= depth;
    unsigned at = answer->answered < depth ? answer->answered : depth;
    for (uint32_t node = parent; node != ROOT; node = asked->nodes.items[node].parent) {
        depth--;
        if (depth < answer->answered && results[depth] != asked->nodes.items[node].result) {
            steady = false;
            at = depth;
        }
    }
    if (!steady)
        keep_trouble(asked, ALONE_UNSTEADY, calls, at + 1, unsteady);
    return steady;
}

static bool is_as_before(const struct asked_alone *asked, uint32_t child)
{
    const struct node *now = &asked->nodes.items[child];
    const struct node *before = &asked->before.items[now->before];
    return now->before == NOWHERE || (now->waits == before->waits && now->result == before->result);
}

/* What follows a sequence when a call is made: NOWHERE when that cannot be said. */
static uint32_t extend(struct asked_alone *asked, uint32_t parent,
                       const struct exchange_alone_call *call)
{
    struct exchange_alone_call calls[SCENARIO_CALLS];
    struct exchange_alone_answer answer;
    int64_t results[SCENARIO_CALLS];
    unsigned depth = depth_of(asked, parent), count = depth + 1;
    if (count > SCENARIO_CALLS || (asked->limits && limits_reached(asked->limits) != LIMIT_NONE))
        return NOWHERE;
    calls[depth] = *call;
    for (uint32_t node = parent, i = depth; node != ROOT; node = asked->nodes.items[node].parent)
        calls[--i] = asked->nodes.items[node].call;
    if (!ask(asked, calls, count, &answer, results))
        return NOWHERE;
    if (answer.end == ALONE_CRASHED)
        keep_crash(asked, calls, answer.answered + 1, answer.status);
    else if (answer.end == ALONE_THREADS)
        keep_trouble(
            asked, ALONE_UNSTEADY, calls, answer.answered,
            "threads go on behind it, and what is answered may depend on how far they are");
    if (asked->trouble != ALONE_FINE || !is_steady(asked, parent, depth, calls, &answer, results))
        return NOWHERE;
    bool waits = answer.end == ALONE_WAITS;
    uint32_t child = add_child(asked, parent, call, waits ? 0 : results[depth], waits);
    if (child != NOWHERE && !is_as_before(asked, child)) {
        keep_trouble(asked, ALONE_UNSTEADY, calls, count, unsteady);
        return NOWHERE;
    }
    return child;
}

/* ---- the specification ---- */

static bool init(const struct spec *spec, value key, struct outcomes *state)
{
    const uint64_t root = ROOT;
    (void)spec;
    (void)key;
    return outcomes_add(state, &root, 1, VALUE_NIL);
}

static unsigned thread_of(const struct asked_alone *asked, uint32_t process)
{
    int64_t number = 0;
    bool known = process < asked->process_count &&
                 value_get_integer(asked->processes[process], &number) && number >= 0;
    assert(known);
    return known ? (unsigned)((uint64_t)number % asked->threads) : 0;
}

static struct exchange_alone_call call_of(const struct asked_alone *asked, const struct call *call)
{
    struct exchange_alone_call made;
    struct exchange_step step = asked_step(call);
    memset(&made, 0, sizeof made); /* calls are compared byte by byte */
    made.thread = thread_of(asked, call->process);
    made.operation = step.operation % asked->test->operation_count;
    made.argument = step.argument;
    made.second = step.second;
    made.third = step.third;
    return made;
}

/* Whether an operation of which the tree has the node may wait there. */
static bool may_wait(const struct asked_alone *asked, const struct node *node)
{
    bool flagged = asked->test->operations[node->call.operation].flags & EXCHANGE_MAY_WAIT;
    return node->waits ||
           (flagged && (node->result == SCENARIO_EMPTY || node->result == SCENARIO_NO));
}

static bool take_outcome(const struct asked_alone *asked, const struct spec *spec, uint64_t parent,
                         uint64_t child, const struct call *call, struct outcomes *outcomes)
{
    const struct node *node = &asked->nodes.items[child];
    if (call->operation >= asked->test->operation_count)
        return !may_wait(asked, node) || outcomes_add(outcomes, &parent, 1, VALUE_NIL);
    if (node->waits)
        return true;
    value answer = asked_answer(spec->pool, node->result);
    if (answer == VALUE_REFUSED)
        return false;
    return (call->result_known && call->result != answer) ||
           outcomes_add(outcomes, &child, 1, answer);
}

static bool step(const struct spec *spec, const uint64_t *words, size_t length,
                 const struct call *call, struct outcomes *outcomes)
{
    struct asked_alone *asked = spec->data;
    uint32_t here = (uint32_t)words[0];
    (void)length;
    pthread_mutex_lock(&asked->lock);
    const struct exchange_alone_call made = call_of(asked, call);
    uint32_t child = find_child(asked->nodes.items, here, &made);
    if (child == NOWHERE)
        child = extend(asked, here, &made);
    bool done = child != NOWHERE && take_outcome(asked, spec, here, child, call, outcomes);
    pthread_mutex_unlock(&asked->lock);
    return done;
}

/* Whether an earlier child of the node says the same: another thread's. */
static bool is_said(const struct asked_alone *asked, uint32_t here, uint32_t until)
{
    const struct node *nodes = asked->nodes.items, *last = &nodes[until];
    for (uint32_t child = nodes[here].first; child != until; child = nodes[child].next) {
        struct exchange_alone_call call = nodes[child].call;
        call.thread = last->call.thread;
        if (memcmp(&call, &last->call, sizeof call) == 0 && nodes[child].waits == last->waits &&
            nodes[child].result == last->result)
            return true;
    }
    return false;
}

/* What is known of the calls that may come next. */
static void print_state(const struct spec *spec, const uint64_t *words, size_t length,
                        struct text *text)
{
    const struct asked_alone *asked = spec->data;
    const struct node *nodes = asked->nodes.items;
    const char *before = "alone ";
    (void)length;
    for (uint32_t child = nodes[words[0]].first; child != NOWHERE; child = nodes[child].next) {
        if (is_said(asked, (uint32_t)words[0], child))
            continue;
        text_append(text, before);
        append_call(asked, &nodes[child].call, text);
        text_append(text, nodes[child].waits ? " waits" : " → ");
        if (!nodes[child].waits)
            scenario_print_result(nodes[child].result, text);
        before = ", ";
    }
}

/* ---- beginning and end ---- */

static void release(struct asked_alone *asked)
{
    if (asked->conversation)
        (void)conversation_close(asked->conversation);
    pthread_mutex_destroy(&asked->lock);
    vector_release(&asked->nodes);
    vector_release(&asked->before);
    free(asked);
}

static void destroy(struct spec *spec)
{
    release(spec->data);
}

static void describe(struct asked_alone *asked)
{
    uint32_t count = asked->test->operation_count;
    asked->class = (struct spec_class){.name = "auto",
                                       .summary = asked_alone_summary,
                                       .operations = asked->operations,
                                       .operation_count = (size_t)2 * count,
                                       .tells_callers = true,
                                       .destroy = destroy,
                                       .init = init,
                                       .step = step,
                                       .shows_answers = true,
                                       .print_state = print_state};
    for (uint32_t i = 0; i < 2 * count; i++) {
        const struct exchange_operation *operation = &asked->test->operations[i % count];
        snprintf(asked->names[i], sizeof asked->names[i], "%s%s",
                 i < count ? "" : asked_alone_waits, operation->name);
        asked->operations[i] = asked_operation(operation, asked->names[i]);
    }
}

enum status asked_alone_spec(const char *program, uint32_t number, const struct exchange_test *test,
                             unsigned threads, struct value_pool *pool, struct budget *budget,
                             struct spec **spec, struct error *error)
{
    const struct spec_request request = {.name = ""};
    const struct exchange_request asking = {
        .version = EXCHANGE_VERSION, .kind = REQUEST_ALONE, .test = number};
    struct asked_alone *asked = memory_small(sizeof *asked);
    memset(asked, 0, sizeof *asked);
    assert(threads > 0 && threads <= ALONE_MOST_CALLS);
    asked->test = test;
    asked->threads = threads;
    pthread_mutex_init(&asked->lock, NULL);
    vector_init(&asked->nodes, budget);
    vector_init(&asked->before, budget);
    describe(asked);
    enum status status = vector_push(&asked->nodes, (struct node){.parent = ROOT})
                             ? STATUS_OK
                             : error_set(error, STATUS_LIMIT, NULL, 0, "no memory");
    if (status == STATUS_OK) {
        asked->conversation = conversation_open(program, &asking, error);
        status = asked->conversation ? STATUS_OK : STATUS_INTERNAL;
    }
    if (status == STATUS_OK)
        status = spec_create_class(&asked->class, &request, asked, pool, budget, spec, error);
    if (status != STATUS_OK)
        release(asked);
    return status;
}

void asked_alone_begin(const struct spec *spec, const struct limits *limits, const value *processes,
                       size_t count)
{
    struct asked_alone *asked = spec->data;
    asked->limits = limits;
    asked->processes = processes;
    asked->process_count = count;
    if (asked->nodes.length > MOST_NODES) {
        asked->nodes.length = 1;
        asked->nodes.items[ROOT] = (struct node){.parent = ROOT};
        asked->before.length = 0;
    }
}

bool asked_alone_forget(const struct spec *spec)
{
    struct asked_alone *asked = spec->data;
    asked->before.length = 0;
    for (size_t i = 0; i < asked->nodes.length; i++)
        if (!vector_push(&asked->before, asked->nodes.items[i]))
            return false;
    asked->nodes.length = 1;
    asked->nodes.items[ROOT] = (struct node){.parent = ROOT};
    asked->anew = true;
    return true;
}

enum asked_alone_trouble asked_alone_trouble(const struct spec *spec, const char **sentence)
{
    struct asked_alone *asked = spec->data;
    pthread_mutex_lock(&asked->lock);
    enum asked_alone_trouble trouble = asked->trouble;
    *sentence = asked->sentence;
    pthread_mutex_unlock(&asked->lock);
    return trouble;
}
