#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Inputs that cannot be opened twice: process substitution, named pipes and standard input give what files give, and a
# bad one ends with its message. A command that waits for a writer that never comes is ended after a while and fails.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

net=examples/fabric.ibnet
patient() { timeout 60 "$@"; }
patient "$heddle" route $net ftree -o "$tmp/t.lft" >/dev/null
patient "$heddle" topo 'ft:m=4,n=2' -o "$tmp/small.net"
# through KIND FILE COMMAND...: runs the command with @ replaced by a pipe that delivers the file.
through() {
    local kind=$1 file=$2; shift 2
    case $kind in
    substitution) patient "${@//@//dev/fd/9}" 9< <(cat "$file") ;;
    named) rm -f "$tmp/fifo"; mkfifo "$tmp/fifo"; cat "$file" >"$tmp/fifo" 2>/dev/null & patient "${@//@/$tmp/fifo}"
           local rc=$?; kill $! 2>/dev/null; wait $! 2>/dev/null; return $rc ;;
    standard) cat "$file" | patient "${@//@/-}" ;;
    esac
}
unnamed() { grep -v '"table"\|"to"\|^table'; } # without the name of the table
for kind in substitution named standard; do
    for command in "check $net @ --json" "eval $net @ minhop -n 20 --json" "diff $net minhop @ --json"; do
        # shellcheck disable=SC2086
        same "$command, the table by $kind" "$(patient "$heddle" ${command//@/$tmp/t.lft} | unnamed)" "$(through $kind "$tmp/t.lft" "$heddle" $command | unnamed)"
    done
    same "a network by $kind" "$(patient "$heddle" topo $net --format json -o - | grep -v '"spec"')" "$(through $kind $net "$heddle" topo @ --format json -o - | grep -v '"spec"')"
    same "one table by $kind for two networks" "$(patient "$heddle" eval $net examples/fabric.ibnet "$tmp/t.lft" -n 20 --json | grep -c '"mean"')" "$(through $kind "$tmp/t.lft" "$heddle" eval $net examples/fabric.ibnet @ -n 20 --json | grep -c '"mean"')"
    printf 'Switch 1 "a"\nnonsense here\nSwitch 1 "b"\n' >"$tmp/bad.net"
    exits "a bad network by $kind" 3 ":2: 'nonsense': expected" through $kind "$tmp/bad.net" "$heddle" topo @
    exits "a table in place of a network by $kind" 3 "is a forwarding table, expected a network" through $kind "$tmp/t.lft" "$heddle" topo @
    exits "a network in place of a table by $kind" 3 "is a network, expected a forwarding table" through $kind $net "$heddle" check $net @
done
mkfifo "$tmp/nobody"
for file in "$tmp/nobody" /dev/stdin; do
    echo "job1 $file" >"$tmp/jobs"
    exits "a pipe that a file of jobs names: ${file##*/}" 3 "jobs:1: job job1: .*${file##*/} is a pipe or a device: expected a file" sh -c 'sleep 2 | timeout 60 "$0" order ft:m=4,n=2 --with "$1" --nodes node-00001' "$heddle" "$tmp/jobs"
done
# A pipe in a folder of files has nobody who knows when to write to it.
mkdir "$tmp/trace"
mkfifo "$tmp/trace/job.0.json"
exits "a named pipe in the folder of a trace" 3 'trace/job.0.json: is not a file: expected one of a Chakra trace$' patient "$heddle" sim $net minhop --trace "$tmp/trace"
gzip -k "$tmp/t.lft"
same "a compressed table by pipe" "$(patient "$heddle" check $net "$tmp/t.lft" | unnamed)" "$(through substitution "$tmp/t.lft.gz" "$heddle" check $net @ | unnamed)"
# Beyond what is kept a pipe is read once, and the second reading is refused instead of cut.
yes '# a comment line of some length, to fill the pipe with something that is skipped' | head -c 70000000 | cat $net - >"$tmp/long.net"
check "a long pipe can be read once" through substitution "$tmp/long.net" "$heddle" topo @
exits "but not twice" 3 "a pipe of more than 64 MiB can be read only once: expected a file" through substitution "$tmp/long.net" "$heddle" eval @ @ minhop -n 2
# A stream without an end is refused, by every reader, in bounded memory: zero bytes, blank lines and comments, and
# whatever line goes on for longest.
endless() { local line=$1; shift; { printf '%b' "$start"; yes "$line"; } 2>/dev/null | (limit 8000000; patient "$heddle" "$@"); }
zeros() { patient "$heddle" "$@" </dev/zero; }
table=$tmp/t.lft
silent="more than 4194304 blank lines and comments in a row: expected an end"
start=
readers=("a network;topo -" "a table;check $net -" "nodes;order ft:m=4,n=2 --nodes -" "ranks;eval ft:m=4,n=2 dmodk -p shift --ranks -"
    "a trace;sim ft:m=4,n=2 dmodk --trace -" "traffic;eval ft:m=4,n=2 dmodk -p file:path=-" "a name map;topo $net --node-name-map -"
    "guid2lid;topo $net --guid2lid -" "roots;check $net updown:roots=-" "an index;check ft:m=4,n=2 dmodk:index=-"
    "traffic of settle;check ft:m=4,n=2 settle:traffic=-" "service levels;check $net file:path=$table,sl=-"
    "VLs of service levels;check $net file:path=$table,sl2vl=-")
for row in "${readers[@]}"; do
    # shellcheck disable=SC2086
    exits "${row%%;*} of zero bytes" 3 "<stdin>:1: (line longer than 65536 bytes|zero byte in a text file)" zeros ${row#*;}
    # shellcheck disable=SC2086
    exits "${row%%;*} of comments" 3 "<stdin>:419430[56]: $silent" endless '# nothing' ${row#*;}
done
exits "a network of blank lines" 3 "<stdin>:4194305: $silent" endless '' topo -
exits "a network of one switch" 3 ":2: \"S-1\" has a record at line 1 already" endless 'Switch 2 "S-1"' topo -
start='Unicast lids [0x0-0x40] of switch Lid 1 guid 0x0000000000000001 (x):\n'
exits "a table of one switch" 3 "more than 131072 lines of one switch: expected the next one" endless '0x0001 001 : (x)' check $net -
start=
exits "a table of switches" 3 "more than 49151 switches that the network does not have: expected an end" \
    endless 'Unicast lids [0x0-0x40] of switch Lid 1 guid 0x0000000000000001 (x):' check $net -
exits "one node" 3 "<stdin>:16777217: more than 16777216 lines: expected an end" endless node-00001 order ft:m=4,n=2 --nodes -
exits "a trace of messages" 3 "<stdin>:8388609: more than 8388608 messages, which is the limit" endless '0 1 1 -' sim ft:m=4,n=2 dmodk --trace -
# A result on standard output is alone there: the summary is left out.
for command in "sim ft:m=4,n=2 dmodk -p bisect -n 2 --size 64k --channels" "sim ft:m=4,n=2 dmodk -p bisect -n 2 --size 64k --samples" \
    "sim ft:m=4,n=2 dmodk -p bisect -n 2 --size 64k --series" "order ft:m=4,n=2 dmodk --schedule" "order ft:m=4,n=2 dmodk --renumber" \
    "eval ft:m=4,n=2 dmodk -n 2 --loads" "design --endpoints 64 --radix 16 -o"; do
    # shellcheck disable=SC2086
    "$heddle" $command "$tmp/alone" >/dev/null 2>&1
    # shellcheck disable=SC2086
    "$heddle" $command - </dev/null >"$tmp/piped" 2>"$tmp/err"
    check "${command%% *} ${command##* } - writes that alone" cmp "$tmp/alone" "$tmp/piped"
done
# What comes after a result may fail: then nothing is printed, also where it is the only one and goes to a pipe.
echo 'garbage nothost' >"$tmp/bad.hosts"
for result in "--format slurm" "-o /dev/fd/9" "--schedule -" "--renumber -" "--schedule /dev/fd/9" "--renumber /dev/fd/9"; do
    # shellcheck disable=SC2086
    patient "$heddle" order ft:m=4,n=2 minhop $result --also "$tmp/bad.hosts" </dev/null >"$tmp/piped" 9>&1 2>/dev/null
    same "order $result prints nothing where another job is none" "3 0" "$? $(wc -c <"$tmp/piped")"
done
same "a deadlock is said there" "1 1" "$("$heddle" sim torus:dims=6,hosts=1 dor -p shift --size 1M --channels - 2>"$tmp/err" >/dev/null; echo "$? $(grep -c 'deadlock in' "$tmp/err")")"

finish
