/* Dumps of []porcupine.Operation with operations of our own shape:
 *
 *     {"ClientId":0,"Input":{"f":"enqueue","value":1},"Call":10,"Output":{},"Return":25}
 *
 * as an array, one a line or one after another; docs/manual/porcupine.md has the Go code that
 * writes them. Porcupine itself asks for ClientId only in pictures, and many programs leave it 0:
 * where it is 0 throughout and operations overlap, it says nothing, and every operation becomes a
 * process of its own. Hence operations are held back until one has another ClientId. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "history/operations.h"
#include "history/writing.h"
#include "value/json.h"

struct dump {
    struct read_context *context;
    struct reading reading;
    VECTOR(struct timed_operation) held; /* all with ClientId 0 */
    bool identified;                     /* some ClientId was not 0: none is held any more */
};

static enum status refused(const struct dump *dump, struct error *error)
{
    return reading_stopped(dump->context, error);
}

static enum status unknown_member(const struct json_tree *tree, uint32_t node, const char *expected,
                                  struct error *error)
{
    const struct json_node *at = &tree->nodes.items[node];
    int shown = at->name_length > 40 ? 40 : (int)at->name_length;
    return error_set(error, STATUS_INPUT, tree->file, at->line, "expected %s, found %.*s", expected,
                     shown, tree->bytes.items + at->name);
}

/* {"f": "enqueue", "value": 1}, with `key` and `object` where they are needed. */
static enum status parse_input(const struct json_tree *tree, uint32_t input,
                               struct value_pool *pool, struct event *event, struct error *error)
{
    uint32_t function = json_member(tree, input, "f");
    if (!function || tree->nodes.items[function].kind != JSON_STRING)
        return json_unexpected(tree, function ? function : input,
                               "an Input {\"f\": \"enqueue\", \"value\": 1} whose f is a text",
                               error);
    uint32_t argument = json_member(tree, input, "value");
    uint32_t key = json_find(tree, input, "key");
    uint32_t object = json_member(tree, input, "object");
    for (uint32_t i = tree->nodes.items[input].first; i; i = tree->nodes.items[i].next)
        if (i != function && i != argument && i != key && i != object &&
            tree->nodes.items[i].kind != JSON_NULL)
            return unknown_member(tree, i, "one f, value, key or object in Input", error);
    event->function = json_value(tree, function, pool);
    if (argument) {
        event->has_value = true;
        event->value = json_value(tree, argument, pool);
    }
    if (key) {
        event->has_key = true;
        event->key = json_value(tree, key, pool);
    }
    if (object) {
        event->has_object = true;
        event->object = json_value(tree, object, pool);
    }
    bool all = event->function != VALUE_REFUSED && event->value != VALUE_REFUSED &&
               event->key != VALUE_REFUSED && event->object != VALUE_REFUSED;
    return granted(all);
}

static bool says_so(const struct json_tree *tree, uint32_t node)
{
    const struct json_node *at = &tree->nodes.items[node];
    return node && (at->kind == JSON_TRUE || (at->kind == JSON_STRING && at->text_length > 0));
}

/* An object of nothing but value, error and fail describes the result; all else is the result. */
static bool describes(const struct json_tree *tree, uint32_t output)
{
    static const char *const names[] = {"value", "error", "fail"};
    if (tree->nodes.items[output].kind != JSON_OBJECT)
        return false;
    for (uint32_t i = tree->nodes.items[output].first; i; i = tree->nodes.items[i].next) {
        const struct json_node *at = &tree->nodes.items[i];
        bool known = false;
        for (size_t n = 0; n < ARRAY_LENGTH(names); n++)
            known |= at->name_length == strlen(names[n]) &&
                     !strncasecmp(tree->bytes.items + at->name, names[n], at->name_length);
        if (!known)
            return false;
    }
    return true;
}

static enum status parse_output(const struct json_tree *tree, const struct dumped *dumped,
                                struct value_pool *pool, struct timed_operation *operation)
{
    uint32_t output = dumped->output, result = output;
    operation->outcome = dumped->pending ? OUTCOME_UNKNOWN : OUTCOME_OK;
    if (!output)
        return STATUS_OK;
    if (describes(tree, output)) {
        if (says_so(tree, json_find(tree, output, "error")))
            operation->outcome = OUTCOME_UNKNOWN;
        if (says_so(tree, json_find(tree, output, "fail")))
            operation->outcome = OUTCOME_FAIL;
        result = json_member(tree, output, "value");
    }
    if (operation->outcome != OUTCOME_OK)
        return STATUS_OK;
    operation->result_recorded = true;
    operation->result = result ? json_value(tree, result, pool) : VALUE_NIL;
    return operation->result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status release_held(struct dump *dump, bool apart, struct error *error)
{
    for (size_t i = 0; i < dump->held.length; i++) {
        if (apart)
            dump->held.items[i].event.process = value_small((int64_t)i);
        TRY(reading_timed(&dump->reading, &dump->held.items[i], error));
    }
    vector_release(&dump->held);
    return STATUS_OK;
}

static enum status take(void *context, const struct json_tree *tree, struct error *error)
{
    struct dump *dump = context;
    struct value_pool *pool = dump->context->pool;
    struct dumped dumped;
    TRY(operations_parse(tree, &dumped, error));
    struct timed_operation operation = {
        .event = {.type = EVENT_INVOKE, .time = dumped.call, .line = dumped.line},
        .return_time = dumped.returned,
        .return_line = dumped.line};
    enum status status = parse_input(tree, dumped.input, pool, &operation.event, error);
    if (status == STATUS_OK)
        status = parse_output(tree, &dumped, pool, &operation);
    operation.event.process = value_integer(pool, dumped.client);
    if (status == STATUS_LIMIT || operation.event.process == VALUE_REFUSED)
        return refused(dump, error);
    TRY(status);
    /* A failed operation is as if it never was; if it never returned, its call is all there is. */
    if (operation.outcome == OUTCOME_FAIL && dumped.pending)
        operation.return_time = dumped.call;
    if (dumped.client != 0 && !dump->identified) {
        dump->identified = true;
        TRY(release_held(dump, false, error));
    }
    if (dump->identified)
        return reading_timed(&dump->reading, &operation, error);
    return vector_push(&dump->held, operation) ? STATUS_OK : refused(dump, error);
}

struct span {
    int64_t call, returned;
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    return (left->call > right->call) - (left->call < right->call);
}

/* Whether some of the held operations run at one time; those that may never have happened do not
 * count, as their process is free again. */
static enum status held_overlap(struct dump *dump, bool *overlap, struct error *error)
{
    size_t size = dump->held.length * sizeof(struct span), count = 0;
    struct span *spans = memory_allocate(dump->context->budget, size);
    if (!spans)
        return refused(dump, error);
    for (size_t i = 0; i < dump->held.length; i++) {
        const struct timed_operation *operation = &dump->held.items[i];
        if (operation->outcome != OUTCOME_UNKNOWN)
            spans[count++] = (struct span){operation->event.time, operation->return_time};
    }
    qsort(spans, count, sizeof *spans, compare_spans);
    *overlap = false;
    for (size_t i = 1; i < count; i++)
        *overlap |= spans[i].call <= spans[i - 1].returned;
    memory_release(dump->context->budget, spans, size);
    return STATUS_OK;
}

static enum status dump_read(struct read_context *context, struct error *error)
{
    struct dump dump = {.context = context};
    vector_init(&dump.held, context->budget);
    TRY(reading_open(context, source_name(context->source), "porcupine-operations", &dump.reading,
                     error));
    enum status status = json_each(context, take, &dump, error);
    bool overlap = false;
    if (status == STATUS_OK && !dump.identified)
        status = held_overlap(&dump, &overlap, error);
    if (status == STATUS_OK && !dump.identified)
        status = release_held(&dump, overlap, error);
    vector_release(&dump.held);
    return reading_close(&dump.reading, status, error);
}

static const char *say_member(struct text *text, const char *name, value v)
{
    text_append(text, text->bytes[text->length - 1] == '{' ? "\"" : ",\"");
    text_append(text, name);
    text_append(text, "\":");
    return value_print_json_exactly(v, text);
}

static const char *say(const struct history *history, const struct operation *operation,
                       struct text *input, struct text *output)
{
    text_append(input, "{");
    const char *complaint = say_member(input, "f", history->functions.items[operation->function]);
    if (operation->argument != VALUE_NIL && !complaint)
        complaint = say_member(input, "value", operation->argument);
    if (operation->has_key && !complaint)
        complaint = say_member(input, "key", operation->key);
    if (operation->object != NO_OBJECT && !complaint)
        complaint = say_member(input, "object", history->objects.items[operation->object]);
    text_append(input, "}");
    if (operation->outcome == OUTCOME_FAIL) {
        text_append(output, "{\"fail\":true}");
    } else if (operation->outcome == OUTCOME_UNKNOWN) {
        text_append(output, "{\"error\":\"unknown\"}");
    } else if (operation->result_recorded) {
        text_append(output, "{");
        complaint = complaint ? complaint : say_member(output, "value", operation->result);
        text_append(output, "}");
    }
    return complaint;
}

static enum status dump_write(const struct history *history, FILE *out, struct error *error)
{
    TRY(writing_texts(history, "porcupine-operations", error));
    return operations_write(history, "porcupine-operations", say, out, error);
}

static int dump_recognise(const char *head, size_t length, bool whole)
{
    (void)whole;
    bool etcd;
    return operations_recognise(head, length, &etcd);
}

const struct format format_porcupine_operations = {
    .name = "porcupine-operations",
    .description = "Porcupine operations as Go writes them in JSON, {\"ClientId\":0,\"Input\":"
                   "{\"f\":...},\"Call\":...}",
    .recognise = dump_recognise,
    .read = dump_read,
    .write = dump_write,
};
