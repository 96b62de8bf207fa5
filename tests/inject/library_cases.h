/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cases of library.c share with its driver: the objects that a case starts from, and notes of what a call
 * returned, which must be the same whenever it succeeds. */
#ifndef LIBRARY_CASES_H
#define LIBRARY_CASES_H

#include <heddle.h>

#include <stddef.h>

/* What a case starts from, made without failures. */
struct world {
    struct hd_ctx *ctx;
    struct hd_net *net;
    struct hd_routes *routes;
    struct hd_nodes *nodes;
    struct hd_order *order;
    struct hd_report *report;
    struct hd_advise_in in;
};

struct library_case {
    const char *name;
    hd_status (*run)(struct world *w, const char *arg);
    const char *arg;
    const char *net, *engine; /* of the world; NULL: none */
    bool report;              /* the world has one */
    bool loses;               /* the C library's regcomp loses blocks when it runs out of memory: not counted */
};

/* Both end with an entry without a name. */
extern const struct library_case fabric_cases[], job_cases[];

#define FT "ft:m=4,n=2"
#define TORUS "torus:dims=3x3,hosts=1"
#define MESH "mesh:dims=2,hosts=2"

/* What an output points to before the call. */
extern char poison_byte;
#define POISON ((void *)&poison_byte)

/* Adds to the text of what the call returned, without allocating. */
__attribute__((format(printf, 1, 2))) void note(const char *fmt, ...);
void note_bytes(const void *p, size_t n);
/* Notes the text of o and closes it; drops it if s is a failure. */
hd_status note_out(struct hd_ctx *ctx, struct hd_out *o, hd_status s);

/* Path of an input, and of a result that must be gone after a failure; good for the next four calls. */
const char *input_path(const char *name);
const char *output_path(const char *name);

/* An output that is set on failure is a fault, reported as a status that nothing else returns. */
hd_status kept(hd_status s, const void *address);

#endif
