# SPDX-License-Identifier: BSD-2-Clause
"""NCCL's rules, written again from their description, against the flows that heddle draws. The fabric has a switch for
every adapter and a cable between any two switches, so that the load of a cable is the flows between two adapters.
usage: nccl.py HEDDLE FOLDER"""
import csv, json, subprocess, sys
from collections import Counter
from math import gcd

heddle, folder = sys.argv[1:]


def fabric(path, adapters):
    """Host h has adapters[h] of them."""
    every = [(h, a) for h, n in enumerate(adapters) for a in range(n)]
    with open(path, "w") as out:
        for i, (h, a) in enumerate(every):
            print(f'Switch\t{len(every) + 1} "S-{0x100 + i:016x}"\t# "s{h}.{a}" base port 0 lid {1000 + i} lmc 0', file=out)
            print(f'[1]\t"H-{0x1000 + 16 * i:016x}"[1]({0x1001 + 16 * i:x}) \t# "host{h:02} mlx5_{a}" lid {i + 1} 4xNDR', file=out)
            for j in range(len(every)):
                if i != j:
                    print(f'[{j + 2}]\t"S-{0x100 + j:016x}"[{i + 2}]\t# "s{every[j][0]}.{every[j][1]}" lid {1000 + j} 4xNDR', file=out)
            print(file=out)
        for i, (h, a) in enumerate(every):
            print(f'Ca\t1 "H-{0x1000 + 16 * i:016x}"\t# "host{h:02} mlx5_{a}"', file=out)
            print(f'[1]({0x1001 + 16 * i:x}) \t"S-{0x100 + i:016x}"[1]\t# lid {i + 1} lmc 0 "s{h}.{a}" lid {1000 + i} 4xNDR\n', file=out)


def drawn(net, pattern):
    loads = folder + "/loads.csv"
    run = subprocess.run([heddle, "eval", net, "minhop", "-p", pattern, "-m", "maxload", "--json", "--loads", loads],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    stages = json.loads(run.stdout)["rows"][0]["samples"]
    flows = Counter()
    for row in csv.DictReader(open(loads)):
        if row["from"].startswith("s") and row["to"].startswith("s") and float(row["mean"]):
            ends = [tuple(map(int, row[end][1:].split("."))) for end in ("from", "to")]
            flows[tuple(ends)] += round(float(row["mean"]) * stages)
    return stages, flows


def btree(n):
    """Parents by recursion: the middle of the hosts between two known ones is the child of one of them."""
    parent = {0: None}
    low = 1
    while low * 2 < n:
        low *= 2
    def grow(i, step, above):
        if i >= n:  # the subtree that reaches beyond the last host moves up
            if step:
                grow(i - step, step // 2, above)
            return
        parent[i] = above
        if step:
            grow(i - step, step // 2, i)
            grow(i + step, step // 2, i)
    if n > 1:
        grow(low, low // 2, 0)
    return parent


def trees(n):
    first = btree(n)
    move = (lambda i: n - 1 - i) if n % 2 == 0 else (lambda i: (i + 1) % n)
    return first, {move(i): None if p is None else move(p) for i, p in first.items()}


def alltoall(adapters, gpus, group, pxn):
    local = [gpus or n for n in adapters]
    for n in local:
        group = gcd(group, n)
    groups = [(h, at) for h, n in enumerate(local) for at in range(0, n, group)]
    n, room = len(groups), 1
    while room < n:
        room *= 2
    order = [x * (x + 1) // 2 % room for x in range(room)]
    order = [d for d in order if d < n]
    assert sorted(order) == list(range(n))
    flows, rounds = Counter(), 0
    for delta in order[1:]:
        for d in range(group):
            rounds += 1
            for g, (h, at) in enumerate(groups):
                to, there = groups[(g + delta) % n]
                if to == h:
                    continue
                for i in range(group):
                    gpu = there + (i + d) % group
                    enters = gpu * adapters[to] // local[to]
                    leaves = (at + i) * adapters[h] // local[h]
                    flows[(h, enters % adapters[h] if pxn else leaves), (to, enters)] += 1
    return rounds, flows


bad = 0
def compare(name, expected, found):
    global bad
    ok = expected == found
    bad += not ok
    print("same" if ok else "DIFFERENT", name)


for adapters in [2, 2], [3] * 5, [4] * 4, [1] * 13, [2, 3, 2], [2] * 7:
    net = folder + "/mesh.ibnet"
    fabric(net, adapters)
    n, rails = len(adapters), min(adapters)
    what = " on " + "+".join(map(str, adapters))
    ring = Counter({((h, c), ((h + 1) % n, c)): 1 for h in range(n) for c in range(rails)})
    compare("nccl-ring" + what, (1, ring), drawn(net, "nccl-ring"))
    cross = Counter({((h, (c + 1) % rails), ((h + 1) % n, c)): 1 for h in range(n) for c in range(rails)})
    compare("nccl-ring:rails=cross" + what, (1, cross), drawn(net, "nccl-ring:rails=cross"))
    both = Counter()
    for tree in trees(n):
        for child, up in tree.items():
            for c in range(rails):
                if up is not None:
                    both[(child, c), (up, c)] += 1
                    both[(up, c), (child, c)] += 1
    compare("nccl-tree" + what, (1, both), drawn(net, "nccl-tree"))
    pat = Counter()
    far = 1
    while far < n:
        for h in range(n):
            for c in range(rails):
                pat[(h, c), ((h + far) % n, c)] += 1
        far *= 2
    compare("nccl-pat" + what, pat, drawn(net, "nccl-pat:op=reduce-scatter")[1])
    back = Counter({(b, a): k for (a, b), k in pat.items()})
    compare("nccl-pat, all-gather" + what, back, drawn(net, "nccl-pat")[1])
    every = Counter({((h, c), (t, c)): 1 for h in range(n) for t in range(n) if h != t for c in range(rails)})
    compare("rail-alltoall" + what, (n - 1, every), drawn(net, "rail-alltoall"))
    for gpus, group, pxn in (0, 8, True), (0, 8, False), (8, 8, True), (8, 4, False), (6, 8, True):
        spec = f"nccl-alltoall:gpus={gpus},group={group},pxn={'on' if pxn else 'off'}"
        compare(spec + what, alltoall(adapters, gpus, group, pxn), drawn(net, spec))
sys.exit(bad != 0)
