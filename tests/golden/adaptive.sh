#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Advice for fabrics that are adaptively routed: their configuration, not tables; which service levels, by what adapters
# take out of order; where it cannot help; and static tables where groups are faulty or there are none. What happens to
# its packets after a failure.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
"$heddle" topo ft:m=8,n=2 -o "$tmp/net.ibnet"
folder() { # folder NAME [MASK...]: what ibdiagnet writes, with OOOSLMask of the first adapters, 0xffff of the others
    local name=$1; shift
    python3 tests/golden/ibdiag.py "$tmp/net.ibnet" "$tmp/$name" 0
    "$heddle" route "$tmp/net.ibnet" ar_updn --format far -o "$tmp/$name/ibdiagnet2.far" -q >/dev/null
    [ $# = 0 ] && return
    { printf 'START_EXTENDED_PORT_INFO\nNodeGuid,PortNum,OOOSLMask,AdaptiveTimeoutSLMask\n'
      printf '0x0200000000100000,1,0x0000,0x0\n' # of a switch: says nothing
      sed -n 's/^Ca.*"H-\([0-9a-f]*\)".*/0x\1/p' "$tmp/net.ibnet" | while read -r guid; do
          printf '%s,1,%s,0xffff\n' "$guid" "${1:-0xffff}"
          [ $# = 0 ] || shift
      done
      printf 'END_EXTENDED_PORT_INFO\n'; } >>"$tmp/$name/ibdiagnet2.db_csv"
}
advise() { "$heddle" advise "$@" --json --no-progress 2>"$tmp/err"; }
get() { python3 -c 'import json, sys
d = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1"; }
step='[s["what"] for s in d["steps"] if "Configure" in s["what"]]'

folder ar 0xffff
advise "$tmp/ar" "$tmp/ar" >"$tmp/json"
check "adaptive routing is kept" grep -q '"headline": "Keep adaptive routing: random pairs get 0\.9[0-9]* of a link, with the best static table (' "$tmp/json"
same "that is the current table" "$tmp/ar" "$(get 'd["best"]' <"$tmp/json")"
same "every choice was proved" "PASS" "$(get '[f["verdict"] for f in d["findings"] if f["subject"] == "every choice"][0]' <"$tmp/json")"
same "what to configure" "['Configure the subnet manager and load no tables: routing_engine ar_updn, root_guid_file with the 4 top switches, ar_sl_mask 0xFFFF, since all adapters take packets out of order; applications at any service level']" \
    "$(get "$step" <"$tmp/json")"
command=$(get '[s["command"] for s in d["steps"] if "Configure" in s["what"]][0]' <"$tmp/json")
(cd "$tmp" && eval "${command/#heddle/$heddle}" >/dev/null)
same "the roots" 4 "$(grep -c '^0x' "$tmp/roots")"
check "why both differ" grep -q 'A static table sends all packets of a pair along one path' "$tmp/json"
check "where it cannot help" grep -q 'cannot help on the path down' "$tmp/json"
check "what a static table would give" grep -q 'use the static ports: EBB 0\.[0-9]*; no other table that can be loaded gives more' "$tmp/json"
check "and what the figures are of" grep -q 'those after failures included, are of its static ports' "$tmp/json"
check "no note on tables that score more than static ports" bash -c "! grep -q 'would score' '$tmp/json'"
same "its figure is of the groups that the fabric has" "$tmp/ar" "$(get '[o["figures"]["adaptive"]["command"] for o in d["options"] if o["current"]][0].split()[3]' <"$tmp/json")"
"$heddle" advise "$tmp/ar" "$tmp/ar" -o "$tmp/advice" -q --no-progress >/dev/null
check "and it is in the folder" grep -q 'routing_engine ar_updn' "$tmp/advice/README"

# Flows that are hashed onto ports collide: the static ports do better.
folder hbf 0xffff
sed -i 's/ Free       / HBF        /' "$tmp/hbf/ibdiagnet2.far"
advise "$tmp/hbf" "$tmp/hbf" >"$tmp/json"
check "hashed flows: choose by load" grep -q '"headline": "Let switches choose ports by load, not by hash: random pairs get 0\.[67][0-9]* of a link with hashed flows, 0\.8[0-9]* along the static ports\.' "$tmp/json"
check "how to configure that" grep -q 'with the 4 top switches, hbf_sl_mask 0x0000, ar_sl_mask 0xFFFF' <(get "$step" <"$tmp/json")
sed -i 's/,0xffff,0xffff$/,0x0000,0xffff/' "$tmp/hbf/ibdiagnet2.db_csv"
check "unless adapters need packets in order" grep -q '"headline": "Turn adaptive routing off: random pairs get' <(advise "$tmp/hbf" "$tmp/hbf")
check "why they differ" grep -q 'some cables get several flows by chance' "$tmp/json"

folder strict 0x0000 0xffff
advise "$tmp/strict" "$tmp/strict" >"$tmp/json"
same "an adapter that needs packets in order" "WARN 1 of 32 adapter ports take no packets out of order: traffic to them must use the static ports" \
    "$(get '[f["verdict"] + " " + f["text"] for f in d["findings"] if f["subject"] == "packet order"][0]' <"$tmp/json")"
check "has a service level of its own" grep -q 'ar_sl_mask 0xFFFE, applications at service level 1 (NCCL_IB_SL=1, UCX_IB_SL=1)' <(get "$step" <"$tmp/json")
folder some 0x000c 0x0006
check "the levels that all of them take" grep -q 'ar_sl_mask 0x0004, applications at service level 2' <(advise "$tmp/some" "$tmp/some" | get "$step")
folder none 0x0008 0x0004
check "none in common" grep -q 'ar_sl_mask 0x0000, since no service level' <(advise "$tmp/none" "$tmp/none" | get "$step")
folder unknown
check "not known" grep -q 'ar_sl_mask 0xFFFF (adapters were not asked' <(advise "$tmp/unknown" "$tmp/unknown" | get "$step")

advise "$tmp/ar" >"$tmp/json"
check "without the table, the folder is pointed out" grep -q 'The fabric is adaptively routed: .* has its tables' "$tmp/json"
same "and static tables are compared as ever" "[]" "$(get "$step" <"$tmp/json")"
advise "$tmp/net.ibnet" minhop >"$tmp/json"
same "a fabric with a static table gets a static table" "[]" "$(get "$step" <"$tmp/json")"
sed -i '0,/^1 .*/s//1 0 0 1,5,6,7,8,/' "$tmp/ar/ibdiagnet2.far"
advise "$tmp/ar" "$tmp/ar" >"$tmp/json"
same "a group with a port that leads elsewhere" "FAIL" "$(get '[f["verdict"] for f in d["findings"] if f["subject"] == "every choice"][0]' <"$tmp/json")"
same "is not kept" "[] False" "$(get "$step" <"$tmp/json") $(get "d['best'] == '$tmp/ar'" <"$tmp/json")"

# Between a failure and new tables.
after() { "$heddle" "$1" ft:m=8,n=2 ar_updn --fail links=3,seed=1 --after-fail "$2" --json -q "${@:3}" 2>"$tmp/err"; }
same "new groups lose nothing" "0" "$(after check new | get 'd["adaptive"]["unreachable"]')"
check "old ones may" test "$(after check old | get 'd["adaptive"]["unreachable"]')" -gt 0
same "notified ones do not" "0" "$(after check pfrn | get 'd["adaptive"]["unreachable"]')"
run="--select ar -p permutation -n 2 --model edr:size=64K"
check "packets are dropped" test "$(after sim old $run | get 'd["rows"][0]["dropped"]')" -gt 0
same "or not" "0" "$(after sim pfrn $run | get 'd["rows"][0]["dropped"]')"
same "eval has three figures" "['best', 'bound', 'even', 'samples'] ['choosing', 'ci', 'dropped', 'model', 'runs', 'value']" \
    "$(after eval pfrn -n 4 | get 'str(sorted(d["rows"][0]["split"])) + " " + str(sorted(d["rows"][0]["simulated"]))')"
# One spine has lost its cable to leaf 1, of which leaf 0 knows nothing: half of what node 0 sends there is lost.
"$heddle" topo xgft:m=1x2,w=1x2 -o "$tmp/two.ibnet"
sed '/^\[3\].*"S-0200000000100003"\[2\]/d;/^\[2\].*"S-0200000000100001"\[3\]/d' "$tmp/two.ibnet" >"$tmp/cut.ibnet"
"$heddle" route "$tmp/two.ibnet" ar_updn --format far -o "$tmp/two.far" -q >/dev/null
same "what old groups lose counts as lost: the mean of 1/2 and 1, and 1/2 of both at once" "0.750 0.500 1.000" \
    "$("$heddle" eval "$tmp/cut.ibnet" "$tmp/two.far" -p ring --json -q 2>/dev/null | get '"%.3f %.3f %.3f" % (d["rows"][0]["fluid"], d["rows"][0]["split"]["even"], d["rows"][0]["split"]["best"])')"
same "in the simulator too" "True True" "$(after eval old -n 4 | get 'str(d["rows"][0]["simulated"]["dropped"] > 0) + " " + str(d["rows"][0]["simulated"]["value"] < 1)')"
check "notified groups do not: more for all at once" test "$(after eval pfrn -n 4 | get 'd["rows"][0]["split"]["even"]')" \> \
    "$(after eval old -n 4 | get 'd["rows"][0]["split"]["even"]')"
# Flows over groups of ports are split: the bound is no whole number of them. 15 flows each way over two cables.
cat >"$tmp/line.net" <<'END'
Switch 6 "S-01" # "sw0"
[1] "S-02"[1]
[2] "S-02"[2]
[3] "S-02"[3]
[4] "H-11"[1]
[5] "H-12"[1]
[6] "H-13"[1]

Switch 7 "S-02" # "sw1"
[1] "S-01"[1]
[2] "S-01"[2]
[3] "S-01"[3]
[4] "S-03"[1]
[5] "S-03"[2]
[6] "H-14"[1]
[7] "H-15"[1]

Switch 5 "S-03" # "sw2"
[1] "S-02"[4]
[2] "S-02"[5]
[3] "H-16"[1]
[4] "H-17"[1]
[5] "H-18"[1]
END
for n in 1 2 3; do printf '\nCa 1 "H-1%s" # "n%s"\n[1] "S-01"[%s]\n' $n $n $((n + 3)) >>"$tmp/line.net"; done
for n in 4 5; do printf '\nCa 1 "H-1%s" # "n%s"\n[1] "S-02"[%s]\n' $n $n $((n + 2)) >>"$tmp/line.net"; done
for n in 6 7 8; do printf '\nCa 1 "H-1%s" # "n%s"\n[1] "S-03"[%s]\n' $n $n $((n - 3)) >>"$tmp/line.net"; done
same "a bound on flows that are split" "7.5 7.5" "$("$heddle" eval "$tmp/line.net" ar_updn -p alltoall -m maxload --json |
    python3 -c 'import json, sys; r = json.load(sys.stdin)["rows"][0]; print(r["bound"], r["fluid"])')"

# LIDs whose groups are used by hash: flows keep a port, as with ecmp; bounded ones change when they pause.
"$heddle" route "$tmp/net.ibnet" ar_updn --format far -o "$tmp/free.far" -q >/dev/null
sed 's/ Free       / HBF        /' "$tmp/free.far" >"$tmp/hbf.far"
sed 's/ Free       / Bounded    /' "$tmp/free.far" >"$tmp/bounded.far"
sed '0,/ Free       /s// HBF        /' "$tmp/free.far" >"$tmp/mixed.far"
for state in free:packet hbf:hash bounded:bounded mixed:mixed; do
    same "${state%:*} LIDs" "${state#*:}" \
        "$("$heddle" eval "$tmp/net.ibnet" "$tmp/${state%:*}.far" -n 4 --json -q | get 'd["rows"][0]["simulated"]["choosing"]')"
done
figure() { "$heddle" eval "$tmp/net.ibnet" "$1" -n 4 --json -q | get '"%.9f" % d["rows"][0]["simulated"]["value"]'; }
model=$("$heddle" eval "$tmp/net.ibnet" "$tmp/hbf.far" -n 4 --json -q | get 'd["rows"][0]["simulated"]["model"]')
same "hashed flows are simulated as such" \
    "$("$heddle" sim "$tmp/net.ibnet" "$tmp/free.far" --select ecmp -n 8 --model "$model" --json | get '"%.9f" % d["rows"][0]["fraction"]')" "$(figure "$tmp/hbf.far")"
check "and collide" test "$(figure "$tmp/hbf.far")" \< "$(figure "$tmp/bounded.far")"
check "bound ones less, single packets least" test "$(figure "$tmp/bounded.far")" \< "$(figure "$tmp/free.far")"
check "which the table says" grep -q 'simulated 0\.[0-9]*, flows hashed' <("$heddle" eval "$tmp/net.ibnet" "$tmp/hbf.far" -n 4)
check "none of a split where flows have no path" sh -c "'$heddle' eval mesh:dims=3,hosts=2 ar_updn --fail links=1 -n 20 --quiet | grep -q 'flows have no path'"
# All three ports that are left lead to switches without one: parts are rounded, and still nothing arrives.
printf 'node-00010 node-00020 1\nnode-00000 node-00004 1\n' >"$tmp/flows"
same "a flow of which nothing arrives is not served" "0.5 None" "$("$heddle" eval xgft:m=4x6,w=1x4 ar_updn --after-fail old \
    --fail link=L1-0000:8+L1-0001:5+L1-0001:6+L1-0001:7 -p file:path="$tmp/flows" --json -q |
    get '"%s %s" % (d["rows"][0]["fluid"], d["rows"][0]["split"]["even"])')"
same "the same with three threads" "$(after eval old -n 4)" "$(after eval old -n 4 --threads 3)"
exits "old tables of what" 2 "--after-fail old goes with --fail" "$heddle" sim ft:m=8,n=2 ar_updn --after-fail old
exits "NET twice" 2 "--after-fail reads NET twice: give a file" \
    bash -c "'$heddle' eval - ar_updn --fail links=1 --after-fail old <'$tmp/net.ibnet'"
finish
