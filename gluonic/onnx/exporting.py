"""`export_model`: a symbol and its parameters as an ONNX file, with MXNet's signatures."""

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph import Array, Graph
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import AttributeValueError, MXNetError, describe
from gluonic.onnx import families
from gluonic.onnx.assembly import assemble, save
from gluonic.onnx.comparison import (
    calls_to_compare,
    compare,
    draws_numbers,
    run_graph,
    run_model,
    sample_inputs,
)
from gluonic.onnx.inputs import Input, check_parameters, label_names, shown
from gluonic.onnx.library import onnx_library
from gluonic.onnx.table import WRITES
from gluonic.onnx.writing import write_graph
from gluonic.support.record import record

OLDEST_OPSET, DEFAULT_OPSET = 13, 18

assert families  # its files have filled the table


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """The names of the operators that `export_model` can write.

    Parameters
    ----------
    opset_version : accepted as in MXNet; the operators do not depend on it
    """
    return sorted({*WRITES, *families.by_expression()})


def export_model(
    sym: Any,
    params: Any,
    in_shapes: Sequence[tuple[int, ...]] | None = None,
    in_types: Any = np.float32,
    onnx_file_path: str = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Sequence[tuple[Any, ...]] | None = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Sequence[tuple[int, ...]] | None = None,
    large_model: bool = False,
    *,
    opset_version: int | None = None,
    check: bool = True,
) -> str:
    """Write a symbol and its parameters as an ONNX file.

    All nodes that cannot be written are listed in one error. Then gluonic and ONNX Runtime (without it, ONNX's
    reference evaluator) compute the outputs for random inputs, and the file is written if they agree.

    Parameters
    ----------
    sym : a symbol, or the path of ``net-symbol.json``
    params : the parameters: a dict (names may begin with ``arg:`` or ``aux:``), a list of the dicts of
        arguments and auxiliary states, or the path of ``net-0000.params``
    in_shapes : the shape of each input, in the order of the symbol's arguments
    in_types : the dtype of all inputs, or a list
    onnx_file_path : the file to write
    verbose : log how many nodes were written and how far the numbers agree
    dynamic : whether sizes of inputs may differ between calls
    dynamic_input_shapes : the shape of each input with a name (``"batch"``) or None for each size that may
        differ; by default all may, unless the graph determines them
    run_shape_inference : write the shapes of all values into the file
    input_type, input_shape : earlier names of `in_types` and `in_shapes`
    large_model : write the parameters to ``onnx_file_path + ".data"``, as models of more than 2 GB always do
    opset_version : the version of ONNX's operators, 13 or more; 18 by default
    check : compare the numbers before the file is written

    Returns
    -------
    str
        `onnx_file_path`

    Raises
    ------
    OnnxExportError
        a NotImplementedError that lists all nodes that cannot be written
    ExportMismatchError
        where the numbers differ
    MissingModuleError
        an ImportError, if the package onnx is not installed
    """
    symbol, parameters = _loaded(sym, params)
    in_shapes = input_shape if input_shape is not None else in_shapes
    in_types = input_type if input_type is not None else in_types
    inputs = _inputs(symbol.graph(), parameters, in_shapes, in_types, dynamic, dynamic_input_shapes)
    model = write_model(
        symbol,
        parameters,
        inputs,
        onnx_file_path,
        opset=opset_version,
        with_shapes=run_shape_inference,
        large=large_model,
        check=check,
    )
    if verbose:
        logging.info("export_model: %d nodes in %s", model.node_count, onnx_file_path)
        if model.agreement is not None:
            logging.info("export_model: %s agrees within %.2g", model.runtime, model.agreement)
    return onnx_file_path


@record
class OnnxModel:
    """A model that has been written.

    Attributes
    ----------
    node_count : the number of its nodes
    runtime : what computed its outputs for a comparison
    agreement : the largest difference of the outputs, relative to the largest number; None if they were not
        compared
    """

    node_count: int
    runtime: str
    agreement: float | None


def write_model(
    symbol: sym.Symbol,
    parameters: Mapping[str, Array],
    inputs: Sequence[Input],
    path: str | os.PathLike[str],
    *,
    opset: int | None = None,
    with_shapes: bool = False,
    large: bool = False,
    check: bool = True,
) -> OnnxModel:
    """Write a symbol and its parameters as an ONNX file; see `export_model`.

    Parameters
    ----------
    inputs : the arguments that are inputs of the model
    with_shapes : whether the file has the shapes of all values
    """
    onnx = onnx_library()
    graph = symbol.graph()
    version = DEFAULT_OPSET if opset is None else _checked_opset(opset)
    check_parameters(graph, inputs, parameters)
    written = write_graph(graph, inputs, parameters, version)
    model = assemble(written, symbol.list_outputs())
    if with_shapes:
        model = onnx.shape_inference.infer_shapes(model)
    for name, size in written.fixed.items():
        logging.info("export_model: the graph fixes the size %s to %d", name, size)
    runtime, agreement = "", None
    if check:
        if model.ByteSize() < 2**31 - 2**20:
            onnx.checker.check_model(model)
        runtime, agreement = _compared(model, graph, inputs, parameters, written.size_names)
    save(model, os.fspath(path), large)
    return OnnxModel(len(model.graph.node), runtime, agreement)


def _compared(
    model: Any,
    graph: Graph,
    inputs: Sequence[Input],
    parameters: Mapping[str, Array],
    open_names: Sequence[str],
) -> tuple[str, float | None]:
    """Run both, also with other sizes where these may differ; returns the runtime, and how far it agrees."""
    names = [value.name for value in model.graph.output]
    read = {value.name for value in model.graph.input}
    is_random = draws_numbers(model)
    runtime, worst = "", 0.0
    for hints in calls_to_compare(inputs, open_names):
        feed = sample_inputs(graph, inputs, hints)
        expected = run_graph(graph, feed, parameters, label_names(graph))
        computed, runtime = run_model(model, {k: v for k, v in feed.items() if k in read})
        if not is_random:  # otherwise the runtimes draw different numbers
            worst = max(worst, compare(names, expected, computed, runtime))
    return runtime, None if is_random else worst


def _checked_opset(version: int) -> int:
    newest = onnx_library().defs.onnx_opset_version()
    if not OLDEST_OPSET <= version <= newest:
        raise AttributeValueError(
            describe(
                f"opset_version={version} is not between {OLDEST_OPSET} and {newest}",
                where="export_model",
                facts=[f"the installed onnx knows versions up to {newest}"],
            )
        )
    return version


def _loaded(symbol: Any, params: Any) -> tuple[Any, dict[str, Array]]:
    """The symbol, and the parameters as NumPy arrays."""
    if isinstance(symbol, (str, os.PathLike)):
        symbol = sym.load(os.fspath(symbol))
    if isinstance(params, (str, os.PathLike)):
        params = nd.load(os.fspath(params))
    if not isinstance(symbol, sym.Symbol):
        raise TypeError(f"export_model takes a Symbol or a path, not {type(symbol).__name__}")
    parts = params if isinstance(params, (list, tuple)) else [params]
    arrays: dict[str, Array] = {}
    for part in parts:
        if not isinstance(part, Mapping):
            raise TypeError(
                f"params must be a dict, a list of two, or a path, not {type(params).__name__}"
            )
        for name, value in part.items():
            arrays[name.removeprefix("arg:").removeprefix("aux:")] = _as_numpy(value)
    return symbol, arrays


def _as_numpy(value: Any) -> Array:
    array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
    return np.asarray(array)


def _inputs(
    graph: Graph,
    parameters: Mapping[str, Array],
    shapes: Sequence[tuple[int, ...]] | None,
    types: Any,
    dynamic: bool,
    dynamic_shapes: Sequence[tuple[Any, ...]] | None,
) -> list[Input]:
    """The inputs of the model: the arguments that have no value, without unneeded labels."""
    labels = label_names(graph)
    open_ones = [node.name for node in graph.variables if node.name not in parameters]
    names = [name for name in open_ones if name not in labels]
    shapes = [] if shapes is None else list(shapes)
    if len(shapes) == len(open_ones):
        shapes = [s for s, name in zip(shapes, open_ones, strict=True) if name not in labels]
    types = types if isinstance(types, (list, tuple)) else [types] * len(names)
    if len(types) == len(open_ones):
        types = [t for t, name in zip(types, open_ones, strict=True) if name not in labels]
    if not len(names) == len(shapes) == len(types):
        raise MXNetError(
            describe(
                f"{len(shapes)} shapes and {len(types)} dtypes are given for {len(names)} inputs",
                where="export_model",
                facts=[f"the inputs: {', '.join(names[:10])}"],
                hint="in_shapes with a shape for each argument that is not in params",
            )
        )
    inputs = []
    for position, (name, shape, dtype) in enumerate(zip(names, shapes, types, strict=True)):
        given: tuple[Any, ...] = tuple(shape)
        if dynamic:
            given = tuple(dynamic_shapes[position]) if dynamic_shapes else (None,) * len(shape)
        if len(given) != len(shape):
            raise MXNetError(
                f"export_model: dynamic_input_shapes has {given} for {name}, of {shape}"
            )
        inputs.append(Input(name, given, as_dtype(dtype), shown(given, shape)))
    return inputs
