#include "base/log.h"

bool log_due(const struct log *log, uint64_t now, uint64_t *said)
{
    if (!log_wants(log, LOG_MOMENTS) || (now < 2 * *said && !log_wants(log, LOG_STEPS)))
        return false;
    *said = now;
    return true;
}

void log_write(const struct log *log, const char *format, ...)
{
    struct text text = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    log->line(log->user, text_string(&text));
    text_release(&text);
}
