# SPDX-License-Identifier: BSD-2-Clause
"""walk.py NET.json TABLE N: for N pairs of endpoints the LIDs, and the way through the table as
"port>GUID" of every hop (a port is where the packet leaves). Of several LIDs of a destination each has its turn. Shares nothing with heddle's own walk."""
import json
import re
import sys

net = json.load(open(sys.argv[1]))
guid = {n["id"]: n["guid"] for n in net["nodes"]}
kind = {n["id"]: n["kind"] for n in net["nodes"]}
next_of = {}
for link in net["links"]:
    a, b = (link["source"], link["source_port"]), (link["target"], link["target_port"])
    next_of[a], next_of[b] = b, a
lft, lid_of, sw = {}, {}, None
for line in open(sys.argv[2]):
    if m := re.search(r"Unicast lids.* guid 0x([0-9a-f]+)", line):
        sw = int(m[1], 16)
    elif m := re.match(r"0x([0-9a-f]+) (\d+)(?:.*portguid 0x([0-9a-f]+))?", line):
        lft[sw, int(m[1], 16)] = int(m[2])
        if m[3]:
            lids = lid_of.setdefault(int(m[3], 16), [])
            if int(m[1], 16) not in lids:
                lids.append(int(m[1], 16))


def number(text):
    return int(text, 16)


ends = [i for i in guid if kind[i] != "switch"]
n = int(sys.argv[3])
for k in range(n):
    s, d = ends[k * len(ends) // n], ends[(len(ends) - 1 - k * len(ends) // n) if k % 2 else (k * 7 + len(ends) // 2) % len(ends)]
    if s == d:
        continue
    port = next(p for (i, p) in next_of if i == s)
    lids = lid_of[number(guid[d])]
    dlid, at, way = lids[k % len(lids)], s, []
    while True:
        at, _ = next_of[at, port]
        way.append(f"{port}>{number(guid[at]):016x}")
        if at == d:
            break
        port = lft[number(guid[at]), dlid]
    print(lid_of[number(guid[s])][0], dlid, " ".join(way))
