/* Runs code on symbols, one way after the other: every way from an instruction on to where whoever
 * watches ends it. What a word is a symbol tells, a *term*; two words with one term are equal, and
 * so are those that a jump on the way has found equal. A term is of a value, so that what is known
 * of it holds whatever is written later. */
#ifndef IMPLEMENTATION_STEP_PATHS_H
#define IMPLEMENTATION_STEP_PATHS_H

#include "implementation/steps.h"

#define LIN_PATH_WORDS LIN_MOST_FOLLOWED /* of locals, and of the stack */
#define LIN_PATH_FACTS 32

enum lin_term_kind {
    LIN_TERM_UNKNOWN,
    LIN_TERM_CONSTANT,       /* first: the word */
    LIN_TERM_LOCAL,          /* first: the local that held it where the way began */
    LIN_TERM_SHARED,         /* it was loaded from shared variables; first: the slot */
    LIN_TERM_FIELD,          /* of a node; first: the node's term; field: as in addresses */
    LIN_TERM_SHARED_ADDRESS, /* first: the slot that the variable begins at */
    LIN_TERM_FIELD_ADDRESS,  /* first: the node's term; pool, field: the word of its nodes */
    LIN_TERM_OWN_ADDRESS,    /* of locals from `first` on, so many as `field` says */
    LIN_TERM_SAME,           /* whether two terms are the same: first, field */
    LIN_TERM_DIFFERENT,
    LIN_TERM_LINKED, /* whether a cas has put `word` where a LIN_TERM_FIELD_ADDRESS is; moved: the
                        contrary */
};

struct lin_term {
    uint8_t kind;
    bool moved; /* an address: somewhere in the variable or the field */
    uint32_t first, field, pool, word;
    uint32_t writes; /* LIN_TERM_LINKED: to fields, on the way up to the cas and with it */
};

/* What is known on a way. */
struct lin_path {
    uint32_t own[LIN_PATH_WORDS], stack[LIN_PATH_WORDS]; /* numbers of terms */
    uint32_t depth;
    struct lin_path_fact {
        uint32_t one, other;
        bool equal;
    } facts[LIN_PATH_FACTS];
    struct lin_path_content { /* what was written to a field */
        uint32_t node, pool, field, word;
    } contents[LIN_PATH_FACTS];
    uint32_t fact_count, content_count;
    uint32_t writes; /* to fields, so far */
    uint32_t jumps;  /* at which the way went one of two ways */
};

enum lin_path_end {
    LIN_PATH_GOES_ON,
    LIN_PATH_ENDS,  /* as it should */
    LIN_PATH_FAILS, /* and so do all */
};

struct lin_paths;

struct lin_paths_class {
    /* Before an instruction runs. */
    enum lin_path_end (*begins)(void *observer, struct lin_paths *paths,
                                const struct lin_path *path, uint32_t at);
    /* Whether a SAME, EQUAL, NOT_EQUAL (asked as if it were EQUAL) or CAS that is about to run is
     * known to find a difference. */
    bool (*differs)(void *observer, struct lin_paths *paths, const struct lin_path *path,
                    uint32_t at);
};

struct lin_paths {
    const struct lin_steps *steps;
    const struct lin_paths_class *class;
    void *observer;
    VECTOR(struct lin_term) terms;
    uint32_t left; /* instructions that may still be run */
    bool refused;  /* memory */
};

static inline const struct lin_term *lin_path_term(const struct lin_paths *paths, uint32_t number)
{
    return &paths->terms.items[number];
}

/* The term of a word, counted from the top. */
static inline uint32_t lin_path_top(const struct lin_path *path, uint32_t below)
{
    return path->stack[path->depth - 1 - below];
}

bool lin_path_is_null(const struct lin_paths *paths, uint32_t term);

/* Whether two words are known to be equal. */
bool lin_path_equal(const struct lin_paths *paths, const struct lin_path *path, uint32_t one,
                    uint32_t other);

/* What becomes of a way on which the reference on top of the stack is followed, which must surely
 * be no null: it goes on if that is known, or if it is a local, which is added to `nodes`, of
 * LIN_MOST_FOLLOWED bits; else it fails. */
enum lin_path_end lin_path_follow(const struct lin_paths *paths, const struct lin_path *path,
                                  uint64_t *nodes);

/* What the field of a node is known to hold; UINT32_MAX: nothing is. */
uint32_t lin_path_content(const struct lin_paths *paths, const struct lin_path *path, uint32_t node,
                          uint32_t pool, uint32_t field);

void lin_paths_init(struct lin_paths *paths, const struct lin_steps *steps,
                    const struct lin_paths_class *class, void *observer);

/* Whether every way from behind a STEP, or from where an operation begins, ends as it should. */
bool lin_paths_run(struct lin_paths *paths, uint32_t from);

void lin_paths_release(struct lin_paths *paths);

#endif
