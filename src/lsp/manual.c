/* A page is read line by line: headings, rows of tables, paragraphs; blocks of code are left out.
 * What is found is ranked: a row whose first column begins with the word explains it best, then one
 * that has it there, then a paragraph that has it as code. The best rank is shown, its first few.
 */
#include "lsp/manual.h"

#include <ctype.h>
#include <string.h>

#define MOST_SHOWN 4

enum rank {
    RANK_NONE,
    RANK_PARAGRAPH, /* has it somewhere as code */
    RANK_SPEAKS,    /* begins with it as code */
    RANK_ROW,       /* the first column has it */
    RANK_FIRST,     /* the first column begins with it */
};

struct search {
    const char *word;
    size_t length;
    enum rank best;
    unsigned shown;
    struct text *text;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word stands at `at`, whole. */
static bool stands(const struct search *search, const char *begin, const char *at, const char *end)
{
    if ((size_t)(end - at) < search->length || strncmp(at, search->word, search->length) != 0)
        return false;
    const char *behind = at + search->length;
    bool name = is_letter(*search->word);
    return !name || ((at == begin || !is_letter(at[-1])) && (behind == end || !is_letter(*behind)));
}

/* Whether code between backticks has the word; *first: the first code begins with it. */
static bool code_has(const struct search *search, const char *from, const char *end, bool *first)
{
    bool found = false, begun = false;
    *first = false;
    for (const char *at = from; at < end; at++) {
        if (*at != '`')
            continue;
        const char *open = at + 1, *close = memchr(open, '`', (size_t)(end - open));
        if (!close)
            break;
        for (const char *c = open; c < close; c++)
            if (stands(search, open, c, close)) {
                *first |= !begun && c == open + (*open == '#');
                found = true;
            }
        begun = true;
        at = close;
    }
    return found;
}

/* Where the first column ends: a bar outside of code, not escaped. */
static const char *first_column(const char *row, const char *end)
{
    bool code = false;
    for (const char *at = row + 1; at < end; at++) {
        code ^= *at == '`';
        if (*at == '|' && !code && at[-1] != '\\')
            return at;
    }
    return end;
}

static void show(struct search *search, enum rank rank, const char *from, const char *end)
{
    if (rank < search->best || rank == RANK_NONE)
        return;
    if (rank > search->best) {
        text_clear(search->text);
        search->shown = 0;
        search->best = rank;
    }
    if (search->shown++ >= MOST_SHOWN)
        return;
    if (search->text->length)
        text_append(search->text, "\n\n");
    text_append_bytes(search->text, from, (size_t)(end - from));
}

/* A row as a sentence: the columns with a dash between them, without links. */
static void show_row(struct search *search, enum rank rank, const char *row, const char *end)
{
    struct text made = TEXT_EMPTY;
    const char *cut = first_column(row, end);
    for (const char *at = row + 1; at < end; at++) {
        if (at == cut)
            text_append(&made, "—");
        else if (*at == '\\' && at + 1 < end && at[1] == '|')
            continue;
        else if (*at == '|' && at + 1 == end)
            continue;
        else
            text_append_char(&made, *at);
    }
    const char *shown = text_string(&made);
    shown += strspn(shown, " ");
    show(search, rank, shown, shown + strlen(shown));
    text_release(&made);
}

static void look_at(struct search *search, const char *from, const char *end, bool is_row)
{
    bool first;
    if (is_row) {
        if (code_has(search, from, first_column(from, end), &first))
            show_row(search, first ? RANK_FIRST : RANK_ROW, from, end);
    } else if (code_has(search, from, end, &first)) {
        show(search, first ? RANK_SPEAKS : RANK_PARAGRAPH, from, end);
    }
}

bool manual_append(const char *page, const char *word, size_t length, struct text *text)
{
    struct text found = TEXT_EMPTY;
    struct search search = {.word = word, .length = length, .text = &found};
    const char *paragraph = NULL;
    bool in_code = false;
    for (const char *line = page; *line;) {
        const char *end = line + strcspn(line, "\n");
        bool fence = strncmp(line, "```", 3) == 0;
        bool plain = !in_code && !fence && end > line && *line != '#' && *line != '|';
        if (plain && !paragraph)
            paragraph = line;
        if (!plain && paragraph) {
            look_at(&search, paragraph, line - 1, false);
            paragraph = NULL;
        }
        if (!in_code && *line == '|')
            look_at(&search, line, end, true);
        in_code ^= fence;
        line = *end ? end + 1 : end;
    }
    text_append(text, text_string(&found));
    text_release(&found);
    return search.best != RANK_NONE;
}
