# SPDX-License-Identifier: BSD-2-Clause
# awk -f scripts/embed.awk name=A FILE name=B FILE...: every file as C strings, one per line, in an array A that ends
# with NULL. Indentation and comments on lines of their own are dropped.
function quoted(text,    i, c, out) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        out = out (c == "\\" || c == "\"" ? "\\" : "") c
    }
    return "\"" out "\""
}
BEGIN { print "/* Made by scripts/embed.awk. */\n#include \"report/page.h\"" }
FNR == 1 {
    if (open) print "    NULL};"
    print "\nconst char *const " name "[] = {"
    open = 1
    comment = 0
}
{ sub(/^[ \t]+/, "") }
/^\/\*/ { comment = 1 }
!comment && length($0) { print "    " quoted($0) "," }
/\*\/$/ { comment = 0 }
END { print "    NULL};" }
