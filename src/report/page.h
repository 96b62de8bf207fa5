/* SPDX-License-Identifier: BSD-2-Clause */
/* The page between its parts: page.c is the frame, page_*.c write sections. Everything goes through the ink of the
 * charts, so that ids stay unique. */
#ifndef HD_REPORT_PAGE_H
#define HD_REPORT_PAGE_H

#include "report/charts.h"

/* page.css and page.js by lines without line breaks, ending with NULL; scripts/embed.awk makes C of them. */
extern const char *const hd_page_style[], *const hd_page_script[];

/* open, text escaped, close */
void hd_page_text(struct hd_ink *k, const char *open, const char *text, const char *close);
/* A section with its heading; every part of the page between begin and end. */
void hd_page_section(struct hd_ink *k, const char *id, const char *heading);
void hd_page_section_end(struct hd_ink *k);
/* What may be wider than a phone scrolls by itself, by keyboard too. */
void hd_page_scroll(struct hd_ink *k, const char *what);
void hd_page_scroll_end(struct hd_ink *k);
/* The head of a table after its caption, up to the first row: titles as "Left|>Right", a '>' marks numbers. */
void hd_page_columns(struct hd_ink *k, const char *titles);
/* The end of such a table, which scrolls. */
void hd_page_table_end(struct hd_ink *k);
/* A command to copy. */
void hd_page_command(struct hd_ink *k, const char *command);
/* A number as a table cell: as readers see it, and in full for sorting and for those who compare. */
void hd_page_number(struct hd_ink *k, double value, int digits);
/* A routing's name with its tags. */
void hd_page_option(struct hd_ink *k, uint32_t option);

void hd_page_compare(struct hd_ink *k);
hd_status hd_page_bandwidth(struct hd_ink *k);
hd_status hd_page_load(struct hd_ink *k);
/* The rules that show one layer of the drawing at a time; part of the style sheet. */
void hd_page_switch_rules(struct hd_ink *k);
hd_status hd_page_heat(struct hd_ink *k);
hd_status hd_page_order(struct hd_ink *k);
hd_status hd_page_whatif(struct hd_ink *k);
void hd_page_repeat(struct hd_ink *k);

#endif
