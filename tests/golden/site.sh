#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# 'make site': every document becomes a page, every link on them leads to a file and a section that are there, and a
# link that does not is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
for python in python3 /usr/bin/python3; do "$python" -c 'import markdown' 2>/dev/null && break; done
if ! "$python" -c 'import markdown' 2>/dev/null; then
    skip "the site" "python3-markdown is not installed"
    finish
fi
check "the site is made" "$python" scripts/site "$tmp/site"
same "every document is a page" "$(cd docs && ls ./*.md | sed 's/md$/html/')" "$(cd "$tmp/site/docs" && ls ./*.html)"
cat >"$tmp/links.py" <<'PY'
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


root = Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in root.rglob("*.html")}
count = 0
for path, page in pages.items():
    for link in page.links:
        if ":" in link.split("/")[0]:
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / unquote(file)).resolve() if file else path
        count += 1
        if not target.is_file() or (anchor and target in pages and unquote(anchor) not in pages[target].ids):
            print(f"{path.relative_to(root)}: {link}")
print(count > 100)
PY
same "all links work" True "$(python3 "$tmp/links.py" "$tmp/site")"
check "tables are tables" grep -q '<table>' "$tmp/site/docs/python.html"
check "the picture of the README is there" test -s "$tmp/site/docs/bandwidth.svg"
mkdir -p "$tmp/tree/docs"
printf '# A page\n\n[there](docs/other.md#section)\n' >"$tmp/tree/README.md"
printf '# Other\n\n## Section\n' >"$tmp/tree/docs/other.md"
build_site() { (cd "$tmp/tree" && "$python" "$OLDPWD/scripts/site" "$tmp/small"); }
check "a link to a section" build_site
printf '[gone](docs/none.md)\n' >>"$tmp/tree/README.md"
exits "a link to nothing" 1 "README.md: docs/none.md: there is no such file" build_site
printf '# A page\n\n[there](docs/other.md#chapter)\n' >"$tmp/tree/README.md"
exits "a link to no section" 1 "README.md: docs/other.md#chapter: there is no such section" build_site
finish
