/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a fabric that are alike: planes, directors. */
#ifndef HD_NET_DESCRIBE_ALIKE_H
#define HD_NET_DESCRIBE_ALIKE_H

#include "base/arena.h"

/* Each part has a number of lower switches. most[i * width + k], k < width, is the most of something that parts with i
 * of them have, i <= n: becomes the most that parts alike have. Two are alike if both have as many, or one
 * has at most an eighth and one more than the three or more of the other, which may have lost some. False: no memory.
 * O(n sqrt n) if the parts have n lower switches in all. */
bool hd_most_alike(struct hd_arena *scratch, uint32_t *most, uint32_t n, uint32_t width);

#endif
