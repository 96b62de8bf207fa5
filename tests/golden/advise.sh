#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle advise as users see it: the advice is right, every number is what its command prints, faults are found,
# and what it writes can be used.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
check "one cable is one" sh -c "'$heddle' advise torus:dims=2,hosts=2 -q | grep -q 'none: the 1 switch-to-switch cable is present'"
data=tests/data/opensm

# advise NAME ARGS...: the report as JSON in $tmp/NAME; passes when the exit status is 0.
advise() {
    local name=$1; shift
    check "advise $*" sh -c '"$@" >"$0"' "$tmp/$name" "$heddle" advise "$@" --json --quiet
}

# ---- right advice, true numbers -----------------------------------------------------------------------
advise t32 gft:n=16,m=16,r=32
advise damaged xgft:m=4x4x4,w=1x4x4 --fail links=4,seed=2
advise deimos deimos
advise torus torus:dims=4x4x4
advise random random:switches=20,ports=12,hosts=4,seed=5
advise sample examples/fabric.ibnet
advise ibnet $data/t4.ibnetdiscover
advise table $data/t4.ibnetdiscover $data/t4.opensm-lfts.dump --seed 7
for goal in ring random worst; do advise torus-$goal torus:dims=3x3 --for $goal; done
advise ibnet-alltoall $data/t4.ibnetdiscover --for alltoall --nodes 'node-[00008-00015,00000-00007]'
reports=$(cd "$tmp" && ls t32 damaged deimos torus random sample ibnet table torus-* ibnet-alltoall)
for name in $reports; do
    check "$name: the recommended table is best or within half a per cent" tests/golden/advice.py "$tmp/$name"
done
for name in damaged random sample table torus-ring torus-worst ibnet-alltoall; do
    check "$name: every number is what its command prints" tests/golden/repeat.py "$HEDDLE_BUILD" "$tmp/$name"
done
check "torus: one in four commands prints its numbers" tests/golden/repeat.py "$HEDDLE_BUILD" "$tmp/torus" 1/4
check "t32: one in eight commands prints its numbers" tests/golden/repeat.py "$HEDDLE_BUILD" "$tmp/t32" 3/8
check "deimos: one in twelve commands prints its numbers" tests/golden/repeat.py "$HEDDLE_BUILD" "$tmp/deimos" 5/12
get() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$tmp/$1" "$2"; }
same "a damaged tree warns of its cables" "['WARN']" "$(get damaged '[f["verdict"] for f in r["findings"] if f["subject"] == "missing cables"]')"
same "and names how many" 4 "$(get damaged '[f["text"].split()[0] for f in r["findings"] if f["subject"] == "missing cables"][0]')"
same "a table as good as any is kept" "$data/t4.opensm-lfts.dump" "$(get table 'r["best"]')"
same "tables that can deadlock are never recommended" "False" "$(get torus 'any(o["table"] == r["best"] and o["deadlock_free"] is not True for o in r["options"])')"
same "and there were some" "True" "$(get torus 'any(o.get("deadlock_free") is False for o in r["options"])')"
same "tables of several LIDs are marked" "True" "$(get t32 '[o["mark"] for o in r["options"] if o["table"] == "omrmn"] == ["needs 16 LIDs"]')"
same "packets at the rates of the links, as the static estimate says, with an interval" "True" "$(get t32 '[abs(f["packets"]["value"] - f["ebb"]["value"]) < 0.03 and 0 < f["packets"]["ci"] < 0.1 and " --model edr:" in f["packets"]["command"] for f in [o["figures"] for o in r["options"] if o["table"] == r["best"]]][0]')"
same "adaptive routing fills a fat tree" "True" "$(get t32 '[f["adaptive"]["value"] > 0.95 and f["adaptive"]["ci"] > 0 for f in [o["figures"] for o in r["options"] if o["table"] == r["best"]]][0]')"
check "with LIDs enough they are recommended" sh -c "'$heddle' advise gft:n=4,m=4,r=8 --lmc 2 --json | grep -q '\"best\": \"omrmn\"'"
same "what loses a cable loses pairs, and gets them back" "True" "$(get damaged 'all(0 < w["lost_max"] < 1 and w["cases"] > 0 and w["rerouted_mean"] > 0 for w in r["what_if"])')"
for name in damaged sample; do
    same "$name: whole, it is the table of the comparison" "True" "$(get $name '[o["figures"]["ebb"] for o in r["options"] if o["table"] == r["best"]][0]["value"] == r["what_if"][0]["ebb_before"]')"
    same "$name: with its precision" "True" "$(get $name '[o["figures"]["ebb"] for o in r["options"] if o["table"] == r["best"]][0]["ci"] == r["what_if"][0]["ci"] > 0')"
done

# The choices: OpenSM's own engine is predicted, one is recommended, and names say whose a table is.
same "one line in opensm.conf, the plug-in, tables from a file" "opensm.conf:dfsssp plug-in:None file:None" "$(get sample '" ".join("%s:%s" % (c["name"], c["routing_engine"]) for c in r["choices"])')"
same "one of them is recommended, the cheapest that is near the best" "True False False" "$(get sample '" ".join(str(c["recommended"]) for c in r["choices"])')"
same "with gain and interval" "True" "$(get sample 'all(abs(c["gain"] - (c["value"] / [o for o in r["options"] if o["table"] == "minhop"][0]["figures"]["ebb"]["value"] - 1)) < 1e-9 and 0 < c["gain_error"] < 0.02 for c in r["choices"])')"
same "ours are not mistaken for OpenSM's" "heddle ftree OpenSM minhop OpenSM dfsssp heddle dfsssp" "$(get sample '" ".join(o["label"] for t in ("ftree", "minhop", "dfsssp:form=opensm", "dfsssp") for o in r["options"] if o["table"] == t)')"
same "no choice where the current table is kept" "[]" "$(get table 'r["choices"]')"
"$heddle" advise $data/rnd516.net.gz $data/rnd516.updn-credit-loop.lfts.gz --json -q >"$tmp/loop"
same "a credit loop is in the headline" "True" "$(get loop 'r["headline"].startswith("The current table can deadlock: it has a credit loop.")')"
"$heddle" topo ft:m=4,n=2 --format ibnet | sed 's/"node-0000/"no de:0000/' >"$tmp/names.net"
"$heddle" advise "$tmp/names.net" -o "$tmp/names" >/dev/null 2>"$tmp/warnings"
same "a message appears once" "" "$(sort "$tmp/warnings" | uniq -d)"
check "formats that cannot hold the names are in one" grep -q '^heddle: no files for openmpi, seq, .* in ranks: host name' "$tmp/warnings"
"$heddle" advise examples/fabric.ibnet -q >"$tmp/first"
check "the first 15 lines say what to do" sh -c "head -n 15 '$tmp/first' | grep -q 'routing_engine dfsssp.n. >>/etc/opensm/opensm.conf' && head -n 15 '$tmp/first' | grep -q '1. Repair the cabling: put back 5'"
for columns in 60 80 160; do
    COLUMNS=$columns "$heddle" advise examples/fabric.ibnet -q >"$tmp/wide$columns"
    same "lines of $columns columns, but for commands" 0 "$(grep -vE '^     (heddle|printf) ' "$tmp/wide$columns" | awk -v n=$columns 'length($0) > n' | wc -l)"
done
check "wide ones have all columns" grep -q ' EBB .* load .* packets ' "$tmp/wide160"
check "and short ones name those that are left out" sh -c "tr -s ' \n' ' ' <'$tmp/wide60' | grep -q 'Columns left out: [a-z]'"
same "the table of eval fits" 0 "$(COLUMNS=80 "$heddle" eval examples/fabric.ibnet minhop ftree -n 20 | awk 'length($0) > 80' | wc -l)"

# ---- the cabling comes first ------------------------------------------------------------------------------
same "a damaged tree is to be repaired first" "True" "$(get damaged 'r["steps"][0]["what"].startswith("Repair the cabling: put back 4 missing cables: L")')"
same "its cables are all named" "4 True" "$(get damaged '"%d %s" % (len(r["repair"]["cables"]), all(c["missing"] and c["from"] and c["to"] for c in r["repair"]["cables"]))')"
same "with what it brings" "True" "$(get damaged 'r["repair"]["ebb_after"] > r["repair"]["ebb_before"] > 0 and "%.3f of a link instead of %.3f" % (r["repair"]["ebb_after"], r["repair"]["ebb_before"]) in r["steps"][0]["what"]')"
same "and the command that shows it" "True" "$(get damaged 'r["steps"][0]["command"] == r["repair"]["command"] and " --repair" in r["repair"]["command"]')"
same "a whole fabric has nothing to repair" "[] None 0" "$(get t32 '"%s %s %d" % (r["repair"]["cables"], r["repair"]["command"], sum("Repair" in s["what"] for s in r["steps"]))')"
same "repaired, it has nothing to repair" "0" "$("$heddle" advise examples/fabric.ibnet --repair -q | grep -c 'Repair the cabling')"
"$heddle" advise torus:dims=7,hosts=1 --fail links=1 --json -q >"$tmp/line"
check "a line that becomes a ring is routed free of deadlock" "$heddle" check torus:dims=7,hosts=1 "$(get line 'r["repair"]["table"]')"
check "a split fabric is to be connected" sh -c "'$heddle' advise torus:dims=4,hosts=1 --fail links=2 -q | grep -q '1. Repair the cabling: put back 2 missing cables'"
"$heddle" topo random:switches=3,ports=8,hosts=2,seed=1 -o "$tmp/p1"
{ cat "$tmp/p1"; sed 's/lid [0-9]*/lid 0/g; s/020000000/030000000/g; s/20000000/30000000/g; s/02000001/03000001/g; s/2000001/3000001/g; s/"node-/"other-/' "$tmp/p1"; } >"$tmp/p2"
check "whatever its shape" sh -c "'$heddle' advise '$tmp/p2' -q | grep -q '1. Repair the cabling: connect the 2 components: 6 endpoints with '"

# ---- the same anywhere ----------------------------------------------------------------------------------
for threads in 1 2 3; do
    same "the same bytes with $threads threads" "$(md5sum <"$tmp/random")" \
        "$("$heddle" advise random:switches=20,ports=12,hosts=4,seed=5 --json --quiet --threads $threads | md5sum)"
done
"$heddle" advise $data/t4.ibnetdiscover >"$tmp/text"
check "one screen" sh -c "test \$(wc -l <'$tmp/text') -le 55 && ! grep -q '.\{101\}' '$tmp/text' && ! grep -q ' \$' '$tmp/text'"
check "no colours in a file" sh -c "! grep -q \$(printf '\\033') '$tmp/text'"

# ---- faults ---------------------------------------------------------------------------------------------
# fails NAME PATTERN ARGS...: exit status 1 and a line of the page.
fails() {
    local name=$1 pattern=$2 rc=0; shift 2
    "$heddle" advise "$@" --quiet >"$tmp/out" 2>"$tmp/err" || rc=$?
    if [ $rc = 1 ] && grep -q "$pattern" "$tmp/out"; then pass "$name"; else fail "$name" "exit status $rc, expected 1" "$(head -n 30 "$tmp/out")"; fi
}
fails "a credit loop, named" 'FAIL  deadlock  *credit loop of .* sw-00.. port' $data/rnd516.net.gz $data/rnd516.updn-credit-loop.lfts.gz
fails "holes in the table" 'FAIL  current table  *[0-9]* of 992 pairs do not arrive' $data/t4.ibnetdiscover $data/t4.opensm-lfts.dump --fail link=L1-0000:5
fails "a split fabric" 'FAIL  connectivity  *2 components that are not connected to each other' torus:dims=4,hosts=1 --fail links=2
check "and says so first" grep -q '^      The fabric is split' "$tmp/out"
check "detours and idle cables are warned of" sh -c "'$heddle' advise $data/rnd516.net.gz $data/rnd516.updn-credit-loop.lfts.gz --quiet | grep -q 'WARN  detours'"

# Tables that serve next to nothing: no per cents in the thousands, no packets of the few flows that arrive.
"$heddle" route $data/t4.ibnetdiscover minhop -o "$tmp/part.lft" >/dev/null
awk '/^Unicast/ { n++ } n < 2 && !/^# heddle/' "$tmp/part.lft" >"$tmp/few.lft"
fails "a table of one switch" 'does not serve every pair' $data/t4.ibnetdiscover "$tmp/few.lft"
check "is compared without per cents" sh -c "! sed -n '2,5p' '$tmp/out' | grep -q '%)'"
check "and without packets" grep -Eq '^  current .* - +1  pairs do not arrive' "$tmp/out"

# Three bounds of an all-to-all, each under its own name: this table's in any order, as order prints it; the least of
# the tables'; and that of eval, of any table in one order, is on no page.
own=$("$heddle" order examples/fabric.ibnet "$(get sample 'r["best"]')" --json | python3 -c 'import json, sys; print("%.4f" % json.load(sys.stdin)["bound"]["alltoall"])')
"$heddle" advise examples/fabric.ibnet -o "$tmp/bounds" -q >/dev/null
check "a tile has the table's own bound" grep -q "<li><span>all-to-all</span>.*<span>this table's bound $own</span>" "$tmp/bounds/report.html"
check "and the comparison the best table's" grep -Eq "1\.5628<span class=\"is\">best<br>table's<br>own</span>" "$tmp/bounds/report.html"
# The bound on the terminal is the loosest of the tables' own, as on the page.
bound=$(get sample '"%.2f" % min(o["figures"]["alltoall"]["bound"] for o in r["options"] if o.get("figures"))')
same "no table can beat the bound" "$bound" "$("$heddle" advise examples/fabric.ibnet -q | awk '$1 == "bound" { print $6 }')"

# ---- names ------------------------------------------------------------------------------------------------
sed -E 's/"node-000(0[1-9]|1[0-9])"/"node-00000"/' $data/t4.ibnetdiscover >"$tmp/namesakes"
renamed=$(grep -cE '^Ca.*"node-000(0[1-9]|1[0-9])"' $data/t4.ibnetdiscover)
check "hosts with one name are counted" sh -c "'$heddle' advise '$tmp/namesakes' -q | grep -q 'WARN  host names  *$renamed of 32 hosts have the name of another, such as node-00000'"
check "distinct names are no matter" sh -c "! '$heddle' advise $data/t4.ibnetdiscover -q | grep -q 'host names'"
check "a rank file of namesakes is warned of" sh -c "'$heddle' order '$tmp/namesakes' -o '$tmp/rf' 2>&1 >/dev/null | grep -q '^heddle: $renamed hosts have the name of another'"

# ---- a folder used again ----------------------------------------------------------------------------------
"$heddle" route torus:dims=4x4 lash --deploy "$tmp/twice" >/dev/null
check "VLs bring a policy" test -e "$tmp/twice/qos-policy.conf"
"$heddle" route ft:m=4,n=2 dmodk --deploy "$tmp/twice" >/dev/null
check "which tables in one VL do not keep" sh -c "test ! -e '$tmp/twice/qos-policy.conf' && test ! -e '$tmp/twice/ibdm/psl' && test -e '$tmp/twice/roots'"
big=xgft:m=18x18x9,w=1x18x9
check "large tables: the size is reported" sh -c "'$heddle' route $big dmodk --deploy '$tmp/big' 2>&1 >/dev/null | grep -q '^heddle: deploy: 1.[0-9] million entries take about [12][0-9] MB'"
check "they are by LID alone, and nothing is said twice" sh -c "grep -q 'by LID alone, which is six times smaller' '$tmp/big/README' && test ! -e '$tmp/big/ibdm' && test \$(du -sm '$tmp/big' | cut -f1) -lt 30"
same "and the same tables" True "$("$heddle" diff "$tmp/big/net.ibnet" "$tmp/big/tables.lft" dmodk --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["identical"])')"
mkdir "$tmp/again" "$tmp/again/deploy"
"$heddle" advise $data/t4.ibnetdiscover $data/t4.opensm-lfts.dump -o "$tmp/again" -q >/dev/null
check "tables of an earlier run are warned of" grep -q 'deploy/ is left over from an earlier run' "$tmp/again/README"

# ---- small fabrics --------------------------------------------------------------------------------------
for net in torus:dims=1,hosts=1 torus:dims=1,hosts=2 torus:dims=1,hosts=7 torus:dims=2,hosts=1 gft:n=1,m=1,r=1 torus:dims=3,hosts=3; do
    check "advise $net" "$heddle" advise $net -o "$tmp/small"
done
check "one switch" sh -c "'$heddle' advise torus:dims=1,hosts=7 | grep -q 'One switch: any table will do'"
check "and none is to be loaded" sh -c "! '$heddle' advise torus:dims=1,hosts=7 -o '$tmp/one' | grep -q 'Load the new' && test ! -e '$tmp/one/deploy' && grep -q 'No tables are written: any table' '$tmp/one/README'"
check "nor for one endpoint" sh -c "! '$heddle' advise torus:dims=1,hosts=1 -o '$tmp/lone' | grep -q 'Load the new' && test ! -e '$tmp/lone/deploy'"
check "one endpoint" sh -c "'$heddle' advise torus:dims=1,hosts=1 | grep -q 'Nothing to route'"
check "no endpoint left out of sight" sh -c "'$heddle' advise xgft:m=3x3,w=1x2 --fail switch=L1-0000,link=L1-0001:4 --quiet | grep -q 'WARN  missing'"

# ---- planes ---------------------------------------------------------------------------------------------
"$heddle" topo gft:n=2,m=2,r=3 -o "$tmp/plane"
{
    sed 's/lid [0-9]*/lid 0/g; s/"node-\([0-9]*\)"/"node-\1 mlx5_0"/' "$tmp/plane"
    sed 's/lid [0-9]*/lid 0/g; s/"node-\([0-9]*\)"/"node-\1 mlx5_1"/; s/020000000/030000000/g; s/20000000/30000000/g; s/02000001/03000001/g; s/2000001/3000001/g; s/"L\([12]\)-/"M\1-/g' "$tmp/plane"
} >"$tmp/fabric"
"$heddle" advise "$tmp/fabric" >"$tmp/planes"
check "planes are no fault" grep -q 'PASS  connectivity  *2 planes, one per rail' "$tmp/planes"
check "a table is recommended for all of them" grep -q '^> heddle [a-z]' "$tmp/planes"
check "one plane alone" sh -c "'$heddle' advise '$tmp/fabric' --rail 0 | grep -q '^> heddle dmodk'"
check "a host that lacks a rail is named" sh -c "'$heddle' advise '$tmp/fabric' --fail 'link=node-00000 mlx5_1:1' --quiet | grep -q 'WARN  rails  *1 of 6 hosts has fewer than 2 ports: node-00000 has 1'"
# Rails are those that most hosts have. rails NET SED...: the finding, once names are changed.
rails() {
    local net=$1; shift
    "$heddle" topo "$net" -o - | sed "$@" >"$tmp/railed"
    COLUMNS=300 "$heddle" advise "$tmp/railed" --quiet | sed -n 's/^ *\([A-Z]*\)  rails  */\1 /p'
}
two='s/"node-00000"/"fat01 mlx5_0"/; s/"node-00001"/"fat01 mlx5_1"/'
same "one host with two ports is the odd one" "PASS 70 of 71 hosts have 1 port; 1 has more: fat01 has 2" "$(rails gft:n=6,m=6,r=12 -e "$two")"
check "and nothing is to be cabled" sh -c "! '$heddle' advise '$tmp/railed' --quiet | grep -q 'cable the missing'"
same "two with three ports" "PASS 66 of 68 hosts have 1 port; 2 have more: fat01 has 3, fat02 has 3" \
    "$(rails gft:n=6,m=6,r=12 -e "$two" -e 's/"node-00002"/"fat01 mlx5_2"/; s/"node-00003"/"fat02 mlx5_0"/; s/"node-00004"/"fat02 mlx5_1"/; s/"node-00005"/"fat02 mlx5_2"/')"
rail4=rail:units=1,rails=4,hosts=8,spines=2,uplinks=4 one='s/"node-\([67]\) mlx5_\([0-3]\)"/"node-1\1\2 mlx5_\2"/'
same "more endpoints of hosts with one port than of those with eight" "WARN 1 of 130 hosts has fewer than 8 ports: gpu07 has 7; 120 with half of them or fewer are of another kind" \
    "$("$heddle" topo ft:m=20,n=2 --fail link=L1-0006:1 -o - -q 2>/dev/null | perl -pe 's/"node-(\d+)"/$1 < 80 ? sprintf("\"gpu%02d mlx5_%d\"", $1 \/ 8, $1 % 8) : "\"login$1 mlx5_0\""/ge' >"$tmp/mixed"
        COLUMNS=300 "$heddle" advise "$tmp/mixed" --quiet | sed -n 's/^ *\([A-Z]*\)  rails  */\1 /p')"
for gpus in 24 36 48; do # ports of hosts with two, of 72
    same "$gpus ports of GPU nodes beside $((72 - gpus)) CPU nodes with one" "PASS $((72 - gpus)) of $((72 - gpus / 2)) hosts have 1 port; $((gpus / 2)) have more: gpu00 has 2, gpu01 has 2, gpu02 has 2 and $((gpus / 2 - 3)) more" \
        "$("$heddle" topo ft:m=12,n=2 --format ibnet | perl -pe 's/"node-(\d+)"/$1 < '$gpus' ? sprintf("\"gpu%02d mlx5_%d\"", int($1 \/ 12) * 6 + $1 % 6, $1 % 12 >= 6) : "\"cpu$1 mlx5_0\""/ge' >"$tmp/mixed"
            COLUMNS=300 "$heddle" advise "$tmp/mixed" --quiet | sed -n 's/^ *\([A-Z]*\)  rails  */\1 /p')"
done
same "more hosts with one port than with all rails" "PASS 6 of 14 hosts have all 4, and every leaf serves one rail; 8 with half of them or fewer are of another kind" \
    "$(rails $rail4 -e "$one")"
same "among them one that lost a port" "WARN 1 of 15 hosts has fewer than 4 ports: node-0 has 3; 9 with half of them or fewer are of another kind" \
    "$(rails $rail4 -e "$one" -e 's/"node-0 mlx5_2"/"node-102 mlx5_2"/')"

# Hosts that lack the rail of a dead leaf alone need no cable of their own; one that lacks another does. All is listed.
"$heddle" topo rail:units=3,hosts=6,spines=4,uplinks=8 --fail switch=leaf-1-3 -o "$tmp/railed" -q 2>/dev/null
"$heddle" topo "$tmp/railed" --fail 'link=node-1 mlx5_5:1+node-7 mlx5_2:1' -o "$tmp/railed2" -q 2>/dev/null
"$heddle" advise "$tmp/railed" -q -o "$tmp/rail-advice" 2>/dev/null | tr -s ' \n' ' ' >"$tmp/said"
same "a dead leaf leaves nothing to cable at its hosts" "restore 1 dead switch 0" \
    "$(grep -o 'restore 1 dead switch' "$tmp/said") $(grep -c 'missing port' "$tmp/said")"
check "which are counted" grep -q 'WARN rails 6 of 18 hosts have fewer than 8 ports: .*; 6 of them lack rail 2 (mlx5_2); 6 lack nothing but what led to dead switches' "$tmp/said"
same "all cables of a dead switch are listed" 8 "$(grep -c '^      spine-[1-4] port [0-9]* - leaf-1-3 port [0-9]*$' "$tmp/rail-advice/cables")"
"$heddle" advise "$tmp/railed2" -q -o "$tmp/rail-advice" 2>/dev/null | tr -s ' \n' ' ' >"$tmp/said"
check "those of two other hosts are to be cabled" grep -q 'cable 1 missing port at each of 2 hosts: node-1 lacks rail 5 (mlx5_5), node-7 lacks rail 2 (mlx5_2)\. .*All cables and hosts are listed in' "$tmp/said"
same "and listed" "node-1 node-7 " "$(sed -n 's/^host: \([^ ]*\) lacks rail .*/\1/p' "$tmp/rail-advice/cables" | tr '\n' ' ')"

# ---- one decision ----------------------------------------------------------------------------------------
# What is not worth a change is neither recommended nor to do, and tables that need not be loaded are no step.
"$heddle" topo gft:n=8,m=8,r=8 --fail link=L1-0000:5+L1-0002:2+L1-0005:1 -o "$tmp/near" -q 2>/dev/null
"$heddle" advise "$tmp/near" -q -o "$tmp/near-advice" 2>/dev/null >"$tmp/said"
check "the headline says not worth a change" grep -q '^ *Not worth a change: with OpenSM dfsssp' "$tmp/said"
same "and nothing else says otherwise" "0 0 1" "$(grep -c 'opensm.conf;' "$tmp/said") $(grep -c '^> a' "$tmp/said") $(grep -c '^The choice (not worth a change)$' "$tmp/said")"
same "nor does JSON" "False None" "$("$heddle" advise "$tmp/near" --json -q 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(any(c["recommended"] for c in r["choices"]), next((s["what"] for s in r["steps"] if "opensm" in s["what"]), None))')"
check "nor does the page" sh -c "! grep -q 'recommended</span>' '$tmp/near-advice/report.html'"
"$heddle" advise ft:m=8,n=2 -q -o "$tmp/stay-advice" >"$tmp/said"
check "stay with the default" grep -q "^ *Stay with OpenSM's default" "$tmp/said"
same "and load nothing" "0 0 0" "$(grep -c 'deploy/README' "$tmp/said") $(grep -c 'tables from files' "$tmp/stay-advice/README") $(grep -c 'deploy/README' "$tmp/near-advice/README")"
check "tables that need not be loaded are there" grep -q '^deploy/ has the tables of heddle [a-z0-9]*, which need not be loaded\.$' "$tmp/stay-advice/README"
check "no per cent of less than nothing" sh -c "! '$heddle' advise slimfly:q=5 --fail links=2,seed=3 -q | grep -- '-0 %'"

same "a host that is not there may be off" "Repair the cabling: check 2 hosts that are not in the fabric: node-00004 at L1-0000 port 5, node-00017 at L1-0002 port 2" \
    "$("$heddle" advise "$tmp/near" -q 2>/dev/null | tr -s ' \n' ' ' | grep -o 'Repair the cabling: [^.]*')"

# ---- slow cables, unequal leaves ------------------------------------------------------------------------
"$heddle" topo gft:n=3,m=2,r=4 -o "$tmp/net"
python3 - "$tmp/net" <<'PY'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
# one cable between switches at a lower rate, at both of its ends
first = next(i for i, l in enumerate(lines) if '"L2-' in l and l.startswith("["))
port = re.match(r"\[(\d+)\]", lines[first]).group(1)
sw = next(re.search(r'"(S-[0-9a-f]+)"', l).group(1) for l in reversed(lines[:first]) if l.startswith("Switch"))
for i, l in enumerate(lines):
    if i == first or (l.startswith("[") and '"%s"[%s]' % (sw, port) in l):
        lines[i] = l.replace("4xEDR", "4xQDR")
open(sys.argv[1], "w").write("\n".join(lines))
PY
check "a slow cable is named" sh -c "'$heddle' advise '$tmp/net' | grep -q 'WARN  slow cables  *1 slower than the rest of its level: L[12]-.* port .* 4xQDR, not 4xEDR'"
check "why one flow may count as several is in the legend" sh -c "'$heddle' advise '$tmp/net' | tr -s ' \n' ' ' | grep -Eq 'on a slow one a flow counts as several \(4xQDR instead of 4xEDR: as 3\.[0-9]+\)'"
check "and is to be repaired first" sh -c "'$heddle' advise '$tmp/net' | grep -A2 '1. Repair the cabling' | tr -s ' \n' ' ' | grep -q 'reseat or replace 1 slow cable: L[12]-.* port .* - L[12]-.* port .* (4xQDR, not 4xEDR)'"
# at_rates.py NET up|hosts RATE,...: the cables between switches, or of hosts, at these rates in turn.
cat >"$tmp/at_rates.py" <<'PY'
import re, sys
kind, rates = sys.argv[2], sys.argv[3].split(",")
lines = open(sys.argv[1]).read().split("\n")
number, this = {}, None
for i, l in enumerate(lines):
    head = re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"', l)
    this = head.group(1) if head else this
    port = re.match(r'\[(\d+)\]\S*\s+"([^"]+)"\[(\d+)\]', l)
    if not port or ("up" if this[0] == port.group(2)[0] == "S" else "hosts") != kind:
        continue
    cable = frozenset([(this, port.group(1)), (port.group(2), port.group(3))])
    rate = rates[number.setdefault(cable, len(number)) % len(rates)]
    lines[i] = re.sub(r"4xEDR", rate, l)
print("\n".join(lines))
PY
"$heddle" topo gft:n=4,m=4,r=4 -o "$tmp/even"
# rates_of up|hosts RATE,... [NET]: the findings about rates.
rates_of() {
    python3 "$tmp/at_rates.py" "${3:-$tmp/even}" "$1" "$2" >"$tmp/rated"
    "$heddle" advise "$tmp/rated" --json -q | python3 -c 'import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["subject"] in ("slow cables", "mixed rates"): print(f["verdict"], f["subject"] + ":", f["text"])'
}
same "one rate" "PASS slow cables: none: one rate per level" "$(rates_of up 4xEDR)"
same "half of a level at another rate: mixed, and no cable is blamed" \
    "WARN mixed rates: level 1 to 2: 8 4xQDR, 8 4xEDR; no cable among them counts as slow" "$(rates_of up 4xQDR,4xEDR)"
check "which is printed" sh -c "'$heddle' advise '$tmp/rated' -q | grep -q 'WARN  mixed rates  *level 1 to 2: 8 4xQDR, 8 4xEDR'"
same "a few faster ones: mixed" \
    "WARN mixed rates: compute hosts: 12 4xEDR, 4 4xHDR; no cable among them counts as slow" "$(rates_of hosts 4xEDR,4xEDR,4xEDR,4xHDR)"
same "links of one rate are not" "PASS slow cables: none: one rate per level" "$(rates_of up 4xEDR,2xHDR)"
"$heddle" topo mesh:dims=3x3,hosts=1 -o "$tmp/grid"
same "a grid has no levels" \
    "WARN mixed rates: between switches: 6 4xQDR, 6 4xEDR; no cable among them counts as slow" "$(rates_of up 4xEDR,4xQDR "$tmp/grid")"
check "unequal leaves are named" sh -c "'$heddle' advise odin | grep -q 'WARN  unequal leaves  *most have 12 endpoints, 1 of 11 does not: L1-0010 8'"

# ---- what it writes -------------------------------------------------------------------------------------
check "advise -o" "$heddle" advise examples/fabric.ibnet -o "$tmp/advice"
table=$(get sample 'r["best"]')
same "cables lists what to repair" "$(get sample '"\n".join("missing: " + " - ".join(c[e] + (" port %d" % c[e + "_port"] if c[e + "_port"] else "") for e in ("from", "to")) for c in r["repair"]["cables"])')" "$(cat "$tmp/advice/cables")"
check "the page has them" sh -c "grep -q '<tr><th scope=\"row\">missing</th><td>leaf02</td>' '$tmp/advice/report.html'"
for file in report.html README deploy/README deploy/tables.lft deploy/opensm.conf topology.conf topology.yaml; do
    check "writes $file" test -s "$tmp/advice/$file"
done
# One word for the table the fabric has, another for the order its jobs have.
"$heddle" advise $data/t4.ibnetdiscover lash -o "$tmp/current" -q >/dev/null
check "the page distinguishes current tables from the current rank order" sh -c "grep -q 'with the current table<' '$tmp/current/report.html' && grep -q \"all-to-all, current order<\" '$tmp/current/report.html' && ! grep -qw now '$tmp/current/report.html'"
"$heddle" route examples/fabric.ibnet "$table" -o "$tmp/lft"
check "the tables are the recommended ones" cmp "$tmp/lft" "$tmp/advice/deploy/tables.lft"
check "and pass the check" "$heddle" check examples/fabric.ibnet "$tmp/advice/deploy/tables.lft"
for format in openmpi seq mpich slurm torchrun names guids ca-order; do
    same "ranks/$format is what order writes" "$("$heddle" order examples/fabric.ibnet "$table" --format $format)" "$(cat "$tmp/advice/ranks/$format")"
done
same "topology.conf is what topo writes" "$("$heddle" topo examples/fabric.ibnet --format slurm)" "$(cat "$tmp/advice/topology.conf")"
same "topology.yaml too" "$("$heddle" topo examples/fabric.ibnet --format slurm-yaml)" "$(cat "$tmp/advice/topology.yaml")"
check "a kept table is not deployed again" sh -c "'$heddle' advise $data/t4.ibnetdiscover $data/t4.opensm-lfts.dump -o '$tmp/kept' >/dev/null && test ! -e '$tmp/kept/deploy' && grep -q 'current table is kept' '$tmp/kept/README'"

names() { sed 's/#.*//' "$1"; }
"$heddle" topo pgft:m=12x18,w=1x6,p=1x2 --fail links=5,seed=11 -o "$tmp/plain" --quiet
same "but for its names the example is made as its README says" "$(names "$tmp/plain" | md5sum)" "$(names examples/fabric.ibnet | md5sum)"
check "the demo" scripts/demo "${HEDDLE_BUILD#"$PWD"/}"

# ---- all of it or nothing ---------------------------------------------------------------------------------
mkdir -p "$tmp/half/report.html"
echo mine >"$tmp/half/README"
exits "the last file cannot be written" 4 'report.html: is a folder' "$heddle" advise examples/fabric.ibnet -q -o "$tmp/half"
same "and nothing else is" "README report.html" "$(ls -A "$tmp/half" | tr '\n' ' ' | sed 's/ $//')"
same "what was there stays" mine "$(cat "$tmp/half/README")"
mkdir -p "$tmp/held/README"
echo old >"$tmp/held/qos-policy.conf"
exits "the same of a deployment" 4 'README: is a folder' "$heddle" route ft:m=4,n=2 dmodk --deploy "$tmp/held"
same "which keeps what it would have removed" "README qos-policy.conf" "$(ls -A "$tmp/held" | tr '\n' ' ' | sed 's/ $//')"

# ---- a job on a part of the fabric ----------------------------------------------------------------------
advise part ft:m=8,n=2 --nodes 'node-000[00-19]'
same "a job's bandwidth is that of its own nodes, under the recommended tables" \
    "The nodes of the job get $("$heddle" order ft:m=8,n=2 dmodk --nodes 'node-000[00-19]' --json | python3 -c 'import json, sys; print("%.3f" % json.load(sys.stdin)["verdict"]["ebb"])')" \
    "$(python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(*(n.split(" of a port")[0] for n in j["notes"] if n.startswith("The nodes of the job") and j["best"] == "dmodk"))' "$tmp/part")"
same "which is not said of all hosts" 0 "$(grep -c 'The nodes of the job' "$tmp/torus")"
# What came through a pipe is kept, and the commands read that.
"$heddle" topo gft:n=4,m=4,r=8 -o "$tmp/of-pipe"
"$heddle" route "$tmp/of-pipe" minhop -o "$tmp/of-pipe.lft" >/dev/null
"$heddle" advise <(cat "$tmp/of-pipe") <(cat "$tmp/of-pipe.lft") -o "$tmp/piped" --json -q >"$tmp/piped.json"
for kept in net.ibnet current.lft; do check "commands name $kept in place of a pipe" grep -q "heddle eval.*$tmp/piped/$kept" "$tmp/piped.json"; done
same "and no pipe" 0 "$(sed '/"net": /d; s/heddle advise [^"]*//' "$tmp/piped.json" | grep -c '/dev/fd')"
same "what is kept is what was read" "$("$heddle" advise "$tmp/of-pipe" "$tmp/of-pipe.lft" -q | sed -n '/^Routings/,/why:/p')" \
    "$("$heddle" advise "$tmp/piped/net.ibnet" "$tmp/piped/current.lft" -q | sed -n '/^Routings/,/why:/p')"
same "without a folder a note says what they read" "heddle: commands to copy read again what came through a pipe: with -o a folder keeps it" \
    "$("$heddle" advise <(cat "$tmp/of-pipe") 2>&1 >/dev/null)"

# ---- bad input ------------------------------------------------------------------------------------------
exits "unknown goal" 2 'expected balanced, alltoall, ring, random or worst' "$heddle" advise torus --for speed
exits "unknown node" 3 'nosuch' "$heddle" advise $data/t4.ibnetdiscover --nodes nosuch
exits "a table of another fabric" 3 '.' "$heddle" advise torus:dims=4x4 $data/torus55.opensm.fdbs.gz
exits "a folder that is a file" 4 'cannot make this folder' "$heddle" advise torus:dims=2 -o "$tmp/text"
exits "no network" 2 'expected NET' "$heddle" advise
exits "a network that is none" 3 'nosuchnet' "$heddle" advise nosuchnet
cp "$tmp/net" "$tmp/doubled"
sed -n '/^switchguid/,/^$/p' "$tmp/net" | sed '/^$/q' >>"$tmp/doubled"
exits "the same switch twice" 3 'doubled:' "$heddle" advise "$tmp/doubled"
finish
