/* A message is a row of records, each a head and what follows it, in words of 64 bits:
 *
 *     | number << 32 | words behind, 0 for a normalised state | event, see tell_event | ...
 *     | number << 32 | 0 | made from << 32 | by |
 */
#include "property/rank_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NOT_MET NORMAL_EVERYTHING

bool rank_names_init(struct rank_names *names, unsigned ranks, struct normal *normal,
                     struct labels *labels, struct budget *budget)
{
    *names = (struct rank_names){.budget = budget, .normal = normal, .labels = labels};
    vectors_init(budget, &names->origins, &names->chain);
    names->peers = memory_zeroed(budget, ranks * sizeof *names->peers);
    if (!names->peers)
        return false;
    names->ranks = ranks;
    for (unsigned i = 0; i < ranks; i++) {
        struct rank_peer *peer = &names->peers[i];
        vectors_init(budget, &peer->told_labels, &peer->told_normals, &peer->labels,
                     &peer->normals);
    }
    return true;
}

void rank_names_release(struct rank_names *names)
{
    for (unsigned i = 0; i < names->ranks; i++) {
        struct rank_peer *peer = &names->peers[i];
        vectors_release(&peer->told_labels, &peer->told_normals, &peer->labels, &peer->normals);
    }
    memory_release(names->budget, names->peers, names->ranks * sizeof *names->peers);
    vectors_release(&names->origins, &names->chain);
}

bool rank_names_met(struct rank_names *names, normal_id id, normal_id from, label by)
{
    assert(normal_is_state(id));
    while (names->origins.length <= id)
        if (!vector_push(&names->origins, ((struct rank_origin){.from = NOT_MET})))
            return false;
    if (names->origins.items[id].from == NOT_MET)
        names->origins.items[id] = (struct rank_origin){from, by};
    return true;
}

/* ---- telling ---- */

/* Marks a number as told; *is: it was before. False when refused. */
#define MARK(bits, number, is)                                                                     \
    (mark((uint32_t **)&(bits).items, &(bits).length, &(bits).capacity, (bits).budget, (number),   \
          (is)))

static bool mark(uint32_t **items, size_t *length, size_t *capacity, struct budget *budget,
                 uint32_t number, bool *is)
{
    const size_t word = number / 32;
    if (word >= *capacity &&
        !vector_grow(budget, (void **)items, capacity, word + 1, sizeof **items))
        return false;
    while (*length <= word)
        (*items)[(*length)++] = 0;
    *is = (*items)[word] >> number % 32 & 1;
    (*items)[word] |= UINT32_C(1) << number % 32;
    return true;
}

/* How many components are labels themselves, foremost. */
static uint32_t labels_in(const struct action *action)
{
    return action->kind == LABEL_SEVERAL ? action->count : action->kind == LABEL_TURN ? 1 : 0;
}

static void append_number(struct text *text, uint32_t number)
{
    text_append_bytes(text, (const char *)&number, sizeof number);
}

static void append_name(struct text *text, const char *name)
{
    append_number(text, name ? (uint32_t)strlen(name) : UINT32_MAX);
    text_append(text, name ? name : "");
}

static bool tell_event(uint32_t number, const struct action *action, struct rank_message *message)
{
    struct text text = TEXT_EMPTY;
    append_number(&text, action->kind);
    append_number(&text, action->count);
    for (uint32_t i = 0; i < action->count; i++)
        append_number(&text, action->components[i]);
    append_name(&text, action->name);
    append_name(&text, action->symbol);
    while (text.length % sizeof(uint64_t))
        text_append_char(&text, 0);
    const size_t words = text.length / sizeof(uint64_t), at = message->words.length;
    bool room = vector_reserve(&message->words, at + 1 + words);
    if (room) {
        message->words.items[at] = (uint64_t)number << 32 | words;
        memcpy(message->words.items + at + 1, text.bytes, text.length);
        message->words.length = at + 1 + words;
    }
    text_release(&text);
    return room;
}

bool rank_names_tell_label(struct rank_names *names, unsigned to, label l,
                           struct rank_message *message)
{
    bool told = l <= LABEL_TERMINATE; /* the same everywhere */
    if (told)
        return true;
    if (!MARK(names->peers[to].told_labels, l, &told))
        return false;
    const struct action *action = labels_get(names->labels, l);
    for (uint32_t i = 0; i < labels_in(action) && !told; i++)
        if (!rank_names_tell_label(names, to, action->components[i], message))
            return false;
    return told || tell_event(l, action, message);
}

bool rank_names_tell_normal(struct rank_names *names, unsigned to, normal_id id,
                            struct rank_message *message)
{
    names->chain.length = 0;
    for (bool told; id != NORMAL_NONE; id = names->origins.items[id].from) {
        assert(id < names->origins.length && names->origins.items[id].from != NOT_MET);
        if (!MARK(names->peers[to].told_normals, id, &told))
            return false;
        if (told)
            break;
        if (!vector_push(&names->chain, id))
            return false;
    }
    while (names->chain.length) {
        const normal_id next = names->chain.items[--names->chain.length];
        const struct rank_origin origin = names->origins.items[next];
        if (!rank_names_tell_label(names, to, origin.by, message) ||
            !vector_reserve(&message->words, message->words.length + 2) || /* no half a record */
            !vector_push(&message->words, (uint64_t)next << 32) ||
            !vector_push(&message->words, (uint64_t)origin.from << 32 | origin.by))
            return false;
    }
    return true;
}

/* ---- hearing ---- */

label rank_names_label(const struct rank_names *names, unsigned from, uint32_t theirs)
{
    const struct rank_peer *peer = &names->peers[from];
    if (theirs <= LABEL_TERMINATE)
        return theirs;
    return theirs < peer->labels.length ? peer->labels.items[theirs] : LABEL_REFUSED;
}

normal_id rank_names_normal(const struct rank_names *names, unsigned from, uint32_t theirs)
{
    const struct rank_peer *peer = &names->peers[from];
    return theirs < peer->normals.length ? peer->normals.items[theirs] : NORMAL_NONE;
}

static uint32_t take_number(const char **at)
{
    uint32_t number;
    memcpy(&number, *at, sizeof number);
    *at += sizeof number;
    return number;
}

/* A text of our own; null where there is none, or when refused. */
static const char *take_name(struct rank_names *names, const char **at, bool *refused)
{
    const uint32_t length = take_number(at);
    if (length == UINT32_MAX)
        return NULL;
    const char *name = labels_text(names->labels, *at, length);
    *at += length;
    *refused |= !name;
    return name;
}

static label hear_event(struct rank_names *names, unsigned from, const uint64_t *words)
{
    enum {
        MOST = 64
    };
    const char *at = (const char *)words;
    uint32_t components[MOST], *all = components;
    bool refused = false;
    struct action action = {.kind = (enum label_kind)take_number(&at)};
    action.count = take_number(&at);
    if (action.count > MOST)
        all = memory_small(action.count * sizeof *all);
    for (uint32_t i = 0; i < action.count; i++)
        all[i] = take_number(&at);
    action.components = all;
    for (uint32_t i = 0; i < labels_in(&action); i++) {
        all[i] = rank_names_label(names, from, all[i]);
        refused |= all[i] == LABEL_REFUSED;
    }
    action.name = take_name(names, &at, &refused);
    action.symbol = take_name(names, &at, &refused);
    const label l = refused ? LABEL_REFUSED : labels_intern(names->labels, &action);
    if (all != components)
        free(all);
    return l;
}

static enum status hear_normal(struct rank_names *names, unsigned from, uint64_t origin,
                               normal_id *ours, struct error *error)
{
    const normal_id theirs = (normal_id)(origin >> 32);
    if (theirs == NORMAL_NONE)
        return names->normal->class->initial(names->normal, ours, error);
    const normal_id before = rank_names_normal(names, from, theirs);
    const label by = rank_names_label(names, from, (uint32_t)origin);
    TRY_MEMORY(before != NORMAL_NONE && by != LABEL_REFUSED);
    TRY(names->normal->class->step(names->normal, before, by, ours, error));
    assert(normal_is_state(*ours));
    return granted(rank_names_met(names, *ours, before, by));
}

enum status rank_names_hear(struct rank_names *names, unsigned from, const uint64_t *words,
                            size_t length, struct error *error)
{
    struct rank_peer *peer = &names->peers[from];
    for (size_t at = 0; at < length;) {
        const uint32_t number = (uint32_t)(words[at] >> 32), behind = (uint32_t)words[at];
        if (behind) {
            const label l = hear_event(names, from, words + at + 1);
            TRY_MEMORY(l != LABEL_REFUSED);
            while (peer->labels.length <= number)
                TRY_MEMORY(vector_push(&peer->labels, LABEL_REFUSED));
            peer->labels.items[number] = l;
            at += 1 + behind;
        } else {
            normal_id ours = 0;
            TRY(hear_normal(names, from, words[at + 1], &ours, error));
            while (peer->normals.length <= number)
                TRY_MEMORY(vector_push(&peer->normals, NORMAL_NONE));
            peer->normals.items[number] = ours;
            at += 2;
        }
    }
    return STATUS_OK;
}
