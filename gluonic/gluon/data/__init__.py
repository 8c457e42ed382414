"""Data sets, samplers and loaders; `vision` is imported on first use."""

from typing import TYPE_CHECKING

from gluonic.gluon.data import dataloader, dataset, sampler
from gluonic.gluon.data.dataloader import *
from gluonic.gluon.data.dataset import *
from gluonic.gluon.data.sampler import *
from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from gluonic.gluon.data import vision

__all__ = ["vision"]
__all__ += dataloader.__all__
__all__ += dataset.__all__
__all__ += sampler.__all__
if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(__name__, {"vision": "gluonic.gluon.data.vision"})
