/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in text: what options, specs and files share. The range-checked reader of numbers that people write is
 * hd_number_parse in heddle/base.h; the two here read identifiers, which have no unit and no range. */
#ifndef HD_BASE_NUMBER_H
#define HD_BASE_NUMBER_H

#include "heddle/base.h"

/* A decimal number of n digits that fits; false when it is not. */
bool hd_parse_u64(const char *s, size_t n, uint64_t *value);

/* A GUID as the InfiniBand tools print it: 0x and 1 to 16 hexadecimal digits, nothing else. */
bool hd_parse_guid(const char *s, size_t n, uint64_t *guid);

#endif
