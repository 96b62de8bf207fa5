# SPDX-License-Identifier: BSD-2-Clause
"""Routes of a network: from an engine, a file or an array; their proof, their paths, their tables."""
from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

import numpy as np

from ._context import InputError, Path, call, owned, path_bytes, place, spec_of, text_bytes, text_of
from ._heddle import ffi, lib
from .network import Network, _write_file, _written


@dataclass(frozen=True)
class LidCheck:
    """LIDs by which no pair is routed: further LIDs of endpoints, or those of switches. choices: entries that choose among
    several ports; a path is unreachable or loops if some choice does not arrive."""

    lids: int
    unreachable: int
    loops: int
    choices: int


@dataclass(frozen=True)
class OtherCheck:
    """Endpoints that are not selected, and pairs with at least one of them."""

    endpoints: int
    unchecked: int
    pairs: int
    unreachable: int
    loops: int
    choices: int


@dataclass(frozen=True)
class Check:
    """The verdict of ``heddle check``; true when nothing is wrong."""

    pairs: int
    unreachable: int
    loops: int
    nonminimal: int
    max_hops: int
    avg_hops: float
    deadlock_free: Optional[bool]
    lanes: Optional[int]
    cycle: List[Tuple[int, int]]
    further_lids: LidCheck
    switch_lids: LidCheck
    other_endpoints: OtherCheck
    ok: bool

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True)
class Difference:
    """What replacing one table by another disturbs."""

    entries: int
    entries_changed: int
    blocks: int
    blocks_changed: int
    switches_changed: int
    pairs: int
    pairs_changed: int
    lanes_changed: int
    other_pairs: int
    other_pairs_changed: int
    other_lanes_changed: int
    sl2vl_changed: bool
    from_switch_lids: bool
    to_switch_lids: bool
    from_lanes_known: bool
    to_lanes_known: bool
    lids_changed: int


class Routes:
    """Routes for a network from an engine spec, a table file or an array of ports.

    An array has a row per switch and a column per endpoint, and holds the port by which the switch sends to the
    endpoint, 0 or 255 where it has none.

    >>> net = Network.generate("ft:m=4,n=2")
    >>> routes = Routes(net, "dmodk")
    >>> bool(routes.check())
    True
    >>> again = Routes(net, routes.table)
    >>> bool((again.table == routes.table).all())
    True
    """

    def __init__(self, net: Network, table, *, seed: int = 1, threads: Optional[int] = None):
        self.net = net
        out = place("hd_routes", lib.hd_routes_free)
        given = isinstance(table, np.ndarray)
        text = b"array" if given else path_bytes(table)
        with call(seed, threads) as ctx:
            ctx.given = table if given else None
            ctx.check(lib.hd_routes_open(ctx.pointer, net.pointer, text, out))
        self.pointer = owned(out)
        self._seed = seed

    def __reduce__(self):
        raise TypeError("routes cannot be pickled: send spec, or table, and make them again on the network there")

    @property
    def spec(self) -> str:
        return spec_of(lib.hd_routes_spec(self.pointer))

    @property
    def shown(self) -> str:
        """The spec as the command prints it: bytes of a file name that are no text are replaced."""
        return text_of(lib.hd_routes_spec(self.pointer))

    @property
    def variants(self) -> int:
        """Paths that the table has per destination."""
        return lib.hd_routes_variants(self.pointer)

    @property
    def lanes(self) -> Optional[int]:
        """VLs in use, None where that is not known."""
        return lib.hd_routes_lanes(self.pointer) or None

    def _bounds(self, variant: int, *endpoints: int) -> None:
        for e in endpoints:
            if not 0 <= e < self.net.endpoints:
                raise IndexError(f"endpoint {e}: there are {self.net.endpoints}")
        if not 0 <= variant < self.variants:
            raise IndexError(f"variant {variant}: there are {self.variants}")

    def slots(self, variant: int = 0) -> np.ndarray:
        """[endpoints, switches] position of the outgoing channel among those of the switch, 255: none."""
        self._bounds(variant)
        rows = np.empty((self.net.endpoints, self.net.switches), np.uint8)
        room = ffi.new("uint8_t[]", max(self.net.switches, 1))
        for d in range(self.net.endpoints):
            row = lib.hd_routes_row(self.pointer, d, variant, room)
            rows[d] = np.frombuffer(ffi.buffer(row, self.net.switches), np.uint8)
        return rows

    @property
    def table(self) -> np.ndarray:
        """[switches, endpoints] port by which a switch sends to an endpoint, 0: none."""
        a, slots = self.net.arrays, self.slots().T
        channel = a["off"][: self.net.switches, None].astype(np.int64) + slots
        return np.where(slots == 255, 0, a["port"][np.where(slots == 255, 0, channel)]).astype(np.uint8)

    def path(self, source: int, destination: int, variant: Optional[int] = None) -> List[int]:
        """Channels from one endpoint to another, both endpoint cables included; empty where the pair is not served."""
        self._bounds(variant or 0, source, destination)
        if variant is None:
            variant = lib.hd_routes_variant(self.pointer, source, destination)
        room = ffi.new("uint32_t[]", lib.HD_MAX_HOPS)
        return list(room[0 : lib.hd_routes_path(self.pointer, source, destination, variant, room)])

    def paths(self, sources=None, destinations=None):
        """A DataFrame with a row per channel of each path: source, destination, hop, channel, tail, head, port."""
        import pandas as pd  # pylint: disable=import-outside-toplevel

        every = range(self.net.endpoints)
        a, rows = self.net.arrays, []
        for s in every if sources is None else sources:
            for d in every if destinations is None else destinations:
                if s != d:
                    rows += [(s, d, hop, c) for hop, c in enumerate(self.path(s, d))]
        frame = pd.DataFrame(rows, columns=["source", "destination", "hop", "channel"])
        for key in ("tail", "head", "port"):
            frame[key] = a[key][frame["channel"].to_numpy(np.int64)]
        return frame

    def lane(self, source: int, destination: int, variant: int = 0) -> int:
        """VL of a pair, its service level if VLs change along the path."""
        self._bounds(variant, source, destination)
        return lib.hd_routes_lane(self.pointer, source, destination, variant)

    def loads(self) -> np.ndarray:
        """Pairs on each channel when every selected endpoint sends to every other one."""
        load = np.zeros(self.net.channels, np.uint64)
        sums = ffi.new("struct hd_pair_sums *")
        with call() as ctx:
            ctx.check(lib.hd_load_all_pairs(ctx.pointer, self.pointer, ffi.from_buffer("uint64_t[]", load), sums))
        return load / sums.unit

    def check(self, threads: Optional[int] = None) -> Check:
        """Proves or disproves reachability, freedom from loops and from credit loops."""
        k = ffi.new("struct hd_check *")
        with call(threads=threads) as ctx:
            ctx.check(lib.hd_routes_check(ctx.pointer, self.pointer, k))
        cycle = [(k.cycle[i].c, k.cycle[i].next) for i in range(min(k.ncycle, 64))]
        other = [
            LidCheck(x.lids, x.unreachable, x.loops, choices)
            for x, choices in ((k.further, k.further_choices), (k.switches, k.switch_choices))
        ]
        free = None if k.deadlock_free < 0 else bool(k.deadlock_free)
        return Check(
            k.pairs, k.unreachable, k.loops, k.nonminimal, k.max_hops, k.avg_hops, free, k.lanes or None, cycle,
            other[0], other[1], OtherCheck(*(getattr(k.others, x) for x in OtherCheck.__dataclass_fields__)),
            not lib.hd_check_faulty(k),
        )  # fmt: skip

    def difference(self, other: "Routes") -> Difference:
        """What going from these routes to others of the same network changes."""
        if other.net is not self.net:
            raise InputError("routes of two different networks")
        d = ffi.new("struct hd_diff *")
        with call() as ctx:
            ctx.check(lib.hd_routes_diff(ctx.pointer, self.pointer, other.pointer, d))
        return Difference(**{key: getattr(d, key) for key in Difference.__dataclass_fields__})

    def to_text(self, format: str = "lft") -> str:  # pylint: disable=redefined-builtin
        """The tables in a format of ``heddle route --format``."""
        with call() as ctx:
            return _written(ctx, lambda o: lib.hd_routes_write(ctx.pointer, self.pointer, text_bytes(format), o))

    def write(self, path: Path, format: str = "lft") -> None:  # pylint: disable=redefined-builtin
        """Writes a file that OpenSM loads, under a temporary name until it is whole."""
        with call() as ctx:
            _write_file(ctx, path, lambda o: lib.hd_routes_write(ctx.pointer, self.pointer, text_bytes(format), o))

    def __repr__(self) -> str:
        return f"<heddle.Routes {self.shown} on {self.net.shown}>"


def _slots(net: Network, ports) -> np.ndarray:
    """[endpoints, switches] slots for an array of ports; a port without a cable is an error."""
    a = net.arrays
    if isinstance(ports, np.ma.MaskedArray):
        raise InputError("table with a mask: expected port 0 where a switch has no entry")
    ports = np.asarray(ports)
    if ports.dtype.kind not in "iu":
        raise InputError(f"table of type {ports.dtype}: expected integers")
    if ports.shape != (net.switches, net.endpoints):
        raise InputError(f"table of shape {ports.shape}: expected {(net.switches, net.endpoints)}, a row per switch")
    slot_of = np.full((net.switches, 256), 255, np.uint8)
    first = int(a["off"][net.switches])
    tail = a["tail"][:first]
    slot_of[tail, a["port"][:first]] = np.arange(first) - a["off"][tail]
    wide = np.asarray(ports, np.int64)
    if ((wide < 0) | (wide > 255)).any():
        raise InputError("ports are numbers from 0 to 255")
    out = np.take_along_axis(slot_of, wide, axis=1)
    bad = np.argwhere((out == 255) & (wide != 0) & (wide != 255))
    if len(bad):
        v, e = bad[0]
        raise InputError(f"switch {net.name(int(v))}, endpoint {e}: port {wide[v, e]} has no cable")
    return np.ascontiguousarray(out.T)
