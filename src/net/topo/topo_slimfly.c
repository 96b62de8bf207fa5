/* SPDX-License-Identifier: BSD-2-Clause */
/* Slim Fly: the graphs of McKay, Miller and Siran, diameter 2 with nearly as many switches as a degree
 * allows. For a prime power q = 4w + d, d in {-1, 0, 1}, over the field F of q elements:
 *     switches (0,x,y) and (1,m,c)                        2 q^2
 *     (0,x,y) - (0,x,y')  when y - y' in X0               (q - d) / 2 neighbours
 *     (1,m,c) - (1,m,c')  when c - c' in X1               (q - d) / 2
 *     (0,x,y) - (1,m,c)   when y = m x + c                q
 * With g a generator of the field's multiplicative group, X0 and X1 hold
 *     d =  1    its even powers; its odd powers
 *     d = -1    1, g^2 .. g^(2w-2), g^(2w-1), g^(2w+1) .. g^(4w-3); g times that
 *     d =  0    1, g^2 .. g^(q-2); g times that
 * An element of F is a number 0 .. q-1 whose digits in base p are the coefficients of a polynomial, and
 * multiplication by g is multiplication by "x" modulo the first polynomial for which the powers of x are
 * all of F but 0: so the search for a generator and for an irreducible polynomial are one. q <= 169.
 * Cost: O(q^3), the number of cables. */
#include "base/status.h"
#include "net/topo/topology.h"

enum { MAX_Q = 169 };

struct galois_field {
    uint32_t q, p, n;         /* q = p^n */
    uint8_t power[MAX_Q];     /* g^i, i < q - 1 */
    uint8_t logarithm[MAX_Q]; /* of everything but 0 */
};

static uint32_t field_add(const struct galois_field *f, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t unit = 1; unit < f->q; unit *= f->p, a /= f->p, b /= f->p) sum += (a + b) % f->p * unit;
    return sum;
}

static uint32_t field_subtract(const struct galois_field *f, uint32_t a, uint32_t b)
{
    uint32_t difference = 0;
    for (uint32_t unit = 1; unit < f->q; unit *= f->p, a /= f->p, b /= f->p)
        difference += (a % f->p + f->p - b % f->p) % f->p * unit;
    return difference;
}

static uint32_t multiply(const struct galois_field *f, uint32_t a, uint32_t b)
{
    return a && b ? f->power[(f->logarithm[a] + f->logarithm[b]) % (f->q - 1)] : 0;
}

/* a times x, where x^n = reduced: the leading digit moves out and comes back as that many times reduced. */
static uint32_t times_x(const struct galois_field *f, uint32_t a, uint32_t reduced)
{
    uint32_t lead = a / (f->q / f->p), product = a % (f->q / f->p) * f->p;
    while (lead--) product = field_add(f, product, reduced);
    return product;
}

static bool is_prime_power(uint32_t q, uint32_t *prime, uint32_t *exponent)
{
    uint32_t p = 2, n = 0;
    while (q % p) p++;
    for (; q % p == 0; q /= p) n++;
    *prime = p;
    *exponent = n;
    return q == 1;
}

static bool powers_fill(struct galois_field *f, uint32_t reduced)
{
    uint32_t a = 1;
    for (uint32_t i = 0; i < f->q - 1; i++) {
        if (a == 0 || (i && a == 1)) return false;
        f->power[i] = (uint8_t)a;
        f->logarithm[a] = (uint8_t)i;
        a = times_x(f, a, reduced);
    }
    return a == 1;
}

static hd_status init_field(struct hd_ctx *ctx, uint32_t q, struct galois_field *f)
{
    *f = (struct galois_field){.q = q};
    if (!is_prime_power(q, &f->p, &f->n))
        return hd_fail(ctx, HD_INPUT, "slimfly: q=%u: expected a prime power, such as 5, 7, 8, 9, 11 or 13", q);
    uint32_t reduced = 1; /* every field has a generator, so this ends below q */
    while (!powers_fill(f, reduced)) reduced++;
    return HD_OK;
}

/* X0 in set[0], X1 in set[1]. */
static uint32_t init_sets(const struct galois_field *f, bool set[2][MAX_Q])
{
    uint32_t q = f->q, w = (q + 1) / 4, size = 0;
    for (uint32_t i = 0; i < q - 1; i++) {
        bool in = i % 2 == 0;
        if (q % 4 == 3) in = i < 2 * w - 1 ? i % 2 == 0 : i % 2 == 1 && i <= 4 * w - 3;
        if (!in) continue;
        set[0][f->power[i]] = true;
        set[1][f->power[(i + 1) % (q - 1)]] = true;
        size++;
    }
    return size;
}

struct slimfly_opt {
    uint64_t q, hosts;
};

/* First the cables among switches with the same s, then the others: each time a switch meets its
 * neighbours in the order of their numbers. */
static void cable_all(struct hd_builder *b, const struct galois_field *f, bool set[2][MAX_Q], uint8_t *next)
{
    uint32_t q = f->q;
    for (uint32_t row = 0; row < 2 * q; row++)
        for (uint32_t y = 0; y < q; y++)
            for (uint32_t z = y + 1; z < q; z++) {
                uint32_t u = row * q + y, v = row * q + z;
                if (set[row / q][field_subtract(f, y, z)])
                    hd_builder_cable(b, u, ++next[u], v, ++next[v], HD_LINK_DEFAULT);
            }
    for (uint32_t x = 0; x < q; x++)
        for (uint32_t y = 0; y < q; y++)
            for (uint32_t m = 0; m < q; m++) {
                uint32_t u = x * q + y, v = (q + m) * q + field_subtract(f, y, multiply(f, m, x));
                hd_builder_cable(b, u, ++next[u], v, ++next[v], HD_LINK_DEFAULT);
            }
}

static hd_status make_slimfly(struct hd_ctx *ctx, const struct hd_topology *topology, const void *opt,
                              struct hd_builder *b)
{
    (void)topology;
    const struct slimfly_opt *o = opt;
    struct galois_field f;
    bool set[2][MAX_Q] = {{false}};
    HD_TRY(init_field(ctx, (uint32_t)o->q, &f));
    uint32_t degree = f.q + init_sets(&f, set), hosts = o->hosts ? (uint32_t)o->hosts : (degree + 1) / 2;
    struct hd_topology_size size = {.switches = 2 * o->q * o->q, .ports = degree + hosts};
    size.endpoints = size.switches * hosts;
    size.cables = size.endpoints + size.switches * degree / 2;
    HD_TRY(hd_topology_fits(ctx, "slimfly", &size));
    HD_TRY(hd_topology_begin(ctx, b, size.switches, size.endpoints, size.cables));
    struct hd_arena scratch = {0};
    uint8_t *next = HD_NEW(&scratch, uint8_t, size.switches); /* ports in use */
    if (!next) return hd_fail_memory(ctx);
    for (uint32_t v = 0; v < size.switches; v++) {
        hd_builder_switch(b, &(struct hd_switch_in){.nports = degree + hosts, .level = 1});
        for (uint32_t h = 1; h <= hosts; h++) hd_builder_host(b, v, h, HD_LINK_DEFAULT);
        next[v] = (uint8_t)hosts;
    }
    cable_all(b, &f, set, next);
    hd_arena_release(&scratch);
    return HD_OK;
}

static const struct hd_param slimfly_params[] = {
    {"q", HD_UINT, "5", "size of the field: a prime power", offsetof(struct slimfly_opt, q), 3, MAX_Q, NULL, true},
    {"hosts", HD_UINT, "0", "endpoints on each switch; 0: half the degree, rounded up",
     offsetof(struct slimfly_opt, hosts), 0, 253, NULL, false},
    {0},
};

const struct hd_topology hd_topo_slimfly = {
    .desc = {.name = "slimfly",
             .summary = "Slim Fly: a network of diameter 2 with nearly the most switches possible",
             .text =
                 "2 q^2 switches of degree (3q - d)/2, where q = 4w + d is a prime power and d is -1, 0 or 1: the "
                 "McKay-Miller-Siran graph over the field of q elements (q = 5 is the Hoffman-Singleton graph). Half "
                 "as many endpoints on a switch keep it balanced. Switch (s,x,y) has number s q^2 + x q + y; "
                 "endpoints are numbered switch by switch. Ports: endpoints, then neighbours in the order of their "
                 "numbers, those with the same s first.",
             .cite =
                 "Besta, Hoefler: Slim Fly: a cost effective low-diameter network topology; McKay, Miller, Siran: A "
                 "note on large graphs of diameter two and given maximum degree",
             .params = slimfly_params,
             .examples = (const char *const[]){"slimfly:q=5", "slimfly:q=3", "slimfly:q=4", "slimfly:q=7,hosts=3",
                                               "slimfly:q=8", "slimfly:q=9", "slimfly:q=11,hosts=1", NULL},
             .opt_size = sizeof(struct slimfly_opt)},
    .make = make_slimfly};
