# SPDX-License-Identifier: BSD-2-Clause
"""Routing engines, patterns and metrics as Python functions: registered by a name, they work wherever a built-in one does.

The first option of every row is the number by which a callback finds its function and its call (see _context); further
parameters of the function, which need defaults, become those of the spec. Functions are called by the library's threads,
one at a time as Python has it. Once one of them has raised, none is called again in that call.
"""
from __future__ import annotations

import inspect
from typing import Callable, List, Optional, Tuple, Union

import numpy as np

from ._context import InputError, NotApplicable, UsageError, c_text, called, keep_failure, register
from ._heddle import ffi, lib
from .network import Network

_KINDS = {bool: lib.HD_FLAG, int: lib.HD_UINT, float: lib.HD_REAL, str: lib.HD_TEXT}
_LARGEST = 2.0**53
_ONE = 2**40  # 1.0 in the library's fixed point
_NO_VALUE = 2**64 - 2  # HD_NO_VALUE


class _Entry:
    """A registered function with what the library needs to call it; ``fill`` sets what is particular to the kind of row."""

    kinds = {lib.HD_ENGINES: "struct hd_engine", lib.HD_PATTERNS: "struct hd_pattern", lib.HD_METRICS: "struct hd_metric"}

    def __init__(self, kind: int, name: str, function: Callable, skip: int, fill: Callable, summary: Optional[str], **more):
        self.kind, self.name, self.function, self.fill, self.more = kind, name, function, fill, more
        self.reserved = False
        self.parameters = _parameters(function, skip)
        self.summary = summary or (inspect.getdoc(function) or "a function in Python").splitlines()[0]

    def values(self, opt) -> dict:
        return {name: _option(opt, i + 1, default) for i, (name, default) in enumerate(self.parameters)}

    def row(self, key: int):
        """The row for a context: its struct hd_desc, its size, and what it points to."""
        row = ffi.new(self.kinds[self.kind] + " *")
        parameters = [("(function)", key)] + self.parameters  # specs cannot have parentheses in keys
        params = ffi.new("struct hd_param[]", len(parameters) + 1)
        keep = [row, params, c_text(self.name), c_text(self.summary)]
        for i, (parameter, default) in enumerate(parameters):
            texts = [c_text(parameter), c_text(_written_default(default)), c_text("see its function")]
            keep += texts
            params[i].name, params[i].value, params[i].doc = texts
            params[i].kind = _KINDS[type(default)]
            params[i].offset = 8 * i
            params[i].min, params[i].max = (-_LARGEST if isinstance(default, float) else 0), _LARGEST
        row.desc.name, row.desc.summary = keep[2:4]
        row.desc.params, row.desc.opt_size = params, 8 * len(parameters)
        self.fill(row)
        return ffi.addressof(row.desc), ffi.sizeof(self.kinds[self.kind]), keep


def _parameters(function: Callable, skip: int) -> List[Tuple[str, Union[bool, int, float, str]]]:
    """Parameters behind those that the library passes, with defaults, as (name, default)."""
    out = []
    for name, parameter in list(inspect.signature(function).parameters.items())[skip:]:
        default = parameter.default
        if type(default) not in _KINDS:
            raise UsageError(f"parameter {name}: expected a default that is a number, a truth value or a string")
        least = -_LARGEST if isinstance(default, float) else 0
        if not isinstance(default, str) and not least <= default <= _LARGEST:
            raise UsageError(f"parameter {name}: expected a default from {'-2^53' if least else '0'} to 2^53, not {default}")
        out.append((name, default))
    return out


def _later(kind: Callable, name: str, **more) -> Callable:
    """The decorator that registers the function below it."""
    if not isinstance(name, str):
        raise UsageError(f"{kind.__name__}: expected a name, not {name!r}")
    return lambda function: kind(name, function, **more)


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


# ---- engines -------------------------------------------------------------------------------------


def engine(name: str, function: Optional[Callable] = None, *, summary: Optional[str] = None):
    """Registers a routing engine: a function of a network that returns the table, [switches, endpoints] ports.

    A name may be registered again: the new function takes the place of the old one. What the function raises, the call
    raises; NotApplicable says that the engine cannot route this network, and ``advise`` then goes on without it.

    >>> @engine("first-port")
    ... def first_port(net, port=1):
    ...     return np.full((net.switches, net.endpoints), port, np.uint8)
    """
    if function is None:
        return _later(engine, name, summary=summary)
    register(_engine(name, function, summary, lib.HD_ENGINE_CANDIDATE))
    return function


def _engine(name: str, function: Callable, summary: Optional[str], role: int) -> _Entry:
    def fill(row):
        row.role, row.route = role, lib.heddle_route

    return _Entry(lib.HD_ENGINES, name, function, 1, fill, summary)


def _table(context, net: Network, entry: _Entry, opt) -> np.ndarray:
    """The slots of what an engine returns, or of the array that the call was given."""
    from .routes import _slots  # pylint: disable=import-outside-toplevel

    if not entry.reserved:
        return _slots(net, entry.function(net, **entry.values(opt)))
    if context.given is None:
        raise InputError("array: only Routes can be given an array")
    return _slots(net, context.given)


@ffi.def_extern(error=lib.HD_LIMIT, onerror=keep_failure)
def heddle_route(ctx, opt, _scratch, routes):
    context, entry = called(opt)
    if context.failure is not None:
        return lib.hd_fail(ctx, lib.HD_LIMIT, b"another function has failed")
    net = Network.of(lib.hd_routes_net(routes))
    try:
        slots = _table(context, net, entry, opt)
    except NotApplicable as error:
        context.cause = error
        reason = c_text(" ".join((error.reason or str(error)).replace("\0", "?").split()))
        return lib.hd_fail_na(ctx, c_text(entry.name), net.pointer.spec, b"%.400s", reason)
    status = lib.hd_routes_table(ctx, routes, 1)
    for d in range(net.endpoints if status == lib.HD_OK else 0):
        ffi.memmove(lib.hd_routes_entries(routes, d, 0), ffi.from_buffer(slots[d]), net.switches)
    return status


def _reserve_array() -> None:
    """The engine behind Routes(net, array): its table belongs to the call."""
    entry = _engine("array", lambda net: None, "a table given as an array", lib.HD_ENGINE_EXTERNAL)
    entry.reserved = True
    register(entry)


_reserve_array()


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
        return _later(pattern, name, stages=stages, flows=flows, summary=summary)

    def fill(row):
        row.init, row.max_flows, row.draw = lib.heddle_pattern_init, lib.heddle_pattern_flows, lib.heddle_pattern_draw
        if stages:
            row.stages = lib.heddle_pattern_stages

    count = stages if callable(stages) else lambda ranks: stages
    more = {"stages": count, "flows": flows or (lambda ranks: ranks), "random": not stages}
    register(_Entry(lib.HD_PATTERNS, name, function, 2, fill, summary, **more))
    return function


def _count(what: str, value, end: int) -> int:
    """A number that C code can hold: where the result of a callback does not fit, cffi says so too late to raise it."""
    count = int(value)
    if not 0 <= count < end:
        raise InputError(f"{what} of {count}: expected a number from 0 to 2^{end.bit_length() - 1} - 1")
    return count


class _State:
    """What a pattern's calls share; the context keeps it while the call lasts."""

    def __init__(self, context, entry: _Entry, given):
        ranks = given.ranks.n
        self.context, self.entry, self.ranks = context, entry, ranks
        self.values = entry.values(given.opt)
        self.endpoints = np.frombuffer(ffi.buffer(given.ranks.ep, 4 * ranks), np.uint32).copy()
        self.flows = _count("flows", entry.more["flows"](ranks), 2**32)
        self.stages = _count("stages", entry.more["stages"](ranks), 2**64)

    def draw(self, rng, stage: int) -> np.ndarray:
        """[n, 2] ranks, checked."""
        more = np.random.default_rng(lib.hd_rng_u64(rng)) if self.entry.more["random"] else int(stage)
        pairs = np.asarray(self.entry.function(self.ranks, more, **self.values))
        if pairs.size % 2 or (pairs.size and pairs.dtype.kind not in "iu"):
            raise InputError(f"flows of shape {pairs.shape} and type {pairs.dtype}: expected pairs of integers")
        pairs = pairs.reshape(-1, 2).astype(np.int64)
        if len(pairs) > self.flows:
            raise InputError(f"{len(pairs)} flows: the pattern was registered with at most {self.flows}")
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= self.ranks or (pairs[:, 0] == pairs[:, 1]).any()):
            raise InputError(f"flows are between two different ranks from 0 to {self.ranks - 1}")
        return pairs


def _state(state) -> _State:
    return ffi.from_handle(ffi.cast("void **", state)[0])


@ffi.def_extern(error=lib.HD_LIMIT, onerror=keep_failure)
def heddle_pattern_init(ctx, arena, given, state):
    context, entry = called(given.opt)
    status = lib.hd_ranks_need(ctx, given.ranks, 2)
    if status != lib.HD_OK:
        return status
    kept = ffi.new_handle(_State(context, entry, given))
    room = lib.hd_alloc(arena, 1, ffi.sizeof("void *"))
    if not room:
        return lib.hd_fail_memory(ctx)
    context.states.append(kept)
    ffi.cast("void **", room)[0] = kept
    state[0] = room
    return lib.HD_OK


@ffi.def_extern(onerror=keep_failure)
def heddle_pattern_stages(state):
    return _state(state).stages


@ffi.def_extern(onerror=keep_failure)
def heddle_pattern_flows(state):
    return _state(state).flows


@ffi.def_extern(onerror=keep_failure)
def heddle_pattern_draw(state, rng, stage, flows):
    lib.hd_flows_begin(flows, False)
    s = _state(state)
    if s.context.failure is not None:
        return
    pairs = s.draw(rng, stage)
    for column, room in enumerate(flows.buf[0:2]):
        chosen = np.ascontiguousarray(s.endpoints[pairs[:, column]])
        ffi.memmove(room, ffi.from_buffer(chosen), chosen.nbytes)
    flows.n = len(pairs)


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
        return _later(metric, name, largest=largest, higher_is_better=higher_is_better, summary=summary)

    def fill(row):
        row.value, row.higher_is_better, row.bin_max = lib.heddle_metric_value, higher_is_better, largest

    register(_Entry(lib.HD_METRICS, name, function, 1, fill, summary))
    return function


@ffi.def_extern(error=_NO_VALUE, onerror=keep_failure)
def heddle_metric_value(loads, given):
    context, entry = called(given.opt)
    if context.failure is not None:
        return _NO_VALUE
    paths, full = lib.hd_loads_paths(loads), lib.hd_loads_full(loads)
    relative = np.fromiter((lib.hd_loads_bottleneck(loads, i) for i in range(paths)), np.float64, paths) / full
    value = float(entry.function(relative, **entry.values(given.opt)))
    if not 0 <= value < 2**24:
        raise InputError(f"metric of {value}: expected a number from 0 to 2^24")
    return int(value * _ONE)
