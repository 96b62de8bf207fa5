/* SPDX-License-Identifier: BSD-2-Clause */
/* Line-wise input from a file, standard input ("-", "<stdin>" in messages) or memory; gzip and zstd are
 * recognised by their first bytes. Memory is bounded whatever the input: a line may have HD_MAX_LINE bytes. Pipes are
 * opened once (pipes.h). */
#ifndef HD_BASE_INPUT_H
#define HD_BASE_INPUT_H

#include "heddle/base.h"

enum { HD_MAX_LINE = 65536 };

struct hd_in;

hd_status hd_in_open(struct hd_ctx *ctx, const char *path, struct hd_in **in);
/* Reads from bytes the caller keeps; name is what messages call it. */
hd_status hd_in_memory(struct hd_ctx *ctx, const char *name, const void *bytes, size_t n, struct hd_in **in);
/* The next size bytes of another input as one of its own, which may be compressed too. The archive is closed with it,
 * and at once if this fails. */
hd_status hd_in_member(struct hd_ctx *ctx, const char *name, struct hd_in *archive, uint64_t size, struct hd_in **in);
/* Next line without its end (\n with any number of \r before it, or \r in a file without \n) and without a byte order
 * mark, NUL-terminated in the buffer; valid until the next call.
 * *line is NULL at the end of the input. A NUL byte or a longer line is an error. */
hd_status hd_in_line(struct hd_ctx *ctx, struct hd_in *in, char **line, size_t *len);
/* The first n bytes, which are not taken; NULL: there are fewer. Only before the first line. */
hd_status hd_in_peek(struct hd_ctx *ctx, struct hd_in *in, size_t n, const char **bytes);
/* Whether the input begins with these few bytes; they are not taken. Only before the first line. */
hd_status hd_in_starts(struct hd_ctx *ctx, struct hd_in *in, const void *bytes, size_t n, bool *found);
/* The next n bytes of a binary file, fewer at its end: *got. */
hd_status hd_in_bytes(struct hd_ctx *ctx, struct hd_in *in, void *to, size_t n, size_t *got);
/* More lines than this are an error; set it for files that have few. Without it, and for bytes, there is a bound that
 * is beyond all tables and networks, so that no stream is read for ever. */
void hd_in_limit(struct hd_in *in, uint64_t lines);
/* The next line that says something: what begins with # or has only characters of `blank` is passed over, and those at
 * both ends of the line are cut off. */
hd_status hd_in_text(struct hd_ctx *ctx, struct hd_in *in, const char *blank, char **line);
/* Whether there may be carriage returns, backspaces or escape sequences in the line handed out last. */
bool hd_in_controls(const struct hd_in *in);
/* Whether the line handed out last was cut off: no newline followed it. */
bool hd_in_cut(const struct hd_in *in);
uint64_t hd_in_lineno(const struct hd_in *in);
const char *hd_in_name(const struct hd_in *in);
/* When the file was last changed, in nanoseconds since 1970: that of a member as its archive says, otherwise that of
 * the archive. False: not known, as of a pipe. */
bool hd_in_changed(const struct hd_in *in, int64_t *when);
void hd_in_set_changed(struct hd_in *in, int64_t when);
/* Bytes that were read of the file, as it is stored. */
uint64_t hd_in_stored(const struct hd_in *in);
/* hd_fail with "name:line: " in front. */
hd_status hd_in_fail(struct hd_ctx *ctx, const struct hd_in *in, const char *fmt, ...) HD_PRINTF(3, 4);
void hd_in_close(struct hd_in *in);

/* Next field of a line, cut out in place; NULL at its end. Fields are separated by blanks or commas; one in ""
 * may hold both. */
char *hd_next_field(char **line);

#endif
