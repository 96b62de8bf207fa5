/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of docs/glossary.md, for 'heddle help WORD'. scripts/glossary.awk makes the rows when heddle is built, so
 * that there is no second text. */
#ifndef HD_CLI_GLOSSARY_H
#define HD_CLI_GLOSSARY_H

#include <stddef.h>

struct glossary_entry {
    const char *term; /* "VL, virtual lane", "service level (SL)": each part is a name of it */
    const char *text;
};

/* Ends with term == NULL. */
extern const struct glossary_entry glossary[];

/* The entry that has this name, whatever its case, in the singular or the plural; NULL: none. */
const struct glossary_entry *find_word(const char *name);

#endif
