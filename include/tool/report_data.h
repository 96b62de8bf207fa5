/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/report_data.h - what a report holds: plain data that src/advise fills in and src/report shows. Not installed: to
 * users of the library a report is opaque (heddle/advise.h). */
#ifndef HEDDLE_TOOL_REPORT_DATA_H
#define HEDDLE_TOOL_REPORT_DATA_H

#include "heddle/report.h"
#include "heddle/order.h"

/* A chart as the registry lists it. */
struct hd_chart {
    struct hd_desc desc;
    bool one_routing;  /* draws the routing that is asked for; the others compare all */
    bool current;      /* the first table is what the fabric has; the others compare it as one of all */
    bool whole_advice; /* needs rank orders and failures, which a comparison alone does not have */
};

/* One line of the verdict: "connectivity", "every endpoint reaches every other". */
struct hd_report_finding {
    enum hd_verdict verdict;
    const char *subject, *text;
};

/* What is measured of every routing: a column of the comparison. */
struct hd_report_quantity {
    const char *name;    /* "ebb": stable, for scripts and JSON */
    const char *title;   /* "EBB": head of a column */
    const char *meaning; /* one sentence a newcomer understands, with the unit */
    const char *field;   /* where the command of a figure has its value with --json: "rows.0.value" */
    bool higher_is_better;
    bool own_bound; /* each table has its own bound: what no rank order can beat with it, another table may */
};

struct hd_report_figure {
    double value, ci;    /* mean and full width of its 99 % confidence interval, 0 where nothing is sampled */
    double bound;        /* what no routing can beat, or no order with this one (own_bound); NAN: none known */
    const char *command; /* the command that prints this value; NULL where value is NAN */
};

/* A pattern whose loads are drawn. */
struct hd_report_view {
    const char *name, *title; /* "bisect", "random bisections"; "allpairs", "all-to-all" */
};

/* What became of a routing that could have been compared. */
enum hd_report_option_state {
    HD_OPTION_MEASURED,
    HD_OPTION_NOT_APPLICABLE, /* its engine does not apply to this network */
    HD_OPTION_FAILED,         /* its engine applies and failed */
    HD_OPTION_TOO_MUCH_WORK,  /* predicted, so it was not tried */
    HD_OPTION_NOT_CONSIDERED, /* its engine is no candidate unless it is named */
};

/* A routing: what the fabric has, or could have. */
struct hd_report_option {
    const char *table;  /* canonical spec, or the file's name */
    const char *label;  /* what people read: "OpenSM dfsssp", "heddle ftree", "the current table" */
    const char *native; /* name in opensm.conf of the engine of OpenSM whose table this is; NULL: OpenSM has none */
    bool run;           /* OpenSM itself computed it */
    bool current;       /* the table that was given */
    bool usual;         /* what OpenSM does by default, which is compared with where no table was given */
    enum hd_report_option_state state;
    const char *why_not; /* the reason where it was not measured, NULL where it was; then nothing below is set */
    const char *command; /* the check that gives the next four lines */
    int deadlock_free;   /* 1, 0; -1: not known */
    uint32_t lanes;      /* VLs; 0: not known */
    uint64_t unreachable, loops; /* pairs */
    uint64_t nonminimal;
    uint32_t variants; /* path variants per destination: LIDs per endpoint */
    double score;      /* for the goal, relative to the best of all: 1; NAN: not measured */
    const char *mark;  /* why it is not for loading as it is: "can deadlock", "needs 16 LIDs"; NULL: it is */
    struct hd_report_figure *figure; /* [nquantity] */
    uint32_t nsample;                /* of the random bisections, in order */
    const float *sample;             /* [nsample] effective bandwidth of each */
    float **load;                    /* [nview][nchan] mean load of a channel relative to its rate */
    const float *heat; /* [ngroup * ngroup] mean bandwidth share from group to group, row: source; NAN: no pair */
    struct hd_advise_kept *kept; /* private to hd_advise */
};

/* One of the ways to a better routing, and what it costs. */
struct hd_report_choice {
    const char *name;    /* "opensm.conf", "plug-in" or "file": stable, for scripts */
    const char *what;    /* "One line in opensm.conf: routing_engine dfsssp" */
    const char *cost;    /* what happens after a failure, and what must be installed */
    const char *known;   /* how its figure is known, where that is not by the table itself; NULL */
    const char *command; /* that puts it into effect */
    uint32_t option;     /* whose figures these are */
    uint32_t quantity;   /* that the goal is about */
    double value;        /* of it */
    double gain, error;  /* relative to what the fabric has, and half the 99 % interval; NAN: not known */
    bool heals, take;    /* reroutes by itself; recommended */
};

struct hd_report_before_after {
    enum hd_case use;
    struct hd_hsd before, after;
    double bound; /* of the average HSD: what no order can beat with the recommended table; NAN: none known */
};

/* Failure analysis: single failures of one kind, one at a time. */
struct hd_report_what_if {
    const char *what;                   /* "one cable lost" */
    uint32_t cases;                     /* how many were tried */
    uint64_t samples;                   /* behind every EBB here, the first of those in the comparison */
    double ebb_before, ci;              /* nothing broken; full width of its 99 % confidence interval */
    double lost_mean, lost_max;         /* share of pairs without a path while the old table stays */
    double stays_mean, stays_min;       /* EBB with the old table; a flow without a path gets 0 */
    double rerouted_mean, rerouted_min; /* EBB after rerouting */
    double changed_mean;                /* share of table entries that rerouting changes */
    const char *worst;                  /* which case was worst, by name */
    const char *command;                /* repeats the worst case */
    const char *table;                  /* what people call the table */
};

/* A cable to repair. */
struct hd_report_repair {
    const char *kind;                  /* missing, swapped, wrong, extra, slow or dead */
    const char *text;                  /* the fault in words, without its kind */
    const char *from, *to;             /* its ends; from is a switch. "": not in the network */
    const char *from_label, *to_label; /* what people read */
    uint32_t from_port, to_port;       /* 0: not known */
    const char *link, *usual;          /* rate it has, and rate of its kind; "": not known */
    uint32_t nlost;
    const char **lost; /* cables that led to a dead switch */
};

struct hd_report_step {
    const char *what;    /* "Load the new tables" */
    const char *brief;   /* the same where a list of details is beside it; NULL: what */
    const char *path;    /* file or folder it concerns, relative to the report; NULL: none */
    const char *command; /* NULL: none */
    bool cables;         /* it is about the cables to repair */
    bool choice;         /* it puts the recommended choice into effect */
};

struct hd_report {
    const struct hd_net *net;
    const char *net_text, *title; /* as given on the command line; a short name for headings */
    const char *command;          /* the whole command line, to repeat the report */
    const char *goal;             /* "balanced", ... */
    enum hd_verdict verdict;      /* the worst of the findings */
    const char *headline;         /* one sentence: what to do and what it gains */
    uint32_t nfact;               /* what it is: "endpoints", "512 on 512 hosts, 1 rail" */
    const char **fact_name, **fact_text;
    uint32_t nfinding;
    struct hd_report_finding *finding;
    uint32_t nquantity;
    struct hd_report_quantity *quantity;
    uint32_t nview;
    struct hd_report_view *view;
    uint32_t noption; /* the current table first, then from best to worst, then those that do not apply */
    struct hd_report_option *option;
    uint32_t best;      /* of option: what is recommended; UINT32_MAX: nothing can be */
    const char *reason; /* one sentence: why */
    uint32_t nchoice;   /* the cheapest first */
    struct hd_report_choice *choice;
    const char *rule; /* how options are ranked for the goal */
    uint32_t ngroup;  /* leaf switches, or groups of them where they are many: at most HD_HEAT_MAX */
    const char **group;
    const char *order_how, *order_claim,
        *order_command; /* how the suggested rank order was made; NULL: there is none */
    bool order_better;  /* than the current one, over ring, all-to-all and recursive doubling, or for the goal */
    uint32_t nbefore_after;
    struct hd_report_before_after *before_after;
    uint32_t nwhat_if;
    struct hd_report_what_if *what_if;
    uint32_t nrepair; /* missing cables first */
    struct hd_report_repair *repair;
    uint32_t nlacking;
    const char **lacking; /* hosts with ports to cable, and which they lack */
    const char *repair_table; /* rerouted over repaired cables; NULL: what that brings was not measured */
    const char *repair_command;
    uint64_t repair_samples;
    double repair_before, repair_after; /* its EBB as the fabric is and repaired, of the same samples */
    uint32_t nstep;
    struct hd_report_step *step;
    uint32_t nnote; /* what was left out and why, how sampling was limited */
    const char **note;
    struct hd_routes *routes; /* private: of the recommended table, where an engine made them */
    void *arena;              /* private */
};

enum { HD_HEAT_SMALL = 64, HD_HEAT_MAX = 200 }; /* above SMALL a map takes the width of the page */

#endif
