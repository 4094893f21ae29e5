/* Random small programs that wait in loops and for locks, compiled and run under sc, against a
 * machine that takes one step at a time in every order: whether some state is reached from which
 * not all threads can ever come to their end, and whether they can go round for ever though they
 * could (livelock), by the fixpoint of Emerson and Lei (1986). What hangs so also hangs under the
 * weaker models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"
#include "support/generate.h"
#include "support/machine_states.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 4};

enum {
    THREADS = 3,
    LENGTH = 4,
    VARIABLES = 3, /* the last one is volatile: no read-modify-writes */
    MUTEXES = 2,
    GUARDED = 2,   /* plain variables, each with a mutex of its own behind those */
    PROGRAMS = 24, /* compiled at once */
    MOST_STATES = 1 << 17,
};

/* ---- programs ---- */

enum kind {
    STORE,
    ADD,
    RETURN_UNLESS,
    AWAIT,
    AWAIT_OTHER,
    AWAIT_BOTH,
    AWAIT_EITHER,
    AWAIT_SUM,
    AWAIT_NESTED,
    EXCHANGE,       /* test and set */
    EXCHANGE_LOOKS, /* test and test and set */
    COMPARE,
    LOCK,
    TRY_LOCK,
    UNLOCK,
    STORE_GUARDED,
    POLL,        /* looks at a guarded variable again and again, under its mutex */
    POLL_BOTH,   /* and at a shared one, too */
    POLL_NESTED, /* at both guarded ones, under both mutexes */
    TOGGLE,      /* a variable, until another one has some value */
    GIVE_WAY,    /* sets a variable, and takes that back while another one is set */
    BACK_OFF,    /* has a mutex, tries the other one, gives back the first if it is taken */
};

struct statement {
    enum kind kind;
    unsigned a, b; /* variables; of locks, a mutex */
    unsigned c, d; /* values */
};

struct program {
    bool writes; /* in loops */
    unsigned threads, length[THREADS];
    struct statement statements[THREADS][LENGTH];
};

static struct statement make_statement(struct random *random, bool only_writes, unsigned *held)
{
    static const enum kind kinds[] = {
        STORE,          STORE,       STORE,      STORE,        ADD,       RETURN_UNLESS, AWAIT,
        AWAIT,          AWAIT_OTHER, AWAIT_BOTH, AWAIT_EITHER, AWAIT_SUM, AWAIT_NESTED,  EXCHANGE,
        EXCHANGE_LOOKS, COMPARE,     LOCK,       LOCK,         TRY_LOCK,  UNLOCK};
    static const enum kind guarded[] = {STORE_GUARDED, STORE_GUARDED, STORE_GUARDED,
                                        POLL,          POLL_BOTH,     POLL_NESTED};
    struct statement made = {.kind =
                                 kinds[random_below(random, only_writes ? 6 : ARRAY_LENGTH(kinds))],
                             .a = random_below(random, VARIABLES),
                             .b = random_below(random, VARIABLES),
                             .c = random_chance(random, 3, 4) ? 1 : random_below(random, 3),
                             .d = random_below(random, 2)};
    bool updates = made.kind == ADD || made.kind == EXCHANGE || made.kind == EXCHANGE_LOOKS ||
                   made.kind == COMPARE;
    if (updates)
        made.a = random_below(random, VARIABLES - 1);
    if (random_chance(random, 1, 3)) {
        made.kind = guarded[only_writes ? 0 : random_below(random, ARRAY_LENGTH(guarded))];
        made.a = random_below(random, GUARDED);
        return made;
    }
    if (made.kind < LOCK)
        return made;
    made.a = random_below(random, MUTEXES);
    if (made.kind == UNLOCK && !(*held >> made.a & 1)) /* what is not held is not given back */
        made.kind = LOCK;
    *held = made.kind == UNLOCK ? *held & ~(1u << made.a) : *held | 1u << made.a;
    return made;
}

static struct statement make_round(struct random *random)
{
    unsigned a = random_below(random, 2); /* both variables and mutexes have so many */
    return (struct statement){.kind = TOGGLE + random_below(random, 3),
                              .a = a,
                              .b = 1 - a,
                              .c = 1,
                              .d = random_below(random, 2)};
}

static void make_program(struct random *random, struct program *program)
{
    program->writes = random_chance(random, 1, 3);
    program->threads = 2 + random_below(random, 2);
    for (unsigned i = 0; i < program->threads; i++) {
        unsigned held = 0;
        bool only_writes = random_chance(random, 2, 5);
        program->length[i] = 1 + random_below(random, program->threads == 2 ? LENGTH : LENGTH - 1);
        for (unsigned j = 0; j < program->length[i]; j++)
            program->statements[i][j] = program->writes && random_chance(random, 2, 3)
                                            ? make_round(random)
                                            : make_statement(random, only_writes, &held);
    }
}

/* ---- as C ---- */

static const char *load(unsigned program, unsigned variable, const char *order)
{
    static char words[4][80]; /* at most as many are in use at once */
    static unsigned next;
    char *written = words[next++ % 4];
    if (variable == VARIABLES - 1)
        snprintf(written, sizeof words[0], "p%u_v", program);
    else
        snprintf(written, sizeof words[0], "atomic_load_explicit(&p%u_%u, memory_order_%s)",
                 program, variable, order);
    return written;
}

static void print_statement(unsigned p, const struct statement *s, struct random *random,
                            struct text *text)
{
    static const char *const orders[] = {"relaxed", "acquire", "seq_cst"};
    const char *order = orders[random_below(random, 3)];
    const char *a = load(p, s->a % VARIABLES, order), *b = load(p, s->b, order);
    switch (s->kind) {
    case STORE:
        if (s->a == VARIABLES - 1)
            text_format(text, "p%u_v = %u;", p, s->c);
        else
            text_format(text, "atomic_store_explicit(&p%u_%u, %u, memory_order_%s);", p, s->a, s->c,
                        random_chance(random, 1, 2) ? "relaxed" : "release");
        break;
    case ADD:
        text_format(text, "atomic_fetch_add(&p%u_%u, 1);", p, s->a);
        break;
    case RETURN_UNLESS:
        text_format(text, "if (%s != %u) return LP_DONE;", a, s->c);
        break;
    case AWAIT:
        text_format(text, "while (%s != %u) sched_yield();", a, s->c);
        break;
    case AWAIT_OTHER:
        text_format(text, "while (%s == %u) ;", a, s->c);
        break;
    case AWAIT_BOTH:
        text_format(text, "while (!(%s == %u && %s == %u)) ;", a, s->c, b, s->d);
        break;
    case AWAIT_EITHER:
        text_format(text, "while (!(%s == %u || %s == %u)) ;", a, s->c, b, s->d);
        break;
    case AWAIT_SUM:
        text_format(text, "for (;;) { int l = %s; int r = %s; if (l + r == %u) break; }", a, b,
                    s->c);
        break;
    case AWAIT_NESTED:
        text_format(text, "while (%s != %u) while (%s != %u && %s != %u) ;", a, s->c, b, s->d, a,
                    s->c);
        break;
    case EXCHANGE:
        text_format(text, "while (atomic_exchange(&p%u_%u, 1)) ;", p, s->a);
        break;
    case EXCHANGE_LOOKS:
        text_format(text, "while (atomic_exchange(&p%u_%u, 1)) while (%s) ;", p, s->a, a);
        break;
    case COMPARE:
        text_format(text,
                    "for (int e = %u; !atomic_compare_exchange_strong(&p%u_%u, &e, %u); e = %u) ;",
                    s->c, p, s->a, s->d, s->c);
        break;
    case LOCK:
        text_format(text, "pthread_mutex_lock(&p%u_m[%u]);", p, s->a);
        break;
    case TRY_LOCK:
        text_format(text, "while (pthread_mutex_trylock(&p%u_m[%u])) ;", p, s->a);
        break;
    case UNLOCK:
        text_format(text, "pthread_mutex_unlock(&p%u_m[%u]);", p, s->a);
        break;
    case STORE_GUARDED:
        text_format(text,
                    "pthread_mutex_lock(&p%u_m[%u]); p%u_g[%u] = %u; "
                    "pthread_mutex_unlock(&p%u_m[%u]);",
                    p, MUTEXES + s->a, p, s->a, s->c, p, MUTEXES + s->a);
        break;
    case POLL:
    case POLL_BOTH:
        text_format(text,
                    "for (;;) { pthread_mutex_lock(&p%u_m[%u]); int l = p%u_g[%u], r = %s; "
                    "pthread_mutex_unlock(&p%u_m[%u]); if (l == %u && r == %u) break; }",
                    p, MUTEXES + s->a, p, s->a, s->kind == POLL ? "0" : b, p, MUTEXES + s->a, s->c,
                    s->kind == POLL ? 0 : s->d);
        break;
    case POLL_NESTED:
        text_format(text,
                    "for (;;) { pthread_mutex_lock(&p%u_m[%u]); pthread_mutex_lock(&p%u_m[%u]); "
                    "int l = p%u_g[0], r = p%u_g[1]; pthread_mutex_unlock(&p%u_m[%u]); "
                    "pthread_mutex_unlock(&p%u_m[%u]); if (l == %u && r == %u) break; }",
                    p, MUTEXES + s->a, p, MUTEXES + 1 - s->a, p, p, p, MUTEXES + 1 - s->a, p,
                    MUTEXES + s->a, s->c, s->d);
        break;
    case TOGGLE:
        text_format(text, "while (%s != %u) { p%u_%u = 1; p%u_%u = 0; }", a, s->c, p, s->b, p,
                    s->b);
        break;
    case GIVE_WAY:
        text_format(text, "p%u_%u = 1; while (%s) { p%u_%u = 0; p%u_%u = 1; } p%u_%u = 0;", p, s->a,
                    b, p, s->a, p, s->a, p, s->a);
        break;
    case BACK_OFF:
        text_format(text,
                    "pthread_mutex_lock(&p%u_m[%u]); while (pthread_mutex_trylock(&p%u_m[%u])) { "
                    "pthread_mutex_unlock(&p%u_m[%u]); pthread_mutex_lock(&p%u_m[%u]); } "
                    "pthread_mutex_unlock(&p%u_m[%u]); pthread_mutex_unlock(&p%u_m[%u]);",
                    p, s->a, p, s->b, p, s->a, p, s->a, p, s->b, p, s->a);
        break;
    }
    text_append(text, "\n");
}

static void print_program(unsigned p, const struct program *program, struct random *random,
                          struct text *text)
{
    text_format(text,
                "atomic_int p%u_0, p%u_1; volatile int p%u_v; pthread_mutex_t p%u_m[%d]; "
                "int p%u_g[%d];\n",
                p, p, p, p, MUTEXES + GUARDED, p, GUARDED);
    for (unsigned i = 0; i < program->threads; i++) {
        text_format(text, "static lp_int p%u_t%u(void *o, lp_int v) { (void)o; (void)v;\n", p, i);
        for (unsigned j = 0; j < program->length[i]; j++)
            print_statement(p, &program->statements[i][j], random, text);
        text_append(text, "return LP_DONE; }\n");
    }
    text_format(text, "LP_TEST(p%u, .ops = {", p);
    for (unsigned i = 0; i < program->threads; i++)
        text_format(text, "{\"t%u\", p%u_t%u}, ", i, p, i);
    text_append(text, "});\n");
}

/* ---- the machine ---- */

struct state {
    uint8_t variables[VARIABLES], guarded[GUARDED];
    uint8_t owners[MUTEXES + GUARDED]; /* a mutex's owner from 1, or 0 */
    struct {
        uint8_t at, phase, kept, other;
    } threads[THREADS];
};

enum {
    SHARED = offsetof(struct state, threads) /* bytes of a state that are memory */
};

struct machine {
    const struct program *program;
    struct machine_states all;
    struct state states[MOST_STATES];
    int32_t table[MOST_STATES * 2];
    bool good[MOST_STATES]; /* can reach what is asked */
};

static bool is_at_end(const struct program *program, const struct state *state, unsigned thread)
{
    return state->threads[thread].at >= program->length[thread];
}

/* One step of a statement that looks under locks. False: it cannot take the one that it needs. */
static bool step_guarded(const struct statement *s, unsigned thread, struct state *to, bool *passes)
{
    uint8_t *phase = &to->threads[thread].phase, *kept = &to->threads[thread].kept;
    uint8_t *own = &to->owners[MUTEXES + s->a], *second = &to->owners[MUTEXES + 1 - s->a];
    bool is_nested = s->kind == POLL_NESTED;
    uint8_t *needed = *phase == 0 ? own : *phase == 1 && is_nested ? second : NULL;
    *passes = false;
    if (needed && *needed)
        return false;
    if (needed) {
        *needed = (uint8_t)(thread + 1);
        ++*phase;
        return true;
    }
    switch (*phase - is_nested) {
    case 1:
        if (s->kind == STORE_GUARDED)
            to->guarded[s->a] = (uint8_t)s->c;
        *kept = to->guarded[is_nested ? 0 : s->a];
        break;
    case 2:
        to->threads[thread].other = s->kind == POLL_BOTH ? to->variables[s->b] : to->guarded[1];
        break;
    case 3:
        if (is_nested)
            *second = 0;
        break;
    default:
        *own = 0;
        *passes = s->kind == STORE_GUARDED ||
                  (*kept == s->c && (s->kind == POLL || to->threads[thread].other == s->d));
        *phase = *kept = to->threads[thread].other = 0;
        return true;
    }
    ++*phase;
    return true;
}

/* One step of a loop that writes. False: it cannot take the lock that it needs. */
static bool step_round(const struct statement *s, unsigned thread, struct state *to, bool *passes)
{
    uint8_t *phase = &to->threads[thread].phase;
    uint8_t *a = &to->variables[s->a], *b = &to->variables[s->b];
    uint8_t *own = &to->owners[s->a % MUTEXES], *other = &to->owners[s->b % MUTEXES];
    *passes = false;
    switch ((int)s->kind * 8 + *phase) {
    case TOGGLE * 8:
        *passes = *a == s->c;
        *phase = 1;
        break;
    case TOGGLE * 8 + 1:
    case TOGGLE * 8 + 2:
        *b = *phase == 1;
        *phase = *phase == 1 ? 2 : 0;
        break;
    case GIVE_WAY * 8:
    case GIVE_WAY * 8 + 3:
        *a = 1;
        *phase = 1;
        break;
    case GIVE_WAY * 8 + 1:
        *phase = *b ? 2 : 4;
        break;
    case GIVE_WAY * 8 + 2:
    case GIVE_WAY * 8 + 4:
        *a = 0;
        *passes = *phase == 4;
        *phase = 3;
        break;
    case BACK_OFF * 8:
        if (*own)
            return false;
        *own = (uint8_t)(thread + 1);
        *phase = 1;
        break;
    case BACK_OFF * 8 + 1:
        *phase = *other ? 2 : 3;
        if (!*other)
            *other = (uint8_t)(thread + 1);
        break;
    case BACK_OFF * 8 + 3:
        *other = 0;
        *phase = 4;
        break;
    default: /* of BACK_OFF */
        *own = 0;
        *passes = *phase == 4;
        *phase = 0;
        break;
    }
    return true;
}

/* One step of a thread: what it leads to. False: it cannot, or is at its end. */
static bool step(const struct program *program, const struct state *from, unsigned thread,
                 struct state *to)
{
    if (is_at_end(program, from, thread))
        return false;
    const struct statement *s = &program->statements[thread][from->threads[thread].at];
    *to = *from;
    uint8_t *at = &to->threads[thread].at, *phase = &to->threads[thread].phase;
    uint8_t *kept = &to->threads[thread].kept, *a = &to->variables[s->a % VARIABLES];
    uint8_t b = from->variables[s->b], *owner = &to->owners[s->a % MUTEXES];
    bool passes = true;
    switch (s->kind) {
    case STORE:
        *a = (uint8_t)s->c;
        break;
    case ADD:
        ++*a;
        break;
    case RETURN_UNLESS:
        if (*a != s->c)
            *at = (uint8_t)program->length[thread];
        break;
    case AWAIT:
        passes = *a == s->c;
        break;
    case AWAIT_OTHER:
        passes = *a != s->c;
        break;
    case AWAIT_BOTH:
        passes = *phase == 1 && b == s->d;
        *phase = *phase == 0 && *a == s->c;
        break;
    case AWAIT_EITHER:
        passes = *phase == 0 ? *a == s->c : b == s->d;
        *phase = !*phase;
        break;
    case AWAIT_SUM:
        passes = *phase == 1 && *kept + b == (int)s->c;
        *kept = *phase == 0 ? *a : 0;
        *phase = !*phase;
        break;
    case AWAIT_NESTED:
        passes = *phase == 0 && *a == s->c;
        if (*phase == 0)
            *phase = 1;
        else if (*phase == 1)
            *phase = b == s->d ? 0 : 2;
        else
            *phase = *a == s->c ? 0 : 1;
        break;
    case EXCHANGE:
        passes = *a == 0;
        *a = 1;
        break;
    case EXCHANGE_LOOKS:
        passes = *phase == 0 && *a == 0;
        *phase = *phase == 0 || *a != 0;
        if (from->threads[thread].phase == 0)
            *a = 1;
        break;
    case COMPARE:
        passes = *a == s->c;
        if (passes)
            *a = (uint8_t)s->d;
        break;
    case LOCK:
        if (*owner)
            return false;
        *owner = (uint8_t)(thread + 1);
        break;
    case TRY_LOCK:
        passes = *owner == 0;
        if (passes)
            *owner = (uint8_t)(thread + 1);
        break;
    case UNLOCK:
        *owner = 0;
        break;
    case STORE_GUARDED:
    case POLL:
    case POLL_BOTH:
    case POLL_NESTED:
        if (!step_guarded(s, thread, to, &passes))
            return false;
        break;
    case TOGGLE:
    case GIVE_WAY:
    case BACK_OFF:
        if (!step_round(s, thread, to, &passes))
            return false;
        break;
    }
    if (passes) {
        if (*at < program->length[thread])
            ++*at;
        *phase = *kept = to->threads[thread].other = 0;
    }
    return true;
}

static unsigned find_state(struct machine *machine, const struct state *state)
{
    return machine_states_find(&machine->all, state);
}

/* Marks what can reach a state that is marked. */
static void close_backwards(struct machine *machine)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = machine->all.count; i-- > 0;)
            for (unsigned j = 0; j < machine->program->threads && !machine->good[i]; j++) {
                struct state to;
                if (step(machine->program, &machine->states[i], j, &to) &&
                    machine->good[find_state(machine, &to)])
                    machine->good[i] = changed = true;
            }
    }
}

static bool polls(const struct program *program)
{
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned j = 0; j < program->length[i]; j++)
            if (program->statements[i][j].kind >= POLL)
                return true;
    return false;
}

struct hanging {
    bool stops;      /* some state has no step and is not the end: all wait for locks */
    bool turns;      /* from some state steps can be taken for ever, but never to an end */
    bool goes_round; /* steps can be taken for ever, by all that can take any, with writes: of each
                        of these threads, or where there is no way to an end */
};

/* Leaves of a set of states those from which the set has a way, within it, to a step of a thread
 * that stays in it (and changes memory). Whether any went. */
static bool keep_with_step(struct machine *machine, bool *set, int thread, bool changes)
{
    static bool reaches[MOST_STATES];
    bool went = false;
    memset(reaches, 0, machine->all.count * sizeof *reaches);
    for (bool grows = true; grows;) {
        grows = false;
        for (unsigned i = machine->all.count; i-- > 0;)
            for (unsigned j = 0; set[i] && !reaches[i] && j < machine->program->threads; j++) {
                struct state to;
                unsigned reached;
                if (!step(machine->program, &machine->states[i], j, &to) ||
                    !set[reached = find_state(machine, &to)])
                    continue;
                bool is_wanted = (thread < 0 || j == (unsigned)thread) &&
                                 (!changes || memcmp(&to, &machine->states[i], SHARED) != 0);
                if (is_wanted || reaches[reached])
                    reaches[i] = grows = true;
            }
    }
    for (unsigned i = 0; i < machine->all.count; i++) {
        went |= set[i] && !reaches[i];
        set[i] &= reaches[i];
    }
    return went;
}

/* Whether threads can go round for ever while those of `stopped` (a bit each) never can step. */
static bool can_go_round(struct machine *machine, unsigned stopped, bool only_bad, bool *set)
{
    bool left = false;
    for (unsigned i = 0; i < machine->all.count; i++) {
        set[i] = !only_bad || !machine->good[i];
        for (unsigned j = 0; j < machine->program->threads; j++) {
            struct state to;
            if (stopped >> j & 1 && step(machine->program, &machine->states[i], j, &to))
                set[i] = false;
        }
    }
    for (bool went = true; went;) {
        went = keep_with_step(machine, set, -1, true);
        for (unsigned j = 0; j < machine->program->threads; j++)
            if (!(stopped >> j & 1))
                went |= keep_with_step(machine, set, (int)j, !only_bad);
    }
    for (unsigned i = 0; i < machine->all.count; i++)
        left |= set[i];
    return left;
}

static struct hanging run_machine(const struct program *program)
{
    static struct machine machine;
    static bool set[MOST_STATES];
    struct hanging found = {false, false, false};
    struct state first;
    memset(&first, 0, sizeof first);
    machine.program = program;
    machine.all = (struct machine_states){
        .size = sizeof first, .most = MOST_STATES, .items = machine.states, .table = machine.table};
    machine_states_forget(&machine.all);
    (void)find_state(&machine, &first);
    for (unsigned i = 0; i < machine.all.count; i++) {
        bool moves = false, at_end = true;
        for (unsigned j = 0; j < program->threads; j++) {
            struct state to;
            at_end &= is_at_end(program, &machine.states[i], j);
            if (!step(program, &machine.states[i], j, &to))
                continue;
            moves = true;
            (void)find_state(&machine, &to);
        }
        machine.good[i] = !moves;
        found.stops |= !moves && !at_end;
    }
    close_backwards(&machine);
    for (unsigned i = 0; i < machine.all.count; i++)
        found.turns |= !machine.good[i];
    bool rounds = program->writes || polls(program);
    for (unsigned stopped = 0; rounds && stopped < 1U << program->threads; stopped++)
        found.goes_round |= can_go_round(&machine, stopped, false, set) ||
                            (found.turns && can_go_round(&machine, stopped, true, set));
    return found;
}

/* ---- comparing ---- */

struct figures {
    unsigned right, stop, turn, weakly, polls, undecided;
    unsigned rounds, livelocks, too_large; /* of programs that write in loops, under sc */
};

/* With seq_cst accesses under rc11 no iteration is left out that looks under a lock. */
static void compare(struct code_fixture *code, size_t test, const char *text, uint64_t seed,
                    const struct program *program, const struct hanging *expected,
                    struct figures *figures)
{
    struct exchange_result result;
    bool hangs = expected->stops || expected->turns, hangs_weakly = false;
    /* Those that look under two locks may do so for ever, though they could also block each other.
     */
    bool turns = expected->turns || (expected->stops && polls(program));
    figures->rounds += expected->goes_round;
    for (int model = MEMORY_SC; model <= MEMORY_RC11; model++) {
        code_run(code, test, (enum memory_model)model, NULL, &result);
        bool found = result.end == END_FINDING;
        bool waits = found && result.finding.kind == FINDING_WAITS;
        bool stops = found && result.finding.kind == FINDING_DEADLOCK;
        bool right = found ? waits || stops : result.end == END_COMPLETE;
        if (found && result.finding.kind == FINDING_LIVELOCK && expected->goes_round) {
            figures->livelocks += model == MEMORY_SC;
            continue;
        }
        if (program->writes && result.end == END_TOO_LARGE) {
            figures->too_large += model == MEMORY_SC;
            continue;
        }
        if (model == MEMORY_RC11 && result.end == END_TOO_LARGE && polls(program)) {
            figures->undecided++;
            continue;
        }
        if (model == MEMORY_SC)
            right &= found ? (waits ? turns : expected->stops) : !hangs && !expected->goes_round;
        else
            right &= found || !hangs;
        if (!right)
            fail_msg("seed %llu, test %s, model %d: ended with %u, found %u; expected %s%s; of\n%s",
                     (unsigned long long)seed, code->tests.items.items[test].name, model,
                     result.end, result.finding.kind, expected->stops ? "deadlock " : "",
                     expected->turns ? "waiting for ever" : "", text);
        hangs_weakly |= found && !hangs;
    }
    figures->right += !hangs;
    figures->polls += polls(program);
    figures->stop += expected->stops;
    figures->turn += expected->turns;
    figures->weakly += hangs_weakly;
}

static void what_waits_for_ever_is_what_never_can_go_on(void **state)
{
    static const char *const flags[] = {"-O2", "-O0", "-O1"};
    struct figures figures = {0};
    (void)state;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct program programs[PROGRAMS];
        struct code_fixture code;
        struct random random;
        struct text text = TEXT_EMPTY;
        random_seed(&random, seed);
        text_append(&text, "#include <linchpin/test.h>\n#include <pthread.h>\n#include <sched.h>\n"
                           "#include <stdatomic.h>\n");
        for (unsigned i = 0; i < PROGRAMS; i++) {
            make_program(&random, &programs[i]);
            print_program(i, &programs[i], &random, &text);
        }
        setenv("CC", seed % 4 == 3 && code_has_compiler("clang") ? "clang" : "gcc", 1);
        code_build_text(&code, text_string(&text), ".c", flags[seed % 3]);
        for (unsigned i = 0; i < PROGRAMS; i++) {
            unsigned number;
            assert_int_equal(sscanf(code.tests.items.items[i].name, "p%u", &number), 1);
            struct hanging expected = run_machine(&programs[number]);
            compare(&code, i, text_string(&text), seed, &programs[number], &expected, &figures);
        }
        code_release(&code);
        text_release(&text);
    }
    unsetenv("CC");
    print_message("%u programs can livelock, %u are found to, %u that write in loops are not "
                  "decided\n",
                  figures.rounds, figures.livelocks, figures.too_large);
    print_message(
        "seeds from %llu: %u programs come to their end, %u deadlock, %u turn for ever, "
        "%u only under tso or rc11; %u look under locks, %u of them not decided under rc11\n",
        (unsigned long long)seeds.first, figures.right, figures.stop, figures.turn, figures.weakly,
        figures.polls, figures.undecided);
    assert_true(figures.right > 0 && figures.stop > 0 && figures.turn > 0);
    assert_true(figures.livelocks > 0);
    assert_true(figures.polls > 0 && figures.undecided * 2 < figures.polls);
}

/* test_code_waiting [FIRST_SEED [SOURCES]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_for_ever_is_what_never_can_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
