#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/pair-covers.csv has what the search finds today, on the sizes that take little time, and docs/pair-covers.md
# counts what it has.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

"$HEDDLE_BUILD/tests/unit/test_pair_cover" 14 >"$tmp/small.csv"
same "lines that the program prints" 197 "$(wc -l <"$tmp/small.csv")"
same "lines that docs/pair-covers.csv has otherwise" "" "$(grep -vxFf docs/pair-covers.csv "$tmp/small.csv")"
check "docs/pair-covers.md counts the file" python3 - <<'PY'
import csv, re
rows = [{k: int(v) for k, v in r.items()} for r in csv.DictReader(open("docs/pair-covers.csv"))]
text = " ".join(open("docs/pair-covers.md").read().split())
better = [r for r in rows if r["cover"] < r["grid"]]
assert all(max(r["least cover"], r["least routing"]) <= r["cover"] <= r["grid"] for r in rows)
assert f"{len(rows):,} sizes n, m ≤ 64" in text and f"{len(better)} covers are better than the grid" in text
assert f"{sum(r['cover'] == r['least cover'] for r in rows):,} have the least side" in text
least = [sum(r[k] == r["least routing"] for r in rows) for k in ("cover", "grid")]
assert "{:,} reach the bound of every routing (OPT: {:,})".format(*least) in text
for m, sizes, reach, n, grid, cover in re.findall(r"\| (\d+) \| ([\d–, ]+) \| (\d+ of \d+) \| n = (\d+): (\d+), (\d+) \|", text):
    mine = [r for r in better if r["m"] == int(m)]
    assert reach == "%d of %d" % (sum(r["cover"] == r["least routing"] for r in mine), len(mine)), m
    ends = [(int(a), int(b or a)) for a, b in re.findall(r"(\d+)(?:–(\d+))?", sizes)]
    assert [r["n"] for r in mine] == [x for a, b in ends for x in range(a, b + 1)], m
    assert {"n": int(n), "m": int(m), "grid": int(grid), "cover": int(cover)}.items() <= next(r for r in mine if r["n"] == int(n)).items()
PY
finish
