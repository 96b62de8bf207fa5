/* SPDX-License-Identifier: BSD-2-Clause */
/* --plugin FILE.so: rows of a shared object, added before anything is looked up by name. The object finds the library's
 * functions in this program, which exports them; it stays loaded until the program ends. */
#include "cli.h"

#include <dlfcn.h>
#include <string.h>

/* dlsym gives a data pointer; POSIX guarantees that it holds the address of a function. */
static hd_status call_plugin(struct cli *cli, void *symbol)
{
    hd_status (*add)(struct hd_ctx * ctx);
    memcpy(&add, &symbol, sizeof add);
    return add(cli->ctx);
}

static hd_status load_plugin(struct cli *cli, const char *path)
{
    char here[4096];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path); /* a file, never a library path */
    void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!object) return hd_fail(cli->ctx, HD_INPUT, "%.200s: cannot be loaded as a plug-in: %.600s", path, dlerror());
    const int *version = dlsym(object, "heddle_plugin_version");
    void *add = dlsym(object, "heddle_plugin");
    if (!version || !add)
        return hd_fail(cli->ctx, HD_INPUT, "%.200s: not a plug-in: expected heddle_plugin and heddle_plugin_version",
                       path);
    if (!hd_version_check(*version))
        return hd_fail(cli->ctx, HD_INPUT, "%.200s: compiled for heddle %d.%d.%d, this is %s", path, *version / 10000,
                       *version / 100 % 100, *version % 100, hd_version());
    hd_status s = call_plugin(cli, add);
    if (s != HD_OK) {
        char why[700];
        snprintf(why, sizeof why, "%s", hd_ctx_error(cli->ctx));
        return hd_fail(cli->ctx, s, "%.200s: %s", path, why);
    }
    return HD_OK;
}

hd_status load_plugins(struct cli *cli)
{
    for (int i = 0; i < cli->v.plugin.n; i++) HD_TRY(load_plugin(cli, cli->v.plugin.word[i]));
    return HD_OK;
}
