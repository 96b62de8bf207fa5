# SPDX-License-Identifier: BSD-2-Clause
"""The main job: what is wrong with a fabric, what it could be, and what to deploy."""
from __future__ import annotations

import json
import os
import re
import shlex
from typing import Iterable, Optional, Union

from ._context import (
    Path,
    Progress,
    c_path,
    c_text,
    call,
    is_registered,
    owned,
    path_bytes,
    place,
    text_bytes,
    text_of,
)
from ._heddle import ffi, lib
from .evaluation import Net, Table, as_list, as_network, as_routes
from .network import _for_command, _seeded_row, _written
from .routes import Routes

# In the folder of the report, where keep_net and keep_current of the library put them.
_FILE = "net.ibnet"
_TABLE = "current.lft"
_FILES = ("node-name-map", "guid2lid")  # options of networks that take one


class Report:
    """What :func:`advise` found: text, page, JSON, charts; a notebook shows the page."""

    def __init__(self, pointer, request, keep):
        self.pointer = pointer
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
        """The page, deploy/, rank files and the Slurm topology, into a folder that is made: all of them or none. A
        network that no command can make, such as one of a graph, is added as net.ibnet, a table that none can make, such
        as an array, as current.lft, and the commands of the report are then to be run in the folder."""
        with call() as ctx:
            ctx.check(lib.hd_advise_write(ctx.pointer, self._request, self.pointer, path_bytes(folder)))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<heddle.Report {self.verdict}>"

    def _repr_html_(self) -> str:
        page = self.to_html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:60em;border:0"></iframe>'


def _absolute(text: Optional[Path]) -> Optional[str]:
    """A file, or a spec that names some, for commands that are run in another folder."""
    if text is None:
        return None
    text = os.fsdecode(text)
    if text != "-" and os.path.exists(text):
        return os.path.abspath(text)
    return re.sub(r"(?<==)[^,=]+", lambda m: os.path.abspath(m[0]) if os.path.isfile(m[0]) else m[0], text)


def _for_current(routes: Routes, current: Table, seed: int) -> Optional[Path]:
    """What the command makes the current table of; None where it needs a file: an array, or an engine of Python."""
    text: Path = current if isinstance(current, (str, bytes, os.PathLike)) else routes.spec
    if is_registered(lib.HD_ENGINES, os.fsdecode(text)):
        return None
    own = routes._seed  # pylint: disable=protected-access
    return text if own == seed else _seeded_row(lib.HD_ENGINES, os.fsdecode(text), own)


def _command(text: str, table: Optional[Path], own: dict, options: str) -> str:
    """The command line that makes the same report. It compares all engines that are built in, so a report on chosen ones,
    or with one of Python, cannot be repeated by a command."""
    files = [os.fsdecode(f) for f in (text, table) if f is not None]
    words = ["heddle advise", *(shlex.quote(f"./{f}" if f.startswith("-") else f) for f in files)]
    words += [f"--{key} {shlex.quote(os.fsdecode(value))}" for key, value in own.items() if value is not None]
    return " ".join(words + ([options] if options else []))


def advise(
    net: Net,
    current: Optional[Table] = None,
    *,
    goal: Optional[str] = None,
    engines: Union[None, str, Iterable[str]] = None,
    nodes: Optional[Path] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Report:
    """Compares all engines on a fabric, with the table it has if that is given: what ``heddle advise`` prints."""
    net = as_network(net)
    text, fail, further = _for_command(net)
    if seed != 1:
        further["seed"] = f"{seed:d}"
    routes = None if current is None else as_routes(net, current, seed, threads)
    given = None if routes is None else _for_current(routes, current, seed)
    kept, saved = text is None, routes is not None and given is None
    if kept or saved:  # the commands are for the folder of the report
        text, given, nodes = _absolute(text) or _FILE, _TABLE if saved else _absolute(given), _absolute(nodes)
        further.update({key: os.path.abspath(further[key]) for key in _FILES if key in further})
    options = " ".join(f"--{key}" + ("" if value is None else f" {shlex.quote(value)}") for key, value in further.items())
    names = [] if engines is None else [c_text(e) for e in as_list(engines)]
    command = _command(text, given, {"nodes": nodes, "for": goal, "fail": fail}, options)
    texts = [c_path(t) for t in (text, options, fail, given, nodes, command)] + [c_text(goal)]
    request = ffi.new("struct hd_advise_in *")
    request.net = net.pointer
    request.net_text, request.net_options, request.fail, request.current_text = texts[:4]
    request.nodes, request.command, request.goal = texts[4:]
    request.current = routes.pointer if routes else ffi.NULL
    request.keep_net, request.keep_current = kept, saved
    engine = ffi.new("const char *[]", names) if names else ffi.NULL
    request.engine, request.nengine = engine, len(names)
    out = place("hd_report", lib.hd_report_free)
    with call(seed, threads, progress) as ctx:
        if ctx.progress:
            request.progress, request.user = lib.heddle_advise_progress, ctx.handle
        ctx.check(lib.hd_advise(ctx.pointer, request, out))
        request.progress = request.user = ffi.NULL
    return Report(owned(out), request, (net, routes, texts, names, engine))
