/* Writes nets as .spec or PNML. PNML has no targets and no open places: these stand in
 * `toolspecific` elements, which other tools are to ignore. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "petri/format.h"

const char *const net_format_names[NET_FORMATS] = {"spec", "tts", "pnml"};

/* ---- .spec ---- */

/* What stands for something else in the file. */
static bool is_word(const char *name)
{
    static const char *const words[] = {"vars",       "rules", "init", "target",
                                        "invariants", "true",  "in"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

/* Whether every place's name can stand in the file; else they are numbered. Names that are given
 * twice are not looked for: readers do not make them. */
static bool names_fit(const struct net *net)
{
    for (size_t p = 0; p < net->places.length; p++) {
        const char *name = net->places.items[p].name;
        bool good = (isalpha((unsigned char)name[0]) || name[0] == '_') && !is_word(name);
        for (size_t i = 0; name[i]; i++)
            good = good && (isalnum((unsigned char)name[i]) || name[i] == '_');
        if (!good)
            return false;
    }
    return true;
}

struct spec_writer {
    const struct net *net;
    FILE *out;
    bool named;
};

static void write_name(const struct spec_writer *writer, uint32_t number)
{
    if (writer->named)
        fputs(writer->net->places.items[number].name, writer->out);
    else
        fprintf(writer->out, "x%" PRIu32, number);
}

static void write_at_least(const struct spec_writer *writer, struct arcs arcs)
{
    for (uint32_t i = 0; i < arcs.count; i++) {
        fputs(i ? ", " : "    ", writer->out);
        write_name(writer, arcs.items[i].place);
        fprintf(writer->out, " >= %" PRIu32, arcs.items[i].count);
    }
}

/* A line; all weights may be 0, which says nothing. */
static void write_weights(const struct spec_writer *writer, struct arcs weights)
{
    const struct arc none = {0, 0};
    if (!weights.count)
        weights = (struct arcs){&none, 1};
    for (uint32_t i = 0; i < weights.count; i++) {
        fputs(i ? ", " : "    ", writer->out);
        write_name(writer, weights.items[i].place);
        fprintf(writer->out, " = %" PRIu32, weights.items[i].count);
    }
    fputc('\n', writer->out);
}

static void write_changes(const struct spec_writer *writer, struct arcs takes, struct arcs gives)
{
    uint32_t i = 0, j = 0;
    bool some = false;
    while (i < takes.count || j < gives.count) {
        uint32_t taken = i < takes.count ? takes.items[i].place : NET_NONE;
        uint32_t given = j < gives.count ? gives.items[j].place : NET_NONE;
        uint32_t changed = taken < given ? taken : given;
        int64_t delta = 0;
        delta -= taken == changed ? takes.items[i++].count : 0;
        delta += given == changed ? gives.items[j++].count : 0;
        if (!delta)
            continue;
        fputs(some ? ",\n        " : "\n        ", writer->out);
        write_name(writer, changed);
        fputs("' = ", writer->out);
        write_name(writer, changed);
        fprintf(writer->out, " %c %" PRId64, delta < 0 ? '-' : '+', delta < 0 ? -delta : delta);
        some = true;
    }
}

static void write_spec(const struct net *net, FILE *out)
{
    struct spec_writer writer = {net, out, names_fit(net)};
    fputs("vars\n   ", out);
    for (uint32_t p = 0; p < net->places.length; p++) {
        fputc(' ', out);
        write_name(&writer, p);
    }
    fputs("\n\nrules\n", out);
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        if (transition->takes.count)
            write_at_least(&writer, transition->takes);
        else
            fputs("    true", out);
        fputs(" ->", out);
        write_changes(&writer, transition->takes, transition->gives);
        fputs(";\n\n", out);
    }
    fputs("init\n   ", out);
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *described = &net->places.items[p];
        fputs(p ? ", " : " ", out);
        write_name(&writer, p);
        fprintf(out, " %s %" PRIu32, described->open ? ">=" : "=", described->initial);
    }
    fputs("\n\ntarget\n", out);
    for (size_t i = 0; i < net->targets.length; i++) {
        const struct arc none = {0, 0};
        bool empty = net->targets.items[i].count == 0; /* covered by everything */
        write_at_least(&writer, empty ? (struct arcs){&none, 1} : net->targets.items[i]);
        fputc('\n', out);
    }
    if (net->invariants.length)
        fputs("\ninvariants\n", out);
    for (size_t i = 0; i < net->invariants.length; i++)
        write_weights(&writer, net->invariants.items[i].weights);
}

/* ---- PNML ---- */

static void write_xml(const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc(*text, out);
}

#define TOOL "<toolspecific tool=\"linchpin\" version=\"" LP_VERSION "\">"

static void write_pnml_place(const struct net_place *described, size_t number, FILE *out)
{
    fprintf(out, "      <place id=\"p%zu\"><name><text>", number);
    write_xml(described->name, out);
    fputs("</text></name>", out);
    if (described->initial)
        fprintf(out, "<initialMarking><text>%" PRIu32 "</text></initialMarking>",
                described->initial);
    if (described->open)
        fputs(TOOL "<open/></toolspecific>", out);
    fputs("</place>\n", out);
}

static void write_pnml_arcs(struct arcs arcs, size_t transition, bool takes, FILE *out)
{
    for (uint32_t i = 0; i < arcs.count; i++) {
        uint32_t other = arcs.items[i].place;
        if (takes)
            fprintf(out,
                    "      <arc id=\"i%zu_%" PRIu32 "\" source=\"p%" PRIu32 "\" target=\"t%zu\">",
                    transition, other, other, transition);
        else
            fprintf(out,
                    "      <arc id=\"o%zu_%" PRIu32 "\" source=\"t%zu\" target=\"p%" PRIu32 "\">",
                    transition, other, transition, other);
        fprintf(out, "<inscription><text>%" PRIu32 "</text></inscription></arc>\n",
                arcs.items[i].count);
    }
}

/* A target or an invariant, as other tools do not have them. */
static void write_pnml_counts(struct arcs counts, const char *whole, const char *each, FILE *out)
{
    fprintf(out, "    " TOOL "<%s>", whole);
    for (uint32_t i = 0; i < counts.count; i++)
        fprintf(out, "<%s place=\"p%" PRIu32 "\">%" PRIu32 "</%s>", each, counts.items[i].place,
                counts.items[i].count, each);
    fprintf(out, "</%s></toolspecific>\n", whole);
}

static void write_pnml(const struct net *net, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
          "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
          "    <page id=\"page\">\n",
          out);
    for (size_t p = 0; p < net->places.length; p++)
        write_pnml_place(&net->places.items[p], p, out);
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        fprintf(out, "      <transition id=\"t%zu\">", t);
        if (transition->name) {
            fputs("<name><text>", out);
            write_xml(transition->name, out);
            fputs("</text></name>", out);
        }
        fputs("</transition>\n", out);
        write_pnml_arcs(transition->takes, t, true, out);
        write_pnml_arcs(transition->gives, t, false, out);
    }
    fputs("    </page>\n", out);
    for (size_t i = 0; i < net->targets.length; i++)
        write_pnml_counts(net->targets.items[i], "target", "atLeast", out);
    for (size_t i = 0; i < net->invariants.length; i++)
        write_pnml_counts(net->invariants.items[i].weights, "invariant", "weight", out);
    fputs("  </net>\n</pnml>\n", out);
}

enum status net_write(const struct net *net, enum net_format format, FILE *out, struct error *error)
{
    switch (format) {
    case NET_SPEC:
        if (!net->places.length || !net->targets.length)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "a net without places or targets cannot be written as spec");
        write_spec(net, out);
        return STATUS_OK;
    case NET_TTS:
        return net_write_tts(net, out, error);
    default:
        write_pnml(net, out);
        return STATUS_OK;
    }
}
