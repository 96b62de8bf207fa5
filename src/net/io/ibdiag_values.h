/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in the tables that ibdiagnet and OpenSM write (fmt_ibdiag.c). */
#ifndef HD_NET_IO_IBDIAG_VALUES_H
#define HD_NET_IO_IBDIAG_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* 0x and hexadecimal digits, or decimal ones; nothing else may follow. */
bool hd_ibdiag_number(const char *s, uint64_t *value);
/* Without blanks at both ends. */
char *hd_ibdiag_trim(char *s);
/* The next value of a line, without blanks and quotes; NULL: there is none. In quotes there may be commas and quotes;
 * they end with the quote before a comma. */
char *hd_ibdiag_field(char **at);

#endif
