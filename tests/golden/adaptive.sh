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
check "what a static table would give" grep -q 'use the static ports: EBB 0\.[0-9]*; [a-z]* would give 0\.[0-9]*' "$tmp/json"
same "its figure is of the groups that the fabric has" "$tmp/ar" "$(get '[o["figures"]["adaptive"]["command"] for o in d["options"] if o["current"]][0].split()[3]' <"$tmp/json")"
"$heddle" advise "$tmp/ar" "$tmp/ar" -o "$tmp/advice" -q --no-progress >/dev/null
check "and it is in the folder" grep -q 'routing_engine ar_updn' "$tmp/advice/README"

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
same "eval has three figures" "['best', 'bound', 'even', 'samples'] ['ci', 'model', 'runs', 'value']" \
    "$(after eval pfrn -n 4 | get 'str(sorted(d["rows"][0]["split"])) + " " + str(sorted(d["rows"][0]["simulated"]))')"
check "none of a split where flows have no path" sh -c "'$heddle' eval mesh:dims=3,hosts=2 ar_updn --fail links=1 -n 20 --quiet | grep -q 'flows have no path'"
same "the same with three threads" "$(after eval old -n 4)" "$(after eval old -n 4 --threads 3)"
exits "old tables of what" 2 "--after-fail old goes with --fail" "$heddle" sim ft:m=8,n=2 ar_updn --after-fail old
exits "NET twice" 2 "--after-fail reads NET twice: give a file" \
    bash -c "'$heddle' eval - ar_updn --fail links=1 --after-fail old <'$tmp/net.ibnet'"
finish
