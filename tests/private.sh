#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Private structs stay private: struct hd_routes is known below src/route, and to the two load kernels that docs/design.md
# names. Everything else reads it through heddle/route.h and routes_view.h and builds it through heddle/engine.h and
# routes_build.h.
cd "$(dirname "$0")/.." || exit 1
HEDDLE_BUILD=${HEDDLE_BUILD:-$PWD/build}
. tests/tap.sh

users=$(grep -rl '"route/core/routes\.h"' src --include='*.[ch]' | grep -v '^src/route/' | sort | tr '\n' ' ')
same "outside src/route only two load kernels include the struct of routes" "src/load/all_pairs.c src/load/load_table.c " "$users"
check "they are the ones that docs/design.md names" grep -q '`all_pairs.c` and `load_table.c`' docs/design.md
same "the headers for everyone else do not define it" "" "$(grep -l 'struct hd_routes {' include/heddle/*.h src/route/core/routes_view.h src/route/core/routes_build.h)"
finish
