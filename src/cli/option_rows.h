/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rows of struct option are written: FLAG(name, letter, field, doc), and so on for each kind. */
#ifndef HD_CLI_OPTION_ROWS_H
#define HD_CLI_OPTION_ROWS_H

#include "cli.h"

/* clang-format off */
#define ROW(name_, letter_, arg_, doc_, field_, kind_) \
    .name = (name_), .letter = (letter_), .arg = (arg_), .doc = (doc_), .kind = OPTION_##kind_, \
    .offset = offsetof(struct values, field_)

#define FLAG(name, letter, field, doc)        {ROW(name, letter, NULL, doc, field, FLAG)}
#define TEXT(name, letter, arg, field, doc)   {ROW(name, letter, arg, doc, field, TEXT)}
#define TEXTS(name, letter, arg, field, doc)  {ROW(name, letter, arg, doc, field, TEXTS)}
#define OUTPUT(name, letter, arg, field, doc) {ROW(name, letter, arg, doc, field, OUTPUT)}
#define INTEGER(name, letter, arg, field, low, high, usually, doc) \
    {ROW(name, letter, arg, doc, field, INTEGER), .min = (low), .max = (high), .usual = (usually)}
#define BYTES(name, letter, arg, field, low, high, usually, doc) \
    {ROW(name, letter, arg, doc, field, BYTES), .min = (low), .max = (high), .usual = (usually)}
#define REAL(name, letter, arg, field, low, high, usually, doc) \
    {ROW(name, letter, arg, doc, field, REAL), .min = (low), .max = (high), .usual = (usually)}
/* One of the words; the first holds without the option. */
#define CHOICE(name, letter, arg, field, words, doc) \
    {ROW(name, letter, arg, doc, field, CHOICE), .word = (words), .first_is_default = true}
/* One of the words; none holds without the option. */
#define ONE_OF(name, letter, arg, field, words, doc) {ROW(name, letter, arg, doc, field, CHOICE), .word = (words)}
#define NAMES(name, letter, arg, field, rows, doc)   {ROW(name, letter, arg, doc, field, NAMES), .registry = (rows)}
#define NAME(name, letter, arg, field, rows, doc)    {ROW(name, letter, arg, doc, field, NAME), .registry = (rows)}
/* clang-format on */

#endif
