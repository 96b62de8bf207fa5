#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle design as users see it: counts are those of the fabrics, figures those of the commands printed with them.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
PATH=$HEDDLE_BUILD:$PATH
"$heddle" design --endpoints 72 --radix 12 --rails 4 --threads 1 --json -o "$tmp/chart.svg" >"$tmp/design.json"

check "every row is a fabric of the counts it says, and no switch has more ports" python3 - "$heddle" "$tmp/design.json" <<'PY'
import json, subprocess, sys
rows = json.load(open(sys.argv[2]))["rows"]
assert len(rows) >= 12, len(rows)
for r in rows:
    t = json.loads(subprocess.run([sys.argv[1], "topo", r["spec"], "--threads", "1", "--json"], capture_output=True, check=True).stdout)
    assert r["endpoints"] >= 72, r
    for key in "endpoints", "switches", "cables", "switch_cables":
        assert t[key] == r[key], (r["spec"], key, t[key], r[key])
    assert max(t["ports_per_level"] or [0]) <= 12, (r["spec"], t["ports_per_level"])
    assert r["copper"] + r["optical"] == r["cables"] and r["optics"] == 2 * r["optical"], r
    assert r["grows_to"] >= r["endpoints"], r
PY
check "the commands print the figures of the rows" python3 - "$tmp/design.json" <<'PY'
import json, subprocess, sys
rows = json.load(open(sys.argv[1]))["rows"]
for r in rows:
    for key, command in r["commands"].items():
        assert command or r[key] is None, (r["spec"], key)
        if not command: continue
        run = subprocess.run(command + " --threads 1 --json", shell=True, capture_output=True, text=True, check=True)
        row = json.loads(run.stdout)["rows"][0]
        assert row["value"] == r[key], (command, row["value"], r[key])
PY
check "every family is there, sorted by cost, and the Pareto front is what it should be" python3 - "$tmp/design.json" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
names = " ".join(r["family"] for r in rows)
for word in "2-level", "3-level", "dragonfly+", "HyperX", "Slim Fly", "torus", "rail-optimised", "planes":
    assert word in names, word
assert [r["cost"] for r in rows] == sorted(r["cost"] for r in rows)
for r in rows:
    better = any(o["ebb"] >= r["ebb"] and o["cost"] < r["cost"] or o["ebb"] > r["ebb"] and o["cost"] == r["cost"] for o in rows)
    assert not (r["pareto"] and better), r["spec"]
    assert r["pareto"] or better or any(o["pareto"] and (o["cost"], o["ebb"]) == (r["cost"], r["ebb"]) for o in rows), r["spec"]
PY
same "the same bytes on one thread and on two" "$("$heddle" design --endpoints 40 --radix 12 --threads 1 | md5sum)" \
    "$("$heddle" design --endpoints 40 --radix 12 --threads 2 | md5sum)"

# The cost by hand: 24 switches of 16 ports, 128 cables of endpoints, 128 between switches.
printf 'switch_port 10\nswitch_port_watts 1\ncopper 3\ncopper_metre 0\ncopper_watts 0\noptic 5\noptic_watts 2 # each\nfibre 1\nfibre_metre 0\ncurrency EUR\n' >"$tmp/prices"
"$heddle" design --endpoints 128 --radix 16 --prices "$tmp/prices" --threads 1 --csv >"$tmp/design.csv"
same "cost and power are those of the price file" "5632,896" "$(awk -F, '$2 ~ /^"?xgft:m=8x16/ || $0 ~ /^2-level tree 1:1,/' "$tmp/design.csv" | python3 -c '
import csv, sys
r = next(csv.reader(sys.stdin)); print(r[13] + "," + r[12])')"
same "CSV has a row per design and a head" "$("$heddle" design --endpoints 128 --radix 16 --threads 1 --json | grep -c '"spec"')" "$(tail -n +2 "$tmp/design.csv" | wc -l)"
check "with a rack plan there are lengths" sh -c "'$heddle' design --endpoints 64 --radix 16 --threads 1 --racks endpoints=8,row=4 | grep -q ' km '"
check "the picture is well-formed" xmllint --noout "$tmp/chart.svg"
same "and has its colours in attributes, none in variables" "0" "$(grep -c 'var(' "$tmp/chart.svg")"
check "and serves a dark ground" grep -q 'prefers-color-scheme:dark' "$tmp/chart.svg"

# Sizes at the lower end: after the loss of a switch, or in one plane, there may be a single endpoint.
same "a loss that leaves one endpoint has no figure" "2 - 0" "$("$heddle" design --endpoints 2 --radix 4 --threads 1 >"$tmp/two"
    awk '/HyperX/ && NF > 9 { print $5, $(NF - 1) }' "$tmp/two") $(grep -c 'Too much work' "$tmp/two")"
for key in switch_port copper copper_metre optic fibre fibre_metre; do echo $key 0; done >"$tmp/prices"
check "at the same cost those without a figure come last" sh -c "'$heddle' design --endpoints 3 --radix 4 --rails 3 --threads 1 \
    --prices '$tmp/prices' --json | python3 -c '
import json, sys
ebb = [r[\"ebb\"] for r in json.load(sys.stdin)[\"rows\"]]
assert None in ebb and ebb == sorted(ebb, key=lambda e: -1 if e is None else e, reverse=True), ebb'"
# Costs that differ by rounding alone make one tick of the axis, not steps that are lost in the sum.
for key in switch_port copper_metre copper_watts optic optic_watts fibre_metre; do echo $key 0; done >"$tmp/prices"
printf 'copper 1\nfibre 3e-16\n' >>"$tmp/prices"
check "a picture of costs that are all but equal" bash -c "ulimit -f 2000; '$heddle' design --endpoints 4 --radix 4 --threads 1 \
    --prices '$tmp/prices' -o '$tmp/equal.svg' >/dev/null && xmllint --noout '$tmp/equal.svg'"

check "a picture of designs that cost nothing" sh -c "sed 's/^copper 1\$/copper 0/; s/3e-16/0/' '$tmp/prices' >'$tmp/free'
    '$heddle' design --endpoints 4 --radix 4 --threads 1 --prices '$tmp/free' -o '$tmp/free.svg' >/dev/null && xmllint --noout '$tmp/free.svg' && grep -q circle '$tmp/free.svg'"
# No design fits: an answer, the same in every form.
for form in '' --json --csv "-o $tmp/none.svg" '-o -' "--csv -o $tmp/none.svg"; do
    exits "no design fits, ${form:-text}" 0 '^heddle: design: no design has 64 endpoints with switches of 4 ports$' \
        "$heddle" design --endpoints 64 --radix 4 --threads 1 $form
done
check "the text says so" grep -q '^No design has 64 endpoints with switches of 4 ports\.$' <("$heddle" design --endpoints 64 --radix 4 2>/dev/null)
same "and has no empty table" 0 "$("$heddle" design --endpoints 64 --radix 4 2>/dev/null | grep -c 'EBB\|Specs')"
same "JSON has no row and says why" "0 No design has 64 endpoints with switches of 4 ports." "$("$heddle" design --endpoints 64 --radix 4 --json 2>/dev/null |
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(len(d["rows"]), d["notes"][0])')"
check "the picture says so" grep -q 'No design has this many endpoints' "$tmp/none.svg"
check "and is well-formed" xmllint --noout "$tmp/none.svg"

exits "endpoints are required" 2 "expected --endpoints N --radix R" "$heddle" design --radix 16
exits "no arguments, only options" 2 "design: expected options only, got 1 argument" "$heddle" design 64 --radix 16
exits "a price that does not exist" 3 "prices.bad:1: unknown price 'optics', did you mean 'optic'" \
    sh -c "echo 'optics 5' >$tmp/prices.bad; exec '$heddle' design --endpoints 64 --radix 16 --prices $tmp/prices.bad"
exits "a price that is no number" 3 "prices.bad:2: optic five: expected a number" \
    sh -c "printf 'fibre 1\noptic five\n' >$tmp/prices.bad; exec '$heddle' design --endpoints 64 --radix 16 --prices $tmp/prices.bad"
exits "a currency that a terminal would obey" 3 "prices.bad:1: currency: expected no control characters" \
    sh -c "printf 'currency \033[31m\n' >$tmp/prices.bad; exec '$heddle' design --endpoints 64 --radix 16 --prices $tmp/prices.bad"
exits "a rack plan with an unknown key" 3 "racks" "$heddle" design --endpoints 64 --radix 16 --racks hosts=3
exits "JSON and CSV" 2 "exclude each other" "$heddle" design --endpoints 64 --radix 16 --json --csv
for planes in "xgft:m=4x4,w=1x2,planes=3" "ft:m=4,n=2,planes=2"; do
    "$heddle" topo "$planes" --json >"$tmp/planes.json"
    same "$planes: parts and rails" "${planes##*=} ${planes##*=}" "$(python3 -c 'import json,sys; t=json.load(open(sys.argv[1])); print(t["parts"], t["rails"])' "$tmp/planes.json")"
    check "$planes: a plane is routed" "$heddle" check "$planes" dmodk --part 1
done
same "a plane measures as its tree does" "$("$heddle" eval xgft:m=4x4,w=1x2 dmodk -n 100 --json | grep '"value"')" \
    "$("$heddle" eval xgft:m=4x4,w=1x2,planes=3 dmodk -n 100 --part 1 --json | grep '"value"')"
exits "planes of a part" 3 "partial and planes exclude each other" "$heddle" topo ft:m=4,n=2,planes=2,partial=leaves:1
finish
