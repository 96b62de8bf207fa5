# SPDX-License-Identifier: BSD-2-Clause
"""Rank orders: which node runs which ranks."""
from __future__ import annotations

import math
from typing import Dict, List, Optional

from ._context import Path, UsageError, c_path, call, owned, place, text_bytes, text_of
from ._heddle import ffi, lib
from .evaluation import Net, Table, as_network, as_routes
from .network import _written
from .routes import Routes

_CASES = range(lib.HD_CASES)


def _goal(name: str) -> int:
    names = []
    while True:
        at = lib.hd_goal_name(len(names))
        if not at:
            break
        names.append(text_of(at))
    if name not in names:
        raise UsageError(f"goal {name!r}: expected one of {', '.join(names)}")
    return names.index(name)


class Order:
    """An order of nodes for the ranks of a job, with the hot-spot degrees before and after."""

    def __init__(self, routes: Routes, nodes, order):
        self.routes = routes
        self._nodes, self._order = nodes, order
        self.before = self._count(ffi.NULL)
        self.after = self._count(order.rank)
        bound = ffi.new("double *")
        with call() as ctx:
            ctx.check(lib.hd_order_bound(ctx.pointer, routes.pointer, nodes, bound))
        self.bound: float = bound[0]

    def _count(self, rank) -> Dict[str, Optional[dict]]:
        hsd = ffi.new("struct hd_hsd[]", lib.HD_CASES)
        with call() as ctx:
            ctx.check(lib.hd_order_count_all(ctx.pointer, self.routes.pointer, self._nodes, rank, hsd, ffi.NULL))
        return {
            text_of(lib.hd_case_name(i)): None
            if math.isnan(hsd[i].average)
            else {"average": hsd[i].average, "max": hsd[i].max, "bandwidth": hsd[i].bandwidth, "stages": hsd[i].stages}
            for i in _CASES
        }

    @property
    def hosts(self) -> List[str]:
        """Names of the nodes in rank order."""
        net = self.routes.net.pointer
        return [text_of(lib.hd_host_name(net, self._nodes.host[self._order.rank[i]])) for i in range(self._order.n)]

    @property
    def how(self) -> str:
        """Where the order came from."""
        return text_of(self._order.how)

    @property
    def exact(self) -> bool:
        """Whether a closed form holds."""
        return bool(self._order.exact)

    def to_text(self, format: str = "names") -> str:  # pylint: disable=redefined-builtin
        """The order as a launcher reads it: a format of ``heddle order --format``."""
        per_node = ffi.new("uint32_t[]", max(self._order.n, 1))
        with call() as ctx:
            ctx.check(lib.hd_order_fill(ctx.pointer, self._nodes, self._order.rank, 0, per_node))
            write = lambda o: lib.hd_order_write(  # noqa: E731
                ctx.pointer, self._nodes, self._order.rank, per_node, text_bytes(format), o
            )
            return _written(ctx, write)

    def __repr__(self) -> str:
        return f"<heddle.Order of {self._order.n} nodes: {self.how}>"


def order(
    net: Net, table: Table, *, nodes: Optional[Path] = None, goal: str = "ring", slots: int = 1, seed: int = 1
) -> Order:
    """The best order found for a goal under these tables: what ``heddle order`` writes.

    >>> result = order("ft:m=4,n=2", "dmodk", goal="alltoall")
    >>> result.after["alltoall"]["max"]
    1.0
    """
    routes = as_routes(as_network(net), table, seed)
    listed, made = place("hd_nodes", lib.hd_nodes_free), place("hd_order", lib.hd_order_free)
    path = c_path(nodes)
    with call(seed) as ctx:
        ctx.check(lib.hd_nodes_read(ctx.pointer, routes.net.pointer, path, slots, listed))
        ctx.check(lib.hd_order_make(ctx.pointer, routes.pointer, listed[0], _goal(goal), made))
    return Order(routes, owned(listed), owned(made))
