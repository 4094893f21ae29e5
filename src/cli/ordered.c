#include "cli/ordered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void ordered_init(struct ordered *ordered, size_t count, struct progress *progress)
{
    *ordered = (struct ordered){.progress = progress, .count = count};
    ordered->slots = memory_small(count * sizeof *ordered->slots);
    for (size_t i = 0; i < count; i++)
        ordered->slots[i] = (struct ordered_slot){0};
    pthread_mutex_init(&ordered->lock, NULL);
}

FILE *ordered_begin(struct ordered *ordered, size_t index)
{
    struct ordered_slot *slot = &ordered->slots[index];
    pthread_mutex_lock(&ordered->lock);
    bool turn = ordered->next == index && !ordered->keeps;
    pthread_mutex_unlock(&ordered->lock);
    errno = 0; /* of what is written directly, an error is seen only at the end */
    if (turn) {
        progress_clear(ordered->progress);
        slot->stream = stdout;
    } else {
        slot->stream = open_memstream(&slot->bytes, &slot->length);
        if (!slot->stream)
            abort();
    }
    return slot->stream;
}

static void say_again(struct ordered *ordered)
{
    if (ordered->again)
        fprintf(stderr, "  (the same %zu more time%s)\n", ordered->again,
                ordered->again == 1 ? "" : "s");
    ordered->again = 0;
}

/* An error of an implementation is that of all that is asserted of it: it is told once. Objects of
 * JSON say themselves what they are about. */
static void print_messages(struct ordered *ordered, char *messages)
{
    if (ordered->told && *messages != '{' && strcmp(ordered->told, messages) == 0) {
        ordered->again++;
        free(messages);
        return;
    }
    say_again(ordered);
    fputs(messages, stderr);
    free(ordered->told);
    ordered->told = messages;
}

static void print(struct ordered *ordered, struct ordered_slot *slot)
{
    if (slot->messages)
        print_messages(ordered, slot->messages);
    if (slot->bytes)
        fwrite(slot->bytes, 1, slot->length, stdout);
    free(slot->bytes);
    slot->bytes = slot->messages = NULL;
}

static bool complete(struct ordered *ordered, size_t index, int reason)
{
    pthread_mutex_lock(&ordered->lock);
    ordered->slots[index].done = true;
    if (ordered->next == index)
        progress_clear(ordered->progress);
    while (!ordered->keeps && ordered->next < ordered->count && ordered->slots[ordered->next].done)
        print(ordered, &ordered->slots[ordered->next++]);
    if (ordered->next == ordered->count)
        say_again(ordered);
    bool flushed = fflush(stdout) == 0;
    if (!ordered->failed && (!flushed || ferror(stdout))) {
        ordered->failed = true;
        ordered->reason = flushed ? reason : errno;
    }
    bool good = !ordered->failed;
    pthread_mutex_unlock(&ordered->lock);
    return good;
}

bool ordered_end(struct ordered *ordered, size_t index, char *messages)
{
    int reason = errno;
    struct ordered_slot *slot = &ordered->slots[index];
    if (slot->stream != stdout)
        fclose(slot->stream);
    slot->messages = messages;
    return complete(ordered, index, reason);
}

bool ordered_put(struct ordered *ordered, size_t index, char *bytes, size_t length, char *messages)
{
    struct ordered_slot *slot = &ordered->slots[index];
    slot->bytes = bytes;
    slot->length = length;
    slot->messages = messages;
    return complete(ordered, index, 0);
}

void ordered_release(struct ordered *ordered)
{
    for (size_t i = 0; i < ordered->count; i++) {
        free(ordered->slots[i].bytes);
        free(ordered->slots[i].messages);
    }
    free(ordered->slots);
    free(ordered->told);
    pthread_mutex_destroy(&ordered->lock);
}
