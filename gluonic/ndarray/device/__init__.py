"""Arrays in the memory of a device: what differs there from arrays of the host."""

from gluonic.ndarray.device import arithmetic as _arithmetic
from gluonic.ndarray.device import custom as _custom
from gluonic.ndarray.device import indexing as _indexing
from gluonic.ndarray.device.arrays import DeviceNDArray, made, of_host
from gluonic.ndarray.device.assigning import copy_into, overwrite
from gluonic.ndarray.device.calls import eager_calls, into, invoke_on, invoke_there, record
from gluonic.ndarray.device.graphs import GraphOnDevice, head_of_ones
from gluonic.ndarray.device.methods import copied_to, copy_between, with_shape
from gluonic.ndarray.device.sharing import borrowed
from gluonic.ndarray.device.tape import DeviceLeaf, filled, filled_like
from gluonic.ndarray.device.update_rules import RulesOnDevice, finite_flag

__all__ = [
    "DeviceLeaf",
    "DeviceNDArray",
    "GraphOnDevice",
    "RulesOnDevice",
    "borrowed",
    "copied_to",
    "copy_between",
    "copy_into",
    "eager_calls",
    "filled",
    "filled_like",
    "finite_flag",
    "head_of_ones",
    "into",
    "invoke_on",
    "invoke_there",
    "made",
    "of_host",
    "overwrite",
    "record",
    "with_shape",
]
_ = (_arithmetic, _custom, _indexing)  # they add operators and methods
