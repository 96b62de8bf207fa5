# SPDX-License-Identifier: BSD-2-Clause
"""structs.py HEADER...: the structs of public headers, a line each: name and members without comments, in order."""
import re
import sys

for path in sys.argv[1:]:
    text = re.sub(r"/\*.*?\*/", " ", open(path).read(), flags=re.S)
    for found in re.finditer(r"^struct (\w+) \{", text, re.M):
        end = text.index("\n};", found.end())
        print(found[1], " ".join(text[found.end():end].split()))
