"""The version of the package, and that of the MXNet that it stands in for, said once."""

__version__ = "0.1.0"
MXNET_VERSION = "1.9.1"
