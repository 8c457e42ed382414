"""Kernels as text, and back: their operands and the programs of their stages."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gluonic.codegen.loops.kernel import Carry, Kernel, Operand, Reduce, Result, Stage, Store
from gluonic.codegen.scalar.program import parsed

_FLAGS = ("chunked", "short")


def text_of(kernel: Kernel) -> str:
    """The text of a kernel.

    The first line states its number of axes, the reduced ones and its options; one for each operand its dtype
    and its access pattern along each axis. Then the stages follow: a program, and what becomes of its results.
    """
    return "\n".join(_lines(kernel))


def _lines(kernel: Kernel) -> Iterator[str]:
    reduced = [f"reduced={axis}" for axis in sorted(kernel.reduced)]
    streamed = [] if kernel.streamed is None else [f"streamed={kernel.streamed}"]
    flags = [flag for flag in _FLAGS if getattr(kernel, flag)]
    yield " ".join([f"kernel axes={kernel.rank}", *reduced, *streamed, *flags])
    for number, operand in enumerate(kernel.operands):
        yield f"operand {number} {operand.dtype.name} {' '.join(operand.patterns)}"
    for number, dtype in enumerate(kernel.scratch, len(kernel.operands)):
        yield f"scratch {number} {dtype.name}"
    for stage in kernel.stages:
        yield "point" if stage.point else "sweep"
        *lines, end = stage.program.lines()
        yield from (f"  {line}" for line in lines)
        values = end.removeprefix("return ").split(", ")
        for result, value in zip(stage.results, values, strict=True):
            yield f"  {_shown(result)} {value}"


def _shown(result: Result) -> str:
    if isinstance(result, Store):
        return f"store {result.operand}"
    if isinstance(result, Carry):
        return "carry"
    return f"reduce {result.kind}" + (f"->{result.dtype.name}" if result.dtype else "")


def kernel_of(text: str) -> Kernel:
    """The kernel that `text_of` shows."""
    head, *lines = text.splitlines()
    words = head.split()[1:]
    options = [tuple(word.split("=")) for word in words if "=" in word]
    (rank,) = [int(value) for name, value in options if name == "axes"]
    reduced = frozenset(int(value) for name, value in options if name == "reduced")
    streamed = next((int(value) for name, value in options if name == "streamed"), None)
    operands, scratch = list[Operand](), list[Any]()
    blocks: list[list[str]] = []
    for line in lines:
        kind, *rest = line.split()
        if line.startswith("operand"):
            patterns: Any = tuple(rest[2:])
            operands.append(Operand(np.dtype(rest[1]), patterns))
        elif line.startswith("scratch"):
            scratch.append(np.dtype(rest[1]))
        elif line.startswith("  "):
            blocks[-1].append(line.strip())
        else:
            blocks.append([kind])
    flags = {flag: flag in words for flag in _FLAGS}
    return Kernel(
        rank,
        tuple(operands),
        tuple(map(_stage, blocks)),
        reduced,
        streamed=streamed,
        scratch=tuple(scratch),
        **flags,
    )


def _stage(lines: list[str]) -> Stage:
    kind, *others = lines
    ends = [line.split() for line in others if not line.startswith("%")]
    values = ", ".join(" ".join(words[-2:]) for words in ends)
    program = parsed("\n".join([*(o for o in others if o.startswith("%")), f"return {values}"]))
    return Stage(program, tuple(map(_result, ends)), kind == "point")


def _result(words: list[str]) -> Result:
    if words[0] == "store":
        return Store(int(words[1]))
    if words[0] == "carry":
        return Carry()
    kind: Any
    kind, _, dtype = words[1].partition("->")
    return Reduce(kind, np.dtype(dtype) if dtype else None)
