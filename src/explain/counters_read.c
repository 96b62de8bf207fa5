/* SPDX-License-Identifier: BSD-2-Clause */
/* Port counters as the diagnostic programs print them. A file is read line by line, and what a line is follows from the
 * line, so that outputs may be concatenated and may have warnings in between:
 *
 *     START_PM_INFO                                            ibdiagnet2.db_csv: columns by name, N/A or -1: unknown
 *     NodeGUID,PortNumber,PortXmitWaitExt,PortXmitDataExtended,...
 *
 *     Port=3 Lid=0x0009 GUID=0x0200000000100000 Device=54000 Port Name=S0200000000100000/P3           ibdiagnet2.pm
 *     port_xmit_wait_extended=0x000000000001e240
 *
 *     # Port extended counters: Lid 9 port 3 (CapMask: 0x1300 CapMask2: 0x0000002)                      perfquery -x
 *     PortXmitWait:....................123456
 *
 *     Errors for 0x200000000100000 "L1-0000"                                                           ibqueryerrors
 *        GUID 0x200000000100000 port 3: [SymbolErrorCounter == 12] [PortXmitWait == 123456 (120.562K)]
 *
 * Counters of 64 bits win over those of 8 to 32 bits of the same name, whichever comes first. ibqueryerrors leaves out
 * counters that are 0, or not above a threshold, and ports all of whose counters are; which thresholds, how many nodes
 * it was to ask (--switch, --ca) and that it could not ask every port, its summary says, so that without one nothing is
 * known of what is left out:
 *
 *     ## Summary: 14 nodes checked, 2 bad nodes found
 *     ##          32 ports checked, 2 ports have errors beyond threshold
 *     ## Thresholds: [SymbolErrorCounter = 10][LinkDownedCounter = 10]
 *     ##          2 PMA query failures
 *     ## Suppressed: PortRcvSwitchRelayErrors
 *
 * The last number of a file without a line end may lack digits, and is not taken. The forms of the last two are those
 * of infiniband-diags (perfquery.c, ibqueryerrors.c of rdma-core), that of the time is ibdiagnet's. Cost: O(bytes +
 * ports log ports) time, O(channels) memory. */
#include "base/bundle.h"
#include "base/c_locale.h"
#include "base/keyed.h"
#include "base/status.h"
#include "explain/counters.h"
#include "net/core/guid_index.h"
#include "net/io/ibdiag_values.h"
#include "net/io/scan_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_PORTS = 255, MAX_COLUMNS = 4096, LIDS = 65536 };

struct counter_row {
    const char *name;    /* as perfquery, ibqueryerrors and PM_INFO have it; there with Ext or Extended if it is wide */
    const char *pm;      /* as the pm file has it, likewise with _extended */
    const char *pm_wide; /* where that differs from pm and _extended */
    const char *one, *many; /* as people call it */
    uint8_t bits;           /* of the narrow one */
};

static const struct counter_row counter_rows[HD_COUNTERS] = {
    [HD_COUNT_WAIT] = {"PortXmitWait", "port_xmit_wait", NULL, "tick of waiting", "ticks of waiting", 32},
    [HD_COUNT_SENT] = {"PortXmitData", "port_xmit_data", NULL, "word sent", "words sent", 32},
    [HD_COUNT_RECEIVED] = {"PortRcvData", "port_rcv_data", NULL, "word received", "words received", 32},
    [HD_COUNT_SYMBOL] = {"SymbolErrorCounter", "symbol_error_counter", NULL, "symbol error", "symbol errors", 16},
    [HD_COUNT_RECOVERED] = {"LinkErrorRecoveryCounter", "link_error_recovery_counter", NULL, "recovery", "recoveries",
                            8},
    [HD_COUNT_DOWNED] = {"LinkDownedCounter", "link_down_counter", "link_downed_counter_extended", "link failure",
                         "link failures", 8},
    [HD_COUNT_RCV_ERRORS] = {"PortRcvErrors", "port_rcv_errors", NULL, "receive error", "receive errors", 16},
    [HD_COUNT_DISCARDS] = {"PortXmitDiscards", "port_xmit_discard", "port_xmit_discards_extended", "discard",
                           "discards", 16},
    [HD_COUNT_INTEGRITY] = {"LocalLinkIntegrityErrors", "local_link_integrity_errors", NULL, "integrity error",
                            "integrity errors", 4},
    [HD_COUNT_OVERRUN] = {"ExcessiveBufferOverrunErrors", "excessive_buffer_errors",
                          "excessive_buffer_overrun_errors_extended", "buffer overrun", "buffer overruns", 4},
};

const char *hd_counter_name(enum hd_counter counter, uint64_t n)
{
    return n == 1 ? counter_rows[counter].one : counter_rows[counter].many;
}

struct counter_reader {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    struct hd_in *in;
    const struct hd_net *net;
    struct hd_counters *out;
    struct hd_guid_index guids;
    struct hd_keyed *adapter;      /* [nep] node GUID of the adapter, endpoint */
    uint32_t *by_lid;              /* [LIDS] node + 1 */
    uint32_t chan;                 /* of the port that lines are about; UINT32_MAX: none of the network */
    bool perfquery, wide, pm;      /* inside a block of these; wide: perfquery -x */
    bool known;                    /* some line was of a known form */
    bool section, pm_info, header; /* of a file of values */
    uint64_t pm_info_line;         /* where that section begins */
    int8_t what[MAX_COLUMNS];      /* counter of each column, -1: none */
    bool column_wide[MAX_COLUMNS];
    const char *value[MAX_COLUMNS]; /* of the row being read */
    int ncolumn, guid_column, port_column;
    bool *named;                     /* [nchan] ibqueryerrors lists the port */
    bool summary;                    /* ibqueryerrors got to its end */
    bool data_only;                  /* it was asked for data counters alone */
    uint64_t checked;                /* nodes that ibqueryerrors asked */
    uint32_t failures;               /* queries of ibqueryerrors that failed */
    uint16_t hidden;                 /* bit i: ibqueryerrors was asked to leave counter i out */
    uint64_t threshold[HD_COUNTERS]; /* up to which it leaves a counter out */
};

/* ---- ports ---------------------------------------------------------------------------------- */

static hd_status counter_reader_init(struct counter_reader *r)
{
    const struct hd_net *net = r->net;
    r->out->at = HD_NEW(r->arena, struct hd_port_counters, net->nchan);
    r->adapter = HD_NEW(r->arena, struct hd_keyed, net->nep);
    r->by_lid = HD_NEW(r->arena, uint32_t, LIDS);
    r->named = HD_NEW(r->arena, bool, net->nchan);
    if (!r->out->at || !r->adapter || !r->by_lid || !r->named) return hd_fail_memory(r->ctx);
    HD_TRY(hd_guid_index_init(r->ctx, r->arena, net, &r->guids));
    for (uint32_t e = 0; e < net->nep; e++) r->adapter[e] = (struct hd_keyed){net->ca_guid[net->ca[e]], e};
    hd_keyed_sort(r->adapter, net->nep, sizeof *r->adapter);
    for (uint32_t v = 0; v < net->nsw + net->nep; v++)
        if (net->lid[v]) r->by_lid[net->lid[v]] = v + 1;
    return HD_OK;
}

static uint32_t counter_channel(const struct hd_net *net, uint32_t v, uint32_t port)
{
    for (uint32_t c = net->off[v]; c < net->off[v + 1]; c++)
        if (net->port[c] == port) return c;
    return UINT32_MAX;
}

static uint32_t counter_channel_by_guid(const struct counter_reader *r, uint64_t guid, uint32_t port)
{
    const struct hd_net *net = r->net;
    uint32_t v = hd_guid_switch(&r->guids, guid);
    if (v != UINT32_MAX) return counter_channel(net, v, port);
    v = hd_guid_endpoint(&r->guids, guid);
    if (v != UINT32_MAX) {
        const uint32_t c = counter_channel(net, net->nsw + v, port);
        if (c != UINT32_MAX) return c;
    }
    for (uint32_t i = hd_find_key(r->adapter, net->nep, sizeof *r->adapter, guid);
         i < net->nep && r->adapter[i].key == guid; i++) {
        const uint32_t c = counter_channel(net, net->nsw + r->adapter[i].value, port);
        if (c != UINT32_MAX) return c;
    }
    return UINT32_MAX;
}

/* From here on lines are about this channel. */
static void counter_begin(struct counter_reader *r, uint32_t c)
{
    struct hd_counters *out = r->out;
    r->chan = c;
    r->known = true;
    if (c == UINT32_MAX)
        out->others++;
    else
        out->ports += !out->at[c].has;
}

/* A sample of a port is taken once; the same counter twice means that two samples are in one file. */
static hd_status counter_set(struct counter_reader *r, enum hd_counter counter, uint64_t value, bool wide)
{
    if (r->chan == UINT32_MAX) return HD_OK;
    struct hd_port_counters *p = &r->out->at[r->chan];
    const uint16_t bit = (uint16_t)(1u << counter);
    if ((p->has & bit) && !(p->wide & bit) == !wide)
        return hd_in_fail(r->ctx, r->in, "%s of port %u of %.80s a second time: expected one sample per file",
                          counter_rows[counter].name, r->net->port[r->chan],
                          hd_node_label(r->net, r->net->tail[r->chan]));
    if ((p->has & bit) && (p->wide & bit)) return HD_OK;
    p->has |= bit;
    if (wide) p->wide |= bit;
    p->value[counter] = value;
    return HD_OK;
}

/* ---- names and values ----------------------------------------------------------------------- */

/* The counter that a column or a line of perfquery has: -1: none; *wide: its name says that it has 64 bits. */
static int counter_by_name(const char *name, size_t n, bool *wide)
{
    for (int i = 0; i < HD_COUNTERS; i++) {
        const size_t len = strlen(counter_rows[i].name);
        if (n < len || hd_strncasecmp(name, counter_rows[i].name, len) != 0) continue;
        const char *rest = name + len;
        const size_t left = n - len;
        *wide = (left == 3 && hd_strncasecmp(rest, "Ext", 3) == 0) ||
                (left == 8 && hd_strncasecmp(rest, "Extended", 8) == 0);
        if (left == 0 || *wide) return i;
    }
    return -1;
}

static int counter_by_pm_name(const char *name, size_t n, bool *wide)
{
    static const char extended[] = "_extended";
    for (int i = 0; i < HD_COUNTERS; i++) {
        const struct counter_row *row = &counter_rows[i];
        const size_t len = strlen(row->pm);
        *wide = false;
        if (n == len && memcmp(name, row->pm, len) == 0) return i;
        *wide = true;
        if (row->pm_wide && n == strlen(row->pm_wide) && memcmp(name, row->pm_wide, n) == 0) return i;
        if (!row->pm_wide && n == len + sizeof extended - 1 && memcmp(name, row->pm, len) == 0 &&
            memcmp(name + len, extended, sizeof extended - 1) == 0)
            return i;
    }
    return -1;
}

/* A value, or false with *known for what means that there is none. */
static bool counter_value(const char *text, uint64_t *value, bool *known)
{
    *known = true;
    if (hd_ibdiag_number(text, value)) return *value != UINT64_MAX;
    *known = !*text || strcmp(text, "N/A") == 0 || strcmp(text, "NA") == 0 || strcmp(text, "-1") == 0 ||
             strcmp(text, "18446744073709551615") == 0;
    return false;
}

static hd_status counter_take(struct counter_reader *r, int counter, const char *text, bool wide)
{
    uint64_t value;
    bool known;
    if (counter < 0) return HD_OK;
    if (counter_value(text, &value, &known)) return counter_set(r, (enum hd_counter)counter, value, wide);
    if (known) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "%s '%.40s': expected a number", counter_rows[counter].name, text);
}

/* ---- time ----------------------------------------------------------------------------------- */

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t counter_days(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool counter_part(const char **s, uint32_t digits, uint32_t low, uint32_t high, uint32_t *value)
{
    const char *p = *s;
    *value = 0;
    for (uint32_t i = 0; i < digits; i++, p++) {
        if (*p < '0' || *p > '9') return false;
        *value = *value * 10 + (uint32_t)(*p - '0');
    }
    *s = p;
    return *value >= low && *value <= high;
}

/* # Running timestamp : 2022-08-25 17:45:38 UTC +0000 */
static void counter_time(struct counter_reader *r, const char *line)
{
    uint32_t y, mo, d, h, mi, s, zh = 0, zm = 0;
    const char *p = strchr(line, ':'), *zone;
    if (!p) return;
    p++;
    hd_scan_blanks(&p);
    if (!counter_part(&p, 4, 1970, 9999, &y) || !hd_scan_char(&p, '-') || !counter_part(&p, 2, 1, 12, &mo) ||
        !hd_scan_char(&p, '-') || !counter_part(&p, 2, 1, 31, &d) || !hd_scan_char(&p, ' ') ||
        !counter_part(&p, 2, 0, 23, &h) || !hd_scan_char(&p, ':') || !counter_part(&p, 2, 0, 59, &mi) ||
        !hd_scan_char(&p, ':') || !counter_part(&p, 2, 0, 60, &s))
        return;
    zone = strpbrk(p, "+-");
    const bool west = zone && *zone == '-';
    if (zone) zone++;
    if (zone && (!counter_part(&zone, 2, 0, 14, &zh) || !counter_part(&zone, 2, 0, 59, &zm))) return;
    const int64_t shift = ((int64_t)zh * 60 + zm) * 60 * (west ? 1 : -1);
    r->out->when = counter_days(y, mo, d) * 86400 + h * 3600 + mi * 60 + s + shift;
}

/* ---- files of values ------------------------------------------------------------------------- */

static hd_status counter_csv_header(struct counter_reader *r, char *line)
{
    char *at = line;
    r->header = true;
    r->guid_column = r->port_column = -1;
    for (r->ncolumn = 0; at && r->ncolumn < MAX_COLUMNS; r->ncolumn++) {
        const char *name = hd_ibdiag_field(&at);
        if (hd_strcasecmp(name, "NodeGUID") == 0) r->guid_column = r->ncolumn;
        if (hd_strcasecmp(name, "PortNumber") == 0 || hd_strcasecmp(name, "PortNum") == 0) r->port_column = r->ncolumn;
        r->what[r->ncolumn] = (int8_t)counter_by_name(name, strlen(name), &r->column_wide[r->ncolumn]);
    }
    if (r->guid_column >= 0 && r->port_column >= 0) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "section PM_INFO has no column %s: expected one in its header",
                      r->guid_column < 0 ? "NodeGUID" : "PortNumber");
}

static hd_status counter_csv_row(struct counter_reader *r, char *line)
{
    const char **value = r->value;
    char *at = line;
    int n = 0;
    uint64_t guid, port;
    for (; at && n < r->ncolumn; n++) value[n] = hd_ibdiag_field(&at);
    if (n <= r->guid_column || n <= r->port_column)
        return hd_in_fail(r->ctx, r->in, "%d values: expected NodeGUID and PortNumber among them", n);
    if (!hd_ibdiag_number(value[r->guid_column], &guid) || !hd_ibdiag_number(value[r->port_column], &port))
        return hd_in_fail(r->ctx, r->in, "'%.40s' port '%.20s': expected the GUID of a node and a port",
                          value[r->guid_column], value[r->port_column]);
    counter_begin(r, port < ALL_PORTS ? counter_channel_by_guid(r, guid, (uint32_t)port) : UINT32_MAX);
    for (int i = 0; i < n; i++) HD_TRY(counter_take(r, r->what[i], value[i], r->column_wide[i]));
    r->chan = UINT32_MAX;
    return HD_OK;
}

static hd_status counter_csv_line(struct counter_reader *r, char *line)
{
    if (strncmp(line, "END_", 4) == 0) {
        r->section = r->pm_info = false;
        return HD_OK;
    }
    if (!r->pm_info || *line == '#' || !*line) return HD_OK;
    return r->header ? counter_csv_row(r, line) : counter_csv_header(r, line);
}

/* ---- pm, perfquery, ibqueryerrors ------------------------------------------------------------- */

/* Port=3 Lid=0x0009 GUID=0x0200000000100000 Device=54000 Port Name=... */
static hd_status counter_pm_port(struct counter_reader *r, const char *line)
{
    const char *p = line, *guid = strstr(line, " GUID=");
    uint32_t port;
    uint64_t number;
    if (!hd_scan_text(&p, "Port=") || !hd_scan_u32(&p, &port) || !guid || (guid += 6, !hd_scan_guid(&guid, &number)))
        return hd_in_fail(r->ctx, r->in, "expected a port as in Port=1 Lid=0x0001 GUID=0x0002c90000100000");
    counter_begin(r, port < ALL_PORTS ? counter_channel_by_guid(r, number, port) : UINT32_MAX);
    r->pm = true;
    r->perfquery = false;
    return HD_OK;
}

static hd_status counter_pm_value(struct counter_reader *r, const char *line)
{
    bool wide;
    const size_t n = strcspn(line, "=");
    if (line[n] != '=') return HD_OK;
    const int counter = counter_by_pm_name(line, n, &wide);
    return counter_take(r, counter, line + n + 1, wide);
}

/* # Port extended counters: Lid 9 port 3 (...); a directed route says nothing of where its port is. */
static hd_status counter_perfquery_port(struct counter_reader *r, const char *line)
{
    const char *p = strchr(line, ':');
    uint32_t lid, port, c = UINT32_MAX;
    r->wide = strncmp(line, "# Port extended", 15) == 0;
    p++;
    hd_scan_blanks(&p);
    if (!hd_scan_text(&p, "Lid ") || !hd_scan_u32(&p, &lid) || !hd_scan_text(&p, " port ") || !hd_scan_u32(&p, &port))
        return hd_in_fail(r->ctx, r->in, "expected the LID and the port, as in %s: Lid 9 port 3",
                          r->wide ? "# Port extended counters" : "# Port counters");
    if (lid < LIDS && r->by_lid[lid] && port < ALL_PORTS) c = counter_channel(r->net, r->by_lid[lid] - 1, port);
    counter_begin(r, c);
    r->perfquery = true;
    r->pm = false;
    return HD_OK;
}

/* PortXmitWait:....................123456 */
static hd_status counter_perfquery_value(struct counter_reader *r, const char *line)
{
    bool wide;
    const size_t n = strcspn(line, ":"), dots = line[n] ? strspn(line + n + 1, ".") : 0;
    if (!line[n] || !dots) return HD_OK;
    return counter_take(r, counter_by_name(line, n, &wide), line + n + 1 + dots, r->wide);
}

/* [SymbolErrorCounter == 12] [PortXmitWait == 123456 (120.562K)]. A counter has 64 bits if its number is repeated with
 * a unit, or does not fit 32. */
static hd_status counter_query_values(struct counter_reader *r, const char *p)
{
    char text[32];
    bool wide;
    for (p = strchr(p, '['); p; p = strchr(p, '[')) {
        const size_t n = strcspn(++p, " =]");
        const char *name = p, *is = strstr(p, " == "), *close = strchr(p, ']');
        const int counter = counter_by_name(name, n, &wide);
        if (!is || !close || is > close)
            return hd_in_fail(r->ctx, r->in, "'%.40s': expected counters as in [PortXmitWait == 12]", name);
        const size_t digits = strcspn(is + 4, " ]");
        snprintf(text, sizeof text, "%.*s", (int)(digits < sizeof text ? digits : sizeof text - 1), is + 4);
        HD_TRY(counter_take(r, counter, text, strlen(text) > 10 || is[4 + digits] == ' '));
        p = close;
    }
    return HD_OK;
}

/* ## Suppressed: PortRcvSwitchRelayErrors PortXmitWait */
static void counter_query_hidden(struct counter_reader *r, const char *p)
{
    bool wide;
    for (size_t n; *(p += strspn(p, " ")); p += n) {
        n = strcspn(p, " ");
        const int counter = counter_by_name(p, n, &wide);
        if (counter >= 0) r->hidden |= (uint16_t)(1u << counter);
    }
}

/* ## Thresholds: [SymbolErrorCounter = 10][LinkDownedCounter = 10] */
static void counter_query_thresholds(struct counter_reader *r, const char *p)
{
    bool wide;
    for (p = strchr(p, '['); p; p = strchr(p, '[')) {
        const char *name = ++p, *is = strstr(p, " = ");
        const int counter = counter_by_name(name, strcspn(name, " ]"), &wide);
        if (counter < 0 || !is) continue;
        const uint64_t most = strtoull(is + 3, NULL, 10);
        if (most > r->threshold[counter]) r->threshold[counter] = most;
    }
}

/* What ibqueryerrors says at its end of what it left out. */
static void counter_query_summary(struct counter_reader *r, const char *line)
{
    const char *p = line + strspn(line, "# ");
    uint32_t checked, failures;
    if (hd_scan_text(&p, "Summary: ")) {
        r->out->listed = r->known = true; /* of no error too */
        r->summary = false;
        r->checked += hd_scan_u32(&p, &checked) ? checked : UINT32_MAX;
    } else if (hd_scan_text(&p, "Suppressed:")) { /* the last line, always there */
        r->summary = true;
        counter_query_hidden(r, p);
    } else if (hd_scan_text(&p, "Thresholds:")) {
        counter_query_thresholds(r, p);
    } else if (hd_scan_u32(&p, &failures) && strcmp(p, " PMA query failures") == 0) {
        r->failures += failures;
    }
}

/* A counter of a port that ibqueryerrors asked and does not list. */
static void counter_query_left_out(const struct counter_reader *r, struct hd_port_counters *p, int counter)
{
    const uint16_t bit = (uint16_t)(1u << counter);
    if (p->has & bit) return;
    p->value[counter] = r->threshold[counter];
    if (r->threshold[counter])
        p->most |= bit;
    else
        p->has |= bit;
}

/* Which nodes ibqueryerrors asked, by their number: more than there are of either kind are both kinds, be a few of them
 * down; as many as there are of one are that one; of others it is not known which. */
struct counter_asked {
    bool switches, adapters;
};

static struct counter_asked counter_query_asked(const struct counter_reader *r)
{
    const struct hd_net *net = r->net;
    uint32_t adapters = 0;
    for (uint32_t a = 0; a < net->nca; a++) adapters += net->ca_role[a] != HD_ROLE_ROUTER;
    const bool both = r->checked > net->nsw && r->checked > adapters, one = net->nsw != adapters;
    return (struct counter_asked){both || (one && r->checked == net->nsw), both || (one && r->checked == adapters)};
}

/* What is wrong with the output as a whole. */
static void counter_query_note(const struct counter_reader *r, struct counter_asked asked)
{
    if (!r->summary)
        hd_note(r->ctx,
                "%.200s: output of ibqueryerrors without its summary, so it may be a part: ports and counters that it "
                "does not list are not known",
                hd_in_name(r->in));
    else if (r->data_only)
        hd_note(r->ctx, "%.200s: data counters alone in this output of ibqueryerrors: errors are not known",
                hd_in_name(r->in));
    else if (r->failures)
        hd_note(r->ctx, "%.200s: %u quer%s of ibqueryerrors failed: ports that it does not list are not known",
                hd_in_name(r->in), r->failures, r->failures == 1 ? "y" : "ies");
    else if (asked.switches != asked.adapters)
        hd_note(r->ctx, "%.200s: ibqueryerrors asked only %s: ports of %s that it does not list are not known",
                hd_in_name(r->in), asked.switches ? "switches" : "adapters", asked.switches ? "adapters" : "switches");
    else if (!asked.switches)
        hd_note(r->ctx, "%.200s: ibqueryerrors asked only %llu node%s: ports that it does not list are not known",
                hd_in_name(r->in), (unsigned long long)r->checked, r->checked == 1 ? "" : "s");
}

/* What ibqueryerrors does not list is 0 or up to its threshold, unless it was not asked for (data, and what is
 * suppressed; with --counters all but data), its port may be one that did not answer or was not asked, or the output
 * ends before it says any of this. */
static void counter_query_rest(const struct counter_reader *r)
{
    const struct hd_net *net = r->net;
    const uint16_t not_asked = (uint16_t)(1u << HD_COUNT_SENT | 1u << HD_COUNT_RECEIVED | r->hidden);
    if (!r->out->listed) return;
    const struct counter_asked asked = counter_query_asked(r);
    for (uint32_t c = 0; r->summary && !r->data_only && c < net->nchan; c++) {
        const bool answered = !r->failures && (net->tail[c] < net->nsw ? asked.switches : asked.adapters);
        for (int i = 0; i < HD_COUNTERS && (r->named[c] || answered); i++)
            if (!(not_asked & 1u << i)) counter_query_left_out(r, &r->out->at[c], i);
    }
    counter_query_note(r, asked);
}

/* "GUID 0x200000000100000 port 3: ..."; port ALL is the sum of a switch. */
static hd_status counter_query_port(struct counter_reader *r, const char *p)
{
    uint64_t guid;
    uint32_t port;
    r->perfquery = r->pm = false;
    if (!hd_scan_guid(&p, &guid) || !hd_scan_text(&p, " port "))
        return hd_in_fail(r->ctx, r->in, "expected a port as in GUID 0x2c90000100000 port 3: [PortXmitWait == 12]");
    r->out->listed = r->known = true;
    if (hd_scan_text(&p, "ALL:")) return HD_OK;
    if (!hd_scan_u32(&p, &port) || *p != ':') return hd_in_fail(r->ctx, r->in, "expected a port and a colon behind it");
    counter_begin(r, port < ALL_PORTS ? counter_channel_by_guid(r, guid, port) : UINT32_MAX);
    if (r->chan != UINT32_MAX) r->named[r->chan] = true;
    hd_status s = counter_query_values(r, p);
    r->chan = UINT32_MAX;
    return s;
}

static hd_status counter_line(struct counter_reader *r, char *line)
{
    line = hd_ibdiag_trim(line);
    if (strncmp(line, "START_", 6) == 0) {
        r->section = true;
        r->pm_info = strcmp(line + 6, "PM_INFO") == 0;
        r->header = r->pm = r->perfquery = false;
        r->pm_info_line = hd_in_lineno(r->in);
        return HD_OK;
    }
    if (r->section) return counter_csv_line(r, line);
    if (strncmp(line, "# Running timestamp", 19) == 0) {
        counter_time(r, line);
        return HD_OK;
    }
    if (strncmp(line, "# Port counters:", 16) == 0 || strncmp(line, "# Port extended counters:", 25) == 0)
        return counter_perfquery_port(r, line);
    if (strncmp(line, "## ", 3) == 0) counter_query_summary(r, line);
    if (strncmp(line, "Data Counters for ", 18) == 0) r->data_only = true;
    if (strncmp(line, "Port=", 5) == 0) return counter_pm_port(r, line);
    if (strncmp(line, "GUID ", 5) == 0) return counter_query_port(r, line + 5);
    if (r->perfquery) return counter_perfquery_value(r, line);
    return r->pm ? counter_pm_value(r, line) : HD_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether a line without an end may lack something. Pasted text often has none, so what shows that it is whole is
 * taken. */
static bool counter_cut(const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "GUID ", 5) == 0) return line[strlen(line) - 1] != ']';
    return strncmp(line, "END_", 4) != 0 && strcmp(line, "## Suppressed:") != 0;
}

/* A line that is left out, because the file ends in it, is worth a note if it has a counter. */
static void counter_note_cut(const struct counter_reader *r, const char *line)
{
    bool wide;
    const int counter = r->perfquery ? counter_by_name(line, strcspn(line, ":"), &wide)
                        : r->pm      ? counter_by_pm_name(line, strcspn(line, "="), &wide)
                                     : -1;
    if (counter >= 0)
        hd_note(r->ctx,
                "%.200s:%llu: the file ends without a line end, so digits of %s may be missing: it is not known",
                hd_in_name(r->in), (unsigned long long)hd_in_lineno(r->in), counter_rows[counter].name);
}

static hd_status counter_take_lines(struct counter_reader *r)
{
    char *line;
    size_t len;
    HD_TRY(counter_reader_init(r));
    for (;;) {
        HD_TRY(hd_in_line(r->ctx, r->in, &line, &len));
        if (!line) break;
        if (hd_in_cut(r->in) && counter_cut(line))
            counter_note_cut(r, line);
        else
            HD_TRY(counter_line(r, line));
    }
    if (!r->section || !r->pm_info) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "the file ends inside section PM_INFO of line %llu: expected END_PM_INFO",
                      (unsigned long long)r->pm_info_line);
}

/* *known: whether there was any counter. */
static hd_status counter_read_input(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                    struct hd_in *in, struct hd_counters *counters, bool *known)
{
    struct counter_reader *r = HD_NEW(arena, struct counter_reader, 1);
    if (!r) return hd_fail_memory(ctx);
    *counters = (struct hd_counters){.name = counters->name, .when = HD_NO_TIME};
    if (!hd_in_changed(in, &counters->changed)) counters->changed = HD_NO_TIME;
    r->ctx = ctx;
    r->arena = arena;
    r->in = in;
    r->net = net;
    r->out = counters;
    r->chan = UINT32_MAX;
    HD_TRY(counter_take_lines(r));
    counter_query_rest(r);
    *known = r->known;
    return HD_OK;
}

hd_status hd_counters_take(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_in *in,
                           struct hd_counters *counters)
{
    bool known;
    HD_TRY(counter_read_input(ctx, arena, net, in, counters, &known));
    if (known) return HD_OK;
    return hd_fail(ctx, HD_INPUT,
                   "%.200s: no port counters: expected output of perfquery -x or ibqueryerrors, or ibdiagnet2.db_csv "
                   "with a section PM_INFO, ibdiagnet2.pm or the folder that has them",
                   hd_in_name(in));
}

/* Counters of a folder: those of the file of values, or of the pm file if that has none. */
static hd_status counter_read_bundle(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net,
                                     const char *path, struct hd_counters *counters)
{
    static const char *const endings[] = {".db_csv", ".pm"};
    char place[HD_BUNDLE_NAME];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct hd_in *in;
        bool known = false;
        HD_TRY(hd_bundle_open(ctx, path, endings[i], &in));
        if (!in) continue;
        const hd_status s = counter_read_input(ctx, arena, net, in, counters, &known);
        hd_in_close(in);
        if (s != HD_OK || known) return s;
    }
    hd_bundle_place(ctx, path, place);
    return hd_fail(ctx, HD_INPUT,
                   "%.255s: no port counters: expected ibdiagnet2.db_csv with a section PM_INFO, or ibdiagnet2.pm",
                   place);
}

hd_status hd_counters_read(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, const char *path,
                           struct hd_counters *counters)
{
    struct hd_in *in;
    bool bundle;
    *counters = (struct hd_counters){.name = path};
    HD_TRY(hd_bundle_found(ctx, path, &bundle));
    if (bundle) return counter_read_bundle(ctx, arena, net, path, counters);
    HD_TRY(hd_in_open(ctx, path, &in));
    hd_status s = hd_counters_take(ctx, arena, net, in, counters);
    hd_in_close(in);
    return s;
}

/* ---- two samples ------------------------------------------------------------------------------ */

enum hd_change hd_counter_growth(const struct hd_port_counters *before, const struct hd_port_counters *after,
                                 enum hd_counter counter, uint64_t *by)
{
    const uint16_t bit = (uint16_t)(1u << counter);
    const uint64_t old = before->value[counter], now = after->value[counter], half = (uint64_t)1 << 63;
    const uint64_t most = ((uint64_t)1 << counter_rows[counter].bits) - 1;
    *by = 0;
    if ((before->most & after->has & bit) && now > old) {
        *by = now - old;
        return HD_GREW_AT_LEAST;
    }
    if (!(before->has & bit) || !(after->has & bit)) return HD_GREW_UNKNOWN;
    const bool wide = (before->wide & after->wide & bit) != 0;
    const bool mixed = ((before->wide ^ after->wide) & bit) != 0 && old && now;
    if (mixed && ((before->wide & bit) ? now == most || now < old : old == most)) return HD_GREW_UNKNOWN;
    if (now < old) {
        *by = wide && old >= half && now < half ? now - old : now;
        return wide && old >= half && now < half ? HD_GREW : HD_GREW_AT_LEAST;
    }
    *by = now - old;
    return !(after->wide & bit) && now == most ? HD_GREW_AT_LEAST : HD_GREW;
}
