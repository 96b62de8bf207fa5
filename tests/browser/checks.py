# SPDX-License-Identifier: BSD-2-Clause
"""What a page must hold, as scripts that return a list of complaints."""

# Everything a page may fetch from, and what the browser did fetch.
FETCHES = """
var bad = [];
document.querySelectorAll('[src],[href],[srcset],[action],[data],[poster]').forEach(function (e) {
  ['src', 'href', 'srcset', 'action', 'data', 'poster'].forEach(function (a) {
    var v = e.getAttribute(a);
    if (v !== null && v[0] !== '#') bad.push(e.tagName + ' ' + a + '=' + v.slice(0, 60));
  });
});
document.querySelectorAll('style,[style]').forEach(function (e) {
  var css = e.tagName === 'STYLE' ? e.textContent : e.getAttribute('style');
  if (/url\\(|@import|https?:/i.test(css)) bad.push('style: ' + css.match(/.{0,20}(url\\(|@import|https?:).{0,40}/i)[0]);
});
performance.getEntriesByType('resource').forEach(function (r) { bad.push('fetched ' + r.name); });
return bad;
"""

IDS = """
var bad = [], seen = {};
document.querySelectorAll('[id]').forEach(function (e) {
  if (seen[e.id]) bad.push('id twice: ' + e.id);
  seen[e.id] = true;
});
document.querySelectorAll('[aria-labelledby],[for],a[href]').forEach(function (e) {
  var refs = e.getAttribute('aria-labelledby') || e.getAttribute('for') || e.getAttribute('href').slice(1);
  refs.split(' ').forEach(function (r) { if (!document.getElementById(r)) bad.push('no such id: ' + r); });
});
return bad;
"""

HEADINGS = """
var bad = [], last = 0, h1 = 0;
document.querySelectorAll('h1,h2,h3,h4,h5,h6').forEach(function (h) {
  var l = +h.tagName[1];
  h1 += l === 1;
  if (l > last + 1) bad.push('h' + last + ' is followed by h' + l + ': ' + h.textContent);
  if (!h.textContent.trim()) bad.push('empty ' + h.tagName);
  last = l;
});
if (h1 !== 1) bad.push(h1 + ' h1');
['header', 'main', 'footer', 'nav'].forEach(function (t) {
  if (document.querySelectorAll(t).length !== 1) bad.push('not one ' + t);
});
if (!document.documentElement.lang) bad.push('no language');
return bad;
"""

# Pictures that are shown have size and words; what is hidden belongs to a layer that can be chosen.
PICTURES = """
var bad = [], shown = 0;
document.querySelectorAll('svg').forEach(function (s) {
  var r = s.getBoundingClientRect(), t = s.querySelector('title'), d = s.querySelector('desc');
  if (s.getAttribute('role') !== 'img') bad.push('svg without role');
  if (!t || !t.textContent.trim() || !d || !d.textContent.trim()) bad.push('svg without title or description');
  if (r.width > 50 && r.height > 30) { shown++; return; }
  if (!s.closest('.lay')) bad.push('svg of size ' + r.width + ' x ' + r.height + ': ' + (t ? t.textContent : ''));
});
if (!shown) bad.push('no picture is shown');
return bad;
"""

# Words of pictures that are shown: inside their picture, and no upright ones over one another.
TEXTS = """
var bad = [], n = 0;
document.querySelectorAll('svg').forEach(function (s) {
  var box = s.getBoundingClientRect(), upright = [], name = s.querySelector('title').textContent + ': ';
  s.querySelectorAll('text').forEach(function (t) {
    var r = t.getBoundingClientRect();
    if (!r.width || !t.textContent.trim()) return;
    n++;
    if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1)
      bad.push(name + 'outside: ' + t.textContent);
    if (!t.getAttribute('transform')) upright.push([r, t]);
  });
  upright.sort(function (a, b) { return a[0].left - b[0].left; });
  for (var i = 0; i < upright.length; i++)
    for (var k = i + 1; k < upright.length && upright[k][0].left < upright[i][0].right - 1; k++) {
      /* Letters do not fill the height of their boxes. */
      var a = upright[i][0], b = upright[k][0], part = 0.3 * Math.min(a.height, b.height);
      if (a.top + part < b.bottom && b.top + part < a.bottom)
        bad.push(name + upright[i][1].textContent + ' is over ' + upright[k][1].textContent);
    }
});
if (!n) bad.push('no text at all');
return bad;
"""

# What a reader sees before scrolling: the whole picture of the choices, and the steps, all of them on a screen, the
# first on a phone.
FIRST = """
var bad = [], high = window.innerHeight, all = window.innerWidth >= 1000;
var figure = document.querySelector('#deploy figure'), steps = document.querySelectorAll('.steps>li>p');
if (!figure || figure.getBoundingClientRect().bottom > high) bad.push('the picture is not on the first screen');
if (!document.querySelector('#deploy')) bad.push('no section on what to do');
[].forEach.call(steps, function (p, i) {
  var r = p.getBoundingClientRect();
  if (all ? r.bottom > high : i === 0 && r.top > high) bad.push('not on the first screen: ' + p.textContent);
});
return bad;
"""

TABLES = """
var bad = [];
document.querySelectorAll('table').forEach(function (t) {
  var name = t.caption ? t.caption.textContent.trim() : '';
  if (!name) bad.push('table without caption');
  if (!t.tHead || !t.tBodies[0].rows.length) bad.push('table without head or rows: ' + name);
  t.querySelectorAll('th').forEach(function (h) { if (!h.scope) bad.push('th without scope: ' + h.textContent); });
  Array.prototype.forEach.call(t.tBodies[0].rows, function (r) {
    if (r.cells.length !== t.tHead.rows[0].cells.length) bad.push('row of ' + r.cells.length + ' cells: ' + name);
  });
});
document.querySelectorAll('.scroll').forEach(function (s) {
  if (s.tabIndex !== 0 || !s.getAttribute('aria-label')) bad.push('scroller without keyboard or label');
});
return bad;
"""

OVERFLOW = """
var w = document.documentElement.clientWidth, bad = [];
if (document.documentElement.scrollWidth > w)
  document.querySelectorAll('body *').forEach(function (e) {
    if (e.getBoundingClientRect().right > w + 1 && !e.closest('.scroll,pre') && bad.length < 5)
      bad.push(e.tagName + '.' + e.className + ' ends at ' + Math.round(e.getBoundingClientRect().right) + ' of ' + w);
  });
if (document.documentElement.scrollWidth > w && !bad.length) bad.push('scrolls to ' + document.documentElement.scrollWidth);
return bad;
"""

# Contrast of every shown text with what is behind it (WCAG 2): at least 4.5.
CONTRAST = """
function rgba(c) {
  var m = c.match(/rgba?\\(([^)]*)\\)/);
  if (!m) return null;
  var v = m[1].split(/[ ,\\/]+/).map(Number);
  return v.length > 3 ? v : v.concat([1]);
}
function over(a, b) { return [0, 1, 2].map(function (i) { return a[i] * a[3] + b[i] * (1 - a[3]); }).concat([1]); }
function light(c) {
  var v = c.slice(0, 3).map(function (x) { x /= 255; return x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4); });
  return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}
function behind(e) {
  var layers = [];
  for (; e; e = e.parentElement) {
    var c = rgba(getComputedStyle(e).backgroundColor);
    if (c && c[3]) layers.push(c);
    if (c && c[3] === 1) break;
  }
  return layers.reverse().reduce(function (b, a) { return over(a, b); }, [255, 255, 255, 1]);
}
var bad = [], seen = {}, n = 0, walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), node;
while ((node = walk.nextNode())) {
  var e = node.parentElement, s = getComputedStyle(e);
  if (!node.textContent.trim() || e.closest('script,style,title,desc')) continue;
  if (!e.getClientRects().length || s.visibility === 'hidden') continue;
  var back = behind(e), front = over(rgba(e.closest('svg') ? s.fill : s.color), back);
  var a = light(front), b = light(back), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  n++;
  var what = e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + ratio.toFixed(2);
  if (ratio < 4.5 && !seen[what]) { seen[what] = 1; bad.push(what + ': ' + node.textContent.trim().slice(0, 40)); }
}
if (n < 40) bad.push('only ' + n + ' texts looked at');
return bad;
"""

# What the page says, for comparison with and without its script: words, rows, pictures and their strokes.
CONTENT = """
var copy = document.body.cloneNode(true);
copy.querySelectorAll('script,button.copy').forEach(function (e) { e.remove(); });
return [copy.textContent.replace(/\\s+/g, ' ').trim(), copy.querySelectorAll('tr').length,
        copy.querySelectorAll('svg').length, copy.querySelectorAll('path').length];
"""

SHOWN_LAYERS = """
var names = {};
document.querySelectorAll('.lay').forEach(function (e) {
  if (getComputedStyle(e).display !== 'none') names[e.getAttribute('class').replace('lines ', '')] = 1;
});
return Object.keys(names);
"""

# Every routing with every pattern: one layer, and its pictures.
SWITCHING = """
function shown() { %s }
function pictures() { %s }
var bad = [];
document.querySelectorAll('input[name=o]').forEach(function (o) {
  document.querySelectorAll('input[name=w]').forEach(function (w) {
    document.querySelector('label[for=' + o.id + ']').click();
    document.querySelector('label[for=' + w.id + ']').click();
    var names = shown().join();
    if (names !== 'lay ' + o.id + ' ' + w.id) bad.push(o.id + ' ' + w.id + ' chosen, shown: ' + names);
    bad = bad.concat(pictures());
  });
});
return bad;
""" % (SHOWN_LAYERS, PICTURES)

# The values of a column as the rows stand.
COLUMN = """
return Array.prototype.map.call(document.querySelectorAll('table.sort')[arguments[0]].tBodies[0].rows, function (r) {
  var c = r.cells[arguments[1]], v = c.getAttribute('data-v');
  return v === null ? c.textContent.trim() : v;
}, null);
""".replace("arguments[1]", "column").replace("return Array", "var column = arguments[1]; return Array", 1)
