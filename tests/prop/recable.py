# SPDX-License-Identifier: BSD-2-Clause
"""recable.py FILE EDIT...: an ibnetdiscover file with some cables in other ports, on standard output. An end of a cable
is NAME:PORT. "swap A B": the plugs in A and B change places; "move A B": the plug in A goes to B, which is free; "cut A":
the cable in A is gone; "add A B": a new cable between two free ports. LIDs are left out."""
import re
import sys

node, called = {}, {}
heading = []
for line in open(sys.argv[1]):
    head = re.match(r'(Switch|Ca)\s+(\d+) "([^"]+)"\s+# "([^"]*)"', line)
    port = re.match(r'\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([^"]+)"\[(\d+)\].* (\S+)$', line)
    if head:
        here = node[head[3]] = {"kind": head[1], "ports": int(head[2]), "name": head[4], "to": {}, "guid": {}, "before": heading}
        called[head[4]], heading = head[3], []
    elif port:
        here["to"][int(port[1])] = port[3], int(port[4])
        here["guid"][int(port[1])], here["rate"] = port[2], port[5]
    elif "=" in line:
        heading.append(line)


def end(text):
    name, port = text.rsplit(":", 1)
    return called[name], int(port)


def unplug(a):
    b = node[a[0]]["to"].pop(a[1])
    del node[b[0]]["to"][b[1]]
    return b


def plug(a, b):
    assert a[1] not in node[a[0]]["to"] and b[1] not in node[b[0]]["to"], (a, b)
    node[a[0]]["to"][a[1]], node[b[0]]["to"][b[1]] = b, a


for edit in sys.argv[2:]:
    verb, *ends = edit.split()
    a = end(ends[0])
    if verb == "swap":
        b = end(ends[1])
        x, y = unplug(a), unplug(b)
        plug(a, y), plug(b, x)
    elif verb == "move":
        plug(end(ends[1]), unplug(a))
    elif verb == "add":
        plug(a, end(ends[1]))
    else:
        unplug(a)
for key, n in node.items():
    print("".join(n["before"]) + '%s\t%d "%s"\t# "%s"' % (n["kind"], n["ports"], key, n["name"]) +
          (" base port 0 lid 0 lmc 0" if n["kind"] == "Switch" else ""))
    for port, (other, far) in sorted(n["to"].items()):
        guid = node[other]["guid"].get(far)
        if n["kind"] == "Switch":
            print('[%d]\t"%s"[%d]%s\t# "%s" lid 0 %s' % (port, other, far, "(%s)" % guid if guid else "", node[other]["name"], n["rate"]))
        else:
            print('[%d](%s)\t"%s"[%d]\t# lid 0 lmc 0 "%s" lid 0 %s' % (port, n["guid"][port], other, far, node[other]["name"], n["rate"]))
    print()
