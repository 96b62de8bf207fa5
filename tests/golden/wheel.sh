#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# 'make wheel': the wheel installs into an empty environment without a network, and tests of the package pass there (all of
# them if HEDDLE_WHEEL=all, as in make soak); the source archive has every file that building from it takes.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if [ ! -e "$HEDDLE_BUILD/python/heddle/_heddle.abi3.so" ]; then
    skip "the wheel" "the package for Python is not built"
    finish
fi
python=$(cut -d ' ' -f 1 "$HEDDLE_BUILD/flags/python")
if ! "$python" -c 'import setuptools, wheel, ensurepip, pytest, pandas, networkx' 2>/dev/null; then
    skip "the wheel" "python3-setuptools, python3-wheel, python3-venv or a package that the tests use is not installed"
    finish
fi
check "wheel and source archive are made" scripts/wheel "$HEDDLE_BUILD" "$python"
wheel=$(echo "$HEDDLE_BUILD"/wheel/*.whl) archive=$(echo "$HEDDLE_BUILD"/wheel/*.tar.gz)
check "nothing is left in the tree" test ! -e heddle.egg-info -a ! -e "$HEDDLE_BUILD/lib" -a ! -e dist
same "it is for every Python 3" "cp37-abi3" "$(basename "$wheel" | grep -o 'cp37-abi3')"
"$python" -m venv --system-site-packages "$tmp/venv" >"$tmp/log" 2>&1
check "it installs without a network" "$tmp/venv/bin/pip" -q install --no-index --no-deps --disable-pip-version-check "$wheel"
cat >"$tmp/where.py" <<'PY'
import heddle, pathlib, sys
print(heddle.__version__, pathlib.Path(heddle.__file__).is_relative_to(sys.argv[1]))
PY
same "and is what Python imports there" "$(dpkg-parsechangelog -l debian/changelog -S Version) True" \
    "$(cd "$tmp" && venv/bin/python where.py "$tmp/venv")"
some="check_equals_the_command or networkx or views"
[ "${HEDDLE_WHEEL:-}" = all ] && some=test
check "its tests pass" "$tmp/venv/bin/python" -m pytest -q -p no:cacheprovider --color=no -k "$some" python/tests

# A dry run finds every file that a rule names; objects have their headers from the compiler.
mkdir "$tmp/source"
tar -xzf "$archive" -C "$tmp/source" --strip-components 1
check "the source archive builds" make -s -n -C "$tmp/source" PYTHON="$python" BUILD=out HAVE_MPI= out/python/heddle/_heddle.abi3.so
sources() { (cd "$1" && find src include python -type f | grep -v egg-info | grep '\.[ch]$\|\.css$\|\.js$\|\.py$' | sort); }
same "all sources are in it" "$(sources .)" "$(sources "$tmp/source")"
check "which are hundreds" test "$(sources . | wc -l)" -gt 300
if [ "${HEDDLE_WHEEL:-}" = all ]; then
    check "and is a wheel when built from scratch" sh -c "cd '$tmp/source' && '$python' -W ignore setup.py -q bdist_wheel -d '$tmp/again' && ls '$tmp/again'/*.whl"
fi
finish
