// A set as a sorted list, each node with a lock, taken hand over hand; and one that lets go of a
// node before it holds the next.
//
// expect: list_set holds
// expect: list_set_lets_go not linearizable
#include <linchpin/test.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
} node;

static node *make(int key, node *next)
{
    node *n = malloc(sizeof *n);
    n->key = key;
    n->next = next;
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static void *setup(void)
{
    return make(0, make(1000, NULL));
}

// Finds the first node with at least that key; holds it and the one before it.
static node *find(node *list, int key, int lets_go, node **before)
{
    node *previous = list;
    pthread_mutex_lock(&previous->lock);
    node *at = previous->next;
    if (lets_go)
        pthread_mutex_unlock(&previous->lock);
    pthread_mutex_lock(&at->lock);
    while (at->key < key) {
        if (!lets_go)
            pthread_mutex_unlock(&previous->lock);
        previous = at;
        at = at->next;
        if (lets_go)
            pthread_mutex_unlock(&previous->lock);
        pthread_mutex_lock(&at->lock);
    }
    if (lets_go) { // and takes it again, not looking whether it is still the one before
        pthread_mutex_unlock(&at->lock);
        pthread_mutex_lock(&previous->lock);
        pthread_mutex_lock(&at->lock);
    }
    *before = previous;
    return at;
}

static void let_go(node *before, node *at)
{
    pthread_mutex_unlock(&at->lock);
    pthread_mutex_unlock(&before->lock);
}

static lp_int add(node *list, int key, int lets_go)
{
    node *before, *at = find(list, key, lets_go, &before);
    int added = at->key != key;
    if (added)
        before->next = make(key, at);
    let_go(before, at);
    return added ? LP_YES : LP_NO;
}

static lp_int take(node *list, int key, int lets_go)
{
    node *before, *at = find(list, key, lets_go, &before);
    int taken = at->key == key;
    if (taken)
        before->next = at->next;
    let_go(before, at);
    return taken ? LP_YES : LP_NO;
}

static lp_int do_add(void *list, lp_int key)
{
    return add(list, (int)key, 0);
}

static lp_int do_remove(void *list, lp_int key)
{
    return take(list, (int)key, 0);
}

static lp_int do_add_wrong(void *list, lp_int key)
{
    return add(list, (int)key, 1);
}

static lp_int do_remove_wrong(void *list, lp_int key)
{
    return take(list, (int)key, 1);
}

LP_TEST(list_set, .spec = "set", .setup = setup,
        .ops = {{"add", do_add, 1, 2}, {"remove", do_remove, 1, 1}});
LP_TEST(list_set_lets_go, .spec = "set", .setup = setup,
        .ops = {{"add", do_add_wrong, 1, 2}, {"remove", do_remove_wrong, 1, 1}});
