#include "verify/checkpointing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/output.h"
#include "csp/ast.h"
#include "lin/ast.h"
#include "verify/lin_any_setting.h"

#define RESULT_KIND    SECTION_TAG('r', 'e', 's', 'u')
#define RESULT_VERSION 1

#define FIGURES SECTION_TAG('f', 'i', 'g', 'u')
#define INNER   SECTION_TAG('i', 'n', 'n', 'e')
#define SECOND  SECTION_TAG('s', 'e', 'c', 'o')

/* ---- what there is none for ---- */

const char *checkpointing_lin_lacks(const struct lin_assertion *assertion)
{
    if (lin_assertion_is_any(assertion))
        return "any number of threads";
    switch ((enum lin_property)assertion->property) {
    case LIN_LINEARIZES:
    case LIN_NEVER:
    case LIN_REFINES:
        return NULL;
    case LIN_SATISFIES:
        return "temporal formulas";
    default:
        return "progress";
    }
}

const char *checkpointing_csp_lacks(const struct csp_assertion *assertion)
{
    return assertion->kind == ASSERTION_SATISFIES ? "temporal formulas" : NULL;
}

const char *checkpointing_options_lack(const struct assertion_options *options)
{
    return options->order == EXPLORE_BITSTATE   ? "--bitstate"
           : options->order == EXPLORE_SWARM    ? "--swarm"
           : options->reductions & REDUCE_PAPER ? "--reduce=paper"
                                                : NULL;
}

/* ---- names and keys ---- */

void checkpointing_key(const struct assertion_options *options, struct text *key)
{
    static const char *const orders[] = {[EXPLORE_OLDEST_FIRST] = "breadth",
                                         [EXPLORE_NEWEST_FIRST] = "depth",
                                         [EXPLORE_IN_TURNS] = "auto"};
    static const char *const engines[] = {
        [ENGINE_AUTO] = "auto", [ENGINE_NATIVE] = "native", [ENGINE_BYTECODE] = "bytecode"};
    text_append(key, "--reduce=");
    reductions_print(options->reductions, key);
    text_format(key, "\n--search=%s\n--method=%s\n--engine=%s\n--fairness=%s\n",
                orders[options->order],
                options->linearizing == LINEARIZING_BY_AUTOMATA ? "automata" : "refinement",
                engines[options->engine], fairness_name(options->fairness));
}

/* The last part of a path, with letters, digits, `-`, `_` and `.` as they are. */
static void append_plain(struct text *text, const char *name)
{
    const char *slash = strrchr(name, '/');
    for (const char *c = slash ? slash + 1 : name; *c; c++) {
        const bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                              (*c >= '0' && *c <= '9') || *c == '.' || *c == '_' || *c == '-';
        text_append_char(text, is_plain ? *c : '_');
    }
}

static enum status make_folder(const char *folder, struct error *error)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, NULL, 0, "cannot create the folder '%s': %s", folder,
                     strerror(errno));
}

static enum status as_usage(enum status status)
{
    return status == STATUS_INPUT ? STATUS_USAGE : status;
}

/* Another assertion of this model: all but the line that names the assertion must be the same. */
static enum status look_at(const struct checkpointing *checkpointing, const char *path,
                           bool is_result, struct error *error)
{
    struct sections_in *in;
    const char *key = strchr(text_string(&checkpointing->key), '\n') + 1;
    TRY(sections_open(path, is_result ? RESULT_KIND : CHECKPOINT_KIND,
                      is_result ? RESULT_VERSION : CHECKPOINT_VERSION, &in, error));
    if (!in) /* by now */
        return STATUS_OK;
    enum status status = sections_take_key(in, key, true, error);
    sections_close(in);
    return status;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), more = strlen(end);
    return length >= more && strcmp(name + length - more, end) == 0;
}

/* Refuses what an earlier run has left of another model by this name, or of other options. */
static enum status look_around(const struct checkpointing *checkpointing, const char *folder,
                               const struct text *prefix, struct error *error)
{
    DIR *all = opendir(folder);
    enum status status = STATUS_OK;
    if (!all)
        return error_set(error, STATUS_USAGE, NULL, 0, "cannot read the folder '%s': %s", folder,
                         strerror(errno));
    const size_t skipped = strlen(folder) + 1;
    for (const struct dirent *entry; status == STATUS_OK && (entry = readdir(all));) {
        struct text path = TEXT_EMPTY;
        const char *name = entry->d_name;
        const bool is_result = ends_with(name, ".result");
        text_format(&path, "%s/%s", folder, name);
        if (output_is_left_over(name, text_string(&checkpointing->search_path) + skipped) ||
            output_is_left_over(name, text_string(&checkpointing->result_path) + skipped))
            unlink(text_string(&path));
        else if (strncmp(name, text_string(prefix), prefix->length) == 0 &&
                 (is_result || ends_with(name, ".search")))
            status = look_at(checkpointing, text_string(&path), is_result, error);
        text_release(&path);
    }
    closedir(all);
    return as_usage(status);
}

enum status checkpointing_open(struct checkpointing *checkpointing, const char *folder,
                               const char *name, uint64_t hash, size_t index,
                               const struct text *key, struct budget *budget, struct error *error)
{
    struct text prefix = TEXT_EMPTY;
    *checkpointing = (struct checkpointing){0};
    append_plain(&prefix, name);
    text_format(&prefix, "-%08x-", (unsigned)hash_bytes(name, strlen(name), 0));
    text_format(&checkpointing->key, "assertion %zu\nlinchpin %s\nthe model's text %016llx\n",
                index, LP_VERSION, (unsigned long long)hash);
    text_append(&checkpointing->key, text_string(key));
    text_format(&checkpointing->search_path, "%s/%s%zu.search", folder, text_string(&prefix),
                index);
    text_format(&checkpointing->result_path, "%s/%s%zu.result", folder, text_string(&prefix),
                index);
    checkpoint_init(&checkpointing->search, text_string(&checkpointing->search_path),
                    text_string(&checkpointing->key), budget);
    enum status status = make_folder(folder, error);
    if (status == STATUS_OK)
        status = look_around(checkpointing, folder, &prefix, error);
    text_release(&prefix);
    return status;
}

void checkpointing_release(struct checkpointing *checkpointing)
{
    checkpoint_release(&checkpointing->search);
    text_release(&checkpointing->key);
    text_release(&checkpointing->search_path);
    text_release(&checkpointing->result_path);
}

/* ---- results ---- */

static void put_texts(struct sections_out *out, const char *const *texts, size_t count)
{
    sections_put(out, count);
    for (size_t i = 0; i < count; i++)
        sections_put_text(out, texts[i]);
}

static void put_trace(struct sections_out *out, const struct trace *trace)
{
    sections_put_text(out, trace->start);
    sections_put(out, trace->is_lasso);
    sections_put(out, trace->loop_start);
    sections_put(out, trace->steps.length);
    for (size_t i = 0; i < trace->steps.length; i++) {
        const struct trace_step *step = &trace->steps.items[i];
        sections_put_text(out, step->event);
        sections_put_text(out, step->changes);
        sections_put(out, step->process);
        sections_put(out, step->visible);
        sections_put(out, (uint64_t)step->said.kind);
        sections_put_text(out, step->said.name);
        sections_put_text(out, step->said.symbol);
        sections_put(out, step->said.count);
        for (uint32_t j = 0; j < step->said.count; j++)
            sections_put(out, step->said.components[j]);
    }
}

static void put_result(struct sections_out *out, const struct assertion_result *result)
{
    const uint64_t numbers[] = {(uint64_t)result->answer,
                                result->states,
                                result->transitions,
                                result->memory,
                                result->reductions,
                                result->covered,
                                result->met_bounds,
                                result->found_depth_first,
                                (uint64_t)result->failing,
                                result->copies,
                                result->has_extreme,
                                (uint64_t)result->extreme,
                                result->values};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sections_put(out, numbers[i]);
    sections_put_text(out, result->method);
    sections_put_text(out, text_string(&result->reason));
    sections_put_text(out, result->specification);
    put_texts(out, result->offered.items, result->offered.length);
    put_texts(out, result->missing.items, result->missing.length);
    put_texts(out, result->uncalled.items, result->uncalled.length);
    put_trace(out, &result->trace);
}

enum status checkpointing_keep(const struct checkpointing *checkpointing,
                               const struct kept_results *results, struct error *error)
{
    struct sections_out *out;
    const char *path = text_string(&checkpointing->result_path);
    TRY(sections_create(path, RESULT_KIND, RESULT_VERSION, &out, error));
    sections_put_key(out, text_string(&checkpointing->key));
    sections_begin(out, FIGURES);
    sections_put(out, results->is_shorter);
    sections_put(out, (uint64_t)(results->seconds * 1e6));
    sections_put(out, results->memory);
    sections_begin(out, INNER);
    put_result(out, results->inner);
    sections_begin(out, SECOND);
    put_result(out, results->second);
    TRY(sections_commit(out, error));
    unlink(text_string(&checkpointing->search_path));
    return STATUS_OK;
}

/* A text in an arena; null stays null. */
static enum status take_text(struct sections_in *in, struct arena *arena, const char **text,
                             struct error *error)
{
    char *taken;
    TRY(sections_take_text(in, &taken, error));
    *text = taken ? arena_copy_text(arena, taken, strlen(taken)) : NULL;
    const bool kept = !taken || *text;
    free(taken);
    return granted(kept);
}

#define TAKE_TEXTS(in, arena, vector, error)                                                       \
    do {                                                                                           \
        uint64_t count_;                                                                           \
        TRY(sections_take(in, &count_, error));                                                    \
        for (uint64_t i_ = 0; i_ < count_; i_++) {                                                 \
            const char *text_;                                                                     \
            TRY(take_text(in, arena, &text_, error));                                              \
            TRY_MEMORY(vector_push(vector, text_));                                                \
        }                                                                                          \
    } while (0)

static enum status take_components(struct sections_in *in, struct arena *arena,
                                   struct action *action, struct error *error)
{
    uint64_t count, word;
    TRY(sections_take_below(in, UINT64_C(1) << 16, &count, error));
    uint32_t *components = arena_allocate(arena, (count + 1) * sizeof *components);
    TRY_MEMORY(components);
    for (uint64_t i = 0; i < count; i++) {
        TRY(sections_take_below(in, UINT64_C(1) << 32, &word, error));
        components[i] = (uint32_t)word;
    }
    action->components = components;
    action->count = (uint32_t)count;
    return STATUS_OK;
}

static enum status take_step(struct sections_in *in, struct arena *arena, struct trace_step *step,
                             struct error *error)
{
    uint64_t process, visible, kind;
    TRY(take_text(in, arena, &step->event, error));
    TRY(take_text(in, arena, &step->changes, error));
    TRY(sections_take_below(in, UINT64_C(1) << 32, &process, error));
    TRY(sections_take_below(in, 2, &visible, error));
    TRY(sections_take_below(in, LABEL_NAME + 1, &kind, error));
    TRY(take_text(in, arena, &step->said.name, error));
    TRY(take_text(in, arena, &step->said.symbol, error));
    step->process = (uint32_t)process;
    step->visible = visible;
    step->said.kind = (enum label_kind)kind;
    return take_components(in, arena, &step->said, error);
}

static enum status take_trace(struct sections_in *in, struct trace *trace, struct error *error)
{
    uint64_t is_lasso, loop, count;
    TRY(take_text(in, &trace->arena, &trace->start, error));
    TRY(sections_take_below(in, 2, &is_lasso, error));
    TRY(sections_take_below(in, UINT64_C(1) << 32, &loop, error));
    TRY(sections_take(in, &count, error));
    for (uint64_t i = 0; i < count; i++) {
        struct trace_step step = {0};
        TRY(take_step(in, &trace->arena, &step, error));
        TRY_MEMORY(vector_push(&trace->steps, step));
    }
    trace->is_lasso = is_lasso;
    trace->loop_start = (uint32_t)loop;
    return STATUS_OK;
}

enum {
    NUMBERS = 13
};

static enum status take_result(struct sections_in *in, struct assertion_result *result,
                               struct error *error)
{
    struct arena *arena = &result->asked.arena;
    const char *reason;
    uint64_t numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        TRY(sections_take(in, &numbers[i], error));
    if (numbers[0] > UNDECIDED || numbers[8] > FAILING_DIVERGENCE)
        return sections_damaged(in, "there is no such answer", error);
    result->answer = (enum holds)numbers[0];
    result->states = numbers[1];
    result->transitions = numbers[2];
    result->memory = numbers[3];
    result->reductions = (reductions)numbers[4];
    result->covered = numbers[5];
    result->met_bounds = numbers[6];
    result->found_depth_first = numbers[7];
    result->failing = (enum failing)numbers[8];
    result->copies = (uint32_t)numbers[9];
    result->has_extreme = numbers[10];
    result->extreme = (int64_t)numbers[11];
    result->values = (uint32_t)numbers[12];
    TRY(take_text(in, arena, &result->method, error));
    TRY(take_text(in, arena, &reason, error));
    TRY(take_text(in, arena, &result->specification, error));
    text_append(&result->reason, reason ? reason : "");
    TAKE_TEXTS(in, &result->trace.arena, &result->offered, error);
    TAKE_TEXTS(in, arena, &result->missing, error);
    TAKE_TEXTS(in, arena, &result->uncalled, error);
    return take_trace(in, &result->trace, error);
}

static enum status take_all(const struct checkpointing *checkpointing, struct sections_in *in,
                            struct kept_results *results, struct error *error)
{
    uint64_t shorter, microseconds;
    TRY(sections_take_key(in, text_string(&checkpointing->key), false, error));
    TRY(sections_enter(in, FIGURES, error));
    TRY(sections_take_below(in, 2, &shorter, error));
    TRY(sections_take(in, &microseconds, error));
    TRY(sections_take(in, &results->memory, error));
    results->is_shorter = shorter;
    results->seconds = (double)microseconds / 1e6;
    TRY(sections_enter(in, INNER, error));
    TRY(take_result(in, results->inner, error));
    TRY(sections_enter(in, SECOND, error));
    TRY(take_result(in, results->second, error));
    return sections_enter(in, 0, error);
}

enum status checkpointing_load(const struct checkpointing *checkpointing,
                               struct kept_results *results, bool *is_there, struct error *error)
{
    struct sections_in *in;
    *is_there = false;
    enum status status = sections_open(text_string(&checkpointing->result_path), RESULT_KIND,
                                       RESULT_VERSION, &in, error);
    *is_there = in != NULL;
    if (status == STATUS_OK && in)
        status = take_all(checkpointing, in, results, error);
    sections_close(in);
    if (status == STATUS_OK && *is_there) /* a run that ended between the two may have left it */
        unlink(text_string(&checkpointing->search_path));
    return as_usage(status);
}
