/* SPDX-License-Identifier: BSD-2-Clause */
/* The choices that a site has, each with what it gains and what it costs: one line of opensm.conf, if an engine of
 * OpenSM itself comes near; the plug-in, whose tables follow every change of the fabric and are proved; tables from
 * files, which do not heal. Figures are those of the comparison. OpenSM's own are predicted by the engines that equal
 * it entry by entry, or measured by running it (--with-opensm); each choice says which.
 *
 * Cost against gain: one line that heals by itself is preferred if it scores within 3 % of the best table or has nine
 * tenths of its gain; otherwise what heals. What is preferred is recommended only if it is worth the change: headline,
 * choices and steps all go by that mark. */
#include "advise/advise_steps.h"
#include "report/report_options.h"

#include <math.h>
#include <string.h>

#define CHOICES_MOST 0.9

/* Engines of OpenSM by the names of opensm.conf, and what computes their tables. */
static const struct {
    const char *conf, *table;
} natives[] = {{"minhop", "minhop"}, {"dfsssp", "dfsssp:form=opensm"}, {"torus-2QoS", "torus2qos"}};

/* Those that only OpenSM itself can compute, or confirm. */
static const char *const measured[] = {"updn", "ftree", "dfsssp", "nue", "torus-2QoS"};

const char *hd_advise_native(const char *table)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (strcmp(table, natives[i].table) == 0) return natives[i].conf;
    return NULL;
}

const char *hd_advise_native_table(const struct hd_report_option *o)
{
    for (size_t i = 0; o->native && i < sizeof natives / sizeof *natives; i++)
        if (strcmp(o->native, natives[i].conf) == 0) return natives[i].table;
    return o->table;
}

const char *hd_advise_native_at(size_t i)
{
    return i < sizeof measured / sizeof *measured ? measured[i] : NULL;
}

/* The best loadable table of OpenSM's own; on equal scores one that was measured. UINT32_MAX: none. */
static uint32_t choices_native(const struct hd_report *r)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < r->noption; i++) {
        const struct hd_report_option *o = &r->option[i];
        if (!o->native || !hd_measured(o) || o->mark || isnan(o->score)) continue;
        const struct hd_report_option *was = found == UINT32_MAX ? NULL : &r->option[found];
        if (!was || o->score > was->score || (o->score == was->score && o->run && !was->run)) found = i;
    }
    return found;
}

/* Relative to what the fabric has, in the quantity that the headline is about; with half the 99 % interval. */
static void choices_gain(const struct hd_advising *a, struct hd_report_choice *c)
{
    const struct hd_report *r = a->report;
    enum hd_advise_quantity q = a->goal->quantity[0];
    uint32_t from = hd_yardstick(r);
    c->quantity = q;
    c->value = r->option[c->option].figure[q].value;
    c->gain = c->error = NAN;
    if (from >= r->noption) return;
    const struct hd_report_figure *x = &r->option[from].figure[q], *y = &r->option[c->option].figure[q];
    if (!(x->value > 0) || !(y->value > 0)) return;
    double ratio = r->quantity[q].higher_is_better ? y->value / x->value : x->value / y->value;
    c->gain = ratio - 1;
    c->error = ratio * hypot(x->ci / 2 / x->value, y->ci / 2 / y->value);
}

static struct hd_report_choice *choices_add(struct hd_advising *a, uint32_t option)
{
    struct hd_report_choice *c = &a->report->choice[a->report->nchoice++];
    *c = (struct hd_report_choice){.option = option};
    choices_gain(a, c);
    return c;
}

static void choices_add_native(struct hd_advising *a, uint32_t option)
{
    const struct hd_report_option *o = &a->report->option[option];
    struct hd_report_choice *c = choices_add(a, option);
    c->name = "opensm.conf";
    bool vls = o->lanes != 1, torus = strcmp(o->native, "torus-2QoS") == 0;
    c->what = hd_say(a, "%s in opensm.conf: routing_engine %s%s%s", vls ? "Two lines" : "One line", o->native,
                     vls ? ", qos TRUE" : "", torus ? " (and torus-2QoS.conf with the dimensions)" : "");
    c->heals = true;
    c->cost = "OpenSM reroutes after a failure by itself";
    if (o->run)
        c->known = "Measured: OpenSM itself routed a simulated copy of the fabric";
    else if (o->lanes > 1 && strcmp(o->native, "dfsssp") == 0)
        c->known = hd_say(a,
                          "Predicted, entry by entry as OpenSM computes it, provided that it finds VLs enough "
                          "(heddle needs %u): --with-opensm tries it",
                          o->lanes);
    else
        c->known = "Predicted: OpenSM computes the same table, entry by entry";
    c->command = hd_say(a, "printf 'routing_engine %s\\n%s' >>/etc/opensm/opensm.conf; systemctl restart opensm",
                        o->native, vls ? "qos TRUE\\n" : "");
}

static void choices_add_ours(struct hd_advising *a, uint32_t option)
{
    const char *name = hd_option_label(a->report, option), *table = a->report->option[option].table;
    struct hd_report_choice *c = choices_add(a, option);
    c->name = "plug-in";
    c->what = hd_say(a, "heddle's plug-in for OpenSM: %s", name);
    c->heals = true;
    c->cost = "Reroutes after a failure, and proves every table first; a package and three lines in opensm.conf (man "
              "heddle-opensm)";
    c->command = hd_say(a,
                        "printf 'event_plugin_name heddle-opensm\\nevent_plugin_options %s%s,updown\\n"
                        "routing_engine heddle,updn\\n' >>/etc/opensm/opensm.conf; systemctl restart opensm",
                        table, strcmp(table, "settle") == 0 ? "" : ",settle");
    c = choices_add(a, option);
    c->name = "file";
    c->what = hd_say(a, "Tables from a file: %s", name);
    c->cost = "Does not heal: pairs stay cut off after a failure until new tables are loaded";
    c->command = hd_advise_command(a, "route", table, "--deploy deploy");
}

/* Whether a choice comes near the best, the last one: in score, or in what it gains, if that is why the best is. */
static bool choices_near(const struct hd_report *r, const struct hd_report_choice *c)
{
    const struct hd_report_choice *best = &r->choice[r->nchoice - 1];
    return r->option[c->option].score >= HD_NEAR_SCORE * r->option[best->option].score ||
           (best->gain > 0 && c->gain >= CHOICES_MOST * best->gain);
}

const struct hd_report_choice *hd_advise_nearest(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nchoice; i++)
        if (choices_near(r, &r->choice[i])) return &r->choice[i];
    return NULL;
}

/* Whether a choice is worth a maintenance window: it gains, or scores, enough, or the table in use is faulty. */
static bool choices_worth(const struct hd_report *r, const struct hd_report_choice *c)
{
    const uint32_t i = hd_yardstick(r);
    if (i >= r->noption || c->option == i) return true;
    const struct hd_report_option *from = &r->option[i];
    if (from->mark || !(c->gain < HD_WORTH_CHANGE)) return true;
    return from->score > 0 && from->score < HD_NEAR_SCORE * r->option[c->option].score;
}

/* What to take: the cheapest that comes near the best; none if that is not worth the change. */
static void choices_mark(struct hd_report *r)
{
    const struct hd_report_choice *nearest = hd_advise_nearest(r);
    const bool worth = nearest && choices_worth(r, nearest);
    for (uint32_t i = 0; i < r->nchoice; i++) r->choice[i].take = worth && &r->choice[i] == nearest;
}

void hd_advise_choices(struct hd_advising *a)
{
    struct hd_report *r = a->report;
    if (r->best == UINT32_MAX || r->option[r->best].current || hd_advise_needless(a)) return;
    uint32_t own = choices_native(r);
    const struct hd_report_option *best = &r->option[r->best];
    r->choice = hd_advise_alloc(a, 3, sizeof *r->choice);
    if (!r->choice) return;
    if (own != UINT32_MAX) choices_add_native(a, own);
    bool better = own == UINT32_MAX || r->option[own].score < HD_SAME_SCORE * best->score;
    if (better && !best->native && best->variants == 1) choices_add_ours(a, r->best);
    choices_mark(r);
}

void hd_advise_costs(struct hd_advising *a)
{
    const struct hd_report *r = a->report;
    double most = 0;
    for (uint32_t i = 0; i < r->nwhat_if; i++) most = fmax(most, r->what_if[i].lost_max);
    for (uint32_t i = 0; most > 0 && i < r->nchoice; i++)
        if (!r->choice[i].heals)
            r->choice[i].cost =
                hd_say(a, "Does not heal: one failure cuts off up to %.2g %% of pairs until new tables are loaded",
                       100 * most);
}

uint32_t hd_advise_recommended(const struct hd_report *r)
{
    const struct hd_report_choice *taken = hd_advise_taken(r);
    const uint32_t used = taken ? taken->option : r->nchoice ? hd_yardstick(r) : r->best;
    return used < r->noption && !r->option[used].run ? used : r->best;
}

const char *hd_advise_percent(struct hd_advising *a, const struct hd_report_choice *c)
{
    /* A table that serves next to nothing is no measure: percentages in the thousands mean nothing. */
    if (isnan(c->gain) || c->gain > 9) return "";
    double change = a->report->quantity[a->goal->quantity[0]].higher_is_better ? c->gain : 1 / (1 + c->gain) - 1;
    if (!(c->error > 0)) return hd_say(a, " (%+.0f %%)", hd_percent(change));
    return hd_say(a, " (%+.0f %% +-%.0f %%)", hd_percent(change), fmax(1, ceil(100 * c->error)));
}

const struct hd_report_choice *hd_advise_taken(const struct hd_report *r)
{
    for (uint32_t i = 0; i < r->nchoice; i++)
        if (r->choice[i].take) return &r->choice[i];
    return NULL;
}
