"""What a library registers, read once and checked before any of it is used."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gluonic.extension.binary import ExtensionBinary
from gluonic.graph.errors import MXNetError, describe

CPU = "cpu"


@dataclass(frozen=True)
class OperatorEntry:
    """A registered operator; its functions are the library's handles, 0 if not set.

    Attributes
    ----------
    name : the operator's name
    is_subgraph : whether it replaces whole subgraphs
    forward, backward, create_state : by device
    """

    name: str
    is_subgraph: bool
    forward: dict[str, int]
    backward: dict[str, int]
    create_state: dict[str, int]
    parse_attrs: int
    infer_type: int
    infer_storage_type: int
    infer_shape: int
    mutate_inputs: int


@dataclass(frozen=True)
class Strategy:
    """One way of a partitioner to choose subgraphs, and the operator that runs them."""

    name: str
    operator: str
    supported_ops: int
    create_selector: int
    review_subgraph: int


@dataclass(frozen=True)
class Partitioner:
    """A registered partitioner."""

    name: str
    strategies: tuple[Strategy, ...]


@dataclass(frozen=True)
class GraphPass:
    """A registered graph pass."""

    name: str
    handle: int


@dataclass(frozen=True)
class Catalogue:
    """All that a library registers."""

    binary: ExtensionBinary
    operators: tuple[OperatorEntry, ...] = ()
    partitioners: tuple[Partitioner, ...] = ()
    passes: tuple[GraphPass, ...] = ()


def read(binary: ExtensionBinary) -> Catalogue:
    """Read and check a library's registrations.

    Raises
    ------
    MXNetError
        for the first incomplete registration
    """
    counts = [binary.call(f"_{kind}RegSize") for kind in ("op", "part", "pass")]
    return Catalogue(
        binary,
        _each(binary, counts[0], _read_operator, "operators"),
        _each(binary, counts[1], _read_partitioner, "partitioners"),
        _each(binary, counts[2], _read_pass, "graph passes"),
    )


def _each(
    binary: ExtensionBinary, count: int, read_one: Callable[..., Any], kind: str
) -> tuple[Any, ...]:
    found = tuple(read_one(binary, index) for index in range(count))
    names = [entry.name for entry in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        _refuse(binary, f"two {kind} are called {twice[0]!r}")
    return found


def _refuse(binary: ExtensionBinary, what: str) -> None:
    raise MXNetError(describe(what, where=binary.title))


def _text(pointer: ctypes.c_char_p) -> str:
    return (pointer.value or b"").decode(errors="replace")


class _ByDevice:
    """Memory for the functions of one kind, by device."""

    def __init__(self) -> None:
        self.devices, self.functions = ctypes.c_void_p(), ctypes.c_void_p()
        self.count = ctypes.c_int()
        self.arguments = (self.devices, self.functions, self.count)

    def read(self) -> dict[str, int]:
        count = self.count.value
        if not count or not self.devices.value or not self.functions.value:
            return {}
        names = (ctypes.c_char_p * count).from_address(self.devices.value)
        functions = (ctypes.c_void_p * count).from_address(self.functions.value)
        return {
            (name or b"").decode(): function or 0
            for name, function in zip(names, functions, strict=True)
        }


def _read_operator(binary: ExtensionBinary, index: int) -> OperatorEntry:
    name, is_subgraph = ctypes.c_char_p(), ctypes.c_int()
    groups = [_ByDevice() for _ in range(3)]
    rules = [ctypes.c_void_p() for _ in range(5)]
    arguments = [argument for group in groups for argument in group.arguments]
    binary.call("_opRegGet", index, name, is_subgraph, *arguments, *rules)
    forward, backward, create_state = [group.read() for group in groups]
    parse, dtype, storage, shape, mutate = [rule.value or 0 for rule in rules]
    entry = OperatorEntry(
        name=_text(name),
        is_subgraph=bool(is_subgraph.value),
        forward=forward,
        backward=backward,
        create_state=create_state,
        parse_attrs=parse,
        infer_type=dtype,
        infer_storage_type=storage,
        infer_shape=shape,
        mutate_inputs=mutate,
    )
    _check_operator(binary, entry, index)
    return entry


def _check_operator(binary: ExtensionBinary, entry: OperatorEntry, index: int) -> None:
    if not entry.name.isidentifier():
        _refuse(binary, f"operator number {index} is called {entry.name!r}: that is no identifier")
    if entry.is_subgraph:
        needed = {"CreateOpState": bool(entry.create_state)}
    else:
        needed = {
            "ParseAttrs": bool(entry.parse_attrs),
            "Forward or CreateOpState": bool(entry.forward or entry.create_state),
            "InferType": bool(entry.infer_type),
            "InferShape": bool(entry.infer_shape),
        }
    for function, is_set in needed.items():
        if not is_set:
            kind = "custom subgraph op" if entry.is_subgraph else "custom op"
            _refuse(
                binary, f"Error loading '{entry.name}' {kind}, {function} function was not set."
            )


def _read_partitioner(binary: ExtensionBinary, index: int) -> Partitioner:
    name = ctypes.c_char_p()
    count = binary.call("_partRegGetCount", index, name)
    if count < 1:
        _refuse(binary, f"Error loading '{_text(name)}' custom partitioner, no strategies defined")
    strategies = tuple(_read_strategy(binary, index, number) for number in range(count))
    return Partitioner(_text(name), strategies)


def _read_strategy(binary: ExtensionBinary, index: int, number: int) -> Strategy:
    name, operator = ctypes.c_char_p(), ctypes.c_char_p()
    functions = [ctypes.c_void_p() for _ in range(3)]
    binary.call("_partRegGet", index, number, name, *functions, operator)
    found = Strategy(_text(name), _text(operator), *[f.value or 0 for f in functions])
    if not (found.supported_ops or found.create_selector):
        _refuse(
            binary,
            f"Error loading custom partitioner strategy '{found.name}', "
            "supportedOps or createSelector function was not set",
        )
    return found


def _read_pass(binary: ExtensionBinary, index: int) -> GraphPass:
    handle, name = ctypes.c_void_p(), ctypes.c_char_p()
    binary.call("_passRegGet", index, handle, name)
    if not handle.value:
        _refuse(binary, f"Error loading '{_text(name)}' custom graph pass, its body was not set")
    return GraphPass(_text(name), handle.value or 0)


def report(catalogue: Catalogue) -> list[str]:
    """A description of a library's contents, in lines."""
    lines = [f"Found {len(catalogue.operators)} operators in library"]
    for i, operator in enumerate(catalogue.operators):
        lines.append(f"\tOp[{i}] {operator.name}")
        if operator.is_subgraph:
            lines.append("\t\tisSubgraphOp")
    lines.append(f"Found {len(catalogue.partitioners)} partitioners in library")
    for i, partitioner in enumerate(catalogue.partitioners):
        lines.append(f"\tPartitioner[{i}] {partitioner.name}")
        for j, strategy in enumerate(partitioner.strategies):
            lines.append(f"\t\tStrategy[{j}] {strategy.name} subgraphOp: '{strategy.operator}'")
    lines.append(f"Found {len(catalogue.passes)} graph passes in library")
    for i, graph_pass in enumerate(catalogue.passes):
        lines.append(f"\tGraph Pass [{i}] {graph_pass.name}")
    return lines
