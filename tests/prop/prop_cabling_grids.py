#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Faults put into tori, meshes, hypercubes, HyperX and dragonflies drawn here, and what `heddle topo --json` says.

prop_cabling_grids.py HEDDLE COUNT [SEED [FIRST]]: COUNT networks of random shapes, with names and GUIDs at random and the ports of
all switches in one random order. Each is first described as it is (its shape, and no fault), then with cables removed
and swapped, intruders, a dead switch and a slow cable: all of them must be reported with the ports of both ends, and
nothing else. A grid keeps its shape, and dor routes it. The networks, the faults and what follows from them are worked
out here, from the description of the topologies in the manual; nothing is shared with the command.

Then small grids and HyperX with so many cables and up to three switches gone that what they were is often not known any
more, four for each network: nothing may be reported that was not lost. What is found of it is counted.

A majority must be left otherwise: no switch has more than two fifths of its cables touched, and of fewer than sixty cables only
one pair is swapped, or one switch is dead."""
import json, os, random, subprocess, sys, tempfile
from prop_cabling import Fabric, Faults, compare


class Grid(Fabric):
    """Switches by name, each with hosts; ports are given by their place in an order drawn once."""

    def __init__(self, rng, switches, hosts, ports):
        super().__init__(rng)
        self.order = rng.sample(range(1, ports + 1), ports) + [ports + 1]
        for v in switches:
            self.switch(v, ports + 1, 1)  # the last one is spare
            for h in range(hosts):
                self.host["a%s.%d" % (v, h)] = ("h%s.%d" % (v, h), "mlx5_0")
                self.connect(("a%s.%d" % (v, h), 1), (v, self.order[h]))

    def link(self, u, i, v, j):
        self.connect((u, self.order[i]), (v, self.order[j]))


def places(dims):
    out = [()]
    for m in dims:
        out = [x + (k,) for x in out for k in range(m)]
    return out


def name(x):
    return "s" + "_".join(map(str, x))


def grid(rng, kind, dims, cables):
    """Lines, rings or cliques along each dimension, ports as in the manual."""
    hosts, first, at = rng.randint(1, 3), [], 0
    for m in dims:
        first.append(at)
        at += cables * (m - 1 if kind == "hyperx" else 1 if m == 2 else 2)
    f = Grid(rng, map(name, places(dims)), hosts, hosts + at)
    for x in places(dims):
        for i, m in enumerate(dims):
            for y in range(x[i] + 1, m) if kind == "hyperx" else [x[i] + 1]:
                if y == m and (kind == "mesh" or m == 2): continue
                to = x[:i] + (y % m,) + x[i + 1:]
                for k in range(cables):
                    if kind == "hyperx":
                        p, q = (y - 1) * cables + k, x[i] * cables + k
                    else:
                        p, q = k, (0 if m == 2 else cables) + k
                    f.link(name(x), hosts + first[i] + p, name(to), hosts + first[i] + q)
    f.dead = []
    f.shape = f.drawn = "hypercube:n=%d" % len(dims) if kind == "hypercube" else "%s:dims=%s" % (kind, "x".join(map(str, sorted(dims))))
    return f


def torus(rng):
    n = rng.randint(2, 4)
    return grid(rng, "torus", [rng.randint(3, (9, 6, 5)[n - 2]) for _ in range(n)], rng.choice((1, 1, 2)))


def mesh(rng):
    return grid(rng, "mesh", [rng.randint(3, 6) for _ in range(3)], rng.choice((1, 1, 2)))


def hypercube(rng):
    return grid(rng, "hypercube", [2] * rng.randint(4, 7), rng.choice((1, 1, 2)))


def hyperx(rng):
    n = rng.randint(2, 3)
    return grid(rng, "hyperx", [rng.randint(7 - n, 10 - 2 * n) for _ in range(n)], rng.choice((1, 1, 2)))


def dragonfly(rng):
    """Palmtree: global port i of a group leads i + 1 groups back; the rest as in the manual."""
    h = rng.randint(2, 3)
    a, hosts = rng.randint(7, 2 * h + 4), rng.randint(1, 3)
    ports = a * h
    g = rng.randint(max(12, ports // 2), ports + 1)
    f = Grid(rng, ["s%d_%d" % (x, i) for x in range(g) for i in range(a)], hosts, hosts + a - 1 + h)
    for x in range(g):
        for i in range(a):
            for j in range(i + 1, a):
                f.link("s%d_%d" % (x, i), hosts + j - 1, "s%d_%d" % (x, j), hosts + i)
    def globally(x, i, y, j):
        f.link("s%d_%d" % (x, i // h), hosts + a - 1 + i % h, "s%d_%d" % (y, j // h), hosts + a - 1 + j % h)
    full, rest = divmod(ports, g - 1)
    for k in range(full):
        for x in range(g):
            for y in range(x + 1, g):
                globally(x, k * (g - 1) + (x - y - 1) % g, y, k * (g - 1) + (y - x - 1) % g)
    used = full * (g - 1)
    for t in range(rest // 2):
        for x in range(g): globally(x, used + 2 * t, (x + t + 1) % g, used + 2 * t + 1)
    for x in range(g // 2 if rest % 2 and g % 2 == 0 else 0): globally(x, used + rest - 1, x + g // 2, used + rest - 1)
    f.dead, f.shape = [], None
    f.drawn = "dragonfly:a=%d,p=%d,h=%d,g=%d" % (a, hosts, h, g)
    return f


def described(heddle, path):
    run = subprocess.run([heddle, "topo", path, "--json"], capture_output=True, text=True)
    if run.returncode: raise SystemExit("heddle topo: " + run.stderr)
    return json.loads(run.stdout)


class GridFaults(Faults):
    @staticmethod
    def columns(cable):
        (u, _), (v, _) = cable
        return u, v

    def swap(self):
        for _ in range(200):
            (a, b), (c, d) = self.draw(), self.draw()
            if self.rng.random() < 0.5: c, d = d, c
            both = tuple(sorted((a, b))), tuple(sorted((c, d)))
            if len({a[0], b[0], c[0], d[0]}) < 4 or (a[0], d[0]) in self.met or (c[0], b[0]) in self.met: continue
            if not self.spare(*both): continue
            self.f.remove(a), self.f.remove(c)
            self.f.connect(a, d), self.f.connect(c, b)
            self.spend(*both)
            self.swapped.add(frozenset((frozenset((a, d)), frozenset((c, b)))))
            return

    def put(self):
        many = len(self.f.switch_cables()) // 60
        if many or self.rng.random() < 0.5:
            self.f.dead = [self.rng.choice(sorted(self.f.level))]
        self.kill()
        for _ in range(min(many, 3) if self.f.dead else 1): self.swap()
        for _ in range(min(many, 2)): self.intrude()
        if many: self.thin()
        self.f.slow = {frozenset(self.draw())}


def connected(f):
    left, reach = set(f.level), [next(iter(f.level))]
    left.discard(reach[0])
    for v in reach:
        near = {b[0] for a, b in f.cable.items() if a[0] == v} & left
        left -= near
        reach += near
    return not left


def losses(heddle, path, rng, count):
    """A small grid that lost cables and switches: adds to count; returns what is reported of others."""
    kind = rng.choice(("torus", "mesh", "hypercube", "hyperx"))
    n = rng.randint(1, 3)
    dims = [2] * rng.randint(2, 6) if kind == "hypercube" else [rng.randint(2, 7 if n < 3 else 4) for _ in range(n)]
    f = grid(rng, kind, dims, rng.choice((1, 1, 1, 2)))
    faults = GridFaults(f)
    f.dead = rng.sample(sorted(f.level), max(0, min(rng.randint(0, 3), len(f.level) - 2)))
    faults.kill()
    for c in rng.sample(f.switch_cables(), min(rng.randint(0, 4), len(f.switch_cables()))):
        f.remove(c[0])
        faults.missing.add(frozenset(c))
    if not connected(f): return []
    guid = f.write(path)
    node = {"0x" + g: v for v, g in guid.items()}
    end = lambda e: (node[e["guid"]], e["port"])
    found = described(heddle, path)["cabling"]
    left, wrong = set(faults.missing), ["%s reported" % k for k in ("swapped", "wrong", "extra", "slow") if found[k]]
    for cable in found["missing"]:
        ends = [end(cable["from"]), end(cable["to"])]
        fits = [c for c in left if {e[0] for e in c} == {e[0] for e in ends} and all(e[1] is None or e in c for e in ends)]
        left -= set(fits[:1])
        if not fits: wrong.append("missing reported: %s:%s - %s:%s" % (*ends[0], *ends[1]))
    dead = {frozenset(end(c["from"]) for c in d["cables"]) for d in found["dead"]}
    right = [d for d in dead if any(d <= lost for lost in faults.dead)]  # cables that a neighbour lost as well may not be known
    wrong += ["dead reported: %s" % sorted(d) for d in dead if d not in right]
    for k, n in enumerate((len(faults.missing) - len(left), len(faults.missing), len(right), len(faults.dead), len(wrong))):
        count[k] += n
    return ["%s without %d switches and %d cables:" % (f.drawn, len(f.dead), len(faults.missing))] + wrong if wrong else []


def main():
    heddle, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    kinds, failed, lost = (torus, hypercube, mesh, dragonfly, hyperx), 0, [0] * 5
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net")
        for i in range(first, first + count):
            f = kinds[i % len(kinds)](random.Random(seed * 1000003 + i))
            f.write(path)
            faults = GridFaults(f)
            intact = described(heddle, path)
            problems = ["intact: %s reported" % k for k, v in intact["cabling"].items() if v]
            if intact["shape"] != f.shape: problems.append("intact: it is called '%s'" % intact["shape"])
            faults.put()
            guid = f.write(path)
            found = described(heddle, path)
            if found["shape"] != f.shape: problems.append("with faults it is called '%s'" % found["shape"])
            problems += compare(found["cabling"], faults, guid)
            engine = "dor" if f.shape else "settle"
            run = subprocess.run([heddle, "route", path, engine, "-o", os.path.join(folder, "table")], capture_output=True, text=True)
            if run.returncode: problems.append(engine + ": " + run.stderr)
            for k in range(4): problems += losses(heddle, os.path.join(folder, "small"), random.Random(seed * 4000037 + 4 * i + k), lost)
            if problems:
                failed += 1
                print("instance %d, %s:" % (i, f.drawn), *problems[:6], sep="\n  ")
                keep = os.environ.get("KEEP")
                if keep: os.replace(path, os.path.join(keep, "grid-%d" % i))
    print("small grids: %d of %d missing cables and %d of %d dead switches are found, %d false reports" % tuple(lost))
    print("%d of %d networks are diagnosed right" % (count - failed, count))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
