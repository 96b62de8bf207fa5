/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders for writers that need one, in memory where there is such a file system, and what they hold afterwards. */
#ifndef FOLDER_H
#define FOLDER_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FILES = 64 };

struct folder_file {
    char name[64]; /* within the folder */
    char *text;    /* ends with a zero byte */
    size_t size;
};

struct folder {
    char path[512];
    uint32_t n;
    struct folder_file file[FOLDER_FILES];
};

static inline int folder_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static inline void folder_remove(const char *path)
{
    nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What folder_base() made; kept here for atexit, which passes nothing. */
static char folder_root[64];

static inline void folder_remove_root(void)
{
    folder_remove(folder_root);
}

/* A folder of this process, which goes with it. */
static inline const char *folder_base(void)
{
    if (folder_root[0]) return folder_root;
    snprintf(folder_root, sizeof folder_root, "/dev/shm/heddle-fuzz-XXXXXX");
    if (!mkdtemp(folder_root)) {
        snprintf(folder_root, sizeof folder_root, "/tmp/heddle-fuzz-XXXXXX");
        if (!mkdtemp(folder_root)) abort();
    }
    atexit(folder_remove_root);
    return folder_root;
}

static struct folder *folder_read_into;

static inline int folder_read_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    struct folder *f = folder_read_into;
    (void)at;
    if (kind != FTW_F) return 0;
    if (f->n == FOLDER_FILES) abort();
    struct folder_file *file = &f->file[f->n++];
    FILE *in = fopen(path, "rb");
    file->size = (size_t)st->st_size;
    file->text = malloc(file->size + 1);
    if (!in || !file->text || fread(file->text, 1, file->size, in) != file->size) abort();
    file->text[file->size] = 0;
    fclose(in);
    snprintf(file->name, sizeof file->name, "%s", path + strlen(f->path) + 1);
    return 0;
}

/* Reads all files of f->path and removes it. */
static inline void folder_take(struct folder *f)
{
    folder_read_into = f;
    f->n = 0;
    nftw(f->path, folder_read_one, 16, FTW_PHYS);
    folder_remove(f->path);
}

static inline const struct folder_file *folder_find(const struct folder *f, const char *name)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (strcmp(f->file[i].name, name) == 0) return &f->file[i];
    return NULL;
}

static inline void folder_free(struct folder *f)
{
    for (uint32_t i = 0; i < f->n; i++) free(f->file[i].text);
    f->n = 0;
}

#endif
