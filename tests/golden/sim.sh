#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle sim as users and scripts see it: figures, JSON, CSV, deadlock, the same bytes from any number of threads and ranks.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
mpi=$HEDDLE_BUILD/heddle-mpi
run="mpirun --oversubscribe --allow-run-as-root -n"
tree="xgft:m=6x4,w=1x3"
# field NAME: the number behind a key of the JSON on standard input.
field() { tr -d '\n ' | grep -oE "\"$1\":[^,}]*" | head -n 1 | cut -d: -f2; }

request="sim $tree omrmn -p bisect -n 7 --select probing --model myrinet --size 64KiB --messages 3 --json"
one=$("$heddle" $request --threads 1)
for threads in 2 3; do
    same "$threads threads print what one does" "$one" "$("$heddle" $request --threads $threads)"
done
if [ -x "$mpi" ]; then
    for ranks in 2 3; do
        same "$ranks processes print what one does" "$one" "$($run $ranks "$mpi" $request --threads 1 2>/dev/null)"
    done
    ring="sim torus:dims=6,hosts=2 minhop -p permutation -n 6 --size 1MiB --json"
    same "processes agree on the first deadlock and its cycle" "$("$heddle" $ring --threads 1)" "$($run 3 "$mpi" $ring --threads 1 2>/dev/null)"
else
    skip "processes print what one does" "no MPI here"
fi

exits "a model of other switches than the fabric has" 0 'sim: model hdr is of other switches .* links are of model edr' \
    "$heddle" sim "$tree" dmodk -n 1 --size 4096 --model hdr
same "one that fits" "" "$("$heddle" sim "$tree" dmodk -n 1 --size 4096 --model edr 2>&1 >/dev/null)"
same "rates of its own are meant" "" "$("$heddle" sim "$tree" dmodk -n 1 --size 4096 --model hdr:link=25000,host=25000 2>&1 >/dev/null)"
same "schema" 1 "$(echo "$one" | field schema)"
same "packets: 7 runs, 24 senders, 3 messages of 16" $((7 * 24 * 3 * 16)) "$(echo "$one" | field packets)"
same "events are counted" 1 "$(($(echo "$one" | field events) > 7 * 24 * 3 * 16 * 3))"
for key in fraction min max fairness latency_p99 ceiling_MBps time_ns reordered changes settled_ns settled_bytes; do
    same "JSON has $key" 1 "$([ -n "$(echo "$one" | field $key)" ] && echo 1)"
done
same "no timing unless asked for" "" "$(echo "$one" | field packets_per_second)"
same "timing when asked for" 1 "$([ -n "$("$heddle" $request --timing | field packets_per_second)" ] && echo 1)"
check "every parameter of the model is printed" grep -q 'buffer=8192,.*jitter=300' <("$heddle" sim "$tree" dmodk -n 1 --size 4096 --model myrinet:buffer=8192)
same "an unloaded packet: three wires, two switches, 630 ns" 860 \
    "$(printf '0 1 2048 -\n' >"$tmp/t" && "$heddle" sim mesh:dims=2,hosts=1 minhop --trace "$tmp/t" --json | field latency_max)"

"$heddle" sim "$tree" dmodk -p permutation -n 3 --size 64K --channels "$tmp/c" --samples "$tmp/s" --series "$tmp/i" --interval 1000 >/dev/null
same "a line for every channel" $((2 * (24 + 12) + 1)) "$(wc -l <"$tmp/c")"
same "a line for every run" 4 "$(wc -l <"$tmp/s")"
same "the series holds every byte" $((3 * 24 * 65536)) "$(awk -F, 'NR > 1 { n += $2 } END { printf "%d", n }' "$tmp/i")"
same "channels into hosts carried every packet" $((3 * 24 * 32 * 630)) \
    "$(awk -F, 'NR > 1 && $3 ~ /node/ { n += $5 } END { printf "%d", n }' "$tmp/c")"

# Flows without a path are part of the mean, as they are for eval.
islands="mesh:dims=4,hosts=2 minhop --fail links=3,seed=1"
check "what has no path counts as 0, as in eval" awk -v sim="$("$heddle" sim $islands -p permutation -n 50 --size 1MiB --quiet --json | field fraction)" \
    -v eval="$("$heddle" eval $islands -p permutation -n 50 --quiet --json | field value)" \
    'BEGIN { exit !(eval > 0 && eval < .5 && sim < eval && sim > .99 * eval) }'
exits "and is reported" 0 '[0-9]+ flows have no path and count as 0 .*--part' "$heddle" sim $islands -p permutation -n 5 --size 4096

rc=0; "$heddle" sim torus:dims=6,hosts=2 minhop -p shift --size 256KiB >"$tmp/out" || rc=$?
same "a deadlock is exit 1" 1 "$rc"
check "and shows its cycle" grep -q 'L1-0000 port 3 -> L1-0001' "$tmp/out"
check "lanes have none" "$heddle" sim torus:dims=6,hosts=2 lash -p shift --size 64KiB
check "a collective in step" "$heddle" sim "$tree" dmodk -p recdbl --model infiniband:progress=stage --size 8K
check "only the first stages" "$heddle" sim "$tree" dmodk -p shift --stages 2 --size 8K
exits "an exchange wants pairs" 3 "two partners" "$heddle" sim "$tree" dmodk -p ring --model myrinet
exits "a bad size" 2 "expected a size in bytes" "$heddle" sim "$tree" dmodk --size many
exits "a bad count" 2 "an integer" "$heddle" sim "$tree" dmodk -n -3
exits "an unknown selector" 3 "did you mean 'probing'" "$heddle" sim "$tree" dmodk --select probin
exits "an unknown key" 3 "bufer" "$heddle" sim "$tree" dmodk --model myrinet:bufer=3
exits "pattern and trace" 2 "exclude" "$heddle" sim "$tree" dmodk -p ring --trace "$tmp/t"
exits "a trace without an end" 3 "more than 8388608 messages" sh -c "yes '0 1 1 -' | '$heddle' sim '$tree' dmodk --trace -"
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0][sys.argv[1]])' "$1"; }
"$heddle" sim ft:m=4,n=2 dmodk -p shift --model infiniband:gap=2544,window=8 --size 7131 --messages 40 --json >"$tmp/json"
check "pauses that other messages fill do not make shares above 1" \
    awk -v f="$(field fraction <"$tmp/json")" 'BEGIN { exit !(f > 0.5 && f <= 1) }'
"$heddle" topo ft:m=4,n=2 -o "$tmp/even.net"
sed '/"H-0200000100000000"/s/4x[A-Z]*$/1xSDR/; /^\[1\](200000100000001)/s/4x[A-Z]*$/1xSDR/' "$tmp/even.net" >"$tmp/slow.net"
lone="--model infiniband:link=0,host=100000 --size 65536 --messages 4 --json"
even=$("$heddle" sim "$tmp/even.net" minhop -p ring $lone | field ceiling_MBps)
"$heddle" sim "$tmp/slow.net" minhop -p ring $lone >"$tmp/json"
same "the ceiling is the mean of the hosts, not that of the first" 1 \
    "$(awk -v c="$(field ceiling_MBps <"$tmp/json")" -v e="$even" 'BEGIN { print (c > 0.8 * e && c < 0.95 * e) }')"
same "and so is the bandwidth" 1 \
    "$(awk -v b="$(field bandwidth_MBps <"$tmp/json")" -v c="$(field ceiling_MBps <"$tmp/json")" 'BEGIN { print (b > 0.5 * c && b <= c) }')"
# HDR hosts behind EDR trunks: eight hosts of a leaf, eight cables of half their rate up
"$heddle" topo xgft:m=8x4,w=1x8 -o "$tmp/edr.net"
sed '/"H-/s/4xEDR/4xHDR/; /^\[1\](/s/4xEDR/4xHDR/' "$tmp/edr.net" >"$tmp/mixed.net"
for select in static ar; do
    "$heddle" sim "$tmp/mixed.net" dmodk -p bridge --select $select --model hdr:duration=400000,warmup=40000 --json >"$tmp/json"
    same "HDR hosts over EDR trunks get half of their rate: $select" 1 \
        "$(awk -v f="$(field fraction <"$tmp/json")" -v g="$(field bandwidth_Gbps <"$tmp/json")" 'BEGIN { print (f > 0.475 && f < 0.505 && g > 95 && g < 101) }')"
done
"$heddle" sim "$tmp/mixed.net" dmodk -p ring --model hdr --size 4MiB --json >"$tmp/json"
same "and all of it below one switch" 1 "$(awk -v f="$(field sender_max <"$tmp/json")" 'BEGIN { print (f > 0.99) }')"
exits "an unknown rate" 3 "rate of the cable" sh -c "sed 's/4x[A-Z]*//' '$tmp/edr.net' >'$tmp/unknown.net'; '$heddle' sim '$tmp/unknown.net' minhop -p ring --model hdr:rate=0"
check "unless the model has one" "$heddle" sim "$tmp/unknown.net" minhop -p ring --model hdr --size 8K
request="sim gft:n=4,m=4,r=8 dmodk -p bisect -n 5 --select ar --model hdr --size 64KiB --json"
one=$("$heddle" $request --threads 1)
same "virtual output queues: 3 threads print what one does" "$one" "$("$heddle" $request --threads 3)"
for key in ci bandwidth_Gbps latency_mean; do
    same "JSON has $key" 1 "$(echo "$one" | field $key | grep -c '[0-9]')"
done
exits "a trace with an error" 3 ":1: " "$heddle" sim "$tree" dmodk --trace "$tmp/s"
printf '0 5 2\n3 9 0.5\n' >"$tmp/matrix"
for pattern in $("$heddle" list pattern | awk '{ print $1 }'); do
    [ "$pattern" = file ] && spec=file:path=$tmp/matrix || spec=$pattern
    check "pattern $pattern as packets" "$heddle" sim "$tree" dmodk -p "$spec" --size 8K
done
same "all selectors are listed" "static random adaptive probing ar ecmp spray" "$("$heddle" list selector | awk '{ print $1 }' | xargs)"
same "and the models" "myrinet infiniband qdr edr hdr ndr xdr roce uec" "$("$heddle" list model | awk '{ print $1 }' | xargs)"
check "help tells a selector's parameters" grep -q 'threshold' <("$heddle" help probing)
finish
