/* SPDX-License-Identifier: BSD-2-Clause */
/* Names come from files and may hold any byte; what is written must still be valid text. */
#ifndef HD_BASE_ESCAPE_H
#define HD_BASE_ESCAPE_H

#include "heddle/base.h"

/* Bytes of the UTF-8 character at s: 1 to 4, or 0 when the bytes there are none (or the string ends). */
size_t hd_utf8(const char *s);

/* Bytes of the character at s, of which there are left: 1 where they are no UTF-8. *control: whether it is one that
 * terminals obey, that ends a line or that changes its direction: a control character of ASCII, DEL, U+0080 to U+009F
 * as UTF-8 or as a byte, U+061C, U+200E, U+200F, U+2028 to U+202E and U+2066 to U+2069. It has at most 3 bytes. */
size_t hd_character(const char *s, size_t left, bool *control);
/* Every byte of a control character among the n of s becomes another. */
void hd_replace_controls(char *s, size_t n, char with);

/* XML text or attribute value: markup escaped, bytes that are not UTF-8 and control characters, which
 * XML 1.0 cannot hold in any form, become U+FFFD. */
void hd_put_xml(struct hd_out *o, const char *s);
/* All of a text within a line: hd_put_visible of tool/words.h. */
void hd_put_plain(struct hd_out *o, const char *s);

#endif
