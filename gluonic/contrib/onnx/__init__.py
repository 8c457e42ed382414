"""ONNX in and out, with the names that MXNet has here."""

from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import SymbolBlock
from gluonic.onnx.exporting import export_model
from gluonic.onnx.importing import get_model_metadata, import_model, read_model


def import_to_gluon(model_file: Any, ctx: Any = None) -> SymbolBlock:
    """Read an ONNX file as a block, which runs, trains and compiles like any other.

    Parameters
    ----------
    model_file : as for `import_model`
    ctx : the contexts of its parameters

    Returns
    -------
    SymbolBlock
        whose inputs are those of the model that its outputs depend on, in order

    Raises
    ------
    OnnxImportError, FileFormatError
        as `import_model`
    """
    model = read_model(model_file)
    symbol = sym.Symbol(model.entries)
    variables = {node.name: node for node in symbol.graph().variables}
    names = [name for name in model.inputs if name in variables]
    block = SymbolBlock(symbol, [sym.Symbol([variables[name].entry()]) for name in names])
    parameters = block.collect_params()
    values = {name: nd.array(array, dtype=array.dtype) for name, array in model.parameters.items()}
    parameters.load_dict(values, ctx, False, False, "", None, True, "saved")
    for name, array in model.parameters.items():
        if array.dtype.kind != "f":
            parameters[name].grad_req = "null"
    return block


__all__ = ["export_model", "get_model_metadata", "import_model", "import_to_gluon"]
