#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# However heddle ends, interrupted or killed at any moment, no ibsim, no opensm, no ibdmchk and no folder is left.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/ib/sim.bash
needs "nothing is left" ibsim opensm ibdmchk setsid

# left PID: processes that work in a folder of that heddle, and the folder.
left() {
    find /proc -maxdepth 2 -name cwd -lname "/tmp/heddle-$1-*" 2>/dev/null | while read -r cwd; do tr '\0' ' ' <"${cwd%cwd}cmdline" 2>/dev/null; echo; done
    ls -d /tmp/heddle-"$1"-* 2>/dev/null
}
# gone PID: waits for the last of it to go.
gone() {
    for _ in $(seq 600); do
        [ -z "$(left "$1")" ] && return 0
        sleep 0.05
    done
    return 1
}
# killed SIGNAL NET TABLE...: started and killed after so many seconds, some of them at random; which moments were met goes to $moments.
killed() {
    local signal=$1 delay bad= pid seen= ended= ; shift
    for delay in 0 0.03 0.07 0.15 0.25 0.4 0.6 0.8 $(printf '0.%03d ' $((RANDOM % 900)) $((RANDOM % 900)) $((RANDOM % 900))); do
        env --default-signal=INT setsid "$heddle" "$@" >/dev/null 2>&1 & # background jobs would ignore INT
        pid=$!
        sleep $delay
        seen="$seen$(left $pid | grep -oE 'ibsim|opensm|ibdmchk|rm ' | sort -u | tr '\n' ' ')"
        kill -"$signal" $pid 2>/dev/null
        wait $pid 2>/dev/null
        ended="$ended $?"
        gone $pid || bad="$bad after $delay s: $(left $pid | tr '\n' ';')"
    done
    same "$signal: nothing is left of '$*'" "" "$bad"
    check "$signal ended it" grep -qE ' (137|143|130)( |$)' <<<"$ended"
    echo "#   met: $(echo $seen | tr ' ' '\n' | sort | uniq -c | tr '\n' ' ')"
}
# killed_with SIGNAL PROGRAM NET TABLE...: killed as soon as that program runs for it.
killed_with() {
    local signal=$1 program=$2 pid met=; shift 2
    env --default-signal=INT setsid "$heddle" "$@" >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ -z "$met" ]; do
        case $(left $pid) in *"$program "*) met=yes; kill -"$signal" $pid ;; esac
    done
    wait $pid 2>/dev/null
    same "$signal: killed while $program ran" yes "$met"
    check "$signal: and nothing is left" gone $pid
}
killed KILL check ft:m=8,n=3 opensm:engine=lash
killed TERM check ft:m=8,n=3 opensm:engine=dfsssp
killed INT check ft:m=8,n=3 opensm:engine=nue,vls=4
killed KILL check ft:m=16,n=3 dmodk --with-ibdmchk
for signal in KILL TERM INT; do
    killed_with $signal ibsim check ft:m=16,n=3 opensm:engine=lash
    killed_with $signal opensm check ft:m=16,n=3 opensm:engine=lash
done
killed_with KILL ibdmchk check ft:m=16,n=3 dmodk --with-ibdmchk

# A terminal's interrupt goes to the whole process group of the command.
env --default-signal=INT setsid bash -c "'$heddle' check ft:m=16,n=3 opensm:engine=lash; true" >/dev/null 2>&1 &
group=$!
for _ in $(seq 200); do
    pid=$(pgrep -g $group -x heddle) && [ -n "$pid" ] && left "$pid" | grep -q opensm && break
    sleep 0.05
done
kill -INT -- -$group
wait $group 2>/dev/null
check "nothing is left after an interrupt of the whole group" gone "${pid:-0}"

# Failures and limits end orderly too.
for table in opensm:engine=ftree opensm:engine=lash,limit=1; do
    "$heddle" check torus:dims=6x6x6 $table >/dev/null 2>&1 &
    pid=$!
    wait $pid
    same "nothing is left after '$table' failed" "" "$(left $pid)"
done

# One signal ends a paper while OpenSM runs, with what there is.
setsid "$heddle" paper own-opensm >/dev/null 2>"$tmp/notes" &
pid=$!
while kill -0 $pid 2>/dev/null; do case $(left $pid) in *"opensm "*) break ;; esac; done
kill -TERM $pid 2>/dev/null
wait $pid
same "paper: one signal is enough" "143 heddle: interrupted: the results are those of the work done so far" "$? $(cat "$tmp/notes")"
check "paper: nothing is left" gone $pid
finish
