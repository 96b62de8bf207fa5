/* SPDX-License-Identifier: BSD-2-Clause */
/* Without libFuzzer a fuzz target runs every file of its corpus folder once and reports TAP. */
#ifndef RUN_CORPUS_H
#define RUN_CORPUS_H
#ifdef RUN_CORPUS

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_corpus(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort), count = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        FILE *f = entry[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        free(entry[i]);
        if (!f) continue;
        uint8_t *data = malloc(1 << 24);
        size_t size = data ? fread(data, 1, 1 << 24, f) : 0;
        fclose(f);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
        printf("ok %d - %s\n", ++count, path);
    }
    if (n >= 0) free(entry);
    if (count == 0) printf("not ok %d - %s holds no input\n", ++count, folder);
    printf("1..%d\n", count);
    return 0;
}

#define FUZZ_MAIN(folder)                                                                                              \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        return run_corpus(folder);                                                                                     \
    }
#else
#define FUZZ_MAIN(folder)
#endif
#endif
