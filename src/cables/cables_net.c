/* SPDX-License-Identifier: BSD-2-Clause */
/* The cables of a network by the names of their ends. An adapter's end is its host and the device its description
 * names, as plans have it; that of a switch its name and the port. Cables between two ASICs of one chassis are no
 * cables that anybody plugs, and aggregation nodes have none. Cost: linear in the cables. */
#include "base/status.h"
#include "cables/cable_list.h"
#include "net/core/node_name.h"

#include <stdio.h>
#include <string.h>

static hd_status switch_end(struct hd_cable_list *list, const struct hd_net *net, uint32_t c, struct hd_cables_end *end)
{
    uint32_t v = net->tail[c];
    char port[16], label[HD_CABLES_TEXT + 20];
    const char *name = hd_node_label(net, v);
    snprintf(port, sizeof port, "%u", net->port[c]);
    HD_TRY(hd_cables_end_make(list, name, port, end));
    snprintf(label, sizeof label, "%s port %s", name, port);
    end->label = hd_strdup(list->arena, label, strlen(label));
    end->node = hd_strdup(list->arena, hd_node_name(net, v), strlen(hd_node_name(net, v)));
    end->guid = net->guid[v];
    end->port = net->port[c];
    end->is_switch = true;
    return end->label && end->node ? HD_OK : hd_fail_memory(list->ctx);
}

static hd_status adapter_end(struct hd_cable_list *list, const struct hd_net *net, uint32_t c,
                             struct hd_cables_end *end)
{
    uint32_t v = net->tail[c], e = v - net->nsw;
    const char *name = hd_node_name(net, v);
    struct hd_name parts = hd_name_split(name);
    char host[HD_CABLES_TEXT], device[HD_CABLES_TEXT], shown[HD_CABLES_TEXT + 20];
    snprintf(host, sizeof host, "%.*s", (int)(parts.host.n < 199 ? parts.host.n : 199), parts.host.at);
    if (parts.device.n && net->port[c] > 1)
        snprintf(device, sizeof device, "%.*s/%u", (int)(parts.device.n < 180 ? parts.device.n : 180), parts.device.at,
                 net->port[c]);
    else if (parts.device.n)
        snprintf(device, sizeof device, "%.*s", (int)(parts.device.n < 199 ? parts.device.n : 199), parts.device.at);
    else
        snprintf(device, sizeof device, "%u", net->port[c]);
    HD_TRY(hd_cables_end_make(list, *host ? host : "-", device, end));
    if (net->ca_ports[net->ca[e]] > 1) /* else cables of its ports would look alike */
        snprintf(shown, sizeof shown, "%s port %u", hd_node_label(net, v), net->port[c]);
    else
        snprintf(shown, sizeof shown, "%s", hd_node_label(net, v));
    end->label = hd_strdup(list->arena, shown, strlen(shown));
    end->node = hd_strdup(list->arena, name, strlen(name));
    end->guid = net->guid[net->nsw + e];
    end->port = net->port[c];
    return end->label && end->node ? HD_OK : hd_fail_memory(list->ctx);
}

hd_status hd_cables_of_net(struct hd_cable_list *list, const struct hd_net *net, const char *file)
{
    for (uint32_t c = 0; c < net->nchan; c++) {
        struct hd_cables_end end[2];
        uint32_t at[2] = {c, net->rev[c]};
        bool aggregation = false;
        if (c > net->rev[c]) continue;
        for (int i = 0; i < 2; i++) {
            uint32_t v = net->tail[at[i]];
            if (v >= net->nsw && net->ca_role[net->ca[v - net->nsw]] == HD_ROLE_AGGREGATION) aggregation = true;
            HD_TRY(v < net->nsw ? switch_end(list, net, at[i], &end[i]) : adapter_end(list, net, at[i], &end[i]));
        }
        size_t n = strcspn(end[0].key, HD_CABLES_MARK) + 1;
        bool inside = end[0].is_switch && end[1].is_switch && strncmp(end[0].key, end[1].key, n) == 0;
        list->aggregation += aggregation;
        list->inside += inside && !aggregation;
        if (aggregation || inside) continue;
        HD_TRY(hd_cables_add(list, &end[0], &end[1], &(struct hd_cables_place){file, 0, net->link[c]}));
    }
    return HD_OK;
}
