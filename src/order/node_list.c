/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of nodes as people have them. A line is tried as one name first, since descriptions may hold blanks; then as a
 * line of the rank files we write (rank N=NAME slot=M, NAME NODE_RANK, LID NAME); then as words, each a host list, a
 * NAME:N, a GUID, or KEY=VALUE about the nodes of its line. A name on several lines in a row has as many ranks.
 * Names are looked up in sorted arrays: O(log hosts) each. */
#include "base/input.h"
#include "base/named.h"
#include "base/spec.h"
#include "base/status.h"
#include "heddle/order.h"
#include "net/core/hosts.h"
#include "net/core/labels.h"
#include "net/io/hostlist.h"
#include "order/node_lines.h"
#include "order/rank_file.h"
#include "order/order_check.h"
#include "route/core/endpoint_names.h"
#include "tool/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* LIST_BYTES: a line per slot, of more than any job has. */
enum { MAX_SLOTS = 65535, LIST_BYTES = 1 << 24 };

struct list_key {
    const char *name;
    uint32_t host;
};

struct list_reader {
    struct hd_ctx *ctx;
    const struct hd_net *net;
    struct hd_in *in;
    struct hd_arena *arena; /* of the result; NULL: of none in particular, as for several lists */
    struct hd_arena scratch;
    struct hd_endpoint_names names; /* of endpoints */
    struct list_key *by_name, *by_short;
    uint32_t nkey;
    uint32_t n, *host, *slots;
    uint32_t *place;               /* [nhost] index + 1 */
    uint64_t *line;                /* [nhost] where it was listed */
    uint32_t *times;               /* [nhost] lines of its own that a node has, by index */
    bool *listed;                  /* [nep] by a name of its own, not its host's */
    uint64_t alone;                /* lines that name one node */
    bool by_rank;                  /* each of them is a rank, not a node */
    bool numbered;                 /* lines end in the number of the node */
    bool *counts;                  /* [nhost] has endpoints that count */
    uint32_t *first;               /* [nhost + 1] those of a host are ep[first[h]] .. ep[first[h + 1] - 1] */
    uint32_t *ep;                  /* [nsel] */
    uint32_t from;                 /* first node of the current line */
    uint32_t usual;                /* slots where the list does not say */
    uint32_t unused, first_unused; /* rails that some nodes have and others lack */
};

static int list_by_key(const void *a, const void *b)
{
    const struct list_key *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->host > y->host) - (x->host < y->host);
}

static int by_natural(const void *a, const void *b)
{
    const struct list_key *x = a, *y = b;
    int order = hd_natural(x->name, y->name);
    return order ? order : (x->host > y->host) - (x->host < y->host);
}

/* Endpoints that count by their host, in order. */
static hd_status list_endpoints(struct list_reader *r)
{
    const struct hd_net *net = r->net;
    uint32_t *first = r->first = HD_NEW(&r->scratch, uint32_t, (size_t)net->nhost + 2);
    r->ep = HD_NEW(&r->scratch, uint32_t, net->nsel);
    if (!first || !r->ep) return hd_fail_memory(r->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) first[net->host[net->sel[i]] + 2]++;
    for (uint32_t h = 0; h < net->nhost; h++) first[h + 2] += first[h + 1];
    for (uint32_t i = 0; i < net->nsel; i++) r->ep[first[net->host[net->sel[i]] + 1]++] = net->sel[i];
    return HD_OK;
}

/* Hosts that count, each once. */
static hd_status list_hosts(struct list_reader *r)
{
    const struct hd_net *net = r->net;
    bool *seen = r->counts = HD_NEW(&r->scratch, bool, net->nhost);
    r->by_name = HD_NEW(&r->scratch, struct list_key, net->nhost);
    r->by_short = HD_NEW(&r->scratch, struct list_key, net->nhost);
    r->host = HD_NEW(r->arena ? r->arena : &r->scratch, uint32_t, net->nhost);
    r->slots = HD_NEW(r->arena ? r->arena : &r->scratch, uint32_t, net->nhost);
    r->place = HD_NEW(&r->scratch, uint32_t, net->nhost);
    r->line = HD_NEW(&r->scratch, uint64_t, net->nhost);
    r->times = HD_NEW(&r->scratch, uint32_t, net->nhost);
    r->listed = HD_NEW(&r->scratch, bool, net->nep);
    if (!seen || !r->by_name || !r->by_short || !r->host || !r->slots || !r->place || !r->line || !r->times ||
        !r->listed)
        return hd_fail_memory(r->ctx);
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t host = net->host[net->sel[i]];
        if (seen[host]) continue;
        seen[host] = true;
        const char *name = hd_host_name(net, host), *bare = hd_strdup(&r->scratch, name, strcspn(name, "."));
        if (!bare) return hd_fail_memory(r->ctx);
        r->by_name[r->nkey] = (struct list_key){name, host};
        r->by_short[r->nkey++] = (struct list_key){bare, host};
    }
    return list_endpoints(r);
}

/* First host of that name, and how many have it. */
static uint32_t list_find(const struct list_key *key, uint32_t n, const char *name, uint32_t *matches)
{
    const uint32_t i = hd_find_name(key, n, sizeof *key, name, matches);
    return i < n ? key[i].host : UINT32_MAX;
}

struct found {
    uint32_t host, ep; /* ep: the endpoint that was named, UINT32_MAX: the host was */
    uint32_t matches;
};

/* Whether all of text is letters, digits and ".-_", as a domain is: not several words, not NAME.DOMAIN:SLOTS. */
static bool is_domain(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == 0;
}

/* By host name, by the name or port GUID of an endpoint, by the host name without a domain. */
static struct found find_host(const struct list_reader *r, const char *text)
{
    struct found f = {.host = UINT32_MAX, .ep = UINT32_MAX};
    text += strspn(text, " \t");
    f.host = list_find(r->by_name, r->nkey, text, &f.matches);
    if (f.matches) return f;
    uint32_t e = hd_endpoint_names_find(&r->names, text, &f.matches);
    if (f.matches == 1) f = (struct found){r->net->host[e], e, 1};
    if (f.matches) return f;
    char bare[256];
    size_t len = strcspn(text, ".");
    if (len == 0 || len >= sizeof bare) return f;
    memcpy(bare, text, len);
    bare[len] = 0;
    bool domain = text[len] == '.';
    if (domain && !is_domain(text + len)) return f;
    f.host = list_find(domain ? r->by_name : r->by_short, r->nkey, bare, &f.matches);
    return f;
}

/* The host a mistyped name may mean; NULL: none is near. */
static const char *nearest_host(struct list_reader *r, const char *text)
{
    const char **all = HD_NEW(&r->scratch, const char *, r->nkey);
    for (uint32_t i = 0; all && i < r->nkey; i++) all[i] = r->by_name[i].name;
    return all && r->nkey <= 20000 ? hd_nearest(text, all, r->nkey) : NULL;
}

static hd_status list_unknown(struct list_reader *r, const char *text, uint32_t matches)
{
    if (matches > 1) return hd_in_fail(r->ctx, r->in, "'%.80s' names %u nodes: give port GUIDs", text, matches);
    const char *near = nearest_host(r, text);
    return hd_in_fail(r->ctx, r->in, "'%.80s': no node of the fabric has that name or GUID%s%.80s%s", text,
                      near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static hd_status list_add(struct list_reader *r, uint32_t host, uint32_t slots)
{
    if (r->place[host])
        return hd_in_fail(r->ctx, r->in, "node %.80s occurs twice, first on line %llu", hd_host_name(r->net, host),
                          (unsigned long long)r->line[host]);
    if (!r->counts[host])
        return hd_in_fail(r->ctx, r->in, "node %.80s is in the fabric but none of its endpoints count",
                          hd_host_name(r->net, host));
    r->line[host] = r->in ? hd_in_lineno(r->in) : 0;
    r->host[r->n] = host;
    r->slots[r->n] = slots;
    r->place[host] = ++r->n;
    return HD_OK;
}

/* A node on a line of its own. Repeated on the next line it stands for one more rank, or by another of its ports. */
static hd_status add_alone(struct list_reader *r, struct found f, uint32_t slots)
{
    bool again = r->n && r->host[r->n - 1] == f.host && r->times[r->n - 1];
    bool port = f.ep != UINT32_MAX, new_port = port && !r->listed[f.ep];
    if (port) r->listed[f.ep] = true;
    if (again && new_port) return HD_OK;
    if (!again || port) HD_TRY(list_add(r, f.host, slots));
    r->by_rank = r->by_rank || again;
    r->times[r->n - 1]++;
    r->alone++;
    return HD_OK;
}

static hd_status parse_slots(struct list_reader *r, const char *text, uint32_t *slots)
{
    uint64_t value;
    if (!hd_parse_u64(text, strlen(text), &value) || value == 0 || value > MAX_SLOTS)
        return hd_in_fail(r->ctx, r->in, "'%.40s': expected a number of slots from 1 to %d", text, MAX_SLOTS);
    *slots = (uint32_t)value;
    return HD_OK;
}

/* slots=N is about the nodes of this line so far; max_slots= and others are Open MPI's business. */
static hd_status list_set_key(struct list_reader *r, const char *word)
{
    const char *value = strchr(word, '=') + 1;
    bool known =
        strncmp(word, "slots=", 6) == 0 || strncmp(word, "max_slots=", 10) == 0 || strncmp(word, "max-slots=", 10) == 0;
    uint32_t slots = 1;
    if (!known || r->from == r->n) return hd_in_fail(r->ctx, r->in, "'%.80s': expected NAME slots=N", word);
    HD_TRY(parse_slots(r, value, &slots));
    for (uint32_t i = r->from; word[0] == 's' && i < r->n; i++) r->slots[i] = slots;
    return HD_OK;
}

static hd_status list_add_word(struct list_reader *r, char *word)
{
    struct found f = find_host(r, word);
    uint32_t slots = r->usual;
    if (f.matches == 1) return list_add(r, f.host, r->usual);
    char *colon = strrchr(word, ':');
    if (strchr(word, '=')) return list_set_key(r, word);
    if (colon && f.matches == 0) {
        *colon = 0;
        HD_TRY(parse_slots(r, colon + 1, &slots));
    }
    const char *const *name;
    uint32_t n;
    hd_status s = hd_hostlist_expand(r->ctx, &r->scratch, word, &name, &n);
    if (s != HD_OK) {
        char why[400];
        snprintf(why, sizeof why, "%.399s", r->ctx->error);
        return s == HD_INPUT ? hd_in_fail(r->ctx, r->in, "%s", why) : s;
    }
    for (uint32_t i = 0; i < n; i++) {
        f = find_host(r, name[i]);
        if (f.matches != 1) return list_unknown(r, name[i], f.matches);
        HD_TRY(list_add(r, f.host, slots));
    }
    return HD_OK;
}

/* ---- lines of rank files -------------------------------------------------------------------- */

static void list_trim(char *text)
{
    size_t len = strlen(text);
    while (len && strchr(" \t", text[len - 1])) text[--len] = 0;
}

static hd_status list_add_name(struct list_reader *r, const char *name)
{
    struct found f = find_host(r, name);
    return f.matches == 1 ? add_alone(r, f, r->usual) : list_unknown(r, name, f.matches);
}

/* Numbers count up from 0, or the order of the lines would not be that of the ranks. */
static hd_status expect_number(struct list_reader *r, const char *what, const char *text, size_t len, uint64_t number)
{
    uint64_t value;
    if (hd_parse_u64(text, len, &value) && value == number) return HD_OK;
    return hd_in_fail(r->ctx, r->in, "%s %.*s: expected %llu, numbers in order", what, (int)(len < 40 ? len : 40), text,
                      (unsigned long long)number);
}

/* Open MPI's rankfile: rank N=NAME slot=M. */
static hd_status add_rank(struct list_reader *r, char *line)
{
    char *number = line + 4 + strspn(line + 4, " \t"), *equals = strchr(number, '='), *slot;
    *equals = 0;
    list_trim(number);
    HD_TRY(expect_number(r, "rank", number, strlen(number), r->alone));
    if ((slot = strstr(equals + 1, " slot"))) *slot = 0;
    list_trim(equals + 1);
    r->by_rank = true;
    return list_add_name(r, equals + 1 + strspn(equals + 1, " \t"));
}

static bool is_rank(const char *line)
{
    size_t blanks = strncmp(line, "rank", 4) == 0 ? strspn(line + 4, " \t") : 0;
    const char *number = line + 4 + blanks;
    return blanks && strspn(number, "0123456789") && strchr(number, '=');
}

/* The last word of torchrun's lines, HOST NODE_RANK; NULL: it is no such line. */
static char *node_rank(const struct list_reader *r, char *line)
{
    char *last = line + strlen(line);
    while (last > line && !strchr(" \t", last[-1])) last--;
    if (last == line || !*last || last[strspn(last, "0123456789")]) return NULL;
    return r->numbered || find_host(r, last).matches == 0 ? last : NULL;
}

/* *done: it was a line of a rank file. */
static hd_status add_rank_line(struct list_reader *r, char *line, bool *done)
{
    char *tab = strncmp(line, "0x", 2) == 0 ? strchr(line, '\t') : NULL, *last;
    *done = true;
    if (is_rank(line)) return add_rank(r, line);
    if (tab && (size_t)(tab - line) == 2 + strspn(line + 2, "0123456789abcdef")) return list_add_name(r, tab + 1);
    if ((last = node_rank(r, line))) {
        HD_TRY(expect_number(r, "node", last, strlen(last), r->n));
        last[-1] = 0;
        list_trim(line);
        return list_add_name(r, line);
    }
    *done = false;
    return HD_OK;
}

/* Words end at blanks and at commas outside brackets. */
static hd_status add_line(struct list_reader *r, char *line)
{
    char *hash = strchr(line, '#');
    bool done;
    r->numbered = r->numbered || strcmp(line, HD_TORCHRUN_HEAD) == 0;
    if (hash && (hash == line || hash[-1] == ' ' || hash[-1] == '\t')) *hash = 0;
    line += strspn(line, " \t");
    list_trim(line);
    if (!*line) return HD_OK;
    r->from = r->n;
    struct found f = find_host(r, line);
    if (f.matches == 1) return add_alone(r, f, r->usual);
    HD_TRY(add_rank_line(r, line, &done));
    while (!done && *line) {
        char *end = line;
        for (int depth = 0; *end && (depth || !strchr(" \t,", *end)); end++) depth += (*end == '[') - (*end == ']');
        bool last = !*end;
        *end = 0;
        if (*line) HD_TRY(list_add_word(r, line));
        line = last ? end : end + 1;
    }
    return HD_OK;
}

static hd_status read_all(struct list_reader *r)
{
    for (;;) {
        char *line;
        size_t len;
        HD_TRY(hd_in_line(r->ctx, r->in, &line, &len));
        if (!line) break;
        HD_TRY(add_line(r, line));
    }
    if (r->n == 0) return hd_in_fail(r->ctx, r->in, "no node is listed");
    for (uint32_t i = 0; r->by_rank && i < r->n; i++)
        if (r->times[i]) r->slots[i] = r->times[i];
    return HD_OK;
}

/* ---- rails ---------------------------------------------------------------------------------- */

/* Of a listed node; a host has at most one on a rail. UINT32_MAX: none. */
static uint32_t rail_endpoint(const struct list_reader *r, uint32_t node, uint32_t rail)
{
    for (uint32_t i = r->first[r->host[node]]; i < r->first[r->host[node] + 1]; i++)
        if (r->net->rail[r->ep[i]] == rail) return r->ep[i];
    return UINT32_MAX;
}

/* A node that has no endpoint on the rail, and one that has: indexes. */
static void rail_differs(const struct list_reader *r, uint32_t rail, uint32_t *lacks, uint32_t *has)
{
    *lacks = *has = 0;
    while (*lacks < r->n - 1 && rail_endpoint(r, *lacks, rail) != UINT32_MAX) ++*lacks;
    while (*has < r->n - 1 && rail_endpoint(r, *has, rail) == UINT32_MAX) ++*has;
}

static void note_rails(const struct list_reader *r)
{
    uint32_t lacks, has;
    if (!r->unused) return;
    rail_differs(r, r->first_unused, &lacks, &has);
    hd_note(r->ctx, "%u rail%s not used: node %.80s has no endpoint on rail %u, which node %.80s has", r->unused,
            r->unused == 1 ? " is" : "s are", hd_host_name(r->net, r->host[lacks]), r->first_unused,
            hd_host_name(r->net, r->host[has]));
}

static hd_status fail_rails(const struct list_reader *r)
{
    uint32_t lacks, has;
    rail_differs(r, r->first_unused, &lacks, &has);
    return hd_fail(r->ctx, HD_INPUT,
                   "no rail is common to all nodes: node %.80s has no endpoint on rail %u, which node %.80s has",
                   hd_host_name(r->net, r->host[lacks]), r->first_unused, hd_host_name(r->net, r->host[has]));
}

/* Endpoints that count, by host and rail: of the rails that all nodes have, whichever is listed first. O(nodes). */
static hd_status fill_rails(struct list_reader *r, struct hd_nodes *nodes)
{
    uint32_t have[256] = {0}, rail[256], nrail = 0;
    for (uint32_t node = 0; node < r->n; node++)
        for (uint32_t i = r->first[r->host[node]]; i < r->first[r->host[node] + 1]; i++) have[r->net->rail[r->ep[i]]]++;
    r->unused = 0;
    for (uint32_t k = 0; k < 256; k++) {
        if (have[k] == r->n)
            rail[nrail++] = k;
        else if (have[k] && !r->unused++)
            r->first_unused = k;
    }
    if (!nrail) return fail_rails(r);
    uint32_t *ep = HD_NEW(r->arena, uint32_t, (size_t)r->n * nrail);
    if (!ep) return hd_fail_memory(r->ctx);
    for (uint32_t node = 0; node < r->n; node++)
        for (uint32_t k = 0; k < nrail; k++) ep[(size_t)node * nrail + k] = rail_endpoint(r, node, rail[k]);
    nodes->nrail = nrail;
    nodes->ep = ep;
    return HD_OK;
}

/* ---- all hosts -------------------------------------------------------------------------------- */

/* Rails of selected endpoints that most hosts have as many of: those of the first such host. */
static uint32_t usual_rails(const struct list_reader *r, const uint32_t *count, const bool *out, bool rail[256])
{
    const struct hd_net *net = r->net;
    uint32_t often[257] = {0}, usual = 0, first = UINT32_MAX;
    for (uint32_t h = 0; h < net->nhost; h++)
        if (count[h] && !out[h]) often[count[h]]++;
    for (uint32_t k = 1; k <= 256; k++)
        if (often[k] >= often[usual]) usual = k;
    for (uint32_t i = 0; i < net->nsel; i++) {
        uint32_t h = net->host[net->sel[i]];
        if (first == UINT32_MAX && !out[h] && count[h] == usual) first = h;
        if (h == first) rail[net->rail[net->sel[i]]] = true;
    }
    return usual;
}

/* Hosts that no launcher can address, and those that lack a rail of the others; none where too few would be left. */
static hd_status mark_left_out(struct list_reader *r, bool *out)
{
    const struct hd_net *net = r->net;
    uint32_t *count = HD_NEW(&r->scratch, uint32_t, net->nhost), *has = HD_NEW(&r->scratch, uint32_t, net->nhost);
    bool rail[256] = {false};
    if (!count || !has) return hd_fail_memory(r->ctx);
    HD_TRY(hd_hosts_nameless(r->ctx, net, out));
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->nkey; i++) {
        uint32_t h = r->by_name[i].host;
        out[h] |= hd_host_is_no_node(r->by_name[i].name);
        kept += !out[h];
    }
    for (uint32_t h = 0; h < net->nhost && 2 * kept < r->nkey; h++) out[h] = false;
    for (uint32_t i = 0; i < net->nsel; i++) count[net->host[net->sel[i]]]++;
    uint32_t usual = usual_rails(r, count, out, rail), lack = 0;
    for (uint32_t i = 0; i < net->nsel; i++) has[net->host[net->sel[i]]] += rail[net->rail[net->sel[i]]];
    for (uint32_t i = 0; i < r->nkey; i++) lack += has[r->by_name[i].host] < usual;
    for (uint32_t i = 0; i < r->nkey && 2 * lack < r->nkey; i++)
        out[r->by_name[i].host] |= has[r->by_name[i].host] < usual;
    return HD_OK;
}

/* Every host that counts, in natural order. */
static hd_status list_all(struct list_reader *r)
{
    uint32_t omitted = 0;
    const char *first = NULL;
    bool *out = HD_NEW(&r->scratch, bool, r->net->nhost);
    if (!out) return hd_fail_memory(r->ctx);
    qsort(r->by_name, r->nkey, sizeof *r->by_name, by_natural);
    HD_TRY(mark_left_out(r, out));
    for (uint32_t i = 0; i < r->nkey; i++) {
        uint32_t h = r->by_name[i].host;
        if (out[h]) {
            if (!omitted++) first = r->by_name[i].name;
            continue;
        }
        r->host[r->n] = h;
        r->slots[r->n] = r->usual;
        r->place[h] = ++r->n;
    }
    if (!r->n)
        return hd_fail(r->ctx, HD_INPUT, "%.200s: no nodes: %s", r->net->spec,
                       r->net->nep ? "no endpoint is selected" : "the network has no endpoint");
    if (omitted)
        hd_note(r->ctx, "%u host%s left out of the nodes, the first is '%.80s': no name of %s own, or not all rails",
                omitted, omitted == 1 ? " is" : "s are", first, omitted == 1 ? "its" : "their");
    return HD_OK;
}

/* A file, or where there is none of that name a host list or one node. */
static hd_status open_list(struct list_reader *r, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) == 0 || strchr(path, '/')) return hd_in_open(r->ctx, path, &r->in);
    if (!strpbrk(path, "[,")) {
        char name[256];
        const char *colon = strrchr(path, ':');
        snprintf(name, sizeof name, "%.*s", (int)(colon ? colon - path : 255), path);
        if (!find_host(r, path).matches && !find_host(r, name).matches) {
            const char *near = nearest_host(r, path);
            return hd_fail(r->ctx, HD_INPUT, "%.200s: neither a file nor a node of the fabric%s%.80s%s", path,
                           near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
    }
    return hd_in_memory(r->ctx, "node list", path, strlen(path), &r->in);
}

static hd_status list_sort_names(struct list_reader *r)
{
    HD_TRY(hd_endpoint_names_init(r->ctx, &r->scratch, r->net, &r->names));
    qsort(r->by_name, r->nkey, sizeof *r->by_name, list_by_key);
    qsort(r->by_short, r->nkey, sizeof *r->by_short, list_by_key);
    return HD_OK;
}

static hd_status list_read_nodes(struct list_reader *r, const char *path, struct hd_nodes *nodes)
{
    HD_TRY(list_hosts(r));
    if (path) {
        HD_TRY(list_sort_names(r));
        HD_TRY(open_list(r, path));
        hd_in_limit(r->in, LIST_BYTES);
        hd_status s = read_all(r);
        hd_in_close(r->in);
        HD_TRY(s);
    } else {
        HD_TRY(list_all(r));
    }
    HD_TRY(fill_rails(r, nodes));
    note_rails(r);
    nodes->n = r->n;
    nodes->host = r->host;
    nodes->slots = r->slots;
    nodes->ordered = path != NULL;
    return HD_OK;
}

static hd_status list_make(struct hd_ctx *ctx, const struct hd_net *net, struct hd_nodes **nodes,
                           struct hd_arena **arena)
{
    *nodes = hd_owned_new(sizeof **nodes, arena);
    if (!*nodes) return hd_fail_memory(ctx);
    (*nodes)->net = net;
    (*nodes)->arena = *arena;
    return HD_OK;
}

hd_status hd_nodes_read(struct hd_ctx *ctx, const struct hd_net *net, const char *path, uint32_t slots,
                        struct hd_nodes **nodes)
{
    struct hd_nodes *result = NULL;
    struct list_reader r = {.ctx = ctx, .net = net, .usual = slots ? slots : 1};
    if (slots > MAX_SLOTS) return hd_fail(ctx, HD_USAGE, "expected 1 to %d ranks for each node", MAX_SLOTS);
    HD_TRY(list_make(ctx, net, &result, &r.arena));
    hd_status s = list_read_nodes(&r, path, result);
    hd_arena_release(&r.scratch);
    if (s == HD_OK)
        *nodes = result;
    else
        hd_nodes_free(result);
    return s;
}

hd_status hd_nodes_pick(struct hd_ctx *ctx, const struct hd_nodes *nodes, const uint32_t *which, uint32_t n,
                        struct hd_nodes **picked)
{
    struct hd_nodes *p = NULL;
    struct hd_arena *a = NULL;
    if (n && !which) return hd_fail(ctx, HD_USAGE, "selection: expected which nodes, not NULL");
    HD_TRY(hd_indexes_check(ctx, "selection", which, n, nodes->n));
    HD_TRY(list_make(ctx, nodes->net, &p, &a));
    uint32_t *host, *slots, *ep = HD_NEW(a, uint32_t, (size_t)n * nodes->nrail);
    if (!HD_NEW_U32(a, n, &host, &slots) || !ep) {
        hd_nodes_free(p);
        return hd_fail_memory(ctx);
    }
    for (uint32_t i = 0; i < n; i++) {
        host[i] = nodes->host[which[i]];
        slots[i] = nodes->slots[which[i]];
        memcpy(ep + (size_t)i * nodes->nrail, nodes->ep + (size_t)which[i] * nodes->nrail, nodes->nrail * sizeof *ep);
    }
    p->n = n;
    p->nrail = nodes->nrail;
    p->host = host;
    p->slots = slots;
    p->ep = ep;
    p->ordered = nodes->ordered;
    *picked = p;
    return HD_OK;
}

/* ---- several lists ------------------------------------------------------------------------------ */

struct hd_node_lines {
    struct list_reader reader;
};

hd_status hd_node_lines_begin(struct hd_ctx *ctx, struct hd_arena *arena, const struct hd_net *net, struct hd_in *in,
                              struct hd_node_lines **lines)
{
    struct hd_node_lines *l = HD_NEW(arena, struct hd_node_lines, 1);
    if (!l) return hd_fail_memory(ctx);
    l->reader = (struct list_reader){.ctx = ctx, .net = net, .in = in, .usual = 1};
    *lines = l;
    HD_TRY(list_hosts(&l->reader));
    return list_sort_names(&l->reader);
}

static void list_forget(struct list_reader *r)
{
    for (uint32_t i = 0; i < r->n; i++) r->place[r->host[i]] = 0;
    memset(r->times, 0, r->n * sizeof *r->times);
    if (r->alone) memset(r->listed, 0, r->net->nep * sizeof *r->listed);
    r->n = 0;
    r->alone = 0;
    r->by_rank = r->numbered = false;
}

/* What was read, as a list of its own. */
static hd_status list_copy(struct list_reader *r, struct hd_nodes **nodes)
{
    struct hd_nodes *result = NULL, *copy = NULL;
    struct hd_arena *own = NULL;
    HD_TRY(list_make(r->ctx, r->net, &result, &own));
    r->arena = own; /* the endpoints are in it; hosts and slots are used again */
    hd_status s = fill_rails(r, result);
    r->arena = NULL;
    result->n = r->n;
    result->host = r->host;
    result->slots = r->slots;
    result->ordered = true;
    uint32_t *all = HD_NEW(own, uint32_t, r->n);
    for (uint32_t i = 0; all && i < r->n; i++) all[i] = i;
    if (s == HD_OK) s = all ? hd_nodes_pick(r->ctx, result, all, r->n, &copy) : hd_fail_memory(r->ctx);
    hd_nodes_free(result);
    list_forget(r);
    if (s == HD_OK) *nodes = copy;
    return s;
}

hd_status hd_node_lines_take(struct hd_node_lines *lines, char *text, struct hd_nodes **nodes)
{
    struct list_reader *r = &lines->reader;
    const struct hd_mark names = hd_arena_mark(&r->scratch);
    HD_TRY(add_line(r, text));
    hd_arena_rewind(&r->scratch, names);
    if (r->n == 0) return hd_in_fail(r->ctx, r->in, "no node is listed");
    return list_copy(r, nodes);
}

hd_status hd_node_lines_file(struct hd_node_lines *lines, const char *path, struct hd_nodes **nodes)
{
    struct list_reader *r = &lines->reader;
    struct hd_in *outer = r->in;
    const struct hd_mark names = hd_arena_mark(&r->scratch);
    HD_TRY(hd_in_open(r->ctx, path, &r->in));
    hd_in_limit(r->in, LIST_BYTES);
    hd_status s = read_all(r);
    hd_in_close(r->in);
    r->in = outer;
    hd_arena_rewind(&r->scratch, names);
    return s == HD_OK ? list_copy(r, nodes) : s;
}

void hd_node_lines_end(struct hd_node_lines *lines)
{
    if (lines) hd_arena_release(&lines->reader.scratch);
}

hd_status hd_nodes_fill(struct hd_ctx *ctx, struct hd_nodes *nodes, uint32_t slots)
{
    if (!slots || slots > MAX_SLOTS) return hd_fail(ctx, HD_USAGE, "expected 1 to %d ranks for each node", MAX_SLOTS);
    uint32_t *all = HD_NEW((struct hd_arena *)nodes->arena, uint32_t, nodes->n);
    if (!all) return hd_fail_memory(ctx);
    for (uint32_t i = 0; i < nodes->n; i++) all[i] = slots;
    nodes->slots = all;
    return HD_OK;
}

void hd_nodes_free(struct hd_nodes *nodes)
{
    if (nodes) hd_owned_free(nodes->arena);
}
