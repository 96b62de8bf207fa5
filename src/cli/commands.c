/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands. A row here is all there is to a command besides the function that runs it: parsing, help, manual
 * pages, reference and completion are made from it. Lists of formats, patterns and goals come from the tables of
 * the library when help is printed, so that help cannot disagree with what is accepted. */
#include "option_rows.h"

/* ---- words of choices ----------------------------------------------------------------------- */

static const char *topo_format(size_t i)
{
    const struct hd_net_format *f = hd_net_format_at(i);
    return f ? f->name : NULL;
}

static const char *route_format(size_t i)
{
    const struct hd_routes_format *f = hd_routes_format_at(i);
    return f ? f->name : NULL;
}

static const char *order_format(size_t i)
{
    const struct hd_order_format *f = hd_order_format_at(i);
    return f ? f->name : NULL;
}

static const char *order_goal(size_t i)
{
    return hd_goal_name((enum hd_goal)i);
}

static const char *paper_format(size_t i)
{
    return i == 0 ? "markdown" : NULL;
}

static const char *help_format(size_t i)
{
    static const char *const names[] = {"man", "markdown", "bash", "zsh", "fish", "complete", NULL};
    return names[i];
}

static const char *order_unit(size_t i)
{
    static const char *const names[] = {"nodes", "ranks", NULL};
    return names[i];
}

static const char *after_fail(size_t i)
{
    static const char *const names[] = {"new", "old", "pfrn", NULL};
    return names[i];
}

/* ---- options -------------------------------------------------------------------------------- */

/* clang-format off */

static const struct option advise_options[] = {
    TEXT("nodes", 0, "FILE", nodes,
         "Nodes of a job, for its rank order (default: all hosts): a file or list as 'heddle order' takes it"),
    CHOICE("for", 0, "GOAL", goal, hd_advise_goal_name, "What to optimise for: %s"),
    FLAG("with-opensm", 0, with_opensm,
         "Run the engines of the installed OpenSM on a simulated copy of the fabric (ibsim), at most 60 s each; "
         "otherwise those that heddle computes entry by entry as OpenSM does are predicted"),
    OUTPUT("output", 'o', "DIR", output,
           "Write report.html, the cables to repair, deploy/, ranks/ and Slurm's topology to the folder DIR"),
    {0}};

static const struct option topo_options[] = {
    OUTPUT("output", 'o', "FILE", output, "Write the network to FILE (- is standard output) instead of describing it"),
    CHOICE("format", 0, "FORMAT", format, topo_format, "What to write, unless the name of FILE says it (x.svg): %s"),
    {0}};

static const struct option route_options[] = {
    OUTPUT("output", 'o', "FILE", output,
           "Write the tables to FILE (- is standard output); in the format far if it ends in .far"),
    CHOICE("format", 0, "FORMAT", format, route_format, "What to write: %s"),
    TEXT("roots", 0, "ROOTS", roots,
         "Root switches for engines that take them (updown, opensm): names or GUIDs separated by +, or a file with "
         "one per line"),
    TEXT("keep", 0, "OLD", keep,
         "Keep the table OLD, a file or an engine's, made before --fail: change what must change, and more only for "
         "bandwidth"),
    OUTPUT("deploy", 0, "DIR", deploy, "Write everything OpenSM needs to run with these routes to the folder DIR"),
    FLAG("force", 0, force, "Deploy even routes that fail the check"),
    {0}};

static const struct option check_options[] = {
    FLAG("with-ibdmchk", 0, with_ibdmchk, "Have ibdmchk of ibutils check the routes as well"),
    CHOICE("after-fail", 0, "TABLES", after_fail, after_fail,
           "Tables on a fabric that --fail has changed: %s. new are made for it; old are those from before, in which "
           "switches leave out ports without a cable; pfrn are the old ones after notifications of remote failures, "
           "which take ports that lead nowhere out of groups"),
    FLAG("timing", 0, timing,
         "Add seconds per phase, summed over threads: distances, path walks, dependencies, cycle search"),
    {0}};

static const struct option transition_options[] = {
    OUTPUT("output", 'o', "DIR", output, "Write the tables to load, numbered, and a README to the folder DIR"),
    TEXT("without", 0, "WHAT", without,
         "Take out what this names as --fail does, such as switch=NAME, and bring it back; NEW is then the engine for "
         "what is left (default: the one of OLD if it is an engine, otherwise one that applies)"),
    {0}};

static const struct option eval_options[] = {
    NAME("pattern", 'p', "PATTERN", pattern, HD_PATTERNS,
         "Which endpoints send to which (default bisect; see 'heddle list pattern')"),
    NAMES("metric", 'm', "METRIC", metric, HD_METRICS,
          "What to measure (default ebb; see 'heddle list metric'); may be given several times"),
    FLAG("csv", 0, csv, "Print CSV with the columns of the JSON form"),
    INTEGER("number", 'n', "N", number, 1, 1e9, "1000", "Samples of a random pattern"),
    REAL("ci", 0, "X", ci, 1e-5, 1, "", "Sample until the full 99 % confidence width is below X times the mean"),
    TEXT("ranks", 0, "ORDER", ranks,
         "Rank placement: natural (default), random:seed=N,count=K, adversarial, or a file of endpoints"),
    OUTPUT("loads", 0, "FILE", loads,
           "Write the load of every channel as CSV: names, ports, levels, direction, mean, maximum"),
    OUTPUT("samples", 0, "FILE", samples, "Write the value of every sample or stage as CSV"),
    OUTPUT("checkpoint", 0, "FILE", checkpoint,
           "Keep FILE up to date while sampling, and resume from it after an interruption"),
    CHOICE("after-fail", 0, "TABLES", after_fail, after_fail,
           "Tables on a fabric that --fail has changed: %s. new are made for it; old are those from before, in which "
           "switches leave out ports without a cable; pfrn are the old ones after notifications of remote failures, "
           "which take ports that lead nowhere out of groups"),
    FLAG("timing", 0, timing, "Add wall-clock seconds"),
    {0}};

static const struct option plot_options[] = {
    CHOICE("pattern", 'p', "PATTERN", pattern, hd_advise_view_name,
           "Pattern whose loads the charts fabric and load show: %s"),
    TEXT("nodes", 0, "FILE", nodes, "Nodes of a job, for the chart order (default: all hosts)"),
    OUTPUT("output", 'o', "FILE", output, "Write the picture to FILE (default: standard output)"),
    {0}};

static const struct option paper_options[] = {
    FLAG("full", 0, full, "Use the papers' own sample sizes and include the large cases: many minutes"),
    ONE_OF("format", 0, "FORMAT", format, paper_format, "Print %s, as in docs/results.md"),
    FLAG("timing", 0, timing, "Add wall-clock seconds"),
    {0}};

static const struct option sim_options[] = {
    NAME("pattern", 'p', "PATTERN", pattern, HD_PATTERNS,
         "Which endpoints send to which (default bisect; see 'heddle list pattern')"),
    TEXT("trace", 0, "FILE", trace,
         "Take messages from FILE instead: GOAL, lines 'source destination bytes after', or a Chakra folder"),
    INTEGER("number", 'n', "N", number, 1, 1e12, "10 for a random pattern, otherwise 1", "Number of runs"),
    INTEGER("stages", 0, "N", stages, 1, 1e12, "", "Only the first N stages of a collective"),
    NAME("select", 0, "SELECTOR", select, HD_SELECTORS,
         "How a path variant or output port is chosen (default static, or the model's; see 'heddle list selector')"),
    BYTES("size", 0, "BYTES", size, 1, 1e15, "the model's", "Message size: 4096, 64K, 64KiB, 1MiB, ..."),
    INTEGER("messages", 0, "N", messages, 1, 1e12, "the model's", "Messages per flow"),
    NAME("model", 0, "MODEL", model, HD_MODELS,
         "Hardware and message progress, with any parameter (default infiniband; see 'heddle list model')"),
    TEXT("ranks", 0, "ORDER", ranks,
         "Rank placement: natural (default), random:seed=N, adversarial, or a file of endpoints"),
    OUTPUT("channels", 0, "FILE", channels, "Write the use of every channel as CSV: busy and blocked time"),
    OUTPUT("samples", 0, "FILE", samples, "Write the figures of every run as CSV"),
    OUTPUT("series", 0, "FILE", series, "Write the bytes that arrived per interval as CSV"),
    INTEGER("interval", 0, "NS", interval, 1, 1e12, "10000", "Interval of the series in nanoseconds"),
    CHOICE("after-fail", 0, "TABLES", after_fail, after_fail,
           "Tables on a fabric that --fail has changed: %s. new are made for it; old are those from before, in which "
           "switches leave out ports without a cable; pfrn are the old ones after notifications of remote failures, "
           "which take ports that lead nowhere out of groups"),
    FLAG("timing", 0, timing, "Add wall-clock seconds, packets and events per second"),
    {0}};

static const struct option order_options[] = {
    TEXT("nodes", 0, "FILE", nodes,
         "Nodes (default: all hosts): a file of names, host lists, slots or GUIDs, a rank file, or a host list itself"),
    CHOICE("for", 0, "GOAL", goal, order_goal, "What to order the ranks for: %s; alltoall is a plain Shift"),
    ONE_OF("before", 0, "GOAL", before, order_goal,
           "Order to compare with, one of the same (default: given, or alphabetical without --nodes)"),
    CHOICE("format", 0, "FORMAT", format, order_format, "What to write: %s"),
    OUTPUT("output", 'o', "FILE", output,
           "Write the order to FILE (- is standard output), or the current one where that is no worse"),
    FLAG("always", 0, always, "Write the order that was found even where it gains nothing"),
    TEXT("bind", 0, "WHERE", bind,
         "Bind ranks in a rankfile of Open MPI: none (default), core (core i for rank i), socket:2 (ranks spread over "
         "that many sockets) or numa:8x16 (over 8 domains of 16 cores each)"),
    OUTPUT("schedule", 0, "FILE", schedule,
           "Write a schedule: all-to-all by first fit, or with --for recdbl recursive doubling along the tree; "
           "binary when FILE ends in .bin"),
    INTEGER("number", 'n', "N", number, 1, 1e8, "all slots", "Number of ranks"),
    INTEGER("per-node", 0, "N", per_node, 1, 65535, "1",
            "Ranks per node where the list does not say; rank i of a node uses rail i"),
    TEXT("mesh", 0, "MESH", mesh,
         "Order nodes for a training step: tp=8,cp=2,pp=4,ep=8,dp=16; order=megatron|deepspeed|tp-pp-dp numbers "
         "ranks, fold=on spreads experts over tp, cp and dp; without --per-node a node has a rank per rail"),
    TEXT("bytes", 0, "BYTES", bytes, "What a rank sends in a step, by kind: dp=2GiB,pp=64MiB (default 1GiB each)"),
    INTEGER("choose", 0, "N", choose, 1, 1e8, "",
            "Take the nodes as free ones and choose N of them that fit a closed form with the least loss"),
    TEXTS("also", 0, "FILE", also,
          "Nodes of another job: report whether it shares channels with this one; may be given several times"),
    TEXT("with", 0, "JOBS", with,
         "Running jobs, one 'NAME NODELIST' per line (squeue -h -t R -o '%i %N'): report which of them share channels "
         "with this one and what that costs; --choose then takes free nodes that cost least"),
    CHOICE("count", 0, "WHAT", count, order_unit, "Count patterns of %s; ranks share the cables of their node"),
    OUTPUT("renumber", 0, "FILE", renumber,
           "Write the job's port GUIDs for dmodk:index=FILE, and report what these tables would gain"),
    {0}};

static const struct option measure_options[] = {
    INTEGER("rounds", 0, "N", rounds, 1, 1e6, "10", "Rounds to run"),
    INTEGER("messages", 0, "N", messages, 1, 1e6, "50", "Messages each partner sends per round"),
    BYTES("size", 0, "BYTES", size, 1, 0x1p30, "1MiB", "Message size: 4096, 64K, 64KiB, ..."),
    CHOICE("pattern", 'p', "PATTERN", pattern, hd_measure_pattern_name,
           "Pattern to run: %s; bridge and worst need NET and TABLE"),
    TEXT("nodes", 0, "FILE", nodes, "Nodes in rank order (default: found by the names of the machines)"),
    OUTPUT("pairs", 0, "FILE", pairs,
           "Write every pair as CSV: ranks, hosts, MB/s, and with NET and TABLE what was expected and the slow link"),
    OUTPUT("heat", 0, "FILE", heat,
           "Draw a heat map as SVG, rank by rank: measured over expected, or over the fastest pair without tables"),
    {0}};

static const struct option design_options[] = {
    INTEGER("endpoints", 0, "N", wanted, 2, 262144, "", "Endpoints that the fabric must have: adapter ports"),
    INTEGER("radix", 0, "R", radix, 4, 254, "", "Ports of a switch"),
    INTEGER("rails", 0, "K", adapters, 1, 64, "1",
            "Adapters of a host; above 1, rail-optimised and multi-plane designs are considered as well"),
    TEXT("prices", 0, "FILE", prices, "Prices and power, one 'key value' per line; keys that are absent keep theirs"),
    TEXT("racks", 0, "PLAN", racks,
         "Rack plan, for lengths of cables, such as endpoints=32,row=8: endpoints (default 32) and switches (16) of a "
         "rack, racks of a row (16), and in metres width (0.6), aisle (2.4), slack (4) and inside (1.5)"),
    OUTPUT("output", 'o', "FILE", output, "Draw EBB over cost as SVG to FILE"),
    FLAG("csv", 0, csv, "Print the table as CSV"),
    {0}};

static const struct option cables_options[] = {
    TEXT("node-name-map", 0, "FILE", open.name_map, "Names for GUIDs of FOUND, in the format of infiniband-diags"),
    {0}};

static const struct option explain_options[] = {
    TEXT("counters", 0, "BEFORE,AFTER", counters,
         "Two samples of port counters: folders of ibdiagnet, db_csv or pm files, output of perfquery -x or "
         "ibqueryerrors"),
    TEXT("jobs", 0, "FILE", jobs,
         "Running jobs, one per line: name, nodes (a host list or a file) and perhaps a pattern; as "
         "squeue -h -t R -o '%i %N' prints them"),
    REAL("seconds", 0, "S", seconds, 1e-3, 1e9, "what the files say", "Time between the samples"),
    {0}};

static const struct option help_options[] = {
    ONE_OF("format", 0, "FORMAT", format, help_format, "Print the generated manual page, reference or completion: %s"),
    {0}};

/* ---- commands ------------------------------------------------------------------------------- */

#define EXAMPLES(...) (const char *const[]) {__VA_ARGS__, NULL}

const struct command commands[] = {
    {.name = "advise",
     .args = "NET [TABLE]",
     .summary = "Analyse a fabric, find faults and recommend a routing: the main job",
     .text =
         "Examines the fabric (connected? a tree? cables missing or slow? leaves unequal?), the current table when one "
         "is given, and every engine that applies: deadlocks, VLs, bandwidth of random bisections and permutations, "
         "largest load, worst case, and hot spots of ring, all-to-all and recursive doubling in the current and in the "
         "proposed rank order. The routing that suits the goal best and can be loaded into OpenSM unchanged is "
         "recommended: every pair is connected, there is no credit loop, it needs at most 8 VLs and no more LIDs per "
         "endpoint than the fabric has (--lmc). Scores: balanced is the geometric mean of EBB, permutation bandwidth "
         "and 1 / hot-spot degree of an all-to-all; alltoall and ring are 1 / hot-spot degree; random is EBB; worst is "
         "1 / worst case. Tables within half a per cent are considered equal: then the current one is kept, otherwise "
         "the one with the fewest VLs is taken. The choices compare an engine of OpenSM itself (one line of "
         "opensm.conf), the plug-in and tables from files: gain, 99 % interval and what each costs; OpenSM's figure is "
         "predicted where heddle computes its table entry by entry, and measured with --with-opensm. Failures of "
         "single cables and switches are evaluated with the old table and after rerouting. Faults of the cabling are "
         "listed first, port by port, with what repairing them "
         "gains (--repair makes any command evaluate the repaired fabric; JSON: repair). -o writes everything needed "
         "to act on the advice. Work is limited by what is predicted from the size of the network, never by the clock, "
         "and anything skipped is reported. If the current table has groups of ports (adaptive routing, far files), "
         "advice is on configuration instead of tables: engine, roots, ar_sl_mask and service levels. The exit status "
         "is 1 when a check says FAIL.",
     .options = advise_options,
     .examples = EXAMPLES("heddle advise fabric.ibnetdiscover -o advice",
                          "heddle advise fabric.ibnetdiscover opensm-lfts.dump --for alltoall",
                          "heddle advise ft:m=16,n=2 --nodes 'node-[00000-00031]' --json"),
     .run = run_advise},
    {.name = "topo",
     .args = "NET",
     .summary = "Describe a network or convert it",
     .text =
         "Without --format or -o describes the network: endpoints, switches, cables, levels with their ports "
         "and oversubscription, kind of tree or grid with its parameters, rails, connected components, "
         "diameter, and faults of the cabling by majority: missing, swapped, wrong, extra and slow cables, dead "
         "switches and hosts in the wrong place, with the ports of both ends, those first that gain most by repair. "
         "With --format or -o writes it as a file for other tools.",
     .options = topo_options,
     .examples = EXAMPLES("heddle topo ft:m=16,n=3",
                          "heddle topo fabric.ibnetdiscover.gz --json",
                          "heddle topo torus:dims=4x4x4,hosts=2 --format svg -o torus.svg"),
     .run = run_topo},
    {.name = "route",
     .args = "NET ENGINE",
     .summary = "Compute the routes of a network",
     .text =
         "Runs an engine and summarises the result: entries, path variants, VLs, the largest number of pairs on a "
         "channel, unused channels. -o writes the tables as OpenSM's LFT dump, ready for 'opensm -R file -U'; lines "
         "that begin with '# heddle' keep variants, selection and VLs, so that reading it back loses nothing. The "
         "other formats are files that go with it: guid2lid holds its LIDs, qos-policy the VLs, subnet, fdbs, psl and "
         "slvl are input of ibdmchk. --deploy DIR writes all of them, a configuration and a README with the steps to "
         "load and to roll back; routes that fail the check are refused unless --force is given. "
         "--keep OLD repairs a table in use after cables, switches or endpoints came or went, instead of "
         "replacing it: entries whose port or path is gone change, others only where random pairs would "
         "otherwise get one per cent less bandwidth than by the engine's own table, and pairs keep their VLs "
         "where possible. The result is proved free of faults and credit loops, and the changes are counted "
         "(JSON: keep); exit status 1 if nothing can be proved.",
     .options = route_options,
     .examples = EXAMPLES("heddle route ft:m=16,n=3 dmodk",
                          "heddle route fabric.ibnet ftree -o fabric.lft",
                          "heddle route fabric.ibnet updown --roots roots.txt",
                          "heddle route fabric.ibnet lash --deploy lash",
                          "heddle route fabric.ibnet settle --keep fabric.lft -o next.lft"),
     .run = run_route},
    {.name = "check",
     .args = "NET TABLE",
     .summary = "Prove that routes are correct and deadlock-free",
     .text =
         "Verifies that the routes connect every pair of endpoints that cables connect; counts loops, detours, unused "
         "channels and hops; and searches the channel dependencies for a cycle, VL by VL, from the tables alone. A "
         "credit loop is printed as a shortest cycle of named channels, with a source and a destination for each "
         "dependency. The other LIDs of a table are checked too, from every leaf switch: further LIDs of endpoints "
         "(LMC) that no pair uses, and LIDs of switches; JSON: further_lids, switch_lids. If switches may choose "
         "among several ports (adaptive routing: ar_updn, ar_ftree, far files), reachability and deadlock freedom are "
         "proved for every choice, and a "
         "choice that fails is named; JSON: adaptive. Endpoints that are not selected, of storage, management, routers "
         "and gateways, are proved too and counted apart (JSON: other_endpoints), unless --endpoints or --rail leaves "
         "out a compute host: then they are not checked, which is said. Aggregation nodes (SHARP) must be served "
         "within their own and adjacent switches; pairs farther apart, and credit loops that only their packets close, "
         "are reported and are no fault. The exit status is 1 when a pair of one "
         "connected component has no path, a credit loop exists, or another LID is not reached. Credit loops that only "
         "packets to switches would close are reported and are no fault: on a tree that has lost cables, no table is "
         "free of them. Nor are pairs of different components, which are counted: that is for cables to repair; JSON: "
         "components, separated.",
     .options = check_options,
     .examples = EXAMPLES("heddle check ft:m=16,n=3 dmodk",
                          "heddle check fabric.ibnetdiscover opensm-lfts.dump",
                          "heddle check torus:dims=5x5 opensm:engine=lash --with-ibdmchk"),
     .run = run_check},
    {.name = "watch",
     .args = "DIR",
     .summary = "Report what changed in a fabric over time",
     .text =
         "Reads the captures of a fabric in the folder DIR (any network file, in the order of their names) and prints "
         "what each changed against the one before: switches, endpoints and cables between switches that were lost or "
         "are new and endpoints at another switch or port, the first eight of them by name, and how many cables have "
         "another rate and nodes another LID. Forwarding tables in the folder are left out. If there are files "
         "*.jsonl that are not empty, the logs of OpenSM's plug-in (man heddle-opensm), these alone are read: one line "
         "per sweep, with the engine, what changed in the tables and the time that it took.",
     .examples = EXAMPLES("heddle watch captures"),
     .run = run_watch},
    {.name = "diff",
     .args = "NET TABLE TABLE",
     .summary = "Report the impact of switching tables",
     .text =
         "Compares two tables of one network: how many entries of the forwarding tables differ, how many blocks of "
         "64 entries (the unit a subnet manager writes) and switches are affected, and for how many pairs of "
         "endpoints the path, the VL or the service level changes. Pairs with endpoints that are not selected, such "
         "as storage, and SL2VL tables of ports are reported if they differ. With adaptive routing these are static "
         "ports, and groups of ports are not compared. LIDs of switches are compared if both tables list them; where "
         "only one does, that is said (JSON: switch_lids) and is no difference. So it is with VLs, which are "
         "compared if those of both are known (JSON: lanes_known). Entries are matched by node: where two files give "
         "a node different base LIDs, that is counted (JSON: lids_changed), and the tables differ even if no entry "
         "does. The exit status is 1 when the tables differ; if they do not, the last line says identical (JSON: "
         "identical, null if groups, LIDs of switches or VLs were left out).",
     .examples = EXAMPLES("heddle diff ft:m=16,n=3 minhop ftree",
                          "heddle diff fabric.ibnetdiscover opensm-lfts.dump opensm:engine=updn"),
     .run = run_diff},
    {.name = "transition",
     .args = "NET OLD [NEW]",
     .summary = "Prove that one table can replace another without loops, drops or deadlocks",
     .text =
         "While a subnet manager writes a new table, switches hold a mixture of old and new entries. Proves for all "
         "mixtures at once, whatever the order of writes, that no packet loops, that no pair served by the old table "
         "is cut, and that no credit loop arises: verdict any-order. Otherwise looks for steps, tables to load one "
         "after the other, and proves each of them in the same sense: verdict ordered. On small networks all tables "
         "are searched; drain says that none will do unless the named destinations receive nothing meanwhile. "
         "Everything else is unproved. loops and drops count destination LIDs, credit_loops counts VLs. Connections "
         "keep the service level they were given: both the old and the new one are proved, or the output says that "
         "the old ones are not covered. Pairs that the old table does not serve, because a fault has cut them, are "
         "exempt. Packets of aggregation nodes (SHARP) are proved like all others, or as far as by check where a tree "
         "has lost cables, which the output then says. --without makes the new table itself: OLD, changed as little as "
         "possible so that nothing is sent to a switch or cable that is to be taken out, and the steps back; no pair "
         "is cut at any step. The exit status is 1 for drain and unproved.",
     .options = transition_options,
     .examples = EXAMPLES("heddle transition ft:m=8,n=2 minhop ftree",
                          "heddle transition ft:m=8,n=2 dmodk --without switch=L2-0008 -o steps",
                          "heddle transition fabric.ibnetdiscover opensm-lfts.dump fabric.lft --json"),
     .run = run_transition},
    {.name = "eval",
     .args = "NET... TABLE...",
     .summary = "Measure and compare routes under a pattern",
     .text =
         "Draws samples of a random pattern, or takes all stages of a collective, routes them over each table and "
         "prints the mean of the metric with its 99 % confidence width, extremes and percentiles. With several tables "
         "the rows are sorted, best first, and ratio is relative to the first table named. bound is what no routing of "
         "the same flows can beat, and where it comes from; unroutable flows count as 0 and are reported. --ranks "
         "adversarial is one ring of all ranks in which the flows of every leaf switch meet on one up port. "
         "With adaptive routing value is that of the static ports; fluid (JSON) is that of flows which every switch "
         "splits evenly over its group of ports, from fluid_samples samples; split (JSON) is what all flows get at "
         "once with even splits and with the best splits that were found, and a bound of the latter; simulated (JSON) "
         "is the mean share of random patterns in the packet simulator, with switches that choose ports by queues. "
         "--checkpoint excludes --loads and --samples; a CSV written to - replaces the table.",
     .options = eval_options,
     .examples = EXAMPLES("heddle eval gft:n=16,m=16,r=32 dmodk -p bisect -m ebb -n 10000",
                          "heddle eval ft:m=16,n=3 dmodk smodk -p permutation -m minbw --ci 0.01"),
     .run = run_eval},
    {.name = "plot",
     .args = "KIND NET [TABLE...]",
     .summary = "Draw one chart of the report as SVG",
     .text =
         "KIND is fabric (every cable coloured by its load), heat (bandwidth from leaf to leaf), load (histogram "
         "of loads by level and direction), bandwidth (distribution over random bisections, one row per table), "
         "order (hot spots before and after ordering the ranks), whatif (bandwidth after the loss of a cable or a "
         "switch) or choices (what advise offers, beside TABLE or OpenSM's default). fabric and heat draw one "
         "TABLE, load one or two side by side; without a TABLE they draw what advise would recommend. order and "
         "whatif draw the best of the tables given, or the table that heddle order takes without one. bandwidth and "
         "choices compare the tables given, or all engines that apply. The picture is one file that follows the "
         "viewer's light or dark background.",
     .options = plot_options,
     .examples = EXAMPLES("heddle plot fabric ft:m=16,n=2 dmodk -o fabric.svg",
                          "heddle plot load deimos minhop psssp -o load.svg",
                          "heddle plot bandwidth gft:n=8,m=8,r=16 minhop dmodk random -o bandwidth.svg"),
     .no_json = true,
     .run = run_plot},
    {.name = "paper",
     .args = "[NAME...]",
     .summary = "Recompute tables and figures of papers and compare with the published values",
     .text =
         "NAME is a table, figure or other item ('heddle list paper'), or a whole paper (nienaber2009, ...); all of "
         "them when none is given. Each row has the published value, the computed one, the difference, the tolerance "
         "and the verdict: ok, known (an erratum, or known not to reproduce; the reason follows the table) or MISS. "
         "Rows without a published value are informative. Without --full samples are fewer, and tolerances are widened "
         "by half the confidence width of the computed value. The exit status is 1 when a row misses unexpectedly.",
     .options = paper_options,
     .examples = EXAMPLES("heddle paper nienaber2009-table1", "heddle paper zahavi2010 --json", "heddle paper --full"),
     .run = run_paper},
    {.name = "sim",
     .args = "NET TABLE",
     .summary = "Simulate a pattern packet by packet",
     .text =
         "Simulates cut-through switches with input buffers, fair arbitration and back-pressure, and senders that may "
         "react to it. A run is one sample of a random pattern, or all stages of a collective, with every sender at "
         "its own pace or synchronised (progress=stage). Prints the share of its own rate that a sender gets: the mean "
         "over senders and runs, the lowest and highest run, and how even the senders are; completion time, packet "
         "latency, route changes. Flows without a path count as 0 and are reported. A deadlock is reported with its "
         "cycle of channels, and the exit status is then 1.",
     .options = sim_options,
     .examples = EXAMPLES(
         "heddle sim gft:n=16,m=16,r=32 omrmn -p bisect -n 4 --select probing --model myrinet --messages 5",
         "heddle sim pgft:m=18x18x6,w=1x18x3,p=1x1x6 dmodk -p shift --stages 8 --size 128KiB",
         "heddle sim torus:dims=6,hosts=2 minhop -p shift --model infiniband:lanes=1"),
     .run = run_sim},
    {.name = "order",
     .args = "NET [TABLE]",
     .summary = "Place ranks on nodes with the least contention",
     .text =
         "Orders the nodes of a job for the fabric and its tables, and prints the hot-spot degree (the largest "
         "number of flows on a channel) of common patterns before and after: average over stages, maximum, and "
         "the bandwidth of synchronised stages. bound is what no order or schedule of an all-to-all can beat "
         "with these tables (the bound of eval is what no tables can beat in the current order). Everything is "
         "counted from the tables. Tree order is exact where a closed form holds, and the output says so or "
         "names the leaf that breaks it; the other goals are searched for, with the same result every time. A "
         "node's ranks are consecutive and count as one, on all rails at once. Without TABLE: dmodk on complete "
         "trees, otherwise dmodc, otherwise settle. gain is the bandwidth after over that before, and confidence says "
         "how far it can be trusted: high for a ring, whose flows run all at once; medium where stages follow each "
         "other; low for an all-to-all, which gains only if the stages are synchronised, and under adaptive routing. "
         "Where the order gains less than 2 % for the goal, files get the current one. Where ranks are not "
         "synchronised, the total load of channels in an all-to-all does not depend on the order: then only a ring and "
         "recursive doubling gain. With --mesh, nodes are ordered for one step of a training job instead: all groups "
         "of a kind (tensor, context, pipeline, expert, data) communicate at once, kinds one after the other, and the "
         "sum of the busiest channels' times is printed beside that of other orders and of a bound.",
     .options = order_options,
     .examples = EXAMPLES("heddle order fabric.ibnet --nodes hosts --for ring --format openmpi -o rankfile",
                          "heddle order fabric.ibnet fabric.lft --nodes 'gpu[001-064,070]' --for alltoall --json",
                          "heddle order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-[00000-00161]' --schedule alltoall.txt",
                          "heddle order rail:hosts=16,spines=4,uplinks=8 --mesh tp=8,pp=4,dp=16 --bytes dp=4GiB"),
     .run = run_order},
    {.name = "measure",
     .args = "[NET TABLE]",
     .summary = "Measure effective bisection bandwidth on the real machine (heddle-mpi)",
     .text =
         "Run as 'mpirun ... heddle-mpi measure': in each round half of the ranks, chosen at random, exchange messages "
         "with the other half, all at once, and the bandwidth of every pair is measured: average, minimum and maximum "
         "of each round and of all rounds. With NET and TABLE the share of each pair is predicted from the tables for "
         "the same pairs and compared by rank correlation, and pairs and cables slower than predicted are listed, with "
         "the cable that explains a pair. Rings and shifts also have a bus bandwidth as nccl-tests define it: bytes "
         "that a rank sends over the time of the slowest pair. The "
         "rounds are the samples that 'heddle eval -p bisect' draws for the same seed.",
     .options = measure_options,
     .examples = EXAMPLES("mpirun -n 64 heddle-mpi measure --rounds 100",
                          "mpirun -n 64 heddle-mpi measure fabric.ibnet fabric.lft --json"),
     .run = run_measure},
    {.name = "design",
     .args = "",
     .summary = "Compare candidate fabrics for a number of endpoints",
     .text =
         "Sizes trees of two and three levels at several tapers, dragonfly+, HyperX, Slim Fly, torus and, with "
         "--rails, rail-optimised and multi-plane fabrics; generates each, counts its switches, cables and optics, "
         "and measures EBB, the worst case (flows on the busiest channel of the worst permutation) and EBB after the "
         "loss of a switch, of the top level where there are levels. Rows are sorted by cost; those on the Pareto "
         "front have a star. grows to is how many endpoints fit if switches are added and none is replaced (cables "
         "between groups of a dragonfly+ move). Every design is a spec that all commands take, and the commands that "
         "repeat its figures follow the table. Multi-plane fabrics are measured plane by plane. ci is the full 99 % "
         "confidence width; where sizes predict too much work there are fewer samples, a simpler engine or a dash, "
         "and a note says so. Shortest paths by minhop are no proof against deadlock: 'heddle check' is. Keys of a "
         "price file: switch_port, switch_port_watts (a switch, per port), copper, copper_metre, copper_watts, "
         "copper_reach (a cable, per metre, both ends, metres), optic, optic_watts (a transceiver), fibre, "
         "fibre_metre, currency.",
     .options = design_options,
     .examples = EXAMPLES("heddle design --endpoints 64 --radix 16",
                          "heddle design --endpoints 96 --radix 16 --rails 4 -o designs.svg",
                          "heddle design --endpoints 60 --radix 20 --racks endpoints=16,row=10 --csv"),
     .run = run_design},
    {.name = "cables",
     .args = "PLAN... FOUND",
     .summary = "Compare planned cables with those found",
     .text =
         "PLAN is a list of cables: NDT or PTP as CSV, .topo of ibdm, DOT of PTM, or any network (topo --format ptp "
         "writes a plan of it); with several, the plan is all of them, and rows may repeat or list a cable from both "
         "ends. FOUND is a network, a file of 'lldpcli show neighbors -f json0' called HOST.json, or a folder of "
         "these. Names compare without regard to case; 12/1, sw12p1 and port 23 are the same, as are Blade 16_Port "
         "2/20 and port 20 of ASIC L16/U2. A cable is miswired (JSON: wrong) if one end of a planned cable is found "
         "elsewhere, swapped if two exchange their ends, missing if neither end is found, slow if its rate is below "
         "that in the plan or that of most cables of its kind. Where PLAN is a network, a device with the planned "
         "GUID and a name that no device was to have is the same one, and listed (JSON: renamed). Cables inside a "
         "chassis, aggregation nodes and new names are no difference. What costs most EBB comes first, estimated from "
         "the plan: an endpoint without its cable gets nothing, and the endpoints of a switch share its cables to "
         "other switches. The exit status is 1 when anything differs.",
     .options = cables_options,
     .examples = EXAMPLES("heddle cables plan.csv fabric.ibnet", "heddle cables fabric.ibnet fabric.ibnet --json"),
     .run = run_cables},
    {.name = "explain",
     .args = "NET TABLE",
     .summary = "Explain why links wait: port counters beside predicted loads",
     .text =
         "Reads the port counters of two moments (--counters) and prints every link that lost 1 % of its rate or "
         "more, with names and ports of both ends: Gb/s sent, Gb/s lost because packets had to wait (PortXmitWait), "
         "and load, what the running jobs (--jobs) are predicted to ask of the link, 1 being all that it carries. A "
         "waiting link is followed downstream along TABLE to the one that is full or that nothing behind explains, and "
         "sorted by that: sick link (errors, or slower than its kind), receiver (a host that does not take packets, or "
         "gets more than its cable carries), routing (one job alone overloads it), other job (only several jobs "
         "together do, or none that is listed). Without --jobs all endpoints are one job of random pairs. Counters "
         "that fell were reset, and those of 32 bits stop at their largest value: then > marks a lower bound. Ports "
         "that are missing in a sample are counted and judged by their neighbours. The exit status is 1 when a "
         "link is sick.",
     .options = explain_options,
     .examples = EXAMPLES("heddle explain before before --counters before,after",
                          "heddle explain fabric.ibnet fabric.lft --counters perf1.txt,perf2.txt --seconds 60 "
                          "--jobs jobs.txt"),
     .run = run_explain},
    {.name = "schema",
     .args = "[NAME]",
     .summary = "Print the JSON Schema of what a command prints with --json",
     .text =
         "Prints a JSON Schema (draft 2020-12) of the object that the command NAME prints with --json; network is what "
         "'topo --format json' writes, sweep a line of the log of the plug-in for OpenSM. Without NAME lists the "
         "names. The key schema of every object is the version: within it keys are added, and none is removed, renamed "
         "or given another type, so readers should ignore keys that they do not know. A key that is not required is "
         "absent where there is nothing to say or where an option that asks for it was not given. A "
         "schema is JSON with --json and without; 'heddle schema schema' is that of the list of names.",
     .examples = EXAMPLES("heddle schema", "heddle schema check"),
     .run = run_schema},
    {.name = "list",
     .args = "[KIND]",
     .summary = "List topologies, engines and everything else that has a name",
     .text = "Prints the names of one kind, or of all kinds, with one line on each; see 'heddle help NAME' for more.",
     .examples = EXAMPLES("heddle list topology"),
     .run = run_list},
    {.name = "help",
     .args = "[COMMAND|NAME]",
     .summary = "Explain a command, topology, engine or any other name",
     .text =
         "Without an argument prints the overview. A name of several kinds, such as random, is explained for "
         "each of them. With --format prints the generated documents that are installed: manual pages, reference, "
         "completion for shells. The format complete takes the beginning of a command line as its one argument and "
         "prints what the last word may become, as those scripts ask for it.",
     .options = help_options,
     .examples = EXAMPLES("heddle help topo", "heddle help pgft"),
     .run = run_help},
    {.name = "version", .args = "", .summary = "Print the version", .text = "", .run = run_version},
    {0}};

/* clang-format on */
