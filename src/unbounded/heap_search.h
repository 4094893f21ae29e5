/* The search for where operations take effect (unbounded/heap_points.h), as those know it who go
 * through placements of one sort or another. */
#ifndef UNBOUNDED_HEAP_SEARCH_H
#define UNBOUNDED_HEAP_SEARCH_H

#include "unbounded/heap_answer.h"
#include "unbounded/heap_marks.h"

#define HEAP_MOST_CHOICES 16

/* Where one operation may take effect. */
struct heap_choices {
    uint32_t changing[HEAP_MOST_CHOICES], reading[HEAP_MOST_CHOICES];
    uint32_t changing_count, reading_count;
    uint64_t excluded[HEAP_MOST_CHOICES]; /* by changing: readings with which it fails by itself */
    uint32_t chosen, read;
    bool has_given;  /* points; they are those that are tried now */
    bool only_reads; /* and may answer a value: `changing` but the first are steps that read */
};

struct heap_search {
    const struct heap_points *points;
    struct heap_shape shape;
    struct method_roles roles;
    struct alphabet *alphabets;
    uint32_t observers;        /* automata, or parts of the specification */
    struct heap_proof *proofs; /* of these, with the placement that is tried */
    struct heap_choices choices[HEAP_MOST_OPERATIONS];
    uint32_t operations;
    struct heap_answer *answer;
    size_t best;       /* views of the failure that came last */
    bool tries_given;  /* where there are some */
    bool has_given;    /* some operation has */
    bool given_helps;  /* some of them are for other threads' operations */
    bool helps;        /* with those that are given, some of them for other threads' operations */
    bool given_failed; /* whatever the points of the others are */
    /* An operation meets another one at this instruction, + 1; 0: none does. Then the first proof
     * watches, and the automata are those behind it. */
    uint32_t meeting;
    uint16_t meets, met; /* the operations */
    bool spanning;       /* operations that bring values span, unless points of theirs are given */
    bool moments;        /* those that read do so at some moment; nothing else observes */
    struct alphabet watched;
    struct alphabet *of_spans; /* the alphabets where some span */
    bool by_calls; /* all are read by their calls and returns, or where it is settled what they take
                    */
    enum heap_way *ways; /* then, by automaton; */
    uint32_t ghosts;     /* and of the shape */
};

/* Goes through the placements, from the first that is not excluded; *done: there is a proof, or no
 * time for one. */
enum status heap_search_each(struct heap_search *search, bool *done) MUST_CHECK;

/* Likewise with the points that are given; then, without them, with all. */
enum status heap_search_placements(struct heap_search *search) MUST_CHECK;

/* Begins anew: what was excluded was so beside others' points, and may have been theirs. */
void heap_search_forget(struct heap_search *search);

/* The first proof watches who is met, behind which come those with automata. */
void heap_search_watch(struct heap_search *search);

/* Finds the one operation that brings values, and does nothing else: search->met. */
bool heap_search_find_met(struct heap_search *search);

/* Whether an operation brings values, and does nothing else. */
bool heap_search_only_adds(const struct heap_search *search, uint32_t operation);

void heap_search_add_choice(uint32_t *items, uint32_t *count, uint32_t at);

/* heap_proof_path, where something failed. */
uint32_t heap_search_path(const struct heap_proof *proof, struct heap_cause *path);

#endif
