#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Help for everything a user can type: every row of the registry says what it means, where it comes from, what its
# parameters are, and names a command that works as it stands.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

PATH=$HEDDLE_BUILD:$PATH
"$heddle" list --json >"$tmp/all.json"
# One line a name: kind, name, length of the text, source, command; blanks stay inside fields.
python3 - "$tmp/all.json" >"$tmp/rows" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
for kind, rows in doc.items():
    for r in rows if kind != "schema" else []:
        text = r["text"] or ""
        print(kind, r["name"], len(text) if text != r["summary"] else 0, r["source"] or "-", r["try"], sep="\t")
PY
check "there are names of eight kinds" sh -c "[ \$(cut -f1 '$tmp/rows' | sort -u | wc -l) -ge 8 ]"

# These are plain enough to have no source.
plain=" engine:random pattern:alltoall pattern:file metric:maxload metric:hops selector:ar chart:* "
mkdir "$tmp/try"
while IFS=$'\t' read -r kind name length source try; do
    "$heddle" help "$name" >"$tmp/help" 2>&1
    if [ "$length" -ge 20 ]; then pass "$kind $name: the meaning beyond the summary"; else fail "$kind $name: the meaning beyond the summary" "text of $length characters"; fi
    case $plain in
    *" $kind:$name "* | *" $kind:* "*) same "$kind $name is its own source" "-" "$source" ;;
    *) check "$kind $name names its source" test "$source" != "-" ;;
    esac
    check "help $name shows the command to try" grep -qxF "  $try" "$tmp/help"
    case $kind in
    # tests/golden/paper.sh runs all of them
    paper) same "$kind $name: the command" "heddle paper $name" "$try" ;;
    *) check "$kind $name: the command works: $try" sh -c "cd '$tmp/try' && $try" ;;
    esac
    "$heddle" help --format man "$name" >"$tmp/page"
    same "$kind $name: its manual page is clean" "" "$(mandoc -Tlint -W warning <"$tmp/page")"
done <"$tmp/rows"

check "help shows every parameter with its default, in text and manual" python3 - "$heddle" "$tmp/all.json" <<'PY'
import json, subprocess, sys
doc = json.load(open(sys.argv[2]))
run = lambda *a: subprocess.run([sys.argv[1], "help", *a], capture_output=True, text=True, check=True).stdout
for kind, rows in doc.items():
    for r in rows if kind != "schema" else []:
        text, man = run(r["name"]), run("--format", "man", r["name"]).replace("\\-", "-")
        for p in r["params"]:
            line = next(l for l in text.split("\n") if l.startswith("  " + p["name"] + " ") and p["doc"] in l)
            assert not p["default"] or "default " + p["default"] in line, (r["name"], line)
            assert p["doc"] in man and (not p["default"] or "(default " + p["default"] + ")" in man), (r["name"], p)
PY

# Examples of commands run where the files they name are: a fabric, tables of it, a list of hosts.
cp examples/fabric.ibnet "$tmp/try/fabric.ibnet"
cp examples/fabric.ibnet "$tmp/try/fabric.ibnetdiscover"
gzip -c examples/fabric.ibnet >"$tmp/try/fabric.ibnetdiscover.gz"
"$heddle" route examples/fabric.ibnet minhop -o "$tmp/try/fabric.lft" >/dev/null
cp "$tmp/try/fabric.lft" "$tmp/try/opensm-lfts.dump"
"$heddle" topo examples/fabric.ibnet --format ptp -o "$tmp/try/plan.csv"
printf 'gpu%03d\n' $(seq 1 64) >"$tmp/try/hosts"
printf 'spine%d\n' 1 2 3 4 5 6 >"$tmp/try/roots.txt"
mkdir "$tmp/try/captures"
cp examples/fabric.ibnet "$tmp/try/captures/monday.ibnet"
"$heddle" topo examples/fabric.ibnet --fail links=1 --quiet --format ibnet -o "$tmp/try/captures/tuesday.ibnet" >/dev/null
python3 tests/golden/explain.py examples/fabric.ibnet perfquery-x "$tmp/try/perf1.txt"
python3 tests/golden/explain.py examples/fabric.ibnet perfquery-x "$tmp/try/perf2.txt" leaf18:13:PortXmitWait=195312500
printf '4711 gpu[001-016] ring\n4712 gpu[017-064]\n' >"$tmp/try/jobs.txt"
"$heddle" route examples/fabric.ibnet ar_updn --format far -o "$tmp/try/far" -q >/dev/null
for when in before after; do
    python3 tests/golden/ibdiag.py examples/fabric.ibnet "$tmp/try/$when" 0
    cp "$tmp/try/far" "$tmp/try/$when/ibdiagnet2.far"
    python3 tests/golden/explain.py examples/fabric.ibnet csv "$tmp/counters" --time "2026-01-01 00:0$((${#when} < 6)):00 UTC +0000"
    cat "$tmp/counters" >>"$tmp/try/$when/ibdiagnet2.db_csv"
done
"$heddle" help --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["command"]:
    for e in c["examples"] or ["-"]: print(c["name"], e, sep="\t")' >"$tmp/examples"
while IFS=$'\t' read -r command example; do
    case $example in
    -) same "$command has examples" version "$command" ;;
    *paper* | mpirun*) check "example: $example" grep -q "heddle\(-mpi\)\? $command" <<<"$example" ;; # paper.sh and order.sh run them
    *lanes=1) check "example that finds a deadlock: $example" sh -c "cd '$tmp/try' && $example; [ \$? = 1 ]" ;;
    "heddle diff ft:"*) check "example that finds differences: $example" sh -c "cd '$tmp/try' && $example; [ \$? = 1 ]" ;;
    "heddle diff "*) check "example, with differences or without: $example" sh -c "cd '$tmp/try' && $example; [ \$? -le 1 ]" ;;
    *) check "example: $example" sh -c "cd '$tmp/try' && $example" ;;
    esac
done <"$tmp/examples"

for row in random:topology,engine,selector file:engine,pattern; do
    same "help ${row%:*} explains every kind of that name" "${row#*:}" "$("$heddle" help "${row%:*}" | sed -n "s/^\([a-z]*\) ${row%:*}: .*/\1/p" | paste -sd,)"
done
same "help of a spec is help of its name" "$("$heddle" help pgft)" "$("$heddle" help pgft:m=4x4,w=1x4)"
same "help of a kind lists it" "$("$heddle" list engine)" "$("$heddle" help engine)"
exits "a name mistyped" 2 "unknown name 'dmodkk', did you mean 'dmodk'" "$heddle" help dmodkk
exits "a manual page of nothing" 2 "unknown name 'xyzzy'" "$heddle" help --format man xyzzy
exits "a reference of one name" 2 "covers everything" "$heddle" help --format markdown dmodk
exits "two formats at once" 2 "json and --format exclude each other" "$heddle" help dmodk --json --format man
check "help --json is JSON for a name, a command and everything" sh -c "for n in dmodk topo ''; do '$heddle' help \$n --json | python3 -m json.tool || exit 1; done"
check "version --json" sh -c "'$heddle' version --json | python3 -c 'import json,sys; assert json.load(sys.stdin)[\"version\"]'"
finish
