/* SPDX-License-Identifier: BSD-2-Clause */
/* Node-link JSON as networkx and d3 read it: a multigraph whose node ids are the positions in "nodes";
 * "key" numbers the cables of a pair. GUIDs are strings, since JSON readers round 64-bit numbers. */
#include "base/arena.h"
#include "base/status.h"
#include "net/io/net_formats.h"
#include "tool/json.h"

#include <stdio.h>

static void put_guid(struct hd_json *j, const char *key, uint64_t guid)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016llx", (unsigned long long)guid);
    hd_json_text(j, key, text);
}

static void put_known(struct hd_json *j, const char *key, uint64_t value, bool known)
{
    if (known)
        hd_json_uint(j, key, value);
    else
        hd_json_null(j, key);
}

static void json_put_list(struct hd_json *j, const char *key, const uint32_t *v, uint32_t n)
{
    hd_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++) hd_json_uint(j, NULL, v[i]);
    hd_json_close(j, ']');
}

static void put_shape(struct hd_json *j, const struct hd_shape *s)
{
    if (s->kind == HD_SHAPE_NONE) {
        hd_json_null(j, "shape");
        return;
    }
    hd_json_open(j, "shape", '{');
    hd_json_text(j, "kind", s->kind == HD_SHAPE_TREE ? "tree" : "grid");
    json_put_list(j, s->kind == HD_SHAPE_TREE ? "m" : "extent", s->m, s->n);
    if (s->kind == HD_SHAPE_TREE) {
        json_put_list(j, "w", s->w, s->n);
    } else {
        static const char *const wrap[] = {"line", "ring", "clique"};
        hd_json_open(j, "wrap", '[');
        for (uint32_t i = 0; i < s->n; i++) hd_json_text(j, NULL, wrap[s->w[i]]);
        hd_json_close(j, ']');
    }
    json_put_list(j, "p", s->p, s->n);
    hd_json_uint(j, "missing", s->missing);
    hd_json_close(j, '}');
}

static void put_graph(struct hd_json *j, const struct hd_net *net)
{
    hd_json_open(j, "graph", '{');
    hd_json_text(j, "spec", net->spec);
    hd_json_uint(j, "switches", net->nsw);
    hd_json_uint(j, "endpoints", net->nep);
    hd_json_uint(j, "selected", net->nsel);
    hd_json_uint(j, "cables", net->nchan / 2);
    hd_json_uint(j, "adapters", net->nca);
    hd_json_uint(j, "hosts", net->nhost);
    hd_json_uint(j, "rails", net->nrail);
    hd_json_uint(j, "lmc", net->lmc);
    put_shape(j, &net->shape);
    hd_json_close(j, '}');
}

static void put_endpoint(struct hd_json *j, const struct hd_net *net, uint32_t e, bool selected)
{
    uint32_t a = net->ca[e];
    hd_json_uint(j, "port", net->port[net->off[net->nsw + e]]);
    hd_json_uint(j, "adapter", a);
    put_guid(j, "adapter_guid", net->ca_guid[a]);
    hd_json_text(j, "host", hd_host_name(net, net->host[e]));
    hd_json_uint(j, "rail", net->rail[e]);
    hd_json_bool(j, "selected", selected);
}

static void put_nodes(struct hd_json *j, const struct hd_net *net)
{
    hd_json_open(j, "nodes", '[');
    for (uint32_t v = 0, next = 0; v < net->nsw + net->nep; v++) {
        hd_json_open(j, NULL, '{');
        hd_json_uint(j, "id", v);
        hd_json_text(j, "kind", hd_node_kind(net, v));
        hd_json_text(j, "name", hd_node_name(net, v));
        put_known(j, "level", net->level[v], net->level[v] != HD_NO_LEVEL);
        put_guid(j, "guid", net->guid[v]);
        put_guid(j, "system", net->system[v < net->nsw ? v : net->nsw + net->ca[v - net->nsw]]);
        put_known(j, "lid", net->lid[v], net->lid[v] != 0);
        hd_json_uint(j, "ports", hd_node_ports(net, v));
        if (net->shape.n) {
            hd_json_open(j, "coord", '[');
            for (uint32_t i = 0; i < net->shape.n; i++) hd_json_uint(j, NULL, hd_coord(net, v)[i]);
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
            hd_json_open(j, NULL, '{');
            hd_json_uint(j, "source", v);
            hd_json_uint(j, "target", net->head[c]);
            hd_json_uint(j, "key", seen[net->head[c]]++);
            hd_json_uint(j, "source_port", net->port[c]);
            hd_json_uint(j, "target_port", net->port[net->rev[c]]);
            hd_json_text(j, "rate", net->link[c] ? hd_link_name(net->link[c]) : NULL);
            put_known(j, "mbps", hd_link_mbps(net->link[c]), net->link[c] != 0);
            hd_json_close(j, '}');
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
    hd_json_init(&j, o);
    hd_json_open(&j, NULL, '{');
    hd_json_uint(&j, "schema", 1);
    hd_json_bool(&j, "directed", false);
    hd_json_bool(&j, "multigraph", true);
    put_graph(&j, net);
    put_nodes(&j, net);
    put_links(&j, net, seen);
    hd_json_close(&j, '}');
    hd_arena_release(&scratch);
    return HD_OK;
}
