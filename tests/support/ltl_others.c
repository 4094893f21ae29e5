#include "support/ltl_others.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions ---- */

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static bool starts(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

static uint64_t infix(const char **at, unsigned letters);

/* Bit l: the letter l satisfies the condition. */
static uint64_t infix_operand(const char **at, unsigned letters)
{
    uint64_t all = letters == 64 ? UINT64_MAX : (UINT64_C(1) << letters) - 1, found = 0;
    *at = skip_blanks(*at);
    char first = **at;
    if (starts(*at, "true") || starts(*at, "false")) {
        *at += first == 't' ? 4 : 5;
        return first == 't' ? all : 0;
    }
    *at += 1;
    if (first == '!')
        return all & ~infix_operand(at, letters);
    if (first == '(') {
        found = infix(at, letters);
        *at = skip_blanks(*at) + 1;
        return found;
    }
    if (first == '1')
        return all;
    unsigned atom = (unsigned)strtoul(*at, (char **)(uintptr_t)at, 10);
    for (unsigned letter = 0; letter < letters; letter++)
        found |= (uint64_t)(letter >> atom & 1) << letter;
    return found;
}

static uint64_t infix(const char **at, unsigned letters)
{
    uint64_t found = infix_operand(at, letters);
    for (;;) {
        *at = skip_blanks(*at);
        bool both = starts(*at, "&&");
        if (!both && !starts(*at, "||"))
            return found;
        *at += 2;
        uint64_t right = infix_operand(at, letters); /* SPIN puts all else in parentheses */
        found = both ? found & right : found | right;
    }
}

static uint64_t prefix(const char **at, unsigned letters)
{
    uint64_t all = letters == 64 ? UINT64_MAX : (UINT64_C(1) << letters) - 1;
    *at = skip_blanks(*at);
    char first = *(*at)++;
    if (first == '!')
        return all & ~prefix(at, letters);
    if (first == '&' || first == '|') {
        uint64_t left = prefix(at, letters), right = prefix(at, letters);
        return first == '&' ? left & right : left | right;
    }
    if (first == 't' || first == 'f')
        return first == 't' ? all : 0;
    *at -= 1;
    return infix_operand(at, letters);
}

/* ---- automata under construction ---- */

struct draft_edge {
    uint32_t source, target;
    uint64_t condition;
};

#define MOST_STATES 4096

struct draft {
    unsigned atoms;
    VECTOR(struct draft_edge) edges;
    uint64_t sets[MOST_STATES]; /* acceptance sets of a state: of all its edges */
    uint32_t states;
};

static void draft_edge(struct draft *draft, uint32_t source, uint32_t target, uint64_t condition)
{
    if (!vector_push(&draft->edges, ((struct draft_edge){source, target, condition})))
        abort();
}

/* The states and edges, an edge for each letter. */
static void finish(struct draft *draft, struct buchi *buchi)
{
    uint64_t all = (UINT64_C(1) << draft->atoms) - 1;
    buchi->state_count = draft->states;
    bool made = true;
    for (uint32_t state = 0; state < draft->states && made; state++) {
        made = vector_push(&buchi->first, (uint32_t)buchi->edges.length);
        for (size_t i = 0; i < draft->edges.length; i++) {
            const struct draft_edge *edge = &draft->edges.items[i];
            for (uint64_t letter = 0; letter <= all && edge->source == state; letter++)
                if (edge->condition >> letter & 1)
                    made &= vector_push(&buchi->edges,
                                        ((struct buchi_edge){letter, ~letter & all,
                                                             draft->sets[state], edge->target}));
        }
    }
    if (!made || !vector_push(&buchi->first, (uint32_t)buchi->edges.length))
        abort();
    vector_release(&draft->edges);
}

/* ---- never claims ---- */

struct claim {
    struct draft draft;
    char names[MOST_STATES][24];
    uint32_t numbers[MOST_STATES]; /* of a label: its state */
    uint32_t labels;
};

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static uint32_t label_of(struct claim *claim, const char *at)
{
    char name[24];
    snprintf(name, sizeof name, "%.*s", (int)word_length(at), at);
    for (uint32_t i = 0; i < claim->labels; i++)
        if (strcmp(claim->names[i], name) == 0)
            return i;
    strcpy(claim->names[claim->labels], name);
    claim->numbers[claim->labels] = claim->draft.states++;
    return claim->labels++;
}

/* The number of the label in this line; labels of one state stand below one another. */
static uint32_t enter_label(struct claim *claim, const char *line, bool again, uint32_t state)
{
    uint32_t label = label_of(claim, line);
    if (again)
        claim->numbers[label] = state;
    if (starts(line, "accept"))
        claim->draft.sets[claim->numbers[label]] = 1;
    return claim->numbers[label];
}

static void read_option(struct claim *claim, uint32_t state, const char *at)
{
    unsigned letters = 1U << claim->draft.atoms;
    if (starts(at, "false\n"))
        return;
    bool last = starts(at, "atomic {");
    at += last ? strlen("atomic {") : 0;
    uint64_t condition = infix(&at, letters);
    const char *target = last ? "accept_all" : strstr(at, "goto ") + strlen("goto ");
    draft_edge(&claim->draft, state, label_of(claim, target), condition);
}

bool read_never_claim(const char *text, unsigned atoms, struct buchi *buchi)
{
    struct claim *claim = calloc(1, sizeof *claim);
    claim->draft.atoms = atoms;
    vector_init(&claim->draft.edges, buchi->budget);
    bool complete = false, again = false;
    uint32_t state = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line = skip_blanks(line);
        bool label = line[word_length(line)] == ':' && word_length(line);
        if (label)
            state = enter_label(claim, line, again, state);
        else if (starts(line, "::"))
            read_option(claim, state, skip_blanks(line + 2));
        else if (starts(line, "skip"))
            draft_edge(&claim->draft, state, label_of(claim, "accept_all"),
                       (UINT64_C(1) << (1U << atoms)) - 1);
        again = label;
        complete |= *line == '}';
    }
    for (size_t i = 0; i < claim->draft.edges.length; i++) { /* targets are labels so far */
        struct draft_edge *edge = &claim->draft.edges.items[i];
        edge->target = claim->numbers[edge->target];
    }
    buchi->acceptance_count = 1;
    if (!vector_push(&buchi->initial, 0))
        abort();
    finish(&claim->draft, buchi);
    free(claim);
    return complete;
}

/* ---- lbt ---- */

bool read_lbt(const char *text, unsigned atoms, struct buchi *buchi)
{
    struct draft *draft = calloc(1, sizeof *draft);
    char *at = (char *)(uintptr_t)text;
    long states = strtol(at, &at, 10), sets = strtol(at, &at, 10);
    bool complete = at != text && states <= MOST_STATES && sets <= 64;
    draft->atoms = atoms;
    draft->states = (uint32_t)states;
    vector_init(&draft->edges, buchi->budget);
    buchi->acceptance_count = (uint32_t)sets;
    for (long i = 0; i < states && complete; i++) {
        char *before = at;
        uint32_t state = (uint32_t)strtol(at, &at, 10);
        bool initial = strtol(at, &at, 10) == 1;
        complete = at != before && state < draft->states;
        if (initial && !vector_push(&buchi->initial, state))
            abort();
        for (long set; complete && (set = strtol(at, &at, 10)) >= 0;)
            draft->sets[state] |= UINT64_C(1) << set;
        for (long target; complete && (target = strtol(at, &at, 10)) >= 0;) {
            const char *gate = at;
            draft_edge(draft, state, (uint32_t)target, prefix(&gate, 1U << atoms));
            at = (char *)(uintptr_t)gate;
        }
    }
    if (!complete)
        draft->states = 0;
    finish(draft, buchi);
    free(draft);
    return complete;
}
