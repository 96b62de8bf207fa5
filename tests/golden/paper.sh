#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The papers, recomputed the quick way: nothing misses that is not known to, the same bytes on any number of
# threads, and docs/results.md still shows what comes out.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# Sanitizers slow the large networks down tenfold: there the items that take below a second must do.
names=
case $HEDDLE_BUILD in *san*) names="nienaber2009-table1 nienaber2009-bounds hoefler2009-fig2 hoefler2009-fig6 hoefler2009-fig8 yuan2009-bounds 004" ;; esac

check "no unexpected miss" sh -c "'$heddle' paper $names --json --threads 1 >'$tmp/one.json'"
check "no unexpected miss on two threads" sh -c "'$heddle' paper $names --json --threads 2 >'$tmp/two.json'"
check "two threads print the same bytes" cmp "$tmp/one.json" "$tmp/two.json"
check "rows are what the interface says" python3 - "$tmp/one.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
assert doc["schema"] == 1
for r in doc["rows"]:
    for key in "paper", "item", "case", "quantity", "published", "ours", "tolerance", "ok", "known": assert key in r, (key, r)
    assert isinstance(r["ok"], bool) and (r["known"] is None or len(r["known"]) > 20), r
    assert r["ok"] or r["known"], r
    if r["published"] is not None and r["relation"] == "=":
        inside = abs(r["ours"] - r["published"]) <= r["tolerance"] * abs(r["published"]) + 1e-6
        assert inside == r["ok"], r
n = len(doc["rows"])
assert n >= 150, n
sides = ("papers", "own")
for key in "ok", "known", "unexpected", "shown": assert doc[key] == sum(doc[side][key] for side in sides), key
assert n == doc["ok"] + doc["known"] + doc["unexpected"] + doc["shown"]
assert doc["shown"] == sum(r["published"] is None for r in doc["rows"])
assert sum(doc["own"].values()) == sum(r["paper"] == "own" for r in doc["rows"])
assert len({(r["paper"], r["item"], r["case"], r["quantity"]) for r in doc["rows"]}) == n, "a row stands twice"
t1 = [r for r in doc["rows"] if r["paper"] == "000" and r["item"] == "table1"]
assert len(t1) == 45 and all(r["ok"] and r["tolerance"] == 0 for r in t1)
PY
if [ -z "$names" ]; then
    check "published figures are those of the tables" python3 - "$tmp/one.json" tests/data/papers <<'PY'
import csv, json, sys
rows = {(r["paper"], r["item"], r["case"], r["quantity"]): r["published"] for r in json.load(open(sys.argv[1]))["rows"]}
def table(name): return csv.DictReader(l for l in open(f"{sys.argv[2]}/{name}.csv") if not l.startswith("#"))
for t in table("000_table1"):
    net = "T(%(n)s+%(m)s,%(r)s)" % t
    assert rows["000", "table1", net + " opt:balance=none", "worst"] == int(t["opt"]), t
    assert rows["000", "table1", net + " dmodk", "worst"] == int(t["dmodk"]), t
cells = 0
for t in table("000_table2"):
    net = "T(%(n)s+%(m)s,%(r)s)" % t
    for q in "abb", "afpb", "adb":
        for routing in "opt", "dmodk":
            case = net + " " + ("opt:balance=published" if routing == "opt" and t["enhanced"] == "1" else routing)
            assert rows["000", "table2", case, q.upper()] == float(t[q + "_" + routing]), (t, q, routing)
            cells += 1
assert cells == 90
for t in table("004_table3"):
    case = "%s, %s of %s" % ({"shift": "shift", "recdbl": "recdbl-tree"}[t["cps"]], t["used"], t["endports"])
    assert rows["004", "table3", case, "average HSD, random orders"] == float(t["rand_avg_hsd"]), t
PY
fi

# docs/results.md is a full run: rows of the quick run must be in it, those that draw no samples as they are.
check "docs/results.md shows these rows (make results)" python3 - "$tmp/one.json" docs/results.md <<'PY'
import json, sys
def number(x):
    return "-" if x is None else "%.0f" % x if x == int(x) else "%.*f" % (3 if abs(x) < 10 else 2, x)
shown, item = {}, None
for line in open(sys.argv[2]):
    if line.startswith("### "): item = line[4:].strip()
    cell = [c.strip() for c in line.strip().strip("|").split("|")]
    if item and line.startswith("|") and len(cell) == 7: shown[item, cell[0], cell[1]] = cell
authors = {"000": "nienaber2009", "001": "geoffray2008", "002": "hoefler2009", "003": "yuan2009", "004": "zahavi2010"}
exact = {"nienaber2009-table1", "nienaber2009-bounds", "yuan2009-table1", "yuan2009-bounds", "yuan2009-properties", "yuan2009-lemmas", "yuan2009-mlid",
         "zahavi2010-fig4", "zahavi2010-fig5", "zahavi2010-fig6", "zahavi2010-table1", "zahavi2010-table2", "zahavi2010-theorems", "own-balance", "own-degraded", "own-covers"}
against_ours = {"zahavi2010-fig2", "own-opensm"}  # the reference is sampled or measured too
for r in json.load(open(sys.argv[1]))["rows"]:
    name = authors.get(r["paper"], r["paper"]) + "-" + r["item"]
    cell = shown.get((name, r["case"], r["quantity"]))
    assert cell, (name, r["case"], r["quantity"], "is not there")
    if name not in against_ours: assert cell[2].split()[-1] == number(r["published"]), (r, cell)
    if name in exact: assert cell[3] == number(r["ours"]), (r, cell)
assert "MISS" not in {c[6].split()[0] for c in shown.values()}
# The summary counts what the tables have, the papers' rows apart from our own; rows without a figure are neither.
count, total = {}, {}
for (name, _, _), cell in shown.items():
    if cell[0] == "case" or cell[0] == "---": continue
    at = ["ok", "known", "MISS", "-"].index(cell[6].split()[0])
    for where, key in (count, name), (total, "all claims of heddle itself" if name.startswith("own-") else "all papers"):
        where.setdefault(key, [0] * 4)[at] += 1
for line in open(sys.argv[2]):
    if line.startswith("### "): break
    cell = [c.strip() for c in line.strip().strip("|").split("|")]
    if len(cell) == 6 and cell[2].isdigit():
        name = cell[0][1:].split("]")[0] if cell[0].startswith("[") else cell[0]
        assert [int(c) for c in cell[2:]] == (count.pop(name, None) or total.pop(name, None)), line
assert not count and not total, (count, total)
PY

exits "unknown name" 3 "did you mean 'nienaber2009-table1'" "$heddle" paper nienaber2009-tabel1
exits "unknown number" 3 "did you mean '000-table1'" "$heddle" paper 000-tabel1
exits "unknown paper" 3 "not in any paper" "$heddle" paper 999
exits "unknown format" 2 "expected markdown" "$heddle" paper --format html
check "a paper by author and year" sh -c "'$heddle' paper zahavi2010 --threads 1 | grep -q '^zahavi2010-table3: '"
same "an item by its number and by its name" "$("$heddle" paper 003-table1)" "$("$heddle" paper yuan2009-table1)"
check "a paper by its number" sh -c "'$heddle' paper 004 --threads 1 | grep -q '^zahavi2010-table3: '"
check "every item is listed" sh -c "[ \$('$heddle' list paper | wc -l) -ge 20 ]"
finish
