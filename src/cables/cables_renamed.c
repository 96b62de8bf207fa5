/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that have a new name since they were planned: where plan and fabric both have GUIDs, as networks do. A device
 * of which the planned name is not found, but its GUID under a name that nobody planned, is the same one, and its ends
 * take the keys that were found. A name decides before a GUID, since a switch that was replaced keeps its name. So it
 * does if the found name is planned for another device. Files without GUIDs number their nodes, which says nothing of
 * what a node is: such numbers are not compared. Cost: O(n log n) in the cables. */
#include "base/keyed.h"
#include "base/status.h"
#include "cables/cable_list.h"

#include <stdlib.h>
#include <string.h>

struct end_index {
    struct hd_cables_end **by_key;
    struct hd_keyed *by_guid; /* value: number of the end */
    uint32_t n;
};

static struct hd_cables_end *end_at(const struct hd_cable_list *list, uint32_t i)
{
    return &list->row[i / 2].end[i % 2];
}

static int end_by_key(const void *a, const void *b)
{
    const struct hd_cables_end *x = *(const struct hd_cables_end *const *)a,
                               *y = *(const struct hd_cables_end *const *)b;
    return strcmp(x->key, y->key);
}

static hd_status end_index_init(struct hd_arena *scratch, const struct hd_cable_list *list, struct end_index *index)
{
    index->n = 2 * list->n;
    index->by_key = HD_NEW(scratch, struct hd_cables_end *, index->n);
    index->by_guid = HD_NEW(scratch, struct hd_keyed, index->n);
    if (!index->by_key || !index->by_guid) return hd_fail_memory(list->ctx);
    for (uint32_t i = 0; i < index->n; i++) {
        index->by_key[i] = end_at(list, i);
        index->by_guid[i] = (struct hd_keyed){end_at(list, i)->guid, i};
    }
    if (index->n) qsort(index->by_key, index->n, sizeof *index->by_key, end_by_key);
    hd_keyed_sort(index->by_guid, index->n, sizeof *index->by_guid);
    return HD_OK;
}

/* Bytes of a key that name what has the GUID: a switch with its separator, or the port of an adapter with its end. */
static size_t name_length(const struct hd_cables_end *end)
{
    return (end->is_switch ? hd_cables_switch_key(end->key) : strlen(end->key)) + 1;
}

static bool has_name(const struct end_index *index, const struct hd_cables_end *end)
{
    const size_t n = name_length(end);
    uint32_t low = 0, high = index->n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (strncmp(index->by_key[mid]->key, end->key, n) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < index->n && strncmp(index->by_key[low]->key, end->key, n) == 0;
}

/* GUIDs begin with the number of a vendor; 0x200000 and what follows are running numbers, made up by ibsim and by the
 * readers of files without GUIDs. */
static bool is_device_guid(uint64_t guid)
{
    return guid >> 40 != 0;
}

/* An end of the same device; NULL: there is none. Adapters may have the GUIDs of switches. */
static const struct hd_cables_end *same_guid(const struct end_index *index, const struct hd_cable_list *list,
                                             const struct hd_cables_end *end)
{
    uint32_t i = index->n;
    if (is_device_guid(end->guid)) i = hd_find_key(index->by_guid, index->n, sizeof *index->by_guid, end->guid);
    for (; i < index->n && index->by_guid[i].key == end->guid; i++) {
        const struct hd_cables_end *found = end_at(list, index->by_guid[i].value);
        if (found->is_switch == end->is_switch) return found;
    }
    return NULL;
}

static const char *renamed_key(struct hd_arena *arena, const struct hd_cables_end *end,
                               const struct hd_cables_end *found)
{
    if (!end->is_switch) return found->key;
    const char *port = end->key + name_length(end);
    const size_t n = name_length(found), m = strlen(port);
    char *key = HD_NEW(arena, char, n + m + 1);
    if (!key) return NULL;
    memcpy(key, found->key, n);
    memcpy(key + n, port, m);
    return key;
}

static hd_status note_renamed(struct hd_cable_list *plan, struct hd_cables *out, uint32_t *room,
                              const struct hd_cables_end *end, const struct hd_cables_end *found)
{
    const struct hd_cables_renamed *last = out->nrenamed ? &out->renamed[out->nrenamed - 1] : NULL;
    if (last && strcmp(last->planned, end->node) == 0 && strcmp(last->found, found->node) == 0) return HD_OK;
    if (!HD_MORE(plan->arena, out->renamed, out->nrenamed, *room)) return hd_fail_memory(plan->ctx);
    out->renamed[out->nrenamed++] = (struct hd_cables_renamed){end->node, found->node, end->guid};
    return HD_OK;
}

/* New keys, in the order of planned->by_key; NULL: the end keeps its own. */
static hd_status find_renamed(struct hd_cable_list *plan, const struct hd_cable_list *found,
                              const struct end_index *planned, const struct end_index *there, struct hd_cables *out,
                              const char **key)
{
    uint32_t room = 0;
    for (uint32_t i = 0; i < planned->n; i++) { /* in the order of names: the ends of a switch follow each other */
        const struct hd_cables_end *end = planned->by_key[i];
        const struct hd_cables_end *is = has_name(there, end) ? NULL : same_guid(there, found, end);
        if (!is || has_name(planned, is)) continue;
        if (strcmp(end->node, is->node) == 0) continue; /* another port of the same adapter */
        if (!(key[i] = renamed_key(plan->arena, end, is))) return hd_fail_memory(plan->ctx);
        HD_TRY(note_renamed(plan, out, &room, end, is));
    }
    return HD_OK;
}

hd_status hd_cables_rename(struct hd_cable_list *plan, const struct hd_cable_list *found, struct hd_cables *out)
{
    struct hd_arena scratch = {0};
    struct end_index planned, there;
    const char **key = NULL;
    hd_status s = end_index_init(&scratch, plan, &planned);
    if (s == HD_OK) s = end_index_init(&scratch, found, &there);
    if (s == HD_OK && !(key = HD_NEW(&scratch, const char *, planned.n))) s = hd_fail_memory(plan->ctx);
    if (s == HD_OK) s = find_renamed(plan, found, &planned, &there, out, key);
    for (uint32_t i = 0; s == HD_OK && i < planned.n; i++) /* after all were compared by their old ones */
        if (key[i]) planned.by_key[i]->key = key[i];
    hd_arena_release(&scratch);
    return s;
}
