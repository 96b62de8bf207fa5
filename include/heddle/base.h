/* SPDX-License-Identifier: BSD-2-Clause */
/* heddle/base.h - what every part of the library speaks: status, context, specs, output.
 *
 * Rules that hold everywhere:
 *  - everything that can fail returns hd_status; outputs come last and are set only on success;
 *  - the function that decides a failure words it once, see hd_ctx_error; callers only forward it;
 *  - the library never prints, never exits and never reads the environment;
 *  - a result owns an arena: one free call releases it;
 *  - a struct that the caller allocates may get new members at its end in later versions. Functions that take one are
 *    inline and pass its size, as the caller's headers have it, to the function of the library, NAME_sized. Members
 *    that an older caller does not have count as 0, or are not written; members that this library does not know must
 *    be 0 (HD_USAGE), and are set to 0. Arrays and structs within such structs, and struct hd_list, hd_param, hd_desc,
 *    hd_flows, hd_ranks, hd_hsd, hd_pair_sums, hd_second, hd_advice, hd_shared, hd_plug, hd_lost_cable,
 *    hd_cabling_fault and hd_mesh_row, do not change. */
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
    HD_FAULT = 1,   /* ran, and found something wrong with what it looked at */
    HD_USAGE = 2,   /* called wrongly */
    HD_INPUT = 3,   /* unreadable or invalid input */
    HD_LIMIT = 4,   /* could not finish: memory, disk, another program */
    HD_NA = 5,      /* the method does not apply to this input; the command's exit code is that of HD_INPUT */
    HD_MISSING = 6, /* another program is not installed; the command's exit code is that of HD_LIMIT */
} hd_status;

/* The version of these headers. hd_version() is that of the library the program runs with. */
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0
#define HEDDLE_VERSION (HEDDLE_VERSION_MAJOR * 10000 + HEDDLE_VERSION_MINOR * 100 + HEDDLE_VERSION_PATCH)

HD_API const char *hd_version(void);
/* Whether a program compiled with headers of this version may use the library: hd_version_check(HEDDLE_VERSION). The
 * major number must be the same and the minor one no newer; before 1.0 the minor number must be the same. */
HD_API bool hd_version_check(int header_version);

/* Passed first to everything that can fail: settings, callbacks, the text of the last failure, and the names that specs
 * may use. Make one per thread; a context is not shared between threads, what it makes may be (see each header). */
struct hd_ctx;
HD_API struct hd_ctx *hd_ctx_new(void); /* NULL: out of memory */
HD_API void hd_ctx_free(struct hd_ctx *ctx);
/* Worker threads, at most 4096; 0 or less: as many as the machine has. Where not all of them can be started (limits of
 * processes or memory, a small stack of the calling thread), fewer are used, and a note says so. */
HD_API void hd_ctx_set_threads(struct hd_ctx *ctx, int threads);
HD_API int hd_ctx_threads(const struct hd_ctx *ctx);
HD_API void hd_ctx_set_seed(struct hd_ctx *ctx, uint64_t seed); /* all random streams derive from it; 1 at first */
HD_API uint64_t hd_ctx_seed(const struct hd_ctx *ctx);
/* Warnings, one line each without a newline, and progress; NULL functions: none. They are called from the thread that
 * called the library. */
HD_API void hd_ctx_set_note(struct hd_ctx *ctx, void (*note)(void *user, const char *line), void *user);
HD_API void hd_ctx_set_progress(struct hd_ctx *ctx,
                                void (*progress)(void *user, const char *what, uint64_t done, uint64_t total),
                                void *user);
/* Asked now and then by calls that draw samples (hd_eval, hd_sim) or search (hd_order_make), on the calling thread: if
 * stop returns true, they end early with the samples or the order that they have, and hd_ctx_stopped is true until the
 * next call of this. hd_advise, hd_design_make and hd_order_count_ranks ask between their steps, and fail with
 * HD_LIMIT; so does any call while it waits for a pipe that it reads. NULL: never. */
HD_API void hd_ctx_set_stop(struct hd_ctx *ctx, bool (*stop)(void *user), void *user);
HD_API bool hd_ctx_stopped(const struct hd_ctx *ctx);
/* Text of the last failure: "file:line: what was expected", one line; "" before the first. */
HD_API const char *hd_ctx_error(const struct hd_ctx *ctx);
/* The parameters that message names, blank between them ("lmc guid2lid"), so that a command can print its options in
 * their place; NULL: none. */
HD_API const char *hd_ctx_about(const struct hd_ctx *ctx);
/* Why the last failure happened, without the words before it: after HD_NA the bare reason ("not a tree"), after any
 * other failure the whole message. */
HD_API const char *hd_ctx_reason(const struct hd_ctx *ctx);

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

/* ---- text out ------------------------------------------------------------------------------ */

/* A buffered sink: a file (written under a temporary name, renamed by close), standard output (path "-"), a pipe or a
 * device, of which the first 64 MiB wait for more or for close, or memory. Errors stick and are reported once, by
 * close. */
struct hd_out;

HD_API hd_status hd_out_open(struct hd_ctx *ctx, const char *path, struct hd_out **out);
HD_API hd_status hd_out_memory(struct hd_ctx *ctx, struct hd_out **out);
HD_API void hd_put(struct hd_out *o, const char *s, size_t n);
HD_API void hd_puts(struct hd_out *o, const char *s);
HD_API void hd_printf(struct hd_out *o, const char *fmt, ...) HD_PRINTF(2, 3);
/* Contents of a memory sink so far, NUL-terminated; valid until the next write or close. */
HD_API const char *hd_out_text(struct hd_out *o, size_t *len);
/* Whether writing to a sink has failed, so that its text is not whole; the error becomes that of the sink its text was
 * meant for. */
HD_API bool hd_out_pass_error(const struct hd_out *from, struct hd_out *to);
/* Flush and put the file in place; on failure nothing is left behind. Frees o in every case. */
HD_API hd_status hd_out_close(struct hd_ctx *ctx, struct hd_out *o);
/* Closes a sink that was filled with this status, or drops it where that is a failure; returns what became of it. */
HD_API hd_status hd_out_end(struct hd_ctx *ctx, struct hd_out *o, hd_status status);
/* Give up: remove the temporary file. NULL is fine. */
HD_API void hd_out_drop(struct hd_out *o);

#ifdef __cplusplus
}
#endif
#endif
