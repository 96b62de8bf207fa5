/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is the same in every process. The program that uses the library may have set a locale with a decimal comma,
 * which printf and strtod follow; a comma ends the value of a spec and the field of a CSV file. In a Turkish one the
 * small letter of I is not i. All text with floating-point numbers is made and read here, and letters are compared here
 * (tests/sources.sh); the locale of the process and of other threads is left alone. */
#ifndef HD_BASE_C_LOCALE_H
#define HD_BASE_C_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

/* snprintf, vsnprintf and strtod in the C locale. */
int hd_format(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int hd_vformat(char *text, size_t size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));
double hd_strtod(const char *text, char **end);

/* tolower, strcasecmp and strncasecmp of ASCII letters. */
char hd_tolower(char c);
int hd_strcasecmp(const char *a, const char *b);
int hd_strncasecmp(const char *a, const char *b, size_t n);

#endif
