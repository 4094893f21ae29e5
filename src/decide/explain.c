/* Finds a sentence for a violation, and the operations that belong to its story. A monitor knows
 * what it found and says so itself (if not quite, the reason is vague). The search only knows where
 * its orders ended; once the core is known and small, more can be said of objects that hold one
 * value: where a read's value cannot have come from. */
#include "decide/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "decide/core_context.h"
#include "decide/one_value.h"
#include "spec/map.h"
#include "spec/multi_register.h"
#include "spec/sequence.h"
#include "value/print.h"

#define LISTED_MOST   6  /* operations that a sentence lists */
#define CALL_COLUMNS  60 /* what is longer in a sentence is left out in the middle */
#define STORY_MEMBERS 24 /* cores of more operations are not read as a story */
#define CONTEXT_MOST  8

struct story {
    const struct history *history;
    const struct part *part;
    const struct limits *limits;
    struct violation *violation;
    const struct interval *spoken[LISTED_MOST]; /* what the sentence speaks of */
    size_t spoken_count;
};

static const struct interval *member(const struct story *story, size_t i)
{
    return &story->part->intervals[story->violation->core.members.items[i]];
}

static size_t member_count(const struct story *story)
{
    return story->violation->core.members.length;
}

static bool precedes(const struct interval *a, const struct interval *b)
{
    return a->response < b->invoke;
}

/* ---- objects that hold one value ---- */

/* A read whose result is known. */
static bool is_read(const struct part *part, const struct call *call)
{
    return effect_of(part, call).kind == EFFECT_SEES;
}

static bool can_leave(const struct part *part, const struct call *call, value v)
{
    struct effect effect = effect_of(part, call);
    return effect_can_leave(&effect, v);
}

static void speak_of(struct story *story, const struct interval *interval)
{
    if (interval && story->spoken_count < LISTED_MOST)
        story->spoken[story->spoken_count++] = interval;
}

static void print_operation(struct story *story, const struct interval *interval, struct text *text)
{
    struct text call = TEXT_EMPTY;
    speak_of(story, interval);
    spec_print_call(story->part->spec, &interval->call, &call);
    text_append_char(text, '`');
    utf8_append_ends(text, text_string(&call), call.length, CALL_COLUMNS, false);
    text_append(text, "` by process ");
    text_release(&call);
    value_print_edn(story->history->processes.items[interval->call.process], text);
}

/* The operations that can leave `v`: how many began before `end`, and how many there are. */
static void count_sources(const struct part *part, value v, uint32_t end, uint32_t *before,
                          uint32_t *all)
{
    *before = *all = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        if (!can_leave(part, &part->intervals[i].call, v))
            continue;
        *before += part->intervals[i].invoke < end;
        ++*all;
    }
}

/* A read of what was never there, or not yet. */
static bool tell_no_source(struct story *story, const struct interval *read, struct text *text)
{
    value v = read->call.result;
    uint32_t before, all;
    count_sources(story->part, v, read->response, &before, &all);
    if (before > 0 || v == one_value_initial(story->part))
        return false;
    print_operation(story, read, text);
    if (all > 0) {
        text_append(text, " returned before any operation began that writes ");
        value_print_edn(v, text);
    } else {
        text_append(text, " saw what was never written, and the initial value is ");
        value_print_edn(one_value_initial(story->part), text);
    }
    return true;
}

/* Whether the object certainly held another value than `v` at some time during the operation. */
static bool shows_other(const struct part *part, const struct call *call, value v)
{
    struct effect effect = effect_of(part, call);
    switch (effect.kind) {
    case EFFECT_SEES:
        return effect.needed != v;
    case EFFECT_DIFFERS:
        return effect.needed == v;
    case EFFECT_SETS:
        return effect.left != v;
    case EFFECT_SWAPS:
        return call->result_known && effect.left != v;
    default:
        return false;
    }
}

/* The operation that can have left `v` for the read to see and ended last, or null. Of operations
 * outside the core those that completed count: a swap among them did write `v`, though it could not
 * have, were all others outside pending. */
static const struct interval *last_source(const struct story *story, const struct interval *read,
                                          value v)
{
    const struct part *part = story->part;
    const struct interval *last = NULL;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *source = &part->intervals[i];
        if (source->response != POSITION_NEVER && (!last || source->response > last->response) &&
            source->invoke < read->response && can_leave(part, &source->call, v))
            last = source;
    }
    return last;
}

/* Whether a pending operation may have left `v` for the read to see. Not where the read, the other
 * and the source are all of the core: they are a violation even where all others are pending. */
static bool may_be_pending(const struct story *story, const struct interval *read,
                           const struct interval *other, const struct interval *source)
{
    const struct part *part = story->part;
    bool all = true, pending = false;
    for (size_t i = 0; i < member_count(story); i++) {
        const struct interval *each = member(story, i);
        all &= each == read || each == other || each == source;
    }
    for (uint32_t i = 0; i < part->count && !all && !pending; i++)
        pending = part->intervals[i].response == POSITION_NEVER &&
                  part->intervals[i].invoke < read->response &&
                  can_leave(part, &part->intervals[i].call, read->call.result);
    return pending;
}

/* A read of what had been overwritten: some member that leaves another value ended before the read
 * began, and what could have written the value had ended before that one began. */
static bool tell_stale(struct story *story, const struct interval *read, struct text *text)
{
    value v = read->call.result;
    const struct interval *source = last_source(story, read, v);
    for (size_t i = 0; i < member_count(story); i++) {
        const struct interval *other = member(story, i);
        if (!precedes(other, read) || !shows_other(story->part, &other->call, v) ||
            (source && !precedes(source, other)) || may_be_pending(story, read, other, source))
            continue;
        speak_of(story, source);
        print_operation(story, read, text);
        text_append(text, " began after ");
        print_operation(story, other, text);
        text_append(text, " had completed, and nothing wrote ");
        value_print_edn(v, text);
        text_append(text, " in between");
        return true;
    }
    return false;
}

static bool tell_read(struct story *story, struct text *text)
{
    if (!part_holds_one_value(story->part))
        return false;
    for (size_t i = 0; i < member_count(story); i++)
        if (is_read(story->part, &member(story, i)->call) &&
            tell_no_source(story, member(story, i), text))
            return true;
    for (size_t i = 0; i < member_count(story); i++)
        if (is_read(story->part, &member(story, i)->call) &&
            tell_stale(story, member(story, i), text))
            return true;
    return false;
}

/* ---- a key to which strings are appended ---- */

static const char *string_of(value v, size_t *length)
{
    return value_kind_of(v) == KIND_STRING ? value_get_text(v, length) : NULL;
}

static void append_quoted(const char *bytes, size_t length, struct text *text)
{
    text_append_char(text, '"');
    utf8_append_ends(text, bytes, length, CALL_COLUMNS, false);
    text_append_char(text, '"');
}

/* What `get` should have seen of what came before it: the string of an append, or all that another
 * get saw. */
static bool tell_missing(struct story *story, const struct interval *before,
                         const struct interval *get, struct text *text)
{
    size_t length, wanted, count;
    const char *seen = string_of(get->call.result, &length), *missing;
    const value *pair = value_get_items(before->call.argument, &count);
    bool append = before->call.operation == MAP_APPEND;
    if (append)
        missing = count == 2 ? string_of(pair[1], &wanted) : NULL;
    else
        missing = before->call.result_known ? string_of(before->call.result, &wanted) : NULL;
    if (!seen || !missing || !precedes(before, get))
        return false;
    if (append ? memmem(seen, length, missing, wanted) != NULL
               : length >= wanted || memcmp(seen, missing, length) != 0)
        return false;
    print_operation(story, get, text);
    text_append(text, " began after ");
    print_operation(story, before, text);
    text_append(text, " had completed, but lacks ");
    append_quoted(append ? missing : missing + length, append ? wanted : wanted - length, text);
    return true;
}

static bool tell_append(struct story *story, struct text *text)
{
    if (story->part->spec->class != &map_class || member_count(story) != 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const struct interval *get = member(story, i), *other = member(story, 1 - i);
        if (get->call.operation == MAP_GET && get->call.result_known &&
            (other->call.operation == MAP_APPEND || other->call.operation == MAP_GET) &&
            tell_missing(story, other, get, text))
            return true;
    }
    return false;
}

/* ---- a queue, stack or deque, with room for so many values or any ---- */

/* An operation that has removed a value. */
static bool is_removal(const struct part *part, const struct interval *interval)
{
    const struct call *call = &interval->call;
    return !sequence_inserts(part->spec, call) && call->result_known && call->result != VALUE_NIL;
}

/* What may have brought a value: how often it was there at first, or may have been inserted;
 * `before` some position. Those operations are spoken of. */
static void count_insertions(struct story *story, value v, uint32_t end, uint32_t *before,
                             uint32_t *all)
{
    const struct part *part = story->part;
    size_t length;
    const value *initial = value_get_items(part->spec->initial, &length);
    *before = 0;
    for (size_t i = 0; i < length; i++)
        *before += initial[i] == v;
    *all = *before;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        const struct call *call = &interval->call;
        if (!sequence_inserts(part->spec, call) || call->argument != v ||
            (call->result_known && call->result == VALUE_FALSE))
            continue;
        *before += interval->invoke < end;
        ++*all;
        speak_of(story, interval);
    }
}

/* "dequeued", "pushed", "popped" */
static void append_participle(const struct part *part, bool inserts, struct text *text)
{
    const struct spec_class *class = part->spec->class;
    const char *name = "";
    for (size_t i = class->operation_count; i-- > 0;) {
        const struct call call = {.operation = (uint16_t)i};
        if (sequence_inserts(part->spec, &call) == inserts)
            name = class->operations[i].name;
    }
    text_append_bytes(text, name, strcspn(name, "-"));
    text_append(text, strncmp(name, "pop", 3) == 0    ? "ped"
                      : strncmp(name, "push", 4) == 0 ? "ed"
                                                      : "d");
}

static bool tell_removal(struct story *story, const struct interval *removal, struct text *text)
{
    const struct part *part = story->part;
    value v = removal->call.result;
    uint32_t before, all, removed = 0;
    story->spoken_count = 0;
    count_insertions(story, v, removal->response, &before, &all);
    for (size_t i = 0; i < member_count(story); i++)
        if (is_removal(part, member(story, i)) && member(story, i)->call.result == v) {
            speak_of(story, member(story, i));
            removed++;
        }
    bool twice = before == 1 && all == 1 && removed == 2;
    if (before > 0 && !twice)
        return false;
    text_append(text, "value ");
    value_print_edn(v, text);
    text_append(text, " was ");
    append_participle(part, false, text);
    text_append(text, twice ? " twice" : all > 0 ? " before it was " : " but never ");
    if (!twice)
        append_participle(part, true, text);
    return true;
}

static bool tell_values(struct story *story, struct text *text)
{
    if (story->part->spec->class->step != sequence_step)
        return false;
    for (size_t i = 0; i < member_count(story); i++)
        if (is_removal(story->part, member(story, i)) &&
            tell_removal(story, member(story, i), text))
            return true;
    story->spoken_count = 0;
    return false;
}

/* ---- transactions ---- */

/* The value that a micro-operation of a bound result shows of a key, or leaves there; false: it is
 * one of another key (null: of any), or a read that is not checked. */
static bool micro_shows(value micro, const value *key, const value **items)
{
    size_t length;
    *items = value_get_items(micro, &length);
    return length == 3 && (!key || (*items)[1] == *key);
}

/* Whether a transaction, or a write, has this value written to the key. */
static bool writes_there(const struct call *call, value key, value v)
{
    size_t length;
    const value *items = value_get_items(call->argument, &length), *micro;
    if (call->operation == MULTI_REGISTER_WRITE)
        return length == 2 && items[0] == key && items[1] == v;
    for (size_t i = 0; call->operation == MULTI_REGISTER_TXN && i < length; i++)
        if (micro_shows(items[i], &key, &micro) && !value_text_is(micro[0], "read") &&
            micro[2] == v)
            return true;
    return false;
}

static bool anyone_writes(const struct story *story, value key, value v)
{
    for (uint32_t i = 0; i < story->part->count; i++)
        if (writes_there(&story->part->intervals[i].call, key, v))
            return true;
    return false;
}

/* A list may stand for a set (value/agree.h). */
static bool may_agree_otherwise(value v)
{
    enum value_kind kind = value_kind_of(v);
    return kind == KIND_LIST || kind == KIND_SET || kind == KIND_MAP;
}

/* What a sentence that says that a transaction is not legal leaves open: which of its
 * micro-operations is not, where it is one that no state allows. */
static void tell_micro_operation(const struct story *story, const struct call *call,
                                 struct text *text)
{
    size_t length;
    const value *items = value_get_items(call->result, &length), *read, *other;
    if (story->part->spec->class != &multi_register_class ||
        call->operation != MULTI_REGISTER_TXN || !call->result_known)
        return;
    for (size_t i = 0; i < length; i++) {
        if (!micro_shows(items[i], NULL, &read) || !value_text_is(read[0], "read") ||
            may_agree_otherwise(read[2]))
            continue;
        size_t before = i;
        while (before > 0 && !micro_shows(items[before - 1], &read[1], &other))
            before--;
        const bool agrees = before > 0 ? other[2] == read[2]
                                       : read[2] == VALUE_NIL || story->part->spec->has_initial ||
                                             anyone_writes(story, read[1], read[2]);
        if (agrees)
            continue;
        text_append(text, ": `");
        value_print_shown(items[i], text);
        text_append(text,
                    before > 0 ? "` in it comes behind `" : "` in it read what is never written");
        if (before > 0) {
            value_print_shown(items[before - 1], text);
            text_append(text, "`");
        }
        return;
    }
}

/* ---- any object ---- */

static bool tell_members(struct story *story, struct text *text)
{
    size_t count = member_count(story);
    if (count > LISTED_MOST)
        return false;
    if (count == 1) {
        print_operation(story, member(story, 0), text);
        text_append(text, " is not legal, whatever took effect before it");
        tell_micro_operation(story, &member(story, 0)->call, text);
        return true;
    }
    text_append(text, "there is no legal order of ");
    for (size_t i = 0; i < count; i++) {
        text_append(text, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        print_operation(story, member(story, i), text);
    }
    return true;
}

/* Puts a sentence about the core, and what it speaks of, in place of the engine's own; false if
 * there is none to say. */
static bool tell(struct story *story)
{
    struct violation *violation = story->violation;
    bool by_monitor = violation->method == METHOD_MONITOR;
    if ((by_monitor && !violation->decision.vague) || !violation->core.complete ||
        member_count(story) > STORY_MEMBERS)
        return false;
    struct text text = TEXT_EMPTY;
    bool told = tell_read(story, &text) ||
                (!by_monitor && (tell_append(story, &text) || tell_values(story, &text) ||
                                 tell_members(story, &text)));
    if (told) {
        struct text *reason = &violation->decision.reason;
        text_clear(reason);
        text_append_bytes(reason, text_string(&text), text.length);
        violation->decision.evidence.length = 0;
        for (size_t i = 0; i < story->spoken_count; i++)
            if (!vector_push(&violation->decision.evidence,
                             (uint32_t)(story->spoken[i] - story->part->intervals)))
                break; /* the sentence stands without */
    }
    text_release(&text);
    return told;
}

/* ---- context ---- */

static bool contains(const uint32_t *items, size_t length, uint32_t item)
{
    for (size_t i = 0; i < length; i++)
        if (items[i] == item)
            return true;
    return false;
}

/* Adds an operation, by its place in the history, unless it is known or there are enough. */
static void add_context(const struct story *story, uint32_t place)
{
    struct violation *violation = story->violation;
    if (violation->context.length >= CONTEXT_MOST ||
        contains(violation->context.items, violation->context.length, place))
        return;
    for (size_t i = 0; i < member_count(story); i++)
        if (member(story, i)->index == place)
            return;
    if (!vector_push(&violation->context, place))
        return; /* the story is told without it */
}

/* Whether the argument is `v`, or a list that ends in it: puts it there, most likely. */
static bool brings(value argument, value v)
{
    size_t length;
    const value *items = value_get_items(argument, &length);
    return argument == v || (items && length > 0 && items[length - 1] == v);
}

/* Whether a failed operation, which is in no part, was on the part's object and key. */
static bool is_of_part(const struct part *part, const struct operation *operation)
{
    if (operation->object != part->object)
        return false;
    if (!part->has_key && !part->has_independent)
        return true;
    value key = part->has_independent ? part->independent : part->key;
    size_t length;
    const value *items = value_get_items(operation->argument, &length);
    return (operation->has_key && operation->key == key) ||
           (items && length > 0 && items[0] == key);
}

/* Where the operations that member `seen` certainly comes after end to have begun. */
static uint32_t window_begin(const struct story *story, const struct interval *seen)
{
    const struct operation *operations = story->history->operations.items;
    uint32_t begin = 0;
    for (size_t i = 0; i < member_count(story); i++)
        if (precedes(member(story, i), seen) && operations[member(story, i)->index].invoke > begin)
            begin = operations[member(story, i)->index].invoke;
    return begin;
}

/* The last failed operations that, had they happened, would have brought what `seen` saw. */
static bool add_failed_sources(const struct story *story, const struct interval *seen)
{
    const struct operation *operations = story->history->operations.items;
    uint32_t begin = window_begin(story, seen), end = operations[seen->index].response;
    unsigned found = 0;
    for (size_t i = story->history->operations.length; i-- > 0 && found < 2;) {
        const struct operation *operation = &operations[i];
        if (operation->outcome != OUTCOME_FAIL || operation->invoke > end ||
            operation->response < begin || !is_of_part(story->part, operation) ||
            !brings(operation->argument, seen->call.result))
            continue;
        add_context(story, (uint32_t)i);
        found++;
    }
    return found > 0;
}

/* What member `seen` saw must have come from somewhere: if no other member brought it, an operation
 * outside the core that failed may have, or the last one that brought it in time, or one that began
 * too late. */
static void add_sources(const struct story *story, const struct interval *seen)
{
    const struct part *part = story->part;
    value v = seen->call.result;
    if (!seen->call.result_known || v == VALUE_NIL || value_kind_of(v) == KIND_BOOLEAN)
        return;
    bool brought = false;
    for (size_t i = 0; i < member_count(story); i++)
        brought |= member(story, i) != seen && brings(member(story, i)->call.argument, v) &&
                   member(story, i)->invoke < seen->response;
    if (add_failed_sources(story, seen) || brought)
        return;
    const struct interval *source = NULL;
    for (uint32_t i = 0; i < part->count; i++) {
        bool late = part->intervals[i].invoke > seen->response;
        if (&part->intervals[i] != seen && (!late || !source) &&
            brings(part->intervals[i].call.argument, v))
            source = &part->intervals[i];
    }
    if (source)
        add_context(story, source->index);
}

/* What the core's operations built on, where the search found the violation: it knows nothing of
 * where values come from. */
static void add_foundation(const struct story *story)
{
    const struct violation *violation = story->violation;
    uint32_t found[CONTEXT_MOST];
    size_t count;
    if (violation->method == METHOD_MONITOR || !violation->core.complete ||
        violation->core.members.length == 0 || part_holds_one_value(story->part))
        return;
    core_context_find(story->part, &violation->core, story->limits, CONTEXT_MOST, found, &count);
    for (size_t i = 0; i < count; i++)
        add_context(story, story->part->intervals[found[i]].index);
}

static int compare_places(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* `told`: the reason speaks of the core, and not of the engine's evidence. */
static void fill_context(const struct story *story, bool told)
{
    struct violation *violation = story->violation;
    const struct decision *decision = &violation->decision;
    if (member_count(story) > STORY_MEMBERS)
        return;
    if (!told && decision->evidence.length <= CONTEXT_MOST)
        for (size_t i = 0; i < decision->evidence.length; i++)
            add_context(story, story->part->intervals[decision->evidence.items[i]].index);
    for (size_t i = 0; i < member_count(story); i++)
        add_sources(story, member(story, i));
    add_foundation(story);
    if (violation->context.length > 1)
        qsort(violation->context.items, violation->context.length, sizeof(uint32_t),
              compare_places);
}

/* A large core is not drawn; what the reason speaks of is. */
static void keep_spoken(struct decision *decision)
{
    if (decision->spoken_count == 0 || decision->evidence.length <= CONTEXT_MOST)
        return;
    qsort(decision->spoken, decision->spoken_count, sizeof *decision->spoken, compare_places);
    decision->evidence.length = 0;
    for (uint32_t i = 0; i < decision->spoken_count; i++)
        if (i == 0 || decision->spoken[i] != decision->spoken[i - 1])
            decision->evidence.items[decision->evidence.length++] = decision->spoken[i];
}

void explain_violation(const struct history *history, const struct part *part,
                       const struct limits *limits, struct violation *violation)
{
    struct story story = {
        .history = history, .part = part, .limits = limits, .violation = violation};
    bool told = tell(&story);
    if (!told)
        keep_spoken(&violation->decision);
    fill_context(&story, told);
}
