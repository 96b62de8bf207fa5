/* SPDX-License-Identifier: BSD-2-Clause */
/* What people send is often not the output of a command but what their terminal showed of it: prompts and the typed
 * command around it, --More-- of a pager, colours, and warnings that went to standard error. A line is replayed as a
 * terminal of endless width does: a carriage return and backspaces move the cursor, text overwrites, ESC [ K erases.
 * The text never runs ahead of what was read, so this happens in place. What is no part of a format is recognised by
 * forms that no format of networks or tables shares; everything else is left to the reader, which refuses it.
 * Cost: one pass over lines that are dirty, three searches for a byte in the others. */
#include "net/io/capture_line.h"
#include "net/io/scan_line.h"

enum { ESC = 27, DEL = 127 };

bool hd_capture_dirty(const char *line, size_t len)
{
    return memchr(line, ESC, len) || memchr(line, '\r', len) || memchr(line, '\b', len);
}

/* Behind the escape sequence that begins at s; *erase: it erases the rest of the line. */
static const char *capture_escape(const char *s, const char *end, bool *erase)
{
    const char *p = s + 1;
    *erase = false;
    if (p < end && *p == ']') { /* a title: to BEL or ESC \ */
        while (p < end && *p != 7 && *p != ESC) p++;
        if (p < end && *p == ESC && p + 1 < end) p++;
        return p < end ? p + 1 : end;
    }
    bool csi = p < end && *p == '[';
    const char *parameters = p += csi;
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < (csi ? 0x40 : 0x30)) p++;
    if (csi && p < end && *p == 'K') *erase = p == parameters || (p == parameters + 1 && *parameters == '0');
    return p < end ? p + 1 : end;
}

size_t hd_capture_clean(char *line, size_t len)
{
    const char *s = line, *end = line + len;
    size_t at = 0, shown = 0;
    while (s < end) {
        bool erase;
        if (*s == ESC) {
            s = capture_escape(s, end, &erase);
            if (erase) shown = at;
            continue;
        }
        char c = *s++;
        if (c == '\r')
            at = 0;
        else if (c == '\b')
            at -= at > 0;
        else if (c == '\t' || ((unsigned char)c >= 32 && c != DEL))
            line[at++] = c;
        if (at > shown) shown = at;
    }
    while (shown && hd_is_blank(line[shown - 1])) shown--;
    line[shown] = 0;
    return shown;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ibwarn: [4711] ..., iberror: ..., PROGRAM: iberror: ..., -W- ..., src/query_smp.c:188; ..., libibumad: ... */
static bool capture_diagnostic(const char *s)
{
    static const char *const starts[] = {"ibwarn:", "iberror:", "ibpanic:", "ibdebug:", "warn: [",     "libib",
                                         "libmlx",  "-W- ",     "-E- ",     "-I- ",     "WARN: string"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(s, starts[i], strlen(starts[i])) == 0) return true;
    size_t word = strcspn(s, " \t:");
    if (word && (strncmp(s + word, ": iberror:", 10) == 0 || strncmp(s + word, ": ibpanic:", 10) == 0)) return true;
    const char *digits = s + word + 1;
    if (word < 3 || s[word] != ':' || s[word - 2] != '.' || s[word - 1] != 'c' || !is_digit(*digits)) return false;
    while (is_digit(*digits)) digits++;
    return *digits == ';';
}

/* --More--, -- More --, --More--(12%), lines 1-23, lines 1-23/99 (END), (END), Press any key ... */
static bool capture_pager(const char *s)
{
    const char *p = s;
    if (hd_scan_text(&p, "--")) {
        hd_scan_blanks(&p);
        return strncmp(p, "More", 4) == 0 || strncmp(p, "more", 4) == 0;
    }
    if (hd_scan_text(&p, "lines ")) return is_digit(*p);
    return strcmp(s, ":") == 0 || strcmp(s, "(END)") == 0 || strncmp(s, "Press any key", 13) == 0;
}

/* The sign that ends a prompt, followed by a blank or nothing. */
static bool is_prompt_end(const char *s)
{
    return *s && strchr("#$%>", *s) && (!s[1] || hd_is_blank(s[1]));
}

/* Behind (...) or [...], or s itself. */
static const char *capture_brackets(const char *s)
{
    if (*s != '[' && *s != '(') return s;
    const char *close = strchr(s, *s == '[' ? ']' : ')');
    return close ? close + 1 : s;
}

/* [root@ufm ~]# ..., root@ufm:~# ..., user@host$ ..., ufm [ mgmt-ha-active ] (config) # ..., switch-1 > ... */
static bool capture_prompt(const char *s)
{
    const char *p = s;
    if (*s == '(') { /* (base) [root@ufm ~]$ */
        p = capture_brackets(s);
        hd_scan_blanks(&p);
        if (p > s && capture_prompt(p)) return true;
        p = s;
    }
    if (*s == '[') return is_letter(s[1]) && is_prompt_end(capture_brackets(s));
    while (is_letter(*p) || is_digit(*p) || (*p && strchr("._-", *p))) p++;
    if (p == s) return false;
    if (*p == '@') {
        while (*p && !hd_is_blank(*p) && !is_prompt_end(p)) p++;
        return is_prompt_end(p);
    }
    for (const char *next;; p = next) {
        hd_scan_blanks(&p);
        next = capture_brackets(p);
        if (next == p) break;
    }
    return is_prompt_end(p);
}

bool hd_capture_noise(const char *line)
{
    hd_scan_blanks(&line);
    return capture_diagnostic(line) || capture_pager(line) || capture_prompt(line);
}
