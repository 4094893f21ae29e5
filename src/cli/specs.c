/* linchpin specs: the table of the built-in specifications. */
#include <string.h>

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "cli/command.h"
#include "report/json.h"

static void print_json(size_t index, const lp_spec_entry *entry)
{
    lp_spec_operation_entry operation;
    yajl_gen json = json_begin(stdout);
    json_add_text(json, "spec", entry->name);
    json_add_text(json, "parameters", entry->parameters);
    json_add_text(json, "summary", entry->summary);
    json_open_list(json, "operations");
    for (size_t i = 0; lp_spec_operation_at(index, i, &operation); i++) {
        yajl_gen_map_open(json);
        json_add_text(json, "f", operation.name);
        json_add_text(json, "argument", operation.argument);
        json_add_text(json, "result", operation.result);
        json_open_list(json, "aliases");
        for (size_t j = 0; operation.aliases && operation.aliases[j]; j++)
            yajl_gen_string(json, (const unsigned char *)operation.aliases[j],
                            strlen(operation.aliases[j]));
        yajl_gen_array_close(json);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
    json_end(json, stdout);
}

/* "    dequeue → v, nil when empty   (also deq)" */
static void append_operation(const lp_spec_operation_entry *operation,
                             const struct terminal *terminal, struct text *text)
{
    text_format(text, "    %s", operation->name);
    if (*operation->argument)
        text_format(text, " %s", operation->argument);
    if (*operation->result)
        text_format(text, " %s %s", terminal->unicode ? "→" : "->", operation->result);
    for (size_t i = 0; operation->aliases && operation->aliases[i]; i++)
        text_format(text, "%s%s", i ? ", " : "   (also ", operation->aliases[i]);
    if (operation->aliases && operation->aliases[0])
        text_append(text, ")");
    text_append(text, "\n");
}

static void print_text(size_t index, const lp_spec_entry *entry, const struct terminal *terminal)
{
    struct text text = TEXT_EMPTY, name = TEXT_EMPTY;
    lp_spec_operation_entry operation;
    text_append(&name, entry->name);
    if (entry->parameters)
        text_format(&name, "(%s)", entry->parameters);
    if (index)
        text_append(&text, "\n");
    terminal_append(terminal, STYLE_STRONG, text_string(&name), &text);
    text_append(&text, ": ");
    terminal_wrap(terminal, entry->summary, 2, (unsigned)name.length + 2, &text);
    for (size_t i = 0; lp_spec_operation_at(index, i, &operation); i++)
        append_operation(&operation, terminal, &text);
    fputs(text_string(&text), stdout);
    text_release(&text);
    text_release(&name);
}

int specs_run(const struct options *options)
{
    struct terminal terminal = terminal_detect(1, (enum colour_choice)options->colour);
    lp_spec_entry entry;
    for (size_t i = 0; lp_spec_at(i, &entry); i++) {
        if (options->json)
            print_json(i, &entry);
        else
            print_text(i, &entry, &terminal);
    }
    return EXIT_HOLDS;
}
