#include "report/rule_letters.h"

#define ALL_COLOURS (2u | 4u | 8u) /* 1 << colour */

unsigned rules_colours(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                       unsigned event, uint32_t method)
{
    size_t row = (size_t)from * 2 + event;
    const uint32_t *next =
        &automaton->next[(row * automaton->method_count + method) * LP_RULE_COLOURS];
    unsigned colours = 0;
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        colours |= (unsigned)(next[colour - 1] == to) << colour;
    return colours;
}

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

unsigned rule_letters_colours(const lp_rule_automaton *automaton)
{
    unsigned drawn = 0;
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (!is_idle(automaton, colour))
            drawn |= 1u << colour;
    return drawn;
}

void rule_letters_append_left_out(unsigned drawn, struct text *text)
{
    unsigned left_out = ~drawn & ALL_COLOURS, first = left_out & -left_out;
    bool several = left_out != first;
    if (!left_out)
        return;
    text_append(text, several ? "colours " : "colour ");
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        if (left_out >> colour & 1)
            text_format(text, "%s%u", left_out >> colour == 1 && several ? " and " : "", colour);
    text_append(text, several ? " change nothing, and are left out"
                              : " changes nothing, and is left out");
}

static void append_name(const lp_rule_automaton *automaton, const char *event, uint32_t method,
                        struct text *text)
{
    text_append(text, is_marked(automaton, method) ? "marked " : "");
    text_append(text, event);
    text_append(text, automaton->methods[automaton->unmarked[method]]);
}

static void append_letters(const lp_rule_automaton *automaton, unsigned drawn, const char *event,
                           uint32_t method, unsigned colours, struct text *text)
{
    const char *between = "(";
    bool all = colours == ALL_COLOURS;
    if (!(colours & drawn))
        return;
    text_append(text, text->length ? "\n" : "");
    append_name(automaton, event, method, text);
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS && !all; colour++)
        if (colours & drawn & 1u << colour) {
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

void rule_letters_append_edge(const lp_rule_automaton *automaton, unsigned drawn, uint32_t from,
                              uint32_t to, struct text *text)
{
    if (leads_always(automaton, from, to)) {
        text_append(text, "all");
        return;
    }
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        unsigned calls = rules_colours(automaton, from, to, 0, m);
        unsigned returns = rules_colours(automaton, from, to, 1, m);
        bool same = calls == returns;
        append_letters(automaton, drawn, same ? "" : "call ", m, calls, text);
        append_letters(automaton, drawn, "ret ", m, same ? 0 : returns, text);
    }
}

void rule_letters_append_event(const lp_rule_automaton *automaton, bool returned, uint32_t method,
                               unsigned colour, struct text *text)
{
    append_name(automaton, returned ? "ret " : "call ", method, text);
    text_format(text, "(%u)", colour);
}
