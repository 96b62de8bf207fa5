#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages: built, unpacked into an empty folder, used from there, and judged by lintian.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

version=$(dpkg-parsechangelog -l debian/changelog -S Version)
same "the command has the version of debian/changelog" "heddle $version" "$("$heddle" version)"
# A package is made with the flags of the distribution: once is enough, sanitizers have no part in it.
case $HEDDLE_BUILD in *-san) finish ;; esac

if ! make -s deb BUILD="${HEDDLE_BUILD#"$PWD"/}" >"$tmp/made" 2>"$tmp/make.err"; then
    fail "make deb" "$(tail -n 3 "$tmp/make.err")"
    finish
fi
out=$HEDDLE_BUILD/deb
root=$tmp/root
names="heddle heddle-mpi heddle-opensm python3-heddle libheddle0 libheddle-dev"
for name in $names; do
    deb=$(ls "$out/${name}_${version}_"*.deb)
    check "$name is made" test -f "$deb"
    dpkg-deb -x "$deb" "$root"
    same "$name has the version" "$version" "$(dpkg-deb -f "$deb" Version)"
done
check "lintian finds no error and no warning" lintian --allow-root --fail-on error,warning "$out/heddle_${version}_"*.changes
usr=$root/usr

# Every shared library a program asks for comes with a package it depends on.
depends() { dpkg-deb -f "$(ls "$out/$1_${version}_"*.deb)" Depends | tr ',|' '\n\n' | sed 's/(.*//; s/ //g'; }
for pair in heddle:bin/heddle heddle-mpi:bin/heddle-mpi heddle-opensm:lib/*/heddle/heddle-opensm-worker libheddle0:lib/*/libheddle.so.0 \
    python3-heddle:lib/python3/dist-packages/heddle/_heddle.abi3.so; do
    name=${pair%%:*} missing=
    file=$(ls $usr/${pair#*:})
    needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }')
    for so in $needed; do
        owners=$(dpkg -S "*/$so" | sed -n "s/:.*\/$so\$//p")
        comm -12 <(depends "$name" | sort -u) <(echo "$owners" | sort -u) | grep -q . || missing="$missing $so"
    done
    same "$name depends on all its libraries" "" "$missing"
    check "$name needs the C library at least" sh -c "echo '$needed' | grep -q libc.so"
done

check "heddle-opensm depends on the OpenSM that it was built for" \
    sh -c "dpkg-deb -f '$out/heddle-opensm_${version}_'*.deb Depends | grep -q 'opensm (<< $(sed -n 's/^.define OSM_VERSION "OpenSM \(.*\)"/\1/p' /usr/include/infiniband/opensm/osm_version.h)+~)'"

same "the unpacked command runs" "heddle $version" "$("$usr/bin/heddle" version)"
same "and describes a network as the built one does" "$("$heddle" topo examples/fabric.ibnet)" "$("$usr/bin/heddle" topo examples/fabric.ibnet)"
same "heddle-mpi runs" "heddle $version" "$("$usr/bin/heddle-mpi" version)"

same "the unpacked package for Python runs" "$version" \
    "$(PYTHONPATH=$usr/lib/python3/dist-packages /usr/bin/python3 -c 'import heddle; print(heddle.__version__)')"

for command in $("$heddle" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    check "manual page of $command" test -f "$usr/share/man/man1/heddle-$command.1.gz"
done
for page in man1/heddle.1 man1/heddle-mpi.1 man5/heddle-formats.5 man7/heddle-names.7 man7/heddle-opensm.7 man7/heddle-tutorial.7; do
    check "manual page $page" test -f "$usr/share/man/$page.gz"
done
for page in "$usr"/share/man/man*/*.gz; do
    same "$(basename "$page") formats without a warning" "" "$(MANROFFSEQ= man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)"
    plain=$tmp/$(basename "$page" .gz)
    zcat "$page" >"$plain"
    same "$(basename "$page") is clean roff" "" "$(mandoc -Tlint -W warning "$plain")"
done

for script in bash-completion/completions/heddle zsh/vendor-completions/_heddle fish/vendor_completions.d/heddle.fish; do
    check "completion $script" test -s "$usr/share/$script"
done

export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR
PKG_CONFIG_LIBDIR=$(ls -d "$usr"/lib/*/pkgconfig)
same "pkg-config knows the version" "$version" "$(pkg-config --modversion heddle)"
check "the example builds against the unpacked packages" \
    sh -c "gcc '$usr/share/doc/libheddle-dev/examples/minimal.c' \$(pkg-config --cflags --libs heddle) -o '$tmp/minimal'"
same "and runs with the library of libheddle0" "kary:k=2,n=2: 4 endpoints, 4 switches, 8 cables" \
    "$(LD_LIBRARY_PATH=${PKG_CONFIG_LIBDIR%/pkgconfig} "$tmp/minimal" kary:k=2,n=2 | head -n 1)"
finish
