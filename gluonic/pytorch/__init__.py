"""PyTorch: `export_torch` writes a net as the source of a module, and its weights beside it."""

from gluonic.pytorch.code import plain_name
from gluonic.pytorch.exporting import TorchFiles, export_torch
from gluonic.pytorch.loaded import LoadedModule, torch_library
from gluonic.pytorch.twins import torchvision_state

__all__ = [
    "LoadedModule",
    "TorchFiles",
    "export_torch",
    "plain_name",
    "torch_library",
    "torchvision_state",
]
