/* SPDX-License-Identifier: BSD-2-Clause */
/* With an access control list the bits of the group in a mode are the mask of the list: a copy of the mode alone would
 * open the file to its group, and a list that a new file has from its folder would open it to others. */
#include "base/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char acl_name[] = "system.posix_acl_access";

/* No list, or a file system without lists. */
static bool acl_is_absent(int error)
{
    return error == ENODATA || error == ENOTSUP || error == EOPNOTSUPP || error == ENOSYS;
}

/* The list of an open file, to be freed; NULL with errno. */
static void *acl_read(int fd, size_t *size)
{
    const ssize_t n = fgetxattr(fd, acl_name, NULL, 0);
    void *acl = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (!acl) return NULL;
    const ssize_t got = fgetxattr(fd, acl_name, acl, (size_t)n);
    *size = (size_t)got;
    if (got >= 0) return acl;
    const int error = errno;
    free(acl);
    errno = error;
    return NULL;
}

static bool acl_copy(int fd, int from)
{
    size_t n;
    void *acl = acl_read(from, &n);
    if (!acl) return acl_is_absent(errno) && (fremovexattr(fd, acl_name) == 0 || acl_is_absent(errno));
    const bool set = fsetxattr(fd, acl_name, acl, n, 0) == 0;
    const int error = errno;
    free(acl);
    errno = error;
    return set;
}

bool hd_access_copy(int fd, int at, const char *name, const struct stat *st)
{
    const int how = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat now;
    if (fstat(fd, &now) != 0) return false;
    if ((now.st_uid != st->st_uid || now.st_gid != st->st_gid) && fchown(fd, st->st_uid, st->st_gid) != 0) return false;
    int from = openat(at, name, O_RDONLY | how);
    if (from < 0 && errno == EACCES) from = openat(at, name, O_WRONLY | how);
    if (from < 0) return false;
    const bool copied = acl_copy(fd, from) && fchmod(fd, st->st_mode & 07777) == 0;
    const int error = errno;
    close(from);
    errno = error;
    return copied;
}
