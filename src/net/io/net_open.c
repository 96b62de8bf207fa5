/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks by name: a spec is generated, anything else is read as a file and its structure inferred. LIDs, failures,
 * selections and repairs, in this order, are planned as changes and applied in one rebuild; only repairs of a network
 * of which something was removed need a second one, because they depend on the cables that are left. */
#include "base/rows.h"
#include "base/sized.h"
#include "base/spec.h"
#include "base/status.h"
#include "net/infer/infer.h"
#include "net/io/file_kind.h"
#include "net/io/fmt_guid2lid.h"
#include "net/topo/topology.h"

#include <string.h>
#include <sys/stat.h>

static hd_status generate_net(struct hd_ctx *ctx, const struct hd_topology *t, const char *text, struct hd_net **net)
{
    struct hd_arena scratch = {0};
    struct hd_builder *b = NULL;
    char spec[HD_MAX_SPEC];
    void *opt;
    hd_status s = hd_spec_parse(ctx, &scratch, &t->desc, text, &opt, spec);
    if (s == HD_OK) s = hd_builder_make(ctx, &b);
    if (s == HD_OK) s = t->make(ctx, t, opt, b);
    if (s == HD_OK)
        s = hd_builder_finish(ctx, b, spec, net);
    else
        hd_builder_free(b);
    hd_arena_release(&scratch);
    return s;
}

static hd_status generate_or_read_net(struct hd_ctx *ctx, const char *text, const struct hd_read *read,
                                      struct hd_net **net)
{
    const struct hd_desc *d = hd_spec_find(ctx, HD_TOPOLOGIES, text);
    /* desc is the first member of struct hd_topology */
    if (d && (read->name_map || read->rails))
        return hd_fail_about(ctx, HD_USAGE, "name_map rails",
                             "name_map and rails are for network files, %.200s is generated", text);
    if (d) return generate_net(ctx, (const struct hd_topology *)d, text, net);
    struct stat st;
    if (strcmp(text, "-") != 0 && stat(text, &st) != 0) return hd_spec_unknown(ctx, HD_TOPOLOGIES, text);
    struct hd_net *new_net;
    hd_status s = hd_net_read(ctx, text, read, &new_net);
    HD_TRY(hd_file_mistaken(ctx, text, s, hd_file_is_table, "a forwarding table, expected a network"));
    s = hd_infer_unpublished(ctx, new_net);
    if (s == HD_OK)
        *net = new_net;
    else
        hd_net_free(new_net);
    return s;
}

static hd_status plan_lids(struct hd_net_edit *edit, const struct hd_open *opt)
{
    if (!opt->set_lmc && !opt->guid2lid) return HD_OK;
    if (opt->set_lmc && opt->guid2lid)
        return hd_fail_about(edit->ctx, HD_USAGE, "lmc guid2lid",
                             "lmc and guid2lid exclude each other: the file gives the LMC");
    return hd_edit_lids(edit, opt->guid2lid, opt->set_lmc ? opt->lmc : 0);
}

/* Replaces *net by the network with the changes planned so far. One without a structure is looked at again: the cable
 * that spoiled it may be among those removed. */
static hd_status apply_changes(struct hd_net_edit *edit, struct hd_net **net)
{
    struct hd_net *changed;
    bool removed = edit->changes.remaining.sw;
    HD_TRY(hd_net_with(edit->ctx, *net, &edit->changes, &changed));
    hd_net_free(*net);
    edit->net = *net = changed;
    edit->changes = (struct hd_net_changes){0};
    return removed && *changed->departs ? hd_infer_unpublished(edit->ctx, changed) : HD_OK;
}

static hd_status change_net(struct hd_net_edit *edit, const struct hd_open *opt, struct hd_net **net)
{
    const struct hd_choice c = {opt->part, opt->rail, opt->endpoints};
    HD_TRY(plan_lids(edit, opt));
    if (opt->fail) HD_TRY(hd_edit_fail(edit, opt->fail));
    HD_TRY(hd_edit_choose(edit, &c));
    if (opt->repair) {
        if (edit->changes.remaining.sw) HD_TRY(apply_changes(edit, net));
        HD_TRY(hd_edit_repair(edit));
    }
    bool changed = opt->set_lmc || opt->guid2lid || opt->fail || c.part || c.rail || c.endpoints || opt->repair;
    return changed ? apply_changes(edit, net) : HD_OK;
}

hd_status hd_net_open_sized(struct hd_ctx *ctx, const char *text, const struct hd_open *given, size_t size,
                            struct hd_net **out)
{
    struct hd_open opt;
    HD_TRY(HD_SIZED_IN(ctx, hd_open, given, size, &opt));
    HD_TRY(hd_given(ctx, text, "a topology or a file"));
    struct hd_net *net;
    struct hd_arena scratch = {0};
    HD_TRY(generate_or_read_net(ctx, text, &(struct hd_read){opt.name_map, opt.rails}, &net));
    struct hd_net_edit edit = {.ctx = ctx, .arena = &scratch, .net = net};
    hd_status s = change_net(&edit, &opt, &net);
    hd_arena_release(&scratch);
    if (s == HD_OK)
        *out = net;
    else
        hd_net_free(net);
    return s;
}
