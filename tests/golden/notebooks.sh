#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The notebooks of examples/notebooks run from the first cell to the last, and show a picture.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if [ ! -e "$HEDDLE_BUILD/python/heddle/_heddle.abi3.so" ]; then
    skip "the notebooks" "the package for Python is not built"
    finish
fi
python=$(cut -d ' ' -f 1 "$HEDDLE_BUILD/flags/python")
if ! "$python" -c 'import pandas, networkx' 2>/dev/null; then
    skip "the notebooks" "python3-pandas or python3-networkx is not installed"
    finish
fi
# As Jupyter does: the value of a cell that ends with an expression is shown.
cat >"$tmp/run.py" <<'PY'
import ast, json, sys

book = json.load(open(sys.argv[1], encoding="utf-8"))
assert book["nbformat"] == 4 and book["cells"][0]["source"][0].startswith("# ")
names, shown = {"__name__": "__main__"}, []
for cell in book["cells"]:
    if cell["cell_type"] != "code":
        continue
    assert not cell["outputs"], "outputs are not kept in the tree"
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, sys.argv[1], "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), sys.argv[1], "eval"), names)
        shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
assert any("svg" in text for text in shown), "no picture"
PY
for book in examples/notebooks/*.ipynb; do
    check "$(basename "$book") runs and shows a picture" env PYTHONPATH="$HEDDLE_BUILD/python" "$python" "$tmp/run.py" "$book"
done
same "there are four" 4 "$(ls examples/notebooks/*.ipynb | wc -l)"
finish
