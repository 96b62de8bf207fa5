/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node description says, and the order people expect names in. */
#ifndef HD_NET_CORE_NODE_NAME_H
#define HD_NET_CORE_NODE_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct hd_text { /* part of a string that lives elsewhere */
    const char *at;
    size_t n;
};

static inline bool hd_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct hd_name {
    struct hd_text host;   /* never empty unless the whole description is */
    struct hd_text device; /* empty when the description names none */
    bool vague;            /* names no host in particular: localhost, or a bare device */
};

/* "gpu-07 mlx5_0" is host gpu-07 and device mlx5_0. The device is the last blank-separated word that
 * looks like one; a description without such a word is a host name as a whole. */
struct hd_name hd_name_split(const char *description);

/* Length of a host name without its domain; an address is not cut. */
size_t hd_name_short(const char *host);

/* Natural order: runs of digits compare as numbers, mlx5_2 before mlx5_10. Total: 0 only when equal. */
int hd_name_order(struct hd_text a, struct hd_text b);

#endif
