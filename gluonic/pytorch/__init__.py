"""PyTorch: `export_torch` writes a net as the source of a module, and its weights beside it."""

from gluonic.pytorch.exporting import TorchFiles, export_torch

__all__ = ["TorchFiles", "export_torch"]
