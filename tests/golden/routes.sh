#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# route, check and eval as scripts rely on them: JSON keys, verdicts, exit codes, tables on disk.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
keys() { python3 -c 'import json,sys; d=json.load(sys.stdin); print(*(d["rows"][0] if "rows" in d else d))'; }
field() { python3 -c 'import json,sys; d=json.load(sys.stdin); print(json.dumps(d[sys.argv[1]]))' "$1"; }

has_keys() { # NAME "key key" ACTUAL
    local missing="" key
    for key in $2; do case " $3 " in *" $key "*) ;; *) missing="$missing $key" ;; esac; done
    same "$1" "" "$missing"
}
has_keys "check --json" "schema pairs unreachable loops nonminimal max_hops avg_hops deadlock_free lanes cycle further_lids switch_lids" "$("$heddle" check ft:m=4,n=2 dmodk --json | keys)"
same "no fault of other LIDs is 0, not an absent key" "0 0 0 0" "$("$heddle" check ft:m=4,n=2 dmodk --json | python3 -c '
import json, sys
j = json.load(sys.stdin)
print(*(j[k][f] for k in ("further_lids", "switch_lids") for f in ("unreachable", "loops")))')"
has_keys "route --json" "schema engine lanes variants entries unused efi" "$("$heddle" route ft:m=4,n=2 dmodk --json | keys)"
has_keys "eval --json rows" "net table pattern metric value ci samples min max" "$("$heddle" eval ft:m=4,n=2 dmodk -n 10 --json | keys)"
has_keys "topo --json" "schema endpoints switches cables levels oversubscription clos rails parts diameter degraded" "$("$heddle" topo ft:m=4,n=2 --json | keys)"

# A table OpenSM really computed, with a credit loop in it (up*/down* from one root on an irregular fabric).
net=tests/data/opensm/rnd516.net.gz table=tests/data/opensm/rnd516.updn-credit-loop.lfts.gz
rc=0; "$heddle" check $net $table >"$tmp/out" || rc=$?
same "a credit loop is exit 1" 1 $rc
check "it is named, four channels long" grep -q 'credit loop of 4 channels' "$tmp/out"
same "each step with a pair that takes it" 4 "$(grep -c '^  sw-.* port .* -> sw-.*(node-.* to node-' "$tmp/out")"
same "check --json says so too" false "$("$heddle" check $net $table --json | field deadlock_free)"
same "each entry with its lane" "0 0 0 0" "$("$heddle" check $net $table --json | python3 -c 'import json,sys; print(*(c["lane"] for c in json.load(sys.stdin)["cycle"]))')"
for engine in updown lash; do
    same "$engine is free of deadlock on that fabric" true "$("$heddle" check $net $engine --json | field deadlock_free)"
done

# A table that was cut off has holes that are none of the fabric, and may end in half a port number.
"$heddle" route examples/fabric.ibnet minhop -o "$tmp/whole.lft" >/dev/null
head -n -40 "$tmp/whole.lft" >"$tmp/cut.lft"
exits "a table without its last lines is refused" 3 "cut.lft:[0-9]*: the file ends early, in the table of switch 'spine5'" "$heddle" check examples/fabric.ibnet "$tmp/cut.lft"
at=$(grep -b -m1 '^0x00c0 024' "$tmp/whole.lft" | cut -d: -f1)
head -c $((at + 9)) "$tmp/whole.lft" >"$tmp/cut.lft"
for command in "route examples/fabric.ibnet file:path=$tmp/cut.lft -o -" "route examples/fabric.ibnet minhop --keep $tmp/cut.lft -o -" "diff examples/fabric.ibnet $tmp/cut.lft minhop" "eval examples/fabric.ibnet $tmp/cut.lft"; do
    exits "half a port is no port: ${command%% *}" 3 "cut.lft:[0-9]*: the file ends early, within an entry: got '0x00c0 02'" "$heddle" $command
done
head -n -20 tests/data/opensm/t4.opensm.fdbs >"$tmp/cut.fdbs"
exits "OpenSM's fdbs without its last lines" 3 'cut.fdbs:[0-9]*: the file ends early, .* LIDs up to 0x002C' "$heddle" check tests/data/opensm/t4.ibnetdiscover "$tmp/cut.fdbs"
printf 'Unicast lids of switch guid 0x0002c90000100000 a[1]\n0x0001 001\n' >"$tmp/one.lft"
same "a bracket in a name is no range of LIDs" "" "$("$heddle" check tests/data/opensm/t4.ibnetdiscover "$tmp/one.lft" 2>&1 >/dev/null | grep 'cut off')"

# A written table loses nothing: variants, classes and lanes come back, gzip included. The paths to switches are in a file
# alone; a faulty one would be counted.
checked() {
    "$heddle" check "$1" "$2" --json | python3 -c 'import json, sys
j = json.load(sys.stdin)
j["table"], j["switch_lids"] = "", {k: j["switch_lids"][k] for k in ("unreachable", "loops")}
print(json.dumps(j))'
}
for case in "ft:m=8,n=2 dmodk" "ft:m=8,n=2 osrm2" "gft:n=4,m=4,r=8 opt" "torus:dims=4x4x4,hosts=2 lash" "torus:dims=3x5,hosts=1 dor" "ft:m=4,n=3 omrmn"; do
    set -- $case
    "$heddle" route "$1" "$2" -o "$tmp/table.lft" >/dev/null
    gzip -kf "$tmp/table.lft"
    want=$(checked "$1" "$2")
    same "$2 on $1 survives the file" "$want" "$(checked "$1" "$tmp/table.lft")"
    same "and compressed" "$want" "$(checked "$1" "$tmp/table.lft.gz")"
    same "and measures the same" "$("$heddle" eval "$1" "$2" -n 200 --json | grep -v '"table"')" "$("$heddle" eval "$1" "$tmp/table.lft" -n 200 --json | grep -v '"table"')"
done
"$heddle" route ft:m=4,n=2 dmodk --format lft >"$tmp/stdout.lft"
"$heddle" route ft:m=4,n=2 dmodk -o "$tmp/file.lft" >/dev/null
check "--format alone writes to standard output" cmp "$tmp/stdout.lft" "$tmp/file.lft"

same "check --timing tells its parts" "setup reach deps acyclic" "$("$heddle" check ft:m=4,n=2 dmodk --timing --json | python3 -c 'import json,sys; print(*json.load(sys.stdin)["timing"])')"
same "and in words" 1 "$("$heddle" check ft:m=4,n=2 dmodk --timing | grep -c '^seconds  *setup [0-9.]*, reach [0-9.]*, deps [0-9.]*, acyclic [0-9.]*$')"
same "--timing adds two columns" 17 "$("$heddle" eval ft:m=4,n=2 dmodk -n 10 --timing | head -n 1 | sed 's/route s/route_s/; s/eval s/eval_s/' | wc -w)"
exits "an engine that does not apply is exit 3" 3 "dor: does not apply to ft:m=4,n=2" "$heddle" check ft:m=4,n=2 dor
rc=0; "$heddle" eval ft:m=4,n=2 dmodk dor -n 10 >"$tmp/out" || rc=$?
same "in a comparison it is a row" "0 1" "$rc $(grep -c 'does not apply: not a grid' "$tmp/out")"
exits "a table of another network" 3 "" "$heddle" check ft:m=4,n=2 $table
exits "a network where a table is expected" 3 "" "$heddle" check ft:m=4,n=2 examples/fabric.ibnet
printf 'Unicast lids of switch guid 0x1 x\n0x0001 zzz\n' >"$tmp/bad.lft"
exits "a bad table names its line" 3 "bad.lft:[0-9]+: " "$heddle" check ft:m=4,n=2 "$tmp/bad.lft"
"$heddle" route ft:m=4,n=2 dmodk -o "$tmp/holes.lft" >/dev/null
sed -i 's/^0x0001 .*//' "$tmp/holes.lft"
rc=0; "$heddle" check ft:m=4,n=2 "$tmp/holes.lft" --quiet >"$tmp/out" || rc=$?
same "holes are found" "1 1" "$rc $(grep -c 'does not reach node-00000' "$tmp/out")"
printf 'node-00000\nnode-00001 2 a b\n' >"$tmp/jobs"
exits "a bad list of jobs names its line" 3 "jobs:2: expected: endpoint, weight, job" "$heddle" route ft:m=4,n=2 "settle:weights=$tmp/jobs"
printf '0 1 1\n0 9 1\n' >"$tmp/traffic"
exits "a bad traffic matrix names its line" 3 "traffic:2: rank 9: there are 8 ranks" "$heddle" route ft:m=4,n=2 "settle:traffic=$tmp/traffic" -o "$tmp/never.lft"
same "and nothing is written" "" "$(ls "$tmp" | grep never)"

# ---- roots: by name, by GUID and from a file they are the same; only engines that take roots get them
printf '# the top\n\n  0x0200000000100005\n' >"$tmp/roots"
for roots in L1-0005 0x0200000000100005+L1-0005 "$tmp/roots"; do
    "$heddle" route torus:dims=4x4 updown --roots "$roots" --format lft-minimal | grep -v '^# heddle table' | md5sum
done >"$tmp/sums"
same "roots by name, GUID and file" "3 1" "$(wc -l <"$tmp/sums") $(sort -u "$tmp/sums" | wc -l)"
check "they make a difference" test "$(head -n 1 "$tmp/sums")" != "$("$heddle" route torus:dims=4x4 updown --format lft-minimal | grep -v '^# heddle table' | md5sum)"
same "--roots is roots= of the engine" '"updown:roots=L1-0005"' "$("$heddle" route torus:dims=4x4 updown --roots L1-0005 --json | field engine)"
exits "roots for an engine that takes none" 2 "dmodk takes no roots" "$heddle" route ft:m=4,n=2 dmodk --roots L2-0000
exits "roots for a file" 2 "takes no roots" "$heddle" route ft:m=4,n=2 "$tmp/file.lft" --roots L2-0000
exits "roots twice" 2 "exclude each other" "$heddle" route torus:dims=4x4 updown:roots=L1-0000 --roots L1-0005
exits "roots that are neither switches nor a file" 3 "neither switches .* nor a file" "$heddle" route torus:dims=4x4 updown --roots nobody
printf 'L1-0000\nL9-0000\n' >"$tmp/bad-roots"
exits "a root nobody knows names its line" 3 "bad-roots:2: 'L9-0000': no switch of that name" "$heddle" route torus:dims=4x4 updown --roots "$tmp/bad-roots"
printf '# nobody\n' >"$tmp/no-roots"
exits "a file without roots" 3 "no-roots: no switches in this file" "$heddle" route torus:dims=4x4 updown --roots "$tmp/no-roots"
same "a table from standard input is called -" '"-"' "$("$heddle" check ft:m=4,n=2 - --json <"$tmp/file.lft" | field table)"
rc=0; echo nonsense | "$heddle" check ft:m=4,n=2 - 2>"$tmp/err" || rc=$?
same "and <stdin> with the number of a line" "3 heddle: <stdin>:1:" "$rc $(cut -d' ' -f1,2 "$tmp/err")"
same "path bits are those of the table's lines" "$("$heddle" route ft:m=8,n=2 opt --format lft | sed -n 's/^# heddle class //p' | tr ' ' '\n' | awk -F'*' '{ for (i = 0; i < ($2 ? $2 : 1); i++) print $1 }' | md5sum)" \
    "$("$heddle" route ft:m=8,n=2 opt --format path-bits | awk '{ print $2 }' | md5sum)"
exits "path bits where the source does not decide" 3 "does not depend on the source alone" "$heddle" route ft:m=8,n=2 omrmn --format path-bits

exits "smallest pattern" 3 "at least 2 ranks" "$heddle" eval xgft:m=1,w=1 dmodk
same "worst hop count of one switch" 2 "$("$heddle" check xgft:m=4,w=1 dmodk --json | field max_hops)"
# ---- --keep: what is lost changes, no more than three times that, and an unchanged fabric nothing
kept() { python3 -c 'import json, sys; k = json.load(sys.stdin)["keep"]; print(eval(sys.argv[1], {}, k))' "$1"; }
for net in ft:m=8,n=3 torus:dims=4x4,hosts=2 dragonfly:a=4,p=2,h=2; do
    "$heddle" topo $net -o "$tmp/before.ibnet" && "$heddle" topo $net --fail links=1 -o "$tmp/after.ibnet"
    for engine in updown settle dfsssp; do
        "$heddle" route "$tmp/before.ibnet" $engine -o "$tmp/before.lft" >/dev/null
        same "$net $engine --keep after a lost cable" True "$("$heddle" route "$tmp/after.ibnet" $engine --keep "$tmp/before.lft" \
            -o "$tmp/after.lft" --json 2>/dev/null | kept '0 < entries_changed <= 3 * entries_forced and share >= .99 * share_fresh')"
        check "$net $engine --keep is proved" "$heddle" check "$tmp/after.ibnet" "$tmp/after.lft"
        same "$net $engine --keep without a change" "0 0" "$("$heddle" route "$tmp/after.ibnet" $engine --keep "$tmp/after.lft" \
            --json 2>/dev/null | kept 'str(entries_changed) + " " + str(lanes_changed)')"
    done
done
same "the table before --fail is kept" "$("$heddle" route ft:m=8,n=2 dmodc -o "$tmp/old.lft" >/dev/null; "$heddle" route ft:m=8,n=2 dmodc --keep "$tmp/old.lft" --fail links=1 --format lft-minimal | md5sum)" \
    "$("$heddle" route ft:m=8,n=2 dmodc --keep dmodc --fail links=1 --format lft-minimal | md5sum)"
exits "--keep reads NET twice with --fail" 2 "reads NET twice" sh -c "'$heddle' topo ft:m=4,n=2 -o - | '$heddle' route - dmodc --keep dmodc --fail links=1"
exits "--keep without such a file" 3 "nothing.lft" "$heddle" route ft:m=4,n=2 dmodc --keep nothing.lft
# ---- diff: the exit status says whether tables differ
tables() { # STATUS LAST-LINE NET TABLE TABLE
    local want="$1 $2" rc=0 last; shift 2
    last=$("$heddle" diff "$@" 2>/dev/null) || rc=$?
    same "diff $*" "$want" "$rc ${last##*$'\n'}"
}
tables 0 "identical" ft:m=4,n=2 dmodk dmodk
tables 1 "VLs of pairs     0 of 16256 change (0.00 %)" ft:m=8,n=3 minhop updown
tables 1 "VLs of pairs     48 of 240 change (20.00 %)" torus:dims=4x4,hosts=1 dfsssp lash
tables 1 "adaptive         in one of the tables only" ft:m=4,n=2 updown ar_updn
tables 0 "static ports are identical; groups of ports are not compared" ft:m=4,n=2 ar_updn ar_updn
same "diff --json: identical" "true false false null" "$(for t in "dmodk dmodk" "dmodk random" "updown ar_updn" "ar_updn ar_updn"; do
    # shellcheck disable=SC2086
    "$heddle" diff ft:m=4,n=2 $t --json | field identical; done | paste -sd' ')"
# LIDs of switches that only one of them lists are not compared, which is said and is no difference.
"$heddle" route ft:m=4,n=2 dmodk -o "$tmp/every.lft" >/dev/null
grep -v '# Switch portguid' "$tmp/every.lft" >"$tmp/hosts.lft"
tables 0 "entries that both list are identical" ft:m=4,n=2 "$tmp/every.lft" "$tmp/hosts.lft"
tables 0 "identical" ft:m=4,n=2 "$tmp/hosts.lft" "$tmp/hosts.lft"
check "it says whose they are" sh -c "'$heddle' diff ft:m=4,n=2 '$tmp/every.lft' '$tmp/hosts.lft' | grep -qx \"switch LIDs      only in 'from', not compared\""
same "in JSON" "null 48 0 \"from\" null 48 0 \"to\" true 48 0 \"neither\" true 84 0 \"both\"" "$(for t in "every hosts" "hosts every" "hosts hosts" "every every"; do
    "$heddle" diff ft:m=4,n=2 "$tmp/${t% *}.lft" "$tmp/${t#* }.lft" --json >"$tmp/json"
    for k in identical entries entries_changed switch_lids; do field $k <"$tmp/json"; done; done | paste -sd' ')"
check "other differences are" sh -c "'$heddle' diff ft:m=4,n=2 '$tmp/hosts.lft' random; [ \$? = 1 ]"
# VLs that are not known are not compared: levels of one pair alone, of a table that needs two VLs.
ring5=torus:dims=5,hosts=2
"$heddle" route $ring5 dfsssp -o "$tmp/lanes.lft" >/dev/null
grep -v '^# heddle' "$tmp/lanes.lft" >"$tmp/plain.lft"
printf '0x0200000100000000 2 0\n' >"$tmp/pair.psl"
unknown="file:path=$tmp/plain.lft,sl=$tmp/pair.psl"
tables 1 "VLs of pairs     8 of 90 change (8.89 %)" $ring5 dfsssp "$tmp/plain.lft"
tables 0 "entries that both list are identical" $ring5 dfsssp "$unknown"
tables 1 "VLs of pairs     known only in 'to', not compared" $ring5 "$unknown" updown
same "which VLs, in JSON" 'null 0 "from" null 0 "to" null 0 "neither" true 0 "both"' "$(for t in "dfsssp $unknown" "$unknown dfsssp" "$unknown $unknown" "dfsssp dfsssp"; do
    # shellcheck disable=SC2086
    "$heddle" diff $ring5 $t --json 2>/dev/null >"$tmp/json"
    for k in identical lanes_changed lanes_known; do field $k <"$tmp/json"; done; done | paste -sd' ')"
same "and in text" "known only in 'from', not compared not known, not compared" "$(for t in dfsssp "$unknown"; do
    "$heddle" diff $ring5 "$t" "$unknown" 2>/dev/null | sed -n 's/^VLs of pairs  *//p'; done | paste -sd' ')"

# ---- settle from a table in use
"$heddle" route torus:dims=4x4,hosts=2 psssp -o "$tmp/psssp.lft" >/dev/null
same "settle without passes is the table it begins with" 0 "$("$heddle" route torus:dims=4x4,hosts=2 "settle:table=$tmp/psssp.lft,passes=0" -o "$tmp/begun.lft" >/dev/null
    "$heddle" diff torus:dims=4x4,hosts=2 "$tmp/psssp.lft" "$tmp/begun.lft" --json | field entries_changed)"
"$heddle" route ft:m=8,n=3 settle -o "$tmp/settled.lft" >/dev/null
check "from a table for the fabric before a loss it serves all pairs" sh -c "'$heddle' route ft:m=8,n=3 'settle:table=$tmp/settled.lft' --fail links=2 -o '$tmp/again.lft' >/dev/null && '$heddle' check ft:m=8,n=3 '$tmp/again.lft' --fail links=2"
exits "two places to begin" 3 "table= and start= both" "$heddle" route ft:m=4,n=2 "settle:start=psssp,table=$tmp/file.lft"

# Tables with holes are written, and that is said wherever they go.
holes="ft:m=4,n=3 --fail links=13,seed=7"
lost=$("$heddle" check $holes ftree --json 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["unreachable"])')
for to in - "$tmp/holes.lft" "$tmp/holes.lft --json"; do
    exits "ftree leaves holes: -o ${to#"$tmp/"}" 0 "ftree on ft:m=4,n=3 .*: $lost pairs that cables connect have no path" "$heddle" route $holes ftree -o $to
done
check "also in JSON" grep -q "\"unserved\": $lost" "$tmp/out"
"$heddle" route $holes updown -o "$tmp/whole.lft" --json >"$tmp/out" 2>"$tmp/err"
check "updown leaves none" sh -c "grep -q '\"unserved\": 0' '$tmp/out' && ! grep -q 'no path (' '$tmp/err'"

# LIDs of switches: those of an engine are counted, as in its file; those that heddle derives are always reached.
down="ft:m=4,n=3 --fail links=5,seed=1"
exits "dnup leaves switches out" 0 "dnup on ft:m=4,n=3 .*: of the paths to other LIDs, 22 to switches and 0 to further LIDs of endpoints do not arrive" "$heddle" route $down dnup -o "$tmp/down.lft"
check "in the summary" grep -qx 'switch LIDs      22 of 152 paths to them do not arrive' "$tmp/out"
exits "and in JSON" 0 "22 to switches" "$heddle" route $down dnup --json
same "as numbers" "0 0 22" "$(for k in unserved further_lids_unserved switch_lids_unserved; do field $k <"$tmp/out"; done | paste -sd' ')"
exits "a file that is written again" 0 "22 to switches" "$heddle" route $down "$tmp/down.lft" -o "$tmp/again.lft"
options="--fail links=5,seed=1"
for table in dnup "$tmp/down.lft"; do
    same "check says the same of ${table##*/}" "1 0 22" "$(judge ft:m=4,n=3 "$table" unreachable switch_lids.unreachable)"
done
agg=director:groups=2,leaves=2,directors=1,lines=2,spines=2,hosts=2,rails=2,sharp=on options="--fail links=4,seed=1"
"$heddle" route $agg $options ftree -o "$tmp/agg.lft" >"$tmp/out" 2>"$tmp/err"
check "ftree has no path to some aggregation nodes, but to all switches" sh -c "! grep 'LIDs' '$tmp/out' '$tmp/err'"
for table in ftree "$tmp/agg.lft"; do
    same "which is no fault of ${table##*/}" "0 0 54 0" "$(judge $agg "$table" unreachable other_endpoints.aggregation_unserved switch_lids.unreachable)"
done
options=${holes#* }
same "switches are reached where pairs are not" "1 $lost 0" "$(judge "${holes%% *}" "$tmp/holes.lft" unreachable switch_lids.unreachable)"

# Service level k is VL k, for as many as there are.
same "SL2VL tables for ibdmchk" " 0x01 0x20 0x00 0x00 0x00 0x00 0x00 0x00" "$("$heddle" route torus:dims=6,hosts=1 lash --format slvl -o - | sed 's/^[^ ]* [^ ]* [^ ]*//' | sort -u)"
finish
