# SPDX-License-Identifier: BSD-2-Clause
"""Fabrics that do not exist yet: candidates for a number of endpoints, with counts, cost and bandwidth."""
from __future__ import annotations

from typing import List, Optional

from ._context import Path, Progress, c_path, c_text, call, owned, place, text_of
from ._heddle import ffi, lib
from .network import Network, _written

_TEXTS = ("family", "spec", "table", "lost", "lost_table")
_NUMBERS = (
    "endpoints", "switches", "cables", "switch_cables", "planes", "copper", "optical", "optics", "metres", "longest",
    "watts", "cost", "ebb", "ebb_ci", "samples", "worst", "ebb_lost", "ebb_lost_ci", "grows_to", "lids", "pareto",
)  # fmt: skip


class Design:
    """Candidate fabrics by increasing cost; a notebook shows the chart of bandwidth over cost and the table."""

    def __init__(self, pointer):
        self.pointer = pointer

    @property
    def rows(self):
        """A DataFrame with a row per candidate; columns are the keys of ``heddle design --json``."""
        import pandas as pd  # pylint: disable=import-outside-toplevel

        rows = []
        for i in range(self.pointer.nrow):
            r = self.pointer.row[i]
            row = {key: text_of(getattr(r, key)) or None for key in _TEXTS}
            rows.append({**row, **{key: getattr(r, key) for key in _NUMBERS}})
        return pd.DataFrame(rows, columns=[*_TEXTS[:2], *_NUMBERS, *_TEXTS[2:]])

    @property
    def notes(self) -> List[str]:
        """What was left out and why, and what to know."""
        return [text_of(self.pointer.note[i]) for i in range(self.pointer.nnote)]

    @property
    def currency(self) -> str:
        return text_of(self.pointer.prices.currency)

    def network(self, i: int) -> Network:
        """The fabric of a row."""
        if not 0 <= i < self.pointer.nrow:
            raise IndexError(f"design {i}: there are {self.pointer.nrow}")
        return Network.generate(text_of(self.pointer.row[i].spec))

    def chart(self) -> str:
        """EBB over cost as SVG."""
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_design_chart(ctx.pointer, self.pointer, o))

    def __len__(self) -> int:
        return self.pointer.nrow

    def __repr__(self) -> str:
        return f"<heddle.Design of {getattr(self.pointer, 'in').endpoints} endpoints: {len(self)} candidates>"

    def _repr_html_(self) -> str:
        return self.chart() + self.rows._repr_html_()  # pylint: disable=protected-access


def design(
    endpoints: int,
    radix: int,
    *,
    rails: int = 1,
    prices: Optional[Path] = None,
    racks: Optional[str] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Design:
    """Candidate fabrics for so many endpoints from switches of so many ports: what ``heddle design`` prints.

    >>> made = design(16, 8)
    >>> made.rows.family[0], made.network(0).endpoints
    ('HyperX, half bisection', 16)
    """
    texts = [c_path(prices), c_text(racks)]
    request = ffi.new("struct hd_design_in *")
    request.endpoints, request.radix, request.rails = endpoints, radix, rails
    request.prices, request.racks = texts
    out = place("hd_design", lib.hd_design_free)
    with call(seed, threads, progress) as ctx:
        ctx.check(lib.hd_design_make(ctx.pointer, request, out))
    return Design(owned(out))
