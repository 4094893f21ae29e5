#include "report/automaton.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/json.h"
#include "report/quoted.h"

/* What an edge reads, by name for DOT and by number for HOA. */
static void append_letters(const lp_automaton *automaton, const lp_automaton_edge *edge,
                           bool by_name, struct text *text)
{
    const char *between = "";
    if (!(edge->positive | edge->negative))
        text_append(text, by_name ? "true" : "t");
    for (unsigned i = 0; i < automaton->atom_count; i++) {
        if (!((edge->positive | edge->negative) >> i & 1))
            continue;
        text_append(text, between);
        if (edge->negative >> i & 1)
            text_append_char(text, '!');
        if (by_name)
            quoted_append(text, automaton->atoms[i]);
        else
            text_format(text, "%u", i);
        between = by_name ? " && " : "&";
    }
}

/* " {0 2}", nothing where there is none */
static void append_acceptance(const lp_automaton *automaton, const lp_automaton_edge *edge,
                              struct text *text)
{
    if (!edge->acceptance)
        return;
    text_append(text, " {");
    for (unsigned i = 0, shown = 0; i < automaton->acceptance_count; i++)
        if (edge->acceptance >> i & 1)
            text_format(text, "%s%u", shown++ ? " " : "", i);
    text_append_char(text, '}');
}

/* ---- DOT ---- */

void automaton_write_dot(const lp_automaton *automaton, FILE *out)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, "digraph \"");
    quoted_append(&text, automaton->formula);
    text_append(&text, "\" {\n  node [shape=circle];\n");
    for (size_t i = 0; i < automaton->initial_count; i++)
        text_format(&text,
                    "  start_%" PRIu32 " [shape=point, label=\"\"];\n"
                    "  start_%" PRIu32 " -> %" PRIu32 ";\n",
                    automaton->initial[i], automaton->initial[i], automaton->initial[i]);
    for (size_t i = 0; i < automaton->state_count; i++)
        text_format(&text, "  %zu;\n", i);
    for (size_t i = 0; i < automaton->edge_count; i++) {
        const lp_automaton_edge *edge = &automaton->edges[i];
        text_format(&text, "  %" PRIu32 " -> %" PRIu32 " [label=\"", edge->source, edge->target);
        append_letters(automaton, edge, true, &text);
        append_acceptance(automaton, edge, &text);
        text_append(&text, "\"];\n");
    }
    text_append(&text, "}\n");
    fputs(text_string(&text), out);
    text_release(&text);
}

/* ---- HOA ---- */

static void append_condition(unsigned sets, struct text *text)
{
    if (sets == 0)
        text_append(text, "acc-name: all\nAcceptance: 0 t\n");
    else if (sets == 1)
        text_append(text, "acc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    else
        text_format(text, "acc-name: generalized-Buchi %u\nAcceptance: %u Inf(0)", sets, sets);
    for (unsigned i = 1; i < sets; i++)
        text_format(text, "&Inf(%u)%s", i, i + 1 == sets ? "\n" : "");
}

void automaton_write_hoa(const lp_automaton *automaton, FILE *out)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, "HOA: v1\nname: \"");
    quoted_append(&text, automaton->formula);
    text_format(&text, "\"\ntool: \"linchpin\" \"%s\"\nStates: %zu\n", LP_VERSION,
                automaton->state_count);
    for (size_t i = 0; i < automaton->initial_count; i++)
        text_format(&text, "Start: %" PRIu32 "\n", automaton->initial[i]);
    text_format(&text, "AP: %zu", automaton->atom_count);
    for (size_t i = 0; i < automaton->atom_count; i++) {
        text_append(&text, " \"");
        quoted_append(&text, automaton->atoms[i]);
        text_append_char(&text, '"');
    }
    text_append_char(&text, '\n');
    append_condition(automaton->acceptance_count, &text);
    text_append(&text, "properties: trans-labels explicit-labels trans-acc\n--BODY--\n");
    size_t next = 0;
    for (size_t state = 0; state < automaton->state_count; state++) {
        text_format(&text, "State: %zu\n", state);
        for (; next < automaton->edge_count && automaton->edges[next].source == state; next++) {
            text_append_char(&text, '[');
            append_letters(automaton, &automaton->edges[next], false, &text);
            text_format(&text, "] %" PRIu32, automaton->edges[next].target);
            append_acceptance(automaton, &automaton->edges[next], &text);
            text_append_char(&text, '\n');
        }
    }
    text_append(&text, "--END--\n");
    fputs(text_string(&text), out);
    text_release(&text);
}

/* ---- JSON ---- */

static void add_names(const lp_automaton *automaton, const char *key, uint64_t atoms, yajl_gen json)
{
    json_open_list(json, key);
    for (size_t i = 0; i < automaton->atom_count; i++)
        if (atoms >> i & 1)
            json_add_item(json, automaton->atoms[i]);
    yajl_gen_array_close(json);
}

static void add_edge(const lp_automaton *automaton, const lp_automaton_edge *edge, yajl_gen json)
{
    yajl_gen_map_open(json);
    json_add_number(json, "source", edge->source);
    json_add_number(json, "target", edge->target);
    add_names(automaton, "positive", edge->positive, json);
    add_names(automaton, "negative", edge->negative, json);
    json_open_list(json, "acceptance");
    for (unsigned i = 0; i < automaton->acceptance_count; i++)
        if (edge->acceptance >> i & 1)
            yajl_gen_integer(json, i);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

void automaton_write_json(const lp_automaton *automaton, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_text(json, "formula", automaton->formula);
    json_add_text(json, "simplified", automaton->simplified);
    add_names(automaton, "atoms", UINT64_MAX, json);
    json_add_number(json, "states", automaton->state_count);
    json_add_indices(json, "initial", automaton->initial, automaton->initial_count);
    json_add_number(json, "acceptance_sets", automaton->acceptance_count);
    json_open_list(json, "edges");
    for (size_t i = 0; i < automaton->edge_count; i++)
        add_edge(automaton, &automaton->edges[i], json);
    yajl_gen_array_close(json);
    json_end(json, out);
}
