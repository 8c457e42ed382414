"""Kinds of files, and damage to them: bytes, the structure of JSON, the opcodes of pickles."""

from __future__ import annotations

import json
import pickletools
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_NUMBERS = (0, 1, -1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**62, -(2**63), 10**30, 0.5, 1e308)
_VALUES: tuple[Any, ...] = (
    *_NUMBERS,
    None,
    True,
    "",
    "x",
    "(2, -3)",
    "(2,",
    "[" * 50,
    [],
    [[]],
    {},
    [[9, 9, 9]],
    "\ud800",
)

Damage = Callable[[bytes, random.Random], bytes]


class Kind(NamedTuple):
    """A kind of files.

    Attributes
    ----------
    make : writes whole files in a folder, and returns their contents
    damages : ways to damage one
    use : does what a program does with one
    """

    make: Callable[[Path], Sequence[bytes]]
    damages: tuple[Damage, ...]
    use: Callable[[Path, bytes], None]


class HalfLoadedError(AssertionError):
    """A file was refused, and yet something of it was loaded."""


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Some bytes changed, cut out, doubled or put in."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5, 30))):
        at = draw.randrange(len(found) + 1)
        way = draw.randrange(6)
        if way == 0 and at < len(found):
            found[at] ^= 1 << draw.randrange(8)
        elif way == 1:
            del found[at:]
        elif way == 2:
            del found[at : at + draw.randrange(1, 20)]
        elif way == 3:
            found[at:at] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 9)))
        elif way == 4:
            size = draw.choice((4, 8))
            number = draw.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, draw.randrange(2**32)))
            found[at : at + size] = (
                number << draw.choice((0, 0, 32)) & (1 << 8 * size) - 1
            ).to_bytes(size, "little")
        else:
            found[at:at] = found[at : at + draw.randrange(1, 60)]
    return bytes(found)


def _slots(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            _slots(value[key], found)
    return found


def restructured(text: bytes, draw: random.Random) -> bytes:
    """Some values of a JSON document replaced, left out, or exchanged."""
    document = json.loads(text)
    for _ in range(draw.choice((1, 1, 2, 4))):
        slots = _slots(document, [])
        if not slots:
            break
        holder, key = draw.choice(slots)
        way = draw.randrange(5)
        if way == 0:
            del holder[key]
        elif way == 1:
            other, name = draw.choice(slots)
            try:
                holder[key] = json.loads(json.dumps(other[name]))
            except (KeyError, IndexError):  # it has gone
                continue
        elif way == 2 and isinstance(holder[key], int):
            holder[key] += draw.choice((-2, -1, 1, 2, 1000))
        elif way == 3 and isinstance(holder[key], list):
            holder[key] = holder[key] * draw.choice((2, 2, 50))
        else:
            holder[key] = draw.choice(_VALUES)
    found = json.dumps(document)
    if draw.randrange(40) == 0:
        found = found.replace("[", "[" * 5000, 1)
    return found.encode()


def reassembled(data: bytes, draw: random.Random) -> bytes:
    """Some opcodes of a pickle left out, doubled, exchanged, or moved."""
    begins = [position for _, _, position in pickletools.genops(data) if position is not None]
    parts = [data[a:b] for a, b in zip(begins, [*begins[1:], len(data)], strict=True)]
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, other = draw.randrange(len(parts)), draw.randrange(len(parts))
        way = draw.randrange(5)
        if way == 0 and len(parts) > 1:
            del parts[at]
        elif way == 1:
            parts.insert(at, parts[other])
        elif way == 2:
            parts[at], parts[other] = parts[other], parts[at]
        elif way == 3:
            parts[at] = parts[other]
        else:
            parts[at:at] = parts[at : at + draw.randrange(2, 9)] * draw.choice((1, 1, 100))
    return b"".join(parts)
