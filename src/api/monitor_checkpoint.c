/* Checkpoints of monitors. */
#include <linchpin/monitor.h>

#include <inttypes.h>

#include "api/monitor.h"
#include "base/require.h"
#include "stream/checkpoint.h"
#include "stream/forget.h"
#include "stream/objects.h"
#include "value/forget.h"
#include "value/print.h"

#define LOGS SECTION_TAG('l', 'o', 'g', 's')

/* As users write it: 300ms, 2s, 1m; 0.5ms. */
static void append_duration(int64_t nanoseconds, struct text *text)
{
    static const struct {
        int64_t nanoseconds;
        const char *name;
    } units[] = {{INT64_C(3600000000000), "h"},
                 {INT64_C(60000000000), "m"},
                 {INT64_C(1000000000), "s"},
                 {INT64_C(1000000), "ms"}};
    size_t unit = 0;
    while (unit < ARRAY_LENGTH(units) && nanoseconds % units[unit].nanoseconds)
        unit++;
    if (nanoseconds == 0) {
        text_append(text, "0s");
    } else if (unit < ARRAY_LENGTH(units)) {
        text_format(text, "%" PRId64 "%s", nanoseconds / units[unit].nanoseconds, units[unit].name);
    } else {
        text_format(text, "%" PRId64 ".%06" PRId64, nanoseconds / 1000000, nanoseconds % 1000000);
        while (text->bytes[text->length - 1] == '0')
            text->length--;
        text_append(text, "ms");
    }
}

void monitor_make_key(lp_monitor *monitor, const lp_monitor_options *options)
{
    static const char *const results[] = {"inferred", "plain", "keyed"};
    const struct stream_options *inner = &monitor->stream->options;
    struct text *key = &monitor->key;
    text_format(key, "linchpin %s\n", LP_VERSION);
    for (size_t i = 0; i < monitor->binding_count; i++) {
        const struct spec *spec = monitor->inner[i].spec;
        text_format(key, "specification %s%s%s", monitor->bindings[i].object ? "of " : "",
                    monitor->bindings[i].object ? monitor->bindings[i].object : "",
                    monitor->bindings[i].object ? ": " : "");
        text_format(key, "%s%s%s", monitor->bindings[i].spec->name, spec->owned ? " owned" : "",
                    spec->nil_reads ? " nil reads" : "");
        if (spec->has_initial) {
            text_append(key, " initial ");
            value_print_edn(spec->initial, key);
        }
        text_format(key, "\n");
        if (spec->digest)
            text_format(key, "its text %016" PRIx64 "\n", spec->digest);
    }
    text_format(key, "--format %s\n--independent %d\n--results %s\n",
                options->format ? options->format : "not given", options->independent,
                results[options->results]);
    text_format(
        key, "--order %s\n--keep %" PRIu64 "%s\n", inner->order_unsaid ? "not given" : "file",
        inner->keep_bytes ? inner->keep_bytes : inner->keep, inner->keep_bytes ? " bytes" : "");
    text_format(key, "batches of %" PRIu32 "\n--window ", inner->batch);
    append_duration(options->log_count ? options->window : 0, key);
    text_append(key, "\n--late ");
    append_duration(options->late, key);
    text_append(key, "\n");
    for (size_t i = 0; i < options->log_count; i++)
        text_format(key, "log %s\n", options->logs[i]);
    if (!options->log_count)
        text_format(key, "log %s\n", monitor->stream->history->name);
}

static void archive_monitor(lp_monitor *monitor, struct archive *archive)
{
    struct value_pool *before = stream_begin_values(monitor->stream);
    stream_archive(monitor->stream, archive);
    archive_section(archive, LOGS);
    ARCHIVE(archive, monitor->events);
    late_archive(&monitor->late, archive);
    if (monitor->merged.count)
        merged_archive(&monitor->merged, archive);
    else
        feed_archive(&monitor->feed, archive);
    value_pool_short_lived(before);
}

lp_status lp_monitor_save(lp_monitor *monitor, const char *path, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE(monitor->stream->options.checkpoints, "the options do not ask for checkpoints");
    struct error fault;
    struct sections_out *out;
    struct archive archive;
    if (monitor->handles)
        return report_status(error_set(&fault, STATUS_USAGE, NULL, 0,
                                       "no checkpoint can be kept of a monitor with clients"),
                             &fault, error);
    stream_settle(monitor->stream);
    if (monitor->stream->stopped != STATUS_OK)
        return report_status(monitor->stream->stopped, &monitor->stream->fault, error);
    enum status status =
        sections_create(path, STREAM_CHECKPOINT_KIND, STREAM_CHECKPOINT_VERSION, &out, &fault);
    if (status != STATUS_OK)
        return report_status(status, &fault, error);
    sections_put_key(out, text_string(&monitor->key));
    archive_init(&archive, out, NULL, monitor->context->pool, &fault);
    archive_monitor(monitor, &archive);
    status = archive.status;
    archive_release(&archive);
    if (status == STATUS_OK)
        status = sections_commit(out, &fault);
    else
        sections_abandon(out);
    return report_status(status, &fault, error);
}

static enum status restore(lp_monitor *monitor, struct sections_in *in, struct error *error)
{
    struct archive archive;
    TRY(sections_take_key(in, text_string(&monitor->key), false, error));
    archive_init(&archive, NULL, in, monitor->context->pool, error);
    archive_monitor(monitor, &archive);
    archive_section(&archive, 0);
    enum status status = archive.status;
    archive_release(&archive);
    return status;
}

lp_status lp_monitor_restore(lp_monitor *monitor, const char *path, bool *restored, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(restored);
    REQUIRE(monitor->stream->options.checkpoints, "the options do not ask for checkpoints");
    REQUIRE(monitor->stream->events == 0, "the monitor has been told events");
    struct error fault;
    struct sections_in *in;
    enum status status =
        sections_open(path, STREAM_CHECKPOINT_KIND, STREAM_CHECKPOINT_VERSION, &in, &fault);
    *restored = false;
    if (status == STATUS_OK && in) {
        status = restore(monitor, in, &fault);
        *restored = status == STATUS_OK;
    }
    sections_close(in);
    return monitor_conclude(monitor, status, &fault, error);
}
