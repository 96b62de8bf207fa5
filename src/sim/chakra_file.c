/* SPDX-License-Identifier: BSD-2-Clause */
/* Chakra execution traces as JSON: a folder with a file NAME.RANK.json per rank. A file is what chakra_jsonizer
 * writes, objects that follow each other, the first of them about the whole; or one object with a list
 * "workload_graph", as Chakra's feeder reads it. Numbers may be in quotes, and what is 0 may be missing, as in JSON of
 * protobuf. Sends and receives match as in GOAL. Collectives become messages: those of a process group match in order
 * over the ranks that have them. Rings for all-reduce, all-gather and reduce-scatter, one message to each other for
 * all-to-all, as the defaults of ASTRA-sim; a collective begins at each rank by itself. Everything else takes no time:
 * what is simulated is the network. Cost: sorting the nodes; a collective of n ranks has up to 2 n^2 messages.
 * Sridharan et al.: Chakra: Advancing performance benchmarking and co-design using standardized execution traces. */
#include "base/json_tree.h"
#include "base/spec.h"
#include "base/status.h"
#include "sim/trace_ops.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Numbers of Chakra's schema. */
enum { CHAKRA_SEND = 5, CHAKRA_RECV = 6, CHAKRA_COLL = 7 };
enum { CHAKRA_ALL_REDUCE = 0, CHAKRA_ALL_GATHER = 2, CHAKRA_ALL_TO_ALL = 6, CHAKRA_REDUCE_SCATTER = 7 };
enum { CHAKRA_BARRIER = 9, CHAKRA_COLLS = 10 };

struct chakra_node { /* of the current file */
    uint64_t id;
    uint32_t begin, end; /* operations; the same but for collectives */
};

struct chakra_rule { /* the current file: a node waits for another */
    uint32_t later, line;
    uint64_t earlier;
};

struct chakra_coll {
    const char *group;
    uint32_t rank, begin, end, line;
    uint64_t type, bytes;
    const char *file;
};

struct chakra_file {
    const char *path;
    uint64_t rank;
};

struct chakra_reader {
    struct hd_ctx *ctx;
    struct hd_arena *arena;
    struct hd_trace_ops ops;
    struct chakra_file *file;
    uint32_t nfile, file_room;
    uint32_t rank; /* of the current file */
    struct chakra_node *node;
    uint32_t nnode, node_room;
    struct chakra_rule *rule;
    uint32_t nrule, rule_room;
    struct chakra_coll *coll;
    uint32_t ncoll, coll_room;
};

static hd_status chakra_fail(struct chakra_reader *r, uint32_t line, const char *what)
{
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: %s", r->ops.file, line, what);
}

/* ---- values --------------------------------------------------------------------------------- */

/* A member by one of its two spellings. */
static const struct hd_json_node *chakra_get(const struct hd_json_node *n, const char *key, const char *other)
{
    const struct hd_json_node *found = hd_json_member(n, key);
    return found ? found : hd_json_member(n, other);
}

/* An attribute: {"name": KEY, "int64Val": VALUE} in the list "attr", or a member of the node itself. */
static const struct hd_json_node *chakra_attr(const struct hd_json_node *n, const char *key)
{
    const struct hd_json_node *list = hd_json_member(n, "attr");
    for (const struct hd_json_node *a = list && list->kind == '[' ? list->child : NULL; a; a = a->next) {
        const struct hd_json_node *name = hd_json_member(a, "name");
        if (!name || name->kind != '"' || strcmp(name->text, key) != 0) continue;
        for (const struct hd_json_node *v = a->child; v; v = v->next) {
            size_t len = strlen(v->key);
            if (len > 3 && (strcmp(v->key + len - 3, "Val") == 0 || strcmp(v->key + len - 3, "val") == 0)) return v;
        }
    }
    return hd_json_member(n, key);
}

/* A number, in quotes or not; 0 where there is none. */
static hd_status chakra_number(struct chakra_reader *r, const struct hd_json_node *v, const char *what, uint64_t most,
                               uint64_t *number)
{
    *number = 0;
    if (!v) return HD_OK;
    bool text = v->kind == '"' || v->kind == 'w';
    if (text && hd_parse_u64(v->text, v->kind == 'w' ? v->len : strlen(v->text), number) && *number <= most)
        return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: %s: expected a number from 0 to %llu", r->ops.file, v->line, what,
                   (unsigned long long)most);
}

/* A number or one of the names of an enumeration. */
static hd_status chakra_enum(struct chakra_reader *r, const struct hd_json_node *v, const char *what,
                             const char *const *names, uint32_t n, uint64_t *number)
{
    for (uint32_t i = 0; v && v->kind == '"' && i < n; i++) {
        *number = i;
        if (strcmp(v->text, names[i]) == 0) return HD_OK;
    }
    return chakra_number(r, v, what, n - 1, number);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static hd_status chakra_peer(struct chakra_reader *r, const struct hd_json_node *n, const char *key, uint32_t *peer)
{
    uint64_t rank;
    const struct hd_json_node *v = chakra_attr(n, key);
    if (!v)
        return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: expected an attribute %s of this node", r->ops.file, n->line, key);
    HD_TRY(chakra_number(r, v, key, r->nfile - 1, &rank));
    *peer = (uint32_t)rank;
    return HD_OK;
}

static hd_status chakra_bytes(struct chakra_reader *r, const struct hd_json_node *n, uint64_t *bytes)
{
    const struct hd_json_node *v = chakra_attr(n, "comm_size");
    return chakra_number(r, v ? v : chakra_attr(n, "tensor_size"), "comm_size", 1000000000000000, bytes);
}

static hd_status chakra_collective(struct chakra_reader *r, const struct hd_json_node *n, uint32_t begin)
{
    static const char *const names[CHAKRA_COLLS] = {"ALL_REDUCE", "REDUCE",     "ALL_GATHER",     "GATHER", "SCATTER",
                                                    "BROADCAST",  "ALL_TO_ALL", "REDUCE_SCATTER", "",       "BARRIER"};
    const struct hd_json_node *group = chakra_attr(n, "pg_name");
    struct chakra_coll c = {.group = "", .rank = r->rank, .begin = begin, .line = n->line, .file = r->ops.file};
    HD_TRY(chakra_enum(r, chakra_attr(n, "comm_type"), "comm_type", names, CHAKRA_COLLS, &c.type));
    HD_TRY(chakra_bytes(r, n, &c.bytes));
    bool known = c.type == CHAKRA_ALL_REDUCE || c.type == CHAKRA_ALL_GATHER || c.type == CHAKRA_ALL_TO_ALL ||
                 c.type == CHAKRA_REDUCE_SCATTER || c.type == CHAKRA_BARRIER;
    if (!known)
        return chakra_fail(r, n->line,
                           "expected all-reduce, all-gather, reduce-scatter, all-to-all or barrier (the "
                           "root of other collectives is not in a trace)");
    if (group && group->kind != '"' && group->kind != 'w') return chakra_fail(r, n->line, "pg_name: expected a name");
    if (group) c.group = hd_strdup(r->arena, group->text, group->kind == 'w' ? group->len : strlen(group->text));
    if (!c.group || !HD_MORE(r->arena, r->coll, r->ncoll, r->coll_room)) return hd_fail_memory(r->ctx);
    HD_TRY(hd_trace_op(&r->ops, &(struct hd_op){.kind = HD_OP_OTHER, .rank = r->rank}));
    c.end = r->ops.t->n - 1;
    r->coll[r->ncoll++] = c;
    return HD_OK;
}

static hd_status chakra_deps(struct chakra_reader *r, const struct hd_json_node *list, uint32_t later)
{
    if (!list) return HD_OK;
    if (list->kind != '[') return chakra_fail(r, list->line, "expected a list of the nodes that this one waits for");
    for (const struct hd_json_node *v = list->child; v; v = v->next) {
        if (!HD_MORE(r->arena, r->rule, r->nrule, r->rule_room)) return hd_fail_memory(r->ctx);
        struct chakra_rule *rule = &r->rule[r->nrule++];
        *rule = (struct chakra_rule){.later = later, .line = v->line};
        HD_TRY(chakra_number(r, v, "dependency", UINT64_MAX, &rule->earlier));
    }
    return HD_OK;
}

static hd_status chakra_add(struct chakra_reader *r, const struct hd_json_node *n)
{
    static const char *const types[] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    struct hd_op op = {.kind = HD_OP_OTHER, .rank = r->rank, .line = n->line};
    struct chakra_node row = {.begin = r->ops.t->n};
    uint64_t type;
    if (n->kind != '{') return chakra_fail(r, n->line, "expected a node, an object in braces");
    if (!HD_MORE(r->arena, r->node, r->nnode, r->node_room)) return hd_fail_memory(r->ctx);
    HD_TRY(chakra_number(r, chakra_get(n, "id", "Id"), "id", UINT64_MAX, &row.id));
    HD_TRY(chakra_enum(r, chakra_get(n, "type", "NodeType"), "type", types, sizeof types / sizeof *types, &type));
    if (type == CHAKRA_SEND || type == CHAKRA_RECV) {
        op.kind = type == CHAKRA_SEND ? HD_OP_SEND : HD_OP_RECV;
        HD_TRY(chakra_peer(r, n, type == CHAKRA_SEND ? "comm_dst" : "comm_src", &op.peer));
        HD_TRY(chakra_number(r, chakra_attr(n, "comm_tag"), "comm_tag", UINT64_MAX, &op.tag));
        HD_TRY(chakra_bytes(r, n, &op.bytes));
    }
    HD_TRY(hd_trace_op(&r->ops, &op));
    if (type == CHAKRA_COLL) HD_TRY(chakra_collective(r, n, row.begin));
    row.end = r->ops.t->n - 1;
    r->node[r->nnode++] = row;
    HD_TRY(chakra_deps(r, chakra_get(n, "dataDeps", "data_deps"), row.begin));
    return chakra_deps(r, chakra_get(n, "ctrlDeps", "ctrl_deps"), row.begin);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int chakra_by_id(const void *a, const void *b)
{
    const struct chakra_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* At the end of a file: nodes may be named before they are defined. */
static hd_status chakra_resolve(struct chakra_reader *r)
{
    if (r->nnode) qsort(r->node, r->nnode, sizeof *r->node, chakra_by_id);
    for (uint32_t i = 1; i < r->nnode; i++)
        if (r->node[i].id == r->node[i - 1].id)
            return hd_fail(r->ctx, HD_INPUT, "%.200s: two nodes have id %llu", r->ops.file,
                           (unsigned long long)r->node[i].id);
    for (uint32_t i = 0; i < r->nrule; i++) {
        const struct chakra_node key = {.id = r->rule[i].earlier};
        const struct chakra_node *found = bsearch(&key, r->node, r->nnode, sizeof key, chakra_by_id);
        if (!found)
            return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: no node of this file has id %llu", r->ops.file,
                           r->rule[i].line, (unsigned long long)key.id);
        HD_TRY(hd_trace_wait(&r->ops, r->rule[i].later, found->end));
    }
    r->nnode = r->nrule = 0;
    return HD_OK;
}

/* The first object of a file says which version it is; it has nothing that a node has. */
static bool chakra_is_metadata(const struct hd_json_node *n)
{
    return n->kind == '{' && !chakra_get(n, "type", "NodeType") && !chakra_get(n, "id", "Id") &&
           !chakra_get(n, "dataDeps", "data_deps");
}

static hd_status chakra_value(struct chakra_reader *r, const struct hd_json_node *n, bool first)
{
    const struct hd_json_node *graph = hd_json_member(n, "workload_graph");
    if (hd_json_member(n, "nodes"))
        return chakra_fail(r, n->line,
                           "a trace of PyTorch: expected one of Chakra, which chakra_converter makes of it");
    if (!graph) return first && chakra_is_metadata(n) ? HD_OK : chakra_add(r, n);
    if (graph->kind != '[') return chakra_fail(r, graph->line, "workload_graph: expected a list");
    for (n = graph->child; n; n = n->next) HD_TRY(chakra_add(r, n));
    return HD_OK;
}

static hd_status chakra_text(struct chakra_reader *r, struct hd_arena *arena, struct hd_in *in)
{
    struct hd_json_text text;
    HD_TRY(hd_json_text_init(r->ctx, arena, in, &text));
    for (bool first = true;; first = false) {
        struct hd_json_node *n;
        HD_TRY(hd_json_text_next(&text, &n));
        if (!n) return first ? hd_json_text_fail(&text, "a value") : chakra_resolve(r);
        HD_TRY(chakra_value(r, n, first));
    }
}

/* A named pipe in a folder has no writer who knows when its turn comes: only files are opened. */
static hd_status chakra_open(struct chakra_reader *r, uint32_t rank)
{
    struct hd_arena arena = {0};
    struct hd_in *in;
    struct stat st;
    r->rank = rank;
    r->ops.file = r->file[rank].path;
    if (stat(r->ops.file, &st) == 0 && !S_ISREG(st.st_mode))
        return hd_fail(r->ctx, HD_INPUT, "%.200s: is not a file: expected one of a Chakra trace", r->ops.file);
    HD_TRY(hd_in_open(r->ctx, r->ops.file, &in));
    hd_status s = chakra_text(r, &arena, in);
    hd_in_close(in);
    hd_arena_release(&arena);
    return s;
}

/* NAME.RANK.json */
static bool chakra_rank_of(const char *name, uint64_t *rank)
{
    size_t end = strlen(name), at;
    if (end < 7 || strcmp(name + end - 5, ".json") != 0) return false;
    end -= 5;
    for (at = end; at && name[at - 1] >= '0' && name[at - 1] <= '9';) at--;
    return at && name[at - 1] == '.' && hd_parse_u64(name + at, end - at, rank);
}

static int chakra_by_rank(const void *a, const void *b)
{
    const struct chakra_file *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return strcmp(x->path, y->path);
}

static hd_status chakra_list_add(struct chakra_reader *r, const char *folder, const char *name)
{
    uint64_t rank;
    size_t room = strlen(folder) + strlen(name) + 2;
    if (!chakra_rank_of(name, &rank)) return HD_OK;
    char *path = hd_alloc(r->arena, room, 1);
    if (!path || !HD_MORE(r->arena, r->file, r->nfile, r->file_room)) return hd_fail_memory(r->ctx);
    snprintf(path, room, "%s/%s", folder, name);
    r->file[r->nfile++] = (struct chakra_file){path, rank};
    return HD_OK;
}

static hd_status chakra_list(struct chakra_reader *r, const char *folder)
{
    DIR *dir = opendir(folder);
    hd_status s = HD_OK;
    if (!dir && errno == ENOMEM) return hd_fail_memory(r->ctx);
    if (!dir) return hd_fail(r->ctx, HD_INPUT, "%.200s: %s", folder, strerror(errno));
    for (const struct dirent *entry; s == HD_OK && (entry = readdir(dir));)
        s = chakra_list_add(r, folder, entry->d_name);
    closedir(dir);
    HD_TRY(s);
    if (!r->nfile)
        return hd_fail(r->ctx, HD_INPUT,
                       "%.200s: expected files NAME.RANK.json of a Chakra trace, as chakra_jsonizer makes of .et",
                       folder);
    qsort(r->file, r->nfile, sizeof *r->file, chakra_by_rank);
    for (uint32_t i = 0; i < r->nfile; i++) {
        if (r->file[i].rank < i)
            return hd_fail(r->ctx, HD_INPUT, "%.200s: a second file of rank %llu", r->file[i].path,
                           (unsigned long long)r->file[i].rank);
        if (r->file[i].rank > i) return hd_fail(r->ctx, HD_INPUT, "%.200s: no file of rank %u", folder, i);
    }
    if (r->nfile <= r->ops.ranks->n) return HD_OK;
    return hd_fail(r->ctx, HD_INPUT, "%.200s: %u ranks: there are %u endpoints", folder, r->nfile, r->ops.ranks->n);
}

/* ---- collectives ---------------------------------------------------------------------------- */

/* By group; then a list per rank, in the order of its operations. */
static int chakra_by_group(const void *a, const void *b)
{
    const struct chakra_coll *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    if (order) return order;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* In a ring, step s of a rank waits for its own step before and for what the rank before it sent then. member[i * each]
 * are the n ranks. */
static hd_status chakra_ring(struct chakra_reader *r, const struct chakra_coll *member, uint32_t n, uint32_t each,
                             uint32_t steps, uint64_t bytes)
{
    uint32_t first = r->ops.t->n;
    for (uint32_t s = 0; s < steps; s++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t op = r->ops.t->n, before = (i + n - 1) % n;
            HD_TRY(hd_trace_put(&r->ops, member[i * each].rank, member[(i + 1) % n * each].rank, bytes));
            HD_TRY(hd_trace_wait(&r->ops, op, s ? op - n : member[i * each].begin));
            if (s) HD_TRY(hd_trace_wait(&r->ops, op, first + (s - 1) * n + before));
        }
    }
    for (uint32_t i = 0, last = first + (steps - 1) * n; i < n; i++) {
        HD_TRY(hd_trace_wait(&r->ops, member[i * each].end, last + i));
        HD_TRY(hd_trace_wait(&r->ops, member[i * each].end, last + (i + n - 1) % n));
    }
    return HD_OK;
}

static hd_status chakra_all_to_all(struct chakra_reader *r, const struct chakra_coll *member, uint32_t n, uint32_t each,
                                   uint64_t bytes)
{
    for (uint32_t d = 1; d < n; d++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t op = r->ops.t->n, to = (i + d) % n;
            HD_TRY(hd_trace_put(&r->ops, member[i * each].rank, member[to * each].rank, bytes));
            HD_TRY(hd_trace_wait(&r->ops, op, d > 1 ? op - n : member[i * each].begin));
            HD_TRY(hd_trace_wait(&r->ops, member[to * each].end, op));
            if (d == n - 1) HD_TRY(hd_trace_wait(&r->ops, member[i * each].end, op));
        }
    }
    return HD_OK;
}

static hd_status chakra_barrier(struct chakra_reader *r, const struct chakra_coll *member, uint32_t n, uint32_t each)
{
    uint32_t all = r->ops.t->n;
    HD_TRY(hd_trace_op(&r->ops, &(struct hd_op){.kind = HD_OP_OTHER, .rank = member[0].rank}));
    for (uint32_t i = 0; i < n; i++) {
        HD_TRY(hd_trace_wait(&r->ops, all, member[i * each].begin));
        HD_TRY(hd_trace_wait(&r->ops, member[i * each].end, all));
    }
    return HD_OK;
}

/* Bytes are what ASTRA-sim takes them for: of an all-gather the part of a rank, otherwise its whole buffer. */
static hd_status chakra_expand(struct chakra_reader *r, const struct chakra_coll *c, uint32_t n, uint32_t each)
{
    uint64_t part = c->bytes / n + (c->bytes % n != 0);
    if (n == 1) return hd_trace_wait(&r->ops, c->end, c->begin);
    if (c->type == CHAKRA_ALL_REDUCE) return chakra_ring(r, c, n, each, 2 * (n - 1), part);
    if (c->type == CHAKRA_ALL_GATHER) return chakra_ring(r, c, n, each, n - 1, c->bytes);
    if (c->type == CHAKRA_REDUCE_SCATTER) return chakra_ring(r, c, n, each, n - 1, part);
    if (c->type == CHAKRA_ALL_TO_ALL) return chakra_all_to_all(r, c, n, each, part);
    return chakra_barrier(r, c, n, each);
}

static hd_status chakra_differs(struct chakra_reader *r, const struct chakra_coll *c, const struct chakra_coll *first)
{
    return hd_fail(r->ctx, HD_INPUT, "%.200s:%u: rank %u of process group '%.40s' has other collectives than rank %u",
                   c->file, c->line, c->rank, c->group, first->rank);
}

/* The collectives coll[0 .. n-1] of one process group. */
static hd_status chakra_group(struct chakra_reader *r, const struct chakra_coll *c, uint32_t n)
{
    uint32_t each = 0;
    while (each < n && c[each].rank == c[0].rank) each++;
    for (uint32_t i = 0; i < n; i++) {
        const struct chakra_coll *same = &c[i % each];
        bool next = i % each ? c[i].rank == c[i - 1].rank : !i || c[i].rank != c[i - 1].rank;
        if (!next || c[i].type != same->type || c[i].bytes != same->bytes) return chakra_differs(r, &c[i], c);
    }
    if (n % each) return chakra_differs(r, &c[n - 1], c);
    for (uint32_t k = 0; k < each; k++) HD_TRY(chakra_expand(r, c + k, n / each, each));
    return HD_OK;
}

static hd_status chakra_groups(struct chakra_reader *r)
{
    if (r->ncoll) qsort(r->coll, r->ncoll, sizeof *r->coll, chakra_by_group);
    for (uint32_t i = 0, end; i < r->ncoll; i = end) {
        for (end = i + 1; end < r->ncoll && strcmp(r->coll[end].group, r->coll[i].group) == 0;) end++;
        HD_TRY(chakra_group(r, r->coll + i, end - i));
    }
    return HD_OK;
}

hd_status hd_chakra_read(struct hd_ctx *ctx, struct hd_arena *scratch, const char *folder, const struct hd_ranks *ranks,
                         struct hd_trace_lists *t)
{
    struct chakra_reader r = {.ctx = ctx, .arena = scratch};
    r.ops = (struct hd_trace_ops){.ctx = ctx, .arena = scratch, .ranks = ranks, .t = t, .file = folder};
    HD_TRY(chakra_list(&r, folder));
    for (uint32_t rank = 0; rank < r.nfile; rank++) HD_TRY(chakra_open(&r, rank));
    r.ops.file = folder;
    HD_TRY(chakra_groups(&r));
    return hd_trace_close(&r.ops, folder);
}
