/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints by name or port GUID: two sorted arrays of endpoint numbers and a binary search, so that duplicate names
 * are found, counted and refused. O(n log n) once, O(log n) per look-up. */
#include "route/core/endpoint_names.h"
#include "base/input.h"
#include "base/number.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct name_key {
    const char *name;
    uint64_t guid;
    uint32_t e;
};

static int endpoint_names_by_name(const void *a, const void *b)
{
    const struct name_key *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->e > y->e) - (x->e < y->e);
}

static int endpoint_names_by_guid(const void *a, const void *b)
{
    const struct name_key *x = a, *y = b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return (x->e > y->e) - (x->e < y->e);
}

hd_status hd_endpoint_names_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                 struct hd_endpoint_names *names)
{
    struct hd_arena scratch = {0};
    struct name_key *key = HD_NEW(&scratch, struct name_key, net->nep);
    uint32_t *name = HD_NEW(arena, uint32_t, net->nep), *guid = HD_NEW(arena, uint32_t, net->nep);
    bool enough = key && name && guid;
    if (enough) {
        for (uint32_t e = 0; e < net->nep; e++)
            key[e] = (struct name_key){hd_node_name(net, net->nsw + e), net->guid[net->nsw + e], e};
        qsort(key, net->nep, sizeof *key, endpoint_names_by_name);
        for (uint32_t i = 0; i < net->nep; i++) name[i] = key[i].e;
        qsort(key, net->nep, sizeof *key, endpoint_names_by_guid);
        for (uint32_t i = 0; i < net->nep; i++) guid[i] = key[i].e;
        *names = (struct hd_endpoint_names){net, name, guid};
    }
    hd_arena_release(&scratch);
    return enough ? HD_OK : hd_fail_memory(ctx);
}

/* Below, equal or above: the i-th endpoint by GUID or by name against what is looked for. */
static int compare(const struct hd_endpoint_names *names, uint32_t i, const char *text, const uint64_t *guid)
{
    const struct hd_net *net = names->net;
    if (!guid) return strcmp(hd_node_name(net, net->nsw + names->by_name[i]), text);
    uint64_t at = net->guid[net->nsw + names->by_guid[i]];
    return (at > *guid) - (at < *guid);
}

uint32_t hd_endpoint_names_find(const struct hd_endpoint_names *names, const char *text, uint32_t *matches)
{
    uint32_t lo = 0, hi = names->net->nep, nep = hi;
    uint64_t guid;
    const uint64_t *wanted = hd_parse_guid(text, strlen(text), &guid) ? &guid : NULL;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (compare(names, mid, text, wanted) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (*matches = 0; lo + *matches < nep && compare(names, lo + *matches, text, wanted) == 0; ++*matches) continue;
    return *matches ? (wanted ? names->by_guid : names->by_name)[lo] : UINT32_MAX;
}

static hd_status endpoint_names_read_lines(struct hd_ctx *ctx, struct hd_in *in, const struct hd_endpoint_names *names,
                                           uint64_t *number, uint32_t *listed)
{
    const struct hd_net *net = names->net;
    uint64_t next = 0;
    for (char *line;;) {
        HD_TRY(hd_in_text(ctx, in, " \t", &line));
        if (!line) break;
        uint32_t matches, e = hd_endpoint_names_find(names, line, &matches);
        if (matches == 0) return hd_in_fail(ctx, in, "'%.80s': no endpoint of that name or port GUID", line);
        if (matches > 1) return hd_in_fail(ctx, in, "'%.80s' names %u endpoints: give port GUIDs", line, matches);
        if (number[e] != UINT64_MAX)
            return hd_in_fail(ctx, in, "'%.80s' is listed already: expected every endpoint once", line);
        number[e] = next++;
    }
    if (listed) *listed = (uint32_t)next;
    for (uint32_t e = 0; e < net->nep; e++)
        if (number[e] == UINT64_MAX) number[e] = next++;
    return HD_OK;
}

hd_status hd_index_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                        uint64_t *number, uint32_t *listed)
{
    struct hd_endpoint_names names;
    struct hd_in *in;
    HD_TRY(hd_endpoint_names_init(ctx, arena, net, &names));
    for (uint32_t e = 0; e < net->nep; e++) number[e] = UINT64_MAX;
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = endpoint_names_read_lines(ctx, in, &names, number, listed);
    hd_in_close(in);
    return s;
}

hd_status hd_index_make(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *text,
                        uint64_t *number)
{
    if (strcmp(text, "selected") != 0) return hd_index_read(ctx, arena, net, text, number, NULL);
    uint64_t next = net->nsel;
    for (uint32_t e = 0, i = 0; e < net->nep; e++) {
        bool counts = i < net->nsel && net->sel[i] == e;
        number[e] = counts ? i++ : next++;
    }
    return HD_OK;
}
