#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Faults put into fabrics drawn here, and what `heddle topo --json` says about them.

prop_cabling.py HEDDLE COUNT [SEED [FIRST]]: COUNT director and rail fabrics of random shapes from number FIRST on, with
names and GUIDs at random.
Each is first described as it is (no fault may be reported), then with up to 5 % of its switch cables removed, 3 pairs
swapped, 2 intruders, a dead spine, a dead line ASIC and two hosts with swapped rails. All of them must be reported with
the ports of both ends, and nothing else. The fabrics, the faults and what follows from them are worked out here, from
the description of the topologies in the manual; nothing is shared with the command.

Of every tenth fabric of each kind the tree engines are compared with settle: intact, ftree and dmodc reach .96 of its
EBB, .90 where leaves have more hosts than uplinks (docs/settle.md says why); with faults, which leave small fabrics
uneven, .97 on average over both kinds, and .90 always. settle is never more than .01 below them: a stray cable
between two groups is shorter than the way over a spine, and must not get all of their pairs.

A majority must be left: more than half of the switches show where a port leads, and a dead switch is not the first or the last of its row
unless other rows show that it was there."""
import json, os, random, subprocess, sys, tempfile


class Fabric:
    def __init__(self, rng):
        self.rng, self.ports, self.level, self.cable = rng, {}, {}, {}  # cable: (node, port) -> (node, port)
        self.host = {}  # adapter -> (host, device)
        self.slow = set()  # cables, as sets of their ends

    def connect(self, a, b):
        assert a not in self.cable and b not in self.cable, (a, b)
        self.cable[a], self.cable[b] = b, a

    def remove(self, a):
        b = self.cable.pop(a)
        del self.cable[b]
        return b

    def switch(self, name, ports, level):
        self.ports[name], self.level[name] = ports, level

    def kill(self, switch):
        lost = {self.remove(end) for end in [e for e in self.cable if e[0] == switch]}
        del self.ports[switch], self.level[switch]
        return lost

    def switch_cables(self):
        return sorted({tuple(sorted((a, b))) for a, b in self.cable.items() if a[0] in self.level and b[0] in self.level})

    def write(self, path):
        """Names and GUIDs at random, records in random order; returns GUID of every node."""
        nodes = sorted(self.ports) + sorted(self.host)
        guids = self.rng.sample(range(1 << 40, 1 << 44), len(nodes))
        guid = {v: "%016x" % (g * 16) for v, g in zip(nodes, guids)}
        number = self.rng.sample(range(len(nodes) * 7), len(nodes))
        name = {v: "sw%d" % n for v, n in zip(nodes, number) if v in self.ports}
        hosts = sorted({h for h, _ in self.host.values()})
        called = dict(zip(hosts, self.rng.sample(range(len(hosts) * 9), len(hosts))))
        records, of = [], {v: [] for v in nodes}
        for a, b in sorted(self.cable.items()): of[a[0]].append((a, b))
        ident = lambda v: ("S-" if v in self.ports else "H-") + guid[v]
        for v in nodes:
            rows = []
            for (node, port), (other, far) in of[v]:
                rate = "4xEDR" if frozenset(((node, port), (other, far))) in self.slow else "4xHDR"
                if v in self.ports:
                    rows.append('[%d]\t"%s"[%d]\t# "x" lid 0 %s' % (port, ident(other), far, rate))
                else:
                    rows.append('[%d](%x)\t"%s"[%d]\t# lid 0 lmc 0 "x" lid 0 %s' % (port, int(guid[v], 16) + 1, ident(other), far, rate))
            if v in self.ports:
                head = 'switchguid=0x%s\nSwitch\t%d "%s"\t# "%s" base port 0 lid 0 lmc 0' % (guid[v], self.ports[v], ident(v), name[v])
            else:
                host, device = self.host[v]
                head = 'caguid=0x%s\nCa\t1 "%s"\t# "c%d %s"' % (guid[v], ident(v), called[host], device)
            if rows or v in self.ports:
                records.append("\n".join([head] + rows) + "\n")
        self.rng.shuffle(records)
        with open(path, "w") as f:
            f.write("\n".join(records))
        return guid


def director(rng):
    f = Fabric(rng)
    groups, leaves, directors = rng.randint(2, 5), rng.randint(5, 10), rng.randint(1, 4)
    lines, spines, hosts = rng.randint(max(1, -(-5 // directors)), 5), rng.randint(5, 10), rng.randint(2, 8)
    spare = rng.randint(1, 3)
    for g in range(groups):
        for t in range(leaves):
            f.switch("leaf%d.%d" % (g, t), hosts + directors * lines + spare, 1)
    for d in range(directors):
        for i in range(groups * lines):
            f.switch("line%d.%d" % (d, i), leaves + spines + spare, 2)
        for s in range(spines):
            f.switch("spine%d.%d" % (d, s), groups * lines + spare, 3)
    for g in range(groups):
        for t in range(leaves):
            for h in range(hosts):
                f.host["a%d.%d.%d" % (g, t, h)] = ("h%d.%d.%d" % (g, t, h), "mlx5_0")
                f.connect(("a%d.%d.%d" % (g, t, h), 1), ("leaf%d.%d" % (g, t), 1 + h))
            for d in range(directors):
                for i in range(lines):
                    f.connect(("leaf%d.%d" % (g, t), 1 + hosts + d * lines + i), ("line%d.%d" % (d, g * lines + i), 1 + t))
    for d in range(directors):
        for i in range(groups * lines):
            for s in range(spines):
                f.connect(("line%d.%d" % (d, i), 1 + leaves + s), ("spine%d.%d" % (d, s), 1 + i))
    inner = lambda n, rows: rng.randrange(n) if rows >= 3 else rng.randint(1, n - 2)
    dead_spine = "spine%d.%d" % (rng.randrange(directors), inner(spines, directors))
    d, place = divmod(inner(directors * lines, groups), lines)
    choices = [(d, g * lines + place) for g in range(groups)]
    dead_line = rng.choice([c for c in choices if directors >= 3 or 0 < c[1] < groups * lines - 1] or [None])
    f.dead = [dead_spine] + (["line%d.%d" % dead_line] if dead_line else [])
    f.scarce = hosts > directors * lines
    f.shape = "director groups=%d leaves=%d directors=%d lines=%d spines=%d hosts=%d" % (groups, leaves, directors, lines, spines, hosts)
    f.rails = []
    return f


def rail(rng):
    f = Fabric(rng)
    rails, units, spines, parallel = rng.randint(2, 8), rng.randint(3, 6), rng.randint(5, 9), rng.randint(1, 3)
    hosts, spare = rng.randint(8, 12), rng.randint(1, 3)
    leaves = units * rails
    for u in range(units):
        for r in range(rails):
            f.switch("leaf%d.%d" % (u, r), hosts + parallel * spines + spare, 1)
    for s in range(spines):
        f.switch("spine%d" % s, leaves * parallel + spare, 2)
    for u in range(units):
        for r in range(rails):
            for h in range(hosts):
                f.host["a%d.%d.%d" % (u, r, h)] = ("h%d.%d" % (u, h), "mlx5_%d" % r)
                f.connect(("a%d.%d.%d" % (u, r, h), 1), ("leaf%d.%d" % (u, r), 1 + h))
            for s in range(spines):
                for k in range(parallel):
                    f.connect(("leaf%d.%d" % (u, r), 1 + hosts + k * spines + s), ("spine%d" % s, 1 + k * leaves + u * rails + r))
    f.dead = ["spine%d" % rng.randint(1, spines - 2)]
    f.scarce = hosts > parallel * spines
    f.shape = "rail rails=%d units=%d spines=%d uplinks=%d hosts=%d" % (rails, units, spines, parallel * spines, hosts)
    f.rails = []
    for h in rng.sample(range(hosts), 2):
        u, (a, b) = rng.randrange(units), rng.sample(range(rails), 2)
        f.rails.append(("a%d.%d.%d" % (u, a, h), "a%d.%d.%d" % (u, b, h)))
    return f


class Faults:
    """What is put in, and what has to be reported."""

    def __init__(self, f):
        self.f, self.rng = f, f.rng
        self.missing, self.swapped, self.strange, self.dead = set(), set(), set(), set()
        self.whole = {}  # cables that show where a port of the switches on one side leads
        for c in f.switch_cables():
            for key in self.columns(c):
                self.whole[key] = self.whole.get(key, 0) + 1
        self.met = {(a[0], b[0]) for a, b in f.cable.items()}
        self.lost, self.untouched = {}, set()

    @staticmethod
    def columns(cable):
        (u, p), (v, q) = cable
        return (u, q), (v, p)

    def spare(self, *cables):
        """Whether a majority is left without these to show where each port leads."""
        more = {}
        for c in cables:
            for key in self.columns(c):
                more[key] = more.get(key, 0) + 1
        return all(2.5 * (self.lost.get(k, 0) + n) < self.whole[k] for k, n in more.items())

    def spend(self, *cables):
        for c in cables:
            for key in self.columns(c):
                self.lost[key] = self.lost.get(key, 0) + 1
            self.untouched.discard(c)

    def draw(self):
        return self.rng.choice(sorted(self.untouched))

    def kill(self):
        self.spend(*(c for c in self.f.switch_cables() if c[0][0] in self.f.dead or c[1][0] in self.f.dead))
        for switch in self.f.dead:
            self.dead.add(frozenset(end for end in self.f.kill(switch) if end[0] in self.f.level and end[0] not in self.f.dead))
        self.untouched = set(self.f.switch_cables())
        self.built = len(self.untouched)

    def swap(self):
        for _ in range(200):
            (a, b), (c, d) = self.draw(), self.draw()
            if self.f.level[a[0]] > self.f.level[b[0]]: a, b = b, a
            if self.f.level[c[0]] > self.f.level[d[0]]: c, d = d, c
            both = tuple(sorted((a, b))), tuple(sorted((c, d)))
            if a[0] == c[0] or b[0] == d[0] or (a[0], d[0]) not in self.met or (c[0], b[0]) not in self.met: continue
            if not self.spare(*both): continue
            self.f.remove(a), self.f.remove(c)
            self.f.connect(a, d), self.f.connect(c, b)
            self.spend(*both)
            self.swapped.add(frozenset((frozenset((a, d)), frozenset((c, b)))))
            return

    def swap_rails(self):
        for a, b in self.f.rails:
            pa, pb = self.f.remove((a, 1)), self.f.remove((b, 1))
            self.f.connect((a, 1), pb), self.f.connect((b, 1), pa)
            self.swapped.add(frozenset((frozenset(((a, 1), pb)), frozenset(((b, 1), pa)))))

    def end(self):
        """An end for an intruder: a spare port, or one whose cable is pulled out (and then missing)."""
        if self.rng.random() < 0.5:
            v = self.rng.choice(sorted(self.f.level))
            top = max(p for n, p in self.f.cable if n == v)
            return ((v, self.f.ports[v]), None) if top < self.f.ports[v] else (None, None)
        cable = self.draw()
        return self.rng.choice(cable), cable

    def intrude(self):
        for _ in range(200):
            (a, pulled), (b, other) = self.end(), self.end()
            if a is None or b is None or a[0] == b[0] or (pulled and pulled == other): continue
            # Not a pair that is connected anyway: that would be a parallel cable in other ports.
            if (a[0], b[0]) in self.met: continue
            taken = [c for c in (pulled, other) if c]
            if not self.spare(*taken): continue
            for c in taken:
                self.f.remove(c[0])
            self.spend(*taken)
            self.f.connect(a, b)
            self.strange.add(frozenset((a, b)))
            # One pulled cable: the intruder is this one, with one end in the wrong place.
            if len(taken) == 2: self.missing.update(frozenset(c) for c in taken)
            return

    def thin(self):
        for _ in range(self.rng.randint(0, self.built // 20)):
            c = self.draw()
            if not self.spare(c): continue
            self.f.remove(c[0])
            self.spend(c)
            self.missing.add(frozenset(c))

    def put(self):
        self.kill()
        for _ in range(3): self.swap()
        for _ in range(2): self.intrude()
        self.swap_rails()
        self.thin()


def described(heddle, path):
    run = subprocess.run([heddle, "topo", path, "--json"], capture_output=True, text=True)
    if run.returncode: raise SystemExit("heddle topo: " + run.stderr)
    return json.loads(run.stdout)["cabling"]


def compare(found, faults, guid):
    node = {"0x" + g: v for v, g in guid.items()}
    node.update({"0x%016x" % (int(g, 16) + 1): v for v, g in guid.items() if v in faults.f.host})
    end = lambda e: (node.get(e["guid"]), e["port"])
    cable = lambda c: frozenset((end(c["from"]), end(c["to"])))
    got = {"missing": {cable(c) for c in found["missing"]},
           "swapped": {frozenset((cable(c), cable(c["with"]))) for c in found["swapped"]},
           "strange": {cable(c) for c in found["wrong"] + found["extra"]},
           "dead": {frozenset(end(c["from"]) for c in d["cables"]) for d in found["dead"]},
           "slow": {cable(c) for c in found["slow"]}}
    want = {"missing": faults.missing, "swapped": faults.swapped, "strange": faults.strange, "dead": faults.dead, "slow": faults.f.slow}
    ends = [e for c in got["missing"] for e in c]
    faulty = ["a port is promised twice"] if len(ends) != len(set(ends)) else []
    text = lambda x: sorted(map(text, x)) if isinstance(x, frozenset) else "%s:%s" % x
    for k in want:
        faulty += ["%s not reported: %s" % (k, text(x)) for x in want[k] - got[k]]
        faulty += ["%s reported: %s" % (k, text(x)) for x in got[k] - want[k]]
    return faulty


def shares(heddle, path):
    """EBB of ftree and dmodc, as shares of settle's, on the same samples."""
    run = subprocess.run([heddle, "eval", path, "settle", "ftree", "dmodc", "-n", "100", "--json", "--quiet"], capture_output=True, text=True)
    if run.returncode: raise SystemExit("heddle eval: " + run.stderr)
    value = {row["table"]: row["value"] for row in json.loads(run.stdout)["rows"]}
    return {e: value[e] / value["settle"] for e in ("ftree", "dmodc")}


def main():
    heddle, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    first, failed, damaged = int(sys.argv[4]) if len(sys.argv) > 4 else 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net")
        for i in range(first, first + count):
            f = (director, rail)[i % 2](random.Random(seed * 1000003 + i))
            f.write(path)
            faults = Faults(f)
            intact = described(heddle, path)
            problems = ["intact: %s reported" % k for k, v in intact.items() if v]
            compared = i % 20 < 2
            if compared:
                least = 0.90 if f.scarce else 0.96
                problems += ["%s has %.3f of settle" % e for e in shares(heddle, path).items() if not least <= e[1] <= 1.01]
            faults.put()
            guid = f.write(path)
            if compared:
                found = shares(heddle, path)
                damaged += found.values()
                problems += ["with faults %s has %.3f of settle" % e for e in found.items() if not 0.90 <= e[1] <= 1.01]
            problems += compare(described(heddle, path), faults, guid)
            if problems:
                failed += 1
                print("instance %d, %s:" % (i, f.shape), *problems[:6], sep="\n  ")
                keep = os.environ.get("KEEP")
                if keep: os.replace(path, os.path.join(keep, "cabling-%d" % i))
    if damaged:
        mean = sum(damaged) / len(damaged)
        if mean < 0.97: failed = max(failed, 1)
        print("with faults ftree and dmodc have %.3f of settle's EBB on average" % mean)
    print("%d of %d fabrics are diagnosed right" % (count - failed, count))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
