#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cables648.py FILE: an ibsim net file of 36 leaf switches with 18 hosts each and 18 spines, EDR, with these faults:
cables leaf03-spine05, leaf17-spine02 and leaf30-spine14 are out; those of leaf05 to spine10 and of leaf06 to spine11
have each other's upper end; leaf14 and leaf15 are connected by their port 36, which belongs to spine18; leaf08-spine03
runs at 1xEDR, leaf20-spine07 at 4xQDR, node200 at 4xFDR; node100 is off; node399 and node417 are in each other's place;
spine16 is dead. Port 18+j of a leaf leads to spine j, port i of a spine to leaf i."""
import sys

LEAVES, SPINES, HOSTS = 36, 18, 18
leaf = lambda i: "leaf%02d" % i
spine = lambda j: "spine%02d" % j
node = lambda n: "node%03d" % n
cable, rate = {}, {}


def connect(a, b):
    cable[a], cable[b] = b, a


def remove(a):
    del cable[cable.pop(a)]


for i in range(1, LEAVES + 1):
    for k in range(1, HOSTS + 1):
        connect((leaf(i), k), (node((i - 1) * HOSTS + k), 1))
    for j in range(1, SPINES + 1):
        connect((leaf(i), HOSTS + j), (spine(j), i))
for i, j in ((3, 5), (17, 2), (30, 14)):
    remove((leaf(i), HOSTS + j))
remove((leaf(5), 28)), remove((leaf(6), 29))
connect((leaf(5), 28), (spine(11), 6)), connect((leaf(6), 29), (spine(10), 5))
remove((leaf(14), 36)), remove((leaf(15), 36))
connect((leaf(14), 36), (leaf(15), 36))
for a, b, w, s in (((leaf(8), 21), (spine(3), 8), 1, 25.78125), ((leaf(20), 25), (spine(7), 20), 4, 10.0)):
    rate[a] = rate[b] = (w, s)
where = cable[node(200), 1]
rate[where] = rate[node(200), 1] = (4, 14.0625)
a, b = cable[node(399), 1], cable[node(417), 1]
remove(a), remove(b)
connect(a, (node(417), 1)), connect(b, (node(399), 1))
remove((node(100), 1))
for i in range(1, LEAVES + 1):
    remove((leaf(i), HOSTS + 16))

names = {"S": [leaf(i) for i in range(1, LEAVES + 1)] + [spine(j) for j in range(1, SPINES + 1) if j != 16],
         "H": [node(n) for n in range(1, LEAVES * HOSTS + 1) if n != 100]}
guid = {v: "%s-%016x" % (kind, (0xec0d9a0300000000 if kind == "S" else 0x98039b0300000000) + 0x100 * n)
        for kind in names for n, v in enumerate(names[kind], 1)}
speeds = {(4, 25.78125): "4xEDR", (1, 25.78125): "1xEDR", (4, 10.0): "4xQDR", (4, 14.0625): "4xFDR"}
with open(sys.argv[1], "w") as out:
    for kind in names:
        for v in names[kind]:
            out.write('%s\t%d "%s"\t\t# "%s"\n' % ("Switch" if kind == "S" else "Ca", 36 if kind == "S" else 1, guid[v], v))
            for p in range(1, 37):
                if (v, p) not in cable: continue
                far, q = cable[v, p]
                out.write('[%d]\t"%s"[%d]\t\t# "%s" lid 0 %s\n' % (p, guid[far], q, far, speeds[rate.get((v, p), (4, 25.78125))]))
            out.write("\n")
