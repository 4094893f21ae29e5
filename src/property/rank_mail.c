#include "property/rank_mail.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

bool rank_mail_init(struct rank_mail *mail, const struct transport *transport,
                    struct rank_names *names, uint32_t slots, struct budget *budget)
{
    const unsigned ranks = transport->ranks;
    *mail = (struct rank_mail){
        .transport = transport, .names = names, .budget = budget, .slots = slots};
    mail->seen = memory_zeroed(budget, rank_mail_words(mail) * sizeof *mail->seen);
    mail->cache = memory_zeroed(budget, RANK_MAIL_CACHE * sizeof *mail->cache);
    mail->outboxes = memory_zeroed(budget, ranks * sizeof *mail->outboxes);
    mail->letters = memory_zeroed(budget, ranks * sizeof *mail->letters);
    mail->lengths = memory_zeroed(budget, ranks * sizeof *mail->lengths);
    mail->received = memory_zeroed(budget, ranks * sizeof *mail->received);
    for (unsigned i = 0; mail->outboxes && i < ranks; i++)
        vectors_init(budget, &mail->outboxes[i].pairs, &mail->outboxes[i].names.words,
                     &mail->outboxes[i].letter.words);
    return mail->seen && mail->cache && mail->outboxes && mail->letters && mail->lengths &&
           mail->received;
}

void rank_mail_release(struct rank_mail *mail)
{
    const unsigned ranks = mail->transport->ranks;
    for (unsigned i = 0; mail->outboxes && i < ranks; i++)
        vectors_release(&mail->outboxes[i].pairs, &mail->outboxes[i].names.words,
                        &mail->outboxes[i].letter.words);
    memory_release(mail->budget, mail->seen, rank_mail_words(mail) * sizeof *mail->seen);
    memory_release(mail->budget, mail->cache, RANK_MAIL_CACHE * sizeof *mail->cache);
    memory_release(mail->budget, mail->outboxes, ranks * sizeof *mail->outboxes);
    memory_release(mail->budget, mail->letters, ranks * sizeof *mail->letters);
    memory_release(mail->budget, mail->lengths, ranks * sizeof *mail->lengths);
    memory_release(mail->budget, mail->received, ranks * sizeof *mail->received);
}

/* ---- gathering ---- */

/* Whether the pair of that number, if it is one to this rank, is this one. */
static bool is_pair(const struct rank_mail *mail, const struct rank_outbox *outbox, uint32_t number,
                    const uint32_t *state, normal_id normal)
{
    const size_t first = (size_t)number * rank_mail_words(mail);
    return first < outbox->pairs.length && outbox->pairs.items[first + mail->slots] == normal &&
           memcmp(outbox->pairs.items + first, state, mail->slots * sizeof *state) == 0;
}

bool rank_mail_put(struct rank_mail *mail, unsigned to, uint64_t hash, const uint32_t *state,
                   normal_id normal, label by)
{
    const uint32_t words = rank_mail_words(mail);
    struct rank_outbox *outbox = &mail->outboxes[to];
    uint32_t *cached = &mail->cache[hash_pair(hash, normal) % RANK_MAIL_CACHE];
    assert(to != mail->transport->rank);
    if (*cached && is_pair(mail, outbox, *cached - 1, state, normal))
        return true;
    if (!rank_names_tell_normal(mail->names, to, normal, &outbox->names) ||
        !rank_names_tell_label(mail->names, to, by, &outbox->names) ||
        !vector_reserve(&outbox->pairs, outbox->pairs.length + words))
        return false;
    uint32_t *pair = outbox->pairs.items + outbox->pairs.length;
    memcpy(pair, state, mail->slots * sizeof *state);
    pair[mail->slots] = normal;
    pair[mail->slots + 1] = by;
    for (uint32_t i = 0; i < words; i++)
        mail->seen[i] |= pair[i];
    *cached = 1 + (uint32_t)(outbox->pairs.length / words);
    outbox->pairs.length += words;
    mail->waiting++;
    return true;
}

void rank_mail_bits(const struct rank_mail *mail, uint64_t *bits)
{
    for (uint32_t i = 0; i < rank_mail_words(mail); i++)
        bits[i] = bits_needed(mail->seen[i]);
}

/* ---- letters ---- */

#define LETTER_HEAD 2

static size_t bits_of_pair(const struct rank_mail *mail, const uint64_t *bits)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < rank_mail_words(mail); i++)
        sum += bits[i];
    return sum;
}

static bool write_letter(const struct rank_mail *mail, const uint64_t *bits,
                         struct rank_outbox *outbox)
{
    const uint32_t words = rank_mail_words(mail);
    const size_t pairs = outbox->pairs.length / words, names = outbox->names.words.length,
                 length = LETTER_HEAD + names + (pairs * bits_of_pair(mail, bits) + 63) / 64;
    outbox->letter.words.length = 0;
    if (names + pairs == 0)
        return true;
    if (!vector_reserve(&outbox->letter.words, length))
        return false;
    uint64_t *letter = outbox->letter.words.items;
    memset(letter, 0, length * sizeof *letter);
    outbox->letter.words.length = length;
    letter[0] = names;
    letter[1] = pairs;
    if (names)
        memcpy(letter + LETTER_HEAD, outbox->names.words.items, names * sizeof *letter);
    uint64_t *body = letter + LETTER_HEAD + names;
    size_t at = 0;
    for (size_t i = 0; i < outbox->pairs.length; i++) {
        const uint64_t wide = bits[i % words];
        if (wide)
            bits_write(body, at, (uint32_t)wide, outbox->pairs.items[i]);
        at += wide;
    }
    outbox->names.words.length = 0;
    outbox->pairs.length = 0;
    return true;
}

static enum status read_letter(struct rank_mail *mail, unsigned from, const uint64_t *bits,
                               const uint64_t *letter, uint32_t *pair,
                               enum status (*take)(void *user, const uint32_t *state,
                                                   normal_id normal, label by),
                               void *user, struct error *error)
{
    const uint32_t words = rank_mail_words(mail), slots = mail->slots;
    const uint64_t *body = letter + LETTER_HEAD + letter[0];
    size_t at = 0;
    TRY(rank_names_hear(mail->names, from, letter + LETTER_HEAD, letter[0], error));
    for (uint64_t n = 0; n < letter[1]; n++) {
        for (uint32_t i = 0; i < words; i++) {
            pair[i] = bits[i] ? (uint32_t)bits_read(body, at, (uint32_t)bits[i]) : 0;
            at += bits[i];
        }
        const normal_id normal = rank_names_normal(mail->names, from, pair[slots]);
        const label by = rank_names_label(mail->names, from, pair[slots + 1]);
        TRY_MEMORY(normal != NORMAL_NONE && by != LABEL_REFUSED);
        TRY(take(user, pair, normal, by));
    }
    return STATUS_OK;
}

static enum status write_letters(struct rank_mail *mail, const uint64_t *bits)
{
    for (unsigned i = 0; i < mail->transport->ranks; i++) {
        struct rank_outbox *outbox = &mail->outboxes[i];
        mail->sent_pairs += outbox->pairs.length / rank_mail_words(mail);
        const bool written = write_letter(mail, bits, outbox);
        mail->letters[i] = outbox->letter.words.items;
        mail->lengths[i] = outbox->letter.words.length;
        mail->sent_bytes += mail->lengths[i] * sizeof(uint64_t);
        TRY_MEMORY(written);
    }
    return STATUS_OK;
}

enum status rank_mail_exchange(struct rank_mail *mail, const uint64_t *bits,
                               enum status (*take)(void *user, const uint32_t *state,
                                                   normal_id normal, label by),
                               void *user, struct error *error)
{
    const unsigned ranks = mail->transport->ranks;
    enum status status = write_letters(mail, bits);
    for (unsigned i = 0; i < ranks && status != STATUS_OK; i++)
        mail->lengths[i] = 0; /* the search is over, which the others learn next */
    const uint64_t *at =
        mail->transport->exchange(mail->transport, mail->letters, mail->lengths, mail->received);
    memset(mail->cache, 0, RANK_MAIL_CACHE * sizeof *mail->cache);
    mail->waiting = 0;
    uint32_t *pair = memory_allocate(mail->budget, rank_mail_words(mail) * sizeof *pair);
    for (unsigned i = 0; i < ranks; at += mail->received[i++])
        if (mail->received[i] && status == STATUS_OK)
            status = pair ? read_letter(mail, i, bits, at, pair, take, user, error) : STATUS_LIMIT;
    memory_release(mail->budget, pair, rank_mail_words(mail) * sizeof *pair);
    return status;
}
