/* Normalised states of a sequential specification are stored as the possibilities from which the
 * others follow. Random events of four threads, threads exchanged now and then, lead to many of
 * them; beside each stands the whole set, worked out on objects that are written a second time
 * here: the states must be equal where these are, none where there is none, and include one another
 * where these do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lin/spec.h"
#include "property/linear_normal.h"
#include "support/seeds.h"

#define THREADS      4
#define MOST_NODES   60
#define MOST_MEMBERS 4096

enum object {
    QUEUE,    /* put v; take, 0 where it is empty */
    REGISTER, /* swap v, with what was there; read */
    COIN,     /* flip, 1 or 2 and it stays so; read */
    OBJECTS,
};

static const struct {
    const char *text, *names[2];
    bool takes[2], answers[2];
} objects[OBJECTS] = {
    [QUEUE] = {"spec o { list l; op put(int v) { l = l + [v]; return ok; } op take() {"
               " if (l == []) return 0; int v = first(l); l = but_first(l); return v; } }",
               {"put", "take"},
               {true, false},
               {false, true}},
    [REGISTER] = {"spec o { int x; op swap(int v) { int old = x; x = v; return old; }"
                  " op read() { return x; } }",
                  {"swap", "read"},
                  {true, false},
                  {true, true}},
    [COIN] = {"spec o { int x; op flip() { either { x = 1; } or { x = 2; } return x; }"
              " op read() { return x; } }",
              {"flip", "read"},
              {false, false},
              {true, true}},
};

/* ---- by definition ---- */

/* A possibility in one number: the object in the lower 32 bits, its values in base 4, the first one
 * lowest; of each thread, 8 bits. */
enum phase_of_thread {
    IDLE,
    CALLED,
    DONE
};

struct thread {
    unsigned phase, which, argument, answer; /* 2 bits each */
};

static struct thread thread_get(uint64_t member, unsigned thread)
{
    const unsigned bits = (unsigned)(member >> (32 + 8 * thread));
    return (struct thread){bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6 & 3};
}

static uint64_t thread_set(uint64_t member, unsigned thread, struct thread is)
{
    const uint64_t bits = is.phase | is.which << 2 | is.argument << 4 | is.answer << 6;
    const unsigned at = 32 + 8 * thread;
    return (member & ~(UINT64_C(255) << at)) | bits << at;
}

struct members {
    uint64_t items[MOST_MEMBERS];
    unsigned count;
};

static bool has(const struct members *set, uint64_t member)
{
    for (unsigned i = 0; i < set->count; i++)
        if (set->items[i] == member)
            return true;
    return false;
}

static void add(struct members *set, uint64_t member)
{
    if (has(set, member))
        return;
    assert_true(set->count < MOST_MEMBERS);
    set->items[set->count++] = member;
}

/* Adds what comes of an operation that runs. */
static void run(enum object object, struct members *set, uint64_t from, unsigned thread)
{
    struct thread is = thread_get(from, thread);
    const uint32_t state = (uint32_t)from;
    uint32_t next[2] = {state, state};
    unsigned ways = 1, length = 0;
    if (is.phase != CALLED)
        return;
    while (state >> (2 * length))
        length++;
    if (object == QUEUE && is.which == 0)
        next[0] = state | (uint32_t)is.argument << (2 * length);
    else if (object == QUEUE)
        next[0] = state >> 2;
    else if (object == REGISTER && is.which == 0)
        next[0] = is.argument;
    else if (object == COIN && is.which == 0)
        next[0] = 1, next[1] = 2, ways = 2;
    is.phase = DONE;
    for (unsigned way = 0; way < ways; way++) {
        is.answer = object == QUEUE && is.which == 0  ? 0
                    : object == COIN && is.which == 0 ? next[way]
                                                      : state & 3;
        add(set, thread_set((from & ~UINT64_C(0xffffffff)) | next[way], thread, is));
    }
}

static void close_set(enum object object, struct members *set)
{
    for (unsigned i = 0; i < set->count; i++)
        for (unsigned thread = 0; thread < THREADS; thread++)
            run(object, set, set->items[i], thread);
}

static bool is_part(const struct members *part, const struct members *whole)
{
    for (unsigned i = 0; i < part->count; i++)
        if (!has(whole, part->items[i]))
            return false;
    return true;
}

/* ---- both ---- */

struct node {
    struct members set;
    normal_id id;
};

struct setting {
    enum object object;
    struct normal *normal;
    struct labels *labels;
    struct random random;
    struct node *nodes;
    unsigned count;
};

static label label_of(const struct setting *setting, unsigned thread, struct thread is)
{
    const bool response = is.phase == DONE;
    const char *name = objects[setting->object].names[is.which];
    uint32_t components[2] = {thread};
    size_t count = 1;
    if (!response && objects[setting->object].takes[is.which])
        components[count++] = is.argument;
    if (response && objects[setting->object].answers[is.which])
        components[count++] = is.answer;
    return labels_intern_named(setting->labels, response ? LABEL_RESPOND : LABEL_INVOKE, name,
                               components, count);
}

/* What a set becomes by a call or an answer; the label of that. */
static label happen(struct setting *setting, const struct members *from, struct members *to)
{
    const unsigned thread = random_below(&setting->random, THREADS);
    struct thread is = thread_get(from->items[0], thread);
    to->count = 0;
    if (is.phase == IDLE) {
        is = (struct thread){CALLED, random_below(&setting->random, 2), 0, 0};
        if (objects[setting->object].takes[is.which])
            is.argument = 1 + random_below(&setting->random, 2);
        for (unsigned i = 0; i < from->count; i++)
            add(to, thread_set(from->items[i], thread, is));
        close_set(setting->object, to);
        return label_of(setting, thread, is);
    }
    is.phase = DONE;
    is.answer = objects[setting->object].answers[is.which] ? random_below(&setting->random, 3) : 0;
    for (unsigned i = 0; i < from->count; i++) {
        const struct thread was = thread_get(from->items[i], thread);
        if (was.phase == DONE && was.answer == is.answer)
            add(to, thread_set(from->items[i], thread, (struct thread){0}));
    }
    return label_of(setting, thread, is);
}

/* Exchanges two threads behind the event. */
static label exchange(struct setting *setting, label l, struct members *set)
{
    uint8_t numbers[TURNING_MOST];
    const unsigned one = random_below(&setting->random, THREADS);
    const unsigned other = (one + 1) % THREADS;
    for (unsigned i = 0; i < TURNING_MOST; i++)
        numbers[i] = (uint8_t)(i == one ? other : i == other ? one : i);
    for (unsigned i = 0; i < set->count; i++) {
        const uint64_t was = set->items[i];
        set->items[i] =
            thread_set(thread_set(was, one, thread_get(was, other)), other, thread_get(was, one));
    }
    return labels_renumbered(setting->labels, l,
                             (struct renumbering){turning_make(numbers), TURNING_IDENTITY});
}

static void grow(struct setting *setting)
{
    struct error error;
    const struct node *from = &setting->nodes[random_below(&setting->random, setting->count)];
    struct node *to = &setting->nodes[setting->count];
    label l = happen(setting, &from->set, &to->set);
    if (random_chance(&setting->random, 1, 3))
        l = exchange(setting, l, &to->set);
    if (setting->normal->class->step(setting->normal, from->id, l, &to->id, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(to->id == NORMAL_NONE, to->set.count == 0);
    setting->count += to->set.count > 0;
}

static void compare_all(const struct setting *setting, unsigned *equal, unsigned *parts)
{
    const struct normal_class *class = setting->normal->class;
    uint64_t signatures[MOST_NODES + 1];
    for (unsigned i = 0; i < setting->count; i++)
        assert_true(class->signature(setting->normal, setting->nodes[i].id, &signatures[i]));
    for (unsigned i = 0; i < setting->count; i++)
        for (unsigned j = 0; j < setting->count; j++) {
            const struct node *one = &setting->nodes[i], *other = &setting->nodes[j];
            const bool part = is_part(&one->set, &other->set);
            bool includes = !part;
            assert_true(class->includes(setting->normal, other->id, one->id, &includes));
            assert_int_equal(includes, part);
            assert_int_equal(one->id == other->id, part && is_part(&other->set, &one->set));
            assert_true(!part || !(signatures[i] & ~signatures[j]));
            *equal += i != j && one->id == other->id;
            *parts += part && one->id != other->id;
        }
}

static struct seeds seeds = {1, 300};

static void sets_are_those_of_the_definition(void **unused)
{
    unsigned equal = 0, parts = 0;
    struct setting setting = {.nodes = malloc((MOST_NODES + 1) * sizeof *setting.nodes)};
    (void)unused;
    assert_non_null(setting.nodes);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        const struct spec_request request = {0};
        struct budget budget;
        struct linear_normal normal;
        struct spec *spec;
        struct error error;
        budget_init(&budget, NULL, (size_t)1 << 28);
        struct value_pool *pool = value_pool_create(&budget);
        random_seed(&setting.random, seed);
        setting.object = (enum object)(seed % OBJECTS);
        if (lin_spec_from_text("o.lin", objects[setting.object].text, NULL, &request, pool, &budget,
                               &spec, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        setting.labels = labels_create(&budget);
        linear_normal_init(&normal, spec, setting.labels, false, &budget);
        setting.normal = &normal.base.normal;
        setting.nodes[0].set = (struct members){.count = 1};
        setting.count = 1;
        assert_int_equal(
            setting.normal->class->initial(setting.normal, &setting.nodes[0].id, &error),
            STATUS_OK);
        for (unsigned i = 0; i < 3 * MOST_NODES && setting.count < MOST_NODES; i++)
            grow(&setting);
        compare_all(&setting, &equal, &parts);
        linear_normal_release(&normal);
        labels_destroy(setting.labels);
        spec_destroy(spec);
        value_pool_destroy(pool);
        assert_int_equal(budget.used, 0);
    }
    free(setting.nodes);
    print_message("%u equal, %u parts\n", equal, parts);
    assert_true(equal > seeds.count && parts > seeds.count);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
