/* Any bytes, read as a model of either language the way that an editor does: all that is wrong with
 * it, and what its names mean, of a text with errors as far as it is understood.
 *
 * Whatever the text is, reading it must end with a model or with errors, each of which has a place
 * and a message; and every name must lie within the text.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "linchpin/model.h"

#define MEMORY  ((size_t)64 << 20)
#define LONGEST 4000
#define ERRORS  20

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_editor: %s: %s\n", what, detail);
    abort();
}

static void read_as(const char *path, const char *text, size_t length)
{
    lp_context *context = lp_context_create(MEMORY);
    if (!context)
        abort();
    lp_error errors[ERRORS];
    size_t count = 0;
    lp_model *model = NULL;
    lp_names *names = NULL;
    const lp_file_text file = {path, text, length};
    lp_status status =
        lp_model_parse_all(context, &file, 1, &model, &names, errors, ERRORS, &count);
    must((status == LP_OK) == (model != NULL), path, "a model where there is none, or none");
    must(status != LP_INPUT || count > 0, path, "refused without an error");
    for (size_t i = 0; status == LP_INPUT && i < count && i < ERRORS; i++)
        must(errors[i].message[0] && errors[i].line > 0, path, "an error without place or message");
    uint32_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n' || text[i] == '\r';
    lp_name name;
    for (size_t i = 0; names && lp_name_at(names, i, &name); i++)
        must(name.file || (name.line > 0 && name.line <= lines), path, "a name outside");
    lp_names_destroy(names);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"/fuzz.lin", "/fuzz.csp"};
    char *text = size <= LONGEST ? malloc(size + 1) : NULL;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
        read_as(paths[i], text, size);
    free(text);
    return 0;
}
