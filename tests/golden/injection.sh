#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Whatever call fails (allocation, read, write, open, close, fsync, rename, new folder, fork, thread), a command ends with
# its usual result or with status 4 and one line, and leaves files as they were; a function of the library likewise, and
# works again afterwards. A command that is killed leaves old or new files, each whole, and the next run finishes the
# work. One call per call site here; `make soak` fails every call.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
part=0/1 stride=100
if sanitized; then # a sample is enough to show leaks and bad accesses
    part=0/16 stride=2000
    export ASAN_OPTIONS=verify_asan_link_order=0:allocator_may_return_null=1
fi
python3 tests/inject/inject.py "$HEDDLE_BUILD" --part $part
LD_PRELOAD=$HEDDLE_BUILD/tests/inject/shim.so "$HEDDLE_BUILD/tests/inject/library" $stride
# Memory that there is not is reported before the work begins.
[ $part != 0/1 ] || exits "a network larger than the memory" 4 "the network needs about [0-9.]+ GB of memory, and [0-9.]+ GB are available" \
    bash -c "ulimit -v 1000000; '$heddle' topo ft:m=16,n=7"
finish
