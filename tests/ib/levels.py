# SPDX-License-Identifier: BSD-2-Clause
"""levels.py NET.json SEED KIND PSL SL2VL: service levels of pairs and lanes of levels at ports, at random, as a PSL
file and as OpenSM's opensm-sl2vl.dump. KIND is pair (level = lane) or hop (lanes differ from port to port)."""
import json
import random
import sys

net = json.load(open(sys.argv[1]))
rng = random.Random(int(sys.argv[2]))
kind = sys.argv[3]
ends = [n for n in net["nodes"] if n["kind"] != "switch"]
ports = {}
for link in net["links"]:
    for end in "source", "target":
        ports.setdefault(link[end], []).append(link[end + "_port"])
levels = 2 + int(sys.argv[2]) % 7
lean = rng.random()  # how often a pair does what the others do
with open(sys.argv[4], "w") as f:
    for s in ends:
        for lid, d in enumerate(ends, 1):
            if s is not d:
                level = (lid * levels // (len(ends) + 1)) if rng.random() < lean else rng.randrange(levels)
                f.write("0x%016x %d %d\n" % (int(s["guid"], 16) - 1, lid, level))
with open(sys.argv[5], "w") as f:
    for n in net["nodes"]:
        if n["kind"] != "switch":
            continue
        f.write('Switch %s, base LID 1, "x"\n#in out : 0 1 2\n' % n["guid"])
        for i in [0] + sorted(ports[n["id"]]):
            for o in sorted(ports[n["id"]]):
                turn = rng.randrange(2) if rng.random() < 0.3 else 0
                lanes = [(sl + turn) % 8 if kind == "hop" else sl % 8 for sl in range(16)]
                f.write("%d   %d   : %s\n" % (i, o, "  ".join(map(str, lanes))))
