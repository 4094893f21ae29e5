#include "history/skipped.h"

#include <string.h>

#include "base/text.h"
#include "spec/builtin.h"
#include "value/print.h"

/* The specification that has the operation, or null. */
static const struct spec_class *class_with(const struct bind_options *options, bool inferred,
                                           const char *function)
{
    size_t length = strlen(function), count;
    for (size_t i = 0; i < options->binding_count; i++) {
        const struct spec_class *class = options->bindings[i].spec->class;
        if (spec_operation_find(class, function, length) >= 0)
            return class;
    }
    const struct spec_class *const *classes = spec_classes(&count);
    for (size_t i = 0; inferred && i < count; i++)
        if (spec_operation_find(classes[i], function, length) >= 0)
            return classes[i];
    return NULL;
}

static enum status refuse(const struct history *history, const struct annotation *annotation,
                          const char *function, const struct spec_class *class, struct error *error)
{
    struct text process = TEXT_EMPTY;
    value_print_edn(annotation->process, &process);
    enum status status = error_set(
        error, STATUS_INPUT, history->name, annotation->line,
        "expected an integer as `process` of `%s`, an operation of %s, found %.100s (the format "
        "%s has the events of other processes, such as the nemesis, as annotations)",
        function, class->name, text_string(&process), history->format);
    text_release(&process);
    return status;
}

enum status skipped_check(const struct history *history, const struct bind_options *options,
                          bool inferred, struct error *error)
{
    for (size_t i = 0; i < history->annotations.length; i++) {
        const struct annotation *annotation = &history->annotations.items[i];
        const char *function = value_get_text(annotation->function, NULL);
        if (annotation->type != EVENT_INVOKE || !function)
            continue;
        const struct spec_class *class = class_with(options, inferred, function);
        if (class)
            return refuse(history, annotation, function, class, error);
    }
    return STATUS_OK;
}
