/* Lines are written by hand: printf takes longer for one than it takes to decide it. */
#include "streams/lines.h"

#include <string.h>

const char *used_name(const struct used *used, const struct endless_event *event)
{
    if (used->as == USED_AS_SET && event->adds && event->value % 2 == 0)
        return "remove";
    if (event->swaps)
        return "cas";
    return event->adds ? used->add_name : used->remove_name;
}

bool used_answer(const struct endless_event *event)
{
    bool inside = (event->adds ? event->before : event->value) % 2;
    return event->adds && event->value % 2 ? !inside : inside;
}

static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t from = sizeof digits;
    do {
        digits[--from] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    memcpy(at, digits + from, sizeof digits - from);
    return at + (sizeof digits - from);
}

static char *put_value(char *at, const struct used *used, const struct endless_event *event)
{
    const bool counts = used->as == USED_AS_COUNTER;
    const bool said = used->as != USED_AS_LOCK && (event->value || counts) &&
                      (event->adds ? event->begins : !event->begins && !(counts && event->pending));
    if (event->swaps && event->begins) {
        at = put_number(put_text(at, "["), (uint64_t)event->expected);
        return put_text(put_number(put_text(at, ","), (uint64_t)event->value), "]");
    }
    if (event->swaps && !event->pending)
        return put_text(at, event->swapped ? "true" : "false");
    if (used->as == USED_AS_SET && !event->begins && !event->pending)
        return put_text(at, used_answer(event) ? "true" : "false");
    if (used->as == USED_AS_SET)
        return put_number(at, event->key);
    if (used->as == USED_AS_MAP && event->begins) {
        at = event->adds ? put_text(at, "[") : at;
        at = put_number(at, event->key);
        if (!event->adds)
            return at;
        at = put_text(at, ",");
        return put_text(said ? put_number(at, (uint64_t)event->value) : put_text(at, "null"), "]");
    }
    return said ? put_number(at, (uint64_t)event->value) : put_text(at, "null");
}

size_t line_write(const struct used *used, const struct endless_event *event, uint64_t time,
                  char *text)
{
    char *at = put_number(put_text(text, "{\"process\":"), event->process);
    if (time)
        at = put_number(put_text(at, ",\"time\":"), time);
    at = put_text(at, event->begins    ? ",\"type\":\"invoke\",\"f\":\""
                      : event->pending ? ",\"type\":\"info\",\"f\":\""
                                       : ",\"type\":\"ok\",\"f\":\"");
    at = put_text(put_text(at, used_name(used, event)), "\",\"value\":");
    at = put_text(put_value(at, used, event), "}\n");
    return (size_t)(at - text);
}
