/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of files that were captured from a terminal: what the terminal showed, and what another program said. */
#ifndef HD_NET_IO_CAPTURE_LINE_H
#define HD_NET_IO_CAPTURE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a line has something for a terminal to act upon: escape sequences, backspaces, carriage returns. */
bool hd_capture_dirty(const char *line, size_t len);
/* Makes of such a line, in place, what a terminal would show, without blanks at its end. Returns its length. */
size_t hd_capture_clean(char *line, size_t len);
/* Whether a line is surely not from the program whose output was captured, but a warning or an error of the
 * InfiniBand tools, the prompt of a shell with or without a command, or what a pager wrote. */
bool hd_capture_noise(const char *line);

#endif
