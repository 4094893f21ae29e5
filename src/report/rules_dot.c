/* Drawings of violation automata for graphviz. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/quoted.h"
#include "report/rule_letters.h"
#include "report/rules.h"

/* Letters, a line each. */
static void append_label(const struct text *letters, struct text *text)
{
    struct text line = TEXT_EMPTY;
    for (const char *at = text_string(letters); *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        text_clear(&line);
        text_append_bytes(&line, at, length);
        text_append(text, at == text_string(letters) ? "" : "\\n");
        quoted_append(text, text_string(&line));
        at += length;
    }
    text_release(&line);
}

static void append_edge(const lp_rule_automaton *automaton, unsigned drawn, uint32_t from,
                        uint32_t to, struct text *text)
{
    struct text letters = TEXT_EMPTY;
    rule_letters_append_edge(automaton, drawn, from, to, &letters);
    if (letters.length) {
        text_format(text, "  %" PRIu32 " -> %" PRIu32 " [label=\"", from, to);
        append_label(&letters, text);
        text_append(text, "\"];\n");
    }
    text_release(&letters);
}

static void append_state(const lp_rule_automaton *automaton, uint32_t state, struct text *text)
{
    text_format(text, "  %" PRIu32 " [label=\"", state);
    quoted_append(text, automaton->state_names[state]);
    text_format(text, "\"%s%s];\n", automaton->accepting[state] ? ", peripheries=2" : "",
                automaton->complete[state] ? ", style=dashed" : "");
}

void rules_write_dot(const lp_rule_automaton *automaton, FILE *out)
{
    unsigned drawn = rule_letters_colours(automaton);
    struct text text = TEXT_EMPTY, left_out = TEXT_EMPTY;
    rule_letters_append_left_out(drawn, &left_out);
    text_append(&text, "digraph \"");
    quoted_append(&text, automaton->name);
    text_append(&text, "\" {\n  rankdir=LR;\n  label=\"");
    quoted_append(&text, automaton->name);
    text_format(&text, "%s%s", left_out.length ? "\\n" : "", text_string(&left_out));
    text_append(&text, "\";\n  start [shape=point, label=\"\"];\n");
    text_format(&text, "  start -> %" PRIu32 ";\n", automaton->initial);
    for (uint32_t s = 0; s < automaton->state_count; s++)
        append_state(automaton, s, &text);
    for (uint32_t from = 0; from < automaton->state_count; from++)
        for (uint32_t to = 0; to < automaton->state_count; to++)
            append_edge(automaton, drawn, from, to, &text);
    text_append(&text, "}\n");
    fputs(text_string(&text), out);
    text_release(&left_out);
    text_release(&text);
}
