/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle route: compute routes, say what came out, write them. */
#include "cli.h"

#include <string.h>

static const char *select_name(enum hd_select select)
{
    static const char *const names[] = {[HD_SELECT_ONE] = "one",
                                        [HD_SELECT_SOURCE] = "source",
                                        [HD_SELECT_PAIR] = "pair",
                                        [HD_SELECT_ALL] = "all",
                                        [HD_SELECT_PACKET] = "packet"};
    return names[select];
}

static hd_status describe(struct cli *cli, const struct hd_net *net, const struct hd_routes *r)
{
    struct hd_check k;
    struct hd_result efi;
    hd_status s = hd_routes_check(cli->ctx, r, &k);
    if (s == HD_OK) s = hd_eval(cli->ctx, r, &(struct hd_request){.metric = "efi"}, &efi);
    if (s != HD_OK) return s;
    uint64_t entries = (uint64_t)net->nep * hd_routes_variants(r) * net->nsw;
    if (cli->v.json) {
        struct hd_json j;
        hd_json_init(&j, cli->out);
        hd_json_open(&j, NULL, '{');
        hd_json_uint(&j, "schema", 1);
        hd_json_text(&j, "net", net->spec);
        hd_json_text(&j, "engine", hd_routes_spec(r));
        if (k.lanes)
            hd_json_uint(&j, "lanes", k.lanes);
        else
            hd_json_null(&j, "lanes");
        hd_json_uint(&j, "variants", hd_routes_variants(r));
        hd_json_text(&j, "select", select_name(hd_routes_select(r)));
        hd_json_uint(&j, "entries", entries);
        hd_json_uint(&j, "unused", k.unused);
        hd_json_real(&j, "efi", efi.value);
        hd_json_close(&j, '}');
        return HD_OK;
    }
    struct hd_out *o = cli->out;
    hd_printf(o, "network          %s\nengine           %s\n", net->spec, hd_routes_spec(r));
    hd_printf(o, "entries          %llu\n", (unsigned long long)entries);
    hd_printf(o, "variants         %u (%s)\n", hd_routes_variants(r), select_name(hd_routes_select(r)));
    if (k.lanes)
        hd_printf(o, "lanes            %u\n", k.lanes);
    else
        hd_puts(o, "lanes            unknown\n");
    hd_printf(o, "largest load     %.15g of all pairs (%s)\n", efi.value, efi.note);
    hd_printf(o, "unused channels  %u\n", k.unused);
    if (k.unreachable + k.loops) hd_printf(o, "unserved pairs   %llu\n", (unsigned long long)(k.unreachable + k.loops));
    return HD_OK;
}

static hd_status write_table(struct cli *cli, const struct hd_routes *r)
{
    struct hd_out *o;
    hd_status s = hd_out_open(cli->ctx, cli->v.output ? cli->v.output : "-", &o);
    if (s != HD_OK) return s;
    s = hd_routes_write(cli->ctx, r, cli->v.format ? cli->v.format : "lft", o);
    if (s == HD_OK) return hd_out_close(cli->ctx, o);
    hd_out_drop(o);
    return s;
}

/* A refusal is a fault found, not a failure; main prints only failures. */
static hd_status deploy(struct cli *cli, const struct hd_routes *r)
{
    hd_status s = hd_deploy(cli->ctx, r, cli->v.deploy, cli->v.force);
    if (s == HD_FAULT)
        fprintf(stderr, "heddle: %s ('heddle check' shows where; --force deploys anyway)\n", hd_ctx_error(cli->ctx));
    return s;
}

/* The engine with --roots as its parameter; spec has room bytes. */
static hd_status with_roots(struct cli *cli, const char *engine, char *spec, size_t room)
{
    size_t n = strcspn(engine, ":");
    char name[64];
    const struct hd_param *p = NULL;
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, engine);
    const struct hd_desc *d = hd_registry_find(cli->ctx, HD_ENGINES, name);
    for (p = d ? d->params : NULL; p && p->name && strcmp(p->name, "roots") != 0;) p++;
    if (!p || !p->name) return usage_error(cli, "--roots: %.60s takes no roots", engine);
    if (strstr(engine, "roots="))
        return usage_error(cli, "--roots and roots= of %s say the same: expected one of them", name);
    if ((size_t)snprintf(spec, room, "%s%croots=%s", engine, engine[n] ? ',' : ':', cli->v.roots) >= room)
        return usage_error(cli, "--roots: longer than %zu bytes", room);
    return HD_OK;
}

hd_status run_route(struct cli *cli)
{
    bool to_stdout = cli->v.output ? strcmp(cli->v.output, "-") == 0 : cli->v.format != NULL;
    struct hd_net *net;
    struct hd_routes *r;
    if (cli->v.json && to_stdout)
        return usage_error(cli, "--json and the table cannot both go to standard output: give -o FILE");
    if (cli->v.force && !cli->v.deploy) return usage_error(cli, "--force goes with --deploy");
    char spec[4096];
    const char *engine = cli->v.roots ? spec : cli->arg[1];
    hd_status s = cli->v.roots ? with_roots(cli, cli->arg[1], spec, sizeof spec) : HD_OK;
    if (s == HD_OK) s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = hd_routes_open(cli->ctx, net, engine, &r);
    if (s == HD_OK) {
        if (cli->v.deploy) s = deploy(cli, r);
        if (s == HD_OK && (cli->v.output || cli->v.format)) s = write_table(cli, r);
        if (s == HD_OK && !to_stdout) s = describe(cli, net, r);
        hd_routes_free(r);
    }
    hd_net_free(net);
    return s;
}
