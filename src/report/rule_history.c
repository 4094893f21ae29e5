#include "report/rule_history.h"

#include <stdlib.h>

#include "report/json.h"
#include "report/timeline.h"

void rule_operation_append(const lp_rule_operation *operation, struct text *text)
{
    text_append(text, operation->method);
    if (operation->has_value)
        text_format(text, " %c", (char)('a' + operation->value));
}

static int by_call(const void *left, const void *right)
{
    const struct timeline_item *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

void rule_history_draw(const lp_rule_history *history, const struct terminal *terminal,
                       struct text *text)
{
    struct timeline_item items[LP_RULES_RANDOM_MOST];
    char *labels[LP_RULES_RANDOM_MOST];
    const char *rows[LP_RULES_RANDOM_MOST];
    for (size_t i = 0; i < history->operation_count; i++) {
        const lp_rule_operation *operation = &history->operations[i];
        struct text label = TEXT_EMPTY;
        rule_operation_append(operation, &label);
        labels[i] = text_take(&label);
        rows[i] = "";
        items[i] = (struct timeline_item){
            .label = labels[i], .start = operation->call, .end = operation->ret, .core = true};
    }
    qsort(items, history->operation_count, sizeof *items, by_call);
    for (uint32_t i = 0; i < history->operation_count; i++)
        items[i].row = i;
    const struct timeline timeline = {.rows = rows,
                                      .row_count = history->operation_count,
                                      .items = items,
                                      .item_count = history->operation_count};
    timeline_draw(&timeline, terminal, 4, text);
    for (size_t i = 0; i < history->operation_count; i++)
        free(labels[i]);
}

void rule_history_json(yajl_gen json, const char *key, const lp_rule_history *history)
{
    json_open_list(json, key);
    for (size_t i = 0; i < history->operation_count; i++) {
        const lp_rule_operation *operation = &history->operations[i];
        yajl_gen_map_open(json);
        json_add_text(json, "method", operation->method);
        if (operation->has_value)
            json_add_number(json, "value", operation->value + 1);
        if (operation->colour)
            json_add_number(json, "colour", operation->colour);
        if (operation->marked)
            json_add_boolean(json, "marked", true);
        json_add_number(json, "call", operation->call);
        json_add_number(json, "return", operation->ret);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}
