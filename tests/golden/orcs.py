# SPDX-License-Identifier: BSD-2-Clause
"""orcs.py NET.ibnet TABLE.lft SAMPLES SEED: bandwidth of random bisections as ORCS (Schneider, Hoefler, Lumsdaine) defines it.

A bisection pairs half of the endpoints with the other half at random; traffic goes one way. The congestion of a cable
is the number of pairs that cross it, a pair has the bandwidth 1 / (largest congestion on its path). Prints, with their
standard errors, the mean over all pairs and patterns (effective bisection bandwidth) and the mean over patterns of
1 / (largest congestion of all). Reads the files alone, follows the table hop by hop and shares nothing with heddle."""
import math
import random
import re
import sys


def read_network(name):
    """peer[node, port] = (node, port), LID of each endpoint; the lines of switches have every cable."""
    peer, lid, node = {}, {}, None
    for line in open(name):
        if m := re.match(r'Switch\s+\d+ "(S-\w+)"', line):
            node = m[1]
        elif m := re.match(r'\[(\d+)\]\s+"([SH]-\w+)"\[(\d+)\].*?# "[^"]*" lid (\d+)', line):
            peer[node, int(m[1])] = m[2], int(m[3])
            peer[m[2], int(m[3])] = node, int(m[1])
            if m[2][0] == "H":
                lid[m[2]] = int(m[4])
    return peer, lid


def read_table(name):
    """port[switch, LID]."""
    port, node = {}, None
    for line in open(name):
        if m := re.match(r"Unicast lids .* guid 0x(\w+)", line):
            node = "S-" + m[1]
        elif m := re.match(r"0x(\w+) (\d+)", line):
            port[node, int(m[1], 16)] = int(m[2])
    return port


def path(source, destination):
    at, out, cables = source, 1, []
    while True:
        cables.append((at, out))
        at, _ = peer[at, out]
        if at == destination:
            return cables
        out = port[at, lid[destination]]


def summary(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


peer, lid = read_network(sys.argv[1])
port = read_table(sys.argv[2])
draw = random.Random(int(sys.argv[4]))
ends, paths, effective, least = sorted(lid), {}, [], []
for _ in range(int(sys.argv[3])):
    draw.shuffle(ends)
    half, load = len(ends) // 2, {}
    pairs = [(ends[i], ends[half + i]) for i in range(half)]
    for pair in pairs:
        if pair not in paths:
            paths[pair] = path(*pair)
        for cable in paths[pair]:
            load[cable] = load.get(cable, 0) + 1
    effective.append(sum(1 / max(load[c] for c in paths[pair]) for pair in pairs) / half)
    least.append(1 / max(load.values()))
print("%.6f %.6f %.6f %.6f" % (*summary(effective), *summary(least)))
