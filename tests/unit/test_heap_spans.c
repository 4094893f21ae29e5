/* Automata that read one call at most of a colour (unbounded/heap_spans.h) accept what they
 * accepted before, with some colouring: random words of operations that bring values, read by their
 * calls and returns, and of others that are read at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "support/heap_examples.h"
#include "support/seeds.h"
#include "unbounded/heap_certificate_automaton.h"
#include "unbounded/heap_spans.h"

#define MOST_VALUES 4
#define MOST_EVENTS 12

enum kind {
    CALLS,   /* who brings a value */
    RETURNS, /* likewise */
    TAKES,
    FINDS_NOTHING,
};

struct word {
    unsigned length, values;
    struct {
        enum kind kind;
        unsigned value;
    } events[MOST_EVENTS];
};

static struct seeds seeds = {1, 300}; /* each with a word for each automaton */

static void append(struct word *word, enum kind kind, unsigned number)
{
    word->events[word->length].kind = kind;
    word->events[word->length++].value = number;
}

/* Each value is brought once, by a call that may be pending in the end, and taken here or there. */
static void make_word(struct random *random, struct word *word)
{
    enum kind next[MOST_VALUES] = {CALLS, CALLS, CALLS, CALLS};
    const unsigned length = 1 + random_below(random, MOST_EVENTS);
    *word = (struct word){.values = 1 + random_below(random, MOST_VALUES)};
    while (word->length < length) {
        const unsigned number = random_below(random, word->values);
        switch (random_below(random, 5)) {
        case 0:
            append(word, TAKES, number);
            break;
        case 1:
            append(word, FINDS_NOTHING, 0);
            break;
        default:
            if (next[number] == TAKES) { /* it has returned */
                append(word, FINDS_NOTHING, 0);
                break;
            }
            append(word, next[number], number);
            next[number] = next[number] == CALLS ? RETURNS : TAKES;
        }
    }
}

struct reading_word {
    const struct alphabet *alphabet;
    const struct word *word;
    uint8_t colours[MOST_VALUES];
};

static bool accepts_from(const struct reading_word *reading, unsigned at, uint32_t state,
                         const uint32_t *letters)
{
    const struct alphabet *alphabet = reading->alphabet;
    bool accepts = alphabet->accepting[state];
    if (accepts || at == reading->word->length)
        return accepts;
    const unsigned number = reading->word->events[at].value;
    const enum kind kind = reading->word->events[at].kind;
    struct thread_move move = {.operation = kind == TAKES || kind == FINDS_NOTHING,
                               .calls = kind != RETURNS,
                               .argument = kind == CALLS ? reading->colours[number] : 0,
                               .answer = kind == TAKES   ? ANSWER_VALUED
                                         : kind == CALLS ? ANSWER_NONE
                                                         : ANSWER_PLAIN,
                               .result = kind == TAKES ? reading->colours[number] : 0};
    struct heap_readings behind = {.count = 0};
    if (kind == CALLS) {
        struct heap_called called[MOST_LETTERS];
        const size_t count = heap_read_call(alphabet, state, &move, called);
        for (size_t i = 0; i < count && !accepts; i++) {
            uint32_t more[MOST_VALUES];
            memcpy(more, letters, sizeof more);
            more[number] = called[i].letter;
            accepts = accepts_from(reading, at + 1, called[i].state, more);
        }
        return accepts;
    }
    if (kind == RETURNS)
        heap_read_return(alphabet, state, letters[number], &move, &behind);
    else
        heap_read_whole(alphabet, state, &move, &behind);
    for (size_t i = 0; i < behind.count && !accepts; i++)
        accepts = accepts_from(reading, at + 1, behind.states[i], letters);
    return accepts;
}

/* With some colouring. */
static bool is_accepted(const struct alphabet *alphabet, const struct word *word)
{
    struct reading_word reading = {.alphabet = alphabet, .word = word};
    unsigned colourings = 1;
    bool accepted = false;
    for (unsigned i = 0; i < word->values; i++)
        colourings *= VIOLATION_COLOURS;
    for (unsigned n = 0; n < colourings && !accepted; n++) {
        bool told = true;
        unsigned left = n;
        for (unsigned i = 0; i < MOST_VALUES && i < word->values; i++, left /= VIOLATION_COLOURS) {
            reading.colours[i] = (uint8_t)(1 + left % VIOLATION_COLOURS);
            told &= alphabet->colours >> reading.colours[i] & 1;
        }
        const uint32_t none[MOST_VALUES] = {0};
        accepted = told && accepts_from(&reading, 0, alphabet->automaton->initial, none);
    }
    return accepted;
}

/* What the check of certificates knows of an automaton is what the proof does. */
static void compare_with_check(const struct alphabet *alphabet)
{
    const unsigned once = heap_find_once(alphabet);
    for (uint8_t colour = 1; colour <= VIOLATION_COLOURS; colour++)
        if (certificate_is_brought_once(alphabet, colour) != (once >> colour & 1))
            fail_msg("%s: colour %u", alphabet->automaton->name, colour);
}

/* Whether what an automaton accepts may be that a pending operation returns in the end. */
static void returns_in_the_end_may_matter(void **unused)
{
    struct heap_example subject;
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++) {
        unsigned miss = 0;
        assert_true(heap_example_read(&subject, heap_right[i].text, heap_right[i].specification));
        for (size_t a = 0; a < subject.automata.count; a++) {
            struct alphabet alphabet;
            assert_int_equal(alphabet_make(&subject.automata.items[a], &subject.roles, true,
                                           &subject.arena, &alphabet),
                             STATUS_OK);
            const bool misses = certificate_misses_returns(&alphabet);
            assert_int_equal(misses,
                             strcmp(alphabet.automaton->name, "register_conflict_marked") == 0);
            assert_false(misses && heap_may_span(&alphabet));
            miss += misses;
        }
        assert_int_equal(miss, strcmp(heap_right[i].specification, "register") == 0);
        heap_example_close(&subject, true);
    }
}

static void what_is_accepted_still_is(void **unused)
{
    unsigned accepted = 0, once = 0, more = 0;
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++) {
        struct heap_example subject;
        if (i > 0 && strcmp(heap_right[i].specification, heap_right[i - 1].specification) == 0)
            continue;
        assert_true(heap_example_read(&subject, heap_right[i].text, heap_right[i].specification));
        for (size_t a = 0; a < subject.automata.count; a++) {
            struct alphabet before, after;
            assert_int_equal(alphabet_make(&subject.automata.items[a], &subject.roles, true,
                                           &subject.arena, &before),
                             STATUS_OK);
            after = before;
            assert_int_equal(heap_span_alphabet(&after, &subject.arena), STATUS_OK);
            once += (unsigned)__builtin_popcount(heap_find_once(&after));
            more += after.automaton->state_count > before.automaton->state_count;
            compare_with_check(&before);
            compare_with_check(&after);
            assert_true((heap_find_once(&before) & ~heap_find_once(&after)) == 0);
            for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
                struct random random;
                struct word word;
                random_seed(&random, seed);
                make_word(&random, &word);
                const bool is = is_accepted(&before, &word);
                accepted += is;
                if (is != is_accepted(&after, &word))
                    fail_msg("seed %llu: %s accepts it %s", (unsigned long long)seed,
                             before.automaton->name, is ? "no more" : "now");
            }
        }
        heap_example_close(&subject, true);
    }
    print_message("%u words are accepted; %u colours are called once, in %u automata newly\n",
                  accepted, once, more);
    assert_true(accepted > 0 && more > 0);
}

/* `test_heap_spans [FIRST [COUNT]]` */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_accepted_still_is),
        cmocka_unit_test(returns_in_the_end_may_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
