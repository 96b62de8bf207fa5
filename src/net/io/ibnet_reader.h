/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reader of network files knows while it reads: shared by the lines of records (fmt_ibnet_records.c), the
 * choice among the forms of a file (fmt_ibnet_read.c) and the entry for files, folders and archives (net_read.c). */
#ifndef HD_NET_IO_IBNET_READER_H
#define HD_NET_IO_IBNET_READER_H

#include "net/io/fmt_ibdiag.h"
#include "net/io/fmt_ibnet.h"

#include <string.h>

enum ibnet_kind { SWITCH, ADAPTER, ROUTER, KINDS };
enum ibnet_form { UNDECIDED, RECORDS, PORTS, SUBNET, LINKINFO, VALUES, NET_DUMP };

#define NO_NODE UINT32_MAX

/* Lines that are not part of the format. Those that are surely from elsewhere, and whatever precedes the first record,
 * are skipped; another one is kept until the next line of the format refuses it, or the file ends. */
struct ibnet_strays {
    uint32_t skipped, first; /* how many, and the line of the first */
    uint32_t kept, line;     /* how many not yet decided upon, and the line of the first of them */
    char word[25];           /* how that one begins */
};

struct ibnet_reader {
    struct hd_in *in;
    struct hd_draft draft;
    enum ibnet_form form;
    uint32_t line, switches, records;
    struct ibnet_strays strays;

    uint64_t base[KINDS], next[KINDS]; /* GUIDs: as last set, and of the next record */
    uint64_t system;                   /* of the next record, 0: not given */
    uint32_t pending;                  /* line of a GUID whose record has not come */
    enum ibnet_kind pending_kind;
    bool guid_lines; /* there are such lines */
    uint32_t bare;   /* the first record's node + 1, if it had none */
    struct hd_bag peers;
    struct hd_linkinfo_state linkinfo;
    struct hd_ibdiag_state ibdiag;
    int role; /* marked for the next record, -1: not */
    char module[64];

    bool started;       /* a line of the format was read */
    bool open;          /* inside a record */
    uint32_t node;      /* of the last record, NO_NODE: there was none */
    uint32_t seen[256]; /* line that listed a port last: within this record when after its first line */

    char link[16]; /* the link word last looked up */
    size_t link_len;
    uint8_t link_code;
};

/* ---- fmt_ibnet_records.c ------------------------------------------------------------------- */

/* The header of a record; s is behind the word that names its kind. */
hd_status hd_ibnet_header(struct hd_ctx *ctx, struct ibnet_reader *r, enum ibnet_kind kind, const char *s,
                          const char *end);
/* A port of the open record. */
hd_status hd_ibnet_port(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s, const char *end);
/* name=value or name+value; value is at the sign. */
hd_status hd_ibnet_setting(struct hd_ctx *ctx, struct ibnet_reader *r, const char *name, size_t len, const char *value);
/* A comment, which may mark the role of the next record. */
hd_status hd_ibnet_comment(struct hd_ctx *ctx, struct ibnet_reader *r, const char *s);

/* ---- fmt_ibnet_read.c ---------------------------------------------------------------------- */

/* A line of the format follows what was skipped or kept as stray; take_form also settles the form of the file. */
hd_status hd_ibnet_decide_strays(struct hd_ctx *ctx, struct ibnet_reader *r);
hd_status hd_ibnet_take_form(struct hd_ctx *ctx, struct ibnet_reader *r, enum ibnet_form form);

static inline hd_status hd_ibnet_format_line(struct hd_ctx *ctx, struct ibnet_reader *r)
{
    return !r->strays.kept && r->started ? HD_OK : hd_ibnet_decide_strays(ctx, r);
}

static inline bool hd_ibnet_word(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

/* Makes a reader of `in` in the arena. */
hd_status hd_ibnet_begin(struct hd_ctx *ctx, struct hd_arena *scratch, struct hd_in *in, struct ibnet_reader **out);
/* All lines of r->in; a further file may follow. */
hd_status hd_ibnet_lines(struct hd_ctx *ctx, struct ibnet_reader *r);
/* What only the end of the last file shows. */
hd_status hd_ibnet_end(struct hd_ctx *ctx, struct ibnet_reader *r);

#endif
