/* One answer, whatever was asked: a history, an assertion, a net, automata or rules. Each kind of
 * question fills such a tree, and every output format is one writer over it: text for people
 * (result_text.c), JSON (result_json.c), JUnit (junit.c).
 *
 * What all answers have is in fields of the struct. The rest, what shows why included, is a tree of
 * nodes, in the order of the outputs. JSON writes those that have a key. Text writes the children
 * of the root that are for people: tables, sentences, drawings. */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

enum node_kind {
    /* Fields of JSON; in the row of a table cells, too. */
    NODE_TEXT, /* null is said, too */
    NODE_NUMBER,
    NODE_INTEGER,
    NODE_BOOLEAN,
    NODE_SECONDS,
    NODE_VALUE,
    NODE_TEXTS,
    NODE_INDICES,
    NODE_OBJECT, /* of its children */
    NODE_LIST,
    NODE_TABLE,  /* a list of objects, which are rows */
    NODE_EVENTS, /* a list: the history's events as its native format has them */
    /* Text. */
    NODE_GAP,
    NODE_LINE,       /* two texts, each in its style */
    NODE_PARAGRAPH,  /* wrapped */
    NODE_TIMELINE,   /* the operations of a violation, drawn */
    NODE_OPERATIONS, /* the same in words */
    NODE_ORDERS,     /* the longest legal orders */
    NODE_VISIBLE,    /* the visible events of an execution */
    /* Both. */
    NODE_EXECUTION, /* a table of steps; the fields start, trace, and of a lasso loop_start */
    NODE_RULE_HISTORY,
    /* Pages. */
    NODE_AUTOMATON, /* of lp_rules the one with that number; its children are */
    NODE_READING,   /* a history that it accepts: lp_rule_history, or, where the node has a recorded
                       history, lp_rules_run; the words say which */
};

/* A column of a table: of those cells that have its key. */
struct column {
    const char *key, *title;
    int width; /* 0: as wide as its cells and its title are; to the left with a minus */
};

struct node {
    enum node_kind kind;
    const char *key;   /* null: it is not in JSON; of an item of a list, too */
    const char *shown; /* of a cell: in place of its value; null: that */
    const void *found; /* what a drawing is about */
    const lp_history *history;
    union {
        const char *text;
        uint64_t number;
        int64_t integer;
        bool boolean; /* of an execution: its last step is at fault */
        double seconds;
        lp_value value;
        const struct column *columns; /* up to one without a title; null: only in JSON */
    };
    size_t count;      /* of texts and indices, which are in `found` */
    struct text words; /* of a line or paragraph: without escapes for the terminal */
    struct text tail;  /* of a line, behind them */
    enum style style, tail_style;
    const char *lead; /* of a paragraph: stands in front of its first line; null: nothing */
    unsigned indent;
    bool dim; /* the head of a table is */
    struct node *first, *last, *next;
};

/* The texts and the nodes are owned. */
struct result {
    /* Set before it is filled: */
    const char *input;  /* as the user named it, FILE#NAME where a file holds several histories */
    struct text reason; /* one sentence; empty: there is none */
    struct text replay; /* commands that step through it, a line each; empty: there are none */
    lp_limit limit;     /* why it is unknown */

    lp_answer verdict;
    const char *const *words; /* the verdicts, by lp_answer */
    struct text subject;      /* what the answer is about: "queue.csp:31" */
    const char *about;        /* what is asserted of it; null: nothing is said of that */
    struct text facts;        /* in brackets behind the verdict */
    const char *family;       /* of test cases; null: none */
    bool is_about_scenario;   /* `about` says in which part of it something was found */
    const char *file;         /* that it is about; null: the input */
    uint32_t line;            /* 1-based, in that; 0: the whole of it */
    bool expecting;           /* a verdict: */
    lp_answer expected;
    bool decided; /* else a limit came first, and there is no time either */
    double seconds;
    bool told;       /* the evidence gives reasons itself */
    bool insistent;  /* the reason stands with --quiet, too */
    bool has_replay; /* it can be stepped through */
    const lp_warning *warnings;
    size_t warning_count;

    struct node root;              /* an object */
    struct report_violation drawn; /* of an execution: its operations, and */
    lp_violation drawn_as;         /* what is said of them */
};

/* The words "holds", "violated" and "unknown". */
extern const char *const result_answers[];

void result_release(struct result *result);

/* ---- filling it ---- */

/* Appends "1,000 states", or what `format` says, to the facts, behind a comma. */
void result_count(struct result *result, uint64_t number, const char *one, const char *several);
void result_fact(struct result *result, const char *format, ...) PRINTF_LIKE(2, 3);

/* The verdict that was expected; to be called once the result is filled. */
void result_expect(struct result *result, lp_answer expected);

/* The verdict on the verdict, where one was expected: whether it is as expected, is not, or was not
 * reached. Else the verdict. */
lp_answer result_judge(const struct result *result);

/* Nodes, behind those that their parent has. What they point to must outlive the result. */
void node_add_text(struct node *parent, const char *key, const char *text);
void node_add_texts(struct node *parent, const char *key, const char *const *texts, size_t count);
void node_add_number(struct node *parent, const char *key, uint64_t number);
void node_add_integer(struct node *parent, const char *key, int64_t integer);
void node_add_boolean(struct node *parent, const char *key, bool boolean);
void node_add_seconds(struct node *parent, double seconds);
void node_add_value(struct node *parent, const char *key, lp_value value);
void node_add_indices(struct node *parent, const char *key, const uint32_t *indices, size_t count);
struct node *node_add_object(struct node *parent, const char *key);
struct node *node_add_list(struct node *parent, const char *key);

/* A table, whose rows are objects that are added to it; null columns: it is not shown. */
struct node *node_add_table(struct node *parent, const char *key, const struct column *columns);

/* A cell with another text than JSON has, which may have none (null key). */
void node_add_cell(struct node *row, const char *key, const char *text, const char *shown);

/* The words of a line, or of a paragraph, which begins at column `indent`; to be appended to. */
struct text *node_add_line(struct node *parent, unsigned indent, enum style style);
struct text *node_add_paragraph(struct node *parent, unsigned indent, const char *lead);
void node_add_gap(struct node *parent);

/* The cell of a row that has that key; null: none. */
const struct node *node_find_cell(const struct node *row, const char *key);

/* What is drawn, or else has a form of its own. */
struct node *node_add_found(struct node *parent, enum node_kind kind, const char *key,
                            const lp_history *history, const void *found);

/* `verdict`; `seconds`; `reason`; `warnings`, if there are any; `limit`, if it is unknown. */
void result_add_verdict(struct result *result);
void result_add_seconds(struct result *result);
void result_add_reason(struct result *result);
void result_add_warnings(struct result *result);
void result_add_limit(struct result *result);

/* ---- writing it ---- */

/* Appends "queue.csp:31: violated: P deadlockfree" and below it the reason. */
void result_append_message(const struct result *result, struct text *text);

/* Appends the whole text; with style->quiet the verdict's line only. */
void result_text(const struct result *result, const struct report_style *style, struct text *text);

/* Writes its fields into an object that is open, and an object on a line of its own. */
void result_json_fields(const struct result *result, yajl_gen json);
void result_json(const struct result *result, FILE *out);

/* Appends its test case; `story` is its text for people. (junit.c) */
void result_junit(const struct result *result, const char *story, struct text *text);

#endif
