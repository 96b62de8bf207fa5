/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: a table of commands, each with a table of options. Parsing, help, manual pages and
 * completion all read these rows. */
#ifndef HD_CLI_CLI_H
#define HD_CLI_CLI_H

#include <heddle.h>
#include <stdio.h>

enum { MAX_ARGS = 64 };

/* Values of an option that may be given several times. */
enum { MAX_WORDS = 16 };
struct words {
    const char *word[MAX_WORDS];
    int n;
};

/* Where the values of all options land; a command reads those it lists. */
struct values {
    bool json, quiet, no_progress, timing, help, full, force, with_ibdmchk;
    const char *output, *format, *seed, *threads, *pattern, *metric, *number, *ci, *ranks;
    const char *select, *size, *messages, *model, *stages, *trace, *channels, *series, *interval;
    const char *loads, *samples, *checkpoint, *deploy, *roots;
    const char *nodes, *goal, *before, *schedule, *per_node, *choose, *renumber, *count, *rounds;
    struct words also;
    struct hd_open open; /* --node-name-map --rails --fail --part --rail --endpoints --repair */
};

enum option_kind { OPTION_FLAG, OPTION_TEXT };

struct option {
    const char *name;
    char letter;     /* 0: none */
    const char *arg; /* what help calls its value; NULL for a flag; "FILE..." may be given several times */
    const char *doc;
    size_t offset; /* in struct values: bool, const char * or struct words */
};

struct cli;

struct command {
    const char *name, *args, *summary;
    const char *text;                /* paragraphs for help and manual */
    const struct option *options;    /* own ones; ends with name == NULL */
    const char *const *examples;     /* ends with NULL */
    bool takes_net;                  /* and so the options that read, fail and choose networks */
    bool no_json;                    /* what it prints has no JSON form */
    const char *(*format)(size_t i); /* values of --format, NULL past the last; NULL: the command looks at it itself */
    int min_args, max_args;
    hd_status (*run)(struct cli *cli);
};

struct cli {
    const struct command *command;
    struct values v;
    const char *arg[MAX_ARGS];
    int nargs;
    struct hd_ctx ctx;
    struct hd_out *out; /* standard output: data only, closed and checked by main */
};

/* All commands, in the order help lists them; ends with name == NULL. */
extern const struct command commands[];
extern const struct option common_options[], net_options[];

/* Parses argv[1..] into cli; on failure the message is in cli->ctx.error. */
hd_status parse_command_line(struct cli *cli, int argc, char **argv);

/* Calls visit for every option of a command: its own, those of networks, the common ones. */
void each_option(const struct command *c, void (*visit)(void *user, const struct option *o), void *user);

hd_status usage_error(struct cli *cli, const char *fmt, ...) HD_PRINTF(2, 3);

hd_status no_memory(struct cli *cli);

/* NULL when there is none of that name. */
const struct command *find_command(const char *name);

/* The network of cli->arg[i] with the options applied. */
hd_status open_net(struct cli *cli, int i, struct hd_net **net);

hd_status run_advise(struct cli *cli);
hd_status run_topo(struct cli *cli);
hd_status run_route(struct cli *cli);
hd_status run_check(struct cli *cli);
hd_status run_diff(struct cli *cli);
hd_status run_eval(struct cli *cli);
hd_status run_plot(struct cli *cli);
hd_status run_paper(struct cli *cli);
hd_status run_sim(struct cli *cli);
hd_status run_order(struct cli *cli);
hd_status run_measure(struct cli *cli);
hd_status run_list(struct cli *cli);
hd_status run_help(struct cli *cli);
hd_status run_version(struct cli *cli);

/* Seconds on a clock that only goes forward, for --timing. */
double seconds(void);

void print_overview(struct hd_out *o);
void print_command_help(struct hd_out *o, const struct command *c);
void print_desc_help(struct hd_out *o, enum hd_registry kind, const struct hd_desc *d);
/* A command that shows a name at work: the row's own, or the usual one of its kind. */
enum { MAX_COMMAND = 256 };
const char *desc_command(enum hd_registry kind, const struct hd_desc *d, char text[MAX_COMMAND]);
/* Refusal of a name that no command and no row has, with the nearest that one has. */
hd_status unknown_name(struct cli *cli, const char *name);
/* Generated documents: heddle help --format man|markdown|bash [COMMAND|NAME]. */
hd_status print_manual(struct cli *cli, const char *format, const char *name);
void print_completion(const struct cli *cli);

#endif
