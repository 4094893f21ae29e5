#include "history/operations.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "history/writing.h"
#include "value/edn.h"

static enum status parse_integer(const struct json_tree *tree, const char *name, bool *present,
                                 int64_t *integer, struct error *error)
{
    uint32_t node = json_member(tree, 0, name);
    *present = node != 0;
    *integer = 0;
    if (!node || json_integer(tree, node, integer))
        return STATUS_OK;
    struct text expected = TEXT_EMPTY;
    text_format(&expected, "%s to be an integer of at most 64 bits", name);
    enum status status = json_unexpected(tree, node, text_string(&expected), error);
    text_release(&expected);
    return status;
}

enum status operations_parse(const struct json_tree *tree, struct dumped *dumped,
                             struct error *error)
{
    static const char expected[] =
        "an operation {\"ClientId\":..., \"Input\":..., \"Call\":..., \"Output\":..., "
        "\"Return\":...}";
    const struct json_node *root = &tree->nodes.items[0];
    if (root->kind != JSON_OBJECT)
        return json_unexpected(tree, 0, expected, error);
    *dumped = (struct dumped){.line = root->line};
    bool has_client, has_call, has_return;
    TRY(parse_integer(tree, "ClientId", &has_client, &dumped->client, error));
    TRY(parse_integer(tree, "Call", &has_call, &dumped->call, error));
    TRY(parse_integer(tree, "Return", &has_return, &dumped->returned, error));
    dumped->input = json_member(tree, 0, "Input");
    dumped->output = json_find(tree, 0, "Output");
    if (!dumped->input || !has_call)
        return error_set(error, STATUS_INPUT, tree->file, dumped->line,
                         "expected %s, found one without %s", expected,
                         dumped->input ? "Call" : "Input");
    dumped->pending = !has_return || dumped->returned == INT64_MAX ||
                      (dumped->returned <= 0 && dumped->returned < dumped->call);
    return STATUS_OK;
}

static const char *pass_space(const char *at, const char *end)
{
    while (at < end && memchr(" \t\r\n", *at, 4))
        at++;
    return at;
}

/* Behind `"name" :`, or null. */
static const char *find_member(const char *at, const char *end, const char *name)
{
    size_t length = strlen(name);
    while ((at = memmem(at, (size_t)(end - at), name, length))) {
        at = pass_space(at + length, end);
        if (at < end && *at == ':')
            return pass_space(at + 1, end);
    }
    return NULL;
}

int operations_recognise(const char *head, size_t length, bool *etcd)
{
    static const char *const types[] = {"\"range\"",       "\"txn\"",        "\"leaseGrant\"",
                                        "\"leaseRevoke\"", "\"defragment\"", "\"compact\""};
    const char *end = head + length, *at = pass_space(head, end);
    *etcd = false;
    if (at == end || (*at != '{' && *at != '['))
        return 0;
    const char *input = find_member(at, end, "\"Input\"");
    if (!input || (!find_member(at, end, "\"ClientId\"") && !find_member(at, end, "\"Call\"")))
        return 0;
    const char *type = find_member(input, end, "\"Type\"");
    for (size_t i = 0; type && i < ARRAY_LENGTH(types); i++)
        *etcd |=
            (size_t)(end - type) >= strlen(types[i]) && !memcmp(type, types[i], strlen(types[i]));
    return 2;
}

/* Whether closed intervals of the recorded times give the history's order of events again. */
static bool times_tell_order(const struct history *history, const struct written_event *events)
{
    int64_t last = INT64_MIN;
    bool last_returned = false;
    for (uint32_t i = 0; i < history->positions; i++) {
        const struct operation *operation = &history->operations.items[events[i].operation];
        if (events[i].response && operation->outcome == OUTCOME_UNKNOWN)
            continue; /* no return is written */
        int64_t time = events[i].response ? operation->response_time : operation->invoke_time;
        if (time == TIME_NONE || time == INT64_MAX || time < last ||
            (time == last && last_returned && !events[i].response))
            return false;
        if (events[i].response && time <= 0 && time < operation->invoke_time)
            return false;
        last = time;
        last_returned = events[i].response;
    }
    return true;
}

/* Clients are numbers: the processes' own if all have one, else their places. */
static bool processes_are_numbers(const struct history *history)
{
    int64_t number;
    for (size_t i = 0; i < history->processes.length; i++)
        if (!value_get_integer(history->processes.items[i], &number))
            return false;
    return true;
}

struct dump_writer {
    const struct history *history;
    operation_sayer *say;
    FILE *out; /* null: only to see whether all can be said */
    bool recorded_times, recorded_processes;
    struct text input, output;
};

/* Whether what was said reads back: as UTF-8, and not too many collections within one another. */
static bool reads_back(const struct text *json)
{
    unsigned depth = 1; /* the operation itself */
    bool in_text = false;
    for (size_t i = 0; i < json->length; i++) {
        char byte = json->bytes[i];
        if (in_text && byte == '\\')
            i++;
        else if (byte == '"')
            in_text = !in_text;
        else if (!in_text && (byte == '{' || byte == '['))
            depth++;
        else if (!in_text && (byte == '}' || byte == ']'))
            depth--;
        if (depth > VALUE_MAX_DEPTH)
            return false;
    }
    return utf8_is_valid(text_string(json), json->length);
}

static const char *write_operation(struct dump_writer *writer, const struct operation *operation)
{
    text_clear(&writer->input);
    text_clear(&writer->output);
    const char *complaint =
        writer->say(writer->history, operation, &writer->input, &writer->output);
    if (!complaint && !(reads_back(&writer->input) && reads_back(&writer->output)))
        complaint = "a text that is not UTF-8, or so many collections within one another";
    if (complaint || !writer->out)
        return complaint;
    int64_t client = operation->process;
    if (writer->recorded_processes)
        (void)value_get_integer(writer->history->processes.items[operation->process], &client);
    int64_t call = writer->recorded_times ? operation->invoke_time : operation->invoke;
    int64_t returned = writer->recorded_times ? operation->response_time : operation->response;
    if (operation->outcome == OUTCOME_UNKNOWN)
        returned = INT64_MAX;
    fprintf(writer->out, "{\"ClientId\":%" PRId64 ",\"Input\":%s,\"Call\":%" PRId64, client,
            text_string(&writer->input), call);
    if (writer->output.length > 0)
        fprintf(writer->out, ",\"Output\":%s", text_string(&writer->output));
    fprintf(writer->out, ",\"Return\":%" PRId64 "}\n", returned);
    return NULL;
}

/* `by_record`: places of the operations in the order of their records. */
static enum status write_all(struct dump_writer *writer, const char *format,
                             const uint32_t *by_record, struct error *error)
{
    const struct history *history = writer->history;
    for (size_t i = 0; i < history->operations.length; i++) {
        const char *complaint = write_operation(writer, &history->operations.items[by_record[i]]);
        if (complaint)
            return writing_impossible(history, by_record[i], format, complaint, error);
    }
    return STATUS_OK;
}

enum status operations_write(const struct history *history, const char *format,
                             operation_sayer *say, FILE *out, struct error *error)
{
    struct dump_writer writer = {.history = history, .say = say};
    struct written_event *events;
    TRY(writing_order(history, &events, error));
    writer.recorded_times = times_tell_order(history, events);
    writer.recorded_processes = processes_are_numbers(history);
    writing_order_release(history, events);
    size_t size = history->operations.length * sizeof(uint32_t);
    uint32_t *by_record = memory_allocate(history->budget, size);
    if (!by_record)
        return error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit was reached");
    for (uint32_t i = 0; i < history->operations.length; i++)
        by_record[history->operations.items[i].record] = i;
    enum status status = write_all(&writer, format, by_record, error);
    writer.out = out;
    if (status == STATUS_OK)
        status = write_all(&writer, format, by_record, error);
    memory_release(history->budget, by_record, size);
    text_release(&writer.input);
    text_release(&writer.output);
    return status;
}
