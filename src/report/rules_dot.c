/* Drawings of violation automata. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/quoted.h"
#include "report/rules.h"

/* "call Enq 1,2" for the letters of one method and event that lead from one state to another. */
static void append_letters(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                           unsigned event, uint32_t method, struct text *text)
{
    const char *between = "";
    size_t row = (size_t)from * 2 + event;
    const uint32_t *next =
        &automaton->next[(row * automaton->method_count + method) * LP_RULE_COLOURS];
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++) {
        if (next[colour - 1] != to)
            continue;
        if (!*between) {
            text_append(text, text->length ? "\\n" : "");
            text_append(text, event ? "ret " : "call ");
            quoted_append(text, automaton->methods[method]);
            text_append(text, " ");
        }
        text_format(text, "%s%u", between, colour);
        between = ",";
    }
}

static void append_edge(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                        struct text *text)
{
    struct text label = TEXT_EMPTY;
    for (unsigned event = 0; event < 2; event++)
        for (uint32_t m = 0; m < automaton->method_count; m++)
            append_letters(automaton, from, to, event, m, &label);
    if (label.length)
        text_format(text, "  %" PRIu32 " -> %" PRIu32 " [label=\"%s\"];\n", from, to,
                    text_string(&label));
    text_release(&label);
}

void rules_write_dot(const lp_rule_automaton *automaton, FILE *out)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, "digraph \"");
    quoted_append(&text, automaton->name);
    text_append(&text, "\" {\n  rankdir=LR;\n  start [shape=point, label=\"\"];\n");
    text_format(&text, "  start -> %" PRIu32 ";\n", automaton->initial);
    for (uint32_t s = 0; s < automaton->state_count; s++) {
        text_format(&text, "  %" PRIu32 " [label=\"", s);
        quoted_append(&text, automaton->state_names[s]);
        text_format(&text, "\"%s];\n", automaton->accepting[s] ? ", peripheries=2" : "");
    }
    for (uint32_t from = 0; from < automaton->state_count; from++)
        for (uint32_t to = 0; to < automaton->state_count; to++)
            append_edge(automaton, from, to, &text);
    text_append(&text, "}\n");
    fputs(text_string(&text), out);
    text_release(&text);
}
