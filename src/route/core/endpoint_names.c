/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints by name or port GUID: two sorted arrays of endpoint numbers and a binary search, so that duplicate names
 * are found, counted and refused. O(n log n) once, O(log n) per look-up. */
#include "route/core/endpoint_names.h"
#include "base/input.h"
#include "base/named.h"
#include "base/number.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static int endpoint_names_by_name(const void *a, const void *b)
{
    const struct hd_endpoint_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->e > y->e) - (x->e < y->e);
}

/* What a line of a file can name: blanks at both ends are lost in lines. */
static const char *without_outer_blanks(struct hd_arena *arena, const char *name)
{
    name += strspn(name, " \t");
    size_t n = strlen(name);
    if (!n || !strchr(" \t", name[n - 1])) return name;
    while (n && strchr(" \t", name[n - 1])) n--;
    return hd_strdup(arena, name, n);
}

hd_status hd_endpoint_names_init(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                 struct hd_endpoint_names *names)
{
    struct hd_endpoint_name *name = HD_NEW(arena, struct hd_endpoint_name, net->nep);
    struct hd_keyed *guid = HD_NEW(arena, struct hd_keyed, net->nep);
    if (!name || !guid) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        name[e] = (struct hd_endpoint_name){without_outer_blanks(arena, hd_node_name(net, net->nsw + e)), e};
        if (!name[e].name) return hd_fail_memory(ctx);
        guid[e] = (struct hd_keyed){net->guid[net->nsw + e], e};
    }
    qsort(name, net->nep, sizeof *name, endpoint_names_by_name);
    hd_keyed_sort(guid, net->nep, sizeof *guid);
    *names = (struct hd_endpoint_names){net, name, guid};
    return HD_OK;
}

uint32_t hd_endpoint_names_find(const struct hd_endpoint_names *names, const char *text, uint32_t *matches)
{
    const uint32_t nep = names->net->nep;
    uint64_t guid;
    text += strspn(text, " \t");
    if (hd_parse_guid(text, strlen(text), &guid)) {
        const uint32_t i = hd_find_key(names->by_guid, nep, sizeof *names->by_guid, guid);
        *matches = i < nep; /* port GUIDs are distinct */
        return i < nep ? names->by_guid[i].value : UINT32_MAX;
    }
    const uint32_t i = hd_find_name(names->by_name, nep, sizeof *names->by_name, text, matches);
    return i < nep ? names->by_name[i].e : UINT32_MAX;
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
