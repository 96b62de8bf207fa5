# SPDX-License-Identifier: BSD-2-Clause
"""Routes measured: static metrics over patterns, and the packet simulator."""
from __future__ import annotations

import os
from typing import Iterable, List, Optional, Sequence, Union

import numpy as np

from ._context import InputError, Path, Progress, c_path, c_text, call, text_of
from ._heddle import ffi, lib
from .network import Network
from .routes import Routes

Net = Union[Path, Network]
Table = Union[Path, Routes, np.ndarray]


def as_network(net: Net) -> Network:
    return net if isinstance(net, Network) else Network.open(net)


def network_of(net: Net, tables: Sequence[Table]) -> Network:
    """The network; that of given routes if it is named by the spec they were made for."""
    for table in tables:
        if isinstance(net, str) and isinstance(table, Routes) and table.net.spec == net:
            return table.net
    return as_network(net)


def as_routes(net: Network, table: Table, seed: int = 1, threads: Optional[int] = None) -> Routes:
    if not isinstance(table, Routes):
        return Routes(net, table, seed=seed, threads=threads)
    if table.net is not net:
        raise InputError(f"{table!r}: expected routes that were made for the network given, {net!r}")
    return table


def as_list(value) -> Sequence:
    single = isinstance(value, (str, bytes, os.PathLike, Network, Routes, np.ndarray)) or value is None
    return [value] if single else list(value)


def evaluate(
    net: Union[Net, Iterable[Net]],
    table: Union[Table, Iterable[Table]],
    *,
    pattern: Union[None, str, Iterable[str]] = "bisect",
    metric: Union[str, Iterable[str]] = "ebb",
    samples: int = 1000,
    ci: float = 0,
    ranks: Optional[Path] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    keep_samples: bool = False,
    progress: Optional[Progress] = None,
):
    """A DataFrame with a row per network, table, pattern and metric: what ``heddle eval`` prints.

    Each of the four may be a list. With ``keep_samples`` the column ``values`` has the value of every sample.

    >>> frame = evaluate("ft:m=4,n=2", "dmodk", pattern="shift", metric="hsd")
    >>> float(frame.value[0])
    1.0
    """
    import pandas as pd  # pylint: disable=import-outside-toplevel

    rows: List[dict] = []
    tables, patterns, metrics = as_list(table), as_list(pattern), as_list(metric)
    for n in as_list(net):
        n = network_of(n, tables)
        for t in tables:
            routes = as_routes(n, t, seed, threads)
            for p in patterns:
                for m in metrics:
                    rows.append(_evaluate(routes, p, m, samples, ci, ranks, seed, threads, keep_samples, progress))
    return pd.DataFrame(rows)


def _evaluate(routes, pattern, metric, samples, ci, ranks, seed, threads, keep_samples, progress) -> dict:
    texts = [c_text(pattern), c_text(metric), c_path(ranks)]
    request = ffi.new("struct hd_request *")
    request.pattern, request.metric, request.ranks = texts
    request.samples, request.ci = samples, ci
    values: List[float] = []
    r = ffi.new("struct hd_result *")
    with call(seed, threads, progress) as ctx:
        if keep_samples:
            ctx.sample = values.append
            request.sample, request.user = lib.heddle_sample, ctx.handle
        ctx.check(lib.hd_eval(ctx.pointer, routes.pointer, request, r))
    row = {
        "net": routes.net.shown, "table": routes.shown, "pattern": text_of(r.pattern), "metric": text_of(r.metric),
        "value": r.value, "ci": r.ci, "samples": r.samples, "min": r.min, "max": r.max, "p5": r.p5,
        "median": r.median, "p95": r.p95, "unserved": r.unserved, "bound": r.bound, "bound_name": text_of(r.bound_name),
        "note": text_of(r.note),
    }  # fmt: skip
    if keep_samples:
        row["values"] = np.array(values)
    return row


# Keys of the command's JSON, and the members of struct hd_sim_result whose names lack the unit.
_SIMULATED = (
    "samples", "fraction", "ci", "min", "max", "sender_min", "sender_max", "fairness", "ceiling_MBps", "bandwidth_MBps", "time_ns",
    "time_max_ns", "predicted_ns", "settled_ns", "settled_bytes", "latency_min", "latency_p50", "latency_p95", "latency_p99",
    "latency_max", "latency_mean", "packets", "events", "bytes", "reordered", "dropped", "unserved", "changes", "probes", "deadlocks",
)  # fmt: skip
_WITHOUT_UNIT = {
    "ceiling_MBps": "ceiling", "bandwidth_MBps": "bandwidth", "time_ns": "time", "time_max_ns": "time_max",
    "predicted_ns": "predicted", "settled_ns": "settled",
}  # fmt: skip


def simulate(
    net: Net,
    table: Union[Table, Iterable[Table]],
    *,
    pattern: str = "bisect",
    selector: Optional[str] = None,
    model: Optional[str] = None,
    samples: int = 0,
    size: int = 0,
    messages: int = 0,
    ranks: Optional[Path] = None,
    seed: int = 1,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
):
    """A DataFrame with a row per table: what the packet simulator of ``heddle sim`` finds; 0 is the model's default.

    The columns are keys of ``heddle sim --json``; ``heddle schema sim`` describes them.
    """
    import pandas as pd  # pylint: disable=import-outside-toplevel

    tables = as_list(table)
    net = network_of(net, tables)
    rows = []
    for t in tables:
        routes = as_routes(net, t, seed, threads)
        texts = [c_text(pattern), c_text(selector), c_text(model), c_path(ranks)]
        request = ffi.new("struct hd_sim_request *")
        request.pattern, request.selector, request.model, request.ranks = texts
        request.samples, request.size, request.messages = samples, size, messages
        r = ffi.new("struct hd_sim_result *")
        with call(seed, threads, progress) as ctx:
            ctx.check(lib.hd_sim(ctx.pointer, routes.pointer, request, r))
        row = {"net": net.shown, "table": routes.shown}
        row.update({key: text_of(getattr(r, key)) for key in ("pattern", "selector", "model", "parameters")})
        row.update({key: getattr(r, _WITHOUT_UNIT.get(key, key)) for key in _SIMULATED})
        row["bandwidth_Gbps"] = r.bandwidth * 8 / 1000
        rows.append(row)
    return pd.DataFrame(rows)
