# SPDX-License-Identifier: BSD-2-Clause
# awk -f scripts/glossary.awk docs/glossary.md: the glossary as rows of C, for 'heddle help WORD'. Emphasis and the names
# that C sources use, in brackets after a term, are dropped.
function flush_entry() {
    if (term == "") return
    gsub(/\*\*|`/, "", text)
    gsub(/\[|\]\([^)]*\)/, "", text)
    gsub(/\*/, "", text)
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    print "    {\"" term "\", \"" text "\"},"
    term = ""
}
BEGIN { print "/* Made by scripts/glossary.awk. */\n#include \"glossary.h\"\n\nconst struct glossary_entry glossary[] = {" }
/^- \*\*/ {
    flush_entry()
    term = text = $0
    sub(/^- \*\*/, "", term)
    sub(/\*\*.*/, "", term)
    sub(/^- \*\*[^*]*\*\*( \([^)]*\))?:? */, "", text)
    next
}
/^  / && term != "" { sub(/^ +/, ""); text = text " " $0; next }
{ flush_entry() }
END { flush_entry(); print "    {0}};" }
