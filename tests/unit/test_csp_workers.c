/* The workers of a CSP# model: threads that expand the same states at the same time find the same
 * successors, bit by bit; and a state written down by one model is read by another of the same text
 * that came upon its terms in another order. Also built with the thread sanitizer.
 * `test_csp_workers SEED COUNT` takes so many random models of each shape, from that seed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "csp/indices.h"
#include "space/state_table.h"
#include "support/csp_model_test.h"
#include "support/csp_random.h"
#include "support/csp_written.h"
#include "support/seeds.h"

#define THREADS     4
#define MOST_STATES 300
#define MOST_SLOTS  500
#define MOST_STEPS  1000

static struct seeds seeds = {1, 30};

static const char *const examples[] = {
    "alternating_bit", "leader_election", "mailbox", "ms_queue", "peterson",
    "readers_writers", "register",        "snzi",    "stack"};

/* ---- a model ---- */

struct opened {
    struct csp_model_test test;
    struct labels *labels;
    struct csp_indices indices; /* count 0: nothing is alike */
    struct csp_model *model;
};

/* The process of the first assertion. */
static void open_text(struct opened *opened, const char *text)
{
    csp_model_test_open(&opened->test, text);
    const struct csp_assertion *asserted = &opened->test.module.assertions.items[0];
    opened->labels = labels_create(&opened->test.budget);
    assert_int_equal(
        csp_indices_find(&opened->test.program, asserted, opened->labels, &opened->indices),
        STATUS_OK);
    struct csp_indices *indices = opened->indices.nodes.count ? &opened->indices : NULL;
    if (csp_model_create(&opened->test.program, asserted->process, opened->labels,
                         &opened->test.limits, NULL, indices, &opened->model,
                         &opened->test.error) != STATUS_OK)
        opened->model = NULL; /* the text is wrong, as random ones may be */
    assert_true(opened->test.program.slot_count < MOST_SLOTS);
}

static void close_model(struct opened *opened)
{
    csp_model_destroy(opened->model);
    csp_indices_release(&opened->indices);
    labels_destroy(opened->labels);
    csp_model_test_close(&opened->test);
}

static char *read_example(const char *name)
{
    char path[500];
    static char text[100000];
    snprintf(path, sizeof path, SOURCE_DIR "/examples/models/%s.csp", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void each_model(void (*check)(const char *text, const char *what))
{
    char what[100];
    for (size_t i = 0; i < ARRAY_LENGTH(examples); i++)
        check(read_example(examples[i]), examples[i]);
    for (int shape = 0; shape < CSP_RANDOM_SHAPES; shape++) {
        for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
            struct csp_random *random = csp_random_create((enum csp_random_shape)shape, seed);
            snprintf(what, sizeof what, "shape %d, seed %llu", shape, (unsigned long long)seed);
            check(csp_random_text(random), what);
            csp_random_destroy(random);
        }
    }
}

/* ---- the first states, breadth first ---- */

struct walk {
    struct worker *worker;
    struct successors out;
    struct state_table states;
    uint64_t digest; /* of all that was seen of them, in order */
    enum status status;
};

static void see(struct walk *walk, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        walk->digest = (walk->digest ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void walk_open(struct walk *walk, const struct model *model)
{
    *walk = (struct walk){.worker = worker_create(model)};
    successors_init(&walk->out, model->budget);
    state_table_init(&walk->states, model->budget, model->slots, model->identity_slots);
}

static void walk_close(struct walk *walk)
{
    worker_destroy(walk->worker);
    successors_release(&walk->out);
    state_table_release(&walk->states);
}

static void keep_all(struct walk *walk)
{
    const size_t slots = walk->worker->model->slots;
    for (size_t i = 0; i < walk->out.steps.length; i++) {
        bool fresh;
        const uint32_t *state = walk->out.states.items + i * slots;
        see(walk, &walk->out.steps.items[i].label, sizeof(label));
        see(walk, state, slots * sizeof *state);
        if (walk->states.count < MOST_STATES &&
            state_table_intern(&walk->states, state, &fresh) == STATE_REFUSED)
            walk->status = STATUS_LIMIT;
    }
}

/* What a state is like: its live slots, what its processes may touch, who stands for it. */
static void look_at(struct walk *walk, const uint32_t *state)
{
    struct worker *worker = walk->worker;
    const struct model *model = worker->model;
    const uint32_t words = (model->slots + 31) / 32;
    const uint32_t *live;
    struct outlooks outlooks;
    struct error error;
    struct renumbering by = RENUMBERING_NONE;
    uint32_t copy[MOST_SLOTS];
    outlooks_init(&outlooks, model->budget);
    if (model->class->live(worker, state, &live, &error) == STATUS_OK)
        see(walk, live, words * sizeof *live);
    if (model->class->outlooks(worker, state, &outlooks, &error) == STATUS_OK)
        for (size_t i = 0; i < outlooks.items.length; i++) {
            see(walk, outlooks.items.items[i].next, 2 * words * sizeof *live);
            see(walk, outlooks.items.items[i].future, 2 * words * sizeof *live);
        }
    memcpy(copy, state, model->slots * sizeof *copy);
    if (((const struct csp_model *)model)->shared.turn.indices &&
        model->class->arrange(worker, copy, &by, &error) == STATUS_OK)
        see(walk, copy, model->slots * sizeof *copy);
    outlooks_release(&outlooks);
}

/* A fault of the model is seen like a step. */
static void go(struct walk *walk)
{
    struct error error;
    walk->status = worker_initial(walk->worker, &walk->out, &error);
    keep_all(walk);
    for (state_id at = 0; at < walk->states.count && walk->status != STATUS_LIMIT; at++) {
        const uint32_t *state = state_table_get(&walk->states, at);
        look_at(walk, state);
        successors_clear(&walk->out);
        walk->status = worker_successors(walk->worker, state, &walk->out, &error);
        see(walk, &walk->status, sizeof walk->status);
        keep_all(walk);
    }
}

static void go_in_thread(void *context, size_t i, unsigned thread)
{
    (void)thread;
    go(&((struct walk *)context)[i]);
}

static void check_threads(const char *text, const char *what)
{
    struct opened opened;
    struct walk walks[THREADS];
    open_text(&opened, text);
    if (opened.model) {
        for (int i = 0; i < THREADS; i++)
            walk_open(&walks[i], &opened.model->model);
        parallel_for(THREADS, THREADS, go_in_thread, walks);
        for (int i = 1; i < THREADS; i++)
            if (walks[i].digest != walks[0].digest || walks[i].status != walks[0].status ||
                walks[i].states.count != walks[0].states.count)
                fail_msg("threads saw different states: %s\n%s", what, text);
        for (int i = 0; i < THREADS; i++)
            walk_close(&walks[i]);
    }
    close_model(&opened);
}

static void threads_find_the_same_bits(void **state)
{
    (void)state;
    each_model(check_threads);
}

/* ---- states written down ---- */

struct writer {
    struct opened *opened;
    struct csp_written written;
    written_words words;
    struct worker *worker;
    struct successors out;
};

static void writer_open(struct writer *writer, struct opened *opened)
{
    *writer = (struct writer){.opened = opened, .worker = worker_create(&opened->model->model)};
    assert_int_equal(csp_written_create(opened->model, &writer->written), STATUS_OK);
    vector_init(&writer->words, &opened->test.budget);
    successors_init(&writer->out, &opened->test.budget);
}

static void writer_close(struct writer *writer)
{
    csp_written_release(&writer->written);
    vector_release(&writer->words);
    successors_release(&writer->out);
    worker_destroy(writer->worker);
}

/* The state in the numbers of another model. */
static void pass(struct writer *from, const uint32_t *state, struct writer *to, uint32_t *read)
{
    struct error error;
    from->words.length = 0;
    assert_int_equal(csp_state_write(&from->written, state, &from->words), STATUS_OK);
    if (csp_state_read(&to->written, from->words.items, from->words.length, read, &error) !=
        STATUS_OK)
        fail_msg("%s", error.message);
}

static bool same_label(struct writer *one, label a, struct writer *other, label b)
{
    struct text left = TEXT_EMPTY, right = TEXT_EMPTY;
    labels_print(one->opened->labels, a, &left);
    labels_print(other->opened->labels, b, &right);
    bool same = strcmp(text_string(&left), text_string(&right)) == 0;
    text_release(&left);
    text_release(&right);
    return same;
}

/* Both have the same steps from the state, to the same states; *order may differ. */
static bool same_steps(struct writer *one, const uint32_t *state, struct writer *other,
                       const uint32_t *read)
{
    const size_t slots = one->worker->model->slots;
    uint32_t back[MOST_SLOTS];
    struct error error;
    successors_clear(&one->out);
    successors_clear(&other->out);
    enum status status = worker_successors(one->worker, state, &one->out, &error);
    if (worker_successors(other->worker, read, &other->out, &error) != status)
        return false;
    if (status != STATUS_OK)
        return true;
    size_t count = one->out.steps.length, matched = 0;
    bool taken[MOST_STEPS] = {false};
    assert_true(count <= MOST_STEPS);
    for (size_t i = 0; i < other->out.steps.length; i++) {
        pass(other, other->out.states.items + i * slots, one, back);
        for (size_t j = 0; j < count; j++) {
            if (taken[j] ||
                !same_label(one, one->out.steps.items[j].label, other,
                            other->out.steps.items[i].label) ||
                memcmp(back, one->out.states.items + j * slots, slots * sizeof *back) != 0)
                continue;
            taken[j] = true;
            matched++;
            break;
        }
    }
    return matched == count && other->out.steps.length == count;
}

static void check_written(const char *text, const char *what)
{
    struct opened one, other;
    open_text(&one, text);
    open_text(&other, text);
    assert_int_equal(one.model == NULL, other.model == NULL);
    if (one.model) {
        struct walk walk;
        struct writer writers[2];
        uint32_t state[MOST_SLOTS], read[MOST_SLOTS], back[MOST_SLOTS];
        const size_t size = one.model->model.slots * sizeof *state;
        walk_open(&walk, &one.model->model);
        go(&walk);
        writer_open(&writers[0], &one);
        writer_open(&writers[1], &other);
        for (state_id i = walk.states.count; i-- > 0;) { /* the last first */
            state_table_read(&walk.states, i, state);
            pass(&writers[0], state, &writers[1], read);
            if (!same_steps(&writers[0], state, &writers[1], read))
                fail_msg("state %u has other successors where it is read: %s\n%s", i, what, text);
            pass(&writers[1], read, &writers[0], back);
            assert_memory_equal(back, state, size);
        }
        writer_close(&writers[0]);
        writer_close(&writers[1]);
        walk_close(&walk);
    }
    close_model(&one);
    close_model(&other);
}

static void states_are_read_by_another_model(void **state)
{
    (void)state;
    each_model(check_written);
}

/* Whatever was written, a word changed or left out: a status, and no more. */
static void what_was_not_written_is_refused(void **state)
{
    struct opened opened;
    struct writer writer;
    struct walk walk;
    struct random random;
    struct error error;
    (void)state;
    random_seed(&random, seeds.first);
    open_text(&opened, read_example("ms_queue"));
    writer_open(&writer, &opened);
    walk_open(&walk, &opened.model->model);
    go(&walk);
    uint32_t read[MOST_SLOTS];
    for (state_id i = 0; i < walk.states.count; i++) {
        writer.words.length = 0;
        assert_int_equal(
            csp_state_write(&writer.written, state_table_get(&walk.states, i), &writer.words),
            STATUS_OK);
        assert_int_equal(csp_state_read(&writer.written, writer.words.items,
                                        random_below(&random, writer.words.length), read, &error),
                         STATUS_INPUT);
        writer.words.items[random_below(&random, writer.words.length)] =
            (uint32_t)random_below(&random, 40);
        (void)!csp_state_read(&writer.written, writer.words.items, writer.words.length, read,
                              &error);
    }
    walk_close(&walk);
    writer_close(&writer);
    close_model(&opened);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_find_the_same_bits),
        cmocka_unit_test(states_are_read_by_another_model),
        cmocka_unit_test(what_was_not_written_is_refused),
    };
    seeds_from_arguments(&seeds, argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
