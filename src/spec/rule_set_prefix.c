#include "spec/rule_set_prefix.h"

#include "base/text.h"
#include "spec/rule_set_words.h"

#define PREFIXES_OF 4 /* events */

struct prefixes {
    const struct rule_set *set;
    struct error *error;
};

static bool derives(const struct rule_set *set, const struct rule_word *word)
{
    struct rule_event scratch[RULE_MOST_EVENTS];
    return rule_set_derives(set, set->rule_count, word, scratch);
}

/* The longest proper prefix is enough: shorter words have been looked at. */
static bool check_word(void *context, const struct rule_word *word)
{
    const struct prefixes *prefixes = context;
    const struct rule_set *set = prefixes->set;
    const struct rule_word prefix = {word->events, word->length - 1, word->ranks};
    if (!derives(set, word) || derives(set, &prefix))
        return true;
    struct text whole = TEXT_EMPTY, part = TEXT_EMPTY;
    rule_word_print(set, word, &whole);
    rule_word_print(set, &prefix, &part);
    error_set(prefixes->error, STATUS_INPUT, set->file, set->line,
              "expected prefix-closed rules to decide histories with, found that %s derive `%s` "
              "and not `%s`",
              set->name, text_string(&whole), text_string(&part));
    text_release(&whole);
    text_release(&part);
    return false;
}

static bool check_labelling(void *context, const struct rule_labelling *labelling)
{
    const struct prefixes *prefixes = context;
    return rule_words_visit(prefixes->set, labelling, check_word, context);
}

enum status rule_set_check_prefixes(const struct rule_set *set, struct budget *budget,
                                    struct error *error)
{
    struct prefixes prefixes = {.set = set, .error = error};
    struct rule_shapes shapes;
    vector_init(&shapes.items, budget);
    enum status status = rule_shapes_find(set, PREFIXES_OF, &shapes) ? STATUS_OK : STATUS_LIMIT;
    for (unsigned n = 1; n <= PREFIXES_OF && status == STATUS_OK; n++)
        if (!rule_labellings_visit(&shapes, n, check_labelling, &prefixes))
            status = STATUS_INPUT;
    vector_release(&shapes.items);
    return status;
}
