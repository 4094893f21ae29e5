/* Checks the concurrency relation: that it is symmetric, holds of the initial markings, and is kept
 * by every transition. The sets beside a place are compared 64 at a time. */
#include "petri/pairs_check.h"

struct checking {
    const struct concurrency *pairs;
    const struct net *net;
    const struct limits *limits;
    struct error *error;
    uint32_t looked;
};

static enum status fault(const struct checking *checking, const char *what)
{
    return error_set(checking->error, STATUS_INTERNAL, NULL, 0, "the certificate is wrong: %s",
                     what);
}

static enum status look(struct checking *checking)
{
    return limits_look(checking->limits, &checking->looked) ? STATUS_LIMIT : STATUS_OK;
}

/* The tokens of the 64 places that the one at *at is among; *at moves behind them. */
static uint64_t tokens_of_word(struct arcs tokens, uint32_t *at)
{
    uint32_t word = tokens.items[*at].place / WORD_BITS;
    uint64_t some = 0;
    for (; *at < tokens.count && tokens.items[*at].place / WORD_BITS == word; ++*at)
        some |= bit_of(tokens.items[*at].place);
    return some;
}

/* Word by word, as the rows are kept. */
static bool every_two_possible(const struct concurrency *pairs, struct arcs tokens)
{
    for (uint32_t at = 0; at < tokens.count;) {
        uint32_t word = tokens.items[at].place / WORD_BITS;
        uint64_t some = tokens_of_word(tokens, &at);
        for (uint32_t i = 0; i < tokens.count; i++) {
            uint32_t p = tokens.items[i].place;
            uint64_t others = p / WORD_BITS == word ? some & ~bit_of(p) : some;
            if (others & ~symmetric_bits_word(&pairs->rows, p, word))
                return false;
        }
    }
    return true;
}

bool pairs_possible(const struct concurrency *pairs, struct arcs tokens)
{
    for (uint32_t i = 0; i < tokens.count; i++) {
        uint32_t p = tokens.items[i].place;
        bool single = tokens.items[i].count == 1;
        if (!bits_get(pairs->live, p) || (!single && !concurrency_has(pairs, p, p)))
            return false;
    }
    return every_two_possible(pairs, tokens);
}

/* Every two of the marked places, and two tokens in one that may have as many. */
static enum status check_initial_pairs(struct checking *checking, struct bits marked)
{
    const struct concurrency *pairs = checking->pairs;
    const struct net *net = checking->net;
    for (uint32_t p = 0; p < net->places.length; p++)
        if (net->places.items[p].initial || net->places.items[p].open)
            bits_set(marked, p);
    for (uint32_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        if (!bits_get(marked, p))
            continue;
        TRY(look(checking));
        bool one = place->initial <= 1 && !place->open;
        bool good = bits_get(pairs->live, p);
        for (size_t word = 0; word < pairs->rows.words && good; word++) {
            uint64_t missing = marked.words[word] & ~symmetric_bits_word(&pairs->rows, p, word);
            if (one && word == p / WORD_BITS)
                missing &= ~bit_of(p);
            good = !missing;
        }
        if (!good)
            return fault(checking, "two tokens of the initial marking are no possible pair");
    }
    return STATUS_OK;
}

/* In some 64 places, those that word is of. */
static bool kept_in_word(const struct concurrency *pairs, struct arcs takes, struct arcs gives,
                         size_t word)
{
    uint64_t kept = UINT64_MAX, beside = pairs->live.words[word];
    for (uint32_t i = 0; i < gives.count; i++)
        kept &= symmetric_bits_word(&pairs->rows, gives.items[i].place, word);
    beside &= ~kept;
    for (uint32_t i = 0; i < takes.count && beside; i++)
        beside &= symmetric_bits_word(&pairs->rows, takes.items[i].place, word);
    return !beside;
}

/* A place whose token may lie beside all that is taken may have one beside all that is given. */
static bool pairs_kept(const struct checking *checking, const struct net_transition *transition)
{
    const struct concurrency *pairs = checking->pairs;
    const struct symmetric_bits *rows = &pairs->rows;
    struct arcs takes = transition->takes, gives = transition->gives;
    if (!pairs_possible(pairs, takes))
        return true;
    if (!pairs_possible(pairs, gives))
        return false;
    for (size_t word = 0; word < rows->words; word++) {
        if (takes.count) /* beside nothing there is nothing */
            word = symmetric_bits_next(rows, takes.items[0].place / TILE, word);
        if (word < rows->words && !kept_in_word(pairs, takes, gives, word))
            return false;
    }
    return true;
}

static bool is_full(const struct tile *tile)
{
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < TILE; i++)
        all &= tile->rows[i];
    return all == UINT64_MAX;
}

/* Each 1 of a tile is one in the column, too. */
static bool is_mirrored(const struct symmetric_bits *rows, size_t row, size_t column)
{
    const struct tile *tile = rows->tiles[row * rows->words + column];
    const struct tile *other = rows->tiles[column * rows->words + row];
    if (!other)
        return false;
    if (is_full(other))
        return true;
    for (uint32_t i = 0; i < TILE; i++)
        for (uint64_t left = tile->rows[i]; left; left &= left - 1)
            if (!(other->rows[__builtin_ctzll(left)] & bit_of(i)))
                return false;
    return true;
}

static enum status check(struct checking *checking, struct arena *arena)
{
    const struct concurrency *pairs = checking->pairs;
    const struct symmetric_bits *rows = &pairs->rows;
    if (pairs->places != checking->net->places.length || rows->size != pairs->places)
        return fault(checking, "its pairs are of another net");
    for (size_t row = 0; row < rows->words; row++)
        for (size_t at = 0; (at = symmetric_bits_next(rows, row, at)) < rows->words; at++) {
            TRY(look(checking));
            if (!is_mirrored(rows, row, at))
                return fault(checking, "a pair is possible in one order only");
        }
    struct bits marked = bits_in_arena(arena, pairs->places);
    TRY_MEMORY(marked.words);
    TRY(check_initial_pairs(checking, marked));
    for (size_t t = 0; t < checking->net->transitions.length; t++) {
        TRY(look(checking));
        if (!pairs_kept(checking, &checking->net->transitions.items[t]))
            return fault(checking, "a transition leads to a pair that is not possible");
    }
    return STATUS_OK;
}

enum status pairs_check(const struct concurrency *pairs, const struct net *net, struct arena *arena,
                        const struct limits *limits, struct error *error)
{
    struct checking checking = {.pairs = pairs, .net = net, .limits = limits, .error = error};
    return check(&checking, arena);
}
