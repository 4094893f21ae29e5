/* The files that the editor has open, as it has them. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_tree.h>

#include "base/text.h"
#include "lsp/position.h"

#define DOCUMENT_ERRORS 200

/* What the last run of an assertion said. */
struct verdict {
    char *assertion; /* its key */
    char *title;     /* of its lens: "holds (212 states)" */
    char *report;    /* what linchpin verify would print */
    uint64_t hash;   /* of the model that it is about */
    bool as_expected;
    bool is_error; /* it was not decided: the model is wrong where `line` says */
    bool is_unknown;
    char *reason;
    uint32_t line, column; /* of an error; 0: that of the assertion */
    struct verdict_step {
        char *file; /* null: the model's own */
        uint32_t line;
        char *says;
    } * steps; /* of the execution, those that have a line */
    size_t step_count;
    struct verdict *next;
};

struct document {
    char *uri, *path; /* the path: where linchpin would read it */
    bool is_lin;
    struct text text;
    int64_t version;
    bool has_version;
    bool dirty; /* not analysed since it changed */

    /* Of the analysis; it is of `text` unless dirty. */
    struct lines lines;
    lp_model *model;     /* null: it is wrong */
    lp_names *names;     /* null: nothing is known */
    size_t *name_starts; /* in bytes, of the first names, which are the text's own */
    size_t own_name_count;
    lp_error *errors;
    size_t error_count; /* of all, of which DOCUMENT_ERRORS are kept */

    struct verdict *verdicts;
    struct document *next;
};

struct documents {
    struct document *first;
    enum position_unit unit;
};

/* The path of a URI, to be released with free(): of `file:` what it leads to; of others, which have
 * no file yet, a name that ends as the language says. */
char *document_path(const char *uri, const char *language);

/* The URI of a path. */
char *document_uri(const char *path);

struct document *documents_find(const struct documents *documents, const char *uri);

/* Opens one, or opens it anew. The text is copied. */
struct document *documents_open(struct documents *documents, const char *uri, const char *language,
                                const char *text, yajl_val version);
void documents_close(struct documents *documents, struct document *document);
void documents_release(struct documents *documents);

/* Takes the changes of a didChange: each a range with its new text, or the whole. False: they are
 * none. */
bool document_change(struct document *document, yajl_val changes, enum position_unit unit);

/* Forgets the analysis. */
void document_touch(struct document *document);

/* What an analysis has found, which the document owns from now on. */
void document_analysed(struct document *document, lp_model *model, lp_names *names,
                       lp_error *errors, size_t error_count, enum position_unit unit);

/* The texts of all documents, that one first; released with free(). */
lp_file_text *documents_texts(const struct documents *documents, const struct document *document,
                              size_t *count);

/* Forgets the analyses of those that include something, for what they include may have changed. */
void documents_touch_including(struct documents *documents);

/* Reads {line, character}; false: it is none. */
bool document_position(yajl_val value, struct position *position);

/* What tells an assertion from others: its text, with what is expected; released with free(). */
char *verdict_key(const lp_assertion *assertion);

/* The last verdict of the assertion, or null. */
struct verdict *document_verdict(const struct document *document, const lp_assertion *assertion);

/* Keeps a verdict, which is taken over, in place of the one of the same assertion. */
void document_keep(struct document *document, struct verdict *verdict);

void verdict_release(struct verdict *verdict);

/* The end of the word or sign that begins at a byte. */
size_t document_word_end(const struct document *document, size_t start);

/* Behind a comment or string that begins at a byte, the closing quote not counted; `at` where none
 * does. */
size_t document_opaque_end(const char *text, size_t at);

/* Whether a byte is in a comment or string. */
bool document_is_opaque(const struct document *document, size_t offset);

#endif
