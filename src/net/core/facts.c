/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts kept with a network: a list of slots, one per fact asked for so far, each with an arena and a lock of its own.
 * One lock for the whole cache would deadlock when a fact is computed from another (cuts from rates), and would make
 * threads that want different facts wait for each other. Networks have a handful of facts, so a list suffices. */
#define _POSIX_C_SOURCE 200809L
#include "net/core/facts.h"
#include "base/status.h"

#include <pthread.h>

struct fact_slot {
    const struct hd_fact *fact;
    struct fact_slot *next;
    pthread_mutex_t lock; /* held while the value is computed */
    struct hd_arena arena;
    void *value; /* NULL: not computed yet */
};

struct hd_facts {
    pthread_mutex_t lock; /* of the list, not of the values */
    struct hd_arena arena;
    struct fact_slot *first;
};

struct hd_facts *hd_facts_make(struct hd_arena *arena)
{
    struct hd_facts *facts = HD_NEW(arena, struct hd_facts, 1);
    if (facts && pthread_mutex_init(&facts->lock, NULL) != 0) return NULL;
    return facts;
}

void hd_facts_release(struct hd_facts *facts)
{
    for (struct fact_slot *slot = facts->first; slot; slot = slot->next) {
        hd_arena_release(&slot->arena);
        pthread_mutex_destroy(&slot->lock);
    }
    hd_arena_release(&facts->arena);
    pthread_mutex_destroy(&facts->lock);
}

/* The slot of a fact, empty if it is asked for the first time; NULL: no memory. Under the lock of the list. */
static struct fact_slot *fact_slot_find(struct hd_facts *facts, const struct hd_fact *fact)
{
    struct fact_slot *slot = facts->first;
    while (slot && slot->fact != fact) slot = slot->next;
    if (slot) return slot;
    slot = HD_NEW(&facts->arena, struct fact_slot, 1);
    if (!slot || pthread_mutex_init(&slot->lock, NULL) != 0) return NULL;
    slot->fact = fact;
    slot->next = facts->first;
    return facts->first = slot;
}

static hd_status fact_slot_fill(struct hd_ctx *ctx, const struct hd_net *net, struct fact_slot *slot)
{
    void *value = hd_alloc(&slot->arena, 1, slot->fact->size);
    hd_status s = value ? slot->fact->make(ctx, &slot->arena, net, value) : hd_fail_memory(ctx);
    if (s == HD_OK)
        slot->value = value;
    else
        hd_arena_release(&slot->arena);
    return s;
}

hd_status hd_net_fact(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_fact *fact, const void **value)
{
    struct hd_facts *facts = net->facts;
    pthread_mutex_lock(&facts->lock);
    struct fact_slot *slot = fact_slot_find(facts, fact);
    pthread_mutex_unlock(&facts->lock);
    if (!slot) return hd_fail_memory(ctx);
    pthread_mutex_lock(&slot->lock);
    hd_status s = slot->value ? HD_OK : fact_slot_fill(ctx, net, slot);
    *value = slot->value;
    pthread_mutex_unlock(&slot->lock);
    return s;
}
