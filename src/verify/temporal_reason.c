/* Why a run violates a formula, from the meaning of every part of the formula at every position of
 * the run: the part at fault is followed downwards, to where it is false. */
#include <string.h>

#include "base/interning.h"
#include "verify/temporal.h"

#define MOST_NAMED 3 /* processes or events of one kind */

struct telling {
    const struct temporal *temporal;
    const struct liveness *found;
    struct arena arena;
    struct word_arrays parts;      /* of the formula that were asked about, */
    VECTOR(const bool *) meanings; /* and what they mean */
    struct text *text;
    uint32_t positions, loop; /* behind the last position comes this one */
    bool never;               /* what fails is that something comes, in a loop without it */
};

typedef const struct formula *formula;

/* ---- meaning ---- */

static uint32_t next_of(const struct telling *telling, uint32_t position)
{
    return position + 1 < telling->positions ? position + 1 : telling->loop;
}

/* The positions that can be reached from one: the greatest from the loop's start, if it is in it.
 */
static uint32_t first_from(const struct telling *telling, uint32_t position)
{
    return position < telling->loop ? position : telling->loop;
}

/* `left U right` by its fixpoint, the least one, or `left W right`, the greatest: the second round
 * takes what the loop's end knows to its start. */
static void until(const struct telling *telling, const bool *left, const bool *right, bool weak,
                  bool *out)
{
    memset(out, weak, telling->positions * sizeof *out);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = telling->positions; i-- > 0;)
            out[i] = right[i] || (left[i] && out[next_of(telling, i)]);
}

static bool combine(enum formula_kind kind, bool left, bool right)
{
    switch (kind) {
    case FORMULA_TRUE:
        return true;
    case FORMULA_NOT:
        return !left;
    case FORMULA_AND:
        return left && right;
    case FORMULA_OR:
        return left || right;
    case FORMULA_XOR:
        return left != right;
    case FORMULA_IMPLIES:
        return !left || right;
    case FORMULA_EQUIVALENT:
        return left == right;
    default:
        return false;
    }
}

/* `<> f` is `true U f`, `[] f` is `f W false`, `f R g` is `g W (f && g)`. */
static bool fixpoint(struct telling *telling, formula f, const bool *left, const bool *right,
                     bool *out)
{
    size_t size = telling->positions * sizeof *out;
    bool *other = arena_allocate(&telling->arena, size);
    if (!other)
        return false;
    switch (f->kind) {
    case FORMULA_EVENTUALLY:
        memset(other, true, size);
        until(telling, other, left, false, out);
        return true;
    case FORMULA_ALWAYS:
        memset(other, false, size);
        until(telling, left, other, true, out);
        return true;
    case FORMULA_RELEASE:
        for (uint32_t i = 0; i < telling->positions; i++)
            other[i] = left[i] && right[i];
        until(telling, right, other, true, out);
        return true;
    default:
        until(telling, left, right, f->kind == FORMULA_WEAK_UNTIL, out);
        return true;
    }
}

static const bool *meaning(struct telling *telling, formula f);

static const bool *find_meaning(struct telling *telling, formula f)
{
    bool *out = arena_allocate(&telling->arena, telling->positions * sizeof *out);
    if (!out)
        return NULL;
    memset(out, 0, telling->positions * sizeof *out);
    const bool *left = f->left ? meaning(telling, f->left) : out;
    const bool *right = f->right ? meaning(telling, f->right) : out;
    if (!left || !right)
        return NULL;
    switch ((enum formula_kind)f->kind) {
    case FORMULA_ATOM: {
        unsigned atom = f->number;
        for (uint32_t i = 0; i < telling->positions; i++)
            out[i] = telling->found->letters.items[i] >> atom & 1;
        return out;
    }
    case FORMULA_NEXT:
        for (uint32_t i = 0; i < telling->positions; i++)
            out[i] = left[next_of(telling, i)];
        return out;
    case FORMULA_ALWAYS:
    case FORMULA_EVENTUALLY:
    case FORMULA_UNTIL:
    case FORMULA_RELEASE:
    case FORMULA_WEAK_UNTIL:
        return fixpoint(telling, f, left, right, out) ? out : NULL;
    default:
        for (uint32_t i = 0; i < telling->positions; i++)
            out[i] = combine((enum formula_kind)f->kind, left[i], right[i]);
        return out;
    }
}

/* Whether the formula is true at each position; null when refused. */
static const bool *meaning(struct telling *telling, formula f)
{
    const uint32_t key[] = {(uint32_t)(uintptr_t)f, (uint32_t)((uint64_t)(uintptr_t)f >> 32)};
    bool fresh = false;
    uint32_t part = word_arrays_intern(&telling->parts, key, ARRAY_LENGTH(key), &fresh);
    if (part == UINT32_MAX || (fresh && !vector_push(&telling->meanings, NULL)) ||
        part >= telling->meanings.length) /* refused before */
        return NULL;
    if (fresh) {
        const bool *found = find_meaning(telling, f);
        telling->meanings.items[part] = found;
    }
    return telling->meanings.items[part];
}

/* Refused memory makes a shorter sentence: parts are then taken as false everywhere. */
static bool is_true(struct telling *telling, formula f, uint32_t position)
{
    const bool *values = meaning(telling, f);
    return values && values[position];
}

/* ---- words ---- */

static bool is_event(const struct telling *telling, formula f)
{
    return f->kind == FORMULA_ATOM && telling->temporal->atoms[f->number].event;
}

static const char *operator_of(formula f)
{
    switch ((enum formula_kind)f->kind) {
    case FORMULA_NOT:
        return "!";
    case FORMULA_NEXT:
        return "X ";
    case FORMULA_ALWAYS:
        return "[] ";
    case FORMULA_EVENTUALLY:
        return "<> ";
    case FORMULA_UNTIL:
        return " U ";
    case FORMULA_RELEASE:
        return " R ";
    case FORMULA_AND:
        return " && ";
    case FORMULA_OR:
        return " || ";
    case FORMULA_XOR:
        return " xor ";
    case FORMULA_IMPLIES:
        return " -> ";
    default:
        return " <-> ";
    }
}

static void print(const struct telling *telling, formula f, bool nested);

/* `f W g` is told as `(f U g) || [] f`: the two, and what stands around them. */
static void print_weak_until(const struct telling *telling, formula f, const char *before,
                             const char *between, const char *behind)
{
    text_append(telling->text, before);
    print(telling, f->left, true);
    text_append(telling->text, " U ");
    print(telling, f->right, true);
    text_append(telling->text, between);
    text_append(telling->text, "[] ");
    print(telling, f->left, true);
    text_append(telling->text, behind);
}

/* Whether `f` prints as operands with the same operator between them, && or ||, as `chain` does. */
static bool continues(formula chain, formula f)
{
    return (chain->kind == FORMULA_AND || chain->kind == FORMULA_OR) &&
           (f->kind == FORMULA_WEAK_UNTIL ? FORMULA_OR : f->kind) == chain->kind;
}

static void print(const struct telling *telling, formula f, bool nested)
{
    struct text *text = telling->text;
    if (f->kind == FORMULA_TRUE || f->kind == FORMULA_FALSE) {
        text_append(text, f->kind == FORMULA_TRUE ? "true" : "false");
    } else if (f->kind == FORMULA_ATOM) {
        text_append(text, telling->temporal->names[f->number]);
    } else if (f->kind == FORMULA_WEAK_UNTIL) {
        print_weak_until(telling, f, nested ? "((" : "(", ") || ", nested ? ")" : "");
    } else if (!f->right) {
        text_append(text, operator_of(f));
        print(telling, f->left, true);
    } else {
        text_append(text, nested ? "(" : "");
        print(telling, f->left, !continues(f, f->left)); /* chains are read from the left */
        text_append(text, operator_of(f));
        print(telling, f->right, true);
        text_append(text, nested ? ")" : "");
    }
}

static void quote(const struct telling *telling, formula f)
{
    text_append_char(telling->text, '`');
    print(telling, f, false);
    text_append_char(telling->text, '`');
}

/* "after step 3" */
static void tell_place(const struct telling *telling, uint32_t position)
{
    if (position == 0)
        text_append(telling->text, "at the start");
    else
        text_format(telling->text, "after step %u", position);
}

/* "`e` comes in step 3", "`p` holds after step 3" */
static void tell_true(struct telling *telling, formula f, uint32_t position)
{
    if (f->kind == FORMULA_EVENTUALLY) {
        uint32_t at = position;
        for (uint32_t i = first_from(telling, position); i < telling->positions; i++)
            if (is_true(telling, f->left, i)) {
                at = i;
                break;
            }
        tell_true(telling, f->left, at);
        return;
    }
    quote(telling, f);
    if (is_event(telling, f) && position > 0) {
        text_format(telling->text, " comes in step %u", position);
        return;
    }
    telling->never |= f->kind == FORMULA_ALWAYS;
    text_append(telling->text, f->kind == FORMULA_ALWAYS ? " holds for ever " : " holds ");
    tell_place(telling, position);
}

static void tell_false(struct telling *telling, formula f, uint32_t position);

/* The first position from this one on at which the formula has the value; `position` if none. */
static uint32_t find(struct telling *telling, formula f, uint32_t position, bool value)
{
    const bool *values = meaning(telling, f);
    for (uint32_t i = position; values && i < telling->positions; i++)
        if (values[i] == value)
            return i;
    for (uint32_t i = first_from(telling, position); values && i < position; i++)
        if (values[i] == value)
            return i;
    return position;
}

/* "`e` never comes", "`p` never holds" from a position on */
static void tell_never(struct telling *telling, formula f, uint32_t position)
{
    telling->never = true;
    quote(telling, f);
    text_append(telling->text, is_event(telling, f) ? " never comes" : " never holds");
    if (position > 0) {
        text_append_char(telling->text, ' ');
        tell_place(telling, position);
    }
}

static void tell_until(struct telling *telling, formula f, uint32_t position)
{
    const bool *eventually = meaning(telling, f->left);
    uint32_t at = position;
    for (uint32_t i = 0; eventually && i < telling->positions && eventually[at]; i++)
        at = next_of(telling, at);
    if (!eventually || eventually[at]) {
        tell_never(telling, f->right, position);
        return;
    }
    tell_false(telling, f->left, at);
    text_append(telling->text, ", and ");
    quote(telling, f->right);
    text_append(telling->text, " has not come by then");
}

static void tell_either(struct telling *telling, formula f, uint32_t position)
{
    bool left = is_true(telling, f->left, position);
    if (f->kind == FORMULA_EQUIVALENT || f->kind == FORMULA_IMPLIES) {
        formula holds = left ? f->left : f->right, fails = left ? f->right : f->left;
        tell_true(telling, holds, position);
        text_append(telling->text, ", but ");
        tell_false(telling, fails, position);
        return;
    }
    text_append(telling->text, f->kind == FORMULA_XOR && left ? "both " : "neither ");
    quote(telling, f->left);
    text_append(telling->text, f->kind == FORMULA_XOR && left ? " and " : " nor ");
    quote(telling, f->right);
    text_append(telling->text, f->kind == FORMULA_XOR && left ? " hold " : " holds ");
    tell_place(telling, position);
}

/* Why a formula is false at a position. */
static void tell_false(struct telling *telling, formula f, uint32_t position)
{
    switch ((enum formula_kind)f->kind) {
    case FORMULA_NOT:
        tell_true(telling, f->left, position);
        return;
    case FORMULA_AND:
        tell_false(telling, is_true(telling, f->left, position) ? f->right : f->left, position);
        return;
    case FORMULA_OR:
    case FORMULA_XOR:
    case FORMULA_IMPLIES:
    case FORMULA_EQUIVALENT:
        tell_either(telling, f, position);
        return;
    case FORMULA_NEXT:
        tell_false(telling, f->left, next_of(telling, position));
        return;
    case FORMULA_ALWAYS:
        tell_false(telling, f->left, find(telling, f->left, position, false));
        return;
    case FORMULA_EVENTUALLY:
        tell_never(telling, f->left, position);
        return;
    case FORMULA_UNTIL:
        tell_until(telling, f, position);
        return;
    case FORMULA_WEAK_UNTIL:
        print_weak_until(telling, f, "neither `", "` nor `", "` holds ");
        tell_place(telling, position);
        return;
    case FORMULA_RELEASE:
        tell_false(telling, f->right, find(telling, f->right, position, false));
        return;
    default:
        quote(telling, f);
        text_append(telling->text, is_event(telling, f) ? " does not come " : " does not hold ");
        if (is_event(telling, f) && position > 0)
            text_format(telling->text, "in step %u", position);
        else
            tell_place(telling, position);
    }
}

/* ---- fairness ---- */

/* Which kinds a loop may be fair of, the weakest first. */
static const enum fairness kinds[] = {FAIRNESS_PROCESS_WEAK, FAIRNESS_EVENT_WEAK,
                                      FAIRNESS_PROCESS_STRONG, FAIRNESS_EVENT_STRONG,
                                      FAIRNESS_GLOBAL};

/* The same as a .lin assertion says them. */
static const char *const lin_words[ARRAY_LENGTH(kinds)] = {"weak", "event_weak", "strong",
                                                           "event_strong", "global"};

static enum status tell_remedy(struct telling *telling)
{
    const struct liveness *found = telling->found;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        bool fair;
        TRY(fair_cycle_is(&found->loop, &found->cycle, kinds[i], &fair));
        if (!fair) {
            text_format(telling->text, "; %s%s leaves this loop out",
                        telling->temporal->is_lin ? "fairness = " : "--fairness=",
                        telling->temporal->is_lin ? lin_words[i] : fairness_name(kinds[i]));
            return STATUS_OK;
        }
    }
    text_append(telling->text, "; the loop is fair of every kind");
    return STATUS_OK;
}

/* Something that the loop enables, here and there, and never takes. */
struct starved {
    bool is_process;
    uint32_t process; /* or */
    uint32_t event;
    label shown;
};

static bool concerns(const struct starved *starved, const struct fair_step *step)
{
    return starved->is_process ? step->processes >> starved->process & 1
                               : step->event == starved->event;
}

/* "step 5", "steps 5 and 7": where the loop could have taken it instead. */
static void tell_places(struct telling *telling, const struct starved *starved)
{
    const struct fair_graph *loop = &telling->found->loop;
    uint32_t count = (uint32_t)loop->systems.length, written = 0, total = 0;
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t node = 0; node < count; node++) {
            bool enabled = false;
            for (uint32_t s = loop->first_step.items[node]; s < loop->first_step.items[node + 1];
                 s++)
                enabled |= concerns(starved, &loop->steps.items[s]);
            total += enabled && round == 0;
            if (!enabled || round == 0 || written++ >= MOST_NAMED)
                continue;
            text_append(telling->text, written == 1       ? (total == 1 ? "step " : "steps ")
                                       : written == total ? " and "
                                                          : ", ");
            text_format(telling->text, "%u", telling->found->execution.loop_start + node + 1);
        }
    if (total > MOST_NAMED)
        text_format(telling->text, " and %u more", total - MOST_NAMED);
}

static bool is_engaged(const struct liveness *found, const struct starved *starved)
{
    for (size_t i = 0; i < found->cycle.edges.length; i++) {
        uint32_t edge = found->cycle.edges.items[i];
        if (concerns(starved, &found->loop.steps.items[found->loop.edges.items[edge].step]))
            return true;
    }
    return false;
}

static void name_starved(struct telling *telling, const struct starved *starved)
{
    const struct labels *labels = telling->temporal->labels;
    if (starved->is_process) {
        text_format(telling->text, "process %u", starved->process);
        return;
    }
    text_append_char(telling->text, '`');
    labels_print(labels, starved->shown, telling->text);
    text_append_char(telling->text, '`');
}

static void tell_starved(struct telling *telling, const struct starved *starved,
                         enum fairness fairness)
{
    text_append(telling->text, "; ");
    name_starved(telling, starved);
    text_append(telling->text, starved->is_process
                                   ? " takes no step in the loop, and could only in place of "
                                   : " does not come in the loop, and could only in place of ");
    tell_places(telling, starved);
    text_format(telling->text, ", so %s asks nothing of it", fairness_name(fairness));
}

static bool starved_before(const struct liveness *found, const struct starved *starved,
                           size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (concerns(starved, &found->loop.steps.items[i]))
            return true;
    return false;
}

/* Who is enabled in the loop and takes no part in it, as far as weak fairness lets that be. */
static bool tell_all_starved(struct telling *telling, enum fairness fairness)
{
    const struct liveness *found = telling->found;
    bool processes = fairness == FAIRNESS_PROCESS_WEAK;
    unsigned named = 0;
    for (uint32_t process = 0; processes && process < 63 && named < MOST_NAMED; process++) {
        const struct starved starved = {.is_process = true, .process = process};
        if (!starved_before(found, &starved, found->loop.steps.length) ||
            is_engaged(found, &starved))
            continue;
        named++;
        tell_starved(telling, &starved, fairness);
    }
    for (size_t i = 0; !processes && i < found->loop.steps.length && named < MOST_NAMED; i++) {
        const struct starved starved = {.event = found->loop.steps.items[i].event,
                                        .shown = found->steps.items[i].step.shown};
        if (starved_before(found, &starved, i) || is_engaged(found, &starved))
            continue;
        named++;
        tell_starved(telling, &starved, fairness);
    }
    return named > 0;
}

/* Processes that can do nothing in the loop. */
static void tell_blocked(struct telling *telling)
{
    const struct liveness *found = telling->found;
    uint64_t able = 0;
    for (size_t i = 0; i < found->loop.steps.length; i++)
        able |= found->loop.steps.items[i].processes;
    unsigned named = 0;
    for (uint32_t i = 0; i < found->processes && i < 63 && named < MOST_NAMED; i++)
        if (!(able >> i & 1)) {
            named++;
            text_format(telling->text,
                        "; process %u can do nothing in the loop, so fairness asks nothing of it",
                        i);
        }
}

/* Nothing where the run is at fault whatever comes later. */
static enum status tell_fairness(struct telling *telling, enum fairness fairness)
{
    if (!telling->never)
        return STATUS_OK;
    if (!telling->found->execution.is_lasso) {
        text_append(telling->text, "; the run ends there");
        return STATUS_OK;
    }
    if (fairness == FAIRNESS_NONE)
        return tell_remedy(telling);
    bool starved = (fairness == FAIRNESS_PROCESS_WEAK || fairness == FAIRNESS_EVENT_WEAK) &&
                   tell_all_starved(telling, fairness);
    if (fairness == FAIRNESS_PROCESS_WEAK || fairness == FAIRNESS_PROCESS_STRONG)
        tell_blocked(telling);
    if (!starved)
        text_append(telling->text,
                    fairness == FAIRNESS_GLOBAL ? "; the loop takes every step that its states have"
                    : fairness == FAIRNESS_EVENT_WEAK || fairness == FAIRNESS_EVENT_STRONG
                        ? "; every event that is possible in the loop comes in it"
                        : "; every process that can step in the loop does");
    return STATUS_OK;
}

enum status temporal_tell(const struct temporal *temporal, const struct liveness *found,
                          enum fairness fairness, struct text *reason, struct error *error)
{
    const struct execution *execution = &found->execution;
    struct telling telling = {.temporal = temporal,
                              .found = found,
                              .text = reason,
                              .positions = (uint32_t)found->letters.length};
    telling.loop = execution->is_lasso ? execution->loop_start + 1 : telling.positions - 1;
    arena_init(&telling.arena, temporal->budget);
    word_arrays_init(&telling.parts, temporal->budget);
    vector_init(&telling.meanings, temporal->budget);
    const bool *values = meaning(&telling, temporal->formula);
    enum status status = values ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK && values[0])
        status = error_set(error, STATUS_INTERNAL, NULL, 0,
                           "the run that was found satisfies the formula");
    if (status == STATUS_OK) {
        tell_false(&telling, temporal->formula, 0);
        status = tell_fairness(&telling, fairness);
    }
    vector_release(&telling.meanings);
    word_arrays_release(&telling.parts);
    arena_release(&telling.arena);
    return status;
}
