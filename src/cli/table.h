/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned columns for people: cells are added row by row, then printed with each column as wide as its
 * widest cell. Numbers are right-aligned. */
#ifndef HD_CLI_TABLE_H
#define HD_CLI_TABLE_H

#include <heddle.h>

enum { TABLE_COLUMNS = 24 };

struct table {
    struct hd_out *text; /* the cells, NUL-terminated, end to end */
    uint32_t ncell, ncol;
    bool right[TABLE_COLUMNS], spare[TABLE_COLUMNS];
};

/* Column titles as "left|>right|~>spare|...": a '>' right-aligns; what follows a '~' is left out, the last first, where
 * the reader's lines are too short for all. */
hd_status table_init(struct hd_ctx *ctx, struct table *t, const char *titles);
void table_cell(struct table *t, const char *fmt, ...) HD_PRINTF(2, 3);
/* Prints and releases. Rows that are still too long go on in the next line. */
void table_print(struct table *t, struct hd_out *o);

/* "label            text": a label in a column of that width and what it stands for, in lines as long as the reader's;
 * in one line where that length is not known. */
enum { FIELD_LABEL = 17 };
void put_field(struct hd_out *o, size_t width, const char *label, const char *fmt, ...) HD_PRINTF(4, 5);
/* The same of a file or a spec: one line, whatever bytes it holds. */
void put_name(struct hd_out *o, const char *label, const char *name);

#endif
