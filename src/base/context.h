/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a context. A worker thread takes a copy with its own error text; tables and added rows are shared. */
#ifndef HD_BASE_CONTEXT_H
#define HD_BASE_CONTEXT_H

#include "heddle/base.h"

enum { HD_MAX_THREADS = 4096 };

struct hd_ctx {
    int threads;                                /* worker threads; 0: as many as the machine has */
    int tried;                                  /* so many could be started (threads.h) */
    uint64_t seed;                              /* the one seed all random streams derive from */
    void (*note)(void *user, const char *line); /* a warning, one line, no newline; may be NULL */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total); /* may be NULL */
    bool (*stop)(void *user); /* whether sampling should end; may be NULL */
    void *note_user, *progress_user, *stop_user;
    bool stopped;                      /* some call ended early */
    const struct hd_comm *comm;        /* other processes that share the work; NULL: there are none */
    uint64_t read;                     /* digest of all lines read so far */
    bool parted;                       /* the processes do not agree: no more exchanges */
    int speaker;                       /* rank that words the failure of all */
    struct hd_batch *batch;            /* files that appear together */
    struct hd_protected *files;        /* that no result may replace; NULL: any may be */
    struct hd_pipes *pipes;            /* what was read of inputs that cannot be opened twice; NULL: nothing is kept */
    struct hd_archive_names *archives; /* files of archives that were looked through; NULL: nothing is kept */
    const struct hd_table *tables;     /* built-in rows by kind */
    struct hd_added *added;            /* rows added to them */
    uint32_t reason;                   /* where hd_ctx_reason begins in error */
    const char *about;                 /* parameters that error names, blank between them; NULL: none */
    char error[1024];                  /* text of the last failure: "file:line: what was expected" */
};

/* Defaults and the built-in tables (registry.c); a context made so is released by hd_ctx_release. */
void hd_ctx_init(struct hd_ctx *ctx);
void hd_ctx_release(struct hd_ctx *ctx);

#endif
