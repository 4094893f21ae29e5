#include "report/quoted.h"

#include <string.h>

#include "base/utf8.h"

void quoted_append(struct text *text, const char *string)
{
    struct text valid = TEXT_EMPTY;
    utf8_append_valid(&valid, string, strlen(string));
    for (const char *at = text_string(&valid); *at; at++) {
        if (*at == '"' || *at == '\\')
            text_append_char(text, '\\');
        text_append_char(text, *at == '\n' ? ' ' : *at);
    }
    text_release(&valid);
}
