#include "support/csp_oracle_temporal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 1000
#define MOST_PARTS 16
#define MOST_TRIED 100000 /* steps of a run, where several have one name */
#define NOWHERE    SIZE_MAX

/* ---- what fairness is about ---- */

/* A step by what it is: where it goes does not matter but to global fairness. */
struct item {
    const char *label, *shown;
    uint64_t processes;
    size_t from, target;
    unsigned process;
};

static bool same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Whether an edge of a state is one of those that the item stands for. */
static bool is_of(const struct item *item, enum fairness kind, size_t from,
                  const struct oracle_edge *edge)
{
    bool same = same_text(item->label, edge->label) && same_text(item->shown, edge->shown);
    switch (kind) {
    case FAIRNESS_PROCESS_WEAK:
    case FAIRNESS_PROCESS_STRONG:
        return edge->processes >> item->process & 1;
    case FAIRNESS_GLOBAL:
        return same && item->from == from && item->target == edge->target &&
               item->processes == edge->processes;
    default: /* an invisible step is an event of those who take part */
        return same && (edge->label || item->processes == edge->processes);
    }
}

/* Steps that come again and again: edge `edge` of state `state`. */
struct taken {
    size_t state;
    const struct oracle_edge *edge; /* null: the run has ended */
};

static bool enables(const struct oracle_view *view, size_t state, const struct item *item,
                    enum fairness kind)
{
    size_t count;
    const struct oracle_edge *edges = oracle_view_edges(view, state, &count);
    for (size_t i = 0; i < count; i++)
        if (is_of(item, kind, state, &edges[i]))
            return true;
    return false;
}

static bool is_weak(enum fairness kind)
{
    return kind == FAIRNESS_EVENT_WEAK || kind == FAIRNESS_PROCESS_WEAK;
}

/* Whether these steps leave out what they must not. */
static bool leaves_out(const struct oracle_view *view, const struct taken *taken, size_t count,
                       const struct item *item, enum fairness kind)
{
    bool everywhere = true, somewhere = false;
    for (size_t i = 0; i < count; i++) {
        if (taken[i].edge && is_of(item, kind, taken[i].state, taken[i].edge))
            return false;
        bool enabled = enables(view, taken[i].state, item, kind);
        everywhere &= enabled;
        somewhere |= enabled;
    }
    return is_weak(kind) ? everywhere : somewhere;
}

/* Something that these steps leave out; false if they are fair. */
static bool find_left_out(const struct oracle_view *view, const struct taken *taken, size_t count,
                          enum fairness kind, struct item *item)
{
    for (size_t i = 0; kind != FAIRNESS_NONE && i < count; i++) {
        size_t degree;
        const struct oracle_edge *edges = oracle_view_edges(view, taken[i].state, &degree);
        for (size_t j = 0; j < degree; j++)
            for (unsigned process = 0; process < 8; process++) {
                *item = (struct item){edges[j].label, edges[j].shown,  edges[j].processes,
                                      taken[i].state, edges[j].target, process};
                if ((edges[j].processes >> process & 1) &&
                    leaves_out(view, taken, count, item, kind))
                    return true;
            }
    }
    return false;
}

/* ---- letters ---- */

static bool names(const struct tree *tree, unsigned atom)
{
    return tree && ((tree->kind == TREE_ATOM && tree->atom == atom) || names(tree->left, atom) ||
                    names(tree->right, atom));
}

static uint64_t letter_of(const struct oracle_question *question, const struct oracle_view *view,
                          size_t state, const char *event, bool *faulty)
{
    uint64_t letter = 0;
    for (unsigned i = 0; i < question->atom_count; i++) {
        bool wrong = false;
        const struct oracle_atom *atom = &question->atoms[i];
        if (!names(question->formula, i))
            continue;
        bool holds = atom->event
                         ? event && strcmp(event, atom->event) == 0
                         : oracle_view_test(question->oracle, view, state, atom->condition, &wrong);
        *faulty |= wrong;
        letter |= (uint64_t)holds << i;
    }
    return letter;
}

/* ---- positions ---- */

/* A state with what led to it, and a guess: bit k says whether part k of the formula that looks
 * ahead is true here. */
struct node {
    size_t state;
    uint64_t letter;
    unsigned guess;
};

struct search {
    const struct oracle_question *question;
    struct oracle_view view;
    const struct tree *parts[MOST_PARTS]; /* those that look ahead */
    unsigned part_count;
    struct node nodes[MOST_NODES];
    size_t count;
    bool too_large;
    struct {
        size_t from, to, next[2]; /* of those that leave `from`, that enter `to` */
        const struct oracle_edge *edge;
    } * edges;
    size_t first[2][MOST_NODES];
    size_t edge_count, edge_capacity;
};

static bool looks_ahead(const struct tree *tree)
{
    return tree->kind == TREE_NEXT || tree->kind == TREE_EVENTUALLY || tree->kind == TREE_ALWAYS ||
           tree->kind == TREE_UNTIL || tree->kind == TREE_RELEASE || tree->kind == TREE_WEAK_UNTIL;
}

static void collect(struct search *search, const struct tree *tree)
{
    if (!tree)
        return;
    collect(search, tree->left);
    collect(search, tree->right);
    if (looks_ahead(tree)) {
        search->too_large |= search->part_count == 6;
        if (!search->too_large)
            search->parts[search->part_count++] = tree;
    }
}

static bool is_true(const struct search *search, const struct node *node, const struct tree *tree)
{
    for (unsigned i = 0; i < search->part_count; i++)
        if (search->parts[i] == tree)
            return node->guess >> i & 1;
    bool left = tree->left && is_true(search, node, tree->left);
    bool right = tree->right && is_true(search, node, tree->right);
    switch (tree->kind) {
    case TREE_TRUE:
        return true;
    case TREE_ATOM:
        return node->letter >> tree->atom & 1;
    case TREE_NOT:
        return !left;
    case TREE_AND:
        return left && right;
    case TREE_OR:
        return left || right;
    case TREE_IMPLIES:
        return !left || right;
    case TREE_EQUIVALENT:
        return left == right;
    case TREE_XOR:
        return left != right;
    default:
        return false;
    }
}

/* Whether the guesses of a position and of the next agree with what the operators mean. */
static bool agrees(const struct search *search, const struct node *node, const struct node *next)
{
    for (unsigned i = 0; i < search->part_count; i++) {
        const struct tree *part = search->parts[i];
        bool left = is_true(search, node, part->left);
        bool right = part->right && is_true(search, node, part->right);
        bool later = next->guess >> i & 1, now = node->guess >> i & 1;
        bool should = part->kind == TREE_NEXT         ? is_true(search, next, part->left)
                      : part->kind == TREE_EVENTUALLY ? left || later
                      : part->kind == TREE_ALWAYS     ? left && later
                      : part->kind == TREE_RELEASE    ? right && (left || later)
                                                      : right || (left && later);
        if (now != should)
            return false;
    }
    return true;
}

/* Whether the position keeps what part i promises: must come again and again. */
static bool keeps(const struct search *search, const struct node *node, unsigned i)
{
    const struct tree *part = search->parts[i];
    bool guess = node->guess >> i & 1;
    switch (part->kind) {
    case TREE_EVENTUALLY:
        return !guess || is_true(search, node, part->left);
    case TREE_UNTIL:
        return !guess || is_true(search, node, part->right);
    case TREE_ALWAYS:
        return guess || !is_true(search, node, part->left);
    case TREE_RELEASE:
        return guess || !is_true(search, node, part->right);
    case TREE_WEAK_UNTIL: /* the greatest fixpoint: not true only if left ends before right */
        return guess || !is_true(search, node, part->left);
    default:
        return true;
    }
}

static size_t find_node(struct search *search, struct node node)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->nodes[i].state == node.state && search->nodes[i].letter == node.letter &&
            search->nodes[i].guess == node.guess)
            return i;
    if (search->count == MOST_NODES) {
        search->too_large = true;
        return NOWHERE;
    }
    search->nodes[search->count] = node;
    search->first[0][search->count] = search->first[1][search->count] = NOWHERE;
    return search->count++;
}

static void add_edge(struct search *search, size_t from, struct node next,
                     const struct oracle_edge *edge)
{
    for (next.guess = 0; next.guess < 1u << search->part_count; next.guess++) {
        if (!agrees(search, &search->nodes[from], &next))
            continue;
        size_t to = find_node(search, next);
        if (to == NOWHERE)
            return;
        if (search->edge_count == search->edge_capacity) {
            search->edge_capacity = search->edge_capacity * 2 + 64;
            search->edges = realloc(search->edges, search->edge_capacity * sizeof *search->edges);
            assert(search->edges);
        }
        search->edges[search->edge_count].from = from;
        search->edges[search->edge_count].to = to;
        search->edges[search->edge_count].next[0] = search->first[0][from];
        search->edges[search->edge_count].next[1] = search->first[1][to];
        search->first[0][from] = search->first[1][to] = search->edge_count;
        search->edges[search->edge_count++].edge = edge;
    }
}

/* Whether a fault is reachable, however early a run has shown what the formula says of it. */
static bool is_faulty(const struct search *search)
{
    bool faulty = search->view.faulty;
    for (size_t state = 0; state < search->view.count; state++)
        (void)letter_of(search->question, &search->view, state, NULL, &faulty);
    return faulty;
}

static void expand(struct search *search, size_t at)
{
    const struct node node = search->nodes[at];
    bool ignored = false;
    size_t degree;
    const struct oracle_edge *edges = oracle_view_edges(&search->view, node.state, &degree);
    for (size_t i = 0; i < degree; i++) {
        struct node next = {.state = edges[i].target};
        next.letter =
            letter_of(search->question, &search->view, edges[i].target, edges[i].label, &ignored);
        add_edge(search, at, next, &edges[i]);
    }
    if (degree == 0)
        add_edge(search, at, node, NULL);
}

/* Every position that a run which does not satisfy the formula may come to. */
static void build(struct search *search)
{
    for (size_t state = 0; state < search->view.initial; state++) {
        struct node node = {.state = state};
        bool ignored = false;
        node.letter = letter_of(search->question, &search->view, state, "init", &ignored);
        for (node.guess = 0; node.guess < 1u << search->part_count; node.guess++)
            if (!is_true(search, &node, search->question->formula))
                (void)find_node(search, node);
    }
    for (size_t i = 0; i < search->count && !search->too_large; i++)
        expand(search, i);
}

/* ---- runs ---- */

/* The nodes inside `within` that a node leads to or, backwards, that lead to it. */
static void reach(const struct search *search, const bool *within, size_t node, bool backwards,
                  bool *reached)
{
    size_t queue[MOST_NODES], length = 0;
    memset(reached, 0, search->count * sizeof *reached);
    reached[node] = true;
    queue[length++] = node;
    for (size_t at = 0; at < length; at++)
        for (size_t i = search->first[backwards][queue[at]]; i != NOWHERE;
             i = search->edges[i].next[backwards]) {
            size_t to = backwards ? search->edges[i].from : search->edges[i].to;
            if (!within[to] || reached[to])
                continue;
            reached[to] = true;
            queue[length++] = to;
        }
}

static bool has_run(struct search *search, const bool *within);

/* Whether some fair run stays in nodes that all lead to each other and takes every promise. */
static bool is_run(struct search *search, const bool *component)
{
    struct taken *taken = calloc(search->edge_count + 1, sizeof *taken);
    size_t count = 0;
    bool kept[MOST_PARTS] = {false}, all = true, answer = false;
    for (size_t i = 0; i < search->edge_count; i++)
        if (component[search->edges[i].from] && component[search->edges[i].to])
            taken[count++] =
                (struct taken){search->nodes[search->edges[i].from].state, search->edges[i].edge};
    for (size_t node = 0; node < search->count; node++)
        for (unsigned i = 0; component[node] && i < search->part_count; i++)
            kept[i] |= keeps(search, &search->nodes[node], i);
    for (unsigned i = 0; i < search->part_count; i++)
        all &= kept[i];
    struct item item;
    enum fairness kind = search->question->fairness;
    if (count > 0 && all) {
        answer = !find_left_out(&search->view, taken, count, kind, &item);
        if (!answer && !is_weak(kind)) {
            bool *rest = calloc(search->count, sizeof *rest);
            for (size_t node = 0; node < search->count; node++)
                rest[node] = component[node] &&
                             !enables(&search->view, search->nodes[node].state, &item, kind);
            answer = has_run(search, rest);
            free(rest);
        }
    }
    free(taken);
    return answer;
}

/* Component by component. */
static bool has_run(struct search *search, const bool *within)
{
    bool *left = calloc(search->count, sizeof *left);
    bool *forward = calloc(search->count, sizeof *forward);
    bool *component = calloc(search->count, sizeof *component);
    bool found = false;
    memcpy(left, within, search->count * sizeof *left);
    for (size_t node = 0; node < search->count && !found; node++) {
        if (!left[node])
            continue;
        reach(search, within, node, false, forward);
        reach(search, within, node, true, component);
        for (size_t i = 0; i < search->count; i++) {
            component[i] &= forward[i];
            left[i] &= !component[i];
        }
        found = is_run(search, component);
    }
    free(left);
    free(forward);
    free(component);
    return found;
}

enum oracle_verdict oracle_temporal_decide(const struct oracle_question *question)
{
    struct search *search = calloc(1, sizeof *search);
    enum oracle_verdict verdict = ORACLE_NO_ANSWER;
    search->question = question;
    collect(search, question->formula);
    search->too_large |= !oracle_view_graph(question->oracle, question->process, &search->view);
    bool faulty = !search->too_large && is_faulty(search);
    if (faulty)
        verdict = ORACLE_FAULTS;
    else if (!search->too_large)
        build(search);
    if (!search->too_large && !faulty) {
        bool *all = calloc(search->count + 1, sizeof *all);
        memset(all, true, search->count);
        verdict = has_run(search, all) ? ORACLE_SOME_RUN : ORACLE_ALL_RUNS;
        free(all);
    }
    free(search->edges);
    free(search);
    return verdict;
}

/* ---- a run that was found ---- */

struct replay {
    const struct oracle_question *question;
    const struct trace *trace;
    struct oracle_view view;
    struct taken taken[64];
    size_t end, tried;
    const char *wrong;
};

/* Identical processes have no places where fairness does not ask for them. */
static bool takes(const struct trace_step *step, const struct oracle_edge *edge,
                  enum fairness fairness)
{
    if (fairness != FAIRNESS_NONE && !(edge->processes >> step->process & 1))
        return false;
    if (step->visible)
        return edge->label && strcmp(edge->label, step->event) == 0;
    return !edge->label && strcmp(edge->shown ? edge->shown : "τ", step->event) == 0;
}

/* Whether the states that were come through make it what it should be. */
static bool is_violation(struct replay *replay)
{
    const struct trace *trace = replay->trace;
    size_t length = trace->steps.length, degree, start = trace->loop_start;
    struct lasso lasso = {.length = (unsigned)length + 1};
    struct item item;
    bool faulty = false;
    lasso.loop = trace->is_lasso ? (unsigned)start + 1 : (unsigned)length;
    for (size_t i = 0; i <= length; i++) {
        size_t state = i < length ? replay->taken[i].state : replay->end;
        const char *event = i == 0 ? "init" : replay->taken[i - 1].edge->label;
        lasso.letters[i] = letter_of(replay->question, &replay->view, state, event, &faulty);
    }
    (void)oracle_view_edges(&replay->view, replay->end, &degree);
    if (faulty || oracle_view_is_faulty(&replay->view, replay->end))
        replay->wrong = "the run comes to a fault";
    else if (trace->is_lasso ? replay->end != replay->taken[start].state : degree > 0)
        replay->wrong = trace->is_lasso ? "the loop does not close" : "the run does not end there";
    else if (lasso_satisfies(&lasso, replay->question->formula))
        replay->wrong = "the run satisfies the formula";
    else if (trace->is_lasso && find_left_out(&replay->view, replay->taken + start, length - start,
                                              replay->question->fairness, &item))
        replay->wrong = "the run is not fair";
    else
        return true;
    return false;
}

/* Tries every way to take the steps from `at` on. */
static bool take(struct replay *replay, size_t at, size_t state)
{
    if (at == replay->trace->steps.length) {
        replay->end = state;
        return is_violation(replay);
    }
    size_t count;
    const struct oracle_edge *edges = oracle_view_edges(&replay->view, state, &count);
    for (size_t i = 0; i < count && replay->tried < MOST_TRIED; i++) {
        replay->tried++;
        if (!takes(&replay->trace->steps.items[at], &edges[i], replay->question->fairness))
            continue;
        replay->taken[at] = (struct taken){state, &edges[i]};
        if (take(replay, at + 1, edges[i].target))
            return true;
    }
    return false;
}

const char *oracle_temporal_replay(const struct oracle_question *question,
                                   const struct trace *trace)
{
    struct replay replay = {.question = question, .trace = trace, .wrong = "no such steps"};
    if (trace->steps.length > 63 ||
        !oracle_view_graph(question->oracle, question->process, &replay.view))
        return NULL;
    for (size_t state = 0; state < replay.view.initial; state++)
        if (take(&replay, 0, state))
            return NULL;
    return replay.tried < MOST_TRIED ? replay.wrong : NULL;
}
