# SPDX-License-Identifier: BSD-2-Clause
"""Times of a training step, from the definition of its groups, rank by rank. On a tree with one cable above each leaf,
what leaves and enters a leaf is what that cable carries. usage: mesh.py HEDDLE"""
import itertools, json, subprocess, sys
from collections import Counter
from fractions import Fraction

heddle = sys.argv[1]
LEAF, LEAVES = 4, 6
NET = f"xgft:m={LEAF}x{LEAVES},w=1x1"
GIB = 2**30


def groups(tp, cp, pp, ep, dp, order, fold):
    """(kind, ranks in order) of every group."""
    inner = tp * cp
    at = (lambda t, c, d, p: t + tp * c + inner * (p + pp * d)) if order == "tp-pp-dp" else (
        lambda t, c, d, p: t + tp * c + inner * (d + dp * p))
    T, C, D, P = map(range, (tp, cp, dp, pp))
    for c, d, p in itertools.product(C, D, P):
        yield "tp", [at(t, c, d, p) for t in T]
    for t, d, p in itertools.product(T, D, P):
        yield "cp", [at(t, c, d, p) for c in C]
    for t, c, d in itertools.product(T, C, D):
        yield "pp", [at(t, c, d, p) for p in P]
    for t, p in itertools.product(T, P):
        yield "dp", sorted(at(t, c, d, p) for c in C for d in D)
    if fold or dp % ep:
        for p in P:
            block = [at(t, c, d, p) for d in D for c in C for t in T]
            for i in range(0, len(block), ep):
                yield "ep", block[i:i + ep]
    else:
        for t, c, p in itertools.product(T, C, P):
            for i in range(0, dp, ep):
                yield "ep", [at(t, c, d, p) for d in range(i, i + ep)]


def step(mesh, per_node, node_of, size):
    """Bytes on the busiest cable, by kind; node_of[place]: a number whose leaf is number // LEAF."""
    flows = {kind: Counter() for kind in ("tp", "cp", "pp", "ep", "dp")}
    for kind, ranks in groups(*mesh):
        places = [r // per_node for r in ranks]
        if kind == "pp":
            for a, b in zip(places, places[1:]):
                flows[kind][a, b] += size[kind]
                flows[kind][b, a] += size[kind]
        elif kind == "ep":
            for a, b in itertools.permutations(range(len(ranks)), 2):
                flows[kind][places[a], places[b]] += Fraction(size[kind], len(ranks) - 1)
        else:  # a ring of places, all of whose channels leave by the one adapter
            ring = list(dict.fromkeys(sorted(places)))
            for a, b in zip(ring, ring[1:] + ring[:1]):
                flows[kind][a, b] += size[kind]
    result = {}
    for kind, pairs in flows.items():
        cable = Counter()
        for (a, b), n in pairs.items():
            x, y = node_of[a], node_of[b]
            if a == b:
                continue
            cable["out", x] += n
            cable["in", y] += n
            if x // LEAF != y // LEAF:
                cable["up", x // LEAF] += n
                cable["down", y // LEAF] += n
        result[kind] = max(cable.values(), default=0)
    return result


bad = 0
cases = [
    ((1, 1, 4, 1, 6, "megatron", False), 1, 24), ((1, 1, 6, 2, 4, "tp-pp-dp", False), 1, 24),
    ((2, 1, 3, 4, 8, "deepspeed", False), 2, 24), ((4, 2, 3, 8, 4, "megatron", False), 4, 24),
    ((4, 1, 2, 16, 4, "megatron", True), 2, 16), ((3, 2, 2, 6, 2, "megatron", False), 2, 12),
    ((8, 1, 1, 3, 3, "megatron", False), 2, 12), ((1, 2, 2, 1, 5, "tp-pp-dp", False), 1, 20),
    ((1, 1, 1, 7, 7, "megatron", False), 1, 7), ((16, 1, 1, 1, 1, "megatron", False), 8, 2),
]
for mesh, per_node, n in cases:
    tp, cp, pp, ep, dp, order, fold = mesh
    size = {"tp": 3 * 2**20, "cp": 5 * 2**20, "pp": 2**20, "ep": 48 * 2**20, "dp": 7 * 2**20}
    text = f"tp={tp},cp={cp},pp={pp},ep={ep},dp={dp},order={order},fold={'on' if fold else 'off'}"
    nodes = "node-[%s]" % ",".join("%05d" % ((7 * i) % n) if n % 7 else "%05d" % i for i in range(n))
    run = subprocess.run([heddle, "order", NET, "dmodk", "--nodes", nodes, "--per-node", str(per_node), "--mesh", text,
                          "--bytes", ",".join(f"{k}={v}" for k, v in size.items()), "--json"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    doc = json.loads(run.stdout)
    plan = doc["mesh"]
    listed = [(7 * i) % n if n % 7 else i for i in range(n)]
    found = [int(h.split("-")[1]) for h in doc["hosts"]]
    assert sorted(found) == sorted(listed)
    rows = {r["order"]: r for r in plan["rows"]}
    for row, node_of in (rows["current"], listed), (rows["heddle"], found):
        expected = step(mesh, per_node, node_of, size)
        for kind, n_bytes in expected.items():
            ms = float(n_bytes) * 8 / (plan["gbps"] * 1e6)
            if abs(row[kind + "_ms"] - ms) > 1e-5 * ms + 1e-9:
                print(f"DIFFERENT {text} {row['order']} {kind}: {row[kind + '_ms']}, expected {ms}")
                bad = 1
    for row in plan["rows"]:
        if rows["heddle"]["step_ms"] > row["step_ms"] * (1 + 1e-9) or plan["bound"]["step_ms"] > row["step_ms"] * (1 + 1e-9):
            print(f"WORSE {text}: {row}")
            bad = 1
    print("same", text)
sys.exit(bad)
