"""The parameters of a quantized net."""

from collections.abc import Mapping

from gluonic import ndarray as nd
from gluonic.ndarray import NDArray
from gluonic.symbol import Symbol

_SUFFIX = "_quantize"


def quantize_params(
    qsym: Symbol, params: Mapping[str, NDArray], th_dict: Mapping[str, tuple[float, float]]
) -> dict[str, NDArray]:
    """Return the arguments of a quantized symbol.

    Parameters
    ----------
    qsym : the symbol; it reads a parameter ``w`` as ``w_quantize``, ``w_quantize_min`` and ``w_quantize_max``
    params : the parameters in float32
    th_dict : the ranges of the layers' outputs, by name

    Returns
    -------
    dict
        by name; parameters that are not quantized are unchanged
    """
    found: dict[str, NDArray] = {}
    for name in qsym.list_arguments():
        original = name.removesuffix(_SUFFIX)
        if name.endswith(_SUFFIX) and original in params:
            value = params[original]
            least, greatest = nd.min(value), nd.max(value)
            small = nd.contrib.quantize(value, least, greatest, out_type="int8")
            found[name], found[f"{name}_min"], found[f"{name}_max"] = small
        elif name in params:
            found[name] = params[name]
        else:
            _add_end(found, name, th_dict)
    return found


def _add_end(
    found: dict[str, NDArray], name: str, ranges: Mapping[str, tuple[float, float]]
) -> None:
    """Add an argument's value if it is the minimum or maximum of a layer's output."""
    for index, suffix in enumerate(("_min", "_max")):
        output = name.removesuffix(suffix)
        if output != name and output in ranges:
            found[name] = nd.array([ranges[output][index]])
