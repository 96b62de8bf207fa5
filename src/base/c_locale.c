/* SPDX-License-Identifier: BSD-2-Clause */
/* The C locale for the length of one call, by uselocale, which concerns the calling thread alone. The locale is made
 * once per process. Cost: two assignments to variables of the thread per call. */
#include "base/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
/* Written once. If it cannot be made, which needs no memory in glibc and musl, it is 0, with which uselocale changes
 * nothing. */
static locale_t c_locale;

static void c_locale_make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t c_locale_enter(void)
{
    pthread_once(&c_locale_once, c_locale_make);
    return uselocale(c_locale);
}

int hd_vformat(char *text, size_t size, const char *fmt, va_list ap)
{
    const locale_t before = c_locale_enter();
    const int n = vsnprintf(text, size, fmt, ap);
    uselocale(before);
    return n;
}

int hd_format(char *text, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = hd_vformat(text, size, fmt, ap);
    va_end(ap);
    return n;
}

double hd_strtod(const char *text, char **end)
{
    const locale_t before = c_locale_enter();
    const double value = strtod(text, end);
    uselocale(before);
    return value;
}

char hd_tolower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int hd_strncasecmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char x = (unsigned char)hd_tolower(a[i]), y = (unsigned char)hd_tolower(b[i]);
        if (x != y || !x) return x - y;
    }
    return 0;
}

int hd_strcasecmp(const char *a, const char *b)
{
    return hd_strncasecmp(a, b, SIZE_MAX);
}
