#include "verify/lin_any_progress.h"

#include "base/text.h"
#include "implementation/step_places.h"
#include "unbounded/heap_progress.h"
#include "verify/lin_any_lines.h"

/* ---- names ---- */

/* Of the shared variable that has a word. */
static const char *name_of_variable(const struct lin_steps *steps, uint32_t word)
{
    for (uint32_t i = 0; i < steps->object->variable_count; i++) {
        const struct lin_layout_of_shared *shared = &steps->shared[i];
        if (word >= shared->first && word < shared->first + shared->length * shared->words)
            return shared->variable->name;
    }
    return "";
}

/* Of the field of a pool's nodes that has a word. */
static const char *name_of_field(const struct lin_pool *pool, uint32_t word)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < pool->of->field_count; i++) {
        const struct lin_variable *field = pool->of->fields[i];
        first += pool->lengths[i] * lin_step_words_of(&field->type);
        if (word < first)
            return field->name;
    }
    return "";
}

/* "there are fewer nodes to which `tail` leads along `next`" */
static void append_rank(const struct lin_instance *instance, const struct heap_rank *rank,
                        struct text *text)
{
    const struct lin_steps *steps = &instance->steps;
    const struct lin_pool *pool = &steps->pools[rank->pool];
    text_append(text, "there are fewer nodes to which ");
    if (rank->variable == HEAP_RANK_ALL)
        text_append(text, "shared variables lead");
    else
        text_format(text, "`%s` leads", name_of_variable(steps, rank->variable));
    if (rank->field != HEAP_RANK_ALL)
        text_format(text, " along `%s`", name_of_field(pool, rank->field));
    if (rank->apart != HEAP_RANK_ALL)
        text_format(text, " and `%s` does not", name_of_variable(steps, rank->apart));
    if (rank->clear != HEAP_RANK_ALL)
        text_format(text, ", with a `%s` that is not set", name_of_field(pool, rank->clear));
}

/* ---- what is said ---- */

static bool are_alike(const struct heap_lasting *one, const struct heap_lasting *other)
{
    return one->is_ranked == other->is_ranked &&
           (!one->is_ranked ||
            (one->rank.variable == other->rank.variable && one->rank.pool == other->rank.pool &&
             one->rank.field == other->rank.field && one->rank.clear == other->rank.clear &&
             one->rank.apart == other->rank.apart));
}

/* "lines 12, 15"; a function's, which stand in several operations, once. */
static void append_steps(const struct lin_instance *instance, const struct heap_lasting *lasting,
                         uint32_t count, struct text *text)
{
    const place *places = instance->steps.listing.places.items;
    uint32_t told = 0;
    struct text steps = TEXT_EMPTY;
    for (uint32_t i = 0; i < count; i++) {
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again |= places[lasting[j].at - 1] == places[lasting[i].at - 1];
        if (again)
            continue;
        text_append(&steps, told++ ? ", " : "");
        lin_any_append_step(instance, lasting[i].at, &steps);
    }
    text_format(text, "line%s %s", told > 1 ? "s" : "", text_string(&steps));
    text_release(&steps);
}

/* "at lines 12, 15, where no operation comes back to change something; then at line 20, ..." */
static void append_proof(const struct lin_instance *instance,
                         const struct heap_progress_answer *found, struct text *text)
{
    text_append(text, "while none does what others see changes finitely often (");
    for (uint32_t i = 0, end; i < found->lasting_count; i = end) {
        const struct heap_lasting *first = &found->lasting[i];
        for (end = i + 1; end < found->lasting_count && are_alike(first, &found->lasting[end]);)
            end++;
        text_append(text, i ? "; then at " : "at ");
        append_steps(instance, found->lasting + i, end - i, text);
        text_append(text, first->is_ranked ? ", where each time "
                                           : ", where no operation comes "
                                             "back to change something");
        if (first->is_ranked)
            append_rank(instance, &first->rank, text);
    }
    text_format(text,
                "%s), and where nothing changes no operation goes round%s; a certificate of "
                "%zu views was checked",
                found->lasting_count ? "" : "nothing does",
                found->walks ? " but along fewer and fewer nodes" : "", found->views);
}

static void append_round(const struct lin_instance *instance,
                         const struct heap_progress_answer *found, struct text *text)
{
    const uint32_t count =
        found->round_length < HEAP_MOST_ROUND ? found->round_length : HEAP_MOST_ROUND;
    text_append(text, "an operation may go round by the lines ");
    for (uint32_t i = 0; i < count; i++) {
        text_append(text, i ? ", " : "");
        lin_any_append_step(instance, found->round[i], text);
    }
    text_append(text, found->round_length > count ? " and more while nothing changes"
                                                  : " while nothing changes");
}

static void append_reason(const struct lin_instance *instance,
                          const struct heap_progress_answer *found, struct text *text)
{
    switch (found->kind) {
    case HEAP_LOCK_FREE:
        append_proof(instance, found, text);
        break;
    case HEAP_PROGRESS_UNABLE:
        text_format(text, "%s: `threads = N` asks about N threads", found->unable);
        break;
    case HEAP_PROGRESS_OPEN:
        text_append(text, found->failure.kind == HEAP_TOO_LARGE
                              ? found->failure.reason
                              : "an operation may do what it must not do");
        lin_any_append_path(instance, found->path, found->path_length, text);
        break;
    case HEAP_WAITS:
        text_append(text, "an operation may wait for others at line ");
        lin_any_append_step(instance, found->at, text);
        break;
    case HEAP_CHANGES_ON:
        text_append(text, "what others see may change again and again at line ");
        lin_any_append_step(instance, found->at, text);
        text_append(text, ": an operation may come back there, and no number of nodes was found "
                          "that becomes less");
        break;
    case HEAP_GOES_ROUND:
        append_round(instance, found, text);
        break;
    }
}

enum status lin_any_progress_ask(const struct lin_instance *instance, struct questions *questions,
                                 const struct limits *limits, uint64_t last_deadline,
                                 struct question_answer *answer, struct error *error)
{
    struct heap_progress_answer found;
    struct text text = TEXT_EMPTY;
    const struct heap_progress progress = {.system = questions->system,
                                           .budget = questions->budget,
                                           .limits = limits,
                                           .last_deadline = last_deadline,
                                           .error = error};
    const uint64_t begin = clock_nanoseconds();
    *answer = (struct question_answer){.verdict = VERDICT_UNKNOWN, .method = "views"};
    schedule_init(&answer->schedule, questions->budget);
    const enum status status = heap_progress_find(&progress, &found);
    if (status == STATUS_LIMIT || (status == STATUS_OK && found.kind == HEAP_PROGRESS_OPEN &&
                                   found.failure.kind == HEAP_LIMIT)) {
        answer->limit = limits_which(limits);
        return STATUS_OK;
    }
    TRY(status);
    append_reason(instance, &found, &text);
    return lin_any_answer_by_views(questions, begin, found.kind == HEAP_LOCK_FREE, found.views,
                                   found.effects, &text, answer);
}
