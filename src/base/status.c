#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum status error_set(struct error *error, enum status status, const char *file, uint32_t line,
                      const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error_set_file(error, file);
        error->line = line;
        error->column = 0;
    }
    return status;
}

void error_set_file(struct error *error, const char *file)
{
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
}
