/* SPDX-License-Identifier: BSD-2-Clause */
/* Four machines of Hoefler, Schneider and Lumsdaine's routing paper whose networks are fat trees: odin,
 * atlas, thunderbird and ranger (deimos is a chain of trees and has its own file). The paper gives the
 * number of endpoints and the kind of network, never the cabling: what is here is the tree of 24-port
 * crossbars that fits the description, and each text says what is known and what is assumed.
 *
 * Each is a PGFT in which some leaf switches are missing and some leaf ports are open. */
#include "base/status.h"
#include "net/topo/topology.h"
#include "net/topo/topo_tree.h"

#include <string.h>

struct system_opt {
    uint64_t endpoints;
    int fill;
};

enum systems_fill { EVEN, FIRST };

/* How many of total things fall to place i of n when they are dealt out evenly. */
static uint32_t share(uint32_t i, uint32_t total, uint32_t n)
{
    return (uint32_t)((i + 1) * (uint64_t)total / n - i * (uint64_t)total / n);
}

struct system_form { /* leaves of the shape's leaf switches exist and hold the endpoints; all other switches exist */
    uint32_t leaves;
    struct hd_shape shape;
};

static hd_status system_make(struct hd_ctx *ctx, const struct hd_topology *system, const void *opt,
                             struct hd_builder *b)
{
    enum { MAX_SLOTS = 576 };
    const struct system_form *form = system->form;
    const struct system_opt *o = opt;
    const struct hd_shape *t = &form->shape;
    uint8_t hosts[MAX_SLOTS];
    uint32_t slots = 1, left = (uint32_t)o->endpoints, built = 0;
    for (uint32_t i = 1; i < t->n; i++) slots *= t->m[i];
    memset(hosts, HD_NO_LEAF, sizeof hosts);
    for (uint32_t i = 0; i < slots; i++) {
        if (o->fill == EVEN ? !share(i, form->leaves, slots) : i >= form->leaves) continue;
        uint32_t most = left < t->m[0] ? left : t->m[0];
        hosts[i] = (uint8_t)(o->fill == EVEN ? share(built, (uint32_t)o->endpoints, form->leaves) : most);
        left -= hosts[i];
        built++;
    }
    return hd_tree_build(ctx, t, &(struct hd_tree_part){.leaves = slots, .hosts = hosts}, b);
}

#define CITE                                                                                                           \
    "Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand networks, section IV.B (size and "    \
    "kind of network; the cabling is assumed)"
/* clang-format off */
#define SYSTEM_PARAMS(value, most, fill_value) \
    (const struct hd_param[]){ \
        {"endpoints", HD_UINT, value, "endpoints present", offsetof(struct system_opt, endpoints), 1, most, \
         NULL, false}, \
        {"fill", HD_WORD, fill_value, "where open ports are: dealt out evenly, or behind the last endpoint", \
         offsetof(struct system_opt, fill), 0, 0, "even|first", false}, \
        {0}}
/* clang-format on */

const struct hd_topology hd_topo_odin = {
    .desc = {.name = "odin",
             .summary = "Odin, Indiana University: 128 endpoints on one 144-port switch",
             .text =
                 "Known: 128 endpoints on one 144-port switch, inside a fat tree with 12 leaf crossbars and full "
                 "bisection bandwidth. Assumed: 24-port crossbars, hence 6 spines and two cables between each leaf and "
                 "each spine, PGFT(2; 12,12; 1,6; 1,2); endpoints on the first 128 ports, so that the last leaf is "
                 "empty and the one before holds 8.",
             .cite = CITE,
             .params = SYSTEM_PARAMS("128", 144, "first"),
             .examples =
                 (const char *const[]){"odin", "odin:fill=even", "odin:endpoints=144", "odin:endpoints=1", NULL},
             .opt_size = sizeof(struct system_opt)},
    .make = system_make,
    .form = &(const struct system_form){12, {HD_SHAPE_TREE, 2, {12, 12}, {1, 6}, {1, 2}, 0, 0}}};

const struct hd_topology hd_topo_atlas = {
    .desc =
        {.name = "atlas",
         .summary = "Atlas, Lawrence Livermore: 1142 endpoints, full bisection",
         .text =
             "Known: 1142 endpoints, a fat tree with full bisection bandwidth. Assumed: 96 leaf crossbars of 24 "
             "ports with 12 endpoints each, and four 288-port switches (24 line and 12 spine crossbars each) above; "
             "three cables from every leaf to each of the four, side by side on one line crossbar: PGFT(3; 12,4,24; "
             "1,4,12; 1,3,1). The 10 open ports are dealt out evenly.",
         .cite = CITE,
         .params = SYSTEM_PARAMS("1142", 1152, "even"),
         .examples = (const char *const[]){"atlas", "atlas:fill=first", "atlas:endpoints=1152", NULL},
         .opt_size = sizeof(struct system_opt)},
    .make = system_make,
    .form = &(const struct system_form){96, {HD_SHAPE_TREE, 3, {12, 4, 24}, {1, 4, 12}, {1, 3, 1}, 0, 0}}};

const struct hd_topology hd_topo_thunderbird = {
    .desc =
        {.name = "thunderbird",
         .summary = "Thunderbird, Sandia: 4390 endpoints, half bisection",
         .text =
             "Known: 4390 endpoints (of 4480 nodes), a fat tree with half bisection bandwidth. Assumed: 280 leaf "
             "crossbars of 24 ports with 16 endpoints and 8 cables up, one to each of eight 288-port switches (24 "
             "line and 12 spine crossbars each), on the port of the leaf's number: PGFT(3; 16,12,24; 1,8,12; 1,1,1) "
             "with 280 of 288 leaves. The 90 open ports are dealt out evenly, and so are the 8 open places for a "
             "leaf.",
         .cite = CITE,
         .params = SYSTEM_PARAMS("4390", 4480, "even"),
         .examples = (const char *const[]){"thunderbird", "thunderbird:fill=first", NULL},
         .opt_size = sizeof(struct system_opt)},
    .make = system_make,
    .form = &(const struct system_form){280, {HD_SHAPE_TREE, 3, {16, 12, 24}, {1, 8, 12}, {1, 1, 1}, 0, 0}}};

const struct hd_topology hd_topo_ranger = {
    .desc = {.name = "ranger",
             .summary = "Ranger, Texas Advanced Computing Center: 4080 endpoints on two 3456-port switches",
             .text =
                 "Known: 4080 endpoints on two Sun Magnum switches of 3456 ports, each a fat tree of five stages with "
                 "full bisection bandwidth. Assumed: each switch is FT(24,3), 720 crossbars of 24 ports; 340 leaf "
                 "crossbars in the blade chassis (NEM) hold 12 endpoints each and have six cables to either switch, "
                 "side by side on one of its line crossbars: PGFT(4; 12,2,12,24; 1,2,12,12; 1,6,1,1) with 340 of 576 "
                 "leaves. They are dealt out evenly over the line crossbars, all of which are there.",
             .cite = CITE,
             .params = SYSTEM_PARAMS("4080", 4080, "even"),
             .examples = (const char *const[]){"ranger", "ranger:fill=first", "ranger:endpoints=4000", NULL},
             .opt_size = sizeof(struct system_opt)},
    .make = system_make,
    .form = &(const struct system_form){340, {HD_SHAPE_TREE, 4, {12, 2, 12, 24}, {1, 2, 12, 12}, {1, 6, 1, 1}, 0, 0}}};
