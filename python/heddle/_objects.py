# SPDX-License-Identifier: BSD-2-Clause
"""How the dataclasses of :mod:`heddle.schema` are read and written: by their annotations. A field with a default may be
absent from the object; ``_renamed`` has the keys that are no identifiers."""
from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Dict, Type, TypeVar, Union, get_type_hints

from ._context import InputError

VERSION = 1
T = TypeVar("T", bound="Object")


def _read(hint: Any, value: Any, where: str) -> Any:
    options = [x for x in hint.__args__ if x is not type(None)] if getattr(hint, "__origin__", None) is Union else [hint]
    if value is None and len(options) < len(getattr(hint, "__args__", ())):
        return None
    hint = options[0]
    origin = getattr(hint, "__origin__", hint)
    accepted = (int, float) if origin is float else dict if issubclass(origin, Object) else origin
    if not isinstance(value, accepted) or (isinstance(value, bool) and origin is not bool):
        raise InputError(f"{where}: expected {origin.__name__}, not {json.dumps(value)[:60]}")
    if origin is list:
        return [_read(hint.__args__[0], x, f"{where}[{i}]") for i, x in enumerate(value)]
    if origin is dict:
        return {k: _read(hint.__args__[1], x, f"{where}.{k}") for k, x in value.items()}
    return origin.from_dict(value, where) if issubclass(origin, Object) else value


def _write(value: Any) -> Any:
    if isinstance(value, Object):
        return value.to_dict()
    if isinstance(value, list):
        return [_write(x) for x in value]
    return {k: _write(x) for k, x in value.items()} if isinstance(value, dict) else value


class Object:
    """A JSON object with known keys; others are in ``unknown``."""

    _renamed: ClassVar[Dict[str, str]] = {}
    _null: ClassVar[frozenset] = frozenset()  # keys that may be absent and were null, so that to_dict() has them
    unknown: ClassVar[Dict[str, Any]] = {}

    @classmethod
    def from_dict(cls: Type[T], value: Dict[str, Any], where: str = "") -> T:
        where = where or cls.__name__
        hints, known, keys = get_type_hints(cls), {}, set()
        for field in fields(cls):  # type: ignore[arg-type]
            key = cls._renamed.get(field.name, field.name)
            keys.add(key)
            if key in value:
                known[field.name] = _read(hints[field.name], value[key], f"{where}.{key}")
            elif field.default is MISSING:
                raise InputError(f"{where}: expected the key {key}")
        new = cls(**known)
        new._null = frozenset(k for k in keys if k in value and value[k] is None)  # type: ignore[misc]
        new.unknown = {k: v for k, v in value.items() if k not in keys and k != "schema"}  # type: ignore[misc]
        return new

    def to_dict(self) -> Dict[str, Any]:
        """The object as it was read, but for the order of its keys; absent keys are left out."""
        own = {}
        for field in fields(self):  # type: ignore[arg-type]
            key, value = self._renamed.get(field.name, field.name), getattr(self, field.name)
            if value is not None or field.default is MISSING or key in self._null:
                own[key] = _write(value)
        return {**own, **self.unknown}


class Document(Object):
    """An object that is printed by itself and so has a version."""

    @classmethod
    def read(cls: Type[T], text: Union[str, bytes, Dict[str, Any]]) -> T:
        value = json.loads(text) if isinstance(text, (str, bytes)) else text
        if not isinstance(value, dict) or value.get("schema") != VERSION:
            raise InputError(f'{cls.__name__}: expected an object with "schema": {VERSION}')
        return cls.from_dict(value)

    def to_dict(self) -> Dict[str, Any]:
        return {"schema": VERSION, **super().to_dict()}
