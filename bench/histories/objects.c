#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NIL         ONE(NUMBER_NIL)
#define ONE(number) ((struct datum){.first = (number)})
#define TWO(a, b)   ((struct datum){.first = (a), .second = (b), .is_pair = true})
#define MICRO(writes, key, value)                                                                  \
    ((struct datum){.is_transaction = true, .count = 3, .items = {(writes), (key), (value)}})

/* The values of a lie, which no other call uses. */
#define OLDER (-2)
#define NEWER (-1)

static void out_of_memory(void)
{
    fputs("generate-history: out of memory\n", stderr);
    exit(2);
}

static void push(struct object *object, int64_t number)
{
    if (!vector_push(&object->items, number))
        out_of_memory();
}

static int64_t pick_value(struct object *object, struct random *random)
{
    return object->values ? random_below(random, (uint32_t)object->values) : object->fresh++;
}

static void set_call(struct call *call, const char *function, struct datum argument)
{
    *call = (struct call){.function = function, .argument = argument};
}

/* Queue, stack, priority queue: additions and removals at the same rate. */

static void choose_in_container(struct object *object, struct random *random, struct call *call,
                                const char *add, const char *remove)
{
    if (random_chance(random, 1, 2))
        set_call(call, add, ONE(pick_value(object, random)));
    else
        set_call(call, remove, NIL);
}

static void queue_choose(struct object *object, struct random *random, struct call *call)
{
    choose_in_container(object, random, call, "enqueue", "dequeue");
}

/* The room before the head is taken back when it is as large as what is behind. */
static int64_t queue_take(struct object *object)
{
    if (object->head == object->items.length)
        return NUMBER_NIL;
    int64_t taken = object->items.items[object->head++];
    size_t left = object->items.length - object->head;
    if (object->head >= left) {
        memmove(object->items.items, object->items.items + object->head, left * sizeof taken);
        object->items.length = left;
        object->head = 0;
    }
    return taken;
}

static void queue_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    if (call->argument.first != NUMBER_NIL)
        push(object, call->argument.first);
    else
        call->answer.first = queue_take(object);
}

/* In no order: any of the values there are. */
static void unordered_queue_choose(struct object *object, struct random *random, struct call *call)
{
    queue_choose(object, random, call);
    call->argument.second = random_below(random, UINT32_MAX); /* which one a removal takes */
}

static void unordered_queue_apply(struct object *object, struct call *call)
{
    size_t count = object->items.length;
    call->answer = ONE(call->argument.first);
    if (call->argument.first != NUMBER_NIL) {
        push(object, call->argument.first);
    } else if (count) {
        int64_t *taken = &object->items.items[(size_t)call->argument.second % count];
        call->answer.first = *taken;
        *taken = object->items.items[--object->items.length];
    }
}

static void stack_choose(struct object *object, struct random *random, struct call *call)
{
    choose_in_container(object, random, call, "push", "pop");
}

static void stack_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    if (call->argument.first != NUMBER_NIL)
        push(object, call->argument.first);
    else if (object->items.length)
        call->answer.first = object->items.items[--object->items.length];
}

/* New priorities come in no order: a permutation of the numbers of `spread_bits` bits. */
static int64_t spread(const struct object *object, int64_t number)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mask = (UINT64_C(1) << object->spread_bits) - 1;
    uint64_t spread = ((uint64_t)number * odd) & mask;
    spread ^= spread >> (object->spread_bits / 2 + 1);
    return (int64_t)((spread * odd) & mask);
}

static void priority_queue_choose(struct object *object, struct random *random, struct call *call)
{
    choose_in_container(object, random, call, "insert", "delete-min");
    if (object->values == 0 && call->argument.first != NUMBER_NIL)
        call->argument.first = spread(object, call->argument.first);
}

/* `items` is a binary heap. */
static void heap_push(struct object *object, int64_t number)
{
    push(object, number);
    int64_t *items = object->items.items;
    size_t at = object->items.length - 1;
    for (; at > 0 && items[(at - 1) / 2] > number; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
    items[at] = number;
}

static int64_t heap_take(struct object *object)
{
    if (object->items.length == 0)
        return NUMBER_NIL;
    int64_t *items = object->items.items, least = items[0];
    size_t count = --object->items.length, at = 0;
    int64_t last = items[count];
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && items[child + 1] < items[child])
            child++;
        if (last <= items[child])
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
    return least;
}

static void priority_queue_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    if (call->argument.first != NUMBER_NIL)
        heap_push(object, call->argument.first);
    else
        call->answer.first = heap_take(object);
}

/* Set: every third call adds, removes, looks. With new values only, removals are of what is there,
 * and so is every second look; the others are of anything that was ever added. */

static int64_t known_value(struct object *object, struct random *random, bool there)
{
    if (object->values)
        return random_below(random, (uint32_t)object->values);
    if (there && object->items.length)
        return object->items.items[random_below(random, (uint32_t)object->items.length)];
    return object->fresh ? random_below(random, (uint32_t)object->fresh) : 0;
}

static void set_choose(struct object *object, struct random *random, struct call *call)
{
    switch (random_below(random, 3)) {
    case 0:
        set_call(call, "add", ONE(pick_value(object, random)));
        break;
    case 1:
        set_call(call, "remove", ONE(known_value(object, random, true)));
        break;
    default:
        set_call(call, "contains", ONE(known_value(object, random, random_chance(random, 1, 2))));
    }
}

static size_t *set_place(struct object *object, int64_t number)
{
    while (object->places.length <= (size_t)number)
        if (!vector_push(&object->places, 0))
            out_of_memory();
    return &object->places.items[number];
}

static void set_apply(struct object *object, struct call *call)
{
    int64_t number = call->argument.first;
    size_t *place = set_place(object, number);
    bool there = *place != 0, adds = call->function[0] == 'a', removes = call->function[0] == 'r';
    if (adds && !there) {
        push(object, number);
        *place = object->items.length;
    } else if (removes && there) {
        int64_t last = object->items.items[--object->items.length];
        object->items.items[*place - 1] = last;
        object->places.items[last] = *place;
        *place = 0;
    }
    call->answer = ONE((adds ? !there : there) ? NUMBER_TRUE : NUMBER_FALSE);
}

/* A set that only grows: half of the calls read all of it where elements are few, else some twenty
 * in the whole history, for each answers all that there is. */

static void grow_set_choose(struct object *object, struct random *random, struct call *call)
{
    uint32_t size = UINT32_C(1) << object->spread_bits;
    if (random_chance(random, 16, object->values || size < 32 ? 32 : size))
        set_call(call, "read", NIL);
    else
        set_call(call, "add", ONE(pick_value(object, random)));
}

static void grow_set_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    if (call->function[0] == 'r') {
        call->answer = (struct datum){.first = (int64_t)object->items.length, .is_prefix = true};
        return;
    }
    size_t *place = set_place(object, call->argument.first);
    if (*place == 0) {
        push(object, call->argument.first);
        *place = object->items.length;
    }
}

/* Registers and map: cells that are nil at first. Half of the calls read. */

static void register_choose(struct object *object, struct random *random, struct call *call)
{
    if (random_chance(random, 1, 2))
        set_call(call, "write", ONE(pick_value(object, random)));
    else
        set_call(call, "read", NIL);
}

static void register_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    if (call->function[0] == 'w')
        object->items.items[0] = call->argument.first;
    else
        call->answer.first = object->items.items[0];
}

/* A third each of reads, writes and swaps. A swap to a new value expects the last but a few. */
static void cas_register_choose(struct object *object, struct random *random, struct call *call)
{
    if (random_chance(random, 2, 3)) {
        register_choose(object, random, call);
        return;
    }
    int64_t to = pick_value(object, random);
    int64_t from = object->values                ? random_below(random, (uint32_t)object->values)
                   : random_chance(random, 1, 2) ? object->items.items[0]
                                                 : to - 1;
    set_call(call, "cas", TWO(from, to));
}

static void cas_register_apply(struct object *object, struct call *call)
{
    if (call->function[0] != 'c') {
        register_apply(object, call);
        return;
    }
    call->failed = object->items.items[0] != call->argument.first;
    if (!call->failed)
        object->items.items[0] = call->argument.second;
    call->answer = call->argument;
}

static void map_choose(struct object *object, struct random *random, struct call *call)
{
    int64_t key = random_below(random, (uint32_t)object->items.length);
    if (random_chance(random, 1, 2))
        set_call(call, "put", TWO(key, pick_value(object, random)));
    else
        set_call(call, "get", ONE(key));
}

static void map_apply(struct object *object, struct call *call)
{
    int64_t *cell = &object->items.items[call->argument.first];
    call->answer = call->argument;
    if (call->function[0] == 'p')
        *cell = call->argument.second;
    else
        call->answer = ONE(*cell);
}

/* Transactions of one to three reads and writes on the keys. */

static void multi_register_choose(struct object *object, struct random *random, struct call *call)
{
    struct datum transaction = {.is_transaction = true};
    uint32_t length = 1 + random_below(random, DATUM_ITEMS / 3);
    while (length-- > 0) {
        int64_t *item = transaction.items + transaction.count;
        transaction.count += 3;
        item[0] = random_chance(random, 1, 2);
        item[1] = random_below(random, (uint32_t)object->items.length);
        item[2] = item[0] ? pick_value(object, random) : NUMBER_NIL;
    }
    set_call(call, "txn", transaction);
}

static void multi_register_apply(struct object *object, struct call *call)
{
    call->answer = call->argument;
    for (uint32_t i = 0; i < call->answer.count; i += 3) {
        int64_t *item = call->answer.items + i, *cell = &object->items.items[item[1]];
        if (item[0])
            *cell = item[2];
        else
            item[2] = *cell;
    }
}

/* A bank: half of the calls read all accounts, the others transfer between two. */

static void bank_choose(struct object *object, struct random *random, struct call *call)
{
    (void)object;
    if (random_chance(random, 1, 2)) {
        set_call(call, "read", NIL);
        return;
    }
    struct datum transfer = {.count = 3};
    transfer.items[0] = random_below(random, ACCOUNTS);
    transfer.items[1] = (transfer.items[0] + 1 + random_below(random, ACCOUNTS - 1)) % ACCOUNTS;
    transfer.items[2] = 1 + random_below(random, TRANSFER_MOST);
    set_call(call, "transfer", transfer);
}

static void bank_apply(struct object *object, struct call *call)
{
    int64_t *accounts = object->items.items;
    if (call->function[0] == 'r') {
        call->answer = (struct datum){.count = ACCOUNTS};
        memcpy(call->answer.items, accounts, ACCOUNTS * sizeof *accounts);
        return;
    }
    const int64_t *transfer = call->argument.items;
    bool covered = accounts[transfer[0]] >= transfer[2];
    call->answer = ONE(covered ? NUMBER_TRUE : NUMBER_FALSE);
    if (covered) {
        accounts[transfer[0]] -= transfer[2];
        accounts[transfer[1]] += transfer[2];
    }
}

/* One process lets the newer of two values overtake the older, or sees what it has just undone. */
const struct object_class object_classes[] = {
    {.name = "queue",
     .choose = queue_choose,
     .apply = queue_apply,
     .lie = {{"enqueue", ONE(OLDER), ONE(OLDER), false},
             {"enqueue", ONE(NEWER), ONE(NEWER), false},
             {"dequeue", NIL, ONE(NEWER), false},
             {"dequeue", NIL, ONE(OLDER), false}}},
    {.name = "register",
     .cells = CELLS_ONE,
     .choose = register_choose,
     .apply = register_apply,
     .lie = {{"write", ONE(OLDER), ONE(OLDER), false},
             {"write", ONE(NEWER), ONE(NEWER), false},
             {"read", NIL, ONE(OLDER), false}}},
    {.name = "set",
     .choose = set_choose,
     .apply = set_apply,
     .lie = {{"add", ONE(OLDER), ONE(NUMBER_TRUE), false},
             {"remove", ONE(OLDER), ONE(NUMBER_TRUE), false},
             {"contains", ONE(OLDER), ONE(NUMBER_TRUE), false}}},
    {.name = "stack",
     .choose = stack_choose,
     .apply = stack_apply,
     .lie = {{"push", ONE(OLDER), ONE(OLDER), false},
             {"push", ONE(NEWER), ONE(NEWER), false},
             {"pop", NIL, ONE(OLDER), false},
             {"pop", NIL, ONE(NEWER), false}}},
    {.name = "priority-queue",
     .choose = priority_queue_choose,
     .apply = priority_queue_apply,
     .lie = {{"insert", ONE(OLDER), ONE(OLDER), false},
             {"insert", ONE(NEWER), ONE(NEWER), false},
             {"delete-min", NIL, ONE(NEWER), false},
             {"delete-min", NIL, ONE(OLDER), false}}},
    {.name = "unordered-queue",
     .choose = unordered_queue_choose,
     .apply = unordered_queue_apply,
     .lie = {{"enqueue", ONE(OLDER), ONE(OLDER), false},
             {"dequeue", NIL, ONE(OLDER), false},
             {"dequeue", NIL, ONE(OLDER), false}}},
    {.name = "grow-set",
     .choose = grow_set_choose,
     .apply = grow_set_apply,
     .lie = {{"add", ONE(OLDER), ONE(OLDER), false}, {"read", NIL, TWO(OLDER, NEWER), false}}},
    {.name = "cas-register",
     .cells = CELLS_ONE,
     .choose = cas_register_choose,
     .apply = cas_register_apply,
     .lie = {{"write", ONE(OLDER), ONE(OLDER), false},
             {"write", ONE(NEWER), ONE(NEWER), false},
             {"read", NIL, ONE(OLDER), false}}},
    {.name = "map",
     .cells = CELLS_KEYS,
     .choose = map_choose,
     .apply = map_apply,
     .lie = {{"put", TWO(0, OLDER), TWO(0, OLDER), false},
             {"put", TWO(0, NEWER), TWO(0, NEWER), false},
             {"get", ONE(0), ONE(OLDER), false}}},
    {.name = "multi-register",
     .cells = CELLS_KEYS,
     .choose = multi_register_choose,
     .apply = multi_register_apply,
     .lie = {{"txn", MICRO(1, 0, OLDER), MICRO(1, 0, OLDER), false},
             {"txn", MICRO(1, 0, NEWER), MICRO(1, 0, NEWER), false},
             {"txn", MICRO(0, 0, NUMBER_NIL), MICRO(0, 0, OLDER), false}}},
    {.name = "bank", /* the lie: money from nowhere */
     .cells = CELLS_ACCOUNTS,
     .choose = bank_choose,
     .apply = bank_apply,
     .lie = {{"read",
              NIL,
              {.count = ACCOUNTS,
               .items = {ACCOUNT_INITIAL, ACCOUNT_INITIAL, ACCOUNT_INITIAL, ACCOUNT_INITIAL,
                         ACCOUNT_INITIAL + 1}},
              false}}},
    {.name = NULL},
};

const struct object_class *object_class_find(const char *name)
{
    for (const struct object_class *class = object_classes; class->name; class ++)
        if (strcmp(class->name, name) == 0)
            return class;
    return NULL;
}

void object_init(struct object *object, const struct object_class *class, int64_t values,
                 size_t keys, uint64_t operations)
{
    *object = (struct object){.class = class, .values = values, .spread_bits = 1};
    budget_init(&object->budget, NULL, 0);
    vector_init(&object->items, &object->budget);
    vector_init(&object->places, &object->budget);
    while (operations >> object->spread_bits)
        object->spread_bits++;
    bool accounts = class->cells == CELLS_ACCOUNTS;
    size_t cells = class->cells == CELLS_KEYS ? keys : accounts ? ACCOUNTS : class->cells;
    for (size_t i = 0; i < cells; i++)
        push(object, accounts ? ACCOUNT_INITIAL : NUMBER_NIL);
}

void object_release(struct object *object)
{
    vector_release(&object->items);
    vector_release(&object->places);
}
