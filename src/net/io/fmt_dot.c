/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphviz: nodes s<i> and e<i> with the names as labels, one rank=same block per level, one edge per
 * cable from the higher level to the lower with the port numbers at its ends. */
#include "base/escape.h"
#include "net/io/net_formats.h"
#include "base/out.h"

#include <string.h>

/* Graphviz reads HTML entities inside ordinary labels. */
static bool begins_entity(const char *s)
{
    size_t n = strspn(s + 1, "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    return n > 0 && s[1 + n] == ';';
}

static void dot_put_text(struct hd_out *o, const char *s)
{
    hd_put(o, "\"", 1);
    while (*s) {
        size_t n = hd_utf8(s);
        bool control;
        hd_character(s, n, &control);
        if (n == 0)
            hd_puts(o, "\xef\xbf\xbd");
        else if (*s == '"' || *s == '\\')
            hd_put(o, (char[]){'\\', *s}, 2);
        else if (*s == '\n')
            hd_puts(o, "\\n");
        else if (*s == '&' && begins_entity(s))
            hd_puts(o, "&amp;");
        else if (control)
            hd_puts(o, "?");
        else
            hd_put(o, s, n);
        s += n ? n : 1;
    }
    hd_put(o, "\"", 1);
}

static void dot_put_id(struct hd_out *o, const struct hd_net *net, uint32_t v)
{
    hd_puts(o, v < net->nsw ? "s" : "e");
    hd_putu(o, v < net->nsw ? v : v - net->nsw);
}

static void dot_put_node(struct hd_out *o, const struct hd_net *net, uint32_t v)
{
    hd_puts(o, "    ");
    dot_put_id(o, net, v);
    hd_puts(o, " [label=");
    dot_put_text(o, hd_node_name(net, v));
    hd_printf(o, ", kind=%s", hd_node_kind(net, v));
    if (net->level[v] != HD_NO_LEVEL) hd_printf(o, ", level=%u", net->level[v]);
    hd_puts(o, ", guid=\"0x");
    hd_putx(o, net->guid[v], 16);
    hd_puts(o, "\"");
    if (net->lid[v]) hd_printf(o, ", lid=%u", net->lid[v]);
    hd_printf(o, ", ports=%u", hd_node_ports(net, v));
    if (v >= net->nsw) {
        uint32_t e = v - net->nsw;
        hd_printf(o, ", rail=%u, host=", net->rail[e]);
        dot_put_text(o, hd_host_name(net, net->host[e]));
        hd_puts(o, ", shape=ellipse");
    }
    hd_puts(o, "];\n");
}

/* Nodes by level, highest first; a switch without a level is ranked by Graphviz itself. */
static void dot_put_levels(struct hd_out *o, const struct hd_net *net)
{
    uint32_t count[256] = {0};
    for (uint32_t v = 0; v < net->nsw; v++) count[net->level[v]]++;
    for (uint32_t l = HD_NO_LEVEL; l > 0; l--) {
        if (!count[l]) continue;
        if (l == HD_NO_LEVEL)
            hd_puts(o, "  subgraph level_unknown {\n");
        else
            hd_printf(o, "  subgraph level_%u {\n    rank=same;\n", l);
        for (uint32_t v = 0; v < net->nsw; v++)
            if (net->level[v] == l) dot_put_node(o, net, v);
        hd_puts(o, "  }\n");
    }
    if (!net->nep) return;
    hd_printf(o, "  subgraph level_0 {\n%s", count[HD_NO_LEVEL] ? "" : "    rank=same;\n");
    for (uint32_t v = net->nsw; v < net->nsw + net->nep; v++) dot_put_node(o, net, v);
    hd_puts(o, "  }\n");
}

static void put_cable(struct hd_out *o, const struct hd_net *net, uint32_t c)
{
    hd_puts(o, "  ");
    dot_put_id(o, net, net->tail[c]);
    hd_puts(o, " -- ");
    dot_put_id(o, net, net->head[c]);
    hd_printf(o, " [taillabel=%u, headlabel=%u", net->port[c], net->port[net->rev[c]]);
    if (net->link[c]) hd_printf(o, ", rate=\"%s\"", hd_link_name(net->link[c]));
    hd_puts(o, "];\n");
}

hd_status hd_write_dot(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    (void)ctx;
    hd_puts(o, "graph ");
    dot_put_text(o, net->spec);
    hd_puts(o, " {\n"
               "  graph [ranksep=1.5, nodesep=0.15, outputorder=edgesfirst];\n"
               "  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=10];\n"
               "  edge [fontname=\"sans-serif\", fontsize=7, color=gray40];\n");
    dot_put_levels(o, net);
    for (uint32_t c = 0; c < net->nchan; c++) {
        uint32_t r = net->rev[c];
        if (r < c) continue;
        put_cable(o, net, net->level[net->tail[c]] < net->level[net->head[c]] ? r : c);
    }
    hd_puts(o, "}\n");
    return HD_OK;
}
