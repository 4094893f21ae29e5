/* Writing operations of `map` as etcd's robustness tests do. */
#include <inttypes.h>
#include <string.h>

#include "base/names.h"
#include "history/etcd.h"
#include "history/operations.h"
#include "history/writing.h"
#include "value/print.h"

#define NOT_ETCD "an operation other than get, put, delete and put-if-revision"

/* The operation's arguments: `count` items, the key first, wherever the history has it. */
static bool arguments(const struct operation *operation, size_t count, value *items)
{
    size_t at = 0, length = 1;
    const value *rest = &operation->argument;
    if (operation->has_key)
        items[at++] = operation->key;
    if (count - at == 0)
        return operation->argument == VALUE_NIL;
    if (count - at > 1) {
        rest = value_get_items(operation->argument, &length);
        if (value_kind_of(operation->argument) != KIND_LIST)
            return false;
    }
    if (length != count - at)
        return false;
    memcpy(items + at, rest, length * sizeof *items);
    return true;
}

/* The member of a result such as {"value": v, "revision": r}; false if it has none. */
static bool member(value result, const char *name, value *found)
{
    size_t length;
    const value *items = value_get_items(result, &length);
    if (value_kind_of(result) != KIND_MAP)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        if (value_text_is(items[i], name)) {
            *found = items[i + 1];
            return true;
        }
    }
    return false;
}

static void say_named(struct text *text, const char *name, value v)
{
    text_format(text, "\"%s\":", name);
    value_print_json(v, text);
}

/* A ValueOrHash. */
static const char *say_value(struct text *text, value v)
{
    value hash;
    size_t length;
    const char *letters = value_get_text(v, &length);
    text_append(text, "\"Value\":{");
    if (letters && length > ETCD_LONGEST_TEXT)
        return "a value of 20 bytes or more (only its hash)";
    if (letters && length > 0)
        say_named(text, "Value", v);
    else if (member(v, "hash", &hash))
        say_named(text, "Hash", hash);
    else if (!letters)
        return "a value that is no text";
    text_append(text, "}");
    return NULL;
}

/* A conditional put that was not done may answer with what it found instead. */
static bool shows_found(const struct operation *operation)
{
    value ok, found;
    return operation->outcome == OUTCOME_OK && member(operation->result, "ok", &ok) &&
           ok == VALUE_FALSE && member(operation->result, "value", &found);
}

static const char *say_request(const struct operation *operation, const char *function,
                               struct text *input, value *key)
{
    value items[3];
    const char *complaint = NULL;
    bool get = name_is("get", function, strlen(function)),
         delete = name_is("delete", function, strlen(function));
    bool put = name_is("put", function, strlen(function)),
         conditional = name_is("put-if-revision", function, strlen(function));
    if (!get && !delete &&!put && !conditional)
        return NOT_ETCD;
    if (!arguments(operation, conditional ? 3 : put ? 2 : 1, items))
        return "arguments that its function does not have";
    *key = items[0];
    if (value_kind_of(*key) != KIND_STRING)
        return "a key that is no text";
    if (get) {
        text_append(input, "{\"Type\":\"range\",\"Range\":{");
        say_named(input, "Start", *key);
        text_append(input, ",\"End\":\"\",\"Limit\":0,\"Revision\":0}}");
        return NULL;
    }
    text_append(input, "{\"Type\":\"txn\",\"Txn\":{\"Conditions\":");
    if (conditional) {
        text_append(input, "[{");
        say_named(input, "Key", *key);
        text_append(input, ",");
        say_named(input, "ExpectedRevision", items[1]);
        text_append(input, ",\"ExpectedVersion\":0}]");
    } else {
        text_append(input, "null");
    }
    text_format(input, ",\"OperationsOnSuccess\":[{\"Type\":\"%s\",\"%s\":{",
                delete ? "delete-operation" : "put-operation", delete ? "Delete" : "Put");
    say_named(input, "Key", *key);
    if (!delete) {
        text_append(input, ",");
        complaint = say_value(input, items[conditional ? 2 : 1]);
    }
    text_append(input, "}}],\"OperationsOnFailure\":");
    if (conditional && shows_found(operation)) {
        text_append(input, "[{\"Type\":\"range-operation\",\"Range\":{");
        say_named(input, "Start", *key);
        text_append(input, "}}]}}");
    } else {
        text_append(input, "null}}");
    }
    return complaint;
}

/* etcd answers 0 where it says no revision. In other formats that is one, but for a key that is
 * missing, and none that a put or what it has put can have. */
static bool says_zero(const struct operation *operation, bool get)
{
    value revision, found = operation->result;
    if (!member(operation->result, "revision", &revision) || revision != value_small(0))
        return false;
    bool shown = member(operation->result, "value", &found) && (get || shows_found(operation));
    return !shown || found != VALUE_NIL;
}

/* What a range over the key found. */
static const char *say_found(value result, value key, struct text *output)
{
    value found = result, revision;
    bool described = member(result, "value", &found);
    if (found == VALUE_NIL) {
        text_append(output, "{\"KVs\":[],\"Count\":0}");
        return NULL;
    }
    text_append(output, "{\"KVs\":[{");
    say_named(output, "Key", key);
    text_append(output, ",");
    const char *complaint = say_value(output, found);
    if (described && member(result, "revision", &revision)) {
        text_append(output, ",");
        say_named(output, "ModRevision", revision);
    }
    text_append(output, "}],\"Count\":1}");
    return complaint;
}

static const char *say_response(const struct operation *operation, const char *function, value key,
                                struct text *output)
{
    value result = operation->result, revision = value_small(0), ok = VALUE_TRUE;
    const char *complaint = NULL;
    if (operation->outcome == OUTCOME_FAIL)
        return "an operation that did not happen";
    if (operation->outcome == OUTCOME_UNKNOWN) {
        text_append(output, "{\"Error\":\"unknown\"}");
        return NULL;
    }
    if (says_zero(operation, name_is("get", function, strlen(function))))
        return "a revision of 0 (which says none there)";
    (void)member(result, "revision", &revision);
    if (name_is("get", function, strlen(function))) {
        text_append(output, "{\"Range\":");
        complaint = say_found(result, key, output);
    } else {
        if (!member(result, "ok", &ok))
            ok = result == VALUE_FALSE ? VALUE_FALSE : VALUE_TRUE;
        text_format(output, "{\"Txn\":{\"Failure\":%s,\"Results\":[",
                    ok == VALUE_FALSE ? "true" : "false");
        if (shows_found(operation))
            complaint = say_found(result, key, output);
        else
            text_append(output, ok == VALUE_FALSE ? "" : "{}");
        text_append(output, "]}");
    }
    text_append(output, ",");
    say_named(output, "Revision", revision);
    text_append(output, "}");
    return complaint;
}

static const char *say(const struct history *history, const struct operation *operation,
                       struct text *input, struct text *output)
{
    const char *function = history_function_name(history, operation->function);
    value key;
    if (operation->object != NO_OBJECT)
        return "an object";
    if (!value_text_is(history->functions.items[operation->function], function))
        return NOT_ETCD; /* there is a zero byte in it */
    const char *complaint = say_request(operation, function, input, &key);
    return complaint ? complaint : say_response(operation, function, key, output);
}

enum status etcd_write(const struct history *history, FILE *out, struct error *error)
{
    TRY(writing_texts(history, "etcd", error));
    return operations_write(history, "etcd", say, out, error);
}
