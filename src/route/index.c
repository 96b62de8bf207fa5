/* SPDX-License-Identifier: BSD-2-Clause */
#include "route/index.h"
#include "base/input.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    uint32_t e;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->e > y->e) - (x->e < y->e);
}

static uint32_t find_name(const struct named *v, uint32_t n, const char *name, uint32_t *matches)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (strcmp(v[mid].name, name) < 0) lo = mid + 1;
        else hi = mid;
    }
    for (*matches = 0; lo + *matches < n && strcmp(v[lo + *matches].name, name) == 0; ++*matches) continue;
    return *matches ? v[lo].e : UINT32_MAX;
}

static uint32_t find_guid(const struct hd_net *net, const char *text, uint32_t *matches)
{
    char *end;
    unsigned long long guid = strtoull(text, &end, 16);
    *matches = 0;
    for (uint32_t e = 0; !*end && e < net->nep; e++)
        if (net->guid[net->nsw + e] == guid) {
            *matches = 1;
            return e;
        }
    return UINT32_MAX;
}

static hd_status read_lines(struct hd_ctx *ctx, struct hd_in *in, const struct hd_net *net, const struct named *names, uint64_t *number, uint32_t *listed)
{
    uint64_t next = 0;
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(ctx, in, &line, &len));
        if (!line) break;
        line += strspn(line, " \t");
        len = strlen(line);
        while (len && (line[len - 1] == ' ' || line[len - 1] == '\t')) line[--len] = 0;
        if (!*line || *line == '#') continue;
        uint32_t matches, e = strncmp(line, "0x", 2) == 0 ? find_guid(net, line, &matches) : find_name(names, net->nep, line, &matches);
        if (matches == 0) return hd_in_fail(ctx, in, "'%.80s': no endpoint of that name or port GUID", line);
        if (matches > 1) return hd_in_fail(ctx, in, "'%.80s' names %u endpoints: give port GUIDs", line, matches);
        if (number[e] != UINT64_MAX) return hd_in_fail(ctx, in, "'%.80s' stands twice", line);
        number[e] = next++;
    }
    if (listed) *listed = (uint32_t)next;
    for (uint32_t e = 0; e < net->nep; e++)
        if (number[e] == UINT64_MAX) number[e] = next++;
    return HD_OK;
}

hd_status hd_index_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path, uint64_t *number, uint32_t *listed)
{
    struct named *names = HD_NEW(arena, struct named, net->nep);
    struct hd_in *in;
    if (!names) return hd_fail_memory(ctx);
    for (uint32_t e = 0; e < net->nep; e++) {
        names[e] = (struct named){hd_node_name(net, net->nsw + e), e};
        number[e] = UINT64_MAX;
    }
    qsort(names, net->nep, sizeof *names, by_name);
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = read_lines(ctx, in, net, names, number, listed);
    hd_in_close(in);
    return s;
}
