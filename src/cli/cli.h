/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: a table of commands, each with a table of options. Parsing, help, manual pages and
 * completion all read these rows. */
#ifndef HD_CLI_CLI_H
#define HD_CLI_CLI_H

#include "tool/processes.h"
#include "tool/files.h"
#include "tool/json.h"
#include "tool/words.h"

#include <heddle.h>
#include <stdio.h>

enum { MAX_ARGS = 64 };

/* Values of options: where they land, and whether they were given. */
enum { MAX_WORDS = 16 };
struct words {
    const char *word[MAX_WORDS];
    int n;
};
struct integer {
    uint64_t value;
    bool given;
};
struct real {
    double value;
    bool given;
};

/* The values of all options; a command reads those it lists. */
struct values {
    bool json, csv, quiet, no_progress, timing, help, full, force, with_ibdmchk, with_opensm, always;
    struct integer seed, threads, number, size, messages, stages, interval, rounds, per_node, choose, lmc;
    struct integer wanted, radix, adapters; /* of a design */
    struct real ci, seconds;
    const char *output, *format, *pattern, *ranks, *select, *model, *trace, *channels, *series;
    const char *loads, *samples, *checkpoint, *deploy, *roots, *nodes, *goal, *before, *schedule, *renumber, *count;
    const char *prices, *racks, *bind, *with, *pairs, *heat, *counters, *jobs;
    const char *keep, *without, *after_fail;
    const char *mesh, *bytes;
    struct words also, plugin, metric;
    struct hd_open open; /* --node-name-map --rails --fail --guid2lid --part --rail --endpoints --repair */
};

/* What an option takes, and the type behind its offset. */
enum option_kind {
    OPTION_FLAG,    /* bool: takes no value */
    OPTION_TEXT,    /* const char * */
    OPTION_OUTPUT,  /* const char *: a file or folder that is written */
    OPTION_TEXTS,   /* struct words: may be given several times */
    OPTION_CHOICE,  /* const char *: one of .word */
    OPTION_NAMES,   /* struct words: such specs, may be given several times */
    OPTION_NAME,    /* const char *: a spec whose name is one of .registry, or a file; looked at by the library */
    OPTION_INTEGER, /* struct integer, min..max */
    OPTION_BYTES,   /* struct integer, min..max, may have a unit: 64K, 1MiB */
    OPTION_REAL,    /* struct real, min..max */
};

struct option {
    const char *name;
    char letter;     /* 0: none */
    const char *arg; /* what help calls its value; NULL for a flag */
    const char *doc; /* a sentence without its full stop; %s is where help lists the words of a choice */
    size_t offset;   /* in struct values */
    enum option_kind kind;
    double min, max;
    const char *usual;             /* what holds where a number is not given, in words; "": nothing */
    const char *(*word)(size_t i); /* of a choice; NULL past the last */
    bool first_is_default;         /* of the words */
    enum hd_registry registry;     /* that has the names of OPTION_NAME and OPTION_NAMES */
};

struct cli;

struct command {
    const char *name, *args, *summary;
    const char *text;             /* paragraphs for help and manual */
    const struct option *options; /* own ones; ends with name == NULL */
    const char *const *examples;  /* ends with NULL */
    bool no_json;                 /* what it prints has no JSON form */
    hd_status (*run)(struct cli *cli);
};

/* A value in a JSON object; json_keys.c says how paths and types are written. */
struct json_key {
    const char *path, *type, *doc;
};
struct schema {
    const char *name, *summary; /* summary NULL: that of the command called name */
    const struct json_key *keys;
};
extern const struct schema schemas[]; /* ends with name == NULL */
/* Part i that several objects have, NULL past the last; and one by its name, NULL: none. */
const struct schema *schema_part_at(size_t i);
const struct schema *find_schema_part(const char *name);

struct cli {
    const struct command *command;
    struct values v;
    const char *arg[MAX_ARGS];
    int nargs;
    struct hd_ctx *ctx;
    const struct hd_comm *comm; /* other processes of heddle-mpi; NULL: none */
    struct hd_out *out;         /* standard output: data only, closed and checked by main */
    struct hd_out *warnings;    /* until the command has ended; NULL: they are printed at once */
    struct {
        double shown, began;         /* when, in seconds() */
        uint64_t first, last, total; /* steps when it began and now; of how many */
    } progress;
    int outputs;    /* options that say where a result goes */
    bool taken;     /* a result goes to standard output; what is printed beside it goes nowhere */
    int stopped_by; /* signal that ended sampling early; 0: none */
};

/* All commands, in the order help lists them; ends with name == NULL. */
extern const struct command commands[];
extern const struct option common_options[], net_options[];

/* Whether a descriptor is a terminal that somebody reads; never with MPI. */
bool is_terminal(const struct cli *cli, int fd);
/* A signal that ends the command removes its temporary files; between the other two it says that no file is there. */
void watch_signals(void);
void begin_work(const struct cli *cli);
void begin_results(void);
/* Between these an interrupt ends sampling early and leaves a result; the end returns its signal, 0: none. With
 * status HD_LIMIT it came before there was any, and ends the command. */
void begin_sampling(struct cli *cli);
int end_sampling(struct cli *cli, hd_status status);
/* Loads the shared objects of --plugin. */
hd_status load_plugins(struct cli *cli);

/* Parses argv[1..] into cli; on failure the message is in hd_ctx_error. */
hd_status parse_command_line(struct cli *cli, int argc, char **argv);

/* Calls visit for every word of the command line that may name a file to read. */
hd_status visit_inputs(struct cli *cli, hd_status (*visit)(struct cli *cli, const char *path, void *user), void *user);

/* Option i of a command: its own, then those of networks, then the common ones; NULL past the last. */
const struct option *option_at(const struct command *c, size_t i);

/* Whether a NET is among the arguments, and so the options that read, fail and choose networks apply. */
bool takes_net(const struct command *c);

/* Word i that an option takes, NULL past the last. */
const char *option_word(const struct hd_ctx *ctx, const struct option *o, size_t i);
bool option_is_number(const struct option *o);
/* HD_UINT, HD_BYTES or HD_REAL of an option that takes a number. */
enum hd_kind option_number(const struct option *o);

/* The sentence help prints for an option: with the words of a choice, the range of a number and a full stop. */
enum { MAX_DOC = 512 };
const char *option_doc(const struct hd_ctx *ctx, const struct option *o, char text[MAX_DOC]);

/* The last failure as the command words it: with the options in place of the parameters that the library names. */
enum { MAX_MESSAGE = 1100 };
const char *error_text(const struct cli *cli, char text[MAX_MESSAGE]);

/* " --name value" for a shell, when the option was given. */
void put_given(struct hd_out *o, const struct option *option, const struct values *v);

hd_status usage_error(struct cli *cli, const char *fmt, ...) HD_PRINTF(2, 3);

/* NULL when there is none of that name. */
const struct command *find_command(const char *name);

/* A network with the options applied: one of that name, or that of cli->arg[i]. */
hd_status open_net_named(struct cli *cli, const char *text, struct hd_net **net);
/* The routes of a table on a network that was opened from `text`, as --after-fail says. */
hd_status open_routes(struct cli *cli, const char *text, const struct hd_net *net, const char *table,
                      struct hd_routes **r);
/* Where no table was given: the first engine of the table of engines, and while one does not apply the one that takes
 * over; *name is that which did. */
hd_status open_usual_routes(struct cli *cli, const struct hd_net *net, const char **name, struct hd_routes **r);
hd_status open_net(struct cli *cli, int i, struct hd_net **net);

hd_status run_advise(struct cli *cli);
hd_status run_topo(struct cli *cli);
hd_status run_route(struct cli *cli);
hd_status run_check(struct cli *cli);
hd_status run_diff(struct cli *cli);
hd_status run_watch(struct cli *cli);
hd_status run_transition(struct cli *cli);
hd_status run_eval(struct cli *cli);
hd_status run_plot(struct cli *cli);
hd_status run_paper(struct cli *cli);
hd_status run_design(struct cli *cli);
hd_status run_cables(struct cli *cli);
hd_status run_explain(struct cli *cli);
hd_status run_sim(struct cli *cli);
hd_status run_order(struct cli *cli);
hd_status run_measure(struct cli *cli);
hd_status run_schema(struct cli *cli);
hd_status run_list(struct cli *cli);
hd_status run_help(struct cli *cli);
hd_status run_version(struct cli *cli);

/* "what   1 of 2 change (50.00 %)" */
void print_change(struct hd_out *o, const char *what, uint64_t changed, uint64_t all);

/* Warns of flows without a path, which count as 0; chosen: groups of ports have paths for them. */
void note_unserved(struct cli *cli, const char *table, const char *net, uint64_t n, bool chosen);

/* Warns of paths that are proved, but too long to be loaded with traffic. */
void note_long_paths(struct cli *cli, const struct hd_routes *r, const struct hd_check *k);

/* Progress of an advice, passed on to the context; user is the struct cli. */
void show_advise_progress(void *user, const char *what, uint32_t done, uint32_t of);

/* Seconds on a clock that only goes forward, for --timing. */
double seconds(void);

void print_command_help(struct cli *cli, const struct command *c);
/* A command that shows a name at work: the row's own, or the usual one of its kind. */
enum { MAX_COMMAND = 256 };
const char *desc_command(enum hd_registry kind, const struct hd_desc *d, char text[MAX_COMMAND]);
/* Refusal of a name that no command and no row has, with the nearest that one has. */
hd_status unknown_name(struct cli *cli, const char *name);
/* Generated documents: heddle help --format man|markdown|bash|... [COMMAND|NAME]. */
hd_status print_manual(struct cli *cli, const char *format, const char *name);
/* The script of a shell, and what the last word of a line may become. */
void print_completion(const struct cli *cli, const char *shell);
void print_candidates(const struct cli *cli, const char *line);

#endif
