"""Typical groups of operators as text: their kernels, and the instructions of their inner loops.

``python -m tests.codegen.scalar.typical_groups`` writes the files in ``expected/`` again; a change of code is
seen there in review.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.loops.kernel_text import text_of
from gluonic.codegen.loops.long_rows import LongRowStep
from gluonic.codegen.loops.steps import LoopStep
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target, cross
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.updates import kernel_of_rule
from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.updates import UpdateRule, adam, sgd_momentum
from gluonic.support.pieces import finish

EXPECTED = Path(__file__).parent / "expected"
LEVELS = ("x86-64-v3", "x86-64-v4")
LLVMLITE = "0.50"
"""The version of llvmlite whose instructions the files have."""
Make = Callable[..., Any]
_ROWS, _IMAGES, _MANY = (64, 256), (8, 16, 14, 14), (1 << 20,)


def target_of(level: str) -> Target:
    """A processor of a level of x86-64."""
    return cross("x86_64-unknown-linux-gnu", level)


def _backward(make: Make) -> Make:
    """The gradients of a result, whose own gradient is the last variable."""

    def gradient(*inputs: Entry) -> list[Entry]:
        *own, head = inputs
        found = gradients([make(*own)], [head], own, train=True)
        return [entry for entry in found if entry is not None]

    return gradient


def _layer_norm(x: Entry, gamma: Entry, beta: Entry) -> Entry:
    normal: Entry = F.LayerNorm(x, gamma, beta)[0]
    return normal


def _moments(x: Entry) -> list[Entry]:
    mean = F.mean(x, axis=(0, 2, 3), keepdims=True)
    return [mean, F.mean(F.square(F.broadcast_sub(x, mean)), axis=(0, 2, 3))]


GROUPS: Mapping[str, tuple[Make, Sequence[tuple[tuple[int, ...], str]]]] = {
    "chain": (lambda x: F.relu(x * 2 + 1), [(_MANY, "float32")]),
    "contraction": (lambda x, y: x * 0.9 + y, [(_MANY, "float32")] * 2),
    "tanh": (lambda x, y: F.tanh(x) * y, [(_MANY, "float32")] * 2),
    "lstm_output": (lambda x, y: F.sigmoid(x) * F.tanh(y), [(_MANY, "float32")] * 2),
    "swish": (lambda x: x * F.sigmoid(x), [(_MANY, "float32")]),
    "gelu": (lambda x: F.LeakyReLU(x, act_type="gelu"), [(_MANY, "float32")]),
    "softmax": (lambda x: F.softmax(x), [(_ROWS, "float32")]),
    "log_softmax": (lambda x: F.log_softmax(x), [(_ROWS, "float32")]),
    "softmax_gradient": (_backward(lambda x: F.softmax(x)), [(_ROWS, "float32")] * 2),
    "layer_norm": (_layer_norm, [(_ROWS, "float32"), ((256,), "float32"), ((256,), "float32")]),
    "layer_norm_gradient": (
        _backward(_layer_norm),
        [(_ROWS, "float32"), ((256,), "float32"), ((256,), "float32"), (_ROWS, "float32")],
    ),
    "moments": (_moments, [(_IMAGES, "float32")]),
    "tail_of_a_convolution": (
        lambda x, b, y: F.relu(F.broadcast_add(x, b) + y),
        [(_IMAGES, "float32"), ((1, 16, 1, 1), "float32"), (_IMAGES, "float32")],
    ),
    "loss": (
        lambda x, y: -F.mean(F.pick(F.log_softmax(x), y)),
        [(_ROWS, "float32"), ((64,), "float32")],
    ),
    "norm": (lambda x: F.norm(x), [(_MANY, "float32")]),
    "argmax": (lambda x: F.argmax(x, axis=1), [(_ROWS, "float32")]),
    "half_precision": (lambda x, y: F.relu(x + y) * y, [(_MANY, "float16")] * 2),
    "integers": (
        lambda x, y: F.where(F.broadcast_greater(x, y), x, x - y),
        [(_MANY, "int32")] * 2,
    ),
    "double_precision": (lambda x: F.exp(x) + F.log(x), [(_MANY, "float64")]),
    "transposed": (lambda x, y: F.transpose(x) + y, [((64, 256), "float32"), ((256, 64), "float32")]),
}  # fmt: skip
RULES: Mapping[str, tuple[UpdateRule, int, Sequence[str]]] = {
    "momentum": (sgd_momentum, 3, ("lr", "wd", "rescale", "momentum")),
    "adam": (adam, 4, ("lr", "wd", "rescale", "beta1", "beta2", "epsilon")),
}
"""The update rules of optimizers, with the number of arrays, and the numbers."""
NAMES = (*GROUPS, *RULES)


def kernels_of(name: str) -> list[Kernel]:
    """The kernels of a group's loops, or of a rule, for the present target."""
    if name in RULES:
        rule, arrays, numbers = RULES[name]
        return [kernel_of_rule(rule, FLOAT32, arrays, numbers, absent=("clip",))]
    make, signature = GROUPS[name]
    variables = [Node(None, f"x{number}") for number in range(len(signature))]
    made = make(*(variable.entry() for variable in variables))
    outputs = made if isinstance(made, list) else [made]
    given = [AbstractArray(shape, np.dtype(dtype)) for shape, dtype in signature]
    prepared, facts = finish(Preparation(Graph(outputs), variables).of(given, train=False))
    steps = Specialization(prepared, variables, facts).steps
    found: list[Kernel] = []
    for step in steps:
        if isinstance(step, LongRowStep):
            found += [phase.kernel for phase in step.cut.phases]
        elif isinstance(step, LoopStep):
            found.append(step.kernel)
    return found


def instructions_of(kernel: Kernel, target: Target) -> dict[str, int]:
    """How often each instruction occurs in a kernel's innermost loops, which have no other loop inside."""
    module = LLVMModule(target)
    emit_kernel(module, "kernel", kernel)
    lines = jit.assembly(module.text(), target).splitlines()
    found: Counter[str] = Counter()
    for body in _inner_loops(lines):
        found.update(body)
    return dict(sorted(found.items()))


_LABEL, _JUMP = re.compile(r"^(\.L\w+):"), re.compile(r"^\tj\w+\t(\.L\w+)")


def _inner_loops(lines: Sequence[str]) -> Iterator[list[str]]:
    """The instructions between a label and the jump back to it, where there are no others between."""
    start: dict[str, int] = {}
    latest = -1
    for number, line in enumerate(lines):
        label, jump = _LABEL.match(line), _JUMP.match(line)
        if label:
            start[label[1]] = number
        elif jump and jump[1] in start and start[jump[1]] > latest:
            body = lines[start[jump[1]] + 1 : number + 1]
            latest = number
            yield [
                each.split()[0] for each in body if each.startswith("\t") and each[1] not in ".#"
            ]


def text_for(name: str, level: str) -> str:
    """The expected text of a group on a level of x86-64, which must be the present target."""
    sections = []
    for kernel in kernels_of(name):
        counts = instructions_of(kernel, target_of(level))
        listed = ", ".join(f"{count} {mnemonic}" for mnemonic, count in counts.items())
        sections.append(f"{text_of(kernel)}\ninner loops: {listed}")
    return "\n\n".join(sections) + "\n"


def has_same_instructions() -> bool:
    """Whether the installed LLVM is the one that the files were written with."""
    return str(llvmlite.__version__).startswith(LLVMLITE)


def main() -> None:
    """Write all files."""
    from gluonic.codegen.machine import target

    for level in LEVELS:
        target.narrowed = lambda cpu, switches, level=level: target_of(level)  # type: ignore[assignment]
        for name in NAMES:
            path = EXPECTED / level / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text_for(name, level), encoding="utf-8")


if __name__ == "__main__":
    main()
