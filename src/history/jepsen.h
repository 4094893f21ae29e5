/* What the formats of Jepsen's shape share: an event is a process, a type, a function, a value. */
#ifndef HISTORY_JEPSEN_H
#define HISTORY_JEPSEN_H

#include "history/lines.h"

/* The fields of an event that mean something to us; others are passed over. */
enum jepsen_field {
    FIELD_PROCESS,
    FIELD_TYPE,
    FIELD_FUNCTION,
    FIELD_VALUE,
    FIELD_TIME,
    FIELD_KEY,
    FIELD_OBJECT,
    FIELD_OTHER,
};

/* An event being put together from its fields, in any order. */
struct jepsen_event {
    struct event event;
    unsigned seen; /* 1 << field */
};

void jepsen_begin(struct jepsen_event *jepsen, uint32_t line);

/* The field of that name (without a keyword's colon). */
enum jepsen_field jepsen_field(const char *name, size_t length);

/* The event type of that name; -1: none. */
int jepsen_type(const char *name, size_t length);

/* Puts a value in a field that is not FIELD_TYPE; false: it cannot be there. */
static inline bool jepsen_put(struct event *event, enum jepsen_field field, value v)
{
    switch (field) {
    case FIELD_PROCESS:
        event->process = v;
        return v != VALUE_NIL;
    case FIELD_FUNCTION:
        event->function = v;
        break;
    case FIELD_VALUE:
        event->value = v;
        event->has_value = true;
        break;
    case FIELD_TIME:
        event->time_unread = v != VALUE_NIL && !value_get_integer(v, &event->time);
        if (event->time_unread)
            event->time = (int64_t)v;
        break;
    case FIELD_KEY:
        event->key = v;
        event->has_key = v != VALUE_NIL;
        break;
    case FIELD_OBJECT:
        event->object = v;
        event->has_object = v != VALUE_NIL;
        break;
    default:
        break;
    }
    return true;
}

/* Takes one field; null, or what should have been there instead ("one of invoke, ok, fail, info as
 * `type`", "`type` only once"). */
const char *jepsen_take(struct jepsen_event *jepsen, enum jepsen_field field, value v);

/* The event is complete: null, or what is missing. An event of a process that is no integer becomes
 * an annotation, as Jepsen has it, or is left to the builder if clients may be `named`. */
const char *jepsen_end(struct jepsen_event *jepsen, bool named);

#endif
