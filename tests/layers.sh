#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Who may include whom: base <- net <- route <- flow <- {sim, order}; ib on route; report; advise; cli
# sees public headers only. Fails with every include that goes the wrong way.
cd "$(dirname "$0")/.." || exit 1
declare -A may=(
    [base]="base" [net]="base net" [route]="base net route" [flow]="base net route flow"
    [sim]="base net route flow sim" [order]="base net route flow order" [ib]="base net route ib"
    [report]="base net route flow sim order report" [advise]="base net route flow sim order ib report advise"
    [cli]=""
)
bad=0
for folder in src/*/; do
    layer=$(basename "$folder")
    while IFS=: read -r file include; do
        [ -n "$file" ] || continue
        target=${include%%/*}
        case " ${may[$layer]:-} " in
        *" $target "*) ;;
        *) echo "# $file includes $include: $layer may include only ${may[$layer]:-public headers}"; bad=1 ;;
        esac
    done < <(grep -rHoP '^#include "\K(?!heddle[/.])[a-z]+/[^"]+' "$folder")
done
if [ $bad = 0 ]; then echo "ok 1 - includes go one way"; else echo "not ok 1 - includes go one way"; fi
echo 1..1
exit $bad
