"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.estimator.events import *
from gluonic.gluon.contrib.estimator.events import (
    BatchBegin as BatchBegin,
    BatchEnd as BatchEnd,
    EpochBegin as EpochBegin,
    EpochEnd as EpochEnd,
    EventHandler as EventHandler,
    TrainBegin as TrainBegin,
    TrainEnd as TrainEnd,
)
from gluonic.gluon.contrib.estimator.measuring import *
from gluonic.gluon.contrib.estimator.measuring import (
    MetricHandler as MetricHandler,
    ValidationHandler as ValidationHandler,
)
from gluonic.gluon.contrib.estimator.updating import *
from gluonic.gluon.contrib.estimator.updating import (
    GradientUpdateHandler as GradientUpdateHandler,
)
from gluonic.gluon.contrib.estimator.stopping import *
from gluonic.gluon.contrib.estimator.stopping import (
    EarlyStoppingHandler as EarlyStoppingHandler,
    StoppingHandler as StoppingHandler,
)
from gluonic.gluon.contrib.estimator.logs import *
from gluonic.gluon.contrib.estimator.logs import (
    LoggingHandler as LoggingHandler,
)
from gluonic.gluon.contrib.estimator.checkpoints import *
from gluonic.gluon.contrib.estimator.checkpoints import (
    CheckpointHandler as CheckpointHandler,
)
