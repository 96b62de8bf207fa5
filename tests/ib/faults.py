# SPDX-License-Identifier: BSD-2-Clause
"""faults.py FOLDER: the tables that build/tests/prop/prop_faults left in FOLDER (HEDDLE_FAULT_FILES), judged by ibdmchk
of ibutils. ibdmchk refuses a fabric in several parts, so every part is judged as a fabric of its own, and pairs of hosts
in different parts count as pairs without a path. Where a path is missing it does not look for credit loops. Prints a line
per table that is judged differently, then the sums."""
import os
import re
import subprocess
import sys

END = re.compile(r"\{ (SW|CA) .*?NodeGUID:(\w+) .*? LID:(\w+) ")


def parts(folder, name):
    """Each part of the fabric: the GUIDs of its nodes, how many are hosts, and its lines of the subnet file."""
    part, hosts, links = {}, set(), []
    for line in open(f"{folder}/{name}.subnet"):
        (kind, a, _), (other_kind, b, _) = END.findall(line)
        hosts.update(guid for k, guid in ((kind, a), (other_kind, b)) if k == "CA")
        links.append((a, line))
        for guid in a, b:
            part.setdefault(guid, {guid})
        if part[a] is not part[b]:
            part[a] |= part[b]
            for guid in part[b]:
                part[guid] = part[a]
    for nodes in {id(p): p for p in part.values()}.values():
        yield nodes, len(nodes & hosts), [line for guid, line in links if guid in nodes]


def sections(path, nodes):
    """The lines of a forwarding table file that are of these switches."""
    keep = False
    for line in open(path):
        if line.startswith("dump_ucast_routes"):
            keep = line.split()[-1][2:].upper() in {n.upper() for n in nodes}
        if keep:
            yield line


def of_nodes(path, nodes):
    """The lines of a file of service levels or VLs that are about these nodes."""
    known = {int(n, 16) for n in nodes}
    return (line for line in open(path) if int(line.split()[0], 16) in known)


def judge(folder, name, lanes, hops, nodes, links):
    """What ibdmchk says of one part: pairs scanned, pairs without a path, credit loop; None where it says nothing."""
    files = {"subnet": links, "fdbs": sections(f"{folder}/{name}.fdbs", nodes), "mcfdbs": []}
    if lanes:
        files["psl"] = of_nodes(f"{folder}/{name}.psl", nodes)
    if hops:
        files["slvl"] = of_nodes(f"{folder}/{name}.slvl", nodes)
    for kind, lines in files.items():
        with open(f"{folder}/part.{kind}", "w") as out:
            out.writelines(lines)
    command = ["ibdmchk", "-s", "part.subnet", "-f", "part.fdbs", "-m", "part.mcfdbs"]
    command += ["-c", "part.psl"] if lanes else []
    command += ["-d", "part.slvl"] if hops else []
    # Its exit status means nothing, since it ends in a crash.
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                          env={**os.environ, "LC_ALL": "C"}).stdout
    with open(f"{folder}/{name}.said", "a") as out:
        out.write(said)
    scanned = re.search(r"Scanned:(\d+) CA to CA paths", said)
    missing = re.search(r"Found (\d+) missing paths out of:(\d+)", said)
    loop = True if "Found credit loop on" in said else False if "no credit loops found" in said else None
    if missing:
        return int(missing[2]), int(missing[1]), loop
    return (int(scanned[1]) if scanned else None), 0, loop


def main():
    folder = sys.argv[1]
    tables = parts_judged = pairs = lost = cyclic = pairs_only = differ = 0
    for line in open(f"{folder}/verdicts"):
        name, lanes, hops, all_pairs, missing, cycle = line.split()
        served, loop, odd, unsaid = 0, False, False, False
        for nodes, hosts, links in parts(folder, name):
            if hosts < 2:
                continue
            scanned, without, looped = judge(folder, name, lanes == "1", hops == "1", nodes, links)
            parts_judged += 1
            odd |= scanned != hosts * (hosts - 1) or (looped is None) != (without > 0)
            unsaid |= looped is None
            served += (scanned or 0) - without
            loop |= bool(looped)
        tables += 1
        pairs += int(all_pairs)
        lost += int(missing)
        cyclic += cycle == "1"
        pairs_only += unsaid
        if odd or served != int(all_pairs) - int(missing) or (loop != (cycle == "1") and not unsaid):
            differ += 1
            print(f"{name}: heddle {int(all_pairs) - int(missing)} of {all_pairs} pairs, credit loop {cycle}; "
                  f"ibdmchk {served}, {int(loop)}{', not all judged' if odd else ''}")
    sets = len({line.split("-")[0] for line in open(f"{folder}/verdicts")})
    print(f"{sets} fault sets, {tables} tables in {parts_judged} parts, {pairs} pairs, {lost} without a path, "
          f"{cyclic} tables with a credit loop, {pairs_only} not searched for one, {differ} judged differently")


main()
