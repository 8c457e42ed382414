"""Quantization of Gluon nets."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.contrib.quantization.calibration import Collector, run_examples
from gluonic.contrib.quantization.model import Parameters, calib_graph, quantize_graph
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.symbol_block import SymbolBlock
from gluonic.graph.errors import AttributeValueError, CallError, describe, warn
from gluonic.graph.onednn import QUANTIZING
from gluonic.io import DataBatch, DataDesc, DataIter
from gluonic.ndarray import Context, NDArray
from gluonic.symbol import Symbol

_MOST_AXES = 4  # the crops or clips of an example count as examples


class Examples(DataIter):
    """The batches of any iterable, as MXNet's data iterators return them.

    Parameters
    ----------
    calib_data : yields batches: an array, or a list of arrays of which the last is the label
    """

    def __init__(self, calib_data: Iterable[Any]) -> None:
        first = next(iter(calib_data), None)
        if first is None:
            raise CallError(describe("calib_data has no batches", where="quantize_net"))
        arrays = _arrays(first)
        super().__init__(arrays[0].shape[0])
        self._data = calib_data
        names = ["data", "data0"] if len(arrays) < 3 else [f"data{i}" for i in range(len(arrays))]
        self.provide_data = [
            DataDesc(name, array.shape) for name, array in zip(names, arrays, strict=False)
        ]
        self.reset()

    def reset(self) -> None:
        """Restart the iteration."""
        self._batches = iter(self._data)

    def next(self) -> DataBatch:
        """Return the next batch."""
        return DataBatch(_arrays(next(self._batches)))


def _arrays(batch: Any) -> list[NDArray]:
    arrays = list(batch) if isinstance(batch, (list, tuple)) else [batch]
    if arrays[0].ndim > _MOST_AXES:
        arrays[0] = arrays[0].reshape((-1, *arrays[0].shape[2:]))
    return arrays


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = None,
    LayerOutputCollector: Collector | None = None,
    logger: logging.Logger | None = None,
) -> SymbolBlock:
    """Quantize a float32 net for inference.

    Layers are fused for oneDNN; batch normalizations that are not stay float32 without examples.

    Parameters
    ----------
    network : a HybridBlock with parameters; it is hybridized
    exclude_layers : names of nodes that stay float32
    exclude_layers_match : substrings of such names
    exclude_operators : names of operators that stay float32
    calib_data : a `DataIter` or a `DataLoader` of examples
    data_shapes : descriptions of the inputs; by default those of `calib_data`
    calib_mode : {"none", "naive", "entropy", "customize"}
    num_calib_examples : number of examples to use; by default all
    LayerOutputCollector : with ``calib_mode="customize"``, the object that receives the values: it has
        ``collect(name, array)`` and ``min_max_dict``
    ctx : the context of the quantized net's parameters; by default the current one
    quantized_dtype, quantize_mode, quantize_granularity, logger : as for `quantize_model`

    Returns
    -------
    SymbolBlock
    """
    examples = _examples(calib_data)
    if data_shapes is None and examples is not None:
        data_shapes = examples.provide_data
    if not data_shapes:
        raise AttributeValueError(
            describe("needs data_shapes= or calib_data=", where="quantize_net")
        )
    inputs, symbol, args, aux = _exported(network, data_shapes)
    excluded = _excluded(symbol, exclude_layers, exclude_layers_match)
    if logger:
        logger.info("These layers stay float32: %s", excluded)
    if quantized_dtype == "uint8":  # the product of small integers takes int8 alone
        exclude_operators = [*(exclude_operators or ()), "elemwise_mul"]
    symbol = symbol.get_backend_symbol(QUANTIZING)
    qsym, qargs, _, collector = quantize_graph(
        symbol,
        args,
        aux,
        ctx,
        excluded,
        exclude_operators,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        LayerOutputCollector,
        logger,
    )
    if collector is not None:
        if examples is None:
            raise AttributeValueError(
                describe(f"calib_mode={calib_mode!r} needs calib_data=", where="quantize_net")
            )
        examples.reset()
        run_examples(
            symbol,
            {**args, **aux},
            examples,
            collector,
            data_names=inputs,
            ctx=ctx,
            most=num_calib_examples,
            logger=logger,
        )
        assert calib_mode is not None
        qsym, qargs, _ = calib_graph(
            qsym, args, aux, collector, calib_mode, quantized_dtype, logger
        )
    return _block(qsym.get_backend_symbol(QUANTIZING), inputs, {**qargs, **aux}, ctx)


def quantize_net(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: list[str] | None = None,
    exclude_layers_match: list[str] | None = None,
    exclude_operators: list[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = None,
    logger: logging.Logger | None = None,
) -> SymbolBlock:
    """Call `quantize_net_v2`; deprecated, as in MXNet.

    Parameters are those of `quantize_net_v2`.
    """
    warn("quantize_net is deprecated: use quantize_net_v2")
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        "tensor-wise",
        exclude_layers,
        exclude_layers_match,
        exclude_operators,
        calib_data,
        data_shapes,
        calib_mode,
        num_calib_examples,
        ctx,
        None,
        logger,
    )


def _examples(calib_data: Any) -> Any:
    known = calib_data is None or isinstance(calib_data, DataIter)
    return calib_data if known else Examples(calib_data)


def _exported(
    network: HybridBlock, shapes: Sequence[Any]
) -> tuple[list[str], Symbol, Parameters, Parameters]:
    """The names of a net's inputs, its symbol, its parameters and its auxiliary states."""
    network.hybridize()
    arrays = [nd.zeros(tuple(desc[1])) for desc in shapes]
    while True:
        try:
            network(*arrays)
        except TypeError:
            if len(arrays) == 1:
                raise
            arrays.pop()  # the last arrays may be labels
        else:
            break
    names = [desc[0] for desc in shapes[: len(arrays)]]
    outputs = network(*map(sym.var, names))
    symbol = sym.Group(outputs) if isinstance(outputs, (list, tuple)) else outputs
    values = {name: param.data() for name, param in network.collect_params().items()}
    found = [symbol.list_arguments(), symbol.list_auxiliary_states()]
    args, aux = ({n: values[n] for n in some if n in values} for some in found)
    return names, symbol, args, aux


def _excluded(symbol: Symbol, names: list[str] | None, parts: list[str] | None) -> list[str]:
    nodes = {str(each.name) for each in symbol.get_internals()}
    matching = [name for name in sorted(nodes) if any(part in name for part in parts or ())]
    return [*(names or ()), *matching]


def _block(
    symbol: Symbol, inputs: Sequence[str], params: Parameters, ctx: Context | None
) -> SymbolBlock:
    """A block of a symbol with the given parameters."""
    block = SymbolBlock(symbol, [sym.var(name) for name in inputs])
    wanted = block.collect_params()
    for name, param in wanted.items():
        param.cast(params[name].dtype)
    wanted.load_dict({name: params[name] for name in wanted}, ctx=ctx)
    return block
