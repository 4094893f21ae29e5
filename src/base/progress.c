#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/limits.h"

#define PROGRESS_INTERVAL UINT64_C(200000000) /* nanoseconds: five times a second */

void progress_init(struct progress *progress, bool wanted)
{
    *progress = (struct progress){.terminal = terminal_detect(STDERR_FILENO, COLOUR_AUTO)};
    pthread_mutex_init(&progress->lock, NULL);
    progress->enabled = wanted && progress->terminal.interactive;
    progress->drawn = clock_nanoseconds(); /* short work shows nothing */
}

bool progress_due(struct progress *progress)
{
    if (!progress->enabled)
        return false;
    pthread_mutex_lock(&progress->lock);
    uint64_t now = clock_nanoseconds();
    bool due = now - progress->drawn >= PROGRESS_INTERVAL;
    if (due)
        progress->drawn = now;
    pthread_mutex_unlock(&progress->lock);
    return due;
}

void progress_draw(struct progress *progress, const char *line)
{
    if (!progress->enabled)
        return;
    size_t length = utf8_fit(line, strlen(line), progress->terminal.columns - 1);
    pthread_mutex_lock(&progress->lock);
    fprintf(stderr, "\r%.*s\033[K", (int)length, line);
    fflush(stderr);
    progress->shown = true;
    pthread_mutex_unlock(&progress->lock);
}

void progress_clear(struct progress *progress)
{
    if (!progress->enabled)
        return;
    pthread_mutex_lock(&progress->lock);
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = false;
    pthread_mutex_unlock(&progress->lock);
}

void progress_release(struct progress *progress)
{
    progress_clear(progress);
    pthread_mutex_destroy(&progress->lock);
}
