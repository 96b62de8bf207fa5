#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Output for people: it fits the terminal, every word of a table has help, formats follow from names, nothing that was
# given is dropped without a word.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# field PATH: a value of the JSON on standard input.
field() { python3 -c 'import functools, json, sys
print(functools.reduce(lambda v, k: v[int(k)] if isinstance(v, list) else v[k], sys.argv[1].split("."), json.load(sys.stdin)))' "$1"; }

# ---- every word of a table
"$heddle" advise examples/fabric.ibnet -q >"$tmp/advice"
words=$(COLUMNS=160 "$heddle" advise examples/fabric.ibnet -q | sed -n 's/^  table //p')
words="$words $("$heddle" eval ft:m=4,n=2 dmodk -n 5 | sed -n '1s/p5\|p95\|median\|net\|value\|max\|min\|note//gp')"
for word in $words VL switches slimmed rearrangeable cuts unserved 'idle cables' 'virtual lane' 'worst case' 'credit loop' AR LIDs 'service level' ci oversubscribed; do
    check "help $word" "$heddle" help "$word"
done
# What commands print beside and above their figures, taken from what they print.
mkdir "$tmp/labels"
python3 tests/golden/labels.py "$heddle" "$tmp/labels" >"$tmp/names"
same "labels are found" 0 $?
check "more than a hundred" test "$(wc -l <"$tmp/names")" -gt 100
while read -r label; do check "help '$label'" "$heddle" help "$label"; done <"$tmp/names"
same "help is that of the glossary" "$(grep -c '^- \*\*' docs/glossary.md)" \
    "$(sed -n 's/^- \*\*\([^*,(]*\).*/\1/p' docs/glossary.md | sed 's/ *$//' | while read -r word; do "$heddle" help "$word" >/dev/null && echo; done | wc -l)"
same "as JSON" "VL, virtual lane" "$("$heddle" help vl --json | field word.name)"
exits "a word that nobody knows" 2 "unknown name 'frobnicate'" "$heddle" help frobnicate

# ---- width
for columns in 60 80 120; do
    for command in "" "list" "eval examples/fabric.ibnet minhop ftree -n 20" "help eval" "topo ft:m=36,n=2 --fail links=2 -q" "check ft:m=4,n=2 minhop --fail links=6 -q"; do
        same "$columns columns: heddle $command" 0 "$(COLUMNS=$columns "$heddle" $command | grep -v '^  heddle\|^usage' | awk -v n=$columns 'length($0) > n' | wc -l)"
    done
done
check "columns that are left out are named" sh -c "COLUMNS=80 '$heddle' eval ft:m=4,n=2 dmodk -n 5 | grep -q '^Left out, lines are too short: .*median'"
check "a pipe without COLUMNS has them all" sh -c "'$heddle' eval ft:m=4,n=2 dmodk -n 5 | head -n 1 | grep -q 'median.*note'"

same "60 columns: a row per level" 2 "$(COLUMNS=60 "$heddle" topo ft:m=4,n=2 | grep -c '^ *[12] .*[1-]$')"
check "and the column that has no room is named" sh -c "COLUMNS=60 '$heddle' topo ft:m=4,n=2 | grep -q '^Left out, lines are too short: ports'"
check "a long line of topo goes on under its text" sh -c "COLUMNS=60 '$heddle' topo pgft:m=18x31,w=1x9,p=1x2 | grep -A1 '^RLFT  *no: ' | grep -q '^ \{17\}[a-z]'"
check "and stays one line where there is no width" sh -c "'$heddle' topo pgft:m=18x31,w=1x9,p=1x2 | grep '^RLFT ' | grep -q 'in all$'"
for columns in 60 80 100 160; do
    COLUMNS=$columns "$heddle" advise examples/fabric.ibnet -q >"$tmp/advice$columns"
    same "$columns columns: the legend explains the columns that are shown, and only those" "$(sed -n 's/^  table //p' "$tmp/advice$columns" | tr -s ' ' '\n' | grep -v '^$\|VLs' | sort | xargs)" \
        "$(sed -n '/^  EBB/,/^  do not apply/p' "$tmp/advice$columns" | grep -v 'do not apply' | xargs | sed 's/ Columns left out: [^.]*\.//' | grep -oE '\b(EBB|permutation|worst|load|ring|all-to-all|doubling|packets)[,:]' | tr -d ',:' | sort | xargs)"
done

# ---- formats by name, kinds in the plural, several metrics, CSV
for format in svg dot graphml json; do
    "$heddle" topo ft:m=4,n=2 -o "$tmp/x.$format"
    "$heddle" topo ft:m=4,n=2 --format $format -o "$tmp/y"
    check "topo -o x.$format" cmp "$tmp/x.$format" "$tmp/y"
done
for kind in engine pattern metric chart; do same "list ${kind}s" "$("$heddle" list $kind)" "$("$heddle" list ${kind}s)"; done
same "list topologies" "$("$heddle" list topology)" "$("$heddle" list topologies)"
"$heddle" eval ft:m=4,n=2 ft:m=8,n=2 dmodk minhop -m ebb -m efi -n 20 --csv >"$tmp/csv"
same "two networks, two metrics, two tables" "9 17" "$(python3 -c 'import csv, sys; r = list(csv.reader(open(sys.argv[1]))); print(len(r), *{len(x) for x in r})' "$tmp/csv")"
same "as each by itself" "$("$heddle" eval ft:m=8,n=2 dmodk minhop -m efi --csv | sed 1d | sort)" "$(grep '"ft:m=8,n=2".*,efi,' "$tmp/csv" | sort)"
exits "samples of two metrics" 2 "are of one metric, 2 were given" "$heddle" eval ft:m=4,n=2 dmodk -m ebb -m efi --samples -
exits "CSV and JSON" 2 "exclude each other" "$heddle" eval ft:m=4,n=2 dmodk --csv --json

# ---- nothing is dropped
exits "a second network" 2 "a picture is of one network, and 'ft:m=8,n=2' is another" "$heddle" plot bandwidth ft:m=4,n=2 ft:m=8,n=2 minhop -o "$tmp/no.svg"
exits "a third table" 2 "load draws at most two tables, 3 were given" "$heddle" plot load ft:m=4,n=2 minhop dmodk dmodc -o "$tmp/no.svg"
check "and no file is there" test ! -e "$tmp/no.svg"
check "a refusal names the network" sh -c "'$heddle' route torus:dims=6x6,hosts=1 dfsssp:maxlanes=1 -o '$tmp/t.lft' 2>&1 | grep -q 'dfsssp on torus:dims=6x6,hosts=1: 1 VLs are not enough'"

# ---- a report of standard input can be repeated
"$heddle" advise - -o "$tmp/piped" -q --json <examples/fabric.ibnet >"$tmp/piped.json"
command=$(field steps.0.command <"$tmp/piped.json")
check "its commands name a file in the folder" grep -q "^heddle eval $tmp/piped/net.ibnet " <<<"$command"
check "with which they run" sh -c "PATH='$HEDDLE_BUILD':\$PATH; $command"
finish
