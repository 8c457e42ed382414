"""``mx.contrib.quantization``: nets quantized to 8-bit integers."""

from gluonic.contrib.quantization import calibration, model, parameters
from gluonic.contrib.quantization.calibration import combine_histogram
from gluonic.contrib.quantization.model import (
    calib_graph,
    quantize_graph,
    quantize_model,
    quantize_model_mkldnn,
)
from gluonic.contrib.quantization.net import quantize_net, quantize_net_v2

# MXNet's private names that programs use nevertheless.
_LayerHistogramCollector = calibration.LayerHistogramCollector
_LayerOutputMinMaxCollector = calibration.LayerOutputMinMaxCollector
_calibrate_quantized_sym = model.calibrate_symbol
_get_optimal_threshold = calibration.optimal_threshold
_get_optimal_thresholds = calibration.optimal_thresholds
_quantize_params = parameters.quantize_params
_quantize_symbol = model.quantize_symbol
_smooth_distribution = calibration.smooth_distribution

__all__ = [
    "calib_graph",
    "combine_histogram",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantize_net",
    "quantize_net_v2",
]
