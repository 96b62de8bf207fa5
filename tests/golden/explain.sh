#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# heddle explain: counters in every form give the same links, each cause is found where it was put, samples that do not
# fit each other are said so, and what is broken is refused in one line.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
net=$tmp/net.ibnet
"$heddle" topo ft:m=8,n=2 -o "$net"
write() { python3 tests/golden/explain.py "$net" "$@"; }
explain() { "$heddle" explain "$net" "${table:-ftree}" --counters "$tmp/before,$tmp/after" "$@"; }
# causes [OPTION...]: what was found, one line per link.
causes() {
    explain "$@" --json 2>"$tmp/err" | python3 -c 'import json, sys
end = lambda e: "%s:%d" % (e["node"], e["port"])
for l in json.load(sys.stdin)["links"]:
    at = l["at"] and l["at"]["from"] or l["from"]
    print(l["cause"], end(l["from"]), end(l["to"]), "at " + end(at), "lost %.1f" % (l["lost"] or 0))'
}
# 10 s of a 100 Gb/s link are 31250000000 words; 97656250 ticks of 128 bytes are 10 Gb/s lost.
zero=(--time '2026-01-01 00:00:00 UTC +0000')
later=(--time '2026-01-01 01:00:10 CET +0100')
slow_host=(L1-0003:1:PortXmitWait=195312500 L2-0008:4:PortXmitWait=97656250 L1-0000:5:PortXmitWait=97656250)
sick=(L1-0001:6:SymbolErrorCounter=500 L1-0001:6:LinkDownedCounter=2)

# ---- every form says the same -----------------------------------------------------------------------------
write csv "$tmp/before" "${zero[@]}"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}" "${sick[@]}"
want=$(causes)
same "a host that does not take packets, followed from its leaf upstream, and a sick link" \
    'sick-link L1-0001:6 L2-0009:2 at L1-0001:6 lost 0.0
receiver L1-0003:1 node-00012:1 at L1-0003:1 lost 20.0
receiver L1-0000:5 L2-0008:1 at L1-0003:1 lost 10.0
receiver L2-0008:4 L1-0003:5 at L1-0003:1 lost 10.0' "$want"
same "causes are counted" 'other-job 0, receiver 3, routing 0, sick-link 1' "$(explain --json | python3 -c 'import json, sys
print(", ".join("%s %d" % c for c in sorted(json.load(sys.stdin)["causes"].items())))')"
for form in csv-old pm perfquery perfquery-x errors; do
    write $form "$tmp/before" "${zero[@]}"
    write $form "$tmp/after" "${later[@]}" "${slow_host[@]}" "${sick[@]}"
    same "$form says the same" "$want" "$(causes)"
done
write pm "$tmp/before"
write errors "$tmp/after" "${slow_host[@]}" "${sick[@]}"
same "two forms may be mixed, with the time given" "$want" "$(causes --seconds 10)"
touch -d '2026-01-01 00:00:00 UTC' "$tmp/before"
touch -d '2026-01-01 00:00:10 UTC' "$tmp/after"
same "or taken from the files" "$want" "$(causes)"
check "and it is said" grep -q '^counters         10 s between the samples (by the times of the files)' <(explain)
time_between() { explain --json 2>&1 | grep -oE '"seconds": *[0-9.]+|is not later than' | sed 's/.*: *//'; }
stamp() { touch -d "2026-01-01 00:00:$2 UTC" "$1"; }
stamp "$tmp/before" 00.900
stamp "$tmp/after" 02.000
same "to parts of a second" 1.1 "$(time_between)"
stamp "$tmp/after" 01.800
same "also less than one" 0.9 "$(time_between)"
mv "$tmp/before" "$tmp/0.pm" && mv "$tmp/after" "$tmp/1.ibqueryerrors"
mkdir "$tmp/before" "$tmp/after"
for name in before after; do
    write pm "$tmp/$name/ibdiagnet2.pm"
    touch "$tmp/$name/ibdiagnet2.log"
done
stamp "$tmp/before/ibdiagnet2.pm" 10
stamp "$tmp/after/ibdiagnet2.pm" 12.500
stamp "$tmp/before" 30
stamp "$tmp/after" 20
same "of a folder, those of the files that were read" 2.5 "$(time_between)"
for format in pax ustar; do
    for name in before after; do
        tar --format=$format -C "$tmp" -cf "$tmp/$name.tar" "$name"
    done
    stamp "$tmp/after.tar" 05
    same "of an archive ($format), those that it says" "$([ $format = pax ] && echo 2.5 || echo 2)" \
        "$("$heddle" explain "$net" ftree --counters "$tmp/before.tar,$tmp/after.tar" --json | grep -oE '"seconds": *[0-9.]+' | sed 's/.*: *//')"
done
rm -r "$tmp/before" "$tmp/after"
mkfifo "$tmp/fifo" # a pipe has no such time
mv "$tmp/0.pm" "$tmp/before" && mv "$tmp/1.ibqueryerrors" "$tmp/after"
cat "$tmp/before" >"$tmp/fifo" &
exits "a pipe does not say when its sample was taken" 3 'do not say when they were taken: expected --seconds' \
    "$heddle" explain "$net" ftree --counters "$tmp/fifo,$tmp/after"
wait
mkdir "$tmp/one" "$tmp/two"
write csv "$tmp/one/ibdiagnet2.db_csv" "${zero[@]}"
write pm "$tmp/two/ibdiagnet2.pm" "${later[@]}" "${slow_host[@]}" "${sick[@]}"
tar -C "$tmp" -czf "$tmp/after" two
cp -r "$tmp/one" "$tmp/folder"
rm "$tmp/before"
mv "$tmp/folder" "$tmp/before"
same "a folder and an archive of ibdiagnet" "$want" "$(causes)"
rm -r "$tmp/before"
same "the same bytes on any number of threads" "$(write csv "$tmp/before" "${zero[@]}"; write csv "$tmp/after" "${later[@]}" "${slow_host[@]}"; explain --threads 1)" "$(explain --threads 2)"

# ---- causes -------------------------------------------------------------------------------------------------
status() { explain >"$tmp/out" 2>"$tmp/err"; echo $?; }
same "congestion is no fault" 0 "$(status)"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}" "${sick[@]}"
same "a sick link is" 1 "$(status)"
write csv "$tmp/after" "${later[@]}" L1-0000:5:SymbolErrorCounter=9
same "few errors are not" "" "$(causes)"
# incast: the cable of a host is full, and the links towards it wait
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitData=30000000000 L2-0008:4:PortXmitWait=97656250
same "more sent than the cable of a host carries" 'receiver L2-0008:4 L1-0003:5 at L1-0003:1 lost 10.0' "$(causes)"
# two nodes of a leaf send through one up port
write csv "$tmp/after" "${later[@]}" L1-0000:5:PortXmitData=31000000000 L1-0000:5:PortXmitWait=97656250
"$heddle" route "$net" ftree -o "$tmp/lft" >/dev/null
table=$tmp/collide
# whatever a leaf sends up leaves by port 5
sed '/guid 0x020000000010000[0-7]/,/dumped/s/^\(0x[0-9a-f]*\) 00[678] /\1 005 /' "$tmp/lft" >"$tmp/collide"
printf 'one node-0000[0-1],node-0001[0-1] shift\n' >"$tmp/jobs"
same "one job that loads a link twice: routing" 'routing L1-0000:5 L2-0008:1 at L1-0000:5 lost 10.0' "$(causes --jobs "$tmp/jobs")"
check "it is named" grep -q 'job one alone asks for up to 2.0 times what it carries' <(explain --jobs "$tmp/jobs")
printf 'one node-00000,node-00010 ring\ntwo node-00001,node-00011 ring\n' >"$tmp/jobs"
same "two jobs that do together: other job" 'other-job L1-0000:5 L2-0008:1 at L1-0000:5 lost 10.0' "$(causes --jobs "$tmp/jobs")"
check "both are named" grep -q 'jobs one and two together ask for up to 2.0 times' <(explain --jobs "$tmp/jobs")
printf 'one node-0000[0-1],node-0001[0-1] shift\ntwo node-00002,node-00012 ring\n' >"$tmp/jobs"
check "a job that does alone beside another: each with its load" \
    grep -q 'job one alone asks for up to 2.0 times what it carries, with 1 other up to 3.0 times$' <(explain --jobs "$tmp/jobs")
printf '%s node-0000%d,node-0001%d ring\n' one 0 0 two 1 1 three 2 2 four 3 3 >"$tmp/jobs"
check "four jobs that do together are counted" \
    grep -q 'jobs one, two and 2 others together ask for up to 4.0 times' <(explain --jobs "$tmp/jobs")
printf 'one node-00020,node-00030 ring\n' >"$tmp/jobs"
same "a job elsewhere does not explain it" 'other-job L1-0000:5 L2-0008:1 at L1-0000:5 lost 10.0' "$(causes --jobs "$tmp/jobs")"
check "which is said" grep -q 'no listed job explains it' <(explain --jobs "$tmp/jobs")
table=
"$heddle" route "$net" ar_ftree --format far -o "$tmp/far" -q >/dev/null
printf 'one node-0000[0-1],node-0001[0-1] shift\n' >"$tmp/jobs"
same "adaptive routing would have spread that job" 'other-job L1-0000:5 L2-0008:1 at L1-0000:5 lost 10.0' "$(table=$tmp/far causes --jobs "$tmp/jobs")"
# a slow cable between fast ones
slow=$tmp/slow.ibnet
sed '/^\[5\].*"S-0200000000100008"\[1\]/s/4xEDR/4xQDR/;/^\[1\].*"S-0200000000100000"\[5\]/s/4xEDR/4xQDR/' "$net" >"$slow"
check "the slow one" [ "$(grep -c 4xQDR "$slow")" = 2 ]
net=$slow
same "is sick" 'sick-link L1-0000:5 L2-0008:1 at L1-0000:5 lost 10.0' "$(causes)"
net=$tmp/net.ibnet
# ticks of Quantum are 8 bytes
sed 's/4xEDR/4xHDR/' "$net" >"$tmp/hdr.ibnet"
net=$tmp/hdr.ibnet
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=3125000000
same "ticks of faster switches" 'receiver L1-0003:1 node-00012:1 at L1-0003:1 lost 20.0' "$(causes)"
net=$tmp/net.ibnet

# ---- samples that do not fit --------------------------------------------------------------------------------
field() { explain --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*[d[k] for k in sys.argv[1:]])' "$@"; }
write csv "$tmp/before" "${zero[@]}" L1-0003:1:PortXmitWait=500000000
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=195312500
same "a counter that was reset is a lower bound" 'receiver L1-0003:1 node-00012:1 at L1-0003:1 lost 20.0' "$(causes)"
same "and counted" '1 0' "$(field reset stopped)"
check "and marked" grep -q '>20.0' <(explain)
write csv "$tmp/before" "${zero[@]}"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}"
"$heddle" explain "$net" ftree --counters "$tmp/after,$tmp/before" --seconds 10 >"$tmp/out" 2>"$tmp/err"
check "samples in the wrong order, with the time given: it is said" grep -q 'counters of 3 of the 3 ports that changed are lower in .*/before than in .*/after: .* give the earlier sample first' "$tmp/err"
explain >"$tmp/out" 2>"$tmp/err"
same "in the right order nothing is said" "" "$(cat "$tmp/err")"
write csv "$tmp/before" "${zero[@]}" L1-0003:1:PortXmitWait=0xffffffffffff0000
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=195246964
same "one of 64 bits that began again is not" 'receiver L1-0003:1 node-00012:1 at L1-0003:1 lost 20.0' "$(causes)"
same "and not counted" '0 0' "$(field reset stopped)"
write csv-old "$tmp/before" "${zero[@]}" L1-0003:1:PortXmitWait=4099654795
write csv-old "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=4294967295
same "one of 32 bits that stopped" '0 1' "$(field reset stopped)"
# 32 bits in one sample and 64 in the other; the other ports are 0 in both
mixed() { # mixed narrow|wide BEFORE AFTER, which is the form of the first: what L1-0003 port 1 waited
    local forms=(perfquery perfquery-x)
    [ "$1" = narrow ] || forms=(perfquery-x perfquery)
    write "${forms[0]}" "$tmp/before" "L1-0003:1:PortXmitWait=$2"
    write "${forms[1]}" "$tmp/after" "L1-0003:1:PortXmitWait=$3"
    causes --seconds 10 | sed 's/.* //'
    grep -c 'one sample and shorter ones in the other' "$tmp/err"
}
same "a short counter that had not stopped, then a long one" $'20.0\n0' "$(mixed narrow 1000 195313500)"
same "a long counter, then a short one that has not stopped" $'20.0\n0' "$(mixed wide 1000 195313500)"
same "a short counter that had stopped says nothing of a long one" 1 "$(mixed narrow 4294967295 4490279795)"
same "nor does one that stopped later" 1 "$(mixed wide 4099654795 4294967295)"
same "a long counter, then a short one that is lower" 1 "$(mixed wide 9000000000 195312500)"
same "a long one that is lower was reset" $'20.0\n0' "$(mixed narrow 500000000 195312500)"
write perfquery "$tmp/before" && sed -i '/PortXmitWait/s/[0-9]*$/4294967295/' "$tmp/before"
write perfquery-x "$tmp/after" && sed -i '/PortXmitWait/s/[0-9]*$/4294967299/' "$tmp/after"
exits "no port that can be compared" 3 'no port has PortXmitWait in both that can be compared' \
    "$heddle" explain "$net" ftree --counters "$tmp/before,$tmp/after" --seconds 10
# more than a cable carries
write csv "$tmp/before" "${zero[@]}"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}" L1-0003:2:PortXmitData=35000000000
exits "a port that sent more than its rate" 0 'explain: 1 port sent more than its rate, L1-0003 port 2 112.0 Gb/s on a cable of 100.0: is the time between the samples 10 s' explain
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}" L1-0003:2:PortXmitData=34000000000
explain >"$tmp/out" 2>"$tmp/err"
same "a little more is in the time that samples take" "" "$(cat "$tmp/err")"
# jobs that wait send nothing
write csv "$tmp/after" "${later[@]}" L1-0000:5:PortXmitData=31000000000 L1-0000:5:PortXmitWait=97656250
printf '17 (Priority)\n18 (Resources)\n' >"$tmp/jobs"
same "only waiting jobs: no load" '0 0 {0}' "$(explain --jobs "$tmp/jobs" --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["jobs"], d["nodes"], {l["load"] + l["peak"] for l in d["links"]})')"
check "which is said" grep -q '^jobs             none of those listed is running: no load is predicted' <(explain --jobs "$tmp/jobs")
check "and of the link" grep -q 'no listed job explains it: none is running' <(explain --jobs "$tmp/jobs")
write csv "$tmp/before" "${zero[@]}"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}"
sed -i '/^0x0200000000100003,/d' "$tmp/after"
same "ports that are missing: judged by what is there" 'other-job L1-0000:5 L2-0008:1 at L2-0008:4 lost 10.0
other-job L2-0008:4 L1-0003:5 at L2-0008:4 lost 10.0' "$(causes)"
same "and counted" '128 120' "$(field ports in_both)"
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=N/A L1-0002:1:PortXmitWait=-1
same "values that are not known" '' "$(causes)"
write csv "$tmp/after" "${later[@]}" "${slow_host[@]}"
said=$(causes)
sed -i '/^START_PM_INFO/,/^END_PM_INFO/{n;s/^0x/# a comment\n\n0x/}' "$tmp/after"
check "comments and empty lines between rows" grep -q '^# a comment' "$tmp/after"
same "mean nothing" "$said" "$(causes)"
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=N/A L1-0002:1:PortXmitWait=-1
printf '0x0000000000000009,0x9,1\nEND_PM_INFO\n' >"$tmp/more"
sed -i '/^END_PM_INFO/d' "$tmp/after" && cat "$tmp/more" >>"$tmp/after"
same "ports of another fabric" 1 "$(field unknown_ports)"

# ---- samples that are not whole -----------------------------------------------------------------------------
# listing FILE [LINE...]: output of ibqueryerrors with two ports, and the lines of its summary behind the first
listing() {
    printf '%s\n' 'Errors for 0x200000000100000 "L1-0000"' '   GUID 0x200000000100000 port 1: [PortXmitWait == 1000]' >"$1"
    [ $# = 1 ] || printf '%s\n' '' '## Summary: 44 nodes checked, 2 bad nodes found' "${@:2}" >>"$1"
}
worse() { # after the first port, and before the summary, if there is one
    sed -i '2a Errors for 0x200000000100001 "L1-0001"\n   GUID 0x200000000100001 port 6:'"$1" "$tmp/after"
}
found() { explain --seconds 10 --json 2>"$tmp/err" | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["in_both"], *[l["cause"] + ": " + l["why"] for l in d["links"]])'; }
listing "$tmp/before" '## Suppressed:'
listing "$tmp/after" '## Suppressed:'
worse ' [LinkDownedCounter == 7]'
same "a port that ibqueryerrors did not list before was 0" '128 sick-link: 7 link failures at L1-0001 port 6' "$(found)"
same "nothing is said" "" "$(cat "$tmp/err")"
cp "$tmp/before" "$tmp/listed"
listing "$tmp/before"
same "unless its output ends before the summary" 1 "$(found)"
check "which is said" grep -q '/before: output of ibqueryerrors without its summary, so it may be a part: ports and counters' "$tmp/err"
printf 'Errors for 0x200000000100001 "L1-0001"\n   GUID 0x200000000100001 po' >>"$tmp/before"
same "in the middle of a line" 1 "$(found)"
listing "$tmp/before" '##          2 PMA query failures' '## Suppressed:'
same "or a port did not answer" 1 "$(found)"
check "which is said" grep -q '/before: 2 queries of ibqueryerrors failed: ports that it does not list are not known' "$tmp/err"
sed -i 's/\[PortXmitWait == 1000\]/& [LinkDownedCounter == 3]/' "$tmp/after"
same "a port that it lists did" '1 sick-link: 3 link failures at L1-0000 port 1' "$(found)"
# All lines of a summary are needed.
listing "$tmp/whole" '##          128 ports checked, 1 ports have errors beyond threshold' '## Thresholds: [LinkDownedCounter = 10]' \
    '##          3 PMA query failures' '## Suppressed: PortXmitWait'
listing "$tmp/after" '## Suppressed:'
worse ' [LinkDownedCounter == 11]'
for lines in 4 5 6 7; do
    head -n $lines "$tmp/whole" >"$tmp/before"
    same "a summary that ends after line $lines" 1 "$(found)"
    check "which is said" grep -q '/before: output of ibqueryerrors without its summary' "$tmp/err"
done
printf '%s' "$(cat "$tmp/whole")" >"$tmp/before"
same "a list of suppressed counters that may be cut" 1 "$(found)"
listing "$tmp/before" '## Suppressed:'
sed -i 's/Errors for/Data Counters for/' "$tmp/before"
same "of data counters alone, errors are not known" 1 "$(found)"
check "which is said" grep -q '/before: data counters alone in this output of ibqueryerrors: errors are not known' "$tmp/err"
# nodes N: of the summaries of both samples
nodes() { sed -i "s/^## Summary: [0-9]*/## Summary: $1/" "$tmp/before" "$tmp/after"; }
listing "$tmp/before" '## Suppressed:'
listing "$tmp/after" '## Suppressed:'
worse ' [LinkDownedCounter == 7]'
nodes 43
same "a node that is down does not matter" '128 sick-link: 7 link failures at L1-0001 port 6' "$(found)"
same "nothing is said" "" "$(cat "$tmp/err")"
nodes 12
same "of switches alone, adapters are not known" '96 sick-link: 7 link failures at L1-0001 port 6' "$(found)"
check "which is said" grep -q '/before: ibqueryerrors asked only switches: ports of adapters that it does not list are not known' "$tmp/err"
nodes 32
same "of adapters alone, switches are not" 33 "$(found)"
check "which is said" grep -q '/before: ibqueryerrors asked only adapters: ports of switches that it does not list are not known' "$tmp/err"
nodes 1
same "of other numbers, it is not known which were asked" 1 "$(found)"
check "which is said" grep -q '/before: ibqueryerrors asked only 1 node: ports that it does not list are not known' "$tmp/err"
listing "$tmp/before" '## Thresholds: [SymbolErrorCounter = 10][LinkDownedCounter = 10]' '## Suppressed:'
listing "$tmp/after" '## Thresholds: [SymbolErrorCounter = 10][LinkDownedCounter = 10]' '## Suppressed:'
same "counters up to a threshold are not known" 128 "$(found)"
worse ' [LinkDownedCounter == 11]'
same "one above it grew by what it exceeds it by, at least" '128 sick-link: at least 1 link failure at L1-0001 port 6' "$(found)"
listing "$tmp/after" '## Suppressed:'
worse ' [LinkDownedCounter == 10]'
same "one that is not above what it may have been did not" 128 "$(found)"
same "nothing is said" "" "$(cat "$tmp/err")"
mv "$tmp/before" "$tmp/bounded" && mv "$tmp/after" "$tmp/before" && mv "$tmp/bounded" "$tmp/after"
same "nor is one known that was listed and is not any more" 128 "$(found)"
printf '%s' "$(cat "$tmp/listed")" >"$tmp/before" # as text that was pasted
cp "$tmp/before" "$tmp/after"
same "a listing without its last line end is whole" 128 "$(found)"
same "and nothing is said" "" "$(cat "$tmp/err")"
for form in perfquery-x pm; do
    write $form "$tmp/before"
    write $form "$tmp/after" "${sick[@]}" L1-0003:1:PortXmitWait=195312500
    sed -i '/^max_retransmission_rate/d;/^excessive_buffer/d;/^$/d' "$tmp/before" "$tmp/after"
    want=$(causes --seconds 10)
    check "$form: links" [ "$(wc -l <<<"$want")" = 2 ]
    truncate -s -1 "$tmp/after"
    same "$form: the last number without a line end is not taken" "$want" "$(causes --seconds 10)"
    check "$form: which is said" grep -qE '/after:[0-9]+: the file ends without a line end, so digits of [A-Za-z]+ may be missing' "$tmp/err"
done
write perfquery-x "$tmp/before" && sed -i '$s/[0-9]*$/7000000000/' "$tmp/before"
write perfquery-x "$tmp/after" && sed -i '$s/[0-9]*$/7195312500/' "$tmp/after"
check "the last port waited" [ "$(causes --seconds 10 | wc -l)" = 1 ]
truncate -s -8 "$tmp/after"
same "so that one that was cut is not taken for a counter that fell" 0 \
    "$(explain --seconds 10 --json 2>/dev/null | grep -o '"reset": *[0-9]*' | grep -o '[0-9]*$')"
write csv "$tmp/before" "${zero[@]}"

# ---- what is refused ----------------------------------------------------------------------------------------
write csv "$tmp/after" "${later[@]}"
bad() { exits "$1" "$2" "$3" "$heddle" explain "$net" ftree --counters "$tmp/before,$tmp/after" "${@:4}"; }
exits "no counters given" 2 'expected --counters BEFORE,AFTER' "$heddle" explain "$net" ftree
exits "one sample" 2 'expected two files with a comma between them' "$heddle" explain "$net" ftree --counters "$tmp/before"
exits "three samples" 2 'expected two files' "$heddle" explain "$net" ftree --counters a,b,c
exits "the samples in the wrong order" 3 'is not later than .*: expected the earlier sample first, or --seconds' "$heddle" explain "$net" ftree --counters "$tmp/after,$tmp/before"
exits "a file that is not there" 3 'none: ' "$heddle" explain "$net" ftree --counters "$tmp/before,$tmp/none"
exits "something else" 3 'net.ibnet: no port counters: expected output of perfquery -x' "$heddle" explain "$net" ftree --counters "$net,$net"
exits "a folder without counters" 3 'no port counters: expected ibdiagnet2.db_csv with a section PM_INFO' "$heddle" explain "$net" ftree --counters "$tmp,$tmp"
sed 's/,PortNumber,/,Number,/' "$tmp/before" >"$tmp/after"
bad "a column that is missing" 3 'after:[0-9]+: section PM_INFO has no column PortNumber'
write csv "$tmp/after" "${later[@]}" L1-0003:1:PortXmitWait=many
bad "a value that is no number" 3 "after:[0-9]+: PortXmitWait 'many': expected a number"
write csv "$tmp/after" "${later[@]}"
sed -i '/^END_PM_INFO/d' "$tmp/after"
bad "a section that does not end" 3 'after:[0-9]+: the file ends inside section PM_INFO of line 4: expected END_PM_INFO'
for cut in 2 20 60; do
    write csv "$tmp/after" "${later[@]}"
    sed -i '/^END_PM_INFO/d' "$tmp/after" && truncate -s -$cut "$tmp/after"
    bad "$cut bytes less" 3 'after:[0-9]+: the file ends inside section PM_INFO of line 4: expected END_PM_INFO'
done
write csv "$tmp/after" "${later[@]}" && truncate -s -1 "$tmp/after"
same "only the last line end is missing" 0 "$(status)"
write csv "$tmp/after" "${later[@]}" && printf 'START_OTHER\na,b\n1,' >>"$tmp/after"
same "the file ends in a section behind the counters" 0 "$(status)"
write perfquery-x "$tmp/after"
cat "$tmp/after" "$tmp/after" >"$tmp/twice" && mv "$tmp/twice" "$tmp/after"
bad "two samples in one file" 3 'after:[0-9]+: .* of port .* a second time: expected one sample per file' --seconds 1
sed 's/Lid [0-9]* port/DR path slid 0; dlid 0; 0,1 port/' "$tmp/after" >"$tmp/routed" && mv "$tmp/routed" "$tmp/after"
bad "a port that no LID names" 3 'after:1: expected the LID and the port' --seconds 1
printf '   GUID 0x2 port 3 [PortXmitWait == 1]\n' >"$tmp/after"
bad "a port without its colon" 3 'after:1: expected a port and a colon' --seconds 1
write perfquery-x "$tmp/after"
sed -i '/^PortXmitWait/d' "$tmp/after"
bad "no port that has waited or not" 3 'no port has PortXmitWait in both' --seconds 1
write csv "$tmp/after" "${later[@]}"
printf 'one\n' >"$tmp/jobs"
bad "a job without nodes" 3 'jobs:1: expected a job, its nodes and perhaps its pattern' --jobs "$tmp/jobs"
printf '# comment\none node-99999\n' >"$tmp/jobs"
bad "a node that there is not" 3 "jobs:2: job one: .*node-99999" --jobs "$tmp/jobs"
printf 'one node-0000[0-3] dance\n' >"$tmp/jobs"
bad "a pattern that there is not" 3 'job one: .*dance' --jobs "$tmp/jobs"
printf 'one node-00000\none node-00001\n' >"$tmp/jobs"
bad "a job listed twice" 3 "jobs:2: job 'one' a second time" --jobs "$tmp/jobs"
: >"$tmp/jobs"
bad "no jobs" 3 'jobs: no job: expected one per line' --jobs "$tmp/jobs"

# ---- fabrics of other kinds ---------------------------------------------------------------------------------
for spec in kary:k=2,n=1 torus:dims=3,hosts=1 rail:rails=2,units=2,hosts=3,spines=2 random:switches=7,ports=8,hosts=3,seed=2; do
    net=$tmp/other.ibnet
    "$heddle" topo "$spec" -o "$net"
    write pm "$tmp/before" "${zero[@]}"
    write pm "$tmp/after" "${later[@]}"
    same "$spec: nothing waits" "" "$(table=minhop causes)"
done
finish
