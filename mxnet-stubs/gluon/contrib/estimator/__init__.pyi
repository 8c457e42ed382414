"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.estimator import *
from gluonic.gluon.contrib.estimator import (
    BatchBegin as BatchBegin,
    BatchEnd as BatchEnd,
    BatchProcessor as BatchProcessor,
    CheckpointHandler as CheckpointHandler,
    EarlyStoppingHandler as EarlyStoppingHandler,
    EpochBegin as EpochBegin,
    EpochEnd as EpochEnd,
    Estimator as Estimator,
    GradientUpdateHandler as GradientUpdateHandler,
    LoggingHandler as LoggingHandler,
    MetricHandler as MetricHandler,
    StoppingHandler as StoppingHandler,
    TrainBegin as TrainBegin,
    TrainEnd as TrainEnd,
    ValidationHandler as ValidationHandler,
)
