/* SPDX-License-Identifier: BSD-2-Clause */
/* Node-link JSON as networkx and d3 read it: a multigraph whose node ids are the positions in "nodes";
 * "key" numbers the cables of a pair. GUIDs are strings, since JSON readers round 64-bit numbers. */
#include "base/arena.h"
#include "base/status.h"
#include "net/io/net_formats.h"
#include "tool/json.h"

#include <stdio.h>

enum { GUID_TEXT = 24 };

static const char *guid_text(char text[GUID_TEXT], uint64_t guid)
{
    snprintf(text, GUID_TEXT, "0x%016llx", (unsigned long long)guid);
    return text;
}

static void json_put_list(struct hd_json *j, const char *key, const uint32_t *v, uint32_t n)
{
    hd_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++) hd_json_fields(j, hd_uint(NULL, v[i]));
    hd_json_close(j, ']');
}

static void put_shape(struct hd_json *j, const struct hd_shape *s)
{
    if (s->kind == HD_SHAPE_NONE) {
        hd_json_fields(j, hd_text("shape", NULL));
        return;
    }
    hd_json_open(j, "shape", '{');
    hd_json_fields(j, hd_text("kind", s->kind == HD_SHAPE_TREE ? "tree" : "grid"));
    json_put_list(j, s->kind == HD_SHAPE_TREE ? "m" : "extent", s->m, s->n);
    if (s->kind == HD_SHAPE_TREE) {
        json_put_list(j, "w", s->w, s->n);
    } else {
        static const char *const wrap[] = {"line", "ring", "clique"};
        hd_json_open(j, "wrap", '[');
        for (uint32_t i = 0; i < s->n; i++) hd_json_fields(j, hd_text(NULL, wrap[s->w[i]]));
        hd_json_close(j, ']');
    }
    json_put_list(j, "p", s->p, s->n);
    hd_json_fields(j, hd_uint("missing", s->missing));
    hd_json_close(j, '}');
}

static void put_graph(struct hd_json *j, const struct hd_net *net)
{
    hd_json_open(j, "graph", '{');
    hd_json_fields(j, hd_text("spec", net->spec), hd_uint("switches", net->nsw), hd_uint("endpoints", net->nep),
                   hd_uint("selected", net->nsel), hd_uint("cables", net->nchan / 2), hd_uint("adapters", net->nca),
                   hd_uint("hosts", net->nhost), hd_uint("rails", net->nrail), hd_uint("lmc", net->lmc));
    put_shape(j, &net->shape);
    hd_json_close(j, '}');
}

static void put_endpoint(struct hd_json *j, const struct hd_net *net, uint32_t e, bool selected)
{
    char guid[GUID_TEXT];
    uint32_t a = net->ca[e];
    hd_json_fields(j, hd_uint("port", net->port[net->off[net->nsw + e]]), hd_uint("adapter", a),
                   hd_text("adapter_guid", guid_text(guid, net->ca_guid[a])),
                   hd_text("host", hd_host_name(net, net->host[e])), hd_uint("rail", net->rail[e]),
                   hd_bool("selected", selected));
}

static void put_nodes(struct hd_json *j, const struct hd_net *net)
{
    char guid[GUID_TEXT], system[GUID_TEXT];
    hd_json_open(j, "nodes", '[');
    for (uint32_t v = 0, next = 0; v < net->nsw + net->nep; v++) {
        hd_json_open(j, NULL, '{');
        uint64_t system_guid = net->system[v < net->nsw ? v : net->nsw + net->ca[v - net->nsw]];
        hd_json_fields(
            j, hd_uint("id", v), hd_text("kind", hd_node_kind(net, v)), hd_text("name", hd_node_name(net, v)),
            hd_uint_if("level", net->level[v], net->level[v] != HD_NO_LEVEL),
            hd_text("guid", guid_text(guid, net->guid[v])), hd_text("system", guid_text(system, system_guid)),
            hd_uint_if("lid", net->lid[v], net->lid[v]), hd_uint("ports", hd_node_ports(net, v)));
        if (net->shape.n && (v >= net->nsw || !net->unplaced[v])) {
            hd_json_open(j, "coord", '[');
            for (uint32_t i = 0; i < net->shape.n; i++) hd_json_fields(j, hd_uint(NULL, hd_coord(net, v)[i]));
            hd_json_close(j, ']');
        }
        if (v >= net->nsw) {
            bool selected = next < net->nsel && net->sel[next] == v - net->nsw;
            next += selected;
            put_endpoint(j, net, v - net->nsw, selected);
        }
        hd_json_close(j, '}');
    }
    hd_json_close(j, ']');
}

/* seen[v] counts the cables from the current node to v and is kept zero between nodes. */
static void put_links(struct hd_json *j, const struct hd_net *net, uint8_t *seen)
{
    hd_json_open(j, "links", '[');
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) {
            if (net->head[c] < v) continue;
            hd_json_object(j, NULL, hd_uint("source", v), hd_uint("target", net->head[c]),
                           hd_uint("key", seen[net->head[c]]++), hd_uint("source_port", net->port[c]),
                           hd_uint("target_port", net->port[net->rev[c]]),
                           hd_text("rate", net->link[c] ? hd_link_name(net->link[c]) : NULL),
                           hd_uint_if("mbps", hd_link_mbps(net->link[c]), net->link[c]));
        }
        for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++) seen[net->head[c]] = 0;
    }
    hd_json_close(j, ']');
}

hd_status hd_write_json(struct hd_ctx *ctx, const struct hd_net *net, struct hd_out *o)
{
    struct hd_arena scratch = {0};
    struct hd_json j;
    uint8_t *seen = HD_NEW(&scratch, uint8_t, net->nsw + net->nep);
    if (!seen) return hd_fail_memory(ctx);
    hd_json_begin(&j, o);
    hd_json_fields(&j, hd_bool("directed", false), hd_bool("multigraph", true));
    put_graph(&j, net);
    put_nodes(&j, net);
    put_links(&j, net, seen);
    hd_json_close(&j, '}');
    hd_arena_release(&scratch);
    return HD_OK;
}
