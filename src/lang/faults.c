/* A list of at most `room` faults, sorted by line when a phase ends. */
#include "lang/faults.h"

#include <string.h>

#include "lang/script.h"

bool faults_found(const struct script *script)
{
    return script->faults && script->faults->count > 0;
}

/* Whether two say that the same is not declared, whatever line they show. */
static bool same_complaint(const struct error *one, const struct error *other)
{
    size_t length = strcspn(one->message, "\n");
    return length == strcspn(other->message, "\n") &&
           strncmp(one->message, other->message, length) == 0 &&
           strstr(one->message, "not declared");
}

enum status faults_keep(const struct script *script, enum status status, const struct error *error)
{
    struct faults *faults = script->faults;
    if (status != STATUS_INPUT || !faults)
        return status;
    if (faults->count == FAULTS_MOST)
        return status;
    size_t kept = faults->count < faults->room ? faults->count : faults->room;
    for (size_t i = 0; i < kept; i++)
        if (same_complaint(&faults->items[i], error))
            return STATUS_OK;
    if (kept < faults->room)
        faults->items[kept] = *error;
    faults->count++;
    return faults->count < FAULTS_MOST ? STATUS_OK : STATUS_INPUT;
}

void faults_replace(const struct script *script, const struct error *error)
{
    struct faults *faults = script->faults;
    if (!faults)
        return;
    faults->count = 1;
    if (faults->room)
        faults->items[0] = *error;
}

static bool is_behind(const struct error *one, const struct error *other)
{
    return *one->file && strcmp(one->file, other->file) == 0 &&
           (one->line > other->line || (one->line == other->line && one->column > other->column));
}

static void sort(struct error *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && is_behind(&items[j - 1], &items[j]); j--) {
            const struct error moved = items[j];
            items[j] = items[j - 1];
            items[j - 1] = moved;
        }
}

enum status faults_end(const struct script *script, enum status status, struct error *error)
{
    struct faults *faults = script->faults;
    status = faults_keep(script, status, error);
    if ((status != STATUS_OK && status != STATUS_INPUT) || !faults_found(script))
        return status;
    sort(faults->items, faults->count < faults->room ? faults->count : faults->room);
    *error = faults->items[0];
    return STATUS_INPUT;
}
