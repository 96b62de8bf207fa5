# SPDX-License-Identifier: BSD-2-Clause
"""Routing engines, patterns and metrics as Python functions: registered by a name, they work wherever a built-in one does.

The first option of every row, which nobody sets, is the key of its function; further parameters of the function, which
need defaults, become those of the spec. Functions of patterns and metrics are called by the library's threads, one at a
time as Python has it.
"""
from __future__ import annotations

import inspect
from typing import Callable, Dict, Optional, Union

import numpy as np

from ._context import InputError, UsageError, c_text, register, unclaimed
from ._heddle import ffi, lib
from .network import Network

_KINDS = {bool: lib.HD_FLAG, int: lib.HD_UINT, float: lib.HD_REAL, str: lib.HD_TEXT}
_LARGEST = 2.0**53
_ONE = 2**40  # 1.0 in the library's fixed point


class _Entry:
    """A registered function with what the library needs to call it."""

    def __init__(self, function: Callable, skip: int, **more):
        self.function = function
        self.parameters = _parameters(function, skip)
        self.more = more

    def values(self, opt) -> dict:
        return {name: _option(opt, i + 1, default) for i, (name, default) in enumerate(self.parameters)}


_entries: Dict[int, _Entry] = {}


class _Borrowed(Network):
    """The network that routes are made for: it belongs to the caller."""

    def __init__(self, pointer):  # pylint: disable=super-init-not-called
        self.pointer = pointer


def _parameters(function: Callable, skip: int):
    """Parameters behind those that the library passes, with defaults, as (name, default)."""
    out = []
    for name, parameter in list(inspect.signature(function).parameters.items())[skip:]:
        if type(parameter.default) not in _KINDS:
            raise UsageError(f"parameter {name}: expected a default that is a number, a truth value or a string")
        out.append((name, parameter.default))
    return out


def _written_default(value) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _option(opt, i: int, default):
    at = ffi.cast("char *", opt) + 8 * i
    if isinstance(default, bool):
        return ffi.cast("bool *", at)[0]
    if isinstance(default, int):
        return ffi.cast("uint64_t *", at)[0]
    if isinstance(default, float):
        return ffi.cast("double *", at)[0]
    return ffi.string(ffi.cast("char **", at)[0]).decode()


def _describe(desc, name: str, summary: Optional[str], entry: _Entry) -> list:
    """Fills in struct hd_desc; returns what it points to."""
    key = len(_entries) + 1
    text = summary or (inspect.getdoc(entry.function) or "a function in Python").splitlines()[0]
    parameters = [("key", key)] + entry.parameters
    rows = ffi.new("struct hd_param[]", len(parameters) + 1)
    keep = [c_text(name), c_text(text), rows]
    for i, (parameter, default) in enumerate(parameters):
        texts = [c_text(parameter), c_text(_written_default(default)), c_text("see its function")]
        keep += texts
        rows[i].name, rows[i].value, rows[i].doc = texts
        rows[i].kind = _KINDS[type(default)]
        rows[i].offset = 8 * i
        rows[i].min, rows[i].max = (-_LARGEST if isinstance(default, float) else 0), _LARGEST
    desc.name, desc.summary = keep[0], keep[1]
    desc.params, desc.opt_size = rows, 8 * len(parameters)
    _entries[key] = entry
    return keep


def _add(kind: int, struct: str, row, name: str, summary: Optional[str], entry: _Entry) -> None:
    keep = _describe(row.desc, name, summary, entry) + [row]
    register(kind, ffi.addressof(row.desc), ffi.sizeof(struct), keep)


# ---- engines -------------------------------------------------------------------------------------


def engine(name: str, function: Optional[Callable] = None, *, summary: Optional[str] = None):
    """Registers a routing engine: a function of a network that returns the table, [switches, endpoints] ports.

    >>> @engine("first-port")
    ... def first_port(net, port=1):
    ...     return np.full((net.switches, net.endpoints), port, np.uint8)
    """
    if function is None:
        return lambda f: engine(name, f, summary=summary)
    _add_engine(name, function, summary, lib.HD_ENGINE_CANDIDATE)
    return function


def _add_engine(name: str, function: Callable, summary: Optional[str], role: int) -> None:
    row = ffi.new("struct hd_engine *")
    row.role = role
    row.route = lib.heddle_route
    _add(lib.HD_ENGINES, "struct hd_engine", row, name, summary, _Entry(function, 1))


def _fill(ctx, opt, routes) -> int:
    from .routes import _slots  # pylint: disable=import-outside-toplevel

    net = _Borrowed(lib.hd_routes_net(routes))
    entry = _entries[ffi.cast("uint64_t *", opt)[0]]
    slots = _slots(net, np.asarray(entry.function(net, **entry.values(opt))))
    status = lib.hd_routes_table(ctx, routes, 1)
    if status == lib.HD_OK:
        for d in range(net.endpoints):
            ffi.memmove(lib.hd_routes_entries(routes, d, 0), ffi.from_buffer(slots[d]), net.switches)
    return status


def _worded(ctx, error: Exception) -> int:
    text = f"{type(error).__name__}: {error}".splitlines()[0].replace("%", "%%")
    return lib.hd_fail(ctx, lib.HD_INPUT, text.encode())


@ffi.def_extern()
def heddle_route(ctx, opt, _scratch, routes):
    try:
        return _fill(ctx, opt, routes)
    except Exception as error:  # pylint: disable=broad-except
        return _worded(ctx, error)


_given: list = []  # the array of the call of Routes that is being made


def _given_table(net):  # pylint: disable=unused-argument
    if not _given:
        raise InputError("the array of this table is not kept")
    return _given[-1]


class given_table:  # pylint: disable=invalid-name
    """``with given_table(array) as spec``: the spec of an engine whose table is the array."""

    registered = False

    def __init__(self, ports: np.ndarray):
        self.ports = ports

    def __enter__(self) -> str:
        if not given_table.registered:
            _add_engine("array", _given_table, "a table given as an array", lib.HD_ENGINE_EXTERNAL)
            given_table.registered = True
        _given.append(self.ports)
        return "array"

    def __exit__(self, *_) -> None:
        _given.pop()


# ---- patterns ------------------------------------------------------------------------------------


def pattern(
    name: str,
    function: Optional[Callable] = None,
    *,
    stages: Union[int, Callable[[int], int]] = 0,
    flows: Optional[Callable[[int], int]] = None,
    summary: Optional[str] = None,
):
    """Registers a traffic pattern: a function that returns the flows of a sample or a stage, [n, 2] ranks from and to.

    It is called with the number of ranks and, if ``stages`` is 0, a numpy.random.Generator that is seeded for the sample;
    otherwise with the number of the stage, 0 to ``stages`` - 1. ``stages`` and ``flows``, the most flows of a sample
    (default: one per rank), may depend on the number of ranks.

    >>> @pattern("neighbours", stages=2)
    ... def neighbours(ranks, stage):
    ...     first = np.arange(ranks)
    ...     return np.column_stack([first, (first + (1 if stage else ranks - 1)) % ranks])
    """
    if function is None:
        return lambda f: pattern(name, f, stages=stages, flows=flows, summary=summary)
    row = ffi.new("struct hd_pattern *")
    row.init, row.max_flows, row.draw = lib.heddle_pattern_init, lib.heddle_pattern_flows, lib.heddle_pattern_draw
    if stages:
        row.stages = lib.heddle_pattern_stages
    count = stages if callable(stages) else lambda ranks: stages
    entry = _Entry(function, 2, stages=count, flows=flows or (lambda ranks: ranks), random=not stages)
    _add(lib.HD_PATTERNS, "struct hd_pattern", row, name, summary, entry)
    return function


class _State:
    """What a pattern's calls share; Python keeps it while the number in the library's state refers to it."""

    def __init__(self, entry: _Entry, given):
        ranks = given.ranks.n
        self.entry, self.ranks = entry, ranks
        self.values = entry.values(given.opt)
        self.endpoints = np.frombuffer(ffi.buffer(given.ranks.ep, 4 * ranks), np.uint32).copy()
        self.flows = int(entry.more["flows"](ranks))
        self.stages = int(entry.more["stages"](ranks))


def _state(state) -> _State:
    return ffi.from_handle(ffi.cast("void **", state)[0])


_states: list = []  # the last ones: an evaluation uses one at a time and threads have few


@ffi.def_extern()
def heddle_pattern_init(ctx, arena, given, state):
    try:
        made = _State(_entries[ffi.cast("uint64_t *", given.opt)[0]], given)
        status = lib.hd_ranks_need(ctx, given.ranks, 2)
        if status != lib.HD_OK:
            return status
        room = lib.hd_alloc(arena, 1, ffi.sizeof("void *"))
        if not room:
            return lib.hd_fail_memory(ctx)
        handle = ffi.new_handle(made)
        ffi.cast("void **", room)[0] = handle
        _states.append(handle)
        del _states[:-64]
        state[0] = room
        return lib.HD_OK
    except Exception as error:  # pylint: disable=broad-except
        return _worded(ctx, error)


@ffi.def_extern()
def heddle_pattern_stages(state):
    return _state(state).stages


@ffi.def_extern()
def heddle_pattern_flows(state):
    return _state(state).flows


@ffi.def_extern()
def heddle_pattern_draw(state, rng, stage, flows):
    lib.hd_flows_begin(flows, False)
    try:
        s = _state(state)
        more = np.random.default_rng(lib.hd_rng_u64(rng)) if s.entry.more["random"] else int(stage)
        pairs = np.asarray(s.entry.function(s.ranks, more, **s.values)).reshape(-1, 2)
        if len(pairs) > s.flows:
            raise InputError(f"{len(pairs)} flows: the pattern was registered with at most {s.flows}")
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= s.ranks or (pairs[:, 0] == pairs[:, 1]).any()):
            raise InputError(f"flows are between two different ranks from 0 to {s.ranks - 1}")
        for column, room in enumerate(flows.buf[0:2]):
            chosen = np.ascontiguousarray(s.endpoints[pairs[:, column]])
            ffi.memmove(room, ffi.from_buffer(chosen), chosen.nbytes)
        flows.n = len(pairs)
    except Exception as error:  # pylint: disable=broad-except
        unclaimed.append(error)


# ---- metrics -------------------------------------------------------------------------------------


def metric(
    name: str,
    function: Optional[Callable] = None,
    *,
    largest: float = 1.0,
    higher_is_better: bool = True,
    summary: Optional[str] = None,
):
    """Registers a metric: a function of the loads of a sample that returns a number from 0 to 2^24.

    It gets an array with the largest load on each path, relative to the rates of channels: 1 for a flow that shares
    nothing, 0 for a path that does not exist. Percentiles of samples are resolved up to ``largest``.

    >>> @metric("slowest-tenth")
    ... def slowest_tenth(loads):
    ...     return float(np.quantile(1 / loads, 0.1))
    """
    if function is None:
        return lambda f: metric(name, f, largest=largest, higher_is_better=higher_is_better, summary=summary)
    row = ffi.new("struct hd_metric *")
    row.value, row.higher_is_better, row.bin_max = lib.heddle_metric_value, higher_is_better, largest
    _add(lib.HD_METRICS, "struct hd_metric", row, name, summary, _Entry(function, 1))
    return function


@ffi.def_extern()
def heddle_metric_value(loads, given):
    try:
        entry = _entries[ffi.cast("uint64_t *", given.opt)[0]]
        paths, full = lib.hd_loads_paths(loads), lib.hd_loads_full(loads)
        relative = np.fromiter((lib.hd_loads_bottleneck(loads, i) for i in range(paths)), np.float64, paths) / full
        value = float(entry.function(relative, **entry.values(given.opt)))
        if not 0 <= value < 2**24:
            raise InputError(f"metric of {value}: expected a number from 0 to 2^24")
        return int(value * _ONE)
    except Exception as error:  # pylint: disable=broad-except
        unclaimed.append(error)
        return 0
