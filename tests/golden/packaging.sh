#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Recipes for packages that this machine cannot build: they name the version there is and the files that are installed,
# and what can be checked without their tools is.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
version=$(dpkg-parsechangelog -l debian/changelog -S Version)
same "version of the RPM packages" "$version" "$(sed -n 's/^Version: *//p' packaging/heddle.spec)"
same "version of CITATION.cff" "$version" "$(sed -n 's/^version: *//p' CITATION.cff)"
if python3 -c 'import yaml' 2>/dev/null; then
    check "CITATION.cff has what a citation needs" python3 -c '
import yaml
c = yaml.safe_load(open("CITATION.cff"))
assert c["cff-version"] == "1.2.0" and c["license"] == "BSD-2-Clause" and c["authors"] and c["title"] and c["message"]'
fi
check "the Spack recipe is Python" python3 -c 'compile(open("packaging/spack/package.py").read(), "package.py", "exec")'
for package in $(sed -n '/apt-get install/,/[^\\]$/p' packaging/Containerfile | tr ' \\' '\n\n' | grep -E '^[a-z0-9.+-]+[0-9a-z]$' | grep -Ev '^(apt-get|install|update|rm|y)$'); do
    echo "$package"
done >"$tmp/packages"
check "the Containerfile installs what the demo needs" sh -c "sed -n 's/^demo //p' scripts/packages | grep -vxFf '$tmp/packages' | (! grep .)"

make -s BUILD="${HEDDLE_BUILD#"$PWD"/}" install DESTDIR="$tmp/stage" prefix=/usr libdir=/usr/lib64 PYTHON_DIR=/usr/lib64/python3/site-packages \
    >/dev/null 2>"$tmp/install.err"
check "the RPM packages have every file that is installed" python3 - "$tmp/stage" <<'PY'
import fnmatch, os, re, sys

macros = {"_bindir": "/usr/bin", "_datadir": "/usr/share", "_mandir": "/usr/share/man", "_libdir": "/usr/lib64", "name": "heddle",
          "_includedir": "/usr/include", "_docdir": "/usr/share/doc", "python3_sitearch": "/usr/lib64/python3/site-packages", "soversion": "0"}
text = open("packaging/heddle.spec").read()
for name, value in macros.items():
    text = text.replace("%{" + name + "}", value)
patterns = [line.split()[-1] for line in text.split("%files", 1)[1].splitlines() if re.search(r"(^|\s)/usr", line)]
removed = {"/usr/share/doc/heddle/LICENSE"}
missing = []
for folder, _, files in os.walk(sys.argv[1]):
    for file in files:
        path = os.path.join(folder, file)[len(sys.argv[1]):]
        if "heddle-mpi" in path or path in removed:
            continue  # the spec builds without MPI
        if not any(fnmatch.fnmatch(path, p) or path.startswith(p + "/") for p in patterns):
            missing.append(path)
if missing:
    sys.exit("not in packaging/heddle.spec: " + " ".join(missing))
PY
if command -v rpmlint >/dev/null; then
    check "rpmlint accepts the spec" rpmlint -r packaging/heddle.rpmlintrc packaging/heddle.spec
else
    skip "rpmlint" "it is not installed"
fi
finish
