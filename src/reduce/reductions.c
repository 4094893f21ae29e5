#include "reduce/reductions.h"

#include <string.h>

#include "base/attributes.h"

static const struct {
    const char *name;
    reductions member;
} table[] = {
    {"intervals", REDUCE_INTERVALS},  {"partial-order", REDUCE_PARTIAL_ORDER},
    {"symmetry", REDUCE_SYMMETRY},    {"antichain", REDUCE_ANTICHAIN},
    {"slice", REDUCE_SLICE},          {"write-once", REDUCE_WRITE_ONCE},
    {"pure-iterations", REDUCE_PURE}, {"stale-reads", REDUCE_STALE},
    {"dead-fields", REDUCE_FIELDS},   {"decided-steps", REDUCE_DECIDED},
    {"sticky-fields", REDUCE_STICKY}, {"default", REDUCE_DEFAULT},
    {"paper", REDUCE_PAPER},
};

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

enum status reductions_parse(const char *text, reductions *set, struct error *error)
{
    if (strcmp(text, "none") == 0 || strcmp(text, "paper") == 0) {
        *set = *text == 'n' ? REDUCE_NONE : REDUCE_PAPER;
        return STATUS_OK;
    }
    *set = REDUCE_NONE;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ","), i = 0;
        while (i < ARRAY_LENGTH(table) && !is(word, length, table[i].name))
            i++;
        if (i == ARRAY_LENGTH(table) || table[i].member == REDUCE_PAPER)
            return error_set(
                error, STATUS_USAGE, NULL, 0,
                "expected `none`, `paper` or some of `default`, `intervals`, "
                "`partial-order`, `symmetry`, `antichain`, `slice`, "
                "`write-once`, `pure-iterations`, `stale-reads`, `dead-fields`, "
                "`decided-steps`, `sticky-fields` with commas between them, found `%.*s`",
                (int)length, word);
        *set |= table[i].member;
        word += length;
        if (*word == 0)
            return STATUS_OK;
    }
}

const char *reductions_next(reductions *set)
{
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        if (*set & table[i].member) {
            *set &= ~table[i].member;
            return table[i].name;
        }
    }
    return NULL;
}

void reductions_print(reductions set, struct text *text)
{
    if (set == REDUCE_NONE)
        text_append(text, "none");
    const char *before = "";
    for (const char *name; (name = reductions_next(&set)); before = ",") {
        text_append(text, before);
        text_append(text, name);
    }
}
