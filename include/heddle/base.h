/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/base.h - what every part of the library speaks: status, context, specs, output.
 *
 * Rules that hold everywhere:
 *  - everything that can fail returns hd_status; outputs come last and are set only on success;
 *  - the function that decides a failure words it once, in ctx->error; callers only forward it;
 *  - the library never prints, never exits and never reads the environment;
 *  - a result owns an arena: one free call releases it. */
#ifndef HEDDLE_BASE_H
#define HEDDLE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HD_API __attribute__((visibility("default")))
#define HD_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Up to HD_LIMIT the values are also the exit codes of the command. */
typedef enum hd_status {
    HD_OK = 0,
    HD_FAULT = 1, /* ran, and found something wrong with what it looked at */
    HD_USAGE = 2, /* called wrongly */
    HD_INPUT = 3, /* unreadable or invalid input */
    HD_LIMIT = 4, /* could not finish: memory, disk, a program that is missing */
    HD_NA = 5,    /* the method does not apply to this input; the command's exit code is that of HD_INPUT */
} hd_status;

/* Passed first to everything that can fail. Zero it (hd_ctx_init) and set what you need. */
struct hd_ctx {
    int threads;                                /* worker threads; 0: as many as the machine has */
    uint64_t seed;                              /* the one seed all random streams derive from */
    void (*note)(void *user, const char *line); /* a warning, one line, no newline; may be NULL */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total); /* may be NULL */
    void *user;
    const struct hd_comm *comm; /* other processes that share the work; NULL: there are none */
    struct hd_batch *batch;     /* private: files that appear together */
    const struct hd_table *tables; /* private: built-in rows by kind */
    struct hd_added *added;     /* private: rows added to them */
    uint32_t reason;            /* private: where hd_ctx_reason begins in error */
    char error[1024];           /* text of the last failure: "file:line: what was expected" */
};

HD_API void hd_ctx_init(struct hd_ctx *ctx);
/* Why the last failure happened, without the words before it: after HD_NA the bare reason ("not a tree"), after any
 * other failure the whole message. Points into ctx->error. */
HD_API const char *hd_ctx_reason(const struct hd_ctx *ctx);
HD_API const char *hd_version(void);

/* Several processes on one command (heddle-mpi). start comes first in main and gives NULL when there is
 * one process; end comes last, agrees on the largest status and returns it. A process that cannot go on
 * alone must not leave the others waiting: abort ends the whole job with that status. */
struct hd_comm;
HD_API const struct hd_comm *hd_comm_start(int *argc, char ***argv);
HD_API int hd_comm_end(const struct hd_comm *comm, int status);
HD_API void hd_comm_abort(const struct hd_comm *comm, int status);
HD_API int hd_comm_rank(const struct hd_comm *comm); /* 0 for NULL: rank 0 is the one that writes */
HD_API int hd_comm_size(const struct hd_comm *comm);

/* ---- names, parameters, specs -------------------------------------------------------------- */

enum {
    HD_MAX_LIST = 16, /* entries of a list such as 4x4x4 */
    HD_MAX_SPEC = 512 /* bytes of a canonical spec */
};

struct hd_list {
    uint32_t n;
    uint32_t v[HD_MAX_LIST];
};

/* What a parameter holds, and the C type behind its offset. */
enum hd_kind {
    HD_UINT,  /* uint64_t */
    HD_BYTES, /* uint64_t, may be written with a unit: 4096, 64K, 64KiB, 1MB */
    HD_REAL,  /* double */
    HD_WORD,  /* int: index into .words */
    HD_FLAG,  /* bool, written on|off */
    HD_LIST,  /* struct hd_list, written 4x4x4 */
    HD_TEXT,  /* const char *, "" when not given */
};

/* Numbers as people write them in options, specs and files. kind is HD_UINT, HD_BYTES or HD_REAL. */
union hd_number {
    uint64_t u;
    double real;
};
enum { HD_MAX_RANGE = 100 };
/* False when text is not one such number from min to max. */
HD_API bool hd_number_parse(enum hd_kind kind, double min, double max, const char *text, union hd_number *value);
/* "integer, 0..7", for help. */
HD_API const char *hd_number_range(enum hd_kind kind, double min, double max, char text[HD_MAX_RANGE]);
/* "an integer from 0 to 7", for a message that says what was expected. */
HD_API const char *hd_number_expected(enum hd_kind kind, double min, double max, char text[HD_MAX_RANGE]);

struct hd_param {
    const char *name;
    enum hd_kind kind;
    const char *value; /* default, as a user would write it */
    const char *doc;
    size_t offset;     /* in the options struct of the owner */
    double min, max;   /* of numbers and of list entries */
    const char *words; /* HD_WORD: "keep|published|none" */
    bool shape;        /* printed in the canonical spec even when it equals the default */
};

/* What every topology, engine, pattern, metric and selector begins with, so that listing, help,
 * parsing, manual and tests are written once. */
struct hd_desc {
    const char *name;
    const char *alias;             /* an older name that is still understood; may be NULL */
    const char *summary;           /* one line */
    const char *text;              /* the definition in words, formulas included; may be NULL */
    const char *cite;              /* where it comes from; may be NULL */
    const struct hd_param *params; /* ends with name == NULL; may be NULL */
    const char *const *examples;   /* specs worth trying, ends with NULL; help shows them, tests run them */
    const char *command; /* a command to try as it stands; NULL: the usual one of its kind, with examples[0] */
    size_t opt_size;
};

/* The candidate nearest to a mistyped word in edit distance, NULL when none is near enough to suggest. */
HD_API const char *hd_nearest(const char *word, const char *const *candidates, size_t n);
/* What goes before item i of n in "a, b or c". */
HD_API const char *hd_separator(size_t i, size_t n);
/* Usage failure of a word that is none of the n names: "--format svgg: expected dot, ... or svg, did you mean
 * 'svg'?" */
HD_API hd_status hd_fail_choice(struct hd_ctx *ctx, const char *what, const char *word, const char *const *names,
                                size_t n);

/* ---- text out ------------------------------------------------------------------------------ */

/* A buffered sink: a file (written under a temporary name, renamed by close), standard output
 * (path "-"), or memory. Errors stick and are reported once, by close. */
struct hd_out;

HD_API hd_status hd_out_open(struct hd_ctx *ctx, const char *path, struct hd_out **out);
HD_API hd_status hd_out_memory(struct hd_ctx *ctx, struct hd_out **out);
HD_API void hd_put(struct hd_out *o, const char *s, size_t n);
HD_API void hd_puts(struct hd_out *o, const char *s);
HD_API void hd_putu(struct hd_out *o, uint64_t value);                 /* decimal */
HD_API void hd_putx(struct hd_out *o, uint64_t value, int min_digits); /* lower-case hex */
HD_API void hd_printf(struct hd_out *o, const char *fmt, ...) HD_PRINTF(2, 3);
/* Contents of a memory sink so far, NUL-terminated; valid until the next write or close. */
HD_API const char *hd_out_text(struct hd_out *o, size_t *len);
/* Flush and put the file in place; on failure nothing is left behind. Frees o in every case. */
HD_API hd_status hd_out_close(struct hd_ctx *ctx, struct hd_out *o);
/* Give up: remove the temporary file. NULL is fine. */
HD_API void hd_out_drop(struct hd_out *o);

/* JSON on top of a sink; commas and nesting are kept for the caller. Non-finite reals become null.
 * key is NULL inside arrays. */
struct hd_json {
    struct hd_out *o;
    int depth;
    bool first[32];
};

HD_API void hd_json_init(struct hd_json *j, struct hd_out *o);
HD_API void hd_json_open(struct hd_json *j, const char *key, char bracket);      /* '{' or '[' */
HD_API void hd_json_close(struct hd_json *j, char bracket);                      /* '}' or ']' */
HD_API void hd_json_text(struct hd_json *j, const char *key, const char *value); /* NULL: null */
HD_API void hd_json_uint(struct hd_json *j, const char *key, uint64_t value);
HD_API void hd_json_real(struct hd_json *j, const char *key, double value);
HD_API void hd_json_bool(struct hd_json *j, const char *key, bool value);
HD_API void hd_json_null(struct hd_json *j, const char *key);

#ifdef __cplusplus
}
#endif
#endif
