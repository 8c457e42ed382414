"""Training without a hand-written loop: `Estimator`, and the handlers that it calls."""

from gluonic.gluon.contrib.estimator import batch_processor, estimator
from gluonic.gluon.contrib.estimator.batch_processor import BatchProcessor
from gluonic.gluon.contrib.estimator.checkpoints import CheckpointHandler
from gluonic.gluon.contrib.estimator.estimator import Estimator
from gluonic.gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
)
from gluonic.gluon.contrib.estimator.logs import LoggingHandler
from gluonic.gluon.contrib.estimator.measuring import MetricHandler, ValidationHandler
from gluonic.gluon.contrib.estimator.stopping import EarlyStoppingHandler, StoppingHandler
from gluonic.gluon.contrib.estimator.updating import GradientUpdateHandler

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "BatchProcessor",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "Estimator",
    "GradientUpdateHandler",
    "LoggingHandler",
    "MetricHandler",
    "StoppingHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
    "batch_processor",
    "estimator",
]
