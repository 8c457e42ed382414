"""`export_torch`: a graph and its parameters as the source of a PyTorch module, and a file of weights."""

import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from gluonic._version import __version__
from gluonic.graph import Array, Graph
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.files import write_atomically
from gluonic.graph.tensor_files import safetensors
from gluonic.onnx.comparison import calls_to_compare, compare, run_graph, sample_inputs
from gluonic.onnx.errors import ExportError, Goal, cannot_be_written
from gluonic.onnx.inputs import Extent, Input, check_parameters, label_names
from gluonic.onnx.writing import write_graph
from gluonic.pytorch.layers import RULES
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
    open_shapes = _open_shapes(inputs) if dynamic_input_shapes is None else dynamic_input_shapes
    given = [
        Input(name, tuple(open_shapes[name]), as_dtype(dtype), _hint(open_shapes[name], shape))
        for name, (shape, dtype) in inputs.items()
        if name not in label_names(graph)
    ]
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
        calls = calls_to_compare(given, written.size_names)
        names = symbol.list_outputs()
        module = _Loaded(text, name, source.arrays)
        agreement = max(module.compared(graph, given, hints, values, names) for hints in calls)
    write_atomically(weights, safetensors().numpy.save(_as_they_lie(source.arrays)))
    write_atomically(goal, text.encode())
    return TorchFiles(goal, weights, agreement)


def _open_shapes(
    inputs: Mapping[str, tuple[Sequence[int], Any]],
) -> dict[str, tuple[Extent, ...]]:
    """The shapes of inputs whose first size, the batch's, may differ."""
    batch = next((shape[0] for shape, _ in inputs.values() if len(shape)), None)
    return {
        name: ("batch", *shape[1:]) if len(shape) and shape[0] == batch else tuple(shape)
        for name, (shape, _) in inputs.items()
    }


def _hint(extents: Sequence[Extent], shape: Sequence[int]) -> tuple[int, ...]:
    """A shape for the comparison; sizes of 1 are special."""
    return tuple(
        size if isinstance(extent, int) else max(2, size)
        for extent, size in zip(extents, shape, strict=True)
    )


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


def _as_they_lie(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays whose memory is in order, as the format writes it."""
    return {name: np.ascontiguousarray(a).reshape(a.shape) for name, a in arrays.items()}


class _Loaded:
    """The written module in the PyTorch of this Python."""

    def __init__(self, text: str, name: str, arrays: Mapping[str, Array]) -> None:
        import torch

        self._torch: ModuleType = torch
        scope: dict[str, Any] = {"__name__": "exported"}
        exec(compile(text, f"<{name}>", "exec"), scope)
        self._net = scope[name]()
        state = {key: torch.from_numpy(np.array(array)) for key, array in arrays.items()}
        self._net.load_state_dict(state)
        self._net.eval()
        self._is_random = "torch.rand" in text

    def compared(
        self,
        graph: Graph,
        inputs: Sequence[Input],
        hints: Sequence[tuple[int, ...]],
        parameters: Mapping[str, Array],
        names: Sequence[str],
    ) -> float:
        """Run both for random inputs of given shapes; the largest difference."""
        torch = self._torch
        feed = sample_inputs(graph, inputs, hints)
        expected = run_graph(graph, feed, parameters, label_names(graph))
        with torch.no_grad():
            outputs = self._net(*[torch.from_numpy(np.array(array)) for array in feed.values()])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        if self._is_random:
            return 0.0
        found = [output.numpy() for output in outputs]
        return compare(names, expected, found, f"PyTorch {torch.__version__}", PYTORCH)
