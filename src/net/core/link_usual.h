/* SPDX-License-Identifier: BSD-2-Clause */
/* The rate that most of many cables have. Different links may have one rate (4xEDR and 2xHDR), so it is rates that are
 * counted, never links. */
#ifndef HD_NET_LINK_USUAL_H
#define HD_NET_LINK_USUAL_H

#include <stdint.h>

enum { HD_LINK_CODES = 256 };

/* A link with the most frequent known rate, of those the most frequent one; the lower rate or code among equals.
 * count: cables by link code, where 0 is not known. 0: no rate is. cables, unless NULL: how many have that rate. */
uint8_t hd_link_usual(const uint32_t count[HD_LINK_CODES], uint32_t *cables);

#endif
