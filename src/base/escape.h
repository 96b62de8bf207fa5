/* SPDX-License-Identifier: BSD-2-Clause */
/* Names come from files and may hold any byte; what is written must still be valid text. */
#ifndef HD_BASE_ESCAPE_H
#define HD_BASE_ESCAPE_H

#include "heddle/base.h"

/* Bytes of the UTF-8 character at s: 1 to 4, or 0 when the bytes there are none (or the string ends). */
size_t hd_utf8(const char *s);

/* XML text or attribute value: markup escaped, bytes that are not UTF-8 and control characters, which
 * XML 1.0 cannot hold in any form, become U+FFFD. */
void hd_put_xml(struct hd_out *o, const char *s);
/* Text within a line: control characters become ?, since what follows a line end would be a line of its own. */
void hd_put_plain(struct hd_out *o, const char *s);

#endif
