"""The source of a PyTorch module, from ONNX's form of a graph."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gluonic.codegen import SymbolicDim
from gluonic.graph import Array
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.writer import OnnxNode, OnnxValue, needed
from gluonic.onnx.writing import Written
from gluonic.pytorch import operators
from gluonic.pytorch.code import Loose, Names, Several, atom, torch_dtype
from gluonic.pytorch.helpers import HELPERS
from gluonic.pytorch.sizes import elements
from gluonic.pytorch.table import EMITS
from gluonic.pytorch.use import TorchUse

assert operators  # its files have filled the table

_WORD = re.compile(r"[A-Za-z_]\w*")
_INLINE = 60
"""The longest expression, in characters, that is written into the one that reads it."""
_TRAINED = "f"
"""The kind of dtypes whose arrays are parameters; others are buffers."""


@dataclass
class _Line:
    """An assignment in ``forward``."""

    targets: list[str]
    text: str

    def __str__(self) -> str:
        return self.text


class ModuleSource:
    """A module being written.

    Parameters
    ----------
    written : the graph

    Attributes
    ----------
    arrays : the weights, by the names that they have in PyTorch
    refused : for each of gluonic's nodes that cannot be written, why
    """

    def __init__(self, written: Written) -> None:
        self.arrays: dict[str, Array] = {}
        self.refused: dict[str, str] = {}
        self._nodes = needed(written.writer.nodes, written.outputs)
        self._outputs = written.outputs
        self._readers = _readers(self._nodes, written.outputs)
        self._variables, self._attributes = Names(), Names(of_a_module=True)
        self._expressions: dict[OnnxValue, str] = {}
        self._lines: list[_Line] = []
        self._constructors: dict[str, str] = {}
        self._helpers: list[str] = []
        self._inputs = []
        for value in written.inputs:
            name = self._variables.new(value.name)
            self._expressions[value] = name
            self._inputs.append(name)
        self.device = f"{self._inputs[0]}.device" if self._inputs else "None"
        for node in self._nodes:
            self._write(node)
        self._results = [self.expression(value) for value in self._outputs]

    # ------------------------------------------------------------------------ what rules ask for

    def expression(self, value: OnnxValue) -> str:
        """A value as Python."""
        if value not in self._expressions:
            assert value.array is not None, value
            self._expressions[value] = self._stored(value, value.array)
        return self._expressions[value]

    def variable(self, value: OnnxValue) -> str:
        """A value as the name of a variable, or an attribute."""
        text = self.expression(value)
        if not re.fullmatch(r"[\w.]+", text):
            maker = value.maker
            assert maker is not None
            text = self._assign(value, maker, text)
        return text

    def sizes(self, value: OnnxValue) -> list[str] | None:
        """The elements of a small vector of integers, each as an expression; None if they come from data."""
        return elements(value, self._extents)

    def _extents(self, value: OnnxValue) -> list[str] | None:
        if value.shape is None:
            return None
        return [
            f"{self.variable(value)}.shape[{axis}]"
            if isinstance(extent, SymbolicDim)
            else str(extent)
            for axis, extent in enumerate(value.shape)
        ]

    def is_owned(self, value: OnnxValue) -> bool:
        """Whether a value is a constant that one node reads; constants without names are copied."""
        return value.array is not None and (not value.name or self._readers[value] == 1)

    def layer(self, scope: str, constructor: str, arrays: dict[str, Array]) -> str:
        """Add a module; returns it."""
        name = self._attributes.new(scope)
        dtypes = {array.dtype for array in arrays.values()} - {np.dtype(np.float32)}
        if dtypes:
            constructor = f"{constructor[:-1]}, dtype={torch_dtype(dtypes.pop())})"
        self._constructors[name] = constructor
        for key, array in arrays.items():
            self.arrays[f"{name}.{key}"] = array
        return f"self.{name}"

    def helper(self, name: str) -> str:
        """Add a function to the file; returns its name."""
        if name not in self._helpers:
            self._helpers.append(name)
        return name

    def _stored(self, value: OnnxValue, array: Array) -> str:
        """A constant as an attribute of the module."""
        name = self._attributes.new(value.name or "constant")
        empty = f"torch.empty({tuple(array.shape)}, dtype={torch_dtype(array.dtype)})"
        if value.name and array.dtype.kind == _TRAINED:
            self._constructors[name] = f"nn.Parameter({empty})"
        else:
            self._constructors[name] = f"nn.Buffer({empty})"
        self.arrays[name] = array
        return f"self.{name}"

    # ------------------------------------------------------------------------ nodes

    def _write(self, node: OnnxNode) -> None:
        try:
            if node.definition is not None or node.op_type not in EMITS:
                raise NotExportable(f"PyTorch has no {node.op_type}, or it is not written yet")
            code = EMITS[node.op_type](TorchUse(node, self))
        except NotExportable as reason:
            self.refused.setdefault(node.scope, str(reason))
            code = Several("None") if len(node.outputs) > 1 else "None"
        if isinstance(code, Several):
            self._assign_several(node, code)
            return
        (value,) = node.outputs
        self._expressions[value] = code
        is_read_once = self._readers[value] == 1 and not value.name and len(code) <= _INLINE
        if not is_read_once and not re.fullmatch(r"[\w.]+", code):
            self._assign(value, node, code)

    def _assign(self, value: OnnxValue, node: OnnxNode, code: str) -> str:
        name = self._variables.new(value.name or node.scope)
        self._lines.append(_Line([name], f"{name} = {code}"))
        self._expressions[value] = name
        return name

    def _assign_several(self, node: OnnxNode, code: Several) -> None:
        names = []
        for value in node.outputs:
            is_read = self._readers[value] > 0
            names.append(self._variables.new(value.name or node.scope) if is_read else "_")
            self._expressions[value] = names[-1]
        pattern = code.pattern or ", ".join(["{}"] * len(names))
        targets = [name for name in names if name != "_"]
        self._lines.append(_Line(targets, f"{pattern.format(*names)} = {code}"))

    # ------------------------------------------------------------------------ the file

    def text(self, class_name: str, heading: str) -> str:
        """The whole file."""
        lines = self._needed_lines()
        body = "\n".join([*map(str, lines), *self._results])
        used = {name for name in self._constructors if f"self.{name}" in body}
        used = {name for name in used if re.search(rf"self\.{name}\b", body)}
        for key in [key for key in self.arrays if key.split(".")[0] not in used]:
            del self.arrays[key]
        makers = [f"self.{name} = {c}" for name, c in self._constructors.items() if name in used]
        result = self._results[0] if len(self._results) == 1 else ", ".join(self._results)
        forward = [*map(str, lines), f"return {result}"]
        parts = [heading, _IMPORTS, *(HELPERS[name] for name in self._helpers)]
        signature = ", ".join(["self", *self._inputs])
        parts.append(
            _CLASS.format(
                name=class_name,
                makers="".join(f"\n        {line}" for line in makers),
                signature=signature,
                forward="\n        ".join(forward),
            )
        )
        return "\n\n\n".join(part.strip("\n") for part in parts).replace("\n\n\n", "\n\n", 1) + "\n"

    def _needed_lines(self) -> list[_Line]:
        """The lines that the results depend on: sizes leave some behind."""
        wanted = {word for text in self._results for word in _WORD.findall(text)}
        kept = []
        for line in reversed(self._lines):
            if wanted.isdisjoint(line.targets):
                continue
            kept.append(line)
            wanted.update(_WORD.findall(line.text.split(" = ", 1)[1]))
        return kept[::-1]


def _readers(nodes: Sequence[OnnxNode], outputs: Sequence[OnnxValue]) -> Counter[OnnxValue]:
    """How often each value is read."""
    counts = Counter(outputs)
    for node in nodes:
        counts.update(value for value in node.inputs if value is not None)
    return counts


_IMPORTS = """
import torch
from torch import nn
from torch.nn import functional as F
"""
_CLASS = '''
class {name}(nn.Module):
    def __init__(self):
        super().__init__(){makers}

    def forward({signature}):
        {forward}
'''

