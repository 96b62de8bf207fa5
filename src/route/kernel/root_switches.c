/* SPDX-License-Identifier: BSD-2-Clause */
/* Root switches, given as names or GUIDs joined by +, or in a file. Names are looked up one by one: there are few. Text
 * of which any part is not a switch is taken for the name of a file, so that both forms need no prefix. */
#include "route/kernel/root_switches.h"
#include "base/number.h"
#include "base/status.h"

#include <string.h>

static uint32_t find_switch(const struct hd_net *net, const char *name, size_t len)
{
    char text[256];
    if (len == 0 || len >= sizeof text) return UINT32_MAX;
    memcpy(text, name, len);
    text[len] = 0;
    uint64_t guid;
    bool by_guid = hd_parse_guid(name, len, &guid);
    for (uint32_t v = 0; v < net->nsw; v++)
        if (by_guid ? net->guid[v] == guid : strcmp(hd_node_name(net, v), text) == 0) return v;
    return UINT32_MAX;
}

/* NAME+NAME+...; false when one of them is no switch (then the whole is taken for a file). */
static bool from_names(const struct hd_net *net, const char *text, bool *root)
{
    for (const char *s = text;; s++) {
        size_t len = strcspn(s, "+");
        uint32_t v = find_switch(net, s, len);
        if (v == UINT32_MAX) {
            memset(root, 0, net->nsw * sizeof *root);
            return false;
        }
        root[v] = true;
        s += len;
        if (!*s) return true;
    }
}

hd_status hd_roots_lines(struct hd_ctx *ctx, const struct hd_net *net, struct hd_in *in, bool *root)
{
    bool any = false;
    for (char *line;;) {
        HD_TRY(hd_in_text(ctx, in, " \t", &line));
        if (!line) break;
        uint32_t v = find_switch(net, line, strlen(line));
        if (v == UINT32_MAX) return hd_in_fail(ctx, in, "'%.80s': no switch of that name or GUID", line);
        root[v] = any = true;
    }
    return any ? HD_OK : hd_fail(ctx, HD_INPUT, "%.200s: no switches in this file", hd_in_name(in));
}

hd_status hd_roots_read(struct hd_ctx *ctx, const struct hd_net *net, const char *owner, const char *text, bool *root)
{
    struct hd_in *in;
    if (from_names(net, text, root)) return HD_OK;
    if (hd_in_open(ctx, text, &in) != HD_OK)
        return hd_fail(ctx, HD_INPUT,
                       "%s: roots=%.200s: neither switches (names or GUIDs separated by +) nor a file of them", owner,
                       text);
    hd_status s = hd_roots_lines(ctx, net, in, root);
    hd_in_close(in);
    return s;
}
