/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric out of OpenSM's memory: counted, then copied into one piece of shared memory that is sealed before the
 * worker sees it. OpenSM holds its lock meanwhile. Only cables whose two ends name each other are copied; during
 * bring-up and after losses, others occur. Cost: one pass over nodes and ports, and a copy of the tables in use. */
#include "osm_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fabric_copy {
    const osm_subn_t *subn;
    struct hd_fabric_head head;
    osm_node_t **node; /* switches first */
    osm_switch_t **sw;
    struct hd_fabric_node *to_node;
    struct hd_fabric_port *to_port;
    uint8_t *table;
    char *text;
    const char *options;
};

/* Port info keeps what a port came with until OpenSM's own LID was acknowledged: 0xffff, or the LID of another port. */
uint32_t plugin_lid(const osm_subn_t *subn, const osm_physp_t *physp)
{
    const uint32_t lid = physp ? cl_ntoh16(osm_physp_get_base_lid(physp)) : 0;
    const uint32_t last = lid ? lid + (1u << osm_physp_get_lmc(physp)) - 1 : 0;
    if (!lid || last >= cl_ptr_vector_get_size(&subn->port_lid_tbl)) return 0;
    const osm_port_t *port = cl_ptr_vector_get(&subn->port_lid_tbl, lid);
    return port && port->p_physp == physp && cl_ptr_vector_get(&subn->port_lid_tbl, last) == port ? lid : 0;
}

/* The other end of a port's cable, NULL where there is none that can be used. */
static osm_physp_t *cable_end(osm_node_t *node, uint32_t port)
{
    osm_physp_t *here = osm_node_get_physp_ptr(node, port);
    if (!here || !here->p_remote_physp || !osm_link_is_healthy(here)) return NULL;
    osm_physp_t *there = here->p_remote_physp;
    if (!osm_physp_is_valid(there) || there->p_remote_physp != here || !there->p_node || there->p_node == node ||
        !there->port_num || !port)
        return NULL;
    return there;
}

/* A node with a GUID, a type and ports that fit; others would not be routed. */
static bool node_fits(const osm_node_t *n)
{
    const uint8_t type = osm_node_get_type(n);
    if (!n->node_info.node_guid || type < 1 || type > 3 || n->physp_tbl_size < 2 || n->physp_tbl_size > 255)
        return false;
    return type != IB_NODE_TYPE_SWITCH || (n->sw && n->sw->new_lft && n->sw->lft);
}

static void fabric_count(struct fabric_copy *c)
{
    c->head.text = (uint32_t)strlen(c->options) + 1;
    for (const cl_map_item_t *i = cl_qmap_head(&c->subn->node_guid_tbl); i != cl_qmap_end(&c->subn->node_guid_tbl);
         i = cl_qmap_next(i)) {
        osm_node_t *n = (osm_node_t *)i;
        if (!node_fits(n)) continue;
        c->head.nodes++;
        c->head.switches += osm_node_get_type(n) == IB_NODE_TYPE_SWITCH;
        c->head.text += (uint32_t)(n->print_desc ? strnlen(n->print_desc, 255) : 0) + 1;
        for (uint32_t p = 1; p < n->physp_tbl_size; p++) c->head.ports += cable_end(n, p) != NULL;
    }
    const size_t lids = cl_ptr_vector_get_size(&c->subn->port_lid_tbl);
    c->head.last_lid = lids ? (uint32_t)lids - 1 : 0;
    c->head.magic = HD_FABRIC_MAGIC;
    c->head.bytes = hd_fabric_bytes(&c->head);
}

/* Sorts nodes, switches first, and notes in which order: OpenSM has a private pointer for that in switches only, so
 * nodes are found by address. */
static int compare_nodes(const void *a, const void *b)
{
    const osm_node_t *x = *(osm_node_t *const *)a, *y = *(osm_node_t *const *)b;
    const int sx = osm_node_get_type(x) != IB_NODE_TYPE_SWITCH, sy = osm_node_get_type(y) != IB_NODE_TYPE_SWITCH;
    return sx != sy ? sx - sy : x < y ? -1 : x > y;
}

static bool fabric_list(struct fabric_copy *c)
{
    uint32_t n = 0;
    c->node = calloc(c->head.nodes + (size_t)1, sizeof(osm_node_t *));
    c->sw = calloc(c->head.switches + (size_t)1, sizeof(osm_switch_t *));
    if (!c->node || !c->sw) return false;
    for (const cl_map_item_t *i = cl_qmap_head(&c->subn->node_guid_tbl); i != cl_qmap_end(&c->subn->node_guid_tbl);
         i = cl_qmap_next(i))
        if (node_fits((const osm_node_t *)i)) c->node[n++] = (osm_node_t *)i;
    qsort(c->node, n, sizeof(osm_node_t *), compare_nodes);
    for (uint32_t i = 0; i < c->head.switches; i++) c->sw[i] = c->node[i]->sw;
    return true;
}

/* UINT32_MAX: it was left out. */
static uint32_t number_of(const struct fabric_copy *c, osm_node_t *n)
{
    osm_node_t *const *found = bsearch(&n, c->node, c->head.nodes, sizeof(osm_node_t *), compare_nodes);
    return found ? (uint32_t)(found - c->node) : UINT32_MAX;
}

static void copy_node(struct fabric_copy *c, uint32_t i, uint32_t *text)
{
    osm_node_t *n = c->node[i];
    struct hd_fabric_node *to = &c->to_node[i];
    const osm_physp_t *zero = n->sw ? osm_node_get_physp_ptr(n, 0) : NULL;
    const char *name = n->print_desc ? n->print_desc : "";
    const size_t length = strnlen(name, 255);
    to->guid = cl_ntoh64(n->node_info.node_guid);
    to->system = cl_ntoh64(n->node_info.sys_guid);
    to->type = osm_node_get_type(n);
    to->nports = (uint8_t)(n->physp_tbl_size - 1);
    to->lid = (uint16_t)plugin_lid(c->subn, zero);
    to->lmc = zero ? osm_physp_get_lmc(zero) : 0;
    to->name = *text;
    memcpy(c->text + *text, name, length);
    *text += (uint32_t)length + 1;
}

/* False: the other end was left out, and this record is not one. */
static bool copy_port(const struct fabric_copy *c, uint32_t i, uint32_t port, struct hd_fabric_port *to)
{
    osm_node_t *n = c->node[i];
    osm_physp_t *there = cable_end(n, port), *here = osm_node_get_physp_ptr(n, port);
    const uint32_t remote = there ? number_of(c, there->p_node) : UINT32_MAX;
    if (remote == UINT32_MAX) return false;
    *to = (struct hd_fabric_port){.guid = cl_ntoh64(osm_physp_get_port_guid(here)),
                                  .node = i,
                                  .remote = remote,
                                  .lid = n->sw ? 0 : (uint16_t)plugin_lid(c->subn, here),
                                  .lmc = n->sw ? 0 : osm_physp_get_lmc(here),
                                  .port = (uint8_t)port,
                                  .rport = there->port_num,
                                  .width = here->port_info.link_width_active,
                                  .speed = ib_port_info_get_link_speed_active(&here->port_info),
                                  .speed_ext = ib_port_info_get_link_speed_ext_active(&here->port_info)};
    return true;
}

/* Data VLs that both ends of every cable between switches can have. */
static uint32_t fabric_vls(const struct fabric_copy *c)
{
    static const uint8_t vls_of[] = {1, 1, 2, 4, 8, 15}; /* by the code of port info */
    uint32_t least = 15;
    for (uint32_t i = 0; i < c->head.switches; i++)
        for (uint32_t p = 1; p < c->node[i]->physp_tbl_size; p++) {
            const osm_physp_t *there = cable_end(c->node[i], p);
            if (!there || !there->p_node->sw) continue;
            const uint32_t code = ib_port_info_get_vl_cap(&osm_node_get_physp_ptr(c->node[i], p)->port_info);
            const uint32_t vls = code < sizeof vls_of ? vls_of[code] : 1;
            if (vls < least) least = vls;
        }
    const uint32_t most = c->subn->opt.max_op_vls < sizeof vls_of ? vls_of[c->subn->opt.max_op_vls] : 15;
    return least < most ? least : most;
}

static void fabric_fill(struct fabric_copy *c, void *memory)
{
    const size_t lids = c->head.last_lid + (size_t)1;
    uint32_t text = (uint32_t)strlen(c->options) + 1, ports = 0;
    struct hd_fabric_head *head = memory;
    *head = c->head;
    c->to_node = (struct hd_fabric_node *)(head + 1);
    c->to_port = (struct hd_fabric_port *)(c->to_node + c->head.nodes);
    c->table = (uint8_t *)(c->to_port + c->head.ports);
    c->text = (char *)c->table + c->head.switches * lids;
    memcpy(c->text, c->options, text);
    for (uint32_t i = 0; i < c->head.nodes; i++) {
        copy_node(c, i, &text);
        for (uint32_t p = 1; p < c->node[i]->physp_tbl_size; p++)
            if (ports < c->head.ports) ports += copy_port(c, i, p, &c->to_port[ports]);
    }
    for (uint32_t i = 0; i < c->head.switches; i++) {
        const osm_switch_t *s = c->sw[i];
        const size_t have = s->lft_size < lids ? s->lft_size : lids;
        memcpy(c->table + i * lids, s->lft, have);
        memset(c->table + i * lids + have, HD_FABRIC_NO_PORT, lids - have);
    }
}

/* Memory of this size, all of it there: a page that the system cannot give later would be a signal to OpenSM. */
static bool fabric_reserve(int fd, size_t bytes)
{
    int error;
    do error = posix_fallocate(fd, 0, (off_t)bytes);
    while (error == EINTR);
    errno = error;
    return error == 0;
}

static int fabric_send_copy(struct fabric_copy *c, char why[PLUGIN_TEXT])
{
    const int fd = memfd_create("heddle-fabric", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *memory = MAP_FAILED;
    if (fd >= 0 && fabric_reserve(fd, c->head.bytes))
        memory = mmap(NULL, c->head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        snprintf(why, PLUGIN_TEXT, "no shared memory: %s", strerror(errno));
        if (fd >= 0) close(fd);
        return -1;
    }
    fabric_fill(c, memory);
    munmap(memory, c->head.bytes);
    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    return fd;
}

int plugin_request(const struct heddle_plugin *p, uint32_t avoid, osm_switch_t ***sw, uint32_t *switches,
                   uint32_t *last_lid, char why[PLUGIN_TEXT])
{
    struct fabric_copy c = {.subn = &p->osm->subn};
    int fd = -1;
    c.options = c.subn->opt.event_plugin_options ? c.subn->opt.event_plugin_options : "";
    fabric_count(&c);
    if (fabric_list(&c)) {
        c.head.avoid = avoid;
        c.head.vls = (uint8_t)fabric_vls(&c);
        c.head.qos = c.subn->opt.qos != 0;
        c.head.new_master = c.subn->first_time_master_sweep != FALSE;
        c.head.settled = p->settled;
        c.head.sweeps = p->sweeps;
        c.head.fallbacks = p->fallbacks;
        c.head.sm_lid = cl_ntoh16(c.subn->sm_base_lid);
        fd = fabric_send_copy(&c, why);
    } else
        snprintf(why, PLUGIN_TEXT, "no memory for a list of %u nodes", c.head.nodes);
    free(c.node);
    if (fd < 0)
        free(c.sw);
    else {
        *sw = c.sw;
        *switches = c.head.switches;
        *last_lid = c.head.last_lid;
    }
    return fd;
}
