"""The version of the package, and of the MXNet that it stands in for."""

__version__ = "0.2.0"
MXNET_VERSION = "1.9.1"
