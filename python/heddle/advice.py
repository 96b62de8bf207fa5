# SPDX-License-Identifier: BSD-2-Clause
"""The main job: what is wrong with a fabric, what it could be, and what to deploy."""
from __future__ import annotations

import json
import os
from typing import Iterable, Optional

from ._context import Path, Progress, c_path, c_text, call, path_bytes, text_bytes, text_of
from ._heddle import ffi, lib
from .evaluation import Net, Table, as_network, as_routes
from .network import Network, _written


class Report:
    """What :func:`advise` found: text, page, JSON, charts; a notebook shows the page."""

    def __init__(self, pointer, request, keep):
        self.pointer = ffi.gc(pointer, lib.hd_report_free)
        self._request, self._keep = request, keep  # the report keeps pointing to the network

    @property
    def verdict(self) -> str:
        """PASS, WARN or FAIL: the worst of what was found."""
        return text_of(lib.hd_verdict_name(lib.hd_report_verdict(self.pointer)))

    def to_html(self) -> str:
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_report_html(ctx.pointer, self.pointer, o))

    def to_text(self, colour: bool = False) -> str:
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_report_text(ctx.pointer, self.pointer, colour, o))

    def to_dict(self) -> dict:
        """What ``heddle advise --json`` prints."""
        with call() as ctx:
            return json.loads(_written(ctx, lambda o: lib.hd_report_json(ctx.pointer, self.pointer, o)))

    def chart(self, kind: str, option: int = 0, view: int = 0) -> str:
        """One chart as SVG; kinds are those of ``heddle list chart``."""
        with call() as ctx:
            return _written(
                ctx, lambda o: lib.hd_chart_svg(ctx.pointer, self.pointer, text_bytes(kind), option, view, o)
            )

    def write(self, folder: Path) -> None:
        """The page, deploy/, rank files and the Slurm topology, into a folder that is made: all of them or none."""
        with call() as ctx:
            ctx.check(lib.hd_advise_write(ctx.pointer, self._request, self.pointer, path_bytes(folder)))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<heddle.Report {self.verdict}>"

    def _repr_html_(self) -> str:
        page = self.to_html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:60em;border:0"></iframe>'


def advise(
    net: Net,
    current: Optional[Table] = None,
    *,
    goal: Optional[str] = None,
    engines: Optional[Iterable[str]] = None,
    nodes: Optional[Path] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Report:
    """Compares all engines on a fabric, with the table it has if that is given: what ``heddle advise`` prints."""
    text = net.spec if isinstance(net, Network) else os.fsdecode(net)
    net = as_network(net)
    routes = None if current is None else as_routes(net, current, seed, threads)
    named = isinstance(current, (str, bytes, os.PathLike))
    given: Optional[Path] = current if named else routes.spec if routes else None
    names = [c_text(e) for e in engines or ()]
    texts = [c_path(text), c_path(given), c_path(nodes), c_text(goal), c_path(f"heddle advise {text}")]
    request = ffi.new("struct hd_advise_in *")
    request.net = net.pointer
    request.net_text, request.current_text, request.nodes, request.goal, request.command = texts
    request.current = routes.pointer if routes else ffi.NULL
    engine = ffi.new("const char *[]", names) if names else ffi.NULL
    request.engine, request.nengine = engine, len(names)
    out = ffi.new("struct hd_report **")
    with call(seed, threads, progress) as ctx:
        if ctx.progress:
            request.progress, request.user = lib.heddle_advise_progress, ctx.handle
        ctx.check(lib.hd_advise(ctx.pointer, request, out))
        request.progress = request.user = ffi.NULL
    return Report(out[0], request, (net, routes, texts, names, engine))
