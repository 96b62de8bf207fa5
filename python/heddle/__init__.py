# SPDX-License-Identifier: BSD-2-Clause
"""heddle: routes of switched fabrics, computed, proved and measured.

>>> import heddle
>>> net = heddle.Network.generate("ft:m=8,n=2")
>>> routes = net.route("dmodk")
>>> bool(routes.check())
True
>>> frame = heddle.evaluate(net, ["dmodk", "minhop"], pattern="bisect", metric="ebb", samples=100)
>>> list(frame.table)
['dmodk', 'minhop']
"""
from ._context import Error, Fault, InputError, LimitError, MissingProgram, NotApplicable, UsageError, Warning, set_threads, text_of
from ._heddle import lib as _lib
from . import schema
from .advice import Report, advise
from .designing import Design, design
from .evaluation import evaluate, simulate
from .extend import engine, metric, pattern
from .network import Network
from .ordering import Order, order
from .routes import Check, Difference, LidCheck, OtherCheck, Routes

__version__ = text_of(_lib.hd_version())
__all__ = [
    "Check", "Design", "Difference", "Error", "Fault", "InputError", "LidCheck", "LimitError", "MissingProgram",
    "Network", "NotApplicable", "Order", "OtherCheck", "Report", "Routes", "UsageError", "Warning", "advise",
    "design", "engine", "evaluate", "metric", "order", "pattern", "schema", "set_threads", "simulate",
]  # fmt: skip
