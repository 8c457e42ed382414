"""Data sets, samplers and loaders."""

from gluonic.gluon.data import dataloader, dataset, sampler, vision
from gluonic.gluon.data.dataloader import *  # noqa: F403
from gluonic.gluon.data.dataset import *  # noqa: F403
from gluonic.gluon.data.sampler import *  # noqa: F403

__all__ = [*dataloader.__all__, *dataset.__all__, *sampler.__all__, "vision"]
