#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What every source keeps to, whatever it does: the licence tag on line 1 and a comment from line 2 on that says what the
# file is for; names that grep to one place; lines that fit; nothing left to be done later.
cd "$(dirname "$0")/.." || exit 1
HEDDLE_BUILD=${HEDDLE_BUILD:-$PWD/build}
. tests/tap.sh
sources=$(find src include tests examples -name '*.[ch]' | sort)
scripts="$(find scripts tests .ci debian/rules -type f ! -name '*.in' ! -path '*/data/*' ! -path '*/corpus_*/*' -exec grep -lI '^#!' {} + | sort) Makefile"

# shellcheck disable=SC2086
{
    same "line 1 of a source is the licence tag" "" "$(awk 'FNR == 1 && $0 != "/* SPDX-License-Identifier: BSD-2-Clause */" { print FILENAME }' $sources)"
    same "line 2 begins the comment that says what the file does" "" "$(awk 'FNR == 2 && !/^\/\* [A-Z`"]?/ { print FILENAME }' $(echo "$sources" | grep '\.c$'))"
    same "scripts have the licence tag" "" "$(grep -L '^# SPDX-License-Identifier: BSD-2-Clause$' $scripts)"
    same "no line is longer than 120 columns" "" "$(awk '{ gsub(/\t/, "    ") } length($0) > 120 { print FILENAME ":" FNR }' $sources)"
    same "no tabs or trailing spaces" "" "$(grep -nP '\t| $' $sources | cut -c 1-80)"
    same "what an enum is for is said above it, where clang-format leaves it alone" "" "$(grep -nE 'enum( \w+)? \{ +/\*' $sources)"
    same "nothing is left to be done later" "" "$(grep -nE '\b(TO[D]O|FIX[M]E|XX[X])\b' $sources $scripts | cut -c 1-100)"
    same "CLP and METIS are asked for in sources, never in headers" "" "$(grep -lE 'HD_HAVE_(CLP|METIS)' $(echo "$sources" | grep '\.h$'))"
}
same "no file name occurs twice in src and include" "" "$(find src include -name '*.[ch]' -printf '%f\n' | sort | uniq -d)"
# A tag is defined where its brace opens; those of one .c file are its own, but a name that means two things is not found.
same "no tag of the library is defined twice" "" "$(grep -rhoP '^\s*(typedef )?(struct|union|enum) \K[a-z]\w*(?= \{)' src include --include='*.[ch]' | sort | uniq -d)"
# A row that no table lists would compile and never be found.
same "every row is in a table of src/registry.c" "" "$(grep -rhoP '^const struct hd_(topology|engine|pattern|metric|selector|model) \Khd_\w+(?= = )' src |
    while read -r row; do grep -q "&$row\.desc" src/registry.c || echo "$row"; done)"
same "every allocation is tested" "" "$(python3 tests/inject/unchecked.py)"
same "regular expressions are called where running out of memory is told from no match" "" "$(grep -rlE '\breg(comp|exec)\(' src | grep -v '^src/base/expression.c$')"
# printf and strtod follow the locale of the process. The command, which calls no setlocale, and the papers are exempt.
here=$(find src -name '*.[ch]' ! -path 'src/cli/*' ! -path 'src/papers/*' ! -path src/base/c_locale.c)
# shellcheck disable=SC2086
{
    same "numbers are read in the C locale" "" "$(grep -nE '\b(strto(d|f|ld)|atof)\(' $here)"
    same "numbers are written in the C locale" "" "$(grep -nE '\bv(s|f|d|as)n?printf\(' $here)"
    # A literal with a floating conversion, or none at all, before the end of the statement.
    same "floating conversions are left to hd_format" "" "$(grep -lPzo '\b(sn?|f|d)printf\((?:[^";]|"(?:[^"\\]|\\.)*")*?"(?:[^"\\%]|\\.|%%|%(?![-+ #0-9.*]*[fFgGeEaA]))*+%' $here)"
    same "a format that is no literal is left to hd_format" "" "$(grep -nE '\bsn?printf\([^";]*;' $here)"
    same "letters are compared in the C locale" "" "$(grep -nE '\b(strn?case(cmp|str)|to(low|upp)er|is(alpha|alnum|upper|lower|space|punct|print)|strcoll|strftime)\(' $here)"
    same "no floating conversions of scanf" "" "$(grep -nE 'scanf\(.*%[0-9*]*l?[fFgGeEaA]' $here)"
}
same "nothing sets a locale" "" "$(grep -rnE '\bsetlocale\(' src)"
finish
