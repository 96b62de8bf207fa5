/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands. A row here is all there is to a command besides the function that runs it. */
#include "cli.h"

#define AT(field) offsetof(struct values, field)

static const struct option advise_options[] = {
    {"nodes", 0, "FILE",
     "the nodes of a job, for rank orders (default: all hosts): a file or list as 'heddle order' takes it", AT(nodes)},
    {"for", 0, "GOAL", "what counts: balanced (default), alltoall, ring, random or worst", AT(goal)},
    {"output", 'o', "DIR",
     "write report.html, cables to mend, deploy/, ranks/ and Slurm's topology into the folder DIR", AT(output)},
    {0}};

static const struct option topo_options[] = {
    {"output", 'o', "FILE", "write the network to FILE (- is standard output) instead of describing it", AT(output)},
    {"format", 0, "FORMAT", "what to write: ibnet (default), dot, graphml, json, slurm, slurm-yaml or svg", AT(format)},
    {0}};

static const struct option route_options[] = {
    {"output", 'o', "FILE", "write the tables to FILE (- is standard output)", AT(output)},
    {"format", 0, "FORMAT",
     "what to write: lft (default), lft-minimal, guid2lid, lid-matrix, qos-policy, roots, cns, order, path-bits, "
     "subnet, fdbs, psl or slvl",
     AT(format)},
    {"roots", 0, "ROOTS",
     "root switches for engines that take them (updown, opensm): names or GUIDs joined by +, or a file with one a line",
     AT(roots)},
    {"deploy", 0, "DIR", "write all that OpenSM needs to run with these routes into the folder DIR", AT(deploy)},
    {"force", 0, NULL, "deploy routes that fail the check too", AT(force)},
    {0}};

static const struct option check_options[] = {
    {"with-ibdmchk", 0, NULL, "have ibdmchk of ibutils judge the routes as well, beside our verdict", AT(with_ibdmchk)},
    {"timing", 0, NULL, "add seconds by part: distances, walks, dependencies, search for a circle; summed over threads",
     AT(timing)},
    {0}};

static const struct option eval_options[] = {
    {"pattern", 'p', "PATTERN", "who sends to whom (default bisect; 'heddle list pattern')", AT(pattern)},
    {"metric", 'm', "METRIC", "what to measure (default ebb; 'heddle list metric')", AT(metric)},
    {"number", 'n', "N", "samples of a random pattern (default 1000)", AT(number)},
    {"ci", 0, "X", "sample until the full 99 % confidence width is below X times the mean", AT(ci)},
    {"ranks", 0, "ORDER",
     "where ranks sit: natural (default), random:seed=N,count=K, adversarial, or a file of endpoints", AT(ranks)},
    {"loads", 0, "FILE", "write the load of every channel as CSV: names, ports, levels, direction, mean, largest",
     AT(loads)},
    {"samples", 0, "FILE", "write the value of every sample or stage as CSV", AT(samples)},
    {"checkpoint", 0, "FILE", "keep FILE up to date while sampling, and resume from it after a kill", AT(checkpoint)},
    {"timing", 0, NULL, "add wall-clock seconds", AT(timing)},
    {0}};

static const struct option plot_options[] = {
    {"pattern", 'p', "PATTERN", "whose loads fabric and load show: bisect (default) or allpairs", AT(pattern)},
    {"nodes", 0, "FILE", "the nodes of a job, for order (default: all hosts)", AT(nodes)},
    {"output", 'o', "FILE", "write the picture to FILE (default: standard output)", AT(output)},
    {0}};

static const struct option paper_options[] = {
    {"full", 0, NULL, "the papers' own sample sizes and the large cases: many minutes", AT(full)},
    {"format", 0, "FORMAT", "markdown: as docs/results.md has it", AT(format)},
    {"timing", 0, NULL, "add wall-clock seconds", AT(timing)},
    {0}};

static const struct option sim_options[] = {
    {"pattern", 'p', "PATTERN", "who sends to whom (default bisect; 'heddle list pattern')", AT(pattern)},
    {"trace", 0, "FILE", "messages from FILE instead: lines 'source destination bytes after'", AT(trace)},
    {"number", 'n', "N", "runs (default 10 of a random pattern, else 1)", AT(number)},
    {"stages", 0, "N", "only the first N stages of a collective", AT(stages)},
    {"select", 0, "SELECTOR", "who takes which route (default static; 'heddle list selector')", AT(select)},
    {"size", 0, "BYTES", "of a message: 4096, 64KiB, 1MiB, ... (default: the model's)", AT(size)},
    {"messages", 0, "N", "messages of a flow (default: the model's)", AT(messages)},
    {"model", 0, "MODEL", "hardware and progress: infiniband (default) or myrinet, with any parameter", AT(model)},
    {"ranks", 0, "ORDER", "where ranks sit: natural (default), random:seed=N, adversarial, or a file of endpoints",
     AT(ranks)},
    {"channels", 0, "FILE", "write the use of every channel as CSV: busy and blocked time", AT(channels)},
    {"samples", 0, "FILE", "write the figures of every run as CSV", AT(samples)},
    {"series", 0, "FILE", "write what arrived in each interval as CSV", AT(series)},
    {"interval", 0, "NS", "of the series (default 10000)", AT(interval)},
    {"timing", 0, NULL, "add wall-clock seconds, packets and events a second", AT(timing)},
    {0}};

static const struct option order_options[] = {
    {"nodes", 0, "FILE",
     "the nodes (default: all hosts): a file of names, host lists, slots or GUIDs, a rank file, or a host list itself",
     AT(nodes)},
    {"for", 0, "GOAL", "tree (default), ring, alltoall (plain Shift) or recdbl; also random, given or alphabetical",
     AT(goal)},
    {"before", 0, "GOAL", "the order to compare with (default: given, alphabetical without --nodes)", AT(before)},
    {"format", 0, "FORMAT", "openmpi (default), seq, mpich, slurm, torchrun, names, guids or ca-order", AT(format)},
    {"output", 'o', "FILE", "write the order to FILE (- is standard output)", AT(output)},
    {"schedule", 0, "FILE",
     "write a schedule: all-to-all by first fit, or with --for recdbl recursive doubling along the tree; "
     "binary when FILE ends in .bin",
     AT(schedule)},
    {"number", 'n', "N", "ranks (default: all slots)", AT(number)},
    {"per-node", 0, "N", "ranks a node where the list does not say (default 1); rank i of a node uses rail i",
     AT(per_node)},
    {"choose", 0, "N", "take the nodes as free ones and choose N of them that fit a closed form with the least loss",
     AT(choose)},
    {"also", 0, "FILE...",
     "the nodes of another job, any number of times: say whether it shares channels with this one", AT(also)},
    {"count", 0, "WHAT",
     "nodes (default): patterns of whole nodes; ranks: of single ranks, which share their node's cables", AT(count)},
    {"renumber", 0, "FILE", "write the job's port GUIDs for dmodk:index=FILE and say what these tables would gain",
     AT(renumber)},
    {0}};

static const struct option measure_options[] = {
    {"rounds", 0, "N", "random bisections to run (default 10)", AT(rounds)},
    {"messages", 0, "N", "messages each partner sends in a round (default 50)", AT(messages)},
    {"size", 0, "BYTES", "of a message (default 1MiB)", AT(size)},
    {"pattern", 'p', "PATTERN",
     "bisect (default), permutation, dissemination, ring, shift, bruck, recdbl, binomial or tournament; with "
     "NET and TABLE also bridge and worst",
     AT(pattern)},
    {"nodes", 0, "FILE", "the nodes in rank order (default: found by the names of the machines)", AT(nodes)},
    {0}};

static const struct option help_options[] = {
    {"format", 0, "FORMAT", "man, markdown or bash: the generated manual page, reference or completion", AT(format)},
    {0}};

static const char *net_format(size_t i)
{
    const struct hd_net_format *f = hd_net_format_at(i);
    return f ? f->name : NULL;
}

static const char *routes_format(size_t i)
{
    const struct hd_routes_format *f = hd_routes_format_at(i);
    return f ? f->name : NULL;
}

static const char *order_format(size_t i)
{
    const struct hd_order_format *f = hd_order_format_at(i);
    return f ? f->name : NULL;
}

const struct command commands[] = {
    {.name = "advise",
     .args = "NET [TABLE]",
     .summary = "the main job: what a fabric is, what is wrong, which routing suits it",
     .text = "Looks at the fabric (connected? a tree? cables missing or slow? leaves unequal?), at the table it has "
             "when one is "
             "given, and at every engine that applies: deadlock, lanes, bandwidth of random bisections and "
             "permutations, largest "
             "load, worst case, and hot spots of ring, all-to-all and recursive doubling in today's rank order and in "
             "ours. The "
             "one that suits the goal and can be loaded into OpenSM as it is gets recommended: every pair arrives, no "
             "deadlock, at "
             "most 8 lanes, no more LIDs an endpoint than the fabric has (--lmc). Scores: balanced is the geometric "
             "mean of EBB, "
             "permutation bandwidth and 1 / hot-spot degree of an all-to-all; alltoall and ring are 1 / hot-spot "
             "degree; random is "
             "EBB; worst is 1 / worst case. Tables within half a per cent count as equal: then the current one is "
             "kept, else the one "
             "with fewest lanes is taken. Then a cable or a switch is lost, several times, with the old table and "
             "routed anew. Missing and slow cables are named, port by port, as the first thing to do, with what "
             "mending them "
             "brings (--repair shows any command the mended fabric; JSON: repair). With -o "
             "all that is needed to act on it is written. Work is limited by what is predicted from the size of the "
             "network, never "
             "by the clock, and what is left out is told. Exit status 1 when a check says FAIL.",
     .options = advise_options,
     .examples = (const char *const[]){"heddle advise fabric.ibnetdiscover -o advice",
                                       "heddle advise fabric.ibnetdiscover opensm-lfts.dump --for alltoall",
                                       "heddle advise ft:m=16,n=2 --nodes 'node-[00000-00031]' --json", NULL},
     .takes_net = true,
     .min_args = 1,
     .max_args = 2,
     .run = run_advise},
    {.name = "topo",
     .args = "NET",
     .summary = "describe a network, or convert it",
     .text =
         "Without --format or -o prints what the network is: endpoints, switches, cables, levels with their ports and "
         "oversubscription, kind of tree or grid with its parameters, rails, connected parts, diameter, and which "
         "cables "
         "of the structure are missing. With --format or -o writes it as a file for other tools.",
     .options = topo_options,
     .examples = (const char *const[]){"heddle topo ft:m=16,n=3", "heddle topo fabric.ibnetdiscover.gz --json",
                                       "heddle topo torus:dims=4x4x4,hosts=2 --format svg -o torus.svg", NULL},
     .takes_net = true,
     .min_args = 1,
     .max_args = 1,
     .format = net_format,
     .run = run_topo},
    {.name = "route",
     .args = "NET ENGINE",
     .summary = "compute the routes of a network",
     .text = "Runs an engine and prints what it built: entries, path variants, lanes, the largest number of pairs on a "
             "channel, channels nobody uses. -o writes the table as OpenSM's LFT dump, ready for 'opensm -R file -U'; "
             "lines that "
             "begin with '# heddle' keep variants, selection and lanes, so that reading it back loses nothing. Other "
             "formats are "
             "files that go with it: guid2lid the LIDs it is for, qos-policy the lanes, subnet, fdbs, psl and slvl "
             "what ibdmchk "
             "reads. With --deploy DIR writes all of it, a configuration and a README with the steps to take and to "
             "undo; routes "
             "that fail the check are refused unless --force is given.",
     .options = route_options,
     .examples =
         (const char *const[]){"heddle route ft:m=16,n=3 dmodk", "heddle route fabric.ibnet ftree -o fabric.lft",
                               "heddle route fabric.ibnet updown --roots roots.txt",
                               "heddle route fabric.ibnet lash --deploy lash", NULL},
     .takes_net = true,
     .min_args = 2,
     .max_args = 2,
     .format = routes_format,
     .run = run_route},
    {.name = "check",
     .args = "NET TABLE",
     .summary = "prove that routes are right and free of deadlock",
     .text = "Every pair of endpoints must arrive; loops, detours, unused channels and hops are counted, and the "
             "dependencies "
             "of channels are searched for a cycle, lane by lane, from the tables alone. A credit loop is printed as a "
             "shortest cycle of named channels with a pair for each step. The exit status is 1 when a pair of one "
             "connected "
             "part is not served or a credit loop exists.",
     .options = check_options,
     .examples =
         (const char *const[]){"heddle check ft:m=16,n=3 dmodk", "heddle check fabric.ibnetdiscover opensm-lfts.dump",
                               "heddle check torus:dims=5x5 opensm:engine=lash --with-ibdmchk", NULL},
     .takes_net = true,
     .min_args = 2,
     .max_args = 2,
     .run = run_check},
    {.name = "diff",
     .args = "NET TABLE TABLE",
     .summary = "tell what a change of tables would disturb",
     .text = "Compares two tables of one network: how many entries of forwarding tables differ, how many blocks of 64 "
             "entries "
             "(what a subnet manager writes at once) and switches that concerns, and for how many pairs of endpoints "
             "the path "
             "or the lane changes.",
     .examples = (const char *const[]){"heddle diff ft:m=16,n=3 minhop ftree",
                                       "heddle diff fabric.ibnetdiscover opensm-lfts.dump opensm:engine=updn", NULL},
     .takes_net = true,
     .min_args = 3,
     .max_args = 3,
     .run = run_diff},
    {.name = "eval",
     .args = "NET... TABLE...",
     .summary = "measure and compare routes under a pattern",
     .text = "Draws samples of a random pattern, or takes all stages of a collective, routes them over each table and "
             "prints "
             "the mean of the metric with its 99 % confidence width, extremes and percentiles. With several tables "
             "rows are "
             "sorted, best first, and ratio is to the first table named. bound is what no routing of the same flows "
             "can beat, with where "
             "it comes "
             "from; flows without a path count as 0 and are told. --ranks adversarial is one ring of all ranks in "
             "which the flows "
             "of every leaf switch meet on one up port. --checkpoint goes without --loads and --samples; a CSV written "
             "to - "
             "takes the place of the table.",
     .options = eval_options,
     .examples = (const char *const[]){"heddle eval gft:n=16,m=16,r=32 dmodk -p bisect -m ebb -n 10000",
                                       "heddle eval ft:m=16,n=3 dmodk smodk -p permutation -m minbw --ci 0.01", NULL},
     .takes_net = true,
     .min_args = 2,
     .max_args = MAX_ARGS,
     .run = run_eval},
    {.name = "plot",
     .args = "KIND NET [TABLE...]",
     .summary = "draw one chart of the report as SVG",
     .text = "KIND is fabric (every cable coloured by its load), heat (bandwidth from leaf to leaf), load (histogram "
             "of loads by "
             "level and direction), bandwidth (distribution over random bisections, a row a table), order (hot spots "
             "before and after "
             "ordering the ranks) or whatif (bandwidth when a cable or a switch is lost). fabric, heat and load draw "
             "the first TABLE, "
             "load beside the second; without one, what advise would recommend is drawn, and the others compare all "
             "engines that "
             "apply. The picture is one file that follows the viewer's light or dark ground.",
     .options = plot_options,
     .examples =
         (const char *const[]){"heddle plot fabric ft:m=16,n=2 dmodk -o fabric.svg",
                               "heddle plot load deimos minhop psssp -o load.svg",
                               "heddle plot bandwidth gft:n=8,m=8,r=16 minhop dmodk random -o bandwidth.svg", NULL},
     .takes_net = true,
     .min_args = 2,
     .max_args = MAX_ARGS,
     .no_json = true,
     .run = run_plot},
    {.name = "paper",
     .args = "[NAME...]",
     .summary = "recompute the papers' tables and figures, published beside ours",
     .text = "NAME is a table, figure or other item ('heddle list paper'), or a whole paper (nienaber2009, ...); all of "
             "them when none "
             "is given. Each row has the published figure, ours, the difference, the tolerance and the verdict: ok, "
             "known (an "
             "erratum, or known not to reproduce; the reason follows the table) or MISS. Rows without a published "
             "figure are "
             "for reading. Without --full samples are fewer, and tolerances are widened by half the confidence width "
             "of ours. "
             "The exit status is 1 when a row misses that is not known to.",
     .options = paper_options,
     .examples =
         (const char *const[]){"heddle paper nienaber2009-table1", "heddle paper 004 --json", "heddle paper --full", NULL},
     .max_args = MAX_ARGS,
     .run = run_paper},
    {.name = "sim",
     .args = "NET TABLE",
     .summary = "simulate a pattern packet by packet",
     .text =
         "Cut-through switches with input buffers, fair arbitration and back-pressure, senders that may react to it. A "
         "run "
         "is one sample of a random pattern, or all stages of a collective, every sender at its own pace or in step "
         "(progress=stage). Prints the share of what a sender gets alone: the mean over senders and runs, the lowest "
         "and "
         "highest run, and how even the senders are; completion time, packet latency, route changes. A deadlock is "
         "told "
         "with its cycle of channels, and the exit status is then 1.",
     .options = sim_options,
     .examples =
         (const char *const[]){
             "heddle sim gft:n=16,m=16,r=32 omrmn -p bisect -n 4 --select probing --model myrinet --messages 5",
             "heddle sim pgft:m=18x18x6,w=1x18x3,p=1x1x6 dmodk -p shift --stages 8 --size 128KiB",
             "heddle sim torus:dims=6,hosts=2 minhop -p shift --model infiniband:lanes=1", NULL},
     .takes_net = true,
     .min_args = 2,
     .max_args = 2,
     .run = run_sim},
    {.name = "order",
     .args = "NET [TABLE]",
     .summary = "put ranks on nodes so that they do not collide",
     .text =
         "Orders the nodes of a job for the fabric and its tables, and prints the hot-spot degree (largest number "
         "of flows on "
         "a channel) of the usual patterns before and after: average over stages, largest, and the bandwidth that "
         "synchronised stages get; bound is what no order or schedule of an all-to-all can beat with these tables (the "
         "bound of eval is what no tables can beat in the order at hand). Everything is "
         "counted from "
         "the tables. Tree order is exact where a closed form holds, and the output says so, or names the leaf "
         "that breaks it; "
         "the other goals are searched for, the same result every time. A node's ranks are consecutive and count "
         "as one, on "
         "all rails at once. Without TABLE: dmodk on whole trees, else dmodc or ftree, else psssp. Where ranks "
         "send when they "
         "like, the total load of channels in an all-to-all does not depend on the order: then only a ring and "
         "recursive "
         "doubling gain.",
     .options = order_options,
     .examples =
         (const char *const[]){
             "heddle order fabric.ibnet --nodes hosts --for ring --format openmpi -o rankfile",
             "heddle order fabric.ibnet fabric.lft --nodes 'gpu[001-064,070]' --for alltoall --json",
             "heddle order pgft:m=18x18,w=1x9,p=1x2 --nodes 'node-[00000-00161]' --schedule alltoall.txt", NULL},
     .takes_net = true,
     .min_args = 1,
     .max_args = 2,
     .format = order_format,
     .run = run_order},
    {.name = "measure",
     .args = "[NET TABLE]",
     .summary = "effective bisection bandwidth of the real machine (heddle-mpi)",
     .text = "Run as 'mpirun ... heddle-mpi measure': in each round half the ranks, chosen at random, exchange "
             "messages with the "
             "other half, all at once, and the bandwidth of every pair is taken: average, least and most of each round "
             "and of all. "
             "With NET and TABLE the share each pair should get is predicted from the tables for the same pairs, "
             "compared by rank "
             "correlation, and pairs and cables slower than predicted are named. Rounds are the samples 'heddle eval "
             "-p bisect' draws "
             "for the same seed.",
     .options = measure_options,
     .examples = (const char *const[]){"mpirun -n 64 heddle-mpi measure --rounds 100",
                                       "mpirun -n 64 heddle-mpi measure fabric.ibnet fabric.lft --json", NULL},
     .takes_net = true,
     .max_args = 2,
     .run = run_measure},
    {.name = "list",
     .args = "[KIND]",
     .summary = "list what has a name: topologies, engines, ...",
     .text = "Prints the names of one kind, or of all kinds, with a line on each; 'heddle help NAME' tells more.",
     .examples = (const char *const[]){"heddle list topology", NULL},
     .max_args = 1,
     .run = run_list},
    {.name = "help",
     .args = "[COMMAND|NAME]",
     .summary = "explain a command, topology, engine, ...",
     .text = "Without an argument gives the overview. With --format prints the generated documents that are installed.",
     .options = help_options,
     .examples = (const char *const[]){"heddle help topo", "heddle help pgft", NULL},
     .max_args = 1,
     .run = run_help},
    {.name = "version", .args = "", .summary = "print the version", .text = "", .run = run_version},
    {0}};
