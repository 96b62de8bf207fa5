/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders for training jobs as people and programs read them: milliseconds of a step, kind by kind, of the order found,
 * of those it is compared with, and of the bound. */
#include "order_mesh.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

static bool same_slots(const struct hd_nodes *nodes)
{
    for (uint32_t i = 1; i < nodes->n; i++)
        if (nodes->slots[i] != nodes->slots[0]) return false;
    return true;
}

hd_status fill_mesh_nodes(struct cli *cli, struct hd_nodes *nodes)
{
    if (!same_slots(nodes))
        return hd_fail(cli->ctx, HD_INPUT, "--mesh: the nodes of the list have different numbers of ranks");
    if (cli->v.per_node.given || (nodes->n && nodes->slots[0] > 1)) return HD_OK;
    return hd_nodes_fill(cli->ctx, nodes, nodes->nrail);
}

hd_status order_mesh(struct cli *cli, const struct hd_routes *routes, const struct hd_nodes *nodes,
                     const struct hd_order *before, struct hd_order *after, struct hd_mesh_plan **plan)
{
    hd_status s = hd_mesh_order(cli->ctx, routes, nodes, cli->v.mesh, cli->v.bytes, nodes->n ? nodes->slots[0] : 1,
                                before->rank, plan);
    if (s != HD_OK) return s;
    memcpy(after->rank, (*plan)->rank, nodes->n * sizeof *after->rank);
    snprintf(after->how, sizeof after->how, "mesh");
    return HD_OK;
}

double mesh_gain(const struct hd_mesh_plan *plan)
{
    return plan->row[0].step > 0 ? plan->row[1].step / plan->row[0].step : 1;
}

static void json_mesh_row(struct hd_json *j, const char *key, const struct hd_mesh_row *row)
{
    hd_json_open(j, key, '{');
    hd_json_fields(j, hd_text("order", row->name), hd_real("step_ms", row->step * 1000));
    for (int k = 0; k < HD_MESH_KINDS; k++) {
        char name[16];
        snprintf(name, sizeof name, "%s_ms", hd_mesh_kind_name((enum hd_mesh_kind)k));
        hd_json_fields(j, hd_real(name, row->kind[k] * 1000));
    }
    hd_json_close(j, '}');
}

void json_mesh(const struct hd_mesh_plan *plan, struct hd_json *j)
{
    hd_json_open(j, "mesh", '{');
    hd_json_fields(j, hd_text("mesh", plan->mesh), hd_uint("per_node", plan->per_node), hd_real("gbps", plan->gbps),
                   hd_uint("flows", plan->flows));
    hd_json_open(j, "rows", '[');
    for (uint32_t i = 0; i < plan->nrow; i++) json_mesh_row(j, NULL, &plan->row[i]);
    hd_json_close(j, ']');
    json_mesh_row(j, "bound", &plan->bound);
    hd_json_close(j, '}');
}

static void mesh_cells(struct table *t, const struct hd_mesh_plan *plan, const struct hd_mesh_row *row)
{
    table_cell(t, "%s", row->name);
    table_cell(t, "%.3f", row->step * 1000);
    for (int k = 0; k < HD_MESH_KINDS; k++) table_cell(t, "%.3f", row->kind[k] * 1000);
    if (plan->row[0].step > 0)
        table_cell(t, "%.3f", row->step / plan->row[0].step);
    else
        table_cell(t, "-");
}

hd_status print_mesh(struct cli *cli, const struct hd_mesh_plan *plan)
{
    struct table t;
    double gbps = plan->gbps > 0 ? plan->gbps : 100;
    hd_printf(cli->out, "\none step of %s, %u rank%s per node: milliseconds on the busiest channel at %g Gbit/s%s\n",
              plan->mesh, plan->per_node, plan->per_node == 1 ? "" : "s", gbps,
              plan->gbps > 0 ? "" : " (rate unknown)");
    hd_status s = table_init(cli->ctx, &t, "order|>step|>tp|>cp|>pp|>ep|>dp|>ratio");
    if (s != HD_OK) return s;
    for (uint32_t i = 0; i < plan->nrow; i++) mesh_cells(&t, plan, &plan->row[i]);
    mesh_cells(&t, plan, &plan->bound);
    table_print(&t, cli->out);
    if (!plan->flows) hd_printf(cli->out, "no group spans two nodes: any order will do\n");
    return HD_OK;
}
