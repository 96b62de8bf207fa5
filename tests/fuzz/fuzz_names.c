/* SPDX-License-Identifier: BSD-2-Clause */
/* Hostile names of hosts, switches, the network, the table and the folder through every writer. JSON must be JSON,
 * markup well formed, and in formats of lines no name may add a line or a control byte: the same network with plain
 * names has as many lines. What has a reader is read back, and commands to copy must be the same to a shell, word by
 * word. Input: a byte that chooses the writer, then names separated by zero bytes. */
#include "as_file.h"
#include "folder.h"
#include "fuzz_input.h"
#include "order/rank_file.h"
#include "run_corpus.h"
#include "wellformed.h"

enum { SWITCHES = 3, HOSTS = 6, NAMES = SWITCHES + HOSTS + 1, LONGEST = 100 };

typedef char names[NAMES][LONGEST + 1];

static void split_names(struct choices *c, names name)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        size_t left = (size_t)(c->end - c->at), n = 0;
        while (n < left && c->at[n]) n++;
        size_t kept = n < LONGEST ? n : LONGEST;
        if (kept) memcpy(name[i], c->at, kept);
        name[i][kept] = 0;
        if (!kept) snprintf(name[i], LONGEST, i < SWITCHES ? "switch%u" : "host%u", i);
        c->at += n < left ? n + 1 : n;
    }
}

static void plain_names(names name)
{
    for (uint32_t i = 0; i < NAMES; i++) snprintf(name[i], LONGEST, i < SWITCHES ? "switch%u" : "host%u", i);
}

/* Two leaves of three hosts under one spine. */
static struct hd_net *named_net(struct hd_ctx *ctx, names name)
{
    struct hd_builder *b;
    struct hd_net *net = NULL;
    uint32_t sw[SWITCHES];
    fuzz_must(hd_builder_make(ctx, &b) == HD_OK, "builder", "names", ctx);
    for (uint32_t v = 0; v < SWITCHES; v++)
        sw[v] = hd_builder_switch(b, &(struct hd_switch_in){.name = name[v], .nports = 8, .lid = (uint16_t)(1 + v)});
    for (uint32_t i = 0; i < HOSTS; i++) {
        uint32_t a = hd_builder_adapter(b, &(struct hd_adapter_in){.name = name[SWITCHES + i], .nports = 1});
        uint32_t e = hd_builder_endpoint(b, a, 1, 0, (uint16_t)(10 + i));
        hd_builder_cable(b, sw[i % 2], 1 + i / 2, e, 1, 0);
    }
    for (uint32_t v = 0; v < 2; v++) hd_builder_cable(b, sw[v], 7, sw[2], 1 + v, 0);
    if (hd_builder_finish(ctx, b, name[NAMES - 1], &net) != HD_OK) return NULL;
    struct hd_net *shaped;
    fuzz_must(hd_net_infer(ctx, net, &shaped) == HD_OK, "infer", "names", ctx);
    hd_net_free(net);
    return shaped;
}

static struct hd_out *sink(struct hd_ctx *ctx)
{
    struct hd_out *o;
    fuzz_must(hd_out_memory(ctx, &o) == HD_OK, "memory", "names", ctx);
    return o;
}

/* ---- networks ------------------------------------------------------------------------------ */

static void read_net_back(struct hd_ctx *ctx, const struct hd_net *net, const char *text, size_t size)
{
    struct hd_net *again;
    struct hd_out *o = sink(ctx);
    size_t size2;
    fuzz_must(hd_net_read(ctx, as_file((const uint8_t *)text, size), NULL, &again) == HD_OK, "reading", "ibnet", ctx);
    fuzz_must(again->nsw == net->nsw && again->nep == net->nep, "another network", "ibnet", ctx);
    fuzz_must(hd_net_write(ctx, again, "ibnet", o) == HD_OK, "writing", "ibnet", ctx);
    const char *text2 = hd_out_text(o, &size2);
    const char *body = strchr(text, '\n'), *body2 = strchr(text2, '\n'); /* the first line names the source */
    fuzz_must(body && body2 && strcmp(body, body2) == 0, "another text", "ibnet", ctx);
    hd_out_drop(o);
    hd_net_free(again);
}

static uint32_t net_lines(struct hd_ctx *ctx, const struct hd_net *net, const char *format)
{
    struct hd_out *o = sink(ctx);
    size_t size;
    uint32_t lines = 0;
    hd_status s = hd_net_write(ctx, net, format, o);
    const char *text = hd_out_text(o, &size);
    if (s != HD_OK) {
        fuzz_refused(s, format, ctx);
    } else {
        if (strcmp(format, "json") == 0)
            check_json(text);
        else
            lines = check_lines(text, size, format);
        if (strcmp(format, "dot") == 0) check_dot(text);
        if (strcmp(format, "graphml") == 0 || strcmp(format, "svg") == 0) check_xml(text);
        if (strcmp(format, "ibnet") == 0) read_net_back(ctx, net, text, size);
    }
    hd_out_drop(o);
    return lines;
}

/* ---- tables and orders ---------------------------------------------------------------------- */

/* A path called as the network is, but for what no file name can have. */
static void name_path(const struct hd_net *net, const char *suffix, char *path, size_t room)
{
    int n = snprintf(path, room, "%s/", folder_base());
    snprintf(path + n, room - (size_t)n, "%.100s%s", net->spec, suffix);
    for (char *s = path + n; *s; s++)
        if (*s == '/') *s = '_';
}

/* The table of an engine, read from a file that is called as the network is. */
static struct hd_routes *named_table(struct hd_ctx *ctx, const struct hd_net *net, const char *engine)
{
    struct hd_routes *r, *named;
    struct hd_out *o = sink(ctx);
    char path[512];
    size_t size;
    fuzz_must(hd_routes_open(ctx, net, engine, &r) == HD_OK, "routes", engine, ctx);
    fuzz_must(hd_routes_write(ctx, r, "lft", o) == HD_OK, "writing", engine, ctx);
    const char *text = hd_out_text(o, &size);
    name_path(net, ".lft", path, sizeof path);
    FILE *file = fopen(path, "wb");
    fuzz_must(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "a file", path, ctx);
    fuzz_must(hd_routes_read(ctx, net, path, HD_USE_FIRST, &named) == HD_OK, "reading", path, ctx);
    unlink(path);
    hd_out_drop(o);
    hd_routes_free(r);
    return named;
}

static uint32_t table_lines(struct hd_ctx *ctx, const struct hd_net *net, const char *format)
{
    struct hd_routes *r = named_table(ctx, net, "minhop"), *again;
    struct hd_out *o = sink(ctx);
    size_t size;
    uint32_t lines = 0;
    hd_status s = hd_routes_write(ctx, r, format, o);
    const char *text = hd_out_text(o, &size);
    if (s != HD_OK) {
        fuzz_refused(s, format, ctx);
    } else {
        lines = check_lines(text, size, format);
        if (strncmp(format, "lft", 3) == 0) {
            const char *path = as_file((const uint8_t *)text, size);
            fuzz_must(hd_routes_read(ctx, net, path, HD_USE_FIRST, &again) == HD_OK, "reading", format, ctx);
            hd_routes_free(again);
        }
    }
    hd_out_drop(o);
    hd_routes_free(r);
    return lines;
}

static void read_order_back(struct hd_ctx *ctx, const struct hd_nodes *nodes, const char *text, size_t size,
                            const char *format)
{
    struct hd_nodes *again;
    const char *path = as_file((const uint8_t *)text, size);
    fuzz_must(hd_nodes_read(ctx, nodes->net, path, 1, &again) == HD_OK, "reading", format, ctx);
    fuzz_must(again->n == nodes->n, "another number of nodes", format, ctx);
    for (uint32_t i = 0; i < nodes->n; i++) fuzz_must(again->host[i] == nodes->host[i], "another host", format, ctx);
    hd_nodes_free(again);
}

static bool lists_nodes(const char *format)
{
    size_t i = 0;
    while (strcmp(hd_order_format_at(i)->name, format) != 0) i++;
    return hd_order_format_at(i)->lists;
}

static uint32_t order_lines(struct hd_ctx *ctx, const struct hd_net *net, const char *format)
{
    struct hd_nodes *nodes;
    struct hd_out *o;
    size_t size;
    uint32_t rank[HOSTS], each[HOSTS], lines = 0, repeated = 0, first;
    if (hd_nodes_read(ctx, net, NULL, 1, &nodes) != HD_OK) return 0;
    o = sink(ctx);
    for (uint32_t i = 0; i < HOSTS; i++) rank[i] = i;
    for (uint32_t i = 0; i < HOSTS; i++) each[i] = 1;
    hd_status s = hd_order_write(ctx, nodes, rank, each, format, o);
    const char *text = hd_out_text(o, &size);
    if (s != HD_OK) {
        fuzz_refused(s, format, ctx);
    } else {
        lines = check_lines(text, size, format);
        fuzz_must(hd_hosts_repeated(ctx, net, &repeated, &first) == HD_OK, "hosts", "names", ctx);
        if (!lists_nodes(format))
            lines = 0; /* settings: as many lines as names of devices give */
        else if (!repeated || strcmp(format, "guids") == 0)
            read_order_back(ctx, nodes, text, size, format); /* namesakes are warned of, and refused on reading */
    }
    hd_out_drop(o);
    hd_nodes_free(nodes);
    return lines;
}

/* ---- reports -------------------------------------------------------------------------------- */

static void report(struct hd_ctx *ctx, const struct hd_net *net, uint32_t which)
{
    static const char *const engines[] = {"minhop", "updown"};
    struct hd_advise_in in = {
        .net = net, .net_text = net->spec, .engine = engines, .nengine = 2, .compare_only = true, .command = net->spec};
    struct hd_report *r;
    struct hd_out *o = sink(ctx);
    size_t size;
    hd_status s = hd_advise(ctx, &in, &r);
    if (s != HD_OK) {
        fuzz_refused(s, "advise", ctx);
        hd_out_drop(o);
        return;
    }
    const struct hd_desc *chart = which > 2 ? hd_registry_at(ctx, HD_CHARTS, which - 3) : NULL;
    if (which == 0) s = hd_report_html(ctx, r, o);
    if (which == 1) s = hd_report_json(ctx, r, o);
    if (which == 2) s = hd_report_text(ctx, r, false, o);
    if (chart) s = hd_chart_svg(ctx, r, chart->name, 0, 0, o);
    const char *text = hd_out_text(o, &size);
    if (s != HD_OK) {
        fuzz_refused(s, "report", ctx);
    } else {
        if (which != 1) check_lines(text, size, "report");
        if (which == 0) check_markup(text, false);
        if (which == 1) check_json(text);
        if (chart) check_xml(text);
    }
    hd_out_drop(o);
    hd_report_free(r);
}

/* ---- folders -------------------------------------------------------------------------------- */

typedef hd_status (*filled)(struct hd_ctx *ctx, const struct hd_net *net, const char *path);

static hd_status fill_deployed(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    struct hd_routes *r = named_table(ctx, net, "updown");
    hd_status s = hd_deploy(ctx, r, path, false);
    hd_routes_free(r);
    return s;
}

static hd_status fill_advice(struct hd_ctx *ctx, const struct hd_net *net, const char *path, bool compare_only)
{
    static const char *const engines[] = {"updown", "minhop"};
    struct hd_advise_in in = {.net = net,
                              .net_text = net->spec,
                              .engine = engines,
                              .nengine = 2,
                              .command = "heddle",
                              .compare_only = compare_only};
    struct hd_report *r;
    hd_status s = hd_advise(ctx, &in, &r);
    if (s != HD_OK) return s;
    s = hd_advise_write(ctx, &in, r, path);
    hd_report_free(r);
    return s;
}

static hd_status fill_compared(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    return fill_advice(ctx, net, path, true);
}

/* With rank files, which takes longer. */
static hd_status fill_advised(struct hd_ctx *ctx, const struct hd_net *net, const char *path)
{
    return fill_advice(ctx, net, path, false);
}

static void read_folder_back(struct hd_ctx *ctx, const struct hd_net *net, const struct folder_file *file)
{
    const char *base = strrchr(file->name, '/') ? strrchr(file->name, '/') + 1 : file->name;
    if (strcmp(base, "net.ibnet") == 0) read_net_back(ctx, net, file->text, file->size);
    if (strcmp(base, "tables.lft") == 0) {
        struct hd_routes *r;
        const char *path = as_file((const uint8_t *)file->text, file->size);
        fuzz_must(hd_routes_read(ctx, net, path, HD_USE_FIRST, &r) == HD_OK, "reading", file->name, ctx);
        hd_routes_free(r);
    }
}

/* Hosts that launchers cannot name are left out of their files. */
static bool leaves_hosts_out(const struct hd_net *net, const struct folder_file *file)
{
    uint32_t odd = 0;
    for (uint32_t h = 0; h < net->nhost; h++) odd += !hd_rank_file_takes(hd_host_name(net, h));
    return odd && strncmp(file->name, "ranks/", 6) == 0;
}

static void compare_files(struct hd_ctx *ctx, const struct hd_net *net, const struct folder *f,
                          const struct folder *plain)
{
    for (uint32_t i = 0; i < f->n; i++) {
        const struct folder_file *file = &f->file[i], *other = folder_find(plain, file->name);
        const uint32_t lines = check_lines(file->text, file->size, file->name);
        read_folder_back(ctx, net, file);
        if (strstr(file->name, ".html")) check_markup(file->text, false);
        if (!other) fail_msg("%s: not with plain names", file->name);
        if (f->n != plain->n || strstr(file->name, ".html") || strstr(file->name, ".ibnet")) continue;
        /* Without a name that rank files can hold there is no rank order to suggest. */
        if (!strstr(file->text, "rank order") != !strstr(other->text, "rank order")) continue;
        const uint32_t expected = check_lines(other->text, other->size, file->name);
        if (lines != expected && !(lines < expected && leaves_hosts_out(net, file)))
            fail_msg("%s: other lines", file->name);
        if (strstr(file->name, "README")) check_commands(file->text, f->path, other->text, plain->path);
    }
}

static const filled folders[] = {fill_deployed, fill_compared, fill_advised};
enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* What a folder gets with plain names, made once. */
static const struct folder *plain_folder(struct hd_ctx *ctx, const struct hd_net *plain, uint32_t which)
{
    static struct folder made[FOLDERS];
    struct folder *f = &made[which];
    if (f->n) return f;
    name_path(plain, "-", f->path, sizeof f->path);
    fuzz_must(folders[which](ctx, plain, f->path) == HD_OK, "plain names", "folder", ctx);
    folder_take(f);
    return f;
}

static uint32_t count_nodes(struct hd_ctx *ctx, const struct hd_net *net)
{
    struct hd_nodes *nodes;
    if (hd_nodes_read(ctx, net, NULL, 1, &nodes) != HD_OK) return 0;
    uint32_t n = nodes->n;
    hd_nodes_free(nodes);
    return n;
}

/* Whether as many hosts as with plain names have names of their own; what looks like no name is no node. */
static bool hosts_apart(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_net *plain)
{
    uint32_t repeated = 0, first;
    fuzz_must(hd_hosts_repeated(ctx, net, &repeated, &first) == HD_OK, "hosts", "names", ctx);
    return net->nhost == plain->nhost && !repeated && count_nodes(ctx, net) == plain->nhost;
}

/* Everything that a folder gets, compared with what it gets with plain names. A name may be refused, and formats that
 * cannot hold a name be left out. */
static void compare_folders(struct hd_ctx *ctx, const struct hd_net *net, const struct hd_net *plain, uint32_t which)
{
    struct folder f;
    name_path(net, "+", f.path, sizeof f.path); /* never . or .. */
    hd_status s = folders[which](ctx, net, f.path);
    folder_take(&f);
    if (s != HD_OK) {
        fuzz_refused(s, "folder", ctx);
        fuzz_must(f.n == 0, "refused, with files left", "folder", ctx);
    } else if (hosts_apart(ctx, net, plain)) {
        compare_files(ctx, net, &f, plain_folder(ctx, plain, which));
    }
    folder_free(&f);
}

/* ---- all of them ---------------------------------------------------------------------------- */

typedef uint32_t (*counted)(struct hd_ctx *ctx, const struct hd_net *net, const char *format);

static const struct hd_net *plain_net(struct hd_ctx *ctx)
{
    static struct hd_net *plain;
    names name;
    plain_names(name);
    if (!plain) plain = named_net(ctx, name);
    return plain;
}

/* As many lines as with plain names, unless a name is refused or two hosts have the same. */
static void compare_lines(struct hd_ctx *ctx, const struct hd_net *net, const char *format, counted count)
{
    const struct hd_net *plain = plain_net(ctx);
    uint32_t lines = count(ctx, net, format), expected = count(ctx, plain, format);
    bool counts = strcmp(format, "svg") != 0 && strcmp(format, "ibnet") != 0; /* one wraps names, one is read back */
    if (counts && lines && lines != expected && hosts_apart(ctx, net, plain))
        fail_msg("%s: %u lines, %u with plain names", format, lines, expected);
}

static void write_names(struct hd_ctx *ctx, const struct hd_net *net, uint32_t which)
{
    enum { REPORTS = 9 };
    uint32_t n = 0, m = 0, k = 0;
    while (hd_net_format_at(n)) n++;
    while (hd_routes_format_at(m)) m++;
    while (hd_order_format_at(k)) k++;
    if (which < n)
        compare_lines(ctx, net, hd_net_format_at(which)->name, net_lines);
    else if (which - n < m)
        compare_lines(ctx, net, hd_routes_format_at(which - n)->name, table_lines);
    else if (which - n - m < k && net->nhost == HOSTS)
        compare_lines(ctx, net, hd_order_format_at(which - n - m)->name, order_lines);
    else if (which - n - m - k < FOLDERS)
        compare_folders(ctx, net, plain_net(ctx), which - n - m - k);
    else
        report(ctx, net, (which - n - m - k - FOLDERS) % REPORTS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices c = {data, data + size};
    struct hd_ctx ctx;
    names name;
    hd_ctx_init(&ctx);
    ctx.threads = 1;
    uint32_t which = choose(&c, 48);
    split_names(&c, name);
    struct hd_net *net = named_net(&ctx, name);
    if (!net) {
        fuzz_refused(HD_INPUT, "network", &ctx);
        return 0;
    }
    write_names(&ctx, net, which);
    hd_net_free(net);
    return 0;
}

FUZZ_MAIN("tests/fuzz/corpus_names")
