#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/performance.md and its picture are what the results make of them, of a whole run of every job.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
python3 tests/bench/report.py bench/results.json "$tmp/performance.md" "$tmp/scaling.svg"
check "docs/performance.md is made from bench/results.json" cmp docs/performance.md "$tmp/performance.md"
check "docs/scaling.svg too" cmp docs/scaling.svg "$tmp/scaling.svg"
check "the picture is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' docs/scaling.svg
# jobs: the names of all jobs, of a whole run.
jobs() { python3 -c 'import sys; sys.path.insert(0, "tests/bench"); sys.dont_write_bytecode = True
from jobs import rows
for quick in (False, True):
    names = [job.name for job in rows(quick)]
    assert len(names) == len(set(names)), "a name stands twice"
print("\n".join(job.name for job in rows(False)))'; }
same "every job has its row" "$(jobs)" \
    "$(python3 -c 'import json; print("\n".join(row["name"] for row in json.load(open("bench/results.json"))["jobs"]))')"
check "no names of hosts or folders in it" bash -c '! grep -nE "/(home|tmp|work|root)/|$(hostname)" bench/results.json docs/performance.md'
finish
