"""ONNX: `export_model` writes a net as an ONNX file.

`gluonic.contrib.onnx` reads such files.
"""

from gluonic.onnx.exporting import export_model, get_operator_support

__all__ = ["export_model", "get_operator_support"]
