"""``mx.gluon.data`` of MXNet 2.0: 1.x's, with `batchify` and `IntervalSampler`."""

from typing import Any

from gluonic.gluon import data as of_one
from gluonic.gluon.contrib.data.sampler import IntervalSampler
from gluonic.gluon.data.dataloader import *
from gluonic.gluon.data.dataset import *
from gluonic.gluon.data.sampler import *
from gluonic.mxnet2.gluon.data import batchify
from gluonic.support.lazy_import import import_later


def _handle(self: Any) -> Any:
    """The object itself: in MXNet its counterpart in the C library, which is called and indexed alike."""
    return self


_HANDLED: tuple[Any, ...] = (
    of_one.Dataset, of_one.Sampler,
    *(getattr(batchify, name) for name in ("Stack", "Pad", "Append", "Group", "AsList")),
)  # fmt: skip
for _kind in _HANDLED:
    _kind.__mx_handle__ = _handle
_listed = [name for name in of_one.__all__ if name != "vision"]
__all__ = [*_listed, "IntervalSampler", "batchify"]
__getattr__, __dir__ = import_later(__name__, {"vision": f"{__name__}.vision"})
