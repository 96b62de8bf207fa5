#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""unchecked.py: allocations in src whose result is not tested before its function ends, as far as names show. Prints
file, line and name; a result that is returned, tested as part of its assignment, or tested by a function called next with
the same struct counts as tested. A guard for new code: the calls themselves fail in inject.py."""
import glob, re

CALL = r"\s*=\s*\(?(?:HD_NEW|hd_alloc|hd_strdup|malloc|calloc|realloc|strdup|strndup|realpath|fopen)\("
for path in sorted(glob.glob("src/**/*.c", recursive=True)):
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), open(path).read(), flags=re.S)
    for m in re.finditer(r"([(&|]\s*\(*)?((?:[\w>.*-]|\[[^]]*\])*\w(?:\[[^]]*\])*|\(\*\w+\)\[\d+\])" + CALL, text):
        start = text.rfind("\n", 0, m.start())
        inside = m[1] or re.search(r"[(,]\s*$", text[start:m.start()])  # part of a condition
        name = re.split(r"->|\.", re.sub(r"\[[^]]*\]", "", m[2]))[-1]
        name = re.search(r"\w+", name)[0]
        chained = re.search(r"(\w+) = (?:[\w>-])*$", text[start:m.start() + len(m[2])])
        names = "(?:%s)" % "|".join({name} | ({chained[1]} if chained else set()))
        rest = text if m[2].startswith(".") else text[m.end():text.find("\n}\n", m.end())]
        tested = re.search(r"![\w>.*\[\]-]*\b" + names + r"\b|\b" + names + r"\b(?:\[[^]]*\])?\s*(?:\?|&&|\|\|)|(?:&&|\|\||return|\bok =|if \()\s*[\w>.*-]*\b" + names + r"\b", rest)
        if not inside and not tested:
            print("%s:%d: %s" % (path, text.count("\n", 0, m.start()) + 1, name))
