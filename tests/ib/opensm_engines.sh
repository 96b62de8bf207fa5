#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# OpenSM as an engine: every one of its engines that runs is read back, checked and measured; those that fail
# say why; our minhop is its minhop entry by entry, and so are dnup, torus2qos and form=opensm; our ftree loads no channel more than its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "OpenSM as an engine" ibsim opensm saquery

# result NET ENGINE: lanes, whether deadlock free, pairs not served, detours, largest load; or the failure.
result() {
    if ! "$heddle" route "$1" "opensm:engine=$2" --quiet -o "$tmp/table.lft" >/dev/null 2>"$tmp/err"; then sed 's/^heddle: //' "$tmp/err"; return; fi
    "$heddle" check "$1" "$tmp/table.lft" --json --quiet | python3 -c 'import json, sys
c = json.load(sys.stdin); print(c["lanes"], c["deadlock_free"], c["unreachable"] + c["loops"], c["nonminimal"], end=" ")'
    "$heddle" eval "$1" "$tmp/table.lft" -m efi --json --quiet | field rows.0.value
}
# Loads are those computed over OpenSM's own dumps, by a program that shares nothing with heddle.
while IFS='|' read -r net engine expected; do
    same "$net ${engine}" "$expected" "$(result "$net" "$engine")"
done <<'EOF2'
gft:n=16,m=16,r=32|minhop|1 True 0 0 496
gft:n=16,m=16,r=32|updn|1 True 0 0 496
gft:n=16,m=16,r=32|ftree|1 True 0 0 496
gft:n=16,m=16,r=32|dfsssp|1 True 0 0 496
gft:n=16,m=16,r=32|lash|1 True 0 0 7936
torus:dims=4x4x4,hosts=2|dor|1 False 0 0 192
torus:dims=4x4x4,hosts=2|lash|5 True 0 0 192
torus:dims=4x4x4,hosts=2|torus-2QoS|2 True 0 0 192
torus:dims=5x5,hosts=1|torus-2QoS|2 True 0 0 15
torus:dims=4x4x4,hosts=2|updn|opensm:engine=updn: does not apply to torus:dims=4x4x4,hosts=2: disabling UPDN algorithm, no root nodes were found
torus:dims=4x4x4,hosts=2|ftree|opensm:engine=ftree: does not apply to torus:dims=4x4x4,hosts=2: ERR AB2B: Found more than one root on fabric with maximum rank 0
torus:dims=4x4x4,hosts=2|dfsssp|opensm:engine=dfsssp: does not apply to torus:dims=4x4x4,hosts=2: ERR AD25: Not enough VLs available (avail=8, needed=9); Stopping dfsssp routing!
tests/data/opensm/rnd516.net.gz|minhop|1 False 0 0 1860
tests/data/opensm/rnd516.net.gz|sssp|1 False 0 0 1320
tests/data/opensm/rnd516.net.gz|dfsssp|3 True 0 0 1320
tests/data/opensm/rnd516.net.gz|lash|2 True 0 0 2304
hypercube:n=5,hosts=2|dor|1 True 0 0 64
EOF2
for engine in minhop updn dnup ftree lash dor sssp dfsssp nue nue,vls=4; do
    read -r lanes free unserved rest <<<"$(result ft:m=4,n=3 $engine)"
    same "ft:m=4,n=3 $engine: all arrive, free of deadlock" "True 0" "$free $unserved"
done
read -r lanes free unserved rest <<<"$(result torus:dims=3x3,hosts=1 nue,vls=3)"
same "torus 3x3 nue: 3 lanes, free of deadlock" "3 True 0" "$lanes $free $unserved"

# Roots by name, GUID or file, wherever heddle runs: OpenSM itself works in a folder of its own.
printf '0x0200000000100000\n' >"$tmp/root"
(cd "$tmp" && "$heddle" route torus:dims=4x4x4,hosts=2 opensm:engine=updn --roots root --format lft | grep -v '^# heddle table' | md5sum) >"$tmp/by-file"
"$heddle" route torus:dims=4x4x4,hosts=2 opensm:engine=updn,roots=L1-0000 --format lft | grep -v '^# heddle table' | md5sum >"$tmp/by-name"
check "updn from one root, by a relative path and by name" cmp "$tmp/by-file" "$tmp/by-name"
same "torus 4x4x4 updn from one root: one lane, free of deadlock" "1 True 0" "$(result torus:dims=4x4x4,hosts=2 updn,roots=L1-0000 | cut -d' ' -f1-3)"
(cd "$tmp" && "$heddle" route ft:m=4,n=2 dmodk -o here.lft >/dev/null)
same "a table by a relative path" 0 "$(cd "$tmp" && "$heddle" diff ft:m=4,n=2 dmodk opensm:engine=file,table=here.lft --json | field entries_changed)"

# ---- the same as ours
changed() { "$heddle" diff "$1" "$2" "$3" --json --quiet | field entries_changed; }
for net in tests/data/opensm/t4.ibsim.net ft:m=8,n=3 ft:m=8,n=3,partial=random:50 torus:dims=4x4x4,hosts=2 tests/data/opensm/rnd516.net.gz; do
    same "$net: our minhop is OpenSM's" 0 "$(changed "$net" minhop opensm:engine=minhop)"
    same "$net: our dnup is OpenSM's" 0 "$(changed "$net" dnup opensm:engine=dnup)"
    same "$net: psssp:form=opensm is OpenSM's sssp" 0 "$(changed "$net" psssp:form=opensm opensm:engine=sssp)"
done
# Endpoints on every fourth switch only, so that heights differ and one direction per switch decides what is found.
"$heddle" topo random:switches=40,ports=6,hosts=1,seed=3 --format ibnet -o "$tmp/all.net" >/dev/null
python3 - "$tmp/all.net" >"$tmp/sparse.net" <<'EOF3'
import re, sys
blocks = open(sys.argv[1]).read().split("\n\n")
adapter = lambda b: re.search(r'^Ca\s+\d+\s+"([^"]+)"', b, re.M)
names = [m[1] for m in map(adapter, blocks) if m]
gone = {n for i, n in enumerate(names) if i % 4}
for b in blocks:
    m = adapter(b)
    if not (m and m[1] in gone):
        print("\n".join(l for l in b.split("\n") if not any('"%s"' % n in l for n in gone)) + "\n")
EOF3
same "endpoints on every fourth switch: our dnup is OpenSM's" "0 True" \
    "$(changed "$tmp/sparse.net" dnup opensm:engine=dnup) $(python3 -c "print($(changed "$tmp/sparse.net" dnup minhop) > 0)")"
# torus-2QoS around failures: our entries and service levels are its own.
while read -r net fail; do
    same "$net${fail:+ without $fail}: our torus2qos is OpenSM's" "0 0" \
        "$("$heddle" diff "$net" torus2qos opensm:engine=torus-2QoS ${fail:+--fail "$fail"} --json --quiet >"$tmp/json"; echo "$(field entries_changed <"$tmp/json") $(field lanes_changed <"$tmp/json")")"
done <<'EOF4'
torus:dims=4x4x4,hosts=2
torus:dims=6x5,hosts=1
torus:dims=5x5,hosts=1 links=1
torus:dims=6x5,hosts=1 links=2,seed=5
torus:dims=5x5,hosts=1 switches=1,seed=4
torus:dims=6x5,hosts=1 switches=1,seed=4
torus:dims=4x4x4,hosts=2 switches=1,links=1,seed=9
EOF4
for net in examples/fabric.ibnet ft:m=8,n=3 tests/data/opensm/rnd516.net.gz; do
    same "$net: dfsssp:form=opensm is OpenSM's dfsssp" 0 "$(changed "$net" dfsssp:form=opensm opensm:engine=dfsssp)"
done
efi() { "$heddle" eval "$1" "$2" -m efi --json | field rows.0.value; }
same "FT(16,3): OpenSM's ftree loads a channel with 1016 pairs" 1016 "$(efi ft:m=16,n=3 opensm:engine=ftree)"
check "FT(16,3): our ftree with no more" python3 -c "import sys; sys.exit(not $(efi ft:m=16,n=3 ftree) <= 1016)"
check "PGFT(3;18,18,6;1,18,6;1,1,3): our ftree with no more than OpenSM's 1926" \
    python3 -c "import sys; sys.exit(not $(efi pgft:m=18x18x6,w=1x18x6,p=1x1x3 ftree) <= 1926)"

# ---- service levels: what heddle read is what saquery says
net=torus:dims=5x5,hosts=1
"$heddle" topo $net --format ibnet -o "$tmp/net" >/dev/null
"$heddle" route $net opensm:engine=lash --format psl -o "$tmp/psl" >/dev/null
"$heddle" route $net opensm:engine=lash --format guid2lid -o "$tmp/guid2lid" >/dev/null
start_sim "$tmp/net"
cp "$tmp/guid2lid" "$OSM_CACHE_DIR/"
start_osm -R lash,no_fallback -Q
bad=0
for pair in 1:2 1:12 3:25 7:19 20:4 25:1 13:14; do
    guid=$(printf '0x%016x' $((0x0200000100000000 + 4 * (${pair%:*} - 1))))
    ours=$(sed -n "s/^$guid ${pair#*:} //p" "$tmp/psl")
    theirs=$(client saquery -p --src-to-dst $pair | sed -n 's/.*[^a-z]sl\.*0x\([0-9a-f]*\)$/\1/p')
    [ -n "$ours" ] && [ "$ours" = "$theirs" ] || { bad=$((bad + 1)); echo "#   $pair: ours '$ours', saquery '$theirs'"; }
done
same "lash: 7 service levels as saquery tells them" 0 $bad
stop_all

# ---- limits and odd networks
exits "a time limit" 4 "lash is not done after 1 s" "$heddle" check ft:m=16,n=3 opensm:engine=lash,limit=1
exits "a missing program" 4 "opensm is not installed in /nonexistent: apt-get install opensm" "$heddle" check ft opensm:programs=/nonexistent
exits "a missing table" 3 "^heddle: /nonexistent: cannot open: No such file" "$heddle" check ft:m=4,n=2 opensm:engine=file,table=/nonexistent
exits "a table asked for" 3 "needs table=FILE" "$heddle" check ft:m=4,n=2 opensm:engine=file
exits "torus-2QoS on a tree" 3 "it is no torus" "$heddle" check ft:m=4,n=2 opensm:engine=torus-2QoS
same "torus-2QoS: lanes unknown where they are not asked for" "null null" \
    "$("$heddle" check torus:dims=5x5,hosts=1 opensm:engine=torus-2QoS,ask=10 --json --quiet >"$tmp/json"; echo "$(field lanes <"$tmp/json") $(field deadlock_free <"$tmp/json")")"
same "too many service levels to ask for: lanes unknown" "null null" \
    "$("$heddle" check torus:dims=5x5,hosts=1 opensm:engine=lash,ask=10 --json --quiet >"$tmp/json"; echo "$(field lanes <"$tmp/json") $(field deadlock_free <"$tmp/json")")"
printf 'switchguid=0x1%s0\nSwitch 4 "S%s"\n[1] "H%s1"[1]\n[2] "H%s2"[1]\n[3] "H%s3"[1]\n\n' a 1 1 1 1 b 2 2 2 2 >"$tmp/apart.net"
for h in 11 12 13 21 22 23; do printf 'caguid=0x2%s0\nCa 1 "H%s"\n[1] "S%s"[%s]\n\n' $h $h ${h%?} ${h#?}; done >>"$tmp/apart.net"
same "parts that no cable joins, one after the other" "0 12" \
    "$("$heddle" check "$tmp/apart.net" opensm:engine=minhop --json --quiet >"$tmp/json"; echo "$(field unreachable <"$tmp/json") $(field pairs <"$tmp/json")")"
same "four LIDs a port" "4 0 0" "$("$heddle" route ft:m=4,n=3 opensm:engine=minhop,lmc=2,use=all -o "$tmp/lmc.lft" --json >"$tmp/json"
    "$heddle" check ft:m=4,n=3 "$tmp/lmc.lft" --json >"$tmp/check"; echo "$(field variants <"$tmp/json") $(field unreachable <"$tmp/check") $(field loops <"$tmp/check")")"
exits "an engine that knows one LID a port" 3 "LMC > 0 is not supported" "$heddle" check ft:m=4,n=3 opensm:engine=ftree,lmc=2
for net in gft:n=1,m=1,r=1 xgft:m=1,w=1 xgft:m=5,w=1; do
    check "$net: as small as can be" "$heddle" check $net opensm:engine=minhop
done
"$heddle" route ft:m=4,n=2 dmodk -o "$tmp/dmodk.lft" >/dev/null
same "its engine file gives our table back" 0 "$(changed ft:m=4,n=2 dmodk "opensm:engine=file,table=$tmp/dmodk.lft")"
finish
