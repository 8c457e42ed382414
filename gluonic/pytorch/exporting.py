"""`export_torch`: a graph and its parameters as the source of a PyTorch module, and a file of weights."""

import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic._version import __version__
from gluonic.graph import Array, Graph
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.files import write_atomically
from gluonic.graph.tensor_files import write_tensors
from gluonic.onnx.comparison import calls_to_compare, compare, run_graph, sample_inputs
from gluonic.onnx.errors import ExportError, Goal, cannot_be_written
from gluonic.onnx.inputs import Extent, Input, check_parameters, label_names, named_inputs
from gluonic.onnx.writing import write_graph
from gluonic.pytorch.layers import RULES
from gluonic.pytorch.loaded import LoadedModule
from gluonic.pytorch.source import ModuleSource
from gluonic.support.record import record
from gluonic.symbol import Symbol


class TorchExportError(ExportError):
    """Some nodes of a graph have no counterpart in PyTorch."""


PYTORCH = Goal("PyTorch", "export_torch", TorchExportError)
_OPSET = 20
"""The version of ONNX's operators that the table's rules know."""


@record
class TorchFiles:
    """What `export_torch` has written.

    Attributes
    ----------
    source : the Python file
    weights : the file of weights
    agreement : the largest difference of the outputs in PyTorch, relative to the largest number; None if they
        were not compared
    """

    source: Path
    weights: Path
    agreement: float | None


def export_torch(
    symbol: Symbol,
    values: Mapping[str, Array],
    inputs: Mapping[str, tuple[Sequence[int], Any]],
    path: str | os.PathLike[str],
    *,
    dynamic_input_shapes: Mapping[str, Sequence[Extent]] | None = None,
    check: bool = True,
) -> TorchFiles:
    """Write a symbol as a module of PyTorch; see `HybridBlock.export_torch`.

    Parameters
    ----------
    values : the parameters by name
    inputs : the shape and the dtype of each input, in the order of calls, by name
    dynamic_input_shapes : the shape of each input with a name or None for each size that may differ; by default
        the first one may, of inputs that have the same
    """
    goal = Path(path)
    if goal.suffix != ".py":
        raise AttributeValueError(
            describe(
                f"path={os.fspath(path)!r} cannot be",
                where="export_torch",
                hint="a name that ends with .py",
            )
        )
    graph = symbol.graph()
    given = named_inputs(graph, inputs, dynamic_input_shapes)
    check_parameters(graph, given, values)
    written = write_graph(graph, given, values, _OPSET, PYTORCH, RULES)
    source = ModuleSource(written)
    if source.refused:
        nodes = {node.name: node for node in graph.nodes}
        reasons = {nodes[name]: reason for name, reason in source.refused.items()}
        raise cannot_be_written(reasons, PYTORCH)
    weights = goal.with_suffix(".safetensors")
    name = _class_name(goal.stem)
    text = source.text(name, _heading(name, weights.name, goal.stem))
    agreement = None
    if check and importlib.util.find_spec("torch") is not None:
        module = LoadedModule(text, name, source.arrays)
        names = symbol.list_outputs()
        agreement = max(
            _compared(module, graph, given, hints, values, names)
            for hints in calls_to_compare(given, written.size_names)
        )
    write_tensors(weights, source.arrays)
    write_atomically(goal, text.encode())
    return TorchFiles(goal, weights, agreement)


def _class_name(stem: str) -> str:
    """The name of a class.

    >>> _class_name("resnet18-v1"), _class_name("2nets")
    ('Resnet18V1', 'Net2nets')
    """
    words = re.findall(r"[A-Za-z0-9]+", stem)
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name and not name[0].isdigit() else f"Net{name}"


def _heading(name: str, weights: str, stem: str) -> str:
    return f'''"""A net that gluonic {__version__} has written for PyTorch.

    from safetensors.torch import load_file

    net = {name}()
    net.load_state_dict(load_file("{weights}"))
    net.eval()
"""
'''


def _compared(
    module: LoadedModule,
    graph: Graph,
    inputs: Sequence[Input],
    hints: Sequence[tuple[int, ...]],
    parameters: Mapping[str, Array],
    names: Sequence[str],
) -> float:
    """Run both for random inputs of given shapes; the largest difference."""
    feed = sample_inputs(graph, inputs, hints)
    expected = run_graph(graph, feed, parameters, label_names(graph))
    computed = module(feed.values())
    if module.is_random:
        return 0.0  # it draws other numbers
    return compare(names, expected, computed, module.runtime, PYTORCH)
