/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of a report: sentences, lists of names, commands quoted for a shell. The memory of the report is shared by
 * all threads, so a lock guards it. */
#include "advise/advise_steps.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "base/threads.h"
#include "tool/words.h"

#include <stdio.h>
#include <string.h>

void *hd_advise_alloc(struct hd_advising *a, size_t n, size_t size)
{
    pthread_mutex_lock(&a->lock);
    void *p = hd_alloc(a->arena, n, size);
    if (!p) a->failed = true;
    pthread_mutex_unlock(&a->lock);
    return p;
}

static const char *text_of(struct hd_advising *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = hd_vformat(NULL, 0, fmt, again);
    va_end(again);
    char *text = n < 0 ? NULL : hd_advise_alloc(a, (size_t)n + 1, 1);
    if (text) hd_vformat(text, (size_t)n + 1, fmt, ap);
    return text ? text : "";
}

const char *hd_say(struct hd_advising *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = text_of(a, fmt, ap);
    va_end(ap);
    return text;
}

const char *hd_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* A copy of an array of n rows with room for one more, NULL: no memory. Lists grow one by one and stay short, so that
 * this is simple and cheap. */
static void *text_grown(struct hd_advising *a, const void *rows, uint32_t n, size_t size)
{
    void *all = hd_advise_alloc(a, n + 1, size);
    if (all && n) memcpy(all, rows, n * size);
    return all;
}

void hd_advise_fact(struct hd_advising *a, const char *name, const char *text)
{
    struct hd_report *r = a->report;
    const char **names = text_grown(a, r->fact_name, r->nfact, sizeof *names);
    const char **texts = text_grown(a, r->fact_text, r->nfact, sizeof *texts);
    if (!names || !texts) return;
    names[r->nfact] = name;
    texts[r->nfact++] = text;
    r->fact_name = names;
    r->fact_text = texts;
}

void hd_advise_finding(struct hd_advising *a, enum hd_verdict verdict, const char *subject, const char *fmt, ...)
{
    struct hd_report *r = a->report;
    va_list ap;
    va_start(ap, fmt);
    const char *text = text_of(a, fmt, ap);
    va_end(ap);
    struct hd_report_finding *all = text_grown(a, r->finding, r->nfinding, sizeof *all);
    if (!all) return;
    all[r->nfinding++] = (struct hd_report_finding){verdict, subject, text};
    r->finding = all;
    if (verdict > r->verdict) r->verdict = verdict;
}

void hd_advise_note(struct hd_advising *a, const char *text)
{
    struct hd_report *r = a->report;
    for (uint32_t i = 0; i < r->nnote; i++)
        if (strcmp(r->note[i], text) == 0) return;
    const char **all = text_grown(a, r->note, r->nnote, sizeof *all);
    if (!all) return;
    all[r->nnote++] = text;
    r->note = all;
}

const char *hd_shell(struct hd_advising *a, const char *word)
{
    char *out = hd_advise_alloc(a, 4 * strlen(word) + 3, 1);
    if (!out) return "";
    hd_shell_word(out, word);
    return out;
}

const char *hd_shell_file(struct hd_advising *a, const char *file)
{
    char *out = hd_advise_alloc(a, 4 * strlen(file) + 5, 1);
    if (!out) return "";
    hd_shell_path(out, file);
    return out;
}

const char *hd_advise_command(struct hd_advising *a, const char *verb, const char *table, const char *rest)
{
    const char *options = a->in->net_options ? a->in->net_options : "";
    const char *fail = a->in->fail ? hd_say(a, " --fail %s", hd_shell(a, a->in->fail)) : "";
    return hd_say(a, "heddle %s %s%s%s%s%s%s%s%s", verb, hd_shell_file(a, a->in->net_text), table ? " " : "",
                  table ? hd_shell_file(a, table) : "", rest ? " " : "", rest ? rest : "", fail, *options ? " " : "",
                  options);
}

void hd_name_list_add(struct hd_name_list *names, const char *fmt, ...)
{
    size_t used = strlen(names->text), room = sizeof names->text - used;
    if (names->n++ >= names->most) return;
    va_list ap;
    va_start(ap, fmt);
    if (used) used += (size_t)snprintf(names->text + used, room, ", ");
    if (used < sizeof names->text) hd_vformat(names->text + used, sizeof names->text - used, fmt, ap);
    va_end(ap);
}

const char *hd_name_list_end(struct hd_name_list *names)
{
    size_t used = strlen(names->text);
    if (names->n > names->most)
        snprintf(names->text + used, sizeof names->text - used, " and %u more", names->n - names->most);
    return names->text;
}

struct hd_ctx hd_advise_ctx(const struct hd_advising *a)
{
    return (struct hd_ctx){
        .threads = 1, .seed = a->ctx->seed, .files = a->ctx->files, .tables = a->ctx->tables, .added = a->ctx->added};
}

struct hd_ctx hd_advise_ctx_all(const struct hd_advising *a)
{
    struct hd_ctx ctx = hd_advise_ctx(a);
    ctx.threads = a->ctx->threads;
    ctx.tried = a->ctx->tried;
    return ctx;
}

void hd_advise_progress(struct hd_advising *a, const char *what)
{
    pthread_mutex_lock(&a->lock);
    a->done++;
    if (a->in->progress) a->in->progress(a->in->user, what, a->done, a->tasks);
    pthread_mutex_unlock(&a->lock);
}

bool hd_advise_stopped(struct hd_advising *a)
{
    const bool asked = hd_thread_id() == 0 && hd_stop_asked(a->ctx);
    pthread_mutex_lock(&a->lock);
    const bool stopped = a->stopped |= asked;
    pthread_mutex_unlock(&a->lock);
    return stopped;
}

hd_status hd_advise_go_on(struct hd_advising *a)
{
    return hd_advise_stopped(a) ? hd_fail(a->ctx, HD_LIMIT, "advise: stopped before it was complete") : HD_OK;
}

void hd_advise_record(struct hd_advising *a, hd_status s, const struct hd_ctx *ctx, hd_status *worst)
{
    pthread_mutex_lock(&a->lock);
    if (s != HD_OK && *worst == HD_OK) {
        *worst = s;
        hd_error_copy(a->ctx, ctx);
    }
    pthread_mutex_unlock(&a->lock);
}
