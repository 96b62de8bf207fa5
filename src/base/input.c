/* SPDX-License-Identifier: BSD-2-Clause */
/* Input goes raw bytes -> (inflate | zstd | copy) -> one text buffer -> lines, handed out in place. */
#include "base/input.h"
#include "base/c_locale.h"
#include "base/agree.h"
#include "base/comm.h"
#include "base/hash.h"
#include "base/pipes.h"
#include "base/protected.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* The fuzz targets compile this with little, so that small inputs come in parts. */
#ifndef HD_IN_BUFFER
#define HD_IN_BUFFER (1 << 16)
#endif

enum { BUFFER = HD_IN_BUFFER, SHOWN = 64 << 20 }; /* from SHOWN bytes on, reading is shown as progress */

/* No table or network that InfiniBand can address needs more; a stream without an end, or a small file that
 * decompresses to one, is refused here after a minute or so. */
#define MAX_LINES ((1ull << 31) - 1)
#define MAX_BYTES (1ull << 36)
/* Of compressed data: more than the tables of the largest subnet, and than text is compressed by. */
#define MAX_UNPACKED (1ull << 34)
#define MAX_TIMES 1000
/* Nor does any have so many lines in a row that are blank or comments. */
enum { MAX_SILENT = 1 << 22 };

enum packing { PLAIN, GZIP, ZSTD };

struct hd_in {
    char *name;
    int fd; /* -1: memory, or a pipe */
    struct hd_pipe *pipe;
    uint64_t pipe_at;
    const unsigned char *mem;
    size_t mem_left;
    struct hd_in *archive; /* a member of this one, which is closed with it */
    uint64_t archive_left;

    enum packing packing;
    unsigned char *raw; /* bytes as stored, not yet decompressed */
    size_t raw_at, raw_end;
    bool raw_eof;
    z_stream z;
    bool z_open, z_done;
    ZSTD_DStream *zs;
    size_t zs_hint; /* 0 between frames */

    char *text; /* decompressed bytes [at, end), one spare byte behind */
    size_t at, end, room;
    bool eof, cut;
    bool controls; /* zero bytes, or what moves the cursor of a terminal, were among the bytes so far */
    char newline;  /* \n, or \r if the first 64 KiB have that alone */
    uint64_t most_lines;
    uint64_t line, bytes;  /* lines handed out, bytes decompressed */
    uint32_t silent;       /* the last so many lines were blank or comments */
    uint64_t stored, size; /* bytes as stored: read, and of a whole file; size 0: not known */
    int64_t changed;       /* nanoseconds since 1970; 0: not known */
};

static hd_status refill_raw(struct hd_ctx *ctx, struct hd_in *in)
{
    if (in->raw_at < in->raw_end || in->raw_eof) return HD_OK;
    in->raw_at = in->raw_end = 0;
    if (in->archive) {
        size_t n = in->archive_left < BUFFER ? (size_t)in->archive_left : BUFFER;
        HD_TRY(hd_in_bytes(ctx, in->archive, in->raw, n, &in->raw_end));
        if (in->raw_end < n) return hd_fail(ctx, HD_INPUT, "%.200s: the archive ends early", in->name);
        in->archive_left -= n;
    } else if (in->pipe) {
        HD_TRY(hd_pipe_read(ctx, in->pipe, &in->pipe_at, in->raw, BUFFER, &in->raw_end));
    } else if (in->fd < 0) {
        size_t n = in->mem_left < BUFFER ? in->mem_left : BUFFER;
        memcpy(in->raw, in->mem, n);
        in->mem += n;
        in->mem_left -= n;
        in->raw_end = n;
    } else {
        HD_TRY(hd_read_shared(ctx, in->fd, in->name, in->raw, BUFFER, &in->raw_end));
    }
    if (in->raw_end == 0) in->raw_eof = true;
    in->stored += in->raw_end;
    return HD_OK;
}

/* One step of decompression into [dst, dst + room); *got may be 0 before the end. */
static hd_status unpack_gzip(struct hd_ctx *ctx, struct hd_in *in, char *dst, size_t room, size_t *got)
{
    while (in->z_done && in->raw_at < in->raw_end && !in->raw[in->raw_at]) in->raw_at++; /* what fills a tape's block */
    if (in->z_done && in->raw_at == in->raw_end && !in->raw_eof) return HD_OK;
    if (in->z_done && in->raw_at < in->raw_end) { /* another gzip member follows */
        inflateReset(&in->z);
        in->z_done = false;
    }
    if (in->raw_eof) {
        if (!in->z_done) return hd_fail(ctx, HD_INPUT, "%s: gzip data ends early", in->name);
        in->eof = true;
        return HD_OK;
    }
    in->z.next_in = in->raw + in->raw_at;
    in->z.avail_in = (uInt)(in->raw_end - in->raw_at);
    in->z.next_out = (unsigned char *)dst;
    in->z.avail_out = (uInt)room;
    int rc = inflate(&in->z, Z_NO_FLUSH);
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return hd_fail(ctx, HD_INPUT, "%s: bad gzip data", in->name);
    in->raw_at = in->raw_end - in->z.avail_in;
    in->z_done = rc == Z_STREAM_END;
    *got = room - in->z.avail_out;
    return HD_OK;
}

static hd_status unpack_zstd(struct hd_ctx *ctx, struct hd_in *in, char *dst, size_t room, size_t *got)
{
    if (in->raw_eof) {
        if (in->zs_hint) return hd_fail(ctx, HD_INPUT, "%s: zstd data ends early", in->name);
        in->eof = true;
        return HD_OK;
    }
    ZSTD_inBuffer src = {in->raw, in->raw_end, in->raw_at};
    ZSTD_outBuffer out = {dst, room, 0};
    in->zs_hint = ZSTD_decompressStream(in->zs, &out, &src);
    if (ZSTD_isError(in->zs_hint)) return hd_fail(ctx, HD_INPUT, "%s: bad zstd data", in->name);
    in->raw_at = src.pos;
    *got = out.pos;
    return HD_OK;
}

/* Searched for in many bytes at once, so that lines of most files need no search of their own. */
static bool has_controls(const char *bytes, size_t n)
{
    return memchr(bytes, 0, n) || memchr(bytes, '\r', n) || memchr(bytes, '\b', n) || memchr(bytes, 27, n);
}

static hd_status unpack(struct hd_ctx *ctx, struct hd_in *in, char *dst, size_t room, size_t *got)
{
    *got = 0;
    while (*got == 0 && !in->eof) {
        HD_TRY(refill_raw(ctx, in));
        if (in->packing == GZIP) {
            HD_TRY(unpack_gzip(ctx, in, dst, room, got));
        } else if (in->packing == ZSTD) {
            HD_TRY(unpack_zstd(ctx, in, dst, room, got));
        } else {
            size_t n = in->raw_end - in->raw_at;
            if (n > room) n = room;
            memcpy(dst, in->raw + in->raw_at, n);
            in->raw_at += n;
            *got = n;
            in->eof = in->raw_eof;
        }
    }
    in->bytes += *got;
    if (!in->controls) in->controls = has_controls(dst, *got);
    if (in->bytes > MAX_BYTES) return hd_in_fail(ctx, in, "more than %llu bytes: expected an end", MAX_BYTES);
    if (in->packing != PLAIN && in->bytes > MAX_UNPACKED && in->bytes - MAX_UNPACKED > MAX_TIMES * in->stored)
        return hd_in_fail(ctx, in, "more than %llu bytes from %llu compressed ones: expected less", MAX_UNPACKED,
                          (unsigned long long)in->stored);
    if (in->size > SHOWN) hd_progress(ctx, "reading", in->stored, in->size);
    return HD_OK;
}

static hd_status start(struct hd_ctx *ctx, struct hd_in *in)
{
    HD_TRY(refill_raw(ctx, in));
    const unsigned char *b = in->raw;
    if (in->raw_end >= 2 && b[0] == 0x1f && b[1] == 0x8b) {
        in->packing = GZIP;
        if (inflateInit2(&in->z, 16 + MAX_WBITS) != Z_OK) return hd_fail_memory(ctx);
        in->z_open = true;
    } else if (in->raw_end >= 4 && b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd) {
        in->packing = ZSTD;
        in->zs = ZSTD_createDStream();
        if (!in->zs) return hd_fail_memory(ctx);
        /* A frame may ask for a huge window: 128 MiB (zstd's own default limit) is the most. */
        ZSTD_DCtx_setParameter(in->zs, ZSTD_d_windowLogMax, 27);
        in->zs_hint = 1;
    }
    return HD_OK;
}

static hd_status in_new(struct hd_ctx *ctx, const char *name, const struct hd_in *from, struct hd_in **out)
{
    struct hd_in *in = malloc(sizeof *in);
    if (!in) {
        if (from->fd > STDIN_FILENO) close(from->fd);
        hd_in_close(from->archive);
        return hd_fail_memory(ctx);
    }
    *in = *from;
    in->most_lines = MAX_LINES;
    in->newline = '\n';
    in->name = strdup(name);
    in->raw = malloc(BUFFER);
    in->text = malloc(BUFFER + 1);
    in->room = BUFFER;
    hd_status s = in->name && in->raw && in->text ? start(ctx, in) : hd_fail_memory(ctx);
    if (s != HD_OK) {
        hd_in_close(in);
        return s;
    }
    *out = in;
    return HD_OK;
}

/* What is read from here on may not be replaced. Closes fd where that cannot be remembered. */
static hd_status open_protect(struct hd_ctx *ctx, int fd, const struct stat *st)
{
    hd_status s = hd_protect_read(ctx, st);
    if (s != HD_OK && fd > STDIN_FILENO) close(fd);
    return s;
}

/* A named pipe is opened without waiting for its writer, which is waited for as for bytes: that wait can be ended. */
static hd_status open_named(struct hd_ctx *ctx, const char *path, int *fd)
{
    struct stat st;
    const bool wait = hd_wait_ends(ctx) && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
    *fd = open(path, O_RDONLY | O_CLOEXEC | (wait ? O_NONBLOCK : 0));
    if (!wait || *fd < 0) return HD_OK; /* why it cannot be opened, the caller says */
    hd_status s = hd_await_bytes(ctx, *fd, path);
    if (s == HD_OK && fcntl(*fd, F_SETFL, 0) != 0)
        s = hd_fail(ctx, HD_LIMIT, "%s: cannot read: %s", path, strerror(errno));
    if (s != HD_OK) close(*fd);
    return s;
}

/* A pipe that the context knows is not opened again, and one that it does not know yet is remembered. */
static hd_status open_path(struct hd_ctx *ctx, const char *path, struct hd_in *in)
{
    bool standard = strcmp(path, "-") == 0;
    if ((in->pipe = hd_pipe_find(ctx->pipes, path)) != NULL) return HD_OK;
    if (standard) HD_TRY(hd_agree(ctx, HD_OK, 0)); /* what is read from here on is shared */
    struct stat st;
    const int processes = hd_comm_size(ctx->comm);
    if (!standard && processes > 1 && stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) /* each would get a part of it */
        return hd_fail(ctx, HD_INPUT, "%s: is a named pipe, which %d processes cannot all read: expected a file or -",
                       path, processes);
    int fd = STDIN_FILENO;
    if (!standard) HD_TRY(open_named(ctx, path, &fd));
    if (fd < 0 || fstat(fd, &st) != 0) {
        hd_status s =
            hd_fail(ctx, hd_errno_status(errno), "%s: cannot open: %s", standard ? "<stdin>" : path, strerror(errno));
        if (fd > STDIN_FILENO) close(fd);
        return s;
    }
    if (S_ISDIR(st.st_mode)) {
        if (!standard) close(fd);
        return hd_fail(ctx, HD_INPUT, "%s: is a folder, expected a file", path);
    }
    HD_TRY(open_protect(ctx, fd, &st));
    bool kept = ctx->pipes && (standard || !S_ISREG(st.st_mode));
    if (kept && !(in->pipe = hd_pipe_add(ctx->pipes, path, fd))) {
        if (!standard) close(fd);
        return hd_fail_memory(ctx);
    }
    if (!kept) in->fd = fd;
    if (S_ISREG(st.st_mode)) in->size = (uint64_t)st.st_size;
    if (S_ISREG(st.st_mode) && !standard && llabs((long long)st.st_mtim.tv_sec) >> 32 == 0)
        in->changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return HD_OK;
}

hd_status hd_in_open(struct hd_ctx *ctx, const char *path, struct hd_in **in)
{
    struct hd_in from = {.fd = -1};
    HD_TRY(open_path(ctx, path, &from));
    return in_new(ctx, strcmp(path, "-") == 0 ? "<stdin>" : path, &from, in);
}

hd_status hd_in_memory(struct hd_ctx *ctx, const char *name, const void *bytes, size_t n, struct hd_in **in)
{
    return in_new(ctx, name, &(struct hd_in){.fd = -1, .mem = bytes, .mem_left = n}, in);
}

hd_status hd_in_member(struct hd_ctx *ctx, const char *name, struct hd_in *archive, uint64_t size, struct hd_in **in)
{
    return in_new(ctx, name, &(struct hd_in){.fd = -1, .archive = archive, .archive_left = size}, in);
}

static bool is_silent(const char *line)
{
    line += strspn(line, " \t");
    return !*line || *line == '#';
}

/* Whether line number in->line, of n bytes, may be handed out. */
static hd_status take_line(struct hd_ctx *ctx, struct hd_in *in, char *line, size_t n)
{
    if (in->line > in->most_lines)
        return hd_in_fail(ctx, in, "more than %llu lines: expected an end", (unsigned long long)in->most_lines);
    if (in->controls && memchr(line, 0, n))
        return hd_in_fail(ctx, in, "zero byte in a text file: expected text, plain, gzip or zstd%s",
                          in->line == 1 && !line[0] ? " (is it an empty archive, or was it never written?)" : "");
    line[n] = 0;
    in->silent = is_silent(line) ? in->silent + 1 : 0;
    if (in->silent <= MAX_SILENT) return HD_OK;
    return hd_in_fail(ctx, in, "more than %d blank lines and comments in a row: expected an end", MAX_SILENT);
}

/* A file whose first line does not end although it has carriage returns: they end its lines. */
static bool ends_in_returns(const struct hd_in *in, const char *base, size_t n)
{
    return in->line == 0 && in->newline == '\n' && (in->eof || n > HD_MAX_LINE) && memchr(base, '\r', n);
}

/* Bytes of a byte order mark, which editors put before UTF-8. */
static size_t mark_of(const struct hd_in *in, const char *base, size_t n)
{
    return in->line == 1 && n >= 3 && memcmp(base, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* More bytes behind the n of an unfinished line, which is moved to the front; a longer line gets a larger buffer. */
static hd_status in_more(struct hd_ctx *ctx, struct hd_in *in, size_t n)
{
    size_t got;
    memmove(in->text, in->text + in->at, n);
    in->at = 0;
    in->end = n;
    if (n == in->room) {
        char *text = realloc(in->text, 2 * in->room + 1);
        if (!text) return hd_fail_memory(ctx);
        in->text = text;
        in->room *= 2;
    }
    HD_TRY(unpack(ctx, in, in->text + n, in->room - n, &got));
    in->end += got;
    return HD_OK;
}

/* Files in forms that people have, that are not read, and that would be refused for some byte in them. */
static hd_status in_check_form(struct hd_ctx *ctx, struct hd_in *in)
{
    enum { SEEN = 10 };
    static const struct {
        const char *first, *what, *command;
        size_t n, at;
    } forms[] = {{"\3757zXZ", "compressed with xz", "xz -d", 6, 0},
                 {"1AY&SY", "compressed with bzip2", "bzip2 -d", 6, 4}, /* after BZh and the level */
                 {"PK\3\4", "a ZIP archive", "unzip", 4, 0},
                 {"\4\"M\30", "compressed with lz4", "lz4 -d", 4, 0},
                 {"\377\376", "text in UTF-16", "iconv -f UTF-16 -t UTF-8", 2, 0},
                 {"\376\377", "text in UTF-16", "iconv -f UTF-16 -t UTF-8", 2, 0}};
    const char *b;
    HD_TRY(hd_in_peek(ctx, in, SEEN, &b));
    for (size_t i = 0; b && i < sizeof forms / sizeof *forms; i++)
        if (memcmp(b + forms[i].at, forms[i].first, forms[i].n) == 0)
            return hd_in_fail(ctx, in, "%s: expected text, plain, gzip or zstd (%s)", forms[i].what, forms[i].command);
    return HD_OK;
}

hd_status hd_in_line(struct hd_ctx *ctx, struct hd_in *in, char **line, size_t *len)
{
    size_t scanned = 0;
    *line = NULL;
    *len = 0;
    if (in->line == 0) HD_TRY(in_check_form(ctx, in));
    for (;;) {
        char *base = in->text + in->at;
        char *nl = memchr(base + scanned, in->newline, in->end - in->at - scanned);
        size_t n = nl ? (size_t)(nl - base) : in->end - in->at;
        if (!nl && ends_in_returns(in, base, n)) {
            in->newline = '\r';
            scanned = 0;
            continue;
        }
        if (n > HD_MAX_LINE) {
            in->line++;
            return hd_in_fail(ctx, in, "line longer than %d bytes", HD_MAX_LINE);
        }
        if (nl || in->eof) {
            if (!nl && n == 0) return HD_OK;
            in->at += nl ? n + 1 : n;
            in->cut = !nl;
            in->line++;
            while (n > 0 && base[n - 1] == '\r') n--;
            HD_TRY(take_line(ctx, in, base, n));
            size_t mark = mark_of(in, base, n);
            base += mark;
            n -= mark;
            ctx->read = hd_hash_bytes(ctx->read + n, base, n);
            *line = base;
            *len = n;
            return HD_OK;
        }
        scanned = n;
        HD_TRY(in_more(ctx, in, n));
    }
}

hd_status hd_in_peek(struct hd_ctx *ctx, struct hd_in *in, size_t n, const char **bytes)
{
    while (in->end - in->at < n && !in->eof) HD_TRY(in_more(ctx, in, in->end - in->at));
    *bytes = in->end - in->at >= n ? in->text + in->at : NULL;
    return HD_OK;
}

hd_status hd_in_starts(struct hd_ctx *ctx, struct hd_in *in, const void *bytes, size_t n, bool *found)
{
    const char *first;
    HD_TRY(hd_in_peek(ctx, in, n, &first));
    *found = first && memcmp(first, bytes, n) == 0;
    return HD_OK;
}

hd_status hd_in_bytes(struct hd_ctx *ctx, struct hd_in *in, void *to, size_t n, size_t *got)
{
    for (*got = 0; *got < n;) {
        size_t part = n - *got < in->end - in->at ? n - *got : in->end - in->at;
        memcpy((char *)to + *got, in->text + in->at, part);
        *got += part;
        in->at += part;
        if (*got == n || (in->eof && in->at == in->end)) break;
        HD_TRY(in_more(ctx, in, 0));
    }
    ctx->read = hd_hash_bytes(ctx->read + *got, to, *got);
    return HD_OK;
}

void hd_in_limit(struct hd_in *in, uint64_t lines)
{
    in->most_lines = lines;
}

hd_status hd_in_text(struct hd_ctx *ctx, struct hd_in *in, const char *blank, char **line)
{
    for (size_t len;;) {
        HD_TRY(hd_in_line(ctx, in, line, &len));
        if (!*line) return HD_OK;
        *line += strspn(*line, blank);
        for (len = strlen(*line); len && strchr(blank, (*line)[len - 1]);) (*line)[--len] = 0;
        if (**line && **line != '#') return HD_OK;
    }
}

bool hd_in_controls(const struct hd_in *in)
{
    return in->controls;
}

bool hd_in_cut(const struct hd_in *in)
{
    return in->cut;
}

uint64_t hd_in_lineno(const struct hd_in *in)
{
    return in->line;
}

bool hd_in_changed(const struct hd_in *in, int64_t *when)
{
    if (!in->changed && in->archive) return hd_in_changed(in->archive, when);
    *when = in->changed;
    return in->changed != 0;
}

void hd_in_set_changed(struct hd_in *in, int64_t when)
{
    in->changed = when;
}

uint64_t hd_in_stored(const struct hd_in *in)
{
    return in->stored;
}

const char *hd_in_name(const struct hd_in *in)
{
    return in->name;
}

hd_status hd_in_fail(struct hd_ctx *ctx, const struct hd_in *in, const char *fmt, ...)
{
    char text[800];
    va_list ap;
    va_start(ap, fmt);
    hd_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (in->line == 0) return hd_fail(ctx, HD_INPUT, "%.200s: %s", in->name, text);
    return hd_fail(ctx, HD_INPUT, "%.200s:%llu: %s", in->name, (unsigned long long)in->line, text);
}

void hd_in_close(struct hd_in *in)
{
    if (!in) return;
    if (in->fd > STDIN_FILENO) close(in->fd);
    if (in->z_open) inflateEnd(&in->z);
    ZSTD_freeDStream(in->zs);
    hd_in_close(in->archive);
    free(in->name);
    free(in->raw);
    free(in->text);
    free(in);
}

char *hd_next_field(char **line)
{
    char *s = *line + strspn(*line, " \t,");
    if (!*s) return NULL;
    bool quoted = *s == '"';
    if (quoted) s++;
    char *end = s + strcspn(s, quoted ? "\"" : " \t,");
    *line = *end ? end + 1 : end;
    *end = 0;
    return s;
}
