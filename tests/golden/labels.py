# SPDX-License-Identifier: BSD-2-Clause
"""labels.py HEDDLE FOLDER: prints what commands write to the left of a value, above a column or above a section, taken from
what they print on small networks in FOLDER; one label per line."""
import os
import re
import subprocess
import sys

HEDDLE, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
WIDE = {**os.environ, "COLUMNS": "400"}
FIELD = re.compile(r"([A-Za-z][A-Za-z0-9 /-]*?)(?:  +\S|$)")
SPLIT = ["--fail", "links=6"]


def lines(*args):
    done = subprocess.run([HEDDLE, *args, "-q"], stdout=subprocess.PIPE, cwd=FOLDER, env=WIDE, check=False, text=True)
    if done.returncode > 1:
        raise SystemExit(f"{' '.join(args)}: exit status {done.returncode}")
    return done.stdout.splitlines()


def fields(*args):
    """Lines 'label  value' before the first empty one, and the heads of tables after it."""
    text = lines(*args)
    end = text.index("") if "" in text else len(text)
    yield from (m.group(1) for m in map(FIELD.match, text[:end]) if m and "  " in m.string)
    for line in text[end:]:
        if line.startswith("level  "):
            yield from line.split()
        if args[0] == "topo" and re.match("  [a-z]", line):
            yield line.split()[0]


def heads(first, *args):
    """Titles of the columns of the table whose first column is called so."""
    found = [line for line in lines(*args) if line.startswith(first + "  ")]
    if not found:
        raise SystemExit(f"{' '.join(args)}: no table with a column {first}")
    yield from re.split("  +", found[0].strip())


def sections(*args):
    """Of a report: titles of sections, what is left of the facts, the checks and the failures, and titles of columns."""
    section = ""
    for line in lines(*args):
        if re.match("[A-Z][a-z]", line):
            section = re.split(r" \(|,", line)[0]
            yield section
        elif section == "Checks" and re.match("  (PASS|WARN|FAIL)  [^ ]", line):
            yield from re.split("  +", line.strip())[:2]
        elif section in ("Fabric", "What if") and re.match("  [^ ].*  ", line):
            yield re.split("  +", line.strip())[0]
        elif line.startswith("  table  "):
            yield from line.split()


def labels():
    subprocess.run([HEDDLE, "route", "ft:m=4,n=2", "minhop", "-o", "t.lft", "-q"], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([HEDDLE, "topo", "ft:m=4,n=2", "-o", "ft.ibnet"], cwd=FOLDER, check=True)
    with open(os.path.join(FOLDER, "jobs"), "w", encoding="utf-8") as jobs:
        jobs.write("1 node-0000[1,3]\n2 node-0000[0,2,5]\n")
    for net in ("ft:m=4,n=2", "torus:dims=3x3,hosts=1", "random:switches=5,ports=8,hosts=3,seed=1", "dragonfly:p=1,a=2,h=1"):
        yield from fields("topo", net)
    yield from fields("topo", "ft:m=8,n=2", "--fail", "links=2")
    yield from fields("check", "ft:m=4,n=2", "minhop", "--timing", *SPLIT)
    yield from fields("check", "ft.ibnet", "ar_ftree")
    yield from fields("route", "ft:m=4,n=2", "minhop")
    yield from fields("route", "ft:m=4,n=2", "minhop", "--keep", "minhop", "--fail", "links=1")
    yield from fields("diff", "ft:m=4,n=2", "minhop", "dmodk")
    yield from fields("transition", "torus:dims=6,hosts=1", "minhop", "updown")
    yield from fields("transition", "ft:m=4,n=2", "dmodk", "--without", "switch=L2-0004")
    yield from heads("net", "eval", "ft:m=4,n=2", "minhop", "-n", "5", "--timing")
    yield from heads("net", "sim", "ft:m=4,n=2", "minhop", "-n", "2", "--size", "4KiB")
    yield from heads("pattern", "order", "ft:m=4,n=2")
    yield from heads("job", "order", "ft:m=4,n=2", "--nodes", "node-0000[4,6]", "--with", "jobs")
    yield from heads("order", "order", "ft:m=4,n=2", "--nodes", "node-0000[0-5]", "--mesh", "pp=3,dp=2")
    yield from sections("advise", "ft:m=4,n=2", "t.lft")
    yield from sections("advise", "rail:rails=2,units=2,leaves=1,hosts=2,spines=2,uplinks=2", "--fail", "links=2")
    yield from sections("advise", "ft:m=4,n=2", *SPLIT)


print(*sorted(set(labels())), sep="\n")
