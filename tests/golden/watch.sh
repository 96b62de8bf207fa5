#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle watch on captures that differ in one thing: it is counted, named, and in the JSON. Then the order of files:
# captures by their names, and the older part of a log before the newer one.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

net=gft:n=4,m=4,r=6
"$heddle" topo $net --format ibnet | sed 's/^Switch\t8 /Switch\t36 /' >"$tmp/net"
# watched NAME EXPECTED: what the second capture, $tmp/changed, has changed.
watched() {
    rm -rf "$tmp/captures"
    mkdir "$tmp/captures"
    cp "$tmp/net" "$tmp/captures/1.ibnet"
    cp "$tmp/changed" "$tmp/captures/2.ibnet"
    same "$1" "2.ibnet  $2" "$("$heddle" watch "$tmp/captures" 2>&1 | tail -n 1)"
}
# counted NAME EXPECTED: its counts that are not 0, and the first change.
counted() {
    same "$1" "$2" "$("$heddle" watch "$tmp/captures" --json | python3 -c 'import json, sys
row = json.load(sys.stdin)["rows"][1]
sizes = "switches", "endpoints"
print(*("%s=%d" % (k, v) for k, v in row.items() if isinstance(v, int) and v and k not in sizes), row["first"])')"
}
# move HOST PORT FROM LEAF PORT: the host with its cable at another switch.
move() {
    python3 - "$tmp/net" "$@" <<'PY'
import re, sys
path, host, port, leaf, to, at = sys.argv[1:]
text = open(path).read()
ids = dict((m[2], m[1]) for m in re.finditer(r'^(?:Switch|Ca)\s+\d+ "(\S+)"\s+# "([^"]*)"', text, re.M))
line = re.search(r'^\[%s\](\s+"%s"\[1\].*\n)' % (port, ids[host]), text, re.M)
text = text.replace(line[0], "", 1)
text = re.sub(r'^(Switch\s+\d+ "%s".*\n)' % ids[to], lambda m: m[1] + "[%s]%s" % (at, line[1]), text, flags=re.M)
old = r'^(\[1\]\S*\s+)"%s"\[%s\](.*)"%s"' % (ids[leaf], port, leaf)
print(re.sub(old, r'\1"%s"[%s]\2"%s"' % (ids[to], at, to), text, flags=re.M), end="")
PY
}

cp "$tmp/net" "$tmp/changed"
watched "the same fabric" "fabric unchanged"
counted "and nothing is counted" None
sed '/"node-00000" lid 1 4xEDR/s/4xEDR/1xEDR/; /^Ca.*"node-00000"/{n;s/4xEDR/1xEDR/}' "$tmp/net" >"$tmp/changed"
same "a host at 1x, at both ends" 2 "$(grep -c 1xEDR "$tmp/changed")"
watched "the cable of a host has another rate" "1 cable with another rate"
counted "which is counted" "rates_changed=1 None"
move node-00002 3 L1-0000 L1-0003 30 >"$tmp/changed"
watched "a host at another switch" "1 endpoint moved (endpoint node-00002 from L1-0000 port 3 to L1-0003 port 30)"
counted "which is counted" "endpoints_moved=1 endpoint node-00002 from L1-0000 port 3 to L1-0003 port 30"
move node-00002 3 L1-0000 L1-0000 30 >"$tmp/changed"
watched "a host at another port" "1 endpoint moved (endpoint node-00002 from L1-0000 port 3 to L1-0000 port 30)"
sed 's/200000000100000/200000000aaaaaa/g' "$tmp/net" >"$tmp/changed"
watched "the hosts of a replaced switch have moved, and are not all named" \
    "1 switch lost, 4 cables lost, 1 new switch, 4 new cables, 4 endpoints moved (switch L1-0000, new switch L1-0000)"
"$heddle" topo $net --fail link=L1-0001:5 -o "$tmp/changed" 2>/dev/null
watched "a lost cable moves nobody" "1 cable lost (cable L1-0001 port 5 - L2-0006 port 2)"

mkdir "$tmp/named"
"$heddle" topo ft:m=4,n=2 -o "$tmp/named/cap"
"$heddle" topo ft:m=4,n=2 --fail link=L1-0000:3 -o "$tmp/named/cap.1"
rows() { "$heddle" watch "$tmp/$1" --json | python3 -c 'import json, sys
print(*["%s" % r[k] for r in json.load(sys.stdin)["rows"] for k in sys.argv[1:]])' "${@:2}"; }
same "a capture that ends in .1 is no older part, and the cable was lost" "cap 0 cap.1 1" "$(rows named file cables_lost)"

mkdir "$tmp/logs"
sweep() { # sweep NUMBER: a line of the log
    sed "s/%/$1/g" <<'LINE'
{"schema": 1, "time": %, "sweep": %, "tables": true, "engine": "dmodc", "patched": false, "kept": false, "more": false, "failed": null, "switches": 6, "endpoints": 8, "change": {"switches_lost": 0, "switches_new": 6, "endpoints_lost": 0, "endpoints_new": 8, "cables_lost": 0, "cables_new": 8, "rates_changed": 0, "lids_changed": 0, "first": null, "names": null}, "lanes": 1, "pairs": 56, "entries_changed": 48, "blocks_changed": 6, "switches_changed": 6, "mixing": null, "mixing_loops": 0, "mixing_drops": 0, "mixing_credit_loops": 0, "ebb": null, "ebb_before": null, "route_seconds": 0.001, "check_seconds": 0.001, "seconds": 0.003}
LINE
}
sweep 1 >"$tmp/logs/heddle.jsonl.1"
sweep 2 >"$tmp/logs/heddle.jsonl"
sweep 3 >"$tmp/logs/other.jsonl"
same "a log begins with its older part" "1 2 3" "$(rows logs time)"
# more than two names, so that the order does not depend on which are compared
for name in heddle.jsonl-20260101 heddle.jsonl- heddle.jsonl.0 heddle.jsonl+ heddle.jsonk heddle.jsonl.1.gz; do
    echo "no log" >"$tmp/logs/$name"
    same "also with $name beside it" "1 2 3" "$(rows logs time)"
done
cp -r "$tmp/named" "$tmp/begun"
: >"$tmp/begun/heddle.jsonl"
same "an empty log hides no captures" "cap 0 cap.1 1" "$(rows begun file cables_lost)"
mkdir "$tmp/fresh"
: >"$tmp/fresh/heddle.jsonl"
exits "a log without a sweep is no error, and reported" 0 'fresh: no sweep is in the log yet' "$heddle" watch "$tmp/fresh"
finish
