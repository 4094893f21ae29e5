/* What a search was made of, in words and in JSON: `verify --stats`. */
#include <string.h>

#include "report/verification.h"

struct writer {
    struct node *root, *object; /* the answer; the object of JSON that fields go into */
    const lp_verification *found;
};

static bool was_used(const struct writer *writer, const char *reduction)
{
    for (size_t i = 0; i < writer->found->reduction_count; i++)
        if (strcmp(writer->found->reductions[i], reduction) == 0)
            return true;
    return false;
}

/* A line of its own, indented, that begins with what it is about. */
static struct text *begin_line(const struct writer *writer, const char *about)
{
    struct text *line = node_add_line(writer->root, 4, STYLE_DIM);
    text_format(line, "%-17s ", about);
    return line;
}

/* "1,000 steps left out": the key is the field's. */
static void add_count(const struct writer *writer, struct text *line, const char *key,
                      uint64_t number, const char *one, const char *several, bool is_first)
{
    node_add_number(writer->object, key, number);
    text_append(line, is_first ? "" : ", ");
    report_text_count(number, one, several, line);
}

static void add_search(const struct writer *writer, const lp_search_stats *stats)
{
    struct text *line = begin_line(writer, "search:");
    add_count(writer, line, "found", stats->found, "found", "found", true);
    add_count(writer, line, "expanded", stats->expanded, "state expanded", "states expanded",
              false);
    add_count(writer, line, "steps", stats->steps, "step", "steps", false);
    uint32_t widest = 0;
    for (size_t i = 0; i < stats->level_count; i++)
        widest = stats->levels[i] > widest ? stats->levels[i] : widest;
    node_add_indices(writer->object, "levels", stats->levels, stats->level_count);
    if (stats->level_count == 0)
        return;
    line = begin_line(writer, "levels:");
    report_text_count(stats->level_count, "level", "levels", line);
    text_append(line, ", the widest of ");
    report_text_count(widest, "found", "found", line);
}

static void add_partial_order(struct writer writer, const lp_search_stats *stats)
{
    if (!was_used(&writer, "partial-order") || (!stats->ample_offered && !stats->passed))
        return;
    writer.object = node_add_object(writer.object, "partial-order");
    struct text *line = begin_line(&writer, "partial order:");
    add_count(&writer, line, "left_out", stats->ample_left_out, "step left out", "steps left out",
              true);
    add_count(&writer, line, "ample", stats->ample, "state in which some stand for all",
              "states in which some stand for all", false);
    add_count(&writer, line, "refused", stats->ample_offered - stats->ample,
              "in which that would not lead upwards", "in which that would not lead upwards",
              false);
    add_count(&writer, line, "passed", stats->passed, "not stored", "not stored", false);
}

static void add_other_reductions(struct writer writer, const lp_search_stats *stats)
{
    struct node *reductions = writer.object;
    if (was_used(&writer, "symmetry")) {
        writer.object = node_add_object(reductions, "symmetry");
        add_count(&writer, begin_line(&writer, "symmetry:"), "renumbered", stats->renumbered,
                  "state that another one stands for", "states that others stand for", true);
    }
    if (was_used(&writer, "pure-iterations")) {
        writer.object = node_add_object(reductions, "pure-iterations");
        add_count(&writer, begin_line(&writer, "pure iterations:"), "left_out", stats->pure,
                  "step left out", "steps left out", true);
    }
    if (was_used(&writer, "stale-reads")) {
        writer.object = node_add_object(reductions, "stale-reads");
        add_count(&writer, begin_line(&writer, "stale reads:"), "left_out", stats->stale,
                  "step left out", "steps left out", true);
    }
    if (was_used(&writer, "decided-steps")) {
        writer.object = node_add_object(reductions, "decided-steps");
        add_count(&writer, begin_line(&writer, "decided steps:"), "ample", stats->ample,
                  "state in which one thread's stand for all",
                  "states in which one thread's stand for all", true);
    }
    if (was_used(&writer, "sticky-fields") && !was_used(&writer, "decided-steps")) {
        writer.object = node_add_object(reductions, "sticky-fields");
        add_count(&writer, begin_line(&writer, "sticky fields:"), "ample", stats->ample,
                  "state in which one thread's stand for all",
                  "states in which one thread's stand for all", true);
    }
    if (was_used(&writer, "antichain")) {
        writer.object = node_add_object(reductions, "antichain");
        struct text *line = begin_line(&writer, "antichain:");
        add_count(&writer, line, "covered", stats->covered, "pair came behind a smaller one",
                  "pairs came behind smaller ones", true);
        add_count(&writer, line, "replaced", stats->replaced, "replaced by a smaller one",
                  "replaced by smaller ones", false);
    }
}

static void add_specification(struct writer writer, const lp_search_stats *stats)
{
    if (!stats->has_specification)
        return;
    writer.object = node_add_object(writer.object, "specification");
    struct text *line = begin_line(&writer, "specification:");
    add_count(&writer, line, "sets", stats->sets, "set", "sets", true);
    add_count(&writer, line, "asked", stats->asked, "step asked for", "steps asked for", false);
    add_count(&writer, line, "worked_out", stats->worked_out, "worked out", "worked out", false);
}

static void add_bytes(struct writer writer, const lp_search_stats *stats)
{
    static const char *const names[] = {"states", "index", "found", "pairs", "edges", "other"};
    const size_t bytes[] = {stats->state_bytes, stats->index_bytes, stats->found_bytes,
                            stats->pair_bytes,  stats->edge_bytes,  stats->other_bytes};
    const double found = stats->found ? (double)stats->found : 1;
    struct text *line = begin_line(&writer, "bytes of each:");
    writer.object = node_add_object(writer.object, "bytes");
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        node_add_number(writer.object, names[i], bytes[i]);
        text_format(line, "%s%s %.1f", i ? ", " : "", names[i], (double)bytes[i] / found);
    }
}

void search_stats_fill(struct result *result, const lp_verification *found)
{
    const lp_search_stats *stats = found->stats;
    struct writer writer = {&result->root, node_add_object(&result->root, "stats"), found};
    struct writer inside = writer;
    add_search(&writer, stats);
    inside.object = node_add_object(writer.object, "reductions");
    add_partial_order(inside, stats);
    add_other_reductions(inside, stats);
    add_specification(writer, stats);
    add_bytes(writer, stats);
    if (!stats->is_native)
        return;
    node_add_number(writer.object, "native_from", stats->native_from);
    text_format(begin_line(&writer, "steps:"), "compiled from state %llu on",
                (unsigned long long)stats->native_from);
}
