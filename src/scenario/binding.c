#include "scenario/binding.h"

#include "scenario/folder.h"
#include "scenario/symbols.h"

static enum status rename_in(const char *object, const char *map, struct budget *budget,
                             struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    struct text option = TEXT_EMPTY;
    text_format(&option, "--redefine-syms=%s", map);
    words_init(&words, budget);
    if (words_add(&words, "objcopy", text_string(&option), "--weaken-symbol=" SYMBOLS_MAIN, object,
                  NULL))
        status = command_need(&words, NULL, error);
    words_release(&words);
    text_release(&option);
    return status;
}

enum status binding_apply(const char *runtime, const char *const *objects, size_t count,
                          const char *folder, struct budget *budget, struct error *error)
{
    struct symbols symbols = {.budget = budget};
    struct text map = TEXT_EMPTY, path = TEXT_EMPTY;
    enum status status = STATUS_OK;
    if (runtime)
        status = symbols_read(runtime, objects, count, budget, &symbols, error);
    if (status == STATUS_OK && runtime)
        status = symbols_check(&symbols, objects, count, error);
    symbols_write_map(&symbols, &map);
    text_format(&path, "%s/symbols", folder);
    if (status == STATUS_OK)
        status = file_write(text_string(&path), &map, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = rename_in(objects[i], text_string(&path), budget, error);
    text_release(&map);
    text_release(&path);
    symbols_release(&symbols);
    return status;
}
