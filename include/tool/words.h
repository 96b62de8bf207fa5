/* SPDX-License-Identifier: BSD-2-Clause */
/* tool/words.h - words that people type and read: names that may be mistyped, wrapped lines, words for a shell. Not
 * installed: shared by library and command. */
#ifndef HEDDLE_TOOL_WORDS_H
#define HEDDLE_TOOL_WORDS_H

#include "heddle/base.h"

/* The candidate nearest to a mistyped word in edit distance, NULL when none is near enough to suggest. */
const char *hd_nearest(const char *word, const char *const *candidates, size_t n);
/* What goes before item i of n in "a, b or c". */
const char *hd_separator(size_t i, size_t n);
/* Usage failure of a parameter whose word is none of the n names: "format svgg: expected dot, ... or svg, did you mean
 * 'svg'?" */
hd_status hd_fail_choice(struct hd_ctx *ctx, const char *param, const char *word, const char *const *names, size_t n);

/* Up to n bytes of a text that comes from files or the command line, with ? for each byte of a control character: a
 * terminal would obey it, and what follows a line end would be a line of its own. */
void hd_put_visible(struct hd_out *o, const char *text, size_t n);
/* Whether from here on every control character in what is written becomes ?, except line ends and tabs. */
void hd_out_set_visible(struct hd_out *o, bool visible);
/* How wide the reader's lines are; 0, as for a new one: not known. */
void hd_out_set_columns(struct hd_out *o, size_t columns);
size_t hd_out_columns(const struct hd_out *o);
enum { HD_COLUMNS = 100 }; /* of text whose reader is not known */
/* Such text in lines of at most as many columns, with a line end: from column at on, then from column indent. */
void hd_put_wrapped(struct hd_out *o, size_t at, size_t indent, const char *text);

/* Whether a text has control characters, which keep it from being in a line to copy. */
bool hd_has_controls(const char *text);
/* A word as a shell reads it, in quotes if it must be; returns its end. at has room for four bytes per byte of word,
 * and three. */
char *hd_shell_word(char *at, const char *word);
void hd_put_shell_word(struct hd_out *o, const char *word);
/* The same of a file, a folder, or what may be one, with ./ before a dash: programs would take it for an option. Two
 * bytes more. */
char *hd_shell_path(char *at, const char *path);
void hd_put_shell_path(struct hd_out *o, const char *path);
/* A field of a CSV file, in quotes if it must be, or always. An apostrophe precedes text that begins with one of
 * HD_CSV_FORMULA and is no number: a spreadsheet would compute it, and a host may call itself =cmd|... */
#define HD_CSV_FORMULA "=+-@\t\r'"
void hd_put_csv(struct hd_out *o, const char *text, bool always);
/* The first n bytes of a name, with ? for control characters, so that a row is one line for every reader. */
void hd_put_csv_name(struct hd_out *o, const char *text, size_t n, bool always);
/* What such a field, without its quotes, was written from. */
char *hd_csv_value(char *field);

#endif
