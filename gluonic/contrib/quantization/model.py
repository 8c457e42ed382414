"""Quantization of symbols and their parameters."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.contrib.quantization.calibration import (
    Collector,
    LayerHistogramCollector,
    LayerOutputMinMaxCollector,
    Range,
    optimal_thresholds,
    run_examples,
)
from gluonic.contrib.quantization.parameters import quantize_params
from gluonic.contrib.quantization.rewriting import Quantizing, calibrate, quantize
from gluonic.graph import Graph
from gluonic.graph.errors import AttributeValueError, describe, nearest
from gluonic.graph.onednn import QUANTIZING
from gluonic.io import DataIter
from gluonic.ndarray import Context, NDArray
from gluonic.symbol import Symbol

Parameters = dict[str, NDArray]
_LOGGER = logging.getLogger()
_CHOICES = {
    "quantized_dtype": ("int8", "uint8", "auto"),
    "quantize_mode": ("full", "smart"),
    "quantize_granularity": ("tensor-wise", "channel-wise"),
    "calib_mode": ("none", "naive", "entropy", "customize"),
}


def require_choices(where: str, **given: Any) -> None:
    """Raise an error for an option with an unknown value."""
    for name, value in given.items():
        choices = _CHOICES[name]
        if value not in choices:
            listed = ", ".join(map(repr, choices))
            raise AttributeValueError(
                describe(
                    f"{name} must be one of {listed}, not {value!r}{nearest(str(value), choices)}",
                    where=where,
                )
            )


def _require_list(where: str, name: str, value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise AttributeValueError(
            describe(f"{name} must be a list of names, not {type(value).__name__}", where=where)
        )
    return value


def quantize_symbol(
    sym: Symbol,
    ctx: Context | None = None,
    excluded_symbols: Sequence[str] | None = None,
    excluded_operators: Sequence[str] | None = None,
    offline_params: Sequence[str] | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
) -> tuple[Symbol, list[str]]:
    """Return a quantized symbol, and the names of the values to calibrate.

    Parameters
    ----------
    sym : a float32 symbol
    ctx : accepted for compatibility
    excluded_symbols, excluded_operators : names of nodes, and of operators, that stay float32
    offline_params : parameters that are passed quantized, as ``w_quantize``
    quantized_dtype, quantize_mode, quantize_granularity
        As for `quantize_model`.
    """
    options = Quantizing(
        frozenset(excluded_symbols or ()),
        frozenset(excluded_operators or ()),
        frozenset(offline_params or ()),
        quantized_dtype,
        everything=quantize_mode == "full",
        by_channel=quantize_granularity == "channel-wise",
    )
    made = quantize(Graph(sym.entries), options)
    return Symbol(made.graph.outputs), made.calibrated


def calibrate_symbol(qsym: Symbol, th_dict: Mapping[str, Range] | None) -> Symbol:
    """Return a quantized symbol with the ranges of its values, given by name."""
    return Symbol(calibrate(Graph(qsym.entries), th_dict).outputs) if th_dict else qsym


def quantize_graph(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    ctx: Context | None = None,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Collector | None = None,
    logger: logging.Logger | None = None,
) -> tuple[Symbol, Parameters, Mapping[str, NDArray], Collector | None]:
    """Quantize a symbol, and return the collector for the values of the float32 symbol; see `calib_graph`.

    Parameters
    ----------
    sym : a float32 symbol
    arg_params, aux_params : its parameters
    LayerOutputCollector : the collector to return if `calib_mode` is ``"customize"``
    ctx, excluded_sym_names, excluded_op_names, calib_mode, quantized_dtype, quantize_mode,
        quantize_granularity, logger : as for `quantize_model`

    Returns
    -------
    symbol, arguments, auxiliary states, collector
        The collector is None without calibration; otherwise its method ``collect(name, array)`` is a
        callback for `Executor.set_monitor_callback` with ``monitor_all=True``.
    """
    where = "quantize_graph"
    require_choices(
        where,
        quantized_dtype=quantized_dtype,
        quantize_mode=quantize_mode,
        quantize_granularity=quantize_granularity,
        calib_mode=calib_mode or "none",
    )
    excluded = _require_list(where, "excluded_sym_names", excluded_sym_names)
    operators = _require_list(where, "excluded_op_names", excluded_op_names)
    if calib_mode in (None, "none"):
        # the quantized form of BatchNorm needs the range of its output
        operators = [*operators, "BatchNorm"]
    qsym, names = quantize_symbol(
        sym,
        ctx,
        excluded,
        operators,
        list(arg_params),
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
    )
    if logger:
        logger.info("Quantized the graph; %d values to calibrate", len(names))
    collector: Collector | None = None
    if calib_mode == "entropy":
        collector = LayerHistogramCollector(include_layer=names, logger=logger)
    elif calib_mode == "naive":
        collector = LayerOutputMinMaxCollector(quantized_dtype, names, logger)
    elif calib_mode == "customize":
        if LayerOutputCollector is None:
            raise AttributeValueError(
                describe("calib_mode='customize' needs LayerOutputCollector=", where=where)
            )
        collector = LayerOutputCollector
    return qsym, quantize_params(qsym, arg_params, {}), aux_params, collector


def calib_graph(
    qsym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    collector: Any,
    calib_mode: str = "entropy",
    quantized_dtype: str = "int8",
    logger: logging.Logger | None = _LOGGER,
) -> tuple[Symbol, Parameters, Mapping[str, NDArray]]:
    """Set the ranges of a quantized symbol to those that a collector has found.

    Parameters
    ----------
    qsym, collector : as `quantize_graph` returns them
    arg_params, aux_params : the parameters in float32
    calib_mode : {"entropy", "naive", "customize"}
        As for `quantize_graph`; a custom collector has ``min_max_dict``.
    quantized_dtype, logger : as for `quantize_model`

    Returns
    -------
    symbol, arguments, auxiliary states
    """
    require_choices("calib_graph", quantized_dtype=quantized_dtype, calib_mode=calib_mode)
    if calib_mode == "none":
        raise AttributeValueError(
            describe("there are no ranges with calib_mode='none'", where="calib_graph")
        )
    if calib_mode == "entropy":
        ranges = optimal_thresholds(collector.hist_dict, quantized_dtype, logger=logger)
    else:
        ranges = collector.min_max_dict
    calibrated = calibrate_symbol(qsym, ranges)
    return calibrated, quantize_params(calibrated, arg_params, ranges), aux_params


def quantize_model(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context | None = None,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: logging.Logger | None = None,
) -> tuple[Symbol, Parameters, Mapping[str, NDArray]]:
    """Quantize a float32 model for inference.

    Parameters
    ----------
    sym : the symbol
    arg_params, aux_params : its parameters, by name
    data_names : the names of its inputs, in the order of the arrays of `calib_data`
    label_names : accepted for compatibility; labels are zero
    ctx : the context to run it on examples; by default the current one
    excluded_sym_names, excluded_op_names : names of nodes, and of operators, that stay float32
    calib_mode : {"entropy", "naive", "none"}
        How to find the ranges of values: the ranges that lose least information on the examples, the
        examples' minimum and maximum, or the minimum and maximum of each batch at run time.
    calib_data : a `DataIter` of examples
    num_calib_examples : number of examples to use; by default all
    quantized_dtype : {"int8", "uint8", "auto"}
        The quantized dtype; ``auto`` is uint8 for values that are never negative.
    quantize_mode : {"smart", "full"}
        Whether to quantize layers with weights and the operators between them, or all operators that can be.
    quantize_granularity : {"tensor-wise", "channel-wise"}
        Whether the weights of a fused fully connected layer have one range, or one for each row; those of fused
        convolutions have one for each filter, others one in either case.
    logger : receives a line for each step

    Returns
    -------
    symbol, arguments, auxiliary states

    Examples
    --------
    >>> import gluonic as mx
    >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    >>> weight = {"fc_weight": mx.nd.array([[1, 2], [3, -4]])}
    >>> quantized, weight, _ = quantize_model(net, weight, {}, calib_mode="none")
    >>> quantized.eval(data=mx.nd.array([[1, 0.5]]), **weight)[0].round()
    <BLANKLINE>
    [[2. 1.]]
    <NDArray 1x2 @cpu(0)>
    """
    qsym, qargs, aux, collector = quantize_graph(
        sym,
        arg_params,
        aux_params,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        None,
        logger,
    )
    if collector is None:
        return qsym, qargs, aux
    if calib_data is None:
        raise AttributeValueError(
            describe(f"calib_mode={calib_mode!r} needs calib_data=", where="quantize_model")
        )
    run_examples(
        sym,
        {**arg_params, **aux_params},
        calib_data,
        collector,
        data_names=data_names,
        ctx=ctx,
        most=num_calib_examples,
        logger=logger,
    )
    assert calib_mode is not None
    return calib_graph(qsym, arg_params, aux_params, collector, calib_mode, quantized_dtype, logger)


def quantize_model_mkldnn(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context | None = None,
    excluded_sym_names: list[str] | None = None,
    excluded_op_names: list[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: DataIter | None = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: logging.Logger | None = None,
) -> tuple[Symbol, Parameters, Mapping[str, NDArray]]:
    """Quantize as `quantize_model` does, with layers fused for oneDNN.

    Parameters are those of `quantize_model`.
    """
    quantized, args, aux = quantize_model(
        sym.get_backend_symbol(QUANTIZING),
        arg_params,
        aux_params,
        data_names,
        label_names,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        calib_data,
        num_calib_examples,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        logger,
    )
    return quantized.get_backend_symbol(QUANTIZING), args, aux
