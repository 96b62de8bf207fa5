#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every JSON object as 'heddle schema' describes it, every description by an object, and what the command refuses.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
exits "a name that has no schema" 2 "schema: unknown name 'chek', did you mean 'check'" "$heddle" schema chek
exits "a name far from all" 2 "unknown name 'xyzzyxyzzy': 'heddle schema' lists" "$heddle" schema xyzzyxyzzy
same "a schema is the same with --json and without" "$("$heddle" schema check)" "$("$heddle" schema check --json)"
check "and help says which schema is that of the list of names" sh -c "'$heddle' help schema | tr '\n' ' ' | grep -q \"'heddle schema schema' is that of the list of names\""
for python in python3 /usr/bin/python3; do "$python" -c 'import jsonschema' 2>/dev/null && break; done
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
    skip "objects and their schemas" "python3-jsonschema is not installed"
    finish
fi
mkdir "$tmp/work"
"$python" tests/golden/schema.py "$heddle" "$tmp/work" >"$tmp/log" 2>&1
status=$?
while read -r line; do
    case $line in
    "ok "*) pass "${line#ok * - }" ;;
    "not ok "*) fail "${line#not ok * - }" ;;
    \#*) echo "$line" ;;
    esac
done <"$tmp/log"
[ $status = 0 ] || tail -n 3 "$tmp/log" | sed 's/^/#   /'
same "the test of schemas ends" 0 $status

# The dataclasses for Python are those of these schemas, and read and write the same objects.
scripts/dataclasses "$heddle" >"$tmp/schema.py"
check "python/heddle/schema.py is up to date ('make accept')" cmp python/heddle/schema.py "$tmp/schema.py"
if [ -e "$HEDDLE_BUILD/python/heddle/_heddle.abi3.so" ]; then
    PYTHONPATH=$HEDDLE_BUILD/python "$(cut -d ' ' -f 1 "$HEDDLE_BUILD/flags/python")" - "$tmp/work" >"$tmp/log" 2>&1 <<'PY'
import json, pathlib, sys
import heddle

count = 0
for file in pathlib.Path(sys.argv[1]).glob("*.[0-9]*.json"):
    text = file.read_text()
    name = file.name.split(".")[0]
    assert heddle.schema.read(name, text).to_dict() == json.loads(text), file
    value = {**json.loads(text), "further": [1]}
    assert heddle.schema.read(name, value).unknown == {"further": [1]}, file
    for key in [k for k in value if k not in ("schema", "further")][:3]:
        try:
            heddle.schema.read(name, {**value, key: object}).to_dict()
        except (heddle.InputError, TypeError):
            count += 1
        else:
            raise SystemExit(f"{file}: {key} of another type is read")
print(count)
PY
    check "dataclasses read every object, keep keys they do not know and refuse other types" grep -q '^[1-9][0-9]*$' "$tmp/log"
else
    skip "dataclasses" "the package for Python is not built"
fi
finish
