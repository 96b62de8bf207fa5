/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of what heddle wrote to a folder: a line of text, then per file the FNV-1a hash of its bytes, their number
 * and its name; "by COMMAND" stands before the files of a command. It guards against mistakes, not against an
 * adversary, so 64 bits do. A name may be listed twice: the list is put in place before the files, and what they held
 * before stays listed until the next run. Cost: every file that is to be replaced is read once. */
#include "base/folder_marks.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char title[] = "heddle: files written here, which the next run may replace (hash, bytes, name)\n";

void hd_content_add(struct hd_content *c, const char *bytes, size_t n)
{
    c->size += n;
    for (size_t i = 0; i < n; i++) c->hash = (c->hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
}

hd_status hd_marks_add(struct hd_ctx *ctx, struct hd_marks *marks, const char *name, struct hd_content content)
{
    struct hd_marked *more = realloc(marks->at, (marks->n + 1) * sizeof *more);
    if (more) marks->at = more;
    char *copy = more ? strdup(name) : NULL;
    if (!copy) return hd_fail_memory(ctx);
    struct hd_marked *m = &marks->at[marks->n++];
    *m = (struct hd_marked){copy, content, ""};
    if (marks->by) snprintf(m->by, sizeof m->by, "%s", marks->by);
    return HD_OK;
}

void hd_marks_free(struct hd_marks *marks)
{
    for (size_t i = 0; i < marks->n; i++) free(marks->at[i].name);
    free(marks->at);
    *marks = (struct hd_marks){0};
}

void hd_marks_write(const struct hd_marks *marks, struct hd_out *o)
{
    const char *by = "";
    hd_puts(o, title);
    for (size_t i = 0; i < marks->n; i++) {
        if (strcmp(marks->at[i].by, by) != 0) hd_printf(o, "by %s\n", marks->at[i].by);
        by = marks->at[i].by;
        hd_printf(o, "%016llx %llu %s\n", (unsigned long long)marks->at[i].content.hash,
                  (unsigned long long)marks->at[i].content.size, marks->at[i].name);
    }
}

static hd_status marks_read_lines(struct hd_ctx *ctx, FILE *f, struct hd_marks *marks)
{
    char line[600], name[300], by[HD_MARKS_BY] = "";
    unsigned long long hash, size;
    marks->foreign = !fgets(line, sizeof line, f) || strcmp(line, title) != 0;
    marks->by = by;
    while (!marks->foreign && fgets(line, sizeof line, f)) {
        if (strncmp(line, "by ", 3) == 0) { /* no hash begins so */
            *by = 0;
            sscanf(line + 3, "%31[^\n]", by);
            continue;
        }
        marks->foreign = sscanf(line, "%16llx %llu %299[^\n]", &hash, &size, name) != 3;
        if (!marks->foreign) HD_TRY(hd_marks_add(ctx, marks, name, (struct hd_content){size, hash}));
    }
    marks->by = NULL;
    return HD_OK;
}

hd_status hd_marks_read(struct hd_ctx *ctx, int folder, struct hd_marks *marks)
{
    struct stat st;
    *marks = (struct hd_marks){0};
    int fd = openat(folder, HD_MARKS_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        marks->foreign = errno != ENOENT;
        return HD_OK;
    }
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    FILE *f = regular ? fdopen(fd, "r") : NULL;
    if (!f) {
        close(fd);
        marks->foreign = !regular;
        return regular ? hd_fail_memory(ctx) : HD_OK;
    }
    hd_status s = marks_read_lines(ctx, f, marks);
    fclose(f);
    if (s != HD_OK) hd_marks_free(marks);
    return s;
}

static bool file_content(int fd, struct hd_content *content)
{
    char bytes[1 << 16];
    ssize_t n;
    *content = HD_CONTENT_NONE;
    while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) hd_content_add(content, bytes, (size_t)n);
    return n == 0;
}

static bool same_content(const struct hd_content *a, const struct hd_content *b)
{
    return a->size == b->size && a->hash == b->hash;
}

bool hd_marks_again(const struct hd_marks *marks, size_t i)
{
    const struct hd_marked *m = &marks->at[i];
    for (size_t j = i + 1; j < marks->n; j++) {
        const struct hd_marked *n = &marks->at[j];
        if (same_content(&m->content, &n->content) && strcmp(m->name, n->name) == 0 && strcmp(m->by, n->by) == 0)
            return true;
    }
    return false;
}

enum hd_owner hd_marks_owner(const struct hd_marks *marks, int folder, const char *name,
                             const struct hd_content *wanted)
{
    struct stat st;
    struct hd_content content;
    bool others = false;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? HD_NOBODY : HD_FOREIGN;
    if (!S_ISREG(st.st_mode)) return HD_FOREIGN;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool known = fd >= 0 && file_content(fd, &content), denied = errno == EACCES || errno == ELOOP;
    if (fd >= 0) close(fd);
    if (!known) return denied ? HD_FOREIGN : HD_UNKNOWN;
    if (wanted && same_content(&content, wanted)) return HD_OURS;
    for (size_t i = 0; i < marks->n; i++) {
        const struct hd_marked *m = &marks->at[i];
        if (strcmp(m->name, name) != 0 || !same_content(&content, &m->content)) continue;
        if (!marks->by || !*m->by || strcmp(m->by, marks->by) == 0) return HD_OURS;
        others = true;
    }
    return others ? HD_OTHERS : HD_FOREIGN;
}

const char *hd_marks_by(const struct hd_marks *marks, const char *name)
{
    for (size_t i = marks->n; i-- > 0;)
        if (strcmp(marks->at[i].name, name) == 0) return marks->at[i].by;
    return "";
}
