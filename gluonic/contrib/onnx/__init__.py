"""ONNX, with the names that MXNet has here: `import_model`, `import_to_gluon`, `get_model_metadata`, `export_model`."""

from gluonic.onnx.exporting import export_model
from gluonic.onnx.importing import get_model_metadata, import_model, import_to_gluon

__all__ = ["export_model", "get_model_metadata", "import_model", "import_to_gluon"]
