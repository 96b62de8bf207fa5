/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of cables. The first line that says something decides:
 *   CSV    a head names the columns, in any order and again further down: NDT of UFM (StartDevice, StartPort,
 *          EndDevice, EndPort), PTP workbooks (A-Node, A-Port, Z-Node, Z-Port or SrcDevice, SrcPort, DstDevice,
 *          DstPort); a column Speed or Rate may be there
 *   topo   of ibdm: "MODEL NAME" and below it "P1 -4x-50G-> MODEL NAME P2", or all of it on one line
 *   DOT    of PTM: "leaf01":"swp51" -- "spine01":"swp30"
 * A cable may be listed from both ends. Cost: linear in the file. */
#include "base/c_locale.h"
#include "base/status.h"
#include "cables/cable_list.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

enum plan_form { PLAN_UNKNOWN, PLAN_CSV, PLAN_TOPO, PLAN_DOT };
enum { PARTS = 5, SPEED = 4 }; /* columns that are read: both devices and ports, speed */

struct plan {
    struct hd_cable_list *list;
    struct hd_in *in;
    const char *file;
    enum plan_form form;
    int64_t column[PARTS]; /* of CSV; -1: absent */
    char **field;          /* of a line of CSV */
    uint32_t nfield, room;
    char *copy; /* of a line that may be a head */
    size_t copy_room;
    char system[HD_CABLES_TEXT];
    uint32_t unknown; /* cables whose rate is not known: how many, and of the first what it is called and where */
    uint64_t unknown_line;
    char unknown_rate[48];
};

static hd_status plan_add(const struct plan *p, char *const part[4], uint8_t link)
{
    struct hd_cables_end a, b;
    struct hd_ctx *ctx = p->list->ctx;
    hd_status s = hd_cables_end_make(p->list, part[0], part[1], &a);
    if (s == HD_OK) s = hd_cables_end_make(p->list, part[2], part[3], &b);
    if (s == HD_INPUT)
        return hd_in_fail(ctx, p->in, "expected a device and a port of 1 to %d bytes at each end", HD_CABLES_TEXT - 1);
    if (s != HD_OK) return s;
    if (strcmp(a.key, b.key) == 0) return hd_in_fail(ctx, p->in, "both ends are %.100s", a.label);
    return hd_cables_add(p->list, &a, &b, &(struct hd_cables_place){p->file, (uint32_t)hd_in_lineno(p->in), link});
}

static void plan_unknown_rate(struct plan *p, const char *text, size_t n)
{
    if (p->unknown++) return;
    p->unknown_line = hd_in_lineno(p->in);
    snprintf(p->unknown_rate, sizeof p->unknown_rate, "%.*s", n < 40 ? (int)n : 40, text);
}

static void plan_note_rates(const struct plan *p)
{
    if (!p->unknown) return;
    char more[60] = "";
    if (p->unknown > 1) snprintf(more, sizeof more, " (the first of %u)", p->unknown);
    hd_note(p->list->ctx,
            "%.200s:%llu: rate '%s' is not known%s: such cables are compared without it, expected one as in HDR, "
            "4xHDR, HDR100 or 200G",
            p->file, (unsigned long long)p->unknown_line, p->unknown_rate, more);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static char *trim(char *s)
{
    s += strspn(s, " \t");
    for (size_t n = strlen(s); n && strchr(" \t", s[n - 1]);) s[--n] = 0;
    return s;
}

/* Cuts out the field that begins at text, and returns where the next one does, NULL: it was the last. Quotes are taken
 * off, a doubled one inside stays as one, and so is the apostrophe that keeps a name from being a formula. */
static char *csv_field(char *text, char **field)
{
    char *to = text, *from = text + strspn(text, " \t"), *next = NULL;
    bool quoted = *from == '"';
    for (from += quoted; *from; from++) {
        if (quoted && *from == '"' && from[1] == '"')
            from++;
        else if (quoted && *from == '"') {
            quoted = false;
            continue;
        } else if (!quoted && *from == ',') {
            next = from + 1;
            break;
        }
        *to++ = *from;
    }
    *to = 0;
    *field = hd_csv_value(trim(text));
    return next;
}

/* Fields of a line, in place. */
static hd_status csv_split(struct plan *p, char *line)
{
    p->nfield = 0;
    while (line) {
        if (!HD_MORE(p->list->arena, p->field, p->nfield, p->room)) return hd_fail_memory(p->list->ctx);
        line = csv_field(line, &p->field[p->nfield++]);
    }
    return HD_OK;
}

/* Which part a column is, PARTS: none of them. */
static int csv_part(const char *title)
{
    static const char *const names[][PARTS + 1] = {{"startdevice", "a-node", "srcdevice"},
                                                   {"startport", "a-port", "srcport"},
                                                   {"enddevice", "z-node", "dstdevice"},
                                                   {"endport", "z-port", "dstport"},
                                                   {"speed", "rate"}};
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; names[i][k]; k++)
            if (hd_strcasecmp(title, names[i][k]) == 0) return i;
    return PARTS;
}

/* Whether a line names the columns; then they are those. */
static hd_status csv_head(struct plan *p, const char *line, bool *head)
{
    int64_t column[PARTS] = {-1, -1, -1, -1, -1};
    *head = false;
    line += strspn(line, "# \t");
    if (hd_strncasecmp(line, "fields:", 7) == 0) line += 7;
    const size_t need = strlen(line) + 1;
    if (!p->copy || need > p->copy_room) {
        p->copy_room = 2 * need;
        if (!(p->copy = HD_NEW(p->list->arena, char, p->copy_room))) return hd_fail_memory(p->list->ctx);
    }
    memcpy(p->copy, line, need);
    HD_TRY(csv_split(p, p->copy));
    for (uint32_t i = 0; i < p->nfield; i++) {
        int part = csv_part(p->field[i]);
        if (part < PARTS && column[part] < 0) column[part] = i;
    }
    for (int i = 0; i < 4; i++)
        if (column[i] < 0) return HD_OK;
    memcpy(p->column, column, sizeof column);
    *head = true;
    return HD_OK;
}

static hd_status csv_line(struct plan *p, char *line)
{
    char *part[PARTS];
    static char none[] = "";
    bool head;
    uint8_t link;
    HD_TRY(csv_head(p, line, &head));
    if (head || *line == '#') return HD_OK;
    HD_TRY(csv_split(p, line));
    for (int i = 0; i < PARTS; i++) {
        bool there = p->column[i] >= 0 && p->column[i] < p->nfield;
        part[i] = there ? p->field[p->column[i]] : none;
        if (i < 4 && !*part[i])
            return hd_in_fail(p->list->ctx, p->in, "expected two devices with their ports, separated by commas");
    }
    if (!hd_plan_rate(part[SPEED], &link)) plan_unknown_rate(p, part[SPEED], strlen(part[SPEED]));
    return plan_add(p, part, link);
}

/* ---- topo ----------------------------------------------------------------------------------- */

/* "-4x-50G->", and its length. */
static bool topo_rate(const char *at, unsigned *width, double *gbps, int *used)
{
    int n = 0;
    char *end;
    if (sscanf(at, "-%2ux-%n", width, &n) != 1 || !n) return false;
    *gbps = hd_strtod(at + n, &end);
    if (end == at + n || strncmp(end, "G->", 3) != 0) return false;
    *used = (int)(end + 3 - at);
    return true;
}

/* The arrow, its width and rate, 0 where it has none; NULL: none in this line. */
static char *topo_arrow(char *line, char **end, unsigned *width, double *gbps)
{
    for (char *at = strchr(line, '-'); at; at = strchr(at + 1, '-')) {
        int used = 0;
        if (at > line && at[-1] != ' ' && at[-1] != '\t') continue;
        if (strncmp(at, "-->", 3) == 0) used = 3;
        const bool rated = !used && topo_rate(at, width, gbps, &used);
        if (!used) continue;
        if (!rated) *width = 0;
        *end = at + used;
        return at;
    }
    return NULL;
}

static hd_status topo_line(struct plan *p, char *line)
{
    char *end = NULL, *left[4] = {0}, *right[4] = {0}, *save;
    unsigned width = 0;
    double gbps = 0;
    struct hd_ctx *ctx = p->list->ctx;
    char *arrow = topo_arrow(line, &end, &width, &gbps);
    int nleft = 0, nright = 0;
    if (*line == '#') return HD_OK;
    const uint8_t link = width ? hd_plan_lanes(width, gbps) : 0;
    if (width && !link) plan_unknown_rate(p, arrow, (size_t)(end - arrow));
    if (arrow) *arrow = 0;
    for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
        if (nleft++ < 4) left[nleft - 1] = w;
    for (char *w = arrow ? strtok_r(end, " \t", &save) : NULL; w; w = strtok_r(NULL, " \t", &save))
        if (nright++ < 4) right[nright - 1] = w;
    if (!arrow) { /* a system: its model and its name, perhaps a configuration */
        if (nleft < 2 || strlen(left[1]) >= sizeof p->system)
            return hd_in_fail(ctx, p->in, "expected a model and a name, or PORT -4x-50G-> MODEL NAME PORT");
        strcpy(p->system, left[1]);
        return HD_OK;
    }
    if (nright != 3 || (nleft != 1 && nleft != 3) || (nleft == 1 && !*p->system))
        return hd_in_fail(ctx, p->in, "expected PORT -4x-50G-> MODEL NAME PORT below a line MODEL NAME, or all of it");
    char *const part[4] = {nleft == 3 ? left[1] : p->system, left[nleft - 1], right[1], right[2]};
    return plan_add(p, part, link);
}

/* ---- DOT ------------------------------------------------------------------------------------ */

/* A name, in quotes or not; false: none here. */
static bool dot_name(char **at, char name[HD_CABLES_TEXT])
{
    char *s = *at + strspn(*at, " \t");
    bool quoted = *s == '"';
    s += quoted;
    size_t n = quoted ? strcspn(s, "\"") : strcspn(s, " \t:;[]{}\"-");
    if (!n || n >= HD_CABLES_TEXT || (quoted && s[n] != '"')) return false;
    memcpy(name, s, n);
    name[n] = 0;
    *at = s + n + quoted;
    *at += strspn(*at, " \t");
    return true;
}

static bool dot_edge(char *line, char part[4][HD_CABLES_TEXT])
{
    char *at = line;
    for (int i = 0; i < 4; i++) {
        if (!dot_name(&at, part[i])) return false;
        if (i == 1 && strncmp(at, "--", 2) != 0 && strncmp(at, "->", 2) != 0) return false;
        if (i == 1) at += 2;
        if (i % 2 == 0 && *at++ != ':') return false;
    }
    return true;
}

static hd_status dot_line(struct plan *p, char *line)
{
    char part[4][HD_CABLES_TEXT], *open = strchr(line, '{');
    if (open && (strstr(line, "--") == NULL || strstr(line, "--") > open)) line = open + 1;
    for (char *next; line; line = next) { /* several edges may share a line */
        next = strchr(line, ';');
        if (next) *next++ = 0;
        line += strspn(line, " \t}");
        if (!*line || *line == '#' || strncmp(line, "//", 2) == 0) continue;
        if (!strstr(line, "--") && !strstr(line, "->")) continue; /* attributes and nodes */
        if (!dot_edge(line, part))
            return hd_in_fail(p->list->ctx, p->in, "expected \"node\":\"port\" -- \"node\":\"port\"");
        char *const end[4] = {part[0], part[1], part[2], part[3]};
        HD_TRY(plan_add(p, end, 0));
    }
    return HD_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* The form that a line begins; PLAN_UNKNOWN: none, or it is a comment. */
static enum plan_form find_form(char *line)
{
    char copy[1024], part[4][HD_CABLES_TEXT], *end;
    unsigned width;
    double gbps;
    snprintf(copy, sizeof copy, "%s", line);
    if (dot_edge(copy, part)) return PLAN_DOT;
    char *word = copy + strspn(copy, " \t");
    size_t n = strcspn(word, " \t{");
    if ((n == 5 && strncmp(word, "graph", 5) == 0) || (n == 7 && strncmp(word, "digraph", 7) == 0) ||
        (n == 6 && strncmp(word, "strict", 6) == 0))
        return PLAN_DOT;
    return topo_arrow(copy, &end, &width, &gbps) ? PLAN_TOPO : PLAN_UNKNOWN;
}

hd_status hd_plan_read(struct hd_cable_list *list, struct hd_in *in, bool *known)
{
    enum { EARLY = 2 }; /* lines of a topo file that may come before the first arrow: a system's */
    struct plan p = {.list = list, .in = in};
    char *line, first[HD_CABLES_TEXT] = "";
    size_t len;
    int seen = 0;
    *known = false;
    if (!(p.file = hd_strdup(list->arena, hd_in_name(in), strlen(hd_in_name(in))))) return hd_fail_memory(list->ctx);
    for (;;) {
        HD_TRY(hd_in_line(list->ctx, in, &line, &len));
        if (!line) {
            plan_note_rates(&p);
            return HD_OK;
        }
        line = trim(line);
        if (!*line) continue;
        if (p.form == PLAN_UNKNOWN) {
            bool head;
            HD_TRY(csv_head(&p, line, &head));
            p.form = head ? PLAN_CSV : find_form(line);
            if (p.form == PLAN_UNKNOWN && *line == '#') continue;
            if (p.form == PLAN_UNKNOWN && ++seen >= EARLY) return HD_OK;
            if (p.form == PLAN_UNKNOWN) {
                snprintf(first, sizeof first, "%.199s", line);
                continue;
            }
            *known = true;
            if (p.form == PLAN_TOPO && *first) HD_TRY(topo_line(&p, first));
        }
        if (p.form == PLAN_CSV) HD_TRY(csv_line(&p, line));
        if (p.form == PLAN_TOPO) HD_TRY(topo_line(&p, line));
        if (p.form == PLAN_DOT) HD_TRY(dot_line(&p, line));
    }
}
