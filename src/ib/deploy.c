/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder with everything that OpenSM needs to run with given routes, and a README with the steps to load them and to
 * go back. All files are written or none (base/batch.h); the cost is that of writing the tables. */
#include "base/batch.h"
#include "base/comm.h"
#include "base/escape.h"
#include "base/status.h"
#include "heddle/ib.h"
#include "net/edit/lids.h"
#include "route/core/routes_levels.h"
#include "route/io/fmt_lft.h"
#include "route/io/route_formats.h"
#include "tool/words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_PAIRS = 4000,      /* endpoints up to which the VL of every pair is written for ibdmchk */
    MOST_ENTRIES = 1000000, /* up to which its tables are: they say again what tables.lft says */
    LARGE = 1600000,  /* from which tables have no port GUIDs, and their size is reported before they are written */
    LINE = 11,        /* bytes of an entry then */
    MOST_NAMED = 400, /* bytes of a spec in the comment of opensm.conf */
    CONF_LINE = 1022  /* bytes that OpenSM reads of opensm.conf at a time: what follows is a line of its own to it */
};

struct deploy_job {
    const struct hd_routes *r;
    const struct hd_net *net;
    const char *folder; /* absolute */
    char *word;         /* the folder as a shell reads it */
    struct hd_lids lids;
    struct hd_check check;
    bool lanes, roots, ibdm, psl, bits, large;
    bool single; /* one LID per node, as ibdmchk knows them */
};

static hd_status deploy_open(struct hd_ctx *ctx, const struct deploy_job *j, const char *name, struct hd_out **o)
{
    struct hd_arena a = {0};
    size_t n = strlen(j->folder) + strlen(name) + 2;
    char *path = HD_NEW(&a, char, n);
    if (!path) return hd_fail_memory(ctx);
    snprintf(path, n, "%s/%s", j->folder, name);
    hd_status s = hd_out_open(ctx, path, o);
    hd_arena_release(&a);
    return s;
}

static hd_status deploy_write(struct hd_ctx *ctx, const struct deploy_job *j, const char *name, const char *format)
{
    struct hd_out *o;
    HD_TRY(deploy_open(ctx, j, name, &o));
    return hd_out_end(ctx, o,
                      !format                        ? HD_OK
                      : strcmp(format, "ibnet") == 0 ? hd_net_write(ctx, j->net, format, o)
                                                     : hd_routes_write(ctx, j->r, format, o));
}

/* With the LIDs that OpenSM will give out, which differ from those of other tables where LMCs do. */
static hd_status deploy_write_tables(struct hd_ctx *ctx, const struct deploy_job *j)
{
    struct hd_out *o;
    HD_TRY(deploy_open(ctx, j, "tables.lft", &o));
    HD_TRY(hd_out_end(ctx, o, hd_lft_write_lids(ctx, j->r, &j->lids, j->large, o)));
    HD_TRY(deploy_open(ctx, j, "guid2lid", &o));
    hd_guid2lid_put(ctx, j->net, &j->lids, o);
    return hd_out_close(ctx, o);
}

/* ---- configuration ------------------------------------------------------------------------- */

static void put_sl2vl(const struct deploy_job *j, const char *key, struct hd_out *o)
{
    hd_printf(o, "%s ", key);
    for (uint32_t sl = 0; sl < 16; sl++) hd_printf(o, "%s%u", sl ? "," : "", hd_level_vl(j->r, sl));
    hd_puts(o, "\n");
}

static void put_conf(const struct deploy_job *j, struct hd_out *o)
{
    hd_puts(o, "# Routes of ");
    hd_put_visible(o, hd_routes_spec(j->r), MOST_NAMED);
    hd_puts(o, " on ");
    hd_put_visible(o, j->net->spec, MOST_NAMED);
    hd_printf(o, ", written by heddle %s.\n", hd_version());
    hd_printf(o, "routing_engine file\nlfts_file %s/tables.lft\n", j->folder);
    hd_printf(o, "lmc %u\nhonor_guid2lid_file TRUE\n", j->lids.lmc);
    if (j->lanes) {
        static const char *const keys[] = {"qos_sl2vl", "qos_ca_sl2vl", "qos_sw0_sl2vl", "qos_swe_sl2vl",
                                           "qos_rtr_sl2vl"};
        hd_printf(o, "qos TRUE\nqos_policy_file %s/qos-policy.conf\n", j->folder);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) put_sl2vl(j, keys[i], o);
    }
}

static bool conf_fits(const char *text)
{
    for (size_t n; *text; text += n + (text[n] != 0))
        if ((n = strcspn(text, "\n")) >= CONF_LINE) return false;
    return true;
}

static hd_status deploy_write_conf(struct hd_ctx *ctx, const struct deploy_job *j)
{
    struct hd_out *conf, *o;
    HD_TRY(hd_out_memory(ctx, &conf));
    put_conf(j, conf);
    const char *text = hd_out_text(conf, NULL);
    hd_status s =
        conf_fits(text)
            ? deploy_open(ctx, j, "opensm.conf", &o)
            : hd_fail(ctx, HD_INPUT, "%.100s...: OpenSM cannot read a path of %zu bytes: its lines have up to %d",
                      j->folder, strlen(j->folder), CONF_LINE - 1);
    if (s == HD_OK) {
        hd_puts(o, text);
        hd_out_pass_error(conf, o);
        s = hd_out_close(ctx, o);
    }
    hd_out_drop(conf);
    return s;
}

/* ---- README -------------------------------------------------------------------------------- */

/* A connection uses one service level both ways: whether that of a pair differs with the direction. */
static bool levels_differ_by_direction(const struct hd_routes *r)
{
    const struct hd_net *net = hd_routes_net(r);
    for (uint32_t i = 0; i < net->nsel; i++)
        for (uint32_t k = 0; k < i; k++)
            if (hd_routes_level(r, net->sel[i], net->sel[k], 0) != hd_routes_level(r, net->sel[k], net->sel[i], 0))
                return true;
    return false;
}

static void put_verdict(const struct deploy_job *j, struct hd_out *o)
{
    const struct hd_check *k = &j->check;
    hd_puts(o, "Routes of ");
    hd_put_plain(o, hd_routes_spec(j->r));
    hd_puts(o, "\non ");
    hd_put_plain(o, j->net->spec);
    hd_printf(o, ":\n%u endpoints, %u switches, %u VL%s, %u LID%s per endpoint.\n\n", j->net->nep, j->net->nsw,
              k->lanes, k->lanes == 1 ? "" : "s", 1u << j->lids.lmc, j->lids.lmc ? "s" : "");
    hd_printf(o, "Checked: %llu pairs, %llu without a path, %llu with a path that is not minimal; deadlock-free: %s.\n",
              (unsigned long long)k->pairs, (unsigned long long)(k->unreachable + k->loops),
              (unsigned long long)k->nonminimal,
              k->deadlock_free > 0   ? "yes, proved"
              : k->deadlock_free < 0 ? "not known"
                                     : "NO");
    if (k->others.pairs)
        hd_printf(o, "Other endpoints: %llu pairs with them, %llu without a path.\n",
                  (unsigned long long)k->others.pairs, (unsigned long long)(k->others.unreachable + k->others.loops));
    if (k->others.unchecked) hd_printf(o, "Not selected and not checked: %u endpoints.\n", k->others.unchecked);
    if (hd_check_faulty(k) || k->deadlock_free < 1)
        hd_puts(o, "THIS CHECK FAILED. The files were written because deployment was forced.\n");
    if (j->lanes && levels_differ_by_direction(j->r))
        hd_puts(o, "\nNote: the VLs of the two directions of some pairs differ. A connection uses the service level of "
                   "its path record\n"
                   "in both directions, so replies travel in the VL of the request, which the proof above does not "
                   "cover.\n");
}

/* OpenSM programs all LIDs of a port and hands out the first: the others are for those who send. */
static void put_choice(const struct deploy_job *j, struct hd_out *o)
{
    uint32_t nvar = hd_routes_variants(j->r);
    if (nvar == 1) return;
    hd_printf(
        o,
        "\nWho picks the LID\n\n"
        "Every endpoint has %u paths, base LID + 0 to + %u. OpenSM only programs them; the sender must pick one.\n"
        "Software that does not pick uses the base LID, which works but is path 0 for all senders.\n\n",
        nvar, nvar - 1);
    switch (hd_routes_select(j->r)) {
    case HD_SELECT_SOURCE:
        hd_puts(o, "Here the source decides: an endpoint adds the same number to the base LID of all its destinations. "
                   "The file\n"
                   "path-bits lists it (port GUID, number). With UCX, set UCX_IB_LID_PATH_BITS to that number for its "
                   "processes.\n");
        break;
    case HD_SELECT_PAIR:
        hd_puts(o,
                "Here each pair has its own number, in the lines '# heddle pairs' of tables.lft. No MPI library picks "
                "per pair:\n"
                "the program that makes the connections must set the LID of the destination.\n");
        break;
    case HD_SELECT_ALL:
        hd_printf(o,
                  "Here each pair distributes its traffic equally over all of them: %u connections, one to each LID. "
                  "With UCX,\n"
                  "UCX_IB_NUM_PATHS=%u does this.\n",
                  nvar, nvar);
        break;
    default:
        hd_puts(o, "Here the sender picks a path for every packet, which needs hardware or software that does so.\n");
    }
}

static void put_steps(const struct deploy_job *j, struct hd_out *o)
{
    const char *f = j->word;
    hd_puts(o, "\nTo load the tables (as root, on the host of the subnet manager; first stop other subnet managers or "
               "make them standby)\n\n");
    hd_puts(o, "    cp -p /var/cache/opensm/guid2lid /var/cache/opensm/guid2lid.before      # if it exists\n"
               "    cp -p /etc/opensm/opensm.conf /etc/opensm/opensm.conf.before            # if it exists\n");
    hd_printf(o, "    cp %s/guid2lid /var/cache/opensm/guid2lid\n", f);
    hd_printf(o, "    cat %s/opensm.conf >>/etc/opensm/opensm.conf\n", f);
    hd_puts(
        o, "    opensm -B                                                               # or systemctl restart opensm\n"
           "\nThe lines that this adds override those of the same names before them; everything else of the site's "
           "configuration stays.\n"
           "If OpenSM cannot load a table, it falls back to another engine and says so only in its log. The tables "
           "are loaded if\n\n"
           "    grep 'file tables configured' /var/log/opensm.log && grep 'SUBNET UP' /var/log/opensm.log\n\n");
    hd_printf(
        o,
        "finds both lines, and if the switches hold the same entries:\n\n"
        "    dump_fts > now.lft && heddle diff %s/net.ibnet %s/tables.lft now.lft\n\n"
        "Tables from a file do not heal: when a cable or a switch fails, the pairs whose path led there have none "
        "until the\n"
        "tables are computed and loaded again. The plug-in heddle-opensm (man heddle-opensm) routes again by "
        "itself.\n",
        f, f);
    hd_puts(
        o, "\nTo roll back\n\n"
           "    pkill opensm                                                            # or systemctl stop opensm\n"
           "    mv /var/cache/opensm/guid2lid.before /var/cache/opensm/guid2lid\n"
           "    mv /etc/opensm/opensm.conf.before /etc/opensm/opensm.conf\n"
           "    opensm -B                                                               # or systemctl start opensm\n");
}

static void put_files(const struct deploy_job *j, struct hd_out *o)
{
    hd_printf(o, "\nFiles\n\n    tables.lft        forwarding tables; %s\n",
              j->large ? "by LID alone, which is six times smaller: they are valid with the LIDs in guid2lid only"
                       : "matched by port GUIDs, so they remain valid when LIDs change");
    hd_puts(o, "    guid2lid          the LIDs that they were made for\n"
               "    opensm.conf       the options that OpenSM needs\n");
    if (j->lanes) hd_puts(o, "    qos-policy.conf   the VL of every pair as a service level\n");
    if (j->bits) hd_puts(o, "    path-bits         which of the LIDs of a destination each endpoint sends to\n");
    if (j->roots) hd_puts(o, "    roots             top switches, for engines of OpenSM that need them (opensm -a)\n");
    hd_puts(o, "    cns, order        compute nodes (opensm -u) and their order (opensm -X), likewise\n"
               "    net.ibnet         the network that they are for\n");
    if (j->ibdm)
        hd_printf(
            o,
            "    ibdm/             for an independent check: cd ibdm && ibdmchk -s opensm-subnet.lst -f opensm.fdbs "
            "-m opensm.mcfdbs%s\n",
            j->psl ? " -c psl -d slvl" : "");
    else if (j->single)
        hd_puts(o, "\nFor an independent check with ibdmchk, which takes another copy of the tables:\n"
                   "    heddle route net.ibnet tables.lft --format fdbs -o opensm.fdbs\n"
                   "    heddle route net.ibnet tables.lft --format subnet -o opensm-subnet.lst\n"
                   "    : >opensm.mcfdbs; ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs\n");
}

static hd_status deploy_write_readme(struct hd_ctx *ctx, const struct deploy_job *j)
{
    struct hd_out *o;
    HD_TRY(deploy_open(ctx, j, "README", &o));
    put_verdict(j, o);
    put_choice(j, o);
    put_steps(j, o);
    put_files(j, o);
    return hd_out_close(ctx, o);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static hd_status deploy_refuse(struct hd_ctx *ctx, const struct deploy_job *j)
{
    const struct hd_check *k = &j->check;
    if (k->unreachable + k->loops)
        return hd_fail(ctx, HD_FAULT, "not deployed: %llu pairs have no path",
                       (unsigned long long)(k->unreachable + k->loops));
    if (k->others.unreachable + k->others.loops)
        return hd_fail(ctx, HD_FAULT, "not deployed: %llu pairs with storage, management or the like have no path",
                       (unsigned long long)(k->others.unreachable + k->others.loops));
    if (k->others.choices)
        return hd_fail(ctx, HD_FAULT,
                       "not deployed: %llu pairs with storage, management or the like may fail by some choice",
                       (unsigned long long)k->others.choices);
    if (hd_check_faulty(k) && k->deadlock_free)
        return hd_fail(ctx, HD_FAULT, "not deployed: LIDs of switches, or further LIDs, are misrouted (see check)");
    if (k->deadlock_free == 1) return HD_OK;
    return hd_fail(ctx, HD_FAULT, "not deployed: %s",
                   k->deadlock_free == 0 ? "the routes can deadlock"
                                         : "the VLs are not known, and one VL can deadlock");
}

static hd_status deploy_write_ibdm(struct hd_ctx *ctx, struct deploy_job *j)
{
    char path[16] = "ibdm";
    struct hd_arena a = {0};
    size_t n = strlen(j->folder) + sizeof path + 1;
    char *sub = HD_NEW(&a, char, n);
    if (!sub) return hd_fail_memory(ctx);
    snprintf(sub, n, "%s/%s", j->folder, path);
    hd_status s = hd_batch_folder(ctx, sub, "deploy");
    hd_arena_release(&a);
    HD_TRY(s); /* something else of that name is no matter of lanes */
    s = deploy_write(ctx, j, "ibdm/opensm-subnet.lst", "subnet");
    if (s == HD_OK) s = deploy_write(ctx, j, "ibdm/opensm.fdbs", "fdbs");
    if (s == HD_OK) s = deploy_write(ctx, j, "ibdm/opensm.mcfdbs", NULL);
    if (s == HD_OK && j->psl) s = deploy_write(ctx, j, "ibdm/psl", "psl");
    if (s == HD_INPUT && j->psl) { /* ports of an adapter differ in lanes: ibdmchk cannot be told, OpenSM can */
        j->psl = false;
        s = HD_OK;
    }
    if (s == HD_OK && j->psl) s = deploy_write(ctx, j, "ibdm/slvl", "slvl");
    return s;
}

/* Files of an earlier run that these routes do not need would contradict the README. */
static hd_status deploy_drop_stale(struct hd_ctx *ctx, const struct deploy_job *j)
{
    const struct {
        const char *name;
        bool needed;
    } file[] = {{"qos-policy.conf", j->lanes},
                {"path-bits", j->bits},
                {"roots", j->roots},
                {"lid-matrix", false},
                {"ibdm/opensm-subnet.lst", j->ibdm},
                {"ibdm/opensm.fdbs", j->ibdm},
                {"ibdm/opensm.mcfdbs", j->ibdm},
                {"ibdm/psl", j->psl},
                {"ibdm/slvl", j->psl}};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s/%s", j->folder, file[i].name);
        if (!file[i].needed) HD_TRY(hd_batch_remove(ctx, path));
    }
    return HD_OK;
}

static hd_status deploy_write_all(struct hd_ctx *ctx, struct deploy_job *j)
{
    if (j->lanes) HD_TRY(deploy_write(ctx, j, "qos-policy.conf", "qos-policy"));
    if (j->bits) HD_TRY(deploy_write(ctx, j, "path-bits", "path-bits"));
    HD_TRY(deploy_write_tables(ctx, j));
    if (j->roots) HD_TRY(deploy_write(ctx, j, "roots", "roots"));
    HD_TRY(deploy_write(ctx, j, "cns", "cns"));
    HD_TRY(deploy_write(ctx, j, "order", "order"));
    HD_TRY(deploy_write(ctx, j, "net.ibnet", "ibnet"));
    if (j->ibdm) HD_TRY(deploy_write_ibdm(ctx, j));
    HD_TRY(deploy_drop_stale(ctx, j)); /* now that it is known what can be written */
    HD_TRY(deploy_write_conf(ctx, j));
    return deploy_write_readme(ctx, j);
}

/* Before anything is written: whether LIDs and lanes can be expressed at all. */
static hd_status deploy_plan(struct hd_ctx *ctx, struct hd_arena *a, struct deploy_job *j)
{
    const struct hd_routes *r = j->r;
    const struct hd_net *net = j->net;
    uint32_t nvar = hd_routes_variants(r);
    struct hd_out *o;
    HD_TRY(hd_lids_plan_even(ctx, a, net, nvar, &j->lids));
    const bool levels = r->lane_rule != HD_LANE_UNKNOWN && (r->leaf_level || r->pair_level);
    j->lanes = hd_routes_lanes(r) > 1 || hd_routes_lane_rule(r) == HD_LANE_HOP || levels;
    double entries = ((double)net->nep * nvar + net->nsw) * net->nsw;
    j->single = hd_lids_several(&j->lids, net) == UINT32_MAX;
    j->ibdm = j->single && entries <= MOST_ENTRIES;
    j->large = entries > LARGE;
    if (j->large) hd_note(ctx, "deploy: %.1f million entries take about %.0f MB", entries / 1e6, entries * LINE / 1e6);
    j->psl = j->ibdm && j->lanes && net->nep <= MOST_PAIRS;
    j->bits = nvar > 1 && hd_routes_select(r) == HD_SELECT_SOURCE;
    for (uint32_t v = 0; v < net->nsw; v++) j->roots |= net->level[v] != HD_NO_LEVEL && net->level[v] > 1;
    if (!j->lanes) return HD_OK;
    HD_TRY(hd_out_memory(ctx, &o));
    hd_status s = hd_routes_write(ctx, r, "qos-policy", o);
    hd_out_drop(o);
    return s;
}

/* OpenSM takes the rest of a line for a path, blanks and quotes included, except for what follows a #. The README has
 * the path in commands, where a control character would act on the terminal that shows them. */
static hd_status deploy_check_path(struct hd_ctx *ctx, const char *path)
{
    if (strchr(path, '#')) return hd_fail(ctx, HD_INPUT, "%.300s: OpenSM cannot read a path with a #", path);
    if (hd_has_controls(path))
        return hd_fail(ctx, HD_INPUT, "%.300s: a path with control characters cannot be used in steps to copy", path);
    return HD_OK;
}

static hd_status deploy_write_folder(struct hd_ctx *ctx, struct deploy_job *j, const char *folder)
{
    HD_TRY(hd_batch_folder(ctx, folder, "deploy"));
    bool writes = hd_comm_rank(ctx->comm) == 0; /* the others need not see the folder, they only keep in step */
    char *absolute = writes ? realpath(folder, NULL) : strdup(folder);
    if (!absolute) return hd_fail(ctx, HD_LIMIT, "%.300s: %s", folder, strerror(errno));
    j->folder = absolute;
    j->word = malloc(4 * strlen(absolute) + 3);
    if (j->word) hd_shell_word(j->word, absolute);
    hd_status s = j->word ? deploy_check_path(ctx, absolute) : hd_fail_memory(ctx);
    if (s == HD_OK) s = deploy_write_all(ctx, j);
    free(j->word);
    free(absolute);
    return s;
}

hd_status hd_deploy(struct hd_ctx *ctx, const struct hd_routes *r, const char *folder, bool force)
{
    struct hd_arena scratch = {0};
    struct deploy_job j = {.r = r, .net = hd_routes_net(r)};
    size_t mark;
    HD_TRY(hd_given(ctx, folder, "a folder to write"));
    HD_TRY(hd_routes_check(ctx, r, &j.check));
    if (!force) HD_TRY(deploy_refuse(ctx, &j));
    hd_status s = deploy_plan(ctx, &scratch, &j);
    if (s == HD_OK && (s = hd_batch_begin(ctx, &mark)) == HD_OK)
        s = hd_batch_end(ctx, mark, deploy_write_folder(ctx, &j, folder));
    hd_arena_release(&scratch);
    return s;
}
