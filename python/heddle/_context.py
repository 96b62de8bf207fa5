# SPDX-License-Identifier: BSD-2-Clause
"""One context of the library per thread, and statuses as exceptions.

A context belongs to one thread at a time, so every thread gets its own on first use. Functions that were registered
(engines, patterns, metrics) are added to each of them as rows of its own: the first option of a row, which nobody can
write, is a number that leads to both the function and the context, so that a callback on any thread of the library knows
the call it belongs to. C code runs without the GIL. Ctrl-C is honoured by the calls that ask the context whether to stop;
an exception in a callback stops the call in the same way and is raised after it.
"""
from __future__ import annotations

import itertools
import os
import sys
import threading
import warnings
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._heddle import ffi, lib

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
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


def spec_of(pointer) -> str:
    """The same for a spec: it may be a path, and as such has to be found again."""
    return os.fsdecode(ffi.string(pointer))


def _without_nul(value: bytes) -> bytes:
    """C would end it there, and take what is before for the whole: another file, another spec."""
    if b"\0" in value:
        raise UsageError(f"{value!r}: expected text without NUL")
    return value


def text_bytes(value: object) -> bytes:
    """A spec or a name as C functions take it."""
    return _without_nul(value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape"))


def path_bytes(value: Path) -> bytes:
    """A path, or what may be one, as C functions take it: any that the system has, also as bytes."""
    return _without_nul(os.fsencode(value))


def c_text(value: Optional[object]):
    """A C string or NULL; keep a reference while C code uses it."""
    return ffi.NULL if value is None else ffi.new("char[]", text_bytes(value))


def c_path(value: Optional[Path]):
    """The same for a path."""
    return ffi.NULL if value is None else ffi.new("char[]", path_bytes(value))


def place(kind: str, free: Callable[[Any], None]):
    """Where a call puts the pointer to what it makes. What is there is freed with the place, so that nothing is lost
    where a callback raised in a call that succeeded, nor where a signal is noticed as that call returns."""
    return ffi.gc(ffi.new(f"struct {kind} **"), lambda at: free(at[0]))


def owned(at):
    """The pointer that a call put into a place, which lives as long as the pointer."""
    return ffi.gc(at[0], lambda _: at)


class Context:
    """A context with the settings of one call: ``with call(seed=2) as ctx: ctx.check(lib.hd_...(ctx.pointer, ...))``."""

    def __init__(self):
        self.pointer = ffi.gc(lib.hd_ctx_new(), lib.hd_ctx_free)
        if not self.pointer:
            raise MemoryError
        self.handle = ffi.new_handle(self)
        self.entered = False
        self.rows = 0
        self.generation = _generation
        self.keep: list = []  # what the rows point to
        self.keys: List[int] = []
        weakref.finalize(self, _forget, self.keys)
        self._begin()
        self.progress: Optional[Callable[[str, int, int], None]] = None
        lib.hd_ctx_set_note(self.pointer, lib.heddle_note, self.handle)

    def _begin(self) -> None:
        """Of the call: what a callback raised, what an engine said that does not apply, the array that is the table, what
        takes the values of samples, and what patterns made."""
        self.failure: Optional[BaseException] = None
        self.cause: Optional[NotApplicable] = None
        self.given: Any = None
        self.sample: Optional[Callable[[float], None]] = None
        self.states: list = []

    def _add_rows(self) -> None:
        for registered in _rows[self.rows :]:
            key = next(_numbers)
            _called[key] = (weakref.ref(self), registered)
            self.keys.append(key)
            row, size, keep = registered.row(key)
            self.keep.append(keep)
            self.check(lib.hd_registry_add(self.pointer, registered.kind, row, size))
            self.rows += 1

    def set(self, seed: int, threads: Optional[int], progress: Optional[Progress]) -> None:
        self._add_rows()
        lib.hd_ctx_set_stop(self.pointer, lib.heddle_stop, self.handle)
        lib.hd_ctx_set_seed(self.pointer, seed)
        lib.hd_ctx_set_threads(self.pointer, 1 if _forked else _threads if threads is None else threads)
        self.progress = progress = as_callback(progress)
        lib.hd_ctx_set_progress(self.pointer, lib.heddle_progress if progress else ffi.NULL, self.handle)

    def __enter__(self) -> "Context":
        self._begin()
        self.entered = True
        return self

    def __exit__(self, *_) -> None:
        self._begin()
        self.entered = False

    def check(self, status: int) -> None:
        """Raises what a callback raised, else what the status says."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            try:
                raise failure
            finally:
                del failure  # its traceback has this frame: a cycle, which would keep the places of the callers
        if status != lib.HD_OK:
            error = _BY_STATUS.get(status, Error)(text_of(lib.hd_ctx_error(self.pointer)))
            if status == lib.HD_NA:
                error.reason = text_of(lib.hd_ctx_reason(self.pointer))
                raise error from self.cause
            raise error


_local = threading.local()
_rows: list = []  # what was registered, in that order


def is_registered(kind: int, spec: str) -> bool:
    """Whether a spec names something that was registered here, which no command knows."""
    return any(row.kind == kind and row.name == spec.partition(":")[0] for row in _rows)

_generation = 0  # contexts of an older one have rows that were replaced
_numbers = itertools.count(1)
_called: Dict[int, Tuple["weakref.ref[Context]", Any]] = {}  # by the first option of a row
_threads = 0
_forked = False


def _forget(keys: List[int]) -> None:
    for key in keys:
        _called.pop(key, None)


def _after_fork() -> None:
    """The threads of OpenMP are not copied by fork, and the first call that wants them would wait for ever."""
    global _forked  # pylint: disable=global-statement
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def as_callback(progress: Optional[Progress]) -> Optional[Callable[[str, int, int], None]]:
    """What reports progress: a function, or for True a bar of tqdm where that is installed, else nothing."""
    if progress is not True:
        return progress or None
    try:
        from tqdm.auto import tqdm  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    bar, shown, at = None, None, 0

    def show(what: str, done: int, total: int) -> None:
        nonlocal bar, shown, at
        if bar is None or shown != (what, total) or done < at:
            if bar is not None:
                bar.close()
            bar, shown, at = tqdm(total=total, desc=what), (what, total), 0
        bar.update(done - at)
        at = done
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
    if context is not None and context.entered:
        context = Context()
    elif context is None or context.generation != _generation:
        context = _local.context = Context()
    context.set(seed, threads, progress)
    return context


def register(new) -> None:
    """Adds what has a ``kind``, a ``name`` and a ``row`` to every context from now on, in place of what Python registered
    by that name before; another name that is taken is refused."""
    global _rows, _generation  # pylint: disable=global-statement
    before = _rows
    same = [i for i, old in enumerate(before) if (old.kind, old.name) == (new.kind, new.name) and not old.reserved]
    _rows = before[: same[0]] + [new] + before[same[0] + 1 :] if same else before + [new]
    _generation += len(same)
    try:
        call()
    except Error:
        _rows = before
        _generation += 1
        raise


# ---- callbacks ---------------------------------------------------------------------------------


def called(opt) -> Tuple[Context, Any]:
    """The context of the call that a function was called from, and what was registered, by its options."""
    context, registered = _called[ffi.cast("uint64_t *", opt)[0]]
    found = context()
    assert found is not None  # it is in use
    return found, registered


# How callbacks know the call they belong to, by the name of an argument.
_by_argument: Dict[str, Callable[[Any], Context]] = {
    "handle": ffi.from_handle,
    "opt": lambda opt: called(opt)[0],
    "given": lambda given: called(given.opt)[0],
    "state": lambda state: ffi.from_handle(ffi.cast("void **", state)[0]).context,
}


def keep_failure(_type, value, traceback):
    """cffi calls this when a callback raises, with any exception and also where a signal is noticed before its first
    line. The frame has the arguments; the call that the callback came from raises what the callback raised first. Without
    a frame cffi could not convert what was returned, and nobody knows the call: callbacks return what fits."""
    arguments = traceback.tb_frame.f_locals if traceback else {}
    for name, context_of in _by_argument.items():
        if arguments.get(name) is not None:
            context = context_of(arguments[name])
            if context.failure is None:
                context.failure = value.with_traceback(traceback)
            return
    sys.excepthook(_type, value, traceback)


@ffi.def_extern(onerror=keep_failure)
def heddle_note(handle, line):
    warnings.warn(text_of(line), Warning, stacklevel=4)


def _report(context: Context, what, done: int, total: int) -> None:
    if context.progress and context.failure is None:
        context.progress(text_of(what), done, total)


@ffi.def_extern(onerror=keep_failure)
def heddle_progress(handle, what, done, total):
    _report(ffi.from_handle(handle), what, done, total)


@ffi.def_extern(onerror=keep_failure)
def heddle_advise_progress(handle, what, done, total):
    _report(ffi.from_handle(handle), what, done, total)


@ffi.def_extern(onerror=keep_failure)
def heddle_sample(handle, _index, value):
    context = ffi.from_handle(handle)
    if context.sample and context.failure is None:
        context.sample(value)


@ffi.def_extern(error=True, onerror=keep_failure)
def heddle_stop(handle):
    """Python checks for signals when it runs code: here, at the latest."""
    return ffi.from_handle(handle).failure is not None
