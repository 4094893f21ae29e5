/* `a.x.y` and, where events are hidden, `c[i]!x.y`: names with components that are sums. */
#include "csp/parser_event.h"

#include "csp/parser_expression.h"

/* The index and the direction of a communication, `c[i]!` of `c[i]!5`. */
static enum status parse_direction(struct parser *parser, struct csp_event *event)
{
    if (parser_accept(parser, CSP_LEFT_BRACKET)) {
        TRY(csp_parse_sum(parser, &event->index));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, "after the channel's index"));
    }
    if (parser_accept(parser, CSP_BANG))
        event->direction = '!';
    else if (parser_accept(parser, CSP_QUESTION))
        event->direction = '?';
    return STATUS_OK;
}

static enum status parse_components(struct parser *parser, struct csp_event *event)
{
    bool more = event->direction || parser_accept(parser, CSP_DOT);
    while (more) {
        struct csp_expression *component = NULL;
        TRY(csp_parse_sum(parser, &component));
        TRY(PARSER_APPEND(parser, event->components, event->component_count, component));
        more = parser_accept(parser, CSP_DOT);
    }
    return STATUS_OK;
}

enum status csp_parse_event(struct parser *parser, struct csp_event *event)
{
    event->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an event)", &event->name));
    return parse_components(parser, event);
}

static enum status parse_hidden_event(struct parser *parser, struct csp_event *event)
{
    event->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an event)", &event->name));
    TRY(parse_direction(parser, event));
    return parse_components(parser, event);
}

enum status csp_parse_event_sets(struct parser *parser, bool hidden, struct csp_event_set **sets,
                                 uint32_t *count)
{
    do {
        struct csp_event_set set = {0};
        if (parser_ahead(parser, 1)->kind == CSP_COLON) {
            TRY(csp_parse_ranges(parser, &set.ranges, &set.range_count));
            TRY(parser_expect(parser, CSP_AT, "after the ranges"));
        }
        TRY((hidden ? parse_hidden_event : csp_parse_event)(parser, &set.event));
        TRY(PARSER_APPEND(parser, *sets, *count, set));
    } while (parser_accept(parser, CSP_COMMA));
    return STATUS_OK;
}
