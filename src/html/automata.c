#include "html/automata.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/rule_history.h"
#include "report/rule_letters.h"

#define MOST_EVENTS 400 /* of a history that is read event by event */

/* What the automaton reads: an event of an operation. */
struct letter {
    uint64_t position;
    uint32_t operation;
    bool returned;
    uint32_t method; /* the automaton's */
    unsigned colour;
};

static int by_position(const void *left, const void *right)
{
    const struct letter *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

/* The automaton's method of that name, or its marked copy. */
static uint32_t find_method(const lp_rule_automaton *automaton, const char *name, bool marked)
{
    uint32_t m = 0;
    while (m < automaton->method_count &&
           (strcmp(automaton->methods[automaton->unmarked[m]], name) != 0 ||
            (automaton->unmarked[m] != m) != marked))
        m++;
    return m;
}

/* ---- a small history ---- */

static size_t collect_small(const lp_rule_automaton *automaton, const lp_rule_history *history,
                            struct letter *letters)
{
    size_t count = 0;
    for (uint32_t i = 0; i < history->operation_count; i++) {
        const lp_rule_operation *operation = &history->operations[i];
        uint32_t method = find_method(automaton, operation->method, operation->marked);
        letters[count++] =
            (struct letter){operation->read_call, i, false, method, operation->colour};
        letters[count++] = (struct letter){operation->read_ret, i, true, method, operation->colour};
    }
    return count;
}

static void write_operations(const lp_rule_history *history, yajl_gen json)
{
    json_open_list(json, "operations");
    for (size_t i = 0; i < history->operation_count; i++) {
        struct text label = TEXT_EMPTY;
        rule_operation_append(&history->operations[i], &label);
        json_add_item(json, text_string(&label));
        text_release(&label);
    }
    yajl_gen_array_close(json);
}

/* ---- a recorded history ---- */

static size_t collect_recorded(const lp_rule_automaton *automaton, const lp_history *history,
                               const lp_rules_run *run, const lp_rules_reading *reading,
                               struct letter *letters)
{
    size_t count = 0;
    for (uint32_t i = 0; i < lp_history_length(history); i++) {
        const lp_operation operation = lp_history_operation(history, i);
        bool pending = operation.outcome == LP_OUTCOME_UNKNOWN || operation.response == LP_NEVER;
        if (!run->methods[i])
            continue;
        uint32_t method = find_method(automaton, run->methods[i], reading->marked[i]);
        letters[count++] = (struct letter){operation.invoke, i, false, method, reading->colours[i]};
        letters[count++] =
            (struct letter){pending ? (uint64_t)UINT32_MAX + operation.invoke : operation.response,
                            i, true, method, reading->colours[i]};
    }
    return count;
}

/* ---- both ---- */

/* The letters in their order, each with the state behind it. Of long histories those are left out
 * that leave the automaton where it is. */
static void write_steps(const lp_rule_automaton *automaton, struct letter *letters, size_t count,
                        yajl_gen json)
{
    uint32_t state = automaton->initial, before;
    struct text words = TEXT_EMPTY;
    qsort(letters, count, sizeof *letters, by_position);
    json_add_number(json, "events", count);
    json_open_list(json, "steps");
    for (size_t i = 0; i < count && state != LP_RULE_DEAD; i++) {
        const struct letter *letter = &letters[i];
        size_t row = ((size_t)state * 2 + letter->returned) * automaton->method_count;
        before = state;
        state = automaton->next[(row + letter->method) * LP_RULE_COLOURS + letter->colour - 1];
        if (state == LP_RULE_DEAD || (count > MOST_EVENTS && state == before))
            continue;
        text_clear(&words);
        rule_letters_append_event(automaton, letter->returned, letter->method, letter->colour,
                                  &words);
        yajl_gen_array_open(json);
        json_add_number(json, NULL, letter->operation);
        json_add_number(json, NULL, letter->returned);
        json_add_item(json, text_string(&words));
        json_add_number(json, NULL, state);
        yajl_gen_array_close(json);
    }
    yajl_gen_array_close(json);
    text_release(&words);
}

static void write_reading(const lp_rule_automaton *automaton, size_t index, const struct node *node,
                          yajl_gen json)
{
    const lp_rules_run *run = node->history ? node->found : NULL;
    const lp_rule_history *small = node->history ? NULL : node->found;
    size_t room = 2 * (run ? lp_history_length(node->history) : small->operation_count);
    struct letter *letters = memory_small((room + 1) * sizeof *letters);
    size_t count =
        run ? collect_recorded(automaton, node->history, run, &run->readings[index], letters)
            : collect_small(automaton, small, letters);
    json_open_object(json, NULL);
    json_add_text(json, "about", text_string(&node->words));
    if (small)
        write_operations(small, json);
    write_steps(automaton, letters, count, json);
    yajl_gen_map_close(json);
    free(letters);
}

static void write_states(const lp_rule_automaton *automaton, yajl_gen json)
{
    json_add_number(json, "initial", automaton->initial);
    json_open_list(json, "states");
    for (uint32_t s = 0; s < automaton->state_count; s++) {
        json_open_object(json, NULL);
        json_add_text(json, "name", automaton->state_names[s]);
        if (automaton->accepting[s])
            json_add_text(json, "accepts", automaton->complete[s] ? "whole" : "all");
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void write_edges(const lp_rule_automaton *automaton, yajl_gen json)
{
    unsigned drawn = rule_letters_colours(automaton);
    struct text text = TEXT_EMPTY;
    rule_letters_append_left_out(drawn, &text);
    json_add_text(json, "left_out", text_string(&text));
    json_open_list(json, "edges");
    for (uint32_t from = 0; from < automaton->state_count; from++)
        for (uint32_t to = 0; to < automaton->state_count; to++) {
            text_clear(&text);
            rule_letters_append_edge(automaton, drawn, from, to, &text);
            if (!text.length)
                continue;
            yajl_gen_array_open(json);
            json_add_number(json, NULL, from);
            json_add_number(json, NULL, to);
            json_add_item(json, text_string(&text));
            yajl_gen_array_close(json);
        }
    yajl_gen_array_close(json);
    text_release(&text);
}

static void write_automaton(const struct node *node, yajl_gen json)
{
    lp_rule_automaton automaton;
    if (!lp_rules_at(node->found, node->number, &automaton))
        return;
    json_open_object(json, NULL);
    json_add_text(json, "name", automaton.name);
    json_add_text(json, "rule", automaton.rule);
    write_states(&automaton, json);
    write_edges(&automaton, json);
    json_open_list(json, "readings");
    for (const struct node *reading = node->first; reading; reading = reading->next)
        write_reading(&automaton, node->number, reading, json);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

void html_automata_json(const struct result *result, yajl_gen json)
{
    bool open = false;
    for (const struct node *node = result->root.first; node; node = node->next) {
        if (node->kind != NODE_AUTOMATON)
            continue;
        if (!open)
            json_open_list(json, "automata");
        open = true;
        write_automaton(node, json);
    }
    if (open)
        yajl_gen_array_close(json);
}
