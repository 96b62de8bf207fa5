/* SPDX-License-Identifier: BSD-2-Clause */
/* From a request to a network, through the same draft that files go through, so that the subnet manager's fabric and
 * ibnetdiscover's output of it give the same network and, by any engine, the same tables. Cables from adapter to
 * adapter and from a switch to itself carry no routed traffic and are left out. Cost: linear, and sorting GUIDs. */
#include "live/fabric_net.h"
#include "base/status.h"
#include "net/infer/infer.h"
#include "net/io/fmt_ibnet.h"

#include <stdio.h>
#include <string.h>

static const char request_name[] = "fabric of the subnet manager";

/* What a port's width and speed mean, asked again only where they are not those of the port before. */
struct fabric_rate {
    uint8_t width, speed, speed_ext, link; /* link 0: not known */
};

/* Width and speed in use, as port info has them. */
static uint8_t fabric_link(struct hd_draft *d, const struct hd_fabric_port *p, uint32_t line, struct fabric_rate *rate)
{
    if (rate->link && rate->width == p->width && rate->speed == p->speed && rate->speed_ext == p->speed_ext)
        return rate->link;
    static const char *const widths[] = {"1x", "4x", "8x", "12x", "2x"}, *const plain[] = {"SDR", "DDR", "QDR"},
                             *const extended[] = {"FDR", "EDR", "HDR", "NDR"};
    char word[16];
    int w = 0, s = 0;
    const int speeds = p->speed_ext ? 4 : 3;
    const uint32_t speed = p->speed_ext ? p->speed_ext : p->speed;
    while (w < 5 && p->width != 1u << w) w++;
    while (s < speeds && speed != 1u << s) s++;
    int n = w < 5 && s < speeds ? snprintf(word, sizeof word, "%s%s", widths[w], p->speed_ext ? extended[s] : plain[s])
                                : snprintf(word, sizeof word, "%u,%u", p->width, speed);
    *rate = (struct fabric_rate){p->width, p->speed, p->speed_ext, hd_draft_link(d, word, (size_t)n, line)};
    return rate->link;
}

static hd_status fabric_add_node(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_fabric_parts *p, uint32_t i)
{
    const struct hd_fabric_node *from = &p->node[i];
    char id[32];
    uint32_t v;
    if (!from->guid || from->type < 1 || from->type > 3 || (from->type == 2) != (i < p->head->switches) ||
        from->nports < 1 || from->nports > HD_MAX_PORTS || from->name >= p->head->text || from->lid > HD_MAX_LID ||
        from->lmc > 7)
        return hd_fail(ctx, HD_INPUT, "%s: node %u is not one", request_name, i);
    int n = snprintf(id, sizeof id, "%c-%016llx", "HSR"[from->type - 1], (unsigned long long)from -> guid);
    HD_TRY(hd_draft_find(ctx, d, id, (size_t)n, &v));
    struct hd_draft_node *to = hd_draft_node(d, v);
    if (v != i || to->line)
        return hd_fail(ctx, HD_INPUT, "%s: GUID 0x%016llx occurs twice", request_name, (unsigned long long)from->guid);
    const char *name = p->text + from->name;
    if (*name) HD_TRY(hd_draft_name(ctx, d, name, strlen(name), &to->name));
    to->line = i + 1;
    to->guid = from->guid;
    to->system = from->system;
    to->nports = from->nports;
    to->is_switch = from->type == 2;
    to->role = (uint8_t)(from->type == 3 ? HD_ROLE_ROUTER : hd_ibnet_role(to->name ? to->name : to->id));
    if (to->is_switch) to->lid = from->lid;
    return HD_OK;
}

static hd_status fabric_add_port(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_fabric_parts *p, uint32_t i,
                                 struct fabric_rate *rate)
{
    const struct hd_fabric_port *from = &p->port[i];
    const uint32_t nodes = p->head->nodes, switches = p->head->switches;
    if (!from->port) return HD_OK;
    if (from->node >= nodes || from->remote >= nodes || from->port > p->node[from->node].nports || from->rport < 1 ||
        from->rport > p->node[from->remote].nports || from->lid > HD_MAX_LID || from->lmc > 7)
        return hd_fail(ctx, HD_INPUT, "%s: port record %u is not one", request_name, i);
    if (from->node == from->remote || (from->node >= switches && from->remote >= switches)) return HD_OK;
    const struct hd_draft_port port = {.node = from->node,
                                       .remote = from->remote,
                                       .line = i + 1,
                                       .port = from->port,
                                       .rport = from->rport,
                                       .link = fabric_link(d, from, i + 1, rate)};
    const struct hd_draft_end end = {.guid = from->guid, .line = i + 1, .lid = from->lid, .lmc = from->lmc};
    return hd_draft_add(ctx, d, &port, from->node < switches ? NULL : &end);
}

static hd_status fabric_draft(struct hd_ctx *ctx, struct hd_draft *d, const struct hd_fabric_parts *p)
{
    struct fabric_rate rate = {0};
    for (uint32_t i = 0; i < p->head->nodes; i++) HD_TRY(fabric_add_node(ctx, d, p, i));
    for (uint32_t i = 0; i < p->head->ports; i++) HD_TRY(fabric_add_port(ctx, d, p, i, &rate));
    return HD_OK;
}

hd_status hd_fabric_net(struct hd_ctx *ctx, const struct hd_fabric_parts *p, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_name_map map = {0};
    struct hd_builder *b = NULL;
    struct hd_draft draft;
    struct hd_net *made = NULL;
    hd_status s = hd_draft_init(ctx, &draft, &scratch, request_name);
    if (s == HD_OK) s = fabric_draft(ctx, &draft, p);
    if (s == HD_OK) s = hd_builder_make(ctx, &b);
    if (s == HD_OK) s = hd_draft_build(ctx, &draft, &map, b);
    hd_arena_release(&scratch);
    if (s != HD_OK) {
        hd_builder_free(b);
        return s;
    }
    HD_TRY(hd_builder_finish(ctx, b, request_name, &made));
    s = hd_infer_unpublished(ctx, made);
    if (s == HD_OK)
        *net = made;
    else
        hd_net_free(made);
    return s;
}
