/* Random small programs over mutexes, several of them at once (std::lock), read-write locks,
 * semaphores, barriers and conditions of two kinds, compiled as C++ and run under sc, against a
 * machine that takes one step at a time in every order: the values that threads may return, and
 * with them what the others have returned where nothing goes on any more. The machine knows locks
 * by what they do, not as integers; several at once it takes as libstdc++ does: one, then the
 * others if they are free, and else it gives all back, and begins with the one that was not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/code_fixture.h"
#include "support/machine_states.h"
#include "support/seeds.h"

enum {
    PROGRAMS = 40, /* in a source */
    THREADS = 3,
    STEPS = 12,
    VARIABLES = 2,
    MUTEXES = 3,
    MOST_SEVERAL = 3,
    MEET = 2, /* threads at the barrier */
    MOST_STATES = 1 << 18,
};

static struct seeds seeds = {1, 4};

/* ---- programs ---- */

enum step_kind {
    LOAD,
    STORE,
    LOCK,
    UNLOCK,
    LOCK_SEVERAL, /* `which` of the lists; likewise the next one */
    UNLOCK_SEVERAL,
    TRY, /* to lock, and unlock */
    READ_LOCK,
    READ_UNLOCK,
    WRITE_LOCK,
    WRITE_UNLOCK,
    TAKE, /* of the semaphore */
    TRY_TAKE,
    POST,
    BARRIER,
    WAIT_WHILE, /* the variable is 0, with the first mutex */
    WAIT_IF,
    SIGNAL,
    BROADCAST
};

/* Of what a program waits for: a condition of pthreads; std::condition_variable_any, whose lock is
 * a mutex; likewise, and all mutexes are spin locks of the program's own. */
enum condition {
    OF_PTHREADS,
    OF_ANY,
    OF_ANY_SPINNING,
    CONDITIONS
};

struct program {
    enum condition condition;
    unsigned threads, posts; /* what the semaphore is at first */
    unsigned length[THREADS];
    struct step {
        uint8_t kind, which, value;
    } steps[THREADS][STEPS];
};

static const struct several {
    unsigned count;
    uint8_t mutexes[MOST_SEVERAL];
} lists[] = {{2, {0, 1}}, {2, {1, 0}}, {2, {0, 2}},    {2, {2, 0}},
             {2, {1, 2}}, {2, {2, 1}}, {3, {0, 1, 2}}, {3, {2, 1, 0}}};

static void add(struct program *program, unsigned thread, enum step_kind kind, unsigned which,
                unsigned value)
{
    program->steps[thread][program->length[thread]++] =
        (struct step){(uint8_t)kind, (uint8_t)which, (uint8_t)value};
}

static void add_access(struct random *random, struct program *program, unsigned thread)
{
    unsigned which = (unsigned)random_below(random, VARIABLES);
    if (random_below(random, 2))
        add(program, thread, LOAD, which, 0);
    else
        add(program, thread, STORE, which, 1 + (unsigned)random_below(random, 2));
}

static void add_waiting(struct random *random, struct program *program, unsigned thread)
{
    add(program, thread, LOCK, 0, 0);
    add(program, thread, random_below(random, 3) ? WAIT_WHILE : WAIT_IF,
        (unsigned)random_below(random, VARIABLES), 0);
    if (random_below(random, 2))
        add_access(random, program, thread);
    add(program, thread, UNLOCK, 0, 0);
}

static void add_signalling(struct random *random, struct program *program, unsigned thread)
{
    bool locks = random_below(random, 3), signals = random_below(random, 4);
    bool broadcast = random_below(random, 2);
    if (locks)
        add(program, thread, LOCK, 0, 0);
    add(program, thread, STORE, (unsigned)random_below(random, VARIABLES), 1);
    if (signals)
        add(program, thread, broadcast ? BROADCAST : SIGNAL, 0, 0);
    if (locks)
        add(program, thread, UNLOCK, 0, 0);
}

static void add_several(struct random *random, struct program *program, unsigned thread)
{
    unsigned list = (unsigned)random_below(random, ARRAY_LENGTH(lists));
    add(program, thread, LOCK_SEVERAL, list, 0);
    add_access(random, program, thread);
    if (random_below(random, 8)) /* else they are kept */
        add(program, thread, UNLOCK_SEVERAL, list, 0);
}

static void add_part(struct random *random, struct program *program, unsigned thread)
{
    unsigned first = (unsigned)random_below(random, MUTEXES);
    unsigned second = (first + 1 + (unsigned)random_below(random, MUTEXES - 1)) % MUTEXES;
    switch (random_below(random, 11)) {
    case 10:
        add_several(random, program, thread);
        break;
    case 0:
        add(program, thread, LOCK, first, 0);
        add_access(random, program, thread);
        add(program, thread, UNLOCK, first, 0);
        break;
    case 1:
        add(program, thread, LOCK, first, 0);
        add(program, thread, LOCK, second, 0);
        add_access(random, program, thread);
        add(program, thread, UNLOCK, second, 0);
        add(program, thread, UNLOCK, first, 0);
        break;
    case 2:
        add(program, thread, READ_LOCK, 0, 0);
        add_access(random, program, thread);
        add(program, thread, READ_UNLOCK, 0, 0);
        break;
    case 3:
        add(program, thread, WRITE_LOCK, 0, 0);
        add_access(random, program, thread);
        add(program, thread, WRITE_UNLOCK, 0, 0);
        break;
    case 4:
        add(program, thread, random_below(random, 3) ? TAKE : TRY_TAKE, 0, 0);
        break;
    case 5:
        add(program, thread, POST, 0, 0);
        break;
    case 6:
        add(program, thread, BARRIER, 0, 0);
        break;
    case 7:
        add_waiting(random, program, thread);
        break;
    case 8:
        add_signalling(random, program, thread);
        break;
    default:
        add(program, thread, TRY, first, 0);
        break;
    }
}

/* Nothing but waiting and signalling: some threads do one behind the other, so that a signal comes
 * between two that begin to wait. */
static void make_signals(struct random *random, struct program *program)
{
    program->threads = THREADS;
    for (unsigned thread = 0; thread < THREADS; thread++)
        for (unsigned parts = 1 + (unsigned)random_below(random, 2); parts > 0; parts--)
            if (random_below(random, 2))
                add_waiting(random, program, thread);
            else
                add_signalling(random, program, thread);
}

/* Several mutexes at once, with others that take them one by one, or keep one, or try it. */
static void make_crossed(struct random *random, struct program *program)
{
    program->threads = 2 + (unsigned)random_below(random, 2);
    for (unsigned thread = 0; thread < program->threads; thread++)
        for (unsigned parts = program->threads == 2 ? 2 : 1; parts > 0; parts--) {
            unsigned first = (unsigned)random_below(random, MUTEXES);
            unsigned second = (first + 1 + (unsigned)random_below(random, MUTEXES - 1)) % MUTEXES;
            bool nests = random_below(random, 2), keeps = !random_below(random, 4);
            if (random_below(random, 3)) {
                add_several(random, program, thread);
                continue;
            }
            if (!random_below(random, 4)) {
                add(program, thread, TRY, first, 0);
                continue;
            }
            add(program, thread, LOCK, first, 0);
            if (nests)
                add(program, thread, LOCK, second, 0);
            add_access(random, program, thread);
            if (nests)
                add(program, thread, UNLOCK, second, 0);
            if (!keeps)
                add(program, thread, UNLOCK, first, 0);
        }
}

/* Several locks of one's own are taken as the library does: without end, where threads contend. */
static bool takes_several(const struct program *program)
{
    for (unsigned thread = 0; thread < program->threads; thread++)
        for (unsigned i = 0; i < program->length[thread]; i++)
            if (program->steps[thread][i].kind == LOCK_SEVERAL)
                return true;
    return false;
}

static void make_steps(struct random *random, struct program *program)
{
    if (random_below(random, 4) == 0) {
        make_crossed(random, program);
        return;
    }
    if (random_below(random, 4) == 0) {
        make_signals(random, program);
        return;
    }
    program->threads = 2 + (unsigned)random_below(random, 2);
    program->posts = (unsigned)random_below(random, 2);
    for (unsigned thread = 0; thread < program->threads; thread++)
        for (unsigned parts = program->threads == 2 ? 2 : 1; parts > 0; parts--)
            add_part(random, program, thread);
}

/* Not optimised, three threads that spin have too many executions: what is left over on their
 * stacks makes loops go round once more. */
static void make_program(struct random *random, bool is_optimised, struct program *program)
{
    memset(program, 0, sizeof *program);
    make_steps(random, program);
    bool spins = !takes_several(program) && (is_optimised || program->threads == 2);
    program->condition = (enum condition)random_below(random, spins ? CONDITIONS : OF_ANY_SPINNING);
}

/* ---- as C++ ---- */

static const char prelude[] =
    "#include <linchpin/test.h>\n"
    "#include <pthread.h>\n"
    "#include <semaphore.h>\n"
    "#include <atomic>\n"
    "#include <condition_variable>\n"
    "#include <mutex>\n"
    "struct spinning {\n"
    "std::atomic<bool> held;\n"
    "void lock() { while (held.exchange(true)) {} }\n"
    "bool try_lock() { return !held.exchange(true); }\n"
    "void unlock() { held = false; }\n"
    "};\n"
    "struct condition {\n"
    "pthread_cond_t inner;\n"
    "void wait(std::mutex &mutex) { pthread_cond_wait(&inner, mutex.native_handle()); }\n"
    "void notify_one() { pthread_cond_signal(&inner); }\n"
    "void notify_all() { pthread_cond_broadcast(&inner); }\n"
    "};\n";

static void print_several(unsigned p, const struct several *list, struct text *text)
{
    text_append(text, "std::lock(");
    for (unsigned i = 0; i < list->count; i++)
        text_format(text, "%sp%u.m[%u]", i ? ", " : "", p, list->mutexes[i]);
    text_append(text, ");");
}

static void print_step(unsigned p, const struct step *step, struct text *text)
{
    static const char *const forms[] = {
        [LOCK] = "p%u.m[%u].lock();",
        [UNLOCK] = "p%u.m[%u].unlock();",
        [READ_LOCK] = "pthread_rwlock_rdlock(&p%u.rw[%u]);",
        [READ_UNLOCK] = "pthread_rwlock_unlock(&p%u.rw[%u]);",
        [WRITE_LOCK] = "pthread_rwlock_wrlock(&p%u.rw[%u]);",
        [WRITE_UNLOCK] = "pthread_rwlock_unlock(&p%u.rw[%u]);",
        [TAKE] = "sem_wait(&p%u.s[%u]);",
        [TRY_TAKE] = "r = 3 * r + (sem_trywait(&p%u.s[%u]) == 0);",
        [POST] = "sem_post(&p%u.s[%u]);",
        [BARRIER] = "pthread_barrier_wait(&p%u.b[%u]);",
        [SIGNAL] = "p%u.c[%u].notify_one();",
        [BROADCAST] = "p%u.c[%u].notify_all();",
        [LOAD] = "r = 3 * r + p%u.v[%u];",
    };
    if (step->kind == STORE)
        text_format(text, "p%u.v[%u] = %u;", p, step->which, step->value);
    else if (step->kind == TRY)
        text_format(text,
                    "if (p%u.m[%u].try_lock()) { r = 3 * r + 1;"
                    "p%u.m[%u].unlock(); } else { r = 3 * r; }",
                    p, step->which, p, step->which);
    else if (step->kind == WAIT_WHILE || step->kind == WAIT_IF)
        text_format(text, "%s (!p%u.v[%u]) p%u.c->wait(p%u.m[0]);",
                    step->kind == WAIT_IF ? "if" : "while", p, step->which, p, p);
    else if (step->kind == LOCK_SEVERAL)
        print_several(p, &lists[step->which], text);
    else if (step->kind == UNLOCK_SEVERAL)
        for (unsigned i = 0; i < lists[step->which].count; i++)
            text_format(text, "p%u.m[%u].unlock();", p, lists[step->which].mutexes[i]);
    else {
        const char *at = strstr(forms[step->kind], "%u");
        text_append_bytes(text, forms[step->kind], (size_t)(at - forms[step->kind]));
        const char *second = strstr(at + 2, "%u");
        text_format(text, "%u", p);
        text_append_bytes(text, at + 2, (size_t)(second - at - 2));
        text_format(text, "%u%s", step->which, second + 2);
    }
    text_append(text, "\n");
}

static void print_program(unsigned p, const struct program *program, struct text *text)
{
    text_format(text,
                "static struct { std::atomic<int> v[2]; %s m[3]; pthread_rwlock_t rw[1];"
                "sem_t s[1]; pthread_barrier_t b[1]; %s c[1]; } p%u;\n"
                "static void *up%u(void) { sem_init(p%u.s, 0, %u);"
                "pthread_barrier_init(p%u.b, NULL, 2); return NULL; }\n",
                program->condition == OF_ANY_SPINNING ? "spinning" : "std::mutex",
                program->condition == OF_PTHREADS ? "condition" : "std::condition_variable_any", p,
                p, p, program->posts, p);
    for (unsigned thread = 0; thread < program->threads; thread++) {
        text_format(text, "static lp_int p%u_%u(void *, lp_int r) { r = 1;\n", p, thread);
        for (unsigned i = 0; i < program->length[thread]; i++)
            print_step(p, &program->steps[thread][i], text);
        text_append(text, "return r; }\n");
    }
    text_format(text, "LP_TEST(p%u, .setup = up%u, .ops = {", p, p);
    for (unsigned thread = 0; thread < program->threads; thread++)
        text_format(text, "{\"t%u\", p%u_%u, 0, 0, 0, LP_MAY_WAIT},", thread, p, thread);
    text_append(text, "});\n");
}

/* ---- the machine ---- */

enum phase {
    GOES,
    SLEEPY,  /* has looked, and is about to wait */
    TRIED,   /* and has it */
    SEVERAL, /* has some of several mutexes */
    GIVES,   /* them back, for one was not free */
    WAITS,   /* for a signal */
    WOKEN,   /* and wants the mutex again */
    CHECKS,  /* has it, and looks again if that is what it does */
    MEETS    /* has come to the barrier */
};

struct state {
    uint8_t variables[VARIABLES], owners[MUTEXES]; /* from 1 */
    uint8_t readers, writer, posts, come;
    struct {
        uint8_t at, phase, until;    /* how many must have come */
        uint8_t first, taken, fails; /* of several mutexes: in the list */
        uint16_t value;
    } threads[THREADS];
};

struct machine {
    const struct program *program;
    bool wakes_freely;
    struct machine_states states;
};

/* What threads return, those that wait for ever 0. */
struct outcomes {
    uint64_t items[4096];
    unsigned count, stuck;
};

static void reach(struct machine *machine, const struct state *state)
{
    machine_states_find(&machine->states, state);
}

/* Wakes a set of those who wait. */
static void wake(struct machine *machine, struct state state, unsigned set)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (set >> i & 1)
            state.threads[i].phase = WOKEN;
    reach(machine, &state);
}

static void wake_some(struct machine *machine, const struct state *state, bool all)
{
    unsigned waiting = 0;
    for (unsigned i = 0; i < machine->program->threads; i++)
        if (state->threads[i].phase == WAITS)
            waiting |= 1U << i;
    if (all || !waiting) {
        wake(machine, *state, waiting);
        return;
    }
    for (unsigned set = 1; set < 1U << THREADS; set++)
        if ((set & ~waiting) == 0)
            wake(machine, *state, set);
}

/* Several mutexes at once: the next step, as libstdc++ has it. */
static bool step_several(struct machine *machine, struct state to, unsigned thread,
                         const struct several *list)
{
    unsigned first = to.threads[thread].first, taken = to.threads[thread].taken;
    if (to.threads[thread].phase == GIVES) {
        to.owners[list->mutexes[(first + taken - 1) % list->count]] = 0;
        to.threads[thread].taken--;
        if (taken == 1) {
            to.threads[thread].phase = GOES;
            to.threads[thread].first = to.threads[thread].fails;
            to.threads[thread].fails = 0;
        }
        reach(machine, &to);
        return true;
    }
    unsigned next = (first + taken) % list->count;
    uint8_t *owner = &to.owners[list->mutexes[next]];
    if (*owner && taken == 0)
        return false;
    if (*owner) {
        to.threads[thread].phase = GIVES;
        to.threads[thread].fails = (uint8_t)next;
    } else {
        *owner = (uint8_t)(thread + 1);
        to.threads[thread].phase = SEVERAL;
        to.threads[thread].taken++;
    }
    if (to.threads[thread].taken == list->count) {
        to.threads[thread].at++;
        to.threads[thread].phase = GOES;
        to.threads[thread].first = to.threads[thread].taken = 0;
    }
    reach(machine, &to);
    return true;
}

/* Every step of a thread; false: it has none. */
static bool step(struct machine *machine, const struct state *from, unsigned thread)
{
    const struct program *program = machine->program;
    struct state to = *from;
    if (from->threads[thread].at == program->length[thread])
        return false;
    const struct step *step = &program->steps[thread][from->threads[thread].at];
    unsigned which = step->which;
    unsigned value = from->threads[thread].value;
    if (step->kind == LOCK_SEVERAL)
        return step_several(machine, to, thread, &lists[which]);
    switch (from->threads[thread].phase) {
    case SLEEPY:
        to.owners[0] = 0;
        to.threads[thread].phase = WAITS;
        reach(machine, &to);
        return true;
    case WAITS:
        if (machine->wakes_freely)
            wake(machine, to, 1U << thread);
        return machine->wakes_freely;
    case WOKEN:
        if (from->owners[0])
            return false;
        to.owners[0] = (uint8_t)(thread + 1);
        to.threads[thread].phase = CHECKS;
        if (step->kind == WAIT_IF) {
            to.threads[thread].phase = GOES;
            to.threads[thread].at++;
        }
        reach(machine, &to);
        return true;
    case TRIED:
        to.owners[which] = 0;
        to.threads[thread].phase = GOES;
        to.threads[thread].at++;
        reach(machine, &to);
        return true;
    case MEETS:
        if (from->come < from->threads[thread].until)
            return false;
        to.threads[thread].phase = GOES;
        to.threads[thread].until = 0;
        to.threads[thread].at++;
        reach(machine, &to);
        return true;
    default:
        break;
    }
    to.threads[thread].at++;
    to.threads[thread].phase = GOES;
    switch ((enum step_kind)step->kind) {
    case LOAD:
        to.threads[thread].value = (uint16_t)(3 * value + from->variables[which]);
        break;
    case STORE:
        to.variables[which] = step->value;
        break;
    case LOCK:
        if (from->owners[which])
            return false;
        to.owners[which] = (uint8_t)(thread + 1);
        break;
    case UNLOCK:
        to.owners[which] = 0;
        break;
    case UNLOCK_SEVERAL: /* one by one */
        to.owners[lists[which].mutexes[from->threads[thread].taken]] = 0;
        to.threads[thread].taken++;
        if (to.threads[thread].taken < lists[which].count)
            to.threads[thread].at--;
        else
            to.threads[thread].taken = 0;
        break;
    case LOCK_SEVERAL:
        break;
    case TRY:
        to.threads[thread].value = (uint16_t)(3 * value + !from->owners[which]);
        if (!from->owners[which]) {
            to.owners[which] = (uint8_t)(thread + 1);
            to.threads[thread].at--;
            to.threads[thread].phase = TRIED;
        }
        break;
    case READ_LOCK:
        if (from->writer)
            return false;
        to.readers++;
        break;
    case READ_UNLOCK:
        to.readers--;
        break;
    case WRITE_LOCK:
        if (from->writer || from->readers)
            return false;
        to.writer = 1;
        break;
    case WRITE_UNLOCK:
        to.writer = 0;
        break;
    case TAKE:
        if (!from->posts)
            return false;
        to.posts--;
        break;
    case TRY_TAKE:
        to.threads[thread].value = (uint16_t)(3 * value + (from->posts > 0));
        to.posts -= from->posts > 0;
        break;
    case POST:
        to.posts++;
        break;
    case BARRIER:
        to.come++;
        if (to.come % MEET != 0) {
            to.threads[thread].at--;
            to.threads[thread].phase = MEETS;
            to.threads[thread].until = (uint8_t)(to.come / MEET * MEET + MEET);
        }
        break;
    case WAIT_WHILE:
    case WAIT_IF:
        if (from->variables[which] == 0) {
            to.threads[thread].at--;
            to.threads[thread].phase = SLEEPY;
        }
        break;
    case SIGNAL:
    case BROADCAST:
        wake_some(machine, &to, step->kind == BROADCAST);
        return true;
    }
    reach(machine, &to);
    return true;
}

static void note(struct outcomes *outcomes, uint64_t outcome, bool stuck)
{
    for (unsigned i = 0; i < outcomes->count; i++)
        if (outcomes->items[i] == outcome)
            return;
    assert_true(outcomes->count < ARRAY_LENGTH(outcomes->items));
    outcomes->items[outcomes->count++] = outcome;
    outcomes->stuck += stuck;
}

static void run_machine(struct machine *machine, struct outcomes *outcomes)
{
    const struct program *program = machine->program;
    struct state start;
    memset(&start, 0, sizeof start);
    machine_states_forget(&machine->states);
    start.posts = (uint8_t)program->posts;
    for (unsigned i = 0; i < program->threads; i++)
        start.threads[i].value = 1;
    reach(machine, &start);
    for (unsigned at = 0; at < machine->states.count; at++) {
        struct state state = ((const struct state *)machine->states.items)[at];
        bool moves = false, ended = true;
        uint64_t outcome = 0;
        for (unsigned i = 0; i < program->threads; i++) {
            bool ends = state.threads[i].at == program->length[i];
            moves |= step(machine, &state, i);
            outcome = outcome << 16 | (ends ? state.threads[i].value : 0);
            ended &= ends;
        }
        if (!moves && (ended || !machine->wakes_freely))
            note(outcomes, outcome, !ended);
    }
}

/* ---- comparing ---- */

/* Whether some mutex is both: taken with others at once, and tried. Then what tries in vain do is
 * seen, and they may go on without end. */
static bool tries_one_of_several(const struct program *program)
{
    unsigned several = 0, tried = 0;
    for (unsigned thread = 0; thread < program->threads; thread++)
        for (unsigned i = 0; i < program->length[thread]; i++) {
            const struct step *step = &program->steps[thread][i];
            if (step->kind == TRY)
                tried |= 1U << step->which;
            for (unsigned k = 0; step->kind == LOCK_SEVERAL && k < lists[step->which].count; k++)
                several |= 1U << lists[step->which].mutexes[k];
        }
    return several & tried;
}

static void compare(struct code_fixture *code, size_t test, const struct program *program,
                    struct machine *machine, uint64_t seed, unsigned figures[3])
{
    static struct exchange_result result;
    static struct outcomes outcomes;
    outcomes.count = outcomes.stuck = 0;
    machine->program = program;
    machine->wakes_freely = true;
    run_machine(machine, &outcomes);
    machine->wakes_freely = false;
    run_machine(machine, &outcomes);
    code_run(code, test, MEMORY_SC, NULL, &result);
    if (result.end == END_TOO_LARGE && tries_one_of_several(program)) {
        figures[2]++;
        return;
    }
    figures[outcomes.stuck > 0]++;
    if (result.end == END_COMPLETE && result.histories == outcomes.count &&
        (result.hanging > 0) == (outcomes.stuck > 0))
        return;
    struct text text = TEXT_EMPTY;
    print_program(0, program, &text);
    print_error("%s", text_string(&text));
    text_release(&text);
    fail_msg("seed %llu: ended with %u, found %u (%s); %llu outcomes, %llu hanging; expected %u, "
             "%u hanging",
             (unsigned long long)seed, result.end, result.finding.kind, result.finding.sentence,
             (unsigned long long)result.histories, (unsigned long long)result.hanging,
             outcomes.count, outcomes.stuck);
}

static void programs_return_what_the_machine_does(void **state)
{
    unsigned figures[3] = {0};
    struct machine machine = {.states = {.size = sizeof(struct state),
                                         .most = MOST_STATES,
                                         .items = malloc(MOST_STATES * sizeof(struct state)),
                                         .table = malloc(MOST_STATES * 2 * sizeof(int32_t))}};
    (void)state;
    assert_true(machine.states.items && machine.states.table);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct program programs[PROGRAMS];
        struct code_fixture code;
        struct random random;
        struct text text = TEXT_EMPTY;
        random_seed(&random, seed);
        text_append(&text, prelude);
        for (unsigned i = 0; i < PROGRAMS; i++) {
            make_program(&random, seed % 3, &programs[i]);
            print_program(i, &programs[i], &text);
        }
        setenv("CXX", seed % 2 && code_has_compiler("clang++") ? "clang++" : "g++", 1);
        code_build_text(&code, text_string(&text), ".cc", seed % 3 ? "-O2" : "-O0");
        for (unsigned i = 0; i < PROGRAMS; i++) {
            unsigned number;
            assert_int_equal(sscanf(code.tests.items.items[i].name, "p%u", &number), 1);
            compare(&code, i, &programs[number], &machine, seed, figures);
        }
        code_release(&code);
        text_release(&text);
    }
    unsetenv("CXX");
    free(machine.states.items);
    free(machine.states.table);
    print_message("seeds from %llu: %u programs come to their end, %u may wait for ever, %u are "
                  "undecided\n",
                  (unsigned long long)seeds.first, figures[0], figures[1], figures[2]);
    assert_true(figures[0] > 0 && figures[1] > 0);
}

/* test_code_locks [FIRST_SEED [SOURCES]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_return_what_the_machine_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
