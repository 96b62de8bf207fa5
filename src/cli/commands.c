/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands. A row here is all there is to a command besides the function that runs it. */
#include "cli.h"

#define AT(field) offsetof(struct values, field)

static const struct option topo_options[] = {
    {"output", 'o', "FILE", "write the network to FILE (- is standard output) instead of describing it", AT(output)},
    {"format", 0, "FORMAT", "what to write: ibnet (default), dot, graphml, json, slurm, slurm-yaml or svg", AT(format)},
    {0}};

static const struct option help_options[] = {
    {"format", 0, "FORMAT", "man, markdown or bash: the generated manual page, reference or completion", AT(format)},
    {0}};

const struct command commands[] = {
    {.name = "topo",
     .args = "NET",
     .summary = "describe a network, or convert it",
     .text = "Without --format or -o prints what the network is: endpoints, switches, cables, levels with their ports and "
             "oversubscription, kind of tree or grid with its parameters, rails, connected parts, diameter, and which cables "
             "of the structure are missing. With --format or -o writes it as a file for other tools.",
     .options = topo_options,
     .examples = (const char *const[]){"heddle topo ft:m=16,n=3", "heddle topo fabric.ibnetdiscover.gz --json",
                                       "heddle topo torus:dims=4x4x4,hosts=2 --format svg -o torus.svg", NULL},
     .takes_net = true,
     .min_args = 1,
     .max_args = 1,
     .run = run_topo},
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
