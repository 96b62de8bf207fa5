#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The command line as users and scripts meet it: exit codes, one-line errors, help for every name.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

check "no arguments show the overview" sh -c "'$heddle' | grep -q '^usage: heddle'"
check "--version" sh -c "'$heddle' --version | grep -q '^heddle [0-9]'"
exits "unknown command" 2 "unknown command 'tpo'" "$heddle" tpo
exits "unknown option" 2 "unknown option '--frmat'" "$heddle" topo ft --frmat svg
exits "missing argument" 2 "expected NET" "$heddle" topo
exits "option without a value" 2 "needs a value" "$heddle" topo ft --format
exits "flag with a value" 2 "takes no value" "$heddle" topo ft --json=yes
exits "bad number" 2 "an integer from 0 to 2\^64-1" "$heddle" topo ft --seed 1x
# One reader of numbers: the same text is taken and refused with the same words by every command.
for bad in 0 -1 1x 1.5 0x10 99999999999999 ''; do
    exits "a count of '$bad'" 2 "number (${bad:-has}: expected an integer from 1 to 10\^|has an empty value)" "$heddle" eval ft dmodk -n "$bad"
    exits "the same of another command" 2 "number (${bad:-has}: expected an integer from 1 to 10\^|has an empty value)" "$heddle" order ft dmodk -n "$bad"
done
for bad in 0 -1 K 64q 1TiB 1e6; do
    exits "a size of '$bad'" 2 "size $bad: expected a size in bytes from 1 to 10\^15, such as" "$heddle" sim ft dmodk --size $bad
    exits "the same of another command" 2 "size $bad: expected a size in bytes from 1 to 1GiB, such as" "$heddle" measure --size $bad
done
for size in 65536 64K 64KiB 65.536kB 0.0625M 65536B; do
    same "sim --size $size" 65536 "$("$heddle" sim ft:m=4,n=2 dmodk -n 1 --messages 1 --size $size --json | sed -n 's/.*"bytes": \([0-9]*\).*/\1/p' | awk '{ print $1 / 4 }')"
    exits "measure --size $size" 4 "needs MPI" "$heddle" measure --size $size
    same "model:size=$size" "$("$heddle" sim ft:m=4,n=2 dmodk -n 1 --model infiniband:size=65536,buffer=64K)" "$("$heddle" sim ft:m=4,n=2 dmodk -n 1 --model infiniband:size=$size,buffer=65536)"
done
exits "a confidence width out of range" 2 "ci 2: expected a number from 0.00001 to 1" "$heddle" eval ft dmodk --ci 2
exits "too many threads" 2 "threads 5000: expected an integer from 0 to 4096" "$heddle" topo ft --threads 5000
exits "option given twice" 2 "given twice" "$heddle" topo ft --seed 1 --seed 2
exits "unknown topology" 3 "did you mean 'xgft'" "$heddle" topo xgt:m=4
exits "missing file" 3 "neither a known topology nor a file" "$heddle" topo /nonexistent/fabric
exits "unknown key" 3 "unknown key 'k'" "$heddle" topo ft:k=4
exits "value out of range" 3 "from 2 to 254" "$heddle" topo ft:m=1000
exits "too many ports" 3 "300 ports" "$heddle" topo gft:n=150,m=150,r=2
exits "too large" 3 "more than" "$heddle" topo ft:m=254,n=6
exits "unknown engine" 3 "did you mean 'dmodk'" "$heddle" check ft dmodk2
exits "unknown format" 2 "did you mean 'svg'" "$heddle" topo ft --format svgg
exits "unknown pattern" 3 "did you mean 'bisect'" "$heddle" eval ft dmodk -p bisct
exits "no table" 2 "no table given" "$heddle" eval ft kary
# What engines cannot route is no lack of memory: several are compared, and one that is asked for is refused.
far=mesh:dims=256,hosts=1
exits "a network that no engine routes" 3 "shortest paths of more than 254 channels between switches are not supported" "$heddle" check $far minhop
same "is compared without figures" 2 "$("$heddle" eval $far minhop updown -n 1 2>/dev/null | grep -c 'does not apply: .*more than 254 channels')"
check "and is described by advise" grep -q 'No routing was found that serves every pair' <("$heddle" advise $far 2>/dev/null)
exits "unwritable output" 4 "cannot write" "$heddle" topo ft -o /nonexistent/x
exits "full disk" 4 "cannot write" sh -c "'$heddle' help >/dev/full"
exits "a command mistyped" 2 "did you mean 'route'" "$heddle" rute
exits "an option mistyped" 2 "did you mean '--threads'" "$heddle" topo ft --thread=2
exits "an option without anything" 2 "--fail has an empty value, expected WHAT" "$heddle" topo ft --fail=
exits "arguments counted" 2 "expected NET, got 2 arguments" "$heddle" topo ft torus
exits "a list too long" 3 "20 numbers, at most 16" "$heddle" topo torus:dims=$(printf '2x%.0s' $(seq 19))2
exits "an empty network" 3 "an empty word: expected a topology or a file" "$heddle" topo ""
exits "a blank network" 3 "an empty word" "$heddle" topo " "
exits "capital letters" 3 "did you mean 'ft'" "$heddle" topo FT
exits "an engine for a network" 3 "dmodk: is an engine, expected a topology or a file" "$heddle" check dmodk ft
exits "a topology for an engine" 3 "torus: is a topology, expected an engine or a file" "$heddle" check ft torus
exits "a metric for a pattern" 3 "ebb: is a metric, expected a pattern" "$heddle" eval ft dmodk -p ebb
exits "eval with arguments swapped" 2 "'dmodk' is an engine, networks come before tables" "$heddle" eval dmodk examples/fabric.ibnet
"$heddle" route ft:m=4,n=2 dmodk -o "$tmp/t.lft" >/dev/null
exits "check with files swapped" 3 "is a forwarding table, expected a network" "$heddle" check "$tmp/t.lft" ft:m=4,n=2
exits "a network file for a table" 3 "is a network, expected a forwarding table" "$heddle" check examples/fabric.ibnet examples/fabric.ibnet
# Expressions that regcomp would follow down the stack or copy without end are refused before it sees them.
nested=$(printf '(%.0s' {1..30000})a$(printf ')%.0s' {1..30000})
long=$(printf 'a%.0s' {1..513})
sed -n "s/^caguid=\(0x[0-9a-f]*\).*/\1 \"$long\"/p" examples/fabric.ibnet >"$tmp/513.map" # files of networks have shorter ones
sed -n "s/^caguid=\(0x[0-9a-f]*\).*/\1 \"${long:1}\"/p" examples/fabric.ibnet >"$tmp/512.map"
for option in endpoints rails; do
    exits "a name that is too long to match for --$option" 3 "name 'a{60}\\.\\.\\.': longer than 512 bytes" "$heddle" topo examples/fabric.ibnet --node-name-map "$tmp/513.map" --$option '(a|aa)*b'
    check "the longest name for --$option" "$heddle" topo examples/fabric.ibnet --node-name-map "$tmp/512.map" --$option '(a|aa)*'
    exits "30,000 nested parentheses for --$option" 3 "$option: .* a regular expression of at most [0-9]+ bytes" "$heddle" topo examples/fabric.ibnet --$option "$nested"
    exits "100 nested parentheses for --$option" 3 "$option: .* a regular expression: parentheses nested deeper than 64" "$heddle" topo examples/fabric.ibnet --$option "${nested:29900:100}a${nested:30001:100}"
    exits "references back for --$option" 3 "$option: .* a regular expression: references back to parentheses are not supported" "$heddle" topo examples/fabric.ibnet --$option '(.*)(.*)(.*)\3\2\1x'
    exits "repetitions of repetitions for --$option" 3 "$option: .* a regular expression: more than 2000 characters when repetitions are written out" "$heddle" topo examples/fabric.ibnet --$option '((a{255}){255}){255}'
    exits "a plus in a plus in a plus for --$option" 3 "$option: .* more than 2000 characters when repetitions are written out" "$heddle" topo examples/fabric.ibnet --$option "${nested:29960:40}a$(printf '+)%.0s' {1..40})"
done
check "ordinary repetitions" "$heddle" topo examples/fabric.ibnet --endpoints '^[a-z]{1,8}[0-9]{1,4}|^(n(o(d))).{0,200}$'
for form in valid-ports valid-subnet; do
    exits "a network in the form of $form for a table" 3 "is a network, expected a forwarding table" "$heddle" check examples/fabric.ibnet tests/fuzz/corpus_ibnet/$form
done
exits "a folder for a checkpoint" 3 "expected a file that keeps the checkpoint" "$heddle" eval ft dmodk --checkpoint "$tmp"
exits "no checkpoint on standard output" 2 "expected a file, got -" "$heddle" eval ft dmodk --checkpoint -
exits "description and conversion at once" 2 "give one of them" "$heddle" topo ft --json --format dot
exits "a table and JSON at once" 2 "cannot both go to standard output" "$heddle" route ft dmodk --format lft --json
exits "a table to standard output and JSON at once" 2 "cannot both go to standard output" "$heddle" route ft dmodk -o - --json
exits "CSV and JSON at once" 2 "json and --loads cannot both go to standard output" "$heddle" eval ft dmodk --loads - --json
exits "two kinds of CSV at once" 2 "loads and --samples cannot both go to standard output" "$heddle" eval ft dmodk --loads - --samples -
exits "two results in one file" 2 "cannot both go to $tmp/x" "$heddle" eval ft dmodk --loads "$tmp/x" --samples "$tmp/x"
check "and nothing is written" test ! -e "$tmp/x"
for command in eval sim; do
    exits "a number for the file of $command --samples" 2 "samples 10: expected a file to write, such as samples.csv; -n 10 sets their number" sh -c "cd '$tmp' && '$heddle' $command ft:m=4,n=2 minhop --samples 10"
    check "and no file of $command has that name" test ! -e "$tmp/10"
done
check "a name that has more than digits" sh -c "cd '$tmp' && '$heddle' eval ft:m=4,n=2 minhop -n 10 --samples ./10 && test -s 10"
# Pairs of different components are no fault of a table, and are not passed over in silence.
same "check counts the pairs that no cables connect" "components       4, with no cables between them: 48 of 56 pairs of endpoints are not checked" "$("$heddle" check ft:m=4,n=2 minhop --fail links=6 -q | grep '^components')"
same "the same as JSON" "4 48 8" "$("$heddle" check ft:m=4,n=2 minhop --fail links=6 -q --json | python3 -c 'import json, sys; k = json.load(sys.stdin); print(k["components"], k["separated"], k["pairs"])')"
check "which is no fault" "$heddle" check ft:m=4,n=2 minhop --fail links=6 -q
same "of one component nothing is said" "" "$("$heddle" check ft:m=4,n=2 minhop | grep '^components')"
same "the endpoints that are selected count" "" "$("$heddle" check ft:m=4,n=2 minhop --fail links=6 -q --endpoints 'node-0000[01]' | grep '^components')"
cp examples/fabric.ibnet "$tmp/net"
ln -s net "$tmp/link"
exits "a result over its input" 2 "output $tmp/net would overwrite an input file" "$heddle" route "$tmp/net" minhop -o "$tmp/net"
exits "the same by another name" 2 "would overwrite an input file" "$heddle" topo "$tmp/net" -o "$tmp/link"
check "and the input is still there" cmp examples/fabric.ibnet "$tmp/net"
exits "advice to standard output" 2 "takes a folder" "$heddle" advise ft:m=4,n=2 -o -
exits "a chart as JSON" 2 "unknown option '--json'" "$heddle" plot fabric ft:m=4,n=2 dmodk --json
check "and its help offers none" sh -c "'$heddle' help plot | grep -q -- --seed && ! '$heddle' help plot | grep -q -- --json"
exits "a chart of what does not apply" 3 "no chart bandwidth: .*not a grid" "$heddle" plot bandwidth ft:m=4,n=2 dor
exits "no such chart" 2 "unknown chart .ft.: expected fabric, heat" "$heddle" plot ft fabric
exits "--force alone" 2 "goes with --deploy" "$heddle" route ft dmodk --force
exits "--interval alone" 2 "goes with --series" "$heddle" sim ft dmodk --interval 5
exits "formats are named" 2 "expected ibnet, dot, .* or svg" "$heddle" topo ft --format 3d
exits "formats of tables are named" 2 "expected lft, .* or slvl" "$heddle" route ft:m=4,n=2 dmodk --format zip
# No file is opened and nothing computed for a format that there is not.
exits "topo looks at its format first" 2 "format zip: expected" "$heddle" topo /nonexistent --format zip
exits "route looks at its format first" 2 "format zip: expected" "$heddle" route /nonexistent dmodk --format zip
exits "order looks at its format first" 2 "format zip: expected" "$heddle" order /nonexistent --format zip
exits "LIDs an endpoint cannot have" 2 "--lmc 9: expected an integer from 0 to 7" "$heddle" topo ft --lmc 9
exits "LIDs from two sources" 2 "--lmc and --guid2lid exclude each other" "$heddle" topo ft --lmc 1 --guid2lid /dev/null
exits "a kind of name there is not" 2 "unknown kind 'gadgets': expected topology, engine, .* or paper" "$heddle" list gadgets
exits "nothing of that name" 2 "unknown name 'xyzzy'" "$heddle" help xyzzy

for command in $("$heddle" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    check "help $command shows usage and options" sh -c "'$heddle' help $command | grep -q '^usage: heddle $command'"
    # more may follow where a name is called like the command
    check "$command --help is the same" sh -c "'$heddle' $command --help >'$tmp/short' && '$heddle' help $command >'$tmp/long' && cmp -n \$(wc -c <'$tmp/short') '$tmp/short' '$tmp/long'"
done
for kind in $("$heddle" list --json | python3 -c 'import json,sys; print(*[k for k in json.load(sys.stdin) if k != "schema"])'); do
    for name in $("$heddle" list "$kind" | awk '{ print $1 }'); do
        check "help $name ($kind) explains it" sh -c "'$heddle' help $name | grep -qF '$kind $name: '"
    done
done
same "options may stand anywhere" "$("$heddle" eval ft:m=4,n=2 dmodk -n 50 --seed 3)" "$("$heddle" eval --seed=3 -n50 ft:n=2,m=4 dmodk)"
for t in 1 2 3 7; do
    same "$t threads print the same bytes" "$("$heddle" eval ft:m=8,n=3 dmodk smodk -n 500 --threads 1)" "$("$heddle" eval ft:m=8,n=3 dmodk smodk -n 500 --threads $t)"
done
# The library has parameters, the command has options: messages of the library name no option, and come out with them.
check "no message of the library names an option" python3 - src <<'PY'
import os, re, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names if not folder.startswith("src/cli") else []:
        text = open(os.path.join(folder, name)).read()
        for call in re.findall(r"\bhd_(?:fail|note|in_fail)\w*\((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*;", text):
            assert not re.search(r"(?<![\w-])--[a-z]", call), (folder, name, call)
PY
exits "parameters come out as options" 2 "heddle: --node-name-map and --rails are for network files, ft is generated" "$heddle" topo ft --rails auto
"$heddle" topo ft:m=4,n=2 -o "$tmp/small.ibnet"
"$heddle" route ft:m=4,n=2 dmodk --format guid2lid -o "$tmp/guid2lid" >/dev/null
: >"$tmp/map"
${CC:-cc} -std=c11 -shared -fPIC -Iinclude examples/own_engine.c -o "$tmp/plugin.so"
check "commands of a report repeat every option that says what the network is" python3 - "$heddle" "$tmp" <<'PY'
import json, subprocess, sys
heddle, tmp = sys.argv[1:]
run = lambda *a: json.loads(subprocess.run([heddle, *a, "--json"], capture_output=True, text=True, check=True).stdout)
value = {"node-name-map": tmp + "/map", "rails": "none", "fail": "links=1", "guid2lid": tmp + "/guid2lid", "lmc": "1", "part": "0",
         "rail": "0", "endpoints": "node", "seed": "5", "repair": None, "plugin": tmp + "/plugin.so"}
other = {"nodes", "for", "output", "with-opensm", "json", "threads", "quiet", "no-progress", "help"}
names = [o["name"] for o in run("help", "advise")["command"][0]["options"]]
assert set(names) == set(value) | other, set(names) ^ (set(value) | other)
for exclusive in ("lmc", "guid2lid"):
    given = [w for n, v in value.items() if n != exclusive for w in (["--" + n] if v is None else ["--" + n, v])]
    command = run("advise", tmp + "/small.ibnet", "minhop", *given)["options"][0]["command"] + " "
    for n, v in value.items():
        assert n == exclusive or f" --{n} {v} " in command or (v is None and f" --{n} " in command), (n, command)
PY
"$heddle" help --format markdown >"$tmp/reference.md"
check "README.md and docs/tutorial.md show what their commands print (make accept)" python3 scripts/readme "${HEDDLE_BUILD#"$PWD"/}" --check
"$heddle" plot bandwidth examples/fabric.ibnet minhop updown dmodc settle ftree -o "$tmp/bandwidth.svg"
check "docs/bandwidth.svg is the chart of the example (make accept)" cmp docs/bandwidth.svg "$tmp/bandwidth.svg"
check "links of the documents lead somewhere" python3 - README.md CONTRIBUTING.md docs/*.md <<'PY'
import os, re, sys
for name in sys.argv[1:]:
    for target in re.findall(r"\]\(([^)\s]+)\)", open(name).read()):
        if target.startswith("http"): continue
        path, _, anchor = target.partition("#")
        path = os.path.join(os.path.dirname(name), path) if path else name
        assert os.path.exists(path), (name, target)
        heads = {re.sub(r"[^\w\- ]", "", l.strip("#` \n").lower()).replace(" ", "-") for l in open(path) if l.startswith("#")} if anchor else {}
        assert not anchor or anchor in heads, (name, target)
PY
check "docs/reference.md is what the command generates (make accept)" cmp docs/reference.md "$tmp/reference.md"
exits "a regular expression has a bound" 3 "expected a regular expression of at most 1000 bytes" "$heddle" topo ft:m=4,n=2 --endpoints "$(printf '(%.0s' {1..30000})"
finish
