"""The source of a PyTorch module, from ONNX's form of a graph."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gluonic.codegen import SymbolicDim
from gluonic.graph import Array
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.writer import OnnxBody, OnnxNode, OnnxValue, needed
from gluonic.onnx.writing import Written
from gluonic.pytorch import operators
from gluonic.pytorch.code import Names, Several, Statements, torch_dtype
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
    """A statement in ``forward``; the names that it assigns, and those that it reads."""

    targets: list[str]
    text: str
    reads: set[str]


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
        return elements(value, self)

    def size(self, value: OnnxValue) -> str | None:
        """An integer without axes as an expression; None if it comes from data."""
        maker = value.maker
        if maker is None or maker.op_type != "Squeeze" or value.dtype.kind not in "iu":
            return None
        found = self.sizes(value)
        return found[0] if found is not None and len(found) == 1 else None

    def shape_source(self, value: OnnxValue) -> str | None:
        """The variable whose whole shape a value is, where its extents are not known one by one."""
        maker = value.maker
        if maker is None or maker.op_type != "Shape" or maker.attributes or self.sizes(value):
            return None
        (source,) = maker.inputs
        assert source is not None
        return self.variable(source)

    def extents(self, value: OnnxValue) -> list[str] | None:
        """The shape of a value, each extent as an expression; None if its rank is not known."""
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

    def block(self, body: OnnxBody, inputs: Sequence[str]) -> tuple[list[str], list[str]]:
        """The statements of a graph inside a node, for inputs of given names, and its outputs."""
        outer, self._lines = self._lines, []
        self._expressions.update(zip(body.inputs, inputs, strict=True))
        for node in needed(body.nodes, body.outputs):
            self._write(node)
        results = [self.expression(value) for value in body.outputs]
        lines = _needed(self._lines, results)
        self._lines = outer
        return [line.text for line in lines], results

    def targets(self, node: OnnxNode) -> list[str]:
        """New names for the outputs of a node."""
        names = [self._variables.new(value.name or _part_name(node)) for value in node.outputs]
        self._expressions.update(zip(node.outputs, names, strict=True))
        return names

    def new_variable(self, proposed: str) -> str:
        """A name that no other variable has."""
        return self._variables.new(proposed)

    def _write(self, node: OnnxNode) -> None:
        if node.definition is not None:
            self._write_definition(node, node.definition)
            return
        try:
            if node.op_type not in EMITS:
                raise NotExportable(f"PyTorch has no {node.op_type}, or it is not written yet")
            code = EMITS[node.op_type](TorchUse(node, self))
        except NotExportable as reason:
            self.refused.setdefault(node.scope, str(reason))
            code = Several("None") if len(node.outputs) > 1 else "None"
        if isinstance(code, Statements):
            self._add(code, [self._expressions[value] for value in node.outputs])
        elif isinstance(code, Several):
            self._assign_several(node, code)
        else:
            (value,) = node.outputs
            self._expressions[value] = code
            is_read_once = self._readers[value] == 1 and not value.name and len(code) <= _INLINE
            if not is_read_once and not re.fullmatch(r"[\w.]+", code):
                self._assign(value, node, code)

    def _write_definition(self, node: OnnxNode, body: OnnxBody) -> None:
        """Write the nodes that define an operator of gluonic's."""
        for formal, value in zip(body.inputs, node.inputs, strict=True):
            assert value is not None
            formal.shape = value.shape
            self._expressions[formal] = self.variable(value)
        for inner in needed(body.nodes, body.outputs):
            self._write(inner)
        for outer, value in zip(node.outputs, body.outputs, strict=True):
            self._expressions[outer] = self.variable(value)

    def _assign(self, value: OnnxValue, node: OnnxNode, code: str) -> str:
        name = self._variables.new(value.name or _part_name(node))
        self._add(f"{name} = {code}", [name], code)
        self._expressions[value] = name
        return name

    def _assign_several(self, node: OnnxNode, code: Several) -> None:
        names = []
        for value in node.outputs:
            is_read = self._readers[value] > 0
            name = value.name or _part_name(node)
            names.append(self._variables.new(name) if is_read else "_")
            self._expressions[value] = names[-1]
        pattern = code.pattern or ", ".join(["{}"] * len(names))
        targets = [name for name in names if name != "_"]
        self._add(f"{pattern.format(*names)} = {code}", targets, code)

    def _add(self, text: str, targets: list[str], reads: str = "") -> None:
        self._lines.append(_Line(targets, text, {*_WORD.findall(reads or text)}))

    # ------------------------------------------------------------------------ the file

    def text(self, class_name: str, heading: str) -> str:
        """The whole file."""
        lines = [line.text for line in _needed(self._lines, self._results)]
        body = "\n".join([*lines, *self._results])
        used = {*re.findall(r"\bself\.(\w+)", body)}
        for key in [key for key in self.arrays if key.split(".")[0] not in used]:
            del self.arrays[key]
        makers = [f"self.{name} = {c}" for name, c in self._constructors.items() if name in used]
        result = self._results[0] if len(self._results) == 1 else ", ".join(self._results)
        forward = [part for line in lines for part in line.split("\n")]
        parts = [heading, _IMPORTS, *(HELPERS[name] for name in self._helpers)]
        signature = ", ".join(["self", *self._inputs])
        parts.append(
            _CLASS.format(
                name=class_name,
                makers="".join(f"\n        {line}" for line in makers),
                signature=signature,
                forward="\n        ".join([*forward, f"return {result}"]),
            )
        )
        return "\n\n\n".join(part.strip("\n") for part in parts).replace("\n\n\n", "\n\n", 1) + "\n"


def _needed(lines: Sequence[_Line], results: Sequence[str]) -> list[_Line]:
    """The statements that the results depend on: sizes leave others behind."""
    wanted = {word for text in results for word in _WORD.findall(text)}
    kept = []
    for line in reversed(lines):
        if not wanted.isdisjoint(line.targets):
            kept.append(line)
            wanted |= line.reads
    return kept[::-1]


def _part_name(node: OnnxNode) -> str:
    """The name of a value that gluonic's graph does not have."""
    return f"{node.scope}_{node.op_type.lower()}"


def _readers(nodes: Sequence[OnnxNode], outputs: Sequence[OnnxValue]) -> Counter[OnnxValue]:
    """How often each value is read; what a graph inside a node reads counts twice, as loops read it often."""
    counts = Counter(outputs)
    for node in nodes:
        counts.update(value for value in node.inputs if value is not None)
        inner = [body for body in node.attributes.values() if isinstance(body, OnnxBody)]
        for body in [*inner, *([node.definition] if node.definition else [])]:
            counts.update(_readers(body.nodes, body.outputs))
            own = {value for each in body.nodes for value in each.outputs}
            read = (value for each in body.nodes for value in each.inputs)
            counts.update(value for value in read if value is not None and value not in own)
    return counts


_IMPORTS = """
import torch
from torch import nn
from torch.nn import functional as F
"""
_CLASS = """
class {name}(nn.Module):
    def __init__(self):
        super().__init__(){makers}

    def forward({signature}):
        {forward}
"""
