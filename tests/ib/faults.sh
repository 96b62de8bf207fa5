#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ibdmchk on the tables of random fault sets (tests/prop/prop_faults.c): the same pairs without a path and the same
# verdict on credit loops as ours. HEDDLE_FAULT_SETS is the number of sets: 12, and 200 in make soak.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
command -v ibdmchk >/dev/null || { skip "ibdmchk judges fault sets" "ibdmchk is not installed"; finish; }

export HEDDLE_FAULT_SETS=${HEDDLE_FAULT_SETS:-12} HEDDLE_FAULT_FILES=$tmp
check "tables of $HEDDLE_FAULT_SETS fault sets" "$HEDDLE_BUILD/tests/prop/prop_faults"
said=$(python3 tests/ib/faults.py "$tmp" 2>&1)
echo "# $(tail -n 1 <<<"$said")"
same "ibdmchk agrees on all of them" "$HEDDLE_FAULT_SETS fault sets, 0 judged differently" \
    "$(sed -n '$s/^\([0-9]* fault sets\),.*\(, [0-9]* judged differently\)$/\1\2/p' <<<"$said")"
[ "$(wc -l <<<"$said")" = 1 ] || echo "$said" | sed 's/^/# /'

# ---- and it notices what is wrong: a missing entry
grep '^0-minhop ' "$tmp/verdicts" >"$tmp/one" && mv "$tmp/one" "$tmp/verdicts"
sed -i 's/^0x0001 : 003 .*/0x0001 : UNREACHABLE/' "$tmp/0-minhop.fdbs"
check "a missing entry is noticed" grep -q '1 judged differently$' <(python3 tests/ib/faults.py "$tmp")
finish
