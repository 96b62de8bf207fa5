/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests as OpenSM would send them, made from networks, and a worker that answers them. */
#ifndef LIVE_TOOLS_H
#define LIVE_TOOLS_H

#include "live/fabric_net.h"
#include "live/live.h"
#include "tiny.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *at;
    size_t n;
};

/* The request that OpenSM's memory of this network would give, switches in reverse order, with tables (or holes). */
static inline struct bytes request_up_to(uint32_t last_lid, const struct hd_net *net, const char *options,
                                         const uint8_t *tables)
{
    struct hd_fabric_head h = {.magic = HD_FABRIC_MAGIC,
                               .nodes = net->nsw + net->nca,
                               .switches = net->nsw,
                               .ports = net->nchan,
                               .last_lid = last_lid,
                               .text = (uint32_t)strlen(options) + 2,
                               .vls = 8,
                               .settled = 1};
    h.bytes = hd_fabric_bytes(&h);
    struct bytes b = {calloc(1, h.bytes), h.bytes};
    assert_non_null(b.at);
    memcpy(b.at, &h, sizeof h);
    struct hd_fabric_node *node = (void *)(b.at + sizeof h);
    struct hd_fabric_port *port = (void *)(node + h.nodes);
    uint8_t *table = (void *)(port + h.ports);
    const size_t room = (size_t)h.switches * (h.last_lid + 1);
    if (tables)
        memcpy(table, tables, room);
    else
        memset(table, HD_FABRIC_NO_PORT, room);
    memcpy(table + room, options, strlen(options));
#define NUMBER(v) ((v) < net->nsw ? net->nsw - 1 - (v) : net->nsw + net->ca[(v)-net->nsw])
    for (uint32_t v = 0; v < net->nsw; v++)
        node[NUMBER(v)] = (struct hd_fabric_node){
            .guid = net->guid[v], .name = h.text - 1, .lid = net->lid[v], .type = 2, .nports = net->nports[v]};
    for (uint32_t c = 0; c < net->nca; c++)
        node[net->nsw + c] =
            (struct hd_fabric_node){.guid = net->ca_guid[c], .name = h.text - 1, .type = 1, .nports = net->ca_ports[c]};
    for (uint32_t c = 0; c < net->nchan; c++) {
        const uint32_t u = net->tail[c], v = net->head[c];
        port[c] = (struct hd_fabric_port){.guid = u < net->nsw ? 0 : net->guid[u],
                                          .node = NUMBER(u),
                                          .remote = NUMBER(v),
                                          .lid = u < net->nsw ? 0 : net->lid[u],
                                          .lmc = u < net->nsw ? 0 : net->lmc_of[u - net->nsw],
                                          .port = net->port[c],
                                          .rport = net->port[net->rev[c]],
                                          .width = 2,
                                          .speed = 4};
    }
#undef NUMBER
    return b;
}

static inline struct bytes request_of(const struct hd_net *net, const char *options, const uint8_t *tables)
{
    uint32_t last = 0;
    for (uint32_t v = 0; v < net->nsw + net->nep; v++) {
        const uint32_t own = v < net->nsw ? net->lid[v] : net->lid[v] + (1u << net->lmc_of[v - net->nsw]) - 1;
        last = own > last ? own : last;
    }
    return request_up_to(last, net, options, tables);
}

static inline void *test_room(void *user, size_t n)
{
    struct bytes *b = user;
    free(b->at);
    *b = (struct bytes){calloc(1, n), n};
    return b->at;
}

static inline struct hd_reply_parts answer(struct hd_live *live, const struct bytes *request, struct bytes *reply)
{
    const struct hd_live_port port = {.room = test_room, .user = reply};
    struct hd_reply_parts p = {0};
    assert_int_equal(HD_OK, hd_live_answer(live, request->at, request->n, &port));
    assert_true(hd_reply_parts(reply->at, reply->n, &p));
    return p;
}

static inline struct hd_net *with_lmc(struct hd_ctx *ctx, const char *spec, const char *fail, uint8_t lmc)
{
    struct hd_net *net;
    const struct hd_open open = {.fail = fail, .set_lmc = true, .lmc = lmc};
    assert_int_equal(HD_OK, hd_net_open(ctx, spec, &open, &net));
    return net;
}

static inline struct hd_net *with_lids(struct hd_ctx *ctx, const char *spec, const char *fail)
{
    return with_lmc(ctx, spec, fail, 0);
}

struct subnet { /* a worker, and the last reply */
    struct hd_live live;
    struct bytes reply;
    uint32_t engines; /* that were asked for the last request */
};

static inline void *subnet_room(void *user, size_t n)
{
    struct subnet *s = user;
    return test_room(&s->reply, n);
}

/* The text of the reply to a request whose switches hold the tables of another one. */
static inline const char *next_text(struct subnet *s, struct bytes request, struct hd_reply_parts *p)
{
    *p = answer(&s->live, &request, &s->reply);
    free(request.at);
    return p->text;
}

static inline struct subnet subnet_up(const struct hd_net *net, const char *options, struct hd_reply_parts *p)
{
    struct subnet s = {.live = {.ctx = hd_ctx_new(), .ebb = -1}};
    next_text(&s, request_of(net, options, NULL), p);
    return s;
}

static inline void subnet_down(struct subnet *s)
{
    free(s->reply.at);
    hd_live_release(&s->live);
    hd_ctx_free(s->live.ctx);
}

#endif
