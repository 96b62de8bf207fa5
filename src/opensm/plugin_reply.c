/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking a reply: it must be sealed against change, have the sizes that belong to the request, ports that the switch
 * has and that are cabled, and service levels that exist. Only then is it looked at for anything else. Proving the
 * routes was the worker's task; this is about memory, ports and numbers that could harm OpenSM or a switch. */
#include "osm_plugin.h"

#include "base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Service levels that a worker may send: src/live stays below that. */
static const size_t most_levels = (size_t)1 << 30, most_text = 1 << 20;

void plugin_drop_reply(struct plugin_reply *reply)
{
    free(reply->memory);
    *reply = (struct plugin_reply){0};
}

static bool reply_read(int fd, char *to, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        const ssize_t n = pread(fd, to + have, bytes - have, (off_t)have);
        if (n > 0)
            have += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

/* The reply, copied: a page of shared memory that cannot be had is then an error and no signal. */
static void *reply_copy(int fd, size_t most, size_t *bytes, char why[PLUGIN_TEXT])
{
    enum { WANTED = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };
    struct stat st;
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & WANTED) != WANTED || fstat(fd, &st) != 0 || st.st_size <= 0) {
        snprintf(why, PLUGIN_TEXT, "the reply is not sealed memory");
        return NULL;
    }
    *bytes = (size_t)st.st_size;
    void *copy = *bytes <= most ? malloc(*bytes) : NULL;
    if (copy && reply_read(fd, copy, *bytes)) return copy;
    free(copy);
    snprintf(why, PLUGIN_TEXT, "the reply of %zu bytes %s", *bytes, *bytes > most ? "is too large" : "cannot be read");
    return NULL;
}

/* Which ports a table may name: 255, and those with a cable. Port 0 is the switch itself, for its own LIDs only. */
static void ports_allowed(osm_switch_t *sw, bool allowed[256])
{
    memset(allowed, 0, 256 * sizeof *allowed);
    allowed[HD_FABRIC_NO_PORT] = true;
    for (uint32_t port = 1; port < sw->num_ports && port < HD_FABRIC_NO_PORT; port++) {
        const osm_physp_t *p = osm_node_get_physp_ptr(sw->p_node, port);
        allowed[port] = p && p->p_remote_physp;
    }
}

/* The first LID from `from` to `end` - 1 whose port is not allowed; end: there is none. One test per 64 LIDs, since
 * OpenSM waits for a look at every entry of all tables. */
static uint32_t first_misled(const uint8_t *table, uint32_t from, uint32_t end, const bool allowed[256])
{
    enum { TOGETHER = 64 };
    bool all = true;
    while (from + TOGETHER <= end) {
        for (uint32_t i = 0; i < TOGETHER; i++) all &= allowed[table[from + i]];
        if (!all) break;
        from += TOGETHER;
    }
    while (from < end && allowed[table[from]]) from++;
    return from;
}

static bool table_fits(const osm_subn_t *subn, osm_switch_t *sw, const uint8_t *table, uint32_t last_lid,
                       char why[PLUGIN_TEXT])
{
    bool allowed[256];
    const osm_physp_t *zero = osm_node_get_physp_ptr(sw->p_node, 0);
    const uint32_t own = plugin_lid(subn, zero);
    const uint32_t count = own ? 1u << osm_physp_get_lmc(zero) : 0; /* LMC may be there before the LID is */
    const uint32_t end = last_lid + 1, first = own && own < end ? own : end;
    const uint32_t after = first + count < end ? first + count : end;
    ports_allowed(sw, allowed);
    uint32_t lid = first_misled(table, 1, first, allowed);
    if (lid == first) {
        while (lid < after && table[lid] == 0) lid++;
        if (lid == after) lid = first_misled(table, after, end, allowed);
    }
    if (lid == end) return true;
    snprintf(why, PLUGIN_TEXT, "the reply sends LID %u to port %u of switch 0x%016llx", lid, table[lid],
             (unsigned long long)cl_ntoh64(osm_node_get_node_guid(sw->p_node)));
    return false;
}

static bool levels_fit(const struct hd_reply_parts *r, char why[PLUGIN_TEXT])
{
    const size_t lids = r->head->last_lid + (size_t)1;
    bool fits = r->head->vls >= 1 && r->head->vls <= 15 && (r->head->vls == 1) == (r->head->sl_rows == 0);
    for (size_t i = 0; fits && r->head->sl_rows && i < lids; i++)
        fits = r->row[i] < r->head->sl_rows || r->row[i] == UINT32_MAX;
    for (size_t i = 0; fits && i < r->head->sl_rows * lids; i++) fits = r->level[i] < r->head->vls;
    if (!fits) snprintf(why, PLUGIN_TEXT, "the reply has service levels that do not exist");
    return fits;
}

void plugin_line(const char *text, size_t room, char *line)
{
    size_t n = 0;
    for (; n + 1 < room && text[n]; n++) line[n] = text[n];
    line[n] = 0;
    hd_replace_controls(line, n, ' ');
}

static bool reply_fits(const osm_subn_t *subn, const struct hd_reply_parts *r, osm_switch_t *const *sw,
                       uint32_t switches, uint32_t last_lid, char why[PLUGIN_TEXT])
{
    if (r->head->switches != switches || r->head->last_lid != last_lid) {
        snprintf(why, PLUGIN_TEXT, "the reply is for another fabric");
        return false;
    }
    if (!levels_fit(r, why)) return false;
    for (uint32_t i = 0; i < switches; i++)
        if (!table_fits(subn, sw[i], r->table + i * (last_lid + (size_t)1), last_lid, why)) return false;
    return true;
}

enum plugin_verdict plugin_take_reply(const osm_subn_t *subn, int fd, osm_switch_t *const *sw, uint32_t switches,
                                      uint32_t last_lid, struct plugin_reply *reply, char why[PLUGIN_TEXT])
{
    enum plugin_verdict verdict = PLUGIN_CORRUPT;
    const size_t lids = last_lid + (size_t)1;
    size_t bytes;
    *reply = (struct plugin_reply){0};
    reply->memory = reply_copy(fd, (switches + sizeof(uint32_t)) * lids + most_levels + most_text, &bytes, why);
    if (!reply->memory) return verdict;
    if (!hd_reply_parts(reply->memory, bytes, &reply->parts))
        snprintf(why, PLUGIN_TEXT, "the sizes of the reply do not add up");
    else if (reply->parts.head->switches == 0) {
        plugin_line(reply->parts.text, PLUGIN_TEXT, why);
        verdict = PLUGIN_REFUSED;
    } else if (reply_fits(subn, &reply->parts, sw, switches, last_lid, why))
        return PLUGIN_TAKEN;
    plugin_drop_reply(reply);
    return verdict;
}
