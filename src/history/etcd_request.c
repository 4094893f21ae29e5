/* What etcd's requests are in terms of `map`. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "history/etcd.h"

const char *const etcd_functions[] = {"get", "put", "delete", "put-if-revision"};

static enum status not_of_map(const struct json_tree *tree, uint32_t node, struct error *error,
                              const char *format, ...) PRINTF_LIKE(4, 5);

static enum status not_of_map(const struct json_tree *tree, uint32_t node, struct error *error,
                              const char *format, ...)
{
    struct text found = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&found, format, arguments);
    va_end(arguments);
    enum status status =
        error_set(error, STATUS_INPUT, tree->file, tree->nodes.items[node].line,
                  "expected a request on the value of one key (a range over one key, a put or "
                  "delete without conditions, a put on condition of the key's revision), found %s",
                  text_string(&found));
    text_release(&found);
    return status;
}

static bool has_text(const struct json_tree *tree, uint32_t node)
{
    return node && tree->nodes.items[node].kind == JSON_STRING &&
           tree->nodes.items[node].text_length > 0;
}

enum status etcd_number(const struct json_tree *tree, uint32_t node, const char *name,
                        int64_t *number, struct error *error)
{
    uint32_t member = json_member(tree, node, name);
    *number = 0;
    if (!member || json_integer(tree, member, number))
        return STATUS_OK;
    return json_unexpected(tree, member, "an integer", error);
}

enum status etcd_flag(const struct json_tree *tree, uint32_t node, const char *name, bool *flag,
                      struct error *error)
{
    uint32_t member = json_member(tree, node, name);
    *flag = member && tree->nodes.items[member].kind == JSON_TRUE;
    if (!member || *flag || tree->nodes.items[member].kind == JSON_FALSE)
        return STATUS_OK;
    return json_unexpected(tree, member, "true or false", error);
}

enum status etcd_notice(const struct json_tree *tree, uint32_t node, const char *name, bool *notice,
                        struct error *error)
{
    uint32_t member = json_member(tree, node, name);
    *notice = has_text(tree, member);
    if (!member || tree->nodes.items[member].kind == JSON_STRING)
        return STATUS_OK;
    return json_unexpected(tree, member, "a text", error);
}

enum status etcd_list(const struct json_tree *tree, uint32_t node, const char *name, uint32_t *list,
                      uint32_t *count, struct error *error)
{
    *list = json_member(tree, node, name);
    *count = *list ? json_count(tree, *list) : 0;
    if (!*list || tree->nodes.items[*list].kind == JSON_ARRAY)
        return STATUS_OK;
    return json_unexpected(tree, *list, "an array", error);
}

bool etcd_same_text(const struct json_tree *tree, uint32_t a, uint32_t b)
{
    size_t length_a, length_b;
    const char *left = json_text(tree, a, &length_a), *right = json_text(tree, b, &length_b);
    return left && right && length_a == length_b && !memcmp(left, right, length_a);
}

static enum status take_key(const struct json_tree *tree, uint32_t from, const char *name,
                            uint32_t *key, struct error *error)
{
    *key = json_member(tree, from, name);
    if (*key && tree->nodes.items[*key].kind == JSON_STRING)
        return STATUS_OK;
    return json_unexpected(tree, *key ? *key : from, "a key that is a text", error);
}

static enum status parse_range(const struct json_tree *tree, uint32_t range,
                               struct etcd_request *request, struct error *error)
{
    request->kind = ETCD_GET;
    TRY(take_key(tree, range, "Start", &request->key, error));
    uint32_t end = json_member(tree, range, "End");
    size_t length, end_length;
    bool to_end;
    TRY(etcd_notice(tree, range, "End", &to_end, error));
    const char *start = json_text(tree, request->key, &length);
    if (to_end) {
        const char *to = json_text(tree, end, &end_length);
        return not_of_map(tree, range, error, "a range over the keys from `%.*s` to `%.*s`",
                          (int)length, start, (int)end_length, to);
    }
    int64_t revision;
    bool keys_only;
    TRY(etcd_number(tree, range, "Revision", &revision, error));
    TRY(etcd_flag(tree, range, "KeysOnly", &keys_only, error));
    if (revision != 0)
        return not_of_map(tree, range, error, "a range at the past revision %" PRId64, revision);
    if (keys_only)
        return not_of_map(tree, range, error, "a range for keys only");
    return STATUS_OK;
}

static enum status parse_operation(const struct json_tree *tree, uint32_t operation,
                                   struct etcd_request *request, struct error *error)
{
    uint32_t type = json_member(tree, operation, "Type");
    if (type && json_text_is(tree, type, "range-operation"))
        return parse_range(tree, json_member(tree, operation, "Range"), request, error);
    bool put = type && json_text_is(tree, type, "put-operation");
    if (!put && !(type && json_text_is(tree, type, "delete-operation")))
        return json_unexpected(tree, type ? type : operation,
                               "an operation of Type range-operation, put-operation or "
                               "delete-operation",
                               error);
    uint32_t options = json_member(tree, operation, put ? "Put" : "Delete");
    request->kind = put ? ETCD_PUT : ETCD_DELETE;
    TRY(take_key(tree, options ? options : operation, "Key", &request->key, error));
    if (!put)
        return STATUS_OK;
    request->value = json_member(tree, options, "Value");
    if (!request->value || tree->nodes.items[request->value].kind != JSON_OBJECT)
        return json_unexpected(tree, request->value ? request->value : options, ETCD_VALUE, error);
    int64_t lease;
    TRY(etcd_number(tree, options, "LeaseID", &lease, error));
    if (lease != 0)
        return not_of_map(tree, options, error, "a put with the lease %" PRId64, lease);
    return STATUS_OK;
}

static enum status parse_conditions(const struct json_tree *tree, uint32_t transaction,
                                    uint32_t conditions, struct etcd_request *request,
                                    struct error *error)
{
    uint32_t condition = tree->nodes.items[conditions].first, key;
    int64_t version;
    TRY(take_key(tree, condition, "Key", &key, error));
    TRY(etcd_number(tree, condition, "ExpectedVersion", &version, error));
    TRY(etcd_number(tree, condition, "ExpectedRevision", &request->revision, error));
    if (version != 0)
        return not_of_map(tree, condition, error, "a transaction on condition of a version");
    if (request->kind != ETCD_PUT)
        return not_of_map(tree, transaction, error, "a %s on condition of a revision",
                          etcd_functions[request->kind]);
    if (!etcd_same_text(tree, key, request->key))
        return not_of_map(tree, condition, error, "a put on condition of another key");
    request->kind = ETCD_PUT_IF_REVISION;
    return STATUS_OK;
}

/* What is done when the condition does not hold must be nothing, or reading the same key. */
static enum status parse_otherwise(const struct json_tree *tree, uint32_t transaction,
                                   struct etcd_request *request, struct error *error)
{
    struct etcd_request otherwise = {0};
    uint32_t operations, count;
    TRY(etcd_list(tree, transaction, "OperationsOnFailure", &operations, &count, error));
    if (count == 0)
        return STATUS_OK;
    if (count > 1)
        return not_of_map(tree, operations, error, "a transaction with %u operations on failure",
                          count);
    TRY(parse_operation(tree, tree->nodes.items[operations].first, &otherwise, error));
    if (otherwise.kind != ETCD_GET || !etcd_same_text(tree, otherwise.key, request->key))
        return not_of_map(tree, operations, error, "a %s on failure",
                          otherwise.kind == ETCD_GET ? "range over another key"
                                                     : etcd_functions[otherwise.kind]);
    request->otherwise_get = true;
    return STATUS_OK;
}

static enum status parse_transaction(const struct json_tree *tree, uint32_t transaction,
                                     struct etcd_request *request, struct error *error)
{
    request->transaction = true;
    uint32_t operations, conditions, count, condition_count;
    TRY(etcd_list(tree, transaction, "OperationsOnSuccess", &operations, &count, error));
    TRY(etcd_list(tree, transaction, "Conditions", &conditions, &condition_count, error));
    if (count != 1)
        return not_of_map(tree, transaction, error, "a transaction of %u operations", count);
    if (condition_count > 1)
        return not_of_map(tree, transaction, error, "a transaction on %u conditions",
                          condition_count);
    TRY(parse_operation(tree, tree->nodes.items[operations].first, request, error));
    if (condition_count == 0)
        return STATUS_OK;
    TRY(parse_conditions(tree, transaction, conditions, request, error));
    return parse_otherwise(tree, transaction, request, error);
}

enum status etcd_request(const struct json_tree *tree, uint32_t input, struct etcd_request *request,
                         struct error *error)
{
    *request = (struct etcd_request){0};
    uint32_t type = json_member(tree, input, "Type");
    uint32_t range = json_member(tree, input, "Range");
    uint32_t transaction = json_member(tree, input, "Txn");
    if (!type || tree->nodes.items[type].kind != JSON_STRING)
        return json_unexpected(tree, type ? type : input,
                               "an Input {\"Type\": \"range\" or \"txn\", ...}", error);
    if (json_text_is(tree, type, "range") && range)
        return parse_range(tree, range, request, error);
    if (json_text_is(tree, type, "txn") && transaction)
        return parse_transaction(tree, transaction, request, error);
    size_t length;
    const char *name = json_text(tree, type, &length);
    return not_of_map(tree, type, error, "%.*s", length > 40 ? 40 : (int)length, name);
}

enum status etcd_value(const struct json_tree *tree, uint32_t node, struct value_pool *pool,
                       value *taken, struct error *error)
{
    int64_t hash;
    bool something;
    size_t length = 0;
    TRY(etcd_number(tree, node, "Hash", &hash, error));
    TRY(etcd_notice(tree, node, "Value", &something, error));
    const char *letters =
        something ? json_text(tree, json_member(tree, node, "Value"), &length) : "";
    if (hash == 0 && length > ETCD_LONGEST_TEXT) {
        uint32_t fnv = UINT32_C(2166136261);
        for (size_t i = 0; i < length; i++)
            fnv = (fnv ^ (unsigned char)letters[i]) * UINT32_C(16777619);
        hash = fnv;
    }
    if (hash == 0)
        *taken = value_text(pool, KIND_STRING, letters, length);
    else
        *taken = value_map(
            pool, (value[]){value_text(pool, KIND_STRING, "hash", 4), value_integer(pool, hash)},
            2);
    return STATUS_OK;
}

enum status etcd_argument(const struct json_tree *tree, const struct etcd_request *request,
                          struct value_pool *pool, value *argument, struct error *error)
{
    value items[3] = {json_value(tree, request->key, pool)};
    size_t length = 1;
    *argument = items[0];
    if (request->kind == ETCD_GET || request->kind == ETCD_DELETE)
        return STATUS_OK;
    if (request->kind == ETCD_PUT_IF_REVISION)
        items[length++] = value_integer(pool, request->revision);
    TRY(etcd_value(tree, request->value, pool, &items[length++], error));
    *argument = value_list(pool, items, length);
    return STATUS_OK;
}
