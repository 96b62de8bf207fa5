/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffered text sinks. A file is written beside its target under a temporary name and renamed when
 * complete, so a reader never sees half of it and a failure leaves the old one in place. */
#include "base/agree.h"
#include "base/batch.h"
#include "base/comm.h"
#include "base/status.h"
#include "tool/processes.h"
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 17 };

struct hd_out {
    char *buf;
    size_t used, size;
    int fd; /* -1: memory */
    int error;
    char *path, *temp; /* NULL for standard output and memory */
};

static struct hd_out *out_new(int fd)
{
    struct hd_out *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->fd = fd;
    o->size = BUFFER;
    o->buf = malloc(o->size + 1);
    if (!o->buf) {
        free(o);
        return NULL;
    }
    return o;
}

static hd_status out_make(struct hd_ctx *ctx, int fd, struct hd_out **out)
{
    struct hd_out *o = out_new(fd);
    if (!o) return hd_fail_memory(ctx);
    *out = o;
    return HD_OK;
}

static void out_free(struct hd_out *o)
{
    free(o->buf);
    free(o->path);
    free(o->temp);
    free(o);
}

/* Where the data must really go: through symbolic links, so that a link stays a link. */
static char *real_target(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

hd_status hd_out_open(struct hd_ctx *ctx, const char *path, struct hd_out **out)
{
    if (strcmp(path, "-") != 0) HD_TRY(hd_agree(ctx, HD_OK, 0));
    if (hd_comm_rank(ctx->comm) != 0) return hd_out_memory(ctx, out); /* one process writes */
    if (strcmp(path, "-") == 0) return out_make(ctx, STDOUT_FILENO, out);
    struct stat st;
    bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    if (special && S_ISDIR(st.st_mode))
        return hd_fail(ctx, HD_LIMIT, "%s: is a folder, expected a file to write", path);
    struct hd_out *o = out_new(-1);
    if (!o) return hd_fail_memory(ctx);
    o->path = real_target(path);
    if (special) { /* a device or a pipe: cannot be renamed onto */
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (o->path && (o->temp = malloc(strlen(o->path) + 32))) {
        sprintf(o->temp, "%s.tmp%ld-XXXXXX", o->path, (long)getpid());
        o->fd = mkstemp(o->temp);
        if (o->fd >= 0) {
            mode_t mask = umask(0);
            umask(mask);
            fchmod(o->fd, 0666 & ~mask);
        }
    }
    if (o->fd < 0) {
        hd_status s = hd_fail(ctx, HD_LIMIT, "%s: cannot write: %s", path, strerror(errno));
        out_free(o);
        return s;
    }
    *out = o;
    return HD_OK;
}

hd_status hd_out_memory(struct hd_ctx *ctx, struct hd_out **out)
{
    return out_make(ctx, -1, out);
}

static void out_write_all(struct hd_out *o, const char *s, size_t n)
{
    while (n > 0 && !o->error) {
        ssize_t done = write(o->fd, s, n);
        if (done < 0) {
            if (errno != EINTR) o->error = errno;
            continue;
        }
        s += done;
        n -= (size_t)done;
    }
}

/* Room for n more bytes, or false with o->error set. */
static bool reserve(struct hd_out *o, size_t n)
{
    if (o->size - o->used >= n) return true;
    if (o->fd >= 0) {
        out_write_all(o, o->buf, o->used);
        o->used = 0;
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

void hd_put(struct hd_out *o, const char *s, size_t n)
{
    if (o->error || !reserve(o, n)) return;
    memcpy(o->buf + o->used, s, n);
    o->used += n;
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
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        hd_put(o, small, (size_t)n);
    } else if (n > 0 && !o->error && reserve(o, (size_t)n)) {
        vsnprintf(o->buf + o->used, (size_t)n + 1, fmt, again);
        o->used += (size_t)n;
    }
    va_end(again);
}

const char *hd_out_text(struct hd_out *o, size_t *len)
{
    o->buf[o->used] = 0;
    if (len) *len = o->used;
    return o->buf;
}

hd_status hd_out_close(struct hd_ctx *ctx, struct hd_out *o)
{
    const char *name = o->path ? o->path : o->fd >= 0 ? "standard output" : "memory";
    if (o->fd >= 0) out_write_all(o, o->buf, o->used);
    if (o->fd >= 0 && o->fd != STDOUT_FILENO && close(o->fd) != 0 && !o->error) o->error = errno;
    if (o->temp && !o->error && !ctx->batch && rename(o->temp, o->path) != 0) o->error = errno;
    hd_status s = o->temp && !o->error && ctx->batch ? hd_batch_keep(ctx, o->temp, o->path) : HD_OK;
    if (s != HD_OK) unlink(o->temp);
    if (o->error) {
        s = hd_fail(ctx, HD_LIMIT, "%s: cannot write: %s", name, strerror(o->error));
        if (o->temp) unlink(o->temp);
    }
    out_free(o);
    return s;
}

void hd_out_drop(struct hd_out *o)
{
    if (!o) return;
    if (o->fd >= 0 && o->fd != STDOUT_FILENO) close(o->fd);
    if (o->temp) unlink(o->temp);
    out_free(o);
}

hd_status hd_out_end(struct hd_ctx *ctx, struct hd_out *o, hd_status status)
{
    if (status == HD_OK) return hd_out_close(ctx, o);
    hd_out_drop(o);
    return status;
}
