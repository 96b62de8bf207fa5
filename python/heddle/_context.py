# SPDX-License-Identifier: BSD-2-Clause
"""One context of the library per thread, and statuses as exceptions.

A context belongs to one thread at a time, so every thread gets its own on first use; rows that were registered
(engines, patterns, metrics) are added to each of them. C code runs without the GIL. Ctrl-C is honoured by the calls that
ask the context whether to stop; an exception in a callback stops the call in the same way and is raised after it.
"""
from __future__ import annotations

import sys
import threading
import warnings
from typing import Callable, Optional, Union

from ._heddle import ffi, lib

Progress = Union[bool, Callable[[str, int, int], None]]


class Error(Exception):
    """A call of the library failed; the message is that of the command."""

    status = lib.HD_LIMIT


class Fault(Error):
    """Ran, and found something wrong with what it looked at (exit code 1 of the command)."""

    status = lib.HD_FAULT


class UsageError(Error, ValueError):
    """Called wrongly (exit code 2)."""

    status = lib.HD_USAGE


class InputError(Error, ValueError):
    """Unreadable or invalid input (exit code 3)."""

    status = lib.HD_INPUT


class LimitError(Error, RuntimeError):
    """Could not finish: memory, disk, another program (exit code 4)."""

    status = lib.HD_LIMIT


class NotApplicable(InputError):
    """The method does not apply to this input; ``reason`` is why."""

    status = lib.HD_NA
    reason = ""


class MissingProgram(LimitError):
    """Another program is not installed."""

    status = lib.HD_MISSING


class Warning(UserWarning):  # pylint: disable=redefined-builtin
    """What the command prints as a warning."""


_BY_STATUS = {e.status: e for e in (Fault, UsageError, InputError, LimitError, NotApplicable, MissingProgram)}


def text_of(pointer) -> str:
    """A C string, whatever its bytes are."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def c_text(value: Optional[str]):
    """A C string or NULL; keep a reference while C code uses it."""
    return ffi.NULL if value is None else ffi.new("char[]", str(value).encode())


class Context:
    """A context with the settings of one call: ``with call(seed=2) as ctx: ctx.check(lib.hd_...(ctx.pointer, ...))``."""

    def __init__(self):
        self.pointer = ffi.gc(lib.hd_ctx_new(), lib.hd_ctx_free)
        if not self.pointer:
            raise MemoryError
        self.handle = ffi.new_handle(self)
        self.entered = False
        self.rows = 0
        self.failure: Optional[BaseException] = None
        self.progress: Optional[Callable[[str, int, int], None]] = None
        lib.hd_ctx_set_note(self.pointer, lib.heddle_note, self.handle)
        lib.hd_ctx_set_stop(self.pointer, lib.heddle_stop, self.handle)

    def set(self, seed: int, threads: Optional[int], progress: Optional[Progress]) -> None:
        for kind, row, size, _ in _rows[self.rows :]:
            self.check(lib.hd_registry_add(self.pointer, kind, row, size))
            self.rows += 1
        lib.hd_ctx_set_seed(self.pointer, seed)
        lib.hd_ctx_set_threads(self.pointer, _threads if threads is None else threads)
        self.progress = progress = as_callback(progress)
        lib.hd_ctx_set_progress(self.pointer, lib.heddle_progress if progress else ffi.NULL, self.handle)

    def __enter__(self) -> "Context":
        self.entered = True
        return self

    def __exit__(self, *_) -> None:
        self.entered = False

    def check(self, status: int) -> None:
        """Raises what a callback raised, else what the status says."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if unclaimed:
            first = unclaimed[0]
            unclaimed.clear()
            raise first
        if status != lib.HD_OK:
            error = _BY_STATUS.get(status, Error)(text_of(lib.hd_ctx_error(self.pointer)))
            if status == lib.HD_NA:
                error.reason = text_of(lib.hd_ctx_reason(self.pointer))
            raise error


_local = threading.local()
_rows: list = []  # (registry, row, size, what it points to), in the order of registration
_threads = 0
# What callbacks raised that no context is known of: those of patterns and metrics, on threads of the library.
unclaimed: list = []


def as_callback(progress: Optional[Progress]) -> Optional[Callable[[str, int, int], None]]:
    """What reports progress: a function, or for True a bar of tqdm where that is installed, else nothing."""
    if progress is not True:
        return progress or None
    try:
        from tqdm.auto import tqdm  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    bar = None

    def show(what: str, done: int, total: int) -> None:
        nonlocal bar
        if bar is None or bar.desc != what + ": " or bar.total != total or done < bar.n:
            if bar is not None:
                bar.close()
            bar = tqdm(total=total, desc=what)
        bar.update(done - bar.n)
        if done >= total:
            bar.close()
            bar = None

    return show


def set_threads(threads: int) -> None:
    """Worker threads of every call that does not say otherwise; 0: as many as the machine has."""
    global _threads  # pylint: disable=global-statement
    _threads = threads


def call(seed: int = 1, threads: Optional[int] = None, progress: Optional[Progress] = None) -> Context:
    """The context of this thread, with the settings of a call; a call from within a callback gets one of its own."""
    context = getattr(_local, "context", None)
    if context is None:
        context = _local.context = Context()
    elif context.entered:
        context = Context()
    context.set(seed, threads, progress)
    return context


def register(kind: int, row, size: int, keep) -> None:
    """Adds a row to every context from now on; a name that is taken is refused by this thread's one at once."""
    _rows.append((kind, row, size, keep))
    try:
        call()
    except Error:
        _rows.pop()
        raise


# ---- callbacks ---------------------------------------------------------------------------------


def remember(handle, error: BaseException) -> None:
    """What a callback raised is raised by the call it came from."""
    context = ffi.from_handle(handle)
    if context.failure is None:
        context.failure = error


def _keep_failure(_type, value, traceback):
    """cffi calls this when a callback raises; its frame has the handle."""
    handle = traceback.tb_frame.f_locals.get("handle")
    if handle is not None:
        remember(handle, value)
    else:
        sys.excepthook(_type, value, traceback)


@ffi.def_extern(onerror=_keep_failure)
def heddle_note(handle, line):
    warnings.warn(text_of(line), Warning, stacklevel=4)


@ffi.def_extern(onerror=_keep_failure)
def heddle_progress(handle, what, done, total):
    context = ffi.from_handle(handle)
    if context.progress and context.failure is None:
        context.progress(text_of(what), done, total)


@ffi.def_extern(error=True, onerror=_keep_failure)
def heddle_stop(handle):
    """Python checks for signals when it runs code: here, at the latest."""
    return ffi.from_handle(handle).failure is not None
