/* Violation automata as blocks of a `.lin` file. */
#include <inttypes.h>

#include "base/text.h"
#include "report/rule_letters.h"
#include "report/rules.h"

static void append_letter(const lp_rule_automaton *automaton, const char *event, uint32_t method,
                          unsigned colours, struct text *text)
{
    const char *between = "(";
    if (!colours)
        return;
    text_format(text, "%s%s%s%s", text->length ? ", " : "",
                automaton->unmarked[method] != method ? "marked " : "", event,
                automaton->methods[automaton->unmarked[method]]);
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (colours >> colour & 1) {
            text_format(text, "%s%u", between, colour);
            between = ", ";
        }
    text_append_char(text, ')');
}

static void write_transition(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                             FILE *out)
{
    struct text letters = TEXT_EMPTY;
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        unsigned calls = rules_colours(automaton, from, to, 0, m);
        unsigned returns = rules_colours(automaton, from, to, 1, m);
        bool same = calls == returns;
        append_letter(automaton, same ? "" : "call ", m, calls, &letters);
        append_letter(automaton, "ret ", m, same ? 0 : returns, &letters);
    }
    if (letters.length)
        fprintf(out, "        %s -> s%" PRIu32 ";\n", text_string(&letters), to);
    text_release(&letters);
}

void rules_write_lin(const lp_rule_automaton *automaton, FILE *out)
{
    const char *between = "    single ";
    fprintf(out, "automaton %s of %s {\n", automaton->name, automaton->object);
    if (automaton->rule[0])
        fprintf(out, "    rule \"%s\";\n", automaton->rule);
    if (automaton->violates)
        fprintf(out, "    violates %s;\n", automaton->violates);
    if (automaton->for_histories != automaton->for_prefixes)
        fprintf(out, "    for %s;\n", automaton->for_histories ? "histories" : "prefixes");
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (automaton->single >> colour & 1) {
            fprintf(out, "%s%u", between, colour);
            between = ", ";
        }
    fputs(automaton->single ? ";\n" : "", out);
    for (uint32_t s = 0; s < automaton->state_count; s++) {
        fprintf(out, "\n    %s%s%sstate s%" PRIu32 " {\n",
                s == automaton->initial ? "initial " : "",
                automaton->accepting[s] ? "accepting " : "",
                automaton->complete[s] ? "complete " : "", s);
        for (uint32_t to = 0; to < automaton->state_count; to++)
            write_transition(automaton, s, to, out);
        fputs("    }\n", out);
    }
    fputs("}\n\n", out);
}
