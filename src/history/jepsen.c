#include "history/jepsen.h"

#include <string.h>

static const struct {
    const char *name, *once, *missing;
} fields[] = {
    [FIELD_PROCESS] = {"process", "`process` only once",
                       "who calls under the key `process`, an integer or a name"},
    [FIELD_TYPE] = {"type", "`type` only once", "a `type`: invoke, ok, fail or info"},
    [FIELD_FUNCTION] = {"f", "`f` only once", "the name of an operation as `f`"},
    [FIELD_VALUE] = {"value", "`value` only once", ""},
    [FIELD_TIME] = {"time", "`time` only once", ""},
    [FIELD_KEY] = {"key", "`key` only once", ""},
    [FIELD_OBJECT] = {"object", "`object` only once", ""},
};

static const char *const types[] = {
    [EVENT_INVOKE] = "invoke", [EVENT_OK] = "ok", [EVENT_FAIL] = "fail", [EVENT_INFO] = "info"};

void jepsen_begin(struct jepsen_event *jepsen, uint32_t line)
{
    *jepsen = (struct jepsen_event){.event = {.time = TIME_NONE, .line = line}};
}

enum jepsen_field jepsen_field(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        if (length == strlen(fields[i].name) && memcmp(name, fields[i].name, length) == 0)
            return (enum jepsen_field)i;
    return FIELD_OTHER;
}

int jepsen_type(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (length == strlen(types[i]) && memcmp(name, types[i], length) == 0)
            return (int)i;
    return -1;
}

static const char *take_type(struct event *event, value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    int type = letters ? jepsen_type(letters, length) : -1;
    if (type < 0)
        return "invoke, ok, fail or info as `type`";
    event->type = (uint8_t)type;
    return NULL;
}

const char *jepsen_take(struct jepsen_event *jepsen, enum jepsen_field field, value v)
{
    struct event *event = &jepsen->event;
    if (field == FIELD_OTHER)
        return NULL;
    if (jepsen->seen & 1u << field)
        return fields[field].once;
    jepsen->seen |= 1u << field;
    if (field == FIELD_TYPE)
        return take_type(event, v);
    return jepsen_put(event, field, v) ? NULL : "a process other than nil";
}

const char *jepsen_end(struct jepsen_event *jepsen, bool named)
{
    struct event *event = &jepsen->event;
    for (int field = FIELD_PROCESS; field <= FIELD_TYPE; field++)
        if (!(jepsen->seen & 1u << field))
            return fields[field].missing;
    int64_t process;
    bool number = value_get_integer(event->process, &process);
    event->named = !number && named;
    if (!number && !named) {
        event->noted = event->type;
        event->type = EVENT_NOTE;
    } else if (event->type == EVENT_INVOKE && !value_get_text(event->function, NULL)) {
        return fields[FIELD_FUNCTION].missing;
    }
    return NULL;
}
