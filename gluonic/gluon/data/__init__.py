"""Data sets, samplers and loaders; `vision` is imported when first asked for."""

import importlib
from typing import TYPE_CHECKING, Any

from gluonic.gluon.data import dataloader, dataset, sampler
from gluonic.gluon.data.dataloader import *  # noqa: F403
from gluonic.gluon.data.dataset import *  # noqa: F403
from gluonic.gluon.data.sampler import *  # noqa: F403

if TYPE_CHECKING:
    from gluonic.gluon.data import vision

__all__ = [*dataloader.__all__, *dataset.__all__, *sampler.__all__, "vision"]


def __getattr__(name: str) -> Any:
    if name != "vision":
        raise AttributeError(f"gluonic.gluon.data has no {name!r}")
    return importlib.import_module("gluonic.gluon.data.vision")
