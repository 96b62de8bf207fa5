/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of HTML and SVG that is stricter than browsers: every tag closed in order, every attribute quoted and given
 * once, no stray < or & in text, known entities only. Include after testing.h. */
#ifndef MARKUP_H
#define MARKUP_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

struct markup {
    const char *text, *at;
    char open[64][24];
    int depth;
    bool xml; /* no void elements, no raw text */
};

static inline void markup_fail(const struct markup *m, const char *what)
{
    const char *from = m->at - m->text > 60 ? m->at - 60 : m->text;
    fail_msg("%s, inside %s: ...%.120s...", what, m->depth ? m->open[m->depth - 1] : "nothing", from);
}

static inline bool markup_void(const struct markup *m, const char *name)
{
    return !m->xml && (strcmp(name, "meta") == 0 || strcmp(name, "input") == 0 || strcmp(name, "br") == 0);
}

static inline void markup_entity(struct markup *m)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#9;", "&#10;", "&#13;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(m->at, known[i], strlen(known[i])) == 0) {
            m->at += strlen(known[i]);
            return;
        }
    markup_fail(m, "stray &");
}

static inline void markup_word(struct markup *m, char word[24])
{
    int n = 0;
    while (isalnum((unsigned char)*m->at) || (*m->at && strchr("-_:.", *m->at))) {
        if (n < 23) word[n++] = *m->at;
        m->at++;
    }
    word[n] = 0;
    if (!n) markup_fail(m, "expected a name");
}

static inline void markup_attributes(struct markup *m)
{
    char seen[16][24];
    int n = 0;
    while (*m->at == ' ' || *m->at == '\n') {
        char name[24];
        m->at += strspn(m->at, " \n");
        markup_word(m, name);
        for (int i = 0; i < n; i++)
            if (strcmp(seen[i], name) == 0) markup_fail(m, "attribute twice");
        if (n < 16) memcpy(seen[n++], name, sizeof name);
        if (*m->at != '=') {
            if (m->xml) markup_fail(m, "attribute without value");
            continue;
        }
        if (*++m->at != '"') markup_fail(m, "attribute without quotes");
        for (m->at++; *m->at && *m->at != '"';) {
            if (*m->at == '<') markup_fail(m, "< in an attribute");
            if (*m->at == '&')
                markup_entity(m);
            else
                m->at++;
        }
        if (*m->at++ != '"') markup_fail(m, "attribute without end");
    }
}

static inline void markup_tag(struct markup *m)
{
    char name[24];
    if (*++m->at == '/') {
        m->at++;
        markup_word(m, name);
        if (!m->depth || strcmp(m->open[m->depth - 1], name) != 0) markup_fail(m, "closed what is not open");
        m->depth--;
    } else {
        markup_word(m, name);
        markup_attributes(m);
        if (*m->at == '/') {
            m->at++;
        } else if (!markup_void(m, name)) {
            if (m->depth == 64) markup_fail(m, "too deep");
            memcpy(m->open[m->depth++], name, sizeof name);
        }
    }
    if (*m->at++ != '>') markup_fail(m, "tag without end");
    if (m->depth && !m->xml && (strcmp(name, "script") == 0 || strcmp(name, "style") == 0)) {
        char end[32];
        snprintf(end, sizeof end, "</%s>", name);
        if (strcmp(m->open[m->depth - 1], name) != 0) return;
        m->at = strstr(m->at, end);
        if (!m->at) fail_msg("%s without end", name);
    }
}

static inline void check_markup(const char *text, bool xml)
{
    struct markup m = {.text = text, .at = text, .xml = xml};
    if (!xml) {
        assert_int_equal(strncmp(text, "<!DOCTYPE html>\n", 16), 0);
        m.at += 16;
    }
    while (*m.at) {
        if (*m.at == '<')
            markup_tag(&m);
        else if (*m.at == '&')
            markup_entity(&m);
        else if (*m.at == '>')
            markup_fail(&m, "stray >");
        else if ((unsigned char)*m.at < 32 && *m.at != '\n')
            markup_fail(&m, "control character");
        else
            m.at++;
    }
    if (m.depth) markup_fail(&m, "not closed");
}

#endif
