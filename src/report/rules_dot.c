/* Drawings of violation automata, labelled as their letters are written in `.lin`: `call Enq(1)`;
 * without `call` or `ret` both, without colours all. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/quoted.h"
#include "report/rules.h"

#define ALL_COLOURS (2u | 4u | 8u) /* 1 << colour */

struct drawing {
    const lp_rule_automaton *automaton;
    unsigned colours; /* those that are drawn, a bit for each: 1 << colour */
};

static bool is_marked(const lp_rule_automaton *automaton, uint32_t method)
{
    return automaton->unmarked[method] != method;
}

/* Whether a colour changes nothing: its letters are loops, if they may be read. */
static bool is_idle(const lp_rule_automaton *automaton, unsigned colour)
{
    for (uint32_t state = 0; state < automaton->state_count; state++)
        for (unsigned event = 0; event < 2; event++)
            for (uint32_t m = 0; m < automaton->method_count; m++) {
                bool loops = rules_colours(automaton, state, state, event, m) >> colour & 1;
                bool dead = rules_colours(automaton, state, LP_RULE_DEAD, event, m) >> colour & 1;
                if (!loops && !(dead && is_marked(automaton, m)))
                    return false;
            }
    return true;
}

static void append_letter(const struct drawing *drawing, const char *event, uint32_t method,
                          unsigned colours, struct text *text)
{
    const lp_rule_automaton *automaton = drawing->automaton;
    const char *between = "(";
    bool all = colours == ALL_COLOURS;
    if (!(colours & drawing->colours))
        return;
    text_append(text, text->length ? "\\n" : "");
    text_append(text, is_marked(automaton, method) ? "marked " : "");
    text_append(text, event);
    quoted_append(text, automaton->methods[automaton->unmarked[method]]);
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS && !all; colour++)
        if (colours & drawing->colours & 1u << colour) {
            text_format(text, "%s%u", between, colour);
            between = ", ";
        }
    text_append(text, all ? "" : ")");
}

/* Whether every letter leads there. */
static bool leads_always(const lp_rule_automaton *automaton, uint32_t from, uint32_t to)
{
    for (unsigned event = 0; event < 2; event++)
        for (uint32_t m = 0; m < automaton->method_count; m++)
            if (rules_colours(automaton, from, to, event, m) != ALL_COLOURS)
                return false;
    return true;
}

static void append_edge(const struct drawing *drawing, uint32_t from, uint32_t to,
                        struct text *text)
{
    const lp_rule_automaton *automaton = drawing->automaton;
    struct text label = TEXT_EMPTY;
    bool always = leads_always(automaton, from, to);
    if (always)
        text_append(&label, "all");
    for (uint32_t m = 0; m < automaton->method_count && !always; m++) {
        unsigned calls = rules_colours(automaton, from, to, 0, m);
        unsigned returns = rules_colours(automaton, from, to, 1, m);
        bool same = calls == returns;
        append_letter(drawing, same ? "" : "call ", m, calls, &label);
        append_letter(drawing, "ret ", m, same ? 0 : returns, &label);
    }
    if (label.length)
        text_format(text, "  %" PRIu32 " -> %" PRIu32 " [label=\"%s\"];\n", from, to,
                    text_string(&label));
    text_release(&label);
}

static void append_state(const lp_rule_automaton *automaton, uint32_t state, struct text *text)
{
    text_format(text, "  %" PRIu32 " [label=\"", state);
    quoted_append(text, automaton->state_names[state]);
    text_format(text, "\"%s%s];\n", automaton->accepting[state] ? ", peripheries=2" : "",
                automaton->complete[state] ? ", style=dashed" : "");
}

/* "colours 2 and 3 change nothing, and are left out" */
static void append_left_out(const struct drawing *drawing, struct text *text)
{
    unsigned left_out = ~drawing->colours & ALL_COLOURS, first = left_out & -left_out;
    bool several = left_out != first;
    if (!left_out)
        return;
    text_append(text, several ? "\\ncolours " : "\\ncolour ");
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (left_out >> colour & 1)
            text_format(text, "%s%u", left_out >> colour == 1 && several ? " and " : "", colour);
    text_append(text, several ? " change nothing, and are left out"
                              : " changes nothing, and is left out");
}

void rules_write_dot(const lp_rule_automaton *automaton, FILE *out)
{
    struct drawing drawing = {automaton, 0};
    struct text text = TEXT_EMPTY;
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (!is_idle(automaton, colour))
            drawing.colours |= 1u << colour;
    text_append(&text, "digraph \"");
    quoted_append(&text, automaton->name);
    text_append(&text, "\" {\n  rankdir=LR;\n  label=\"");
    quoted_append(&text, automaton->name);
    append_left_out(&drawing, &text);
    text_append(&text, "\";\n  start [shape=point, label=\"\"];\n");
    text_format(&text, "  start -> %" PRIu32 ";\n", automaton->initial);
    for (uint32_t s = 0; s < automaton->state_count; s++)
        append_state(automaton, s, &text);
    for (uint32_t from = 0; from < automaton->state_count; from++)
        for (uint32_t to = 0; to < automaton->state_count; to++)
            append_edge(&drawing, from, to, &text);
    text_append(&text, "}\n");
    fputs(text_string(&text), out);
    text_release(&text);
}
