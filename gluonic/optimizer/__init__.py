"""Optimizers: update parameters by their gradients."""

from gluonic.optimizer import contrib
from gluonic.optimizer.adaptive import (
    FTML,
    AdaDelta,
    AdaGrad,
    Adam,
    Adamax,
    AdamW,
    Ftrl,
    Nadam,
    RMSProp,
)
from gluonic.optimizer.base import Optimizer, create, register
from gluonic.optimizer.descent import DCASGD, NAG, SGD, SGLD, Signum, Test, ccSGD
from gluonic.optimizer.layerwise import LAMB, LARS, LBSGD
from gluonic.optimizer.updater import Updater, get_updater

__all__ = [
    "DCASGD",
    "FTML",
    "LAMB",
    "LARS",
    "LBSGD",
    "NAG",
    "SGD",
    "SGLD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "Signum",
    "Test",
    "Updater",
    "ccSGD",
    "contrib",
    "create",
    "get_updater",
    "register",
]
