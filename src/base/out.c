/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered text sinks. A file is complete on disk, or the old one is left in place: base/batch.c writes it beside its
 * target and renames it. */
#include "base/agree.h"
#include "base/batch.h"
#include "base/c_locale.h"
#include "base/comm.h"
#include "base/escape.h"
#include "base/status.h"
#include "tool/files.h"
#include "tool/processes.h"
#include "tool/words.h"
#include "base/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The tests of failing calls compile this with little (SMALL_OUT of the Makefile). */
#ifndef HD_OUT_BUFFER
#define HD_OUT_BUFFER (1 << 17)
#endif

/* As much of a stream is kept before its beginning is written: what is found to be wrong until then leaves no part of
 * it. Large tables would take a gigabyte of memory, and those who read their first lines would wait for the last. */
#ifndef HD_OUT_KEPT
#define HD_OUT_KEPT (64 << 20)
#endif

enum { BUFFER = HD_OUT_BUFFER, KEPT = HD_OUT_KEPT };

struct hd_out {
    char *buf;
    size_t used, size;
    size_t kept;    /* bytes, before the first is written; SIZE_MAX: all, until it is closed; 0: it was, or is a file */
    int fd;         /* -1: memory */
    bool standard;  /* standard output, which others close */
    bool visible;   /* read on a terminal, which must not obey names */
    size_t columns; /* that its reader has; 0: not known */
    int error;
    struct hd_file file;       /* .name is NULL where nothing is to be renamed */
    struct hd_content content; /* of a file in a folder that has a list of its files */
};

static struct hd_out *out_new(int fd)
{
    struct hd_out *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->fd = fd;
    o->kept = SIZE_MAX;
    o->standard = fd == STDOUT_FILENO;
    o->file = HD_FILE_NONE;
    o->content = HD_CONTENT_NONE;
    o->size = BUFFER;
    o->buf = malloc(o->size + 1);
    if (!o->buf) {
        free(o);
        return NULL;
    }
    return o;
}

static void out_free(struct hd_out *o)
{
    free(o->buf);
    free(o);
}

hd_status hd_out_open(struct hd_ctx *ctx, const char *path, struct hd_out **out)
{
    HD_TRY(hd_given(ctx, path, "a file to write"));
    HD_TRY(hd_agree(ctx, HD_OK, 0));
    if (hd_comm_rank(ctx->comm) != 0) return hd_out_memory(ctx, out); /* one process writes */
    bool standard = strcmp(path, "-") == 0;
    struct hd_out *o = out_new(standard ? STDOUT_FILENO : -1);
    if (!o) return hd_fail_memory(ctx);
    hd_status s = standard ? HD_OK : hd_file_open(ctx, path, &o->file, &o->fd);
    if (s != HD_OK) {
        out_free(o);
        return s;
    }
    if (o->file.name)
        o->kept = 0;
    else if (!hd_batch_holds(ctx))
        o->kept = KEPT;
    *out = o;
    return s;
}

hd_status hd_out_memory(struct hd_ctx *ctx, struct hd_out **out)
{
    struct hd_out *o = out_new(-1);
    if (!o) return hd_fail_memory(ctx);
    *out = o;
    return HD_OK;
}

static void out_write_all(struct hd_out *o, const char *s, size_t n)
{
    while (n > 0 && !o->error) {
        ssize_t done = write(o->fd, s, n);
        if (done < 0) {
            if (errno != EINTR) o->error = errno;
            continue;
        }
        if (o->file.name && o->file.folder != SIZE_MAX) hd_content_add(&o->content, s, (size_t)done);
        s += done;
        n -= (size_t)done;
    }
}

/* What was kept is written, and from here on no more is kept than a buffer. */
static void out_flush(struct hd_out *o)
{
    out_write_all(o, o->buf, o->used);
    o->used = 0;
    char *small = o->kept ? realloc(o->buf, BUFFER + 1) : NULL;
    o->kept = 0;
    if (!small) return;
    o->buf = small;
    o->size = BUFFER;
}

/* Room for n more bytes, or false with o->error set. */
static bool reserve(struct hd_out *o, size_t n)
{
    if (o->size - o->used >= n) return true;
    if (o->used + n > o->kept) {
        out_flush(o);
        if (n <= o->size) return true;
    }
    size_t size = o->size;
    while (size - o->used < n) size *= 2;
    char *buf = realloc(o->buf, size + 1);
    if (!buf) {
        o->error = ENOMEM;
        return false;
    }
    o->buf = buf;
    o->size = size;
    return true;
}

/* The n bytes behind those that are used are written. */
static void out_take(struct hd_out *o, size_t n)
{
    char *s = o->buf + o->used;
    bool control;
    for (size_t i = 0, size; o->visible && i < n; i += size) {
        size = hd_character(s + i, n - i, &control);
        if (control && s[i] != '\n' && s[i] != '\t') memset(s + i, '?', size);
    }
    o->used += n;
}

void hd_put(struct hd_out *o, const char *s, size_t n)
{
    if (o->error || !reserve(o, n)) return;
    memcpy(o->buf + o->used, s, n);
    out_take(o, n);
}

void hd_puts(struct hd_out *o, const char *s)
{
    hd_put(o, s, strlen(s));
}

void hd_putu(struct hd_out *o, uint64_t value)
{
    char digits[20];
    int n = 20;
    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    hd_put(o, digits + n, (size_t)(20 - n));
}

void hd_putx(struct hd_out *o, uint64_t value, int min_digits)
{
    char digits[16];
    int n = 16;
    while (value || 16 - n < min_digits || n == 16) {
        digits[--n] = "0123456789abcdef"[value & 15];
        value >>= 4;
        if (n == 0) break;
    }
    hd_put(o, digits + n, (size_t)(16 - n));
}

void hd_printf(struct hd_out *o, const char *fmt, ...)
{
    char small[512];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = hd_vformat(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        hd_put(o, small, (size_t)n);
    } else if (n > 0 && !o->error && reserve(o, (size_t)n)) {
        hd_vformat(o->buf + o->used, (size_t)n + 1, fmt, again);
        out_take(o, (size_t)n);
    }
    va_end(again);
}

void hd_out_set_whole(struct hd_out *o)
{
    o->kept = SIZE_MAX;
}

void hd_out_set_visible(struct hd_out *o, bool visible)
{
    o->visible = visible;
}

void hd_out_set_columns(struct hd_out *o, size_t columns)
{
    o->columns = columns;
}

size_t hd_out_columns(const struct hd_out *o)
{
    return o->columns;
}

bool hd_out_pass_error(const struct hd_out *from, struct hd_out *to)
{
    if (from->error && !to->error) to->error = from->error;
    return from->error != 0;
}

const char *hd_out_text(struct hd_out *o, size_t *len)
{
    o->buf[o->used] = 0;
    if (len) *len = o->used;
    return o->buf;
}

/* Whether nothing of a stream was written yet, and the work that it is a result of may still fail. */
static bool out_may_wait(const struct hd_ctx *ctx, const struct hd_out *o)
{
    return o->fd >= 0 && !o->file.name && o->kept && ctx->batch && !o->error;
}

static hd_status out_hand_over(struct hd_ctx *ctx, struct hd_out *o)
{
    hd_status s = hd_batch_stream(ctx, o->fd, &o->file, o->buf, o->used);
    free(o);
    return s;
}

hd_status hd_out_close(struct hd_ctx *ctx, struct hd_out *o)
{
    if (out_may_wait(ctx, o)) return out_hand_over(ctx, o);
    if (o->fd >= 0 && !o->error) out_write_all(o, o->buf, o->used);
    if (o->file.name && !o->error && fsync(o->fd) != 0 && errno != EINVAL && errno != ENOTSUP) o->error = errno;
    if (o->fd >= 0 && !o->standard && close(o->fd) != 0 && !o->error) o->error = errno;
    hd_status s = HD_OK;
    if (o->error) {
        const char *name = o->file.shown ? o->file.shown : o->standard ? "standard output" : "memory";
        s = hd_fail(ctx, HD_LIMIT, "%s: cannot write: %s", name, strerror(o->error));
        hd_file_drop(&o->file);
    } else if (o->file.name) {
        s = hd_file_keep(ctx, &o->file, o->content);
    } else {
        hd_file_drop(&o->file);
    }
    out_free(o);
    return s;
}

void hd_out_drop(struct hd_out *o)
{
    if (!o) return;
    if (o->fd >= 0 && !o->standard) close(o->fd);
    hd_file_drop(&o->file);
    out_free(o);
}

hd_status hd_out_end(struct hd_ctx *ctx, struct hd_out *o, hd_status status)
{
    if (status == HD_OK) return hd_out_close(ctx, o);
    hd_out_drop(o);
    return status;
}
