/* One answer, whatever was asked: a history, an assertion, a net, automata or rules. Each kind of
 * question fills such a tree, and every output format is written from it in result.c: text for
 * people, JSON, JUnit.
 *
 * What all answers have is in fields of the struct. What JSON says, and what shows why, are its
 * parts, in order: scalars under a key, and evidence, which knows how it is shown itself. */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

#define RESULT_MOST_PARTS 32

/* How one kind of evidence is shown; either function may be null. */
struct evidence_kind {
    void (*text)(const void *found, const struct terminal *terminal, struct text *text);
    void (*json)(const void *found, yajl_gen json); /* fields, into an object that is open */
};

enum part_kind {
    PART_TEXT, /* null is said, too */
    PART_TEXTS,
    PART_NUMBER,
    PART_INTEGER,
    PART_BOOLEAN,
    PART_SECONDS,
    PART_WARNINGS,
    PART_EVIDENCE,
};

struct result_part {
    enum part_kind kind;
    const char *key; /* null: evidence */
    union {
        const char *text;
        uint64_t number;
        int64_t integer;
        bool boolean;
        double seconds;
        struct {
            const char *const *items;
            size_t count;
        } texts;
        struct {
            const struct evidence_kind *kind;
            const void *found;
        } evidence;
    };
};

/* Nothing but `subject` and `facts` is owned. */
struct result {
    /* Set before it is filled: */
    const char *input;  /* as the user named it, FILE#NAME where a file holds several histories */
    const char *reason; /* one sentence; null: there is none */
    lp_limit limit;     /* why it is unknown */

    lp_answer verdict;
    const char *const *words; /* the verdicts, by lp_answer */
    struct text subject;      /* what the answer is about: "queue.csp:31" */
    const char *about;        /* what is asserted of it; null: nothing is said of that */
    struct text facts;        /* in brackets behind the verdict */
    const char *family;       /* of test cases; null: none */
    bool decided;             /* else a limit came first, and there is no time either */
    double seconds;
    bool told;       /* the evidence gives reasons itself */
    bool insistent;  /* the reason stands with --quiet, too */
    bool has_replay; /* it can be stepped through */
    const lp_warning *warnings;
    size_t warning_count;

    struct result_part parts[RESULT_MOST_PARTS];
    size_t part_count;
};

/* The words "holds", "violated" and "unknown". */
extern const char *const result_answers[];

void result_release(struct result *result);

/* ---- filling it ---- */

/* Appends "1,000 states", or what `format` says, to the facts, behind a comma. */
void result_count(struct result *result, uint64_t number, const char *one, const char *several);
void result_fact(struct result *result, const char *format, ...) PRINTF_LIKE(2, 3);

/* The parts. What they point to must outlive the result. */
void result_add_text(struct result *result, const char *key, const char *text);
void result_add_texts(struct result *result, const char *key, const char *const *texts,
                      size_t count);
void result_add_number(struct result *result, const char *key, uint64_t number);
void result_add_integer(struct result *result, const char *key, int64_t integer);
void result_add_boolean(struct result *result, const char *key, bool boolean);
void result_add_evidence(struct result *result, const struct evidence_kind *kind,
                         const void *found);

/* `verdict`; `seconds`; `reason`; `warnings`, if there are any; `limit`, if it is unknown. */
void result_add_verdict(struct result *result);
void result_add_seconds(struct result *result);
void result_add_reason(struct result *result);
void result_add_warnings(struct result *result);
void result_add_limit(struct result *result);

/* ---- writing it ---- */

/* Appends the whole text; with style->quiet the verdict's line only. */
void result_text(const struct result *result, const struct report_style *style, struct text *text);

/* Writes its fields into an object that is open, and an object on a line of its own. */
void result_json_fields(const struct result *result, yajl_gen json);
void result_json(const struct result *result, FILE *out);

/* Appends its test case; `story` is its text for people. */
void result_junit(const struct result *result, const char *story, struct text *text);

#endif
