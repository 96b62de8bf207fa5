/* SPDX-License-Identifier: BSD-2-Clause */
/* GraphML: node n<i>, edge c<i> by its lower channel number; values that are not known are left out.
 * Edges carry ids, which is how readers keep parallel cables apart. */
#include "base/escape.h"
#include "net/io/net_formats.h"
#include "base/out.h"

static const struct {
    const char *name, *where, *type;
} keys[] = {
    {"spec", "graph", "string"}, {"kind", "node", "string"},      {"name", "node", "string"},
    {"level", "node", "int"},    {"guid", "node", "string"},      {"lid", "node", "int"},
    {"ports", "node", "int"},    {"coord", "node", "string"},     {"host", "node", "string"},
    {"rail", "node", "int"},     {"selected", "node", "boolean"}, {"rate", "edge", "string"},
    {"mbps", "edge", "int"},     {"source_port", "edge", "int"},  {"target_port", "edge", "int"},
};

static void graphml_put_text(struct hd_out *o, const char *key, const char *text)
{
    hd_printf(o, "<data key=\"%s\">", key);
    hd_put_xml(o, text);
    hd_puts(o, "</data>");
}

static void graphml_put_number(struct hd_out *o, const char *key, uint32_t value)
{
    hd_printf(o, "<data key=\"%s\">%u</data>", key, value);
}

static void graphml_put_node(struct hd_out *o, const struct hd_net *net, uint32_t v)
{
    hd_printf(o, "    <node id=\"n%u\">", v);
    graphml_put_text(o, "kind", hd_node_kind(net, v));
    graphml_put_text(o, "name", hd_node_name(net, v));
    if (net->level[v] != HD_NO_LEVEL) graphml_put_number(o, "level", net->level[v]);
    hd_puts(o, "<data key=\"guid\">0x");
    hd_putx(o, net->guid[v], 16);
    hd_puts(o, "</data>");
    if (net->lid[v]) graphml_put_number(o, "lid", net->lid[v]);
    graphml_put_number(o, "ports", hd_node_ports(net, v));
    for (uint32_t i = 0; i < net->shape.n && (v >= net->nsw || !net->unplaced[v]); i++)
        hd_printf(o, "%s%u%s", i ? " " : "<data key=\"coord\">", hd_coord(net, v)[i],
                  i + 1 < net->shape.n ? "" : "</data>");
}

hd_status hd_write_graphml(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    (void)ctx;
    hd_puts(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\""
               " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
               " xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
               " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        hd_printf(o, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i].name, keys[i].where,
                  keys[i].name, keys[i].type);
    hd_puts(o, "  <graph id=\"fabric\" edgedefault=\"undirected\">\n    ");
    graphml_put_text(o, "spec", net->spec);
    hd_puts(o, "\n");
    for (uint32_t v = 0, next = 0; v < net->nsw + net->nep; v++) {
        graphml_put_node(o, net, v);
        if (v >= net->nsw) {
            uint32_t e = v - net->nsw;
            bool selected = next < net->nsel && net->sel[next] == e;
            next += selected;
            graphml_put_text(o, "host", hd_host_name(net, net->host[e]));
            graphml_put_number(o, "rail", net->rail[e]);
            graphml_put_text(o, "selected", selected ? "true" : "false");
        }
        hd_puts(o, "</node>\n");
    }
    for (uint32_t c = 0; c < net->nchan; c++) {
        if (net->rev[c] < c) continue;
        hd_printf(o, "    <edge id=\"c%u\" source=\"n%u\" target=\"n%u\">", c, net->tail[c], net->head[c]);
        graphml_put_number(o, "source_port", net->port[c]);
        graphml_put_number(o, "target_port", net->port[net->rev[c]]);
        if (net->link[c]) {
            graphml_put_text(o, "rate", hd_link_name(net->link[c]));
            graphml_put_number(o, "mbps", hd_link_mbps(net->link[c]));
        }
        hd_puts(o, "</edge>\n");
    }
    hd_puts(o, "  </graph>\n</graphml>\n");
    return HD_OK;
}
