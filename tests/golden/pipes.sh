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
gzip -k "$tmp/t.lft"
same "a compressed table by pipe" "$(patient "$heddle" check $net "$tmp/t.lft" | unnamed)" "$(through substitution "$tmp/t.lft.gz" "$heddle" check $net @ | unnamed)"
# Beyond what is kept a pipe is read once, and the second reading is refused instead of cut.
yes '# a comment line of some length, to fill the pipe with something that is skipped' | head -c 70000000 | cat $net - >"$tmp/long.net"
check "a long pipe can be read once" through substitution "$tmp/long.net" "$heddle" topo @
exits "but not twice" 3 "a pipe of more than 64 MiB can be read only once: expected a file" through substitution "$tmp/long.net" "$heddle" eval @ @ minhop -n 2
# A stream without an end is refused.
endless() { yes '# not a name' 2>/dev/null | patient "$heddle" topo $net --"$1" -; }
exits "an endless name map" 3 "<stdin>:33554433: more than 33554432 lines: expected an end" endless node-name-map
exits "an endless guid2lid" 3 "<stdin>:16777217: more than 16777216 lines: expected an end" endless guid2lid
finish
