/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle transition: whether one table can replace another in any order of writes, and if not, in which steps. Exit
 * status 1 when no proved order of updates is known. */
#include "cli.h"
#include "table.h"

#include <string.h>

static const char *const transition_verdicts[] = {
    [HD_ANY_ORDER] = "any-order", [HD_ORDERED] = "ordered", [HD_DRAIN] = "drain", [HD_UNPROVED] = "unproved"};

static const char *transition_text(const struct hd_transition *t)
{
    if (t->verdict == HD_ANY_ORDER && t->nsteps == 0) return "any-order: the tables are the same";
    /* else the proof is about packets between endpoints */
    const bool whole = !(t->rest_unproved + t->rest_loops) && t->aggregation_covered;
    switch (t->verdict) {
    case HD_ANY_ORDER:
        return whole ? "any-order: every mixture of old and new entries is safe, proved"
                     : "any-order: every mixture of old and new entries is safe for packets between endpoints, proved";
    case HD_ORDERED:
        return whole ? "ordered: safe in steps, each proved for any order of writes within it"
                     : "ordered: safe in steps for packets between endpoints, each proved for any order of writes";
    case HD_DRAIN: return "drain: no sequence of tables is safe unless some destinations receive nothing meanwhile";
    case HD_UNPROVED: break;
    }
    if (t->direct->cut) return "unproved: the new table itself cuts pairs that the old one serves";
    if (!t->new_safe) return "unproved: the new table alone has loops or credit loops";
    if (!t->old_safe) return "unproved: the old table alone has loops or credit loops";
    if (t->rest_cut)
        return "unproved: the new table itself cuts LIDs of switches or further LIDs that the old one reaches";
    if (t->rest_loops) return "unproved: meanwhile, packets to further LIDs may loop";
    if (t->direct->adaptive)
        return "unproved: a table is adaptive, and switches keep groups of ports apart from entries";
    return "unproved: not safe in any order, and no safe order was found";
}

/* The worst of a transition there and back, or of the only one. */
static enum hd_transition_verdict worst_verdict(const struct hd_transition *t, const struct hd_maintenance *m)
{
    if (m && !m->returns) return HD_UNPROVED;
    return m && m->back->verdict > t->verdict ? m->back->verdict : t->verdict;
}

/* In words, with the part that it comes from. */
static void print_verdict(struct hd_out *o, const struct hd_transition *t, const struct hd_maintenance *m)
{
    if (m && !m->returns && t->verdict != HD_UNPROVED)
        hd_puts(o, "verdict          unproved: the entries of what comes back\n");
    else if (m && m->back->verdict > t->verdict)
        hd_printf(o, "verdict          %s (on return)\n", transition_text(m->back));
    else
        hd_printf(o, "verdict          %s\n", transition_text(t));
}

static uint32_t steps_back(const struct hd_maintenance *m)
{
    return m->back->nsteps + m->rewrites;
}

/* LIDs of switches and further LIDs, there or back. */
static uint64_t others_unproved(const struct hd_transition *t, const struct hd_maintenance *m)
{
    return m && m->back->rest_unproved > t->rest_unproved ? m->back->rest_unproved : t->rest_unproved;
}

/* Whether packets of aggregation nodes are proved as all others are, there and back. */
static bool aggregation_covered(const struct hd_transition *t, const struct hd_maintenance *m)
{
    return t->aggregation_covered && (!m || m->back->aggregation_covered);
}

static uint64_t others_loop(const struct hd_transition *t, const struct hd_maintenance *m)
{
    return m && m->back->rest_loops > t->rest_loops ? m->back->rest_loops : t->rest_loops;
}

static void print_transition_json(struct cli *cli, const struct hd_routes *old, const struct hd_transition *t,
                                  const char *to, const struct hd_maintenance *m)
{
    const struct hd_net *net = hd_routes_net(old);
    const struct hd_mixture *d = t->direct;
    struct hd_json j;
    hd_json_begin(&j, cli->out);
    hd_json_fields(&j, hd_text("net", net->spec), hd_text("from", hd_routes_spec(old)), hd_text("to", to),
                   hd_text("verdict", transition_verdicts[worst_verdict(t, m)]), hd_uint("steps", t->nsteps),
                   hd_uint("other_lids_loop", others_loop(t, m)), hd_uint("other_lids_unproved", others_unproved(t, m)),
                   hd_uint("other_lids_cut", t->rest_cut));
    if (m) hd_json_fields(&j, hd_text("without", cli->v.without), hd_uint("steps_back", steps_back(m)));
    hd_json_open(&j, "drain", '[');
    for (uint32_t i = 0; i < t->ndrain; i++)
        hd_json_fields(&j, hd_text(NULL, hd_node_name(net, net->nsw + t->drain[i])));
    hd_json_close(&j, ']');
    hd_json_fields(&j, hd_uint("changed", d->changed), hd_uint("pairs", d->pairs),
                   hd_uint("vls_changed", d->vls_changed), hd_uint("loops", d->loops), hd_uint("drops", d->drops),
                   hd_uint("credit_loops", d->credit_loops), hd_bool("old_levels", t->old_levels));
    if (m) hd_json_fields(&j, hd_bool("old_levels_back", m->back->old_levels));
    hd_json_fields(&j, hd_bool("aggregation_covered", aggregation_covered(t, m)));
    hd_json_fields(&j, hd_text("method", t->method));
    hd_json_close(&j, '}');
}

static void print_mixtures(struct hd_out *o, const struct hd_net *net, const struct hd_mixture *m)
{
    if (m->pairs < (uint64_t)net->nep * (net->nep - 1))
        hd_printf(o, "pairs            %llu of selected endpoints; others are not part of the proof\n",
                  (unsigned long long)m->pairs);
    hd_printf(o, "rows changed     %llu of %llu LIDs\n", (unsigned long long)m->changed, (unsigned long long)m->rows);
    if (m->vls_changed)
        hd_printf(o, "VLs changed      %llu of %llu pairs\n", (unsigned long long)m->vls_changed,
                  (unsigned long long)m->pairs);
    hd_printf(o, "can loop         %llu", (unsigned long long)m->loops);
    if (m->loops) hd_printf(o, ", for example packets to %s", hd_node_label(net, net->nsw + m->loop));
    hd_printf(o, "\ncan drop         %llu", (unsigned long long)m->drops);
    if (m->drops) hd_printf(o, ", for example packets to %s", hd_node_label(net, net->nsw + m->drop));
    if (m->vls_known)
        hd_printf(o, "\ncredit loops     on %u VL%s\n", m->credit_loops, m->credit_loops == 1 ? "" : "s");
    else
        hd_printf(o, "\ncredit loops     %s\n", m->credit_loops ? "not known: with one VL there are some" : "none");
}

static void print_credit_loop(struct hd_out *o, const struct hd_net *net, const struct hd_mixture *m)
{
    hd_printf(o, "\ncredit loop of %u channels on VL %u in mixtures; each waits for the next:\n", m->ncycle,
              m->cycle[0].lane);
    for (uint32_t i = 0; i < m->ncycle && i < 64; i++) {
        uint32_t c = m->cycle[i].c;
        hd_printf(o, "  %s port %u -> %s\n", hd_node_label(net, net->tail[c]), net->port[c],
                  hd_node_label(net, net->head[c]));
    }
}

static void print_transition_text(struct cli *cli, const struct hd_routes *old, const struct hd_transition *t,
                                  const char *to, const struct hd_maintenance *m)
{
    const struct hd_net *net = hd_routes_net(old);
    struct hd_out *o = cli->out;
    put_name(o, "network", net->spec);
    put_name(o, "from", hd_routes_spec(old));
    put_name(o, "to", to);
    if (m) put_name(o, "without", cli->v.without);
    print_verdict(o, t, m);
    hd_printf(o, "steps            %u%s%s\n", t->nsteps, *t->method ? ", " : "", t->method);
    if (m)
        hd_printf(o, "back             %u step%s, %s\n", steps_back(m), steps_back(m) == 1 ? "" : "s",
                  !m->returns ? "unproved: the entries of what comes back" : transition_text(m->back));
    for (uint32_t i = 0; i < t->ndrain; i++)
        hd_printf(o, "%-16s %s\n", i ? "" : "drain", hd_node_label(net, net->nsw + t->drain[i]));
    if (!t->old_levels)
        hd_puts(o, "NOT COVERED      connections that keep the service level they were given under the old table\n");
    if (m && !m->back->old_levels)
        hd_puts(
            o,
            "NOT COVERED      on return, connections that keep the service level they were given while it was out\n");
    if (!aggregation_covered(t, m) && worst_verdict(t, m) != HD_UNPROVED)
        hd_puts(o, "NOT COVERED      credit loops of aggregation nodes, and their paths beyond adjacent switches\n");
    if (others_unproved(t, m))
        hd_printf(o, "NOT COVERED      drops and credit loops of packets to %llu LIDs of switches or further LIDs\n",
                  (unsigned long long)others_unproved(t, m));
    if (t->rest_cut)
        hd_printf(o, "cut              %llu LIDs of switches or further LIDs\n", (unsigned long long)t->rest_cut);
    if (others_loop(t, m) && worst_verdict(t, m) != HD_UNPROVED)
        hd_printf(o, "NOT COVERED      loops of packets to %llu LIDs of switches\n",
                  (unsigned long long)others_loop(t, m));
    print_mixtures(o, net, t->direct);
    if (t->direct->ncycle) print_credit_loop(o, net, t->direct);
}

/* Prints what was found and writes the steps; without them the exit status says why. */
static hd_status finish_transition(struct cli *cli, const struct hd_routes *old, const struct hd_transition *t,
                                   const char *to, const struct hd_maintenance *m)
{
    hd_status s = HD_OK;
    bool proved = worst_verdict(t, m) <= HD_ORDERED;
    if (cli->v.output && proved)
        s = m ? hd_maintenance_write(cli->ctx, m, cli->v.output) : hd_transition_write(cli->ctx, t, cli->v.output);
    if (s != HD_OK) return s;
    if (cli->v.json)
        print_transition_json(cli, old, t, to, m);
    else
        print_transition_text(cli, old, t, to, m);
    return proved ? HD_OK : HD_FAULT;
}

static hd_status take_out(struct cli *cli, const struct hd_routes *old)
{
    struct hd_maintenance *m;
    hd_status s = hd_routes_maintenance(cli->ctx, old, cli->v.without, cli->nargs > 2 ? cli->arg[2] : NULL, &m);
    if (s != HD_OK) return s;
    s = finish_transition(cli, old, m->out, hd_routes_spec(m->without), m);
    hd_maintenance_free(m);
    return s;
}

static hd_status change_tables(struct cli *cli, const struct hd_routes *old)
{
    struct hd_routes *new;
    struct hd_transition *t;
    hd_status s = hd_routes_open(cli->ctx, hd_routes_net(old), cli->arg[2], &new);
    if (s != HD_OK) return s;
    s = hd_routes_transition(cli->ctx, old, new, &t);
    if (s == HD_OK) {
        s = finish_transition(cli, old, t, hd_routes_spec(new), NULL);
        hd_transition_free(t);
    }
    hd_routes_free(new);
    return s;
}

hd_status run_transition(struct cli *cli)
{
    struct hd_net *net;
    struct hd_routes *old;
    if (cli->v.output && strcmp(cli->v.output, "-") == 0)
        return usage_error(cli, "transition: -o takes a folder, not standard output");
    if (cli->nargs < 3 && !cli->v.without)
        return usage_error(cli, "transition: expected NET OLD NEW, or NET OLD and --without");
    hd_status s = open_net(cli, 0, &net);
    if (s != HD_OK) return s;
    s = hd_routes_open(cli->ctx, net, cli->arg[1], &old);
    if (s == HD_OK) {
        s = cli->v.without ? take_out(cli, old) : change_tables(cli, old);
        hd_routes_free(old);
    }
    hd_net_free(net);
    return s;
}
