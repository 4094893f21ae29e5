/* Memory and texts of the oracle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/csp_oracle_term.h"

void *oracle_allocate(struct oracle *oracle, size_t size)
{
    void *block = arena_allocate(&oracle->arena, size ? size : 1);
    if (!block)
        abort();
    memset(block, 0, size);
    return block;
}

void writer_append(struct writer *writer, const char *string)
{
    size_t added = strlen(string);
    if (writer->length + added + 1 > writer->capacity) {
        writer->capacity = (writer->length + added + 32) * 2;
        char *moved = oracle_allocate(writer->oracle, writer->capacity);
        if (writer->length)
            memcpy(moved, writer->bytes, writer->length);
        writer->bytes = moved;
    }
    memcpy(writer->bytes + writer->length, string, added + 1);
    writer->length += added;
}

void writer_char(struct writer *writer, char character)
{
    writer_append(writer, (const char[]){character, 0});
}

const char *oracle_format(struct oracle *oracle, const char *format, va_list arguments)
{
    char first[200]; /* most fit */
    va_list again;
    va_copy(again, arguments);
    size_t length = (size_t)vsnprintf(first, sizeof first, format, again);
    va_end(again);
    char *text = oracle_allocate(oracle, length + 1);
    if (length < sizeof first)
        memcpy(text, first, length + 1);
    else
        vsnprintf(text, length + 1, format, arguments);
    return text;
}

void writer_format(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    writer_append(writer, oracle_format(writer->oracle, format, arguments));
    va_end(arguments);
}

const char *writer_text(const struct writer *writer)
{
    return writer->bytes ? writer->bytes : "";
}

void oracle_fail(struct oracle *oracle, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    oracle->message = oracle_format(oracle, format, arguments);
    va_end(arguments);
    longjmp(*oracle->escape, 1);
}
