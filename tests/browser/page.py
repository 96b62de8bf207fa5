# SPDX-License-Identifier: BSD-2-Clause
"""page.py PAGE...: tries reports in a real browser; prints TAP. The first page is also spoiled in every way that is
looked for, so that a check that sees nothing is found out."""
import base64
import os
import re
import sys
import tempfile

import checks
from driver import Browser

PAGES = 8  # what a report is on paper, at most
count = 0


def result(name, complaints):
    global count
    count += 1
    print("%s %d - %s" % ("not ok" if complaints else "ok", count, name))
    for line in complaints[:6]:
        print("#   " + str(line)[:300])
    sys.stdout.flush()


STATIC = [("fetches nothing", checks.FETCHES), ("ids are unique and resolve", checks.IDS),
          ("landmarks and headings in order", checks.HEADINGS), ("pictures have size and words", checks.PICTURES),
          ("tables have captions, scopes and whole rows", checks.TABLES),
          ("words are inside their pictures and apart", checks.TEXTS)]


def errors(log):
    return [m for m in log if "favicon" not in m]


def switching(browser):
    """Every routing with every pattern shows its own layer, and nothing else; the first ones by mouse."""
    routings = browser.run("return [].map.call(document.querySelectorAll('input[name=o]'), function (e) { return e.id })")
    patterns = browser.run("return [].map.call(document.querySelectorAll('input[name=w]'), function (e) { return e.id })")
    if not routings or not patterns:
        return ["no buttons"]
    bad = []
    for o, w in zip(routings[:2], reversed(patterns)):
        browser.click("label[for=%s]" % o)
        browser.click("label[for=%s]" % w)
        if browser.run(checks.SHOWN_LAYERS) != ["lay %s %s" % (o, w)]:
            bad.append("clicked %s and %s, shown: %s" % (o, w, browser.run(checks.SHOWN_LAYERS)))
    return bad + browser.run(checks.SWITCHING)


def ordered(values, falling):
    """As the page promises: numbers by value, unmeasured ones last, words by their letters."""
    def number(v):
        try:
            return float(v)
        except ValueError:
            return None
    numbers = [number(v) for v in values]
    known = [v for v in numbers if v is not None]
    if known:
        return known == sorted(known, reverse=falling) and numbers[:len(known)] == known
    words = [v.lower() for v in values]
    return words == sorted(words, reverse=falling)


def sorting(browser):
    bad, tables = [], browser.run("return document.querySelectorAll('table.sort').length")
    for t in range(tables):
        columns = browser.run("return document.querySelectorAll('table.sort')[arguments[0]].tHead.rows[0].cells.length", t)
        for c in range(columns):
            before = sorted(browser.run(checks.COLUMN, t, c))
            seen = []
            for _ in range(2):
                browser.run("document.querySelectorAll('table.sort')[arguments[0]].tHead.rows[0].cells[arguments[1]]"
                            ".querySelector('button').click()", t, c)
                way = browser.run("return document.querySelectorAll('table.sort')[arguments[0]].tHead.rows[0]"
                                  ".cells[arguments[1]].getAttribute('aria-sort')", t, c)
                seen.append(way)
                values = browser.run(checks.COLUMN, t, c)
                if not ordered(values, way == "descending"):
                    bad.append("table %d column %d %s: %s" % (t, c, way, values))
                if sorted(values) != before:
                    bad.append("table %d column %d lost rows" % (t, c))
            if sorted(seen) != ["ascending", "descending"]:
                bad.append("table %d column %d goes %s" % (t, c, seen))
    return bad if tables else ["no table sorts"]


def keyboard(browser, path):
    """Tab first reaches the skip link; arrows change the drawing."""
    bad = []
    browser.open(path)
    browser.keys("\ue004")
    if browser.run("return document.activeElement.className") != "skip":
        bad.append("Tab does not begin at the skip link")
    browser.run("document.querySelector('input[name=o]:checked').focus()")
    before = browser.run(checks.SHOWN_LAYERS)
    if browser.run("return document.querySelectorAll('input[name=o]').length") > 1:
        browser.keys("\ue014")
        if browser.run(checks.SHOWN_LAYERS) == before:
            bad.append("an arrow key changes nothing")
    if browser.run("return getComputedStyle(document.querySelector('input:checked + label')).outlineStyle") == "none":
        bad.append("focus is not visible")
    return bad


def copying(browser):
    browser.run("document.querySelector('.copy').click()")
    for _ in range(50):
        if browser.run("return document.querySelector('.copy').textContent") == "Copied":
            return []
    return ["the button does not say that it copied"]


def without_script(browser, path):
    browser.open(path)
    expected = browser.run(checks.CONTENT)
    browser.scripts(False)
    try:
        browser.open(path)
        bad = []
        if browser.run("return document.querySelectorAll('button').length"):
            bad.append("the script ran")
        if browser.run(checks.CONTENT) != expected:
            bad.append("content differs: %s, with script %s" % (browser.run(checks.CONTENT)[1:], expected[1:]))
        return bad + browser.run(checks.PICTURES) + switching(browser)
    finally:
        browser.scripts(True)


def printing(browser, path):
    browser.open(path)
    browser.scheme("dark", "print")
    browser.width(688)  # A4 with margins of 14 mm
    bad = browser.run(checks.OVERFLOW)
    bad += browser.run("return [].filter.call(document.querySelectorAll('.scroll'), function (s) { return s.scrollWidth > s.clientWidth + 1 })"
                       ".map(function (s) { return s.getAttribute('aria-label') + ' is cut off' })")
    if browser.run("return getComputedStyle(document.querySelector('nav')).display") != "none":
        bad.append("navigation is printed")
    if browser.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
        bad.append("paper is not white")
    browser.scheme("light")
    browser.width(1280)
    pdf = base64.b64decode(browser.tool("Page.printToPDF", printBackground=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    if len(pdf) < 20000 or not 2 <= pages <= PAGES:
        bad.append("the PDF has %d bytes, %d pages" % (len(pdf), pages))
    return bad


def try_page(browser, path):
    name = os.path.basename(path)
    browser.scheme("light")
    browser.width(1280)
    browser.log()
    browser.open(path)
    result(name + ": no message on the console", errors(browser.log()))
    size = os.path.getsize(path)
    result(name + ": less than 5 MB", [] if size < 5e6 else [size])
    for what, script in STATIC:
        result(name + ": " + what, browser.run(script))
    for width in (375, 1024, 1600):
        browser.width(width)
        result("%s: nothing sticks out at %d pixels" % (name, width), browser.run(checks.OVERFLOW))
    for width in (1280, 400):
        browser.width(width, 800)
        result("%s: what to do is on the first screen at %d pixels" % (name, width), browser.run(checks.FIRST))
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        result("%s: contrast, %s" % (name, scheme), browser.run(checks.CONTRAST))
    browser.scheme("light")
    browser.width(1280)
    result(name + ": switching shows each layer alone", switching(browser))
    result(name + ": sorting", sorting(browser))
    result(name + ": copying", copying(browser))
    result(name + ": by keyboard", keyboard(browser, path))
    result(name + ": complete without script", without_script(browser, path))
    result(name + ": on paper", printing(browser, path))
    result(name + ": still no message on the console", errors(browser.log()))


def try_picture(browser, path):
    browser.width(1600)
    browser.open(path)
    result(os.path.basename(path) + ": words are inside and apart", browser.run(checks.TEXTS))


# What is put into a good page, and the check that must notice.
SPOILS = [("an image from elsewhere", "<img src=\"http://127.0.0.1:9/x.png\" alt=\"\">", checks.FETCHES),
          ("an id twice", "<p id=\"main\">x</p>", checks.IDS), ("a link to nowhere", "<a href=\"#nowhere\">x</a>", checks.IDS),
          ("a heading out of order", "<h5>x</h5>", checks.HEADINGS),
          ("a picture without words", "<svg role=\"img\" width=\"90\" height=\"90\"></svg>", checks.PICTURES),
          ("a picture without size", "<svg role=\"img\" width=\"0\" height=\"0\"><title>x</title><desc>x</desc></svg>", checks.PICTURES),
          ("a table without caption", "<table><thead><tr><th>x</th></tr></thead><tbody><tr><td>x</td></tr></tbody></table>", checks.TABLES),
          ("words outside their picture", "<svg role=\"img\" width=\"90\" height=\"90\"><title>x</title><text x=\"80\" y=\"20\">words</text></svg>", checks.TEXTS),
          ("words over one another", "<svg role=\"img\" width=\"90\" height=\"90\"><title>x</title><text x=\"8\" y=\"20\">words</text><text x=\"12\" y=\"22\">words</text></svg>", checks.TEXTS),
          ("a picture too far down", "<style>#deploy{padding-top:500px}</style>", checks.FIRST),
          ("something too wide", "<div style=\"width:3000px\">x</div>", checks.OVERFLOW),
          ("all layers at once", "<style>.sw .lay{display:revert!important}</style>", checks.SWITCHING),
          ("pale text", "<p style=\"color:#999;background:#fff\">x</p>", checks.CONTRAST)]


def try_checks(browser, path):
    with open(path, encoding="utf-8") as f:
        page = f.read()
    browser.width(1024)
    with tempfile.TemporaryDirectory() as folder:
        def spoiled(old, new):
            assert old in page
            with open(folder + "/page.html", "w", encoding="utf-8") as f:
                f.write(page.replace(old, new))
            browser.open(folder + "/page.html")
        for what, spoil, script in SPOILS:
            spoiled("</main>", spoil + "</main>")
            result("noticed: " + what, [] if browser.run(script) else ["not noticed"])
        spoiled("up*(x-y)", "0")
        result("noticed: a column that does not sort", [] if sorting(browser) else ["not noticed"])
        spoiled("</main>", "<script>document.write('<p>more</p>')</script></main>")
        result("noticed: something only a script shows", [] if without_script(browser, folder + "/page.html") else ["not noticed"])
        browser.log()
        spoiled("'use strict';", "'use strict';undefined_name();")
        result("noticed: an error on the console", [] if errors(browser.log()) else ["not noticed"])


def main():
    browser = Browser()
    try:
        for path in sys.argv[1:]:
            if path.endswith(".svg"):
                try_picture(browser, path)
            elif os.path.basename(path) == "paper.html":
                browser.width(1280)
                result("a large fabric: on paper", printing(browser, path))
            else:
                try_page(browser, path)
        try_checks(browser, sys.argv[1])
    finally:
        browser.close()
    print("1..%d" % count)


main()
