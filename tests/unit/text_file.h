/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files for what reads files. Include after testing.h. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdio.h>
#include <unistd.h>

static char text_files[4][64];

static inline void remove_text_files(void)
{
    for (int i = 0; i < 4; i++)
        if (*text_files[i]) unlink(text_files[i]);
}

/* A file with this text; returns its name. It is gone after three more calls, and when the test ends. */
static inline const char *text_file(const char *text)
{
    static int next;
    char *name = text_files[next % 4];
    if (next++ == 0) atexit(remove_text_files);
    if (*name) unlink(name);
    strcpy(name, "/tmp/heddle-test-XXXXXX");
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return name;
}

#endif
