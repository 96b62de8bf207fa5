/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file of forwarding tables is whole. One that was cut off, by a full disk or while it was copied, has holes
 * that are not those of the fabric and may end in half a port number. What the file itself says decides:
 *
 *     a last line without a line end that is shorter in form than the others
 *     a last table without "N lids dumped" where the others have that line
 *     switches that `# heddle switches` lists and that come after the last table
 *     a last table of an fdbs file that ends at a lower LID than all others, which list every LID
 *
 * Tables that people write or put together have none of this and are read as they are. Where one sign alone is no
 * proof, it is noted. */
#include "base/status.h"
#include "route/io/lft_reader.h"

#include <string.h>

enum { ENOUGH_TABLES = 2 }; /* that end at the same LID, for one that ends before to be suspect */

/* The name of the switch whose table was read last. */
static const char *end_switch(const struct lft_reader *r)
{
    const uint32_t v = hd_guid_switch(&r->guids, r->end.guid);
    return v == HD_LFT_NOBODY ? "one that the network does not have" : hd_node_name(r->net, v);
}

static hd_status end_lacks_line(struct lft_reader *r)
{
    return hd_in_fail(
        r->ctx, r->in,
        "the file ends early, in the table of switch '%.80s': expected '... lids dumped' after it, as after "
        "those before",
        end_switch(r));
}

void hd_lft_end_begin(struct lft_reader *r, const char *title, uint64_t guid)
{
    struct lft_end *e = &r->end;
    if (e->tables) {
        e->closed += e->range && e->dumped;
        e->open += e->range && !e->dumped;
        e->last = e->tables == 1 || e->last == e->lid ? e->lid : NO_TOP;
    }
    e->tables++;
    e->guid = guid;
    e->fdbs = strncmp(title, "dump_ucast_routes:", 18) == 0;
    e->range = strncmp(title, "Unicast lids [", 14) == 0;
    e->dumped = false;
    e->lid = 0;
}

/* ---- a last line without an end ------------------------------------------------------------ */

struct end_form {
    uint32_t digits, words; /* of the port; before a comment */
    bool padded;            /* by zeros in front */
};

static struct end_form end_form_of(const char *line)
{
    static const char between[] = " \t:";
    struct end_form f = {0};
    for (line += strspn(line, between); *line && !strchr("#(", *line); line += strspn(line, between)) {
        const size_t n = strcspn(line, between);
        if (++f.words == 2) {
            f.digits = (uint32_t)strspn(line, "0123456789");
            f.padded = f.digits > 1 && *line == '0';
        }
        line += n;
    }
    return f;
}

void hd_lft_end_entry(struct lft_reader *r, const char *line)
{
    struct lft_end *e = &r->end;
    const struct end_form f = end_form_of(line);
    if (!f.digits) return; /* a hole */
    if (!e->words || f.words < e->words) e->words = f.words;
    if (!e->digits || f.digits < e->digits) e->digits = f.digits;
    e->padded |= f.padded;
}

hd_status hd_lft_end_line(struct lft_reader *r, const char *line)
{
    const struct lft_end *e = &r->end;
    line += strspn(line, " \t");
    if (strncmp(line, "Unicast lids", 12) == 0 || strstr(line, "dump_ucast_routes:") ||
        strncmp(line, "Switch ", 7) == 0)
        return hd_in_fail(r->ctx, r->in, "the file ends early: expected the table of this switch");
    if (!e->words || line[0] != '0' || (line[1] != 'x' && line[1] != 'X')) return HD_OK;
    const struct end_form f = end_form_of(line);
    if (f.words >= 2 && !f.digits) return HD_OK; /* a hole is whole, or the reader refuses it */
    if (f.words < e->words || (e->padded && f.digits < e->digits))
        return hd_in_fail(r->ctx, r->in, "the file ends early, within an entry: got '%.60s'", line);
    return e->range && e->closed && !e->open ? end_lacks_line(r) : HD_OK; /* before half a GUID is compared */
}

/* ---- the last table ------------------------------------------------------------------------ */

/* The first switch that `# heddle switches` lists and that comes after the last table, HD_LFT_NOBODY: none. They are in
 * order of GUIDs. */
static uint32_t end_lacks(const struct lft_reader *r)
{
    uint32_t first = HD_LFT_NOBODY;
    for (uint32_t v = 0; r->extra.present && v < r->net->nsw; v++) {
        if (!r->extra.lid[v] || r->seen[v] || r->net->guid[v] < r->end.guid) continue;
        if (first == HD_LFT_NOBODY || r->net->guid[v] < r->net->guid[first]) first = v;
    }
    return first;
}

static bool end_is_short(const struct lft_reader *r)
{
    const struct lft_end *e = &r->end;
    return e->tables > ENOUGH_TABLES && e->last != NO_TOP && e->lid < e->last && !r->subnet_of && !e->dumped;
}

hd_status hd_lft_end_check(struct lft_reader *r)
{
    const struct lft_end *e = &r->end;
    const char *name = hd_in_name(r->in);
    const unsigned long long line = hd_in_lineno(r->in);
    const uint32_t lacks = end_lacks(r);
    if (!e->tables) return HD_OK;
    if (e->range && !e->dumped && e->closed && !e->open) return end_lacks_line(r);
    if (lacks != HD_LFT_NOBODY)
        return hd_in_fail(r->ctx, r->in,
                          "the file ends early: expected the table of switch '%.80s', which '# heddle switches' lists",
                          hd_node_name(r->net, lacks));
    if (end_is_short(r) && e->fdbs)
        return hd_in_fail(
            r->ctx, r->in,
            "the file ends early, in the table of switch '%.80s': expected LIDs up to 0x%04X, as in those "
            "before",
            end_switch(r), e->last);
    if (end_is_short(r))
        hd_note(r->ctx,
                "%.200s:%llu: the table of switch '%.80s' ends at LID 0x%x, those before at 0x%x: the file may have "
                "been cut off",
                name, line, end_switch(r), e->lid, e->last);
    else if (e->range && !e->dumped && e->tables == 1)
        hd_note(r->ctx, "%.200s:%llu: no '... lids dumped' after the table: the file may have been cut off", name,
                line);
    return HD_OK;
}
